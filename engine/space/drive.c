// SPDX-License-Identifier: Apache-2.0
// Sides of the periodic cell that a stress drives while contacts are rigid.
#include "engine/space/drive.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/space/space.h"

#include <math.h>
#include <string.h>

// solves of a step in which a side may reach its greatest rate or come back from it
enum { ROUNDS_MAX = 6 };

/// Mass of what moves freely, kg.
static double grains_mass(const cairn_world *world)
{
    double mass = 0.0;
    for (int i = 0; i < world->model.bodies.count; i++)
        if (eng_body_is_live(world, i) && world->model.bodies.rows[i].kind == CAIRN_DYNAMIC)
            mass += world->model.bodies.rows[i].mass;
    return mass;
}

static bool is_driven(const eng_cell *cell, int side)
{
    return cell->drive[side] != NULL && cell->drive[side]->mass > 0.0;
}

/// A side begins or ends to be driven, or there are more or fewer grains: its kinetic energy
/// changes by what drives it.
static void set_mass(eng_world_state *state, int side, double mass)
{
    eng_cell_drive *drive = state->cell.drive[side];
    if (drive->mass == 0.0)
        drive->velocity = state->cell.gradient.m[side][side] * state->cell.unfolded.m[side][side];
    if (state->audit.started)
        state->audit.energy.drivers +=
            0.5 * (mass - drive->mass) / 12.0 * drive->velocity * drive->velocity;
    drive->mass = mass;
}

void eng_drive_begin(cairn_world *world)
{
    eng_cell *cell = &world->state.cell;
    double mass = -1.0, h = world->state.clock.step;
    for (int k = 0; k < 3; k++) {
        eng_cell_drive *drive = cell->drive[k];
        if (drive == NULL || (drive->speed == 0.0 && drive->mass == 0.0))
            continue;
        if (mass < 0.0)
            mass = grains_mass(world);
        double now = drive->speed > 0.0 ? mass : 0.0, side = cell->unfolded.m[k][k];
        if (now != drive->mass)
            set_mass(&world->state, k, now);
        if (now > 0.0)
            cell->gradient.m[k][k] = drive->velocity / (side + 0.5 * h * drive->velocity);
    }
}

double eng_drive_kinetic(const cairn_world *world)
{
    double energy = 0.0;
    for (int k = 0; k < 3; k++) {
        const eng_cell_drive *drive = world->state.cell.drive[k];
        if (drive != NULL)
            energy += 0.5 * drive->mass / 12.0 * drive->velocity * drive->velocity;
    }
    return energy;
}

/// Of B's image against A's, by lattice vectors.
static vec3 shift_between(const cairn_world *world, int a, int b, vec3 point)
{
    return vec3_sub(eng_image_shift(world, b, point), eng_image_shift(world, a, point));
}

static vec3 shift_of(const cairn_world *world, int contact)
{
    const int *body = world->contacts.set.body[contact];
    return shift_between(world, body[0], body[1], world->contacts.set.point[contact]);
}

double eng_drive_closing(const cairn_world *world, int a, int b, vec3 point, vec3 normal)
{
    const eng_cell *cell = &world->state.cell;
    double closing = 0.0;
    if (!cell->any || !(is_driven(cell, 0) || is_driven(cell, 1) || is_driven(cell, 2)))
        return 0.0;
    vec3 shift = shift_between(world, a, b, point);
    for (int k = 0; k < 3; k++)
        if (is_driven(cell, k))
            closing += fabs(vec3_get(normal, k) * vec3_get(shift, k)) *
                       (cell->drive[k]->speed + fabs(cell->gradient.m[k][k]));
    return closing;
}

void eng_drive_contact(const cairn_world *world, int contact)
{
    const eng_driven *driven = world->scratch.solve.driven;
    const mat3 *frame = &world->contacts.set.frame[contact];
    vec3 shift = shift_of(world, contact);
    for (int row = 0; row < 3; row++)
        for (int r = 0; r < driven->count; r++)
            driven->S[contact][row][r] =
                frame->m[row][driven->side[r]] * vec3_get(shift, driven->side[r]);
}

/// What impulses of cohesion, which are given before the problem is solved, do to the rates, J s.
static double given_push(const cairn_world *world, int side)
{
    double sum = 0.0;
    for (int i = 0; i < world->contacts.set.cone_count && world->scratch.solve.given != NULL; i++) {
        vec3 impulse = mat3_apply_transposed(&world->contacts.set.frame[i],
                                             vec3_from(world->scratch.solve.given[i]));
        sum += vec3_get(impulse, side) * vec3_get(shift_of(world, i), side);
    }
    return sum;
}

static void hold(const cairn_world *world, eng_driven *driven, int r, int held)
{
    driven->held[r] = held;
    driven->rates.inverse[r] = held == 0 ? 1.0 / driven->mass[r] : 0.0;
    driven->known[r] = driven->rate[r] =
        held == 0 ? driven->free[r] : held * world->state.cell.drive[driven->side[r]]->speed;
}

