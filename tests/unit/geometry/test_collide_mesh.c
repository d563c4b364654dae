// SPDX-License-Identifier: Apache-2.0
// Meshes: no ghost normals over shared edges, ridges, valleys, closed surfaces against solids.
#include "geometry/narrow/narrow.h"
#include "tests/unit/geometry/convex_check.h"

static const geo_kind bodies[] = {GEO_SPHERE, GEO_BOX, GEO_CAPSULE, GEO_CYLINDER, GEO_POLYHEDRON};

enum { BODIES = 7 }; // those, and a rounded box and polyhedron

static geo_shape *any_body(int i, double size, base_rng *rng)
{
    if (i % BODIES < 5)
        return random_shape(bodies[i % BODIES], size, rng);
    return random_rounded(i % BODIES == 5 ? GEO_BOX : GEO_POLYHEDRON, size, rng);
}

static geo_shape *new_mesh(const vec3 *vertices, int vertex_count, const int (*triangles)[3],
                           int triangle_count)
{
    base_allocator heap = base_allocator_default();
    geo_shape *mesh;
    assert_int_equal(
        geo_mesh_create(&heap, vertices, vertex_count, triangles, triangle_count, &mesh, NULL),
        CAIRN_OK);
    return mesh;
}

enum { GRID = 12 };

// a floor of uneven triangles in the plane z = 0, from -3 to 3
static geo_shape *new_floor(base_rng *rng)
{
    vec3 vertices[(GRID + 1) * (GRID + 1)];
    int triangles[2 * GRID * GRID][3], count = 0;
    for (int j = 0; j <= GRID; j++)
        for (int i = 0; i <= GRID; i++) {
            bool border = i == 0 || j == 0 || i == GRID || j == GRID;
            double shake = border ? 0.0 : 0.15;
            vertices[j * (GRID + 1) + i] =
                (vec3){-3.0 + 0.5 * i + base_rng_range(rng, -shake, shake + 1e-12),
                       -3.0 + 0.5 * j + base_rng_range(rng, -shake, shake + 1e-12), 0.0};
        }
    for (int j = 0; j < GRID; j++)
        for (int i = 0; i < GRID; i++) {
            int a = j * (GRID + 1) + i, b = a + 1, c = a + GRID + 2, d = a + GRID + 1;
            const int pair[2][3] = {{a, b, c}, {a, c, d}};
            for (int t = 0; t < 2; t++, count++)
                for (int k = 0; k < 3; k++)
                    triangles[count][k] = pair[t][k];
        }
    return new_mesh(vertices, (GRID + 1) * (GRID + 1), (const int(*)[3])triangles, count);
}

// any body anywhere over the floor, above it or a little in it: normals straight up, gap as to a
// plane, keys unique and of the one face that all triangles make
static void flat_floor(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(51);
    geo_manifold m;
    geo_manifold_init(&m, &heap);
    pose ground = {{5.0, -2.0, 3.0}, random_turn(&rng)};
    vec3 up = quat_rotate(ground.orientation, (vec3){0.0, 0.0, 1.0});
    geo_shape *current = NULL;
    for (int i = 0; i < 10000; i++) {
        if (i % 500 == 0) {
            geo_shape_destroy(current);
            current = new_floor(&rng);
        }
        geo_shape *body = any_body(i, 1.0, &rng);
        pose local = {{base_rng_range(&rng, -1.5, 1.5), base_rng_range(&rng, -1.5, 1.5), 0.0},
                      i % 3 ? random_turn(&rng) : quat_identity()};
        solid flat = solid_make(body, local);
        double wanted = (i % 2 ? 1.0 : -1.0) * pow(10.0, -base_rng_range(&rng, 2.0, 9.0));
        local.position.z = wanted + solid_reach(&flat, (vec3){0.0, 0.0, -1.0});
        pose p = pose_compose(&ground, &local);
        collide(body, p, current, ground, 0.02, &m);
        assert_true(m.count > 0);
        check_close(deepest(&m)->gap, wanted, 0.0, 2e-9);
        for (int k = 0; k < m.count; k++) {
            check_at_most(vec3_distance(m.contacts[k].normal, vec3_negate(up)), 1e-6);
            assert_int_equal((uint32_t)m.contacts[k].key, geo_code_face(0));
            for (int j = 0; j < k; j++)
                assert_true(m.contacts[j].key != m.contacts[k].key);
        }
        if (body->kind == GEO_SPHERE)
            assert_int_equal(m.count, 1);
        if (body->kind == GEO_BOX && i % 3 == 0)
            assert_int_equal(m.count, 4);
        geo_shape_destroy(body);
    }
    geo_shape_destroy(current);
    geo_manifold_finish(&m);
}

