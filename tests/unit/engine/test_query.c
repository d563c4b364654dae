// SPDX-License-Identifier: Apache-2.0
// Rays and boxes through worlds: every shape, groups, removal, many bodies; and what getters give
// back of loads and motors.
#include "tests/regress/heap.h"

static cairn_error error;

static cairn_world *empty_world(void)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    must(cairn_world_create(&def, &world, &error), &error);
    return world;
}

static cairn_body_id add(cairn_world *world, cairn_shape_id shape, cairn_body_kind kind, double x,
                         double y, double z)
{
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id made;
    def.shape = shape;
    def.kind = kind;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    must(cairn_body_create(world, &def, &made, &error), &error);
    return made;
}

static cairn_shape_id add_shape(cairn_world *world, cairn_shape_def def)
{
    cairn_shape_id made;
    must(cairn_shape_create(world, &def, &made, &error), &error);
    return made;
}

static cairn_shape_id add_ball(cairn_world *world, double radius)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
    def.radius = radius;
    return add_shape(world, def);
}

static cairn_query *look(const cairn_world *world)
{
    cairn_query *query;
    must(cairn_query_create(world, &query, &error), &error);
    return query;
}

static cairn_ray_def ray_along_x(double y, double z)
{
    cairn_ray_def ray = cairn_default_ray_def();
    ray.origin[0] = -1.0;
    ray.origin[1] = y;
    ray.origin[2] = z;
    return ray;
}

