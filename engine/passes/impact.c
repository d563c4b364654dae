// SPDX-License-Identifier: Apache-2.0
// Impacts by Poisson's law, one after the other and by energy, and cohesion, theory.md (3.4)-(3.8).
#include "engine/passes/impact.h"
#include "contact/local/energetic.h"
#include "engine/pairs/sharing.h"
#include "engine/passes/islands.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/state/rotation.h"

#include "base/elementary.h"

#include <math.h>
#include <string.h>

// SWEEPS: of Gauss-Seidel in a phase; EVENTS: impacts one after the other, for each contact
enum { SWEEPS = 2000, EVENTS = 2000, CONTACT_CHUNK = 128 };

/// One closed contact, as impacts see it.
typedef struct site {
    int contact, body[2];
    mat3 W;      // kg^-1
    double V[3]; // m/s, before the step
    double mu, restitution, tangential;
    double R[3];      // N s, of this phase
    double bounce[3]; // m/s, what restitution adds to the velocity that the phase leaves
    double least;     // N s, normal impulse that restitution gives
    double all[3];    // N s, of all phases
    int island;       // of the bodies that sites tie together
    // of an impact: velocity before it; impulse and velocity without restitution, and with it
    double before[3], dead[2][3], live[2][3];
} site;

/// What restitution does to the energy of the sites of an island in one impact, J.
typedef struct balance {
    double dead, live, bend; // change without it, with all of it, and what its share bends
    // of the normal work of restitution: linear and squared in the share, and what e^2 asks for
    double given, bend_normal, asked;
} balance;

typedef struct impacts {
    cairn_world *world;
    site *sites; // [count]
    int count;
    balance *balance; // [count] of islands
    double (*u)[6];   // [reach] m/s, velocities that change
    double threshold; // m/s, closing velocity that is an impact
} impacts;

/// Terms of a surface; zeros of one whose law is no cone.
static con_cone_terms surface_terms(const eng_surface *surface)
{
    con_cone_terms terms = {0};
    if (surface->law->kind == CON_LAW_CONE)
        surface->law->cone(surface->parameters, &terms);
    return terms;
}

static con_cone_terms terms_of(const cairn_world *world, int contact)
{
    return surface_terms(&world->model.materials.surfaces[world->contacts.set.surface[contact]]);
}

/// Velocity of B against A at a contact, in its frame.
static void relative(const impacts *all, const site *s, double out[3])
{
    const cairn_world *world = all->world;
    const eng_contacts *c = &world->contacts.set;
    vec3 v[2];
    for (int side = 0; side < 2; side++)
        v[side] = eng_image_velocity(world, s->body[side], all->u[s->body[side]],
                                     eng_contact_place(world, s->contact, side));
    vec3_store(out, mat3_apply(&c->frame[s->contact], vec3_sub(v[1], v[0])));
}

/// An impulse on B, contact frame, and its opposite on A, change u.
static void push(const impacts *all, const site *s, const double R[3])
{
    const cairn_world *world = all->world;
    const eng_contacts *c = &world->contacts.set;
    vec3 impulse = mat3_apply_transposed(&c->frame[s->contact], vec3_from(R));
    for (int side = 0; side < 2; side++) {
        int body = s->body[side];
        if (world->model.bodies.rows[body].kind != CAIRN_DYNAMIC)
            continue;
        vec3 own = side == 0 ? vec3_negate(impulse) : impulse;
        vec3 place = eng_contact_place(world, s->contact, side);
        vec3 arm =
            vec3_sub(eng_image_point(world, body, place), world->state.bodies.q_mid[body].position);
        vec3 turn =
            quat_rotate_inverse(world->state.bodies.q_mid[body].orientation, vec3_cross(arm, own));
        for (int k = 0; k < 3; k++) {
            all->u[body][k] += world->state.bodies.mass_inverse[body][k] * vec3_get(own, k);
            all->u[body][k + 3] +=
                world->state.bodies.mass_inverse[body][k + 3] * vec3_get(turn, k);
        }
    }
}

