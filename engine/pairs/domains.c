// SPDX-License-Identifier: Apache-2.0
// Domains of the implicit problem: bodies cut in halves by upright planes, theory.md (6.6). A
// function of the bodies' places and contacts alone.
#include "engine/pairs/domains.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <math.h>
#include <string.h>

// contacts from which there are 2, 4, 8 domains
static const int contacts_for[CON_DOMAIN_LEVELS_MAX] = {4000, 8000, 32000};

enum { BINS = 1024, DIRECTIONS_MAX = 4 };

/// Bodies of a domain that may be cut, [begin, end) of the list.
typedef struct part {
    const cairn_world *world;
    const int *weight; // [body_count] contacts of each body
    int *of_body;      // [body_count] out
    int *begin, *end;
} part;

static int levels_for(int contacts)
{
    int levels = 0;
    while (levels < CON_DOMAIN_LEVELS_MAX && contacts >= contacts_for[levels])
        levels++;
    return levels;
}

/// Normals that a cut may have: across gravity, so that weight is borne within a domain.
static int list_directions(const cairn_world *world, vec3 directions[DIRECTIONS_MAX])
{
    vec3 gravity = vec3_from(world->model.def.gravity);
    if (!(vec3_norm(gravity) > 0.0)) {
        directions[0] = vec3_make(1.0, 0.0, 0.0);
        directions[1] = vec3_make(0.0, 1.0, 0.0);
        directions[2] = vec3_make(0.0, 0.0, 1.0);
        return 3;
    }
    vec3 a, b;
    vec3_tangents(vec3_scale(1.0 / vec3_norm(gravity), gravity), &a, &b);
    directions[0] = a;
    directions[1] = b;
    directions[2] = vec3_scale(sqrt(0.5), vec3_add(a, b));
    directions[3] = vec3_scale(sqrt(0.5), vec3_sub(a, b));
    return 4;
}

static double coordinate(const part *p, int body, vec3 direction)
{
    return vec3_dot(p->world->state.bodies.q_mid[body].position, direction);
}

static double variance_along(const part *p, vec3 direction)
{
    double weight = 0.0, sum = 0.0, squares = 0.0;
    double origin = coordinate(p, *p->begin, direction);
    for (const int *body = p->begin; body < p->end; body++) {
        double x = coordinate(p, *body, direction) - origin, w = p->weight[*body];
        weight += w;
        sum += w * x;
        squares += w * x * x;
    }
    return squares - sum * sum / weight;
}

/// Along which the bodies lie farthest apart; an earlier one unless a later one is clearly better.
static vec3 longest_direction(const part *p)
{
    vec3 directions[DIRECTIONS_MAX];
    int count = list_directions(p->world, directions), best = 0;
    double most = variance_along(p, directions[0]);
    for (int i = 1; i < count; i++) {
        double variance = variance_along(p, directions[i]);
        if (variance > 1.1 * most) {
            most = variance;
            best = i;
        }
    }
    return directions[best];
}

/// Contacts of the bodies by their place along a direction, in bins whose walls lie on a grid that
/// does not move with the bodies.
typedef struct histogram {
    vec3 direction;
    double width, first; // m; number of the first bin
    double weight[BINS];
    double total;
} histogram;

static int bin_of(const histogram *h, double x)
{
    double bin = floor(x / h->width) - h->first;
    return bin < 0.0 ? 0 : bin > BINS - 1 ? BINS - 1 : (int)bin;
}

