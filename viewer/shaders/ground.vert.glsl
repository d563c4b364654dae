// SPDX-License-Identifier: Apache-2.0
// A large square in a plane, around what is looked at.
out vec3 v_point;
out vec2 v_plane;
uniform vec3 u_origin;
uniform vec4 u_orientation;
uniform float u_extent;
uniform vec2 u_middle;

void main()
{
    vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
    v_plane = u_middle + corner * u_extent;
    v_point = u_origin + turn(u_orientation, vec3(v_plane, 0.0));
    gl_Position = u_view_projection * vec4(v_point, 1.0);
}
