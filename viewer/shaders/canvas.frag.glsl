// SPDX-License-Identifier: Apache-2.0
// Colour times the coverage of the glyph.
in vec2 v_texture;
in vec4 v_colour;
out vec4 colour;
uniform sampler2D u_atlas;

void main()
{
    colour = vec4(v_colour.rgb, v_colour.a * texture(u_atlas, v_texture).r);
}
