// SPDX-License-Identifier: Apache-2.0
// Flat triangles in pixels, origin at the upper left.
layout(location = 0) in vec2 a_position;
layout(location = 1) in vec2 a_texture;
layout(location = 2) in vec4 a_colour;
out vec2 v_texture;
out vec4 v_colour;
uniform vec2 u_size;

void main()
{
    v_texture = a_texture;
    v_colour = a_colour;
    vec2 at = 2.0 * a_position / u_size - 1.0;
    gl_Position = vec4(at.x, -at.y, 0.0, 1.0);
}