static void change(const impacts *all, site *s, const double R[3])
{
    double step[3];
    for (int k = 0; k < 3; k++) {
        step[k] = R[k] - s->R[k];
        s->R[k] = R[k];
        s->all[k] += step[k];
    }
    push(all, s, step);
}

/// Solves one contact for R with b = u - W R at hand.
static void solve_site(const impacts *all, const site *s, const double b[3], double R[3])
{
    const cairn_world *world = all->world;
    con_local_problem problem = {.W = s->W, .mu = s->mu};
    memcpy(problem.b, b, sizeof problem.b);
    world->model.local.plugin->solve(world->model.local.settings, &problem, R);
}

// ---------------------------------------------------------------- Poisson

/// The reaction of one contact in a phase: (3.4), (3.6), or at least `least` (3.5).
static void phase_reaction(const impacts *all, const site *s, bool expanding, double R[3])
{
    double u[3], b[3];
    relative(all, s, u);
    memcpy(R, s->R, 3 * sizeof *R);
    if (!expanding) {
        for (int i = 0; i < 3; i++)
            b[i] = u[i] + s->bounce[i] -
                   (s->W.m[i][0] * R[0] + s->W.m[i][1] * R[1] + s->W.m[i][2] * R[2]);
        solve_site(all, s, b, R);
        return;
    }
    double w = s->W.m[1][1] + s->W.m[2][2];
    R[0] = fmax(s->least, R[0] - u[0] / s->W.m[0][0]);
    R[1] -= u[1] / w;
    R[2] -= u[2] / w;
    double size = base_hypot(R[1], R[2]), most = s->mu * R[0];
    for (int k = 1; k < 3 && size > most; k++)
        R[k] *= most / size;
}

/// @param part  sites that take part, or NULL: all in order
static void run_phase(const impacts *all, const int *part, int count, bool expanding)
{
    double scale = 0.0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double worst = 0.0;
        for (int k = 0; k < count; k++) {
            int i = sweep % 2 == 0 ? k : count - 1 - k;
            site *s = &all->sites[part != NULL ? part[i] : i];
            double R[3], before = s->R[0];
            double moved = base_hypot(s->R[1], s->R[2]);
            phase_reaction(all, s, expanding, R);
            change(all, s, R);
            worst = fmax(worst, fabs(R[0] - before) + fabs(base_hypot(R[1], R[2]) - moved));
            scale = fmax(scale, fabs(R[0]));
        }
        // one contact alone is solved at once, but for the end of Poisson's law
        if ((count == 1 && !expanding) || worst <= 1e-13 * scale)
            break;
    }
}

// ---------------------------------------------------------------- energy

static double product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Change of the kinetic energy by an impulse that takes the velocity of its contact from `before`
/// to `after`, J.
static double energy_of(const double R[3], const double before[3], const double after[3])
{
    return 0.5 * (product(R, before) + product(R, after));
}

/// Larger root x of a x^2 + b x = c with c >= 0; `none` where there is none.
static double larger_root(double a, double b, double c, double none)
{
    double under = b * b + 4.0 * a * c;
    if (!(under >= 0.0))
        return none;
    double root = sqrt(under);
    if (b > 0.0)
        return 2.0 * c / (b + root);
    return a > 0.0 ? (root - b) / (2.0 * a) : none;
}

/// Share of restitution that an island takes: what its normal work asks for under `energetic`, else
/// all; in no case more than leaves the energy that there was, (3.7).
static double share_of(const impacts *all, const balance *b)
{
    double wish = 1.0, slope = b->live - b->dead - b->bend;
    if (all->world->model.def.impact == CAIRN_IMPACT_ENERGETIC)
        wish = larger_root(b->bend_normal, b->given, b->asked, 1.0);
    return fmin(wish, larger_root(b->bend, slope, fmax(-b->dead, 0.0), wish));
}

static int site_of(const int *part, int k)
{
    return part != NULL ? part[k] : k;
}

