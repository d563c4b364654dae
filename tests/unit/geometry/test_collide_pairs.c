// SPDX-License-Identifier: Apache-2.0
// Every pair of convex kinds at random placements, against bounds from brute force.
#include "tests/unit/geometry/convex_check.h"

typedef struct trial {
    geo_shape *a, *b;
    pose pa, pb;
    double size, margin;
    solid sa, sb;
    geo_manifold m;
} trial;

// moves b along a random line so that the gap seen from the centres is near `wanted`
static void approach(trial *t, base_rng *rng, double wanted)
{
    vec3 d = random_direction(rng);
    t->pa.position = (vec3){0.0, 0.0, 0.0};
    t->pb.position = d;
    solid a = solid_make(t->a, t->pa);
    t->pb.position = (vec3){0.0, 0.0, 0.0};
    solid b = solid_make(t->b, t->pb);
    double reach = solid_reach(&a, d) + solid_reach(&b, vec3_negate(d)) + wanted;
    vec3 aside = vec3_scale(0.3 * t->size * base_rng_unit(rng), random_direction(rng));
    vec3 origin = vec3_scale(t->size * base_rng_range(rng, 0.0, 10.0), random_direction(rng));
    t->pa.position = origin;
    t->pb.position = vec3_add(origin, vec3_add(vec3_scale(reach, d), aside));
    t->sa = solid_make(t->a, t->pa);
    t->sb = solid_make(t->b, t->pb);
}

// what every contact must be: unit normal, points on both surfaces, unique key
static void check_contacts(const trial *t, double tolerance)
{
    bool curved = t->a->kind == GEO_CYLINDER || t->b->kind == GEO_CYLINDER;
    // ends of nearly parallel capsules touch as balls, which lie inside by r sin^2 / 2
    bool capsules = t->a->kind == GEO_CAPSULE && t->b->kind == GEO_CAPSULE;
    double inside = capsules && t->m.count > 1 ? 0.5 * 0.3 * 0.3 * t->size : 0.0;
    bool rounded = geo_shape_rounding(t->a) + geo_shape_rounding(t->b) > 0.0;
    for (int i = 0; i < t->m.count; i++) {
        const geo_contact *c = &t->m.contacts[i];
        // points beside the deepest one of rounded shapes count less, and lie within both
        double outside = tolerance;
        if (rounded && c != deepest(&t->m)) {
            inside = INFINITY;
            outside += fmax(0.0, -deepest(&t->m)->gap);
        }
        // the place of deep points on curved surfaces is found to the root of the depth's error
        if (curved && c->gap < -0.05 * t->size)
            tolerance = 2e-4 * t->size;
        else if (curved && c->gap < 0.0)
            tolerance = 1e-6 * t->size;
        check_close(vec3_norm(c->normal), 1.0, 0.0, 1e-12);
        check_at_most(c->gap, t->margin);
        vec3 on_a = vec3_add_scaled(c->point, -0.5 * c->gap, c->normal);
        vec3 on_b = vec3_add_scaled(c->point, 0.5 * c->gap, c->normal);
        double inside_a = -solid_distance(&t->sa, on_a), inside_b = -solid_distance(&t->sb, on_b);
        check_at_most(inside_a, tolerance + inside);
        check_at_most(inside_b, tolerance + inside);
        check_at_most(-inside_a, fmax(tolerance, outside));
        check_at_most(-inside_b, fmax(tolerance, outside));
        for (int j = 0; j < i; j++)
            assert_true(t->m.contacts[j].key != c->key);
    }
}

// the smallest translation that separates, by random search around and away from a direction
static double search_axes(const trial *t, vec3 around, base_rng *rng)
{
    double best = -INFINITY;
    for (int i = 0; i < 60; i++) {
        double spread = i < 20 ? 4.0 : pow(10.0, -base_rng_range(rng, 0.0, 6.0));
        vec3 d = vec3_add_scaled(around, spread, random_direction(rng));
        d = vec3_normalize_or(d, around);
        best = fmax(best, solid_separation(&t->sa, &t->sb, d));
    }
    return best;
}

// the exact gap of two swept polytopes: distance of the cores if apart, else their largest
// separation
static double true_gap(const trial *t)
{
    double cores = t->sa.radius + t->sb.radius, tight = 1e-9 * t->size;
    double axes = solid_pair_axes(&t->sa, &t->sb), distance = solid_pair_distance(&t->sa, &t->sb);
    bool solid_core = t->sa.face_count + t->sb.face_count > 0;
    if (solid_core)
        return axes + cores > 0.0 ? distance : axes;
    return distance + cores > tight ? distance : axes;
}

