// SPDX-License-Identifier: Apache-2.0
// Colour times the coverage of the glyph; small pictures have their texture coordinates plus 2.
in vec2 v_texture;
in vec4 v_colour;
out vec4 colour;
uniform sampler2D u_atlas;
uniform sampler2D u_images;

void main()
{
    // both are read, for the derivatives that a filter needs hold outside of branches alone
    vec4 image = vec4(texture(u_images, v_texture - 2.0).rgb, v_colour.a);
    colour = v_texture.x >= 1.5 ? image : vec4(v_colour.rgb, v_colour.a * texture(u_atlas, v_texture).r);
}
