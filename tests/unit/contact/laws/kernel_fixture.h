// SPDX-License-Identifier: Apache-2.0
// Pairs of spheres, and spheres on planes, as the kernels of the laws see them: no world, no list.
#ifndef CAIRN_TESTS_CONTACT_KERNEL_FIXTURE_H
#define CAIRN_TESTS_CONTACT_KERNEL_FIXTURE_H

#include "engine/pairs/spheres/data.h"
#include "tests/unit/contact/laws/law_fixture.h"

enum {
    KERNEL_BLOCKS = 4,
    KERNEL_PAIRS = KERNEL_BLOCKS * ENG_SPHERES_WIDTH,
    KERNEL_SPHERES = 2 * KERNEL_PAIRS,
    KERNEL_ROWS = KERNEL_SPHERES + 2 + KERNEL_PAIRS // a plane's place behind the spheres
};

/// Everything that a kernel reads and writes.
typedef struct kernel_table {
    _Alignas(64) double X[KERNEL_ROWS][4];
    _Alignas(64) double V[KERNEL_ROWS][8];
    _Alignas(64) double constants[KERNEL_SPHERES][4];
    _Alignas(64) double force[KERNEL_PAIRS][8];
    _Alignas(64) double couple[KERNEL_PAIRS][4];
    _Alignas(64) eng_spheres_block blocks[KERNEL_BLOCKS];
    _Alignas(64) eng_spheres_resist resist[KERNEL_BLOCKS];
    _Alignas(64) double columns[KERNEL_BLOCKS * CON_BATCH_COLUMNS][ENG_SPHERES_WIDTH];
    double no_load[1][8];
    eng_spheres_terms terms;
    eng_spheres_segment segment;
    eng_spheres_chunk chunk;
    struct eng_spheres spheres;
} kernel_table;

/// What a law answered through a kernel for one pair.
typedef struct kernel_answer {
    vec3 force, torque[2]; // N on B; N m about the centres
    double history[CON_HISTORY_MAX];
    con_batch_state closed;
} kernel_answer;

static inline void kernel_row(kernel_table *t, int row, const con_law_body *body, double step)
{
    vec3_store(t->X[row], body->position);
    t->X[row][3] = body->angular_velocity.z;
    vec3_store(t->V[row], body->velocity);
    vec3_store(t->V[row] + 3, vec3_scale(body->radius, body->angular_velocity));
    t->V[row][6] = body->angular_velocity.x;
    t->V[row][7] = body->angular_velocity.y;
    double inertia = body_inertia(body);
    t->constants[row][0] = step / body->mass;
    t->constants[row][1] = step * body->radius / inertia;
    t->constants[row][2] = step / inertia;
    t->constants[row][3] = body->radius;
}

/// The plane's point next to the sphere.
static inline void kernel_foot(kernel_table *t, int row, const con_law_state *s)
{
    const con_law_body *plane = &s->body[1];
    vec3 away = vec3_sub(s->body[0].position, plane->position);
    vec3 foot =
        vec3_add_scaled(s->body[0].position, -vec3_dot(away, s->plane_normal), s->plane_normal);
    vec3 arm = vec3_sub(foot, plane->position), w = plane->angular_velocity;
    vec3_store(t->X[row], foot);
    t->X[row][3] = w.z;
    vec3_store(t->V[row], vec3_add(plane->velocity, vec3_cross(w, arm)));
    t->V[row][6] = w.x;
    t->V[row][7] = w.y;
}

static inline void kernel_pair(kernel_table *t, int index, const con_law_state *s)
{
    eng_spheres_block *block = &t->blocks[index / ENG_SPHERES_WIDTH];
    int k = index % ENG_SPHERES_WIDTH, a = 2 * index, b = a + 1;
    bool flat = isinf(s->body[1].radius);
    kernel_row(t, a, &s->body[0], s->step);
    if (flat)
        kernel_foot(t, b = KERNEL_SPHERES + 2 + index, s);
    else
        kernel_row(t, b, &s->body[1], s->step);
    block->i8[k] = 8 * a;
    block->j8[k] = 8 * b;
    block->inverse_size[k] = 1.0F;
    block->radius_sum[k] = s->body[0].radius + (flat ? 0.0 : s->body[1].radius);
    eng_spheres_pair_prepare(&t->spheres, &t->terms, a, b, block, k);
    if (!s->fresh)
        eng_spheres_history_read(&t->spheres, t->terms.batch, block, k, 1.0, s->history);
}

static inline void kernel_fill(kernel_table *t, const parameters *law, const con_law_state *states,
                               bool first_step, const double gravity[3])
{
    const con_batch *batch = law->law->batch;
    double step = states[0].step;
    memset(t, 0, sizeof *t);
    t->terms.batch = batch;
    batch->prepare(law->values, t->terms.own);
    if (batch->rolling != NULL)
        t->terms.rolling = batch->rolling(law->values);
    t->segment = (eng_spheres_segment){0, 0, KERNEL_BLOCKS};
    t->chunk = (eng_spheres_chunk){.end_slot = KERNEL_SPHERES,
                                   .first_far_segment = 1,
                                   .end_segment = 1,
                                   .far_block = KERNEL_BLOCKS,
                                   .end_block = KERNEL_BLOCKS};
    t->spheres.table.slots = KERNEL_SPHERES;
    t->spheres.store.column_rows = batch->column_count - 1;
    t->spheres.pass = (eng_spheres_pass){.X = t->X,
                                         .V = t->V,
                                         .constants = t->constants,
                                         .force = t->force,
                                         .blocks = t->blocks,
                                         .columns = t->columns,
                                         .column_rows = batch->column_count - 1,
                                         .resist = batch->rolling != NULL ? t->resist : NULL,
                                         .couple = t->couple,
                                         .segments = &t->segment,
                                         .terms = &t->terms,
                                         .chunks = &t->chunk,
                                         .load = (const double(*)[8])t->no_load,
                                         .step = step,
                                         .first_step = first_step,
                                         .slot_count = KERNEL_SPHERES};
    for (int k = 0; k < 3; k++)
        t->spheres.pass.gravity[k] = step * gravity[k];
    for (int i = 0; i < KERNEL_BLOCKS; i++)
        t->blocks[i].force_row = i * ENG_SPHERES_WIDTH;
    for (int i = 0; i < KERNEL_PAIRS; i++)
        kernel_pair(t, i, &states[i]);
}

static inline kernel_answer kernel_read(const kernel_table *t, int index,
                                        const con_law_state *state)
{
    const eng_spheres_block *block = &t->blocks[index / ENG_SPHERES_WIDTH];
    int k = index % ENG_SPHERES_WIDTH;
    const double *row = t->force[index];
    kernel_answer answer = {.force = vec3_from(row)};
    for (int side = 0; side < 2; side++) {
        double arm = state->body[side].radius + row[6];
        vec3 couple = vec3_scale(side == 0 ? -1.0 : 1.0, vec3_from(t->couple[index]));
        answer.torque[side] = vec3_add_scaled(couple, arm, vec3_from(row + 3));
    }
    eng_spheres_history_write(&t->spheres, t->terms.batch, block, k, 1.0, answer.history);
    answer.closed = eng_spheres_state_of_pair(&t->spheres, &t->terms, block, k, -2.0 * row[6]);
    return answer;
}

#endif
