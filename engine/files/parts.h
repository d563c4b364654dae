// SPDX-License-Identifier: Apache-2.0
// What a record of objects holds of shapes, joints and connectors whose kinds do not tell their
// sizes: numbers one after the other, written in an order and read in the same.
#ifndef CAIRN_ENGINE_FILES_PARTS_H
#define CAIRN_ENGINE_FILES_PARTS_H

#include "contact/laws/law.h"
#include "engine/joints/joints.h"
#include "engine/state/world_model.h"
#include "geometry/shape/shape.h"

/// Numbers with a place in them. Where the arrays are NULL, writing counts alone.
typedef struct eng_parts {
    int *integers; // [integer_count]
    double *reals; // [real_count]
    int64_t integer_count, real_count, integer_at, real_at;
    bool failed; // something was read that is not there
} eng_parts;

/// A connector as it was made; its law is found by name.
typedef struct eng_connector_part {
    int body[2], contacts, setting_count;
    const double *marker, *radius, *settings; // [6], [2], [setting_count]; of the numbers
} eng_connector_part;

void eng_shape_write(const cairn_world *world, int slot, eng_parts *parts);
void eng_joint_write(const eng_joint *joint, eng_parts *parts);
void eng_connector_write(const eng_connector *connector, eng_parts *parts);
void eng_exclusions_write(const cairn_world *world, eng_parts *parts);

/// A polyhedron, mesh or compound.
/// @param shape    out: made; NULL to pass it over
/// @param members  out: [member_count] index and generation, of the numbers; for a compound
/// @return CAIRN_ERROR_FORMAT for numbers that make no shape; CAIRN_ERROR_MEMORY
cairn_status eng_shape_read(eng_parts *parts, geo_kind kind, const base_allocator *allocator,
                            geo_shape **shape, const int (**members)[2]) CAIRN_CHECK_RESULT;

/// Whether a joint that was made after the first step has a function for its motor.
bool eng_joint_read(eng_parts *parts, eng_joint *joint);

eng_connector_part eng_connector_read(eng_parts *parts);

/// The surface of a connector; false where the law does not take its settings.
bool eng_connector_settle(const eng_connector_part *part, const con_law *law,
                          eng_connector *connector);

/// Pairs of bodies that do not touch. @return [count] rows, of the numbers
const int (*eng_exclusions_read(eng_parts *parts, int *count))[2];

#endif
