// SPDX-License-Identifier: Apache-2.0
// Coarse-grained fields as an image for ParaView, or as HDF5.
#include "engine/files/vtp.h"
#include "engine/grains/coarse.h"
#include "engine/state/world.h"

#include <cairn/grains.h>
#include <string.h>

enum { FIELD_COUNT = 6 };

/// Writes fields as eng_coarse_in lays them out.
static cairn_status write_image(const cairn_world *world, const cairn_grid *grid,
                                const cairn_coarse_fields *f, const char *path, cairn_error *error)
{
    size_t length = strlen(path);
    bool is_hdf5 = length >= 3 && strcmp(path + length - 3, ".h5") == 0;
    const eng_vtp_array arrays[FIELD_COUNT] = {
        {"density", ENG_VTP_FLOAT64, 1, {.data = f->density}},
        {"momentum", ENG_VTP_FLOAT64, 3, {.data = f->momentum}},
        {"contact stress", ENG_VTP_FLOAT64, 9, {.data = f->contact_stress}},
        {"kinetic stress", ENG_VTP_FLOAT64, 9, {.data = f->kinetic_stress}},
        {"boundary force", ENG_VTP_FLOAT64, 3, {.data = f->boundary_force}},
        {"temperature", ENG_VTP_FLOAT64, 1, {.data = f->temperature}}};
    eng_vti image = {.time = world->state.clock.time, .arrays = arrays, .array_count = FIELD_COUNT};
    for (int k = 0; k < 3; k++) {
        image.origin[k] = grid->low[k];
        image.cells[k] = grid->cells[k];
        image.spacing[k] = (grid->high[k] - grid->low[k]) / grid->cells[k];
    }
    return is_hdf5 ? eng_image_write_hdf5(path, &image, error) : eng_vti_write(path, &image, error);
}

/// @param means  sums over the window of an average; NULL: those of now
static cairn_status write_fields(const cairn_world *world, const cairn_grid *grid,
                                 const double *means, const char *path, cairn_error *error)
{
    size_t cells = eng_coarse_cells(grid);
    double *values =
        base_allocate(&world->model.allocator, ENG_COARSE_FIELDS * cells, sizeof *values);
    if (values == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    cairn_coarse_fields fields = eng_coarse_in(values, grid);
    cairn_status status = CAIRN_OK;
    if (means != NULL)
        memcpy(values, means, ENG_COARSE_SUMS * cells * sizeof *values);
    else
        status = eng_coarse_sum(world, grid, &fields, NULL, error);
    eng_coarse_finish(&fields, cells);
    if (status == CAIRN_OK)
        status = write_image(world, grid, &fields, path, error);
    base_release(&world->model.allocator, values);
    return status;
}

cairn_status cairn_fields_write(const cairn_world *world, const cairn_grid *grid, const char *path,
                                cairn_error *error)
{
    if (world == NULL || grid == NULL || path == NULL)
        return base_fail_null(error, __func__);
    // a grid that is wrong is refused before its cells are counted
    cairn_status status = cairn_world_coarse_grain(world, grid, &(cairn_coarse_fields){0}, error);
    return status == CAIRN_OK ? write_fields(world, grid, NULL, path, error) : status;
}

cairn_status cairn_fields_average_write(const cairn_world *world, int average, const char *path,
                                        cairn_error *error)
{
    if (world == NULL || path == NULL)
        return base_fail_null(error, __func__);
    const cairn_grid *grid = eng_average_grid(world, average);
    cairn_average_view view;
    if (grid == NULL || cairn_average_get(world, average, &view) != CAIRN_OK || view.mean == NULL)
        return base_fail(error, CAIRN_ERROR_NOT_FOUND, "average %d holds no fields", average);
    return write_fields(world, grid, view.mean, path, error);
}
