// SPDX-License-Identifier: Apache-2.0
// Rounded boxes and polyhedra: mass, supports, rays, surfaces, limits, and contacts without jumps.
#include "geometry/narrow/ray.h"
#include "geometry/shape/rounded.h"
#include "tests/unit/geometry/convex_check.h"

#include <stdlib.h>
#include <string.h>

static const pose here = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static geo_shape *make_box(double x, double y, double z, double rounding)
{
    base_allocator heap = base_allocator_default();
    geo_shape *box;
    const double sizes[4] = {x, y, z, rounding};
    assert_int_equal(geo_plain_create(&heap, GEO_BOX, sizes, &box, NULL), CAIRN_OK);
    return box;
}

static geo_shape *make_hull(const vec3 *points, int count, double rounding)
{
    base_allocator heap = base_allocator_default();
    geo_shape *hull;
    assert_int_equal(geo_polyhedron_create(&heap, points, count, &hull, NULL), CAIRN_OK);
    assert_int_equal(geo_polyhedron_round(hull, rounding, NULL), CAIRN_OK);
    return hull;
}

/// The hull of the core of a rounded box, swept, and moved by `aside`.
static geo_shape *make_box_of_points(const geo_shape *box, vec3 aside)
{
    vec3 half = geo_box_core(&box->box), points[8];
    for (int i = 0; i < 8; i++)
        points[i] = vec3_add(aside, vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                              i & 4 ? half.z : -half.z));
    return make_hull(points, 8, box->box.rounding);
}

static void check_mass(const geo_mass *found, const geo_mass *expected, double tolerance)
{
    double size = cbrt(expected->volume), scale = mat3_trace(&expected->inertia);
    check_close(found->volume, expected->volume, tolerance, 0.0);
    check_at_most(vec3_distance(found->centre, expected->centre), tolerance * size);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            check_close(found->inertia.m[i][k], expected->inertia.m[i][k], 0.0, tolerance * scale);
}

/// A box in closed form against the same one as a polyhedron, part by part.
static void boxes_are_polyhedra(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(1);
    for (int i = 0; i < 300; i++) {
        geo_shape *box = random_rounded(GEO_BOX, 1.0, &rng);
        vec3 aside = vec3_scale(i % 2 ? 0.0 : 2.0, random_direction(&rng));
        geo_shape *hull = make_box_of_points(box, aside);
        geo_mass expected = geo_shape_mass(box), found = geo_shape_mass(hull);
        expected.centre = aside;
        check_mass(&found, &expected, 1e-12);
        check_close(box->smallest_size, hull->smallest_size, 1e-12, 0.0);
        geo_shape_destroy(box);
        geo_shape_destroy(hull);
    }
}

/// Cores that are nearly a point, a segment or a sharp solid.
static void limits_have_closed_forms(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    geo_shape *ball, *capsule, *sharp;
    assert_int_equal(geo_sphere_create(&heap, 0.7, &ball, NULL), CAIRN_OK);
    assert_int_equal(geo_capsule_create(&heap, 0.3, 0.9, &capsule, NULL), CAIRN_OK);
    assert_int_equal(geo_box_create(&heap, (vec3){0.2, 0.5, 0.4}, &sharp, NULL), CAIRN_OK);
    const double thin = 3e-6;
    geo_shape *of[] = {make_box(0.7 + thin, 0.7 + thin, 0.7 + thin, 0.7),
                       make_box(0.3 + thin, 0.3 + thin, 1.2, 0.3), make_box(0.2, 0.5, 0.4, thin)};
    const geo_shape *as[] = {ball, capsule, sharp};
    for (int i = 0; i < 3; i++) {
        geo_shape *hull = make_box_of_points(of[i], (vec3){0.0, 0.0, 0.0});
        geo_mass expected = geo_shape_mass(as[i]), box = geo_shape_mass(of[i]);
        geo_mass points = geo_shape_mass(hull);
        check_mass(&box, &expected, 1e-4);
        check_mass(&points, &expected, 1e-4);
        geo_shape_destroy(of[i]);
        geo_shape_destroy(hull);
    }
    geo_shape_destroy(ball);
    geo_shape_destroy(capsule);
    geo_shape_destroy(sharp);
}

/// Integrals over cells of a grid, those that the surface crosses cut into smaller ones.
typedef struct grid {
    const solid *core;
    double rounding;
    double volume;
    vec3 first;
    mat3 second;
} grid;

