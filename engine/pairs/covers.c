// SPDX-License-Identifier: Apache-2.0
// Seams and creases: what the contacts of one body with several surfaces are together.
#include "engine/pairs/covers.h"
#include "engine/pairs/meeting.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"
#include "geometry/narrow/narrow.h"
#include "geometry/seams/cover.h"

#include <string.h>

/// CROWD: pairs of a body with others that move, beyond which their seams are not looked for.
enum { MISSED = -3, NOTHING = -2, DROPPED = -1, CROWD = 64 };

/// A pair of a body.
typedef struct touching {
    int code;           // 2 place + side that the body has in it
    geo_pair colliders; // the own one and the other
} touching;

typedef struct covers {
    cairn_world *world;
    int *first;           // [reach + 1] entries of each body
    touching *entries;    // of all bodies
    double *met;          // s, when an entry is met that lies ahead; -1: it is at hand
    int *start;           // [pairs] raw contacts of a place, among all of them
    geo_contact **at;     // [pairs] the same in their manifold
    int *action;          // [2 raw contacts] what the body of a side makes of a contact: NOTHING,
                          // DROPPED, or the contact whose place and gap it takes
    cairn_status *status; // [workers]
} covers;

/// A pair as one of its bodies sees it: in the frame of this one, own collider first.
typedef struct entry {
    int place, side;
    int own, other; // colliders
    int other_body;
    int count;
    const geo_contact *contacts;
    vec3 shift;       // m, of B's image, where the contacts are, to that next to the own collider
    vec3 other_shift; // m, of the image of the other collider
    bool is_explicit; // under a law of impulses
    bool holds_on;    // under a law that bonds
} entry;

/// Two entries whose contacts may be one, from the side of what touches both.
typedef struct meeting {
    const entry *a, *b;
    bool by_own;  // the own collider touches two others; else two own ones touch the other
    double slack; // m
} meeting;

static const eng_surface *surface_at(const cairn_world *world, int place)
{
    return &world->model.materials
                .surfaces[world->contacts.plan.batches[world->contacts.plan.batch[place]].surface];
}

/// Whether contacts of a pair hold together, or may do so from the first step on.
static bool holds_on(const cairn_world *world, const eng_pair *pair, const eng_surface *surface)
{
    if (surface->law->bonded == NULL)
        return false;
    bool any = world->state.clock.step_count == 0;
    for (int old = pair->first; old < pair->first + pair->count && !any; old++)
        any = surface->law->bonded(surface->parameters, world->contacts.before.history[old]);
    return any;
}

static entry entry_of(const covers *c, int code)
{
    const cairn_world *world = c->world;
    int place = code / 2, side = code % 2;
    const geo_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[place]].colliders;
    const eng_surface *surface = surface_at(world, place);
    entry e = {
        .place = place,
        .side = side,
        .own = side == 0 ? pair->first : pair->second,
        .other = side == 0 ? pair->second : pair->first,
        .count = world->contacts.narrow.raw_count[place],
        .contacts = c->at[place],
        .is_explicit = place >= world->contacts.plan.cone_pairs,
        .holds_on = holds_on(world, &world->contacts.pairs.rows[world->contacts.plan.order[place]],
                             surface),
    };
    int body = world->contacts.colliders.rows[e.own].body;
    e.other_body = world->contacts.colliders.rows[e.other].body;
    if (world->state.cell.any) {
        e.other_shift = eng_pair_shift(world, body, e.other_body);
        if (side == 1)
            e.shift = vec3_negate(eng_pair_shift(world, e.other_body, body));
    }
    return e;
}

/// Contact as the own collider sees it: normal towards the other one, with the other's point and
/// the own one.
typedef struct seen {
    geo_contact contact;
    vec3 own, other;
    uint32_t own_code, other_code;
} seen;

static seen see(const entry *e, int i)
{
    seen s = {.contact = e->contacts[i]};
    bool first = e->side == 0;
    s.contact.point = vec3_add(s.contact.point, e->shift);
    if (!first)
        s.contact.normal = vec3_negate(s.contact.normal);
    double half = 0.5 * s.contact.gap;
    s.own = vec3_add_scaled(s.contact.point, -half, s.contact.normal);
    s.other = vec3_add_scaled(s.contact.point, half, s.contact.normal);
    s.own_code = (uint32_t)(s.contact.key >> (first ? 32 : 0));
    s.other_code = (uint32_t)(s.contact.key >> (first ? 0 : 32));
    return s;
}

