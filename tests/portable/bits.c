// SPDX-License-Identifier: Apache-2.0
// Prints a hash of what a step is made of, for random arguments: elementary functions, contacts of
// plain shapes, contact laws. tests/portable/test_bits.py runs it on two architectures.
#include "base/elementary.h"
#include "base/hash.h"
#include "base/rng.h"
#include "contact/laws/law.h"
#include "geometry/narrow/collide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 20000, PLACEMENTS = 400, CONTACTS = 400, PARAMETERS_SIZE = 1024 };

static uint64_t hash;

/// Numbers into the hash; every value that is not a number counts alike.
static void take(const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        double value = isnan(values[i]) ? NAN : values[i];
        hash = base_hash_bytes(hash, &value, sizeof value);
    }
}

static void say(const char *what)
{
    printf("%s %016llx\n", what, (unsigned long long)hash);
    hash = BASE_HASH_START;
}

static void try_functions(base_rng *rng)
{
    for (int i = 0; i < VALUES; i++) {
        double scale = base_pow(10.0, base_rng_range(rng, -12.0, 12.0));
        double x = scale * base_rng_range(rng, -1.0, 1.0), y = base_rng_range(rng, -1.0, 1.0);
        const double values[] = {base_sin(x),
                                 base_cos(x),
                                 base_tan(x),
                                 base_asin(y),
                                 base_acos(y),
                                 base_atan2(x, y),
                                 base_exp(y),
                                 base_ln(fabs(x)),
                                 base_pow(fabs(x), y),
                                 base_hypot(x, y),
                                 base_log_to(scale, 10.0)};
        take(values, sizeof values / sizeof values[0]);
    }
    say("functions");
}

static vec3 any_vector(base_rng *rng, double size)
{
    vec3 v = {base_rng_range(rng, -size, size), base_rng_range(rng, -size, size),
              base_rng_range(rng, -size, size)};
    return v;
}

static pose any_pose(base_rng *rng, double size)
{
    pose p = {any_vector(rng, size), base_quat_from_rotation_vector(any_vector(rng, 3.0))};
    return p;
}

static int try_shapes(base_rng *rng)
{
    static const geo_kind kinds[] = {GEO_SPHERE, GEO_BOX, GEO_CAPSULE, GEO_CYLINDER};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    base_allocator allocator = base_allocator_default();
    geo_shape *shapes[KINDS] = {0};
    geo_manifold found;
    cairn_error error = {0};
    int total = 0;
    geo_manifold_init(&found, &allocator);
    for (int k = 0; k < KINDS; k++)
        if (geo_plain_create(&allocator, kinds[k], (double[]){0.3, 0.4, 0.5, 0.0}, &shapes[k],
                             &error) != CAIRN_OK)
            return -1;
    for (int i = 0; i < KINDS * KINDS * PLACEMENTS; i++) {
        pose a = any_pose(rng, 0.2), b = any_pose(rng, 0.6);
        found.count = 0;
        if (geo_collide(shapes[i % KINDS], &a, shapes[i / KINDS % KINDS], &b, 0.05, NULL, &found) !=
            CAIRN_OK)
            return -1;
        for (int k = 0; k < found.count; k++) {
            const geo_contact *c = &found.contacts[k];
            take(&c->gap, 1);
            take(&c->normal.x, 3);
            take(&c->point.x, 3);
            hash = base_hash_bytes(hash, &c->key, sizeof c->key);
        }
        total += found.count;
    }
    for (int k = 0; k < KINDS; k++)
        geo_shape_destroy(shapes[k]);
    geo_manifold_finish(&found);
    say("contacts");
    return total;
}

/// One contact over ten steps, so that histories count.
static void try_contact(const con_law *law, const void *parameters, base_rng *rng)
{
    double history[CON_HISTORY_MAX] = {0};
    con_impulse_input in = {.step = 1e-5, .fresh = true, .initial = true};
    vec3 n = vec3_normalize_or(any_vector(rng, 1.0), (vec3){1.0, 0.0, 0.0});
    vec3 t = vec3_normalize_or(vec3_cross(n, any_vector(rng, 1.0)), (vec3){0.0, 1.0, 0.0});
    in.frame = mat3_from_rows(n, t, vec3_cross(n, t));
    in.radius[0] = base_rng_range(rng, 0.01, 0.1);
    in.radius[1] = base_rng_unit(rng) < 0.3 ? INFINITY : base_rng_range(rng, 0.01, 0.1);
    in.mass[0] = base_rng_range(rng, 0.1, 1.0);
    in.mass[1] = base_rng_range(rng, 0.1, 1.0);
    for (int k = 0; k < 3; k++)
        in.W.m[k][k] = 1.0 / in.mass[0] + 1.0 / in.mass[1];
    in.centre[1] = vec3_scale(in.radius[0], n);
    for (int step = 0; step < 10; step++) {
        con_impulse_output out = {0};
        in.gap = base_rng_range(rng, -1e-3, 1e-5);
        for (int i = 0; i < 2; i++) {
            in.velocity[i] = any_vector(rng, 1.0);
            in.angular_velocity[i] = any_vector(rng, 5.0);
        }
        for (int k = 0; k < 3; k++)
            in.V[k] = in.B[k] = base_rng_range(rng, -1.0, 1.0);
        con_law_act(law, parameters, &in, history, &out);
        take(out.R, 3);
        take(&out.couple[0].x, 3);
        take(&out.couple[1].x, 3);
        take(&out.elastic, 1);
        take(&out.friction, 1);
        take(&out.plastic, 1);
        take(history, CON_HISTORY_MAX);
        memcpy(in.R_previous, out.R, sizeof out.R);
        in.fresh = false;
    }
}

static int try_laws(base_rng *rng)
{
    int count = 0, tried = 0;
    const con_law *const *all = con_law_list(&count);
    for (int i = 0; i < count; i++) {
        double parameters[PARAMETERS_SIZE / sizeof(double)];
        if (all[i]->kind != CON_LAW_IMPULSE || all[i]->table.size > sizeof parameters)
            continue;
        base_settings_defaults(&all[i]->table, parameters);
        for (int k = 0; k < CONTACTS; k++)
            try_contact(all[i], parameters, rng);
        say(all[i]->name);
        tried++;
    }
    return tried;
}

int main(void)
{
    base_rng rng = base_rng_make(7);
    hash = BASE_HASH_START;
    try_functions(&rng);
    int contacts = try_shapes(&rng), laws = try_laws(&rng);
    printf("%d contacts, %d laws\n", contacts, laws);
    return contacts > 1000 && laws >= 7 ? EXIT_SUCCESS : EXIT_FAILURE;
}
