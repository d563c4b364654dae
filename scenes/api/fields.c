// SPDX-License-Identifier: Apache-2.0
// Call fields: coarse-grained fields that a run writes.
#include "scenes/load/loader.h"

#include <limits.h>
#include <string.h>

/// Part of a file name.
static void check_field_name(lua_State *L, const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const scn_scene *scene = scn_loader_of(L)->scene;
    if (name[0] == '\0' || strlen(name) > 64 || name[strspn(name, letters)] != '\0')
        scn_raise(L, "fields: a name has 1 to 64 letters, digits, _ and -");
    for (int i = 0; i < scene->field_count; i++)
        if (strcmp(scene->fields[i].name, name) == 0)
            scn_raise(L, "fields named \"%.80s\" exist already", name);
}

int scn_call_fields(lua_State *L)
{
    static const char *const names[] = {"name",  "min",    "max",    "cells", "kernel", "width",
                                        "every", "format", "window", "from",  NULL};
    static const char *const kernels[] = {"lucy", "gaussian", NULL};
    static const char *const formats[] = {"vti", "hdf5", NULL};
    scn_fields fields = scn_fields_begin(L, "fields");
    scn_fields_check(&fields, names, 0);
    scn_scene *scene = scn_loader_of(L)->scene;
    const char *name = scn_fields_text(&fields, "name", "fields");
    check_field_name(L, name);
    scn_field field = {0};
    double cells[3] = {0.0};
    for (int i = 1; i < 4; i++)
        scn_fields_require(&fields, names[i]);
    scn_fields_require(&fields, "width");
    scn_fields_vector(&fields, "min", field.grid.low, 3, scn_range_any("m"));
    scn_fields_vector(&fields, "max", field.grid.high, 3, scn_range_any("m"));
    scn_fields_vector(&fields, "cells", cells, 3, (scn_range){1.0, 1e6, false, ""});
    for (int k = 0; k < 3; k++)
        field.grid.cells[k] = (int)cells[k];
    field.grid.kernel =
        (cairn_kernel)scn_fields_choice(&fields, "kernel", CAIRN_KERNEL_LUCY, kernels);
    field.grid.width = scn_fields_number(&fields, "width", 0.0, scn_range_positive("m"));
    field.every = (int)scn_fields_integer(&fields, "every", 100, 1, INT_MAX);
    field.average = -1;
    if (!scn_fields_has(&fields, "window") && scn_fields_has(&fields, "from"))
        scn_raise(L, "fields: \"from\" is of an average over a \"window\" (s): give one");
    field.hdf5 = scn_fields_choice(&fields, "format", 0, formats) == 1;
    // a grid that is wrong is refused here and not at the first frame
    cairn_error error = {0};
    scn_fields_pass(&fields,
                    cairn_world_coarse_grain(scn_loader_world(L), &field.grid,
                                             &(cairn_coarse_fields){0}, &error),
                    &error);
    if (scn_fields_has(&fields, "window")) {
        cairn_average_def def = cairn_default_average_def();
        scn_window_read(&fields, &def);
        def.name = name;
        scn_fields_pass(&fields,
                        cairn_fields_average_create(scn_loader_world(L), &field.grid, &def, &error),
                        &error);
        field.average = cairn_average_count(scn_loader_world(L)) - 1;
    }
    field.name = base_copy_text(&scene->allocator, name);
    if (field.name == NULL ||
        base_array_reserve(&scene->allocator, &scene->fields, &scene->field_capacity,
                           scene->field_count + 1) != CAIRN_OK) {
        base_release(&scene->allocator, field.name);
        scn_raise(L, "out of memory");
    }
    scene->fields[scene->field_count++] = field;
    return 0;
}
