// SPDX-License-Identifier: Apache-2.0
// Block 5 of the step: raw contacts become the contacts of this step, matched with those of the
// last.
#include "engine/pairs/covers.h"
#include "engine/pairs/meeting.h"
#include "engine/pairs/sharing.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <string.h>

/// Contact of the last step with the same features, -1 for none.
static int find_before(const eng_contacts *before, const eng_pair *pair, uint64_t key)
{
    for (int i = pair->first; i < pair->first + pair->count; i++)
        if (before->key[i] == key)
            return i;
    return -1;
}

/// Whether a contact that is still open joins the problem: it may close within the step.
/// @param acted  it was closed or bore in the last one
static bool may_close(const cairn_world *world, const eng_pair *pair, const geo_contact *contact,
                      double restitution, bool acted)
{
    int a = world->contacts.colliders.rows[pair->colliders.first].body;
    int b = world->contacts.colliders.rows[pair->colliders.second].body;
    double h = world->state.clock.horizon, moving = 0.0;
    double size =
        real_min(world->model.shapes.rows[world->model.bodies.rows[a].shape]->smallest_size,
                 world->model.shapes.rows[world->model.bodies.rows[b].shape]->smallest_size);
    double still = isfinite(size) ? 1e-3 * size : 0.0;
    if (restitution == 0.0 && contact->gap <= still)
        return true;
    double rate = eng_meeting_rate(world, contact, a, b, &moving);
    // an impact that shall bounce must not be braked before it happens, nor must one that others
    // bring about while bodies still part: leave it to close first. One that acted in the last step
    // goes on to bounce: among many, contacts that open for a step would sink in at every impact of
    // others
    bool goes_on = acted && world->model.def.impact == CAIRN_IMPACT_NEWTON &&
                   (moving > 0.0 || contact->gap + h * moving <= 0.0);
    if (eng_bounces(world, a, b, restitution, moving))
        return goes_on || eng_meeting_is_first(world, pair, contact);
    return contact->gap <= still || contact->gap + h * rate <= 0.0;
}

typedef struct set_context {
    cairn_world *world;
    const eng_contacts *before;
    eng_contacts *now;
    int *joined;         // [pair_count] contacts that join, of each place of the plan
    int *first;          // [pair_count] where they go
    int *explicit_count; // [chunks] those of explicit laws
    int *explicit_first; // [chunks] where they begin
} set_context;

/// Whether a law asks for the reaction of the step before in the frame of now, and a solver for
/// the velocity.
static bool looks_back(const con_law *law)
{
    return law->kind == CON_LAW_CONE || law->uses_previous;
}

/// A contact that was the sphere executor's until this step: what it bore is where a solver starts.
static void take_over(const set_context *context, int made, const eng_spheres_released *released)
{
    const cairn_world *world = context->world;
    eng_contacts *now = context->now;
    memcpy(now->history[made], released->history, sizeof now->history[made]);
    now->fresh[made] = 0;
    if (looks_back(world->model.materials.surfaces[now->surface[made]].law))
        vec3_store(now->R[made], mat3_apply(&now->frame[made],
                                            vec3_scale(world->state.clock.step, released->force)));
}

static void add_contact(const set_context *context, int pair_index, const geo_contact *contact,
                        int surface, int made)
{
    const cairn_world *world = context->world;
    const eng_pair *pair = &world->contacts.pairs.rows[pair_index];
    eng_contacts *now = context->now;
    vec3 t1, t2;
    vec3_tangents(contact->normal, &t1, &t2);
    now->pair[made] = pair_index;
    now->body[made][0] = world->contacts.colliders.rows[pair->colliders.first].body;
    now->body[made][1] = world->contacts.colliders.rows[pair->colliders.second].body;
    now->surface[made] = surface;
    now->key[made] = contact->key;
    now->gap[made] = contact->gap;
    now->frame[made] = mat3_from_rows(contact->normal, t1, t2);
    now->point[made] = contact->point;
    now->meets[made] = contact->ahead;
    now->ahead[made] = contact->ahead > 0.0 ? eng_meeting_ahead(world, now->body[made][0],
                                                                now->body[made][1], contact->ahead)
                                            : (vec3){0.0, 0.0, 0.0};
    int old = find_before(context->before, pair, contact->key);
    eng_contact_carry(now, made, context->before, old);
    if (old >= 0 && looks_back(world->model.materials.surfaces[surface].law))
        eng_contact_turn(now, made, context->before, old);
    const eng_spheres_released *released =
        old < 0 ? eng_spheres_released_of(world, pair->colliders, contact->key) : NULL;
    if (released != NULL)
        take_over(context, made, released);
    if (old >= 0)
        context->before->releasable[old] = 0.0;
}

