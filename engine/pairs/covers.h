// SPDX-License-Identifier: Apache-2.0
// Seams and creases: what the contacts of one body with several surfaces are together.
//
// The narrow phase knows two colliders at a time. Where a body touches two that lie against each
// other and do not move against each other, the face of one of them that the other covers is no
// face: a contact that pushes on it is dropped. Under laws of impulses, whose springs would add up,
// contacts that are one contact of the surface are one.
#ifndef CAIRN_ENGINE_PAIRS_COVERS_H
#define CAIRN_ENGINE_PAIRS_COVERS_H

#include <cairn/cairn.h>

/// Raw contacts that are none go from the manifolds of the narrow phase. After it, with the
/// contacts of the last step in `contacts.before`.
cairn_status eng_covers_drop(cairn_world *world) CAIRN_CHECK_RESULT;

#endif
