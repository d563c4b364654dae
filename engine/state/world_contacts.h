// SPDX-License-Identifier: Apache-2.0
// Contacts of a world, and how they are found: colliders, broad phase, pairs, their plan.
#ifndef CAIRN_ENGINE_STATE_WORLD_CONTACTS_H
#define CAIRN_ENGINE_STATE_WORLD_CONTACTS_H

#include "contact/problem/domains.h"
#include "engine/state/cell.h"
#include "engine/state/contacts.h"
#include "engine/state/plan.h"
#include "geometry/broad/broad_phase.h"
#include "geometry/narrow/collide.h"

/// A convex part, half-space or mesh that takes part in contact detection.
typedef struct eng_collider {
    const geo_shape *shape; // NULL: of no body now, and overlaps nothing
    int body;
    int place; // index + 1 into places: where it is in the body's principal frame; 0: that frame
} eng_collider;

/// Bounds of a collider as they were found last: it lies within them and the way it has gone since.
typedef struct eng_held_bounds {
    const geo_shape *shape; // NULL: not known
    geo_bounds bounds;      // m, without margin
    double way;             // m, `way` of the collider then
} eng_held_bounds;

/// A pair of colliders as the narrow phase keeps it while the broad phase lists it.
typedef struct eng_pair {
    geo_pair colliders;
    vec3 axis;      // what the narrow phase remembers: collide.h
    int feature[2]; // the same
    /// m; a lower bound of their distance is what is left of it after the ways of the two colliders
    double clear;
    int first; // its contacts in the set of the last step
    int count;
} eng_pair;

/// Colliders are there for the first `bodies` bodies.
typedef struct eng_world_colliders {
    eng_collider *rows; // [count]
    int count;          // of all bodies
    int bodies, made, capacity;
    pose *places;
    int place_count, place_capacity;
    int *place_free; // [place_free_count] index + 1 of places that no collider has
    int place_free_count, place_free_capacity;
    pose *pose;              // [count] midpoint
    double *margin;          // [count] m, contacts are looked for within it
    double *reach;           // [count] m, and beyond that where they act across gaps
    double *way;             // [count] m, no less than its farthest point has gone, of
                             // the implicit law beside what most bodies go together
    eng_held_bounds *bounds; // [count]
} eng_world_colliders;

typedef struct eng_world_broad {
    geo_broad_phase *phase;
    geo_proxy *proxies; // [colliders]
    int proxy_capacity; // of what colliders have, too
    eng_image *images;  // [image_count] proxies of the broad phase in a periodic cell
    int image_count, image_capacity;
    int *listed; // [listed_count] colliders in the broad phase, ascending
    int listed_count, listed_capacity;
} eng_world_broad;

typedef struct eng_world_pairs {
    eng_pair *rows;   // [count]
    eng_pair *before; // spare of the same capacity
    int count, capacity;
    /// [leading_count] of the first pairs, and a spare; NULL where no two polyhedra are near
    geo_leading *leading, *leading_before;
    int leading_count, leading_capacity;
    bool topology_changed; // bodies were added or placed since the last step
} eng_world_pairs;

/// What the narrow phase finds for each place of the plan.
typedef struct eng_world_narrow {
    geo_manifold *manifolds; // [manifold_count] one for each chunk of places of the plan, and
                             // behind them one for each worker: scratch
    int manifold_count, manifold_capacity;
    int *raw_count; // [pairs] contacts of each place of the plan in its chunk's manifold
    int raw_capacity;
    eng_taken taken;
} eng_world_narrow;

typedef struct eng_world_contacts {
    eng_contacts set;    // of the last step
    con_domains domains; // of its cone contacts
    eng_contacts before; // of the step before, for matching

    eng_world_colliders colliders;
    eng_world_broad broad;
    eng_world_pairs pairs;
    eng_plan plan; // of these pairs
    eng_world_narrow narrow;

    // domains of the bodies: cut by the first contacts of a new plan and kept with it; the one
    // before, for a step that is taken back
    eng_cut cut, cut_before;
    bool cut_due;     // the plan is another one than the cut was made for
    bool cut_renewed; // in this step
} eng_world_contacts;

/// The plan of the pairs is to be made anew, and with it the domains.
static inline void eng_plan_drop(eng_world_contacts *contacts)
{
    contacts->plan.current = false;
    contacts->cut_due = true;
}

#endif
