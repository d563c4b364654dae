// SPDX-License-Identifier: Apache-2.0
// Block 5 of the step: raw contacts become the contacts of this step, matched with those of the
// last.
#include "engine/world.h"

#include <string.h>

cairn_status eng_contacts_reserve(const base_allocator *allocator, eng_contacts *c, int needed)
{
    if (needed <= c->capacity)
        return CAIRN_OK;
    int cap[13];
    for (int i = 0; i < 13; i++)
        cap[i] = c->capacity;
    cairn_status status;
    if ((status = base_array_reserve(allocator, &c->pair, &cap[0], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->body, &cap[1], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->surface, &cap[2], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->key, &cap[3], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->gap, &cap[4], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->frame, &cap[5], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->point, &cap[6], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->fresh, &cap[7], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->V, &cap[8], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->R, &cap[9], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->U, &cap[10], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->loose, &cap[11], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->couple, &cap[12], needed)) != CAIRN_OK ||
        (status = base_array_reserve(allocator, &c->history, &c->capacity, needed)) != CAIRN_OK)
        return status;
    return CAIRN_OK;
}

void eng_contacts_release(const base_allocator *allocator, eng_contacts *c)
{
    void *blocks[] = {c->pair,  c->body, c->surface, c->key,     c->gap, c->frame, c->point,
                      c->fresh, c->V,    c->R,       c->history, c->U,   c->loose, c->couple};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        base_release(allocator, blocks[i]);
}

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
    eng_contacts *before;
    eng_contacts *now;
    con_law_kind kind; // of this pass
} set_context;

/// Takes over reaction and history of the same contact in the last step; the reaction is turned
/// with the contact's frame.
static void carry_over(const set_context *context, const eng_pair *pair, int made)
{
    eng_contacts *before = context->before;
    eng_contacts *now = context->now;
    int old = find_before(before, pair, now->key[made]);
    now->fresh[made] = old < 0;
    now->loose[made] = 0.0;
    memset(now->R[made], 0, sizeof now->R[made]);
    memset(now->couple[made], 0, sizeof now->couple[made]);
    memset(now->history[made], 0, sizeof now->history[made]);
    if (old < 0)
        return;
    before->loose[old] = 0.0;
    memcpy(now->history[made], before->history[old], sizeof now->history[made]);
    vec3 reaction = mat3_apply_transposed(&before->frame[old], vec3_from(before->R[old]));
    vec3_store(now->R[made], mat3_apply(&now->frame[made], reaction));
}

static void add_contact(const set_context *context, int pair_index, const eng_pair *pair,
                        const geo_contact *contact, int surface)
{
    const cairn_world *world = context->world;
    eng_contacts *now = context->now;
    int made = now->count++;
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
    carry_over(context, pair, made);
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

static bool was_found(const geo_contact *contacts, int count, uint64_t key)
{
    for (int i = 0; i < count; i++)
        if (contacts[i].key == key)
            return true;
    return false;
}

/// Bonded contacts that the narrow phase does not report any more: the gap has grown by their
/// velocity, the point has gone with body A.
static void add_bonded(const set_context *context, int pair_index, const geo_contact *contacts,
                       int count, int surface)
{
    cairn_world *world = context->world;
    const eng_pair *pair = &world->pairs[pair_index];
    const eng_surface *terms = &world->surfaces[surface];
    const eng_contacts *before = context->before;
    if (terms->law->bonded == NULL)
        return;
    double h = world->def.time_step;
    for (int old = pair->first; old < pair->first + pair->count; old++) {
        if (was_found(contacts, count, before->key[old]) ||
            !terms->law->bonded(terms->parameters, before->history[old]))
            continue;
        int a = before->body[old][0];
        vec3 velocity = eng_point_velocity(world->v[a], &world->q_mid[a], before->point[old]);
        geo_contact kept = {
            .gap = before->gap[old] + h * before->U[old][0],
            .normal = mat3_row(&before->frame[old], 0),
            .point = vec3_add_scaled(before->point[old], h, velocity),
            .key = before->key[old],
        };
        add_contact(context, pair_index, pair, &kept, surface);
    }
}

/// Contacts of one kind of law, in the order of the pairs.
static void add_pass(const set_context *context)
{
    const cairn_world *world = context->world;
    int chunk = -1, raw = 0;
    for (int i = 0; i < world->pair_count; i++) {
        if (eng_manifold_chunk(i) != chunk) {
            chunk = eng_manifold_chunk(i);
            raw = 0;
        }
        const eng_pair *pair = &world->pairs[i];
        const geo_contact *contacts = world->manifolds[chunk].contacts + raw;
        raw += world->raw_count[i];
        if (world->raw_count[i] == 0 && pair->count == 0)
            continue;
        int a = world->colliders[pair->colliders.first].body;
        int b = world->colliders[pair->colliders.second].body;
        const eng_surface *surface = eng_surface_of(world, a, b);
        if (surface->law->kind != context->kind)
            continue;
        int index = (int)(surface - world->surfaces);
        for (int k = 0; k < world->raw_count[i]; k++)
            if (joins(context, pair, &contacts[k], surface))
                add_contact(context, i, pair, &contacts[k], index);
        add_bonded(context, i, contacts, world->raw_count[i], index);
    }
}

/// The springs of contacts that opened let go of what they held along the surface.
static void book_loose(cairn_world *world)
{
    const eng_contacts *before = &world->contacts_before;
    for (int i = before->cone_count; i < before->count; i++)
        world->energy.friction += before->loose[i];
}

/// Where the contacts of each pair lie, for the matching of the next step. A pair has one law, so
/// its contacts are contiguous.
static void index_pairs(cairn_world *world)
{
    for (int i = 0; i < world->pair_count; i++)
        world->pairs[i].count = 0;
    for (int i = 0; i < world->contacts.count; i++) {
        eng_pair *pair = &world->pairs[world->contacts.pair[i]];
        if (pair->count++ == 0)
            pair->first = i;
    }
}

cairn_status eng_block_contact_set(cairn_world *world)
{
    int most = 0;
    for (int i = 0; i < world->pair_count; i++)
        most += world->raw_count[i] + world->pairs[i].count;
    eng_contacts spare = world->contacts_before;
    world->contacts_before = world->contacts;
    world->contacts = spare;
    world->contacts.count = 0;
    cairn_status status = eng_contacts_reserve(&world->allocator, &world->contacts, most);
    if (status != CAIRN_OK)
        return status;
    set_context context = {world, &world->contacts_before, &world->contacts, CON_LAW_CONE};
    add_pass(&context);
    world->contacts.cone_count = world->contacts.count;
    context.kind = CON_LAW_IMPULSE;
    add_pass(&context);
    book_loose(world);
    index_pairs(world);
    world->report.contacts = world->contacts.count;
    return CAIRN_OK;
}