static void check_gap(const trial *t, base_rng *rng)
{
    bool polytopes = t->a->kind != GEO_CYLINDER && t->b->kind != GEO_CYLINDER;
    const geo_contact *c = deepest(&t->m);
    double tight = 1e-9 * t->size, cores = t->sa.radius + t->sb.radius;
    double truth = polytopes ? true_gap(t) : -INFINITY;
    if (!c) {
        assert_true(!polytopes || truth > t->margin - tight);
        return;
    }
    // overlapping cores: near misses between axes are allowed the documented bias
    double bias = 2e-6 * t->size + 2e-4 * fabs(c->gap);
    if (polytopes) {
        check_close(c->gap, truth, 0.0, c->gap + cores > tight ? tight : bias);
        return;
    }
    double along = solid_separation(&t->sa, &t->sb, c->normal);
    check_close(c->gap, along, 0.0, c->gap > 0.0 ? 2.0 * tight : bias);
    if (c->gap <= 0.0)
        check_at_most(search_axes(t, c->normal, rng), c->gap + bias);
}

static void check_swap(trial *t, geo_manifold *other, double tolerance)
{
    collide(t->b, t->pb, t->a, t->pa, t->margin, other);
    const geo_contact *c = deepest(&t->m), *d = deepest(other);
    assert_true(!c == !d);
    if (!c)
        return;
    check_close(c->gap, d->gap, 0.0, tolerance);
}

static void check_moved(trial *t, geo_manifold *other, base_rng *rng, double tolerance)
{
    pose motion = {vec3_scale(t->size, random_direction(rng)), random_turn(rng)};
    collide(t->a, pose_compose(&motion, &t->pa), t->b, pose_compose(&motion, &t->pb), t->margin,
            other);
    const geo_contact *c = deepest(&t->m), *d = deepest(other);
    if (!c || !d)
        return;
    check_close(d->gap, c->gap, 0.0, tolerance);
}

static double pick_gap(base_rng *rng, double size)
{
    int which = base_rng_index(rng, 4);
    double wide = size * base_rng_range(rng, -1.0, 0.2);
    double near = size * pow(10.0, base_rng_range(rng, -9.0, -1.0));
    return which == 0 ? wide : which == 1 ? near : -near;
}

// placements in steps of a right angle and of round distances: ties everywhere
static void align(trial *t, base_rng *rng)
{
    const double h = sqrt(0.5);
    const quat turns[4] = {
        {1.0, 0.0, 0.0, 0.0}, {h, h, 0.0, 0.0}, {h, 0.0, h, 0.0}, {0.5, 0.5, 0.5, 0.5}};
    t->pa.orientation = turns[base_rng_index(rng, 4)];
    t->pb.orientation = turns[base_rng_index(rng, 4)];
}

enum { ROUNDED = GEO_KIND_COUNT }; // to be added to a kind

static geo_shape *any_shape(int kind, double size, base_rng *rng)
{
    return kind < ROUNDED ? random_shape((geo_kind)kind, size, rng)
                          : random_rounded((geo_kind)(kind - ROUNDED), size, rng);
}

static void fuzz(int ka, int kb, int count, double size, uint64_t seed)
{
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(seed + 100 * (uint64_t)ka + (uint64_t)kb);
    trial t = {.size = size, .margin = 0.05 * size};
    geo_manifold other;
    geo_manifold_init(&t.m, &heap);
    geo_manifold_init(&other, &heap);
    for (int i = 0; i < count; i++) {
        if (i % 10 == 0) {
            geo_shape_destroy(t.a);
            geo_shape_destroy(t.b);
            t.a = any_shape(ka, size, &rng);
            t.b = any_shape(kb, size, &rng);
        }
        t.pa.orientation = random_turn(&rng);
        t.pb.orientation = random_turn(&rng);
        if (i % 8 == 0)
            align(&t, &rng);
        approach(&t, &rng, pick_gap(&rng, size));
        collide(t.a, t.pa, t.b, t.pb, t.margin, &t.m);
        bool curved = t.a->kind == GEO_CYLINDER || t.b->kind == GEO_CYLINDER;
        check_contacts(&t, (curved ? 2e-7 : 1e-9) * size);
        check_gap(&t, &rng);
        double bias = 1e-8 * size;
        if (deepest(&t.m) && deepest(&t.m)->gap < 0.0)
            bias = 4e-6 * size - 2e-4 * deepest(&t.m)->gap;
        check_swap(&t, &other, bias);
        check_moved(&t, &other, &rng, bias);
    }
    geo_shape_destroy(t.a);
    geo_shape_destroy(t.b);
    geo_manifold_finish(&t.m);
    geo_manifold_finish(&other);
}

