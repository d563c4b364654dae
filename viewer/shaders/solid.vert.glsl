// SPDX-License-Identifier: Apache-2.0
// Instanced triangle meshes: boxes, cylinders, cones, hulls.
layout(location = 0) in vec3 a_position;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec3 i_position;
layout(location = 3) in vec4 i_orientation;
layout(location = 4) in vec3 i_size;
layout(location = 5) in vec4 i_colour;
out vec3 v_point;
out vec3 v_normal;
out vec3 v_local;
flat out vec3 v_size;
flat out vec4 v_orientation;
flat out vec4 v_colour;

void main()
{
    v_local = a_position * i_size;
    v_point = i_position + turn(i_orientation, v_local);
    v_normal = turn(i_orientation, a_normal / i_size);
    v_size = i_size;
    v_orientation = i_orientation;
    v_colour = i_colour;
    gl_Position = u_view_projection * vec4(v_point, 1.0);
}
