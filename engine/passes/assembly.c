// SPDX-License-Identifier: Apache-2.0
// Assembly of the implicit problem (H, V, B, W_ii) from the contacts of cone laws.
#include "engine/pairs/sharing.h"
#include "engine/passes/impact.h"
#include "engine/space/drive.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <string.h>

enum { CONTACT_CHUNK = 128 };

/// What the assembly writes; con_problem sees it as const.
typedef struct assembled {
    int (*body)[2];
    double (*H)[2][3][6];
    double (*w)[3];
    double (*q)[3];
    double (*shift)[3];
    double *friction;
    unsigned char *resists; // rolling or spinning
    mat3 *W_diagonal;
    mat3 free; // 1/s, of the cell without contacts
} assembled;

typedef struct assembly_context {
    cairn_world *world;
    assembled *out;
} assembly_context;

/// H of one side, theory.md (2.2): rows (d, R^T (r x d)) for d in n, t1, t2; negative for A.
static void fill_H(double H[3][6], const mat3 *frame, const pose *q, vec3 point, double sign)
{
    vec3 arm = vec3_sub(point, q->position);
    mat3 axes = quat_to_mat3(q->orientation);
    for (int row = 0; row < 3; row++) {
        vec3 d = vec3_scale(sign, mat3_row(frame, row));
        vec3_store(H[row], d);
        vec3_store(H[row] + 3, mat3_apply_transposed(&axes, vec3_cross(arm, d)));
    }
}

static void add_H_v(const double H[3][6], const double v[6], double out[3])
{
    for (int row = 0; row < 3; row++)
        out[row] += H[row][0] * v[0] + H[row][1] * v[1] + H[row][2] * v[2] + H[row][3] * v[3] +
                    H[row][4] * v[4] + H[row][5] * v[5];
}

/// Whether a contact is the only closed one of its pair: several would each ask for a drift of
/// their own, which rigid bodies may not have.
static bool is_single(const cairn_world *world, int i)
{
    const eng_contacts *c = &world->contacts.set;
    const eng_pair *pair = &world->contacts.pairs.rows[c->pair[i]];
    int closed = 0;
    for (int k = pair->first; k < pair->first + pair->count; k++)
        closed += c->gap[k] <= 0.0;
    return closed == 1;
}

/// How the velocity of a contact that bears changes from the middle of the step to its end because
/// the contact moves on over the bodies and they turn, theory.md (3.2a): half of what the same
/// velocities of the bodies make in this contact and in that of the last step.
static void add_drift(const cairn_world *world, int i, double shift[3])
{
    const eng_contacts *c = &world->contacts.set;
    bool bears = !c->fresh[i] && c->gap[i] <= 0.0 && c->R[i][0] > 0.0;
    for (int k = 0; k < 3 && bears && is_single(world, i); k++)
        shift[k] += 0.5 * (c->V[i][k] - c->U[i][k]);
}

/// Terms of the law, and what restitution and gap add to w_N, theory.md (3.1)-(3.3).
static void fill_cone_terms(const cairn_world *world, int contact, assembled *out)
{
    const eng_contacts *c = &world->contacts.set;
    const eng_surface *surface = &world->model.materials.surfaces[c->surface[contact]];
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    out->friction[contact] = terms.friction;
    out->resists[contact] = terms.rolling > 0.0 || terms.spinning > 0.0;
    double gap = c->gap[contact], *shift = out->shift[contact];
    memset(shift, 0, sizeof *out->shift);
    if (world->scratch.solve.rebound != NULL && world->scratch.solve.rebound[contact] > 0.0)
        shift[0] = -world->scratch.solve.rebound[contact];
    else if (!eng_contact_bounces(world, contact, terms.restitution))
        shift[0] = gap / world->state.clock.horizon;
    else if (world->model.def.impact == CAIRN_IMPACT_NEWTON)
        shift[0] = terms.restitution * c->V[contact][0];
    double back = gap <= 0.0 ? eng_tangential_bounce(world, &terms, c->V[contact]) : 0.0;
    for (int k = 1; k < 3 && back > 0.0; k++)
        shift[k] = back * c->V[contact][k];
    if (world->model.def.contact_motion && terms.restitution == 0.0)
        add_drift(world, contact, shift);
    for (int k = 0; k < 3; k++)
        out->w[contact][k] += shift[k];
}

