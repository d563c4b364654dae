// SPDX-License-Identifier: Apache-2.0
// Light of a surface point: sun with shadow, sky and ground, a highlight.
uniform vec3 u_light;
uniform mat4 u_shadow_matrix;
uniform sampler2DShadow u_shadow;
// size of a texel in the texture and in metres; x = 0: no shadows
uniform vec2 u_texel;
uniform int u_taps;
uniform float u_unlit;

float sunlight(vec3 point, vec3 normal)
{
    if (u_texel.x == 0.0)
        return 1.0;
    vec4 clip = u_shadow_matrix * vec4(point + 1.5 * u_texel.y * normal, 1.0);
    vec3 at = 0.5 * clip.xyz + 0.5;
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0))))
        return 1.0;
    if (u_taps == 0)
        return texture(u_shadow, at);
    float sum = 0.0;
    for (int x = -u_taps; x <= u_taps; x++)
        for (int y = -u_taps; y <= u_taps; y++)
            sum += texture(u_shadow, vec3(at.xy + 1.2 * u_texel.x * vec2(x, y), at.z));
    float side = float(2 * u_taps + 1);
    return sum / (side * side);
}

// a gamma of 2 comes close to sRGB, and costs no powers
vec3 from_srgb(vec3 colour)
{
    return colour * colour;
}

vec3 to_srgb(vec3 colour)
{
    return sqrt(clamp(colour, 0.0, 1.0));
}

// soft shoulder above 0.7, so that highlights do not burn out
vec3 tone(vec3 colour)
{
    vec3 over = max(colour - 0.7, 0.0);
    return min(colour, 0.7) + 0.3 * over / (over + 0.3);
}

vec3 shade(vec3 srgb, vec3 point, vec3 normal)
{
    vec3 base = from_srgb(srgb);
    vec3 view = -ray_direction(point);
    float facing = dot(normal, u_light);
    float sun = facing > 0.0 ? facing * sunlight(point, normal) : 0.0;
    vec3 around = mix(vec3(0.26, 0.24, 0.23), vec3(0.48, 0.54, 0.64), 0.5 + 0.5 * normal.z);
    float fill = 0.16 * max(dot(normal, normalize(vec3(-u_light.xy, 0.3))), 0.0);
    float shine = max(dot(normal, normalize(u_light + view)), 0.0);
    // the 48th power: 32 and 16
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= 0.22 * sun * shine * shine;
    float rim = 1.0 - max(dot(normal, view), 0.0);
    rim *= 0.06 * rim * rim;
    vec3 colour = base * (around + fill + sun * vec3(1.0, 0.96, 0.88)) + shine + rim;
    vec3 plain = base * (0.75 + 0.25 * max(dot(normal, view), 0.0));
    return to_srgb(mix(tone(colour), plain, u_unlit));
}
