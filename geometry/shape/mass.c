// SPDX-License-Identifier: Apache-2.0
// Volume, centre of mass and inertia of solids of density 1.
#include "geometry/shape/plain.h"
#include "geometry/shape/shape_internal.h"

geo_mass geo_shape_mass(const geo_shape *shape)
{
    if (shape->kind == GEO_POLYHEDRON)
        return shape->polyhedron.mass;
    if (shape->kind == GEO_MESH)
        return shape->mesh.mass;
    if (shape->kind == GEO_COMPOUND)
        return shape->compound.mass;
    return geo_plain_kinds[shape->kind]->mass(geo_plain_sizes(shape));
}

mat3 geo_inertia_from_second(const mat3 *second)
{
    double trace = mat3_trace(second);
    mat3 inertia = mat3_scale(-1.0, second);
    for (int i = 0; i < 3; i++)
        inertia.m[i][i] += trace;
    return inertia;
}

geo_moments geo_moments_start(const vec3 *points, int count)
{
    geo_moments moments = {0};
    for (int i = 0; i < count; i++)
        moments.reference = vec3_add_scaled(moments.reference, 1.0 / count, points[i]);
    return moments;
}

void geo_moments_add_triangle(geo_moments *moments, vec3 a, vec3 b, vec3 c)
{
    a = vec3_sub(a, moments->reference);
    b = vec3_sub(b, moments->reference);
    c = vec3_sub(c, moments->reference);
    double determinant = vec3_dot(a, vec3_cross(b, c));
    vec3 sum = vec3_add(vec3_add(a, b), c);
    moments->volume += determinant / 6.0;
    moments->first = vec3_add_scaled(moments->first, determinant / 24.0, sum);
    const vec3 corners[4] = {a, b, c, sum};
    for (int i = 0; i < 4; i++) {
        mat3 product = geo_outer(corners[i], vec3_scale(determinant / 120.0, corners[i]));
        moments->second = mat3_add(&moments->second, &product);
    }
}

geo_mass geo_mass_from_moments(const geo_moments *moments)
{
    vec3 offset = vec3_scale(1.0 / moments->volume, moments->first);
    mat3 shift = geo_outer(offset, vec3_scale(-moments->volume, offset));
    mat3 second = mat3_add(&moments->second, &shift);
    // bit-symmetric, whatever the order of the products above
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            second.m[i][j] = second.m[j][i];
    return (geo_mass){.volume = moments->volume,
                      .centre = vec3_add(moments->reference, offset),
                      .inertia = geo_inertia_from_second(&second)};
}

static mat3 inertia_rotated(const mat3 *inertia, quat orientation)
{
    if (orientation.x == 0.0 && orientation.y == 0.0 && orientation.z == 0.0)
        return *inertia;
    mat3 rotation = quat_to_mat3(orientation);
    mat3 transposed = mat3_transpose(&rotation);
    mat3 half = mat3_multiply(inertia, &transposed);
    mat3 full = mat3_multiply(&rotation, &half);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            full.m[i][j] = full.m[j][i] = 0.5 * (full.m[i][j] + full.m[j][i]);
    return full;
}

geo_mass geo_mass_of_compound(const geo_compound *compound)
{
    geo_mass total = {0};
    // two passes: first the centre, then everything about it
    for (int i = 0; i < compound->member_count; i++) {
        geo_mass part = geo_shape_mass(compound->members[i]);
        vec3 centre = pose_apply(&compound->placements[i], part.centre);
        total.volume += part.volume;
        total.centre = vec3_add_scaled(total.centre, part.volume, centre);
    }
    total.centre = vec3_scale(1.0 / total.volume, total.centre);
    for (int i = 0; i < compound->member_count; i++) {
        geo_mass part = geo_shape_mass(compound->members[i]);
        const pose *place = &compound->placements[i];
        mat3 turned = inertia_rotated(&part.inertia, place->orientation);
        vec3 offset = vec3_sub(pose_apply(place, part.centre), total.centre);

        // inertia about a point `offset` away from the centre of mass
        double volume = part.volume;
        mat3 second = geo_outer(offset, vec3_scale(volume, offset));
        mat3 shift = geo_inertia_from_second(&second);
        mat3 moved = mat3_add(&turned, &shift);
        total.inertia = mat3_add(&total.inertia, &moved);
    }
    return total;
}

void geo_mass_principal(const geo_mass *mass, vec3 *moments, pose *frame)
{
    const mat3 *inertia = &mass->inertia;
    double off = fmax(fabs(inertia->m[0][1]), fmax(fabs(inertia->m[0][2]), fabs(inertia->m[1][2])));
    frame->position = mass->centre;
    if (off <= 1e-12 * mat3_trace(inertia)) {
        *moments = (vec3){inertia->m[0][0], inertia->m[1][1], inertia->m[2][2]};
        frame->orientation = quat_identity();
        return;
    }
    mat3 axes;
    base_mat3_eigen_symmetric(inertia, moments, &axes);
    frame->orientation = base_quat_from_mat3(&axes);
}
