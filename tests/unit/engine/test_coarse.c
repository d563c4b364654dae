// SPDX-License-Identifier: Apache-2.0
// Coarse-grained fields: totals of cells of any size, and the balance of forces.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cairn_error error;

/// Soft grains that were shaken together on a floor, and move still.
static cairn_world *make_bed_on(int threads)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    def.time_step = 2e-4;
    def.threads = threads;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    cairn_material_id none = {0};
    assert_int_equal(cairn_pair_set_law(world, none, none, "hooke", &error), CAIRN_OK);
    assert_int_equal(
        cairn_pair_set_value(world, none, none, "normal_stiffness", cairn_number(1e4), &error),
        CAIRN_OK);
    assert_int_equal(cairn_pair_set_value(world, none, none, "friction", cairn_number(0.4), &error),
                     CAIRN_OK);
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def floor = cairn_default_body_def();
    cairn_body_id made;
    floor.kind = CAIRN_FIXED;
    assert_int_equal(cairn_shape_create(world, &plane, &floor.shape, &error), CAIRN_OK);
    assert_int_equal(cairn_body_create(world, &floor, &made, &error), CAIRN_OK);
    cairn_grain_def grain = {.size = {.kind = CAIRN_SIZE_UNIFORM, .minimum = 0.04, .maximum = 0.06},
                             .density = 1000.0,
                             .share = 1.0};
    cairn_packing_def packing = cairn_default_packing_def();
    packing.region = (cairn_region){.b = {0.4, 0.4, 0.2}};
    packing.grains = &grain;
    packing.grain_count = 1;
    packing.method = CAIRN_PACKING_GROWTH;
    packing.porosity = 0.55;
    assert_int_equal(cairn_packing_create(world, &packing, NULL, &error), CAIRN_OK);
    for (int i = 0; i < 800; i++)
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    assert_true(cairn_contact_count(world) > 50);
    return world;
}

static cairn_world *make_bed(void)
{
    return make_bed_on(1);
}

/// Centre of a body in the middle of the step that was made; false where it is not dynamic.
static bool middle_of(const cairn_world *world, cairn_body_id id, double centre[3], double *mass)
{
    cairn_body_view body;
    assert_int_equal(cairn_body_get(world, id, &body), CAIRN_OK);
    for (int k = 0; k < 3; k++)
        centre[k] = body.centre[k] - 0.5 * 2e-4 * body.velocity[k];
    *mass = body.mass;
    return body.kind == CAIRN_DYNAMIC;
}

enum { TOTALS = 1 + 3 + 1 + 9 + 3 }; // mass, momentum, energy, stress of contacts, boundary force

/// What there is, body by body and contact by contact. Volume times stress is minus the force on a
/// grain times the branch from its centre to the point of contact, for both grains.
static void total_bodies(const cairn_world *world, double out[TOTALS], double size[TOTALS])
{
    memset(out, 0, TOTALS * sizeof *out);
    memset(size, 0, TOTALS * sizeof *size);
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view body;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &body), CAIRN_OK);
        if (body.kind != CAIRN_DYNAMIC)
            continue;
        double terms[5] = {body.mass};
        for (int k = 0; k < 3; k++) {
            terms[1 + k] = body.mass * body.velocity[k];
            terms[4] += 0.5 * body.mass * body.velocity[k] * body.velocity[k];
        }
        for (int k = 0; k < 5; k++) {
            out[k] += terms[k];
            size[k] += fabs(terms[k]);
        }
    }
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view c;
        double centre[2][3], mass;
        bool grain[2];
        assert_int_equal(cairn_contact_get(world, i, &c), CAIRN_OK);
        for (int side = 0; side < 2; side++)
            grain[side] = middle_of(world, side == 0 ? c.a : c.b, centre[side], &mass);
        for (int side = 0; side < 2; side++) {
            // the force is that on B
            double sign = side == 0 ? 1.0 : -1.0;
            for (int k = 0; k < 9 && grain[side]; k++) {
                double term = sign * c.force[k / 3] * (c.point[k % 3] - centre[side][k % 3]);
                out[5 + k] += term;
                size[5 + k] += fabs(term);
            }
            for (int k = 0; k < 3 && grain[side] && !grain[1 - side]; k++) {
                out[14 + k] -= sign * c.force[k];
                size[14 + k] += fabs(c.force[k]);
            }
        }
    }
}

