// SPDX-License-Identifier: Apache-2.0
// Emitters: grains inserted before steps, at a rate, where they overlap nothing.
//
// Grain number n of an emitter is drawn from the seed and n, the places that are tried for it from
// the seed and the number of tries before: all that it carries from step to step are these counts.
#include "engine/grains/mixture.h"
#include "engine/grains/near.h"
#include "engine/grains/region.h"
#include "engine/state/actions.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include <inttypes.h>
#include <string.h>

#define EMITTER_COOKIE UINT32_C(0x0ca1200b)

// grains keep this part of their size to others when they are made
static const double clearance_part = 1e-6;

static const eng_action_kind emitter_kind;

/// What an emitter carries from step to step.
typedef enum emitter_number {
    EMITTED,      // grains
    EMITTED_MASS, // kg
    INSERTION,    // number of the next one, from 0
    TRIES,        // places
    WAITING,      // grains that were due at the last insertion
    WAITING_MASS, // kg
    LATE,         // insertions that left grains waiting
    EMITTER_NUMBERS
} emitter_number;

typedef struct emitter {
    cairn_emitter_def def; // name owned; grains not kept
    eng_mixture mixture;
    int number; // among the emitters of the world, in order of creation
} emitter;

cairn_emitter_def cairn_default_emitter_def(void)
{
    return (cairn_emitter_def){.until = INFINITY,
                               .every = 0.01,
                               .turned = true,
                               .attempts = 200,
                               .seed = 1,
                               .cookie = EMITTER_COOKIE};
}

/// Grains and mass that should be there at a time; INFINITY where the other one counts.
static void find_due(const cairn_emitter_def *def, double time, double *grains, double *mass)
{
    double passed = fmin(time, def->until) - def->from;
    *grains = *mass = INFINITY;
    // round-off of the time shall not cost a grain
    if (def->rate > 0.0)
        *grains = floor(def->rate * passed + 1e-6);
    if (def->mass_rate > 0.0)
        *mass = def->mass_rate * passed;
    if (def->count > 0)
        *grains = fmin(*grains, (double)def->count);
    if (def->mass > 0.0)
        *mass = fmin(*mass, def->mass);
}

/// Whether one more grain is due; of masses the nearest number of grains.
static bool is_due(const double *numbers, double grains, double mass, double grain_mass)
{
    return numbers[EMITTED] < grains && numbers[EMITTED_MASS] + 0.5 * grain_mass <= mass;
}

/// Draws places for a shape until one is free.
static cairn_status find_place(const emitter *e, eng_near *near, const geo_shape *shape,
                               double *numbers, cairn_body_def *body, bool *found)
{
    const cairn_world *world = near->world;
    double reach = shape->bounding_radius, clearance = clearance_part * reach;
    cairn_status status = CAIRN_OK;
    *found = false;
    for (int i = 0; i < e->def.attempts && !*found && status == CAIRN_OK; i++) {
        base_rng rng = base_rng_make(e->def.seed ^ base_hash_mix((uint64_t)numbers[TRIES]++ + 1));
        vec3 place;
        if (!eng_region_draw(world, &e->def.region, reach, &rng, &place))
            continue;
        if (e->def.turned)
            eng_grain_turn(&rng, body->orientation);
        vec3_store(body->position, place);
        for (int k = 0; k < 3; k++)
            body->velocity[k] =
                e->def.velocity[k] + e->def.spread * (2.0 * base_rng_unit(&rng) - 1.0);
        const double *o = body->orientation;
        pose at = {place, quat_normalize((quat){o[0], o[1], o[2], o[3]})};
        status = eng_near_is_free(near, shape, &at, clearance, found);
    }
    return status;
}