/// Bodies that a scene sets against each other touch up to round-off: in the first step laws that
/// bond see contacts that are open by a hair's breadth too.
static bool touches_at_start(const cairn_world *world, const eng_pair *pair, double gap)
{
    double size = fmin(world->contacts.colliders.rows[pair->colliders.first].shape->smallest_size,
                       world->contacts.colliders.rows[pair->colliders.second].shape->smallest_size);
    return world->state.clock.step_count == 0 && isfinite(size) && gap <= 1e-5 * size;
}

/// Whether a contact of an impulse law acts: it is closed, or bonded since it was.
static bool acts(const set_context *context, const eng_pair *pair, const geo_contact *contact,
                 const eng_surface *surface)
{
    if (contact->gap <= 0.0)
        return true;
    if (surface->law->bonded == NULL)
        return false;
    if (touches_at_start(context->world, pair, contact->gap))
        return true;
    int old = find_before(context->before, pair, contact->key);
    return old >= 0 && surface->law->bonded(surface->parameters, context->before->history[old]);
}

/// Whether a raw contact joins the contacts of this step.
static bool joins(const set_context *context, const eng_pair *pair, const geo_contact *contact,
                  const eng_surface *surface)
{
    const cairn_world *world = context->world;
    if (surface->law->kind == CON_LAW_IMPULSE)
        return acts(context, pair, contact, surface);
    if ((contact->gap <= 0.0 && !(contact->ahead > 0.0)) || world->scratch.aims == NULL)
        return true;
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    int old = find_before(context->before, pair, contact->key);
    bool acted = old >= 0 && (context->before->gap[old] <= 0.0 ||
                              eng_contact_bore(world, context->before, old));
    return may_close(world, pair, contact, terms.restitution, acted);
}

static bool was_found(const geo_contact *contacts, int count, uint64_t key)
{
    for (int i = 0; i < count; i++)
        if (contacts[i].key == key)
            return true;
    return false;
}

/// The next bonded contact of a pair, from `old` on, that the narrow phase does not report any
/// more; -1 for none.
static int find_bonded(const set_context *context, const eng_pair *pair,
                       const geo_contact *contacts, int count, const eng_surface *surface, int old)
{
    const eng_contacts *before = context->before;
    if (surface->law->bonded == NULL)
        return -1;
    for (; old < pair->first + pair->count; old++)
        if (!was_found(contacts, count, before->key[old]) &&
            surface->law->bonded(surface->parameters, before->history[old]))
            return old;
    return -1;
}

/// Bonded contacts out of the narrow phase's sight: the gap has grown by their velocity, the point
/// has gone with body A.
static geo_contact extrapolate(const set_context *context, int old)
{
    const cairn_world *world = context->world;
    const eng_contacts *before = context->before;
    double h = world->state.clock.step;
    int a = before->body[old][0];
    vec3 velocity = eng_point_velocity(world->state.bodies.v[a], &world->state.bodies.q_mid[a],
                                       before->point[old]);
    return (geo_contact){
        .gap = before->gap[old] + h * before->U[old][0],
        .normal = mat3_row(&before->frame[old], 0),
        .point = vec3_add_scaled(before->point[old], h, velocity),
        .key = before->key[old],
    };
}

/// Surface of the pair at a place of the plan.
static int surface_at(const cairn_world *world, int place)
{
    return world->contacts.plan.batches[world->contacts.plan.batch[place]].surface;
}

/// Raw contacts that join move to the front of their chunk's manifold, and are counted together
/// with bonded ones.
static void select_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const set_context *context = argument;
    cairn_world *world = context->world;
    geo_contact *contacts = world->contacts.narrow.manifolds[chunk].contacts;
    int read = 0, kept = 0;
    context->explicit_count[chunk] = 0;
    memset(context->joined + begin, 0, (size_t)(end - begin) * sizeof *context->joined);
    for (int k = 0; k < world->contacts.narrow.taken.busy_count[chunk]; k++) {
        int place = world->contacts.narrow.taken.busy[begin + k];
        if (!eng_sharing_finds(world, place))
            continue;
        const eng_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[place]];
        int raw = world->contacts.narrow.raw_count[place], first = kept,
            *joined = &context->joined[place];
        const eng_surface *surface = &world->model.materials.surfaces[surface_at(world, place)];
        for (int end_of_pair = read + raw; read < end_of_pair; read++) {
            if (!joins(context, pair, &contacts[read], surface))
                continue;
            if (kept != read)
                contacts[kept] = contacts[read];
            kept++;
        }
        world->contacts.narrow.raw_count[place] = *joined = kept - first;
        const geo_contact *own = kept > first ? contacts + first : NULL;
        for (int old = pair->first;
             (old = find_bonded(context, pair, own, kept - first, surface, old)) >= 0; old++)
            ++*joined;
        context->explicit_count[chunk] += place >= world->contacts.plan.cone_pairs ? *joined : 0;
    }
}

