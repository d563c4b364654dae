// SPDX-License-Identifier: Apache-2.0
// Spheres with particle slots in a periodic cell: same motion, contacts, forces and energies as in
// the general passes, whatever strains the cell; same bits from every kernel, any number of threads
// and after a restart; the work of the strain closes the audit.
#include "base/rng.h"
#include "engine/pairs/spheres/data.h"
#include "engine/state/world.h"
#include "tests/unit/engine/sphere_world.h"

#include <stdio.h>
#include <unistd.h>

typedef struct bed {
    const char *law;
    int across, threads;
    const char *periodic; // "xy": on a floor, with gravity
    double rate[9];       // 1/s
    double spread;        // m/s, of velocities
    bool resisting, loaded, anchored;
    bool shapes; // a box that falls, one that stands
} bed;

static const double side = 0.05, radius = 0.00498, step = 2e-5;

static cairn_body_id add_shaped(cairn_world *world, cairn_shape_def shape, cairn_body_kind kind,
                                vec3 place)
{
    cairn_body_def body = cairn_default_body_def();
    assert_int_equal(cairn_shape_create(world, &shape, &body.shape, NULL), CAIRN_OK);
    body.kind = kind;
    vec3_store(body.position, place);
    return add_body(world, body);
}

static void add_shapes(cairn_world *world)
{
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    for (int k = 0; k < 3; k++)
        box.half_size[k] = 0.004;
    // each reaches through a face of the cell
    add_shaped(world, box, CAIRN_FIXED, vec3_make(0.0, 0.025, 0.004));
    add_shaped(world, box, CAIRN_DYNAMIC, vec3_make(0.025, side, 0.066));
}

static void add_spheres(cairn_world *world, const bed *b)
{
    cairn_shape_id shapes[3];
    double spacing = side / b->across;
    base_rng rng = base_rng_make(11);
    for (int i = 0; i < 3; i++)
        shapes[i] = sphere(world, radius * (1.0 - 0.05 * i) * 5.0 / b->across);
    for (int i = 0; i < b->across * b->across * b->across; i++) {
        cairn_body_def body = cairn_default_body_def();
        const int place[3] = {i % b->across, i / b->across % b->across, i / b->across / b->across};
        body.shape = shapes[(int)(3.0 * base_rng_unit(&rng)) % 3];
        for (int k = 0; k < 3; k++) {
            // some lie in other copies of the cell
            int copies = b->periodic[2] != '\0' ? i % 3 - 1 : 0;
            body.position[k] = spacing * (place[k] + 0.5) + side * copies;
            body.position[k] += b->shapes && k == 2 ? 0.009 : 0.0;
            body.velocity[k] = b->spread * (base_rng_unit(&rng) - 0.5);
            body.angular_velocity[k] = 40.0 * (base_rng_unit(&rng) - 0.5);
        }
        if (b->anchored && i % 17 == 3) {
            body.kind = i % 2 ? CAIRN_FIXED : CAIRN_MOVING;
            if (body.kind == CAIRN_FIXED)
                memset(body.velocity, 0, sizeof body.velocity);
        }
        cairn_body_id id = add_body(world, body);
        if (b->loaded && i % 3 == 0 && body.kind == CAIRN_DYNAMIC)
            assert_int_equal(cairn_body_set_force(world, id, (double[3]){2e-3, 0.0, -1e-2},
                                                  (double[3]){0.0, 1e-5, 1e-5}, NULL),
                             CAIRN_OK);
    }
}

/// Stiffness 1e4 N/m, so that round-off grows slowly.
static void set_soft(cairn_world *world, const char *law)
{
    cairn_material_id any = {0};
    assert_int_equal(cairn_pair_set_law(world, any, any, law, NULL), CAIRN_OK);
    if (strcmp(law, "incremental") == 0) {
        set_number(world, any, any, "normal_stiffness", 1e4);
        set_number(world, any, any, "shear_stiffness", 4e3);
        set_number(world, any, any, "friction", 0.4);
        return;
    }
    bool spring = strcmp(law, "spring_dashpot") == 0;
    set_number(world, any, any, spring ? "spring" : "contact_stiffness", 1e4);
    set_number(world, any, any, spring ? "dashpot" : "contact_damping", 0.4);
    set_number(world, any, any, spring ? "friction" : "dynamic_friction", 0.4);
}

