// SPDX-License-Identifier: Apache-2.0
// Packings: grains at rest in a region, made all at once.
#include "engine/grains/deposit.h"
#include "engine/grains/mixture.h"
#include "engine/grains/near.h"
#include "engine/grains/relax.h"
#include "engine/measures/finite.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include "base/elementary.h"
#include "base/timer.h"

#include <inttypes.h>
#include <stdlib.h>

#define PACKING_COOKIE UINT32_C(0x0ca1200d)

// what a porosity and a coordination may miss by
static const double tolerance = 0.002;
// of the region, that grains of a coordination without a count would fill at first
static const double grown_share = 0.64;

enum { GRAINS_MAX = 1 << 27, ROUNDS_MAX = 30000 };

cairn_packing_def cairn_default_packing_def(void)
{
    return (cairn_packing_def){.turned = true,
                               .attempts = 1000,
                               .time_limit = INFINITY,
                               .seed = 1,
                               .cookie = PACKING_COOKIE};
}

/// A packing while it is made.
typedef struct packing {
    cairn_world *world;
    const cairn_packing_def *def;
    const char *name;
    eng_mixture mixture;
    double volume; // m3, of the region
    double until;  // s of base_timer_seconds(), when time ends
    eng_grain *grains;
    int count, grain_capacity;
    cairn_body_id *bodies; // made so far
    int body_count, body_capacity;
    double solid;  // m3, of the grains, or of the bodies
    double factor; // of their sizes
    cairn_shape_id shape;
    double shape_radius; // m, of the last sphere that was made for a grown grain
    cairn_packing_view view;
} packing;

static double volume_of(const eng_grain *grain)
{
    return grain->mass / grain->component->def.density;
}

static double porosity_of(const packing *p)
{
    return 1.0 - p->solid / p->volume;
}

static eng_grain draw_grain(const packing *p, int number)
{
    base_rng rng = base_rng_make(p->def->seed + base_hash_mix((uint64_t)number));
    return eng_mixture_draw(&p->mixture, &rng);
}

/// Whether the next grain still belongs to what was asked for.
static bool wants_more(const packing *p, int count, double next)
{
    if (p->def->count > 0)
        return count < p->def->count;
    double target = p->def->porosity > 0.0 ? (1.0 - p->def->porosity) * p->volume : INFINITY;
    return p->solid + 0.5 * next <= target && count < GRAINS_MAX;
}

// ---------------------------------------------------------------- bodies

static cairn_status make_body(packing *p, const eng_grain *grain, cairn_shape_id shape,
                              const cairn_body_def *at, cairn_error *error)
{
    cairn_body_def body = *at;
    cairn_body_id made;
    body.shape = shape;
    body.material = grain->component->def.material;
    body.density = grain->component->def.density;
    if (base_array_reserve(&p->world->model.allocator, &p->bodies, &p->body_capacity,
                           p->body_count + 1) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for packing \"%s\"", p->name);
    cairn_status status = cairn_body_create(p->world, &body, &made, error);
    if (status == CAIRN_OK)
        p->bodies[p->body_count++] = made;
    return status;
}

/// A body that waits for its place: at rest, turned where that is asked for.
static cairn_body_def still_body(const packing *p, base_rng *rng)
{
    cairn_body_def body = cairn_default_body_def();
    if (p->def->turned)
        eng_grain_turn(rng, body.orientation);
    return body;
}

// ---------------------------------------------------------------- lattice and random places

/// Puts a grain at a place where nothing is; `*placed` says whether that was so.
static cairn_status try_place(packing *p, eng_near *near, const eng_grain *grain,
                              cairn_shape_id shape, const cairn_body_def *body, bool *placed,
                              cairn_error *error)
{
    const geo_shape *of = p->world->model.shapes.rows[shape.index];
    const double *o = body->orientation;
    pose at = {vec3_from(body->position), quat_normalize((quat){o[0], o[1], o[2], o[3]})};
    double apart = fmax(p->def->gap, 1e-6 * of->bounding_radius);
    cairn_status status = eng_near_is_free(near, of, &at, apart, placed);
    if (status == CAIRN_OK && *placed)
        status = make_body(p, grain, shape, body, error);
    if (status == CAIRN_OK && *placed) {
        p->solid += volume_of(grain);
        status = eng_near_add(near, (int)p->bodies[p->body_count - 1].index);
    }
    return status;
}

