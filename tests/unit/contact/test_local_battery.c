// SPDX-License-Identifier: Apache-2.0
// One battery over every one-contact solver: closed forms, reference cases, random problems.
#include "base/rng.h"
#include "contact/local/local.h"
#include "tests/check.h"

#include <string.h>

typedef double settings_buffer[CON_LOCAL_SETTINGS_MAX / sizeof(double)];

// natural map with rho = 1 / W_NN by its definition, in long double, over the velocities in play
static double independent_error(const con_local_problem *p, const double R[3])
{
    long double u[3], unit = p->W.m[0][0], mu = p->mu, R2 = 0, b2 = 0, largest = 0, map = 0;
    for (int i = 0; i < 3; i++) {
        u[i] = p->b[i];
        for (int j = 0; j < 3; j++)
            u[i] += (long double)p->W.m[i][j] * R[j];
        R2 += (long double)R[i] * R[i];
        b2 += (long double)p->b[i] * p->b[i];
        largest = fmaxl(largest, fabsl(p->W.m[i][i]));
    }
    long double z[3] = {unit * R[0] - u[0] - mu * sqrtl(u[1] * u[1] + u[2] * u[2]),
                        unit * R[1] - u[1], unit * R[2] - u[2]};
    long double t = sqrtl(z[1] * z[1] + z[2] * z[2]), P[3] = {z[0], z[1], z[2]};
    if (mu * t <= -z[0]) {
        P[0] = P[1] = P[2] = 0;
    } else if (t > mu * z[0]) {
        P[0] = (z[0] + mu * t) / (1 + mu * mu);
        P[1] = mu * P[0] * z[1] / t;
        P[2] = mu * P[0] * z[2] / t;
    }
    for (int i = 0; i < 3; i++)
        map += (unit * R[i] - P[i]) * (unit * R[i] - P[i]);
    return (double)(sqrtl(map) / fmaxl(largest * sqrtl(R2), sqrtl(b2)));
}

// eigenvalues 1 .. 1/condition in random axes, plus a skew part
static mat3 random_block(base_rng *rng, double condition, double skew)
{
    vec3 turn = {base_rng_range(rng, -3.0, 3.0), base_rng_range(rng, -3.0, 3.0),
                 base_rng_range(rng, -3.0, 3.0)};
    mat3 Q = quat_to_mat3(base_quat_from_rotation_vector(turn)), Qt = mat3_transpose(&Q);
    mat3 D = mat3_diagonal((vec3){1.0, pow(condition, -base_rng_unit(rng)), 1.0 / condition});
    mat3 QD = mat3_multiply(&Q, &D), W = mat3_multiply(&QD, &Qt);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            double mean = 0.5 * (W.m[i][j] + W.m[j][i]), half = skew * base_rng_range(rng, -1, 1);
            W.m[i][j] = mean + half;
            W.m[j][i] = mean - half;
        }
    return W;
}

// kinds: general, hardly pressed, no tangential velocity, hardly any
static con_local_problem random_problem(base_rng *rng, double mu, double condition, double skew,
                                        double decades)
{
    con_local_problem p = {.mu = mu};
    mat3 W = random_block(rng, condition, skew);
    p.W = mat3_scale(pow(10.0, base_rng_range(rng, -decades, decades)), &W);
    double scale = pow(10.0, base_rng_range(rng, -decades, decades));
    int kind = base_rng_index(rng, 8);
    for (int k = 0; k < 3; k++)
        p.b[k] = scale * base_rng_range(rng, -1.0, k == 0 ? 0.2 : 1.0);
    if (kind == 0)
        p.b[0] = -1e-10 * scale;
    if (kind == 1)
        p.b[1] = p.b[2] = 0.0;
    if (kind == 2)
        p.b[1] *= 1e-7;
    return p;
}

static void check_in_cone(const double R[3], double mu)
{
    assert_true(isfinite(R[0]) && isfinite(R[1]) && isfinite(R[2]));
    assert_true(R[0] >= 0.0);
    check_at_most(hypot(R[1], R[2]), mu * R[0] * (1.0 + 1e-14));
}

typedef struct tally {
    long problems, unsolved;
    double worst; // of those that claim to have converged
} tally;

static tally run_random(const con_local *local, long count, double mu, double condition,
                        double skew, double decades)
{
    settings_buffer settings;
    base_settings_defaults(&local->table, settings);
    base_rng rng = base_rng_make(17);
    tally t = {.problems = count};
    for (long k = 0; k < count; k++) {
        con_local_problem p = random_problem(&rng, mu, condition, skew, decades);
        // every other one from a warm start that may be anything
        double R[3] = {0.0, 0.0, 0.0}, size = vec3_norm(vec3_from(p.b)) / p.W.m[0][0];
        for (int i = 0; i < 3 && k % 2 == 1; i++)
            R[i] = size * base_rng_range(&rng, -1.0, 1.0);
        con_local_result result = local->solve(settings, &p, R);
        check_in_cone(R, mu);
        double error = independent_error(&p, R);
        if (!result.converged)
            t.unsolved++;
        else
            t.worst = fmax(t.worst, error);
    }
    return t;
}

