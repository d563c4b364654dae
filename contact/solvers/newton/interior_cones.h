// SPDX-License-Identifier: Apache-2.0
// A point of the interior point's path and what it asks of the cones of an island.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_INTERIOR_CONES_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_INTERIOR_CONES_H

#include "base/rng.h"
#include "contact/solvers/newton/interior.h"

enum { CON_INTERIOR_MEMORY = 8 };

typedef enum con_interior_mode {
    CON_INTERIOR_NEWTON,
    CON_INTERIOR_ESCAPE // the slip is frozen and follows in pseudo-time
} con_interior_mode;

/// A pair (x, y) in the cone |x_T| <= x_0, in one iteration.
typedef struct con_interior_part {
    double lambda[3];     // = scale y = inverse x
    double scale[3][3];   // Nesterov and Todd's W
    double inverse[3][3]; // W^-1
    double t[2];          // mu u_T / |u_T|
    double slip;          // mu |u_T|
} con_interior_part;

/// What only rolling contacts need; see interior_rolling.c.
typedef struct con_interior_rolling con_interior_rolling;

typedef struct con_interior {
    con_newton *newton;
    const con_interior_settings *settings;
    const struct con_interior_cones *cones;
    con_interior_rolling *rolling; // NULL where no contact resists rolling
    int part_count;
    con_interior_part *part; // [part_count] one a contact, or several where it resists rolling
    double (*rc)[3];         // [part_count] residual of the complementarity
    double *mu;              // [n] not below the floor
    double (*r)[3], (*u)[3], (*dr)[3], (*du)[3];
    double *s; // [n] the frozen or followed slip of a contact
    double (*A)[3][3], (*B)[3][3];
    double (*p)[3];  // residual of the velocity
    double (*pp)[3]; // the same with the linearised slip
    double (*dy)[3];
    double (*rhs)[3];
    double (*W_dr)[3];
    double (*saved_r)[3], (*saved_u)[3];
    double saved_tau; // <= 0: none

    con_interior_mode mode;
    double tau, p_norm, slip_gap, least_eigenvalue;
    double error, least;
    double alpha, gamma;
    double delta;      // pseudo-time step
    double target_tau; // of an escape
    double worst_gap;  // largest slip_gap of this escape
    int escapes, escape_iterations, bad;
    int slow_starts, restarts;
    double start_r;
    double tau_history[CON_INTERIOR_MEMORY], least_history[CON_INTERIOR_MEMORY + 1];
    int tau_count, least_count;
} con_interior;

/// Coulomb cones or rolling cones, of one island.
typedef struct con_interior_cones {
    bool (*allocate)(con_interior *p);
    /// u and r of the start, scattered where rng is not NULL.
    void (*start)(con_interior *p, base_rng *rng);
    /// Residuals, scaling and measures of the point; W r + q is in newton->scratch[0] already.
    void (*look)(con_interior *p);
    /// A, B and pp, with the slip's derivative times theta.
    void (*fill)(con_interior *p, double theta);
    /// The direction for rc.
    void (*solve)(con_interior *p, double theta);
    double (*largest_step)(con_interior *p);
    /// Complementarity after a step.
    double (*tau_after)(con_interior *p, double step);
    /// Second-order part of the direction taken off rc.
    void (*correct)(con_interior *p);
    /// A step in u and r; false where the point is not finite.
    bool (*move)(con_interior *p, double step);
    /// The slip of the velocities into s.
    void (*freeze)(con_interior *p);
    /// Keeps the point, or takes it back.
    void (*save)(con_interior *p, bool back);
} con_interior_cones;

extern const con_interior_cones con_interior_coulomb, con_interior_rolling_cones;

/// Share of the slip's change that a step follows: 1, or less in an escape.
double con_interior_transient(const con_interior *p);

/// exp(x), x nearly normal.
double con_interior_scatter(base_rng *rng);

double con_interior_dot(const double a[3], const double b[3]);
void con_interior_apply(const double a[3][3], const double x[3], double out[3]);

/// Jordan product.
void con_interior_jordan(const double a[3], const double b[3], double out[3]);

double con_interior_tangent(const double a[3]);

/// Largest step from x along d that stays in the cone |x_T| <= x_0.
double con_interior_step_to_boundary(const double x[3], const double d[3]);

/// scale, inverse and lambda of a pair.
void con_interior_scale(con_interior_part *part, const double x[3], const double y[3]);

/// z with lambda o z = b
void con_interior_divide(const double lambda[3], const double b[3], double z[3]);

#endif
