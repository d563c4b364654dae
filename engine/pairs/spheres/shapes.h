// SPDX-License-Identifier: Apache-2.0
// Walls of the sphere executor that are no half-spaces.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_SHAPES_H
#define CAIRN_ENGINE_PAIRS_SPHERES_SHAPES_H

#include "engine/pairs/spheres/data.h"

enum { ENG_SPHERES_LIST_MAX = 24 };

typedef enum eng_spheres_separation_kind {
    ENG_SPHERES_EMPTY,  // nothing is known
    ENG_SPHERES_CLEAR,  // apart by more than `room`
    ENG_SPHERES_FACE,   // on the inner part of one triangle, farther than `room` from all others
    ENG_SPHERES_LISTED, // of a mesh, no others than the triangles listed come as near as 0
} eng_spheres_separation_kind;

/// What the last search for contacts says for all places of the sphere's centre within `room` of
/// that where it was; in the wall's frame.
typedef struct eng_spheres_separation {
    eng_spheres_separation_kind kind;
    vec3 centre;   // m
    double room;   // m
    vec3 normal;   // of the face, towards the sphere
    double offset; // m, of the face along it
    uint64_t key;  // of the contact with the face
    int listed;    // triangles
    int triangles[ENG_SPHERES_LIST_MAX];
} eng_spheres_separation;

/// A sphere and such a wall near it.
typedef struct eng_spheres_group {
    int slot, wall;
    int first_ghost, end_ghost;
    bool far;              // its pairs are of list B
    double check_distance; // m, path at which the group is looked at again
    eng_spheres_separation separation;
} eng_spheres_group;

/// Contacts of a group at the coming midpoint, as the narrow phase gives them.
typedef struct eng_spheres_found {
    eng_spheres_group *group;
    geo_contact *contacts; // [count] without points
    int count;
    double margin; // m, within which they were looked for
} eng_spheres_found;

/// Whether the sphere of a slot touches a half-space at the coming midpoint. seams.c
bool eng_spheres_is_on_plane(const struct eng_spheres *spheres, int slot);

/// What the contacts of a slot with several walls, or with several triangles, are together: of
/// those with a face that another wall covers none is left, of those that are one contact of a
/// surface one. seams.c
void eng_spheres_seams_settle(const struct eng_spheres *spheres, int slot, eng_spheres_found *parts,
                              int count);

/// Before pairs are looked for: scratch of the search, bounds of walls that are no half-spaces.
cairn_status eng_spheres_shapes_reserve(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Which slots of a chunk have walls near them; chunks of other ranges may be looked at meanwhile.
cairn_status eng_spheres_shapes_look(struct eng_spheres *spheres, int range,
                                     const eng_spheres_chunk *chunk) CAIRN_CHECK_RESULT;

/// Groups of these slots, chunk by chunk.
cairn_status eng_spheres_shapes_group(struct eng_spheres *spheres,
                                      eng_spheres_chunk *chunk) CAIRN_CHECK_RESULT;

/// Pairs of the groups of a slot. @param next  the first group of this slot, then of the next one
cairn_status eng_spheres_shapes_pair(struct eng_spheres *spheres, eng_spheres_range *range,
                                     int slot, const eng_spheres_chunk *chunk,
                                     int *next) CAIRN_CHECK_RESULT;

/// Contacts of the groups of a chunk that are awake, for the coming step; with `work` that of
/// moving walls over the step just done goes to the chunk. Walls that follow a function of time
/// have a velocity for the coming step when it begins, and are looked at then.
void eng_spheres_shapes_move(struct eng_spheres *spheres, eng_spheres_chunk *chunk, int range,
                             eng_spheres_placing placing, bool work);

/// The same of all chunks, without work.
cairn_status eng_spheres_shapes_renew(struct eng_spheres *spheres,
                                      eng_spheres_placing placing) CAIRN_CHECK_RESULT;

/// Ghosts of all groups to where their contacts say.
void eng_spheres_shapes_place(struct eng_spheres *spheres);

/// Slot of a contact of a slot and a collider in the coming step; -1 for none.
int eng_spheres_shapes_find(const struct eng_spheres *spheres, int slot, int collider,
                            uint64_t key);

/// What is kept between two lists of a contact with a wall that is no half-space.
typedef struct eng_spheres_kept_wall_contact {
    int wall; // its collider; -1: none
    eng_spheres_wall_contact wall_contact;
} eng_spheres_kept_wall_contact;

/// The nth contact kept of a row and a wall; NULL for none.
const eng_spheres_kept_wall_contact *eng_spheres_kept_of(const struct eng_spheres *spheres, int row,
                                                         int wall, int nth);

#endif