static void sum_cell(grid *g, vec3 middle, double half, int depth)
{
    bool inside;
    double distance = point_polytope(middle, g->core, &inside);
    distance = (inside ? -distance : distance) - g->rounding;
    double reach = sqrt(3.0) * half;
    if (distance >= reach)
        return;
    if (distance > -reach && depth > 0) {
        for (int i = 0; i < 8; i++) {
            double h = 0.5 * half;
            vec3 off = {i & 1 ? h : -h, i & 2 ? h : -h, i & 4 ? h : -h};
            sum_cell(g, vec3_add(middle, off), h, depth - 1);
        }
        return;
    }
    // of the smallest cells that are cut, as much as lies on the inner side
    double part = distance <= -reach ? 1.0 : fmin(fmax(0.5 - 0.5 * distance / half, 0.0), 1.0);
    double volume = 8.0 * half * half * half * part;
    g->volume += volume;
    g->first = vec3_add_scaled(g->first, volume, middle);
    const double x[3] = {middle.x, middle.y, middle.z};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            g->second.m[i][k] += volume * (x[i] * x[k] + (i == k ? half * half / 3.0 : 0.0));
}

/// The error goes with the square of the cells: what two sizes of them tell of none.
static grid sum_grids(const solid *core, double rounding)
{
    grid coarse = {.core = core, .rounding = rounding}, fine = coarse;
    const vec3 middle = {0.01, 0.02, 0.03};
    sum_cell(&coarse, middle, 1.8, 6);
    sum_cell(&fine, middle, 1.8, 7);
    fine.volume += (fine.volume - coarse.volume) / 3.0;
    fine.first = vec3_add_scaled(fine.first, 1.0 / 3.0, vec3_sub(fine.first, coarse.first));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            fine.second.m[i][k] += (fine.second.m[i][k] - coarse.second.m[i][k]) / 3.0;
    return fine;
}

static void masses_are_those_of_a_grid(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(2);
    for (int i = 0; i < 6; i++) {
        vec3 points[9];
        for (int k = 0; k < 9; k++)
            points[k] = vec3_scale(base_rng_range(&rng, 0.4, 1.0), random_direction(&rng));
        double rounding = base_rng_range(&rng, 0.05, 0.6);
        geo_shape *hull = make_hull(points, 5 + i % 5, rounding);
        solid core = {.shape = hull, .place = here};
        solid_add_polyhedron(&core, &hull->polyhedron);
        grid g = sum_grids(&core, rounding);
        vec3 c = vec3_scale(1.0 / g.volume, g.first);
        const double x[3] = {c.x, c.y, c.z};
        for (int m = 0; m < 3; m++)
            for (int n = 0; n < 3; n++)
                g.second.m[m][n] -= g.volume * x[m] * x[n];
        geo_mass expected = {
            .volume = g.volume, .centre = c, .inertia = mat3_scale(-1.0, &g.second)};
        for (int m = 0; m < 3; m++)
            expected.inertia.m[m][m] += mat3_trace(&g.second);
        geo_mass found = geo_shape_mass(hull);
        check_mass(&found, &expected, 2e-4);
        geo_shape_destroy(hull);
    }
}

/// Steiner's formula, with the area and the mean curvature summed here.
static void volumes_are_those_of_steiner(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(3);
    for (int i = 0; i < 200; i++) {
        geo_shape *round = random_rounded(GEO_POLYHEDRON, 1.0, &rng);
        const geo_polyhedron *p = &round->polyhedron;
        double r = p->rounding, area = 0.0, edges = 0.0;
        geo_shape *core = make_hull(p->vertices, p->vertex_count, 0.0);
        for (int f = 0; f < p->face_count; f++) {
            vec3 sum = {0.0, 0.0, 0.0};
            for (int k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
                int next = k + 1 < p->face_start[f + 1] ? k + 1 : p->face_start[f];
                sum = vec3_add(sum, vec3_cross(p->vertices[p->face_vertices[k]],
                                               p->vertices[p->face_vertices[next]]));
            }
            area += 0.5 * vec3_norm(sum);
        }
        for (int e = 0; e < p->edge_count; e++) {
            vec3 m = p->face_normals[p->edge_faces[e][0]], n = p->face_normals[p->edge_faces[e][1]];
            edges += acos(fmax(-1.0, fmin(1.0, vec3_dot(m, n)))) *
                     vec3_distance(p->vertices[p->edge_vertices[e][0]],
                                   p->vertices[p->edge_vertices[e][1]]);
        }
        double expected = geo_shape_mass(core).volume + area * r + 0.5 * edges * r * r +
                          4.0 / 3.0 * M_PI * r * r * r;
        check_close(geo_shape_mass(round).volume, expected, 1e-11, 0.0);
        geo_shape_destroy(core);
        geo_shape_destroy(round);
    }
}

