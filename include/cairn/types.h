// SPDX-License-Identifier: Apache-2.0
// cairn: ids, values and other small types that all headers share.
#ifndef CAIRN_TYPES_H
#define CAIRN_TYPES_H

#include <cairn/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The world owns everything; it is opaque.
typedef struct cairn_world cairn_world;

// Ids are plain values; all of them zero is the null id. `index` may serve several objects one
// after the other, `generation` tells them apart, `world` those of different worlds: an id of
// something that was removed is refused with CAIRN_ERROR_STALE_ID, one of another world with
// CAIRN_ERROR_WORLD. A world that goes on from a checkpoint gives the same indices and generations.

typedef struct cairn_shape_id {
    uint32_t index, generation, world;
} cairn_shape_id;

typedef struct cairn_material_id {
    uint32_t index, generation, world;
} cairn_material_id;

typedef struct cairn_body_id {
    uint32_t index, generation, world;
} cairn_body_id;

typedef struct cairn_joint_id {
    uint32_t index, generation, world;
} cairn_joint_id;

typedef struct cairn_connector_id {
    uint32_t index, generation, world;
} cairn_connector_id;

/// Collision groups: two bodies may touch where each has a group that is in the other's mask.
typedef struct cairn_collision {
    uint32_t groups; // one bit a group; default 1
    uint32_t mask;   // groups that it may touch; default all
} cairn_collision;

typedef struct cairn_allocator {
    void *(*reallocate)(void *context, void *block, size_t size); // size 0 frees
    void *context;
} cairn_allocator;

typedef enum cairn_log_level {
    CAIRN_INFO,
    CAIRN_WARNING,
    CAIRN_ERROR,
    CAIRN_DETAIL // what goes on inside: the plan, checkpoints
} cairn_log_level;

/// A setting's value as a scene or a command line gives it.
typedef enum cairn_value_type { CAIRN_NUMBER, CAIRN_BOOLEAN, CAIRN_TEXT } cairn_value_type;

typedef struct cairn_value {
    cairn_value_type type;
    double number;
    bool boolean;
    const char *text; // borrowed during the call
} cairn_value;

static inline cairn_value cairn_number(double number)
{
    cairn_value value = {CAIRN_NUMBER, number, false, 0};
    return value;
}

static inline cairn_value cairn_text(const char *text)
{
    cairn_value value = {CAIRN_TEXT, 0.0, false, text};
    return value;
}

typedef struct cairn_parameter {
    const char *name;
    cairn_value value;
} cairn_parameter;

#ifdef __cplusplus
}
#endif

#endif