/// The same from the other collider's side.
static seen turn(seen s)
{
    s.contact.normal = vec3_negate(s.contact.normal);
    return (seen){s.contact, s.other, s.own, s.other_code, s.own_code};
}

/// From the side of what touches both entries of a meeting.
static seen see_mover(const meeting *m, const entry *e, int i)
{
    seen s = see(e, i);
    return m->by_own ? s : turn(s);
}

static int *action_of(const covers *c, const entry *e, int i)
{
    return &c->action[2 * (c->start[e->place] + i) + e->side];
}

static bool is_dropped(const covers *c, const entry *e, int i)
{
    return *action_of(c, e, i) == DROPPED;
}

static geo_site site_of(const cairn_world *world, int collider, vec3 shift)
{
    geo_site site = {world->contacts.colliders.rows[collider].shape,
                     world->contacts.colliders.pose[collider]};
    site.place.position = vec3_add(site.place.position, shift);
    return site;
}

/// What touches both, and the two that it touches.
static geo_site mover_of(const covers *c, const meeting *m, const entry *e)
{
    vec3 none = {0.0, 0.0, 0.0};
    return m->by_own ? site_of(c->world, e->own, none)
                     : site_of(c->world, e->other, e->other_shift);
}

static geo_site surface_of(const covers *c, const meeting *m, const entry *e)
{
    vec3 none = {0.0, 0.0, 0.0};
    return m->by_own ? site_of(c->world, e->other, e->other_shift)
                     : site_of(c->world, e->own, none);
}

// ---------------------------------------------------------------- faces that are covered

/// The contact of an entry that reaches deepest and is not dropped; -1 for none.
static int deepest_of(const covers *c, const entry *e)
{
    int deepest = -1;
    for (int i = 0; i < e->count; i++)
        if (!is_dropped(c, e, i) && (deepest < 0 || e->contacts[i].gap < e->contacts[deepest].gap))
            deepest = i;
    return deepest;
}

/// The contacts of a face go together: what covers a part of it may be narrower than what touches.
static void drop_face(const covers *c, const entry *e, vec3 normal)
{
    for (int i = 0; i < e->count; i++)
        if (vec3_dot(e->contacts[i].normal, normal) > 0.999)
            *action_of(c, e, i) = DROPPED;
}

/// Bounds of one of the two surfaces of a meeting.
static geo_bounds bounds_of(const covers *c, const meeting *m, const entry *e)
{
    geo_bounds bounds = c->world->contacts.broad.proxies[m->by_own ? e->other : e->own].bounds;
    if (m->by_own && c->world->state.cell.any)
        bounds = (geo_bounds){vec3_add(bounds.low, e->other_shift),
                              vec3_add(bounds.high, e->other_shift)};
    return bounds;
}

static bool is_within_bounds(const geo_bounds *bounds, vec3 point, double slack)
{
    return geo_bounds_squared_distance(bounds, point) <= slack * slack;
}

/// A contact that is met later in the step as it is there, with what touches both where it will be
/// against the surfaces.
static void move_on(const covers *c, const meeting *m, const entry *e, seen *s, geo_site *mover)
{
    int first = c->world->contacts.colliders.rows[e->side == 0 ? e->own : e->other].body;
    int second = c->world->contacts.colliders.rows[e->side == 0 ? e->other : e->own].body;
    vec3 half = eng_meeting_ahead(c->world, first, second, s->contact.ahead);
    if (m->by_own == (e->side == 0))
        half = vec3_negate(half);
    mover->place.position = vec3_add_scaled(mover->place.position, 2.0, half);
    s->contact.point = vec3_add(s->contact.point, half);
    s->contact.gap -= 2.0 * vec3_dot(s->contact.normal, half);
}

