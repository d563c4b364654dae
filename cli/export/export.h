// SPDX-License-Identifier: Apache-2.0
// A run as one file for others to look at: what its bodies look like, and its frames, for the
// writers of a page (export_html.c), of glTF (export_gltf.c) and for ParaView (export_paraview.c).
#ifndef CAIRN_CLI_EXPORT_EXPORT_H
#define CAIRN_CLI_EXPORT_EXPORT_H

#include "base/memory.h"
#include "base/vec.h"
#include "cli/text/progress.h"
#include "viewer/app/view.h"

#include <stdio.h>

// ---------------------------------------------------------------- what bodies look like

/// Surfaces that many shapes share, each of unit size about its origin; a part scales them.
/// X(constant, name)
#define EXPORT_SURFACES(X)                                                                         \
    X(SPHERE, sphere)     /* radius 1 */                                                           \
    X(DOME, dome)         /* half of it, z >= 0 */                                                 \
    X(TUBE, tube)         /* mantle of radius 1, z from -1 to 1 */                                 \
    X(CYLINDER, cylinder) /* the same with its ends */                                             \
    X(BOX, box)           /* half sides 1 */                                                       \
    X(PLANE, plane)       /* square of half side 1 in z = 0, seen from above */                    \
    X(MESH, mesh)         /* triangles of its own */

typedef enum export_surface {
#define EXPORT_SURFACE_ENUM(constant, name) EXPORT_##constant,
    EXPORT_SURFACES(EXPORT_SURFACE_ENUM)
#undef EXPORT_SURFACE_ENUM
        EXPORT_SURFACE_COUNT
} export_surface;

/// Triangles; without normals the faces are flat.
typedef struct export_mesh {
    export_surface surface;
    int point_count, triangle_count;
    float (*points)[3];       // [point_count] m
    float (*normals)[3];      // [point_count]; NULL: flat
    uint32_t (*triangles)[3]; // [triangle_count] counter-clockwise seen from outside
    uint64_t hash;            // of its numbers
} export_mesh;

typedef struct export_part {
    int mesh;
    pose placement; // in the shape's frame
    double scale[3];
} export_part;

typedef struct export_shape {
    cairn_shape_id id; // null: of a body that came later
    int first_part, part_count;
    double radius; // m, of a ball about the frame's origin that holds it; 0 of a half-space
    bool turns;    // false of a ball about the origin, whose orientation cannot be seen
} export_shape;

typedef struct export_body {
    int shape, material;
    cairn_body_kind kind;
    double mass; // kg; INFINITY where not dynamic
    vec3 centre; // m, of mass, in the shape's frame
    const char *name;
} export_body;

/// Meshes, shapes and bodies; the first meshes are the surfaces of unit size, in their order.
typedef struct export_model {
    base_allocator allocator;
    export_mesh *meshes; // [mesh_count]
    int mesh_count, mesh_capacity;
    export_part *parts; // [part_count]
    int part_count, part_capacity;
    export_shape *shapes; // [shape_count]
    int shape_count, shape_capacity;
    export_body *bodies; // [body_count] by number; names are the world's
    int body_count, body_capacity;
} export_model;

/// Bodies of the scene, and those that came while the run went on; the subject must outlive it.
/// @param model  out; finish it whatever is returned
cairn_status export_model_build(export_model *model, const view_subject *subject,
                                cairn_error *error) CAIRN_CHECK_RESULT;
void export_model_finish(export_model *model);

/// Median radius of the bodies that move (of all, where none does), m; 1 where there is none.
double export_model_typical_radius(const export_model *model);

/// Points and triangles of a surface of unit size, which the model's first meshes come without.
cairn_status export_mesh_fill(const base_allocator *allocator,
                              export_mesh *mesh) CAIRN_CHECK_RESULT;
void export_mesh_release(const base_allocator *allocator, export_mesh *mesh);

// ---------------------------------------------------------------- frames

/// What is written, and where from.
typedef struct export_job {
    const view_subject *subject;
    const export_model *model;
    const char *folder;    // of the run, for its tables
    const int64_t *frames; // [frame_count] of the replay, by time
    int frame_count;
    int most_contacts; // of a frame, the strongest
    cli_progress *progress;
    const char *doing;  // what is done to the frames, for the progress
    double share, done; // of the progress: that of a reading of all frames, and what was before
} export_job;

typedef struct export_report {
    int64_t contacts; // written, of all frames
    int64_t left_out; // contacts beyond most_contacts
} export_report;

/// Which frames are wanted.
typedef struct export_wish {
    int64_t most;       // 0: 300, and fewer of many bodies in a page
    double from, until; // s; NAN: the first and last frame
    bool page;
} export_wish;

typedef struct export_choice {
    int64_t *frames; // [count] of the replay, by time; of the default allocator
    int count;
} export_choice;

/// Frames evenly over the run, the first and last that are wanted among them; where contacts are
/// kept in some, neighbours that keep them.
/// @return CAIRN_ERROR_ARGUMENT where there is none, CAIRN_INTERRUPTED, CAIRN_ERROR_MEMORY
cairn_status export_choose(const view_subject *subject, const export_wish *wish,
                           export_choice *choice, cairn_error *error) CAIRN_CHECK_RESULT;

/// Reads the i-th frame of the job; CAIRN_INTERRUPTED once a stop was asked for.
cairn_status export_read(const export_job *job, int i, cairn_replay_frame *frame,
                         cairn_error *error) CAIRN_CHECK_RESULT;

static inline int export_number(const cairn_replay_frame *frame, int i)
{
    return frame->body != NULL ? (int)frame->body[i] : i;
}

/// Bytes that grow. `failed` stays true once memory was short.
typedef struct export_bytes {
    base_allocator allocator;
    unsigned char *data; // [size]
    size_t size, room;
    bool failed;
} export_bytes;

void export_put(export_bytes *bytes, const void *data, size_t size);
void export_bytes_release(export_bytes *bytes);

/// The page: docs/howto/browser.md. @return CAIRN_ERROR_MEMORY, CAIRN_ERROR_FILE and as export_read
cairn_status export_html(const export_job *job, FILE *out, export_report *report,
                         cairn_error *error) CAIRN_CHECK_RESULT;

/// glTF 2.0, binary. @return CAIRN_ERROR_ARGUMENT for more than such a file holds; otherwise as
/// export_html
cairn_status export_gltf(const export_job *job, FILE *out, export_report *report,
                         cairn_error *error) CAIRN_CHECK_RESULT;

/// Files of contact forces for ParaView in the job's folder, and the script that shows them.
/// @param surfaces  the run's frames hold all surfaces, not each shape once
/// @param out       of the script
/// @param frames    out: with forces
/// @return as export_html
cairn_status export_paraview(const export_job *job, bool surfaces, FILE *out, export_report *report,
                             int *frames, cairn_error *error) CAIRN_CHECK_RESULT;

/// Exit status of an export that failed.
int export_exit(cairn_status status);

#endif
