// SPDX-License-Identifier: Apache-2.0
// Frames of a run: those that were stored, and those between, against the closed form of free
// flight.
#include "tests/unit/viewer/run_fixture.h"

#include "viewer/simulation/replay.h"

#include <math.h>

typedef struct show {
    scn_scene *scene;
    cairn_replay *replay;
    view_model model;
    view_frame frame;
    char path[32];
    cairn_error error;
} show;

static void open_show(show *s)
{
    *s = (show){.path = "/tmp/cairn-run-XXXXXX.h5"};
    s->scene = run_load();
    s->replay = run_open(s->path, 20, 4);
    run_must(view_model_build(&s->model, &s->scene->allocator, s->scene->world, &s->error),
             &s->error);
    s->frame = view_frame_begin(&s->scene->allocator);
}

static void close_show(show *s)
{
    cairn_replay_close(s->replay);
    view_model_finish(&s->model);
    view_frame_finish(&s->frame);
    scn_destroy(s->scene);
    remove(s->path);
}

/// The centre flies straight from (1.5, 0, 0); the frame's origin goes around it.
static void check_flight(const view_frame *frame, double time, double tolerance)
{
    double angle = 2.0 * time;
    check_close(frame->time, time, 1e-12, 0.0);
    check_close(frame->centres[0].x, 1.5, tolerance, 0.0);
    check_at_most(fabs(frame->centres[0].y - 3.0 * time), tolerance);
    check_at_most(fabs(frame->poses[0].position.x - (1.5 - 1.5 * cos(angle))), 2.0 * tolerance);
    check_at_most(fabs(frame->poses[0].position.y - (3.0 * time - 1.5 * sin(angle))),
                  2.0 * tolerance);
    check_at_most(fabs(frame->poses[0].orientation.z - sin(0.5 * angle)), tolerance);
    check_close(frame->velocities[0].y, 3.0, 1e-12, 0.0);
    check_close(frame->omegas[0].z, 2.0, 1e-9, 0.0);
}

static void test_stored_frames(void **state)
{
    (void)state;
    show s;
    open_show(&s);
    assert_int_equal(cairn_replay_get_frame_count(s.replay), 6);
    for (int i = 0; i < 6; i++) {
        run_must(view_replay_take(&s.frame, &s.model, s.replay, i, &s.error), &s.error);
        assert_int_equal(s.frame.step, 4 * i);
        assert_true(s.frame.replayed && s.frame.contact_count == 0);
        check_flight(&s.frame, 0.04 * i, 1e-9);
    }
    assert_int_equal(view_replay_take(&s.frame, &s.model, s.replay, 6, &s.error),
                     CAIRN_ERROR_ARGUMENT);
    close_show(&s);
}

/// Turning by the chord is off by less than an eighth of the angle's cube.
static void test_between_frames(void **state)
{
    (void)state;
    show s;
    open_show(&s);
    for (int i = 0; i <= 100; i++) {
        double time = 0.002 * i;
        run_must(view_replay_take_at(&s.frame, &s.model, s.replay, time, &s.error), &s.error);
        check_flight(&s.frame, time, 1e-5);
    }
    // a stored frame comes as it is
    run_must(view_replay_take_at(&s.frame, &s.model, s.replay, 0.08, &s.error), &s.error);
    check_flight(&s.frame, 0.08, 1e-9);
    for (int i = 0; i < 3; i++) {
        const double outside[3] = {-0.01, 0.21, NAN};
        assert_int_equal(view_replay_take_at(&s.frame, &s.model, s.replay, outside[i], &s.error),
                         CAIRN_ERROR_ARGUMENT);
    }
    close_show(&s);
}

static void test_other_bodies(void **state)
{
    (void)state;
    show s;
    open_show(&s);
    cairn_body_view view;
    cairn_body_id id;
    assert_int_equal(cairn_body_get(s.scene->world, cairn_body_at(s.scene->world, 0), &view),
                     CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.shape = view.shape;
    run_must(cairn_body_create(s.scene->world, &def, &id, &s.error), &s.error);
    view_model_finish(&s.model);
    run_must(view_model_build(&s.model, &s.scene->allocator, s.scene->world, &s.error), &s.error);
    assert_int_equal(view_replay_take(&s.frame, &s.model, s.replay, 0, &s.error),
                     CAIRN_ERROR_FORMAT);
    close_show(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored_frames),
        cmocka_unit_test(test_between_frames),
        cmocka_unit_test(test_other_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