/// Drops the contacts of entry `a` that the surface of entry `b` covers.
static void drop_covered(const covers *c, const meeting *m, const entry *a, const entry *b)
{
    if (a->holds_on || b->holds_on)
        return;
    geo_bounds bounds = bounds_of(c, m, b);
    int deepest = deepest_of(c, b);
    for (int i = 0; i < a->count && deepest >= 0; i++) {
        // it lies between both surfaces, and may be as deep as the other contact
        double near = m->slack + fabs(a->contacts[i].gap) + fabs(b->contacts[deepest].gap);
        if (is_dropped(c, a, i) ||
            !is_within_bounds(&bounds, vec3_add(a->contacts[i].point, a->shift), near))
            continue;
        seen s = see_mover(m, a, i), other = see_mover(m, b, deepest);
        geo_site mover = mover_of(c, m, a), of = surface_of(c, m, a), cover = surface_of(c, m, b);
        if (s.contact.ahead > 0.0)
            move_on(c, m, a, &s, &mover);
        if (!geo_is_covered(&mover, &of, &s.contact, &cover, &other.contact, m->slack))
            continue;
        drop_face(c, a, a->contacts[i].normal);
    }
}

// ---------------------------------------------------------------- contacts that are one

static bool existed(const cairn_world *world, const entry *e, int i)
{
    const eng_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[e->place]];
    for (int old = pair->first; old < pair->first + pair->count; old++)
        if (world->contacts.before.key[old] == e->contacts[i].key)
            return true;
    return false;
}

/// Whether a feature is a point of a shape, which a surface touches once.
static bool is_point(const geo_shape *shape, uint32_t code)
{
    return shape->kind == GEO_SPHERE ||
           (shape->kind != GEO_MESH && code == geo_code_vertex((int)(code & GEO_CODE_INDEX)));
}

/// Whether two contacts of a shape are one of it with the surface that both others are of.
static bool are_one(const geo_shape *shape, const seen *a, const seen *b, bool one_body,
                    double slack)
{
    double cosine = one_body ? GEO_CREASE_COSINE : GEO_FLUSH_COSINE;
    if (vec3_dot(a->contact.normal, b->contact.normal) < cosine)
        return false;
    double apart = vec3_distance(a->own, b->own);
    // as far apart as normals of that angle are on a ball
    double way = one_body || shape->kind == GEO_SPHERE ? 0.3 * shape->bounding_radius : slack;
    bool same =
        is_point(shape, a->own_code) && (shape->kind == GEO_SPHERE || a->own_code == b->own_code);
    return apart <= slack || (same && apart <= way);
}

/// Of the contacts of one pair with a creased surface that are one, one stays: that which was there
/// in the last step, as deep as the deepest.
static void join_creases(const covers *c, const entry *e)
{
    const cairn_world *world = c->world;
    const geo_shape *own = world->contacts.colliders.rows[e->own].shape;
    const geo_shape *other = world->contacts.colliders.rows[e->other].shape;
    if (!e->is_explicit || e->holds_on)
        return;
    for (int i = 1; i < e->count; i++)
        for (int j = 0; j < i && !is_dropped(c, e, i); j++) {
            seen a = see(e, j), b = see(e, i), ta = turn(a), tb = turn(b);
            if (is_dropped(c, e, j) ||
                (!are_one(own, &a, &b, true, 0.0) && !are_one(other, &ta, &tb, true, 0.0)))
                continue;
            int kept = existed(world, e, j) || !existed(world, e, i) ? j : i, gone = i + j - kept;
            int from[2] = {*action_of(c, e, j), *action_of(c, e, i)};
            from[0] = from[0] < 0 ? j : from[0];
            from[1] = from[1] < 0 ? i : from[1];
            bool deeper = e->contacts[from[1]].gap < e->contacts[from[0]].gap;
            *action_of(c, e, kept) = from[deeper];
            *action_of(c, e, gone) = DROPPED;
        }
}

/// Whether a point lies between two others, at neither of them.
static bool is_between(vec3 point, vec3 a, vec3 b, double slack)
{
    vec3 along = vec3_sub(b, a), out = vec3_sub(point, a);
    double length = vec3_norm(along), place = vec3_dot(out, along);
    if (place <= slack * length || place >= length * (length - slack))
        return false;
    return vec3_norm(vec3_cross(along, out)) <= slack * length;
}