/// Farthest points, bounds, and the ball about the origin.
static void supports_reach_the_bounds(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(4);
    for (int i = 0; i < 400; i++) {
        geo_shape *shape = random_rounded(i % 2 ? GEO_BOX : GEO_POLYHEDRON, 1.0, &rng);
        pose place = {random_direction(&rng), random_turn(&rng)};
        solid s = solid_make(shape, place);
        geo_bounds bounds = geo_shape_bounds(shape, &place);
        for (int k = 0; k < 3; k++) {
            vec3 axis = vec3_set((vec3){0.0, 0.0, 0.0}, k, 1.0);
            check_close(vec3_get(bounds.high, k), solid_reach(&s, axis), 0.0, 1e-12);
            check_close(-vec3_get(bounds.low, k), solid_reach(&s, vec3_negate(axis)), 0.0, 1e-12);
        }
        vec3 d = random_direction(&rng);
        vec3 point =
            pose_apply(&place, geo_shape_support(shape, quat_rotate_inverse(place.orientation, d)));
        check_close(vec3_dot(point, d), solid_reach(&s, d), 0.0, 1e-12);
        check_close(solid_distance(&s, point), 0.0, 0.0, 1e-12);
        check_at_most(vec3_distance(point, place.position), shape->bounding_radius + 1e-12);
        geo_shape_destroy(shape);
    }
}

/// Rays end on the surface, with its normal, and go past only what they miss.
static void rays_meet_the_surface(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(5);
    int hits = 0;
    for (int i = 0; i < 2000; i++) {
        geo_shape *shape = random_rounded(i % 2 ? GEO_BOX : GEO_POLYHEDRON, 1.0, &rng);
        pose place = {random_direction(&rng), random_turn(&rng)};
        solid s = solid_make(shape, place);
        geo_ray ray = {.origin = vec3_scale(3.0, random_direction(&rng)), .length = 20.0};
        vec3 aim = vec3_add_scaled(place.position, 1.2, random_direction(&rng));
        ray.direction = vec3_normalize_or(vec3_sub(aim, ray.origin), aim);
        double least = INFINITY;
        geo_ray_hit hit;
        for (double t = 0.0; t < 6.0; t += 0.01)
            least = fmin(least, solid_distance(&s, vec3_add_scaled(ray.origin, t, ray.direction)));
        bool met = geo_ray_cast(shape, &place, &ray, &hit);
        hits += met;
        if (!met) {
            check_at_most(0.0, least);
        } else if (hit.distance > 0.0) {
            vec3 at = vec3_add_scaled(ray.origin, hit.distance, ray.direction);
            check_close(solid_distance(&s, at), 0.0, 0.0, 1e-10);
            check_close(solid_distance(&s, vec3_add_scaled(at, 0.1, hit.normal)), 0.1, 0.0, 1e-6);
            assert_true(vec3_dot(hit.normal, ray.direction) <= 1e-12);
            check_at_most(least, 0.0101);
        } else {
            check_at_most(solid_distance(&s, ray.origin), 1e-12);
        }
        geo_shape_destroy(shape);
    }
    assert_true(hits > 300);
}

