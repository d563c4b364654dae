// SPDX-License-Identifier: Apache-2.0
// The checks of laws that programs can call: every explicit law of the library passes them, and so
// does a sound law of a program; laws with one mistake each are found out by the check that is for
// it.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <float.h>
#include <math.h>
#include <string.h>

static cairn_error error;

typedef enum mistake {
    NONE,
    DEAF,
    MOMENTS,
    ONE_DIRECTION,
    ABSOLUTE,
    REMEMBERS,
    NOT_FINITE,
    NO_PLANES,
    GIVES_ENERGY,
    HIDES_ENERGY,
    MISTAKES
} mistake;

static const char *const words[MISTAKES] = {
    [DEAF] = "do not feel each other",    [MOMENTS] = "do not balance",
    [ONE_DIRECTION] = "turned",           [ABSOLUTE] = "moves along",
    [REMEMBERS] = "another answer later", [NOT_FINITE] = "not finite",
    [NO_PLANES] = "on a plane",           [GIVES_ENERGY] = "make energy",
    [HIDES_ENERGY] = "nothing explains",
};

static const cairn_parameter_def parameters[] = {
    {"stiffness", "N/m", "k", 1e5, 1.0, DBL_MAX},
    {"damping", "N s/m", "c", 20.0, -DBL_MAX, DBL_MAX},
};

/// Spring, dashpot and creeping friction, with the mistake that the context names.
static void act(void *context, const cairn_law_batch *batch)
{
    static double before;
    mistake wrong = *(const mistake *)context;
    for (int i = 0; i < batch->count; i++) {
        const cairn_law_contact *c =
            (const void *)((const char *)batch->contacts + (size_t)i * batch->contact_size);
        cairn_law_answer *a = (void *)((char *)batch->answers + (size_t)i * batch->answer_size);
        double overlap = fmax(-c->gap, 0.0), damping = batch->parameters[1];
        double spring = batch->parameters[0] * overlap;
        double force = overlap > 0.0 ? fmax(spring - damping * c->velocity[0], 0.0) : 0.0;
        double speed = hypot(c->velocity[1], c->velocity[2]);
        double share = 0.3 * force / fmax(speed, 1e-2);
        if (wrong == DEAF || (wrong == NO_PLANES && isinf(c->radius[0])))
            force = 0.0;
        if (wrong == ABSOLUTE)
            force *= 1.0 + 1e-3 * c->motion[0][0];
        if (wrong == REMEMBERS && overlap > 0.0)
            force += 1e-6 * before;
        if (wrong == NOT_FINITE && fabs(c->velocity[0]) > 1e6)
            force = NAN;
        before = overlap > 0.0 ? force : before;
        a->impulse[0] = batch->step * force;
        for (int k = 1; k < 3; k++)
            if (wrong != DEAF && (wrong != ONE_DIRECTION || k == 1))
                a->impulse[k] = a->impulse_friction[k] = -batch->step * share * c->velocity[k];
        if (wrong == MOMENTS)
            a->moment[0][2] = 1e-9 * force;
        a->impulse_damping[0] = wrong == HIDES_ENERGY ? 0.0 : batch->step * (force - spring);
        a->elastic = 0.5 * spring * overlap;
    }
}

static cairn_world *world_of(mistake *wrong)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    cairn_law_def law = cairn_default_law_def();
    law.name = "mine";
    law.help = "a spring";
    law.function = act;
    law.context = wrong;
    law.parameters = parameters;
    law.parameter_count = 2;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    assert_int_equal(cairn_world_add_law(world, &law, &error), CAIRN_OK);
    return world;
}

static void test_mistakes(void **state)
{
    (void)state;
    for (int k = 0; k < MISTAKES; k++) {
        mistake wrong = (mistake)k;
        cairn_world *world = world_of(&wrong);
        const cairn_parameter negative = {"damping", cairn_number(-2.0)};
        cairn_status status =
            cairn_world_check_law(world, "mine", &negative, k == GIVES_ENERGY, &error);
        if (k == NONE && status != CAIRN_OK)
            fail_msg("%s", error.message);
        if (k != NONE && (status != CAIRN_ERROR_NUMERICAL || !strstr(error.message, words[k])))
            fail_msg("mistake \"%s\": %d, \"%s\"", words[k], (int)status, error.message);
        cairn_world_destroy(world);
    }
}

/// Laws whose defaults are no contact, with parameters that make one.
static int parameters_of(const char *law, cairn_parameter out[4])
{
    static const struct {
        const char *law, *name;
        double value;
    } given[] = {
        {"spring_dashpot", "spring", 1e5},           {"spring_dashpot", "dashpot", 20.0},
        {"spring_dashpot", "friction", 0.3},         {"incremental", "normal_stiffness", 1e5},
        {"incremental", "shear_stiffness", 5e4},     {"incremental", "friction", 0.3},
        {"exudyn_sphere", "contact_stiffness", 1e5}, {"exudyn_sphere", "contact_damping", 20.0},
        {"exudyn_sphere", "dynamic_friction", 0.3},  {"parallel_bond", "normal_stiffness", 1e5},
        {"parallel_bond", "friction", 0.3},
    };
    int count = 0;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (strcmp(given[i].law, law) == 0)
            out[count++] = (cairn_parameter){given[i].name, cairn_number(given[i].value)};
    return count;
}

static void test_library(void **state)
{
    (void)state;
    mistake wrong = NONE;
    cairn_world *world = world_of(&wrong);
    int tried = 0;
    for (int i = 0; i < cairn_world_law_count(world); i++) {
        cairn_plugin_info law;
        assert_int_equal(cairn_world_get_law(world, i, &law), CAIRN_OK);
        cairn_parameter given[4];
        int count = parameters_of(law.name, given);
        cairn_status status = cairn_world_check_law(world, law.name, given, count, &error);
        if (status != CAIRN_OK && status != CAIRN_ERROR_UNSUPPORTED)
            fail_msg("%s", error.message);
        tried += status == CAIRN_OK;
    }
    assert_true(tried > 7);
    cairn_world_destroy(world);
}

static void test_arguments(void **state)
{
    (void)state;
    mistake wrong = NONE;
    cairn_world *world = world_of(&wrong);
    const cairn_parameter bad = {"stiffness", cairn_number(-1.0)};
    assert_int_equal(cairn_world_check_law(world, "myne", NULL, 0, &error), CAIRN_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.message, "mine"));
    assert_int_equal(cairn_world_check_law(world, "mine", &bad, 1, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_world_check_law(NULL, "mine", NULL, 0, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_world_check_law(world, "mine", NULL, 1, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_world_check_law(world, "signorini_coulomb", NULL, 0, &error),
                     CAIRN_ERROR_UNSUPPORTED);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
