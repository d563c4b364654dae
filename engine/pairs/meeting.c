// SPDX-License-Identifier: Apache-2.0
// Meetings of bodies that are apart, by sweeping both, theory.md (3.2b).
#include "engine/pairs/meeting.h"
#include "engine/pairs/borders.h"
#include "engine/pairs/sharing.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/space/drive.h"
#include "engine/state/blocks.h"
#include "engine/state/exclusions.h"
#include "engine/state/kinematics.h"
#include "engine/state/rotation.h"
#include "engine/state/rows.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

#include <string.h>

// LOOKS: narrow phases of a pair in one step; GLANCES: of one that turns so far that these would
// not come to its end; ROUNDS: sweeps over the pairs for what may stop whom; SHARPENINGS: of the
// time of a meeting
enum { LOOKS = 10000, GLANCES = 100, ROUNDS = 1000, SHARPENINGS = 12 };

// of the smaller size: up to which gap a pair that bore in the last step goes on to, what is
// round-off of places, the depth from which bodies overlap, and the way between two looks at bodies
// that touch
static const double breathing = 1e-3, digits = 1e-9, overlapping = 3e-5, stride = 0.02;

// a bounce is waited for, until bodies would be as deep in each other as this part of the size
static const double bounce_depth = 0.2;

// of the step, between meetings of the parts of two bodies that are one
static const double at_once = 1e-5;

// rad, turn from which on a sweep takes the free motion of a body, which one that meets others gets
// shorter pieces of a step, which is followed once, and from which on the motion itself is that
// about an axis at rest
static const double tumbling = 0.1, turned_far = 0.15, followed = 4.0, whirling = 200.0;

// cosine between the normals of contacts of a mesh that are of one meeting
static const double same_side = 0.9;

// and between what was found before a meeting and there, where both are the same
static const double foretold = 0.9999;

// ---------------------------------------------------------------- how bodies are expected to move

// components that are not numbers end the step elsewhere
static vec3 lower(vec3 a, vec3 b)
{
    return (vec3){real_min(a.x, b.x), real_min(a.y, b.y), real_min(a.z, b.z)};
}

static vec3 upper(vec3 a, vec3 b)
{
    return (vec3){real_max(a.x, b.x), real_max(a.y, b.y), real_max(a.z, b.z)};
}

/// The velocity that a body will have where nothing new happens to it. What has borne on it in the
/// last step goes on to do so, unless it was an impact.
static void expect(const cairn_world *world, int body, double u[6])
{
    const double *v = world->state.bodies.v[body], *v_free = world->state.bodies.v_free[body];
    double h = world->state.clock.step;
    memcpy(u, v_free, 6 * sizeof *u);
    vec3 held = vec3_scale(h, vec3_from(world->state.bodies.held[body]));
    vec3 gained = vec3_sub(vec3_from(v_free), vec3_from(v));
    double bore = vec3_norm(held), least = vec3_norm(gained);
    // what bore on a body with a slot is no part of the state: it has none in most steps
    if (world->model.bodies.rows[body].kind != CAIRN_DYNAMIC || !(bore > 1e-9 * least) ||
        eng_spheres_holds(world, body))
        return;
    vec3 u_centre = vec3_from(v);
    if (bore <= 2.0 * least)
        u_centre = vec3_add(u_centre, vec3_add(gained, held));
    vec3_store(u, u_centre);
}

/// Whether the angular velocity of a body changes by itself so much until the middle of the next
/// step that it is swept as free bodies turn.
static bool tumbles(const cairn_world *world, int body, vec3 omega)
{
    double h = world->state.clock.horizon, turn = h * h * vec3_norm_squared(omega);
    return world->model.bodies.rows[body].kind == CAIRN_DYNAMIC &&
           world->model.bodies.rows[body].solid > 0 && turn > tumbling * tumbling &&
           turn < whirling * whirling;
}

/// The fastest that a body turns from now on where nothing acts on it, rad/s. Its energy and its
/// angular momentum are two conditions on the squares of three components, whose sum is largest
/// where one of them is zero.
static double fastest_turning(const cairn_world *world, int body, vec3 omega)
{
    double most = vec3_norm_squared(omega);
    if (!tumbles(world, body, omega))
        return sqrt(most);
    vec3 J = eng_inertia_of(world, body);
    vec3 square = vec3_multiply(omega, omega), twice = vec3_multiply(J, square);
    double energy = twice.x + twice.y + twice.z, momentum = vec3_dot(J, twice);
    for (int k = 0; k < 3; k++) {
        double a = vec3_get(J, k), b = vec3_get(J, (k + 1) % 3);
        double first = (momentum - b * energy) / (a * (a - b));
        double second = (momentum - a * energy) / (b * (b - a));
        if (first >= 0.0 && second >= 0.0 && isfinite(first + second))
            most = real_max(most, first + second);
    }
    return sqrt(most);
}

static void aim_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    for (int k = begin; k < end; k++) {
        int body = world->scratch.general.active[k];
        eng_aim *aim = &world->scratch.aims[body];
        *aim = (eng_aim){0};
        if (eng_is_elsewhere(world, body))
            continue;
        const eng_body *b = &world->model.bodies.rows[body];
        expect(world, body, aim->u);
        aim->turning = fastest_turning(world, body, vec3_from(aim->u + 3));
        // balls that turn about their middle go nowhere by that
        if (aim->turning > 0.0 &&
            (world->model.shapes.rows[b->shape]->kind != GEO_SPHERE || b->solid > 0))
            aim->around = aim->turning * eng_reach_of(world, body);
        vec3 v = vec3_from(world->state.bodies.v[body]),
             v_free = vec3_from(world->state.bodies.v_free[body]);
        aim->low = lower(lower(v, v_free), vec3_from(aim->u));
        aim->high = upper(upper(v, v_free), vec3_from(aim->u));
    }
}

static double size_of(const cairn_world *world, const eng_pair *pair)
{
    return real_min(world->contacts.colliders.rows[pair->colliders.first].shape->smallest_size,
                    world->contacts.colliders.rows[pair->colliders.second].shape->smallest_size);
}

/// Largest distance of a point of a collider, which its turning moves, from the centre of its body.
static double arm_of(const cairn_world *world, int collider)
{
    const eng_collider *c = &world->contacts.colliders.rows[collider];
    if (c->shape->kind != GEO_SPHERE)
        return eng_reach_of(world, c->body);
    return c->place > 0 ? vec3_norm(world->contacts.colliders.places[c->place - 1].position) : 0.0;
}

/// How fast the turning of a collider's body moves points of it that come near another collider,
/// m/s. @param rate  rad/s
static double speed_of_turning(const cairn_world *world, int collider, int other, double rate)
{
    int body = world->contacts.colliders.rows[collider].body;
    double arm = arm_of(world, collider);
    double radius = world->contacts.colliders.rows[other].shape->bounding_radius;
    if (!(rate > 0.0))
        return 0.0;
    // what is much larger turns where the other is
    if (arm > 10.0 * radius)
        arm = real_min(arm,
                       2.0 * radius + vec3_distance(world->contacts.colliders.pose[other].position,
                                                    world->state.bodies.q_mid[body].position));
    return rate * arm;
}

static double turning_speed(const cairn_world *world, int collider, int other)
{
    int body = world->contacts.colliders.rows[collider].body;
    return speed_of_turning(world, collider, other, world->scratch.aims[body].turning);
}

/// Whether two colliders whose centres move within the ranges come as near as `slack`, m, to each
/// other in a step.
static bool come_near(const cairn_world *world, const eng_pair *pair, vec3 low, vec3 high,
                      double slack)
{
    double h = world->state.clock.horizon;
    int a = pair->colliders.first, b = pair->colliders.second;
    for (int side = 0; side < 2; side++) {
        int plane = side == 0 ? a : b, other = side == 0 ? b : a;
        if (world->contacts.colliders.rows[plane].shape->kind != GEO_HALFSPACE)
            continue;
        const pose *place = &world->contacts.colliders.pose[plane];
        vec3 n = quat_rotate(place->orientation, (vec3){0.0, 0.0, side == 0 ? 1.0 : -1.0});
        vec3 most = {n.x > 0.0 ? low.x : high.x, n.y > 0.0 ? low.y : high.y,
                     n.z > 0.0 ? low.z : high.z};
        double height = fabs(
            vec3_dot(n, vec3_sub(world->contacts.colliders.pose[other].position, place->position)));
        return height - world->contacts.colliders.rows[other].shape->bounding_radius +
                   h * real_min(0.0, vec3_dot(n, most)) <=
               slack;
    }
    const geo_bounds *p = &world->contacts.colliders.bounds[a].bounds,
                     *q = &world->contacts.colliders.bounds[b].bounds;
    for (int k = 0; k < 3; k++)
        if (vec3_get(q->low, k) + h * real_min(0.0, vec3_get(low, k)) >
                vec3_get(p->high, k) + slack ||
            vec3_get(q->high, k) + h * real_max(0.0, vec3_get(high, k)) <
                vec3_get(p->low, k) - slack)
            return false;
    return true;
}