/// Whether a contact at a border of one surface lies between others of the surface that goes on
/// there: it is no corner of what both bear together.
static bool is_within_seam(const covers *c, const meeting *m, const seen *s, const entry *own,
                           const entry *next)
{
    geo_site on = surface_of(c, m, next);
    if (!geo_holds(&on, s->other, m->slack))
        return false;
    for (int i = 0; i < next->count; i++) {
        seen a = see_mover(m, next, i);
        if (vec3_dot(a.contact.normal, s->contact.normal) < GEO_FLUSH_COSINE)
            continue;
        for (int k = 0; k < 2; k++) {
            const entry *e = k == 0 ? own : next;
            for (int j = 0; j < e->count; j++) {
                seen b = see_mover(m, e, j);
                if (vec3_dot(b.contact.normal, s->contact.normal) >= GEO_FLUSH_COSINE &&
                    is_between(s->own, a.own, b.own, m->slack))
                    return true;
            }
        }
    }
    return false;
}

static void drop_within_seam(const covers *c, const meeting *m, const entry *a, const entry *b)
{
    for (int i = 0; i < a->count; i++) {
        seen s = see_mover(m, a, i);
        if (!is_dropped(c, a, i) && is_within_seam(c, m, &s, a, b))
            *action_of(c, a, i) = DROPPED;
    }
}

static bool is_halfspace(const covers *c, const meeting *m, const entry *e)
{
    return surface_of(c, m, e).shape->kind == GEO_HALFSPACE;
}

/// Which of two contacts that are one stays: the deeper one, of equal ones that with a half-space,
/// else that which was there.
static bool stays(const covers *c, const meeting *m, int i, int j)
{
    double a = m->a->contacts[i].gap, b = m->b->contacts[j].gap;
    if (fabs(a - b) > 1e-3 * fmax(fabs(a), fabs(b)))
        return a < b;
    if (is_halfspace(c, m, m->a) != is_halfspace(c, m, m->b))
        return is_halfspace(c, m, m->a);
    return existed(c->world, m->a, i) || !existed(c->world, m->b, j);
}

static void join_seams(const covers *c, const meeting *m)
{
    if (!m->a->is_explicit || !m->b->is_explicit || m->a->holds_on || m->b->holds_on)
        return;
    drop_within_seam(c, m, m->a, m->b);
    drop_within_seam(c, m, m->b, m->a);
    geo_site mover = mover_of(c, m, m->a);
    bool one_body = !m->by_own || m->a->other_body == m->b->other_body;
    for (int i = 0; i < m->a->count; i++)
        for (int j = 0; j < m->b->count && !is_dropped(c, m->a, i); j++) {
            seen a = see_mover(m, m->a, i), b = see_mover(m, m->b, j);
            if (is_dropped(c, m->b, j) || !are_one(mover.shape, &a, &b, one_body, m->slack))
                continue;
            bool first = stays(c, m, i, j);
            *(first ? action_of(c, m->b, j) : action_of(c, m->a, i)) = DROPPED;
        }
}

// ---------------------------------------------------------------- meetings that are missed

/// Whether a contact is one of a meeting later in the step.
static bool is_ahead(const geo_contact *contact, double size)
{
    return contact->ahead > 0.0 || contact->gap > 1e-3 * size;
}

static double size_of(const cairn_world *world, geo_pair at)
{
    return fmin(world->contacts.colliders.rows[at.first].shape->smallest_size,
                world->contacts.colliders.rows[at.second].shape->smallest_size);
}

/// Whether an entry is of a meeting later in the step with a body that no force moves.
static bool is_meeting(const covers *c, const touching *at)
{
    const cairn_world *world = c->world;
    int place = at->code / 2, other = world->contacts.colliders.rows[at->colliders.second].body;
    double size = size_of(world, at->colliders);
    bool any = false, all = true;
    for (int i = 0; i < world->contacts.narrow.raw_count[place]; i++) {
        any = any || c->at[place][i].ahead > 0.0;
        all = all && is_ahead(&c->at[place][i], size);
    }
    return (any || all) && place < world->contacts.plan.cone_pairs &&
           world->model.bodies.rows[other].kind != CAIRN_DYNAMIC;
}

