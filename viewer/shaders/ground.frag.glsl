// SPDX-License-Identifier: Apache-2.0
// Ground with a grid, shadows, and a rim that fades into the sky.
in vec3 v_point;
in vec2 v_plane;
out vec4 colour;
uniform vec4 u_orientation;
uniform float u_extent;
uniform vec2 u_middle;
uniform float u_spacing;
uniform vec3 u_colour;
uniform float u_alpha;
uniform float u_grid;

// 1 on a line of the grid, 0 off it; fades where lines come closer than pixels
float line(float spacing, float width)
{
    vec2 at = v_plane / spacing;
    vec2 step_size = fwidth(at);
    vec2 away = abs(fract(at - 0.5) - 0.5) / max(step_size, 1e-6);
    float nearest = min(away.x, away.y);
    return (1.0 - smoothstep(width - 0.5, width + 0.5, nearest)) *
           (1.0 - smoothstep(0.07, 0.3, max(step_size.x, step_size.y)));
}

void main()
{
    vec3 normal = turn(u_orientation, vec3(0.0, 0.0, 1.0));
    bool below = dot(ray_direction(v_point), normal) > 0.0;
    float mark = u_grid * max(0.16 * line(u_spacing, 0.6), 0.34 * line(10.0 * u_spacing, 0.9));
    float far = length(v_plane - u_middle) / u_extent;
    float fade = 1.0 - smoothstep(0.25, 0.95, far);
    vec3 base = mix(u_colour, vec3(0.25, 0.28, 0.33), mark);
    colour = vec4(shade(base, v_point, normal), fade * u_alpha * (below ? 0.15 : 1.0));
}