/// Impulses with all restitution, which the sites have now, become those with the share of it that
/// their islands take.
static void settle_energy(const impacts *all, const int *part, int count)
{
    for (int k = 0; k < count; k++)
        all->balance[all->sites[site_of(part, k)].island] = (balance){0};
    for (int k = 0; k < count; k++) {
        const site *s = &all->sites[site_of(part, k)];
        balance *b = &all->balance[s->island];
        double more[3], faster[3];
        for (int i = 0; i < 3; i++) {
            more[i] = s->live[0][i] - s->dead[0][i];
            faster[i] = s->live[1][i] - s->dead[1][i];
        }
        b->dead += energy_of(s->dead[0], s->before, s->dead[1]);
        b->live += energy_of(s->live[0], s->before, s->live[1]);
        b->bend += 0.5 * product(more, faster);
        b->bend_normal += 0.5 * more[0] * faster[0];
        b->given += more[0] * s->dead[1][0];
        b->asked += s->restitution * s->restitution *
                    fmax(-0.5 * s->dead[0][0] * (s->before[0] + s->dead[1][0]), 0.0);
    }
    for (int k = 0; k < count; k++) {
        site *s = &all->sites[site_of(part, k)];
        double share = share_of(all, &all->balance[s->island]), R[3];
        for (int i = 0; i < 3; i++)
            R[i] = s->R[i] + (share - 1.0) * (s->live[0][i] - s->dead[0][i]);
        if (share != 1.0)
            change(all, s, R);
    }
}

/// Compression, restitution by e times its impulses, and the energy of both.
static void compress_and_expand(const impacts *all, const int *part, int count)
{
    for (int k = 0; k < count; k++) {
        site *s = &all->sites[site_of(part, k)];
        relative(all, s, s->before);
        memset(s->R, 0, sizeof s->R);
        memset(s->bounce, 0, sizeof s->bounce);
    }
    run_phase(all, part, count, false);
    for (int k = 0; k < count; k++) {
        site *s = &all->sites[site_of(part, k)];
        relative(all, s, s->dead[1]);
        memcpy(s->dead[0], s->R, sizeof s->R);
        s->least = s->restitution * s->R[0];
    }
    for (int k = 0; k < count; k++) {
        site *s = &all->sites[site_of(part, k)];
        memset(s->R, 0, sizeof s->R);
        change(all, s, (const double[3]){s->least, 0.0, 0.0});
    }
    run_phase(all, part, count, true);
    for (int k = 0; k < count; k++) {
        site *s = &all->sites[site_of(part, k)];
        relative(all, s, s->live[1]);
        for (int i = 0; i < 3; i++)
            s->live[0][i] = s->dead[0][i] + s->R[i];
    }
    settle_energy(all, part, count);
}

/// Newton's law, all at once.
static void bounce_back(const impacts *all, const int *part, int count)
{
    double made = 0.0, size = 0.0;
    for (int k = 0; k < count; k++) {
        site *s = &all->sites[part[k]];
        relative(all, s, s->before);
        memset(s->R, 0, sizeof s->R);
        for (int i = 0; i < 3; i++)
            s->bounce[i] = (i == 0 ? s->restitution : s->tangential) * s->before[i];
    }
    run_phase(all, part, count, false);
    for (int k = 0; k < count; k++) {
        site *s = &all->sites[part[k]];
        relative(all, s, s->live[1]);
        memcpy(s->live[0], s->R, sizeof s->R);
        double change_of = energy_of(s->R, s->before, s->live[1]);
        made += fmax(change_of, 0.0);
        size += fabs(s->R[0] * s->before[0]);
    }
    // where no site gains no island does
    if (!(made > 1e-14 * size))
        return;
    for (int k = 0; k < count; k++)
        memset(all->sites[part[k]].bounce, 0, sizeof all->sites[part[k]].bounce);
    run_phase(all, part, count, false);
    for (int k = 0; k < count; k++) {
        site *s = &all->sites[part[k]];
        relative(all, s, s->dead[1]);
        memcpy(s->dead[0], s->R, sizeof s->R);
    }
    for (int k = 0; k < count; k++)
        change(all, &all->sites[part[k]], all->sites[part[k]].live[0]);
    settle_energy(all, part, count);
}

