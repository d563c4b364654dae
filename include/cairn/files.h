// SPDX-License-Identifier: Apache-2.0
// cairn: checkpoints, FCLIB files and ParaView series of a world.
#ifndef CAIRN_FILES_H
#define CAIRN_FILES_H

#include <cairn/types.h>
#include <cairn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- checkpoints

enum { CAIRN_NOTE_SIZE = 4096 };

/// What a checkpoint file says of itself.
typedef struct cairn_checkpoint {
    int64_t step_count;
    double time, time_step; // s
    int bodies, contacts;
    uint64_t state_hash; // cairn_world_get_hash of the saved world
    cairn_energy energy;
    char version[32]; // of the program that saved
    char note[CAIRN_NOTE_SIZE];
} cairn_checkpoint;

/// Saves all that later steps depend on: state, loads, contacts with their history, pair list with
/// what pairs remember, energy audit, time. The file appears under its name when it is complete and
/// on the disk; one that was there stays until then. The world is not changed in any way.
/// @param note  text of less than CAIRN_NOTE_SIZE bytes for the caller's own use; NULL for none
/// @return CAIRN_ERROR_FILE, CAIRN_ERROR_MEMORY, CAIRN_ERROR_ARGUMENT
CAIRN_API cairn_status cairn_world_save(const cairn_world *world, const char *path,
                                        const char *note, cairn_error *error) CAIRN_CHECK_RESULT;

/// Brings a world to a saved state: every later step gives the same bits as it would have given in
/// the world that was saved, for any number of threads. The world must have been built in the same
/// way, with the same settings, gravity and tolerance as at the time of saving included; it may
/// have been stepped. The report and the problem of the last step are not kept.
/// @return CAIRN_ERROR_FILE; CAIRN_ERROR_FORMAT (no checkpoint, or a damaged one);
///         CAIRN_ERROR_ARGUMENT (of another world; the message says what differs);
///         CAIRN_ERROR_MEMORY. The world's state is unchanged after these, unless the file was made
///         up and only the hash of the restored state gave it away.
/// Tests: tests/regress/test_checkpoint.c
CAIRN_API cairn_status cairn_world_restore(cairn_world *world, const char *path,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

/// The same in memory: what a checkpoint keeps, for trying several ways from one state.
typedef struct cairn_snapshot cairn_snapshot;

/// Between steps. The snapshot uses the world's allocator and must go before the world.
/// @return CAIRN_ERROR_MEMORY, with *snapshot NULL
CAIRN_API cairn_status cairn_world_snapshot(const cairn_world *world, cairn_snapshot **snapshot,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: brings the world back to the snapshot, any number of times: every later step
/// gives the same bits as it gave then. Bodies that were made since are removed, bodies and plain
/// shapes that were removed are made again under their ids.
/// @return CAIRN_ERROR_WORLD for a snapshot of another world; CAIRN_ERROR_ARGUMENT where laws or
///         settings are others now; CAIRN_ERROR_UNSUPPORTED where a joint, a connector or a hull,
///         mesh or compound was removed since; CAIRN_ERROR_MEMORY
/// Tests: tests/regress/test_snapshot.c
CAIRN_API cairn_status cairn_world_revert(cairn_world *world, const cairn_snapshot *snapshot,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// Before its world or after it, whose allocator must still be there. Nothing for NULL.
CAIRN_API void cairn_snapshot_destroy(cairn_snapshot *snapshot);

/// Whether a file ends as a checkpoint does; its content may still be damaged.
CAIRN_API bool cairn_checkpoint_exists(const char *path);

/// Reads what a checkpoint says of itself, without a world.
CAIRN_API cairn_status cairn_checkpoint_read(const char *path, cairn_checkpoint *checkpoint,
                                             cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- FCLIB and ParaView

typedef enum cairn_fclib_form { CAIRN_FCLIB_LOCAL, CAIRN_FCLIB_GLOBAL } cairn_fclib_form;

/// Writes the problem of the last step with guess and solution. CAIRN_ERROR_ARGUMENT when the step
/// had no implicit contact.
CAIRN_API cairn_status cairn_world_write_fclib(const cairn_world *world, const char *path,
                                               cairn_fclib_form form, const char *title,
                                               const char *description,
                                               cairn_error *error) CAIRN_CHECK_RESULT;

/// ParaView series in a folder, with .pvd indices that grow by a line a frame.
typedef struct cairn_paraview cairn_paraview;

typedef enum cairn_paraview_content {
    /// Bodies as points with orientation, scale and number of their shape, and each shape once:
    /// bodies.pvd and shapes.vtm. Small.
    CAIRN_PARAVIEW_GLYPHS,
    /// Bodies as points, the surfaces of all bodies where they are, contacts with their forces:
    /// bodies.pvd, surfaces.pvd, contacts.pvd. Each frame has every polygon of the scene.
    CAIRN_PARAVIEW_SURFACES
} cairn_paraview_content;

/// Makes the folder where there is none, and empty indices.
/// @param writer  out, owned by the caller: cairn_paraview_close
CAIRN_API cairn_status cairn_paraview_open(const char *folder, cairn_paraview_content content,
                                           cairn_paraview **writer,
                                           cairn_error *error) CAIRN_CHECK_RESULT;
/// Where a series stands, to go on with it after a restart.
typedef struct cairn_paraview_state {
    int frames;    // written
    double extent; // m, half width at which half-spaces are drawn; 0 before the first frame
    cairn_paraview_content content;
    int shapes; // files of shapes written
} cairn_paraview_state;

CAIRN_API cairn_paraview_state cairn_paraview_get_state(const cairn_paraview *writer);

/// Goes on with the series in a folder behind its first `state.frames` frames; later ones are
/// removed. CAIRN_ERROR_FORMAT when an index has fewer.
CAIRN_API cairn_status cairn_paraview_resume(const char *folder, cairn_paraview_state state,
                                             cairn_paraview **writer,
                                             cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_paraview_write_frame(cairn_paraview *writer, const cairn_world *world,
                                                  cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_paraview_close(cairn_paraview *writer);

#ifdef __cplusplus
}
#endif

#endif
