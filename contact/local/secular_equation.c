// SPDX-License-Identifier: Apache-2.0
// Slip of one contact: safeguarded secular equation, polished by Newton's method on the mantle.
#include "contact/local/secular_equation.h"

#include "base/elementary.h"

#include <float.h>

enum { NEWTON_STEPS_MAX = 8, POLISH_STEPS_MAX = 12, BRACKET_STEPS_MAX = 200 };

bool con_secular_prepare(const mat3 *W, double mu, con_secular *block)
{
    *block = (con_secular){.mu = mu};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block->W[i][j] = W->m[i][j];
    if (!(W->m[0][0] > 0.0))
        return false;
    double inverse_normal = 1.0 / W->m[0][0];
    block->inverse_normal = inverse_normal;
    double(*A)[2] = block->A;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            A[i][j] = W->m[i + 1][j + 1] - W->m[i + 1][0] * (W->m[0][j + 1] * inverse_normal);

    // a block that is singular to round-off is shifted by as much
    double size = W->m[1][1] + W->m[2][2];
    double shift = 2.0 * DBL_EPSILON * (size > 0.0 ? size : W->m[0][0]);
    double determinant = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    for (int k = 0; k < 60 && !(determinant > 0.0 && A[0][0] > 0.0); k++) {
        A[0][0] += shift;
        A[1][1] += shift;
        shift *= 2.0;
        determinant = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    }
    block->inverse[0][0] = A[1][1] / determinant;
    block->inverse[0][1] = -A[0][1] / determinant;
    block->inverse[1][0] = -A[1][0] / determinant;
    block->inverse[1][1] = A[0][0] / determinant;
    return true;
}

// a point R = n (1, mu d) of the mantle and how far it is from slip, theory.md (5.7)
typedef struct slip_point {
    double gap;      // u_N / W_NN, zero at a solution
    double cross;    // u_T across d, zero at a solution
    double against;  // -u_T.d, not negative at a solution
    double gap_by_n; // derivatives by n and by the angle of d
    double gap_by_angle;
    double cross_by_n;
    double cross_by_angle;
    double gap_roundoff;
    double cross_roundoff;
} slip_point;

static inline slip_point evaluate_slip(const con_secular *block, const double c[2], double normal,
                                       double n, const double d[2])
{
    const double(*A)[2] = block->A;
    double pull = block->mu * block->inverse_normal;
    double e[2] = {-d[1], d[0]};
    double Ad[2] = {A[0][0] * d[0] + A[0][1] * d[1], A[1][0] * d[0] + A[1][1] * d[1]};
    double Ae[2] = {A[0][0] * e[0] + A[0][1] * e[1], A[1][0] * e[0] + A[1][1] * e[1]};
    double tangent = block->mu * n;
    double along = pull * (block->W[0][1] * d[0] + block->W[0][2] * d[1]);
    double across = pull * (block->W[0][1] * e[0] + block->W[0][2] * e[1]);
    double u[2] = {tangent * Ad[0] + c[0], tangent * Ad[1] + c[1]};
    slip_point point;
    point.gap = (n - normal) + n * along;
    point.cross = e[0] * u[0] + e[1] * u[1];
    point.against = -(d[0] * u[0] + d[1] * u[1]);
    point.gap_by_n = 1.0 + along;
    point.gap_by_angle = n * across;
    point.cross_by_n = block->mu * (e[0] * Ad[0] + e[1] * Ad[1]);
    point.cross_by_angle = tangent * (e[0] * Ae[0] + e[1] * Ae[1]) + point.against;
    point.gap_roundoff = DBL_EPSILON * (normal + n * (1.0 + fabs(along)));
    point.cross_roundoff =
        DBL_EPSILON * (fabs(c[0]) + fabs(c[1]) + tangent * (fabs(Ad[0]) + fabs(Ad[1])));
    return point;
}

// Newton step in n and in the tangent of the angle; false where it is not small and safe
static inline bool find_step(const slip_point *point, double n, double *dn, double *angle)
{
    double determinant =
        point->gap_by_n * point->cross_by_angle - point->gap_by_angle * point->cross_by_n;
    double inverse = 1.0 / determinant;
    *dn = (point->cross * point->gap_by_angle - point->gap * point->cross_by_angle) * inverse;
    *angle = (point->gap * point->cross_by_n - point->cross * point->gap_by_n) * inverse;
    return fabs(*angle) < 0.5 && n + *dn > 0.0;
}

// turns d by an angle of tangent `step`
static inline void turn(double d[2], double step)
{
    double scale = 1.0 / sqrt(1.0 + step * step);
    double x = (d[0] - step * d[1]) * scale;
    d[1] = (d[1] + step * d[0]) * scale;
    d[0] = x;
}

static inline bool is_solved(const slip_point *point)
{
    return fabs(point->gap) <= point->gap_roundoff && fabs(point->cross) <= point->cross_roundoff;
}

static inline void store_slip(double mu, double n, const double d[2], double R[3])
{
    R[0] = n;
    R[1] = mu * n * d[0];
    R[2] = mu * n * d[1];
}

