// SPDX-License-Identifier: Apache-2.0
// Explicit batches: impulse laws contact by contact, their impulses summed body by body, and their
// audit.
//
// Neither H nor W is built. A contact writes into its own place alone, and a body adds up its
// contacts in their order: results have the same bits for any number of threads.
#include "engine/passes/explicit.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include "contact/laws/audit.h"
#include "contact/laws/batch.h"
#include "engine/passes/touch.h"

#include <string.h>

// AT_ONCE_CHUNK: most contacts that a law takes at once
enum { CONTACT_CHUNK = 64, AT_ONCE_CHUNK = 512, BODY_CHUNK = 128 };

/// What an explicit contact does to its bodies, world axes.
typedef struct eng_push {
    vec3 impulse;   // N s on B; the opposite on A
    vec3 torque[2]; // N m s about the centres of A and B
} eng_push;

/// The two bodies of a pair as rigid motions.
typedef struct pair_motion {
    vec3 centre[2];   // m, midpoint
    vec3 velocity[2]; // m/s of the centres
    vec3 omega[2];    // rad/s, world axes
    vec3 drift;       // m/s, of B's image next to A against B itself
} pair_motion;

/// @param spins  [reach] rad/s, v's angular velocities in world axes
static inline void find_motion(const cairn_world *world, const int body[2], const double (*v)[6],
                               const vec3 *spins, pair_motion *motion)
{
    for (int side = 0; side < 2; side++) {
        motion->centre[side] = world->state.bodies.q_mid[body[side]].position;
        motion->velocity[side] = vec3_from(v[body[side]]);
        motion->omega[side] = spins[body[side]];
    }
    motion->drift = vec3_make(0.0, 0.0, 0.0);
    if (world->state.cell.any) {
        vec3 shift = eng_pair_shift(world, body[0], body[1]);
        motion->drift = mat3_apply(&world->state.cell.gradient, shift);
        motion->centre[1] = vec3_add(motion->centre[1], shift);
        motion->velocity[1] = vec3_add(motion->velocity[1], motion->drift);
    }
}

/// Velocities of bodies, for `turn_chunk`.
typedef struct turn_context {
    const cairn_world *world;
    const double (*v)[6];
    vec3 *spins;
} turn_context;

static void turn_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const turn_context *context = argument;
    for (int at = begin; at < end; at++) {
        int body = context->world->scratch.general.active[at];
        context->spins[body] = quat_rotate(context->world->state.bodies.q_mid[body].orientation,
                                           vec3_from(context->v[body] + 3));
    }
}

/// Angular velocities of the active bodies in world axes, at the midpoint; NULL: out of memory.
static vec3 *find_spins(const cairn_world *world, const double (*v)[6])
{
    turn_context context = {
        world, v,
        base_arena_array(world->scratch.arena, vec3, "spins", world->scratch.general.reach)};
    if (context.spins != NULL)
        base_parallel_for(world->model.workers, world->scratch.general.active_count, BODY_CHUNK,
                          turn_chunk, &context);
    return context.spins;
}

/// Velocity of the material point of a body.
static inline vec3 velocity_at(const pair_motion *motion, int side, vec3 point)
{
    return vec3_add(motion->velocity[side],
                    vec3_cross(motion->omega[side], vec3_sub(point, motion->centre[side])));
}

/// Velocity of B against A at a contact, in its frame.
static inline vec3 relative_velocity(const pair_motion *motion, const mat3 *frame, vec3 point)
{
    return mat3_apply(frame,
                      vec3_sub(velocity_at(motion, 1, point), velocity_at(motion, 0, point)));
}

// ---------------------------------------------------------------- laws

/// Radius of a side of a pair that is a sphere, m, or infinite. A member of a compound is a
/// sphere to laws that ask how curved it is, not to those that turn it about its centre.
static double radius_of(const cairn_world *world, int collider, const con_law *law)
{
    const eng_collider *c = &world->contacts.colliders.rows[collider];
    bool member = c->shape != world->model.shapes.rows[world->model.bodies.rows[c->body].shape];
    bool sphere = !member || (law->batch != NULL && law->batch->takes_clumps);
    return sphere ? c->shape->sphere.radius : INFINITY;
}