/// Whether two colliders whose centres move within the ranges may come to each other in a step.
static bool may_meet(const cairn_world *world, const eng_pair *pair, vec3 low, vec3 high)
{
    int a = pair->colliders.first, b = pair->colliders.second;
    double near = 1e-3 * size_of(world, pair);
    double around = world->scratch.aims[world->contacts.colliders.rows[a].body].around +
                    world->scratch.aims[world->contacts.colliders.rows[b].body].around;
    if (world->state.cell.any)
        return true;
    // most pairs of bodies that fly beside each other are done with here
    double most = near + world->state.clock.horizon * around * (1.0 + 1e-12);
    if (!come_near(world, pair, low, high, most))
        return false;
    // and most others are so near that it does not matter how they turn
    if (around == 0.0 || come_near(world, pair, low, high, near))
        return true;
    double turning = turning_speed(world, a, b) + turning_speed(world, b, a);
    return turning > 0.0 &&
           come_near(world, pair, low, high, near + world->state.clock.horizon * turning);
}

/// Whether a body is driven and turns: what it gives another depends on where that is.
static inline bool drives_around(const cairn_world *world, int body)
{
    return world->model.bodies.rows[body].kind != CAIRN_DYNAMIC &&
           world->scratch.aims[body].turning != 0.0;
}

/// The range of such a body at the centre of another.
static const eng_aim *driven_range(const cairn_world *world, int body, int other, eng_aim *wide)
{
    const eng_aim *aim = &world->scratch.aims[body];
    vec3 there = eng_image_velocity(world, body, aim->u, world->state.bodies.q_mid[other].position);
    wide->low = lower(aim->low, there);
    wide->high = upper(aim->high, there);
    return wide;
}

/// Range of the velocity with which a body may drive another, at the centre of that: that of its
/// aim, or of a wider one.
/// @param wide  scratch
static inline const eng_aim *range_at(const cairn_world *world, int body, int other, eng_aim *wide)
{
    return drives_around(world, body) ? driven_range(world, body, other, wide)
                                      : &world->scratch.aims[body];
}

/// Widens the range of a body by another one.
static void widen(cairn_world *world, int body, const eng_aim *by, int round)
{
    eng_aim *aim = &world->scratch.aims[body];
    if (world->model.bodies.rows[body].kind != CAIRN_DYNAMIC)
        return;
    aim->low = lower(aim->low, by->low);
    aim->high = upper(aim->high, by->high);
    aim->widened = round;
}

/// Whether a body cannot get a velocity of a range that it may not have anyway.
static bool has_all_of(const cairn_world *world, int body, const eng_aim *is)
{
    const eng_aim *aim = &world->scratch.aims[body];
    return world->model.bodies.rows[body].kind != CAIRN_DYNAMIC ||
           (aim->low.x <= is->low.x && aim->low.y <= is->low.y && aim->low.z <= is->low.z &&
            aim->high.x >= is->high.x && aim->high.y >= is->high.y && aim->high.z >= is->high.z);
}

/// How far bodies may come to each other in a step, m, whatever velocities they pass on: along each
/// axis of the world.
static vec3 way_of_all(const cairn_world *world)
{
    vec3 low = {0.0, 0.0, 0.0}, high = low;
    bool any_driven = false;
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        const eng_aim *aim = &world->scratch.aims[world->scratch.general.active[k]];
        low = lower(low, aim->low);
        high = upper(high, aim->high);
        any_driven = any_driven || drives_around(world, world->scratch.general.active[k]);
    }
    geo_bounds centres = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < world->scratch.general.active_count && any_driven; k++) {
        vec3 centre = world->state.bodies.q_mid[world->scratch.general.active[k]].position;
        centres.low = k > 0 ? lower(centres.low, centre) : centre;
        centres.high = k > 0 ? upper(centres.high, centre) : centre;
    }
    // bodies that are driven give others what they have there
    for (int k = 0; k < world->scratch.general.active_count && any_driven; k++) {
        int body = world->scratch.general.active[k];
        if (!drives_around(world, body))
            continue;
        const eng_aim *aim = &world->scratch.aims[body];
        vec3 at = world->state.bodies.q_mid[body].position, u = vec3_from(aim->u);
        vec3 far = upper(vec3_sub(centres.high, at), vec3_sub(at, centres.low));
        double speed = aim->turning * vec3_norm(far) * (1.0 + 1e-9);
        vec3 around = {speed, speed, speed};
        low = lower(low, vec3_sub(u, around));
        high = upper(high, vec3_add(u, around));
    }
    return vec3_scale(world->state.clock.horizon, vec3_sub(high, low));
}

/// Whether may_meet is false for whatever velocities the two may get.
/// @param way  m, as way_of_all gives it
static inline bool are_far(const cairn_world *world, const geo_pair *pair, vec3 way)
{
    const eng_collider *a = &world->contacts.colliders.rows[pair->first],
                       *b = &world->contacts.colliders.rows[pair->second];
    const geo_bounds *p = &world->contacts.colliders.bounds[pair->first].bounds;
    const geo_bounds *q = &world->contacts.colliders.bounds[pair->second].bounds;
    double around = world->scratch.aims[a->body].around + world->scratch.aims[b->body].around;
    // half-spaces have no size
    double size = real_max(a->shape->smallest_size, b->shape->smallest_size);
    double slack = 1e-3 * size + world->state.clock.horizon * around * (1.0 + 1e-12);
    return q->low.x - way.x > p->high.x + slack || q->high.x + way.x < p->low.x - slack ||
           q->low.y - way.y > p->high.y + slack || q->high.y + way.y < p->low.y - slack ||
           q->low.z - way.z > p->high.z + slack || q->high.z + way.z < p->low.z - slack;
}

/// What near_chunk knows of colliders.
typedef struct near_context {
    const cairn_world *world;
    const double *least; // [colliders] m, as least_of
} near_context;

/// A sum of those of two colliders is at least what a distance of theirs has to be for the pair to
/// be clear anyway, m: the way that was gone since it was known, and the margin, which holds what
/// is ahead of a body that goes on as it would without contacts. INFINITY for all others.
static double least_of(const cairn_world *world, int collider)
{
    const eng_collider *c = &world->contacts.colliders.rows[collider];
    double margin = world->contacts.colliders.margin[collider], size = 0.0;
    if (c->shape == NULL || eng_is_elsewhere(world, c->body))
        return INFINITY;
    if (isfinite(c->shape->smallest_size))
        size = c->shape->smallest_size;
    const double *u = world->scratch.aims[c->body].u, *v_free = world->state.bodies.v_free[c->body];
    bool free = u[0] == v_free[0] && u[1] == v_free[1] && u[2] == v_free[2] &&
                (size == 0.0 || margin < size) && !tumbles(world, c->body, vec3_from(u + 3));
    return free ? world->contacts.colliders.way[collider] +
                      world->contacts.colliders.reach[collider] + margin
                : INFINITY;
}

static void near_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const near_context *context = argument;
    const cairn_world *world = context->world;
    for (int place = begin; place < end; place++) {
        const eng_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[place]];
        double least =
            context->least[pair->colliders.first] + context->least[pair->colliders.second];
        world->scratch.nears[place] = world->state.pieces.thrown || !(least < pair->clear);
    }
}

/// Marks a body that forces move.
static bool mark(const cairn_world *world, int body, bool *marked)
{
    bool news = !marked[body] && world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
    marked[body] = marked[body] || news;
    return news;
}

