// SPDX-License-Identifier: Apache-2.0
// A step whose solve ends above the tolerance is taken back and made in two halves, each of which
// may be made in halves again: shorter steps change less at once, and their problems are solved
// where that of the whole step has no known way to its solution.
#ifndef CAIRN_ENGINE_PASSES_PIECES_H
#define CAIRN_ENGINE_PASSES_PIECES_H

#include "engine/state/world_state.h"
#include <cairn/cairn.h>

/// One step of world->state.clock.step from world->state.clock.time on; it leaves time and count
/// of steps alone.
typedef cairn_status eng_piece(cairn_world *world, cairn_error *error);

/// Makes a step, or goes on with one that was interrupted between two of its pieces. Afterwards
/// the report is that of the whole step, with the contacts and forces of its last piece.
cairn_status eng_pieces_step(cairn_world *world, eng_piece *run,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// What later pieces and steps have to know of those before them, as one number of a checkpoint.
static inline int64_t eng_pieces_pack(const eng_pieces *pieces)
{
    int64_t least = (int64_t)pieces->least << 20;
    return 2 * (least + 2 * pieces->ramp + pieces->cut) + pieces->thrown;
}

static inline void eng_pieces_unpack(int64_t number, eng_pieces *pieces)
{
    int64_t rest = number / 2 % ((int64_t)1 << 20);
    pieces->thrown = number % 2 != 0;
    pieces->least = (int)(number / 2 >> 20);
    pieces->ramp = (int)(rest / 2);
    pieces->cut = rest % 2 != 0;
}

/// The smallest pieces that a step may be made in.
int eng_pieces_of(const cairn_world *world);

/// Whether the piece in hand may be taken back and halved. Asked within its solve.
bool eng_pieces_may_divide(const cairn_world *world);

/// After a solve that ended above the tolerance: whether the piece is to be halved. Where it is,
/// the solve answers CAIRN_INTERRUPTED, and the piece is taken back as one that was interrupted.
bool eng_pieces_divide(cairn_world *world);

/// Whether it may be, where the solve throws bodies through others within it; and that it is: the
/// solve then answers CAIRN_INTERRUPTED too.
bool eng_pieces_may_divide_meeting(const cairn_world *world);
void eng_pieces_divide_meeting(cairn_world *world);

/// The same after joints that no implicit contact reaches were solved for.
bool eng_pieces_divide_joints(cairn_world *world);

#endif
