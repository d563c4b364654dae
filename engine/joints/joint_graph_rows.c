// SPDX-License-Identifier: Apache-2.0
// The force-speed graphs of joints as contacts of the implicit problem, theory.md (9.8b)-(9.8d).
#include "engine/joints/joints.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <string.h>

// a limit this often the impulses at hand is cut to it, and let go where it is reached
static const double limit_cut = 10.0, limit_growth = 100.0;

static bool allocate(eng_graph_rows *g, base_arena *arena, int count)
{
    size_t n = (size_t)count + 1;
    g->part = base_arena_array(arena, int, "graph parts", n);
    g->joint = base_arena_array(arena, int, "graph joints", n);
    g->body = (int(*)[2])base_arena_allocate(arena, "graph body", n, sizeof *g->body);
    g->H = (double(*)[2][3][6])base_arena_allocate(arena, "graph H", n, sizeof *g->H);
    g->w = (double(*)[3])base_arena_allocate(arena, "graph w", n, sizeof *g->w);
    g->q = (double(*)[3])base_arena_allocate(arena, "graph q", n, sizeof *g->q);
    g->compliance = (double(*)[3])base_arena_allocate(arena, "graph E", n, sizeof *g->compliance);
    g->friction = base_arena_array(arena, double, "graph mu", n);
    g->W_diagonal = base_arena_array(arena, mat3, "graph W", n);
    g->R = (double(*)[3])base_arena_allocate(arena, "graph R", n, sizeof *g->R);
    g->U = (double(*)[3])base_arena_allocate(arena, "graph U", n, sizeof *g->U);
    return g->part != NULL && g->joint != NULL && g->body != NULL && g->H != NULL && g->w != NULL &&
           g->q != NULL && g->compliance != NULL && g->friction != NULL && g->W_diagonal != NULL &&
           g->R != NULL && g->U != NULL;
}

static void copy_contacts(eng_graph_rows *g, const con_problem *contacts, const double (*R)[3])
{
    size_t n = (size_t)contacts->contact_count;
    if (n == 0)
        return;
    memcpy(g->body, contacts->body, n * sizeof *g->body);
    memcpy(g->H, contacts->H, n * sizeof *g->H);
    memcpy(g->w, contacts->w, n * sizeof *g->w);
    memcpy(g->q, contacts->q, n * sizeof *g->q);
    memcpy(g->friction, contacts->friction, n * sizeof *g->friction);
    memcpy(g->W_diagonal, contacts->W_diagonal, n * sizeof *g->W_diagonal);
    memcpy(g->R, R, n * sizeof *g->R);
    memset(g->compliance, 0, n * sizeof *g->compliance);
}

/// sqrt(v^T M v): with it an impulse of |G v| / (G M^-1 G^T) is at most this over the root of the
/// latter.
static double root_of_energy(const eng_graph_rows *g, const double (*v)[6])
{
    double sum = 0.0;
    for (int a = 0; a < g->system->body_count; a++)
        for (int k = 0; k < 6; k++) {
            double inverse = g->system->mass_inverse[a][k];
            sum += inverse > 0.0 ? v[a][k] * v[a][k] / inverse : 0.0;
        }
    return sqrt(sum);
}

/// Impulses that contacts have at hand: those of the guess, and what stops each of them.
static double impulse_scale(const eng_graph_rows *g)
{
    double scale = 0.0;
    for (int i = 0; i < g->contact_count; i++) {
        double w = mat3_trace(&g->W_diagonal[i]) / 3.0;
        scale = fmax(scale, vec3_norm(vec3_from(g->R[i])));
        if (w > 0.0)
            scale = fmax(scale, vec3_norm(vec3_from(g->q[i])) / w);
    }
    return scale;
}

cairn_status eng_graph_rows_create(cairn_world *world, const con_problem *contacts,
                                   const double (*R)[3], const eng_joint_system *system,
                                   eng_graph_rows *g)
{
    *g = (eng_graph_rows){
        .contacts = contacts, .contact_count = contacts->contact_count, .system = system};
    int capacity = contacts->contact_count;
    for (int i = 0; i < system->joint_count; i++)
        for (int k = 0; k < ENG_GRAPH_PARTS; k++)
            capacity += world->scratch.joint_step->graph[system->joint[i]].part[k].exists;
    g->capacity = capacity;
    if (!allocate(g, world->scratch.arena, capacity))
        return CAIRN_ERROR_MEMORY;
    copy_contacts(g, contacts, R);
    g->scale = impulse_scale(g);
    g->problem = *contacts;
    g->problem.body = (const int(*)[2])g->body;
    g->problem.H = (const double(*)[2][3][6])g->H;
    g->problem.w = (const double(*)[3])g->w;
    g->problem.q = (const double(*)[3])g->q;
    g->problem.friction = g->friction;
    g->problem.W_diagonal = g->W_diagonal;
    g->problem.compliance = (const double(*)[3])g->compliance;
    g->problem.mass_inverse = (const double(*)[6])system->mass_inverse;
    g->problem.body_count = system->body_count;
    g->problem.joints = &system->rows;
    return CAIRN_OK;
}