/// Cell, law and floor; no bodies.
static cairn_world *make_empty_world(const bed *b)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    cairn_error error;
    cairn_material_id any = {0};
    bool floor = b->periodic[2] == '\0';
    def.time_step = step;
    def.threads = b->threads;
    memset(def.gravity, 0, sizeof def.gravity);
    def.gravity[2] = floor || b->loaded ? -9.81 : 0.0;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    if (strcmp(b->law, "hooke") == 0 || strcmp(b->law, "hertz_mindlin") == 0)
        set_pair(world, any, any, b->law, 1.0);
    else
        set_soft(world, b->law);
    if (b->resisting)
        set_resistance(world, any, any, true);
    if (floor)
        add_shaped(world, cairn_default_shape_def(CAIRN_HALFSPACE), CAIRN_FIXED,
                   vec3_make(0.0, 0.0, 0.0));
    cairn_cell_def cell = cairn_default_cell_def();
    for (int k = 0; k < 3; k++) {
        cell.size[k] = side;
        cell.periodic[k] = strchr(b->periodic, "xyz"[k]) != NULL;
    }
    memcpy(cell.rate, b->rate, sizeof cell.rate);
    if (cairn_world_set_cell(world, &cell, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return world;
}

static cairn_world *make_world(const bed *b)
{
    cairn_world *world = make_empty_world(b);
    if (b->shapes)
        add_shapes(world);
    add_spheres(world, b);
    return world;
}

static void compare(bed b, int steps)
{
    b.threads = 1;
    b.across = b.across > 0 ? b.across : 5;
    b.spread = b.spread > 0.0 ? b.spread : 1.0;
    cairn_world *spheres = make_world(&b), *ordinary = make_world(&b);
    int done = 0, met = 0, until[] = {10, steps / 3, steps};
    double tolerance[] = {1e-12, 1e-9, 1e-7};
    for (int k = 0; k < 3; k++) {
        run(spheres, until[k] - done, false);
        run(ordinary, until[k] - done, true);
        done = until[k];
        met += cairn_contact_count(spheres);
        check_bodies(spheres, ordinary, tolerance[k]);
        check_contacts(spheres, ordinary, tolerance[k]);
        check_forces(spheres, ordinary, tolerance[k]);
        // normals turn more within a step than in slow beds
        check_energies(spheres, ordinary, 1e-3);
    }
    assert_true(met > 5);
    cairn_world_destroy(spheres);
    cairn_world_destroy(ordinary);
}

static const double shear[9] = {0, 30, 0, 0, 0, 0, 0, 0, 0};
static const double mixed_rate[9] = {-8, 20, 5, 0, -4, 3, -6, 0, 6};

static bed with_rate(bed b, const double rate[9])
{
    memcpy(b.rate, rate, sizeof b.rate);
    return b;
}

static const char *const laws[] = {"hooke", "hertz_mindlin", "spring_dashpot", "incremental",
                                   "exudyn_sphere"};

static void test_still(void **state)
{
    (void)state;
    for (int l = 0; l < 5; l++)
        compare((bed){.law = laws[l], .periodic = "xyz"}, 450);
    compare((bed){.law = "hooke", .periodic = "xz!", .across = 3}, 450);
}

static void test_strain(void **state)
{
    (void)state;
    for (int l = 0; l < 5; l++) {
        compare(with_rate((bed){.law = laws[l], .periodic = "xyz"}, shear), 450);
        compare(with_rate((bed){.law = laws[l], .periodic = "xyz"}, mixed_rate), 300);
    }
}

static void test_more(void **state)
{
    (void)state;
    compare(with_rate((bed){.law = "hertz_mindlin", .periodic = "xyz", .resisting = true}, shear),
            450);
    compare(with_rate((bed){.law = "hooke", .periodic = "xyz", .loaded = true, .anchored = true},
                      shear),
            450);
    compare(with_rate((bed){.law = "exudyn_sphere", .periodic = "xyz", .loaded = true}, mixed_rate),
            300);
}

/// A floor that does not shear below spheres that do, and other shapes among them.
static void test_floor(void **state)
{
    (void)state;
    compare((bed){.law = "hooke", .periodic = "xy"}, 450);
    compare(with_rate((bed){.law = "hertz_mindlin", .periodic = "xy"}, shear), 450);
    compare(with_rate((bed){.law = "hooke", .periodic = "xy", .shapes = true}, shear), 450);
}

/// The rate changes between steps; lattice vectors are replaced by shorter ones on the way.
static void test_changing_rate(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .across = 5, .threads = 1, .periodic = "xyz", .spread = 1.0};
    cairn_world *w[2] = {make_world(&b), make_world(&b)};
    for (int i = 0; i < 400; i++)
        for (int k = 0; k < 2; k++) {
            double rate[9] = {
                20.0 * sin(0.05 * i), 70.0 + 0.1 * i, 0, 0, 10.0 * cos(0.07 * i), 0, 0, 0, -15.0};
            assert_int_equal(cairn_world_set_cell_rate(w[k], rate, NULL), CAIRN_OK);
            run(w[k], 1, k == 1);
        }
    check_bodies(w[0], w[1], 1e-8);
    check_contacts(w[0], w[1], 1e-8);
    // at 3 m/s, normals turn far within a step
    check_energies(w[0], w[1], 3e-3);
    // the lists outlast changes of the rate
    assert_true(w[0]->state.spheres->list.made < 300);
    for (int k = 0; k < 2; k++)
        cairn_world_destroy(w[k]);
}

