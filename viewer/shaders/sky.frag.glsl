// SPDX-License-Identifier: Apache-2.0
// Sky: bright at the horizon, blue above, warm grey below.
in vec2 v_at;
out vec4 colour;
uniform mat4 u_inverse;

void main()
{
    vec4 near = u_inverse * vec4(v_at, -1.0, 1.0), far = u_inverse * vec4(v_at, 1.0, 1.0);
    float height = normalize(far.xyz / far.w - near.xyz / near.w).z;
    vec3 horizon = vec3(0.90, 0.92, 0.94), above = vec3(0.50, 0.63, 0.78);
    vec3 below = vec3(0.74, 0.76, 0.79);
    vec3 sky = height > 0.0 ? mix(horizon, above, smoothstep(0.0, 0.8, height))
                            : mix(horizon, below, smoothstep(0.0, 0.35, -height));
    colour = vec4(sky, 1.0);
}
