// SPDX-License-Identifier: Apache-2.0
// Domains of a large world: upright cuts, balanced, with few contacts across, as long as the list
// of pairs is the same; threads and a restart change no bit.
#include "engine/pairs/domains.h"
#include "engine/state/world.h"

#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void add_floor(cairn_world *world)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    body.kind = CAIRN_FIXED;
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    check(cairn_body_create(world, &body, &id, &error));
}

enum { ROWS = 8 };

// a wall in bond along a horizontal direction, dropped so that its rows meet with an impact
static cairn_world *wall(int columns, double angle, int threads)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.threads = threads;
    def.tolerance = 1e-3;
    // a step that ends unsolved has the same bits, too
    def.max_iterations = 120;
    check(cairn_world_create(&def, &world, &error));
    add_floor(world);
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    shape.half_size[0] = 0.1;
    shape.half_size[1] = shape.half_size[2] = 0.05;
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    body.orientation[0] = cos(0.5 * angle);
    body.orientation[3] = sin(0.5 * angle);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < columns; column++) {
            double x = 0.21 * (column + 0.5 * (row % 2));
            body.position[0] = x * cos(angle);
            body.position[1] = x * sin(angle);
            body.position[2] = 0.0501 + 0.1001 * row;
            body.velocity[2] = -0.01 * (column % 3);
            check(cairn_body_create(world, &body, &id, &error));
        }
    return world;
}

static void take_steps(cairn_world *world, int count)
{
    for (int i = 0; i < count; i++)
        check(cairn_world_step(world, &error));
}

static int contacts_of(const con_domains *domains, int task)
{
    return domains->start[task + 1] - domains->start[task];
}

// along the wall
static double place_of(const cairn_world *world, int body, double angle)
{
    vec3 p = world->state.bodies.q_mid[body].position;
    return p.x * cos(angle) + p.y * sin(angle);
}

// range of the bodies of a task's contacts along the wall
static void extent_of(const cairn_world *world, int task, double angle, double range[2])
{
    const con_domains *domains = &world->contacts.domains;
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int i = domains->start[task]; i < domains->start[task + 1]; i++)
        for (int s = 0; s < 2; s++) {
            int body = world->scratch.solve.problem.body[i][s];
            if (body < 0)
                continue;
            range[0] = fmin(range[0], place_of(world, body, angle));
            range[1] = fmax(range[1], place_of(world, body, angle));
        }
}

static void check_cuts(const cairn_world *world, double angle)
{
    const con_domains *domains = &world->contacts.domains;
    int count = 1 << domains->levels, tasks = con_domains_tasks(domains);
    double last = -INFINITY;
    int within = 0, all = world->scratch.solve.problem.contact_count;
    assert_int_equal(domains->start[0], 0);
    assert_int_equal(domains->start[tasks], all);
    // domains follow each other along the wall: all rows of a stretch are in one
    bool descends = false, ascends = false;
    for (int task = 0; task < count; task++) {
        double range[2], even = (double)all / count;
        extent_of(world, task, angle, range);
        check_close(contacts_of(domains, task), even, 0.08, 0.0);
        ascends = ascends || (task > 0 && range[0] > last);
        descends = descends || (task > 0 && range[0] < last);
        last = range[0];
        within += contacts_of(domains, task);
    }
    assert_true(ascends != descends);
    // a brick's contacts for each row and cut
    check_at_most(all - within, (count - 1) * ROWS * 8);
    assert_true(all > within);
}

static void cuts_are_upright_and_even(void **state)
{
    (void)state;
    static const struct {
        int columns, levels;
        double angle;
    } cases[] = {
        {40, 0, 0.0},
        {100, 1, 0.4},
        {160, 2, 0.0},
        {160, 2, 2.0},
    };
    for (int k = 0; k < 4; k++) {
        cairn_world *world = wall(cases[k].columns, cases[k].angle, 1);
        take_steps(world, 1);
        assert_int_equal(world->contacts.domains.levels, cases[k].levels);
        assert_int_equal(world->scratch.solve.problem.domains != NULL, cases[k].levels > 0);
        if (cases[k].levels > 0)
            check_cuts(world, cases[k].angle);
        cairn_world_destroy(world);
    }
}