/// Pairs that may pass velocities on to bodies that may come near others: those that may meet, and
/// all that are linked with them; how many.
/// @param near    [places of cone laws] out: pairs
/// @param looked  [places of cone laws] scratch, all false
/// @param marked  [reach] scratch, all false
static int find_links(const cairn_world *world, int *near, bool *looked, bool *marked)
{
    const eng_plan *plan = &world->contacts.plan;
    bool all = world->state.cell.any || world->state.elsewhere != NULL, any = all;
    if (!all && memchr(world->scratch.nears, 1, (size_t)plan->cone_pairs) == NULL)
        return 0;
    for (int place = 0; place < plan->cone_pairs; place++) {
        const geo_pair *pair = &world->contacts.pairs.rows[plan->order[place]].colliders;
        if (!world->scratch.nears[place])
            continue;
        any = mark(world, world->contacts.colliders.rows[pair->first].body, marked) || any;
        any = mark(world, world->contacts.colliders.rows[pair->second].body, marked) || any;
    }
    vec3 way = {0.0, 0.0, 0.0};
    if (any)
        way = way_of_all(world);
    int count = 0;
    while (any) {
        any = false;
        for (int place = 0; place < plan->cone_pairs; place++) {
            const eng_pair *pair = &world->contacts.pairs.rows[plan->order[place]];
            int a = world->contacts.colliders.rows[pair->colliders.first].body;
            int b = world->contacts.colliders.rows[pair->colliders.second].body;
            if (looked[place] || !(all || marked[a] || marked[b]))
                continue;
            looked[place] = true;
            if (!all && pair->count == 0 && are_far(world, &pair->colliders, way))
                continue;
            near[count++] = plan->order[place];
            any = mark(world, a, marked) || any;
            any = mark(world, b, marked) || any;
        }
    }
    return count;
}

/// Whether a range of one of the two has grown since they were looked at last.
static inline bool is_due(const cairn_world *world, const geo_pair *pair, int round)
{
    return world->scratch.aims[world->contacts.colliders.rows[pair->first].body].widened >=
               round - 1 ||
           world->scratch.aims[world->contacts.colliders.rows[pair->second].body].widened >=
               round - 1;
}

/// Bodies that may meet may take each other's velocity; whether that is new.
/// @param meet  whether they may, which stays so while ranges grow
static bool pass_on(cairn_world *world, const eng_pair *pair, int round, bool *meet)
{
    int a = world->contacts.colliders.rows[pair->colliders.first].body;
    int b = world->contacts.colliders.rows[pair->colliders.second].body;
    if (eng_is_elsewhere(world, a) || eng_is_elsewhere(world, b))
        return false;
    eng_aim wide[2];
    const eng_aim *of_a = range_at(world, a, b, &wide[0]);
    const eng_aim *of_b = range_at(world, b, a, &wide[1]);
    if (has_all_of(world, a, of_b) && has_all_of(world, b, of_a))
        return false;
    *meet = *meet ||
            may_meet(world, pair, vec3_sub(of_b->low, of_a->high), vec3_sub(of_b->high, of_a->low));
    if (!*meet)
        return false;
    // what the first takes of the second is no news to that
    widen(world, a, of_b, round);
    widen(world, b, of_a, round);
    return true;
}

/// Ranges grow along chains of bodies that may meet, until they do no more: the least ones for
/// which that is so, in whatever order pairs are looked at.
/// @param near    [n] pairs that may meet, and what is linked with them
/// @param meet    [n] scratch, all false
static void find_ranges(cairn_world *world, const int *near, int n, bool *meet)
{
    bool changed = true;
    for (int round = 1; changed && round < ROUNDS; round++) {
        changed = false;
        for (int i = 0; i < n; i++) {
            int place = round % 2 == 0 ? i : n - 1 - i;
            const eng_pair *pair = &world->contacts.pairs.rows[near[place]];
            if (is_due(world, &pair->colliders, round) && pass_on(world, pair, round, &meet[place]))
                changed = true;
        }
        if (eng_sharing_is_active(world) && world->state.elsewhere != NULL) {
            eng_borders_send(world, (con_rows){world->scratch.aims, sizeof *world->scratch.aims});
            changed = con_team_any(&world->contacts.domains, changed);
        }
    }
}

/// Whether bodies go so far against each other in a step that nobody can tell which images of them
/// meet.
static bool outruns_cell(const cairn_world *world)
{
    const eng_cell *cell = &world->state.cell;
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = vec3_scale(-1.0, low);
    for (int k = 0; k < world->scratch.general.active_count && cell->any; k++) {
        vec3 u = vec3_from(world->scratch.aims[world->scratch.general.active[k]].u);
        low = lower(low, u);
        high = upper(high, u);
    }
    double way = world->state.clock.horizon * vec3_norm(vec3_sub(high, low));
    bool far = false;
    for (int k = 0; k < 3 && cell->any; k++)
        far = far || (cell->periodic[k] && way * vec3_norm(mat3_row(&cell->inverse, k)) > 0.25);
    return far;
}

cairn_status eng_aims_find(cairn_world *world)
{
    world->scratch.aims = NULL;
    if (!world->model.def.margin || world->contacts.plan.cone_pairs == 0)
        return CAIRN_OK;
    world->scratch.aims =
        base_arena_array(world->scratch.arena, eng_aim, "aims", world->scratch.general.reach);
    int places = world->contacts.plan.cone_pairs, reach = world->scratch.general.reach;
    int *near = base_arena_array(world->scratch.arena, int, "aims", places);
    bool *flags = base_arena_array(world->scratch.arena, bool, "aims", 2 * places + reach);
    double *least =
        base_arena_array(world->scratch.arena, double, "aims", world->contacts.colliders.count);
    world->scratch.nears = base_arena_array(world->scratch.arena, bool, "aims", places);
    if (world->scratch.aims == NULL || near == NULL || flags == NULL || least == NULL ||
        world->scratch.nears == NULL)
        return CAIRN_ERROR_MEMORY;
    if (world->scratch.general.active_count < world->scratch.general.reach)
        memset(world->scratch.aims, 0,
               (size_t)world->scratch.general.reach * sizeof *world->scratch.aims);
    base_parallel_for(world->model.workers, world->scratch.general.active_count, ENG_BODY_CHUNK,
                      aim_chunk, world);
    // rows of bodies are the bodies themselves until there is a problem
    world->scratch.solve.row = NULL;
    world->state.pieces.too_long = outruns_cell(world);
    memset(flags, 0, (size_t)(2 * places + reach) * sizeof *flags);
    for (int k = 0; k < world->contacts.broad.listed_count; k++)
        least[world->contacts.broad.listed[k]] = least_of(world, world->contacts.broad.listed[k]);
    near_context context = {world, least};
    base_parallel_for(world->model.workers, places, ENG_PAIR_CHUNK, near_chunk, &context);
    int links = find_links(world, near, flags, flags + 2 * (size_t)places);
    find_ranges(world, near, links, flags + places);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- rates

/// Least or largest component along n of what lies in a range.
static double along_range(vec3 n, vec3 low, vec3 high, bool most)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double at_low = vec3_get(n, k) * vec3_get(low, k);
        double at_high = vec3_get(n, k) * vec3_get(high, k);
        sum += most ? real_max(at_low, at_high) : real_min(at_low, at_high);
    }
    return sum;
}

double eng_meeting_margin(const cairn_world *world, const eng_pair *pair, double *way)
{
    int first = pair->colliders.first, second = pair->colliders.second;
    const eng_aim *a = &world->scratch.aims[world->contacts.colliders.rows[first].body];
    const eng_aim *b = &world->scratch.aims[world->contacts.colliders.rows[second].body];
    double h = world->state.clock.horizon;
    double turning[2] = {turning_speed(world, first, second), turning_speed(world, second, first)};
    *way = h * (vec3_distance(vec3_from(a->u), vec3_from(b->u)) + turning[0] + turning[1]);
    double most =
        world->contacts.colliders.margin[first] + world->contacts.colliders.margin[second];
    if (world->state.cell.any)
        return most;
    vec3 up = vec3_abs(vec3_sub(b->high, a->low)), down = vec3_abs(vec3_sub(b->low, a->high));
    double speed = vec3_norm(upper(up, down));
    double sizes[2] = {world->contacts.colliders.rows[first].shape->smallest_size,
                       world->contacts.colliders.rows[second].shape->smallest_size};
    double still = 0.0;
    for (int side = 0; side < 2; side++)
        still += isfinite(sizes[side]) ? 5e-4 * sizes[side] : 0.0;
    return real_min(most, still + h * (speed + turning[0] + turning[1]));
}

vec3 eng_meeting_ahead(const cairn_world *world, int a, int b, double time)
{
    const double *u_a = world->scratch.aims[a].u, *u_b = world->scratch.aims[b].u;
    return vec3_scale(0.5 * time, vec3_sub(vec3_from(u_b), vec3_from(u_a)));
}