/// Makes one grain, where there is room for it.
static cairn_status insert_one(cairn_world *world, const emitter *e, eng_near *near,
                               const eng_grain *grain, double *numbers, bool *inserted,
                               cairn_error *error)
{
    cairn_body_def body = cairn_default_body_def();
    body.material = grain->component->def.material;
    body.density = grain->component->def.density;
    *inserted = false;
    BASE_TRY(eng_grain_shape(world, grain, &body.shape, error));
    cairn_status status =
        find_place(e, near, world->model.shapes.rows[body.shape.index], numbers, &body, inserted);
    if (status != CAIRN_OK)
        status =
            base_fail(error, status, "emitter \"%s\": %s", e->def.name, cairn_status_text(status));
    cairn_body_id made;
    if (status == CAIRN_OK && *inserted)
        status = cairn_body_create(world, &body, &made, error);
    if (status != CAIRN_OK || !*inserted) {
        eng_grain_shape_drop(world, grain, body.shape);
        return status;
    }
    status = eng_near_add(near, (int)made.index);
    return status == CAIRN_OK
               ? status
               : base_fail(error, status, "out of memory for the grains of \"%s\"", e->def.name);
}

enum { LATE_TOLD = 8 }; // emitters that are named when they first have no room

/// Emitters that have had no room so far, as far as that makes a difference.
static int count_late(const cairn_world *world)
{
    int at = 0, late = 0;
    const eng_action *action;
    while (late <= LATE_TOLD && (action = eng_action_next(world, &emitter_kind, &at)) != NULL)
        late += action->numbers[LATE] > 0.0;
    return late;
}

/// Says once what waits, and counts it.
static void book_waiting(const cairn_world *world, const emitter *e, double *numbers, double grains,
                         double mass)
{
    double of_mass = mass - numbers[EMITTED_MASS], of_count = grains - numbers[EMITTED];
    numbers[WAITING] = ceil(fmin(of_count, of_mass / e->mixture.mean_mass));
    numbers[WAITING_MASS] = fmin(of_mass, of_count * e->mixture.mean_mass);
    numbers[LATE] += 1.0;
    int late = numbers[LATE] == 1.0 ? count_late(world) : 0;
    if (late > 0 && late <= LATE_TOLD)
        base_log(&world->model.logger, BASE_LOG_WARNING,
                 "emitter \"%s\" has no room at t = %g s: %.0f grains (%.3g kg) wait for the next "
                 "insertions%s",
                 e->def.name, world->state.clock.time, numbers[WAITING], numbers[WAITING_MASS],
                 late == LATE_TOLD ? "; further emitters that have none are not named" : "");
}

static cairn_status fail_interrupted(const cairn_world *world, cairn_error *error)
{
    return base_fail(error, CAIRN_INTERRUPTED,
                     "step %" PRId64 ", t = %g s: interrupted while grains came",
                     world->state.clock.step_count + 1, world->state.clock.time);
}

/// Grains that are due, until one finds no place.
static cairn_status insert_due(cairn_world *world, const emitter *e, double *numbers,
                               cairn_error *error)
{
    double grains, mass;
    find_due(&e->def, world->state.clock.time, &grains, &mass);
    base_rng rng = base_rng_make(e->def.seed + base_hash_mix((uint64_t)numbers[EMITTED]));
    eng_grain grain = eng_mixture_draw(&e->mixture, &rng);
    numbers[WAITING] = numbers[WAITING_MASS] = 0.0;
    if (!is_due(numbers, grains, mass, grain.mass))
        return CAIRN_OK;
    // the look around costs as much as all bodies that there are
    if (atomic_exchange(&world->model.interrupt, 0) != 0)
        return fail_interrupted(world, error);
    eng_near near;
    bool inserted = true;
    cairn_status status = eng_near_begin(&near, world, eng_region_bounds(world, &e->def.region),
                                         2.0 * e->mixture.largest);
    if (status != CAIRN_OK)
        base_fail(error, status, "out of memory for the grains of \"%s\"", e->def.name);
    while (status == CAIRN_OK && inserted && is_due(numbers, grains, mass, grain.mass)) {
        status = insert_one(world, e, &near, &grain, numbers, &inserted, error);
        if (status != CAIRN_OK || !inserted)
            break;
        numbers[EMITTED] += 1.0;
        numbers[EMITTED_MASS] += grain.mass;
        if (atomic_exchange(&world->model.interrupt, 0) != 0)
            status = fail_interrupted(world, error);
        rng = base_rng_make(e->def.seed + base_hash_mix((uint64_t)numbers[EMITTED]));
        grain = eng_mixture_draw(&e->mixture, &rng);
    }
    eng_near_finish(&near);
    if (status == CAIRN_OK && !inserted)
        book_waiting(world, e, numbers, grains, mass);
    return status;
}