/// When the first contact of an entry closes, s.
static double time_of(const covers *c, const entry *e)
{
    const cairn_world *world = c->world;
    const geo_pair *pair =
        &world->contacts.pairs.rows[world->contacts.plan.order[e->place]].colliders;
    double time = INFINITY, moving;
    for (int i = 0; i < e->count; i++) {
        double gap = e->contacts[i].gap;
        double rate = eng_meeting_rate(world, &e->contacts[i],
                                       world->contacts.colliders.rows[pair->first].body,
                                       world->contacts.colliders.rows[pair->second].body, &moving);
        if (rate < 0.0)
            time = fmin(time, fmax(gap, 0.0) / -rate);
    }
    return time;
}

/// Adds the contacts of an entry to what holds its body: but those that are left to close first,
/// since they bounce.
static int add_holds(const covers *c, const entry *e, eng_hold *holds, int count)
{
    const cairn_world *world = c->world;
    const geo_pair *pair =
        &world->contacts.pairs.rows[world->contacts.plan.order[e->place]].colliders;
    int first = world->contacts.colliders.rows[pair->first].body,
        second = world->contacts.colliders.rows[pair->second].body;
    const eng_surface *surface = surface_at(world, e->place);
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    for (int i = 0; i < e->count && count < ENG_HOLDS_MAX; i++) {
        const geo_contact *contact = &e->contacts[i];
        double moving;
        eng_meeting_rate(world, contact, first, second, &moving);
        if (is_dropped(c, e, i) || eng_bounces(world, first, second, terms.restitution, moving))
            continue;
        vec3 half = eng_meeting_ahead(world, first, second, contact->ahead);
        vec3 point = vec3_add(contact->point, e->shift);
        holds[count++] = (eng_hold){
            .normal = e->side == 1 ? contact->normal : vec3_negate(contact->normal),
            .point = vec3_add_scaled(point, e->side == 0 ? 1.0 : -1.0, half),
            .gap = contact->gap,
            .other = e->other_body,
        };
    }
    return count;
}

/// The entries of a body that lie ahead, in the order in which they are met.
/// @param last, time  s, of the one before; out: of the next
/// @return which of the entries; -1: none is left
static int next_met(const covers *c, int body, int last, double *time)
{
    const double *met = c->met + c->first[body], after = *time;
    int next = -1;
    for (int i = 0; i < c->first[body + 1] - c->first[body]; i++) {
        bool due = met[i] > after || (met[i] == after && i > last);
        if (due && (next < 0 || met[i] < *time)) {
            next = i;
            *time = met[i];
        }
    }
    return next;
}

/// Marks contacts of a meeting that are marked otherwise. @return whether there was any
static bool mark(const covers *c, const entry *e, int was, int is)
{
    double size = size_of(c->world, (geo_pair){e->own, e->other});
    bool any = false;
    for (int i = 0; i < e->count; i++)
        if (is_ahead(&e->contacts[i], size) && *action_of(c, e, i) == was) {
            *action_of(c, e, i) = is;
            any = true;
        }
    return any;
}

/// Whether a body misses a meeting where others hold it.
static bool misses(const covers *c, int worker, int body, const entry *e, const eng_hold *holds,
                   int held)
{
    const cairn_world *world = c->world;
    int scratch = base_chunk_count(world->contacts.pairs.count, ENG_PAIR_CHUNK) + worker;
    bool is_missed;
    cairn_status status = eng_meeting_misses(
        world, &world->contacts.pairs.rows[world->contacts.plan.order[e->place]], body, holds, held,
        &world->contacts.narrow.manifolds[scratch], &is_missed);
    if (status != CAIRN_OK)
        c->status[worker] = status;
    return is_missed;
}

/// Meetings that were missed are none, unless what is met later brings the body back to them.
/// @param holds  [held] of all that is met; room for ENG_HOLDS_MAX
static void drop_or_meet(const covers *c, int worker, int body, eng_hold *holds, int held)
{
    cairn_world *world = c->world;
    const touching *entries = c->entries + c->first[body];
    int count = c->first[body + 1] - c->first[body];
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < count; i++) {
            entry e = entry_of(c, entries[i].code);
            if (mark(c, &e, MISSED, MISSED) && !misses(c, worker, body, &e, holds, held)) {
                mark(c, &e, MISSED, NOTHING);
                held = add_holds(c, &e, holds, held);
                changed = true;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        entry e = entry_of(c, entries[i].code);
        if (mark(c, &e, MISSED, DROPPED))
            world->scratch.bounce[world->contacts.plan.order[e.place]] = INFINITY;
    }
}

