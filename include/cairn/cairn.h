// SPDX-License-Identifier: Apache-2.0
// cairn: rigid bodies in contact. This header includes the whole public interface.
//
// Units are SI. Vectors are {x, y, z} in world axes, quaternions {w, x, y, z}. The world owns
// everything; pointers it gives are read-only and valid until the world is next changed or stepped.
// Ids are small values; a zeroed id is null, and an id of something removed is refused.
// Definitions come from the cairn_default_*() functions, never from a blank struct.
//
// Names: cairn_NOUN_create and cairn_NOUN_destroy or _remove; cairn_NOUN_get_X reads what
// cairn_NOUN_set_X sets, both by the same names; cairn_NOUN_get alone reads all of it into a view;
// cairn_NOUN_count, _at and _find list; cairn_ENUM_name is the word for an enum constant.
//
// cairn_world_array shows, cairn_world_read and cairn_world_write copy whole columns of bodies,
// contacts, joints and connectors, which cairn_column_get_info lists.
//
// Mistakes of the caller: no call crashes on them. A pointer that is NULL where a call needs one,
// an id that names nothing, an enum constant that there is not, an index or a count out of its
// range is answered by a status other than CAIRN_OK, with the reason in `error`, and nothing is
// changed. Calls without a status answer with 0, NULL, "", false or a null id, and cairn_..._find
// with -1 where it gives an index. `error`, `context` and functions may be NULL, and other pointers
// where their call says so; cairn_..._destroy and _close do nothing for NULL. Pointers that are
// neither NULL nor to what they should be cannot be told apart. tests/robust/test_api.c makes such
// a call of every function.
//
// Threads: calls on different worlds, problems and writers do not disturb one another, except that
// of the calls that read or write files in HDF5 only one may run at a time unless that library was
// built thread-safe. On one world, any number of threads may call functions that take it as const
// at the same time, as long as no thread is in a call that takes it as non-const.
#ifndef CAIRN_H
#define CAIRN_H

#include <cairn/array.h>
#include <cairn/body.h>
#include <cairn/cell.h>
#include <cairn/connector.h>
#include <cairn/contact.h>
#include <cairn/extend.h>
#include <cairn/files.h>
#include <cairn/grains.h>
#include <cairn/guard.h>
#include <cairn/joint.h>
#include <cairn/law.h>
#include <cairn/material.h>
#include <cairn/motion.h>
#include <cairn/plugin.h>
#include <cairn/problem.h>
#include <cairn/query.h>
#include <cairn/ranks.h>
#include <cairn/scene.h>
#include <cairn/servo.h>
#include <cairn/shape.h>
#include <cairn/solver.h>
#include <cairn/status.h>
#include <cairn/step.h>
#include <cairn/trajectory.h>
#include <cairn/types.h>
#include <cairn/version.h>
#include <cairn/world.h>

#endif
