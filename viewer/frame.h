// SPDX-License-Identifier: Apache-2.0
// One instant of a world, copied out: what moves, the contacts, the report, the energies.
#ifndef CAIRN_VIEWER_FRAME_H
#define CAIRN_VIEWER_FRAME_H

#include "viewer/model.h"

typedef struct view_contact {
    int a, b; // bodies of the model
    vec3 point, normal;
    vec3 force;      // N on b
    double gap;      // m
    double friction; // of the pair
    cairn_contact_status status;
} view_contact;

typedef struct view_frame {
    base_allocator allocator;
    double time; // s
    int64_t step;
    double seconds;                     // s of wall clock the step took
    pose *poses;                        // [body_count] of the shape frames
    vec3 *velocities, *spins, *centres; // [body_count] m/s, rad/s, m
    int body_count, pose_capacity, velocity_capacity, spin_capacity, centre_capacity;
    view_contact *contacts;
    int contact_count, contact_capacity;
    cairn_step_report report;
    cairn_energy energy;
} view_frame;

view_frame view_frame_begin(const base_allocator *allocator);
void view_frame_finish(view_frame *frame);

/// Copies the present state of a world; memory is used again.
cairn_status view_frame_take(view_frame *frame, const view_model *model,
                             const cairn_world *world) CAIRN_CHECK_RESULT;

cairn_status view_frame_copy(view_frame *to, const view_frame *from) CAIRN_CHECK_RESULT;

/// Bytes that a frame of its size takes.
size_t view_frame_bytes(const view_frame *frame);

/// Of time, poses and velocities, bit by bit.
uint64_t view_frame_hash(const view_frame *frame);

/// Box around all bodies but half-spaces and containers of the auto transparency; around all but
/// half-spaces when `containers`. @return false where there is no such body
bool view_frame_bounds(const view_frame *frame, const view_model *model, bool containers,
                       vec3 *minimum, vec3 *maximum);

#endif
