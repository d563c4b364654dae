// SPDX-License-Identifier: Apache-2.0
// Contact laws: one file each (law_*.c), one line each in the table of law.c.
#ifndef CAIRN_CONTACT_LAW_H
#define CAIRN_CONTACT_LAW_H

#include "base/settings.h"
#include "base/vec.h"

/// `cone` laws join the implicit problem; `impulse` laws compute R of their contacts by themselves.
typedef enum con_law_kind { CON_LAW_CONE, CON_LAW_IMPULSE } con_law_kind;

enum { CON_HISTORY_MAX = 8, CON_LAW_SETTINGS_MAX = 256 };

/// What a cone law says about one contact.
typedef struct con_cone_terms {
    double friction;    // mu
    double restitution; // e of Newton's law
    double cohesion;    // N, traction that the contact bears; 0 for none
} con_cone_terms;

/// One contact as an impulse law sees it. Everything at the midpoint configuration.
typedef struct con_impulse_input {
    double step;              // h, s
    double gap;               // m
    mat3 frame;               // rows n, t1, t2, world
    double V[3];              // m/s, H v_n
    double B[3];              // m/s, H v_free
    mat3 W;                   // kg^-1, diagonal block
    vec3 centre[2];           // m, centres of A and B
    vec3 point;               // m, contact point
    vec3 velocity[2];         // m/s of the centres at t_n
    vec3 angular_velocity[2]; // rad/s, world
    double radius[2];         // m; INFINITY for a flat side
    double mass[2];           // kg; INFINITY where immobile
    double R_previous[3];     // N s, of the step before, in the frame of now
    bool fresh;               // true in the first step of this contact
} con_impulse_input;

/// What it answers. `torque` is a couple beside that of R at the contact point.
typedef struct con_impulse_output {
    double R[3];    // N s on B, contact frame
    vec3 couple[2]; // N m s on A and B, world; zero for most laws
    double elastic; // J stored in the contact's springs after the step
} con_impulse_output;

typedef struct con_law {
    const char *name;
    const char *help;
    con_law_kind kind;
    base_settings_table table; // parameters of a material pair
    int history_count;         // doubles kept per contact, at most CON_HISTORY_MAX
    const char *const *history_names;
    void (*cone)(const void *parameters, con_cone_terms *terms);
    void (*impulse)(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output);
} con_law;

/// All laws, the default first.
const con_law *const *con_law_list(int *count);
const con_law *con_law_find(const char *name);

#endif
