// SPDX-License-Identifier: Apache-2.0
// cairn: several processes that step one world together. The library knows no message library: the
// host gives it one function.
#ifndef CAIRN_RANKS_H
#define CAIRN_RANKS_H

#include <cairn/types.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What goes to another process and what comes from it; a size of 0 sends nothing. Both sides know
/// both sizes.
typedef struct cairn_message {
    int rank;
    const void *sent;
    void *received;
    size_t sent_size, received_size; // bytes
} cairn_message;

/// The processes, as one of them sees them.
typedef struct cairn_ranks {
    int count;  // of processes
    int number; // of this one, from 0
    void *context;
    /// Exchanges one message with each of some processes. All make the same calls.
    cairn_status (*exchange)(void *context, const cairn_message *messages, int count,
                             cairn_error *error);
} cairn_ranks;

/// Between steps, by all processes: each has built the same world and makes the same calls, so that
/// all have the same bits. From the next list of pairs on they share the sphere executor's work:
/// each lists the pairs of its own slots, computes the forces on these, and gets from the others
/// what its pairs need. Of the
/// implicit law each finds and solves the contacts of its domains, and moves the bodies of these
/// contacts. What cannot be shared (joints, loads, servos, all that docs/notes/distributed.md
/// names) is computed by every process; a step in which an emitter or outlet acts gathers first.
/// Between steps a process then has the state of its own slots, bodies and contacts:
/// cairn_world_gather brings the rest, before anything of the world is read or changed. Results are
/// the bits of one process.
/// @param ranks  copied
/// @return CAIRN_ERROR_ARGUMENT for numbers that do not fit, or a world that is shared already;
///         CAIRN_ERROR_MEMORY
/// Tests: tests/unit/engine/actions/test_share.c, test_share_implicit.c,
/// tests/cli/driven/test_ranks.py
CAIRN_API cairn_status cairn_world_share(cairn_world *world, const cairn_ranks *ranks,
                                         cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps, by all processes: each has the whole state then. Nothing to do where it has.
/// @return what `exchange` returned
CAIRN_API cairn_status cairn_world_gather(cairn_world *world,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// The same for one process that reads: it alone has the whole state of spheres then, until the
/// next step, and nobody may change the world before that. All have what cairn_world_get_energy
/// gives, clumps and what the implicit law moves. Others take no memory for it.
/// @param reader  number of the process; of a world that is not shared 0
/// @return CAIRN_ERROR_ARGUMENT for a number that does not fit; what `exchange` returned
CAIRN_API cairn_status cairn_world_gather_to(cairn_world *world, int reader,
                                             cairn_error *error) CAIRN_CHECK_RESULT;

/// The same for bodies and energies alone: contacts, forces and the hash cannot be read.
CAIRN_API cairn_status cairn_world_gather_bodies_to(cairn_world *world, int reader,
                                                    cairn_error *error) CAIRN_CHECK_RESULT;

/// Reads a world, and changes nothing of it.
typedef void (*cairn_read_function)(void *context);

/// By all processes: one gets bodies and energies, and reads. Within `read` cairn_world_save and
/// cairn_world_get_hash know the whole world, whose pairs the others send part by part, so that
/// none has them all; other contacts and forces cannot be read. `read` changes nothing of the
/// world.
/// @param reader  number of the process; of a world that is not shared 0
/// @param read    called once, in the reader alone
/// @return CAIRN_ERROR_ARGUMENT for a number that does not fit; what `exchange` returned
CAIRN_API cairn_status cairn_world_read_together(cairn_world *world, int reader,
                                                 cairn_read_function read, void *context,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

/// Like cairn_world_gather for bodies and energies alone: implicit contacts stay with the processes
/// that have them, and forces on bodies cannot be read.
CAIRN_API cairn_status cairn_world_gather_bodies(cairn_world *world,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

/// Like it for what cairn_world_get_energy gives, and for nothing else: until the next step.
CAIRN_API cairn_status cairn_world_gather_energy(cairn_world *world,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

/// Bytes that this process has sent to others in steps, and in gathering the state; for reports.
typedef struct cairn_traffic {
    int64_t steps;          // that were shared
    int64_t step_bytes;     // sent in them
    int64_t halo_bytes;     // of these the state of slots and bodies that others need
    int64_t gathered_bytes; // sent for lists and by cairn_world_gather
    int64_t halo_slots;     // slots of others that the last list needs here
    int64_t whole_steps;    // after which what all bodies do went to others, for somebody to read
} cairn_traffic;

/// Zeros for NULL, and for a world that is not shared.
CAIRN_API cairn_traffic cairn_world_get_traffic(const cairn_world *world);

/// Why processes do not share the last step, as a clause ("there are joints or connectors"); NULL
/// where they do, and in a world that is not shared.
CAIRN_API const char *cairn_world_get_unshared(const cairn_world *world);

#ifdef __cplusplus
}
#endif

#endif
