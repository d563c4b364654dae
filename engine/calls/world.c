// SPDX-License-Identifier: Apache-2.0
// Creation and destruction of worlds, choice of solvers, read-outs.
#include "engine/state/world.h"
#include "engine/joints/joints.h"
#include "engine/measures/energy.h"
#include "engine/pairs/sharing.h"
#include "engine/state/actions.h"
#include "engine/state/blocks.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/timer.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/ids.h"
#include "engine/state/own_laws.h"
#include "engine/state/values.h"

#include <string.h>

#define WORLD_COOKIE UINT32_C(0x0ca12002)

enum { ARENA_START = 1 << 16 };

cairn_world_def cairn_default_world_def(void)
{
    cairn_world_def def;
    base_settings_defaults(&eng_world_settings, &def);
    def.gravity[2] = -9.81;
    def.cookie = WORLD_COOKIE;
    return def;
}

static cairn_status check_def(const cairn_world_def *def, cairn_error *error)
{
    if (def->cookie != WORLD_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the world definition does not come from cairn_default_world_def()");
    if (!vec3_is_finite(vec3_from(def->gravity)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "gravity = (%g, %g, %g) must be finite",
                         def->gravity[0], def->gravity[1], def->gravity[2]);
    return eng_world_settings_check(def, error);
}

static void forward_log(void *context, base_log_level level, const char *text)
{
    const cairn_world *world = context;
    world->model.def.log(world->model.def.log_context, (cairn_log_level)level, text);
}

/// The parts a world cannot be without; false when out of memory.
static bool create_parts(cairn_world *world)
{
    world->scratch.arena = base_arena_create(&world->model.allocator, ARENA_START);
    world->contacts.broad.phase = geo_broad_phase_create(&world->model.allocator);
    if (world->model.def.threads > 1)
        world->model.workers =
            base_workers_create(&world->model.allocator, world->model.def.threads);
    // surface 0 is the default pair
    cairn_status status =
        base_array_reserve(&world->model.allocator, &world->model.materials.surfaces,
                           &world->model.materials.surface_capacity, 1);
    return world->scratch.arena != NULL && world->contacts.broad.phase != NULL &&
           status == CAIRN_OK && (world->model.def.threads == 1 || world->model.workers != NULL);
}

/// The world's own block, which knows where it came from; NULL when out of memory.
static cairn_world *allocate_world(const cairn_world_def *def)
{
    bool custom = def->allocator.reallocate != NULL;
    base_allocator allocator = base_allocator_default();
    base_gate *gate = NULL;
    if (custom)
        allocator = (base_allocator){def->allocator.reallocate, def->allocator.context};
    if (custom && def->threads > 1) {
        gate = base_gate_create(&allocator);
        if (gate == NULL)
            return NULL;
        allocator = base_gate_allocator(gate);
    }
    cairn_world *made = base_allocate(&allocator, 1, sizeof *made);
    if (made == NULL) {
        base_gate_destroy(gate);
        return NULL;
    }
    made->model.allocator = allocator;
    made->model.gate = gate;
    return made;
}

/// Tells the ids of worlds apart, those of worlds that are gone included: from where and when this
/// one was made, since there is no counter that all worlds share. Results do not depend on it.
static uint32_t make_tag(const cairn_world *world)
{
    double now = base_timer_seconds();
    uint64_t hash = base_hash_bytes(BASE_HASH_START, &world, sizeof world);
    hash = base_hash_bytes(hash, &now, sizeof now);
    return (uint32_t)(hash ^ hash >> 32);
}

cairn_status cairn_world_create(const cairn_world_def *def, cairn_world **world, cairn_error *error)
{
    if (def == NULL || world == NULL)
        return base_fail_null(error, __func__);
    *world = NULL;
    BASE_TRY(check_def(def, error));
    cairn_world *made = allocate_world(def);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a world");
    made->model.def = *def;
    made->state.clock.step = def->time_step;
    made->model.ids.tag = make_tag(made);
    if (def->log != NULL)
        made->model.logger = (base_logger){forward_log, made};
    if (!create_parts(made)) {
        cairn_world_destroy(made);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a world of %d threads",
                         def->threads);
    }
    int count;
    made->model.solver.plugin = con_solver_list(&count)[0];
    made->model.local.plugin = con_local_list(&count)[0];
    base_settings_defaults(&made->model.solver.plugin->table, made->model.solver.settings);
    base_settings_defaults(&made->model.local.plugin->table, made->model.local.settings);
    eng_surface_init(&made->model.materials.surfaces[0], con_law_list(&count)[0]);
    made->model.materials.surface_count = 1;
    made->report.step.stop = "none";
    made->scratch.general.due = true;
    *world = made;
    return CAIRN_OK;
}

static void release_shapes_and_bodies(cairn_world *world)
{
    const base_allocator *allocator = &world->model.allocator;
    for (int i = 0; i < world->model.materials.count; i++)
        base_release(allocator, world->model.materials.rows[i].name);
    for (int i = 0; i < world->model.bodies.extra_count; i++)
        base_release(allocator, world->model.bodies.extras[i].name);
    for (int i = 0; i < world->model.joints.count; i++)
        base_release(allocator, world->model.joints.rows[i].name);
    for (int i = 0; i < world->model.connectors.count; i++)
        base_release(allocator, world->model.connectors.rows[i].name);
    for (int i = 0; i < world->model.shapes.count; i++)
        if (world->model.shapes.rows[i] != NULL && world->model.shapes.rows[i]->kind != GEO_SPHERE)
            geo_shape_destroy(world->model.shapes.rows[i]);
    for (int i = 0; i < world->model.shapes.sphere_pool_count; i++)
        base_release(allocator, world->model.shapes.sphere_pool[i]);
    for (int i = 0; i < world->model.shapes.member_count; i++)
        base_release(allocator, world->model.shapes.members[i].ids);
    for (int i = 0; i < world->contacts.narrow.manifold_count; i++)
        geo_manifold_finish(&world->contacts.narrow.manifolds[i]);
}

void cairn_world_destroy(cairn_world *world)
{
    if (world == NULL)
        return;
    release_shapes_and_bodies(world);
    eng_sharing_destroy(world);
    eng_spheres_destroy(world->state.spheres);
    eng_own_release(&world->model);
    eng_actions_release(world);
    for (int group = ENG_BODY_STATE; group <= ENG_BODY_STEP; group++)
        eng_body_columns_release(&world->model.allocator, &world->state.bodies,
                                 (eng_body_group)group);
    eng_colliders_release(world);
    base_allocator allocator = world->model.allocator;
    void *blocks[] = {
        world->model.materials.rows,      world->model.materials.classes,
        world->model.materials.followers, world->model.materials.surfaces,
        world->model.shapes.rows,         world->model.shapes.sphere_pool,
        world->model.shapes.members,      world->model.bodies.rows,
        world->model.bodies.solids,       world->model.bodies.extras,
        world->model.joints.rows,         world->model.bodies.excluded,
        world->model.connectors.rows,     world->state.connectors.rows,
        world->contacts.pairs.rows,       world->contacts.pairs.before,
        world->contacts.broad.images,     world->contacts.narrow.manifolds,
        world->contacts.narrow.raw_count, world->model.bodies.arrivals,
        world->scratch.general.active,    world->contacts.broad.listed,
        world->contacts.pairs.leading,    world->contacts.pairs.leading_before,
        world->state.connectors.breaks,   world->state.joints.rows,
    };
    for (int i = 0; i < BASE_COUNT(blocks); i++)
        base_release(&allocator, blocks[i]);
    eng_slots *const slots[] = {&world->model.ids.body, &world->model.ids.shape,
                                &world->model.ids.material, &world->model.ids.joint,
                                &world->model.ids.connector};
    for (int i = 0; i < BASE_COUNT(slots); i++)
        eng_slots_release(slots[i], &allocator);
    base_names_release(&world->model.materials.names, &allocator);
    base_pairs_release(&world->model.materials.own_surfaces, &allocator);
    base_names_release(&world->model.bodies.names, &allocator);
    base_names_release(&world->model.joints.names, &allocator);
    base_names_release(&world->model.connectors.names, &allocator);
    eng_plan_release(&world->contacts.plan, &allocator);
    base_release(&allocator, world->contacts.cut.of_body);
    base_release(&allocator, world->contacts.cut_before.of_body);
    eng_contacts_release(&allocator, &world->contacts.set);
    eng_contacts_release(&allocator, &world->contacts.before);
    geo_broad_phase_destroy(world->contacts.broad.phase);
    base_workers_destroy(world->model.workers);
    base_arena_destroy(world->scratch.arena);
    base_gate *gate = world->model.gate;
    base_release(&allocator, world);
    base_gate_destroy(gate);
}

const cairn_world_def *cairn_world_get_def(const cairn_world *world)
{
    if (world == NULL)
        return NULL;
    return &world->model.def;
}

cairn_status cairn_world_set_solver(cairn_world *world, const char *name, cairn_error *error)
{
    if (world == NULL || name == NULL)
        return base_fail_null(error, __func__);
    const con_solver *solver = con_solver_find(name);
    if (solver == NULL)
        return eng_fail_plugin(CAIRN_SOLVER, name, error);
    BASE_ASSERT(solver->table.size <= sizeof world->model.solver.settings);
    world->model.solver.plugin = solver;
    base_settings_defaults(&solver->table, world->model.solver.settings);
    return CAIRN_OK;
}

cairn_status cairn_world_set_local(cairn_world *world, const char *name, cairn_error *error)
{
    if (world == NULL || name == NULL)
        return base_fail_null(error, __func__);
    const con_local *local = con_local_find(name);
    if (local == NULL)
        return eng_fail_plugin(CAIRN_LOCAL, name, error);
    BASE_ASSERT(local->table.size <= sizeof world->model.local.settings);
    world->model.local.plugin = local;
    base_settings_defaults(&local->table, world->model.local.settings);
    return CAIRN_OK;
}

cairn_status cairn_world_set_solver_value(cairn_world *world, const char *setting,
                                          cairn_value value, cairn_error *error)
{
    if (world == NULL || setting == NULL)
        return base_fail_null(error, __func__);
    return base_settings_set(&world->model.solver.plugin->table, world->model.solver.settings,
                             setting, eng_value_to_base(value), error);
}

cairn_status cairn_world_set_local_value(cairn_world *world, const char *setting, cairn_value value,
                                         cairn_error *error)
{
    if (world == NULL || setting == NULL)
        return base_fail_null(error, __func__);
    return base_settings_set(&world->model.local.plugin->table, world->model.local.settings,
                             setting, eng_value_to_base(value), error);
}

const char *cairn_world_get_solver(const cairn_world *world)
{
    if (world == NULL)
        return "";
    return world->model.solver.plugin->name;
}

const char *cairn_world_get_local(const cairn_world *world)
{
    if (world == NULL)
        return "";
    return world->model.local.plugin->name;
}

cairn_status cairn_world_get_solver_value(const cairn_world *world, const char *setting,
                                          cairn_value *value)
{
    if (world == NULL || setting == NULL || value == NULL)
        return CAIRN_ERROR_ARGUMENT;
    return eng_value_read(&world->model.solver.plugin->table, world->model.solver.settings, setting,
                          value);
}

cairn_status cairn_world_get_local_value(const cairn_world *world, const char *setting,
                                         cairn_value *value)
{
    if (world == NULL || setting == NULL || value == NULL)
        return CAIRN_ERROR_ARGUMENT;
    return eng_value_read(&world->model.local.plugin->table, world->model.local.settings, setting,
                          value);
}

cairn_status cairn_world_set_gravity(cairn_world *world, const double gravity[3],
                                     cairn_error *error)
{
    if (world == NULL || gravity == NULL)
        return base_fail_null(error, __func__);
    cairn_world_def changed = world->model.def;
    memcpy(changed.gravity, gravity, sizeof changed.gravity);
    cairn_status status = check_def(&changed, error);
    if (status == CAIRN_OK) {
        // the potential energy has a new zero: book the difference as work of drivers
        double kinetic, before, after;
        eng_energy_mechanical(world, &kinetic, &before);
        world->model.def = changed;
        eng_energy_mechanical(world, &kinetic, &after);
        world->state.audit.energy.potential = after;
        if (world->state.audit.started)
            world->state.audit.energy.drivers += after - before;
        eng_actions_note_gravity(world);
    }
    return status;
}

cairn_status cairn_world_set_tolerance(cairn_world *world, double tolerance, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_world_def changed = world->model.def;
    changed.tolerance = tolerance;
    cairn_status status = check_def(&changed, error);
    if (status == CAIRN_OK)
        world->model.def = changed;
    return status;
}

double cairn_world_get_time(const cairn_world *world)
{
    if (world == NULL)
        return 0.0;
    return world->state.clock.time;
}

int64_t cairn_world_get_step_count(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    return world->state.clock.step_count;
}

const cairn_step_report *cairn_world_get_report(const cairn_world *world)
{
    if (world == NULL)
        return NULL;
    return &world->report.step;
}

const char *cairn_phase_name(cairn_phase phase)
{
    static const char *const names[] = {
#define PHASE_NAME(constant, name) #name,
        CAIRN_PHASE_LIST(PHASE_NAME)
#undef PHASE_NAME
    };
    return (unsigned)phase < CAIRN_PHASE_COUNT ? names[phase] : "";
}