// the last brick but `from`, joined to its neighbour
static void join(cairn_world *world, int from)
{
    int count = cairn_body_count(world);
    cairn_joint_def def = cairn_default_joint_def(CAIRN_JOINT_BALL);
    cairn_joint_id id;
    cairn_body_view view;
    def.a = cairn_body_at(world, count - from);
    def.b = cairn_body_at(world, count - from - 1);
    check(cairn_body_get(world, def.a, &view));
    memcpy(def.anchor, view.position, sizeof def.anchor);
    def.anchor[0] -= 0.105;
    check(cairn_joint_create(world, &def, &id, &error));
}

static bool is_jointed(const cairn_world *world, int body)
{
    int count = cairn_body_count(world);
    return body == count - 30 || body == count - 31 || body == count - 70 || body == count - 71;
}

static void contacts_of_joints_come_last(void **state)
{
    (void)state;
    cairn_world *world = wall(100, 0.0, 1);
    join(world, 30);
    join(world, 70);
    take_steps(world, 2);
    const con_domains *domains = &world->contacts.domains;
    int last = con_domains_tasks(domains) - 1, found = 0;
    for (int i = 0; i < world->scratch.solve.problem.contact_count; i++)
        for (int s = 0; s < 2; s++)
            if (is_jointed(world, world->contacts.set.body[i][s])) {
                assert_true(i >= domains->start[last]);
                found++;
            }
    assert_true(found > 0);
    cairn_world_destroy(world);
}

enum { STEPS = 4 };

static void trace(int threads, bool joints, uint64_t hashes[STEPS])
{
    cairn_world *world = wall(160, 0.3, threads);
    if (joints) {
        join(world, 30);
        join(world, 70);
    }
    for (int i = 0; i < STEPS; i++) {
        take_steps(world, 1);
        hashes[i] = cairn_world_get_hash(world);
    }
    assert_int_equal(world->contacts.domains.levels, 2);
    cairn_world_destroy(world);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int joints = 0; joints < 2; joints++) {
        uint64_t one[STEPS], many[STEPS];
        trace(1, joints, one);
        for (int threads = 2; threads <= 3; threads++) {
            trace(threads, joints, many);
            assert_memory_equal(one, many, sizeof one);
        }
    }
}

static void a_restart_changes_no_bit(void **state)
{
    (void)state;
    char path[] = "/tmp/cairn-domains-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    cairn_world *world = wall(160, 0.3, 2), *other = wall(160, 0.3, 1);
    take_steps(world, 2);
    check(cairn_world_save(world, path, "", &error));
    check(cairn_world_restore(other, path, &error));
    for (int i = 0; i < STEPS; i++) {
        take_steps(world, 1);
        take_steps(other, 1);
        assert_true(cairn_world_get_hash(world) == cairn_world_get_hash(other));
        assert_false(world->contacts.cut_renewed || other->contacts.cut_renewed);
        assert_memory_equal(world->contacts.cut.of_body, other->contacts.cut.of_body,
                            (size_t)world->model.bodies.count *
                                sizeof *world->contacts.cut.of_body);
    }
    assert_int_equal(world->contacts.domains.levels, 2);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
    unlink(path);
}

// bodies change contacts, and their domain with the next list of pairs alone
static void domains_stay_with_the_list(void **state)
{
    (void)state;
    cairn_world *world = wall(100, 0.0, 1);
    take_steps(world, 1);
    assert_true(world->contacts.cut_renewed);
    size_t size = (size_t)world->model.bodies.count * sizeof *world->contacts.cut.of_body;
    int *before = malloc(size), contacts = world->contacts.set.cone_count;
    memcpy(before, world->contacts.cut.of_body, size);
    // a brick of the highest row leaves its contacts, and then goes to the other end
    const double up[3] = {0.0, 0.0, 0.5}, still[3] = {0};
    int body = cairn_body_count(world) - 1;
    check(cairn_body_set_velocity(world, cairn_body_at(world, body), up, still, &error));
    take_steps(world, 1);
    assert_false(world->contacts.cut_renewed);
    assert_true(world->contacts.set.cone_count < contacts);
    assert_memory_equal(world->contacts.cut.of_body, before, size);
    cairn_body_view view;
    check(cairn_body_get(world, cairn_body_at(world, body), &view));
    view.position[0] = -0.3;
    check(cairn_body_set_pose(world, cairn_body_at(world, body), view.position, view.orientation,
                              &error));
    take_steps(world, 1);
    assert_true(world->contacts.cut_renewed);
    assert_int_not_equal(world->contacts.cut.of_body[body], before[body]);
    free(before);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_upright_and_even),
        cmocka_unit_test(domains_stay_with_the_list),
        cmocka_unit_test(contacts_of_joints_come_last),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_restart_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