double eng_meeting_rate(const cairn_world *world, const geo_contact *contact, int a, int b,
                        double *as_they_move)
{
    const int body[2] = {a, b};
    vec3 n = contact->normal, ahead = eng_meeting_ahead(world, a, b, contact->ahead);
    double least[2], most[2], now[2] = {0.0, 0.0};
    for (int side = 0; side < 2; side++) {
        int i = body[side];
        const eng_aim *aim = &world->scratch.aims[i];
        const double *velocities[2] = {world->state.bodies.v[i], world->state.bodies.v_free[i]};
        vec3 place = vec3_add_scaled(contact->point, side == 0 ? 1.0 : -1.0, ahead);
        // what is beside the velocity of the centre: turning, and the strain of the cell
        double beside_least = INFINITY, beside_most = -INFINITY;
        for (int k = 0; k < 2; k++) {
            vec3 point = eng_image_velocity(world, i, velocities[k], place);
            double all = vec3_dot(n, point);
            double beside = vec3_dot(n, vec3_sub(point, vec3_from(velocities[k])));
            if (k == 0)
                now[side] = all;
            beside_least = real_min(beside_least, beside);
            beside_most = real_max(beside_most, beside);
        }
        if (world->model.bodies.rows[i].kind == CAIRN_DYNAMIC) {
            double drift =
                world->state.cell.any ? vec3_dot(n, eng_image_drift(world, i, place)) : 0.0;
            beside_least = real_min(beside_least, drift);
            beside_most = real_max(beside_most, drift);
        }
        least[side] = along_range(n, aim->low, aim->high, false) + beside_least;
        most[side] = along_range(n, aim->low, aim->high, true) + beside_most;
    }
    *as_they_move = now[1] - now[0];
    return real_min(0.0, least[1] - most[0]) - eng_drive_closing(world, a, b, contact->point, n);
}

// ---------------------------------------------------------------- sweeps

/// How a body that turns freely stands at a time.
typedef struct stand {
    double time; // s
    quat orientation;
    vec3 turning; // rad/s, body axes
} stand;

/// Two colliders that are moved on as their bodies are expected to.
typedef struct sweep {
    const cairn_world *world;
    const eng_pair *pair;
    const geo_shape *shape[2];
    int body[2], collider[2];
    pose q[2], place[2]; // of the bodies in the middle of the step; of the colliders in their axes
    vec3 linear[2];      // m/s
    vec3 turning[2];     // rad/s, body axes
    bool tumbles[2];     // whether that changes by itself
    stand from[2];       // of those that do: a turn at most before where they were looked at last
    stand now[2];        // where they were looked at last
    double size;         // m, of the smaller one
    double depth;        // m, from which on they overlap
    double spin;         // m/s, of points by turning, both together
    double horizon;      // s
    bool any;            // whether any overlap counts, whatever has made it
} sweep;

/// How far a point of one of the two may go against the other in a step, m.
static double way_of(const sweep *s)
{
    return s->horizon * (vec3_distance(s->linear[0], s->linear[1]) + s->spin);
}

/// Bodies that tumble are followed from the middle of the step on.
static void stand_at_begin(sweep *s)
{
    for (int side = 0; side < 2; side++)
        s->from[side] = s->now[side] = (stand){0.0, s->q[side].orientation, s->turning[side]};
}

static sweep begin_sweep(const cairn_world *world, const eng_pair *pair)
{
    const int collider[2] = {pair->colliders.first, pair->colliders.second};
    sweep s = {.world = world,
               .pair = pair,
               .size = size_of(world, pair),
               .horizon = world->state.clock.horizon};
    s.depth = overlapping * s.size;
    for (int side = 0; side < 2; side++) {
        const eng_collider *c = &world->contacts.colliders.rows[collider[side]];
        s.shape[side] = c->shape;
        s.body[side] = c->body;
        s.collider[side] = collider[side];
        s.q[side] = world->state.bodies.q_mid[c->body];
        s.place[side] =
            c->place > 0 ? world->contacts.colliders.places[c->place - 1] : pose_identity();
        s.linear[side] = vec3_from(world->scratch.aims[c->body].u);
        s.turning[side] = vec3_from(world->scratch.aims[c->body].u + 3);
        s.tumbles[side] = tumbles(world, c->body, s.turning[side]);
    }
    if (world->state.cell.any) {
        vec3 shift = eng_pair_shift(world, s.body[0], s.body[1]);
        s.q[1].position = vec3_add(s.q[1].position, shift);
        s.linear[1] = vec3_add(s.linear[1], mat3_apply(&world->state.cell.gradient, shift));
    }
    s.spin = turning_speed(world, collider[0], collider[1]) +
             turning_speed(world, collider[1], collider[0]);
    stand_at_begin(&s);
    return s;
}

/// How a body that tumbles stands after a time. Turns that were followed are not followed again: a
/// step may have hundreds of them, and ten thousand looks.
static const stand *tumbled(sweep *s, int side, double time)
{
    stand *now = &s->now[side], *from = &s->from[side];
    if (now->time == time)
        return now;
    if (time < from->time)
        *from = (stand){0.0, s->q[side].orientation, s->turning[side]};
    *now = *from;
    now->time = time;
    eng_rotation_flow(eng_inertia_of(s->world, s->body[side]), &now->orientation, &now->turning,
                      time - from->time);
    if ((time - from->time) * vec3_norm(now->turning) > followed)
        *from = *now;
    return now;
}

/// Where a body is after a time.
static pose moved(sweep *s, int side, double time)
{
    pose q = {vec3_add_scaled(s->q[side].position, time, s->linear[side]), s->q[side].orientation};
    if (s->tumbles[side])
        q.orientation = tumbled(s, side, time)->orientation;
    else
        q.orientation = eng_rotation_advance(q.orientation, vec3_scale(time, s->turning[side]));
    return q;
}

/// Contacts after a time, behind those of the manifold.
static cairn_status look(sweep *s, double time, double margin, geo_manifold *manifold)
{
    pose a = moved(s, 0, time), b = moved(s, 1, time);
    a = pose_compose(&a, &s->place[0]);
    b = pose_compose(&b, &s->place[1]);
    return geo_collide(s->shape[0], &a, s->shape[1], &b, margin, NULL, manifold);
}

/// Rate of the gap of a contact that is there after a time, m/s.
static double rate_of(sweep *s, const geo_contact *contact, double time)
{
    vec3 velocity[2];
    for (int side = 0; side < 2; side++) {
        // what does not tumble turns about an axis that is at rest
        vec3 centre = vec3_add_scaled(s->q[side].position, time, s->linear[side]);
        stand at = {.orientation = s->q[side].orientation, .turning = s->turning[side]};
        if (s->tumbles[side])
            at = *tumbled(s, side, time);
        vec3 omega = quat_rotate(at.orientation, at.turning);
        velocity[side] =
            vec3_add(s->linear[side], vec3_cross(omega, vec3_sub(contact->point, centre)));
    }
    return vec3_dot(contact->normal, vec3_sub(velocity[1], velocity[0]));
}

/// Whether a contact is an overlap that this motion has made.
static bool is_met(sweep *s, const geo_contact *contact, double time)
{
    if (!(contact->gap < -s->depth) || s->any)
        return contact->gap < -s->depth;
    double rate = rate_of(s, contact, time);
    return rate < 0.0 && -contact->gap <= -2.0 * time * rate;
}

/// How soon the two may come to touch after what they are at a time, s, by the planes between them:
/// convex bodies stay apart along a normal as long as they do not close along it.
/// @param from    the first contact of that time in the manifold
/// @param margin  m, in which they were looked for
static double least_time(sweep *s, const geo_manifold *manifold, int from, double margin)
{
    double fastest = vec3_distance(s->linear[0], s->linear[1]) + s->spin, least = INFINITY;
    bool mesh = s->shape[0]->kind == GEO_MESH || s->shape[1]->kind == GEO_MESH;
    if (manifold->count == from || mesh)
        least = fastest > 0.0 ? margin / fastest : INFINITY;
    for (int i = from; i < manifold->count; i++) {
        const geo_contact *c = &manifold->contacts[i];
        double closing = s->spin - vec3_dot(c->normal, vec3_sub(s->linear[1], s->linear[0]));
        if (closing > 0.0)
            least = real_min(least, real_max(c->gap, 0.0) / closing);
    }
    return least;
}

