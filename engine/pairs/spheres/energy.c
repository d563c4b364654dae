// SPDX-License-Identifier: Apache-2.0
// Energies of the sphere executor: of the bodies in its slots, and of its contacts. Sums of a chunk
// run in the order of slots, and of blocks lane by lane, which threads and vector sets do not
// change; those over chunks have no round-off, so that several processes can each add up their own.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/exclusions.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;

/// Energies of some slots, at most of one chunk.
static void add_slots(const eng_spheres *spheres, int first, int end, eng_spheres_totals *totals)
{
    vec3 g = vec3_from(spheres->world->model.def.gravity);
    double kinetic_sum = 0.0, fall_sum = 0.0, half = 0.5 * spheres->pass.step;
    for (int slot = first; slot < end; slot++) {
        const double *constants = spheres->pass.constants[slot];
        // clumps have their energy, not their members
        if (constants[0] == 0.0 || eng_spheres_is_member(spheres, slot))
            continue;
        vec3 place = vec3_from(spheres->pass.X[slot]);
        vec3 velocity = vec3_from(spheres->pass.V[slot]);
        vec3 omega = eng_spheres_slot_omega(spheres, slot);
        if (spheres->world->state.cell.any) {
            place = vec3_add(place, eng_spheres_wrap_shift(spheres, slot));
            velocity = vec3_add(velocity, eng_spheres_wrap_drift(spheres, slot));
        }
        place = vec3_add_scaled(place, -half, velocity);
        double mass = spheres->pass.step / constants[0];
        double inertia = spheres->pass.step / constants[2];
        kinetic_sum += mass * vec3_norm_squared(velocity) + inertia * vec3_norm_squared(omega);
        fall_sum += mass * vec3_dot(g, place);
    }
    base_exact_add(&totals->kinetic, kinetic_sum);
    base_exact_add(&totals->fall, fall_sum);
}

void eng_spheres_slots_total(const struct eng_spheres *spheres, int first, int end,
                             eng_spheres_totals *totals)
{
    for (int slot = first; slot < end; slot += ENG_SPHERES_CHUNK)
        add_slots(spheres, slot, slot + ENG_SPHERES_CHUNK < end ? slot + ENG_SPHERES_CHUNK : end,
                  totals);
}

void eng_spheres_add_mechanical(const cairn_world *world, double *kinetic, double *potential)
{
    const eng_spheres *spheres = world->state.spheres;
    eng_spheres_totals own = {0};
    const eng_spheres_totals *totals = spheres != NULL ? eng_spheres_share_totals(spheres) : NULL;
    if (spheres != NULL && totals == NULL)
        eng_spheres_slots_total(spheres, 0, spheres->table.slots, &own);
    totals = totals != NULL ? totals : &own;
    *kinetic += 0.5 * base_exact_value(&totals->kinetic);
    *potential -= base_exact_value(&totals->fall);
}

/// What the contacts owe, J, lane by lane.
typedef struct owed_sums {
    double elastic[ENG_SPHERES_WIDTH], damping[ENG_SPHERES_WIDTH], friction[ENG_SPHERES_WIDTH];
} owed_sums;

static void add_pending(owed_sums *sums, int k, const eng_spheres_pending *pending)
{
    sums->elastic[k] += pending->elastic;
    sums->damping[k] += pending->loss.damping;
    sums->friction[k] += pending->loss.friction;
}

/// Pairs of a block one by one, whatever they are.
static void add_lanes(const eng_spheres *spheres, const eng_spheres_block *block, unsigned lanes,
                      owed_sums *sums)
{
    for (; lanes != 0; lanes &= lanes - 1) {
        int k = __builtin_ctz(lanes);
        eng_spheres_contact c = eng_spheres_contact_of(spheres, block, k);
        eng_spheres_pending pending = eng_spheres_pending_of(spheres, block, k, &c);
        add_pending(sums, k, &pending);
    }
}

