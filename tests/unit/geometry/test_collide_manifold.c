// SPDX-License-Identifier: Apache-2.0
// Manifolds: what comes out of aligned faces, half-spaces, standing and lying bodies, and keys.
#include "tests/unit/geometry/convex_check.h"

static geo_manifold new_manifold(void)
{
    base_allocator heap = base_allocator_default();
    geo_manifold m;
    geo_manifold_init(&m, &heap);
    return m;
}

static geo_shape *new_box(double x, double y, double z)
{
    base_allocator heap = base_allocator_default();
    geo_shape *shape;
    assert_int_equal(geo_box_create(&heap, (vec3){x, y, z}, &shape, NULL), CAIRN_OK);
    return shape;
}

static geo_shape *new_cylinder(double radius, double half)
{
    base_allocator heap = base_allocator_default();
    geo_shape *shape;
    assert_int_equal(geo_cylinder_create(&heap, radius, half, &shape, NULL), CAIRN_OK);
    return shape;
}

static geo_shape *new_plane(void)
{
    base_allocator heap = base_allocator_default();
    geo_shape *shape;
    assert_int_equal(geo_halfspace_create(&heap, &shape, NULL), CAIRN_OK);
    return shape;
}

static pose at(double x, double y, double z)
{
    return (pose){{x, y, z}, quat_identity()};
}

// equal boxes, exactly on top of each other: four contacts at the corners, normals without noise
static void stacked_boxes(void **state)
{
    (void)state;
    geo_shape *box = new_box(0.5, 0.4, 0.3);
    geo_manifold m = new_manifold();
    const double gaps[] = {0.0, 1e-3, 1e-9, -1e-9, -1e-3};
    uint64_t keys[4] = {0};
    for (int g = 0; g < 5; g++) {
        collide(box, at(0.0, 0.0, 0.0), box, at(0.0, 0.0, 0.6 + gaps[g]), 0.01, &m);
        assert_int_equal(m.count, 4);
        for (int i = 0; i < 4; i++) {
            const geo_contact *c = &m.contacts[i];
            assert_true(c->normal.x == 0.0 && c->normal.y == 0.0 && c->normal.z == 1.0);
            check_close(c->gap, gaps[g], 0.0, 1e-15);
            check_close(fabs(c->point.x), 0.5, 0.0, 1e-15);
            check_close(fabs(c->point.y), 0.4, 0.0, 1e-15);
            check_close(c->point.z, 0.3 + 0.5 * gaps[g], 0.0, 1e-15);
            if (g == 0)
                keys[i] = c->key;
            assert_true(c->key == keys[i]);
        }
    }
    geo_manifold_finish(&m);
    geo_shape_destroy(box);
}

// masonry: blocks in running bond, slightly tilted and sunk in, keep a face contact of four corners
// or more with a face's normal
static void running_bond(void **state)
{
    (void)state;
    geo_shape *block = new_box(0.5, 0.25, 0.15);
    geo_manifold m = new_manifold();
    base_rng rng = base_rng_make(5);
    for (int i = 0; i < 20000; i++) {
        double tilt = pow(10.0, -base_rng_range(&rng, 3.0, 10.0));
        double sink = pow(10.0, -base_rng_range(&rng, 4.0, 9.0));
        pose p = {{0.5, i % 2 ? 0.0 : 0.05, 0.3 - sink},
                  base_quat_from_rotation_vector(vec3_scale(tilt, random_direction(&rng)))};
        collide(block, at(0.0, 0.0, 0.0), block, p, 0.01, &m);
        assert_in_range(m.count, 4, 8);
        for (int k = 0; k < m.count; k++)
            check_at_most(vec3_distance(m.contacts[k].normal, (vec3){0.0, 0.0, 1.0}), 1.01 * tilt);
    }
    geo_manifold_finish(&m);
    geo_shape_destroy(block);
}