/// When the two first overlap, s; INFINITY where they do not within the step. The contacts of that
/// time, or of the end of the step, are left in the manifold from `from` on.
/// @param begin   s, from which on they are looked at
/// @param first   the first contact of the middle of the step, which end at `from`
/// @param before  out: s, a time before that at which they do not
static cairn_status find_meeting(sweep *s, double way, double margin, double begin, int first,
                                 int from, geo_manifold *manifold, double *met, double *before)
{
    double h = s->horizon;
    stand_at_begin(s);
    double reach = way > stride * s->size ? 0.5 * real_min(s->size, way) : 0.0;
    bool whirls = s->spin * h > LOOKS * stride * s->size;
    double least = whirls ? h / GLANCES : stride * s->size / way * h;
    geo_manifold middle = {.contacts = from > first ? manifold->contacts + first : NULL,
                           .count = from - first};
    double time = begin + real_max(least_time(s, &middle, 0, margin), least);
    *met = INFINITY;
    *before = begin;
    for (int looks = 0; looks < LOOKS; looks++) {
        bool last = !(time < h);
        time = last ? h : time;
        manifold->count = from;
        cairn_status status = look(s, time, reach, manifold);
        if (status == CAIRN_ERROR_MEMORY)
            return status;
        for (int i = from; i < manifold->count; i++)
            if (is_met(s, &manifold->contacts[i], time))
                *met = time;
        if (last || isfinite(*met))
            return CAIRN_OK;
        *before = time;
        time += real_max(least_time(s, manifold, from, reach), least);
    }
    return CAIRN_OK;
}

/// A contact of a meeting as the middle of the step has it: with the gap along its normal that
/// leaves what it is at the meeting, and between the places of its point on both bodies.
static geo_contact bring_back(sweep *s, geo_contact contact, double time)
{
    contact.gap -= time * rate_of(s, &contact, time);
    contact.point =
        vec3_add_scaled(contact.point, -0.5 * time, vec3_add(s->linear[0], s->linear[1]));
    contact.ahead = time;
    return contact;
}

/// The contact with the same features among those that were kept; NULL: none.
static geo_contact *find_kept(const geo_manifold *manifold, int first, int end, uint64_t key)
{
    for (int i = first; i < end; i++)
        if (manifold->contacts[i].key == key)
            return &manifold->contacts[i];
    return NULL;
}

/// Whether a contact acted in the last step, and by that goes on to bounce across a gap.
static bool goes_on(sweep *s, uint64_t key)
{
    const cairn_world *world = s->world;
    const eng_contacts *c = &world->contacts.set;
    for (int i = s->pair->first; i < s->pair->first + s->pair->count; i++)
        if (c->key[i] == key)
            return world->model.def.impact == CAIRN_IMPACT_NEWTON &&
                   (c->gap[i] <= 0.0 || eng_contact_bore(world, c, i));
    return false;
}

/// The deepest contact of a meeting, whose contacts are those from `from` on.
static const geo_contact *deepest_of(sweep *s, double time, int from, const geo_manifold *manifold)
{
    const geo_contact *c = manifold->contacts;
    int deepest = from;
    for (int i = from; i < manifold->count; i++)
        if (is_met(s, &c[i], time) && !(c[i].gap >= c[deepest].gap && is_met(s, &c[deepest], time)))
            deepest = i;
    return &c[deepest];
}

/// Whether bodies that meet bounce off each other there.
static bool bounces_there(sweep *s, double time, int from, double restitution,
                          const geo_manifold *manifold)
{
    const geo_contact *c = deepest_of(s, time, from, manifold);
    return eng_bounces(s->world, s->body[0], s->body[1], restitution, rate_of(s, c, time));
}

/// Whether a body without a round shape turns so far until a time that its contacts there mean
/// little to one that is where it is in the middle of the step.
static bool turns_far(sweep *s, double time)
{
    bool far = false;
    for (int side = 0; side < 2; side++) {
        bool ball =
            s->shape[side]->kind == GEO_SPHERE && arm_of(s->world, s->collider[side]) == 0.0;
        far = far || (!ball && time * vec3_norm(s->turning[side]) > turned_far);
    }
    return far;
}

/// The time of a meeting, and its contacts, as soon as the two overlap: what is met later than that
/// takes no part in a bounce.
/// @param before  s, when they do not
static cairn_status sharpen(sweep *s, double before, int from, geo_manifold *manifold, double *met)
{
    for (int looks = 0; looks < SHARPENINGS; looks++) {
        const geo_contact *c = deepest_of(s, *met, from, manifold);
        double much = -c->gap - 2.0 * s->depth, rate = -rate_of(s, c, *met);
        if (!(much > 2.0 * s->depth))
            return CAIRN_OK;
        double time = *met - much / rate;
        if (!(time > before))
            time = 0.5 * (before + *met);
        manifold->count = from;
        cairn_status status = look(s, time, s->depth, manifold);
        if (status == CAIRN_ERROR_MEMORY)
            return status;
        bool any = false;
        for (int i = from; i < manifold->count && !any; i++)
            any = is_met(s, &manifold->contacts[i], time);
        *(any ? met : &before) = time;
        if (any)
            continue;
        manifold->count = from;
        status = look(s, *met, s->depth, manifold);
        if (status == CAIRN_ERROR_MEMORY)
            return status;
    }
    return CAIRN_OK;
}

/// Whether contacts that were found before are along the normal of the meeting, so that they are
/// those of the same features.
static bool foretell(const geo_manifold *manifold, int first, int end, vec3 normal)
{
    bool same = end > first;
    for (int i = first; i < end; i++)
        same = same && vec3_dot(manifold->contacts[i].normal, normal) > foretold;
    return same;
}

/// Of the contacts of a meeting, from `from` on, those of the side that is met are kept, at the end
/// of what was kept before.
/// @param bounces  those that are apart are left for later
static void keep_met(sweep *s, double time, int first, int kept, int from, bool bounces,
                     geo_manifold *manifold)
{
    geo_contact *c = manifold->contacts;
    vec3 normal = deepest_of(s, time, from, manifold)->normal;
    int end = kept;
    for (int i = from; i < manifold->count; i++) {
        bool same = vec3_dot(c[i].normal, normal) > same_side && !(bounces && c[i].gap > 0.0);
        bool belongs = same || is_met(s, &c[i], time);
        geo_contact *same_features = belongs ? find_kept(manifold, first, kept, c[i].key) : NULL;
        if (belongs && same_features == NULL)
            c[end++] = bring_back(s, c[i], time);
        else if (belongs && bounces && same_features->gap > 0.0 && !goes_on(s, c[i].key))
            *same_features = bring_back(s, c[i], time);
    }
    manifold->count = end;
}

/// Whether a contact of a pair, or that of a name, bore in the last step.
static bool bore(const cairn_world *world, const eng_pair *pair, const uint64_t *key)
{
    const eng_contacts *c = &world->contacts.set;
    for (int i = pair->first; i < pair->first + pair->count; i++)
        if ((key == NULL || c->key[i] == *key) && eng_contact_bore(world, c, i))
            return true;
    return false;
}

/// Whether a contact closes so fast, as the bodies move, that it is left to close first.
static bool bounces_off(sweep *s, const geo_contact *contact, double restitution)
{
    const cairn_world *world = s->world;
    double along[2];
    for (int side = 0; side < 2; side++) {
        int body = s->body[side];
        along[side] =
            vec3_dot(contact->normal,
                     eng_image_velocity(world, body, world->state.bodies.v[body], contact->point));
    }
    return eng_bounces(world, s->body[0], s->body[1], restitution, along[1] - along[0]);
}

/// Contacts that are closed hold the centres of both from going on into each other, also where they
/// have not borne yet, as in the first step of bodies that lie on a mesh.
static void hold(sweep *s, const geo_manifold *manifold, int first, int end)
{
    int moves = s->world->model.bodies.rows[s->body[1]].kind == CAIRN_DYNAMIC;
    for (int i = first; i < end; i++) {
        const geo_contact *c = &manifold->contacts[i];
        double closing = vec3_dot(c->normal, vec3_sub(s->linear[0], s->linear[1]));
        if (c->gap <= digits * s->size && closing > 0.0)
            s->linear[moves] =
                vec3_add_scaled(s->linear[moves], moves ? closing : -closing, c->normal);
    }
}

