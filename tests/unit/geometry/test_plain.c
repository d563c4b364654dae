// SPDX-License-Identifier: Apache-2.0
// The rows of plain shapes against one another, and convex shapes known by support functions alone.
#include "base/rng.h"
#include "geometry/narrow/closest.h"
#include "geometry/shape/plain.h"
#include "tests/check.h"
#include <cairn/cairn.h>

enum { SHAPES = 4 };

static void make_shapes(geo_shape *shapes[SHAPES])
{
    base_allocator allocator = base_allocator_default();
    cairn_error e;
    assert_int_equal(geo_sphere_create(&allocator, 0.7, &shapes[0], &e), CAIRN_OK);
    assert_int_equal(geo_box_create(&allocator, (vec3){0.3, 0.8, 0.5}, &shapes[1], &e), CAIRN_OK);
    assert_int_equal(geo_capsule_create(&allocator, 0.4, 0.9, &shapes[2], &e), CAIRN_OK);
    assert_int_equal(geo_cylinder_create(&allocator, 0.6, 0.5, &shapes[3], &e), CAIRN_OK);
}

static vec3 random_direction(base_rng *rng)
{
    vec3 d = {base_rng_range(rng, -1.0, 1.0), base_rng_range(rng, -1.0, 1.0),
              base_rng_range(rng, -1.0, 1.0)};
    return vec3_normalize_or(d, (vec3){1.0, 0.0, 0.0});
}

static quat random_turn(base_rng *rng)
{
    return quat_normalize((quat){base_rng_range(rng, -1.0, 1.0), base_rng_range(rng, -1.0, 1.0),
                                 base_rng_range(rng, -1.0, 1.0), base_rng_range(rng, -1.0, 1.0)});
}

/// Volume inside a surface, by the divergence theorem.
static double volume_inside(const geo_surface *surface)
{
    double sum = 0.0;
    for (int p = 0, first = 0; p < surface->polygon_count; first = surface->ends[p++])
        for (int i = first + 1; i + 1 < surface->ends[p]; i++) {
            vec3 a = surface->vertices[surface->corners[first]];
            vec3 b = surface->vertices[surface->corners[i]];
            vec3 c = surface->vertices[surface->corners[i + 1]];
            sum += vec3_dot(a, vec3_cross(b, c));
        }
    return sum / 6.0;
}

static void sizes_make_and_tell(void **state)
{
    (void)state;
    geo_shape *shapes[SHAPES];
    make_shapes(shapes);
    const int counts[SHAPES] = {1, 4, 2, 2};
    const double sizes[SHAPES][4] = {{0.7}, {0.3, 0.8, 0.5}, {0.4, 0.9}, {0.6, 0.5}};
    for (int i = 0; i < SHAPES; i++) {
        assert_int_equal(geo_plain_size_count(shapes[i]->kind), counts[i]);
        for (int k = 0; k < counts[i]; k++)
            check_close(geo_plain_sizes(shapes[i])[k], sizes[i][k], 0.0, 0.0);
        geo_shape_destroy(shapes[i]);
    }
    assert_int_equal(geo_plain_size_count(GEO_HALFSPACE), 0);
    assert_int_equal(geo_plain_size_count(GEO_POLYHEDRON), -1);
    assert_int_equal(geo_plain_size_count(GEO_COMPOUND), -1);
}

static void surfaces_enclose_the_volume(void **state)
{
    (void)state;
    geo_shape *shapes[SHAPES];
    make_shapes(shapes);
    for (int i = 0; i < SHAPES; i++) {
        double volume = geo_shape_mass(shapes[i]).volume;
        geo_surface own, net = {0};
        geo_plain_surface(shapes[i], &own);
        geo_surface_net(&net, geo_plain_kinds[shapes[i]->kind]->support,
                        geo_plain_sizes(shapes[i]));
        // a box is exact, an inscribed net of round shapes lies inside by a few per cent
        double least = shapes[i]->kind == GEO_BOX ? 1.0 - 1e-12 : 0.9;
        check_at_most(least * volume, volume_inside(&own));
        check_at_most(volume_inside(&own), (1.0 + 1e-12) * volume);
        check_at_most(0.85 * volume, volume_inside(&net));
        check_at_most(volume_inside(&net), (1.0 + 1e-12) * volume);
        geo_shape_destroy(shapes[i]);
    }
    base_allocator allocator = base_allocator_default();
    geo_shape *plane;
    cairn_error e;
    assert_int_equal(geo_halfspace_create(&allocator, &plane, &e), CAIRN_OK);
    geo_surface none;
    geo_plain_surface(plane, &none);
    assert_int_equal(none.polygon_count, 0);
    geo_shape_destroy(plane);
}

