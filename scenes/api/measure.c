// SPDX-License-Identifier: Apache-2.0
// Call measure, and the windows of time over which measures and sensors are averaged.
#include "scenes/load/loader.h"

#include "base/vec.h"

#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct column {
    const char *name, *unit;
} column;

// in the order in which read_region puts them
static const column region_columns[] = {
    {"bodies", ""},          {"contacts", ""},        {"mass", "kg"},
    {"velocity x", "m/s"},   {"velocity y", "m/s"},   {"velocity z", "m/s"},
    {"stress xx", "Pa"},     {"stress yy", "Pa"},     {"stress zz", "Pa"},
    {"stress xy", "Pa"},     {"stress xz", "Pa"},     {"stress yz", "Pa"},
    {"fabric xx", ""},       {"fabric yy", ""},       {"fabric zz", ""},
    {"fabric xy", ""},       {"fabric xz", ""},       {"fabric yz", ""},
    {"coordination", ""},    {"porosity", ""},        {"mass_flow x", "kg/s"},
    {"mass_flow y", "kg/s"}, {"mass_flow z", "kg/s"}, {"temperature", "m2/s2"},
    {"void_ratio", ""},      {"rattlers", ""},        {"bearing_coordination", ""}};

static const column group_columns[] = {{"force x", "N"},    {"force y", "N"},
                                       {"force z", "N"},    {"torque x", "N m"},
                                       {"torque y", "N m"}, {"torque z", "N m"}};

enum { REGION_COLUMNS = sizeof region_columns / sizeof *region_columns, GROUP_COLUMNS = 6 };

int scn_measure_column_count(const scn_measure *measure)
{
    return measure->body_count > 0 ? GROUP_COLUMNS : REGION_COLUMNS;
}

void scn_measure_column(const scn_measure *measure, int index, const char **name, const char **unit)
{
    const column *is = measure->body_count > 0 ? &group_columns[index] : &region_columns[index];
    *name = is->name;
    *unit = is->unit;
}

static cairn_status read_region(const scn_measure *measure, double *values, cairn_error *error)
{
    cairn_measure m = {0};
    cairn_region region;
    const cairn_world *world = measure->scene->world;
    cairn_status status = scn_region_now(world, &measure->region, &measure->follow, &region);
    if (status != CAIRN_OK)
        return base_fail(error, status, "measure \"%.80s\": a body that its region follows is gone",
                         measure->name);
    status = cairn_world_measure(world, measure->of_cell ? NULL : &region, &m, error);
    values[0] = m.bodies;
    values[1] = m.contacts;
    values[2] = m.mass;
    memcpy(values + 3, m.velocity, sizeof m.velocity);
    memcpy(values + 6, m.stress, sizeof m.stress);
    memcpy(values + 12, m.fabric, sizeof m.fabric);
    values[18] = m.coordination;
    values[19] = m.porosity;
    memcpy(values + 20, m.flow, sizeof m.flow);
    values[23] = m.temperature;
    values[24] = m.porosity / (1.0 - m.porosity);
    values[25] = m.rattlers;
    values[26] = m.bearing_coordination;
    return status;
}

/// Sums over the bodies that are still there.
static cairn_status read_group(const scn_measure *measure, double *values, cairn_error *error)
{
    const cairn_world *world = measure->scene->world;
    vec3 sum = {0.0, 0.0, 0.0}, moment = sum, point = vec3_from(measure->point);
    int there = 0;
    for (int i = 0; i < measure->body_count; i++) {
        double force[3], torque[3];
        cairn_body_view view = {0};
        cairn_status status =
            cairn_body_get_contact_force(world, measure->bodies[i], force, torque);
        if (status == CAIRN_OK)
            status = cairn_body_get(world, measure->bodies[i], &view);
        if (status == CAIRN_ERROR_STALE_ID)
            continue;
        if (status != CAIRN_OK)
            return base_fail(error, status, "%s", cairn_status_text(status));
        there++;
        sum = vec3_add(sum, vec3_from(force));
        moment = vec3_add(moment, vec3_from(torque));
        if (measure->about_point)
            moment = vec3_add(
                moment, vec3_cross(vec3_sub(vec3_from(view.centre), point), vec3_from(force)));
    }
    for (int k = 0; k < 3; k++) {
        values[k] = there > 0 ? vec3_get(sum, k) : NAN;
        values[3 + k] = there > 0 ? vec3_get(moment, k) : NAN;
    }
    return CAIRN_OK;
}

static cairn_status read_now(void *context, const cairn_world *world, double *values,
                             cairn_error *error)
{
    const scn_measure *measure = context;
    (void)world;
    return measure->body_count > 0 ? read_group(measure, values, error)
                                   : read_region(measure, values, error);
}

bool scn_average_ends(const scn_scene *scene, int average, int64_t step)
{
    cairn_average_view view;
    return average >= 0 && cairn_average_get(scene->world, average, &view) == CAIRN_OK &&
           view.step == step;
}

cairn_status scn_measure_read(const scn_measure *measure, double *values, cairn_error *error)
{
    cairn_average_view view;
    if (measure->average < 0)
        return read_now((void *)measure, measure->scene->world, values, error);
    cairn_status status = cairn_average_get(measure->scene->world, measure->average, &view);
    if (status == CAIRN_OK && view.mean != NULL)
        memcpy(values, view.mean, (size_t)view.columns * sizeof *values);
    return status;
}