/// The same of a grid that holds all.
static void total_cells(const cairn_world *world, const cairn_grid *grid, double out[TOTALS])
{
    size_t cells = 1;
    double volume = 1.0;
    for (int k = 0; k < 3; k++) {
        cells *= (size_t)grid->cells[k];
        volume *= (grid->high[k] - grid->low[k]) / grid->cells[k];
    }
    double *values = calloc(25 * cells, sizeof *values);
    assert_non_null(values);
    cairn_coarse_fields f = {.density = values,
                             .momentum = (double(*)[3])(values + cells),
                             .contact_stress = (double(*)[9])(values + 4 * cells),
                             .kinetic_stress = (double(*)[9])(values + 13 * cells),
                             .boundary_force = (double(*)[3])(values + 22 * cells)};
    assert_int_equal(cairn_world_coarse_grain(world, grid, &f, &error), CAIRN_OK);
    memset(out, 0, TOTALS * sizeof *out);
    for (size_t i = 0; i < cells; i++) {
        double twice = f.kinetic_stress[i][0] + f.kinetic_stress[i][4] + f.kinetic_stress[i][8];
        out[0] += volume * f.density[i];
        for (int k = 0; k < 3; k++) {
            out[1 + k] += volume * f.momentum[i][k];
            out[14 + k] += volume * f.boundary_force[i][k];
            if (f.density[i] > 0.0)
                twice += f.momentum[i][k] * f.momentum[i][k] / f.density[i];
        }
        out[4] += 0.5 * volume * twice;
        for (int k = 0; k < 9; k++)
            out[5 + k] += volume * f.contact_stress[i][k];
    }
    free(values);
}

/// Cells of any size and number sum to what there is.
static void test_totals(void **state)
{
    (void)state;
    cairn_world *world = make_bed();
    static const int counts[][3] = {{1, 1, 1},  {1, 1, 62}, {2, 1, 1},   {3, 2, 5},   {1, 40, 1},
                                    {7, 11, 5}, {20, 1, 9}, {62, 62, 1}, {1, 500, 2}, {46, 46, 46}};
    static const double widths[2][3] = {{0.01, 0.1, 0.3}, {0.002, 0.03, 0.07}};
    double is[TOTALS], size[TOTALS], cells[TOTALS];
    total_bodies(world, is, size);
    for (int kernel = CAIRN_KERNEL_LUCY; kernel <= CAIRN_KERNEL_GAUSSIAN; kernel++)
        for (int w = 0; w < 3; w++)
            // the widest in the finest cells are left out for the time they take
            for (size_t c = 0; c < sizeof counts / sizeof *counts - (w == 2); c++) {
                cairn_grid grid = {.low = {-0.6, -0.61, -0.62},
                                   .high = {1.0, 1.01, 0.9},
                                   .kernel = (cairn_kernel)kernel,
                                   .width = widths[kernel][w]};
                memcpy(grid.cells, counts[c], sizeof grid.cells);
                total_cells(world, &grid, cells);
                for (int k = 0; k < TOTALS; k++)
                    check_close(cells[k], is[k], 0.0, 1e-12 * size[k]);
            }
    cairn_world_destroy(world);
}