/// Writes the contacts of the pair at a place where they belong.
static void fill_pair(const set_context *context, int place, const geo_contact *contacts, int raw)
{
    cairn_world *world = context->world;
    int index = world->contacts.plan.order[place], surface = surface_at(world, place);
    const eng_pair *pair = &world->contacts.pairs.rows[index];
    int made = context->first[place];
    for (int k = 0; k < raw; k++)
        add_contact(context, index, &contacts[k], surface, made++);
    for (int old = pair->first;
         (old = find_bonded(context, pair, contacts, raw, &world->model.materials.surfaces[surface],
                            old)) >= 0;
         old++) {
        geo_contact kept = extrapolate(context, old);
        add_contact(context, index, &kept, surface, made++);
    }
}

/// The contacts of the pair at a place: found here, or come from another process.
static void take_pair(const set_context *context, int place, const geo_contact *contacts)
{
    const eng_sharing *sharing = context->world->state.sharing;
    bool active = eng_sharing_is_active(context->world);
    if (active && sharing->moved_first != NULL && sharing->moved_first[place] >= 0)
        fill_pair(context, place, sharing->moved + sharing->moved_first[place],
                  context->joined[place]);
    else
        fill_pair(context, place, contacts, context->world->contacts.narrow.raw_count[place]);
}

/// The first explicit batch whose places begin at a place or behind it.
static int first_batch(const eng_plan *plan, int place)
{
    int batch = place < plan->cone_pairs ? plan->cone_batches : plan->batch[place];
    return place < plan->cone_pairs || plan->batches[batch].first_place == place ? batch
                                                                                 : batch + 1;
}

/// The contacts of batches whose places begin before a place begin with `next`; the batch after.
static int begin_batches(const eng_plan *plan, int batch, int place, int next)
{
    for (; batch < plan->batch_count && plan->batches[batch].first_place < place; batch++)
        plan->batches[batch].first = next;
    return batch;
}

static void fill_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const set_context *context = argument;
    cairn_world *world = context->world;
    eng_plan *plan = &world->contacts.plan;
    const geo_contact *contacts = world->contacts.narrow.manifolds[chunk].contacts;
    int next = context->explicit_first[chunk], batch = first_batch(plan, begin);
    for (int k = 0; k < world->contacts.narrow.taken.busy_count[chunk]; k++) {
        int place = world->contacts.narrow.taken.busy[begin + k];
        eng_pair *pair = &world->contacts.pairs.rows[plan->order[place]];
        batch = begin_batches(plan, batch, place + 1, next);
        if (place >= plan->cone_pairs) {
            context->first[place] = next;
            next += context->joined[place];
        }
        bool has = context->joined[place] > 0 && eng_sharing_has(world, place);
        if (has) {
            take_pair(context, place, contacts);
            pair->first = context->first[place];
        }
        if (world->contacts.narrow.raw_count[place] > 0)
            contacts += world->contacts.narrow.raw_count[place];
        // for the matching of the next step
        pair->count = has ? context->joined[place] : 0;
    }
    begin_batches(plan, batch, end, next);
}

// ---------------------------------------------------------------- places of contacts

static int task_of(const cairn_world *world, int place)
{
    const eng_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[place]];
    return eng_domains_task(&world->contacts.cut,
                            world->contacts.colliders.rows[pair->colliders.first].body,
                            world->contacts.colliders.rows[pair->colliders.second].body);
}

/// Where the contacts of pairs of cone laws go: task by task, in the order of the pairs within one.
/// Of tasks that other processes hold it is known how many contacts they have, and no more.
static void place_cones(const set_context *context)
{
    cairn_world *world = context->world;
    int next[CON_DOMAIN_TASKS_MAX + 1] = {0}, tasks = (2 << world->contacts.cut.levels) - 1;
    for (int i = 0; i < world->contacts.plan.cone_pairs; i++)
        if (context->joined[i] > 0) {
            int task = task_of(world, i);
            context->first[i] = task;
            next[task + 1] += context->joined[i];
        }
    world->contacts.domains =
        (con_domains){.levels = world->contacts.cut.levels,
                      .workers = world->model.workers,
                      .team = eng_sharing_is_active(world) ? &world->state.sharing->team : NULL};
    con_domains_tasks_sum(&world->contacts.domains, (con_rows){next + 1, sizeof *next});
    for (int task = 0; task < tasks; task++)
        next[task + 1] += next[task];
    memcpy(world->contacts.domains.start, next, (size_t)(tasks + 1) * sizeof *next);
    world->contacts.set.cone_count = next[tasks];
    for (int i = 0; i < world->contacts.plan.cone_pairs; i++)
        if (context->joined[i] > 0) {
            int task = context->first[i];
            context->first[i] = next[task];
            next[task] += context->joined[i];
        }
}

