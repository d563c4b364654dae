// SPDX-License-Identifier: Apache-2.0
// The blocks of a step, and the arrays that they hand on.
#ifndef CAIRN_ENGINE_STATE_BLOCKS_H
#define CAIRN_ENGINE_STATE_BLOCKS_H

#include "base/vec.h"
#include "contact/laws/law.h"
#include "contact/problem/problem.h"
#include "engine/state/world_scratch.h"
#include <cairn/cairn.h>

/// Arrays of the blocks for the bodies within reach; those without a slot start from q and v.
cairn_status eng_blocks_reserve(cairn_world *world) CAIRN_CHECK_RESULT;

/// What the blocks of a step know of a body that none of them has seen.
void eng_blocks_init(cairn_world *world, int body);

/// Gives the columns of a step back.
void eng_blocks_release(cairn_world *world);

/// Blocks of the step, in order; each reads what earlier ones wrote.
cairn_status eng_block_midpoint(cairn_world *world) CAIRN_CHECK_RESULT;
void eng_block_free_velocity(cairn_world *world);
/// @return CAIRN_ERROR_UNSUPPORTED for two meshes that may touch; CAIRN_ERROR_MEMORY
cairn_status eng_block_broad_phase(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_narrow_phase(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_contact_set(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_connectors(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_assembly(cairn_world *world) CAIRN_CHECK_RESULT;

/// How a contact resists. Where R* differs along the surface, turning is measured in ways over the
/// surfaces: |turn^-1 m_T| <= mu_r r_N.
typedef struct eng_resistance {
    double rolling, spinning; // mu_r and mu_s, m; both 0 where a contact does not resist
    double turn[3];           // xx, xy, yy along t1 and t2: R* over the one in mu_r
} eng_resistance;

/// Contacts that resist rolling, theory.md (4.19): the problem to solve with a block for each
/// moment behind its force. Everything else knows the forces alone.
typedef struct eng_rolling {
    eng_resistance *of;  // [cone_count]
    con_problem problem; // world->scratch.solve.solved with moments
    int blocks;
    int *place;                           // [contacts of world->scratch.solve.solved] block of each
    double (*R)[3], (*U)[3], (*guess)[3]; // [blocks]
} eng_rolling;

/// mu_r and mu_s of contact i; makes world->scratch.solve.rolling with the first that is not zero.
cairn_status eng_rolling_note(cairn_world *world, int i,
                              const con_cone_terms *terms) CAIRN_CHECK_RESULT;
/// Builds the problem from world->scratch.solve.solved and world->scratch.solve.solved_R, and the
/// moments of the last step.
cairn_status eng_rolling_expand(cairn_world *world) CAIRN_CHECK_RESULT;
/// Brings R and U of the forces into world->scratch.solve.solved_R and
/// world->scratch.solve.solution_U.
void eng_rolling_collect(eng_world_scratch *scratch);
/// Work of the moment of a contact on its bodies in the step, J; 0 where it has none.
double eng_rolling_work(const cairn_world *world, int contact);
/// Keeps the moments for the next step and for readers, and books their work by (8.2).
void eng_rolling_book(cairn_world *world);

/// Reactions of the last step as a guess for this one: none where they are of another size than the
/// velocities that ask for them, as after an impact that left bodies moving as one.
/// @return true: all velocities are round-off, and no reaction at all is the solution, which the
///         report says
bool eng_guess_settle(cairn_world *world);
/// Of a solve that ended above the tolerance: it is solved where what is left is round-off of the
/// bodies' velocities, to which q is known.
void eng_guess_judge(cairn_world *world);
cairn_status eng_block_solver(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;
cairn_status eng_block_end(cairn_world *world) CAIRN_CHECK_RESULT;

/// Colliders of all bodies, whether the broad phase holds them or not.
cairn_status eng_colliders_reserve(cairn_world *world) CAIRN_CHECK_RESULT;

/// Gives them back, and where they were placed.
void eng_colliders_release(cairn_world *world);

/// Poses, margins and bounds of the listed colliders, for the midpoints of their bodies.
cairn_status eng_colliders_place_listed(cairn_world *world) CAIRN_CHECK_RESULT;

/// Makes the plan anew where it is not current. Scratch from the arena.
cairn_status eng_plan_update(cairn_world *world) CAIRN_CHECK_RESULT;

/// Loops over bodies run in chunks of this many.
enum { ENG_BODY_CHUNK = 128 };

/// The narrow phase runs over chunks of this many places of the plan, each with a manifold of its
/// own.
enum { ENG_PAIR_CHUNK = 64 };

/// Position correction, theory.md (7.1): moves bodies at the end of the step out of penetration.
/// @param q  [body_count] end positions, corrected in place
cairn_status eng_correct_positions(cairn_world *world, pose *q) CAIRN_CHECK_RESULT;

#endif
