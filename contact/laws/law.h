// SPDX-License-Identifier: Apache-2.0
// Contact laws: one file each, one line each in the table of law_list.h.
#ifndef CAIRN_CONTACT_LAWS_LAW_H
#define CAIRN_CONTACT_LAWS_LAW_H

#include "base/settings.h"
#include "base/vec.h"

/// `cone` laws join the implicit problem; `impulse` laws compute R of their contacts by themselves.
typedef enum con_law_kind { CON_LAW_CONE, CON_LAW_IMPULSE } con_law_kind;

enum { CON_HISTORY_MAX = 24, CON_LAW_SETTINGS_MAX = 256 };

/// What a cone law says about one contact.
typedef struct con_cone_terms {
    double friction;    // mu
    double restitution; // e of Newton's law
    double rolling;     // of R*: mu_r = rolling R*
    double spinning;    // of R*: mu_s = spinning R*
    double flat_radius; // m, stands for R* where neither side is curved
    double tangential;  // restitution along the surface, of impacts
    double cohesion;    // N, attraction of a contact that was closed
} con_cone_terms;

/// How the surfaces of a contact roll on each other, docs/laws.md section 3.
typedef struct con_roll {
    vec3 axis;        // unit, along the surface, world
    double radius[2]; // m, R* for turning about the axis and about n x axis; 0: not known
    double twisting;  // m, R* for turning about n
    double arm;       // m, most that R* may be in the stiffness of a spring
} con_roll;

/// One contact as an impulse law sees it. Everything at the midpoint configuration q_m = q_n + h/2
/// v_n, with the velocities v_n.
///
/// Since q_m of a step is q_m of the step before plus h v_n, the pairs (q_m, v_n) are the pairs
/// (x_k, v_{k-1/2}) of the leap-frog scheme: a law that is defined on leap-frog states (Yade,
/// LAMMPS) is evaluated here on exactly its own states when the positions at the start are those of
/// leap-frog moved back by h/2 v.
typedef struct con_impulse_input {
    double step;              // h, s
    double gap;               // m
    mat3 frame;               // rows n, t1, t2, world
    double V[3];              // m/s, H v_n
    double B[3];              // m/s, H v_free
    mat3 W;                   // kg^-1, diagonal block; zero asks for the force of the state alone
    vec3 centre[2];           // m, centres of A and B
    vec3 point;               // m, contact point, halfway between the surfaces
    vec3 velocity[2];         // m/s of the centres at t_n
    vec3 angular_velocity[2]; // rad/s, world
    double radius[2];         // m; INFINITY for a flat side, negative for the inside of a sphere
    double mass[2];           // kg; INFINITY where immobile
    // of laws that ask by `corner_radius`; both 0 where nothing is known of the shapes
    double touch_radius; // m, R* of the surfaces where they touch in a point; else 0
    double touch_width;  // m, half width of this contact's share of a line or face; else 0
    con_roll
        roll; // of laws that ask by `flat_radius`, where no side has a finite radius; else zeros
    double R_previous[3]; // N s, of the step before, in the frame of now
    bool fresh;           // true in the first step of this contact
    bool initial;         // true for a contact that is there in the world's first step
} con_impulse_input;

/// What broke a bond.
typedef enum con_break {
    CON_UNBROKEN,
    CON_BREAK_TENSION,  // the normal force
    CON_BREAK_SHEAR,    // the force along the surface
    CON_BREAK_BENDING,  // the moment along the surface
    CON_BREAK_TWISTING, // the moment about the normal
} con_break;

/// What it answers. Stored and dissipated energy belong to the midpoint configuration and to the
/// interval since the last call for this contact; con_impulse_book turns them into an audit.
typedef struct con_impulse_output {
    double R[3];          // N s on B, contact frame
    vec3 couple[2];       // N m s on A and B, world, beside that of R at the contact point
    double R_damping[3];  // N s, part of R whose work is dissipated by dashpots
    double R_friction[3]; // N s, part of R whose work is dissipated by friction without a spring
    vec3 couple_friction; // N m s on B (and its opposite on A), part of the couples
    vec3 couple_damping;  // N m s on B (and its opposite on A), part of the couples
    double elastic;       // J stored in the contact's springs
    double releasable;    // J of it in springs along the surface, lost when the contact opens
    double friction;      // J dissipated by slip of springs since the last call
    double plastic;       // J dissipated by plasticity and adhesion since the last call
    con_break broken;     // a bond broke in this step, of laws that say so
} con_impulse_output;

