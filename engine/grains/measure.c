// SPDX-License-Identifier: Apache-2.0
// Averages over the grains and contacts of a region.
#include "engine/bodies/body_state.h"
#include "engine/grains/overlap.h"
#include "engine/measures/finite.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

/// sum += factor a b^T, symmetric part: xx, yy, zz, xy, xz, yz.
static void add_product(double sum[6], double factor, vec3 a, vec3 b)
{
    sum[0] += factor * a.x * b.x;
    sum[1] += factor * a.y * b.y;
    sum[2] += factor * a.z * b.z;
    sum[3] += 0.5 * factor * (a.x * b.y + a.y * b.x);
    sum[4] += 0.5 * factor * (a.x * b.z + a.z * b.x);
    sum[5] += 0.5 * factor * (a.y * b.z + a.z * b.y);
}

/// @param region  NULL: the periodic cell, in which everything is
static bool is_inside(const cairn_world *world, const cairn_region *region, int body)
{
    return region == NULL || eng_region_holds(world, region, eng_place_of(world, body));
}

/// Volume of the grains within the region; in the periodic cell, that of all of them.
static double solid_volume(const cairn_world *world, const cairn_region *region)
{
    double solid = 0.0;
    eng_window window = {0};
    if (region != NULL && world->state.cell.any)
        window = eng_window_make(&world->state.cell, &world->state.cell.now,
                                 eng_region_bounds(world, region));
    for (int row = 0; row < world->model.bodies.count; row++)
        if (eng_body_is_live(world, row) && world->model.bodies.rows[row].kind == CAIRN_DYNAMIC)
            solid +=
                region == NULL
                    ? geo_shape_mass(world->model.shapes.rows[world->model.bodies.rows[row].shape])
                          .volume
                    : eng_region_part_of_body(world, region, &window, row);
    return solid;
}

/// Number, mass and mean velocity, solid volume, and fluctuations about that velocity.
static void add_grains(const cairn_world *world, const cairn_region *region, double volume,
                       cairn_measure *out)
{
    vec3 momentum = {0.0, 0.0, 0.0};
    double energy = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        vec3 mean = vec3_from(out->velocity);
        for (int row = 0; row < world->model.bodies.count; row++) {
            if (!eng_body_is_live(world, row) ||
                world->model.bodies.rows[row].kind != CAIRN_DYNAMIC ||
                !is_inside(world, region, row))
                continue;
            double mass = world->model.bodies.rows[row].mass;
            eng_state state = eng_state_of(world, row);
            vec3 v = vec3_from(state.v);
            // images move with the strain of the cell, and so does the mean motion in it
            if (region == NULL)
                v = vec3_sub(v, mat3_apply(&world->state.cell.gradient, state.q.position));
            if (pass == 0) {
                out->bodies++;
                out->mass += mass;
                momentum = vec3_add_scaled(momentum, mass, v);
                continue;
            }
            vec3 away = vec3_sub(v, mean);
            energy += mass * vec3_dot(away, away);
            add_product(out->stress, mass / volume, away, away);
        }
        if (pass == 0 && out->mass > 0.0)
            vec3_store(out->velocity, vec3_scale(1.0 / out->mass, momentum));
    }
    vec3 extent = {world->state.cell.now.m[0][0], world->state.cell.now.m[1][1],
                   world->state.cell.now.m[2][2]};
    if (region != NULL) {
        geo_bounds bounds = eng_region_bounds(world, region);
        extent = vec3_sub(bounds.high, bounds.low);
    }
    for (int k = 0; k < 3; k++)
        out->flow[k] = vec3_get(momentum, k) / vec3_get(extent, k);
    out->porosity = 1.0 - solid_volume(world, region) / volume;
    out->temperature = out->mass > 0.0 ? energy / (3.0 * out->mass) : 0.0;
}

/// Contacts of a body with and without those that carry nothing: of bodies with at most one
/// contact (Thornton 2000).
static void count_rattlers(const cairn_world *world, const cairn_region *region,
                           const int *contacts, cairn_measure *out)
{
    int bearing = 0, all = 0;
    for (int row = 0; row < world->model.bodies.count; row++) {
        if (!eng_body_is_live(world, row) || world->model.bodies.rows[row].kind != CAIRN_DYNAMIC ||
            !is_inside(world, region, row))
            continue;
        bearing += contacts[row] > 1;
        all += contacts[row] > 1 ? contacts[row] : 0;
    }
    out->rattlers = out->bodies - bearing;
    out->bearing_coordination = bearing > 0 ? (double)all / bearing : 0.0;
}