// ---------------------------------------------------------------- one after the other

/// Contacts of bodies, and the fastest contact among all: leaves of a tree of maxima.
typedef struct queue {
    const int *start, *touch; // contacts of body b: touch[start[b]] ... touch[start[b + 1] - 1]
    int *tree;                // [2 size] index of the fastest below a node; leaves from `size` on
    double *closing;          // [count] m/s
    int *group;               // [2 size + 2] contacts that collide at once, room to walk the tree
    int size;
} queue;

static int faster(const queue *q, int a, int b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return q->closing[b] > q->closing[a] ? b : a;
}

static void update(const impacts *all, const queue *q, int i)
{
    double u[3];
    relative(all, &all->sites[i], u);
    q->closing[i] = -u[0];
    for (int node = (q->size + i) / 2; node >= 1; node /= 2)
        q->tree[node] = faster(q, q->tree[2 * node], q->tree[2 * node + 1]);
}

/// Contacts that close as fast as the fastest, up to what solves leave open, in order of their
/// index.
/// @param share  of their speed that is no difference
/// @param noise  m/s, of round-off in velocities
/// @return their number, in q->group
static int take_group(const queue *q, double share, double noise)
{
    double most = q->closing[q->tree[1]], least = most - fmax(share * most, noise);
    int *stack = q->group + q->size, deep = 0, count = 0;
    stack[deep++] = 1;
    while (deep > 0) {
        int node = stack[--deep];
        if (q->tree[node] < 0 || q->closing[q->tree[node]] < least)
            continue;
        if (node >= q->size) {
            q->group[count++] = q->tree[node];
            continue;
        }
        stack[deep++] = 2 * node + 1;
        stack[deep++] = 2 * node;
    }
    return count;
}

/// One contact by Routh's process, (3.8).
static void collide_alone(const impacts *all, site *s)
{
    double u[3], R[3];
    relative(all, s, u);
    con_impact_energetic(&s->W, s->mu, s->restitution, u, R);
    memset(s->R, 0, sizeof s->R);
    change(all, s, R);
}

/// Contacts that close fastest collide first, those of equal speed at once, by Newton's law or by
/// energy, and so on, (3.6).
static void collide_in_turn(const impacts *all, const queue *q)
{
    int64_t left = (int64_t)EVENTS * all->count;
    double share = fmax(1e-9, all->world->model.def.tolerance);
    double first = fmax(q->closing[q->tree[1]], 0.0), stop = fmax(all->threshold, 1e-9 * first);
    while (left > 0 && q->closing[q->tree[1]] > stop) {
        int count = take_group(q, share, 1e-11 * first);
        left -= count;
        if (all->world->model.def.impact == CAIRN_IMPACT_SEQUENTIAL)
            bounce_back(all, q->group, count);
        else if (count > 1)
            compress_and_expand(all, q->group, count);
        else
            collide_alone(all, &all->sites[q->group[0]]);
        for (int i = 0; i < count; i++) {
            const site *s = &all->sites[q->group[i]];
            for (int side = 0; side < 2; side++)
                for (int k = q->start[s->body[side]]; k < q->start[s->body[side] + 1]; k++)
                    update(all, q, q->touch[k]);
        }
    }
}

