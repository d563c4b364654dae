// SPDX-License-Identifier: Apache-2.0
// Kernels of the sphere executor in plain C: the twin that the vector builds must equal bit by bit.
#include "engine/pairs/spheres/kernels/pass.h"

#include <math.h>

#define LANES 1
#define LANE_KERNEL eng_spheres_scalar
#define LANE_NAME "scalar"

typedef double vec;
typedef bool mask;

static inline vec v_set(double a)
{
    return a;
}
static inline vec v_load(const double *p)
{
    return *p;
}
static inline vec v_load_any(const double *p)
{
    return *p;
}
static inline void v_store(double *p, vec a)
{
    *p = a;
}
static inline vec v_load_float(const float *p)
{
    return (double)*p;
}
static inline vec v_gather(const double *p, int stride)
{
    (void)stride;
    return *p;
}
static inline void v_store_float(float *p, vec a)
{
    *p = (float)a;
}
static inline vec v_add(vec a, vec b)
{
    return a + b;
}
static inline vec v_sub(vec a, vec b)
{
    return a - b;
}
static inline vec v_mul(vec a, vec b)
{
    return a * b;
}
static inline vec v_div(vec a, vec b)
{
    return a / b;
}
static inline vec v_sqrt(vec a)
{
    return sqrt(a);
}
static inline vec v_fma(vec a, vec b, vec c)
{
    return __builtin_fma(a, b, c);
}
static inline vec v_fnma(vec a, vec b, vec c)
{
    return __builtin_fma(-a, b, c);
}
static inline vec v_max(vec a, vec b)
{
    return a > b ? a : b;
}
static inline vec v_min(vec a, vec b)
{
    return a < b ? a : b;
}
static inline vec v_select(mask m, vec yes, vec no)
{
    return m ? yes : no;
}
static inline vec v_keep(mask m, vec a)
{
    return m ? a : 0.0;
}
static inline vec v_drop(mask m, vec a)
{
    return m ? 0.0 : a;
}
static inline mask m_less(vec a, vec b)
{
    return a < b;
}
static inline mask m_differ(vec a, vec b)
{
    return a != b;
}
static inline mask m_and(mask a, mask b)
{
    return a && b;
}
static inline bool m_any(mask a)
{
    return a;
}
static inline unsigned m_bits(mask a)
{
    return a ? 1u : 0u;
}
static inline mask m_from_bits(unsigned bits)
{
    return (bits & 1u) != 0;
}

static bool available(void)
{
    return true;
}

static inline void load_positions(const eng_spheres_pass *pass, const int *i, const int *j,
                                  vec out[4])
{
    const double *a = pass->X[*i / 8], *b = pass->X[*j / 8];
    for (int k = 0; k < 3; k++)
        out[k] = b[k] - a[k];
    out[3] = b[3] + a[3];
}

static inline void load_velocities(const eng_spheres_pass *pass, const int *i, const int *j,
                                   vec out[8])
{
    const double *a = pass->V[*i / 8], *b = pass->V[*j / 8];
    for (int k = 0; k < 3; k++)
        out[k] = b[k] - a[k];
    for (int k = 3; k < 8; k++)
        out[k] = b[k] + a[k];
}

static inline void store_forces(double (*rows)[8], const vec in[8])
{
    for (int k = 0; k < 8; k++)
        rows[0][k] = in[k];
}

static inline void load_rows(const double *const *rows, vec out[8])
{
    for (int k = 0; k < 8; k++)
        out[k] = rows[0][k];
}

static inline void store_rows(double *const *rows, const vec in[8])
{
    for (int k = 0; k < 8; k++)
        rows[0][k] = in[k];
}

static inline void load_short_rows(const double *const *rows, int count, vec out[8])
{
    for (int k = 0; k < 8; k++)
        out[k] = k < count ? rows[0][k] : 0.0;
}

static inline void store_short_rows(double *const *rows, int count, const vec in[8])
{
    for (int k = 0; k < count; k++)
        rows[0][k] = in[k];
}

static inline void load_places(const double *const *rows, vec out[4])
{
    for (int k = 0; k < 4; k++)
        out[k] = rows[0][k];
}

static inline void store_places(double *const *rows, const vec in[4])
{
    for (int k = 0; k < 4; k++)
        rows[0][k] = in[k];
}

typedef struct motion_sums {
    double fastest[3], finite;
} motion_sums;

static inline void begin_motion(motion_sums *s)
{
    *s = (motion_sums){0};
}

static inline void end_motion(const motion_sums *s, eng_spheres_chunk *chunk)
{
    for (int k = 0; k < 3; k++)
        chunk->fastest[k] = v_max(s->fastest[k], chunk->fastest[k]);
    chunk->finite += s->finite;
}

static void add_slot(const eng_spheres_pass *pass, int entry, double radius, double sum[6])
{
    const double *force = pass->force[entry / 8];
    double sign = entry & 1 ? 1.0 : -1.0, arm = radius + force[6];
    for (int k = 0; k < 3; k++)
        sum[k] = v_fma(force[k], sign, sum[k]);
    for (int k = 3; k < 6; k++)
        sum[k] = v_fma(force[k], arm, sum[k]);
}

/// Force and moment on a slot: the load with those of its pairs.
static void sum_slot(const eng_spheres_pass *pass, int slot, const double *load, double sum[6])
{
    const double *c = pass->constants[slot];
    for (int k = 0; k < 6; k++)
        sum[k] = load[k];
    for (int k = pass->near_start[slot]; k < pass->near_start[slot + 1]; k++)
        add_slot(pass, pass->near[k], c[3], sum);
    if (pass->far_touched[slot]) {
        pass->far_touched[slot] = 0;
        for (int k = pass->far_start[slot]; k < pass->far_start[slot + 1]; k++)
            if (eng_spheres_far_acts(pass, pass->far[k]))
                add_slot(pass, eng_spheres_far_force_row(pass, pass->far[k]), c[3], sum);
    }
}

/// The sum goes to its place; lanes 6 and 7 are not used.
static void store_sum(const eng_spheres_pass *pass, int slot, const double *load)
{
    sum_slot(pass, slot, load, pass->sums[slot]);
}

static void move_slot(const eng_spheres_pass *pass, int slot, const double *load, motion_sums *s)
{
    const double *c = pass->constants[slot];
    double sum[6], *X = pass->X[slot], *V = pass->V[slot];
    sum_slot(pass, slot, load, sum);
    bool mobile = c[0] != 0.0;
    for (int k = 0; k < 3; k++) {
        V[k] = v_fma(sum[k], c[0], V[k]) + (mobile ? pass->gravity[k] : 0.0);
        X[k] = v_fma(V[k], pass->step, X[k]);
        V[3 + k] = v_fma(sum[3 + k], c[1], V[3 + k]) + 0.0;
        s->fastest[k] = v_max(s->fastest[k], fabs(V[k]));
    }
    V[6] = v_fma(sum[3], c[2], V[6]) + 0.0;
    V[7] = v_fma(sum[4], c[2], V[7]) + 0.0;
    X[3] = v_fma(sum[5], c[2], X[3]);
    for (int k = 0; k < 8; k++)
        s->finite = v_fma(V[k], 0.0, s->finite);
}

#include "engine/pairs/spheres/kernels/kernel.h"
