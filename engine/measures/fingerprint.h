// SPDX-License-Identifier: Apache-2.0
// Hashes of what a world was built from, by part, to tell whether a checkpoint belongs to it.
#ifndef CAIRN_ENGINE_MEASURES_FINGERPRINT_H
#define CAIRN_ENGINE_MEASURES_FINGERPRINT_H

#include <cairn/cairn.h>

/// Parts, and what a message calls them.
#define ENG_FINGERPRINT_LIST(X)                                                                    \
    X(shapes, "shapes")                                                                            \
    X(bodies, "bodies")                                                                            \
    X(joints, "joints")                                                                            \
    X(laws, "materials or contact laws")                                                           \
    X(connectors, "connectors")                                                                    \
    X(step, "settings of the step (time step, gravity, tolerance, rotation, correction)")          \
    X(solvers, "solver settings")                                                                  \
    X(actions, "loads, emitters, outlets or other actions")

typedef enum eng_fingerprint_part {
#define ENG_FINGERPRINT_ENUM(name, text) ENG_FINGERPRINT_##name,
    ENG_FINGERPRINT_LIST(ENG_FINGERPRINT_ENUM)
#undef ENG_FINGERPRINT_ENUM
        ENG_FINGERPRINT_COUNT
} eng_fingerprint_part;

/// Everything that is set at creation and changes results; not poses, velocities and loads, nor
/// threads and the time limit of a solve.
void eng_fingerprint(const cairn_world *world, uint64_t parts[ENG_FINGERPRINT_COUNT]);

/// The same, with what there was at the first step in place of shapes, bodies, joints and
/// connectors of now.
void eng_fingerprint_built(const cairn_world *world, uint64_t parts[ENG_FINGERPRINT_COUNT]);

const char *eng_fingerprint_text(eng_fingerprint_part part);

/// What tells the shape of a live id from others; 0 where there is none.
uint64_t eng_fingerprint_of_shape(const cairn_world *world, cairn_shape_id shape);

/// Keeps what the world was built of, unless it is kept already.
void eng_built_note(cairn_world *world);

#endif
