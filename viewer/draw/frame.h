// SPDX-License-Identifier: Apache-2.0
// One instant of a world, copied out: what moves, the contacts, the report, the energies.
#ifndef CAIRN_VIEWER_DRAW_FRAME_H
#define CAIRN_VIEWER_DRAW_FRAME_H

#include "viewer/draw/model.h"

typedef struct view_contact {
    int a, b; // bodies of the model
    vec3 point, normal;
    vec3 force;      // N on b
    vec3 velocity;   // m/s, U in contact axes (N, T1, T2)
    double gap;      // m
    double friction; // of the pair
    uint64_t key;    // tells the contacts of a pair apart, from step to step
    cairn_contact_status status;
} view_contact;

enum { VIEW_RESIDUALS_MAX = 128 };

typedef struct view_frame {
    base_allocator allocator;
    double time;      // s
    double time_step; // s
    int64_t step;
    bool replayed;           // of a run: report and energies are not there
    bool keeps_contacts;     // the run kept this frame's contacts
    int64_t contacts_stored; // number of contacts the run had in this frame
    bool *present; // [body_count] whether the row's body is there, or only before or after
    pose *poses;   // [body_count] of the shape frames
    vec3 *velocities, *omegas, *centres; // [body_count] m/s, rad/s, m
    int body_count, pose_capacity, velocity_capacity, omega_capacity, centre_capacity;
    int present_capacity, present_count;
    view_contact *contacts;
    int contact_count, contact_capacity;
    cairn_step_report report;
    cairn_energy energy;
    cairn_cell_view cell;                  // periodic, as it was then
    double residuals[VIEW_RESIDUALS_MAX];  // [residual_count] of the step's solve, thinned out
    double iterations[VIEW_RESIDUALS_MAX]; // [residual_count] at which they were reached
    int residual_count;
} view_frame;

view_frame view_frame_begin(const base_allocator *allocator);
void view_frame_finish(view_frame *frame);

/// Room for bodies and contacts.
cairn_status view_frame_reserve(view_frame *frame, int bodies, int contacts) CAIRN_CHECK_RESULT;

/// Whether a body is there in this frame.
static inline bool view_frame_has(const view_frame *frame, int body)
{
    return body >= 0 && body < frame->body_count && frame->present[body];
}

/// Copies the present state of a world, of which the model knows the bodies; memory is used again.
cairn_status view_frame_take(view_frame *frame, const view_model *model,
                             const cairn_world *world) CAIRN_CHECK_RESULT;

cairn_status view_frame_copy(view_frame *to, const view_frame *from) CAIRN_CHECK_RESULT;

/// Bytes that a frame of its size takes.
size_t view_frame_bytes(const view_frame *frame);

/// Of time, poses and velocities, bit by bit.
uint64_t view_frame_hash(const view_frame *frame);

/// Contacts of the instant, whether they are there or not.
int64_t view_frame_contacts(const view_frame *frame);

/// Index of a contact of two bodies, in either order, with a key; -1 for none.
int view_frame_find_contact(const view_frame *frame, int a, int b, uint64_t key);

/// The nearest contact of a body behind (way 1) or before (way -1) another in the list, around its
/// ends; `from` -1: the first or last. -1 where the body has none.
int view_frame_next_contact(const view_frame *frame, int body, int from, int way);

/// Box around all bodies but half-spaces and containers of the auto transparency; around all but
/// half-spaces when `containers`. @return false where there is no such body
bool view_frame_bounds(const view_frame *frame, const view_model *model, bool containers,
                       vec3 *minimum, vec3 *maximum);

#endif
