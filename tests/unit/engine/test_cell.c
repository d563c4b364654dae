// SPDX-License-Identifier: Apache-2.0
// Periodic cells: what touches through a face moves as what touches within, a cell is what many of
// it are, strain does the work that is booked, and a run goes on from a checkpoint.
#include "tests/check.h"

#include "engine/state/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 3, GRAINS = SIDE * SIDE * SIDE };

static const double side = 0.1, radius = 0.0162;

typedef struct scene {
    cairn_world *world;
    cairn_body_id body[8 * GRAINS];
    int count;
} scene;

static const char *const laws[] = {"hooke", "signorini_coulomb"};

static scene make_world(const char *law, int threads)
{
    scene s = {0};
    cairn_error error = {0};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = strcmp(law, "signorini_coulomb") == 0 ? 1e-3 : 2e-5;
    def.tolerance = 1e-11;
    def.threads = threads;
    memset(def.gravity, 0, sizeof def.gravity);
    if (cairn_world_create(&def, &s.world, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    cairn_material_id none = {0};
    cairn_value friction = cairn_number(0.3);
    if (cairn_pair_set_law(s.world, none, none, law, &error) != CAIRN_OK ||
        cairn_pair_set_value(s.world, none, none, "friction", friction, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return s;
}

static void close_cell(scene *s, const double size[3], const char *periodic, double shear)
{
    cairn_error error = {0};
    cairn_cell_def cell = cairn_default_cell_def();
    memcpy(cell.size, size, sizeof cell.size);
    for (int k = 0; k < 3; k++)
        cell.periodic[k] = strchr(periodic, "xyz"[k]) != NULL;
    cell.rate[1] = shear;
    if (cairn_world_set_cell(s->world, &cell, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void add(scene *s, bool box, vec3 position, vec3 velocity)
{
    cairn_error error = {0};
    cairn_shape_def shape = cairn_default_shape_def(box ? CAIRN_BOX : CAIRN_SPHERE);
    shape.radius = radius;
    for (int k = 0; k < 3; k++)
        shape.half_size[k] = 0.7 * radius;
    cairn_body_def body = cairn_default_body_def();
    vec3_store(body.position, position);
    vec3_store(body.velocity, velocity);
    if (cairn_shape_create(s->world, &shape, &body.shape, &error) != CAIRN_OK ||
        cairn_body_create(s->world, &body, &s->body[s->count++], &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void run(scene *s, int steps)
{
    cairn_error error = {0};
    for (int i = 0; i < steps; i++)
        if (cairn_world_step(s->world, &error) != CAIRN_OK)
            fail_msg("%s", error.message);
}

static vec3 position_of(const scene *s, int i)
{
    cairn_body_view view;
    assert_int_equal(cairn_body_get(s->world, s->body[i], &view), CAIRN_OK);
    return vec3_from(view.centre);
}

/// The same two bodies in the middle of a cell and on both sides of a corner of it.
static void test_through_faces(void **state)
{
    (void)state;
    const double size[3] = {side, side, side};
    for (int l = 0; l < 2; l++)
        for (int box = 0; box < 2; box++) {
            scene s[2];
            const vec3 start[2] = {{0.035, 0.05, 0.05}, {0.071, 0.053, 0.054}};
            const vec3 velocity[2] = {{0.3, 0.0, 0.05}, {-0.4, 0.05, 0.0}};
            for (int k = 0; k < 2; k++) {
                s[k] = make_world(laws[l], 1);
                close_cell(&s[k], size, "xyz", 0.0);
                // the corner of the cell lies between the two, which are whole cells apart
                vec3 shift = k == 0 ? vec3_make(0, 0, 0) : vec3_make(0.047, 0.0485, 0.048);
                for (int i = 0; i < 2; i++) {
                    vec3 place = vec3_add(start[i], shift);
                    if (k == 1 && i == 1)
                        place = vec3_add(place, vec3_make(-side, 2.0 * side, -side));
                    add(&s[k], box, place, velocity[i]);
                }
                run(&s[k], l == 1 ? 100 : 5000);
            }
            vec3 moved[2][2];
            for (int k = 0; k < 2; k++)
                for (int i = 0; i < 2; i++)
                    moved[k][i] = position_of(&s[k], i);
            vec3 shift = vec3_make(0.047, 0.0485, 0.048);
            check_at_most(vec3_distance(vec3_add(moved[0][0], shift), moved[1][0]), 1e-11);
            vec3 there =
                vec3_add(vec3_add(moved[0][1], shift), vec3_make(-side, 2.0 * side, -side));
            check_at_most(vec3_distance(there, moved[1][1]), 1e-11);
            // they did meet
            assert_true(moved[0][0].x < start[0].x + 0.3 * 0.1 - 1e-3);
            for (int k = 0; k < 2; k++)
                cairn_world_destroy(s[k].world);
        }
}

/// A lattice of grains with velocities that differ; copies of it move apart with the shear.
static void fill(scene *s, int cells, bool box, double shear)
{
    double step = side / SIDE;
    for (int c = 0; c < (cells == 2 ? 8 : 1); c++)
        for (int i = 0; i < GRAINS; i++) {
            vec3 place = {(i % SIDE + 0.5) * step, (i / SIDE % SIDE + 0.5) * step,
                          (i / (SIDE * SIDE) + 0.5) * step};
            vec3 velocity = {sin(3.0 * i), cos(5.0 * i), sin(7.0 * i + 1.0)};
            place =
                vec3_add(place, vec3_make(side * (c & 1), side * (c >> 1 & 1), side * (c >> 2)));
            velocity = vec3_scale(0.2, velocity);
            velocity.x += shear * side * (c >> 1 & 1);
            add(s, box, place, velocity);
        }
}

/// Eight cells in one, all alike, are what one is.
static void test_many_cells_are_one(void **state)
{
    (void)state;
    for (int l = 0; l < 2; l++) {
        scene s[2];
        for (int k = 0; k < 2; k++) {
            const double size[3] = {(k + 1) * side, (k + 1) * side, (k + 1) * side};
            s[k] = make_world(laws[l], 1);
            // which open contacts join the implicit problem depends on velocities as such
            double shear = l == 1 ? 0.0 : 1.0;
            close_cell(&s[k], size, "xyz", shear);
            fill(&s[k], k + 1, false, shear);
        }
        int met = 0;
        for (int part = 0; part < (l == 1 ? 5 : 12); part++) {
            for (int k = 0; k < 2; k++)
                run(&s[k], l == 1 ? 3 : 100);
            int count = cairn_contact_count(s[0].world);
            // open contacts of the implicit law join and leave by their last digits
            if (l == 0)
                assert_int_equal(cairn_contact_count(s[1].world), 8 * count);
            met += count;
        }
        double worst = 0.0;
        for (int i = 0; i < GRAINS; i++)
            worst = fmax(worst, vec3_distance(position_of(&s[0], i), position_of(&s[1], i)));
        assert_true(met > 3);
        check_at_most(worst, l == 0 ? 1e-11 : 1e-8);
        for (int k = 0; k < 2; k++)
            cairn_world_destroy(s[k].world);
    }
}

/// Shear of a cell: momentum stays, the work of the strain is booked.
static void test_shear(void **state)
{
    (void)state;
    const double size[3] = {side, side, side};
    for (int l = 0; l < 2; l++) {
        scene s = make_world(laws[l], 1);
        close_cell(&s, size, "xyz", l == 1 ? 5.0 : 20.0);
        fill(&s, 1, l == 1, 0.0);
        double before[3], after[3], turn[3];
        cairn_world_get_momentum(s.world, before, turn);
        run(&s, l == 1 ? 200 : 10000);
        cairn_world_get_momentum(s.world, after, turn);
        for (int k = 0; k < 3; k++)
            check_close(after[k], before[k], 0.0, 1e-14);
        cairn_energy energy = cairn_world_get_energy(s.world);
        assert_true(energy.drivers > 1e-3);
        check_at_most(fabs(energy.residual), (l == 1 ? 1e-12 : 2e-3) * energy.drivers);
        cairn_cell_view cell;
        assert_int_equal(cairn_world_get_cell(s.world, &cell), CAIRN_OK);
        // whole lattice vectors do not count: the lean stays within half a side
        check_close(cell.sides[1][1], side, 1e-12, 0.0);
        assert_true(fabs(cell.sides[1][0]) <= 0.51 * side);
        cairn_world_destroy(s.world);
    }
}

/// A smooth law: the audit of a sheared cell closes with the square of the step.
static void test_compression(void **state)
{
    (void)state;
    const double size[3] = {side, side, side};
    const double rate[9] = {-1.0, 0, 0, 0, -1.0, 0, 0, 0, -1.0};
    scene s = make_world("signorini_coulomb", 1);
    close_cell(&s, size, "xyz", 0.0);
    fill(&s, 1, false, 0.0);
    cairn_error error = {0};
    assert_int_equal(cairn_world_set_cell_rate(s.world, rate, &error), CAIRN_OK);
    run(&s, 50);
    cairn_cell_view cell;
    assert_int_equal(cairn_world_get_cell(s.world, &cell), CAIRN_OK);
    check_close(cell.sides[2][2], side * exp(-0.05), 1e-7, 0.0);
    cairn_energy energy = cairn_world_get_energy(s.world);
    assert_true(energy.drivers > 0.0);
    check_at_most(fabs(energy.residual), 1e-12 * energy.drivers);
    cairn_world_destroy(s.world);
}

/// Bits: threads, and a restart inside the shear.
static void test_bits(void **state)
{
    (void)state;
    const double size[3] = {side, side, side};
    char path[] = "/tmp/cairn-cell-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    for (int l = 0; l < 2; l++) {
        uint64_t hash[3];
        cairn_error error = {0};
        for (int k = 0; k < 3; k++) {
            scene s = make_world(laws[l], k == 1 ? 3 : 1);
            close_cell(&s, size, "xyz", 20.0);
            fill(&s, 1, l == 1, 0.0);
            int steps = l == 1 ? 60 : 1500;
            if (k < 2)
                run(&s, steps / 2);
            if (k == 1 && cairn_world_save(s.world, path, NULL, &error) != CAIRN_OK)
                fail_msg("%s", error.message);
            if (k == 2 && cairn_world_restore(s.world, path, &error) != CAIRN_OK)
                fail_msg("%s", error.message);
            run(&s, steps / 2);
            hash[k] = cairn_world_get_hash(s.world);
            cairn_world_destroy(s.world);
        }
        assert_int_equal(hash[0], hash[1]);
        assert_int_equal(hash[0], hash[2]);
    }
    remove(path);
}

/// Grains fall on a floor through the sides of the cell; the floor does not shear.
static void test_floor(void **state)
{
    (void)state;
    const double size[3] = {side, side, side}, down[3] = {0.0, 0.0, -9.81};
    scene s = make_world("signorini_coulomb", 1);
    cairn_error error = {0};
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def floor = cairn_default_body_def();
    floor.kind = CAIRN_FIXED;
    assert_int_equal(cairn_shape_create(s.world, &plane, &floor.shape, &error), CAIRN_OK);
    assert_int_equal(cairn_body_create(s.world, &floor, &s.body[0], &error), CAIRN_OK);
    close_cell(&s, size, "xy", 0.0);
    assert_int_equal(cairn_world_set_gravity(s.world, down, &error), CAIRN_OK);
    add(&s, true, vec3_make(0.05, 0.05, 0.7 * radius), vec3_make(3.0, 0.0, 0.0));
    s.body[0] = s.body[s.count - 1];
    run(&s, 50);
    // v0 t - mu g t2 / 2 takes it out of the cell
    vec3 there = position_of(&s, 0);
    check_close(there.x, 0.05 + 3.0 * 0.05 - 0.5 * 0.3 * 9.81 * 0.05 * 0.05, 1e-2, 0.0);
    double wrapped[3], at[3];
    vec3_store(at, there);
    cairn_world_wrap(s.world, at, wrapped);
    assert_true(wrapped[0] >= 0.0 && wrapped[0] < side);
    check_close(remainder(there.x - wrapped[0], side), 0.0, 1e-12, 0.0);
    check_close(there.z, 0.7 * radius, 1e-4, 0.0);
    cairn_world_destroy(s.world);
}

static void test_mistakes(void **state)
{
    (void)state;
    const double size[3] = {side, side, side};
    cairn_error error = {0};
    scene s = make_world("hooke", 1);
    cairn_cell_def cell = cairn_default_cell_def();
    assert_int_equal(cairn_world_set_cell(s.world, &cell, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "one direction"));
    cell.periodic[0] = true;
    cell.rate[4] = 1.0;
    assert_int_equal(cairn_world_set_cell(s.world, &cell, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "yy"));
    cell.rate[4] = 0.0;
    cell.size[1] = -1.0;
    assert_int_equal(cairn_world_set_cell(s.world, &cell, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "side y"));
    close_cell(&s, size, "xyz", 0.0);
    const double wild[9] = {1e9};
    assert_int_equal(cairn_world_set_cell_rate(s.world, wild, &error), CAIRN_ERROR_ARGUMENT);
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    shape.radius = 0.03;
    body.name = "boulder";
    assert_int_equal(cairn_shape_create(s.world, &shape, &body.shape, &error), CAIRN_OK);
    assert_int_equal(cairn_body_create(s.world, &body, &id, &error), CAIRN_OK);
    assert_int_equal(cairn_world_step(s.world, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "boulder"));
    assert_non_null(strstr(error.message, "0.06 m across"));
    cairn_world_destroy(s.world);
}

/// A cell that shrinks until its bodies are larger than half of it stops the run: beyond that a
/// pair would touch through two faces, and one contact of it would be missing.
static void test_too_small(void **state)
{
    (void)state;
    for (int law = 0; law < 2; law++) {
        cairn_error error = {0};
        cairn_status status = CAIRN_OK;
        const double size[3] = {0.1, 0.1, 0.1}, rate[9] = {-1.0};
        scene s = make_world(laws[law], 1);
        close_cell(&s, size, "xyz", 0.0);
        add(&s, false, vec3_make(0.05, 0.05, 0.05), vec3_make(0.0, 0.0, 0.0));
        assert_int_equal(cairn_world_set_cell_rate(s.world, rate, &error), CAIRN_OK);
        double step = cairn_world_get_def(s.world)->time_step;
        // the side falls to four radii, and the look comes within a hundred steps
        double due = log(0.1 / (4.0 * radius)) / step;
        for (int i = 0; i < due - 2.0; i++)
            assert_int_equal(cairn_world_step(s.world, &error), CAIRN_OK);
        for (int i = 0; i < 103 && status == CAIRN_OK; i++)
            status = cairn_world_step(s.world, &error);
        assert_int_equal(status, CAIRN_ERROR_ARGUMENT);
        assert_non_null(
            strstr(error.message, "0.0324 m across, more than half of the periodic cell"));
        assert_non_null(strstr(error.message, "along its side x"));
        cairn_world_destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_through_faces), cmocka_unit_test(test_many_cells_are_one),
        cmocka_unit_test(test_shear),         cmocka_unit_test(test_compression),
        cmocka_unit_test(test_bits),          cmocka_unit_test(test_floor),
        cmocka_unit_test(test_mistakes),      cmocka_unit_test(test_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
