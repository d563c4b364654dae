// SPDX-License-Identifier: Apache-2.0
// cairn: trajectories, written and replayed.
#ifndef CAIRN_TRAJECTORY_H
#define CAIRN_TRAJECTORY_H

#include <cairn/body.h>
#include <cairn/shape.h>
#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- writing

/// trajectory.h5: poses and velocities of all bodies, frame by frame, and the contacts of some
/// frames (docs/files.md). Readers may open it while it is written, in HDF5's SWMR mode.
typedef struct cairn_trajectory cairn_trajectory;

/// Where the frames come from; texts are borrowed during the call, NULL for none.
typedef struct cairn_trajectory_def {
    const char *command;    // line that started the run
    const char *scene;      // its name
    const char *scene_text; // the scene file
    int64_t seed;
    bool varies;            // bodies come and go; false: the same ones in all frames
    int64_t contacts_every; // steps: frames of their multiples keep their contacts; 0: none does
} cairn_trajectory_def;

CAIRN_API cairn_status cairn_trajectory_create(const char *path, const cairn_world *world,
                                               const cairn_trajectory_def *def,
                                               cairn_trajectory **writer,
                                               cairn_error *error) CAIRN_CHECK_RESULT;

/// Goes on behind the first `frames` frames of a file; its writer may have been killed.
/// @return CAIRN_ERROR_FORMAT when there are fewer, or not of this world's bodies, or when the file
///         is of another kind (bodies that come and go, contacts) than the definition
CAIRN_API cairn_status cairn_trajectory_resume(const char *path, const cairn_world *world,
                                               const cairn_trajectory_def *def, int64_t frames,
                                               cairn_trajectory **writer,
                                               cairn_error *error) CAIRN_CHECK_RESULT;
/// @return CAIRN_ERROR_UNSUPPORTED when bodies were made or removed and the definition says that
///         they do not; CAIRN_ERROR_FILE, CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_trajectory_write_frame(cairn_trajectory *writer,
                                                    const cairn_world *world,
                                                    cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API int64_t cairn_trajectory_get_frame_count(const cairn_trajectory *writer);
/// Nothing for NULL; otherwise the writer is gone whatever is returned.
CAIRN_API cairn_status cairn_trajectory_close(cairn_trajectory *writer,
                                              cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- replay

/// A trajectory opened to be replayed, finished or not. Calls on replays must not overlap in time
/// with others that use HDF5 unless that library was built thread-safe.
typedef struct cairn_replay cairn_replay;

/// What a trajectory says of its run; texts are the replay's, "" where the file has none.
typedef struct cairn_replay_info {
    const char *version, *command, *scene;
    const char *scene_text; // the scene file
    int64_t seed;
    double time_step; // s
    int bodies;       // in every frame; where bodies come and go: that were in any frame yet
    bool varies;      // bodies come and go
    bool contacts;    // some frames keep their contacts
} cairn_replay_info;

/// One frame; arrays are the replay's, valid until its next frame is read. A body has a number: its
/// place in the order of creation, or, where bodies come and go, in that of the first frame it is
/// in.
typedef struct cairn_replay_frame {
    int64_t step, contacts;              // contacts: number
    double time;                         // s
    int bodies;                          // in this frame
    const int64_t *body;                 // [bodies] numbers; NULL: 0, 1, 2 ...
    const double (*position)[3];         // [bodies] m, as cairn_body_view
    const double (*orientation)[4];      // w x y z
    const double (*velocity)[3];         // m/s
    const double (*angular_velocity)[3]; // rad/s
    int64_t known;                       // bodies that were in this frame or an earlier one
    int contacts_kept;                   // contacts below; negative: this frame keeps none
    const int64_t (*contact_bodies)[2];  // [contacts_kept] numbers of A and B
    const int64_t *contact_status;       // cairn_contact_status
    const double (*contact_point)[3];    // m
    const double (*contact_normal)[3];   // from A to B
    const double (*contact_force)[3];    // N on B
    const double (*contact_velocity)[3]; // m/s, in contact axes (N, T1, T2)
    const double *contact_gap;           // m
} cairn_replay_frame;

/// What a body is.
typedef struct cairn_replay_body {
    uint32_t id[2]; // index and generation
    cairn_body_kind kind;
    int material;      // cairn_replay_get_material
    double mass;       // kg; INFINITY where not dynamic
    uint32_t shape[2]; // index and generation of its id; the shape may be gone
    cairn_shape_kind shape_kind;
    double shape_size[3]; // m: half sides of a box, else radius and half length; radius of the ball
                          // of the same volume for other shapes than these
} cairn_replay_body;

/// Opens trajectory.h5 of a run that is over, killed or going on. Nothing in the file is trusted,
/// but the HDF5 library may crash on what it cannot make sense of.
/// @return CAIRN_ERROR_FILE, CAIRN_ERROR_FORMAT (no trajectory, or a damaged one),
///         CAIRN_ERROR_MEMORY; *replay is NULL then
/// Tests: tests/unit/engine/test_replay.c
CAIRN_API cairn_status cairn_replay_open(const char *path, cairn_replay **replay,
                                         cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API const cairn_replay_info *cairn_replay_get_info(const cairn_replay *replay);

/// Who is asked before a frame is read. HDF5 may crash on a file that was damaged: a program that
/// must not go down with it reads each frame in a process of its own first, as the command does.
typedef struct cairn_replay_guard {
    cairn_status (*ask)(void *context, int64_t frame,
                        cairn_error *error); // frame -1: all are counted anew
    void (*release)(void *context);          // called by cairn_replay_close; NULL: nothing to do
    void *context;
} cairn_replay_guard;

/// What the guard refuses is not read: its status and message are those of cairn_replay_read and
/// cairn_replay_refresh. It is the replay's from now on.
CAIRN_API void cairn_replay_set_guard(cairn_replay *replay, const cairn_replay_guard *guard);

/// Number of complete frames, and the time of each; valid until the next refresh.
CAIRN_API int64_t cairn_replay_get_frame_count(const cairn_replay *replay);
CAIRN_API const double *cairn_replay_get_times(const cairn_replay *replay);

/// Counts the frames anew, for a run that goes on. No new ones are seen while the program has the
/// file open more than once.
CAIRN_API cairn_status cairn_replay_refresh(cairn_replay *replay,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

/// @return CAIRN_ERROR_ARGUMENT for an index out of range, CAIRN_ERROR_FORMAT for a frame that
///         cannot be read or has numbers that are no pose
CAIRN_API cairn_status cairn_replay_read(cairn_replay *replay, int64_t index,
                                         cairn_replay_frame *frame,
                                         cairn_error *error) CAIRN_CHECK_RESULT;
/// @param number  0 .. cairn_replay_info.bodies - 1
/// @return CAIRN_ERROR_NOT_FOUND, with zeros, for another one, before the first frame, and in files
///         of earlier versions where bodies do not vary
CAIRN_API cairn_status cairn_replay_get_body(const cairn_replay *replay, int number,
                                             cairn_replay_body *body) CAIRN_CHECK_RESULT;
/// Name of a material by its number; "" for one that was made when the file was there already, and
/// in files of earlier versions.
CAIRN_API const char *cairn_replay_get_material(const cairn_replay *replay, int index);
CAIRN_API void cairn_replay_close(cairn_replay *replay);

#ifdef __cplusplus
}
#endif

#endif