static bool make_queue(const impacts *all, queue *q)
{
    base_arena *arena = all->world->scratch.arena;
    int bodies = all->world->scratch.general.reach;
    for (q->size = 1; q->size < all->count;)
        q->size *= 2;
    int *start = base_arena_array(arena, int, "impact starts", bodies + 2);
    int *touch = base_arena_array(arena, int, "impact contacts", 2 * all->count);
    q->tree = base_arena_array(arena, int, "impact queue", 2 * q->size);
    q->closing = base_arena_array(arena, double, "closing velocities", all->count);
    q->group = base_arena_array(arena, int, "impact group", 2 * q->size + 2);
    if (start == NULL || touch == NULL || q->tree == NULL || q->closing == NULL || q->group == NULL)
        return false;
    memset(start, 0, (size_t)(bodies + 2) * sizeof *start);
    // counts two places up, then ends one place up, which filling turns into starts
    for (int i = 0; i < 2 * all->count; i++) {
        int body = all->sites[i / 2].body[i % 2];
        start[body + 2] += all->world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
    }
    for (int b = 0; b < bodies; b++)
        start[b + 2] += start[b + 1];
    for (int i = 0; i < 2 * all->count; i++) {
        int body = all->sites[i / 2].body[i % 2];
        if (all->world->model.bodies.rows[body].kind == CAIRN_DYNAMIC)
            touch[start[body + 1]++] = i / 2;
    }
    q->start = start;
    q->touch = touch;
    for (int i = 0; i < 2 * q->size; i++)
        q->tree[i] = i >= q->size && i - q->size < all->count ? i - q->size : -1;
    memset(q->closing, 0, (size_t)all->count * sizeof *q->closing);
    for (int i = 0; i < all->count; i++)
        update(all, q, i);
    return true;
}

// ---------------------------------------------------------------- the pass

/// Touching up to what the position correction leaves alone.
static bool touches(const cairn_world *world, int contact)
{
    const eng_contacts *c = &world->contacts.set;
    double size = INFINITY;
    for (int side = 0; side < 2; side++)
        size = fmin(
            size, world->model.shapes.rows[world->model.bodies.rows[c->body[contact][side]].shape]
                      ->smallest_size);
    return c->gap[contact] <= (isfinite(size) ? 1e-5 * size : 0.0);
}

/// Whether bodies that are apart meet so fast within the step that they bounce there.
static bool meets(const cairn_world *world, const site *s)
{
    return world->contacts.set.meets[s->contact] > 0.0 &&
           eng_bounces(world, s->body[0], s->body[1], s->restitution, s->V[0]);
}

/// Contacts that are closed, or met, with what an impact needs of them; true where one of them
/// collides.
static bool gather(impacts *all)
{
    cairn_world *world = all->world;
    const eng_contacts *c = &world->contacts.set;
    bool collide = false;
    for (int i = 0; i < c->cone_count; i++) {
        bool touch = touches(world, i);
        if (!touch && !(c->meets[i] > 0.0))
            continue;
        con_cone_terms terms = terms_of(world, i);
        site *s = &all->sites[all->count];
        *s = (site){.contact = i,
                    .body = {c->body[i][0], c->body[i][1]},
                    .mu = terms.friction,
                    .restitution = terms.restitution,
                    .tangential = terms.tangential};
        for (int side = 0; side < 2; side++) {
            int body = s->body[side];
            mat3 W = eng_point_mobility(
                world->state.bodies.mass_inverse[body], &world->state.bodies.q_mid[body],
                &c->frame[i], eng_image_point(world, body, eng_contact_place(world, i, side)));
            s->W = mat3_add(&s->W, &W);
        }
        relative(all, s, s->V);
        if (!touch && !meets(world, s))
            continue;
        all->count++;
        collide = collide || s->V[0] < -all->threshold;
    }
    return collide;
}

/// Islands of the dynamic bodies that sites tie together.
static bool find_islands(const impacts *all)
{
    const cairn_world *world = all->world;
    int *parent =
        base_arena_array(world->scratch.arena, int, "impact islands", world->scratch.general.reach);
    int *number =
        base_arena_array(world->scratch.arena, int, "impact islands", world->scratch.general.reach);
    if (parent == NULL || number == NULL)
        return false;
    for (int i = 0; i < all->count; i++)
        for (int side = 0; side < 2; side++)
            parent[all->sites[i].body[side]] = all->sites[i].body[side];
    for (int i = 0; i < all->count; i++) {
        const int *body = all->sites[i].body;
        eng_island_join(world, parent, body[0], body[1]);
    }
    for (int i = 0; i < all->count; i++)
        for (int side = 0; side < 2; side++)
            number[base_groups_first(parent, all->sites[i].body[side])] = -1;
    for (int i = 0, count = 0; i < all->count; i++) {
        const int *body = all->sites[i].body;
        int free = eng_is_dynamic(world, body[0]) ? body[0] : body[1];
        int *own = &number[base_groups_first(parent, free)];
        *own = *own < 0 ? count++ : *own;
        all->sites[i].island = *own;
    }
    return true;
}

