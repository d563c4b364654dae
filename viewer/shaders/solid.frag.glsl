// SPDX-License-Identifier: Apache-2.0
// Surface of a mesh; boxes get rounded edges by their normals.
in vec3 v_point;
in vec3 v_normal;
in vec3 v_local;
flat in vec3 v_size;
flat in vec4 v_orientation;
flat in vec4 v_colour;
out vec4 colour;
uniform float u_alpha;
uniform float u_bevel;

vec3 box_normal()
{
    float radius = 0.12 * min(v_size.x, min(v_size.y, v_size.z));
    vec3 beyond = max(abs(v_local) - (v_size - radius), 0.0);
    return turn(v_orientation, normalize(beyond * sign(v_local)));
}

// 1 within a pixel or two of an edge of a box
float edge()
{
    vec3 beside = v_size - abs(v_local);
    vec3 width = 1.5 * max(fwidth(v_local), vec3(1e-6 * v_size));
    // two faces meet at an edge: two distances are small
    vec3 near = 1.0 - smoothstep(0.5 * width, width + 1e-9, beside);
    float face = max(near.x, max(near.y, near.z));
    float second = near.x + near.y + near.z - face;
    return clamp(second, 0.0, 1.0);
}

void main()
{
#ifndef SHADOW
    vec3 normal = normalize(u_bevel > 0.5 ? box_normal() : v_normal);
    if (!gl_FrontFacing)
        normal = -normal;
    float alpha = v_colour.a * u_alpha;
    // the edges of a glass box are denser
    if (alpha < 0.5 && u_bevel > 0.5)
        alpha += 0.35 * edge();
    colour = vec4(shade(v_colour.rgb, v_point, normal), alpha);
#endif
}