static int compare_sides(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/// Every side of a triangle is that of one other triangle, the other way round.
static void check_closed(const geo_rounded_surface *surface)
{
    size_t count = 3 * (size_t)surface->triangle_count;
    int(*sides)[2] = test_calloc(2 * count, sizeof *sides);
    int(*back)[2] = sides + count;
    for (size_t i = 0; i < count; i++) {
        const int *t = surface->triangles[i / 3];
        sides[i][0] = back[i][1] = t[i % 3];
        sides[i][1] = back[i][0] = t[(i + 1) % 3];
        assert_true(t[i % 3] >= 0 && t[i % 3] < surface->point_count);
    }
    qsort(sides, count, sizeof *sides, compare_sides);
    qsort(back, count, sizeof *back, compare_sides);
    assert_memory_equal(sides, back, count * sizeof *sides);
    for (size_t i = 1; i < count; i++)
        assert_true(compare_sides(sides[i - 1], sides[i]) < 0);
    test_free(sides);
}

static void surfaces_close_and_enclose(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(6);
    for (int i = 0; i < 100; i++) {
        geo_shape *shape = random_rounded(i % 2 ? GEO_BOX : GEO_POLYHEDRON, 1.0, &rng);
        solid s = solid_make(shape, here);
        geo_rounded_surface surface;
        assert_int_equal(geo_rounded_surface_make(&heap, shape, &surface), CAIRN_OK);
        check_closed(&surface);
        double volume = 0.0;
        for (int k = 0; k < surface.triangle_count; k++) {
            const int *t = surface.triangles[k];
            volume += vec3_dot(surface.points[t[0]],
                               vec3_cross(surface.points[t[1]], surface.points[t[2]])) /
                      6.0;
        }
        double expected = geo_shape_mass(shape).volume;
        check_at_most(volume, expected);
        check_at_most(0.985 * expected, volume);
        for (int k = 0; k < surface.point_count; k += 7) {
            vec3 out = vec3_add_scaled(surface.points[k], 0.1, surface.normals[k]);
            check_close(solid_distance(&s, surface.points[k]), 0.0, 0.0, 1e-9);
            check_close(solid_distance(&s, out), 0.1, 0.0, 1e-9);
        }
        geo_rounded_surface_release(&heap, &surface);
        geo_shape_destroy(shape);
    }
}

/// Force of springs of stiffness 1, and how many points press.
static vec3 press(const geo_manifold *m, int *count)
{
    vec3 force = {0.0, 0.0, 0.0};
    *count = 0;
    for (int i = 0; i < m->count; i++)
        if (m->contacts[i].gap < 0.0) {
            force = vec3_add_scaled(force, -m->contacts[i].gap, m->contacts[i].normal);
            ++*count;
        }
    return force;
}

/// A cube that rolls over its edge on a plane and on the face of a large box: force and normal
/// follow the turn.
static void cubes_roll_without_jumps(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    geo_manifold m;
    geo_manifold_init(&m, &heap);
    geo_shape *plane, *table = make_box(5.0, 5.0, 1.0, 0.0);
    geo_shape *cube = make_box(0.5, 0.5, 0.5, 0.1);
    assert_int_equal(geo_halfspace_create(&heap, &plane, NULL), CAIRN_OK);
    const double step = 1e-5, depth = 0.01;
    for (int ground = 0; ground < 2; ground++) {
        vec3 last = {0.0, 0.0, 0.0};
        for (int i = -1; i < 160000; i++) {
            double angle = step * i;
            pose place = {{0.1, 0.2, 0.0}, base_quat_from_rotation_vector((vec3){0, angle, 0})};
            double c = fabs(cos(angle)), s = fabs(sin(angle));
            place.position.z = 0.4 * (c + s) + 0.1 - depth;
            pose under = {{0.0, 0.0, ground ? -1.0 : 0.0}, here.orientation};
            int count;
            collide(ground ? table : plane, under, cube, place, 0.02, &m);
            vec3 force = press(&m, &count);
            check_close(deepest(&m)->gap, -depth, 0.0, 1e-12);
            for (int k = 0; k < m.count; k++)
                check_at_most(vec3_distance(m.contacts[k].normal, (vec3){0.0, 0.0, 1.0}), 1e-9);
            // each of four points moves by no more than the cube's width times the turn
            if (i > -1)
                check_at_most(vec3_distance(force, last), 4.0 * step);
            last = force;
        }
    }
    geo_shape_destroy(plane);
    geo_shape_destroy(table);
    geo_shape_destroy(cube);
    geo_manifold_finish(&m);
}

/// Two rounded shapes in random motion: the depth changes by no more than they move, and the normal
/// turns steadily, as long as the cores are apart.
static void depths_change_without_jumps(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(8);
    geo_manifold m;
    geo_manifold_init(&m, &heap);
    for (int i = 0; i < 3000; i++) {
        geo_shape *a = random_rounded(i % 2 ? GEO_BOX : GEO_POLYHEDRON, 1.0, &rng);
        geo_shape *b = random_rounded(i % 4 < 2 ? GEO_BOX : GEO_POLYHEDRON, 1.0, &rng);
        pose pa = {{0.0, 0.0, 0.0}, random_turn(&rng)}, pb = {{0.0, 0.0, 0.0}, random_turn(&rng)};
        vec3 d = random_direction(&rng);
        solid sa = solid_make(a, pa), sb = solid_make(b, pb);
        double radii = geo_shape_rounding(a) + geo_shape_rounding(b);
        double part = solid_separation(&sa, &sb, d) + 0.5 * radii;
        pb.position = vec3_scale(-part, d);
        collide(a, pa, b, pb, radii, &m);
        const geo_contact *c = deepest(&m);
        const double move = 1e-7;
        if (c != NULL && c->gap > -0.9 * radii && c->gap < 0.5 * radii) {
            geo_contact before = *c;
            vec3 shift = vec3_scale(move, random_direction(&rng));
            pb.position = vec3_add(pb.position, shift);
            collide(a, pa, b, pb, radii, &m);
            c = deepest(&m);
            assert_non_null(c);
            // the change is that of the way along the normal, but for the turn of the normal
            double along = vec3_dot(before.normal, shift), cores = before.gap + radii;
            check_close(c->gap - before.gap, along, 0.0, 1e-9 + move * move / cores);
            check_at_most(vec3_distance(c->normal, before.normal), 2.0 * move / cores + 1e-7);
        }
        geo_shape_destroy(a);
        geo_shape_destroy(b);
    }
    geo_manifold_finish(&m);
}

/// With less and less rounding the contact becomes that of the sharp shapes.
static void small_roundings_are_sharp(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    base_rng rng = base_rng_make(9);
    geo_manifold m, n;
    geo_manifold_init(&m, &heap);
    geo_manifold_init(&n, &heap);
    int touching = 0;
    for (int i = 0; i < 2000; i++) {
        geo_shape *a = random_shape(GEO_POLYHEDRON, 1.0, &rng);
        geo_shape *b = random_shape(GEO_POLYHEDRON, 1.0, &rng);
        pose pa = {{0.0, 0.0, 0.0}, random_turn(&rng)}, pb = {{0.0, 0.0, 0.0}, random_turn(&rng)};
        vec3 d = random_direction(&rng);
        solid sa = solid_make(a, pa), sb = solid_make(b, pb);
        pb.position = vec3_scale(-solid_separation(&sa, &sb, d) - 0.2, d);
        double rounding = pow(10.0, -base_rng_range(&rng, 2.0, 9.0));
        geo_shape *c = make_hull(a->polyhedron.vertices, a->polyhedron.vertex_count, rounding);
        collide(a, pa, b, pb, 0.1, &m);
        collide(c, pa, b, pb, 0.1 - rounding, &n);
        touching += m.count > 0;
        if (m.count > 0 && deepest(&m)->gap < 0.09) {
            assert_true(n.count > 0);
            double tolerance = 4e-6 + 4e-4 * fabs(deepest(&m)->gap);
            check_close(deepest(&n)->gap, deepest(&m)->gap - rounding, 0.0, tolerance);
        }
        geo_shape_destroy(a);
        geo_shape_destroy(b);
        geo_shape_destroy(c);
    }
    assert_true(touching > 1000);
    geo_manifold_finish(&m);
    geo_manifold_finish(&n);
}

static void wrong_roundings_are_refused(void **state)
{
    (void)state;
    base_allocator heap = base_allocator_default();
    const double wrong[] = {-0.1, 0.3, 0.5, NAN, INFINITY};
    const vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 5; i++) {
        geo_shape *shape;
        cairn_error error = {0};
        const double sizes[4] = {0.3, 0.4, 0.5, wrong[i]};
        assert_int_equal(geo_plain_create(&heap, GEO_BOX, sizes, &shape, &error),
                         CAIRN_ERROR_ARGUMENT);
        assert_null(shape);
        assert_non_null(strstr(error.message, "rounding = "));
        assert_non_null(strstr(error.message, "0.3"));
        if (wrong[i] > 0.0 && isfinite(wrong[i]))
            continue;
        geo_shape *hull = make_hull(points, 4, 0.0);
        assert_int_equal(geo_polyhedron_round(hull, wrong[i], &error), CAIRN_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "rounding = "));
        assert_true(geo_shape_rounding(hull) == 0.0);
        geo_shape_destroy(hull);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_polyhedra),
        cmocka_unit_test(limits_have_closed_forms),
        cmocka_unit_test(masses_are_those_of_a_grid),
        cmocka_unit_test(volumes_are_those_of_steiner),
        cmocka_unit_test(supports_reach_the_bounds),
        cmocka_unit_test(rays_meet_the_surface),
        cmocka_unit_test(surfaces_close_and_enclose),
        cmocka_unit_test(cubes_roll_without_jumps),
        cmocka_unit_test(depths_change_without_jumps),
        cmocka_unit_test(small_roundings_are_sharp),
        cmocka_unit_test(wrong_roundings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
