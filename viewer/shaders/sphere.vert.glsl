// SPDX-License-Identifier: Apache-2.0
// A square that just covers a sphere as it is seen.
layout(location = 2) in vec3 i_position;
layout(location = 4) in vec3 i_size;
layout(location = 5) in vec4 i_colour;
out vec3 v_point;
flat out vec3 v_centre;
flat out float v_radius;
flat out vec4 v_colour;

void main()
{
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    vec3 forward = ray_direction(i_position);
    float reach = i_size.x;
    if (u_eye.w > 0.5) {
        // the cone of sight touches the sphere nearer than its centre
        float distance = length(i_position - u_eye.xyz);
        reach *= distance / sqrt(max(distance * distance - reach * reach, 1e-6 * reach * reach));
    }
    vec3 helper = abs(forward.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0);
    vec3 right = normalize(cross(forward, helper));
    vec3 up = cross(right, forward);
    v_point = i_position + 1.01 * reach * (corner.x * right + corner.y * up);
    v_centre = i_position;
    v_radius = i_size.x;
    v_colour = i_colour;
    gl_Position = u_view_projection * vec4(v_point, 1.0);
}
