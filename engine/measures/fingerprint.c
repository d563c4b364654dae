// SPDX-License-Identifier: Apache-2.0
// Hashes of what a world was built from.
#include "engine/measures/fingerprint.h"
#include "engine/state/actions.h"
#include "engine/state/ids.h"
#include "engine/state/own_laws.h"
#include "engine/state/pair_changes.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/hash.h"
#include "engine/joints/joints.h"

#include <string.h>

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text == NULL ? base_hash_mix(hash) : base_hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_number(uint64_t hash, double number)
{
    return base_hash_bytes(hash, &number, sizeof number);
}

static uint64_t hash_settings(uint64_t hash, const base_settings_table *table, const void *settings)
{
    for (int i = 0; i < table->count; i++) {
        base_value value = base_settings_get(&table->settings[i], settings);
        hash = hash_text(hash, table->settings[i].name);
        if (value.type == BASE_VALUE_TEXT)
            hash = hash_text(hash, value.text);
        else
            hash =
                hash_number(hash, value.type == BASE_VALUE_NUMBER ? value.number : value.boolean);
    }
    return hash;
}

// ---------------------------------------------------------------- shapes

static uint64_t hash_points(uint64_t hash, const vec3 *points, int count)
{
    return base_hash_bytes(hash, points, (size_t)count * sizeof *points);
}

static uint64_t hash_polyhedron(uint64_t hash, const geo_polyhedron *p)
{
    hash = hash_points(hash, p->vertices, p->vertex_count);
    if (p->rounding > 0.0)
        hash = hash_number(hash, p->rounding);
    hash = base_hash_bytes(hash, p->face_start, (size_t)(p->face_count + 1) * sizeof(int));
    return base_hash_bytes(hash, p->face_vertices,
                           (size_t)p->face_start[p->face_count] * sizeof(int));
}

static uint64_t hash_mesh(uint64_t hash, const geo_mesh *mesh)
{
    hash = base_hash_mix(hash ^ (mesh->solid ? 1 : 0));
    hash = hash_points(hash, mesh->vertices, mesh->vertex_count);
    return base_hash_bytes(hash, mesh->triangles,
                           (size_t)mesh->triangle_count * sizeof *mesh->triangles);
}

/// A shape that is no compound.
static uint64_t hash_simple(uint64_t hash, const geo_shape *shape)
{
    hash = base_hash_mix(hash ^ (uint64_t)shape->kind);
    if (shape->kind == GEO_POLYHEDRON)
        return hash_polyhedron(hash, &shape->polyhedron);
    if (shape->kind == GEO_MESH)
        return hash_mesh(hash, &shape->mesh);
    // what is not rounded is told by its other sizes
    bool rounded = geo_shape_rounding(shape) > 0.0;
    int count = geo_plain_size_count(shape->kind) - (shape->kind == GEO_BOX && !rounded ? 1 : 0);
    for (int i = 0; i < count; i++)
        hash = hash_number(hash, geo_plain_sizes(shape)[i]);
    return hash;
}

static uint64_t hash_shape(uint64_t hash, const geo_shape *shape)
{
    hash = hash_simple(hash, shape);
    for (int k = 0; shape->kind == GEO_COMPOUND && k < shape->compound.member_count; k++) {
        hash = hash_simple(hash, shape->compound.members[k]);
        hash = base_hash_bytes(hash, &shape->compound.placements[k], sizeof(pose));
    }
    return hash;
}

static uint64_t hash_shapes(const cairn_world *world)
{
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < world->model.shapes.count; i++)
        if (world->model.shapes.rows[i] != NULL)
            hash = hash_shape(hash, world->model.shapes.rows[i]);
    return hash;
}

uint64_t eng_fingerprint_of_shape(const cairn_world *world, cairn_shape_id shape)
{
    return eng_shape_check(world, shape) == CAIRN_OK
               ? hash_shape(BASE_HASH_START, world->model.shapes.rows[shape.index])
               : 0;
}

// ---------------------------------------------------------------- the rest