/// Whether a contact is so far open that it is looked at whether it is met. Of a mesh those that
/// bore breathe: others may be edges of it that the body passes over.
static bool is_apart(sweep *s, const geo_contact *contact, double touch, bool mesh)
{
    double gap = contact->gap;
    return gap > touch ||
           (mesh && gap > digits * s->size && !bore(s->world, s->pair, &contact->key));
}

cairn_status eng_meeting_settle(const cairn_world *world, const eng_pair *pair, double way,
                                double margin, double restitution, geo_manifold *manifold,
                                int first, double *bounce)
{
    double h = world->state.clock.horizon, least = INFINITY, expected = INFINITY;
    double size = size_of(world, pair), round_off = digits * size;
    bool mesh = world->contacts.colliders.rows[pair->colliders.first].shape->kind == GEO_MESH ||
                world->contacts.colliders.rows[pair->colliders.second].shape->kind == GEO_MESH;
    double touch = bore(world, pair, NULL) ? breathing * size : mesh ? round_off : -round_off;
    int from = manifold->count;
    for (int i = first; i < from; i++)
        least = real_min(least, manifold->contacts[i].gap);
    bool touches = least <= touch;
    if (touches && !mesh && !(way > bounce_depth * size))
        return CAIRN_OK;
    sweep s = begin_sweep(world, pair);
    if (mesh && touches)
        hold(&s, manifold, first, from);
    bool fast = way > (restitution > 0.0 ? bounce_depth * s.size : margin);
    // what acted in the last step may go on to bounce across a gap
    bool stay = restitution > 0.0 && pair->count > 0;
    for (int i = first; i < from; i++) {
        const geo_contact *c = &manifold->contacts[i];
        double way_on = h * rate_of(&s, c, 0.0);
        bool counts = is_apart(&s, c, touch, mesh) && way_on < -round_off;
        if (counts && !(restitution > 0.0 && bounces_off(&s, c, restitution)))
            expected = real_min(expected, c->gap + way_on);
    }
    if (!(expected < round_off || fast))
        return CAIRN_OK;
    double met, before;
    cairn_status status = find_meeting(&s, way, margin, 0.0, first, from, manifold, &met, &before);
    if (status != CAIRN_OK)
        return status;
    double end = INFINITY;
    for (int i = from; i < manifold->count; i++)
        end = real_min(end, manifold->contacts[i].gap);
    // what comes to touch slowly overlaps by less than what is told from touching
    bool true_end = !isfinite(met) && expected < -round_off && end <= 0.5 * expected;
    bool known = isfinite(met) && !touches && way <= bounce_depth * s.size &&
                 foretell(manifold, first, from, deepest_of(&s, met, from, manifold)->normal);
    bool turned = isfinite(met) && !known && turns_far(&s, met);
    bool bounces = isfinite(met) && !known && bounces_there(&s, met, from, restitution, manifold);
    if (bounces) {
        status = sharpen(&s, before, from, manifold, &met);
        if (status != CAIRN_OK)
            return status;
        const geo_contact *c = deepest_of(&s, met, from, manifold);
        if ((met - h) * rate_of(&s, c, met) > bounce_depth * s.size)
            *bounce = met;
    } else if (isfinite(met) && !known) {
        // with those that are still apart there
        manifold->count = from;
        status = look(&s, met, real_max(margin, 0.5 * real_min(s.size, way)), manifold);
        if (status == CAIRN_ERROR_MEMORY)
            return status;
    }
    int kept = first;
    for (int i = first; i < from; i++) {
        const geo_contact *c = &manifold->contacts[i];
        bool apart = is_apart(&s, c, touch, mesh);
        bool closes = apart && c->gap + h * rate_of(&s, c, 0.0) < round_off;
        bool stays = stay && (!mesh || bore(world, pair, &c->key));
        if (true_end || known || stays || (touches && !closes))
            manifold->contacts[kept++] = *c;
    }
    if (isfinite(met) && !known)
        keep_met(&s, met, first, kept, from, bounces, manifold);
    else
        manifold->count = kept;
    return turned ? CAIRN_INTERRUPTED : CAIRN_OK;
}

// ---------------------------------------------------------------- what others hold

/// What a body is held by, as pushing on it tells.
typedef struct grip {
    const eng_hold *hold;
    vec3 turning;    // 1/(kg m): angular velocity in body axes by a unit impulse
    vec3 arm;        // m, in body axes, crossed with the normal
    double mobility; // 1/kg, of its place along its normal
    double rate;     // m/s, of its place along its normal, at which the gap ends at zero
    double impulse;  // N s
} grip;

static grip grip_of(const cairn_world *world, int body, const double inverse[6],
                    const eng_hold *hold)
{
    const pose *q = &world->state.bodies.q_mid[body];
    vec3 other =
        eng_image_velocity(world, hold->other, world->scratch.aims[hold->other].u, hold->point);
    vec3 arm = vec3_cross(vec3_sub(hold->point, q->position), hold->normal);
    grip g = {.hold = hold, .arm = quat_rotate_inverse(q->orientation, arm)};
    g.turning = vec3_multiply(vec3_from(inverse + 3), g.arm);
    g.mobility = inverse[0] + vec3_dot(g.arm, g.turning);
    g.rate = vec3_dot(hold->normal, other) - real_max(hold->gap, 0.0) / world->state.clock.horizon;
    return g;
}

/// The velocity that a body is left with by what holds it until the middle of the next step: gaps
/// end at zero where it would go on into it. Without friction, which only slows it down.
/// @return whether anything holds it
static bool hold_body(const cairn_world *world, int body, const eng_hold *holds, int count,
                      double u[6])
{
    grip grips[ENG_HOLDS_MAX];
    double inverse[6], most = INFINITY;
    double enough = digits * eng_reach_of(world, body) / world->state.clock.horizon;
    bool held = false;
    eng_mass_inverse_of(world, body, inverse);
    for (int i = 0; i < count; i++)
        grips[i] = grip_of(world, body, inverse, &holds[i]);
    for (int round = 0; round < ROUNDS && most > enough; round++) {
        most = 0.0;
        for (int i = 0; i < count; i++) {
            grip *g = &grips[i];
            vec3 centre = vec3_from(u), omega = vec3_from(u + 3);
            double rate = vec3_dot(g->hold->normal, centre) + vec3_dot(g->arm, omega);
            double before = g->impulse;
            g->impulse = real_max(0.0, before - (rate - g->rate) / g->mobility);
            double push = g->impulse - before;
            vec3_store(u, vec3_add_scaled(centre, push * inverse[0], g->hold->normal));
            vec3_store(u + 3, vec3_add_scaled(omega, push, g->turning));
            most = real_max(most, fabs(push) * g->mobility);
            held = held || push != 0.0;
        }
    }
    return held;
}

cairn_status eng_meeting_misses(const cairn_world *world, const eng_pair *pair, int body,
                                const eng_hold *holds, int count, geo_manifold *manifold,
                                bool *misses)
{
    double u[6], met, before;
    *misses = false;
    memcpy(u, world->scratch.aims[body].u, sizeof u);
    if (!hold_body(world, body, holds, count, u))
        return CAIRN_OK;
    sweep s = begin_sweep(world, pair);
    cairn_status status = find_meeting(&s, way_of(&s), 0.0, 0.0, 0, 0, manifold, &met, &before);
    if (status != CAIRN_OK || !isfinite(met))
        return status;
    int side = s.body[0] == body ? 0 : 1;
    int own = s.collider[side], other = s.collider[1 - side];
    s.linear[side] =
        vec3_add(s.linear[side], vec3_sub(vec3_from(u), vec3_from(world->scratch.aims[body].u)));
    s.turning[side] = vec3_from(u + 3);
    s.tumbles[side] = tumbles(world, body, s.turning[side]);
    s.spin = turning_speed(world, other, own) +
             speed_of_turning(world, own, other, fastest_turning(world, body, s.turning[side]));
    s.any = true;
    status = find_meeting(&s, way_of(&s), 0.0, 0.0, 0, 0, manifold, &met, &before);
    *misses = status == CAIRN_OK && !isfinite(met);
    return status;
}

// ---------------------------------------------------------------- the begin of the step

