// SPDX-License-Identifier: Apache-2.0
// What an executor of many contacts at once knows of a law that has a kernel for it.
//
// A pair of bodies has columns of numbers, which the kernel of the law (NAME_kernel.h) addresses by
// their places: a constant, then history that the executor does not keep itself (zero while nothing
// touches), then further constants. The law gives the constants when the pair is listed.
#ifndef CAIRN_CONTACT_LAWS_BATCH_H
#define CAIRN_CONTACT_LAWS_BATCH_H

#include "contact/laws/law_list.h"
#include "contact/laws/rolling.h"

#define CON_KERNEL_ENTRY(name) CON_KERNEL_##name,
/// Kernels, by the names of their laws.
typedef enum con_kernel { CON_KERNEL_LIST(CON_KERNEL_ENTRY) CON_KERNEL_COUNT } con_kernel;

enum {
    CON_BATCH_TERMS = 192,  // bytes that `prepare` may fill
    CON_BATCH_COLUMNS = 12, // most columns of a pair
    CON_BATCH_KEPT = 6,     // most of them history
};

/// Two spheres, or a sphere and the side of another body, as A and B of a contact.
typedef struct con_batch_pair {
    double step;               // h, s
    double mass, radius;       // kg, m; effective
    double inverse_mass;       // kg^-1, 1/m_A + 1/m_B
    double arm[2];             // m, radii; 0 for a side that is no sphere
    double inverse_inertia[2]; // kg^-1 m^-2, 0 where immobile
    int falls;                 // 1 where gravity pulls at B alone, -1 at A alone, else 0
    bool flat;                 // B is no sphere
} con_batch_pair;

/// A closed contact apart from its springs along the surface.
typedef struct con_batch_state {
    double spring;    // N, part of the normal force that is no dashpot's
    double stiffness; // N/m, of the springs along the surface
    double elastic;   // J, stored in the direction of the normal
    double lost;      // J, what loading to this state has cost for good
} con_batch_state;

typedef struct con_batch {
    con_kernel kernel;
    /// Whether the kernel has all that these parameters ask for; else the contacts go through
    /// con_law.impulse one by one. NULL: always.
    bool (*covers)(const void *parameters);
    /// The kernel's terms of one surface, at most CON_BATCH_TERMS bytes.
    void (*prepare)(const void *parameters, void *terms);
    /// Rolling and twisting resistance; NULL: the law has none.
    con_rolling (*rolling)(const void *parameters);
    int column_count; // at least 1
    /// Constants among the columns of a pair.
    void (*pair)(const void *terms, const con_batch_pair *pair, double *columns);
    // places in the history of the law. With springs along the surface it begins with their force
    // (x y z), after which rolling moment (x y z) and twisting moment come where the law has them.
    bool springs;
    int first_kept, kept_count; // those that are columns, from column 1 on
    bool kept_turn;             // they are a vector from A to B: exchanged bodies change its sign
    /// Whether bodies may be clumps: of the bodies it asks for masses and curvatures alone, not how
    /// they turn.
    bool takes_clumps;
    /// Of a closed contact with that overlap.
    con_batch_state (*state)(const void *terms, const double *columns, double overlap);
} con_batch;

/// Columns of a pair for a law that looks ahead over the step: column 0, and those from `first` on,
/// contact/laws/ahead_kernel.h.
void con_batch_look_ahead(const con_batch_pair *pair, int first, double *columns);

#endif