bool con_secular_slip_newton(const con_secular *block, const double c[2], double normal, double n,
                             const double d_start[2], double R[3], int *count)
{
    double d[2] = {d_start[0], d_start[1]};
    for (int k = 0; k < NEWTON_STEPS_MAX; k++) {
        slip_point point = evaluate_slip(block, c, normal, n, d);
        (*count)++;
        bool settled = is_solved(&point);
        if (!settled) {
            double dn, angle;
            if (!find_step(&point, n, &dn, &angle))
                return false;
            n += dn;
            turn(d, angle);
            // steps this small leave an error of their squares
            settled = fabs(angle) < 1e-8 && fabs(dn) < 1e-8 * n;
        }
        if (settled) {
            if (!(point.against >= -4.0 * point.cross_roundoff))
                return false;
            store_slip(block->mu, n, d, R);
            return true;
        }
    }
    return false;
}

// R_T of a slip multiplier and the derivative of it, theory.md (5.5): x = -(A + l I)^-1 c,
// y = (A + l I)^-1 x; pivots on the larger diagonal, no product that could overflow
typedef struct shifted_solve {
    double x[2], y[2];
} shifted_solve;

static void solve_shifted(double a, double b, double c, double d, double rhs[2])
{
    double factor = c / a;
    rhs[1] = (rhs[1] - factor * rhs[0]) / (d - factor * b);
    rhs[0] = (rhs[0] - b * rhs[1]) / a;
}

static void solve_pivoted(const double A[2][2], double shift, const double in[2], double out[2])
{
    bool swap = A[1][1] > A[0][0];
    double rhs[2] = {in[swap], in[!swap]};
    solve_shifted(A[swap][swap] + shift, A[swap][!swap], A[!swap][swap], A[!swap][!swap] + shift,
                  rhs);
    out[swap] = rhs[0];
    out[!swap] = rhs[1];
}

static shifted_solve evaluate_shift(const con_secular *block, const double c[2], double shift)
{
    shifted_solve s;
    double minus_c[2] = {-c[0], -c[1]};
    solve_pivoted(block->A, shift, minus_c, s.x);
    solve_pivoted(block->A, shift, s.x, s.y);
    return s;
}

// next multiplier inside ]low, high[, nearer the root than either end
static double bisect(double low, double high)
{
    double middle = low > 0.0 ? sqrt(low) * sqrt(high) : 1e-3 * high;
    return middle > low && middle < high ? middle : low + 0.5 * (high - low);
}

// n and d at the root of |x| + mu W_NT.x / W_NN = mu normal, by bracketed Newton on the reciprocal,
// theory.md (5.6)
static int find_root(const con_secular *block, const double c[2], double normal, double *n,
                     double d[2])
{
    double target = block->mu * normal;
    double pull[2] = {block->mu * block->W[0][1] * block->inverse_normal,
                      block->mu * block->W[0][2] * block->inverse_normal};
    double low = 0.0, multiplier = 0.0;
    double high =
        fmin(base_hypot(c[0], c[1]) * (1.0 + base_hypot(pull[0], pull[1])) / target, 0x1p1000);
    int k = 0;
    while (++k < BRACKET_STEPS_MAX) {
        shifted_solve s = evaluate_shift(block, c, multiplier);
        double length = base_hypot(s.x[0], s.x[1]);
        if (length > 0.0) {
            d[0] = s.x[0] / length;
            d[1] = s.x[1] / length;
            *n = length / block->mu;
        }
        double value = length + pull[0] * s.x[0] + pull[1] * s.x[1];
        double slope = -(d[0] * s.y[0] + d[1] * s.y[1] + pull[0] * s.y[0] + pull[1] * s.y[1]);
        if (value > target)
            low = multiplier;
        else
            high = multiplier;
        if (fabs(value - target) <= 1e-10 * target + 1e-14 * length || high - low <= 1e-15 * high)
            break;
        double next = multiplier - value * (value - target) / (target * slope);
        multiplier = value > 0.0 && next > low && next < high ? next : bisect(low, high);
    }
    return k;
}

// Newton steps from there as long as they pay
static void polish(const con_secular *block, const double c[2], double normal, double *n,
                   double d[2])
{
    slip_point point = evaluate_slip(block, c, normal, *n, d);
    double weight = block->W[0][0];
    for (int k = 0; k < POLISH_STEPS_MAX && !is_solved(&point); k++) {
        double dn, angle;
        if (!find_step(&point, *n, &dn, &angle))
            return;
        double trial[2] = {d[0], d[1]};
        turn(trial, angle);
        slip_point next = evaluate_slip(block, c, normal, *n + dn, trial);
        if (!(weight * fabs(next.gap) + fabs(next.cross) <
              weight * fabs(point.gap) + fabs(point.cross)))
            return;
        *n += dn;
        d[0] = trial[0];
        d[1] = trial[1];
        point = next;
    }
}

int con_secular_slip_bracketed(const con_secular *block, const double c[2], double normal,
                               double R[3])
{
    double d[2] = {1.0, 0.0}, n = normal;
    int count = find_root(block, c, normal, &n, d);
    polish(block, c, normal, &n, d);
    store_slip(block->mu, n, d, R);
    return count;
}