/// Sorts the contacts of cone laws by domains, where there are so many that it is worth it.
static cairn_status find_cone_places(const set_context *context)
{
    cairn_world *world = context->world;
    cairn_status status = CAIRN_OK;
    world->contacts.cut_renewed = false;
    if (world->contacts.cut_due || world->contacts.cut.body_count != world->model.bodies.count) {
        eng_sharing_count(world, context->joined);
        status = eng_domains_cut(world, context->joined);
        if (status == CAIRN_OK)
            status = eng_sharing_recut(world, context->joined);
    }
    if (status == CAIRN_OK)
        place_cones(context);
    return status;
}

/// Contacts of explicit laws follow in the order of the plan; all of them are counted.
static void place_explicit(const set_context *context, int chunks)
{
    eng_contacts *c = &context->world->contacts.set;
    c->count = c->cone_count;
    for (int chunk = 0; chunk < chunks; chunk++) {
        context->explicit_first[chunk] = c->count;
        c->count += context->explicit_count[chunk];
    }
}

/// The contacts of a batch end where those of the next begin.
static void close_batches(eng_world_contacts *contacts)
{
    eng_plan *plan = &contacts->plan;
    int end = contacts->set.count;
    for (int i = plan->batch_count - 1; i >= plan->cone_batches; i--) {
        plan->batches[i].count = end - plan->batches[i].first;
        end = plan->batches[i].first;
    }
}

/// The springs of contacts that opened let go of what they held along the surface.
static void book_releasable(cairn_world *world)
{
    const eng_contacts *before = &world->contacts.before;
    for (int i = before->cone_count; i < before->count; i++)
        world->state.audit.energy.friction += before->releasable[i];
}

/// Contacts that other processes have name what there is, until their rows are sent.
static void clear_names(const cairn_world *world)
{
    const eng_contacts *c = &world->contacts.set;
    size_t count = (size_t)c->count;
    if (!eng_sharing_is_active(world) || count == 0)
        return;
    memset(c->pair, 0, count * sizeof *c->pair);
    memset(c->body, 0, count * sizeof *c->body);
    memset(c->surface, 0, count * sizeof *c->surface);
}

cairn_status eng_block_contact_set(cairn_world *world)
{
    int pairs = world->contacts.pairs.count, chunks = base_chunk_count(pairs, ENG_PAIR_CHUNK);
    base_arena *arena = world->scratch.arena;
    set_context context = {
        .world = world,
        .before = &world->contacts.before,
        .now = &world->contacts.set,
        .joined = base_arena_array(arena, int, "contact set", pairs),
        .first = base_arena_array(arena, int, "contact set", pairs),
        .explicit_count = base_arena_array(arena, int, "contact set", chunks),
        .explicit_first = base_arena_array(arena, int, "contact set", chunks),
    };
    if (context.joined == NULL || context.first == NULL || context.explicit_count == NULL ||
        context.explicit_first == NULL)
        return CAIRN_ERROR_MEMORY;
    world->contacts.narrow.taken.first = context.first;
    world->contacts.narrow.taken.count = context.joined;
    eng_contacts spare = world->contacts.before;
    world->contacts.before = world->contacts.set;
    world->contacts.set = spare;
    world->contacts.set.count = world->contacts.set.cone_count = 0;
    BASE_TRY(eng_covers_drop(world));
    base_parallel_for(world->model.workers, pairs, ENG_PAIR_CHUNK, select_chunk, &context);
    cairn_status status = find_cone_places(&context);
    if (status == CAIRN_OK) {
        place_explicit(&context, chunks);
        status = eng_contacts_reserve(&world->model.allocator, &world->contacts.set,
                                      world->contacts.set.count);
    }
    if (status != CAIRN_OK) {
        world->contacts.set.count = world->contacts.set.cone_count = 0;
        return status;
    }
    clear_names(world);
    base_parallel_for(world->model.workers, pairs, ENG_PAIR_CHUNK, fill_chunk, &context);
    close_batches(&world->contacts);
    book_releasable(world);
    world->report.step.contacts = world->contacts.set.count;
    return CAIRN_OK;
}
