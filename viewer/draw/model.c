// SPDX-License-Identifier: Apache-2.0
// Builds the side of a picture that seldom changes from a world, and keeps it up to date.
#include "viewer/draw/model_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a container is this many times as large as a typical body
static const double container_factor = 3.0;

// ---------------------------------------------------------------- bodies and materials

static cairn_status map_id(view_model *model, cairn_body_id id, int body)
{
    if (view_map_grow(model, &model->index_of, &model->index_count, &model->index_capacity,
                      id.index) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    model->index_of[id.index] = body;
    return CAIRN_OK;
}

static double bounding_radius(const view_shape *shape)
{
    vec3 size = vec3_sub(shape->maximum, shape->minimum);
    return size.x >= 0.0 ? 0.5 * vec3_norm(size) : 0.0;
}

/// A row for a body that comes: a vacant one, or one more; its name is free.
static cairn_status take_row(view_model *model, int *row)
{
    while (model->vacant_count > 0 && model->vacant_from < model->body_count) {
        *row = model->vacant_from++;
        if (!model->bodies[*row].vacant)
            continue;
        base_release(&model->allocator, model->bodies[*row].name);
        model->vacant_count--;
        return CAIRN_OK;
    }
    if (base_array_reserve(&model->allocator, &model->bodies, &model->body_capacity,
                           model->body_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    *row = model->body_count++;
    return CAIRN_OK;
}

static cairn_status add_body(view_model *model, const cairn_world *world, cairn_body_id id)
{
    cairn_body_view view;
    view_body body = {.id = id, .made = model->version};
    int row;
    BASE_TRY(cairn_body_get(world, id, &view));
    BASE_TRY(view_shape_find(model, world, view.shape, &body.shape));
    body.kind = view.kind;
    body.material = (int)view.material.index;
    body.mass = view.mass;
    body.radius = bounding_radius(&model->shapes[body.shape]);
    const double *q = view.orientation;
    pose placement = {vec3_from(view.position), {q[0], q[1], q[2], q[3]}};
    body.centre = pose_apply_inverse(&placement, vec3_from(view.centre));
    body.name = base_copy_text(&model->allocator, view.name);
    cairn_status status = body.name != NULL ? take_row(model, &row) : CAIRN_ERROR_MEMORY;
    if (status != CAIRN_OK) {
        base_release(&model->allocator, body.name);
        return status;
    }
    model->bodies[row] = body;
    model->shapes[body.shape].bodies++;
    return map_id(model, id, row);
}

/// Rows of bodies that were gone before any frame that is kept become vacant.
/// @return false when out of memory
static bool vacate(view_model *model, int64_t kept)
{
    model->vacant_from = 0;
    for (int i = 0; i < model->body_count; i++) {
        view_body *body = &model->bodies[i];
        if (body->vacant || body->seen >= kept)
            continue;
        // the id's index may be another body's already
        if (view_model_body(model, body->id) == i)
            model->index_of[body->id.index] = -1;
        body->vacant = true;
        model->vacant_count++;
        if (!view_shape_let_go(model, body->shape))
            return false;
    }
    return true;
}

/// 0 where the pair's law has none.
static double pair_friction(const cairn_world *world, cairn_material_id a, cairn_material_id b)
{
    cairn_value friction;
    cairn_status status = cairn_pair_get_value(world, a, b, "friction", &friction);
    return status == CAIRN_OK ? friction.number : 0.0;
}

void view_model_read_friction(view_model *model, const cairn_world *world)
{
    for (int a = 0; a < model->material_count; a++)
        for (int b = 0; b < model->material_count; b++)
            model->frictions[a * model->material_count + b] =
                pair_friction(world, cairn_material_find(world, model->materials[a]),
                              cairn_material_find(world, model->materials[b]));
}

static cairn_status read_materials(view_model *model, const cairn_world *world)
{
    int count = cairn_material_count(world);
    model->materials = base_allocate(&model->allocator, (size_t)count + 1, sizeof(char *));
    model->paints = base_allocate(&model->allocator, (size_t)count + 1, sizeof *model->paints);
    model->frictions =
        base_allocate(&model->allocator, (size_t)count * (size_t)count + 1, sizeof(double));
    if (model->materials == NULL || model->paints == NULL || model->frictions == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        cairn_material_id id = cairn_material_at(world, i);
        model->materials[i] = base_copy_text(&model->allocator, cairn_material_get_name(world, id));
        if (model->materials[i] == NULL)
            return CAIRN_ERROR_MEMORY;
        model->material_count++;
    }
    view_model_read_friction(model, world);
    return CAIRN_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double cube_edge(const view_shape *shape)
{
    vec3 size = vec3_sub(shape->maximum, shape->minimum);
    return cbrt(size.x * size.y * size.z);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count > 0 ? values[count / 2] : 1.0;
}

static cairn_status find_typical_size(view_model *model)
{
    size_t capacity = (size_t)model->body_count + 1;
    double *sizes = base_allocate(&model->allocator, 2 * capacity, sizeof *sizes);
    if (sizes == NULL)
        return CAIRN_ERROR_MEMORY;
    double *edges = sizes + capacity;
    int count = 0;
    for (int pass = 0; pass < 2 && count == 0; pass++)
        for (int i = 0; i < model->body_count; i++)
            if ((pass == 1 || model->bodies[i].kind == CAIRN_DYNAMIC) && !model->bodies[i].vacant &&
                model->bodies[i].radius > 0.0) {
                edges[count] = cube_edge(&model->shapes[model->bodies[i].shape]);
                sizes[count++] = model->bodies[i].radius;
            }
    model->typical_size = median(sizes, count);
    model->symbol_size = median(edges, count);
    base_release(&model->allocator, sizes);
    return CAIRN_OK;
}

static pose pose_of_body(const cairn_world *world, cairn_body_id id)
{
    cairn_body_view view;
    if (id.generation == 0 || cairn_body_get(world, id, &view) != CAIRN_OK)
        return pose_identity();
    const double *q = view.orientation;
    return (pose){vec3_from(view.position), {q[0], q[1], q[2], q[3]}};
}

/// @param points, axis  in the world; turned into the bodies' frames
static cairn_status add_joint(view_model *model, const cairn_world *world, view_joint joint,
                              const cairn_body_id ids[2], const char *name)
{
    if (base_array_reserve(&model->allocator, &model->joints, &model->joint_capacity,
                           model->joint_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int side = 0; side < 2; side++) {
        pose placement = pose_of_body(world, ids[side]);
        joint.bodies[side] = view_model_body(model, ids[side]);
        joint.points[side] = pose_apply_inverse(&placement, joint.points[side]);
        if (side == 0)
            joint.axis = quat_rotate_inverse(placement.orientation, joint.axis);
    }
    joint.name = base_copy_text(&model->allocator, name);
    if (joint.name == NULL)
        return CAIRN_ERROR_MEMORY;
    model->joints[model->joint_count++] = joint;
    return CAIRN_OK;
}

/// Where the coordinate is counted from; the hand of a hinge points to the body that it turns.
static void set_zero(view_joint *joint, const cairn_world *world, const cairn_body_id ids[2],
                     double coordinate)
{
    cairn_body_view b;
    pose a = pose_of_body(world, ids[0]), at = pose_of_body(world, ids[1]);
    vec3 axis = vec3_normalize_or(joint->axis, vec3_make(0.0, 0.0, 1.0)), anchor = joint->points[1];
    if (joint->kind != CAIRN_JOINT_HINGE) {
        joint->zero = pose_apply_inverse(&a, vec3_add_scaled(anchor, -coordinate, axis));
        return;
    }
    vec3 aside = vec3_cross(axis, vec3_make(axis.z, axis.x, axis.y)), out = {0};
    if (ids[1].generation != 0 && cairn_body_get(world, ids[1], &b) == CAIRN_OK)
        out = vec3_sub(vec3_from(b.centre), anchor);
    out = vec3_add_scaled(out, -vec3_dot(out, axis), axis);
    out = vec3_normalize_or(out, vec3_normalize_or(aside, vec3_make(1.0, 0.0, 0.0)));
    quat back = base_quat_from_rotation_vector(vec3_scale(-coordinate, axis));
    joint->hand = quat_rotate_inverse(at.orientation, out);
    joint->zero = quat_rotate_inverse(a.orientation, quat_rotate(back, out));
}

double view_joint_coordinate(const view_joint *joint, const pose *poses)
{
    pose a = joint->bodies[0] >= 0 ? poses[joint->bodies[0]] : pose_identity();
    pose b = joint->bodies[1] >= 0 ? poses[joint->bodies[1]] : pose_identity();
    vec3 axis = quat_rotate(a.orientation, joint->axis);
    if (joint->kind != CAIRN_JOINT_HINGE)
        return vec3_dot(axis,
                        vec3_sub(pose_apply(&b, joint->points[1]), pose_apply(&a, joint->zero)));
    vec3 zero = quat_rotate(a.orientation, joint->zero);
    vec3 hand = quat_rotate(b.orientation, joint->hand);
    return atan2(vec3_dot(axis, vec3_cross(zero, hand)), vec3_dot(zero, hand));
}

static void drop_joints(view_model *model)
{
    for (int i = 0; i < model->joint_count; i++)
        base_release(&model->allocator, model->joints[i].name);
    model->joint_count = 0;
}

static cairn_status read_joints(view_model *model, const cairn_world *world)
{
    cairn_status status = CAIRN_OK;
    drop_joints(model);
    model->joints_made = model->version;
    model->joints_read = cairn_joint_count(world) + cairn_connector_count(world);
    for (int i = 0; status == CAIRN_OK && i < cairn_joint_count(world); i++) {
        cairn_joint_view view;
        if (cairn_joint_get(world, cairn_joint_at(world, i), &view) != CAIRN_OK)
            continue;
        vec3 anchor = vec3_from(view.anchor);
        view_joint joint = {.points = {anchor, anchor},
                            .axis = vec3_from(view.axis),
                            .range = {view.range[0], view.range[1]},
                            .kind = view.kind};
        const cairn_body_id ids[2] = {view.a, view.b};
        set_zero(&joint, world, ids, view.coordinate);
        status = add_joint(model, world, joint, ids, view.name);
    }
    for (int i = 0; status == CAIRN_OK && i < cairn_connector_count(world); i++) {
        cairn_connector_view view;
        if (cairn_connector_get(world, cairn_connector_at(world, i), &view) != CAIRN_OK)
            continue;
        view_joint joint = {.points = {vec3_from(view.positions[0]), vec3_from(view.positions[1])},
                            .is_connector = true};
        status = add_joint(model, world, joint, view.bodies, view.name);
    }
    return status;
}

// ---------------------------------------------------------------- bodies of a run

static cairn_status add_recorded(view_model *model, const cairn_replay_body *from)
{
    view_body body = {.made = model->version, .kind = from->kind, .material = from->material};
    uint32_t index = from->shape[0];
    cairn_status status = CAIRN_OK;
    if (index < (uint32_t)model->shape_of_count && model->shape_of[index] >= 0 &&
        model->shape_generations[index] == from->shape[1])
        body.shape = model->shape_of[index];
    else
        status = view_shape_make_recorded(model, from, &body.shape);
    if (status == CAIRN_OK)
        status = base_array_reserve(&model->allocator, &model->bodies, &model->body_capacity,
                                    model->body_count + 1);
    if (status != CAIRN_OK)
        return status;
    body.mass = from->mass;
    body.radius = bounding_radius(&model->shapes[body.shape]);
    if (body.material >= model->material_count)
        body.material = 0;
    body.name = base_copy_text(&model->allocator, "");
    if (body.name == NULL)
        return CAIRN_ERROR_MEMORY;
    model->bodies[model->body_count++] = body;
    return CAIRN_OK;
}

cairn_status view_model_add_recorded(view_model *model, const cairn_replay *replay)
{
    const cairn_replay_info *info = cairn_replay_get_info(replay);
    cairn_status status = CAIRN_OK;
    if (!info->varies || info->bodies <= model->body_count)
        return status;
    model->version++;
    while (status == CAIRN_OK && model->body_count < info->bodies) {
        cairn_replay_body body;
        status = cairn_replay_get_body(replay, model->body_count, &body);
        if (status == CAIRN_OK)
            status = add_recorded(model, &body);
    }
    return status == CAIRN_OK ? find_typical_size(model) : status;
}

// ---------------------------------------------------------------- regions

cairn_status view_model_add_region(view_model *model, const cairn_world *world,
                                   view_region_kind kind, const cairn_region *region)
{
    view_region made = {kind, *region, vec3_from(region->a), vec3_from(region->a)};
    cairn_shape_view shape;
    vec3 r = {region->radius, region->radius, region->radius};
    switch (region->kind) {
    case CAIRN_REGION_BOX:
        made.maximum = vec3_from(region->b);
        break;
    case CAIRN_REGION_CYLINDER:
        made.minimum = vec3_sub(vec3_min(made.minimum, vec3_from(region->b)), r);
        made.maximum = vec3_add(vec3_max(made.maximum, vec3_from(region->b)), r);
        break;
    case CAIRN_REGION_SPHERE:
        made.minimum = vec3_sub(made.minimum, r);
        made.maximum = vec3_add(made.maximum, r);
        break;
    case CAIRN_REGION_HULL:
    case CAIRN_REGION_MESH:
        if (cairn_shape_get(world, region->shape, &shape) != CAIRN_OK || shape.vertex_count == 0)
            return CAIRN_OK;
        made.minimum = vec3_make(INFINITY, INFINITY, INFINITY);
        made.maximum = vec3_scale(-1.0, made.minimum);
        for (int i = 0; i < shape.vertex_count; i++) {
            vec3 vertex = vec3_add(vec3_from(region->a), vec3_from(shape.vertices[i]));
            made.minimum = vec3_min(made.minimum, vertex);
            made.maximum = vec3_max(made.maximum, vertex);
        }
        break;
    }
    if (base_array_reserve(&model->allocator, &model->regions, &model->region_capacity,
                           model->region_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    model->regions[model->region_count++] = made;
    return CAIRN_OK;
}

static cairn_status read_servos(view_model *model, const cairn_world *world)
{
    int count = cairn_servo_count(world);
    if (count == 0)
        return CAIRN_OK;
    model->servos = base_allocate(&model->allocator, (size_t)count, sizeof *model->servos);
    if (model->servos == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        if (cairn_servo_get(world, i, &model->servos[model->servo_count]) == CAIRN_OK)
            model->servos[model->servo_count++].name = "";
    return CAIRN_OK;
}

static cairn_status read_regions(view_model *model, const cairn_world *world)
{
    cairn_emitter_view emitter;
    cairn_outlet_view outlet;
    cairn_status status = CAIRN_OK;
    for (int i = 0; status == CAIRN_OK && i < cairn_emitter_count(world); i++)
        if (cairn_emitter_get(world, i, &emitter) == CAIRN_OK)
            status = view_model_add_region(model, world, VIEW_REGION_EMITTER, &emitter.region);
    for (int i = 0; status == CAIRN_OK && i < cairn_outlet_count(world); i++)
        if (cairn_outlet_get(world, i, &outlet) == CAIRN_OK)
            status = view_model_add_region(model, world, VIEW_REGION_OUTLET, &outlet.region);
    return status;
}

// ---------------------------------------------------------------- the whole

cairn_status view_model_build(view_model *model, const base_allocator *allocator,
                              const cairn_world *world, cairn_error *error)
{
    *model = (view_model){.allocator = *allocator, .joints_read = -1};
    cairn_status status = read_materials(model, world);
    if (status == CAIRN_OK)
        status = view_model_update(model, world, 0);
    if (status == CAIRN_OK)
        status = read_regions(model, world);
    if (status == CAIRN_OK)
        status = read_servos(model, world);
    if (status == CAIRN_OK)
        return CAIRN_OK;
    view_model_finish(model);
    return base_fail(error, status, "the world cannot be shown: %s", cairn_status_text(status));
}

cairn_status view_model_update(view_model *model, const cairn_world *world, int64_t kept)
{
    int64_t step = cairn_world_get_step_count(world);
    int count = cairn_body_count(world), there = 0;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < count; i++) {
        int row = view_model_body(model, cairn_body_at(world, i));
        if (row >= 0) {
            model->bodies[row].seen = step;
            there++;
        }
    }
    bool changes = there < count ||
                   cairn_joint_count(world) + cairn_connector_count(world) != model->joints_read;
    if (there < model->body_count - model->vacant_count)
        status = vacate(model, kept) ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    model->version += changes;
    for (int i = 0; status == CAIRN_OK && there < count && i < count; i++) {
        cairn_body_id id = cairn_body_at(world, i);
        if (view_model_body(model, id) >= 0)
            continue;
        status = add_body(model, world, id);
        if (status == CAIRN_OK)
            model->bodies[view_model_body(model, id)].seen = step;
    }
    if (status == CAIRN_OK && changes)
        status = read_joints(model, world);
    // the sizes of symbols follow when there is a quarter more or less of bodies
    if (status == CAIRN_OK && (model->sized == 0 || 4 * abs(count - model->sized) > model->sized)) {
        model->sized = count;
        status = find_typical_size(model);
    }
    return status;
}

void view_model_finish(view_model *model)
{
    const base_allocator *allocator = &model->allocator;
    if (allocator->reallocate == NULL)
        return;
    for (int i = 0; i < model->mesh_count; i++) {
        base_release(allocator, model->meshes[i].positions);
        base_release(allocator, model->meshes[i].normals);
    }
    for (int i = 0; i < model->body_count; i++)
        base_release(allocator, model->bodies[i].name);
    for (int i = 0; i < model->joint_count; i++)
        base_release(allocator, model->joints[i].name);
    for (int i = 0; i < model->material_count; i++)
        base_release(allocator, model->materials[i]);
    base_release(allocator, model->joints);
    base_release(allocator, model->regions);
    base_release(allocator, model->servos);
    base_release(allocator, model->parts);
    base_release(allocator, model->meshes);
    base_release(allocator, model->shapes);
    base_release(allocator, model->bodies);
    base_release(allocator, model->index_of);
    base_release(allocator, model->shape_of);
    base_release(allocator, model->shape_generations);
    base_release(allocator, model->spare_shapes);
    base_release(allocator, model->materials);
    base_release(allocator, model->paints);
    base_release(allocator, model->frictions);
    *model = (view_model){0};
}

// ---------------------------------------------------------------- questions

int view_model_body(const view_model *model, cairn_body_id id)
{
    if (id.generation == 0 || id.index >= (uint32_t)model->index_count)
        return -1;
    int row = model->index_of[id.index];
    return row >= 0 && model->bodies[row].id.generation == id.generation ? row : -1;
}

double view_model_friction(const view_model *model, int a, int b)
{
    int row = model->bodies[a].material, column = model->bodies[b].material;
    return model->frictions[row * model->material_count + column];
}

const view_paint *view_model_paint(const view_model *model, int body)
{
    const view_body *each = &model->bodies[body];
    // a half-space is scenery: it keeps its grey whatever it is made of
    bool own = each->paint.given || !(each->radius > 0.0);
    return own ? &each->paint : &model->paints[each->material];
}

bool view_model_is_container(const view_model *model, int body)
{
    const view_body *each = &model->bodies[body];
    return each->kind != CAIRN_DYNAMIC && !model->shapes[each->shape].terrain &&
           each->radius > container_factor * model->typical_size;
}