// two triangles that meet at an angle along the y axis; slope > 0: valley, < 0: ridge
static geo_shape *new_fold(double slope)
{
    const vec3 vertices[4] = {
        {0.0, -4.0, 0.0}, {0.0, 4.0, 0.0}, {3.0, 0.0, 3.0 * slope}, {-3.0, 0.0, 3.0 * slope}};
    const int triangles[2][3] = {{0, 2, 1}, {0, 1, 3}};
    return new_mesh(vertices, 4, triangles, 2);
}

// Ball against one triangle of any form and size: the contact lies at the point q of the triangle
// that is nearest to the centre p, for which (p - q).(x - q) <= 0 for all corners x, and has the
// name of the feature that q is on.
static void ball_on_a_triangle(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(57);
    const int triangles[1][3] = {{0, 1, 2}};
    int seen[3] = {0, 0, 0}; // corner, side, face
    geo_manifold m;
    geo_shape *ball;
    geo_manifold_init(&m, &heap);
    assert_int_equal(geo_sphere_create(&heap, 0.3, &ball, NULL), CAIRN_OK);
    for (int i = 0; i < 20000; i++) {
        double size = pow(10.0, base_rng_range(&rng, -2.0, 2.0));
        vec3 x[3];
        for (int k = 0; k < 3; k++)
            x[k] = vec3_scale(size, random_direction(&rng));
        if (i % 3 == 0) // a needle, blunt in its middle
            x[2] = vec3_add_scaled(vec3_scale(0.5, vec3_add(x[0], x[1])), 1e-3 * size,
                                   random_direction(&rng));
        geo_shape *mesh = new_mesh(x, 3, triangles, 1);
        double a = base_rng_range(&rng, -0.3, 1.3), b = base_rng_range(&rng, -0.3, 1.3 - a);
        vec3 at = vec3_add_scaled(vec3_add_scaled(x[0], a, vec3_sub(x[1], x[0])), b,
                                  vec3_sub(x[2], x[0]));
        pose ground = {{3.0, -1.0, 2.0}, random_turn(&rng)};
        pose p = pose_identity(), origin = p;
        p.position = vec3_add_scaled(at, base_rng_range(&rng, 0.02, 0.6), random_direction(&rng));
        vec3 centre = pose_apply(&ground, p.position);
        collide(ball, (pose){centre, random_turn(&rng)}, mesh, ground, 1e3, &m);
        assert_int_equal(m.count, 1);
        const geo_contact *c = &m.contacts[0];
        vec3 q = pose_apply_inverse(&ground, vec3_add_scaled(centre, c->gap + 0.3, c->normal));
        vec3 out = vec3_sub(p.position, q);
        double scale = size + vec3_norm(p.position), least = INFINITY, nearest = INFINITY;
        for (int k = 0; k < 3; k++) {
            check_at_most(vec3_dot(out, vec3_sub(x[k], q)), 1e-12 * scale * scale);
            least = fmin(least, vec3_dot(out, vec3_sub(q, x[k])));
            nearest = fmin(nearest, vec3_distance(x[k], q));
        }
        vec3 n = vec3_normalize_or(vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0])),
                                   (vec3){0.0, 0.0, 1.0});
        check_at_most(fabs(vec3_dot(n, vec3_sub(q, x[0]))), 1e-12 * scale);
        for (int k = 0; k < 3; k++) {
            vec3 side = vec3_sub(x[(k + 1) % 3], x[k]);
            double inside = vec3_dot(vec3_cross(n, side), vec3_sub(q, x[k]));
            check_at_most(-inside, 1e-11 * scale * vec3_norm(side));
        }
        uint32_t code = (uint32_t)c->key;
        int kind = code < geo_code_edge(0) ? 0 : code < geo_code_face(0) ? 1 : 2;
        seen[kind]++;
        if (kind == 0)
            check_at_most(nearest, 1e-12 * scale);
        if (kind == 2)
            check_at_most(least, 1e-12 * scale * scale);
        // out of reach
        collide(ball, p, mesh, origin, vec3_norm(out) - 0.3 - 1e-9 * scale, &m);
        assert_int_equal(m.count, 0);
        geo_shape_destroy(mesh);
    }
    for (int k = 0; k < 3; k++)
        assert_in_range(seen[k], 1000, 20000);
    geo_shape_destroy(ball);
    geo_manifold_finish(&m);
}