static void fuzz_sizes(int ka, int kb, int count)
{
    fuzz(ka, kb, count, 1.0, 1);
    fuzz(ka, kb, count / 10, 1e-6, 2);
    fuzz(ka, kb, count / 10, 1e5, 3);
}

#define PAIR_TEST(name, ka, kb, count)                                                             \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        fuzz_sizes(ka, kb, count);                                                                 \
    }

PAIR_TEST(sphere_sphere, GEO_SPHERE, GEO_SPHERE, 10000)
PAIR_TEST(sphere_box, GEO_SPHERE, GEO_BOX, 10000)
PAIR_TEST(sphere_capsule, GEO_SPHERE, GEO_CAPSULE, 10000)
PAIR_TEST(sphere_cylinder, GEO_SPHERE, GEO_CYLINDER, 10000)
PAIR_TEST(sphere_polyhedron, GEO_SPHERE, GEO_POLYHEDRON, 10000)
PAIR_TEST(capsule_capsule, GEO_CAPSULE, GEO_CAPSULE, 10000)
PAIR_TEST(box_capsule, GEO_BOX, GEO_CAPSULE, 10000)
PAIR_TEST(capsule_polyhedron, GEO_CAPSULE, GEO_POLYHEDRON, 10000)
PAIR_TEST(box_box, GEO_BOX, GEO_BOX, 10000)
PAIR_TEST(box_polyhedron, GEO_BOX, GEO_POLYHEDRON, 10000)
PAIR_TEST(polyhedron_polyhedron, GEO_POLYHEDRON, GEO_POLYHEDRON, 10000)
PAIR_TEST(box_cylinder, GEO_BOX, GEO_CYLINDER, 10000)
PAIR_TEST(capsule_cylinder, GEO_CAPSULE, GEO_CYLINDER, 10000)
PAIR_TEST(cylinder_cylinder, GEO_CYLINDER, GEO_CYLINDER, 10000)
PAIR_TEST(cylinder_polyhedron, GEO_CYLINDER, GEO_POLYHEDRON, 10000)
PAIR_TEST(sphere_rounded_box, GEO_SPHERE, ROUNDED + GEO_BOX, 10000)
PAIR_TEST(sphere_rounded_polyhedron, GEO_SPHERE, ROUNDED + GEO_POLYHEDRON, 10000)
PAIR_TEST(capsule_rounded_box, GEO_CAPSULE, ROUNDED + GEO_BOX, 10000)
PAIR_TEST(capsule_rounded_polyhedron, GEO_CAPSULE, ROUNDED + GEO_POLYHEDRON, 10000)
PAIR_TEST(cylinder_rounded_polyhedron, GEO_CYLINDER, ROUNDED + GEO_POLYHEDRON, 10000)
PAIR_TEST(box_rounded_polyhedron, GEO_BOX, ROUNDED + GEO_POLYHEDRON, 10000)
PAIR_TEST(polyhedron_rounded_box, GEO_POLYHEDRON, ROUNDED + GEO_BOX, 10000)
PAIR_TEST(rounded_box_rounded_box, ROUNDED + GEO_BOX, ROUNDED + GEO_BOX, 10000)
PAIR_TEST(rounded_box_rounded_polyhedron, ROUNDED + GEO_BOX, ROUNDED + GEO_POLYHEDRON, 10000)
PAIR_TEST(rounded_polyhedra, ROUNDED + GEO_POLYHEDRON, ROUNDED + GEO_POLYHEDRON, 10000)

// a small hull on a thin disc, whose frame has its origin far on either side, is the same hull
static void origin_of_a_hull_does_not_matter(void **state)
{
    (void)state;
    enum { POINTS = 10 };
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(83);
    geo_manifold m, n;
    geo_shape *disc;
    geo_manifold_init(&m, &heap);
    geo_manifold_init(&n, &heap);
    assert_int_equal(geo_cylinder_create(&heap, 0.5, 0.03, &disc, NULL), CAIRN_OK);
    for (int i = 0; i < 1000; i++) {
        vec3 points[POINTS], moved[POINTS], far = vec3_scale(8.0, random_direction(&rng));
        for (int k = 0; k < POINTS; k++) {
            points[k] = vec3_scale(0.1, random_direction(&rng));
            moved[k] = vec3_add(points[k], far);
        }
        geo_shape *hull, *same;
        assert_int_equal(geo_polyhedron_create(&heap, points, POINTS, &hull, NULL), CAIRN_OK);
        assert_int_equal(geo_polyhedron_create(&heap, moved, POINTS, &same, NULL), CAIRN_OK);
        pose place = {{base_rng_range(&rng, -0.2, 0.2), 0.0, 0.0}, random_turn(&rng)};
        solid over = solid_make(hull, place);
        place.position.z =
            0.03 - 0.005 * base_rng_unit(&rng) + solid_reach(&over, (vec3){0.0, 0.0, -1.0});
        vec3 origin = quat_rotate(place.orientation, far);
        pose from_far = {vec3_sub(place.position, origin), place.orientation};
        pose flat = pose_identity();
        collide(hull, place, disc, flat, 0.02, &m);
        collide(same, from_far, disc, flat, 0.02, &n);
        assert_true(m.count > 0 && n.count > 0);
        check_close(deepest(&m)->gap, deepest(&n)->gap, 0.0, 1e-9);
        geo_shape_destroy(hull);
        geo_shape_destroy(same);
    }
    geo_shape_destroy(disc);
    geo_manifold_finish(&m);
    geo_manifold_finish(&n);
}