static bool emitter_due(const cairn_world *world, const eng_action *action)
{
    const emitter *e = action->data;
    const double *numbers = action->numbers;
    bool over = world->state.clock.time > e->def.until + e->def.every && numbers[WAITING] == 0.0;
    return !over && world->state.clock.time >=
                        e->def.from + e->def.every * numbers[INSERTION] - 1e-9 * e->def.every;
}

static cairn_status emitter_begin(cairn_world *world, eng_action *action, cairn_error *error)
{
    const emitter *e = action->data;
    double *numbers = action->numbers;
    if (!emitter_due(world, action))
        return CAIRN_OK;
    double insertion = floor((world->state.clock.time - e->def.from) / e->def.every + 1e-9) + 1.0;
    cairn_status status = insert_due(world, e, numbers, error);
    // one that was interrupted goes on where it was when the step is taken
    if (status != CAIRN_INTERRUPTED)
        numbers[INSERTION] = insertion;
    return status;
}

static void emitter_release(const base_allocator *allocator, void *data)
{
    emitter *e = data;
    base_release(allocator, (char *)e->def.name);
    eng_mixture_release(allocator, &e->mixture);
    base_release(allocator, e);
}

static bool emitter_coming(const cairn_world *world, const eng_action *action, int index,
                           eng_coming *body)
{
    const emitter *e = action->data;
    double left_count =
        e->def.count > 0 ? (double)e->def.count - action->numbers[EMITTED] : INFINITY;
    double left_mass = e->def.mass > 0.0 ? e->def.mass - action->numbers[EMITTED_MASS] : INFINITY;
    if (index / 2 >= e->mixture.count || world->state.clock.time > e->def.until ||
        left_count < 1.0 || left_mass <= 0.0)
        return false;
    eng_coming extremes[2];
    eng_mixture_extremes(&e->mixture.components[index / 2], extremes);
    *body = extremes[index % 2];
    body->several = left_count > 1.0;
    return true;
}

static const eng_action_kind emitter_kind = {.coming = emitter_coming,
                                             .due = emitter_due,
                                             .begin = emitter_begin,
                                             .release = emitter_release,
                                             .makes_or_removes = true};

static cairn_status check_def(const cairn_world *world, const cairn_emitter_def *def,
                              cairn_error *error)
{
    const struct {
        const char *name;
        double value, minimum;
        bool open;
    } numbers[] = {{"rate", def->rate, 0.0, false},      {"mass_rate", def->mass_rate, 0.0, false},
                   {"mass", def->mass, 0.0, false},      {"count", (double)def->count, 0.0, false},
                   {"every", def->every, 0.0, true},     {"spread", def->spread, 0.0, false},
                   {"attempts", def->attempts, 1, false}};
    if (def->cookie != EMITTER_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the emitter's definition does not come from cairn_default_emitter_def()");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i].value) || numbers[i].value < numbers[i].minimum ||
            (numbers[i].open && numbers[i].value == numbers[i].minimum))
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "emitter: %s = %g must be %s %g",
                             numbers[i].name, numbers[i].value,
                             numbers[i].open ? "greater than" : "at least", numbers[i].minimum);
    if (def->rate > 0.0 && def->mass_rate > 0.0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "emitter: give rate (grains a second) or mass_rate (kg/s), not both");
    if (def->rate == 0.0 && def->mass_rate == 0.0 && def->count == 0 && def->mass == 0.0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "emitter: give a rate, a mass_rate, or a count or mass of what comes at "
                         "once");
    if (!isfinite(def->from) || !(def->until > def->from))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "emitter: from %g s to %g s, the end must come after the begin", def->from,
                         def->until);
    if (!vec3_is_finite(vec3_from(def->velocity)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "emitter: the velocity must be finite");
    return eng_region_check(world, &def->region, error);
}