void eng_graph_rows_enter(const cairn_world *world, eng_graph_rows *g)
{
    for (int i = 0; i < g->contact_count; i++) {
        bool tied = false;
        for (int s = 0; s < 2; s++) {
            int number = g->body[i][s];
            if (number < 0 || !eng_is_jointed(world, world->contacts.set.body[i][s]))
                continue;
            memcpy(g->H[i][s], g->contacts->H[i][s], sizeof g->H[i][s]);
            for (int row = 0; row < 3; row++)
                eng_joint_system_enter(g->system, number, g->H[i][s][row]);
            tied = true;
        }
        if (tied)
            con_assemble_diagonal_range(&g->problem, i, i + 1, g->W_diagonal);
    }
}

static bool is_end(int part)
{
    return part == ENG_GRAPH_LOW || part == ENG_GRAPH_HIGH;
}

/// The row of a contact along which the coordinate acts, and its sign: the normal of an end, the
/// first tangent of what has a limit.
static int axis_of(int part)
{
    return is_end(part) ? 0 : 1;
}

static double sign_of(int part)
{
    return part == ENG_GRAPH_HIGH ? -1.0 : 1.0;
}

/// H of a row; returns what the free bodies yield along it.
static double fill_H(const cairn_world *world, eng_graph_rows *g, int row, int at)
{
    const eng_joint_system *system = g->system;
    const eng_joint_rows *mid = &world->scratch.joint_step->mid[system->joint[at]];
    pose q[2];
    double G[2][6], yield = 0.0;
    eng_joint_poses(&world->model.joints.rows[system->joint[at]], world->state.bodies.q_mid, q);
    eng_joint_row_blocks(&mid->row[mid->count], mid->point, q, G);
    memset(g->H[row], 0, sizeof g->H[row]);
    for (int s = 0; s < 2; s++) {
        int body = g->body[row][s] = system->rows.body[at][s];
        if (body >= 0)
            eng_joint_system_enter(system, body, G[s]);
        for (int k = 0; k < 6 && body >= 0; k++) {
            g->H[row][s][axis_of(g->part[row])][k] = sign_of(g->part[row]) * G[s][k];
            yield += system->mass_inverse[body][k] * G[s][k] * G[s][k];
        }
    }
    return yield > 0.0 ? yield : 1.0;
}

static eng_graph_part *part_of(eng_world_scratch *scratch, const eng_graph_rows *g, int row)
{
    int joint = g->system->joint[g->joint[row]];
    return &scratch->joint_step->graph[joint].part[g->part[row]];
}

static void fill_row(cairn_world *world, eng_graph_rows *g, int at, int kind)
{
    int row = g->contact_count + g->row_count++;
    g->part[row] = kind;
    g->joint[row] = at;
    const eng_graph_part *part = part_of(&world->scratch, g, row);
    double yield = fill_H(world, g, row, at);
    bool end = is_end(kind);
    double E[3] = {end ? 0.0 : yield, end ? yield : part->compliance, yield};
    double R[3] = {end ? fabs(part->l) : 0.0, end ? 0.0 : part->l, 0.0};
    memcpy(g->compliance[row], E, sizeof E);
    memcpy(g->R[row], R, sizeof R);
    g->friction[row] = end ? 0.0 : 1.0;
    memset(g->w[row], 0, sizeof g->w[row]);
}

/// What motors do to a mechanism at rest: sqrt(J) of the impulse that brings a coordinate to its
/// speed, as far as the limit goes.
static double root_of_motors(cairn_world *world, const eng_graph_rows *g)
{
    double root = 0.0;
    for (int row = g->contact_count; row < g->contact_count + g->row_count; row++) {
        if (is_end(g->part[row]))
            continue;
        const eng_graph_part *part = part_of(&world->scratch, g, row);
        double yield = g->compliance[row][0];
        double impulse = fmin(part->limit, fabs(part->kink) / (yield + part->compliance));
        root = fmax(root, impulse * sqrt(yield));
    }
    return root;
}

/// The limit as the problem has it: far above what acts, its size alone would be what errors are
/// compared with. Where nothing is known to act it stays as it is.
static void cut_limit(cairn_world *world, eng_graph_rows *g, int row)
{
    eng_graph_part *part = part_of(&world->scratch, g, row);
    double yield = g->compliance[row][0];
    double scale = fmax(fmax(g->scale, fabs(part->l)),
                        fmax(g->root / sqrt(yield), fabs(part->kink) / (yield + part->compliance)));
    // a spring without anything that acts has no limit to go by
    double unknown = isfinite(part->limit) ? part->limit : 1.0;
    part->bound = scale > 0.0 ? fmin(part->limit, fmax(part->bound, limit_cut * scale)) : unknown;
    g->R[row][0] = part->bound;
    g->w[row][0] = -yield * part->bound;
}

