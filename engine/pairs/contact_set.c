// SPDX-License-Identifier: Apache-2.0
// Block 5 of the step: raw contacts become the contacts of this step, matched with those of the
// last.
#include "engine/passes/domains.h"

#include <string.h>

/// Contact of the last step with the same features, -1 for none.
static int find_before(const eng_contacts *before, const eng_pair *pair, uint64_t key)
{
    for (int i = pair->first; i < pair->first + pair->count; i++)
        if (before->key[i] == key)
            return i;
    return -1;
}

/// Rate at which a gap may shrink within the step, m/s, negative for closing: as the bodies move,
/// as they move freely, and as they would if a chain of other contacts stopped one of them.
static double closing_rate(const cairn_world *world, const geo_contact *contact, int a, int b,
                           double *as_they_move)
{
    double rate = 0.0;
    for (int free = 0; free < 2; free++) {
        const double(*v)[6] = (const double(*)[6])(free ? world->v_free : world->v);
        vec3 va = eng_point_velocity(v[a], &world->q_mid[a], contact->point);
        vec3 vb = eng_point_velocity(v[b], &world->q_mid[b], contact->point);
        double na = vec3_dot(contact->normal, va), nb = vec3_dot(contact->normal, vb);
        if (!free)
            *as_they_move = nb - na;
        rate = fmin(rate, fmin(nb - na, fmin(nb, -na)));
    }
    return rate;
}

/// Whether a contact that is still open joins the problem: it may close within the step.
static bool may_close(const cairn_world *world, const geo_contact *contact, int a, int b,
                      double restitution)
{
    double h = world->def.time_step, moving = 0.0;
    double rate = closing_rate(world, contact, a, b, &moving);
    // an impact that shall bounce must not be braked before it happens: leave it to close first
    double gravity = vec3_norm(vec3_from(world->def.gravity));
    if (restitution > 0.0 && moving < -4.0 * h * gravity)
        return false;
    double size = fmin(world->shapes[world->bodies[a].shape]->smallest_size,
                       world->shapes[world->bodies[b].shape]->smallest_size);
    double still = isfinite(size) ? 1e-3 * size : 0.0;
    return contact->gap <= still || contact->gap + h * rate <= 0.0;
}

typedef struct set_context {
    cairn_world *world;
    const eng_contacts *before;
    eng_contacts *now;
    int *joined; // [pair_count] contacts of each pair that join
    int *first;  // [pair_count] where they go
} set_context;

static void add_contact(const set_context *context, int pair_index, const geo_contact *contact,
                        int surface, int made)
{
    const cairn_world *world = context->world;
    const eng_pair *pair = &world->pairs[pair_index];
    eng_contacts *now = context->now;
    vec3 t1, t2;
    vec3_tangents(contact->normal, &t1, &t2);
    now->pair[made] = pair_index;
    now->body[made][0] = world->colliders[pair->colliders.first].body;
    now->body[made][1] = world->colliders[pair->colliders.second].body;
    now->surface[made] = surface;
    now->key[made] = contact->key;
    now->gap[made] = contact->gap;
    now->frame[made] = mat3_from_rows(contact->normal, t1, t2);
    now->point[made] = contact->point;
    int old = find_before(context->before, pair, contact->key);
    eng_contact_carry(now, made, context->before, old);
    if (old >= 0)
        context->before->loose[old] = 0.0;
}

/// Bodies that a scene sets against each other touch up to round-off: in the first step laws that
/// bond see contacts that are open by a hair's breadth too.
static bool touches_at_start(const cairn_world *world, const eng_pair *pair, double gap)
{
    double size = fmin(world->colliders[pair->colliders.first].shape->smallest_size,
                       world->colliders[pair->colliders.second].shape->smallest_size);
    return world->step_count == 0 && isfinite(size) && gap <= 1e-5 * size;
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
    if (contact->gap <= 0.0 || !world->def.margin)
        return true;
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    int a = world->colliders[pair->colliders.first].body;
    int b = world->colliders[pair->colliders.second].body;
    return may_close(world, contact, a, b, terms.restitution);
}

static const eng_surface *surface_of_pair(const cairn_world *world, const eng_pair *pair)
{
    return eng_surface_of(world, world->colliders[pair->colliders.first].body,
                          world->colliders[pair->colliders.second].body);
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
    double h = world->def.time_step;
    int a = before->body[old][0];
    vec3 velocity = eng_point_velocity(world->v[a], &world->q_mid[a], before->point[old]);
    return (geo_contact){
        .gap = before->gap[old] + h * before->U[old][0],
        .normal = mat3_row(&before->frame[old], 0),
        .point = vec3_add_scaled(before->point[old], h, velocity),
        .key = before->key[old],
    };
}

/// Raw contacts that join move to the front of their chunk's manifold, and are counted together
/// with bonded ones.
static void select_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const set_context *context = argument;
    cairn_world *world = context->world;
    geo_contact *contacts = world->manifolds[chunk].contacts;
    int read = 0, kept = 0;
    for (int i = begin; i < end; i++) {
        const eng_pair *pair = &world->pairs[i];
        int raw = world->raw_count[i], first = kept;
        context->joined[i] = world->raw_count[i] = 0;
        if (raw == 0 && pair->count == 0)
            continue;
        const eng_surface *surface = surface_of_pair(world, pair);
        for (int k = 0; k < raw; k++, read++)
            if (joins(context, pair, &contacts[read], surface))
                contacts[kept++] = contacts[read];
        world->raw_count[i] = context->joined[i] = kept - first;
        for (int old = pair->first;
             (old = find_bonded(context, pair, contacts + first, kept - first, surface, old)) >= 0;
             old++)
            context->joined[i]++;
    }
}