/// Cells that are halves of others have their means.
static void test_nested(void **state)
{
    (void)state;
    cairn_world *world = make_bed();
    for (int kernel = CAIRN_KERNEL_LUCY; kernel <= CAIRN_KERNEL_GAUSSIAN; kernel++) {
        double fine[12 * 10 * 8][9], coarse[6 * 5 * 4][9], most = 0.0;
        cairn_grid grid = {
            {0.05, 0.0, -0.05}, {0.4, 0.35, 0.15}, {12, 10, 8}, (cairn_kernel)kernel, 0.05};
        cairn_coarse_fields fields = {.contact_stress = fine};
        assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
        for (int k = 0; k < 3; k++)
            grid.cells[k] /= 2;
        fields.contact_stress = coarse;
        assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
        for (int i = 0; i < 6 * 5 * 4; i++)
            most = fmax(most, fabs(coarse[i][8]));
        assert_true(most > 0.0);
        for (int i = 0; i < 6 * 5 * 4; i++)
            for (int k = 0; k < 9; k++) {
                double mean = 0.0;
                for (int part = 0; part < 8; part++) {
                    int x = 2 * (i % 6) + (part & 1), y = 2 * (i / 6 % 5) + (part >> 1 & 1);
                    int z = 2 * (i / 30) + (part >> 2);
                    mean += 0.125 * fine[x + 12 * (y + 10 * z)][k];
                }
                check_close(coarse[i][k], mean, 0.0, 1e-12 * most);
            }
    }
    cairn_world_destroy(world);
}

/// Lucy's kernel of width 1 seen from far along two axes, at a distance along the third: its
/// integral over a plane.
static double lucy_plane(double z)
{
    enum { PARTS = 400 };
    double sum = 0.0, from = fabs(z);
    for (int i = 0; i <= PARTS && from < 1.0; i++) {
        double r = from + (1.0 - from) * i / PARTS;
        double weight = i == 0 || i == PARTS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        sum += weight * (1.0 - from) / (3.0 * PARTS) * 105.0 / 8.0 * r * (1.0 + 3.0 * r) *
               pow(1.0 - r, 3);
    }
    return sum;
}

/// Share of the kernel between two faces at distances from its middle.
static double share_between(const cairn_grid *grid, double a, double b)
{
    enum { TABLE = 2000 };
    static double beyond[TABLE + 1], plane[TABLE + 1]; // of Lucy's kernel, from -1 to 1
    const double h = 2.0 / TABLE;
    if (grid->kernel == CAIRN_KERNEL_GAUSSIAN) {
        // cut at seven widths, and the rest of it 1 in all
        double unit = sqrt(2.0) * grid->width, most = 7.0 * grid->width;
        double from = fmin(fmax(a, -most), most) / unit, to = fmin(fmax(b, -most), most) / unit;
        double share = from > 0.0 ? erfc(from) - erfc(to) : erfc(-to) - erfc(-from);
        return 0.5 * share / erf(7.0 / sqrt(2.0));
    }
    for (int i = 0; i < TABLE && beyond[TABLE] == 0.0; i++) {
        double middle = lucy_plane(-1.0 + (i + 0.5) * h);
        plane[i + 1] = lucy_plane(-1.0 + (i + 1) * h);
        beyond[i + 1] = beyond[i] + h / 6.0 * (plane[i] + 4.0 * middle + plane[i + 1]);
    }
    double at[2] = {a / grid->width, b / grid->width}, share[2];
    for (int k = 0; k < 2; k++) {
        double x = (fmin(fmax(at[k], -1.0), 1.0) + 1.0) / h;
        int i = (int)fmin(x, TABLE - 1);
        // the cubic through both places with the slopes there
        double t = x - i;
        share[k] = beyond[i] + (3.0 - 2.0 * t) * t * t * (beyond[i + 1] - beyond[i]) +
                   h * t * (1.0 - t) * ((1.0 - t) * plane[i] - t * plane[i + 1]);
    }
    return share[1] - share[0];
}

/// Mean of the kernel of a place over the cell with its middle at `at`, 1/m3.
static double kernel_in(const cairn_grid *grid, const double place[3], const double at[3])
{
    double out = 1.0;
    for (int k = 0; k < 3; k++) {
        double side = (grid->high[k] - grid->low[k]) / grid->cells[k], away = at[k] - place[k];
        out *= share_between(grid, away - 0.5 * side, away + 0.5 * side) / side;
    }
    return out;
}

