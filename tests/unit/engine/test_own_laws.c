// SPDX-License-Identifier: Apache-2.0
// Laws, force fields, collision groups and contact filters that a program registers: what they do,
// in scenes too, the same bits for any number of threads and after a restart, and mistakes.
#include "tests/regress/heap.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>

static cairn_error error;

enum { STIFFNESS, DAMPING, FRICTION };
static const cairn_parameter_def parameters[] = {
    {"stiffness", "N/m", "k", 1e4, 0.0, DBL_MAX},
    {"damping", "N s/m", "c", 0.0, 0.0, DBL_MAX},
    {"friction", NULL, NULL, 0.3, 0.0, DBL_MAX},
};
static const char *const history[] = {"steps"};

/// Spring and dashpot, and friction against sliding; counts the steps of each contact.
static void act(void *context, const cairn_law_batch *batch)
{
    atomic_int *calls = context;
    atomic_fetch_add(calls, 1);
    const double *p = batch->parameters;
    for (int i = 0; i < batch->count; i++) {
        const cairn_law_contact *c =
            (const void *)((const char *)batch->contacts + (size_t)i * batch->contact_size);
        cairn_law_answer *a = (void *)((char *)batch->answers + (size_t)i * batch->answer_size);
        double spring = p[STIFFNESS] * fmax(-c->gap, 0.0);
        double force = fmax(spring - p[DAMPING] * c->velocity[0], 0.0);
        double sliding = sqrt(c->velocity[1] * c->velocity[1] + c->velocity[2] * c->velocity[2]);
        double limit = fmin(p[FRICTION] * force, 100.0 * sliding);
        a->impulse[0] = batch->step * force;
        a->impulse_damping[0] = batch->step * (force - spring);
        for (int k = 1; k < 3 && sliding > 0.0; k++)
            a->impulse[k] = a->impulse_friction[k] =
                -batch->step * limit * c->velocity[k] / sliding;
        a->elastic = 0.5 * spring * fmax(-c->gap, 0.0);
        batch->history[i * batch->history_count]++;
    }
}

static atomic_int calls;

static cairn_law_def own_law(void)
{
    cairn_law_def def = cairn_default_law_def();
    def.name = "my_spring";
    def.help = "a spring of one's own";
    def.function = act;
    def.context = &calls;
    def.parameters = parameters;
    def.parameter_count = 3;
    def.history = history;
    def.history_count = 1;
    return def;
}

static cairn_world *heap_of_own(int threads, uint32_t version)
{
    const cairn_material_id none = {0};
    heap_def def = default_heap();
    def.threads = threads;
    def.step = 2e-4;
    cairn_world *world = heap_world(&def);
    cairn_law_def law = own_law();
    law.version = version;
    must(cairn_world_add_law(world, &law, &error), &error);
    must(cairn_pair_set_law(world, none, none, "my_spring", &error), &error);
    must(cairn_pair_set_value(world, none, none, "stiffness", cairn_number(2e4), &error), &error);
    must(cairn_pair_set_value(world, none, none, "damping", cairn_number(100.0), &error), &error);
    return world;
}

static void test_law(void **state)
{
    (void)state;
    cairn_world *one = heap_of_own(1, 1), *four = heap_of_own(4, 1);
    atomic_store(&calls, 0);
    heap_steps(one, 2000);
    heap_steps(four, 2000);
    assert_true(atomic_load(&calls) > 2000);
    assert_true(cairn_world_get_hash(one) == cairn_world_get_hash(four));
    // the audit explains it all
    cairn_energy energy = cairn_world_get_energy(one);
    assert_true(energy.damping > 1.0 && energy.friction > 0.0);
    assert_true(fabs(energy.residual) < 0.01 * energy.damping);
    // history is kept from step to step, and starts at zero
    int count = cairn_contact_count(one);
    double(*kept)[CAIRN_LAW_HISTORY_MAX] = calloc((size_t)count + 1, sizeof *kept);
    must(cairn_world_read(one, "contacts.history", kept, count, &error), &error);
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, kept[i][0]);
        assert_true(kept[i][0] >= 1.0 && kept[i][0] <= 2000.0);
    }
    assert_true(most > 100.0);
    free(kept);
    // a restart needs the same law in the same version
    char folder[64], path[128];
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/own.h5", folder);
    must(cairn_world_save(one, path, NULL, &error), &error);
    cairn_world *again = heap_of_own(2, 1), *other = heap_of_own(1, 2);
    assert_int_equal(cairn_world_restore(other, path, &error), CAIRN_ERROR_ARGUMENT);
    must(cairn_world_restore(again, path, &error), &error);
    heap_steps(one, 50);
    heap_steps(again, 50);
    assert_true(cairn_world_get_hash(one) == cairn_world_get_hash(again));
    const char *const names[] = {"own.h5"};
    heap_folder_remove(folder, names, 1);
    cairn_world_destroy(one);
    cairn_world_destroy(four);
    cairn_world_destroy(again);
    cairn_world_destroy(other);
}

