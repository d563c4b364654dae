// SPDX-License-Identifier: Apache-2.0
// The thread that runs a world: steps as ordered, looks back, obeys changes, pulls with booked
// work.
#include "tests/unit/viewer/run_fixture.h"

#include "viewer/simulation/simulation.h"

#include <SDL.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char falling_box[] =
    "simulation{ step = 1 / 100, end_time = 1 }\n"
    "material{ name = 'm', density = 1000 }\n"
    "pair{ friction = 0.5, restitution = 0 }\n"
    "ground{ material = 'm' }\n"
    "body{ name = 'box', shape = box{ size = {1, 1, 1} }, material = 'm', position = {0, 0, 2} }\n"
    "sensor{ name = 'ground', body = 'ground', quantity = 'force' }\n"
    "sensor{ name = 'box', body = 'box', quantity = 'position' }\n";

static const char arm_and_tap[] =
    "simulation{ step = 1 / 100, end_time = 1 }\n"
    "material{ name = 'm', density = 1000 }\n"
    "ground{ material = 'm', height = -9 }\n"
    "body{ name = 'arm', shape = box{ size = {1, 0.1, 0.1} }, material = 'm' }\n"
    "body{ name = 'block', shape = box{ size = {1, 1, 1} }, material = 'm', position = {0, 5, 0} "
    "}\n"
    "joint{ kind = 'hinge', name = 'motor', bodies = {'arm'}, at = {0, 0, 0}, axis = {0, 1, 0},\n"
    "       motor = { velocity = 2, limit = 5e4 } }\n"
    "load{ body = 'block', force = {1000, 0, 0} }\n"
    "emitter{ region = { min = {5, 5, 0}, max = {7, 7, 2} }, rate = 50, every = 0.1,\n"
    "         grains = {{ shape = sphere{ radius = 0.1 }, material = 'm' }} }\n"
    "outlet{ region = { min = {4, 4, -9}, max = {8, 8, -3} } }\n";

static const char arms_and_sled[] =
    "simulation{ step = 1 / 200, end_time = 1 }\n"
    "material{ name = 'm', density = 1000 }\n"
    "local bar = box{ size = {1, 0.1, 0.1} }\n"
    "body{ name = 'upper', shape = bar, material = 'm', position = {0.5, 0, 0} }\n"
    "body{ name = 'lower', shape = bar, material = 'm', position = {1.5, 0, 0} }\n"
    "body{ name = 'sled', shape = bar, material = 'm', position = {0, 3, 0} }\n"
    "body{ name = 'tied', shape = bar, material = 'm', position = {0, 6, 0} }\n"
    "joint{ kind = 'hinge', bodies = {'upper'}, at = {0, 0, 0}, axis = {0, 1, 0} }\n"
    "joint{ kind = 'hinge', bodies = {'upper', 'lower'}, at = {1, 0, 0}, axis = {0, 1, 0} }\n"
    "joint{ kind = 'slider', bodies = {'sled'}, at = {0, 3, 0}, axis = {1, 0, 0} }\n"
    "joint{ kind = 'hinge', bodies = {'tied'}, at = {0, 6, 0}, axis = {0, 1, 0} }\n"
    "joint{ kind = 'hinge', bodies = {'tied'}, at = {0, 6.2, 0}, axis = {0, 1, 0} }\n";

typedef struct session {
    view_subject subject;
    view_model model;
    view_simulation *simulation;
} session;