/// What all contacts of a pair say to the law.
/// @param kind  of the two colliders
static void fill_pair(const cairn_world *world, int pair, const geo_kind kind[2],
                      const con_law *law, const pair_motion *motion, con_impulse_input *input)
{
    const geo_pair *colliders = &world->contacts.pairs.rows[pair].colliders;
    const int of[2] = {colliders->first, colliders->second};
    for (int side = 0; side < 2; side++) {
        input->centre[side] = motion->centre[side];
        input->velocity[side] = motion->velocity[side];
        input->angular_velocity[side] = motion->omega[side];
        input->radius[side] = kind[side] == GEO_SPHERE ? radius_of(world, of[side], law) : INFINITY;
        input->mass[side] =
            world->model.bodies.rows[world->contacts.colliders.rows[of[side]].body].mass;
    }
}

/// @param looks_back  at R of the last step
static void fill_contact(const cairn_world *world, int i, const pair_motion *motion,
                         bool looks_back, con_impulse_input *input)
{
    const eng_contacts *c = &world->contacts.set;
    input->gap = c->gap[i];
    input->frame = c->frame[i];
    input->point = c->point[i];
    input->fresh = c->fresh[i] != 0;
    input->initial = input->fresh && world->state.clock.step_count == 0;
    if (looks_back)
        memcpy(input->R_previous, c->R[i], sizeof input->R_previous);
    vec3_store(input->V, relative_velocity(motion, &c->frame[i], c->point[i]));
    memcpy(c->V[i], input->V, sizeof input->V);
}

/// For the laws that ask how the bodies answer.
static void fill_mobility(const cairn_world *world, int i, const pair_motion *free,
                          con_impulse_input *input)
{
    const eng_contacts *c = &world->contacts.set;
    vec3_store(input->B, relative_velocity(free, &c->frame[i], c->point[i]));
    input->W = (mat3){0};
    for (int side = 0; side < 2; side++) {
        int body = c->body[i][side];
        mat3 W = eng_point_mobility(world->state.bodies.mass_inverse[body],
                                    &world->state.bodies.q_mid[body], &c->frame[i],
                                    eng_image_point(world, body, c->point[i]));
        input->W = mat3_add(&input->W, &W);
    }
}

/// The law's answer goes to the contact, and to its place among the pushes.
static inline void keep(eng_contacts *c, int i, const pair_motion *motion,
                        const con_impulse_output *output, eng_push *push)
{
    memcpy(c->R[i], output->R, sizeof output->R);
    push->impulse = mat3_apply_transposed(&c->frame[i], vec3_from(output->R));
    for (int side = 0; side < 2; side++) {
        vec3 arm = vec3_sub(c->point[i], motion->centre[side]);
        vec3 moment = vec3_cross(arm, push->impulse);
        vec3_store(c->couple[i] + 3 * side, output->couple[side]);
        push->torque[side] = side == 0 ? vec3_sub(output->couple[side], moment)
                                       : vec3_add(output->couple[side], moment);
    }
}

typedef struct explicit_context {
    cairn_world *world;
    const vec3 *free_spins;    // of v_free, for laws that ask how bodies answer; else NULL
    eng_push *pushes;          // [explicit contacts]
    con_impulse_input *inputs; // [explicit contacts] for laws that take many at once; else NULL
} explicit_context;

/// The answer of a law that takes many contacts at once, whose inputs are filled, for [begin, end).
static void act_at_once(const explicit_context *context, const eng_surface *surface, int begin,
                        int end)
{
    cairn_world *world = context->world;
    eng_contacts *c = &world->contacts.set;
    int first = begin - c->cone_count;
    con_impulse_output *outputs = world->scratch.explicit_outputs + first;
    surface->law->impulses(surface->law, surface->parameters, end - begin, context->inputs + first,
                           c->history + begin, outputs);
    pair_motion motion = {0};
    for (int i = begin, pair = -1; i < end; i++) {
        if (c->pair[i] != pair) {
            pair = c->pair[i];
            find_motion(world, c->body[i], (const double(*)[6])world->state.bodies.v,
                        world->scratch.spins, &motion);
        }
        keep(c, i, &motion, &outputs[i - begin], &context->pushes[i - c->cone_count]);
    }
}

