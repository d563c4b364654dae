// SPDX-License-Identifier: Apache-2.0
// The energy audit, theory.md section 8: every source and sink of a step is booked.
#include "engine/measures/energy.h"
#include "engine/pairs/connectors.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/joints/joints.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/space/drive.h"

#include <string.h>

void eng_energy_mechanical(const cairn_world *world, double *kinetic, double *potential)
{
    *kinetic = eng_drive_kinetic(world);
    *potential = 0.0;
    for (int i = 0; i < world->model.bodies.count; i++)
        if (!eng_spheres_holds(world, i) && world->model.bodies.rows[i].kind == CAIRN_DYNAMIC) {
            *kinetic += eng_body_kinetic_energy(world, i, world->state.bodies.v[i]);
            *potential += eng_body_potential_energy(world, i, &world->state.bodies.q[i]);
        }
    eng_spheres_add_mechanical(world, kinetic, potential);
}

void eng_energy_start(cairn_world *world)
{
    eng_energy_mechanical(world, &world->state.audit.energy.kinetic,
                          &world->state.audit.energy.potential);
    world->state.audit.energy.elastic = eng_joints_elastic(world);
    world->state.audit.start = world->state.audit.energy.kinetic +
                               world->state.audit.energy.potential +
                               world->state.audit.energy.elastic;
    world->state.audit.started = true;
}

/// Work of the reactions on bodies whose velocity is prescribed, which their drivers deliver.
static double driver_work(const cairn_world *world, int contact)
{
    const eng_contacts *c = &world->contacts.set;
    vec3 R = mat3_apply_transposed(&c->frame[contact], vec3_from(c->R[contact]));
    double work = 0.0;
    for (int side = 0; side < 2; side++) {
        int body = c->body[contact][side];
        // the strain of the cell drives images
        if (world->state.cell.any)
            work += (side == 0 ? 1.0 : -1.0) *
                    vec3_dot(R, eng_drive_given_drift(world, body, c->point[contact]));
        if (world->model.bodies.rows[body].kind != CAIRN_MOVING)
            continue;
        double mean[6];
        eng_mean_velocity(world, body, mean);
        vec3 velocity = eng_point_velocity(
            mean, &world->state.bodies.q_mid[body],
            eng_image_point(world, body, eng_contact_place(world, contact, side)));
        work += (side == 0 ? 1.0 : -1.0) * vec3_dot(R, velocity);
    }
    return work;
}

/// Work of applied forces and torques over the step, by the mean of the two velocities.
static double applied_work(const cairn_world *world)
{
    double h = world->state.clock.step, work = 0.0;
    if (world->scratch.applied == NULL && world->state.bodies.loads == NULL)
        return 0.0;
    // the sphere executor books the loads of its own
    for (int k = 0; k < world->scratch.general.count; k++) {
        int i = world->scratch.general.active[k];
        if (world->model.bodies.rows[i].kind != CAIRN_DYNAMIC)
            continue;
        const eng_load *load = eng_applied_of(world, i);
        const double *v = world->state.bodies.v[i], *w = world->state.bodies.v_end[i];
        vec3 torque = quat_rotate_inverse(world->state.bodies.q_mid[i].orientation, load->torque);
        for (int j = 0; j < 3; j++)
            work += 0.5 * h * vec3_get(load->force, j) * (v[j] + w[j]) +
                    0.5 * h * vec3_get(torque, j) * (v[j + 3] + w[j + 3]);
    }
    return work;
}

/// Work of cone contacts of a chunk.
typedef struct work {
    double impact, friction, drivers;
} work;

typedef struct work_context {
    const cairn_world *world;
    work part[CON_CHUNKS_MAX];
} work_context;