cairn_status eng_drive_prepare(cairn_world *world, int n)
{
    eng_cell *cell = &world->state.cell;
    world->scratch.solve.driven = NULL;
    if (!cell->any || !(is_driven(cell, 0) || is_driven(cell, 1) || is_driven(cell, 2)))
        return CAIRN_OK;
    eng_driven *driven = base_arena_array(world->scratch.arena, eng_driven, "driven cell", 1);
    if (driven == NULL)
        return CAIRN_ERROR_MEMORY;
    *driven = (eng_driven){.rates.count = 0};
    driven->S =
        base_arena_allocate(world->scratch.arena, "driven cell", (size_t)n, sizeof *driven->S);
    if (driven->S == NULL)
        return CAIRN_ERROR_MEMORY;
    double volume = fabs(mat3_determinant(&cell->middle));
    driven->middle = eng_cell_middle(cell, &cell->unfolded, world->state.clock.step);
    for (int k = 0; k < 3; k++) {
        if (!is_driven(cell, k))
            continue;
        const eng_cell_drive *drive = cell->drive[k];
        int r = driven->count++;
        double length = driven->middle.m[k][k];
        driven->side[r] = k;
        driven->mass[r] = drive->mass / 12.0 * length * length;
        driven->before[r] = cell->gradient.m[k][k];
        driven->free[r] = driven->before[r] + (given_push(world, k) -
                                               world->state.clock.step * volume * drive->stress) /
                                                  driven->mass[r];
        // no side is held at first: grains that are jammed leave the problem no solution then
        hold(world, driven, r, 0);
    }
    driven->rates.count = driven->count;
    driven->rates.S = (const double(*)[3][3])driven->S;
    world->scratch.solve.driven = driven;
    return CAIRN_OK;
}

mat3 eng_drive_free_gradient(const cairn_world *world)
{
    mat3 gradient = world->state.cell.gradient;
    const eng_driven *driven = world->scratch.solve.driven;
    for (int r = 0; driven != NULL && r < driven->count; r++)
        gradient.m[driven->side[r]][driven->side[r]] = driven->known[r];
    return gradient;
}

/// The greatest rate of a side is reached, or no longer: free rates of the problem change.
static void change(eng_world_scratch *scratch, const double was[3])
{
    const eng_driven *driven = scratch->solve.driven;
    const con_problem *problem = &scratch->solve.problem;
    double(*q)[3] = (double(*)[3])problem->q, (*w)[3] = (double(*)[3])problem->w;
    for (int i = 0; i < problem->contact_count; i++)
        for (int row = 0; row < 3; row++)
            for (int r = 0; r < driven->count; r++) {
                double more = driven->S[i][row][r] * (driven->known[r] - was[r]);
                q[i][row] += more;
                w[i][row] += more;
            }
    con_assemble_diagonal(problem, (mat3 *)problem->W_diagonal);
}

bool eng_drive_look(cairn_world *world, bool solved)
{
    eng_driven *driven = world->scratch.solve.driven;
    if (driven == NULL)
        return false;
    double was[3];
    memcpy(was, driven->known, sizeof was);
    memset(driven->push, 0, sizeof driven->push);
    for (int i = 0; i < world->scratch.solve.problem.contact_count; i++)
        for (int row = 0; row < 3; row++)
            for (int r = 0; r < driven->count; r++)
                driven->push[r] += driven->S[i][row][r] * world->scratch.solve.solved_R[i][row];
    bool again = false;
    for (int r = 0; r < driven->count; r++) {
        double speed = world->state.cell.drive[driven->side[r]]->speed;
        double loose = driven->free[r] + driven->push[r] / driven->mass[r];
        int held = fabs(loose) <= speed ? 0 : loose > 0.0 ? 1 : -1;
        driven->rate[r] = driven->held[r] == 0 ? loose : driven->known[r];
        if (held == driven->held[r] || !solved || driven->rounds >= ROUNDS_MAX)
            continue;
        hold(world, driven, r, held);
        again = true;
    }
    driven->rounds++;
    if (again)
        change(&world->scratch, was);
    return again;
}

void eng_drive_finish(cairn_world *world)
{
    const eng_driven *driven = world->scratch.solve.driven;
    double h = world->state.clock.step, volume = fabs(mat3_determinant(&world->state.cell.middle));
    for (int r = 0; driven != NULL && r < driven->count; r++) {
        int k = driven->side[r];
        eng_cell_drive *drive = world->state.cell.drive[k];
        double rate = driven->rate[r], mean = 0.5 * (driven->before[r] + rate);
        double impulse = -h * volume * drive->stress;
        // whoever holds the side at its greatest rate does the rest of the work
        if (driven->held[r] != 0)
            impulse = driven->mass[r] * (rate - driven->before[r]) - driven->push[r] -
                      given_push(world, k);
        world->state.audit.energy.drivers += impulse * mean;
        drive->velocity = rate * driven->middle.m[k][k];
    }
}

/// Sides at the end, from those in the middle and the strain of the second half.
static mat3 grown(const mat3 *strain, const mat3 *middle)
{
    mat3 way = mat3_multiply(strain, middle);
    return mat3_add(middle, &way);
}

void eng_drive_end(cairn_world *world)
{
    eng_cell *cell = &world->state.cell;
    const eng_driven *driven = world->scratch.solve.driven;
    mat3 gradient = cell->gradient;
    for (int r = 0; r < driven->count; r++)
        gradient.m[driven->side[r]][driven->side[r]] = driven->rate[r];
    mat3 strain = mat3_scale(0.5 * world->state.clock.step, &gradient);
    for (int r = 0; r < driven->count; r++)
        strain.m[driven->side[r]][driven->side[r]] += driven->strain[r];
    cell->unfolded = grown(&strain, &driven->middle);
    cell->now = grown(&strain, &cell->middle);
    for (int r = 0; r < driven->count; r++) {
        int k = driven->side[r];
        cell->gradient.m[k][k] = cell->drive[k]->velocity / cell->unfolded.m[k][k];
    }
}

vec3 eng_drive_given_drift(const cairn_world *world, int body, vec3 point)
{
    mat3 gradient = world->state.cell.gradient;
    const eng_driven *driven = world->scratch.solve.driven;
    for (int r = 0; driven != NULL && r < driven->count; r++)
        gradient.m[driven->side[r]][driven->side[r]] = 0.0;
    return mat3_apply(&gradient, eng_image_shift(world, body, point));
}