/// Contacts [begin, end) of one batch.
static void run_batch(const explicit_context *context, const eng_batch *batch, int begin, int end)
{
    cairn_world *world = context->world;
    eng_contacts *c = &world->contacts.set;
    const eng_surface *surface = &world->model.materials.surfaces[batch->surface];
    const con_law *law = surface->law;
    con_impulse_input input = {.step = world->state.clock.step};
    pair_motion motion = {0}, free = {0};
    double corner = law->corner_radius == NULL ? 0.0 : law->corner_radius(surface->parameters);
    double flat = law->flat_radius == NULL ? 0.0 : law->flat_radius(surface->parameters);
    for (int i = begin, pair = -1; i < end; i++) {
        if (c->pair[i] != pair) {
            pair = c->pair[i];
            find_motion(world, c->body[i], (const double(*)[6])world->state.bodies.v,
                        world->scratch.spins, &motion);
            fill_pair(world, pair, batch->kind, law, &motion, &input);
            if (law->uses_mobility)
                find_motion(world, c->body[i], (const double(*)[6])world->state.bodies.v_free,
                            context->free_spins, &free);
        }
        fill_contact(world, i, &motion, law->uses_previous, &input);
        if (law->uses_mobility)
            fill_mobility(world, i, &free, &input);
        if (corner > 0.0)
            eng_touch_fill(world, i, corner, &input);
        if (flat > 0.0 && !isfinite(con_effective_radius(&input)))
            input.roll = eng_touch_roll(world, i, flat);
        con_impulse_output *output = &world->scratch.explicit_outputs[i - c->cone_count];
        *output = (con_impulse_output){0};
        if (law->impulses != NULL) {
            context->inputs[i - c->cone_count] = input;
            continue;
        }
        con_law_act(law, surface->parameters, &input, c->history[i], output);
        keep(c, i, &motion, output, &context->pushes[i - c->cone_count]);
    }
    if (law->impulses != NULL)
        act_at_once(context, surface, begin, end);
}

/// The batch of an explicit contact.
static const eng_batch *batch_of(const cairn_world *world, int contact)
{
    const eng_plan *plan = &world->contacts.plan;
    int low = plan->cone_batches, high = plan->batch_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (plan->batches[middle].first <= contact)
            low = middle;
        else
            high = middle - 1;
    }
    return &plan->batches[low];
}

/// Explicit contacts [begin, end), counted from the first, cut at the ends of batches.
static void run_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const explicit_context *context = argument;
    const cairn_world *world = context->world;
    int next = world->contacts.set.cone_count + begin, last = world->contacts.set.cone_count + end;
    for (const eng_batch *batch = batch_of(world, next); next < last; batch++) {
        int stop = batch->first + batch->count < last ? batch->first + batch->count : last;
        if (next < stop)
            run_batch(context, batch, next, stop);
        next = stop;
    }
}

// ---------------------------------------------------------------- sums

/// v_free += M^-1 (sum of the pushes), body by body.
static void push_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const explicit_context *context = argument;
    cairn_world *world = context->world;
    const eng_plan *plan = &world->contacts.plan;
    const eng_push *pushes = context->pushes - world->contacts.set.cone_count;
    for (int at = begin; at < end; at++) {
        int body = world->scratch.general.active[at];
        vec3 impulse = {0.0, 0.0, 0.0}, torque = impulse;
        bool pushed = false;
        eng_body_pairs part = plan->pairs_of[body];
        for (int k = part.first; k < part.first + part.count; k++) {
            int side = plan->touch[k] & 1, place = plan->touch[k] >> 1;
            int count = world->contacts.narrow.taken.count[place];
            if (count == 0)
                continue;
            int first = world->contacts.narrow.taken.first[place];
            for (int i = first; i < first + count; i++) {
                vec3 own = pushes[i].impulse;
                impulse = side == 0 ? vec3_sub(impulse, own) : vec3_add(impulse, own);
                torque = vec3_add(torque, pushes[i].torque[side]);
                pushed = true;
            }
        }
        if (pushed)
            eng_body_push(&world->state, body, impulse, torque);
    }
}