/// A contact in the region, by the vector from the centre of A to that of B; to the point of
/// contact with what is not dynamic.
static void add_contact(const cairn_world *world, const cairn_region *region, double volume,
                        const cairn_contact_view *c, int *contacts, cairn_measure *out)
{
    vec3 point = vec3_from(c->point), force = vec3_from(c->force), ends[2];
    const int bodies[2] = {(int)c->a.index, (int)c->b.index};
    if (!(vec3_dot(force, force) > 0.0))
        return;
    for (int side = 0; side < 2; side++) {
        bool live = eng_body_is_live(world, bodies[side]);
        bool grain = live && world->model.bodies.rows[bodies[side]].kind == CAIRN_DYNAMIC;
        // the image of the grain that the contact is next to
        ends[side] = grain ? eng_image_centre(world, bodies[side], point) : point;
        out->coordination += grain && is_inside(world, region, bodies[side]);
        if (grain && contacts != NULL)
            contacts[bodies[side]]++;
    }
    if (region != NULL && !eng_region_holds(world, region, point))
        return;
    out->contacts++;
    add_product(out->stress, 1.0 / volume, force, vec3_sub(ends[1], ends[0]));
    add_product(out->fabric, 1.0, vec3_from(c->normal), vec3_from(c->normal));
}

cairn_status eng_measure(const cairn_world *world, const cairn_region *region, int *contacts,
                         cairn_measure *measure, cairn_error *error)
{
    if (world == NULL || measure == NULL)
        return base_fail_null(error, "cairn_world_measure");
    *measure = (cairn_measure){0};
    if (region == NULL && !world->state.cell.any)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "this world has no periodic cell: a measure wants a region");
    cairn_status status = region != NULL ? eng_region_check(world, region, error) : CAIRN_OK;
    // images of bodies that no step has looked at yet
    if (status == CAIRN_OK &&
        (world->state.clock.step_count == 0 || world->contacts.pairs.topology_changed))
        status = eng_cell_check_bodies(world, error);
    if (status != CAIRN_OK)
        return status;
    double volume = region != NULL ? eng_region_volume(world, region)
                                   : fabs(mat3_determinant(&world->state.cell.now));
    add_grains(world, region, volume, measure);
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view contact;
        if (cairn_contact_get(world, i, &contact) == CAIRN_OK)
            add_contact(world, region, volume, &contact, contacts, measure);
    }
    for (int k = 0; k < 6 && measure->contacts > 0; k++)
        measure->fabric[k] /= measure->contacts;
    if (measure->bodies > 0)
        measure->coordination /= measure->bodies;
    if (contacts != NULL)
        count_rattlers(world, region, contacts, measure);
    return CAIRN_OK;
}

cairn_status cairn_world_measure(const cairn_world *world, const cairn_region *region,
                                 cairn_measure *measure, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    int *contacts = base_allocate(&world->model.allocator, (size_t)world->model.bodies.count + 1,
                                  sizeof *contacts);
    cairn_status status = contacts != NULL
                              ? eng_measure(world, region, contacts, measure, error)
                              : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a measure");
    base_release(&world->model.allocator, contacts);
    return status;
}

cairn_status cairn_world_get_unbalanced(const cairn_world *world, double *ratio, cairn_error *error)
{
    if (world == NULL || ratio == NULL)
        return base_fail_null(error, __func__);
    size_t bodies = (size_t)world->model.bodies.count;
    vec3 *sums = base_allocate(&world->model.allocator, bodies + 1, sizeof *sums);
    if (sums == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the unbalanced force");
    double forces = 0.0, rest = 0.0, weight = 0.0;
    int contacts = 0, grains = 0;
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view c;
        if (cairn_contact_get(world, i, &c) != CAIRN_OK)
            continue;
        vec3 force = vec3_from(c.force);
        sums[c.a.index] = vec3_sub(sums[c.a.index], force);
        sums[c.b.index] = vec3_add(sums[c.b.index], force);
        forces += vec3_norm(force);
        contacts += vec3_norm(force) > 0.0;
    }
    vec3 gravity = vec3_from(world->model.def.gravity);
    for (int row = 0; row < world->model.bodies.count; row++) {
        if (!eng_body_is_live(world, row) || world->model.bodies.rows[row].kind != CAIRN_DYNAMIC)
            continue;
        rest += vec3_norm(vec3_add_scaled(sums[row], world->model.bodies.rows[row].mass, gravity));
        weight += world->model.bodies.rows[row].mass * vec3_norm(gravity);
        grains++;
    }
    // what falls and touches nothing is not at rest
    double unit = contacts > 0 ? forces / contacts : grains > 0 ? weight / grains : 0.0;
    *ratio = grains > 0 && unit > 0.0 ? rest / grains / unit : 0.0;
    base_release(&world->model.allocator, sums);
    return CAIRN_OK;
}

int cairn_world_get_bond_count(const cairn_world *world)
{
    int bonds = 0;
    for (int i = 0; world != NULL && i < world->contacts.set.count; i++) {
        const eng_surface *surface =
            &world->model.materials.surfaces[world->contacts.set.surface[i]];
        bonds += surface->law->bonded != NULL &&
                 surface->law->bonded(surface->parameters, world->contacts.set.history[i]);
    }
    return bonds;
}