/// A body that lands on one surface in the step does not meet what lies ahead of it only on its
/// way on through that surface, as the side of the next box across a gap. Of bodies that no force
/// moves: whoever has a pair of a body with one of them has all of these.
static void drop_missed(const covers *c, int worker, int body)
{
    const cairn_world *world = c->world;
    const touching *entries = c->entries + c->first[body];
    int count = c->first[body + 1] - c->first[body], held = 0;
    eng_hold holds[ENG_HOLDS_MAX];
    double *met = c->met + c->first[body];
    bool any = false;
    for (int i = 0; i < count; i++) {
        met[i] = -1.0;
        if (count < 2 || !is_meeting(c, &entries[i]))
            continue;
        entry e = entry_of(c, entries[i].code);
        met[i] = time_of(c, &e);
        any = true;
    }
    if (!any)
        return;
    for (int i = 0; i < count; i++) {
        entry e = entry_of(c, entries[i].code);
        bool stays = world->model.bodies.rows[e.other_body].kind != CAIRN_DYNAMIC;
        if (stays && !e.is_explicit && met[i] < 0.0)
            held = add_holds(c, &e, holds, held);
    }
    double time = 0.0;
    any = false;
    for (int i = -1; (i = next_met(c, body, i, &time)) >= 0;) {
        entry e = entry_of(c, entries[i].code);
        if (held > 0 && misses(c, worker, body, &e, holds, held))
            any = mark(c, &e, NOTHING, MISSED) || any;
        else
            held = add_holds(c, &e, holds, held);
    }
    if (any)
        drop_or_meet(c, worker, body, holds, held);
}

// ---------------------------------------------------------------- bodies

/// Whether two bodies stay as they are to each other within the step, near a point.
static bool rest_together(const cairn_world *world, int a, int b, vec3 point, double slack)
{
    if (a == b || (world->model.bodies.rows[a].kind == CAIRN_FIXED &&
                   world->model.bodies.rows[b].kind == CAIRN_FIXED))
        return true;
    vec3 va = eng_image_velocity(world, a, world->state.bodies.v[a], point);
    vec3 vb = eng_image_velocity(world, b, world->state.bodies.v[b], point);
    return vec3_distance(va, vb) * world->state.clock.step <= slack;
}

/// Shapes without faces have no seams.
static bool has_faces(const geo_shape *shape)
{
    return shape->kind != GEO_SPHERE && shape->kind != GEO_CAPSULE;
}

static double slack_of(const cairn_world *world, const int colliders[3])
{
    double radius[3];
    for (int k = 0; k < 3; k++) {
        radius[k] = world->contacts.colliders.rows[colliders[k]].shape->bounding_radius;
        radius[k] = isfinite(radius[k]) ? radius[k] : 0.0;
    }
    return 1e-6 * fmax(radius[0], fmin(radius[1], radius[2]));
}

/// Whether two colliders that one touches are near each other, faces that do not move.
static bool meet_surfaces(const covers *c, meeting *m)
{
    const entry *a = m->a, *b = m->b;
    int one = m->by_own ? a->other : a->own, two = m->by_own ? b->other : b->own;
    int mover = m->by_own ? a->own : a->other;
    const cairn_world *world = c->world;
    m->slack = slack_of(world, (int[3]){mover, one, two});
    geo_bounds first = bounds_of(c, m, a), second = bounds_of(c, m, b);
    return geo_bounds_overlap(geo_bounds_inflate(first, m->slack), second) &&
           rest_together(world, world->contacts.colliders.rows[one].body,
                         world->contacts.colliders.rows[two].body, a->contacts[0].point, m->slack);
}

static void settle_meeting(const covers *c, meeting *m)
{
    if (!meet_surfaces(c, m))
        return;
    drop_covered(c, m, m->a, m->b);
    drop_covered(c, m, m->b, m->a);
    join_seams(c, m);
}