/// Writes the contacts of a pair where they belong.
static void fill_pair(const set_context *context, int pair_index, const geo_contact *contacts)
{
    cairn_world *world = context->world;
    const eng_pair *pair = &world->pairs[pair_index];
    const eng_surface *surface = surface_of_pair(world, pair);
    int index = (int)(surface - world->surfaces), raw = world->raw_count[pair_index];
    int made = context->first[pair_index];
    for (int k = 0; k < raw; k++)
        add_contact(context, pair_index, &contacts[k], index, made++);
    for (int old = pair->first;
         (old = find_bonded(context, pair, contacts, raw, surface, old)) >= 0; old++) {
        geo_contact kept = extrapolate(context, old);
        add_contact(context, pair_index, &kept, index, made++);
    }
}

static void fill_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const set_context *context = argument;
    cairn_world *world = context->world;
    const geo_contact *contacts = world->manifolds[chunk].contacts;
    for (int i = begin; i < end; i++) {
        eng_pair *pair = &world->pairs[i];
        if (context->joined[i] > 0) {
            fill_pair(context, i, contacts);
            contacts += world->raw_count[i];
            pair->first = context->first[i];
        }
        // for the matching of the next step
        pair->count = context->joined[i];
    }
}

/// Contacts of cone laws, and of each body.
static int weigh_bodies(const set_context *context, eng_domains *domains)
{
    const cairn_world *world = context->world;
    int count = 0;
    for (int i = 0; i < world->pair_count; i++) {
        const eng_pair *pair = &world->pairs[i];
        if (context->joined[i] == 0 || surface_of_pair(world, pair)->law->kind != CON_LAW_CONE)
            continue;
        count += context->joined[i];
        domains->weight[world->colliders[pair->colliders.first].body] += context->joined[i];
        domains->weight[world->colliders[pair->colliders.second].body] += context->joined[i];
    }
    return count;
}

/// Place of a pair's contacts in the order of the set: those of cone laws task by task, then those
/// of the others.
static int place_of_pair(const cairn_world *world, const eng_domains *domains, const eng_pair *pair)
{
    if (surface_of_pair(world, pair)->law->kind != CON_LAW_CONE)
        return (2 << domains->levels) - 1;
    return eng_domains_task(domains, world->colliders[pair->colliders.first].body,
                            world->colliders[pair->colliders.second].body);
}

/// Where the contacts of each pair go, in the order of the pairs within a task.
static void place_pairs(const set_context *context, const eng_domains *domains)
{
    cairn_world *world = context->world;
    int next[CON_DOMAIN_TASKS_MAX + 1] = {0}, tasks = (2 << domains->levels) - 1;
    for (int i = 0; i < world->pair_count; i++)
        if (context->joined[i] > 0) {
            context->first[i] = place_of_pair(world, domains, &world->pairs[i]);
            next[context->first[i] + 1] += context->joined[i];
        }
    for (int task = 0; task <= tasks; task++)
        next[task + 1] += next[task];
    world->domains = (con_domains){.levels = domains->levels, .workers = world->workers};
    memcpy(world->domains.start, next, (size_t)(tasks + 1) * sizeof *next);
    world->contacts.cone_count = next[tasks];
    world->contacts.count = next[tasks + 1];
    for (int i = 0; i < world->pair_count; i++)
        if (context->joined[i] > 0) {
            int place = context->first[i];
            context->first[i] = next[place];
            next[place] += context->joined[i];
        }
}

/// Sorts the pairs' contacts by domains, where there are so many that it is worth it.
static cairn_status find_places(const set_context *context)
{
    cairn_world *world = context->world;
    size_t bodies = (size_t)world->body_count;
    eng_domains domains = {.weight = base_arena_array(world->arena, int, "domains", bodies),
                           .of_body = base_arena_array(world->arena, int, "domains", bodies)};
    if (domains.weight == NULL || domains.of_body == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(domains.weight, 0, bodies * sizeof *domains.weight);
    domains.levels = eng_domain_levels(weigh_bodies(context, &domains));
    cairn_status status = domains.levels > 0 ? eng_domains_cut(world, &domains) : CAIRN_OK;
    if (status == CAIRN_OK)
        place_pairs(context, &domains);
    return status;
}

/// The springs of contacts that opened let go of what they held along the surface.
static void book_loose(cairn_world *world)
{
    const eng_contacts *before = &world->contacts_before;
    for (int i = before->cone_count; i < before->count; i++)
        world->energy.friction += before->loose[i];
}

cairn_status eng_block_contact_set(cairn_world *world)
{
    int pairs = world->pair_count;
    set_context context = {.world = world,
                           .before = &world->contacts_before,
                           .now = &world->contacts,
                           .joined = base_arena_array(world->arena, int, "contact set", pairs),
                           .first = base_arena_array(world->arena, int, "contact set", pairs)};
    if (context.joined == NULL || context.first == NULL)
        return CAIRN_ERROR_MEMORY;
    eng_contacts spare = world->contacts_before;
    world->contacts_before = world->contacts;
    world->contacts = spare;
    world->contacts.count = world->contacts.cone_count = 0;
    base_parallel_for(world->workers, pairs, ENG_PAIR_CHUNK, select_chunk, &context);
    cairn_status status = find_places(&context);
    if (status == CAIRN_OK)
        status = eng_contacts_reserve(&world->allocator, &world->contacts, world->contacts.count);
    if (status != CAIRN_OK) {
        world->contacts.count = world->contacts.cone_count = 0;
        return status;
    }
    base_parallel_for(world->workers, pairs, ENG_PAIR_CHUNK, fill_chunk, &context);
    book_loose(world);
    world->report.contacts = world->contacts.count;
    return CAIRN_OK;
}
