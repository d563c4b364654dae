// SPDX-License-Identifier: Apache-2.0
// Coarse-grained fields as an image for ParaView, or as HDF5.
#include "engine/files/vtp.h"
#include "engine/state/world.h"

#include <cairn/grains.h>
#include <string.h>

enum { FIELD_COUNT = 6 };

cairn_status cairn_fields_write(const cairn_world *world, const cairn_grid *grid, const char *path,
                                cairn_error *error)
{
    if (world == NULL || grid == NULL || path == NULL)
        return base_fail_null(error, __func__);
    static const int components[FIELD_COUNT] = {1, 3, 9, 9, 3, 1};
    static const char *const names[FIELD_COUNT] = {
        "density", "momentum", "contact stress", "kinetic stress", "boundary force", "temperature"};
    size_t length = strlen(path);
    bool is_hdf5 = length >= 3 && strcmp(path + length - 3, ".h5") == 0;
    // a grid that is wrong is refused before its cells are counted
    cairn_status status = cairn_world_coarse_grain(world, grid, &(cairn_coarse_fields){0}, error);
    if (status != CAIRN_OK)
        return status;
    size_t points = 1, width = 0;
    for (int k = 0; k < 3; k++)
        points *= (size_t)grid->cells[k];
    for (int i = 0; i < FIELD_COUNT; i++)
        width += (size_t)components[i];
    double *values = base_allocate(&world->allocator, points * width, sizeof *values);
    if (values == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    eng_vtp_array arrays[FIELD_COUNT];
    double *at = values;
    for (int i = 0; i < FIELD_COUNT; i++) {
        arrays[i] = (eng_vtp_array){names[i], ENG_VTP_FLOAT64, components[i], {.data = at}};
        at += points * (size_t)components[i];
    }
    cairn_coarse_fields fields = {.density = (double *)arrays[0].values.data,
                                  .momentum = (double(*)[3])arrays[1].values.data,
                                  .contact_stress = (double(*)[9])arrays[2].values.data,
                                  .kinetic_stress = (double(*)[9])arrays[3].values.data,
                                  .boundary_force = (double(*)[3])arrays[4].values.data,
                                  .temperature = (double *)arrays[5].values.data};
    eng_vti image = {.time = world->time, .arrays = arrays, .array_count = FIELD_COUNT};
    for (int k = 0; k < 3; k++) {
        image.origin[k] = grid->low[k];
        image.cells[k] = grid->cells[k];
        image.spacing[k] = (grid->high[k] - grid->low[k]) / grid->cells[k];
    }
    status = cairn_world_coarse_grain(world, grid, &fields, error);
    if (status == CAIRN_OK)
        status = is_hdf5 ? eng_image_write_hdf5(path, &image, error)
                         : eng_vti_write(path, &image, error);
    base_release(&world->allocator, values);
    return status;
}