/// Next place of a cubic lattice whose cells hold the largest grain; false at its end.
static bool next_in_lattice(const packing *p, int64_t *cell, double place[3])
{
    double reach = p->mixture.largest * (1.0 + 1e-6) + 0.5 * p->def->gap;
    geo_bounds bounds = eng_region_bounds(p->world, &p->def->region);
    vec3 size = vec3_sub(bounds.high, bounds.low);
    int64_t dim[3];
    for (int k = 0; k < 3; k++)
        dim[k] = (int64_t)fmin(floor(vec3_get(size, k) / (2.0 * reach) + 1e-9), 1e6);
    for (; *cell < dim[0] * dim[1] * dim[2]; ++*cell) {
        int64_t at[3] = {*cell % dim[0], *cell / dim[0] % dim[1], *cell / dim[0] / dim[1]};
        for (int k = 0; k < 3; k++)
            place[k] = vec3_get(bounds.low, k) + (2.0 * (double)at[k] + 1.0) * reach;
        if (eng_region_depth(p->world, &p->def->region, vec3_from(place)) >=
            p->mixture.largest + 0.5 * p->def->gap) {
            ++*cell;
            return true;
        }
    }
    return false;
}

/// Tries one grain at places of the method until one is free, or there are no more.
static cairn_status place_grain(packing *p, eng_near *near, const eng_grain *grain, int64_t *cell,
                                bool *placed, cairn_error *error)
{
    cairn_shape_id shape;
    cairn_status status = eng_grain_shape(p->world, grain, &shape, error);
    if (status != CAIRN_OK)
        return status;
    double reach = p->world->model.shapes.rows[shape.index]->bounding_radius + 0.5 * p->def->gap;
    bool lattice = p->def->method == CAIRN_PACKING_LATTICE, more = true;
    *placed = false;
    for (int i = 0; (lattice || i < p->def->attempts) && more && !*placed && status == CAIRN_OK;
         i++) {
        base_rng rng = base_rng_make(p->def->seed ^ base_hash_mix((uint64_t)++p->view.count));
        cairn_body_def body = still_body(p, &rng);
        vec3 place = {0.0, 0.0, 0.0};
        if (lattice)
            more = next_in_lattice(p, cell, body.position);
        else if (eng_region_draw(p->world, &p->def->region, reach, &rng, &place))
            vec3_store(body.position, place);
        else
            continue;
        if (more)
            status = try_place(p, near, grain, shape, &body, placed, error);
    }
    if (status != CAIRN_OK || !*placed)
        eng_grain_shape_drop(p->world, grain, shape);
    return status;
}

/// Says what there is room for, or was time for, where that is less than what was asked for.
static cairn_status check_reached(const packing *p, bool late, cairn_error *error)
{
    const cairn_packing_def *def = p->def;
    if (late)
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "packing \"%s\": %d grains found a place within %.3g s, with a porosity of "
            "%.4f; allow more time (--scene-time-limit) or ask for fewer",
            p->name, p->body_count, def->time_limit, porosity_of(p));
    if (p->body_count < def->count)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": %d of count = %" PRId64
                         " grains find a place, with a porosity of %.4f; ask for fewer or smaller "
                         "ones, or for a denser method",
                         p->name, p->body_count, def->count, porosity_of(p));
    if (def->porosity > 0.0 && fabs(porosity_of(p) - def->porosity) > tolerance)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": porosity = %g is not reached: %d grains found a place, "
                         "with a porosity of %.4f (attempts = %d); method = \"growth\" is denser",
                         p->name, def->porosity, p->body_count, porosity_of(p), def->attempts);
    return CAIRN_OK;
}

static cairn_status place_all(packing *p, cairn_error *error)
{
    eng_near near;
    bool placed = true, late = false;
    int64_t cell = 0;
    eng_grain grain = draw_grain(p, 0);
    cairn_status status = eng_near_begin(
        &near, p->world, eng_region_bounds(p->world, &p->def->region), 2.0 * p->mixture.largest);
    while (status == CAIRN_OK && placed && !late &&
           wants_more(p, p->body_count, volume_of(&grain))) {
        late = base_timer_seconds() > p->until;
        status = place_grain(p, &near, &grain, &cell, &placed, error);
        grain = draw_grain(p, p->body_count);
    }
    eng_near_finish(&near);
    if (status == CAIRN_ERROR_MEMORY)
        return base_fail(error, status, "out of memory for packing \"%s\"", p->name);
    return status == CAIRN_OK ? check_reached(p, late, error) : status;
}