static int row_of(const cairn_world *world, int body)
{
    return world->model.bodies.rows[body].kind == CAIRN_DYNAMIC ? eng_solver_row(world, body) : -1;
}

/// Rows of the bodies of the contacts that this process has.
static void name_bodies(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const assembly_context *context = argument;
    for (int i = begin; i < end; i++)
        for (int side = 0; side < 2; side++)
            context->out->body[i][side] =
                row_of(context->world, context->world->contacts.set.body[i][side]);
}

static void assemble_contact(const cairn_world *world, int i, assembled *out)
{
    const eng_contacts *c = &world->contacts.set;
    memset(c->V[i], 0, sizeof c->V[i]);
    memset(out->w[i], 0, sizeof out->w[i]);
    memset(out->q[i], 0, sizeof out->q[i]);
    for (int side = 0; side < 2; side++) {
        int body = c->body[i][side];
        bool dynamic = world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
        out->body[i][side] = row_of(world, body);
        double(*H)[6] = out->H[i][side];
        double sign = side == 0 ? -1.0 : 1.0;
        fill_H(H, &c->frame[i], &world->state.bodies.q_mid[body],
               eng_image_point(world, body, eng_contact_place(world, i, side)), sign);
        if (world->state.cell.any) {
            vec3 shift = eng_image_shift(world, body, c->point[i]);
            vec3 before = mat3_apply(&world->state.cell.gradient, shift);
            vec3 drift = mat3_apply(&c->frame[i], before);
            vec3 free = mat3_apply(&c->frame[i], mat3_apply(&out->free, shift));
            for (int k = 0; k < 3; k++) {
                c->V[i][k] += sign * vec3_get(drift, k);
                out->w[i][k] += sign * vec3_get(free, k);
            }
        }
        add_H_v((const double(*)[6])H, world->state.bodies.v[body], c->V[i]);
        // what moves as prescribed is known: it goes to w
        add_H_v((const double(*)[6])H, world->state.bodies.v_free[body],
                dynamic ? out->q[i] : out->w[i]);
    }
    if (world->scratch.solve.driven != NULL)
        eng_drive_contact(world, i);
    fill_cone_terms(world, i, out);
    for (int k = 0; k < 3; k++)
        out->q[i][k] += out->w[i][k];
}

static void assemble_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const assembly_context *context = argument;
    for (int i = begin; i < end; i++)
        assemble_contact(context->world, i, context->out);
}

static void diagonal_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const assembly_context *context = argument;
    con_assemble_diagonal_range(&context->world->scratch.solve.problem, begin, end,
                                context->out->W_diagonal);
}

static bool allocate(cairn_world *world, int n, assembled *out)
{
    base_arena *arena = world->scratch.arena;
    size_t count = (size_t)n;
    if (eng_drive_prepare(world, n) != CAIRN_OK)
        return false;
    out->free = eng_drive_free_gradient(world);
    out->body = (int(*)[2])base_arena_allocate(arena, "body", count, sizeof *out->body);
    out->H = (double(*)[2][3][6])base_arena_allocate(arena, "H", count, sizeof *out->H);
    out->w = (double(*)[3])base_arena_allocate(arena, "w", count, sizeof *out->w);
    out->q = (double(*)[3])base_arena_allocate(arena, "q", count, sizeof *out->q);
    out->shift = (double(*)[3])base_arena_allocate(arena, "shift", count, sizeof *out->shift);
    out->friction = base_arena_array(arena, double, "friction", n);
    out->resists = base_arena_array(arena, unsigned char, "resists", n);
    out->W_diagonal = base_arena_array(arena, mat3, "W_diagonal", n);
    return out->body != NULL && out->H != NULL && out->w != NULL && out->q != NULL &&
           out->shift != NULL && out->friction != NULL && out->resists != NULL &&
           out->W_diagonal != NULL;
}

/// Bodies as rows of the problem.
typedef struct body_rows {
    int count;
    const double (*mass_inverse)[6];
} body_rows;