static uint64_t hash_bodies(const cairn_world *world)
{
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < world->model.bodies.count; i++) {
        const eng_body *body = &world->model.bodies.rows[i];
        if (!eng_body_is_live(world, i))
            continue;
        const int numbers[] = {(int)body->kind, body->shape, body->material, body->first_collider,
                               eng_collider_count_of(world, i)};
        eng_extra extra = eng_extra_of(world, i);
        vec3 inertia = eng_inertia_of(world, i);
        pose frame = eng_frame_of(world, i);
        hash = base_hash_bytes(hash, numbers, sizeof numbers);
        hash = hash_text(hash, extra.name);
        hash = hash_number(hash, extra.motion.function != NULL);
        hash = hash_number(hash, body->mass);
        hash = hash_points(hash, &inertia, 1);
        hash = base_hash_bytes(hash, &frame, sizeof frame);
    }
    return hash;
}

static uint64_t hash_joints(const cairn_world *world)
{
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < world->model.joints.count; i++) {
        const eng_joint *joint = &world->model.joints.rows[i];
        const int numbers[] = {(int)joint->kind, joint->body[0], joint->body[1],
                               (int)joint->motor_law, joint->motor_function != NULL};
        const double values[] = {joint->length, joint->range[0], joint->range[1]};
        hash = base_hash_bytes(hash, numbers, sizeof numbers);
        hash = base_hash_bytes(hash, values, sizeof values);
#define HASH(member, key, unit, initial, low, high, kept, help)                                    \
    if (kept)                                                                                      \
        hash = hash_number(hash, joint->member);
        CAIRN_JOINT_SETTINGS(HASH)
#undef HASH
        hash = base_hash_bytes(hash, joint->point, sizeof joint->point);
        hash = base_hash_bytes(hash, joint->axes, sizeof joint->axes);
        hash = hash_text(hash, joint->name);
    }
    if (world->model.bodies.excluded_count > 0)
        hash = base_hash_bytes(hash, world->model.bodies.excluded,
                               (size_t)world->model.bodies.excluded_count *
                                   sizeof *world->model.bodies.excluded);
    return hash;
}

/// Nothing for 0, which laws of the library have.
static uint64_t hash_version(uint64_t hash, uint32_t version)
{
    return version != 0 ? base_hash_bytes(hash, &version, sizeof version) : hash;
}

/// The parameters that the surface had before actions changed them; those of moduli have what the
/// default pair has.
static void undo_changes(const cairn_world *world, int index, eng_surface *surface)
{
    const base_settings_table *table = &surface->law->table;
    bool own = base_pairs_find(&world->model.materials.own_surfaces, surface->pair[0],
                               surface->pair[1]) == index;
    for (int k = 0; k < table->count; k++) {
        base_value value = {.type = BASE_VALUE_NUMBER};
        cairn_error unused;
        const char *name = table->settings[k].name;
        if (!eng_pair_changes_before(world, own ? index : 0, name, &value.number))
            continue;
        cairn_status status = base_settings_set(table, surface->parameters, name, value, &unused);
        (void)status;
    }
}

/// Laws of the pairs, force fields, and the filter.
static uint64_t hash_laws(const cairn_world *world)
{
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < world->model.materials.count; i++) {
        const eng_material *material = &world->model.materials.rows[i];
        hash = hash_text(hash, material->name);
        hash = hash_number(hash, material->elasticity.young);
        hash = hash_number(hash, material->elasticity.poisson);
    }
    for (int i = 0; i < world->model.materials.surface_count; i++) {
        const eng_surface *surface = &world->model.materials.surfaces[i];
        hash = base_hash_bytes(hash, surface->pair, sizeof surface->pair);
        hash = hash_text(hash, surface->law->name);
        hash = hash_version(hash, eng_law_version(world, surface->law));
        eng_surface built = *surface;
        undo_changes(world, i, &built);
        hash = hash_settings(hash, &surface->law->table, built.parameters);
    }
    for (int i = 0; i < world->model.program.field_count; i++)
        hash = hash_version(hash_text(hash, world->model.program.fields[i].name),
                            world->model.program.fields[i].version);
    if (world->model.program.filter.function != NULL)
        hash = hash_version(hash_text(hash, world->model.program.filter.name),
                            world->model.program.filter.version);
    return hash;
}

