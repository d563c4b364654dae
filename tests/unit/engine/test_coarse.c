// SPDX-License-Identifier: Apache-2.0
// Coarse-grained fields: mass and momentum of the grains, and the balance of forces at points.
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

/// Integrals over a grid that holds all: mass and momentum; a kernel of unit integral.
static void test_totals(void **state)
{
    (void)state;
    cairn_world *world = make_bed();
    enum { N = 60 };
    static double density[N * N * N], momentum[N * N * N][3];
    double mass = 0.0, sum[3] = {0.0};
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view body;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &body), CAIRN_OK);
        mass += body.kind == CAIRN_DYNAMIC ? body.mass : 0.0;
        for (int k = 0; k < 3 && body.kind == CAIRN_DYNAMIC; k++)
            sum[k] += body.mass * body.velocity[k];
    }
    for (int kernel = CAIRN_KERNEL_LUCY; kernel <= CAIRN_KERNEL_GAUSSIAN; kernel++) {
        cairn_grid grid = {{-0.3, -0.3, -0.5},
                           {0.7, 0.7, 0.5},
                           {N, N, N},
                           (cairn_kernel)kernel,
                           kernel == CAIRN_KERNEL_LUCY ? 0.12 : 0.04};
        cairn_coarse_fields fields = {.density = density, .momentum = momentum};
        assert_int_equal(cairn_world_coarse_grain(world, &grid, &fields, &error), CAIRN_OK);
        double total = 0.0, flow[3] = {0.0}, cell = 1.0 / (N * N * N);
        for (int i = 0; i < N * N * N; i++) {
            total += density[i] * cell;
            for (int k = 0; k < 3; k++)
                flow[k] += momentum[i][k] * cell;
        }
        // what the sum over cells misses of the integral falls with a high power of the cell
        check_close(total, mass, kernel == CAIRN_KERNEL_LUCY ? 2e-4 : 1e-9, 0.0);
        for (int k = 0; k < 3; k++)
            check_close(flow[k], sum[k], 0.0, 2e-4 * mass);
    }
    cairn_world_destroy(world);
}

/// The force density at a point is the divergence of the stress and the boundary's force there.
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
        double force[3], torque[3], r2 = 0.0, w = 0.0;
        assert_int_equal(cairn_body_get(world, id, &body), CAIRN_OK);
        if (body.kind != CAIRN_DYNAMIC)
            continue;
        assert_int_equal(cairn_body_get_contact_force(world, id, force, torque), CAIRN_OK);
        // the middle of the step that was made
        for (int k = 0; k < 3; k++)
            r2 += pow(body.centre[k] - 0.5 * 2e-4 * body.velocity[k] - at[k], 2);
        double x = sqrt(r2) / width;
        if (kernel == CAIRN_KERNEL_GAUSSIAN)
            w = exp(-0.5 * x * x) / pow(2.0 * M_PI * width * width, 1.5);
        else if (x < 1.0)
            w = 105.0 / (16.0 * M_PI * pow(width, 3)) * (1.0 + 3.0 * x) * pow(1.0 - x, 3);
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

/// The Gaussian one is cut off where it is 2e-11 of its peak.
static double kernel_at(const cairn_grid *grid, double distance)
{
    double c = grid->width, x = distance / c;
    if (grid->kernel == CAIRN_KERNEL_GAUSSIAN)
        return x < 7.0 ? exp(-0.5 * x * x) / pow(2.0 * M_PI * c * c, 1.5) : 0.0;
    return x < 1.0 ? 105.0 / (16.0 * M_PI * pow(c, 3)) * (1.0 + 3.0 * x) * pow(1.0 - x, 3) : 0.0;
}

static double distance_of(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
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

/// Mean of the kernel from a to b at a point, by Simpson's rule.
static double mean_along(const cairn_grid *grid, const double a[3], const double b[3],
                         const double at[3])
{
    enum { PARTS = 100 };
    double sum = 0.0;
    for (int i = 0; i <= PARTS; i++) {
        double place[3], t = (double)i / PARTS;
        for (int k = 0; k < 3; k++)
            place[k] = a[k] + t * (b[k] - a[k]);
        double weight = i == 0 || i == PARTS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
        sum += weight / (3.0 * PARTS) * kernel_at(grid, distance_of(place, at));
    }
    return sum;
}

/// Density and contact stress at a point: grain by grain and branch by branch.
static void sum_at(const cairn_world *world, const cairn_grid *grid, const double at[3],
                   double *density, double stress[9])
{
    double centre[2][3], mass;
    *density = 0.0;
    memset(stress, 0, 9 * sizeof *stress);
    for (int i = 0; i < cairn_body_count(world); i++)
        if (middle_of(world, cairn_body_at(world, i), centre[0], &mass))
            *density += mass * kernel_at(grid, distance_of(centre[0], at));
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
        cmocka_unit_test(test_totals),      cmocka_unit_test(test_sums),
        cmocka_unit_test(test_balance),     cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_temperature), cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
