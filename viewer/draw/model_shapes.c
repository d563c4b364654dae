// SPDX-License-Identifier: Apache-2.0
// Parts and meshes of a model's shapes, and which shapes it has.
#include "viewer/draw/model_shapes.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- meshes

static cairn_status add_triangle(const base_allocator *allocator, view_mesh *mesh, vec3 a, vec3 b,
                                 vec3 c)
{
    int needed = mesh->vertex_count + 3;
    if (base_array_reserve(allocator, &mesh->positions, &mesh->position_capacity, needed) !=
            CAIRN_OK ||
        base_array_reserve(allocator, &mesh->normals, &mesh->normal_capacity, needed) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    vec3 corners[3] = {a, b, c};
    vec3 normal =
        vec3_normalize_or(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), vec3_make(0.0, 0.0, 1.0));
    for (int i = 0; i < 3; i++) {
        float *position = mesh->positions[mesh->vertex_count];
        float *out = mesh->normals[mesh->vertex_count++];
        for (int axis = 0; axis < 3; axis++) {
            position[axis] = (float)vec3_get(corners[i], axis);
            out[axis] = (float)vec3_get(normal, axis);
        }
    }
    return CAIRN_OK;
}

/// Faces as fans of triangles.
static cairn_status fill_mesh(const base_allocator *allocator, view_mesh *mesh,
                              const cairn_shape_view *shape)
{
    for (int face = 0; face < shape->face_count; face++) {
        int from = shape->face_start != NULL ? shape->face_start[face] : 3 * face;
        int to = shape->face_start != NULL ? shape->face_start[face + 1] : 3 * face + 3;
        vec3 first = vec3_from(shape->vertices[shape->face_vertices[from]]);
        for (int i = from + 1; i + 1 < to; i++) {
            vec3 second = vec3_from(shape->vertices[shape->face_vertices[i]]);
            vec3 third = vec3_from(shape->vertices[shape->face_vertices[i + 1]]);
            if (add_triangle(allocator, mesh, first, second, third) != CAIRN_OK)
                return CAIRN_ERROR_MEMORY;
        }
    }
    return CAIRN_OK;
}

/// Arrays of a rounded surface, in one block; NULL when out of memory or `status` is not CAIRN_OK.
static void *take_surface(const base_allocator *allocator, const cairn_world *world,
                          cairn_shape_id id, cairn_surface *surface, cairn_status *status)
{
    *surface = (cairn_surface){0};
    *status = cairn_shape_get_surface(world, id, surface);
    if (*status != CAIRN_OK)
        return NULL;
    size_t points = (size_t)surface->point_count, triangles = (size_t)surface->triangle_count;
    char *block = base_allocate(
        allocator, 2 * points * sizeof *surface->points + triangles * sizeof *surface->triangles,
        1);
    if (block == NULL) {
        *status = CAIRN_ERROR_MEMORY;
        return NULL;
    }
    surface->points = (double(*)[3])(void *)block;
    surface->normals = surface->points + points;
    surface->triangles = (int(*)[3])(void *)(surface->normals + points);
    *status = cairn_shape_get_surface(world, id, surface);
    return block;
}

/// Triangles with the normals of their corners, so that rounded parts look smooth.
static cairn_status fill_smooth(const base_allocator *allocator, view_mesh *mesh,
                                const cairn_surface *surface)
{
    int needed = 3 * surface->triangle_count;
    if (base_array_reserve(allocator, &mesh->positions, &mesh->position_capacity, needed) !=
            CAIRN_OK ||
        base_array_reserve(allocator, &mesh->normals, &mesh->normal_capacity, needed) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < needed; i++) {
        int point = surface->triangles[i / 3][i % 3];
        for (int axis = 0; axis < 3; axis++) {
            mesh->positions[i][axis] = (float)surface->points[point][axis];
            mesh->normals[i][axis] = (float)surface->normals[point][axis];
        }
    }
    mesh->vertex_count = needed;
    return CAIRN_OK;
}