static uint64_t hash_of(const bed *b, const char *kernel, int steps)
{
    return sphere_hash(make_world(b), kernel, steps);
}

static void test_same_bits(void **state)
{
    (void)state;
    const char *kernels[] = {"avx2", "avx512"};
    for (int l = 0; l < 3; l++) {
        bed b = with_rate((bed){.law = laws[l],
                                .across = 11,
                                .threads = 1,
                                .periodic = "xyz",
                                .spread = 2.0,
                                .loaded = true,
                                .resisting = l == 1},
                          l == 2 ? mixed_rate : shear);
        uint64_t expected = hash_of(&b, "scalar", 300);
        for (int k = 0; k < 2; k++) {
            uint64_t hash = hash_of(&b, kernels[k], 300);
            assert_true(hash == 0 || hash == expected);
        }
        for (int threads = 2; threads <= 5; threads++) {
            b.threads = threads;
            assert_true(hash_of(&b, NULL, 300) == expected);
        }
    }
}

static void test_restart(void **state)
{
    (void)state;
    char path[] = "/tmp/cairn-cells-XXXXXX";
    int file = mkstemp(path);
    cairn_error error;
    assert_true(file >= 0);
    close(file);
    for (int l = 0; l < 3; l++) {
        bed b = with_rate((bed){.law = laws[l],
                                .across = 7,
                                .threads = 1,
                                .periodic = l == 2 ? "xy" : "xyz",
                                .spread = 2.0,
                                .shapes = l == 2},
                          l == 1 ? mixed_rate : shear);
        cairn_world *first = make_world(&b);
        b.threads = 3;
        cairn_world *second = make_world(&b);
        run(first, 400, false);
        if (cairn_world_save(first, path, NULL, &error) != CAIRN_OK ||
            cairn_world_restore(second, path, &error) != CAIRN_OK)
            fail_msg("%s", error.message);
        assert_true(cairn_world_get_hash(first) == cairn_world_get_hash(second));
        cairn_energy kept[2] = {cairn_world_get_energy(first), cairn_world_get_energy(second)};
        assert_memory_equal(&kept[0], &kept[1], sizeof kept[0]);
        run(first, 300, false);
        run(second, 300, false);
        assert_true(cairn_world_get_hash(first) == cairn_world_get_hash(second));
        cairn_world_destroy(first);
        cairn_world_destroy(second);
    }
    remove(path);
}