/// What any law of the explicit batches asks for.
static void find_needs(const cairn_world *world, bool *many, bool *mobility)
{
    const eng_plan *plan = &world->contacts.plan;
    *many = *mobility = false;
    for (int i = plan->cone_batches; i < plan->batch_count; i++) {
        const con_law *law = world->model.materials.surfaces[plan->batches[i].surface].law;
        *many = *many || law->impulses != NULL;
        *mobility = *mobility || law->uses_mobility;
    }
}

cairn_status eng_block_explicit_laws(cairn_world *world)
{
    int count = world->contacts.set.count - world->contacts.set.cone_count;
    base_arena *arena = world->scratch.arena;
    explicit_context context = {.world = world,
                                .pushes = base_arena_array(arena, eng_push, "pushes", count)};
    world->scratch.explicit_outputs =
        base_arena_array(arena, con_impulse_output, "explicit", count);
    if (context.pushes == NULL || world->scratch.explicit_outputs == NULL)
        return CAIRN_ERROR_MEMORY;
    if (count == 0)
        return CAIRN_OK;
    bool at_once, mobility;
    find_needs(world, &at_once, &mobility);
    world->scratch.spins = find_spins(world, (const double(*)[6])world->state.bodies.v);
    if (mobility)
        context.free_spins = find_spins(world, (const double(*)[6])world->state.bodies.v_free);
    if (at_once)
        context.inputs = base_arena_array(arena, con_impulse_input, "inputs", count);
    if (world->scratch.spins == NULL || (mobility && context.free_spins == NULL) ||
        (at_once && context.inputs == NULL))
        return CAIRN_ERROR_MEMORY;
    base_parallel_for(world->model.workers, count, at_once ? AT_ONCE_CHUNK : CONTACT_CHUNK,
                      run_chunk, &context);
    base_parallel_for(world->model.workers, world->scratch.general.active_count, BODY_CHUNK,
                      push_chunk, &context);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- audit

/// What the contacts of a chunk stored and dissipated.
typedef struct booked {
    double elastic, start, population, friction, damping, plastic, drivers; // J
} booked;

typedef struct book_context {
    cairn_world *world;
    const vec3 *end_spins; // of v_end
    booked *chunks;
} book_context;

/// Whether the velocity of one of two bodies is prescribed, or that of images.
static bool is_driven(const cairn_world *world, const int body[2])
{
    return world->state.cell.any || world->model.bodies.rows[body[0]].kind == CAIRN_MOVING ||
           world->model.bodies.rows[body[1]].kind == CAIRN_MOVING;
}

/// Work on bodies whose velocity is prescribed, which their drivers deliver, and that of the cell.
/// @param after  motion of the pair after the impulses
static double driver_work(const cairn_world *world, int i, const pair_motion *after)
{
    const eng_contacts *c = &world->contacts.set;
    const int *body = c->body[i];
    pair_motion of_pair;
    const pair_motion *motion = &of_pair;
    find_motion(world, body, (const double(*)[6])world->state.bodies.v, world->scratch.spins,
                &of_pair);
    double work = 0.0;
    // the strain of the cell drives images
    if (world->state.cell.any)
        work -= vec3_dot(mat3_apply_transposed(&c->frame[i], vec3_from(c->R[i])), motion->drift);
    for (int side = 0; side < 2; side++) {
        if (world->model.bodies.rows[c->body[i][side]].kind != CAIRN_MOVING)
            continue;
        vec3 impulse = mat3_apply_transposed(&c->frame[i], vec3_from(c->R[i]));
        // the mean: a motion may have another velocity in the second half of the step
        vec3 velocity = vec3_scale(0.5, vec3_add(velocity_at(motion, side, c->point[i]),
                                                 velocity_at(after, side, c->point[i])));
        vec3 omega = vec3_scale(0.5, vec3_add(motion->omega[side], after->omega[side]));
        if (side == 1)
            velocity = vec3_sub(velocity, motion->drift);
        work += (side == 0 ? 1.0 : -1.0) * vec3_dot(impulse, velocity) -
                vec3_dot(vec3_from(c->couple[i] + 3 * side), omega);
    }
    return work;
}

/// Whether a contact was closed before the world's first step: what it stores was given.
static bool was_there(const cairn_world *world, int i)
{
    const eng_contacts *c = &world->contacts.set;
    return world->state.clock.step_count == 0 &&
           c->gap[i] - 0.5 * world->state.clock.step * c->V[i][0] <= 0.0;
}

/// Whether a contact was closed when one of its bodies was put there, after the first step.
static bool has_arrived(const cairn_world *world, int i)
{
    const eng_contacts *c = &world->contacts.set;
    if (world->model.bodies.arrival_count == 0 || c->fresh[i] == 0)
        return false;
    const int *body = c->body[i];
    return c->gap[i] - 0.5 * world->state.clock.step * c->V[i][0] <= 0.0 &&
           (world->model.bodies.rows[body[0]].arrived || world->model.bodies.rows[body[1]].arrived);
}

/// @param motion  with the angular velocities of the pair
static inline void book_contact(cairn_world *world, int i, const pair_motion *after,
                                con_contact_motion *motion, booked *sum)
{
    eng_contacts *c = &world->contacts.set;
    memcpy(motion->V, c->V[i], sizeof motion->V);
    vec3_store(motion->U, relative_velocity(after, &c->frame[i], c->point[i]));
    memcpy(c->U[i], motion->U, sizeof motion->U);
    con_contact_energy part =
        con_impulse_book(&world->scratch.explicit_outputs[i - c->cone_count], motion);
    c->releasable[i] = part.releasable;
    c->elastic[i] = part.elastic;
    sum->elastic += part.elastic;
    if (was_there(world, i))
        sum->start += part.start;
    if (has_arrived(world, i))
        sum->population += part.start;
    sum->friction += part.friction;
    sum->damping += part.damping;
    sum->plastic += part.plastic;
}

static void book_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const book_context *context = argument;
    cairn_world *world = context->world;
    const eng_contacts *c = &world->contacts.set;
    booked sum = {0};
    pair_motion after = {0};
    con_contact_motion motion = {0};
    bool driven = false;
    for (int i = c->cone_count + begin, pair = -1; i < c->cone_count + end; i++) {
        const int *body = c->body[i];
        if (c->pair[i] != pair) {
            pair = c->pair[i];
            find_motion(world, body, (const double(*)[6])world->state.bodies.v_end,
                        context->end_spins, &after);
            driven = is_driven(world, body);
            for (int side = 0; side < 2; side++) {
                motion.omega[side] = world->scratch.spins[body[side]];
                motion.omega_end[side] = after.omega[side];
            }
        }
        book_contact(world, i, &after, &motion, &sum);
        if (driven)
            sum.drivers += driver_work(world, i, &after);
    }
    context->chunks[chunk] = sum;
}

cairn_status eng_explicit_book(cairn_world *world)
{
    int count = world->contacts.set.count - world->contacts.set.cone_count;
    int chunks = base_chunk_count(count, CONTACT_CHUNK);
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    book_context context = {
        .world = world, .chunks = base_arena_array(world->scratch.arena, booked, "audit", chunks)};
    if (count > 0)
        context.end_spins = find_spins(world, (const double(*)[6])world->state.bodies.v_end);
    if (context.chunks == NULL || (count > 0 && context.end_spins == NULL))
        return CAIRN_ERROR_MEMORY;
    base_parallel_for(world->model.workers, count, CONTACT_CHUNK, book_chunk, &context);
    cairn_energy *e = &world->state.audit.energy;
    e->elastic = 0.0;
    for (int k = 0; k < chunks; k++) {
        const booked *sum = &context.chunks[k];
        e->elastic += sum->elastic;
        e->friction += sum->friction;
        e->damping += sum->damping;
        e->plastic += sum->plastic;
        e->drivers += sum->drivers;
        e->population += sum->population;
        world->state.audit.start += sum->start;
    }
    base_arena_rewind(world->scratch.arena, mark);
    return CAIRN_OK;
}