static bool is_first_order(const con_local *local)
{
    return strcmp(local->name, "projected_gradient") == 0 ||
           strcmp(local->name, "de_saxce_feng") == 0;
}

static void closed_forms(void **state)
{
    (void)state;
    int count;
    const con_local *const *locals = con_local_list(&count);
    for (int l = 0; l < count; l++) {
        settings_buffer settings;
        base_settings_defaults(&locals[l]->table, settings);
        const double mus[] = {0.0, 0.3, 2.0};
        for (int k = 0; k < 3000; k++) {
            base_rng rng = base_rng_make((uint64_t)k);
            double w = base_rng_range(&rng, 0.1, 10.0), mu = mus[k % 3], R[3] = {0.0, 0.0, 0.0};
            con_local_problem p = {.W = mat3_diagonal((vec3){w, w, w}), .mu = mu};
            for (int i = 0; i < 3; i++)
                p.b[i] = base_rng_range(&rng, -1.0, 1.0);
            con_local_result result = locals[l]->solve(settings, &p, R);
            assert_true(result.converged);
            double normal = fmax(-p.b[0], 0.0) / w, slip = hypot(p.b[1], p.b[2]);
            double tangent = fmin(slip / w, mu * normal);
            check_close(R[0], normal, 1e-11, 1e-11);
            check_close(R[1], -tangent * p.b[1] / slip, 1e-11, 1e-11);
            check_close(R[2], -tangent * p.b[2] / slip, 1e-11, 1e-11);
        }
    }
}

// blocks, free velocities and solutions computed outside of this project
typedef struct reference_case {
    mat3 W;
    double B[3], V_N, friction, restitution, R[3], U[3];
} reference_case;

// clang-format off
static const reference_case cases[] = {
    {{{{0.002141926831729812, 0.0004845583443732344, 0.0010776862894532472}, {0.0004845583443732344, 0.0009838656173444507, -0.0006345764318538933}, {0.0010776862894532472, -0.0006345764318538933, 0.0044124664407295885}}}, {-0.9563545919616997, -1.2268439399387148, -0.7323709831098062}, -0.9566937986269701, 0.3, 0.0, {404.76840414925357, 117.6600786866266, 30.024612790756297}, {0.0, -0.9340012378682946, -0.2383393401237801}},
    {{{{0.004752235155091596, -0.0008072423990305337, -0.0007836225536177044}, {-0.0008072423990305337, 0.00220746635217873, -0.001034172678516415}, {-0.0007836225536177044, -0.001034172678516415, 0.0016084878509576488}}}, {-0.990053043783313, -1.0391482845320272, -0.5626905420273197}, -0.9734971414312306, 0.8, 0.0, {256.4469365145299, 165.35701306616244, 121.43590172744175}, {0.0, -1.0067287741052398, -0.739327677801703}},
    {{{{0.001988084094127878, 0.0009137509101795465, -4.5561974192450064e-05}, {0.0009137509101795465, 0.003261472755425173, 0.0007221283986118766}, {-4.5561974192450064e-05, 0.0007221283986118766, 0.0010699358063554233}}}, {-0.3995736651925451, 1.2251888018109327, 0.8503200175060193}, -0.4378979289891302, 0.2, 0.5, {337.22960326801524, -58.49305551485604, -33.57848521521017}, {0.21894896449456513, 1.3183111740370215, 0.7567888508612036}},
    {{{{0.0067187696624817425, -0.002582803629581503, 0.0004922874929824624}, {-0.002582803629581503, 0.001803511614503788, 0.0008460192974938932}, {0.0004922874929824624, 0.0008460192974938932, 0.005376170402824068}}}, {-0.8733280625404722, 0.012124245894592448, -1.0804205491986691}, -0.8574413535804843, 0.9, 0.5, {262.29677299922804, 201.6097683958865, 122.80543538159026}, {0.4287206767902423, -0.1978354843659646, -0.12050642677086554}},
    {{{{0.005067636295945645, -0.005585967331789825, 0.0015366029678844542}, {-0.005585967331789825, 0.008055004211950184, -0.0014465378987459695}, {0.0015366029678844542, -0.0014465378987459695, 0.0035458554836828374}}}, {-1.01, 0.060000000000000005, -0.009999999999999998}, -1.0, 3.0, 0.0, {874.6736671786057, 573.5760629212698, -142.2298913220501}, {0.0, 0.0, 0.0}},
    {{{{0.003369439535309811, 1.538852192679907e-05, 0.0019285681418996295}, {1.538852192679907e-05, 0.0045146543516178346, -0.0034344601607735705}, {0.0019285681418996295, -0.0034344601607735705, 0.004782095882485567}}}, {-1.01, 0.060000000000000005, -0.009999999999999998}, -1.0, 3.0, 0.5, {943.7360834332312, -671.1206716351172, -860.5006373343646}, {0.5, 0.0, 0.0}},
};
// clang-format on