static cairn_status add_mesh(view_model *model, const cairn_shape_view *shape, int *mesh)
{
    if (base_array_reserve(&model->allocator, &model->meshes, &model->mesh_capacity,
                           model->mesh_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    *mesh = model->mesh_count++;
    model->meshes[*mesh] = (view_mesh){0};
    return fill_mesh(&model->allocator, &model->meshes[*mesh], shape);
}

// ---------------------------------------------------------------- parts of shapes

static void include(view_shape *shape, const pose *placement, vec3 half, vec3 middle)
{
    for (int corner = 0; corner < 8; corner++) {
        vec3 local = vec3_make(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                               corner & 4 ? half.z : -half.z);
        vec3 point = pose_apply(placement, vec3_add(middle, local));
        shape->minimum = vec3_min(shape->minimum, point);
        shape->maximum = vec3_max(shape->maximum, point);
    }
}

static cairn_status put_part(view_model *model, view_shape *shape, const view_part *part)
{
    if (base_array_reserve(&model->allocator, &model->parts, &model->part_capacity,
                           model->part_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    model->parts[model->part_count++] = *part;
    shape->part_count++;
    return CAIRN_OK;
}

static vec3 round_half_size(const cairn_shape_view *view)
{
    double along = view->kind == CAIRN_SPHERE    ? view->radius
                   : view->kind == CAIRN_CAPSULE ? view->radius + view->half_length
                                                 : view->half_length;
    return vec3_make(view->radius, view->radius, along);
}

static cairn_status add_round(view_model *model, view_shape *shape, const cairn_shape_view *view,
                              const pose *placement, int primitive)
{
    double r = view->radius, length = view->kind == CAIRN_SPHERE ? r : view->half_length;
    view_part part = {primitive, *placement, {r, r, length}};
    include(shape, placement, round_half_size(view), vec3_make(0.0, 0.0, 0.0));
    return put_part(model, shape, &part);
}

static bool faces_upwards(const view_mesh *mesh)
{
    for (int i = 0; i < mesh->vertex_count; i++)
        if (!(mesh->normals[i][2] > 0.0F))
            return false;
    return true;
}

static cairn_status add_faces(view_model *model, view_shape *shape, const cairn_shape_view *view,
                              const pose *placement)
{
    int mesh = 0;
    if (add_mesh(model, view, &mesh) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    view_part part = {VIEW_MESH + mesh, *placement, {1.0, 1.0, 1.0}};

    // include vertices
    for (int i = 0; i < view->vertex_count; i++) {
        vec3 point = pose_apply(placement, vec3_from(view->vertices[i]));
        shape->minimum = vec3_min(shape->minimum, point);
        shape->maximum = vec3_max(shape->maximum, point);
    }

    shape->terrain = view->kind == CAIRN_MESH && faces_upwards(&model->meshes[mesh]);
    return put_part(model, shape, &part);
}

static cairn_status add_rounded(view_model *model, view_shape *shape, const cairn_world *world,
                                cairn_shape_id id, const pose *placement)
{
    const base_allocator *allocator = &model->allocator;
    cairn_surface surface;
    cairn_status status;
    void *block = take_surface(allocator, world, id, &surface, &status);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &model->meshes, &model->mesh_capacity,
                                    model->mesh_count + 1);
    if (status == CAIRN_OK) {
        view_part part = {VIEW_MESH + model->mesh_count, *placement, {1.0, 1.0, 1.0}};
        view_mesh *mesh = &model->meshes[model->mesh_count++];
        *mesh = (view_mesh){0};
        status = fill_smooth(allocator, mesh, &surface);
        for (int i = 0; i < surface.point_count; i++) {
            vec3 point = pose_apply(placement, vec3_from(surface.points[i]));
            shape->minimum = vec3_min(shape->minimum, point);
            shape->maximum = vec3_max(shape->maximum, point);
        }
        if (status == CAIRN_OK)
            status = put_part(model, shape, &part);
    }
    base_release(allocator, block);
    return status;
}

enum { NET_AROUND = 32, NET_RINGS = 15 };

/// A shape for which there is no primitive: a net of the points that lie farthest along directions
/// all around.
static cairn_status add_net(view_model *model, view_shape *shape, const cairn_world *world,
                            cairn_shape_id id, const pose *placement)
{
    double points[NET_RINGS * NET_AROUND + 2][3];
    int faces[2 * NET_RINGS * NET_AROUND][3], count = 0, top = NET_RINGS * NET_AROUND + 1;
    for (int p = 0; p <= top; p++) {
        // the poles come first and last
        int ring = (p - 1) / NET_AROUND, i = (p - 1) % NET_AROUND;
        double above = p == 0     ? -0.5 * M_PI
                       : p == top ? 0.5 * M_PI
                                  : M_PI * ((ring + 1.0) / (NET_RINGS + 1.0) - 0.5);
        double around = 2.0 * M_PI * i / NET_AROUND;
        const double direction[3] = {cos(above) * cos(around), cos(above) * sin(around),
                                     sin(above)};
        BASE_TRY(cairn_shape_get_support(world, id, direction, points[p]));
    }
    for (int ring = 0; ring <= NET_RINGS; ring++)
        for (int i = 0; i < NET_AROUND; i++) {
            int next = (i + 1) % NET_AROUND, low = 1 + (ring - 1) * NET_AROUND,
                high = low + NET_AROUND;
            if (ring > 0)
                memcpy(faces[count++],
                       (int[]){low + i, low + next, ring == NET_RINGS ? top : high + next},
                       sizeof faces[0]);
            if (ring < NET_RINGS)
                memcpy(faces[count++], (int[]){ring == 0 ? 0 : low + i, high + next, high + i},
                       sizeof faces[0]);
        }
    cairn_shape_view net = {.kind = CAIRN_POLYHEDRON,
                            .vertex_count = top + 1,
                            .vertices = (const double(*)[3])points,
                            .face_count = count,
                            .face_vertices = faces[0]};
    return add_faces(model, shape, &net, placement);
}

static cairn_status add_simple(view_model *model, view_shape *shape, const cairn_world *world,
                               cairn_shape_id id, const cairn_shape_view *view,
                               const pose *placement)
{
    view_part part = {.placement = *placement};
    if (view->rounding > 0.0)
        return add_rounded(model, shape, world, id, placement);
    switch ((int)view->kind) {
    case CAIRN_SPHERE:
        return add_round(model, shape, view, placement, VIEW_SPHERE);
    case CAIRN_CAPSULE:
        return add_round(model, shape, view, placement, VIEW_CAPSULE);
    case CAIRN_CYLINDER:
        return add_round(model, shape, view, placement, VIEW_CYLINDER);
    case CAIRN_BOX:
        part.primitive = VIEW_BOX;
        memcpy(part.size, view->half_size, sizeof part.size);
        include(shape, placement, vec3_from(view->half_size), vec3_make(0.0, 0.0, 0.0));
        return put_part(model, shape, &part);
    case CAIRN_HALFSPACE:
        part.primitive = VIEW_PLANE;
        model->has_plane = true;
        return put_part(model, shape, &part);
    case CAIRN_POLYHEDRON:
    case CAIRN_MESH:
        return add_faces(model, shape, view, placement);
    default:
        return add_net(model, shape, world, id, placement);
    }
}

/// Members of a compound may be compounds.
static cairn_status add_parts(view_model *model, view_shape *shape, const cairn_world *world,
                              cairn_shape_id id, const pose *placement)
{
    cairn_shape_view view;
    BASE_TRY(cairn_shape_get(world, id, &view));
    if (view.kind != CAIRN_COMPOUND)
        return add_simple(model, shape, world, id, &view, placement);
    for (int i = 0; i < view.member_count; i++) {
        const double *q = view.member_placements[i].orientation;
        pose member =
            (pose){vec3_from(view.member_placements[i].position), {q[0], q[1], q[2], q[3]}};
        pose whole = pose_compose(placement, &member);
        BASE_TRY(add_parts(model, shape, world, view.members[i], &whole));
    }
    return CAIRN_OK;
}

cairn_status view_map_grow(view_model *model, int **map, int *count, int *capacity, uint32_t index)
{
    int needed = (int)index + 1;
    if (base_array_reserve(&model->allocator, map, capacity, needed) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    while (*count < needed)
        (*map)[(*count)++] = -1;
    return CAIRN_OK;
}

static bool are_same_meshes(const view_mesh *a, const view_mesh *b)
{
    return a->vertex_count == b->vertex_count &&
           memcmp(a->positions, b->positions, (size_t)a->vertex_count * sizeof *a->positions) == 0;
}

static bool are_same_shapes(const view_model *model, const view_shape *a, const view_shape *b)
{
    if (a->part_count != b->part_count || a->volume != b->volume)
        return false;
    for (int i = 0; i < a->part_count; i++) {
        const view_part *x = &model->parts[a->first_part + i],
                        *y = &model->parts[b->first_part + i];
        bool meshes = x->primitive >= VIEW_MESH && y->primitive >= VIEW_MESH;
        bool same = meshes ? are_same_meshes(&model->meshes[x->primitive - VIEW_MESH],
                                             &model->meshes[y->primitive - VIEW_MESH])
                           : x->primitive == y->primitive;
        if (!same || memcmp(&x->placement, &y->placement, sizeof x->placement) != 0 ||
            memcmp(x->size, y->size, sizeof x->size) != 0)
            return false;
    }
    return true;
}

/// Whether a shape is of one part that is no mesh, as those of grains are, each with its own size.
static bool is_simple(const view_model *model, const view_shape *shape)
{
    return shape->part_count == 1 && model->parts[shape->first_part].primitive < VIEW_MESH;
}

/// Puts a simple shape that was made last in the place of one that no body has.
static int use_spare(view_model *model)
{
    int made = model->shape_count - 1;
    if (model->spare_count == 0)
        return made;
    int spare = model->spare_shapes[--model->spare_count];
    view_shape *place = &model->shapes[spare];
    if (place->owner < (uint32_t)model->shape_of_count && model->shape_of[place->owner] == spare)
        model->shape_of[place->owner] = -1;
    int part = place->first_part;
    *place = model->shapes[made];
    model->parts[part] = model->parts[place->first_part];
    place->first_part = part;
    model->shape_count--;
    model->part_count--;
    return spare;
}

/// Where the shape stays that was made last: its own place, that of one that no body has, or an
/// older shape like it.
static int settle_shape(view_model *model, int first_mesh)
{
    int made = model->shape_count - 1;
    model->shapes[made].made = model->version;
    if (is_simple(model, &model->shapes[made]))
        return use_spare(model);
    for (int i = 0; i < made; i++) {
        if (!are_same_shapes(model, &model->shapes[i], &model->shapes[made]))
            continue;
        model->part_count = model->shapes[made].first_part;
        for (; model->mesh_count > first_mesh; model->mesh_count--) {
            base_release(&model->allocator, model->meshes[model->mesh_count - 1].positions);
            base_release(&model->allocator, model->meshes[model->mesh_count - 1].normals);
        }
        model->shape_count--;
        return i;
    }
    return made;
}

bool view_shape_let_go(view_model *model, int shape)
{
    view_shape *s = &model->shapes[shape];
    if (--s->bodies > 0 || !is_simple(model, s))
        return true;
    if (base_array_reserve(&model->allocator, &model->spare_shapes, &model->spare_capacity,
                           model->spare_count + 1) != CAIRN_OK)
        return false;
    model->spare_shapes[model->spare_count++] = shape;
    return true;
}

cairn_status view_shape_find(view_model *model, const cairn_world *world, cairn_shape_id id,
                             int *shape)
{
    if (view_map_grow(model, &model->shape_of, &model->shape_of_count, &model->shape_of_capacity,
                      id.index) != CAIRN_OK ||
        base_array_reserve(&model->allocator, &model->shape_generations,
                           &model->generation_capacity, model->shape_of_count) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    *shape = model->shape_of[id.index];
    if (*shape >= 0 && model->shape_generations[id.index] == id.generation)
        return CAIRN_OK;
    if (base_array_reserve(&model->allocator, &model->shapes, &model->shape_capacity,
                           model->shape_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    cairn_shape_view view;
    BASE_TRY(cairn_shape_get(world, id, &view));
    int first_mesh = model->mesh_count;
    view_shape *made = &model->shapes[model->shape_count++];
    *made = (view_shape){
        .first_part = model->part_count,
        .minimum = {INFINITY, INFINITY, INFINITY},
        .maximum = {-INFINITY, -INFINITY, -INFINITY},
        .volume = view.volume,
        .owner = id.index,
    };
    pose here = pose_identity();
    BASE_TRY(add_parts(model, made, world, id, &here));
    *shape = model->shape_of[id.index] = settle_shape(model, first_mesh);
    model->shape_generations[id.index] = id.generation;
    return CAIRN_OK;
}

cairn_status view_shape_make_recorded(view_model *model, const cairn_replay_body *body, int *shape)
{
    cairn_shape_view view = {
        .kind = body->shape_kind,
        .radius = body->shape_size[0],
        .half_length = body->shape_size[1],
        .half_size = {body->shape_size[0], body->shape_size[1], body->shape_size[2]},
        .volume = 4.0 / 3.0 * M_PI * pow(body->shape_size[0], 3.0),
    };
    bool known = view.kind == CAIRN_SPHERE || view.kind == CAIRN_CAPSULE ||
                 view.kind == CAIRN_CYLINDER || view.kind == CAIRN_BOX;
    if (!known)
        view.kind = CAIRN_SPHERE;
    if (base_array_reserve(&model->allocator, &model->shapes, &model->shape_capacity,
                           model->shape_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    view_shape *made = &model->shapes[model->shape_count++];
    *made = (view_shape){
        .first_part = model->part_count,
        .minimum = {INFINITY, INFINITY, INFINITY},
        .maximum = {-INFINITY, -INFINITY, -INFINITY},
        .volume = view.volume,
        .owner = UINT32_MAX,
    };
    pose here = pose_identity();
    cairn_status status = add_simple(model, made, NULL, (cairn_shape_id){0}, &view, &here);
    if (status == CAIRN_OK)
        *shape = settle_shape(model, model->mesh_count);
    return status;
}