/// Pairs of spheres that are where their slots are, eng_spheres_pending_of for all at once.
static void add_spheres(const eng_spheres *spheres, const eng_spheres_block *block, unsigned lanes,
                        owed_sums *sums)
{
    const eng_spheres_terms *terms = eng_spheres_terms_of(spheres, block);
    eng_spheres_seen seen;
    spheres->kernel->see(&spheres->pass, block,
                         0.5 * (spheres->pass.step + spheres->table.last_step), &seen);
    double half = 0.5 * spheres->table.last_step;
    for (; lanes != 0; lanes &= lanes - 1) {
        int k = __builtin_ctz(lanes);
        con_batch_state closed =
            eng_spheres_state_of_pair(spheres, terms, block, k, fmax(-seen.gap[k], 0.0));
        double stored = closed.stiffness > 0.0 ? 0.5 * seen.squared[k] / closed.stiffness : 0.0;
        double along = half * seen.along[k], loss = half * seen.loss[k];
        bool slips = block->slip >> k & 1;
        eng_spheres_pending pending = {
            .elastic = closed.elastic + stored - half * closed.spring * seen.normal[k] - along,
            .loss = {.damping = -half * (double)block->lag_normal[k] * seen.normal[k] -
                                (slips ? 0.0 : loss),
                     .friction = slips ? -loss : 0.0},
        };
        add_pending(sums, k, &pending);
    }
}

/// Lanes of a block whose B is a slot or an image, and no ghost.
static unsigned slot_lanes(const eng_spheres *spheres, const eng_spheres_block *block)
{
    unsigned lanes = 0;
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
        int b = eng_spheres_slot_b(block, k);
        lanes |= (unsigned)(b < spheres->table.slots || b >= spheres->pass.first_image) << k;
    }
    return lanes;
}

/// Whether images and slots have stood still beside each other for a step: an open world, or a cell
/// that does not strain.
static bool is_unstrained(const eng_spheres *spheres)
{
    double most = 0.0;
    for (int i = 0; i < 3 && spheres->world->state.cell.any; i++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fmax(fabs(spheres->cell.frame.gradient.m[i][k]),
                                   fabs(spheres->cell.before.gradient.m[i][k])));
    return most == 0.0;
}

/// What the contacts of a chunk owe.
/// @param plain  slots are what the last step saw, and no copies of bodies meet that drift
static void add_pairs(const eng_spheres *spheres, const eng_spheres_chunk *chunk, bool plain,
                      eng_spheres_totals *totals)
{
    owed_sums sums = {0};
    double elastic = 0.0, damping = 0.0, friction = 0.0;
    for (int i = chunk->first_block; i < chunk->end_block; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[i];
        if (block->touch == 0)
            continue;
        unsigned together = plain ? block->touch & slot_lanes(spheres, block) : 0;
        if (together != 0)
            add_spheres(spheres, block, together, &sums);
        add_lanes(spheres, block, block->touch & ~together, &sums);
    }
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
        elastic += sums.elastic[k];
        damping += sums.damping[k];
        friction += sums.friction[k];
    }
    base_exact_add(&totals->elastic, elastic);
    base_exact_add(&totals->damping, damping);
    base_exact_add(&totals->friction, friction);
}

void eng_spheres_pairs_total(const struct eng_spheres *spheres, int first, int end,
                             eng_spheres_totals *totals)
{
    bool plain = spheres->clumps.count == 0 && spheres->table.moved_count == 0 &&
                 is_unstrained(spheres) && spheres->pass.resist == NULL;
    for (int c = first; c < end && spheres->store.block_count > 0; c++)
        add_pairs(spheres, &spheres->pass.chunks[c], plain, totals);
}

void eng_spheres_add_energy(const cairn_world *world, cairn_energy *e)
{
    const eng_spheres *spheres = world->state.spheres;
    eng_spheres_totals own = {0};
    const eng_spheres_totals *totals = eng_spheres_share_totals(spheres);
    if (totals == NULL)
        eng_spheres_pairs_total(spheres, 0, spheres->list.chunk_count, &own);
    totals = totals != NULL ? totals : &own;
    e->elastic += base_exact_value(&totals->elastic);
    e->damping += base_exact_value(&totals->damping);
    e->friction += base_exact_value(&totals->friction);
}

double eng_spheres_removed_energy(const cairn_world *world)
{
    const eng_spheres *spheres = world->state.spheres;
    double sum = 0.0;
    for (int i = 0; i < spheres->store.block_count; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[i];
        for (unsigned lanes = block->touch; lanes != 0; lanes &= lanes - 1) {
            int k = __builtin_ctz(lanes);
            int body[2] = {eng_spheres_slot_body(spheres, eng_spheres_slot_a(block, k)),
                           eng_spheres_body_of(spheres, eng_spheres_slot_b(block, k))};
            if (!eng_pair_is_past(world, body[0], body[1]))
                continue;
            eng_spheres_contact c = eng_spheres_contact_of(spheres, block, k);
            sum += eng_spheres_pending_of(spheres, block, k, &c).elastic;
        }
    }
    return sum;
}
