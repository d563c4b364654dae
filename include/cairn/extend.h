// SPDX-License-Identifier: Apache-2.0
// cairn: contact laws, force fields and contact filters of a program's own.
//
// Each is registered with a world, before the scene names it or the first step needs it, with a
// name, a version and a context that the functions get back. A checkpoint keeps the name, the
// version and, of laws, the parameters in its fingerprint: it goes on only in a world with the same
// ones. Functions and contexts are not saved; a program that goes on registers them again. Raise
// the version whenever results change.
//
// Functions are called while a world steps. They may not call functions of that world. To keep the
// same bits for any number of threads and after a restart, what they answer may depend on what they
// are given and on the context alone, and the context may not change from step to step.
//
// The structs grow at their end in later versions: a function steps through arrays by the sizes in
// the batch, never by sizeof.
#ifndef CAIRN_EXTEND_H
#define CAIRN_EXTEND_H

#include <cairn/plugin.h>
#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- laws

enum { CAIRN_OWN_PARAMETERS_MAX = 32 };

/// A parameter of a law: a number. Texts are copied.
typedef struct cairn_parameter_def {
    const char *name, *unit, *help; // unit and help may be NULL
    double initial, minimum, maximum;
} cairn_parameter_def;

/// One contact in the middle of a step, with the velocities of the step's begin; the same state
/// that laws of the library see, docs/laws.md section 1.4.
typedef struct cairn_law_contact {
    double gap;            // m; negative: overlap
    double frame[3][3];    // rows n (from A to B), t1, t2, world axes
    double point[3];       // m, halfway between the surfaces
    double velocity[3];    // m/s, of B against A at the point, in the frame
    double centre[2][3];   // m, of A and B
    double motion[2][3];   // m/s, of the centres
    double turning[2][3];  // rad/s, world axes
    double radius[2];      // m; INFINITY for a flat side, negative for the inside of a sphere
    double mass[2];        // kg; INFINITY where immobile
    double previous[3];    // N s, impulse of the step before, in the frame of now
    double mobility[3][3]; // kg^-1, W of the contact in the frame; zeros unless asked for
    double free[3];        // m/s, the velocity without contacts; zeros unless asked for
    bool fresh;            // the first step of this contact: its history is zero
    bool initial;          // it is there in the world's first step
} cairn_law_contact;

/// What the law answers; zeros before the call. The energies are for the audit: what the world's
/// energy does not explain otherwise shows as its residual.
typedef struct cairn_law_answer {
    double impulse[3];          // N s on B, in the frame
    double moment[2][3];        // N m s on A and B, world axes, beside that of the impulse
    double impulse_damping[3];  // N s, part of the impulse whose work dashpots dissipate
    double impulse_friction[3]; // N s, part of it whose work friction without a spring dissipates
    double elastic;             // J, stored now
    double releasable;          // J of it, lost when the contact opens
    double friction;            // J, dissipated by slip of springs since the last step
    double plastic;             // J, dissipated otherwise since the last step
} cairn_law_answer;

/// Contacts of one pair of materials.
typedef struct cairn_law_batch {
    size_t size; // of this struct in the library
    double step; // s
    int count;
    const double *parameters; // in the order of the law's definition
    const cairn_law_contact *contacts;
    size_t contact_size; // bytes from one to the next
    double *history;     // [count][history_count], read and updated
    int history_count;
    cairn_law_answer *answers;
    size_t answer_size;
} cairn_law_batch;

/// Called by several threads at once, for different contacts. An answer that is not finite stops
/// the step with the names of the bodies.
typedef void cairn_law_function(void *context, const cairn_law_batch *batch);

/// Texts and lists are copied.
typedef struct cairn_law_def {
    const char *name; // as scenes say it: pair{ law = "NAME" }
    const char *help; // NULL for none
    uint32_t version;
    cairn_law_function *function;
    void *context;                         // borrowed; NULL for none
    const cairn_parameter_def *parameters; // [parameter_count]
    int parameter_count;                   // at most CAIRN_OWN_PARAMETERS_MAX
    const char *const *history;            // [history_count] names; zero in a fresh contact
    int history_count;                     // at most CAIRN_LAW_HISTORY_MAX
    bool mobility;                         // the function needs `mobility` and `free`
    uint32_t cookie;
} cairn_law_def;

CAIRN_API cairn_law_def cairn_default_law_def(void);

