// SPDX-License-Identifier: Apache-2.0
// Coarse-grained fields: sums over grains and contacts, smeared out by a kernel.
//
// A contact acts along the branch from the centre of a grain to the point of contact. Its stress is
// minus the force times the branch times the mean of the kernel along it, in closed form, so that
// the divergence of the stress is the force density exactly. In a periodic cell a grid has the
// images of grains and contacts, wherever it lies.
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include "base/elementary.h"

#include <cairn/grains.h>
#include <string.h>

enum { CELLS_MAX = 1 << 28 };

typedef struct smear {
    const cairn_world *world;
    const cairn_grid *grid;
    const cairn_coarse_fields *fields;
    double spacing[3];
    double reach;           // m, beyond which the kernel is nothing
    double low[3], high[3]; // of the grid, in lattice vectors of the periodic cell
    double slant[3];        // 1/m, lattice vectors that a metre is at most
} smear;

/// Natural logarithm of a normal number, within a few units of its last place: that of base/ is
/// exact, and takes ten times as long.
static double quick_ln(double x)
{
    static const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    // the exponent such that m lies between the roots of 1/2 and 2
    uint64_t bits, sqrt_half = UINT64_C(0x3fe6a09e667f3bcd);
    memcpy(&bits, &x, sizeof bits);
    double power = (double)((int64_t)(bits - sqrt_half) >> 52);
    bits -= (bits - sqrt_half) & UINT64_C(0xfff0000000000000);
    double m;
    memcpy(&m, &bits, sizeof m);
    // ln m = 2 (s + s^3/3 + s^5/5 + ...) with |s| < 0.1716
    double s = (m - 1.0) / (m + 1.0), z = s * s, sum = 1.0 / 23.0;
    static const double parts[] = {1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0,
                                   1.0 / 11.0, 1.0 / 9.0,  1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0};
    for (int i = 0; i < 10; i++)
        sum = parts[i] + z * sum;
    return power * ln2_high + (2.0 * (s + s * z * sum) + power * ln2_low);
}

static double gaussian_reach(double width)
{
    return 7.0 * width;
}

static double kernel_at(const smear *s, double r2)
{
    double c = s->grid->width;
    if (r2 >= s->reach * s->reach)
        return 0.0;
    if (s->grid->kernel == CAIRN_KERNEL_GAUSSIAN)
        return base_exp(-0.5 * r2 / (c * c)) / (2.0 * M_PI * sqrt(2.0 * M_PI) * c * c * c);
    double x = sqrt(r2) / c, rest = 1.0 - x;
    return 105.0 / (16.0 * M_PI * c * c * c) * (1.0 + 3.0 * x) * rest * rest * rest;
}

/// Integral of Lucy's 1 - 6 r^2 + 8 r^3 - 3 r^4 from 0 to u along a line at the distance d, lengths
/// in widths, but for its logarithm 3 d^4 asinh(u/d).
static double lucy_powers(double u, double q, double d2)
{
    double u2 = u * u;
    double cubes = 0.125 * u * (2.0 * u2 + 5.0 * d2) * q;
    double squares = u * (d2 + u2 / 3.0);
    double fourths = u * (d2 * d2 + 2.0 / 3.0 * d2 * u2 + 0.2 * u2 * u2);
    return u - 6.0 * squares + 8.0 * cubes - 3.0 * fourths;
}

/// Integral of Lucy's polynomial between two places of such a line; from < to.
static double lucy_between(double from, double to, double d2)
{
    double q0 = sqrt(d2 + from * from), q1 = sqrt(d2 + to * to);
    double sum = lucy_powers(to, q1, d2) - lucy_powers(from, q0, d2);
    if (!(d2 > 1e-18 * fmax(q0, q1) * fmax(q0, q1)))
        return sum;
    // asinh(to/d) - asinh(from/d) by one logarithm, of factors that do not cancel
    double e0 = fabs(from) + q0, e1 = fabs(to) + q1;
    double ratio = from >= 0.0 ? e1 / e0 : to <= 0.0 ? e0 / e1 : e0 * e1 / d2;
    return sum + 3.0 * d2 * d2 * quick_ln(ratio);
}

/// Mean of the kernel along a branch of a length, seen from a place `along` the branch from its
/// start and at a distance d2 (squared) from its line.
static double kernel_mean(const smear *s, double along, double d2, double length)
{
    double c = s->grid->width, room = s->reach * s->reach - d2;
    if (!(room > 0.0))
        return 0.0;
    double most = sqrt(room), from = fmax(-along, -most), to = fmin(length - along, most);
    if (!(to > from))
        return 0.0;
    if (s->grid->kernel == CAIRN_KERNEL_GAUSSIAN) {
        double line = 0.5 * (erf(to / (M_SQRT2 * c)) - erf(from / (M_SQRT2 * c)));
        return base_exp(-0.5 * d2 / (c * c)) / (2.0 * M_PI * c * c) * line / length;
    }
    return 105.0 / (16.0 * M_PI * c * c) * lucy_between(from / c, to / c, d2 / (c * c)) / length;
}