// ---------------------------------------------------------------- deposition

/// Spheres fall one after the other, until there are enough or the next one finds no room at the
/// top.
static cairn_status deposit_all(packing *p, cairn_error *error)
{
    eng_deposit deposit;
    // spheres are laid down as if they were larger by the gap
    double half_gap = 0.5 * p->def->gap;
    bool placed = true, late = false;
    uint64_t drawn = 0;
    eng_grain grain = draw_grain(p, 0);
    cairn_status status = eng_deposit_begin(&deposit, p->world, &p->def->region,
                                            p->mixture.largest + half_gap, error);
    while (status == CAIRN_OK && placed && !late &&
           wants_more(p, p->body_count, volume_of(&grain))) {
        late = base_timer_seconds() > p->until;
        vec3 place = {0.0, 0.0, 0.0};
        cairn_shape_id shape;
        placed = false;
        status = eng_grain_shape(p->world, &grain, &shape, error);
        if (status != CAIRN_OK)
            break;
        double radius = p->world->model.shapes.rows[shape.index]->bounding_radius + half_gap;
        base_rng rng = base_rng_make(p->def->seed ^ base_hash_mix(++drawn));
        cairn_body_def body = still_body(p, &rng);
        for (int i = 0; i < p->def->attempts && !placed && status == CAIRN_OK; i++)
            status = eng_deposit_drop(&deposit, radius, &rng, &place, &placed);
        vec3_store(body.position, place);
        if (status == CAIRN_ERROR_MEMORY)
            status = base_fail(error, status, "out of memory for packing \"%s\"", p->name);
        if (status == CAIRN_OK && placed)
            status = make_body(p, &grain, shape, &body, error);
        if (status != CAIRN_OK || !placed)
            eng_grain_shape_drop(p->world, &grain, shape);
        else
            p->solid += volume_of(&grain);
        grain = draw_grain(p, p->body_count);
    }
    eng_deposit_finish(&deposit);
    return status == CAIRN_OK ? check_reached(p, late, error) : status;
}

// ---------------------------------------------------------------- growth

static double radius_of(const packing *p, const eng_grain *grain)
{
    return p->factor * 0.5 * base_pow(6.0 / M_PI * volume_of(grain), 1.0 / 3.0);
}

/// As many grains as are asked for; of a coordination without a count so many that they would fill
/// that share.
static cairn_status draw_all(packing *p, cairn_error *error)
{
    cairn_packing_def def = *p->def;
    if (def.count == 0 && def.porosity == 0.0)
        def.porosity = 1.0 - grown_share;
    packing of = *p;
    of.def = &def;
    for (eng_grain next = draw_grain(p, 0); wants_more(&of, p->count, volume_of(&next));
         next = draw_grain(p, p->count)) {
        if (base_array_reserve(&p->world->model.allocator, &p->grains, &p->grain_capacity,
                               p->count + 1) != CAIRN_OK)
            return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for packing \"%s\"",
                             p->name);
        p->grains[p->count++] = next;
        of.solid = p->solid += volume_of(&next);
    }
    if (p->count == 0)
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "packing \"%s\": one grain fills more of its region than the porosity leaves for "
            "grains; take smaller grains or a larger region",
            p->name);
    return CAIRN_OK;
}

/// Places in the order of slabs and rows, so that neighbours lie near each other in memory.
static int compare_places(const void *a, const void *b)
{
    const vec3 *x = a, *y = b;
    const double u[3] = {floor(x->z), floor(x->y), x->x}, v[3] = {floor(y->z), floor(y->y), y->x};
    for (int k = 0; k < 3; k++)
        if (u[k] != v[k])
            return u[k] < v[k] ? -1 : 1;
    return 0;
}

static void scale_sizes(packing *p, eng_relax *relax, double factor)
{
    double change = factor / p->factor;
    p->factor = factor;
    p->solid *= change * change * change;
    relax->size *= change;
    for (int i = 0; i < p->count; i++)
        relax->radius[i] = radius_of(p, &p->grains[i]);
}

/// Sizes that the count and the share of the region decide, which may be far from those asked for.
static void fit_sizes(packing *p, eng_relax *relax)
{
    const cairn_packing_def *def = p->def;
    double share = def->porosity > 0.0 ? 1.0 - def->porosity : grown_share;
    if (def->count > 0 && (def->porosity > 0.0 || def->coordination > 0.0))
        scale_sizes(p, relax, base_pow(share * p->volume / p->solid, 1.0 / 3.0));
}

