// SPDX-License-Identifier: Apache-2.0
// The box around a capsule, of which the far sides are drawn.
layout(location = 0) in vec3 a_position;
layout(location = 2) in vec3 i_position;
layout(location = 3) in vec4 i_orientation;
layout(location = 4) in vec3 i_size;
layout(location = 5) in vec4 i_colour;
out vec3 v_point;
flat out vec3 v_centre;
flat out vec4 v_orientation;
flat out vec2 v_size;
flat out vec4 v_colour;

void main()
{
    vec3 half_size = vec3(i_size.x, i_size.x, i_size.x + i_size.z);
    v_point = i_position + turn(i_orientation, a_position * half_size);
    v_centre = i_position;
    v_orientation = i_orientation;
    v_size = vec2(i_size.x, i_size.z);
    v_colour = i_colour;
    gl_Position = u_view_projection * vec4(v_point, 1.0);
}