/// Cells whose middles may lie within reach of the bounds of two points; false for none.
static bool cells_near(const smear *s, vec3 a, vec3 b, int first[3], int last[3])
{
    for (int k = 0; k < 3; k++) {
        double low = fmin(vec3_get(a, k), vec3_get(b, k)) - s->reach;
        double high = fmax(vec3_get(a, k), vec3_get(b, k)) + s->reach;
        double begin = ceil((low - s->grid->low[k]) / s->spacing[k] - 0.5);
        double end = floor((high - s->grid->low[k]) / s->spacing[k] - 0.5);
        if (!(begin < s->grid->cells[k]) || !(end >= 0.0))
            return false;
        first[k] = (int)fmax(begin, 0.0);
        last[k] = (int)fmin(end, s->grid->cells[k] - 1.0);
    }
    return true;
}

/// Cells of a row whose middles may lie within reach of the line through a point along a unit
/// vector, or of the point where that is none; false for none.
/// @param from  from the point to the middle of the first cell of the row that is asked about
static bool cells_of_row(const smear *s, vec3 from, vec3 along, int count, int *first, int *last)
{
    double dx = s->spacing[0], q = vec3_dot(from, along);
    double a = 1.0 - along.x * along.x, b = from.x - q * along.x;
    double c = vec3_norm_squared(from) - q * q - s->reach * s->reach;
    double root = b * b - a * c;
    *first = 0;
    *last = count - 1;
    // a line along the row
    if (a < 1e-6)
        return true;
    if (!(root > 0.0))
        return false;
    double middle = -b / (a * dx), half = sqrt(root) / (a * dx);
    *first = (int)fmax(floor(middle - half), 0.0);
    *last = (int)fmin(ceil(middle + half), count - 1.0);
    return *first <= *last;
}

static vec3 middle_of_cell(const smear *s, int x, int y, int z)
{
    const double *low = s->grid->low, *d = s->spacing;
    return vec3_make(low[0] + (x + 0.5) * d[0], low[1] + (y + 0.5) * d[1],
                     low[2] + (z + 0.5) * d[2]);
}

static size_t cell_number(const smear *s, int x, int y, int z)
{
    const int *n = s->grid->cells;
    return (size_t)x + (size_t)n[0] * ((size_t)y + (size_t)n[1] * (size_t)z);
}

static void add_product(double out[9], double factor, vec3 a, vec3 b)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] += factor * vec3_get(a, i) * vec3_get(b, k);
}

static void add_scaled(double out[3], double factor, vec3 a)
{
    out[0] += factor * a.x;
    out[1] += factor * a.y;
    out[2] += factor * a.z;
}

/// How often lattice vectors may move what is within a distance of a place into reach of the grid.
static void find_images(const smear *s, vec3 place, double distance, int from[3], int to[3])
{
    const eng_cell *cell = &s->world->cell;
    vec3 part = cell->any ? mat3_apply(&cell->inverse, place) : place;
    for (int k = 0; k < 3; k++) {
        double margin = (s->reach + distance) * s->slant[k] + 1e-9;
        bool repeats = cell->any && cell->periodic[k];
        from[k] = repeats ? (int)ceil(s->low[k] - margin - vec3_get(part, k)) : 0;
        to[k] = repeats ? (int)floor(s->high[k] + margin - vec3_get(part, k)) : 0;
    }
}

/// Mass, momentum and momentum flux of a grain at a place.
static void smear_grain(const smear *s, double mass, vec3 place, vec3 v)
{
    const cairn_coarse_fields *f = s->fields;
    const vec3 none = {0.0, 0.0, 0.0};
    double flux[9] = {0.0};
    int first[3], last[3];
    if (!cells_near(s, place, place, first, last))
        return;
    add_product(flux, 1.0, v, v);
    for (int z = first[2]; z <= last[2]; z++)
        for (int y = first[1]; y <= last[1]; y++) {
            vec3 from = vec3_sub(middle_of_cell(s, first[0], y, z), place);
            int begin, end;
            if (!cells_of_row(s, from, none, last[0] - first[0] + 1, &begin, &end))
                continue;
            size_t at = cell_number(s, first[0] + begin, y, z);
            for (int x = begin; x <= end; x++, at++) {
                vec3 to = {from.x + x * s->spacing[0], from.y, from.z};
                double w = mass * kernel_at(s, vec3_norm_squared(to));
                f->density[at] += w;
                add_scaled(f->momentum[at], w, v);
                for (int k = 0; k < 9; k++)
                    f->kinetic_stress[at][k] += w * flux[k];
            }
        }
}