/// The force density of a cell is the divergence of the stress and the boundary's force there.
static void check_balance(const cairn_world *world, cairn_kernel kernel, double width,
                          const double at[3], double h)
{
    // central differences of eighth order
    static const double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
    double divergence[3] = {0.0}, boundary[9][3], stress[9][9], scale = 0.0, forces[3] = {0.0};
    for (int axis = 0; axis < 3; axis++) {
        cairn_grid grid = {.kernel = kernel, .width = width};
        for (int k = 0; k < 3; k++) {
            grid.cells[k] = k == axis ? 9 : 1;
            grid.low[k] = at[k] - 0.5 * h * grid.cells[k];
            grid.high[k] = at[k] + 0.5 * h * grid.cells[k];
        }
        cairn_coarse_fields fields = {.contact_stress = stress, .boundary_force = boundary};
        assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 4; k++)
                divergence[i] +=
                    weights[k] / h * (stress[5 + k][3 * i + axis] - stress[3 - k][3 * i + axis]);
    }
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_id id = cairn_body_at(world, i);
        cairn_body_view body;
        double force[3], torque[3], centre[3], w;
        assert_int_equal(cairn_body_get(world, id, &body), CAIRN_OK);
        if (body.kind != CAIRN_DYNAMIC)
            continue;
        assert_int_equal(cairn_body_get_contact_force(world, id, force, torque), CAIRN_OK);
        // the middle of the step that was made
        for (int k = 0; k < 3; k++)
            centre[k] = body.centre[k] - 0.5 * 2e-4 * body.velocity[k];
        w = kernel_in(&(cairn_grid){.low = {-0.5 * h, -0.5 * h, -0.5 * h},
                                    .high = {0.5 * h, 0.5 * h, 0.5 * h},
                                    .cells = {1, 1, 1},
                                    .kernel = kernel,
                                    .width = width},
                      centre, at);
        for (int k = 0; k < 3; k++) {
            forces[k] += w * force[k];
            scale += w * fabs(force[k]);
        }
    }
    assert_true(scale > 0.0);
    for (int k = 0; k < 3; k++)
        check_close(forces[k], -divergence[k] + boundary[4][k], 0.0,
                    (kernel == CAIRN_KERNEL_GAUSSIAN ? 1e-10 : 1e-5) * scale);
}

static void test_balance(void **state)
{
    (void)state;
    cairn_world *world = make_bed();
    static const double points[][3] = {{0.2, 0.2, 0.1}, {0.1, 0.3, 0.02}, {0.25, 0.15, 0.06}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        check_balance(world, CAIRN_KERNEL_GAUSSIAN, 0.05, points[i], 0.002);
        // Lucy's second derivative has a kink at the edge, which differences see
        check_balance(world, CAIRN_KERNEL_LUCY, 0.15, points[i], 0.0005);
    }
    cairn_world_destroy(world);
}

/// Grains in a periodic cell that is sheared.
static cairn_world *make_cell(void)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    cairn_material_id none = {0};
    memset(def.gravity, 0, sizeof def.gravity);
    def.time_step = 1e-4;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    assert_int_equal(cairn_pair_set_law(world, none, none, "hooke", &error), CAIRN_OK);
    assert_int_equal(
        cairn_pair_set_value(world, none, none, "normal_stiffness", cairn_number(1e4), &error),
        CAIRN_OK);
    cairn_cell_def cell = cairn_default_cell_def();
    for (int k = 0; k < 3; k++) {
        cell.periodic[k] = true;
        cell.size[k] = 0.3 + 0.05 * k;
        cell.low[k] = -0.1;
    }
    cell.rate[1] = 2.0;
    cell.rate[8] = -0.5;
    assert_int_equal(cairn_world_set_cell(world, &cell, &error), CAIRN_OK);
    cairn_grain_def grain = {.size = {.first = 0.05}, .density = 1000.0, .share = 1.0};
    cairn_packing_def packing = cairn_default_packing_def();
    packing.region = (cairn_region){.a = {-0.1, -0.1, -0.1}, .b = {0.2, 0.25, 0.3}};
    packing.grains = &grain;
    packing.grain_count = 1;
    packing.method = CAIRN_PACKING_GROWTH;
    packing.porosity = 0.5;
    assert_int_equal(cairn_packing_create(world, &packing, NULL, &error), CAIRN_OK);
    for (int i = 0; i < 1500; i++)
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    assert_true(cairn_contact_count(world) > 100);
    return world;
}