/// Adds an explicit law to a world; it stays as long as the world. Contacts of the law live while
/// their gap is not positive. The estimate of a stable step does not know it.
/// @return CAIRN_ERROR_ARGUMENT for a name that is taken, numbers out of range, names that repeat
CAIRN_API cairn_status cairn_world_add_law(cairn_world *world, const cairn_law_def *def,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Tries an explicit law, of the library or of the world's own, on single contacts, in which A
/// weighs 0.2 kg and B 0.1 kg and which close with 2 m/s, and goes no further than the first thing
/// that no law may do: a force across the open gap of a new contact (laws of the library alone:
/// others are not asked then); moments that do not balance, or none at all; another answer where
/// everything is turned, moves along, or has its bodies in the other order; another answer to the
/// same question; numbers that are not finite in extreme states; a ball that a plane or a hollow
/// sphere does not push out; an impact that does not end, whose energy the answers leave
/// unexplained by more than 1 %, or that makes energy. History that is a vector of the world has
/// three names of which the first ends in _x. The world is not changed.
/// @param parameters  [parameter_count] the others have their defaults
/// @return CAIRN_ERROR_NUMERICAL with what was seen and its size; CAIRN_ERROR_NOT_FOUND for an
///         unknown law, CAIRN_ERROR_UNSUPPORTED for one of the implicit problem, or what a
///         parameter is refused with
/// Tests: tests/unit/contact/laws/test_law_check.c
CAIRN_API cairn_status cairn_world_check_law(const cairn_world *world, const char *name,
                                             const cairn_parameter *parameters, int parameter_count,
                                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Laws of a world: those of cairn_plugin_get(CAIRN_LAW), then its own.
CAIRN_API int cairn_world_law_count(const cairn_world *world);
/// @return CAIRN_ERROR_NOT_FOUND for an index that there is not
CAIRN_API cairn_status cairn_world_get_law(const cairn_world *world, int index,
                                           cairn_plugin_info *info) CAIRN_CHECK_RESULT;
/// @return CAIRN_ERROR_NOT_FOUND for an index that there is not
CAIRN_API cairn_status cairn_world_get_law_setting(const cairn_world *world, int index, int setting,
                                                   cairn_setting_info *info) CAIRN_CHECK_RESULT;
/// Index of a law by its name; -1 where there is none.
CAIRN_API int cairn_world_find_law(const cairn_world *world, const char *name);

// ---------------------------------------------------------------- force fields

/// One dynamic body in the middle of the coming step, with the velocities of its begin.
typedef struct cairn_field_body {
    cairn_body_id id;
    double centre[3];           // m, centre of mass
    double orientation[4];      // of the shape's frame, at the begin of the step
    double velocity[3];         // m/s
    double angular_velocity[3]; // rad/s, world axes
    double mass;                // kg
    uint64_t user;              // cairn_body_set_user
} cairn_field_body;

/// What the field gives a body; zeros before the call.
typedef struct cairn_field_force {
    double force[3];  // N, at the centre of mass
    double torque[3]; // N m, world axes
} cairn_field_force;

/// All dynamic bodies, in the order of cairn_body_at.
typedef struct cairn_field_batch {
    size_t size;       // of this struct in the library
    double time, step; // s, of the step's begin
    int count;
    const cairn_field_body *bodies;
    size_t body_size; // bytes from one to the next
    cairn_field_force *forces;
    size_t force_size;
} cairn_field_batch;

/// Called once a step by the thread that steps. A failure stops the step before it begins, with its
/// message.
typedef cairn_status cairn_field_function(void *context, const cairn_field_batch *batch,
                                          cairn_error *error);

typedef struct cairn_field_def {
    const char *name; // copied
    uint32_t version;
    cairn_field_function *function;
    void *context; // borrowed
    uint32_t cookie;
} cairn_field_def;

CAIRN_API cairn_field_def cairn_default_field_def(void);

/// Between steps: adds a force field to a world. Its forces act over the whole step, on top of
/// those of cairn_body_set_force and of other fields, and their work is booked as that of drivers.
/// @return CAIRN_ERROR_ARGUMENT for a name that is taken
CAIRN_API cairn_status cairn_world_add_force_field(cairn_world *world, const cairn_field_def *def,
                                                   cairn_error *error) CAIRN_CHECK_RESULT;
/// Between steps. @return CAIRN_ERROR_NOT_FOUND
CAIRN_API cairn_status cairn_world_remove_force_field(cairn_world *world, const char *name,
                                                      cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- which bodies may touch

/// Between steps. @return CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD, CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_body_set_collision(cairn_world *world, cairn_body_id body,
                                                cairn_collision collision,
                                                cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_body_get_collision(const cairn_world *world, cairn_body_id body,
                                                cairn_collision *collision) CAIRN_CHECK_RESULT;

/// Whether two bodies whose groups allow it may touch. Asked when lists of near pairs are made, by
/// several threads at once, and not again while such a list lasts.
typedef bool cairn_filter_function(void *context, cairn_body_id a, cairn_body_id b);

typedef struct cairn_filter_def {
    const char *name; // copied
    uint32_t version;
    cairn_filter_function *function;
    void *context; // borrowed
    uint32_t cookie;
} cairn_filter_def;

CAIRN_API cairn_filter_def cairn_default_filter_def(void);

/// Between steps: sets the filter of a world; the lists of near pairs are made anew, so that a
/// filter whose answers change with the context is set again then.
/// @param def  NULL: no filter any more
CAIRN_API cairn_status cairn_world_set_contact_filter(cairn_world *world,
                                                      const cairn_filter_def *def,
                                                      cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