void eng_graph_rows_fill(cairn_world *world, eng_graph_rows *g, const double (*v_free)[6])
{
    const eng_joint_step *s = world->scratch.joint_step;
    g->root = root_of_energy(g, v_free);
    g->row_count = 0;
    for (int i = 0; i < g->system->joint_count; i++)
        for (int k = 0; k < ENG_GRAPH_PARTS; k++)
            if (s->graph[g->system->joint[i]].part[k].present)
                fill_row(world, g, i, k);
    g->root = fmax(g->root, root_of_motors(world, g));
    int count = g->contact_count + g->row_count;
    for (int row = g->contact_count; row < count; row++)
        if (!is_end(g->part[row]))
            cut_limit(world, g, row);
    g->problem.contact_count = count;
    if (g->problem.domains != NULL) {
        // contacts of bodies with joints are all in the last task
        if (g->problem.domains != &g->domains)
            g->domains = *g->problem.domains;
        g->domains.start[con_domains_tasks(&g->domains)] = count;
        g->problem.domains = &g->domains;
    }
    con_assemble_diagonal_range(&g->problem, g->contact_count, count, g->W_diagonal);
}

/// The way of a coordinate over the step beside that of its row: what turns about an axis goes on
/// chords, and a spring's work is that of the way.
/// @param after  H v
static double way_share(const cairn_world *world, int joint, double after, double u)
{
    const eng_joint_step *s = world->scratch.joint_step;
    double h = world->state.clock.step, rows = 0.5 * h * (s->speed[joint] + after);
    double way =
        s->mid[joint].coordinate + 0.5 * h * u - world->state.joints.rows[joint].coordinate;
    // nothing but round-off where nothing moves
    const double still = 1e-5;
    double share = 1.0 + (way - rows) * rows / (rows * rows + still * still);
    return fmin(fmax(share, 0.8), 1.25);
}

/// What the speed of a row is beyond H v, for the speed u of its coordinate at the end that the
/// velocities v lead to.
static double offset_of(const cairn_world *world, const eng_graph_rows *g, int row,
                        const double (*v)[6], double u)
{
    int kind = g->part[row], axis = axis_of(kind), joint = g->system->joint[g->joint[row]];
    const eng_graph_part *part = &world->scratch.joint_step->graph[joint].part[kind];
    double along = 0.0;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 6 && g->body[row][s] >= 0; k++)
            along += g->H[row][s][axis][k] * v[g->body[row][s]][k];
    double turns = 0.0;
    if (kind == ENG_GRAPH_SPRING && eng_joint_has_swing(world->model.joints.rows[joint].kind))
        u = along;
    else if (kind == ENG_GRAPH_SPRING)
        turns = part->compliance * part->l * (1.0 / way_share(world, joint, along, u) - 1.0);
    return sign_of(kind) * (u - part->kink) - along + turns;
}

double eng_graph_rows_offset(const cairn_world *world, const eng_graph_rows *g,
                             const double (*v)[6], const double *speed)
{
    double worst = 0.0;
    for (int row = g->contact_count; row < g->contact_count + g->row_count; row++) {
        double offset = offset_of(world, g, row, v, speed[g->joint[row]]);
        worst = fmax(worst, fabs(offset - g->w[row][axis_of(g->part[row])]));
    }
    return worst;
}

void eng_graph_rows_aim(const cairn_world *world, eng_graph_rows *g, const double (*v_free)[6],
                        const double (*v)[6], const double *speed)
{
    for (int row = g->contact_count; row < g->contact_count + g->row_count; row++)
        g->w[row][axis_of(g->part[row])] = offset_of(world, g, row, v, speed[g->joint[row]]);
    g->problem.v_free = v_free;
    con_apply_H(&g->problem, v_free, g->problem.w, g->q);
}

bool eng_graph_rows_take(cairn_world *world, const eng_graph_rows *g, const double (*U)[3])
{
    bool reached = false;
    for (int row = g->contact_count; row < g->contact_count + g->row_count; row++) {
        int kind = g->part[row], axis = axis_of(kind);
        eng_graph_part *part = part_of(&world->scratch, g, row);
        part->l = sign_of(kind) * g->R[row][axis];
        part->slip = U[row][axis] - part->compliance * part->l;
        if (!is_end(kind) && part->bound < part->limit && part->l != 0.0 &&
            fabs(part->l) >= (1.0 - 1e-6) * part->bound) {
            part->bound = fmin(part->limit, limit_growth * part->bound);
            reached = true;
        }
    }
    return reached;
}