/// Faces of a periodic cell are none: points that a lattice vector apart have the same fields, and
/// the means over the cell are those of its grains and contacts.
static void test_periodic(void **state)
{
    (void)state;
    cairn_world *world = make_cell();
    enum { N = 24 };
    static double density[2][N * N * N], stress[2][N * N * N][9], momentum[2][N * N * N][3];
    cairn_cell_view cell;
    assert_int_equal(cairn_world_get_cell(world, &cell), CAIRN_OK);
    // sides of the box that has the cell's volume: shears along x leave it a cell of its own
    cairn_grid grid = {.cells = {N, N, N}, .kernel = CAIRN_KERNEL_GAUSSIAN, .width = 0.03};
    double volume = 1.0, mass = 0.0, mean = 0.0, total[9] = {0.0}, contacts[9] = {0.0};
    double h = 0.5 * cairn_world_get_def(world)->time_step;
    const double rates[3] = {0.0, 0.0, -0.5}, sizes[3] = {0.3, 0.35, 0.4};
    for (int k = 0; k < 3; k++) {
        // the middle of the last step, half a step ago
        double side = cell.unfolded[k][k] * (1.0 - h * rates[k]);
        assert_true(fabs(side - sizes[k] * exp(rates[k] * 0.15)) < 1e-3);
        grid.low[k] = -0.03;
        grid.high[k] = grid.low[k] + side;
        volume *= side;
    }
    cairn_coarse_fields fields = {
        .density = density[0], .contact_stress = stress[0], .momentum = momentum[0]};
    assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
    double side = grid.high[0] - grid.low[0];
    grid.low[0] += 2.0 * side;
    grid.high[0] += 2.0 * side;
    fields = (cairn_coarse_fields){
        .density = density[1], .contact_stress = stress[1], .momentum = momentum[1]};
    assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
    for (int i = 0; i < N * N * N; i++) {
        check_close(density[1][i], density[0][i], 1e-9, 1e-6);
        check_close(momentum[1][i][1], momentum[0][i][1], 1e-9, 1e-6);
        mean += density[0][i] / (N * N * N);
        for (int k = 0; k < 9; k++) {
            check_close(stress[1][i][k], stress[0][i][k], 1e-9, 1e-6 * 1e3);
            total[k] += stress[0][i][k] / (N * N * N);
        }
    }
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view body;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &body), CAIRN_OK);
        mass += body.mass;
    }
    check_close(mean, mass / volume, 1e-8, 0.0);
    // force times the vector from centre to centre: two radii less the overlap, along the normal
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view c;
        assert_int_equal(cairn_contact_get(world, i, &c), CAIRN_OK);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                contacts[3 * a + b] += c.force[a] * (0.05 + c.gap) * c.normal[b] / volume;
    }
    for (int k = 0; k < 9; k++)
        check_close(total[k], contacts[k], 1e-6, 1e-6 * fabs(contacts[8]));
    cairn_world_destroy(world);
}

/// Mean of the kernel from a to b in a cell, by Simpson's rule.
static double mean_along(const cairn_grid *grid, const double a[3], const double b[3],
                         const double at[3])
{
    enum { PARTS = 20 };
    double sum = 0.0;
    for (int i = 0; i <= PARTS; i++) {
        double place[3], t = (double)i / PARTS;
        for (int k = 0; k < 3; k++)
            place[k] = a[k] + t * (b[k] - a[k]);
        double weight = i == 0 || i == PARTS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        sum += weight / (3.0 * PARTS) * kernel_in(grid, place, at);
    }
    return sum;
}