static cairn_status fail_room(const cairn_emitter_def *def, double room, double largest,
                              cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "emitter \"%s\" has no room: its region holds a ball of %g m radius, and its "
                     "largest grain needs %g m",
                     def->name, room, largest);
}

cairn_status cairn_emitter_create(cairn_world *world, const cairn_emitter_def *def,
                                  cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    BASE_TRY(check_def(world, def, error));
    emitter *e = base_allocate(&world->model.allocator, 1, sizeof *e);
    if (e == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an emitter");
    e->def = *def;
    e->def.grains = NULL;
    e->def.name =
        base_copy_text(&world->model.allocator, def->name != NULL ? def->name : "emitter");
    cairn_status status =
        e->def.name != NULL ? eng_mixture_create(world, def->grains, def->grain_count,
                                                 def->shares_by_mass, &e->mixture, error)
                            : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an emitter");
    double room = status == CAIRN_OK ? eng_region_room(world, &def->region) : 0.0;
    if (status == CAIRN_OK && !(room > e->mixture.largest))
        status = fail_room(&e->def, room, e->mixture.largest, error);
    for (int i = world->state.actions.count; i-- > 0;)
        if (world->state.actions.rows[i]->kind == &emitter_kind) {
            e->number = ((const emitter *)world->state.actions.rows[i]->data)->number + 1;
            break;
        }
    if (status != CAIRN_OK) {
        emitter_release(&world->model.allocator, e);
        return status;
    }
    const double numbers[] = {
        def->rate,   def->mass_rate, (double)def->count, def->mass,         def->from,
        def->until,  def->every,     def->velocity[0],   def->velocity[1],  def->velocity[2],
        def->spread, def->turned,    def->attempts,      (double)def->seed, def->shares_by_mass};
    uint64_t print = base_hash_bytes(BASE_HASH_START, numbers, sizeof numbers);
    print = eng_region_hash(&def->region, print);
    print = eng_mixture_hash(world, def->grains, def->grain_count, print);
    return eng_action_add(world, &emitter_kind, e, EMITTER_NUMBERS, print) != NULL
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an emitter");
}

static eng_action *emitter_at(const cairn_world *world, int index)
{
    // it is not before its number in the list of all actions
    int at = index > 0 ? index : 0;
    eng_action *action;
    do
        action = eng_action_next(world, &emitter_kind, &at);
    while (action != NULL && ((const emitter *)action->data)->number < index);
    return index >= 0 ? action : NULL;
}

int cairn_emitter_count(const cairn_world *world)
{
    int at = 0, count = 0;
    while (world != NULL && eng_action_next(world, &emitter_kind, &at) != NULL)
        count++;
    return count;
}

cairn_status cairn_emitter_get(const cairn_world *world, int index, cairn_emitter_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_emitter_view){.name = ""};
    const eng_action *action = emitter_at(world, index);
    if (action == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    const double *n = action->numbers;
    *view = (cairn_emitter_view){.name = ((const emitter *)action->data)->def.name,
                                 .count = (int64_t)n[EMITTED],
                                 .mass = n[EMITTED_MASS],
                                 .waiting = (int64_t)n[WAITING],
                                 .waiting_mass = n[WAITING_MASS],
                                 .late = (int64_t)n[LATE],
                                 .region = ((const emitter *)action->data)->def.region};
    return CAIRN_OK;
}