/// What the estimate of a stable step asks a law for.
typedef struct con_stiffness_input {
    double radius;  // m, effective; INFINITY between flat sides
    double mass;    // kg, effective
    double overlap; // m, for laws whose stiffness grows with it
    double size;    // m, reach of the smaller body where no side is a sphere; 0: not known
} con_stiffness_input;

/// Tangents of a closed contact, at their largest.
typedef struct con_stiffness {
    double normal;     // N/m
    double tangential; // N/m
    double damping;    // N s/m, normal, of a dashpot that sees the velocity of the step's begin
    // steps of a head-on impact that meet the coefficient of restitution asked for to 1e-3,
    // whatever the phase of the touch in its step; 0: the law takes no coefficient
    double impact_steps;
} con_stiffness;

typedef struct con_law {
    const char *name;
    const char *help;
    con_law_kind kind;
    base_settings_table table; // parameters of a material pair
    bool uses_mobility;        // asks for B and W of its input, which others need not be given
    bool uses_previous;        // the same of R_previous
    bool breaks;               // has bonds, and says when they break
    int history_count;         // doubles kept per contact, at most CON_HISTORY_MAX
    const char *const *history_names;
    void (*cone)(const void *parameters, con_cone_terms *terms);
    /// @param history  [history_count] read and updated; all zero for a fresh contact
    /// @param output   zeroed by the caller
    void (*impulse)(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output);
    /// The same for many contacts of one surface, by laws that need to know themselves; NULL: by
    /// `impulse`.
    void (*impulses)(const struct con_law *law, const void *parameters, int count,
                     const con_impulse_input *inputs, double (*history)[CON_HISTORY_MAX],
                     con_impulse_output *outputs);
    /// What becomes of the history of a connector, which outlives its contacts, while it is open;
    /// NULL: all zero.
    void (*open)(const void *parameters, const con_impulse_input *input, double *history);
    /// Whether a contact with this history acts across an open gap; NULL: never. Contacts of
    /// impulse laws live while gap <= 0 or while this holds.
    bool (*bonded)(const void *parameters, const double *history);
    /// Gap up to which a contact of a body of this radius (m; INFINITY without one) may act, m: of
    /// the two bodies' the sum is no less than what their contact bears. INFINITY: any; NULL: none.
    double (*reach)(const void *parameters, double radius);
    /// Radius of edges and corners (m) where these parameters ask for touch_radius and touch_width,
    /// else 0; NULL: never.
    double (*corner_radius)(const void *parameters);
    /// R* along a direction in which neither side is curved (m) where these parameters resist
    /// rolling or twisting, else 0; NULL: never.
    double (*flat_radius)(const void *parameters);
    /// Stiffness of a contact of an impulse law; NULL: the law puts no limit on the step.
    con_stiffness (*stiffness)(const void *parameters, const con_stiffness_input *input);
    /// Kernel for many contacts of spheres at once, contact/laws/batch.h; NULL: none.
    const struct con_batch *batch;
} con_law;

/// Evaluates an impulse law on one contact.
static inline void con_law_act(const con_law *law, const void *parameters,
                               const con_impulse_input *input, double history[CON_HISTORY_MAX],
                               con_impulse_output *output)
{
    if (law->impulses != NULL)
        law->impulses(law, parameters, 1, input, (double(*)[CON_HISTORY_MAX])history, output);
    else
        law->impulse(parameters, input, history, output);
}

/// m, 1 / (1/r_A + 1/r_B); INFINITY between flat sides.
static inline double con_effective_radius(const con_impulse_input *input)
{
    return 1.0 / (1.0 / input->radius[0] + 1.0 / input->radius[1]);
}

/// kg, 1 / (1/m_A + 1/m_B); 0 between immobile bodies, which nothing can damp.
static inline double con_effective_mass(const con_impulse_input *input)
{
    double inverse = 1.0 / input->mass[0] + 1.0 / input->mass[1];
    return inverse > 0.0 ? 1.0 / inverse : 0.0;
}

/// All laws, the default first.
const con_law *const *con_law_list(int *count);
const con_law *con_law_find(const char *name);

#endif