/// The problem has rows for the bodies of the general passes alone, so that spheres beside it cost
/// its solver nothing. Where all bodies take part the world's arrays are the rows.
static cairn_status number_rows(cairn_world *world, body_rows *rows)
{
    world->scratch.solve.row = NULL;
    world->scratch.solve.v_free = world->state.bodies.v_free;
    world->scratch.solve.v = world->state.bodies.v_end;
    *rows = (body_rows){world->scratch.general.reach,
                        (const double(*)[6])world->state.bodies.mass_inverse};
    if (world->scratch.general.active_count == world->scratch.general.reach ||
        world->contacts.set.cone_count == 0)
        return CAIRN_OK;
    base_arena *arena = world->scratch.arena;
    size_t count = (size_t)world->scratch.general.active_count;
    int *row = base_arena_array(arena, int, "solver rows", world->scratch.general.reach);
    double(*mass_inverse)[6] =
        base_arena_allocate(arena, "solver masses", count, sizeof *mass_inverse);
    double(*v_free)[6] = base_arena_allocate(arena, "solver velocities", count, sizeof *v_free);
    double(*v_end)[6] = base_arena_allocate(arena, "solver velocities", count, sizeof *v_end);
    if (row == NULL || mass_inverse == NULL || v_free == NULL || v_end == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int body = world->scratch.general.active[k];
        row[body] = k;
        memcpy(mass_inverse[k], world->state.bodies.mass_inverse[body], sizeof mass_inverse[k]);
    }
    world->scratch.solve.row = row;
    world->scratch.solve.v_free = v_free;
    world->scratch.solve.v = v_end;
    eng_solver_rows_fill(world);
    *rows = (body_rows){world->scratch.general.active_count, (const double(*)[6])mass_inverse};
    return CAIRN_OK;
}

cairn_status eng_block_assembly(cairn_world *world)
{
    int n = world->contacts.set.cone_count;
    assembled out;
    body_rows rows;
    cairn_status status = number_rows(world, &rows);
    if (status != CAIRN_OK || !allocate(world, n, &out))
        return CAIRN_ERROR_MEMORY;
    assembly_context context = {world, &out};
    if (eng_sharing_is_active(world)) {
        memset(out.body, 0xff, (size_t)n * sizeof *out.body); // -1: no body
        con_domains_each(&world->contacts.domains, world->model.workers, n, CONTACT_CHUNK,
                         name_bodies, &context);
    }
    BASE_TRY(eng_sharing_plan(world, (const int(*)[2])out.body, rows.count));
    con_domains_each(&world->contacts.domains, world->model.workers, n, CONTACT_CHUNK,
                     assemble_chunk, &context);
    world->scratch.solve.free_relative = out.q;
    world->scratch.solve.shift = (const double(*)[3])out.shift;
    world->scratch.solve.problem = (con_problem){
        .contact_count = n,
        .q = (const double(*)[3])out.q,
        .friction = out.friction,
        .W_diagonal = out.W_diagonal,
        .body_count = rows.count,
        .body = (const int(*)[2])out.body,
        .H = (const double(*)[2][3][6])out.H,
        .mass_inverse = rows.mass_inverse,
        .v_free = (const double(*)[6])world->scratch.solve.v_free,
        .w = (const double(*)[3])out.w,
        .rates = world->scratch.solve.driven != NULL ? &world->scratch.solve.driven->rates : NULL,
        // contacts far from each other know the rates of a driven cell: they are of no domain
        .domains = world->contacts.domains.levels > 0 && world->scratch.solve.driven == NULL
                       ? &world->contacts.domains
                       : NULL,
    };
    con_domains_each(&world->contacts.domains, world->model.workers, n, CONTACT_CHUNK,
                     diagonal_chunk, &context);
    // what is shared has no contact that resists rolling
    for (int i = 0; i < n && !eng_sharing_is_active(world); i++) {
        const eng_surface *surface =
            &world->model.materials.surfaces[world->contacts.set.surface[i]];
        con_cone_terms terms = {0};
        if (out.resists[i] == 0)
            continue;
        surface->law->cone(surface->parameters, &terms);
        BASE_TRY(eng_rolling_note(world, i, &terms));
    }
    return CAIRN_OK;
}