static uint64_t hash_connectors(const cairn_world *world)
{
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < world->model.connectors.count; i++) {
        const eng_connector *connector = &world->model.connectors.rows[i];
        const int numbers[] = {connector->body[0], connector->body[1], connector->contacts};
        hash = base_hash_bytes(hash, numbers, sizeof numbers);
        hash = hash_text(hash, connector->name);
        hash = hash_points(hash, connector->marker, 2);
        hash = base_hash_bytes(hash, connector->radius, sizeof connector->radius);
        hash = hash_text(hash, connector->surface.law->name);
        hash = hash_version(hash, eng_law_version(world, connector->surface.law));
        hash = hash_settings(hash, &connector->surface.law->table, connector->surface.parameters);
    }
    return hash;
}

static uint64_t hash_step(const cairn_world *world)
{
    const cairn_world_def *def = &world->model.def;
    uint64_t hash = BASE_HASH_START;
    if (world->state.cell.any) {
        hash = base_hash_bytes(hash, world->state.cell.periodic, sizeof world->state.cell.periodic);
        hash = base_hash_bytes(hash, &world->state.cell.low, sizeof world->state.cell.low);
    }
    if (!eng_actions_drive_gravity(world))
        hash = base_hash_bytes(hash, def->gravity, sizeof def->gravity);
#define HASH(type, member, kind, key, unit, initial, low, high, words, counts, help)               \
    if (counts)                                                                                    \
        hash = hash_number(hash, (double)def->member);
    CAIRN_WORLD_SETTINGS(HASH)
#undef HASH
    return hash;
}

static uint64_t hash_solvers(const cairn_world *world)
{
    uint64_t hash = hash_text(BASE_HASH_START, world->model.solver.plugin->name);
    hash = hash_settings(hash, &world->model.solver.plugin->table, world->model.solver.settings);
    hash = hash_text(hash, world->model.local.plugin->name);
    return hash_settings(hash, &world->model.local.plugin->table, world->model.local.settings);
}

void eng_fingerprint(const cairn_world *world, uint64_t parts[ENG_FINGERPRINT_COUNT])
{
    parts[ENG_FINGERPRINT_shapes] = hash_shapes(world);
    parts[ENG_FINGERPRINT_bodies] = hash_bodies(world);
    parts[ENG_FINGERPRINT_joints] = hash_joints(world);
    parts[ENG_FINGERPRINT_laws] = hash_laws(world);
    parts[ENG_FINGERPRINT_connectors] = hash_connectors(world);
    parts[ENG_FINGERPRINT_step] = hash_step(world);
    parts[ENG_FINGERPRINT_solvers] = hash_solvers(world);
    parts[ENG_FINGERPRINT_actions] = eng_actions_fingerprint(world);
}

void eng_fingerprint_built(const cairn_world *world, uint64_t parts[ENG_FINGERPRINT_COUNT])
{
    const eng_built *built = &world->model.built;
    eng_fingerprint(world, parts);
    if (!world->model.population_changed)
        return;
    parts[ENG_FINGERPRINT_shapes] = built->shapes;
    parts[ENG_FINGERPRINT_bodies] = built->bodies;
    parts[ENG_FINGERPRINT_joints] = built->joints;
    parts[ENG_FINGERPRINT_connectors] = built->connectors;
}

void eng_built_note(cairn_world *world)
{
    if (!world->model.built.known)
        world->model.built = (eng_built){true, hash_shapes(world), hash_bodies(world),
                                         hash_joints(world), hash_connectors(world)};
}

const char *eng_fingerprint_text(eng_fingerprint_part part)
{
    static const char *const texts[] = {
#define ENG_FINGERPRINT_TEXT(name, text) text,
        ENG_FINGERPRINT_LIST(ENG_FINGERPRINT_TEXT)
#undef ENG_FINGERPRINT_TEXT
    };
    return texts[part];
}
