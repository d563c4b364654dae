// SPDX-License-Identifier: Apache-2.0
// One triangle over the whole picture.
out vec2 v_at;

void main()
{
    v_at = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 4.0 - 1.0;
    gl_Position = vec4(v_at, 1.0, 1.0);
}