static void refuse_law(cairn_world *world, const cairn_law_def *def, const char *why)
{
    assert_int_equal(cairn_world_add_law(world, def, &error), CAIRN_ERROR_ARGUMENT);
    if (strstr(error.message, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, why);
}

static void test_law_mistakes(void **state)
{
    (void)state;
    cairn_world *world = heap_of_own(1, 1);
    cairn_law_def def = own_law();
    refuse_law(world, &def, "there is a law");
    def.name = "hooke";
    refuse_law(world, &def, "there is a law");
    def.name = "other";
    def.parameter_count = -1;
    refuse_law(world, &def, "-1 parameters");
    def.parameter_count = 3;
    def.history_count = CAIRN_LAW_HISTORY_MAX + 1;
    refuse_law(world, &def, "numbers of history");
    def.history_count = 1;
    cairn_parameter_def twice[2] = {parameters[0], parameters[0]};
    def.parameters = twice;
    def.parameter_count = 2;
    refuse_law(world, &def, "twice");
    twice[1].name = "late";
    twice[1].initial = NAN;
    refuse_law(world, &def, "out of its range");
    def.cookie = 0;
    refuse_law(world, &def, "cairn_default_law_def");
    const cairn_material_id none = {0};
    assert_int_equal(cairn_pair_set_law(world, none, none, "my_sprin", &error),
                     CAIRN_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.message, "my_spring"));
    assert_int_equal(
        cairn_pair_set_value(world, none, none, "stiffness", cairn_number(-1.0), &error),
        CAIRN_ERROR_ARGUMENT);
    cairn_plugin_info info;
    cairn_setting_info setting;
    int index = cairn_world_find_law(world, "my_spring");
    assert_int_equal(cairn_world_get_law(world, index, &info), CAIRN_OK);
    assert_string_equal(info.kind, "impulse");
    assert_int_equal(info.setting_count, 3);
    assert_int_equal(cairn_world_get_law_setting(world, index, 1, &setting), CAIRN_OK);
    assert_string_equal(setting.name, "damping");
    assert_int_equal(cairn_world_get_law_setting(world, index, 3, &setting), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_world_get_law(world, cairn_world_law_count(world), &info),
                     CAIRN_ERROR_NOT_FOUND);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- force fields

typedef struct spring_field {
    double stiffness; // N/m, towards the plane x = 0
    bool broken;
} spring_field;

static cairn_status pull(void *context, const cairn_field_batch *batch, cairn_error *unused)
{
    const spring_field *field = context;
    (void)unused;
    for (int i = 0; i < batch->count; i++) {
        const cairn_field_body *body =
            (const void *)((const char *)batch->bodies + (size_t)i * batch->body_size);
        cairn_field_force *force = (void *)((char *)batch->forces + (size_t)i * batch->force_size);
        force->force[0] = field->broken ? NAN : -field->stiffness * body->centre[0];
    }
    return CAIRN_OK;
}

/// A ball alone, in a particle slot or not, swings as a spring makes it swing.
static void check_field(const char *law)
{
    const cairn_material_id none = {0};
    cairn_world_def settings = cairn_default_world_def();
    settings.time_step = 1e-3;
    settings.gravity[2] = 0.0;
    cairn_world *world;
    must(cairn_world_create(&settings, &world, &error), &error);
    must(cairn_pair_set_law(world, none, none, law, &error), &error);
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    ball.radius = 0.1;
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    must(cairn_shape_create(world, &ball, &body.shape, &error), &error);
    body.mass = 2.0;
    body.position[0] = 0.5;
    must(cairn_body_create(world, &body, &id, &error), &error);
    spring_field field = {.stiffness = 200.0};
    cairn_field_def def = cairn_default_field_def();
    def.name = "spring";
    def.function = pull;
    def.context = &field;
    must(cairn_world_add_force_field(world, &def, &error), &error);
    assert_int_equal(cairn_world_add_force_field(world, &def, &error), CAIRN_ERROR_ARGUMENT);
    heap_steps(world, 500);
    cairn_body_view view;
    must(cairn_body_get(world, id, &view), &error);
    double omega = sqrt(200.0 / 2.0);
    assert_true(fabs(view.centre[0] - 0.5 * cos(omega * 0.5)) < 1e-4);
    cairn_energy energy = cairn_world_get_energy(world);
    assert_true(fabs(energy.drivers - energy.kinetic) < 1e-9);
    field.broken = true;
    assert_int_equal(cairn_world_step(world, &error), CAIRN_ERROR_NONFINITE);
    assert_non_null(strstr(error.message, "spring"));
    // without it the ball goes straight on
    must(cairn_world_remove_force_field(world, "spring", &error), &error);
    assert_int_equal(cairn_world_remove_force_field(world, "spring", &error),
                     CAIRN_ERROR_NOT_FOUND);
    double velocity = view.velocity[0];
    heap_steps(world, 10);
    must(cairn_body_get(world, id, &view), &error);
    assert_true(view.velocity[0] == velocity);
    cairn_world_destroy(world);
}

static void test_field(void **state)
{
    (void)state;
    check_field("hooke");
    check_field("signorini_coulomb");
}

// ---------------------------------------------------------------- groups and filters

static bool keep_apart(void *context, cairn_body_id a, cairn_body_id b)
{
    const uint32_t *pair = context;
    return !(a.index == pair[0] && b.index == pair[1]);
}

/// Two balls over a floor; returns the floor's, lower's and upper's ids.
static cairn_world *two_balls(const char *law, cairn_body_id ids[3])
{
    const cairn_material_id none = {0};
    cairn_world_def settings = cairn_default_world_def();
    settings.time_step = 5e-4;
    cairn_world *world;
    must(cairn_world_create(&settings, &world, &error), &error);
    must(cairn_pair_set_law(world, none, none, law, &error), &error);
    must(add_floor(world, &error), &error);
    ids[0] = cairn_body_at(world, 0);
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    ball.radius = 0.1;
    cairn_body_def body = cairn_default_body_def();
    must(cairn_shape_create(world, &ball, &body.shape, &error), &error);
    for (int i = 0; i < 2; i++) {
        body.mass = 1.0;
        body.position[2] = 0.1 + 0.21 * i;
        must(cairn_body_create(world, &body, &ids[i + 1], &error), &error);
    }
    return world;
}

static double height_of(const cairn_world *world, cairn_body_id id)
{
    cairn_body_view view;
    assert_int_equal(cairn_body_get(world, id, &view), CAIRN_OK);
    return view.centre[2];
}

static void check_filters(const char *law)
{
    cairn_body_id ids[3];
    cairn_world *world = two_balls(law, ids);
    heap_steps(world, 600);
    assert_true(height_of(world, ids[2]) > 0.28);
    // groups that do not see each other: the upper one falls through the lower one
    cairn_collision collision = {.groups = 2, .mask = ~2u & ~4u};
    must(cairn_body_set_collision(world, ids[1], collision, &error), &error);
    collision.groups = 4;
    must(cairn_body_set_collision(world, ids[2], collision, &error), &error);
    heap_steps(world, 4000);
    assert_true(fabs(height_of(world, ids[2]) - 0.1) < 0.01);
    assert_true(fabs(height_of(world, ids[1]) - 0.1) < 0.01);
    // a restart knows them
    char folder[64], path[128];
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/groups.h5", folder);
    must(cairn_world_save(world, path, NULL, &error), &error);
    cairn_body_id others[3];
    cairn_world *again = two_balls(law, others);
    must(cairn_world_restore(again, path, &error), &error);
    cairn_collision kept;
    must(cairn_body_get_collision(again, others[2], &kept), &error);
    assert_true(kept.groups == 4 && kept.mask == (~2u & ~4u));
    heap_steps(world, 100);
    heap_steps(again, 100);
    assert_true(cairn_world_get_hash(world) == cairn_world_get_hash(again));
    // a filter takes the floor away from under the lower one
    uint32_t pair[2] = {ids[0].index, ids[1].index};
    cairn_filter_def filter = cairn_default_filter_def();
    filter.name = "no floor";
    filter.function = keep_apart;
    filter.context = pair;
    must(cairn_world_set_contact_filter(world, &filter, &error), &error);
    heap_steps(world, 200);
    assert_true(height_of(world, ids[1]) < 0.08);
    assert_true(fabs(height_of(world, ids[2]) - 0.1) < 0.01);
    assert_int_equal(cairn_world_restore(world, path, &error), CAIRN_ERROR_ARGUMENT);
    must(cairn_world_set_contact_filter(world, NULL, &error), &error);
    must(cairn_world_restore(world, path, &error), &error);
    const char *const names[] = {"groups.h5"};
    heap_folder_remove(folder, names, 1);
    cairn_world_destroy(world);
    cairn_world_destroy(again);
}

static void test_filters(void **state)
{
    (void)state;
    check_filters("hooke");
    check_filters("signorini_coulomb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_law),
        cmocka_unit_test(test_law_mistakes),
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
