// SPDX-License-Identifier: Apache-2.0
// A sphere by its ray.
in vec3 v_point;
flat in vec3 v_centre;
flat in float v_radius;
flat in vec4 v_colour;
out vec4 colour;
uniform float u_alpha;

void main()
{
    vec3 direction = ray_direction(v_point);
    vec3 from = v_point - v_centre;
    float along = dot(from, direction);
    float square = along * along - dot(from, from) + v_radius * v_radius;
    if (square < 0.0)
        discard;
    // to the light a sphere is its disc: what is not inside it lies before or behind both
#ifndef SHADOW
    vec3 point = v_point - (along + sqrt(square)) * direction;
    gl_FragDepth = depth_of(point);
    colour = vec4(shade(v_colour.rgb, point, (point - v_centre) / v_radius), v_colour.a * u_alpha);
#endif
}