// blocks in running bond whose long sides lie on one line but for their last digits: where the
// sides cross is anybody's guess, and no contact is there. Turned by more, they do cross
static void sides_on_one_line(void **state)
{
    (void)state;
    geo_shape *block = new_box(0.5, 0.25, 0.15);
    geo_manifold m = new_manifold();
    base_rng rng = base_rng_make(8);
    for (int i = 0; i < 20000; i++) {
        double noise = pow(10.0, -base_rng_range(&rng, 5.5, 14.0));
        vec3 shift = vec3_scale(noise, random_direction(&rng)),
             turn = vec3_scale(noise, random_direction(&rng));
        pose p = {vec3_add((vec3){0.5, 0.0, 0.3}, shift), base_quat_from_rotation_vector(turn)};
        collide(block, at(0.0, 0.0, 0.0), block, p, 0.01, &m);
        assert_int_equal(m.count, 4);
        for (int k = 0; k < 4; k++) {
            vec3 x = m.contacts[k].point;
            check_close(fabs(x.x - 0.25), 0.25, 0.0, 2.0 * noise);
            check_close(fabs(x.y), 0.25, 0.0, 2.0 * noise);
        }
    }
    pose turned = {{0.5, 2.5e-4, 0.3}, base_quat_from_rotation_vector((vec3){0.0, 0.0, 1e-3})};
    collide(block, at(0.0, 0.0, 0.0), block, turned, 0.01, &m);
    int crossings = 0;
    for (int k = 0; k < m.count; k++)
        crossings += fabs(m.contacts[k].point.x - 0.25) < 0.2;
    assert_int_equal(crossings, 2);
    geo_manifold_finish(&m);
    geo_shape_destroy(block);
}

// small shifts, turns and tilts of a resting box leave the keys as they are
static void keys_survive_noise(void **state)
{
    (void)state;
    geo_shape *box = new_box(0.5, 0.4, 0.3);
    geo_manifold m = new_manifold(), n = new_manifold();
    base_rng rng = base_rng_make(3);
    collide(box, at(0.0, 0.0, 0.0), box, at(0.0, 0.0, 0.6), 0.01, &m);
    for (int i = 0; i < 2000; i++) {
        double noise = pow(10.0, -base_rng_range(&rng, 5.5, 14.0));
        pose p = {vec3_add((vec3){0.0, 0.0, 0.6}, vec3_scale(noise, random_direction(&rng))),
                  base_quat_from_rotation_vector(vec3_scale(noise, random_direction(&rng)))};
        collide(box, at(0.0, 0.0, 0.0), box, p, 0.01, &n);
        assert_in_range(n.count, 4, 8);
        for (int k = 0; k < 4; k++) {
            int found = 0;
            for (int j = 0; j < n.count; j++)
                found += n.contacts[j].key == m.contacts[k].key;
            assert_int_equal(found, 1);
        }
        check_at_most(vec3_distance(n.contacts[0].normal, (vec3){0.0, 0.0, 1.0}), 2.0 * noise);
    }
    geo_manifold_finish(&m);
    geo_manifold_finish(&n);
    geo_shape_destroy(box);
}

// keys at general positions: the same before and after a tiny motion, but for a few
static void keys_survive_tiny_motion(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(8);
    geo_manifold m = new_manifold(), n = new_manifold();
    const geo_kind kinds[] = {GEO_BOX, GEO_POLYHEDRON, GEO_CAPSULE, GEO_CYLINDER};
    int compared = 0, changed = 0;
    for (int i = 0; i < 4000; i++) {
        geo_shape *a = random_shape(kinds[base_rng_index(&rng, 4)], 1.0, &rng);
        geo_shape *b = random_shape(kinds[base_rng_index(&rng, 4)], 1.0, &rng);
        pose pa = {{0.0, 0.0, 0.0}, random_turn(&rng)};
        vec3 d = random_direction(&rng);
        pose pb = {vec3_scale(base_rng_range(&rng, 0.6, 1.5), d), random_turn(&rng)};
        collide(a, pa, b, pb, 0.02, &m);
        pb.position = vec3_add(pb.position, vec3_scale(1e-8, random_direction(&rng)));
        collide(a, pa, b, pb, 0.02, &n);
        compared += m.count;
        for (int k = 0; k < m.count; k++) {
            bool found = false;
            for (int j = 0; j < n.count; j++)
                found = found || n.contacts[j].key == m.contacts[k].key;
            changed += !found;
        }
        geo_shape_destroy(a);
        geo_shape_destroy(b);
    }
    assert_true(compared > 1000);
    check_at_most((double)changed / compared, 0.01);
    geo_manifold_finish(&m);
    geo_manifold_finish(&n);
}