/// Two balls, and a ball and each other kind, as support functions against the closed forms that
/// the table of pairs has.
static void curved_cores_find_the_gap(void **state)
{
    (void)state;
    geo_shape *shapes[SHAPES];
    make_shapes(shapes);
    base_rng rng = base_rng_make(11);
    base_allocator allocator = base_allocator_default();
    geo_manifold manifold;
    geo_manifold_init(&manifold, &allocator);
    double worst = 0.0;
    int seen = 0;
    for (int trial = 0; trial < 4000; trial++) {
        const geo_shape *a = shapes[0], *b = shapes[trial % SHAPES];
        pose place_a = {{0.0, 0.0, 0.0}, random_turn(&rng)};
        vec3 direction = random_direction(&rng);
        double distance = a->bounding_radius + b->bounding_radius * base_rng_range(&rng, 0.2, 1.0);
        pose place_b = {vec3_scale(distance, direction), random_turn(&rng)};
        manifold.count = 0;
        assert_int_equal(geo_collide(a, &place_a, b, &place_b, 0.5, NULL, &manifold), CAIRN_OK);
        geo_placed placed_a = {a, quat_to_mat3(place_a.orientation), place_a.position};
        geo_placed placed_b = {b, quat_to_mat3(place_b.orientation), place_b.position};
        geo_core core_a, core_b;
        geo_core_init_curved(&core_a, &placed_a);
        geo_core_init_curved(&core_b, &placed_b);
        geo_closest closest;
        if (!geo_closest_find(&core_a, &core_b, 0.4, 0.7, &closest) || manifold.count == 0)
            continue;
        seen++;
        worst = fmax(worst, fabs(closest.separation - manifold.contacts[0].gap));
    }
    assert_true(seen > 2000);
    check_at_most(worst, 1e-7);
    geo_manifold_finish(&manifold);
    for (int i = 0; i < SHAPES; i++)
        geo_shape_destroy(shapes[i]);
}

static void lowest_point_meets_a_plane(void **state)
{
    (void)state;
    geo_shape *shapes[SHAPES];
    make_shapes(shapes);
    base_allocator allocator = base_allocator_default();
    geo_shape *plane;
    cairn_error e;
    assert_int_equal(geo_halfspace_create(&allocator, &plane, &e), CAIRN_OK);
    base_rng rng = base_rng_make(5);
    for (int trial = 0; trial < 400; trial++) {
        const geo_shape *b = shapes[trial % SHAPES];
        quat turn = random_turn(&rng);
        mat3 rotation = quat_to_mat3(turn);
        geo_manifold manifold;
        geo_manifold_init(&manifold, &allocator);
        geo_job job = {.a = {plane, mat3_identity(), {0.0, 0.0, 0.0}},
                       .b = {b, rotation, {0.0, 0.0, 0.6}},
                       .margin = INFINITY,
                       .size = 1.0,
                       .manifold = &manifold};
        assert_int_equal(geo_pair_plane_convex(&job), CAIRN_OK);
        assert_int_equal(manifold.count, 1);
        pose place = {{0.0, 0.0, 0.6}, turn};
        // the lowest point is where the bounds say it is
        check_close(manifold.contacts[0].gap, geo_shape_bounds(b, &place).low.z, 1e-12, 1e-12);
        geo_manifold_finish(&manifold);
    }
    geo_shape_destroy(plane);
    for (int i = 0; i < SHAPES; i++)
        geo_shape_destroy(shapes[i]);
}

static cairn_shape_id make_public(cairn_world *world, const cairn_shape_def *def)
{
    cairn_error e;
    cairn_shape_id made;
    assert_int_equal(cairn_shape_create(world, def, &made, &e), CAIRN_OK);
    return made;
}

/// A rounded box keeps its sizes; its surface reaches them.
static void rounded_shapes_are_told(cairn_world *world)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
    for (int k = 0; k < 3; k++)
        def.half_size[k] = 0.1 + k;
    def.rounding = 0.07;
    cairn_shape_id box = make_public(world, &def);
    cairn_shape_view view;
    assert_int_equal(cairn_shape_get(world, box, &view), CAIRN_OK);
    check_close(view.rounding, 0.07, 0.0, 0.0);
    check_close(view.smallest_size, 0.2, 1e-15, 0.0);
    for (int k = 0; k < 3; k++)
        check_close(view.half_size[k], 0.1 + k, 0.0, 0.0);
    cairn_surface surface = {0};
    assert_int_equal(cairn_shape_get_surface(world, box, &surface), CAIRN_OK);
    surface.points = test_calloc((size_t)surface.point_count, sizeof *surface.points);
    surface.normals = test_calloc((size_t)surface.point_count, sizeof *surface.normals);
    surface.triangles = test_calloc((size_t)surface.triangle_count, sizeof *surface.triangles);
    surface.point_count++;
    assert_int_equal(cairn_shape_get_surface(world, box, &surface), CAIRN_ERROR_ARGUMENT);
    surface.point_count--;
    assert_int_equal(cairn_shape_get_surface(world, box, &surface), CAIRN_OK);
    double reach[3] = {0.0};
    for (int i = 0; i < surface.point_count; i++)
        for (int k = 0; k < 3; k++)
            reach[k] = fmax(reach[k], fabs(surface.points[i][k]));
    for (int k = 0; k < 3; k++)
        check_close(reach[k], 0.1 + k, 1e-12, 0.0);
    test_free(surface.points);
    test_free(surface.normals);
    test_free(surface.triangles);
    def.rounding = 0.1;
    cairn_error e;
    assert_int_equal(cairn_shape_create(world, &def, &box, &e), CAIRN_ERROR_ARGUMENT);
}