/// Density and contact stress of a cell: grain by grain and branch by branch.
static void sum_at(const cairn_world *world, const cairn_grid *grid, const double at[3],
                   double *density, double stress[9])
{
    double centre[2][3], mass;
    *density = 0.0;
    memset(stress, 0, 9 * sizeof *stress);
    for (int i = 0; i < cairn_body_count(world); i++)
        if (middle_of(world, cairn_body_at(world, i), centre[0], &mass))
            *density += mass * kernel_in(grid, centre[0], at);
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view c;
        assert_int_equal(cairn_contact_get(world, i, &c), CAIRN_OK);
        for (int side = 0; side < 2; side++) {
            if (!middle_of(world, side == 0 ? c.a : c.b, centre[side], &mass))
                continue;
            double sign = side == 0 ? 1.0 : -1.0;
            double mean = mean_along(grid, centre[side], c.point, at);
            for (int k = 0; k < 9; k++)
                stress[k] += sign * c.force[k / 3] * (c.point[k % 3] - centre[side][k % 3]) * mean;
        }
    }
}

/// Cells that are finer and coarser than the kernel is wide, cut off by the grid: none is left out.
static void check_sums(const cairn_world *world, cairn_kernel kernel, double width)
{
    const int counts[3][3] = {{3, 4, 2}, {9, 8, 5}, {2, 17, 3}};
    for (int c = 0; c < 3; c++) {
        cairn_grid grid = {{0.05, 0.0, -0.05}, {0.4, 0.35, 0.15}, {0}, kernel, width};
        memcpy(grid.cells, counts[c], sizeof grid.cells);
        double density[360], stress[360][9], own, sums[9], most = 0.0;
        cairn_coarse_fields fields = {.density = density, .contact_stress = stress};
        assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
        int cells = grid.cells[0] * grid.cells[1] * grid.cells[2];
        for (int i = 0; i < 9 * cells; i++)
            most = fmax(most, fabs(stress[i / 9][i % 9]));
        assert_true(most > 0.0);
        for (int i = 0; i < cells; i++) {
            const int place[3] = {i % grid.cells[0], i / grid.cells[0] % grid.cells[1],
                                  i / grid.cells[0] / grid.cells[1]};
            double at[3];
            for (int k = 0; k < 3; k++)
                at[k] =
                    grid.low[k] + (place[k] + 0.5) * (grid.high[k] - grid.low[k]) / grid.cells[k];
            sum_at(world, &grid, at, &own, sums);
            check_close(density[i], own, 1e-10, 1e-9);
            for (int k = 0; k < 9; k++)
                check_close(stress[i][k], sums[k], 0.0, 1e-6 * most);
        }
    }
}

static void test_sums(void **state)
{
    (void)state;
    cairn_world *world = make_bed();
    check_sums(world, CAIRN_KERNEL_LUCY, 0.1);
    // branches shorter and longer than two widths
    check_sums(world, CAIRN_KERNEL_GAUSSIAN, 0.04);
    check_sums(world, CAIRN_KERNEL_GAUSSIAN, 0.012);
    cairn_world_destroy(world);
}

enum { BITS_SIDE = 23, BITS_CELLS = BITS_SIDE * BITS_SIDE * BITS_SIDE };

typedef struct all_fields {
    double density[BITS_CELLS], momentum[BITS_CELLS][3], contact[BITS_CELLS][9],
        kinetic[BITS_CELLS][9], boundary[BITS_CELLS][3], temperature[BITS_CELLS];
} all_fields;