/// How near to each other the two colliders that a body, or a collider, touches besides may be to
/// lie together, m, more than their slack.
static double nearness_of(const cairn_world *world, geo_pair at)
{
    double own = world->contacts.colliders.rows[at.first].shape->bounding_radius;
    double other = world->contacts.colliders.rows[at.second].shape->bounding_radius;
    double near = 1e-6 * (isfinite(own) ? own : 0.0);
    return near + 1e-6 * (isfinite(other) ? other : 0.0);
}

/// Whether two colliders may lie against each other; most are apart.
static bool may_lie_together(const cairn_world *world, int first, int second, double near)
{
    const geo_bounds *one = &world->contacts.broad.proxies[first].bounds;
    const geo_bounds *two = &world->contacts.broad.proxies[second].bounds;
    bool apart = !world->state.cell.any &&
                 !(one->low.x - two->high.x <= near && two->low.x - one->high.x <= near &&
                   one->low.y - two->high.y <= near && two->low.y - one->high.y <= near &&
                   one->low.z - two->high.z <= near && two->low.z - one->high.z <= near);
    return !apart && has_faces(world->contacts.colliders.rows[first].shape) &&
           has_faces(world->contacts.colliders.rows[second].shape);
}

static void settle_creases(const covers *c, const touching *at)
{
    const cairn_world *world = c->world;
    if (world->contacts.narrow.raw_count[at->code / 2] < 2 ||
        (world->contacts.colliders.rows[at->colliders.first].shape->kind != GEO_MESH &&
         world->contacts.colliders.rows[at->colliders.second].shape->kind != GEO_MESH))
        return;
    entry e = entry_of(c, at->code);
    join_creases(c, &e);
}

static void settle_body(const covers *c, int worker, int body)
{
    const cairn_world *world = c->world;
    int count = c->first[body + 1] - c->first[body];
    const touching *entries = c->entries + c->first[body];
    for (int i = 0; i < count; i++) {
        geo_pair at = entries[i].colliders;
        settle_creases(c, &entries[i]);
        int other_body = world->contacts.colliders.rows[at.second].body;
        bool moves = world->model.bodies.rows[other_body].kind == CAIRN_DYNAMIC;
        double near = i > 0 ? nearness_of(world, at) : 0.0;
        for (int j = 0; j < i; j++) {
            geo_pair next = entries[j].colliders;
            bool by_own = next.first == at.first;
            // of two bodies that both move, each looks at what its own shape touches
            if (!by_own && (moves || next.second != at.second))
                continue;
            if (!may_lie_together(world, by_own ? at.second : at.first,
                                  by_own ? next.second : next.first, near))
                continue;
            if (count > CROWD && moves &&
                other_body != world->contacts.colliders.rows[next.second].body)
                continue;
            entry a = entry_of(c, entries[i].code), b = entry_of(c, entries[j].code);
            meeting m = {.a = &b, .b = &a, .by_own = by_own};
            settle_meeting(c, &m);
        }
    }
    if (world->scratch.aims != NULL)
        drop_missed(c, worker, body);
}

static void settle_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk;
    const covers *c = argument;
    for (int body = begin; body < end; body++)
        if (c->first[body + 1] > c->first[body])
            settle_body(c, worker, body);
}

/// Calls for each place with raw contacts and each of its sides whose body moves by forces.
static void count_entries(covers *c, int *next, bool write)
{
    const cairn_world *world = c->world;
    int chunks = base_chunk_count(world->contacts.pairs.count, ENG_PAIR_CHUNK), raw = 0;
    for (int chunk = 0; chunk < chunks; chunk++) {
        geo_contact *at = world->contacts.narrow.manifolds[chunk].contacts;
        for (int k = 0; k < world->contacts.narrow.taken.busy_count[chunk]; k++) {
            int place = world->contacts.narrow.taken.busy[chunk * ENG_PAIR_CHUNK + k];
            int count = world->contacts.narrow.raw_count[place];
            if (count == 0)
                continue;
            c->start[place] = raw;
            c->at[place] = at;
            at += count;
            raw += count;
            const geo_pair *pair =
                &world->contacts.pairs.rows[world->contacts.plan.order[place]].colliders;
            int bodies[2] = {world->contacts.colliders.rows[pair->first].body,
                             world->contacts.colliders.rows[pair->second].body};
            for (int side = 0; side < 2; side++) {
                if (world->model.bodies.rows[bodies[side]].kind != CAIRN_DYNAMIC)
                    continue;
                if (write)
                    c->entries[next[bodies[side]]] =
                        (touching){2 * place + side,
                                   side == 0 ? *pair : (geo_pair){pair->second, pair->first}};
                next[bodies[side]]++;
            }
        }
    }
}