cairn_status eng_meeting_look_back(const cairn_world *world, const eng_pair *pair,
                                   geo_manifold *manifold)
{
    const double *v[2];
    double around = 0.0, before, met, half = 0.5 * world->state.clock.step;
    for (int side = 0; side < 2; side++) {
        int collider = side == 0 ? pair->colliders.first : pair->colliders.second;
        int body = world->contacts.colliders.rows[collider].body;
        v[side] = world->state.bodies.v[body];
        around += world->scratch.aims[body].around;
    }
    // most go too slowly for that
    double most = half * (vec3_distance(vec3_from(v[0]), vec3_from(v[1])) + around);
    if (!world->state.cell.any && most * (1.0 + 1e-12) <= bounce_depth * size_of(world, pair))
        return CAIRN_OK;
    sweep s = begin_sweep(world, pair);
    int from = manifold->count;
    vec3 shift = vec3_sub(s.q[1].position, world->state.bodies.q_mid[s.body[1]].position);
    s.horizon = half;
    s.depth = bounce_depth * s.size;
    for (int side = 0; side < 2; side++) {
        int body = s.body[side];
        vec3 omega = vec3_from(world->state.bodies.v[body] + 3),
             linear = vec3_from(world->state.bodies.v[body]);
        if (eng_flows(world, body))
            eng_rotation_flow(eng_inertia_of(world, body), &s.q[side].orientation, &omega, -half);
        else
            s.q[side].orientation = world->state.bodies.q[body].orientation;
        s.q[side].position = vec3_add_scaled(s.q[side].position, -half, linear);
        s.linear[side] = linear;
        s.turning[side] = omega;
    }
    if (world->state.cell.any) {
        vec3 drift = mat3_apply(&world->state.cell.gradient, shift);
        s.q[1].position = vec3_add_scaled(s.q[1].position, -half, drift);
        s.linear[1] = vec3_add(s.linear[1], drift);
    }
    double way = half * (vec3_distance(s.linear[0], s.linear[1]) + s.spin);
    if (!(way > s.depth))
        return CAIRN_OK;
    cairn_status status = find_meeting(&s, way, 0.0, 0.0, from, from, manifold, &met, &before);
    manifold->count = from;
    return status == CAIRN_OK && isfinite(met) ? CAIRN_INTERRUPTED : status;
}

// ---------------------------------------------------------------- the end of the step

/// First of the pairs whose first collider is of a body.
static int first_pair_of(const cairn_world *world, int body)
{
    int low = 0, high = world->contacts.pairs.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (world->contacts.pairs.rows[middle].colliders.first <
            world->model.bodies.rows[body].first_collider)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool eng_meeting_is_first(const cairn_world *world, const eng_pair *pair,
                          const geo_contact *contact)
{
    int a = world->contacts.colliders.rows[pair->colliders.first].body;
    int b = world->contacts.colliders.rows[pair->colliders.second].body;
    double own = world->scratch.bounce[pair - world->contacts.pairs.rows], first = own;
    if (!(contact->ahead > 0.0) || !isfinite(own))
        return false;
    for (int i = first_pair_of(world, a); i < world->contacts.pairs.count; i++) {
        const geo_pair *other = &world->contacts.pairs.rows[i].colliders;
        if (world->contacts.colliders.rows[other->first].body != a)
            break;
        if (world->contacts.colliders.rows[other->second].body == b)
            first = real_min(first, world->scratch.bounce[i]);
    }
    return own <= first + at_once * world->state.clock.horizon;
}

/// Whether a contact is one that bodies came to within the step, and bounced off.
static bool has_bounced(const cairn_world *world, int contact)
{
    const eng_contacts *c = &world->contacts.set;
    const eng_surface *surface = &world->model.materials.surfaces[c->surface[contact]];
    if (!(c->meets[contact] > 0.0))
        return false;
    if (world->scratch.solve.rebound != NULL && world->scratch.solve.rebound[contact] > 0.0)
        return true;
    if (!(c->R[contact][0] > 0.0))
        return false;
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    return terms.restitution > 0.0 && eng_contact_bounces(world, contact, terms.restitution);
}

/// A body that has its new velocity since the middle of the step gets it later, and has the old one
/// until then.
/// @param until  s, since the middle
/// @param q, v   place and velocity at one time: as they are, and as they become
static void carry_over(const cairn_world *world, int body, double until, pose *q, double v[6])
{
    const double *u = world->scratch.aims[body].u;
    quat mid = world->state.bodies.q_mid[body].orientation;
    vec3 way = vec3_sub(vec3_from(u), vec3_from(v)), omega = vec3_from(v + 3);
    vec3 J = eng_inertia_of(world, body), of_world = quat_rotate(q->orientation, omega);
    quat turn =
        eng_rotation_advance((quat){1.0, 0.0, 0.0, 0.0}, vec3_scale(until, vec3_from(u + 3)));
    q->position = vec3_add_scaled(q->position, until, way);
    if (tumbles(world, body, omega))
        eng_rotation_flow(J, &q->orientation, &omega, -until);
    else
        q->orientation = eng_rotation_advance(q->orientation, vec3_scale(-until, omega));
    // what came after the middle comes after that turn
    quat after = quat_multiply(quat_conjugate(mid), q->orientation);
    q->orientation = quat_normalize(quat_multiply(quat_multiply(mid, turn), after));
    // balls and cubes keep what the impact gave, and others the energy of that
    if (J.x == J.y && J.y == J.z)
        omega = quat_rotate_inverse(q->orientation, of_world);
    vec3_store(v + 3, omega);
}

/// When bodies that bounce do so, s after the middle of the step; INFINITY for all others. Of the
/// contacts that this process holds.
/// @param any  out: whether one does
static double *find_bounces(const cairn_world *world, bool *any)
{
    const eng_contacts *c = &world->contacts.set;
    double *first =
        base_arena_array(world->scratch.arena, double, "meetings", world->scratch.general.reach);
    *any = false;
    for (int body = 0; body < world->scratch.general.reach && first != NULL; body++)
        first[body] = INFINITY;
    int tasks = first != NULL ? con_domains_tasks(&world->contacts.domains) : 0;
    for (int task = 0; task < tasks; task++) {
        con_span held = con_domains_held(&world->contacts.domains, c->cone_count, task);
        for (int i = held.begin; i < held.end; i++) {
            bool bounced = has_bounced(world, i);
            *any = *any || bounced;
            for (int side = 0; side < 2 && bounced; side++)
                first[c->body[i][side]] = real_min(first[c->body[i][side]], c->meets[i]);
        }
    }
    return first;
}

/// Whether a body goes on so differently from what was expected that it may meet others.
static bool is_thrown(const cairn_world *world, int body)
{
    const double *u = world->scratch.aims[body].u, *v_end = world->state.bodies.v_end[body];
    // most bodies that nothing touches go on exactly as expected
    bool same = true;
    for (int k = 0; k < 6 && same; k++)
        same = u[k] == v_end[k];
    if (same)
        return false;
    double size = world->model.shapes.rows[world->model.bodies.rows[body].shape]->smallest_size;
    double reach = eng_reach_of(world, body), h = world->state.clock.horizon;
    size = real_min(size, reach);
    vec3 linear = vec3_sub(vec3_from(u), vec3_from(v_end));
    vec3 turning = vec3_sub(vec3_from(u + 3), vec3_from(v_end + 3));
    // seen without a root of most
    double most = vec3_norm_squared(linear) + reach * reach * vec3_norm_squared(turning);
    if (2.1 * h * h * most < stride * stride * size * size)
        return false;
    double way = vec3_norm(linear) + reach * vec3_norm(turning);
    return way * h > stride * size;
}

/// Takes the velocities of the end of the step, and the places in its middle from which they lead
/// to that end. @return s, from which on the two have them
static double turn_to_end(sweep *s, const double *first)
{
    const cairn_world *world = s->world;
    const int collider[2] = {s->pair->colliders.first, s->pair->colliders.second};
    double begin = 0.0;
    s->spin = 0.0;
    for (int side = 0; side < 2; side++) {
        int body = s->body[side];
        const double *u = world->scratch.aims[body].u, *v_end = world->state.bodies.v_end[body];
        if (world->model.bodies.rows[body].kind == CAIRN_DYNAMIC) {
            double time = isfinite(first[body]) ? first[body] : 0.0;
            double v[6];
            memcpy(v, v_end, sizeof v);
            if (time > 0.0)
                carry_over(world, body, time, &s->q[side], v);
            s->linear[side] = vec3_add(s->linear[side], vec3_sub(vec3_from(v_end), vec3_from(u)));
            s->turning[side] = vec3_from(v + 3);
            s->tumbles[side] = tumbles(world, body, s->turning[side]);
            begin = real_max(begin, time);
        }
        s->spin += speed_of_turning(world, collider[side], collider[1 - side],
                                    fastest_turning(world, body, s->turning[side]));
    }
    return begin;
}

/// Whether two bodies that have not bounced go on after the solve by less than the depth that is
/// looked for.
static bool go_on_slowly(const cairn_world *world, const eng_pair *pair, const double *first)
{
    const int collider[2] = {pair->colliders.first, pair->colliders.second};
    vec3 linear[2];
    double spin = 0.0;
    for (int side = 0; side < 2; side++) {
        int body = world->contacts.colliders.rows[collider[side]].body;
        bool moves = world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
        const double *u = world->scratch.aims[body].u,
                     *v_end = moves ? world->state.bodies.v_end[body] : u;
        if (world->state.cell.any || isfinite(first[body]))
            return false;
        linear[side] = vec3_add(vec3_from(u), vec3_sub(vec3_from(v_end), vec3_from(u)));
        spin += speed_of_turning(world, collider[side], collider[1 - side],
                                 fastest_turning(world, body, vec3_from(v_end + 3)));
    }
    double way = world->state.clock.horizon * (vec3_distance(linear[0], linear[1]) + spin);
    return !(way > bounce_depth * size_of(world, pair));
}

/// Whether two bodies come to be deep in each other, as they go on after the solve.
/// @param deep  out: index + 1 of one that does; 0: none
static cairn_status find_depth(const cairn_world *world, const eng_pair *pair, const double *first,
                               geo_manifold *manifold, int *deep)
{
    if (go_on_slowly(world, pair, first))
        return CAIRN_OK;
    sweep s = begin_sweep(world, pair);
    double before, met, begin = turn_to_end(&s, first);
    double way = way_of(&s);
    s.depth = bounce_depth * s.size;
    if (!(way > s.depth))
        return CAIRN_OK;
    manifold->count = 0;
    cairn_status status = find_meeting(&s, way, 0.0, begin, 0, 0, manifold, &met, &before);
    bool second = world->model.bodies.rows[s.body[0]].kind != CAIRN_DYNAMIC;
    *deep = isfinite(met) ? s.body[second] + 1 : 0;
    return status;
}

/// Bounds of a collider from the middle of the step on, as its body goes on after the solve.
static geo_bounds bounds_after(const cairn_world *world, int collider)
{
    const eng_collider *c = &world->contacts.colliders.rows[collider];
    const double *v = world->state.bodies.v_end[c->body];
    geo_bounds bounds = world->contacts.colliders.bounds[collider].bounds;
    vec3 ahead = vec3_scale(world->state.clock.horizon, vec3_from(v));
    geo_bounds later = {vec3_add(bounds.low, ahead), vec3_add(bounds.high, ahead)};
    double turning = world->state.clock.horizon * vec3_norm(vec3_from(v + 3));
    return geo_bounds_inflate(geo_bounds_merge(bounds, later),
                              real_min(turning, 2.0) * eng_reach_of(world, c->body));
}

/// What a body that was thrown out of its bounds meets, which the list of pairs does not know.
static cairn_status find_deep_beyond(const cairn_world *world, int collider, const double *first,
                                     geo_manifold *manifold, int *deep)
{
    geo_bounds own = bounds_after(world, collider);
    int body = world->contacts.colliders.rows[collider].body;
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < world->contacts.broad.listed_count && *deep == 0 && status == CAIRN_OK;
         k++) {
        int other = world->contacts.broad.listed[k],
            to = world->contacts.colliders.rows[other].body;
        if (world->contacts.colliders.rows[other].shape == NULL ||
            eng_pair_is_idle(world, body, to) ||
            eng_surface_of(world, body, to)->law->kind != CON_LAW_CONE)
            continue;
        geo_bounds bounds = bounds_after(world, other);
        // images are next to each other, whatever their bounds
        if (!world->state.cell.any && !geo_bounds_overlap(own, bounds))
            continue;
        eng_pair pair = {.colliders = {collider < other ? collider : other,
                                       collider < other ? other : collider}};
        status = find_depth(world, &pair, first, manifold, deep);
    }
    return status;
}