/// Audit of a sheared cell for the share of the step: what is missing of the work.
static double missing(const char *law, double share)
{
    bed b = with_rate(
        (bed){.law = law, .across = 5, .threads = 1, .periodic = "xyz", .spread = 0.5}, shear);
    cairn_world *world = make_world(&b);
    cairn_material_id any = {0};
    set_number(world, any, any, "friction", 0.0);
    assert_int_equal(cairn_world_set_time_step(world, share * step, NULL), CAIRN_OK);
    run(world, (int)(600 / share), false);
    cairn_energy e = cairn_world_get_energy(world);
    double before[3], turn[3];
    cairn_world_get_momentum(world, before, turn);
    run(world, 100, false);
    double after[3];
    cairn_world_get_momentum(world, after, turn);
    for (int k = 0; k < 3; k++)
        check_close(after[k], before[k], 0.0, 1e-14);
    cairn_world_destroy(world);
    assert_true(e.drivers > 1e-4);
    return fabs(e.residual) / e.drivers;
}

static void test_audit(void **state)
{
    (void)state;
    double whole = missing("hertz_mindlin", 0.5), part = missing("hertz_mindlin", 0.0625);
    printf("missing of the work of the shear: %.3g, with an eighth of the step %.3g\n", whole,
           part);
    check_at_most(part, 0.05 * whole);
    check_at_most(part, 1e-5);
}

/// Audit of a lattice of equal spheres that stay in contact while their cell strains, at `parts`
/// steps of `step`: what is missing of the work.
static double missing_of_lattice(const char *law, const double rate[9], double friction, int parts)
{
    bed b = {.law = law, .across = 4, .threads = 1, .periodic = "xyz"};
    memcpy(b.rate, rate, sizeof b.rate);
    cairn_world *world = make_empty_world(&b);
    cairn_material_id any = {0};
    set_number(world, any, any, "friction", friction);
    assert_int_equal(cairn_world_set_time_step(world, step / parts, NULL), CAIRN_OK);
    cairn_shape_id shape = sphere(world, 0.51 * side / b.across);
    for (int i = 0; i < b.across * b.across * b.across; i++) {
        cairn_body_def body = cairn_default_body_def();
        const int place[3] = {i % b.across, i / b.across % b.across, i / b.across / b.across};
        body.shape = shape;
        for (int k = 0; k < 3; k++)
            body.position[k] = side / b.across * (place[k] + 0.5);
        add_body(world, body);
    }
    run(world, 1000 * parts, false);
    cairn_energy e = cairn_world_get_energy(world);
    cairn_world_destroy(world);
    assert_true(e.drivers > 1e-4);
    return fabs(e.residual) / e.drivers;
}

/// Motion that is smooth closes the audit: of second order in the step without friction, and of
/// first order where springs along the surface turn with their pair.
static void test_smooth_audit(void **state)
{
    (void)state;
    static const double squeeze[9] = {-0.2, 0.0, 0.0, 0.0, -0.2, 0.0, 0.0, 0.0, -0.2},
                        press[9] = {-0.2, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0},
                        slow_shear[9] = {0.0, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        double whole = missing_of_lattice(laws[i], squeeze, 0.0, 1),
               part = missing_of_lattice(laws[i], squeeze, 0.0, 8),
               pressed = missing_of_lattice(laws[i], press, 0.0, 8),
               sheared = missing_of_lattice(laws[i], slow_shear, 0.5, 1),
               sheared_part = missing_of_lattice(laws[i], slow_shear, 0.5, 16);
        printf("%s: missing of the work of squeezing %.2g, with an eighth of the step %.2g, of "
               "pressing %.2g, of shearing %.2g and with a sixteenth of the step %.2g\n",
               laws[i], whole, part, pressed, sheared, sheared_part);
        check_at_most(part, fmax(0.15 * whole, 1e-10));
        check_at_most(part, 1e-9);
        check_at_most(pressed, 1e-9);
        check_at_most(sheared_part, 0.15 * sheared);
        check_at_most(sheared_part, 1e-9);
    }
}

