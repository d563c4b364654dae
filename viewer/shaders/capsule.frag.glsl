// SPDX-License-Identifier: Apache-2.0
// A capsule by its ray: a tube about z and two half spheres.
in vec3 v_point;
flat in vec3 v_centre;
flat in vec4 v_orientation;
flat in vec2 v_size;
flat in vec4 v_colour;
out vec4 colour;
uniform float u_alpha;

// where the ray o + t d enters; negative t counts, for o lies on the far side
bool meets(vec3 o, vec3 d, out float t)
{
    float r = v_size.x, h = v_size.y;
    float a = dot(d.xy, d.xy), b = dot(o.xy, d.xy), c = dot(o.xy, o.xy) - r * r;
    float square = b * b - a * c;
    if (square < 0.0)
        return false;
    float z = 0.0;
    if (a > 1e-9) {
        t = (-b - sqrt(square)) / a;
        z = o.z + t * d.z;
        if (abs(z) <= h)
            return true;
    } else {
        z = -d.z;
    }
    vec3 from = o - vec3(0.0, 0.0, z > 0.0 ? h : -h);
    float along = dot(from, d);
    square = along * along - dot(from, from) + r * r;
    t = -along - sqrt(max(square, 0.0));
    return square >= 0.0;
}

void main()
{
    vec3 d = ray_direction(v_point);
    vec3 local = turn_back(v_orientation, v_point - v_centre), turned = turn_back(v_orientation, d);
    float t;
    if (!meets(local, turned, t))
        discard;
    vec3 point = v_point + t * d, hit = local + t * turned;
    gl_FragDepth = depth_of(point);
#ifndef SHADOW
    vec3 normal = (hit - vec3(0.0, 0.0, clamp(hit.z, -v_size.y, v_size.y))) / v_size.x;
    colour = vec4(shade(v_colour.rgb, point, turn(v_orientation, normal)), v_colour.a * u_alpha);
#endif
}
