// SPDX-License-Identifier: Apache-2.0
// Restitution in the normal velocities of the problem of a step: whether there is any, without it,
// and less of it where an impact would make energy, theory.md 3.1.
#include "engine/joints/joints.h"
#include "engine/pairs/sharing.h"
#include "engine/passes/impact.h"
#include "engine/passes/islands.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <string.h>

enum { CONTACT_CHUNK = 128, ROUNDS_MAX = 12 };

// an island that has lost less than this share of what its impacts turn back keeps its restitution
static const double loss_allowed = 1e-5;

// and a gain that is more than round-off of a solve, where contacts that are all closed would make
// none
static const double clear_gain = 1e-4;

static con_cone_terms terms_of(const cairn_world *world, int contact)
{
    const eng_surface *surface =
        &world->model.materials.surfaces[world->contacts.set.surface[contact]];
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    return terms;
}

/// Closing velocity that is an impact, m/s: more than gravity gives in four steps.
static double least_impact(const cairn_world *world)
{
    return 4.0 * world->state.clock.step * vec3_norm(vec3_from(world->model.def.gravity));
}

double eng_tangential_bounce(const cairn_world *world, const con_cone_terms *terms,
                             const double V[3])
{
    return world->model.def.impact == CAIRN_IMPACT_NEWTON && V[0] < -least_impact(world)
               ? terms->tangential
               : 0.0;
}

double eng_normal_bounce(const cairn_world *world, const con_cone_terms *terms, int contact)
{
    if (world->scratch.solve.rebound != NULL && world->scratch.solve.rebound[contact] > 0.0)
        return -world->scratch.solve.rebound[contact];
    bool newton = world->model.def.impact == CAIRN_IMPACT_NEWTON;
    return newton && eng_contact_bounces(world, contact, terms->restitution)
               ? terms->restitution * world->contacts.set.V[contact][0]
               : 0.0;
}

/// q and w of a contact, and what restitution has of them, lose a part.
static void take_from(eng_world_scratch *scratch, int contact, int row, double part)
{
    const con_problem *problems[2] = {&scratch->solve.problem, scratch->solve.solved};
    for (int i = 0; i < (scratch->solve.solved->q != scratch->solve.problem.q ? 2 : 1); i++) {
        ((double(*)[3])problems[i]->q)[contact][row] -= part;
        ((double(*)[3])problems[i]->w)[contact][row] -= part;
    }
    ((double(*)[3])scratch->solve.shift)[contact][row] -= part;
}

bool eng_impacts_bounce(const cairn_world *world)
{
    bool any = false;
    for (int task = 0; task < con_domains_tasks(&world->contacts.domains); task++) {
        con_span held =
            con_domains_held(&world->contacts.domains, world->contacts.set.cone_count, task);
        for (int i = held.begin; i < held.end && !any; i++) {
            con_cone_terms terms = terms_of(world, i);
            any = eng_normal_bounce(world, &terms, i) != 0.0;
        }
    }
    return con_team_any(&world->contacts.domains, any);
}

static void deaden_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    for (int i = begin; i < end; i++) {
        con_cone_terms terms = terms_of(world, i);
        if (eng_normal_bounce(world, &terms, i) != 0.0)
            take_from(&world->scratch, i, 0, world->scratch.solve.shift[i][0]);
    }
}

void eng_impacts_deaden(cairn_world *world)
{
    con_domains_each(&world->contacts.domains, world->model.workers, world->contacts.set.cone_count,
                     CONTACT_CHUNK, deaden_chunk, world);
    eng_sharing_changed(world);
}

// ---------------------------------------------------------------- energy

/// Bodies that contacts and joints tie together, and the energy that the step's solution makes in
/// them by a share of their restitution.
typedef struct cap_island {
    double share, gain; // gain: J
    double size;        // J, of the closing of its impacts
    double slope;       // J, gain for the square of the share, roughly
    double least_e, most_e;
    // the largest share that is known to make no energy, and the least one that makes some
    double low, low_gain, high, high_gain;
    bool low_known, rubs, open; // open: still looked for
} cap_island;

typedef struct impact_cap {
    cairn_world *world;
    int *island; // [cone_count]
    int count, round;
    cap_island *islands; // [count]
} impact_cap;