/// Random places for all spheres; radii.
static cairn_status scatter(packing *p, eng_relax *relax, cairn_error *error)
{
    double largest = 0.0, sum = 0.0;
    fit_sizes(p, relax);
    for (int i = 0; i < p->count; i++) {
        relax->radius[i] = radius_of(p, &p->grains[i]);
        largest = fmax(largest, relax->radius[i]);
        sum += relax->radius[i];
    }
    relax->size = 2.0 * sum / p->count;
    double room = eng_region_room(p->world, &p->def->region);
    if (!(largest < room))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\" has no room: its region holds a ball of %g m radius, and "
                         "its largest grain needs %g m",
                         p->name, room, largest);
    for (int i = 0; i < p->count; i++) {
        base_rng rng = base_rng_make(p->def->seed ^ base_hash_mix((uint64_t)i + 1));
        if (!eng_region_draw(p->world, &p->def->region, largest, &rng, &relax->place[i]))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "packing \"%s\": no place in its region is %g m away from its "
                             "boundary",
                             p->name, largest);
        relax->place[i] = vec3_scale(1.0 / relax->size, relax->place[i]);
    }
    qsort(relax->place, (size_t)p->count, sizeof *relax->place, compare_places);
    for (int i = 0; i < p->count; i++)
        relax->place[i] = vec3_scale(relax->size, relax->place[i]);
    return CAIRN_OK;
}

static cairn_status out_of_memory(const packing *p, cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for packing \"%s\"", p->name);
}

static cairn_status out_of_time(const packing *p, const eng_relax *relax, cairn_error *error)
{
    return base_fail(
        error, CAIRN_ERROR_ARGUMENT,
        "packing \"%s\": a porosity of %.4g was not reached within %.3g s: grains that touch "
        "overlap by %.2g %% of their size in the mean; allow more time or ask for less",
        p->name, porosity_of(p), p->def->time_limit, 100.0 * fmax(relax->mean, 0.0));
}

/// Until no sphere overlaps another one. Where that cannot be, sizes go back until it can, for the
/// figure in the message: by what takes the mean overlap away in beds of spheres, which falls by
/// 0.6 of the change of size.
static cairn_status grow_apart(packing *p, eng_relax *relax, cairn_error *error)
{
    enum { STEPS_BACK = 30 };
    double wanted = porosity_of(p);
    eng_relax_end end;
    // spheres that are pressed hard do not come free any more, long before their pushes balance
    relax->ease = 1.0;
    // spheres push a little before they touch, so that the last overlaps go in finite time
    relax->swell = 3e-4;
    if (eng_relax_run(relax, 1e-3, ROUNDS_MAX, &end) != CAIRN_OK)
        return out_of_memory(p, error);
    if (end == ENG_RELAX_APART)
        return CAIRN_OK;
    for (int i = 0; i < STEPS_BACK && end != ENG_RELAX_APART && end != ENG_RELAX_LATE; i++) {
        scale_sizes(p, relax, p->factor * (1.0 - fmax(relax->mean / 0.6, 1e-3)));
        if (eng_relax_run(relax, 1e-3, ROUNDS_MAX, &end) != CAIRN_OK)
            return out_of_memory(p, error);
    }
    if (end == ENG_RELAX_LATE)
        return out_of_time(p, relax, error);
    return base_fail(
        error, CAIRN_ERROR_ARGUMENT,
        "packing \"%s\": porosity = %.4g is not reached: its grains press on each other "
        "below %.3f; ask for that or more, and compress it in the run",
        p->name, p->def->porosity > 0.0 ? p->def->porosity : wanted, porosity_of(p));
}

static cairn_status grow_to_porosity(packing *p, eng_relax *relax, cairn_error *error)
{
    const cairn_packing_def *def = p->def;
    if (def->porosity > 0.0 && fabs(porosity_of(p) - def->porosity) > tolerance)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": whole grains come no closer to porosity = %g than %.4f "
                         "(%d grains); with count their sizes are fitted",
                         p->name, def->porosity, porosity_of(p), p->count);
    return grow_apart(p, relax, error);
}

static double coordination_of(const eng_relax *relax)
{
    return (2.0 * (double)relax->contacts + (double)relax->touches) / relax->count;
}