/// Looks at what bodies that were thrown may meet. @param thrown  [reach]
static cairn_status find_deep_pair(const cairn_world *world, const bool *thrown, int *deep)
{
    bool bounced;
    const double *first = find_bounces(world, &bounced);
    if (first == NULL)
        return CAIRN_ERROR_MEMORY;
    geo_manifold manifold;
    geo_manifold_init(&manifold, &world->model.allocator);
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < world->contacts.plan.cone_pairs && *deep == 0 && status == CAIRN_OK; i++) {
        const eng_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[i]];
        if (thrown[world->contacts.colliders.rows[pair->colliders.first].body] ||
            thrown[world->contacts.colliders.rows[pair->colliders.second].body])
            status = find_depth(world, pair, first, &manifold, deep);
    }
    for (int k = 0; k < world->contacts.broad.listed_count && *deep == 0 && status == CAIRN_OK;
         k++) {
        int i = world->contacts.broad.listed[k], body = world->contacts.colliders.rows[i].body;
        if (world->contacts.colliders.rows[i].shape == NULL || !thrown[body])
            continue;
        geo_bounds after = bounds_after(world, i);
        if (!geo_bounds_contain(&world->contacts.broad.proxies[i].bounds, &after))
            status = find_deep_beyond(world, i, first, &manifold, deep);
    }
    geo_manifold_finish(&manifold);
    return status == CAIRN_ERROR_MEMORY ? status : CAIRN_OK;
}

/// The first body that a process names, index + 1; 0 where none does.
static int first_of_all(const cairn_world *world, int named)
{
    unsigned mine = (unsigned)named - 1u, first = 0;
    if (!con_team_any(&world->contacts.domains, named > 0))
        return 0;
    for (unsigned bit = 1u << 31; bit > 0 && eng_sharing_is_active(world); bit >>= 1)
        if (!con_team_any(&world->contacts.domains, (mine & ~(bit - 1)) == first))
            first |= bit;
    return eng_sharing_is_active(world) ? (int)(first + 1u) : named;
}

cairn_status eng_meetings_check(cairn_world *world, int *deep)
{
    *deep = 0;
    if (world->scratch.aims == NULL)
        return CAIRN_OK;
    bool *thrown =
        base_arena_array(world->scratch.arena, bool, "meetings", world->scratch.general.reach);
    if (thrown == NULL)
        return CAIRN_ERROR_MEMORY;
    bool any = false;
    memset(thrown, 0, (size_t)world->scratch.general.reach * sizeof *thrown);
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int body = world->scratch.general.active[k];
        bool moves =
            world->model.bodies.rows[body].kind == CAIRN_DYNAMIC && !eng_is_elsewhere(world, body);
        thrown[body] = moves && is_thrown(world, body);
        any = any || thrown[body];
    }
    cairn_status status = any ? find_deep_pair(world, thrown, deep) : CAIRN_OK;
    *deep = first_of_all(world, *deep);
    return status;
}

cairn_status eng_meetings_finish(cairn_world *world)
{
    bool any = false;
    const double *first = world->scratch.aims != NULL ? find_bounces(world, &any) : NULL;
    // energies are sums over all processes
    if (!con_team_any(&world->contacts.domains, any))
        return CAIRN_OK;
    if (first == NULL)
        return CAIRN_ERROR_MEMORY;
    double kinetic, before, after;
    eng_energies_general(world, &kinetic, &before);
    double *owed = &world->state.pieces.owed;
    *owed = 0.0;
    for (int body = 0; body < world->scratch.general.reach; body++)
        if (isfinite(first[body]) && world->model.bodies.rows[body].kind == CAIRN_DYNAMIC) {
            *owed = real_max(*owed, first[body] - 0.5 * world->state.clock.step);
            carry_over(world, body, first[body], &world->state.bodies.q[body],
                       world->state.bodies.v[body]);
        }
    // whoever has a body knows all that it bounced off
    if (eng_sharing_is_active(world) && world->state.elsewhere != NULL) {
        eng_borders_send(world, (con_rows){world->state.bodies.q, sizeof *world->state.bodies.q});
        eng_borders_send(world, (con_rows){world->state.bodies.v, sizeof *world->state.bodies.v});
    }
    world->scratch.moved_energies = NULL;
    eng_energies_general(world, &kinetic, &after);
    world->state.audit.energy.correction += after - before;
    return CAIRN_OK;
}