/// What other processes know of contacts and of the last solution, to all.
static cairn_status share_solution(cairn_world *world)
{
    eng_contacts *c = &world->contacts.set;
    if (!eng_sharing_is_active(world))
        return CAIRN_OK;
    con_rows rows[] = {
        {c->body, sizeof *c->body},
        {c->surface, sizeof *c->surface},
        {c->V, sizeof *c->V},
        {(void *)world->scratch.solve.shift, sizeof *world->scratch.solve.shift},
        {world->scratch.solve.solved_R, sizeof *world->scratch.solve.solved_R},
        {world->scratch.solve.solution_U, sizeof *world->scratch.solve.solution_U},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        con_team_share_contacts(&world->state.sharing->team, rows[i]);
    return eng_sharing_status(world);
}

/// Impulse of a contact in the step, with that of impacts before the problem, N s, and the velocity
/// that both have met, m/s.
static void take_impact(const cairn_world *world, int contact, double R[3], double V[3])
{
    const eng_contacts *c = &world->contacts.set;
    memcpy(R, world->scratch.solve.solved_R[contact], 3 * sizeof *R);
    memcpy(V, c->V[contact], 3 * sizeof *V);
    if (world->scratch.solve.rebound == NULL)
        return;
    vec3 velocity[2];
    for (int side = 0; side < 2; side++) {
        double u[6];
        int body = c->body[contact][side];
        eng_impact_velocity(world, body, u);
        velocity[side] =
            eng_image_velocity(world, body, u, eng_contact_place(world, contact, side));
    }
    vec3_store(V, mat3_apply(&c->frame[contact], vec3_sub(velocity[1], velocity[0])));
    for (int k = 0; k < 3; k++)
        R[k] += world->scratch.solve.given[contact][k];
}

static void add_gains(impact_cap *cap)
{
    const cairn_world *world = cap->world;
    const eng_contacts *c = &world->contacts.set;
    double least = least_impact(world);
    for (int k = 0; k < cap->count; k++)
        cap->islands[k].gain = cap->islands[k].size = cap->islands[k].slope = 0.0;
    for (int i = 0; i < c->cone_count; i++) {
        cap_island *own = &cap->islands[cap->island[i]];
        const double *U = world->scratch.solve.solution_U[i];
        con_cone_terms terms = terms_of(world, i);
        double e = terms.restitution, R[3], V[3];
        take_impact(world, i, R, V);
        for (int k = 0; k < 3; k++)
            own->gain += 0.5 * R[k] * (U[k] - world->scratch.solve.shift[i][k] + V[k]);
        own->gain += eng_rolling_work(world, i);
        if (V[0] > -least || R[0] <= 0.0)
            continue;
        own->size -= 0.5 * R[0] * V[0];
        own->slope -= 0.5 * R[0] * V[0] * e * e / (1.0 + e);
        own->rubs = own->rubs || terms.friction > 0.0;
        own->least_e = fmin(own->least_e, e);
        own->most_e = fmax(own->most_e, e);
    }
}

static void find_islands(impact_cap *cap, int *parent, int *number)
{
    const cairn_world *world = cap->world;
    const eng_contacts *c = &world->contacts.set;
    for (int i = 0; i < world->scratch.general.reach; i++) {
        parent[i] = i;
        number[i] = -1;
    }
    for (int i = 0; i < c->cone_count; i++)
        eng_island_join(world, parent, c->body[i][0], c->body[i][1]);
    for (int i = 0; i < world->model.joints.count; i++)
        eng_island_join(world, parent, world->model.joints.rows[i].body[0],
                        world->model.joints.rows[i].body[1]);
    for (int i = 0; i < c->cone_count; i++) {
        int free = c->body[i][eng_is_dynamic(world, c->body[i][0]) ? 0 : 1];
        int *own = &number[base_groups_first(parent, free)];
        *own = *own < 0 ? cap->count++ : *own;
        cap->island[i] = *own;
    }
}

/// Looks at the solution of the step. @param cap  out: NULL where no impact makes energy
static cairn_status begin_cap(cairn_world *world, impact_cap **cap)
{
    base_arena *arena = world->scratch.arena;
    int n = world->contacts.set.cone_count;
    *cap = NULL;
    BASE_TRY(share_solution(world));
    impact_cap *made = base_arena_array(arena, impact_cap, "impact energy", 1);
    int *island = base_arena_array(arena, int, "impact energy", n);
    int *parent = base_arena_array(arena, int, "impact energy", world->scratch.general.reach);
    int *number = base_arena_array(arena, int, "impact energy", world->scratch.general.reach);
    cap_island *islands = base_arena_array(arena, cap_island, "impact energy", n);
    if (made == NULL || island == NULL || parent == NULL || number == NULL || islands == NULL)
        return CAIRN_ERROR_MEMORY;
    *made = (impact_cap){.world = world, .island = island, .islands = islands};
    find_islands(made, parent, number);
    for (int k = 0; k < made->count; k++)
        islands[k] = (cap_island){.share = 1.0, .high = 1.0, .least_e = 1.0};
    add_gains(made);
    for (int k = 0; k < made->count; k++) {
        cap_island *own = &islands[k];
        // one e and no friction make none where all that bear are closed, whatever round-off of the
        // solve says; contacts that are still open, or held to a rebound, give nothing back
        bool makes =
            own->rubs || own->least_e != own->most_e || world->scratch.solve.rebound != NULL;
        double most =
            makes ? world->model.def.tolerance : fmax(world->model.def.tolerance, clear_gain);
        own->open = own->most_e > 0.0 && own->gain > most * own->size;
        *cap = own->open ? made : *cap;
    }
    return CAIRN_OK;
}

/// The next share to try, where the gain is about linear in its square.
static double next_share(const cap_island *own, int round)
{
    double aim = -0.3 * loss_allowed * own->size, low = own->low * own->low,
           high = own->high * own->high;
    double x = high - 1.3 * (own->high_gain - aim) / fmax(own->slope, 1e-300);
    if (own->low_known)
        x = low + (aim - own->low_gain) / (own->high_gain - own->low_gain) * (high - low);
    if (round % 3 == 2 || !(x > low && x < high))
        x = 0.5 * (low + high);
    return sqrt(x);
}

/// Moves an island on by what its last share made. @return true: it has to be solved again
static bool look_at(cap_island *own, int round)
{
    bool makes = own->gain > 0.0;
    if (makes) {
        own->high = own->share;
        own->high_gain = own->gain;
    } else {
        own->low = own->share;
        own->low_gain = own->gain;
        own->low_known = true;
    }
    own->open = makes || own->gain < -loss_allowed * own->size;
    if (!own->open)
        return false;
    own->open = round < ROUNDS_MAX;
    own->share = own->open ? next_share(own, round) : own->low;
    return own->open || makes;
}

/// Changes restitution by what the last solution made. @return true: the step is to be solved again
static bool next_try(impact_cap *cap)
{
    cairn_world *world = cap->world;
    double *before = base_arena_array(world->scratch.arena, double, "impact energy", cap->count);
    bool again = false;
    if (before == NULL)
        return false;
    if (cap->round > 0 && share_solution(world) == CAIRN_OK)
        add_gains(cap);
    for (int k = 0; k < cap->count; k++) {
        before[k] = cap->islands[k].share;
        if (cap->islands[k].open)
            again = look_at(&cap->islands[k], cap->round) || again;
    }
    for (int i = 0; i < world->contacts.set.cone_count && again; i++) {
        double less = before[cap->island[i]] - cap->islands[cap->island[i]].share;
        if (less == 0.0)
            continue;
        con_cone_terms terms = terms_of(world, i);
        const double *V = world->contacts.set.V[i];
        double back =
            world->contacts.set.gap[i] <= 0.0 ? eng_tangential_bounce(world, &terms, V) : 0.0;
        take_from(&world->scratch, i, 0, less * eng_normal_bounce(world, &terms, i));
        take_from(&world->scratch, i, 1, less * back * V[1]);
        take_from(&world->scratch, i, 2, less * back * V[2]);
    }
    cap->round++;
    return again;
}

cairn_status eng_impacts_cap(cairn_world *world,
                             cairn_status (*solve)(cairn_world *world, bool trial,
                                                   cairn_error *error),
                             cairn_error *error)
{
    impact_cap *cap;
    cairn_status status = begin_cap(world, &cap);
    if (status != CAIRN_OK)
        return base_fail(error, status, "out of memory in a step");
    while (status == CAIRN_OK && cap != NULL && world->state.pieces.stop == CON_STOP_SOLVED &&
           next_try(cap))
        status = solve(world, false, error);
    return status;
}
