// SPDX-License-Identifier: Apache-2.0
// What all shaders share: the eye, rotations, rays.
uniform mat4 u_view_projection;
// position of the eye and 1, or the direction away from a parallel view and 0
uniform vec4 u_eye;

vec3 turn(vec4 q, vec3 v)
{
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

vec3 turn_back(vec4 q, vec3 v)
{
    return turn(vec4(-q.xyz, q.w), v);
}

vec3 ray_direction(vec3 point)
{
    return u_eye.w > 0.5 ? normalize(point - u_eye.xyz) : -u_eye.xyz;
}

float depth_of(vec3 point)
{
    vec4 clip = u_view_projection * vec4(point, 1.0);
    return 0.5 * clip.z / clip.w + 0.5;
}