/// A servo of a stress along z.
static void add_servo(cairn_world *world, double stress, double speed)
{
    cairn_servo_def def = cairn_default_servo_def();
    cairn_error error;
    def.cell = true;
    def.side = def.across = 2;
    def.force = stress;
    def.speed = speed;
    if (cairn_servo_create(world, &def, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

/// The stress that is added up along with the forces is that of the contacts, whose branches are
/// of the end of the step instead of its middle.
static void test_stress(void **state)
{
    (void)state;
    const int across[] = {3, 12};
    for (int k = 0; k < 2; k++) {
        bed b =
            with_rate((bed){.law = "hooke", .periodic = "xyz", .across = across[k]}, mixed_rate);
        b.spread = 0.1;
        double stress[2][6];
        for (int threads = 1; threads <= 2; threads++) {
            b.threads = threads;
            cairn_world *world = make_world(&b);
            cairn_measure measure;
            add_servo(world, 100.0, 10.0);
            run(world, 300, false);
            assert_true(cairn_contact_count(world) > 5);
            assert_true(eng_spheres_cell_stress(world, stress[threads - 1]));
            assert_int_equal(cairn_world_measure(world, NULL, &measure, NULL), CAIRN_OK);
            double pressure = measure.stress[0] + measure.stress[1] + measure.stress[2];
            assert_true(pressure > 0.0);
            for (int i = 0; i < 6; i++)
                check_close(stress[threads - 1][i], measure.stress[i], 0.0, 2e-3 * pressure);
            cairn_world_destroy(world);
        }
        assert_memory_equal(stress[0], stress[1], sizeof stress[0]);
    }
    // where fixed spheres bear load the contacts have to be looked at
    bed anchored = {.law = "hooke", .periodic = "xyz", .across = 5, .threads = 1};
    anchored.anchored = true;
    anchored.spread = 1.0;
    cairn_world *world = make_world(&anchored);
    double stress[6];
    add_servo(world, 100.0, 10.0);
    int borne = 0;
    for (int i = 0; i < 40; i++) {
        run(world, 10, false);
        borne += !eng_spheres_cell_stress(world, stress);
    }
    assert_in_range(borne, 5, 40);
    cairn_world_destroy(world);
}

/// A loose cell that closes fast comes to the stress and stays there.
static void test_servo_closes(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .periodic = "xyz", .across = 10, .spread = 0.5, .threads = 1};
    cairn_world *world = make_world(&b);
    const double wanted = 2000.0;
    add_servo(world, wanted, 5.0);
    run(world, 8000, false);
    for (int i = 0; i < 5; i++) {
        cairn_servo_view servo;
        run(world, 400, false);
        assert_int_equal(cairn_servo_get(world, 0, &servo), CAIRN_OK);
        check_close(servo.force, wanted, 0.0, 0.02 * wanted);
    }
    // another target is met as well, and a snapshot knows which one holds
    cairn_servo_view servo;
    cairn_snapshot *snapshot = NULL;
    assert_int_equal(cairn_world_snapshot(world, &snapshot, NULL), CAIRN_OK);
    assert_int_equal(cairn_servo_set_target(world, 0, 2.0 * wanted, NULL), CAIRN_OK);
    run(world, 3000, false);
    assert_int_equal(cairn_servo_get(world, 0, &servo), CAIRN_OK);
    assert_true(servo.target == 2.0 * wanted);
    check_close(servo.force, 2.0 * wanted, 0.0, 0.04 * wanted);
    assert_int_equal(cairn_world_revert(world, snapshot, NULL), CAIRN_OK);
    run(world, 1, false);
    assert_int_equal(cairn_servo_get(world, 0, &servo), CAIRN_OK);
    assert_true(servo.target == wanted);
    cairn_snapshot_destroy(snapshot);
    assert_int_equal(cairn_servo_set_target(world, 1, wanted, NULL), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_servo_set_target(world, 0, NAN, NULL), CAIRN_ERROR_ARGUMENT);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_still),         cmocka_unit_test(test_stress),
        cmocka_unit_test(test_servo_closes),  cmocka_unit_test(test_strain),
        cmocka_unit_test(test_more),          cmocka_unit_test(test_floor),
        cmocka_unit_test(test_changing_rate), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_restart),       cmocka_unit_test(test_audit),
        cmocka_unit_test(test_smooth_audit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