/// Impulses of a site on its bodies' free velocities.
static void give(cairn_world *world, int contact, const double R[3])
{
    const eng_contacts *c = &world->contacts.set;
    vec3 impulse = mat3_apply_transposed(&c->frame[contact], vec3_from(R));
    for (int side = 0; side < 2; side++) {
        int body = c->body[contact][side];
        if (world->model.bodies.rows[body].kind != CAIRN_DYNAMIC)
            continue;
        vec3 own = side == 0 ? vec3_negate(impulse) : impulse;
        vec3 place = eng_contact_place(world, contact, side);
        vec3 arm =
            vec3_sub(eng_image_point(world, body, place), world->state.bodies.q_mid[body].position);
        eng_body_push(&world->state, body, own, vec3_cross(arm, own));
    }
    for (int k = 0; k < 3; k++)
        world->scratch.solve.given[contact][k] += R[k];
}

void eng_impact_velocity(const cairn_world *world, int body, double u[6])
{
    vec3 J = eng_inertia_of(world, body), omega = vec3_from(world->state.bodies.v[body] + 3);
    memcpy(u, world->state.bodies.v[body], 6 * sizeof *u);
    if (world->model.bodies.rows[body].kind == CAIRN_DYNAMIC && !(J.x == J.y && J.y == J.z) &&
        !eng_flows(world, body))
        vec3_store(u + 3, eng_rotation_middle(J, omega, world->state.clock.step));
}

/// Velocities with which bodies meet.
static void meet(impacts *all)
{
    const cairn_world *world = all->world;
    memcpy(all->u, world->state.bodies.v, (size_t)world->scratch.general.reach * sizeof *all->u);
    for (int k = 0; k < world->scratch.general.active_count; k++)
        eng_impact_velocity(world, world->scratch.general.active[k],
                            all->u[world->scratch.general.active[k]]);
}

/// Velocities that sites which collided part with, but for forces of the step that press bodies
/// together. Bodies turn as they do without contacts.
static void keep_rebound(const impacts *all)
{
    cairn_world *world = all->world;
    memset(world->scratch.solve.rebound, 0,
           (size_t)world->contacts.set.cone_count * sizeof *world->scratch.solve.rebound);
    for (int i = 0; i < all->count; i++)
        for (int side = 0; side < 2; side++) {
            int body = all->sites[i].body[side], first = eng_is_dynamic(world, body) ? 3 : 0;
            for (int k = first; k < 6; k++)
                all->u[body][k] = world->state.bodies.v_free[body][k];
        }
    for (int i = 0; i < all->count; i++) {
        const site *s = &all->sites[i];
        double u[3];
        relative(all, s, u);
        world->scratch.solve.rebound[s->contact] = s->all[0] > 0.0 ? fmax(u[0], 0.0) : 0.0;
    }
}