static void sphere_on_folds(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(52);
    geo_manifold m;
    geo_shape *ball, *ridge = new_fold(-0.5), *valley = new_fold(0.5);
    geo_manifold_init(&m, &heap);
    assert_int_equal(geo_sphere_create(&heap, 0.5, &ball, NULL), CAIRN_OK);
    pose origin = pose_identity();
    for (int i = 0; i < 2000; i++) {
        // over the ridge at an angle inside the wedge of its normals
        double angle = base_rng_range(&rng, -0.46, 0.46), r = 0.5 + base_rng_range(&rng, -0.1, 0.1);
        pose p = {{r * sin(angle), base_rng_range(&rng, -1.0, 1.0), r * cos(angle)},
                  quat_identity()};
        collide(ball, p, ridge, origin, 0.2, &m);
        assert_int_equal(m.count, 1);
        check_close(m.contacts[0].gap, r - 0.5, 0.0, 1e-12);
        vec3 out = {-sin(angle), 0.0, -cos(angle)};
        check_at_most(vec3_distance(m.contacts[0].normal, out), 1e-9);
    }
    // in the valley: one contact on each side, none on the edge
    pose deep = {{0.0, 0.0, 0.5 * sqrt(1.25)}, quat_identity()};
    collide(ball, deep, valley, origin, 0.01, &m);
    assert_int_equal(m.count, 2);
    for (int k = 0; k < 2; k++) {
        check_close(m.contacts[k].gap, 0.0, 0.0, 1e-12);
        check_close(fabs(m.contacts[k].normal.x), 0.5 / sqrt(1.25), 1e-12, 0.0);
    }
    geo_shape_destroy(ball);
    geo_shape_destroy(ridge);
    geo_shape_destroy(valley);
    geo_manifold_finish(&m);
}