/// Through the public interface: sizes in, the same sizes out, and the farthest points.
static void programs_see_the_same(void **state)
{
    (void)state;
    cairn_world_def world_def = cairn_default_world_def();
    cairn_world *world;
    cairn_error e;
    assert_int_equal(cairn_world_create(&world_def, &world, &e), CAIRN_OK);
    assert_string_equal(cairn_shape_kind_call(CAIRN_HALFSPACE), "plane");
    assert_int_equal(cairn_shape_kind_sizes(CAIRN_CYLINDER),
                     CAIRN_SHAPE_RADIUS | CAIRN_SHAPE_HALF_LENGTH);
    assert_int_equal(cairn_shape_kind_sizes(CAIRN_MESH), 0);
    cairn_shape_def def = cairn_default_shape_def(CAIRN_CYLINDER);
    def.radius = 0.6;
    def.half_length = 0.5;
    cairn_shape_id cylinder = make_public(world, &def);
    def = cairn_default_shape_def(CAIRN_BOX);
    for (int k = 0; k < 3; k++)
        def.half_size[k] = 0.1 + k;
    cairn_shape_id box = make_public(world, &def);
    cairn_shape_view view;
    assert_int_equal(cairn_shape_get(world, cylinder, &view), CAIRN_OK);
    check_close(view.radius, 0.6, 0.0, 0.0);
    check_close(view.half_length, 0.5, 0.0, 0.0);
    check_close(view.half_size[0], 0.0, 0.0, 0.0);
    assert_int_equal(cairn_shape_get(world, box, &view), CAIRN_OK);
    for (int k = 0; k < 3; k++)
        check_close(view.half_size[k], 0.1 + k, 0.0, 0.0);
    check_close(view.rounding, 0.0, 0.0, 0.0);
    cairn_surface none = {0};
    assert_int_equal(cairn_shape_get_surface(world, box, &none), CAIRN_ERROR_UNSUPPORTED);
    rounded_shapes_are_told(world);

    // a compound of the box, turned by a right angle about z and moved
    const double position[1][3] = {{3.0, 0.0, 0.0}};
    const double turned[1][4] = {{sqrt(0.5), 0.0, 0.0, sqrt(0.5)}};
    def = cairn_default_shape_def(CAIRN_COMPOUND);
    def.members = &box;
    def.member_positions = position;
    def.member_orientations = turned;
    def.member_count = 1;
    cairn_shape_id compound = make_public(world, &def);
    double point[3];
    assert_int_equal(
        cairn_shape_get_support(world, compound, (const double[]){1.0, 0.1, 0.1}, point), CAIRN_OK);
    check_close(point[0], 3.0 + 1.1, 1e-14, 0.0);
    check_close(point[1], 0.1, 1e-13, 0.0);
    check_close(point[2], 2.1, 1e-14, 0.0);
    assert_int_equal(
        cairn_shape_get_support(world, cylinder, (const double[]){0.0, -3.0, 1e-3}, point),
        CAIRN_OK);
    check_close(point[1], -0.6, 1e-14, 0.0);
    check_close(point[2], 0.5, 0.0, 0.0);
    assert_int_equal(
        cairn_shape_get_support(world, cylinder, (const double[]){0.0, 0.0, 0.0}, point),
        CAIRN_ERROR_ARGUMENT);
    def = cairn_default_shape_def(CAIRN_HALFSPACE);
    assert_int_equal(cairn_shape_get_support(world, make_public(world, &def),
                                             (const double[]){0.0, 0.0, 1.0}, point),
                     CAIRN_ERROR_UNSUPPORTED);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_make_and_tell),       cmocka_unit_test(surfaces_enclose_the_volume),
        cmocka_unit_test(curved_cores_find_the_gap), cmocka_unit_test(lowest_point_meets_a_plane),
        cmocka_unit_test(programs_see_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