/// One body of each kind of shape, 0.4 long in x, in a row along x two metres apart.
static void make_row(cairn_world *world, cairn_body_id ids[CAIRN_SHAPE_KIND_COUNT])
{
    static const double corners[8][3] = {{-0.2, -0.2, -0.2}, {0.2, -0.2, -0.2}, {-0.2, 0.2, -0.2},
                                         {0.2, 0.2, -0.2},   {-0.2, -0.2, 0.2}, {0.2, -0.2, 0.2},
                                         {-0.2, 0.2, 0.2},   {0.2, 0.2, 0.2}};
    static const int triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                         {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                         {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    static const double aside[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.5, 0.0}};
    static const double upright[2][4] = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    const cairn_shape_id balls[2] = {add_ball(world, 0.2), add_ball(world, 0.2)};
    for (int kind = 0; kind < CAIRN_SHAPE_KIND_COUNT; kind++) {
        cairn_shape_def def = cairn_default_shape_def((cairn_shape_kind)kind);
        def.radius = 0.2;
        def.half_length = 0.3;
        def.half_size[0] = def.half_size[1] = def.half_size[2] = 0.2;
        bool corners_wanted = kind == CAIRN_POLYHEDRON || kind == CAIRN_MESH;
        def.points = corners_wanted ? corners : NULL;
        def.point_count = corners_wanted ? 8 : 0;
        def.triangles = kind == CAIRN_MESH ? triangles : NULL;
        def.triangle_count = kind == CAIRN_MESH ? 12 : 0;
        def.members = kind == CAIRN_COMPOUND ? balls : NULL;
        def.member_positions = aside;
        def.member_orientations = upright;
        def.member_count = kind == CAIRN_COMPOUND ? 2 : 0;
        bool still = kind == CAIRN_HALFSPACE || kind == CAIRN_MESH;
        // the half-space lies below all others
        ids[kind] = add(world, add_shape(world, def), still ? CAIRN_FIXED : CAIRN_DYNAMIC,
                        2.0 * kind, 0.0, kind == CAIRN_HALFSPACE ? -1.0 : 0.0);
    }
}

static void test_every_shape(void **state)
{
    (void)state;
    cairn_world *world = empty_world();
    cairn_body_id ids[CAIRN_SHAPE_KIND_COUNT];
    make_row(world, ids);
    cairn_query *query = look(world);
    assert_int_equal(cairn_query_body_count(query), CAIRN_SHAPE_KIND_COUNT);

    // all of them in their order, but for the half-space
    cairn_ray_hit hits[CAIRN_SHAPE_KIND_COUNT];
    cairn_ray_def ray = ray_along_x(0.0, 0.01);
    int found, at = 0;
    ray.direction[0] = 3.0; // any length
    must(cairn_query_ray_all(query, &ray, hits, CAIRN_SHAPE_KIND_COUNT, &found, &error), &error);
    assert_int_equal(found, CAIRN_SHAPE_KIND_COUNT - 1);
    for (int kind = 0; kind < CAIRN_SHAPE_KIND_COUNT; kind++) {
        if (kind == CAIRN_HALFSPACE)
            continue;
        assert_int_equal(hits[at].body.index, ids[kind].index);
        check_close(hits[at].distance, 0.8 + 2.0 * kind, 0.0, 4e-4);
        check_close(hits[at].point[0], 2.0 * kind - 0.2, 0.0, 4e-4);
        check_close(hits[at].normal[0], -1.0, 0.0, 2e-3);
        at++;
    }
    // the nearest, fewer than there are, none, and downwards into the half-space
    cairn_ray_hit nearest;
    must(cairn_query_ray_nearest(query, &ray, &nearest, &error), &error);
    assert_memory_equal(&nearest, &hits[0], sizeof nearest);
    cairn_ray_hit two[3] = {[2] = {.member = -7}};
    must(cairn_query_ray_all(query, &ray, two, 2, &found, &error), &error);
    assert_int_equal(found, CAIRN_SHAPE_KIND_COUNT - 1);
    assert_memory_equal(two, hits, 2 * sizeof *hits);
    assert_int_equal(two[2].member, -7);
    ray.length = 0.5;
    assert_int_equal(cairn_query_ray_nearest(query, &ray, &nearest, &error), CAIRN_ERROR_NOT_FOUND);
    ray = ray_along_x(0.0, 0.0);
    ray.direction[0] = 0.0;
    ray.direction[2] = -1.0;
    must(cairn_query_ray_nearest(query, &ray, &nearest, &error), &error);
    assert_int_equal(nearest.body.index, ids[CAIRN_HALFSPACE].index);
    check_close(nearest.distance, 1.0, 0.0, 1e-15);
    // the second member of the compound
    ray = ray_along_x(0.5, 0.0);
    must(cairn_query_ray_nearest(query, &ray, &nearest, &error), &error);
    assert_int_equal(nearest.body.index, ids[CAIRN_COMPOUND].index);
    assert_int_equal(nearest.member, 1);
    cairn_query_destroy(query);
    cairn_world_destroy(world);
}

/// A box that is moved along the row, near enough by its bounds but not by its shape.
static void test_boxes(void **state)
{
    (void)state;
    cairn_world *world = empty_world();
    cairn_body_id ids[CAIRN_SHAPE_KIND_COUNT], seen[CAIRN_SHAPE_KIND_COUNT];
    make_row(world, ids);
    cairn_query *query = look(world);
    cairn_box_def box = cairn_default_box_def();
    int found;
    for (int kind = 0; kind < CAIRN_SHAPE_KIND_COUNT; kind++) {
        if (kind == CAIRN_HALFSPACE)
            continue;
        for (int i = 0; i < 3; i++)
            box.half_size[i] = 0.02;
        box.centre[0] = 2.0 * kind + 0.19;
        must(cairn_query_box(query, &box, seen, 1, &found, &error), &error);
        assert_int_equal(found, 1);
        assert_int_equal(seen[0].index, ids[kind].index);
        // a corner of the bounds that round shapes leave empty
        box.centre[1] = 0.19;
        must(cairn_query_box(query, &box, seen, 1, &found, &error), &error);
        assert_int_equal(found,
                         kind == CAIRN_BOX || kind == CAIRN_POLYHEDRON || kind == CAIRN_MESH);
        box.centre[1] = 0.0;
    }
    // all, by index, and no more than there is room for
    box.centre[0] = 7.0;
    box.half_size[0] = 10.0;
    box.half_size[2] = 2.0;
    must(cairn_query_box(query, &box, seen, CAIRN_SHAPE_KIND_COUNT, &found, &error), &error);
    assert_int_equal(found, CAIRN_SHAPE_KIND_COUNT);
    for (int i = 0; i < found; i++)
        assert_int_equal(seen[i].index, ids[i].index);
    must(cairn_query_box(query, &box, NULL, 0, &found, &error), &error);
    assert_int_equal(found, CAIRN_SHAPE_KIND_COUNT);
    // a thin one that is turned by 45 degrees passes between two balls that its bounds meet
    cairn_query_destroy(query);
    cairn_world_destroy(world);
    world = empty_world();
    cairn_shape_id ball = add_ball(world, 0.2);
    add(world, ball, CAIRN_DYNAMIC, 0.5, -0.5, 0.0);
    add(world, ball, CAIRN_DYNAMIC, -0.5, 0.5, 0.0);
    query = look(world);
    box = cairn_default_box_def();
    box.half_size[0] = 1.0;
    box.half_size[1] = 0.1;
    must(cairn_query_box(query, &box, NULL, 0, &found, &error), &error);
    assert_int_equal(found, 0);
    box.orientation[0] = cos(M_PI / 8.0);
    box.orientation[3] = sin(M_PI / 8.0);
    must(cairn_query_box(query, &box, NULL, 0, &found, &error), &error);
    assert_int_equal(found, 0);
    box.orientation[3] = -box.orientation[3];
    must(cairn_query_box(query, &box, NULL, 0, &found, &error), &error);
    assert_int_equal(found, 2);
    cairn_query_destroy(query);
    cairn_world_destroy(world);
}

/// Groups and masks, removal, what was made since, and the same row with another body.
static void test_who_is_seen(void **state)
{
    (void)state;
    cairn_world *world = empty_world();
    cairn_shape_id ball = add_ball(world, 0.2);
    cairn_body_id first = add(world, ball, CAIRN_DYNAMIC, 0.0, 0.0, 0.0);
    cairn_body_id second = add(world, ball, CAIRN_DYNAMIC, 1.0, 0.0, 0.0);
    must(cairn_body_set_collision(world, first, (cairn_collision){2, 4}, &error), &error);
    cairn_query *query = look(world);
    cairn_ray_def ray = ray_along_x(0.0, 0.0);
    cairn_ray_hit hit;
    must(cairn_query_ray_nearest(query, &ray, &hit, &error), &error);
    assert_int_equal(hit.body.index, second.index); // the first does not look for group 1
    ray.collision.groups = 4;
    must(cairn_query_ray_nearest(query, &ray, &hit, &error), &error);
    assert_int_equal(hit.body.index, first.index);
    ray.collision.mask = 1;
    must(cairn_query_ray_nearest(query, &ray, &hit, &error), &error);
    assert_int_equal(hit.body.index, second.index);

    // removed: not seen, though the picture is old; another body in its row is not seen for it
    ray = ray_along_x(0.0, 0.0);
    must(cairn_body_remove(world, second, &error), &error);
    assert_int_equal(cairn_query_ray_nearest(query, &ray, &hit, &error), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(hit.body.generation, 0);
    must(cairn_world_step(world, &error), &error);
    cairn_shape_id small = add_ball(world, 0.1);
    cairn_body_id third = add(world, small, CAIRN_DYNAMIC, 3.0, 0.0, 0.0);
    assert_int_equal(third.index, second.index);
    assert_int_equal(cairn_query_ray_nearest(query, &ray, &hit, &error), CAIRN_ERROR_NOT_FOUND);
    must(cairn_query_update(query, &error), &error);
    must(cairn_query_ray_nearest(query, &ray, &hit, &error), &error);
    assert_int_equal(hit.body.index, third.index);
    check_close(hit.distance, 3.9, 0.0, 1e-15);
    assert_int_equal(cairn_query_body_count(query), 2);

    // wrong rays and boxes
    int found;
    ray.direction[0] = 0.0;
    assert_int_equal(cairn_query_ray_nearest(query, &ray, &hit, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "direction = (0, 0, 0)"));
    ray = ray_along_x(0.0, NAN);
    assert_int_equal(cairn_query_ray_all(query, &ray, &hit, 1, &found, &error),
                     CAIRN_ERROR_ARGUMENT);
    ray = ray_along_x(0.0, 0.0);
    ray.length = -1.0;
    assert_int_equal(cairn_query_ray_nearest(query, &ray, &hit, &error), CAIRN_ERROR_ARGUMENT);
    ray = (cairn_ray_def){.direction = {1.0, 0.0, 0.0}, .length = 1.0};
    assert_int_equal(cairn_query_ray_nearest(query, &ray, &hit, &error), CAIRN_ERROR_ARGUMENT);
    cairn_box_def box = cairn_default_box_def();
    box.half_size[1] = 0.0;
    assert_int_equal(cairn_query_box(query, &box, NULL, 0, &found, &error), CAIRN_ERROR_ARGUMENT);
    box = cairn_default_box_def();
    memset(box.orientation, 0, sizeof box.orientation);
    assert_int_equal(cairn_query_box(query, &box, NULL, 0, &found, &error), CAIRN_ERROR_ARGUMENT);
    cairn_query_destroy(query);
    cairn_world_destroy(world);
}

/// Nearest of all spheres by a loop over them.
static int nearest_by_loop(const double (*centres)[3], int count, double radius,
                           const cairn_ray_def *ray, double *distance)
{
    int nearest = -1;
    *distance = INFINITY;
    for (int i = 0; i < count; i++) {
        double along = 0.0, square = 0.0;
        for (int k = 0; k < 3; k++)
            along += (centres[i][k] - ray->origin[k]) * ray->direction[k];
        for (int k = 0; k < 3; k++) {
            double off = ray->origin[k] + along * ray->direction[k] - centres[i][k];
            square += off * off;
        }
        double half = sqrt(fmax(radius * radius - square, 0.0));
        if (square < radius * radius && along - half >= 0.0 && along - half < *distance) {
            nearest = i;
            *distance = along - half;
        }
    }
    return nearest;
}

/// The tree answers as a loop over all bodies does, of bodies in particle slots.
static void test_many_bodies(void **state)
{
    (void)state;
    enum { COUNT = 4000, RAYS = 300 };
    static double centres[COUNT][3];
    base_rng rng = base_rng_make(5);
    cairn_world *world = empty_world();
    const cairn_material_id none = {0};
    must(cairn_pair_set_law(world, none, none, "hooke", &error), &error);
    must(cairn_world_set_time_step(world, 1e-7, &error), &error);
    cairn_shape_id ball = add_ball(world, 0.05);
    for (int i = 0; i < COUNT; i++)
        add(world, ball, CAIRN_DYNAMIC, 4.0 * base_rng_unit(&rng), 4.0 * base_rng_unit(&rng),
            4.0 * base_rng_unit(&rng));
    must(cairn_world_step(world, &error), &error);
    must(cairn_world_read(world, "bodies.position", centres, COUNT, &error), &error);
    cairn_query *query = look(world);
    int hits = 0;
    for (int i = 0; i < RAYS; i++) {
        cairn_ray_def ray = cairn_default_ray_def();
        double norm = 0.0, distance;
        for (int k = 0; k < 3; k++) {
            ray.origin[k] = -0.1;
            ray.direction[k] = 0.01 + base_rng_unit(&rng);
            norm += ray.direction[k] * ray.direction[k];
        }
        for (int k = 0; k < 3; k++)
            ray.direction[k] /= sqrt(norm);
        int expected = nearest_by_loop((const double(*)[3])centres, COUNT, 0.05, &ray, &distance);
        cairn_ray_hit hit;
        cairn_status status = cairn_query_ray_nearest(query, &ray, &hit, &error);
        assert_int_equal(status, expected >= 0 ? CAIRN_OK : CAIRN_ERROR_NOT_FOUND);
        if (expected < 0)
            continue;
        assert_int_equal(hit.body.index, cairn_body_at(world, expected).index);
        check_close(hit.distance, distance, 0.0, 1e-12);
        hits++;
    }
    assert_true(hits > RAYS / 2);
    cairn_query_destroy(query);
    cairn_world_destroy(world);
}

/// Blocks that are there, in an allocator of the test.
static void *count_blocks(void *context, void *block, size_t size)
{
    int *live = context;
    *live += (block == NULL) - (size == 0);
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

/// A query may go before or after its world, and leaves nothing behind.
static void test_order_of_ends(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        int live = 0;
        cairn_world_def def = cairn_default_world_def();
        cairn_world *world;
        def.allocator = (cairn_allocator){count_blocks, &live};
        must(cairn_world_create(&def, &world, &error), &error);
        add(world, add_ball(world, 0.2), CAIRN_DYNAMIC, 0.0, 0.0, 0.0);
        cairn_query *query = look(world);
        if (last == 0)
            cairn_query_destroy(query);
        assert_true(live > 0);
        cairn_world_destroy(world);
        if (last == 1) {
            assert_true(live > 0);
            cairn_query_destroy(query);
        }
        assert_int_equal(live, 0);
    }
}

static void test_loads_and_motors(void **state)
{
    (void)state;
    cairn_world *world = empty_world();
    cairn_body_id body = add(world, add_ball(world, 0.2), CAIRN_DYNAMIC, 0.0, 0.0, 0.0);
    const double force[3] = {1.0, 2.0, 3.0}, torque[3] = {4.0, 5.0, 6.0};
    double f[3] = {9.0, 9.0, 9.0}, t[3] = {9.0, 9.0, 9.0};
    must(cairn_body_get_force(world, body, f, t), &error);
    assert_true(f[0] == 0.0 && f[2] == 0.0 && t[1] == 0.0);
    must(cairn_body_set_force(world, body, force, torque, &error), &error);
    must(cairn_body_get_force(world, body, f, t), &error);
    assert_memory_equal(f, force, sizeof f);
    assert_memory_equal(t, torque, sizeof t);

    cairn_joint_def def = cairn_default_joint_def(CAIRN_JOINT_SLIDER);
    cairn_joint_id joint;
    cairn_motor_view motor;
    def.b = body;
    def.motor = true;
    def.motor_velocity = 0.5;
    def.motor_limit = 7.0;
    must(cairn_joint_create(world, &def, &joint, &error), &error);
    must(cairn_joint_get_motor(world, joint, &motor), &error);
    assert_true(motor.on && motor.law == CAIRN_MOTOR_VELOCITY && motor.velocity == 0.5);
    assert_true(motor.limit == 7.0 && motor.effort == 0.0 && !motor.has_function);
    // 7 N are too few for the weight of 329 N: all of them are given
    must(cairn_world_step(world, &error), &error);
    must(cairn_joint_get_motor(world, joint, &motor), &error);
    check_close(motor.effort, 7.0, 1e-9, 0.0);
    must(cairn_joint_set_motor(world, joint, false, 0.0, 1.0, &error), &error);
    must(cairn_joint_get_motor(world, joint, &motor), &error);
    assert_true(!motor.on && motor.limit == 1.0);
    must(cairn_joint_remove(world, joint, &error), &error);
    assert_int_equal(cairn_joint_get_motor(world, joint, &motor), CAIRN_ERROR_STALE_ID);
    assert_true(motor.limit == 0.0);
    must(cairn_body_remove(world, body, &error), &error);
    assert_int_equal(cairn_body_get_force(world, body, f, t), CAIRN_ERROR_STALE_ID);
    assert_true(f[0] == 0.0 && t[2] == 0.0);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape),      cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_who_is_seen),      cmocka_unit_test(test_many_bodies),
        cmocka_unit_test(test_loads_and_motors), cmocka_unit_test(test_order_of_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