static void work_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    work_context *context = argument;
    const eng_contacts *c = &context->world->contacts.set;
    work part = {0};
    // the mean of the relative velocities before and after is exact for the change of kinetic
    // energy, theory.md (8.2)
    for (int i = begin; i < end; i++) {
        const double *R = c->R[i], *V = c->V[i], *U = c->U[i];
        double normal = -0.5 * R[0] * (V[0] + U[0]);
        double tangential = -0.5 * (R[1] * (V[1] + U[1]) + R[2] * (V[2] + U[2]));
        // friction that turns a contact back within the step drives it: the impact pays for that
        part.impact += normal + fmin(tangential, 0.0);
        part.friction += fmax(tangential, 0.0);
        part.drivers += driver_work(context->world, i);
    }
    context->part[chunk] = part;
}

static void add_work(void *sum, const void *part)
{
    work *total = sum;
    const work *more = part;
    total->impact += more->impact;
    total->friction += more->friction;
    total->drivers += more->drivers;
}

void eng_energy_contacts(cairn_world *world)
{
    work_context context;
    const work *total = context.part;
    context.world = world;
    context.part[0] = (work){0};
    con_domains_sum(&world->contacts.domains, world->contacts.set.cone_count, work_chunk, &context,
                    (con_rows){context.part, sizeof *context.part}, add_work);
    world->state.audit.energy.impact += total->impact;
    world->state.audit.energy.friction += total->friction;
    world->state.audit.energy.drivers += total->drivers + applied_work(world);
    eng_connectors_book(world);
}

cairn_energy eng_energy_booked(const cairn_world *world)
{
    cairn_energy energy = world->state.audit.energy;
    if (!world->state.audit.has_booked)
        return energy;
    energy.damping += base_exact_value(&world->state.audit.booked.damping);
    energy.friction += base_exact_value(&world->state.audit.booked.friction);
    energy.plastic += base_exact_value(&world->state.audit.booked.plastic);
    energy.drivers += base_exact_value(&world->state.audit.booked.drivers);
    return energy;
}

static double residual_of(const cairn_world *world, const cairn_energy *e)
{
    double given =
        world->state.audit.start + e->drivers + e->correction + e->joints + e->population;
    double kept = e->kinetic + e->potential + e->elastic;
    double lost = e->impact + e->friction + e->damping + e->plastic;
    return kept + lost - given;
}

void eng_energy_book(cairn_world *world)
{
    cairn_energy *e = &world->state.audit.energy;
    e->elastic += eng_joints_elastic(world);
    if (eng_spheres_slot_count(world) > 0)
        return; // the totals are taken when somebody asks for them
    eng_energies_general(world, &e->kinetic, &e->potential);
    e->kinetic += eng_drive_kinetic(world);
    cairn_energy booked = eng_energy_booked(world);
    e->residual = residual_of(world, &booked);
}

cairn_energy cairn_world_get_energy(const cairn_world *world)
{
    if (world == NULL)
        return (cairn_energy){0};
    cairn_energy energy = eng_energy_booked(world);
    bool slots = eng_spheres_slot_count(world) > 0;
    if (!world->state.audit.started || slots)
        eng_energy_mechanical(world, &energy.kinetic, &energy.potential);
    if (!world->state.audit.started)
        energy.elastic = eng_joints_elastic(world);
    if (slots) {
        eng_spheres_add_energy(world, &energy);
        energy.residual = residual_of(world, &energy);
    }
    return energy;
}

/// Whether the report of the step that is made tells its rise.
static bool is_audited(const cairn_world *world)
{
    int every = world->model.def.audit_every;
    return eng_spheres_slot_count(world) == 0 ||
           (every > 0 && world->state.clock.step_count % every == 0);
}

/// Residual less what was lost: what came from no source so far.
static double unaccounted(const cairn_world *world)
{
    cairn_energy e = eng_spheres_slot_count(world) > 0 ? cairn_world_get_energy(world)
                                                       : eng_energy_booked(world);
    return e.residual - e.impact - e.friction - e.damping - e.plastic;
}

void eng_energy_before(cairn_world *world)
{
    world->state.audit.before = is_audited(world) ? unaccounted(world) : NAN;
}

void eng_energy_after(cairn_world *world)
{
    world->report.step.energy_rise =
        is_audited(world) ? unaccounted(world) - world->state.audit.before : NAN;
}