/// Stress of the force on a grain at the end of a branch from its centre, and where that end is at
/// a boundary the force itself.
static void smear_branch(const smear *s, vec3 centre, vec3 branch, vec3 force, bool boundary)
{
    const cairn_coarse_fields *f = s->fields;
    double length = vec3_norm(branch), product[9] = {0.0};
    int first[3], last[3];
    if (!cells_near(s, centre, vec3_add(centre, branch), first, last))
        return;
    vec3 along = length > 0.0 ? vec3_scale(1.0 / length, branch) : branch;
    add_product(product, -1.0, force, branch);
    for (int z = first[2]; z <= last[2]; z++)
        for (int y = first[1]; y <= last[1]; y++) {
            vec3 from = vec3_sub(middle_of_cell(s, first[0], y, z), centre);
            int begin, end;
            if (!cells_of_row(s, from, along, last[0] - first[0] + 1, &begin, &end))
                continue;
            size_t at = cell_number(s, first[0] + begin, y, z);
            for (int x = begin; x <= end; x++, at++) {
                vec3 to = {from.x + x * s->spacing[0], from.y, from.z};
                double p = vec3_dot(to, along);
                double d2 = vec3_norm_squared(vec3_add_scaled(to, -p, along));
                double mean = length > 0.0 ? kernel_mean(s, p, d2, length) : 0.0;
                for (int k = 0; k < 9 && mean != 0.0; k++)
                    f->contact_stress[at][k] += mean * product[k];
                if (boundary)
                    add_scaled(f->boundary_force[at],
                               kernel_at(s, vec3_norm_squared(vec3_sub(to, branch))), force);
            }
        }
}

static void smear_grains(const smear *s)
{
    const cairn_world *world = s->world;
    for (int row = 0; row < world->body_count; row++) {
        int from[3], to[3];
        if (!eng_body_is_live(world, row) || world->bodies[row].kind != CAIRN_DYNAMIC)
            continue;
        vec3 place = eng_middle_of(world, row).position;
        vec3 v = vec3_from(eng_state_of(world, row).v);
        find_images(s, place, 0.0, from, to);
        for (int i = from[0]; i <= to[0]; i++)
            for (int j = from[1]; j <= to[1]; j++)
                for (int k = from[2]; k <= to[2]; k++) {
                    const double n[3] = {i, j, k};
                    vec3 shift = eng_cell_vector(&world->cell.middle, n);
                    // images move with the strain of the cell
                    vec3 drift = mat3_apply(&world->cell.gradient, shift);
                    smear_grain(s, world->bodies[row].mass, vec3_add(place, shift),
                                vec3_add(v, drift));
                }
    }
}

static void smear_contact(const smear *s, const cairn_contact_view *c)
{
    const cairn_world *world = s->world;
    const int bodies[2] = {(int)c->a.index, (int)c->b.index};
    vec3 point = vec3_from(c->point), force = vec3_from(c->force);
    bool grain[2];
    if (!(vec3_norm_squared(force) > 0.0))
        return;
    for (int side = 0; side < 2; side++)
        grain[side] = eng_body_is_live(world, bodies[side]) &&
                      world->bodies[bodies[side]].kind == CAIRN_DYNAMIC;
    for (int side = 0; side < 2; side++) {
        int from[3], to[3];
        if (!grain[side])
            continue;
        // the image of the grain that the contact is next to
        vec3 centre = eng_middle_of(world, bodies[side]).position;
        if (world->cell.any)
            centre = vec3_add(centre, eng_cell_shift(&world->cell, vec3_sub(point, centre)));
        vec3 branch = vec3_sub(point, centre), on = vec3_scale(side == 0 ? -1.0 : 1.0, force);
        find_images(s, centre, vec3_norm(branch), from, to);
        for (int i = from[0]; i <= to[0]; i++)
            for (int j = from[1]; j <= to[1]; j++)
                for (int k = from[2]; k <= to[2]; k++) {
                    const double n[3] = {i, j, k};
                    vec3 shift = eng_cell_vector(&world->cell.middle, n);
                    smear_branch(s, vec3_add(centre, shift), branch, on, !grain[1 - side]);
                }
    }
}