static const vec3 box_half = {0.8, 0.6, 0.5};
static const int box_triangles[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
                                         {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                         {4, 5, 7}, {4, 7, 6}, {0, 2, 3}, {0, 3, 1}};

enum { OUT, IN, MIXED, OPEN };

// A box of triangles that run out of it, into it or, drawn at random, both ways; closed, or open
// below.
static geo_shape *new_box_mesh(int winding, bool is_solid, base_rng *rng)
{
    vec3 vertices[8];
    int triangles[12][3];
    for (int i = 0; i < 8; i++)
        vertices[i] = (vec3){i & 1 ? box_half.x : -box_half.x, i & 2 ? box_half.y : -box_half.y,
                             i & 4 ? box_half.z : -box_half.z};
    for (int t = 0; t < 12; t++) {
        bool turned = winding == IN || (winding >= MIXED && base_rng_unit(rng) < 0.5);
        for (int k = 0; k < 3; k++)
            triangles[t][k] = box_triangles[t][turned && k > 0 ? 3 - k : k];
    }
    geo_shape *mesh = new_mesh(vertices, 8, (const int(*)[3])triangles, winding == OPEN ? 10 : 12);
    double volume = winding == OPEN ? 0.0 : 8.0 * box_half.x * box_half.y * box_half.z;
    check_close(geo_shape_mass(mesh).volume, volume, 1e-14, 0.0);
    if (is_solid)
        assert_int_equal(geo_mesh_fill(mesh, NULL), CAIRN_OK);
    return mesh;
}

// a box made of triangles against the box itself, from outside, whatever runs which way: where they
// lie across its edges, too
static void box_of_triangles(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(53);
    geo_manifold m, n;
    geo_manifold_init(&m, &heap);
    geo_manifold_init(&n, &heap);
    geo_shape *box, *mesh = NULL;
    assert_int_equal(geo_box_create(&heap, box_half, &box, NULL), CAIRN_OK);
    int touching = 0;
    for (int i = 0; i < 10000; i++) {
        if (i % 50 == 0) {
            geo_shape_destroy(mesh);
            mesh = new_box_mesh(i / 50 % 4, i / 200 % 2 == 1 && i / 50 % 4 != OPEN, &rng);
        }
        geo_shape *body = any_body(i, 1.0, &rng);
        pose fixed = {random_direction(&rng), random_turn(&rng)};
        vec3 d = random_direction(&rng);
        if (i / 50 % 4 == OPEN) // from above
            d = quat_rotate(fixed.orientation, (vec3){d.x, d.y, fabs(d.z)});
        pose p = {vec3_add_scaled(fixed.position, 3.0, d), random_turn(&rng)};
        solid sa = solid_make(body, p), sb = solid_make(box, fixed);
        // towards the box until just apart in this direction
        double near = solid_separation(&sb, &sa, d) -
                      (i % 3 ? 1.0 : -0.1) * pow(10.0, -base_rng_range(&rng, 1.5, 8.0));
        p.position = vec3_add_scaled(p.position, -near, d);
        collide(body, p, box, fixed, 0.05, &n);
        collide(body, p, mesh, fixed, 0.05, &m);
        assert_true((m.count > 0) == (n.count > 0));
        if (m.count > 0) {
            check_close(deepest(&m)->gap, deepest(&n)->gap, 0.0, 5e-9);
            check_at_most(vec3_distance(deepest(&m)->normal, deepest(&n)->normal), 1e-4);
            touching++;
        }
        geo_shape_destroy(body);
    }
    assert_true(touching > 1000);
    geo_shape_destroy(box);
    geo_shape_destroy(mesh);
    geo_manifold_finish(&m);
    geo_manifold_finish(&n);
}

// A box or another body that lies on the box of triangles, nearly flat, and reaches over an edge or
// corner, large or small, with its middle on either side of the edge: no contact is deeper than
// those with the box.
static void lies_across_edges(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(60);
    geo_manifold m, n;
    geo_manifold_init(&m, &heap);
    geo_manifold_init(&n, &heap);
    geo_shape *box, *mesh = NULL;
    assert_int_equal(geo_box_create(&heap, box_half, &box, NULL), CAIRN_OK);
    int touching = 0;
    for (int i = 0; i < 8000; i++) {
        if (i % 50 == 0) {
            geo_shape_destroy(mesh);
            mesh = new_box_mesh(i / 50 % 4, i / 200 % 2 == 1 && i / 50 % 4 != OPEN, &rng);
        }
        double size = pow(10.0, base_rng_range(&rng, -0.7, 0.7));
        vec3 half = {size * base_rng_range(&rng, 0.5, 1.0), size * base_rng_range(&rng, 0.5, 1.0),
                     size * base_rng_range(&rng, 0.1, 1.0)};
        geo_shape *body = NULL;
        if (i % 4 == 3)
            body = any_body(1 + i / 4 % 6, size, &rng);
        else
            assert_int_equal(geo_box_create(&heap, half, &body, NULL), CAIRN_OK);
        double tilt = pow(10.0, -base_rng_range(&rng, 1.0, 9.0));
        vec3 turn = {base_rng_range(&rng, -tilt, tilt), base_rng_range(&rng, -tilt, tilt),
                     base_rng_range(&rng, -3.0, 3.0) * (i % 2)};
        pose fixed = {random_direction(&rng), random_turn(&rng)};
        pose local = {{base_rng_range(&rng, -1.0, 1.0) * (box_half.x + 0.7 * half.x),
                       base_rng_range(&rng, -1.0, 1.0) * (box_half.y + 0.7 * half.y),
                       10.0 + 2.0 * size},
                      base_quat_from_rotation_vector(turn)};
        solid sa = solid_make(body, local), sb = solid_make(box, pose_identity());
        double gap = (i % 3 ? 1.0 : -0.1) * size * pow(10.0, -base_rng_range(&rng, 1.7, 8.0));
        local.position.z -= solid_separation(&sb, &sa, (vec3){0.0, 0.0, 1.0}) - gap;
        pose p = pose_compose(&fixed, &local);
        collide(body, p, box, fixed, 0.02 * size, &n);
        collide(body, p, mesh, fixed, 0.02 * size, &m);
        if (n.count > 0) {
            assert_true(m.count > 0);
            // over the last bit of an edge boxes may be as near to parting sideways
            double least = deepest(&m)->gap, slack = 1e-4 * size;
            check_at_most(fmin(gap, deepest(&n)->gap) - slack, least);
            check_at_most(least, fmax(gap, deepest(&n)->gap) + slack);
            touching++;
        } else if (m.count > 0) {
            assert_true(deepest(&m)->gap > 0.0);
        }
        geo_shape_destroy(body);
    }
    assert_true(touching > 4000);
    geo_shape_destroy(box);
    geo_shape_destroy(mesh);
    geo_manifold_finish(&m);
    geo_manifold_finish(&n);
}

// A body within the closed box: a contact with each wall that it is near to or a little in, as far
// as it reaches, along the wall's normal, and none with anything else; nothing in a solid box.
static void room(void **state)
{
    (void)state;
    const double margin = 0.01;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(59);
    geo_manifold m;
    geo_manifold_init(&m, &heap);
    geo_shape *mesh = NULL, *full = new_box_mesh(OUT, true, &rng);
    int walls = 0, corners = 0, exact = 0;
    for (int i = 0; i < 10000; i++) {
        if (i % 50 == 0) {
            geo_shape_destroy(mesh);
            mesh = new_box_mesh(i / 50 % 3, false, &rng);
        }
        geo_shape *body = any_body(i, 0.3, &rng);
        pose fixed = {random_direction(&rng), random_turn(&rng)};
        pose local = {{0.0, 0.0, 0.0}, i % 3 ? random_turn(&rng) : quat_identity()};
        solid s = solid_make(body, local);
        double gap[6];
        for (int w = 0; w < 6; w++) {
            // against none, one, or two walls of three axes
            int axis = w / 2, sign = w % 2 ? 1 : -1;
            if (w % 2 == 0 && base_rng_unit(&rng) < 0.6) {
                sign = base_rng_unit(&rng) < 0.5 ? 1 : -1;
                vec3 out = vec3_set((vec3){0.0, 0.0, 0.0}, axis, sign);
                double wanted = (base_rng_unit(&rng) < 0.5 ? 1.0 : -1.0) *
                                pow(10.0, -base_rng_range(&rng, 2.3, 8.0));
                double reach = solid_reach(&s, out);
                local.position = vec3_set(local.position, axis,
                                          sign * (vec3_get(box_half, axis) - reach - wanted));
            }
        }
        s = solid_make(body, local);
        int near = 0;
        for (int w = 0; w < 6; w++) {
            vec3 out = vec3_set((vec3){0.0, 0.0, 0.0}, w / 2, w % 2 ? 1.0 : -1.0);
            gap[w] = vec3_get(box_half, w / 2) - solid_reach(&s, out);
            near += gap[w] < margin;
        }
        pose p = pose_compose(&fixed, &local);
        collide(body, p, mesh, fixed, margin, &m);
        double least[6] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
        for (int k = 0; k < m.count; k++) {
            vec3 n = quat_rotate_inverse(fixed.orientation, m.contacts[k].normal);
            int wall = -1;
            for (int w = 0; w < 6; w++)
                if ((w % 2 ? 1.0 : -1.0) * vec3_get(n, w / 2) > 1.0 - 1e-9)
                    wall = w;
            assert_true(wall >= 0);
            least[wall] = fmin(least[wall], m.contacts[k].gap);
        }
        for (int w = 0; w < 6; w++) {
            // a wall ends where another one begins: what lies beyond that is cut off
            double beyond = 0.0;
            for (int v = 0; v < 6; v++)
                beyond = v != w ? fmax(beyond, -gap[v]) : beyond;
            if (gap[w] < margin - 10.0 * beyond - 1e-9) {
                check_at_most(gap[w] - least[w], 5e-9);
                check_at_most(least[w] - gap[w], 10.0 * beyond + 5e-9);
                exact += beyond == 0.0;
            } else if (gap[w] > margin) {
                assert_true(isinf(least[w]));
            }
        }
        walls += near > 0;
        corners += near > 2;
        collide(body, p, full, fixed, 0.0, &m);
        assert_int_equal(m.count, 0);
        geo_shape_destroy(body);
    }
    assert_true(walls > 6000 && corners > 1000 && exact > 4000);
    geo_shape_destroy(mesh);
    geo_shape_destroy(full);
    geo_manifold_finish(&m);
}

// a wavy surface over the plane z = 0, from -3 to 3
static geo_shape *new_waves(base_rng *rng)
{
    geo_shape *flat = new_floor(rng);
    vec3 vertices[(GRID + 1) * (GRID + 1)];
    for (int i = 0; i < flat->mesh.vertex_count; i++) {
        vertices[i] = flat->mesh.vertices[i];
        vertices[i].z = base_rng_range(rng, -0.3, 0.3);
    }
    geo_shape *waves = new_mesh(vertices, flat->mesh.vertex_count,
                                (const int(*)[3])flat->mesh.triangles, flat->mesh.triangle_count);
    geo_shape_destroy(flat);
    return waves;
}

// no more than how near a small ball on a point of the mesh is to the body, for many such points
static double least_probed(const geo_shape *body, pose place, const geo_shape *mesh, pose ground,
                           geo_shape *probe, base_rng *rng, geo_manifold *m)
{
    double least = INFINITY;
    for (int i = 0; i < 6 * mesh->mesh.triangle_count; i++) {
        const int *v = mesh->mesh.triangles[i / 6];
        double s = i % 6 < 3 ? (double)(i % 6 == 0) : base_rng_unit(rng);
        double t = i % 6 < 3 ? (double)(i % 6 == 1) : (1.0 - s) * base_rng_unit(rng);
        vec3 x = vec3_scale(1.0 - s - t, mesh->mesh.vertices[v[2]]);
        x = vec3_add_scaled(x, s, mesh->mesh.vertices[v[0]]);
        x = vec3_add_scaled(x, t, mesh->mesh.vertices[v[1]]);
        collide(probe, (pose){pose_apply(&ground, x), quat_identity()}, body, place, 4.0, m);
        if (m->count > 0)
            least = fmin(least, deepest(m)->gap + probe->sphere.radius);
    }
    return least;
}

// what a pair is told to be apart is no more than what probes find, and most that are far are told
static void apart_from_waves(void **state)
{
    (void)state;
    enum { TRIALS = 400 };
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(58);
    geo_manifold m;
    geo_shape *probe, *waves = new_waves(&rng);
    geo_manifold_init(&m, &heap);
    assert_int_equal(geo_sphere_create(&heap, 1e-6, &probe, NULL), CAIRN_OK);
    pose ground = {{5.0, -2.0, 3.0}, random_turn(&rng)};
    int far = 0, told = 0;
    for (int i = 0; i < TRIALS; i++) {
        geo_shape *body = random_shape(bodies[i % 5], 0.6, &rng);
        pose local = {{base_rng_range(&rng, -3.5, 3.5), base_rng_range(&rng, -3.5, 3.5),
                       base_rng_range(&rng, -2.5, 2.5)},
                      random_turn(&rng)};
        pose place = pose_compose(&ground, &local);
        geo_pair_cache cache = {.apart = NAN};
        m.count = 0;
        assert_int_equal(geo_collide(body, &place, waves, &ground, 0.0, &cache, &m), CAIRN_OK);
        int touching = m.count;
        assert_true(cache.apart >= 0.0 && (touching == 0 || cache.apart == 0.0));
        double least = least_probed(body, place, waves, ground, probe, &rng, &m);
        if (cache.apart > 0.0)
            check_at_most(cache.apart, least + 1e-9);
        bool is_far = least > 0.5;
        far += is_far;
        told += is_far && cache.apart > 0.0;
        geo_shape_destroy(body);
    }
    assert_true(far > TRIALS / 5);
    assert_true(told > 9 * far / 10);
    geo_shape_destroy(waves);
    geo_shape_destroy(probe);
    geo_manifold_finish(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_floor),        cmocka_unit_test(ball_on_a_triangle),
        cmocka_unit_test(sphere_on_folds),   cmocka_unit_test(box_of_triangles),
        cmocka_unit_test(apart_from_waves),  cmocka_unit_test(room),
        cmocka_unit_test(lies_across_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
