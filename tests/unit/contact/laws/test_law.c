// SPDX-License-Identifier: Apache-2.0
// Table of laws, and the terms that the cone law gives.
#include "contact/laws/law.h"
#include "tests/check.h"

#include <string.h>

static void every_law_is_complete(void **state)
{
    (void)state;
    int count;
    const con_law *const *laws = con_law_list(&count);
    assert_true(count >= 1);
    assert_string_equal(laws[0]->name, "signorini_coulomb");
    for (int i = 0; i < count; i++) {
        assert_true(con_law_find(laws[i]->name) == laws[i]);
        assert_true(strlen(laws[i]->help) > 0);
        assert_true(laws[i]->table.size <= CON_LAW_SETTINGS_MAX);
        assert_true(laws[i]->history_count <= CON_HISTORY_MAX);
        assert_true(laws[i]->kind == CON_LAW_CONE ? laws[i]->cone != NULL
                                                  : laws[i]->impulse != NULL);
    }
    assert_null(con_law_find("signorini"));
}

static void cone_law_passes_its_parameters(void **state)
{
    (void)state;
    const con_law *law = con_law_find("signorini_coulomb");
    double parameters[CON_LAW_SETTINGS_MAX / sizeof(double)];
    base_settings_defaults(&law->table, parameters);
    con_cone_terms terms;
    law->cone(parameters, &terms);
    assert_true(terms.friction == 0.5 && terms.restitution == 0.0);
    assert_int_equal(base_settings_set_text(&law->table, parameters, "friction", "0.8", NULL), 0);
    assert_int_equal(base_settings_set_text(&law->table, parameters, "restitution", "1", NULL), 0);
    law->cone(parameters, &terms);
    assert_true(terms.friction == 0.8 && terms.restitution == 1.0);
    assert_int_equal(base_settings_set_text(&law->table, parameters, "restitution", "1.1", NULL),
                     CAIRN_ERROR_ARGUMENT);
    assert_int_equal(base_settings_set_text(&law->table, parameters, "friction", "-1", NULL),
                     CAIRN_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_complete),
        cmocka_unit_test(cone_law_passes_its_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
