// SPDX-License-Identifier: Apache-2.0
// The loops of accelerated gradient steps, for eight contacts at a time.
//
// Built for several vector lengths with the same operations in the same order: the bits do not
// depend on the machine.
#ifndef CAIRN_CONTACT_SOLVERS_GRADIENT_GRADIENT_KERNEL_H
#define CAIRN_CONTACT_SOLVERS_GRADIENT_GRADIENT_KERNEL_H

enum { CON_GRADIENT_LANES = 8 };

typedef double con_gradient_row[CON_GRADIENT_LANES];

/// Eight contacts; lanes behind the last contact are zero.
typedef struct con_gradient_block {
    con_gradient_row r[3], u[3];   // last point and W r + q + s e_N
    con_gradient_row y[3], w[3];   // where the gradient is taken, and that gradient
    con_gradient_row d[3], W_d[3]; // step from y
    con_gradient_row shift;        // s
    con_gradient_row mu;
    con_gradient_row share; // 1 / (1 + mu^2)
} con_gradient_block;

/// What one pass over the contacts needs.
typedef struct con_gradient_pass {
    con_gradient_block *blocks;
    int contact_count;
    double step;   // 1 / L
    double beta;   // how far the next y lies beyond the next r, in changes of r
    double follow; // share of its way to mu |u_T| that s goes in this pass
    // body form: W_d is found from the bodies, and what each side adds to them is written. NULL:
    // the caller does both
    const double (*J)[2][3][6];
    const double (*K)[2][3][6];
    const double (*last_J)[3][6]; // [2] of the last contact, with room for two numbers more
    const double (*last_K)[3][6];
    const int (*row)[2];              // [n] rows of velocity, the last one where immobile
    const con_gradient_row *velocity; // [m + 1] six numbers and two zeros
    con_gradient_row (*part)[2];      // [n] K^T d of each side; the last two numbers are any
} con_gradient_pass;

/// Sums over contacts, of lane after lane.
typedef struct con_gradient_sums {
    double energy;    // d'W d of the step taken
    double d_squared; // |d|^2 of the new one
    double uphill;    // -d'(y + d - r)
} con_gradient_sums;

/// Functions of one vector length.
typedef struct con_gradient_kernel {
    /// Takes the step d, and finds the next: d = P(y - w / L) - y, of the blocks [begin, end).
    void (*advance)(const con_gradient_pass *pass, int begin, int end, con_gradient_sums *sums);
    /// Velocities of the bodies [begin, end): sums over their sides, 3 contact + side.
    void (*gather)(const con_gradient_pass *pass, const int *side_start, const int *side, int begin,
                   int end, con_gradient_row *velocity);
} con_gradient_kernel;

/// The longest that the machine has.
const con_gradient_kernel *con_gradient_kernel_choose(void);

#endif