static cairn_status collide(cairn_world *world)
{
    size_t contacts = (size_t)world->contacts.set.cone_count,
           bodies = (size_t)world->scratch.general.reach;
    impacts all = {.world = world};
    all.sites = base_arena_array(world->scratch.arena, site, "impacts", contacts);
    all.u = base_arena_allocate(world->scratch.arena, "impact velocities", bodies, sizeof *all.u);
    if (all.sites == NULL || all.u == NULL)
        return CAIRN_ERROR_MEMORY;
    meet(&all);
    all.threshold = 4.0 * world->state.clock.step * vec3_norm(vec3_from(world->model.def.gravity));
    if (!gather(&all))
        return CAIRN_OK;
    queue q;
    all.balance = base_arena_array(world->scratch.arena, balance, "impact energies", all.count);
    world->scratch.solve.rebound =
        base_arena_array(world->scratch.arena, double, "rebound", contacts);
    if (all.balance == NULL || world->scratch.solve.rebound == NULL || !find_islands(&all))
        return CAIRN_ERROR_MEMORY;
    if (world->model.def.impact == CAIRN_IMPACT_POISSON)
        compress_and_expand(&all, NULL, all.count);
    else if (make_queue(&all, &q))
        collide_in_turn(&all, &q);
    else
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < all.count; i++)
        give(world, all.sites[i].contact, all.sites[i].all);
    keep_rebound(&all);
    return CAIRN_OK;
}

/// Contacts that were closed before attract their bodies.
static void cohere(cairn_world *world)
{
    const eng_contacts *c = &world->contacts.set;
    for (int i = 0; i < c->cone_count; i++) {
        double force = terms_of(world, i).cohesion;
        if (force > 0.0 && !c->fresh[i] && touches(world, i))
            give(world, i, (const double[3]){-world->state.clock.step * force, 0.0, 0.0});
    }
}

static bool has_cohesion(const cairn_world *world)
{
    for (int i = 0; i < world->model.materials.surface_count; i++)
        if (surface_terms(&world->model.materials.surfaces[i]).cohesion > 0.0)
            return true;
    return false;
}

cairn_status eng_impacts_check(const cairn_world *world, cairn_error *error)
{
    bool poisson = world->model.def.impact == CAIRN_IMPACT_POISSON;
    bool none = poisson || world->model.def.impact == CAIRN_IMPACT_ENERGETIC;
    for (int i = 0; i < world->model.materials.surface_count && none; i++) {
        double tangential = surface_terms(&world->model.materials.surfaces[i]).tangential;
        if (tangential > 0.0)
            return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                             "impact = \"%s\" gives no sliding velocity back: a pair has "
                             "tangential_restitution = %g, which goes with impact = \"newton\" or "
                             "\"sequential\"",
                             poisson ? "poisson" : "energetic", tangential);
    }
    return CAIRN_OK;
}

cairn_status eng_block_impacts(cairn_world *world)
{
    size_t contacts = (size_t)world->contacts.set.cone_count;
    bool coheres = has_cohesion(world), collides = world->model.def.impact != CAIRN_IMPACT_NEWTON;
    world->scratch.solve.given = NULL;
    world->scratch.solve.rebound = NULL;
    if (contacts == 0 || !(coheres || collides))
        return CAIRN_OK;
    world->scratch.solve.given = base_arena_allocate(world->scratch.arena, "given impulses",
                                                     contacts, sizeof *world->scratch.solve.given);
    if (world->scratch.solve.given == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(world->scratch.solve.given, 0, contacts * sizeof *world->scratch.solve.given);
    cairn_status status = collides ? collide(world) : CAIRN_OK;
    if (status == CAIRN_OK && coheres)
        cohere(world);
    return status;
}

cairn_status eng_impacts_add(cairn_world *world)
{
    size_t contacts = (size_t)world->contacts.set.cone_count;
    if (world->scratch.solve.given == NULL)
        return CAIRN_OK;
    if (world->scratch.solve.solved_R == world->contacts.set.R) {
        double(*kept)[3] =
            base_arena_allocate(world->scratch.arena, "solution", contacts, sizeof *kept);
        if (kept == NULL)
            return CAIRN_ERROR_MEMORY;
        memcpy(kept, world->contacts.set.R, contacts * sizeof *kept);
        world->scratch.solve.solved_R = kept;
    }
    for (size_t i = 0; i < contacts; i++)
        for (int k = 0; k < 3; k++)
            world->contacts.set.R[i][k] += world->scratch.solve.given[i][k];
    return CAIRN_OK;
}