// ---------------------------------------------------------------- windows

void scn_window_read(const scn_fields *fields, cairn_average_def *def)
{
    double step = cairn_world_get_def(scn_loader_world(fields->L))->time_step;
    def->window = scn_fields_number(fields, "window", 0.0, scn_range_positive("s"));
    def->every = (int)scn_fields_integer(fields, "every", 1, 1, INT_MAX);
    def->from = scn_fields_number(fields, "from", 0.0, scn_range_any("s"));
    if (def->window < step)
        scn_raise(fields->L, "%s: window = %g s is shorter than the time step, %g s", fields->call,
                  def->window, step);
}

int scn_window_add(const scn_fields *fields, const char *name, cairn_reading_function *read,
                   void *context, int columns)
{
    cairn_average_def def = cairn_default_average_def();
    cairn_world *world = scn_loader_world(fields->L);
    cairn_error error = {0};
    if (!scn_fields_has(fields, "window")) {
        if (scn_fields_has(fields, "every") || scn_fields_has(fields, "from"))
            scn_raise(
                fields->L,
                "%s: \"every\" and \"from\" are of an average over a \"window\" (s): give one; "
                "rows without it are as often as output{ energy_every = } says",
                fields->call);
        return -1;
    }
    scn_window_read(fields, &def);
    def.name = name;
    def.read = read;
    def.context = context;
    def.columns = columns;
    scn_fields_pass(fields, cairn_average_create(world, &def, &error), &error);
    return cairn_average_count(world) - 1;
}

// ---------------------------------------------------------------- measure

static void check_measure_name(lua_State *L, const char *name)
{
    const scn_scene *scene = scn_loader_of(L)->scene;
    if (name[0] == '\0' || strpbrk(name, ",\"\n\r") != NULL)
        scn_raise(L, "measure: a name must not be empty or hold commas, quotes or line ends");
    for (int i = 0; i < scene->measure_count; i++)
        if (strcmp(scene->measures[i]->name, name) == 0)
            scn_raise(L, "a measure named \"%.80s\" exists already", name);
}

/// A measure without region or bodies, in the scene's list.
static scn_measure *list_measure(lua_State *L, const char *name)
{
    scn_scene *scene = scn_loader_of(L)->scene;
    if (base_array_reserve(&scene->allocator, &scene->measures, &scene->measure_capacity,
                           scene->measure_count + 1) != CAIRN_OK)
        scn_raise(L, "out of memory");
    scn_measure *made = base_allocate(&scene->allocator, 1, sizeof *made);
    if (made == NULL)
        scn_raise(L, "out of memory");
    *made = (scn_measure){.scene = scene, .average = -1};
    scene->measures[scene->measure_count++] = made;
    made->name = base_copy_text(&scene->allocator, name);
    if (made->name == NULL)
        scn_raise(L, "out of memory");
    return made;
}

int scn_call_measure(lua_State *L)
{
    static const char *const names[] = {"name",   "region", "body", "bodies", "about",
                                        "window", "every",  "from", NULL};
    scn_fields fields = scn_fields_begin(L, "measure");
    scn_fields_check(&fields, names, 0);
    scn_fields_require(&fields, "name");
    const char *name = scn_fields_text(&fields, "name", NULL);
    check_measure_name(L, name);
    scn_scene *scene = scn_loader_of(L)->scene;
    bool region = scn_fields_has(&fields, "region");
    if (region + scn_fields_has(&fields, "body") + scn_fields_has(&fields, "bodies") != 1)
        scn_raise(L, "measure: give one of region, body and bodies");
    scn_measure is = {0};
    is.about_point = scn_fields_vector(&fields, "about", is.point, 3, scn_range_any("m"));
    if (region && is.about_point)
        scn_raise(
            L, "measure: \"about\", the point of torques, is of body and bodies, not of a region");
    const cairn_body_id *bodies = region ? NULL : scn_push_bodies(&fields, &is.body_count);
    is.of_cell = region && scn_region_is_cell(&fields);
    if (region && !is.of_cell)
        is.region = scn_read_region_following(&fields, &is.follow);
    cairn_measure tried;
    cairn_error error = {0};
    if (region)
        scn_fields_pass(&fields,
                        cairn_world_measure(scn_loader_world(L), is.of_cell ? NULL : &is.region,
                                            &tried, &error),
                        &error);
    scn_measure *made = list_measure(L, name);
    made->of_cell = is.of_cell;
    made->region = is.region;
    made->follow = is.follow;
    made->about_point = is.about_point;
    memcpy(made->point, is.point, sizeof is.point);
    if (!region) {
        made->bodies =
            base_allocate(&scene->allocator, (size_t)is.body_count, sizeof *made->bodies);
        if (made->bodies == NULL)
            scn_raise(L, "out of memory");
        memcpy(made->bodies, bodies, (size_t)is.body_count * sizeof *bodies);
        made->body_count = is.body_count;
    }
    made->average = scn_window_add(&fields, name, read_now, made, scn_measure_column_count(made));
    return 0;
}