// normals, gaps and points of cylinders, also those of their rims, are known to round-off: they
// turn and move along with a pair
static void cylinders_look_the_same_from_every_frame(void **state)
{
    (void)state;
    const geo_kind others[] = {GEO_CYLINDER, GEO_BOX, GEO_POLYHEDRON, GEO_CAPSULE};
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(17);
    geo_manifold moved;
    trial t = {.size = 1.0, .margin = 0.05};
    geo_manifold_init(&t.m, &heap);
    geo_manifold_init(&moved, &heap);
    int seen = 0, other_features = 0;
    for (int i = 0; i < 20000; i++) {
        t.a = random_shape(GEO_CYLINDER, t.size, &rng);
        t.b = random_shape(others[i % 4], t.size, &rng);
        t.pa.orientation = random_turn(&rng);
        t.pb.orientation = random_turn(&rng);
        double depth = 0.05 * pow(10.0, base_rng_range(&rng, -4.0, 0.0));
        approach(&t, &rng, i / 4 % 2 == 0 ? depth : -depth);
        collide(t.a, t.pa, t.b, t.pb, t.margin, &t.m);
        pose motion = {vec3_scale(3.0, random_direction(&rng)), random_turn(&rng)};
        collide(t.a, pose_compose(&motion, &t.pa), t.b, pose_compose(&motion, &t.pb), t.margin,
                &moved);
        bool same = moved.count == t.m.count;
        for (int k = 0; k < t.m.count && same; k++) {
            const geo_contact *c = &t.m.contacts[k], *d = &moved.contacts[k];
            same = c->key == d->key;
            if (!same)
                continue;
            seen++;
            check_close(c->gap, d->gap, 0.0, 1e-11);
            check_at_most(vec3_distance(quat_rotate(motion.orientation, c->normal), d->normal),
                          1e-11);
            check_at_most(vec3_distance(pose_apply(&motion, c->point), d->point), 1e-11);
        }
        other_features += !same;
        geo_shape_destroy(t.a);
        geo_shape_destroy(t.b);
    }
    // corners of hulls that are as near as the next may have the name of either
    assert_true(seen > 4000 && other_features < 10);
    geo_manifold_finish(&t.m);
    geo_manifold_finish(&moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_sphere),
        cmocka_unit_test(sphere_box),
        cmocka_unit_test(sphere_capsule),
        cmocka_unit_test(sphere_cylinder),
        cmocka_unit_test(sphere_polyhedron),
        cmocka_unit_test(capsule_capsule),
        cmocka_unit_test(box_capsule),
        cmocka_unit_test(capsule_polyhedron),
        cmocka_unit_test(box_box),
        cmocka_unit_test(box_polyhedron),
        cmocka_unit_test(polyhedron_polyhedron),
        cmocka_unit_test(box_cylinder),
        cmocka_unit_test(capsule_cylinder),
        cmocka_unit_test(cylinder_cylinder),
        cmocka_unit_test(cylinder_polyhedron),
        cmocka_unit_test(sphere_rounded_box),
        cmocka_unit_test(sphere_rounded_polyhedron),
        cmocka_unit_test(capsule_rounded_box),
        cmocka_unit_test(capsule_rounded_polyhedron),
        cmocka_unit_test(cylinder_rounded_polyhedron),
        cmocka_unit_test(box_rounded_polyhedron),
        cmocka_unit_test(polyhedron_rounded_box),
        cmocka_unit_test(rounded_box_rounded_box),
        cmocka_unit_test(rounded_box_rounded_polyhedron),
        cmocka_unit_test(rounded_polyhedra),
        cmocka_unit_test(origin_of_a_hull_does_not_matter),
        cmocka_unit_test(cylinders_look_the_same_from_every_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