static double cross2(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// area of the convex hull of points, by gift wrapping
static double hull_area(const double (*p)[2], int count)
{
    int start = 0;
    for (int i = 1; i < count; i++)
        if (p[i][0] < p[start][0] || (p[i][0] <= p[start][0] && p[i][1] < p[start][1]))
            start = i;
    double area = 0.0;
    int at_point = start;
    for (int step = 0; step <= count; step++) {
        int next = at_point == 0 ? 1 : 0;
        for (int i = 0; i < count; i++)
            if (i != at_point && cross2(p[at_point], p[next], p[i]) < -1e-14)
                next = i;
        area += p[at_point][0] * p[next][1] - p[next][0] * p[at_point][1];
        at_point = next;
        if (at_point == start)
            break;
    }
    return 0.5 * area;
}

// overlap area of the rectangles |x| <= a, |y| <= b and a turned one, by exact integration of the
// slice length between break points
static double slice(double a, double b, const double (*q)[2], double x)
{
    (void)a;
    double low = -b, high = b, l = INFINITY, h = -INFINITY;
    for (int i = 0; i < 4; i++) {
        const double *p = q[i], *r = q[(i + 1) % 4];
        if ((p[0] - x) * (r[0] - x) > 0.0 || fabs(r[0] - p[0]) < 1e-300)
            continue;
        double y = p[1] + (x - p[0]) / (r[0] - p[0]) * (r[1] - p[1]);
        l = fmin(l, y);
        h = fmax(h, y);
    }
    return fmax(0.0, fmin(high, h) - fmax(low, l));
}

static double overlap_area(double a, double b, const double (*q)[2])
{
    double sum = 0.0;
    const int steps = 4000;
    for (int i = 0; i < steps; i++)
        sum += slice(a, b, q, -a + 2.0 * a * (i + 0.5) / steps);
    return sum * 2.0 * a / steps;
}

// one of a few values, missed by the last digits
static double nearly(base_rng *rng, const double values[3])
{
    double noise = pow(10.0, -base_rng_range(rng, 2.0, 14.0));
    return values[(int)base_rng_range(rng, 0.0, 2.999)] + base_rng_range(rng, -noise, noise);
}

// a box laid flat on another at any turn and offset, or with sides nearly on one line: the contacts
// span the overlap of the faces
static void contacts_span_overlap(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(11);
    geo_manifold m = new_manifold();
    static const double sides[] = {0.5, 0.75, 1.0}, offsets[] = {-0.25, 0.0, 0.5},
                        turns[] = {0.0, M_PI / 2.0, M_PI};
    for (int i = 0; i < 20000; i++) {
        double a = base_rng_range(&rng, 0.3, 1.0), b = base_rng_range(&rng, 0.3, 1.0);
        double c = base_rng_range(&rng, 0.3, 1.0), d = base_rng_range(&rng, 0.3, 1.0);
        double x = base_rng_range(&rng, -0.5, 0.5), y = base_rng_range(&rng, -0.5, 0.5);
        double turn = base_rng_range(&rng, -3.0, 3.0);
        if (i >= 400) {
            a = sides[i % 3];
            b = sides[i / 3 % 3];
            c = nearly(&rng, sides);
            d = nearly(&rng, sides);
            x = nearly(&rng, offsets);
            y = nearly(&rng, offsets);
            turn = nearly(&rng, turns);
        }
        geo_shape *below = new_box(a, b, 0.2), *above = new_box(c, d, 0.3);
        pose p = {{x, y, 0.5 - 1e-5}, base_quat_from_rotation_vector((vec3){0.0, 0.0, turn})};
        collide(below, at(0.0, 0.0, 0.0), above, p, 0.01, &m);
        double points[16][2], corners[4][2];
        assert_in_range(m.count, 3, 8);
        for (int k = 0; k < m.count; k++) {
            points[k][0] = m.contacts[k].point.x;
            points[k][1] = m.contacts[k].point.y;
            check_close(m.contacts[k].gap, -1e-5, 0.0, 1e-12);
        }
        for (int k = 0; k < 4; k++) {
            vec3 corner = {k == 0 || k == 3 ? -c : c, k < 2 ? -d : d, 0.0};
            vec3 w = pose_apply(&p, corner);
            corners[k][0] = w.x;
            corners[k][1] = w.y;
        }
        check_close(hull_area((const double(*)[2])points, m.count),
                    overlap_area(a, b, (const double(*)[2])corners), 2e-3, 1e-4);
        geo_shape_destroy(below);
        geo_shape_destroy(above);
    }
    geo_manifold_finish(&m);
}

// half-space: the body's lowest point is found, every contact lies on both surfaces
static void plane_pairs(void **state)
{
    (void)state;
    const geo_kind kinds[] = {GEO_SPHERE, GEO_BOX, GEO_CAPSULE, GEO_CYLINDER, GEO_POLYHEDRON};
    base_rng rng = base_rng_make(21);
    geo_shape *plane = new_plane();
    geo_manifold m = new_manifold(), swapped = new_manifold();
    for (int i = 0; i < 20000; i++) {
        geo_shape *body = random_shape(kinds[i % 5], 1.0, &rng);
        pose pp = {random_direction(&rng), random_turn(&rng)};
        vec3 n = quat_rotate(pp.orientation, (vec3){0.0, 0.0, 1.0});
        pose pb = {vec3_add_scaled(pp.position, base_rng_range(&rng, -0.5, 1.5), n),
                   random_turn(&rng)};
        solid s = solid_make(body, pb);
        double lowest = -solid_reach(&s, vec3_negate(n)) - vec3_dot(n, pp.position);
        collide(plane, pp, body, pb, 0.05, &m);
        collide(body, pb, plane, pp, 0.05, &swapped);
        assert_int_equal(m.count, swapped.count);
        assert_true((m.count > 0) == (lowest <= 0.05));
        if (m.count > 0)
            check_close(deepest(&m)->gap, lowest, 0.0, 1e-9);
        for (int k = 0; k < m.count; k++) {
            check_at_most(vec3_distance(m.contacts[k].normal, n), 1e-14);
            check_at_most(vec3_distance(swapped.contacts[k].normal, vec3_negate(n)), 1e-14);
            check_close(swapped.contacts[k].gap, m.contacts[k].gap, 0.0, 1e-14);
            for (int j = 0; j < k; j++)
                assert_true(m.contacts[j].key != m.contacts[k].key);
            if (kinds[i % 5] == GEO_CAPSULE)
                continue;
            vec3 on_body = vec3_add_scaled(m.contacts[k].point, 0.5 * m.contacts[k].gap, n);
            check_at_most(fabs(solid_distance(&s, on_body)), 1e-12);
        }
        geo_shape_destroy(body);
    }
    geo_shape_destroy(plane);
    geo_manifold_finish(&m);
    geo_manifold_finish(&swapped);
}

static void cylinder_on_plane(void **state)
{
    (void)state;
    geo_shape *plane = new_plane(), *can = new_cylinder(0.5, 1.0);
    geo_manifold m = new_manifold();
    pose ground = at(0.0, 0.0, 0.0);
    collide(plane, ground, can, at(0.0, 0.0, 1.0), 0.01, &m);
    assert_int_equal(m.count, 4);
    pose lying = {{0.0, 0.0, 0.5}, base_quat_from_rotation_vector((vec3){0.0, 0.5 * M_PI, 0.0})};
    collide(plane, ground, can, lying, 0.01, &m);
    assert_int_equal(m.count, 2);
    check_close(vec3_distance(m.contacts[0].point, m.contacts[1].point), 2.0, 1e-12, 0.0);
    // the same can, standing and lying on a box, and two cans on top of each other
    geo_shape *slab = new_box(3.0, 3.0, 0.5);
    for (int g = 0; g < 3; g++) {
        double gap = g == 0 ? 1e-4 : g == 1 ? 0.0 : -1e-4;
        collide(slab, at(0.0, 0.0, -0.5), can, at(0.0, 0.0, 1.0 + gap), 0.01, &m);
        assert_int_equal(m.count, 8);
        for (int k = 0; k < m.count; k++)
            check_at_most(vec3_distance(m.contacts[k].normal, (vec3){0.0, 0.0, 1.0}), 1e-9);
        lying.position.z = 0.5 + gap;
        collide(slab, at(0.0, 0.0, -0.5), can, lying, 0.01, &m);
        assert_int_equal(m.count, 2);
        for (int k = 0; k < m.count; k++)
            check_close(m.contacts[k].gap, gap, 0.0, 1e-12);
        collide(can, at(0.0, 0.0, 0.0), can, at(0.1, 0.0, 2.0 + gap), 0.01, &m);
        assert_true(m.count >= 6);
        for (int k = 0; k < m.count; k++)
            check_close(m.contacts[k].gap, gap, 0.0, 1e-11);
    }
    geo_shape_destroy(slab);
    geo_shape_destroy(can);
    geo_shape_destroy(plane);
    geo_manifold_finish(&m);
}

// faces of many corners: a prism of forty sides stands on a box and on its like
static void many_cornered_faces(void **state)
{
    (void)state;
    enum { SIDES = 40 };
    base_allocator heap = base_allocator_default();
    geo_shape *prism, *slab = new_box(3.0, 3.0, 0.5);
    vec3 points[2 * SIDES];
    for (int i = 0; i < SIDES; i++) {
        double angle = 2.0 * M_PI * i / SIDES;
        points[2 * i] = (vec3){cos(angle), sin(angle), -0.5};
        points[2 * i + 1] = (vec3){cos(angle), sin(angle), 0.5};
    }
    assert_int_equal(geo_polyhedron_create(&heap, points, 2 * SIDES, &prism, NULL), CAIRN_OK);
    assert_int_equal(prism->polyhedron.face_count, SIDES + 2);
    geo_manifold m = new_manifold();
    for (int g = -1; g <= 1; g++) {
        collide(slab, at(0.0, 0.0, 0.0), prism, at(0.3, 0.2, 1.0 + 1e-4 * g), 0.01, &m);
        assert_int_equal(m.count, SIDES);
        for (int k = 0; k < m.count; k++)
            check_close(m.contacts[k].gap, 1e-4 * g, 0.0, 1e-12);
        collide(prism, at(0.0, 0.0, 0.0), prism, at(0.0, 0.0, 1.0 + 1e-4 * g), 0.01, &m);
        assert_int_equal(m.count, SIDES);
        for (int k = 0; k < m.count; k++)
            for (int j = 0; j < k; j++)
                assert_true(m.contacts[j].key != m.contacts[k].key);
    }
    geo_shape_destroy(prism);
    geo_shape_destroy(slab);
    geo_manifold_finish(&m);
}

// parallel capsules and a capsule on a box: two contacts; crossing ones: one
static void capsules_side_by_side(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    geo_shape *capsule, *slab = new_box(3.0, 3.0, 0.5);
    assert_int_equal(geo_capsule_create(&heap, 0.25, 1.0, &capsule, NULL), CAIRN_OK);
    geo_manifold m = new_manifold();
    for (int i = 0; i < 12; i++) {
        double tilt = i == 0 ? 0.0 : pow(10.0, -3.5 - i);
        quat turn = base_quat_from_rotation_vector((vec3){tilt, 0.0, 0.0});
        collide(capsule, at(0.0, 0.0, 0.0), capsule, (pose){{0.5, 0.0, 0.5}, turn}, 0.01, &m);
        assert_int_equal(m.count, 2);
        check_close(fabs(m.contacts[0].point.z - m.contacts[1].point.z), 1.5, 0.0, 1e-3);
        quat flat = base_quat_from_rotation_vector((vec3){0.0, 0.5 * M_PI + tilt, 0.0});
        collide(slab, at(0.0, 0.0, -0.5), capsule, (pose){{0.0, 0.0, 0.25}, flat}, 0.01, &m);
        assert_int_equal(m.count, 2);
    }
    quat across = base_quat_from_rotation_vector((vec3){0.5 * M_PI, 0.0, 0.0});
    collide(capsule, at(0.0, 0.0, 0.0), capsule, (pose){{0.5, 0.0, 0.0}, across}, 0.01, &m);
    assert_int_equal(m.count, 1);
    geo_shape_destroy(capsule);
    geo_shape_destroy(slab);
    geo_manifold_finish(&m);
}

// everything at the same place: finite unit normals
static void coincident_bodies(void **state)
{
    (void)state;
    const geo_kind kinds[] = {GEO_SPHERE, GEO_BOX, GEO_CAPSULE, GEO_CYLINDER, GEO_POLYHEDRON};
    base_rng rng = base_rng_make(31);
    geo_manifold m = new_manifold();
    for (int i = 0; i < 25 * 40; i++) {
        geo_shape *a = random_shape(kinds[i % 5], 1.0, &rng);
        geo_shape *b = i % 3 ? random_shape(kinds[i / 5 % 5], 1.0, &rng) : NULL;
        collide(a, at(0.0, 0.0, 0.0), b ? b : a, at(0.0, 0.0, 0.0), 0.01, &m);
        // a random polyhedron may lie beside its origin
        bool beside = kinds[i % 5] == GEO_POLYHEDRON || (b && b->kind == GEO_POLYHEDRON);
        assert_true(m.count > 0 || beside);
        for (int k = 0; k < m.count; k++) {
            assert_true(isfinite(m.contacts[k].gap) && vec3_is_finite(m.contacts[k].point));
            check_close(vec3_norm(m.contacts[k].normal), 1.0, 0.0, 1e-12);
        }
        geo_shape_destroy(a);
        geo_shape_destroy(b);
    }
    geo_manifold_finish(&m);
}

// results do not depend on what the cache holds
static void cache_changes_nothing(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(41);
    geo_manifold m = new_manifold(), n = new_manifold();
    geo_shape *a = random_shape(GEO_POLYHEDRON, 1.0, &rng);
    geo_shape *b = random_shape(GEO_POLYHEDRON, 1.0, &rng);
    geo_pair_cache cache = {0};
    for (int i = 0; i < 5000; i++) {
        pose pa = {{0.0, 0.0, 0.0}, random_turn(&rng)};
        pose pb = {vec3_scale(base_rng_range(&rng, 0.5, 2.0), random_direction(&rng)),
                   random_turn(&rng)};
        collide(a, pa, b, pb, 0.05, &m);
        n.count = 0;
        assert_int_equal(geo_collide(a, &pa, b, &pb, 0.05, &cache, &n), CAIRN_OK);
        assert_int_equal(m.count, n.count);
        for (int k = 0; k < m.count; k++)
            assert_true(m.contacts[k].gap == n.contacts[k].gap &&
                        m.contacts[k].key == n.contacts[k].key);
    }
    geo_shape_destroy(a);
    geo_shape_destroy(b);
    geo_manifold_finish(&m);
    geo_manifold_finish(&n);
}

static void failing_memory(void **state)
{
    (void)state;
    base_counting_allocator counter = {.fail_at = 1};
    base_allocator failing = base_allocator_counting(&counter);
    geo_shape *box = new_box(0.5, 0.5, 0.5), *plane = new_plane();
    geo_manifold m;
    geo_manifold_init(&m, &failing);
    pose low = at(0.0, 0.0, 0.0), high = at(0.0, 0.0, 0.9);
    assert_int_equal(geo_collide(box, &low, box, &high, 0.0, NULL, &m), CAIRN_ERROR_MEMORY);
    assert_int_equal(geo_collide(plane, &low, plane, &high, 0.0, NULL, &m),
                     CAIRN_ERROR_UNSUPPORTED);
    geo_manifold_finish(&m);
    assert_int_equal(counter.live, 0);
    geo_shape_destroy(box);
    geo_shape_destroy(plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacked_boxes),         cmocka_unit_test(running_bond),
        cmocka_unit_test(keys_survive_noise),    cmocka_unit_test(keys_survive_tiny_motion),
        cmocka_unit_test(contacts_span_overlap), cmocka_unit_test(plane_pairs),
        cmocka_unit_test(cylinder_on_plane),     cmocka_unit_test(many_cornered_faces),
        cmocka_unit_test(sides_on_one_line),     cmocka_unit_test(capsules_side_by_side),
        cmocka_unit_test(coincident_bodies),     cmocka_unit_test(cache_changes_nothing),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