static void take_fields(const cairn_world *world, cairn_kernel kernel, double width, int cells,
                        all_fields *out)
{
    cairn_grid grid = {{-0.05, 0.0, -0.1}, {0.4, 0.43, 0.2}, {cells, cells, cells}, kernel, width};
    cairn_coarse_fields fields = {.density = out->density,
                                  .momentum = out->momentum,
                                  .contact_stress = out->contact,
                                  .kinetic_stress = out->kinetic,
                                  .boundary_force = out->boundary,
                                  .temperature = out->temperature};
    memset(out, 0, sizeof *out);
    assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
}

/// Fields of a bed: coarse and fine cells, both kernels.
static void take_some(const cairn_world *world, all_fields out[4])
{
    take_fields(world, CAIRN_KERNEL_LUCY, 0.1, 5, &out[0]);
    take_fields(world, CAIRN_KERNEL_LUCY, 0.15, BITS_SIDE, &out[1]);
    take_fields(world, CAIRN_KERNEL_GAUSSIAN, 0.03, 6, &out[2]);
    take_fields(world, CAIRN_KERNEL_GAUSSIAN, 0.02, BITS_SIDE, &out[3]);
}

/// Threads and vectors do not change a bit.
static void test_bits(void **state)
{
    (void)state;
    static all_fields one[4], other[4];
    static const char *const vectors[] = {"scalar", "avx2", "avx512"};
    const char *before = getenv("CAIRN_VECTORS");
    char kept[32];
    snprintf(kept, sizeof kept, "%s", before != NULL ? before : "");
    cairn_world *world = make_bed();
    take_some(world, one);
    assert_true(one[1].density[BITS_CELLS / 2] > 0.0 && one[3].density[BITS_CELLS / 2] > 0.0);
    for (int i = 0; i < 3; i++) {
        setenv("CAIRN_VECTORS", vectors[i], 1);
        take_some(world, other);
        assert_memory_equal(one, other, sizeof one);
    }
    setenv("CAIRN_VECTORS", kept, 1);
    cairn_world_destroy(world);
    for (int threads = 2; threads <= 4; threads++) {
        world = make_bed_on(threads);
        take_some(world, other);
        assert_memory_equal(one, other, sizeof one);
        cairn_world_destroy(world);
    }
}

/// Grains that fly with one velocity have no temperature; two that differ have that of the mean.
static void test_temperature(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    memset(def.gravity, 0, sizeof def.gravity);
    def.time_step = 1e-9;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    ball.radius = 0.01;
    cairn_body_def body = cairn_default_body_def();
    body.density = 1000.0;
    assert_int_equal(cairn_shape_create(world, &ball, &body.shape, &error), CAIRN_OK);
    const double speeds[2][3] = {{3.0, 1.0, 0.0}, {1.0, 1.0, 4.0}};
    for (int i = 0; i < 2; i++) {
        cairn_body_id made;
        body.position[0] = i == 0 ? -0.05 : 0.05;
        memcpy(body.velocity, speeds[i], sizeof speeds[i]);
        assert_int_equal(cairn_body_create(world, &body, &made, &error), CAIRN_OK);
    }
    // half way between the two both weigh the same
    cairn_grid grid = {
        {-0.01, -0.01, -0.01}, {0.01, 0.01, 0.01}, {1, 1, 1}, CAIRN_KERNEL_LUCY, 0.2};
    double stress[1][9], temperature, density;
    cairn_coarse_fields fields = {
        .kinetic_stress = stress, .temperature = &temperature, .density = &density};
    assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
    check_close(temperature, (1.0 + 4.0) / 3.0, 1e-7, 0.0);
    check_close(stress[0][2], density * (1.0 * -2.0), 1e-7, 0.0);
    check_close(stress[0][4], 0.0, 0.0, 1e-9);
    grid.cells[1] = 0;
    assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_ERROR_ARGUMENT);
    grid.cells[1] = 1;
    grid.width = -1.0;
    assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "width = -1 m"));
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals),   cmocka_unit_test(test_nested),
        cmocka_unit_test(test_sums),     cmocka_unit_test(test_balance),
        cmocka_unit_test(test_periodic), cmocka_unit_test(test_temperature),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