/// Sizes are halved in between until the number of contacts is the one that was asked for.
static cairn_status grow_to_coordination(packing *p, eng_relax *relax, cairn_error *error)
{
    enum { HALVINGS = 40 };
    double target = p->def->coordination, miss = fmax(tolerance, 1.0 / p->count);
    double one = p->factor / base_pow(p->solid / p->volume, 1.0 / 3.0);
    double low = one * base_pow(0.55, 1.0 / 3.0), high = one * base_pow(0.8, 1.0 / 3.0);
    double found[2] = {0.0, INFINITY}; // nearest below and above
    for (int i = 0; i < HALVINGS && high - low > 1e-7 * high; i++) {
        eng_relax_end end;
        scale_sizes(p, relax, 0.5 * (low + high));
        if (eng_relax_run(relax, 1e-5, ROUNDS_MAX, &end) != CAIRN_OK)
            return out_of_memory(p, error);
        if (end == ENG_RELAX_LATE)
            return out_of_time(p, relax, error);
        double has = coordination_of(relax);
        if (fabs(has - target) <= miss)
            return CAIRN_OK;
        if (has < target)
            found[0] = fmax(found[0], has);
        else
            found[1] = fmin(found[1], has);
        *(has < target ? &low : &high) = p->factor;
    }
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "packing \"%s\": coordination = %g is not reached: at a porosity of %.4f it "
                     "jumps from %.4g to %.4g; ask for one of these",
                     p->name, target, porosity_of(p), found[0], found[1]);
}

/// The shape of a sphere of a radius; grains one after the other of the same one share it.
static cairn_status sphere_of(packing *p, const eng_grain *grain, double radius,
                              cairn_shape_id *shape, cairn_error *error)
{
    if (p->factor == 1.0)
        return eng_grain_shape(p->world, grain, shape, error);
    if (p->shape.generation == 0 || p->shape_radius != radius) {
        cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
        def.radius = radius;
        BASE_TRY(cairn_shape_create(p->world, &def, &p->shape, error));
        p->world->model.shapes.rows[p->shape.index]->with_body = 1;
        p->shape_radius = radius;
    }
    *shape = p->shape;
    return CAIRN_OK;
}

static cairn_status make_spheres(packing *p, const eng_relax *relax, cairn_error *error)
{
    for (int i = 0; i < p->count; i++) {
        cairn_shape_id shape;
        base_rng rng = base_rng_make(p->def->seed + base_hash_mix(~(uint64_t)i));
        cairn_body_def body = still_body(p, &rng);
        vec3_store(body.position, eng_relax_wrap(relax, relax->place[i]));
        BASE_TRY(sphere_of(p, &p->grains[i], relax->radius[i], &shape, error));
        BASE_TRY(make_body(p, &p->grains[i], shape, &body, error));
    }
    return CAIRN_OK;
}

/// A mesh may lose a sphere through its surface where that is folded.
static cairn_status check_inside(const packing *p, const eng_relax *relax, cairn_error *error)
{
    for (int i = 0; i < p->count; i++)
        if (!(eng_region_depth(p->world, &p->def->region, eng_relax_wrap(relax, relax->place[i])) >=
              0.0))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "packing \"%s\": a grain was pressed out of the region; its grains "
                             "are too large for it",
                             p->name);
    return CAIRN_OK;
}

static cairn_status grow_all(packing *p, cairn_error *error)
{
    const cairn_packing_def *def = p->def;
    eng_relax relax = {0};
    bool touching = def->coordination > 0.0;
    cairn_status status = draw_all(p, error);
    if (status == CAIRN_OK && eng_relax_create(&relax, p->world, &def->region, p->count))
        status = out_of_memory(p, error);
    relax.until = p->until;
    if (status == CAIRN_OK)
        status = scatter(p, &relax, error);
    if (status == CAIRN_OK)
        status =
            touching ? grow_to_coordination(p, &relax, error) : grow_to_porosity(p, &relax, error);
    if (status == CAIRN_OK)
        status = check_inside(p, &relax, error);
    if (status == CAIRN_OK)
        status = make_spheres(p, &relax, error);
    p->view.coordination = touching ? coordination_of(&relax) : 0.0;
    p->view.overlap = fmax(relax.deepest, 0.0);
    eng_relax_finish(&relax);
    return status;
}

// ---------------------------------------------------------------- the call