static void reference_cases(void **state)
{
    (void)state;
    int count;
    const con_local *const *locals = con_local_list(&count);
    for (int l = 0; l < count; l++) {
        settings_buffer settings;
        base_settings_defaults(&locals[l]->table, settings);
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            const reference_case *c = &cases[k];
            double bounce = c->restitution * fmin(c->V_N, 0.0), R[3] = {0.0, 0.0, 0.0};
            con_local_problem p = {
                .W = c->W, .b = {c->B[0] + bounce, c->B[1], c->B[2]}, .mu = c->friction};
            con_local_result result = locals[l]->solve(settings, &p, R);
            assert_true(result.converged);
            vec3 U = vec3_add(vec3_from(c->B), mat3_apply(&p.W, vec3_from(R)));
            for (int i = 0; i < 3; i++) {
                check_close(R[i], c->R[i], 1e-8, 0.0);
                check_close(vec3_get(U, i), c->U[i], 1e-8, 1e-10);
            }
        }
    }
}

// what a physical block asks: all must solve it
static void well_conditioned_blocks(void **state)
{
    (void)state;
    int count;
    const con_local *const *locals = con_local_list(&count);
    const double mus[] = {0.0, 0.1, 0.3, 0.7};
    for (int l = 0; l < count; l++)
        for (int m = 0; m < 4; m++) {
            long problems = is_first_order(locals[l]) ? 5000 : 250000;
            tally t = run_random(locals[l], problems, mus[m], 8.0, 0.0, 0.0);
            check_at_most(t.worst, 2e-13);
            check_at_most((double)t.unsolved, 5e-4 * (double)t.problems);
        }
}

// large friction, bad and slightly unsymmetric blocks, any units: solved or honestly not
static void hard_blocks(void **state)
{
    (void)state;
    int count;
    const con_local *const *locals = con_local_list(&count);
    const struct {
        double mu, condition, skew, decades;
    } hard[] = {{0.3, 1e8, 0.0, 12.0},   {2.0, 8.0, 0.02, 12.0}, {2.0, 1e8, 1e-9, 12.0},
                {10.0, 30.0, 0.0, 12.0}, {10.0, 1e8, 0.0, 0.0},  {0.0, 1e8, 0.0, 12.0}};
    for (int l = 0; l < count; l++)
        for (int k = 0; k < 6; k++) {
            bool exact = strcmp(locals[l]->name, "secular") == 0;
            tally t = run_random(locals[l], exact ? 100000 : 300, hard[k].mu, hard[k].condition,
                                 hard[k].skew, hard[k].decades);
            check_at_most(t.worst, 2e-12);
            if (exact)
                assert_int_equal(t.unsolved, 0);
        }
}

static void every_entry_is_complete(void **state)
{
    (void)state;
    int count;
    const con_local *const *locals = con_local_list(&count);
    assert_string_equal(locals[0]->name, "secular");
    for (int l = 0; l < count; l++) {
        assert_true(con_local_find(locals[l]->name) == locals[l]);
        assert_true(strlen(locals[l]->help) > 0);
        assert_true(locals[l]->table.size <= CON_LOCAL_SETTINGS_MAX);
    }
    assert_null(con_local_find("nothing"));
}

// all agree where the solution is unique: moderate friction, good blocks
static void solvers_agree(void **state)
{
    (void)state;
    int count;
    const con_local *const *locals = con_local_list(&count);
    base_rng rng = base_rng_make(5);
    for (int k = 0; k < 2000; k++) {
        con_local_problem p = random_problem(&rng, 0.3, 5.0, 0.0, 0.0);
        double first[3] = {0.0, 0.0, 0.0};
        for (int l = 0; l < count; l++) {
            settings_buffer settings;
            base_settings_defaults(&locals[l]->table, settings);
            double R[3] = {0.0, 0.0, 0.0};
            if (!locals[l]->solve(settings, &p, R).converged)
                continue;
            if (l == 0)
                memcpy(first, R, sizeof first);
            for (int i = 0; i < 3; i++)
                check_close(R[i], first[i], 0.0, 1e-9 * (1.0 + first[0]));
        }
    }
}

static void a_contact_that_cannot_bear_stays_free(void **state)
{
    (void)state;
    int count;
    const con_local *const *locals = con_local_list(&count);
    con_local_problem p = {.b = {-1.0, 0.5, 0.0}, .mu = 0.5};
    for (int l = 0; l < count; l++) {
        settings_buffer settings;
        base_settings_defaults(&locals[l]->table, settings);
        double R[3] = {1.0, 0.2, 0.1};
        assert_false(locals[l]->solve(settings, &p, R).converged);
        assert_true(R[0] == 0.0 && R[1] == 0.0 && R[2] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_complete),
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(reference_cases),
        cmocka_unit_test(well_conditioned_blocks),
        cmocka_unit_test(hard_blocks),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(a_contact_that_cannot_bear_stays_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