/// Where the grid is in the periodic cell.
static void place_grid(smear *s)
{
    const eng_cell *cell = &s->world->cell;
    for (int k = 0; k < 3; k++) {
        s->spacing[k] = (s->grid->high[k] - s->grid->low[k]) / s->grid->cells[k];
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
    }
    for (int corner = 0; corner < 8 && cell->any; corner++) {
        const double *low = s->grid->low, *high = s->grid->high;
        vec3 at = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                   corner & 4 ? high[2] : low[2]};
        vec3 part = mat3_apply(&cell->inverse, at);
        for (int k = 0; k < 3; k++) {
            s->low[k] = fmin(s->low[k], vec3_get(part, k));
            s->high[k] = fmax(s->high[k], vec3_get(part, k));
        }
    }
    for (int k = 0; k < 3 && cell->any; k++)
        s->slant[k] = vec3_norm(
            vec3_make(cell->inverse.m[k][0], cell->inverse.m[k][1], cell->inverse.m[k][2]));
}

/// The momentum flux is of whole velocities until here: that of the mean velocity goes.
static void take_mean_flux(const smear *s, size_t points)
{
    const cairn_coarse_fields *f = s->fields;
    for (size_t i = 0; i < points; i++) {
        if (!(f->density[i] > 0.0))
            continue;
        vec3 momentum = vec3_from(f->momentum[i]);
        double *stress = f->kinetic_stress[i];
        add_product(stress, -1.0 / f->density[i], momentum, momentum);
        f->temperature[i] = (stress[0] + stress[4] + stress[8]) / (3.0 * f->density[i]);
    }
}

static cairn_status check_grid(const cairn_grid *grid, cairn_error *error)
{
    double cells = 1.0;
    for (int k = 0; k < 3; k++) {
        if (!isfinite(grid->low[k]) || !isfinite(grid->high[k]) || !(grid->high[k] > grid->low[k]))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "a grid from %g to %g m along axis %d is empty", grid->low[k],
                             grid->high[k], k);
        if (grid->cells[k] < 1)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "a grid has %d cells along axis %d, of at least 1", grid->cells[k], k);
        cells *= grid->cells[k];
    }
    if (cells > CELLS_MAX)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a grid has %.0f cells, of at most %d", cells,
                         (int)CELLS_MAX);
    if ((int)grid->kernel < 0 || grid->kernel > CAIRN_KERNEL_GAUSSIAN)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "kernel %d does not exist",
                         (int)grid->kernel);
    if (!(grid->width > 0.0 && isfinite(grid->width)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "width = %g m must be greater than 0",
                         grid->width);
    return CAIRN_OK;
}

/// Fields that the caller does not want are summed all the same, in memory of their own.
static double *complete(const base_allocator *allocator, const cairn_coarse_fields *given,
                        size_t points, cairn_coarse_fields *all)
{
    double *own = base_allocate(allocator, 26 * points, sizeof *own), *at = own;
    if (own == NULL)
        return NULL;
    *all = *given;
    double **fields[] = {&all->density,
                         (double **)&all->momentum,
                         (double **)&all->contact_stress,
                         (double **)&all->kinetic_stress,
                         (double **)&all->boundary_force,
                         &all->temperature};
    static const int components[] = {1, 3, 9, 9, 3, 1};
    for (int i = 0; i < 6; i++) {
        size_t count = points * (size_t)components[i];
        if (*fields[i] == NULL)
            *fields[i] = at;
        else
            memset(*fields[i], 0, count * sizeof(double));
        at += count;
    }
    return own;
}

cairn_status cairn_world_coarse_grain(const cairn_world *world, const cairn_grid *grid,
                                      const cairn_coarse_fields *fields, cairn_error *error)
{
    if (world == NULL || grid == NULL || fields == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = check_grid(grid, error);
    const cairn_coarse_fields none = {0};
    if (status != CAIRN_OK || memcmp(fields, &none, sizeof none) == 0)
        return status;
    size_t points = (size_t)grid->cells[0] * (size_t)grid->cells[1] * (size_t)grid->cells[2];
    cairn_coarse_fields all;
    double *own = complete(&world->allocator, fields, points, &all);
    if (own == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for fields");
    bool lucy = grid->kernel == CAIRN_KERNEL_LUCY;
    smear s = {.world = world,
               .grid = grid,
               .fields = &all,
               .reach = lucy ? grid->width : gaussian_reach(grid->width)};
    place_grid(&s);
    smear_grains(&s);
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view contact;
        if (cairn_contact_get(world, i, &contact) == CAIRN_OK)
            smear_contact(&s, &contact);
    }
    take_mean_flux(&s, points);
    base_release(&world->allocator, own);
    return CAIRN_OK;
}