/// Contacts of a place after what both bodies make of them; how many are left.
static int apply(const covers *c, int place, geo_contact *to)
{
    const geo_contact *from = c->at[place];
    const int *action = c->action + 2 * (size_t)c->start[place];
    int count = c->world->contacts.narrow.raw_count[place], kept = 0;
    for (int i = 0; i < count; i++)
        if (action[2 * i] >= 0 || action[2 * i + 1] >= 0) {
            const geo_contact *deepest =
                &from[action[2 * i] >= 0 ? action[2 * i] : action[2 * i + 1]];
            c->at[place][i].gap = deepest->gap;
            c->at[place][i].normal = deepest->normal;
            c->at[place][i].point = deepest->point;
        }
    for (int i = 0; i < count; i++)
        if (action[2 * i] != DROPPED && action[2 * i + 1] != DROPPED)
            to[kept++] = from[i];
    return kept;
}

static void apply_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)end, (void)worker;
    const covers *c = argument;
    cairn_world *world = c->world;
    geo_contact *to = world->contacts.narrow.manifolds[chunk].contacts;
    for (int k = 0; k < world->contacts.narrow.taken.busy_count[chunk]; k++) {
        int place = world->contacts.narrow.taken.busy[begin + k];
        if (world->contacts.narrow.raw_count[place] > 0)
            to += world->contacts.narrow.raw_count[place] = apply(c, place, to);
    }
}

static bool any_acts(const int *action, int count)
{
    int other = 0;
    for (int i = 0; i < count; i++)
        other |= action[i] ^ NOTHING;
    return other != 0;
}

static int raw_total(const cairn_world *world)
{
    int chunks = base_chunk_count(world->contacts.pairs.count, ENG_PAIR_CHUNK), total = 0;
    for (int chunk = 0; chunk < chunks; chunk++)
        total += world->contacts.narrow.manifolds[chunk].count;
    return total;
}

cairn_status eng_covers_drop(cairn_world *world)
{
    int raw = raw_total(world), pairs = world->contacts.pairs.count;
    int workers = base_workers_count(world->model.workers);
    size_t bodies = (size_t)world->scratch.general.reach;
    if (raw == 0)
        return CAIRN_OK;
    covers c = {.world = world};
    c.first = base_arena_array(world->scratch.arena, int, "covers", bodies + 2);
    c.entries = base_arena_array(world->scratch.arena, touching, "covers", 2 * raw);
    c.met = base_arena_array(world->scratch.arena, double, "covers", 2 * raw);
    c.start = base_arena_array(world->scratch.arena, int, "covers", pairs);
    c.at = base_arena_array(world->scratch.arena, geo_contact *, "covers", pairs);
    c.action = base_arena_array(world->scratch.arena, int, "covers", 2 * raw);
    c.status = base_arena_array(world->scratch.arena, cairn_status, "covers", workers);
    if (c.first == NULL || c.entries == NULL || c.met == NULL || c.start == NULL || c.at == NULL ||
        c.action == NULL || c.status == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(c.status, 0, (size_t)workers * sizeof *c.status);
    memset(c.first, 0, (bodies + 2) * sizeof *c.first);
    for (int i = 0; i < 2 * raw; i++)
        c.action[i] = NOTHING;
    count_entries(&c, c.first + 2, false);
    for (size_t body = 2; body < bodies + 2; body++)
        c.first[body] += c.first[body - 1];
    count_entries(&c, c.first + 1, true);
    base_parallel_for(world->model.workers, world->scratch.general.reach, ENG_BODY_CHUNK,
                      settle_chunk, &c);
    for (int worker = 0; worker < workers; worker++)
        if (c.status[worker] != CAIRN_OK)
            return c.status[worker];
    if (any_acts(c.action, 2 * raw))
        base_parallel_for(world->model.workers, pairs, ENG_PAIR_CHUNK, apply_chunk, &c);
    return CAIRN_OK;
}