static cairn_status check_def(const cairn_world *world, const cairn_packing_def *def,
                              cairn_error *error)
{
    const char *name = def->name != NULL ? def->name : "packing";
    bool grown = def->method == CAIRN_PACKING_GROWTH;
    if (def->cookie != PACKING_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the packing's definition does not come from cairn_default_packing_def()");
    if ((int)def->method < 0 || def->method > CAIRN_PACKING_DEPOSITION)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "packing \"%s\": method %d does not exist",
                         name, (int)def->method);
    if (def->count < 0 || def->count > GRAINS_MAX || def->attempts < 1)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": count = %" PRId64 " must be 0 to %d, attempts = %d at "
                         "least 1",
                         name, def->count, (int)GRAINS_MAX, def->attempts);
    if (!(def->time_limit > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": time_limit = %g s must be greater than 0", name,
                         def->time_limit);
    if (!(def->porosity >= 0.0 && def->porosity < 1.0) ||
        !(def->coordination >= 0.0 && def->coordination <= 12.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": porosity = %g must be 0 to 1 and coordination = %g 0 to "
                         "12",
                         name, def->porosity, def->coordination);
    if (def->coordination > 0.0 && (!grown || def->porosity > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": coordination goes with growth, and not with porosity",
                         name);
    if (!(def->gap >= 0.0 && def->gap < INFINITY) || (grown && def->gap > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": gap = %g m must be at least 0, and goes with lattice, "
                         "random and deposition",
                         name, def->gap);
    if (grown && def->coordination == 0.0 && def->porosity == 0.0 && def->count == 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": growth needs a porosity, a coordination or a count",
                         name);
    return eng_region_check(world, &def->region, error);
}

static bool is_of_spheres(const packing *p)
{
    for (int i = 0; i < p->mixture.count; i++) {
        cairn_shape_id shape = p->mixture.components[i].def.shape;
        if (shape.generation != 0 && p->world->model.shapes.rows[shape.index]->kind != GEO_SPHERE)
            return false;
    }
    return true;
}

static cairn_status pack(packing *p, cairn_error *error)
{
    const cairn_packing_def *def = p->def;
    BASE_TRY(eng_mixture_create(p->world, def->grains, def->grain_count, def->shares_by_mass,
                                &p->mixture, error));
    bool grown = def->method == CAIRN_PACKING_GROWTH;
    // the largest grains alone would be this many
    double ball = 4.0 / 3.0 * M_PI * p->mixture.largest * p->mixture.largest * p->mixture.largest;
    double share = def->porosity > 0.0 ? 1.0 - def->porosity : grown ? grown_share : 0.0;
    double least = def->count > 0 ? 0.0 : share * p->volume / ball;
    if (!(least < GRAINS_MAX))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": at least %.3g grains would fill its region of %.3g m3, "
                         "more than the %d that there may be",
                         p->name, least, p->volume, (int)GRAINS_MAX);
    bool deposited = def->method == CAIRN_PACKING_DEPOSITION;
    if ((grown || deposited) && !is_of_spheres(p))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\": %s is of spheres; other shapes go with lattice "
                         "and random",
                         p->name, grown ? "growth" : "deposition");
    if (grown)
        return grow_all(p, error);
    double room = eng_region_room(p->world, &def->region);
    if (!(room > p->mixture.largest))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "packing \"%s\" has no room: its region holds a ball of %g m radius, and "
                         "its largest grain needs %g m",
                         p->name, room, p->mixture.largest);
    return deposited ? deposit_all(p, error) : place_all(p, error);
}

cairn_status cairn_packing_create(cairn_world *world, const cairn_packing_def *def,
                                  cairn_packing_view *view, cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    BASE_TRY(check_def(world, def, error));
    BASE_TRY(eng_cell_check_bodies(world, error));
    packing p = {.world = world,
                 .def = def,
                 .name = def->name != NULL ? def->name : "packing",
                 .volume = eng_region_volume(world, &def->region),
                 .until = base_timer_seconds() + def->time_limit,
                 .factor = 1.0};
    cairn_status status = pack(&p, error);
    for (int i = p.body_count; i-- > 0 && status != CAIRN_OK;)
        if (cairn_body_remove(world, p.bodies[i], NULL) != CAIRN_OK)
            break;
    p.view.count = p.body_count;
    p.view.porosity = porosity_of(&p);
    p.view.factor = p.factor;
    if (view != NULL)
        *view = p.view;
    eng_mixture_release(&world->model.allocator, &p.mixture);
    base_release(&world->model.allocator, p.grains);
    base_release(&world->model.allocator, p.bodies);
    return status;
}
