// SPDX-License-Identifier: Apache-2.0
// Clumps in the sphere executor: dynamic bodies whose shape is a rigid union of spheres.
//
// The state of a clump is in the general columns, as that of every body that is no sphere. Each of
// its spheres, a member, has a particle slot that follows the body: place and velocity come from
// it, and the sum of the forces on the slot goes back to it. Lists and kernels of pairs do not know
// clumps. Where nothing but the executor acts on clumps without joints, it moves them itself; else
// the general passes do.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_CLUMPS_H
#define CAIRN_ENGINE_PAIRS_SPHERES_CLUMPS_H

#include "engine/pairs/spheres/data.h"
#include "engine/state/world.h"

/// A sphere of a clump.
typedef struct eng_spheres_member {
    double offset[4]; // m, of its centre, in the body's principal frame; radius
    int slot;         // ENG_SPHERES_NO_SLOT until it has one
    int clump;        // its number; -1 where the collider is of no clump
    int body;         // -1 there
} eng_spheres_member;

typedef struct eng_spheres_clump {
    int body;
    int first, count; // colliders of its members
} eng_spheres_clump;

/// Clumps next to each other in space, one in each lane. A kernel moves as many at once as it has
/// lanes: those behind the last clump are copies of it, which store what it does. Made anew with
/// each list.
typedef struct eng_spheres_clump_group {
    _Alignas(64) double inertia[3][ENG_SPHERES_WIDTH]; // kg m2, principal
    double inertia_inverse[3][ENG_SPHERES_WIDTH];      // 1/(kg m2)
    double mass_inverse[ENG_SPHERES_WIDTH];            // 1/kg
    int body[ENG_SPHERES_WIDTH];
    int count;                // of clumps
    int first_row, row_count; // its members: as many rows as the largest clump has
    bool even;                // all have as many
} eng_spheres_clump_group;

/// A member of each clump of a group.
typedef struct eng_spheres_member_row {
    _Alignas(64) double offset[4][ENG_SPHERES_WIDTH]; // as that of a member; 0 where there is none
    int row8[ENG_SPHERES_WIDTH];                      // eight times the slot; negative there
} eng_spheres_member_row;

/// What the kernel that moves clumps reads and writes.
typedef struct eng_spheres_clump_pass {
    const eng_spheres_pass *pass;
    const eng_spheres_clump_group *groups;
    const eng_spheres_member_row *rows;
    pose *q; // [bodies] at t_n, then at t_{n+1}
    double (*v)[6];
    double *ways; // [slots] m2, squares of what members have moved
} eng_spheres_clump_pass;

/// Clumps, those first that the executor moves.
static inline eng_spheres_clump *eng_spheres_clumps(const struct eng_spheres *spheres)
{
    return spheres->clumps.rows.block;
}

/// Members by their colliders.
static inline eng_spheres_member *eng_spheres_members(const struct eng_spheres *spheres)
{
    return spheres->clumps.members.block;
}

/// Whether a slot is that of a member of a clump.
static inline bool eng_spheres_is_member(const struct eng_spheres *spheres, int slot)
{
    return eng_spheres_ids(spheres)[slot] < 0;
}

/// The body that an id stands for, or whose member it is.
static inline int eng_spheres_id_body(const struct eng_spheres *spheres, int id)
{
    return id >= 0 ? id : eng_spheres_members(spheres)[~id].body;
}

/// Slot of an id, ENG_SPHERES_NO_SLOT where there is none.
static inline int eng_spheres_id_slot(const struct eng_spheres *spheres, int id)
{
    if (id >= 0)
        return eng_spheres_slot_of(spheres, id);
    return ~id < spheres->clumps.member_room ? eng_spheres_members(spheres)[~id].slot
                                             : ENG_SPHERES_NO_SLOT;
}

/// Body and collider of a slot.
static inline int eng_spheres_slot_body(const struct eng_spheres *spheres, int slot)
{
    return eng_spheres_id_body(spheres, eng_spheres_ids(spheres)[slot]);
}

static inline int eng_spheres_slot_collider(const struct eng_spheres *spheres, int slot)
{
    int id = eng_spheres_ids(spheres)[slot];
    return id >= 0 ? spheres->world->model.bodies.rows[id].first_collider : ~id;
}

/// The slot of an id is this one from now on.
static inline void eng_spheres_slot_note(struct eng_spheres *spheres, int id, int slot)
{
    if (id >= 0)
        eng_spheres_slot_numbers(spheres)[id] = slot;
    else {
        eng_spheres_members(spheres)[~id].slot = slot;
        spheres->clumps.due = true;
    }
}

/// Whether a body is a dynamic union of spheres.
bool eng_spheres_is_of_spheres(const cairn_world *world, int body);

/// Whether a body is a dynamic union of spheres, in a space where members may have slots.
bool eng_spheres_may_be_clump(const cairn_world *world, int body);

/// Clumps as the plan wants them; the slots of their members are not known yet.
/// @param wanted  asked of bodies that may be clumps
cairn_status eng_spheres_clumps_find(struct eng_spheres *spheres,
                                     bool (*wanted)(const struct eng_spheres *spheres,
                                                    int body)) CAIRN_CHECK_RESULT;

/// Whether the members of a body have slots, or are to get them.
bool eng_spheres_is_clump(const struct eng_spheres *spheres, int body);

/// Whether the executor moves a body that is a clump.
bool eng_spheres_moves(const struct eng_spheres *spheres, int body);

/// In a new plan: whether anything that the general passes find acts on clumps without joints.
void eng_spheres_clumps_share(struct eng_spheres *spheres);

/// Whether the executor may move these clumps now: no load or field acts on them either.
bool eng_spheres_clumps_are_unjointed(const struct eng_spheres *spheres);

/// One step of the clumps that the executor moves, and their members for the coming one.
cairn_status eng_spheres_clumps_move(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// How the others move from the midpoint of the coming step on, from their state at t_n.
void eng_spheres_clumps_follow(struct eng_spheres *spheres);

/// Members of the others to where their clumps say; what the members of a chunk add to its bounds.
/// @return the longest way of one, m
double eng_spheres_members_place(struct eng_spheres *spheres, eng_spheres_chunk *chunk);

/// All members, when clumps have been changed between steps; a new list is due then.
void eng_spheres_members_renew(struct eng_spheres *spheres);

/// The forces on members change the free velocities of the clumps that the general passes move.
void eng_spheres_clumps_push(struct eng_spheres *spheres);

/// Pose of a clump at the midpoint of the step just done.
pose eng_spheres_clump_middle(const struct eng_spheres *spheres, int body);

/// Centre of a member at the midpoint of the step just done, m; its velocity then by the velocities
/// after that step, m/s; angular velocity, rad/s.
vec3 eng_spheres_member_centre(const struct eng_spheres *spheres, int slot);
vec3 eng_spheres_member_velocity(const struct eng_spheres *spheres, int slot);
vec3 eng_spheres_member_omega(const struct eng_spheres *spheres, int slot);

#endif