static void open_session(session *s, const char *text)
{
    char path[] = "/tmp/cairn-scene-XXXXXX.lua";
    cairn_error error = {0};
    scn_options options = scn_default_options();
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    if (scn_load(path, &options, &s->subject.scene, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    remove(path);
    s->model.allocator = s->subject.scene->allocator;
    assert_int_equal(view_simulation_start(&s->simulation, &s->subject, true, &error), CAIRN_OK);
}

static void close_session(session *s)
{
    view_simulation_stop(s->simulation);
    view_model_finish(&s->model);
    view_subject_finish(&s->subject);
}

static void order(session *s, view_order_kind kind, double number)
{
    view_order order = {.kind = kind, .number = number};
    view_simulation_post(s->simulation, &order);
}

/// Waits until a step is shown; the thread needs far less.
static const view_frame *wait_for(session *s, int64_t step)
{
    for (int i = 0; i < 5000; i++) {
        const view_frame *frame = view_simulation_frame(s->simulation, &s->model);
        if (frame->step == step)
            return frame;
        SDL_Delay(2);
    }
    fail_msg("step %lld is not shown", (long long)step);
    return NULL;
}

static view_simulation_state wait_for_message(session *s, int number)
{
    view_simulation_state state = view_simulation_get_state(s->simulation);
    for (int i = 0; i < 5000 && state.message_number < number; i++) {
        SDL_Delay(2);
        state = view_simulation_get_state(s->simulation);
    }
    assert_true(state.message_number >= number);
    return state;
}

static void test_steps(void **state)
{
    (void)state;
    session s = {0};
    view_sample samples[64];
    open_session(&s, falling_box);
    assert_int_equal(view_simulation_frame(s.simulation, &s.model)->step, 0);
    order(&s, VIEW_ORDER_STEP, 30.0);
    const view_frame *frame = wait_for(&s, 30);
    // free fall by the midpoint rule is exact: h2 n2 / 2
    check_close(frame->centres[1].z, 2.0 - 0.5 * 9.81 * 0.09, 1e-9, 0.0);
    order(&s, VIEW_ORDER_STEP, -10.0);
    frame = wait_for(&s, 20);
    check_close(frame->centres[1].z, 2.0 - 0.5 * 9.81 * 0.04, 1e-9, 0.0);
    view_simulation_state now = view_simulation_get_state(s.simulation);
    assert_int_equal(now.back, 10);
    assert_int_equal(now.kept, 31);
    assert_true(now.paused);
    order(&s, VIEW_ORDER_SEEK, 1e9);
    wait_for(&s, 0);
    // forward goes through what was kept, then on
    order(&s, VIEW_ORDER_STEP, 31.0);
    wait_for(&s, 31);
    assert_int_equal(view_simulation_samples(s.simulation, samples, 64), 31);
    check_close(samples[30].time, 0.31, 1e-12, 0.0);
    // the second sensor, all rows and thinned out
    double rows[64][4];
    assert_int_equal(view_simulation_readings(s.simulation, 1, rows[0], 64), 31);
    assert_string_equal(view_simulation_unit(s.simulation, 1), "m");
    check_close(rows[30][0], 0.31, 1e-12, 0.0);
    check_close(rows[30][3], 2.0 - 0.5 * 9.81 * 0.31 * 0.31, 1e-9, 0.0);
    assert_int_equal(view_simulation_readings(s.simulation, 1, rows[0], 11), 11);
    check_close(rows[10][0], 0.31, 1e-12, 0.0);
    check_close(samples[30].kinetic, 0.5 * 1000.0 * 3.0411 * 3.0411, 1e-9, 0.0);
    close_session(&s);
}

/// A body that is put elsewhere is shown there at once, and goes on from there.
static void test_place(void **state)
{
    (void)state;
    session s = {0};
    open_session(&s, falling_box);
    order(&s, VIEW_ORDER_STEP, 10.0);
    const view_frame *frame = wait_for(&s, 10);
    order(&s, VIEW_ORDER_STEP, -5.0);
    wait_for(&s, 5);
    const quat turned = base_quat_from_rotation_vector(vec3_make(0.0, 0.0, 0.25));
    view_order place = {
        .kind = VIEW_ORDER_PLACE, .body = 1, .vector = {3.0, 0.0, 4.0}, .orientation = turned};
    view_simulation_post(s.simulation, &place);
    frame = wait_for(&s, 10);
    check_close(frame->centres[1].x, 3.0, 1e-12, 0.0);
    check_close(frame->poses[1].orientation.z, turned.z, 1e-12, 0.0);
    order(&s, VIEW_ORDER_STEP, 10.0);
    frame = wait_for(&s, 20);
    // it keeps the velocity that it had: 0.1 s of fall, then another
    check_close(frame->centres[1].z, 4.0 - 9.81 * (0.1 * 0.1 + 0.5 * 0.01), 1e-9, 0.0);
    close_session(&s);
}

static void test_changes(void **state)
{
    (void)state;
    session s = {0};
    open_session(&s, falling_box);
    order(&s, VIEW_ORDER_TOLERANCE, 1e-5);
    view_simulation_state now = wait_for_message(&s, 1);
    order(&s, VIEW_ORDER_FRICTION, 0.5);
    now = wait_for_message(&s, 2);
    view_order gravity = {.kind = VIEW_ORDER_GRAVITY, .vector = {0, 0, -1}};
    view_simulation_post(s.simulation, &gravity);
    now = wait_for_message(&s, 3);
    view_order solver = {.kind = VIEW_ORDER_SOLVER, .text = "no such solver"};
    view_simulation_post(s.simulation, &solver);
    now = wait_for_message(&s, 4);
    assert_non_null(strstr(now.message, "no such solver"));
    order(&s, VIEW_ORDER_TIME_STEP, 0.02);
    now = wait_for_message(&s, 5);
    order(&s, VIEW_ORDER_STEP, 1.0);
    const view_frame *frame = wait_for(&s, 1);
    check_close(frame->time, 0.02, 1e-12, 0.0);
    check_close(frame->centres[1].z, 2.0 - 0.5 * 0.0004, 1e-9, 0.0);
    now = view_simulation_get_state(s.simulation);
    check_close(now.tolerance, 1e-5, 0.0, 0.0);
    check_close(now.gravity[2], -1.0, 0.0, 0.0);
    check_close(now.friction_scale, 0.5, 0.0, 0.0);
    check_close(now.time_step, 0.02, 0.0, 0.0);
    check_close(now.time_step_start, 0.01, 0.0, 0.0);
    close_session(&s);
}

/// The spring lifts the box; what it did is in the energy of the drivers, and nothing is missing.
static void test_pull(void **state)
{
    (void)state;
    session s = {0};
    open_session(&s, falling_box);
    view_order pull = {
        .kind = VIEW_ORDER_PULL, .body = 1, .point = {0, 0, 0.5}, .vector = {0, 0, 4}};
    view_simulation_post(s.simulation, &pull);
    order(&s, VIEW_ORDER_STEP, 100.0);
    const view_frame *frame = wait_for(&s, 100);
    // at rest the spring carries the weight: m w2 x = m g
    check_close(frame->centres[1].z, 3.5 - 9.81 / 144.0, 0.01, 0.0);
    assert_true(frame->energy.drivers > 1000.0);
    check_at_most(fabs(frame->energy.residual), 1e-6 * frame->energy.drivers);
    order(&s, VIEW_ORDER_RELEASE, 0.0);
    double before = frame->energy.drivers;
    order(&s, VIEW_ORDER_STEP, 20.0);
    frame = wait_for(&s, 120);
    check_close(frame->energy.drivers, before, 1e-9, 0.0);
    assert_true(frame->velocities[1].z < -1.0);
    close_session(&s);
}

/// Runs by itself, at a pace, and stops when told.
static void test_run(void **state)
{
    (void)state;
    session s = {0};
    open_session(&s, falling_box);
    order(&s, VIEW_ORDER_SPEED, 1000.0);
    order(&s, VIEW_ORDER_PAUSE, 0.0);
    for (int i = 0; i < 5000 && view_simulation_frame(s.simulation, &s.model)->step < 50; i++)
        SDL_Delay(2);
    assert_true(view_simulation_frame(s.simulation, &s.model)->step >= 50);
    order(&s, VIEW_ORDER_PAUSE, 1.0);
    for (int i = 0; i < 5000 && !view_simulation_get_state(s.simulation).paused; i++)
        SDL_Delay(2);
    int64_t step = view_simulation_frame(s.simulation, &s.model)->step;
    SDL_Delay(20);
    assert_int_equal(view_simulation_frame(s.simulation, &s.model)->step, step);
    close_session(&s);
}

/// A box on the ground touches it in four points; each has its turn, and the solve its residuals.
static void test_contacts(void **state)
{
    (void)state;
    session s = {0};
    open_session(&s, falling_box);
    order(&s, VIEW_ORDER_STEP, 80.0);
    const view_frame *frame = wait_for(&s, 80);
    assert_int_equal(frame->contact_count, 4);
    int at = -1;
    bool seen[4] = {false};
    for (int i = 0; i < 4; i++) {
        at = view_frame_next_contact(frame, 1, at, 1);
        const view_contact *contact = &frame->contacts[at];
        seen[at] = true;
        assert_int_equal(view_frame_find_contact(frame, 1, 0, contact->key), at);
        check_at_most(fabs(contact->velocity.x), 1e-6);
        assert_int_equal(contact->status, CAIRN_CONTACT_STICKING);
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
    assert_int_equal(view_frame_next_contact(frame, 1, at, 1), 0);
    assert_int_equal(view_frame_next_contact(frame, 1, 0, -1), 3);
    assert_int_equal(view_frame_next_contact(frame, 2, -1, 1), -1);
    assert_true(frame->residual_count > 0 && frame->residual_count <= VIEW_RESIDUALS_MAX);
    for (int i = 1; i < frame->residual_count; i++)
        assert_true(frame->iterations[i] > frame->iterations[i - 1]);
    close_session(&s);
}

/// A run is played forward and back, cannot be changed, and stops at its end.
static void test_replay(void **state)
{
    (void)state;
    session s = {0};
    cairn_error error = {0};
    char path[] = "/tmp/cairn-run-XXXXXX.h5";
    s.subject.scene = run_load();
    s.subject.replay = run_open(path, 40, 2);
    run_must(
        view_model_build(&s.model, &s.subject.scene->allocator, s.subject.scene->world, &error),
        &error);
    run_must(view_simulation_start(&s.simulation, &s.subject, true, &error), &error);
    view_simulation_state now = view_simulation_get_state(s.simulation);
    assert_true(now.replay && now.kept == 21 && now.back == 20);
    assert_int_equal(view_simulation_frame(s.simulation, &s.model)->step, 0);
    order(&s, VIEW_ORDER_STEP, 3.0);
    const view_frame *frame = wait_for(&s, 6);
    check_close(frame->centres[0].y, 0.18, 1e-9, 0.0);
    order(&s, VIEW_ORDER_STEP, -2.0);
    wait_for(&s, 2);
    order(&s, VIEW_ORDER_SEEK, 0.0);
    wait_for(&s, 40);
    order(&s, VIEW_ORDER_TOLERANCE, 1e-3);
    now = wait_for_message(&s, 1);
    assert_non_null(strstr(now.message, "not changed"));
    // going on at the end is from the start
    order(&s, VIEW_ORDER_SPEED, 1000.0);
    order(&s, VIEW_ORDER_PAUSE, 0.0);
    order(&s, VIEW_ORDER_PAUSE, 1.0);
    order(&s, VIEW_ORDER_SEEK, 1e9);
    wait_for(&s, 0);
    order(&s, VIEW_ORDER_STEP, 500.0);
    wait_for(&s, 40);
    close_session(&s);
    remove(path);
}

static void drive(session *s, int index, double value)
{
    int before = view_simulation_get_state(s->simulation).message_number;
    view_order order = {.kind = VIEW_ORDER_DRIVE, .body = index, .number = value};
    view_simulation_post(s->simulation, &order);
    wait_for_message(s, before + 1);
}

static void test_motors_and_loads(void **state)
{
    (void)state;
    session s = {0};
    open_session(&s, arm_and_tap);
    view_simulation_state now = view_simulation_get_state(s.simulation);
    assert_int_equal(now.drives.count, 3);
    assert_string_equal(now.drives.items[0].name, "motor: speed");
    assert_string_equal(now.drives.items[1].name, "motor: limit");
    assert_string_equal(now.drives.items[2].name, "block: load");
    assert_true(now.drives.items[0].value == 2.0 && now.drives.items[1].value == 5e4);
    order(&s, VIEW_ORDER_STEP, 1.0);
    const view_frame *frame = wait_for(&s, 1);
    // the angle turns by 2 rad/s; velocities are those whose means turn it, theory.md (9.11b)
    check_close(frame->omegas[1].y, 200.0 * tan(0.01), 1e-9, 0.0);
    // a cube of a ton under a force of a thousand newtons, then under twice that
    check_close(frame->velocities[2].x, 0.01, 1e-12, 0.0);
    drive(&s, 0, -1.0);
    drive(&s, 2, 2.0);
    order(&s, VIEW_ORDER_STEP, 1.0);
    frame = wait_for(&s, 2);
    check_close(frame->omegas[1].y, -200.0 * tan(0.005), 1e-9, 0.0);
    check_close(frame->velocities[2].x, 0.03, 1e-12, 0.0);
    now = view_simulation_get_state(s.simulation);
    assert_true(now.drives.items[0].value == -1.0 && now.drives.items[2].value == 2.0);
    close_session(&s);
}

static double coordinate(const session *s, const view_frame *frame, int joint)
{
    return view_joint_coordinate(&s->model.joints[joint], frame->poses);
}

/// Speed of the upper arm where the world holds it, m/s.
static double slip_of(const view_frame *frame)
{
    vec3 turning = vec3_cross(frame->omegas[0], frame->centres[0]);
    return vec3_norm(vec3_sub(turning, frame->velocities[0]));
}

/// Sets a joint; the time stays, so that it is waited for what is shown.
static const view_frame *set_joint(session *s, int joint, double value)
{
    view_order order = {.kind = VIEW_ORDER_JOINT, .body = joint, .number = value};
    view_simulation_post(s->simulation, &order);
    for (int i = 0; i < 5000; i++) {
        const view_frame *frame = view_simulation_frame(s->simulation, &s->model);
        if (fabs(remainder(coordinate(s, frame, joint) - value, 2.0 * M_PI)) < 1e-9)
            return frame;
        SDL_Delay(2);
    }
    fail_msg("joint %d is not at %g", joint, value);
    return NULL;
}

/// What hangs on a joint that is set goes along with its velocities, and no other joint opens.
static void test_joints(void **state)
{
    (void)state;
    session s = {0};
    open_session(&s, arms_and_sled);
    order(&s, VIEW_ORDER_STEP, 20.0);
    const view_frame *frame = wait_for(&s, 20);
    double first = coordinate(&s, frame, 0), second = coordinate(&s, frame, 1);
    double kinetic = vec3_norm(frame->velocities[1]), spin = frame->omegas[1].y;
    double slip = slip_of(frame); // of the order of a step
    assert_true(slip < 1e-3 && first > 0.01 && fabs(second) > 1e-3 && kinetic > 0.1);
    frame = set_joint(&s, 0, first - 2.0);
    check_close(coordinate(&s, frame, 1), second, 0.0, 1e-12);
    check_close(vec3_norm(frame->velocities[1]), kinetic, 1e-12, 0.0);
    check_close(frame->omegas[1].y, spin, 1e-12, 0.0);
    check_close(slip_of(frame), slip, 0.0, 1e-12);
    pose upper = frame->poses[0];
    frame = set_joint(&s, 1, 1.5);
    assert_memory_equal(&frame->poses[0], &upper, sizeof upper);
    check_close(coordinate(&s, frame, 0), first - 2.0, 0.0, 1e-12);
    frame = set_joint(&s, 2, 0.75);
    check_close(frame->centres[2].x, 0.75, 0.0, 1e-9);
    // velocities that fit the joints are not lost in the next step
    double before = vec3_dot(frame->velocities[0], frame->velocities[0]);
    order(&s, VIEW_ORDER_STEP, 1.0);
    frame = wait_for(&s, 21);
    check_close(vec3_dot(frame->velocities[0], frame->velocities[0]), before, 0.2, 0.0);
    int said = view_simulation_get_state(s.simulation).message_number;
    order(&s, VIEW_ORDER_STEP, 0.0);
    view_order tied = {.kind = VIEW_ORDER_JOINT, .body = 3, .number = 1.0};
    view_simulation_post(s.simulation, &tied);
    assert_non_null(strstr(wait_for_message(&s, said + 1).message, "both of its sides are held"));
    close_session(&s);
}

static void test_grains_come_and_go(void **state)
{
    (void)state;
    session s = {0};
    open_session(&s, arm_and_tap);
    assert_int_equal(view_simulation_frame(s.simulation, &s.model)->present_count, 3);
    order(&s, VIEW_ORDER_STEP, 300.0);
    const view_frame *frame = wait_for(&s, 300);
    // five a tenth of a second, which fall three to five metres
    int there = frame->present_count, rows = frame->body_count;
    assert_true(there > 30 && there < 60 && rows > there);
    assert_true(s.model.body_count >= rows);
    for (int i = 3; i < rows; i++)
        assert_true(!view_frame_has(frame, i) || frame->centres[i].z > -3.5);
    // what is gone since is there again when one looks back
    order(&s, VIEW_ORDER_SEEK, 275.0);
    frame = wait_for(&s, 25);
    assert_true(view_frame_has(frame, 3) && frame->present_count < 20);
    close_session(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),   cmocka_unit_test(test_place),
        cmocka_unit_test(test_changes), cmocka_unit_test(test_pull),
        cmocka_unit_test(test_run),     cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_replay),  cmocka_unit_test(test_motors_and_loads),
        cmocka_unit_test(test_joints),  cmocka_unit_test(test_grains_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