/// False where the bodies do not lie apart.
static bool fill_histogram(const part *p, histogram *h)
{
    double low = INFINITY, high = -INFINITY;
    for (const int *body = p->begin; body < p->end; body++) {
        double x = coordinate(p, *body, h->direction);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    if (!(high > low && isfinite(high - low)))
        return false;
    int exponent;
    frexp((high - low) / (BINS - 2), &exponent);
    h->width = ldexp(1.0, exponent);
    h->first = floor(low / h->width);
    if (!(h->width > 0.0 && isfinite(h->first)))
        return false;
    for (const int *body = p->begin; body < p->end; body++) {
        h->weight[bin_of(h, coordinate(p, *body, h->direction))] += p->weight[*body];
        h->total += p->weight[*body];
    }
    return true;
}

/// The wall to cut at: near the half of the contacts, where the fewest lie beside it, so that
/// small motions do not take bodies across.
static int choose_wall(const histogram *h)
{
    const double uneven = 0.01;
    double before = 0.0, nearest = INFINITY, least = INFINITY;
    int half = 1, best = -1;
    for (int wall = 1; wall < BINS; wall++) {
        before += h->weight[wall - 1];
        double off = fabs(before - 0.5 * h->total), beside = h->weight[wall - 1] + h->weight[wall];
        if (off < nearest) {
            nearest = off;
            half = wall;
        }
        if (off <= uneven * h->total && beside < least) {
            least = beside;
            best = wall;
        }
    }
    return best >= 0 ? best : half;
}

/// Sorts the bodies of a part by the side of a wall; returns where the second half begins.
static int *part_at(const part *p, const histogram *h, int wall, int *spare)
{
    int *left = p->begin, *right = spare;
    for (int *body = p->begin; body < p->end; body++)
        if (bin_of(h, coordinate(p, *body, h->direction)) < wall)
            *left++ = *body;
        else
            *right++ = *body;
    memcpy(left, spare, (size_t)(right - spare) * sizeof *spare);
    return left;
}

/// Cuts a part `levels` times; its domains are numbered from `number`.
static void cut_part(const part *p, int levels, int number, int *spare)
{
    if (levels == 0 || p->begin == p->end) {
        for (const int *body = p->begin; body < p->end; body++)
            p->of_body[*body] = number;
        return;
    }
    histogram h = {.direction = longest_direction(p)};
    int *middle = fill_histogram(p, &h) ? part_at(p, &h, choose_wall(&h), spare) : p->end;
    part low = {p->world, p->weight, p->of_body, p->begin, middle};
    part high = {p->world, p->weight, p->of_body, middle, p->end};
    cut_part(&low, levels - 1, number, spare);
    cut_part(&high, levels - 1, number + (1 << (levels - 1)), spare);
}

/// Bodies that can be moved by contacts; those with joints are not cut apart.
/// @param weight  [body_count] -1 for those without a pair
static int list_bodies(const cairn_world *world, const int *weight, int *of_body, int *list)
{
    int count = 0;
    for (int i = 0; i < world->model.bodies.count; i++)
        if (world->model.bodies.rows[i].kind != CAIRN_DYNAMIC)
            of_body[i] = ENG_DOMAIN_ANY;
        else if (eng_extra_of(world, i).joints > 0 || weight[i] < 0)
            of_body[i] = ENG_DOMAIN_ALL;
        else
            list[count++] = i;
    return count;
}

static int body_of(const cairn_world *world, int place, int side)
{
    const eng_pair *pair = &world->contacts.pairs.rows[world->contacts.plan.order[place]];
    return world->contacts.colliders
        .rows[side == 0 ? pair->colliders.first : pair->colliders.second]
        .body;
}

/// Contacts of cone laws, and of each body that has pairs.
static int weigh_bodies(const cairn_world *world, const int *joined, int *weight)
{
    int count = 0;
    for (int i = 0; i < world->model.bodies.count; i++)
        weight[i] = -1;
    for (int place = 0; place < world->contacts.pairs.count; place++) {
        int contacts = place < world->contacts.plan.cone_pairs ? joined[place] : 0;
        for (int side = 0; side < 2; side++) {
            int *of = &weight[body_of(world, place, side)];
            *of = (*of < 0 ? 0 : *of) + contacts;
        }
        count += contacts;
    }
    return count;
}

/// The cut at hand becomes the one before, and its arrays are the next one's.
static void keep_cut(cairn_world *world)
{
    eng_cut spare = world->contacts.cut_before;
    world->contacts.cut_before = world->contacts.cut;
    world->contacts.cut = spare;
    world->contacts.cut.levels = 0;
    world->contacts.cut.body_count = world->model.bodies.count;
}

cairn_status eng_domains_cut(cairn_world *world, const int *joined)
{
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    int bodies = world->model.bodies.count;
    int *weight = base_arena_array(world->scratch.arena, int, "domains", bodies);
    int *list = base_arena_array(world->scratch.arena, int, "bodies of domains", bodies);
    int *spare = base_arena_array(world->scratch.arena, int, "bodies of domains", bodies);
    if (weight == NULL || list == NULL || spare == NULL)
        return CAIRN_ERROR_MEMORY;
    int levels = levels_for(weigh_bodies(world, joined, weight));
    eng_cut *cut = &world->contacts.cut_before; // which is the next one's room
    BASE_TRY(levels > 0 ? base_array_reserve(&world->model.allocator, &cut->of_body,
                                             &cut->body_capacity, bodies)
                        : CAIRN_OK);
    keep_cut(world);
    if (levels > 0) {
        int *of_body = world->contacts.cut.of_body;
        int count = list_bodies(world, weight, of_body, list);
        part all = {world, weight, of_body, list, list + count};
        cut_part(&all, levels, 0, spare);
        world->contacts.cut.levels = levels;
    }
    world->contacts.cut_due = false;
    world->contacts.cut_renewed = true;
    base_arena_rewind(world->scratch.arena, mark);
    return CAIRN_OK;
}

void eng_domains_undo(eng_world_contacts *contacts)
{
    if (!contacts->cut_renewed)
        return;
    eng_cut before = contacts->cut_before;
    contacts->cut_before = contacts->cut;
    contacts->cut = before;
    contacts->cut_due = true;
    contacts->cut_renewed = false;
}

int eng_domains_task(const eng_cut *cut, int body_a, int body_b)
{
    if (cut->levels == 0)
        return 0;
    int last = (2 << cut->levels) - 2;
    if (body_a >= cut->body_count || body_b >= cut->body_count)
        return last;
    int a = cut->of_body[body_a], b = cut->of_body[body_b];
    if (a == ENG_DOMAIN_ALL || b == ENG_DOMAIN_ALL)
        return last;
    if (a == ENG_DOMAIN_ANY)
        a = b;
    if (b == ENG_DOMAIN_ANY)
        b = a;
    return a == ENG_DOMAIN_ANY ? last : con_domains_task(cut->levels, a, b);
}
