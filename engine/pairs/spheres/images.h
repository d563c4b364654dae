// SPDX-License-Identifier: Apache-2.0
// The sphere executor in a periodic cell: frames of slots, images, the work of the strain.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_IMAGES_H
#define CAIRN_ENGINE_PAIRS_SPHERES_IMAGES_H

#include "engine/pairs/spheres/data.h"

/// From a slot to its body, and from the slot's velocity to the body's; zero where space is open.
vec3 eng_spheres_wrap_shift(const struct eng_spheres *spheres, int slot);
vec3 eng_spheres_wrap_drift(const struct eng_spheres *spheres, int slot);

/// Lattice vectors from a slot to its body: the numbers, NULL where space is open.
int *eng_spheres_wrap_of(const struct eng_spheres *spheres, int slot);

/// Slots to the frame of the coming step, which is another than the last step foresaw where the
/// cell's rate was changed. @return whether images and ghosts have to follow
bool eng_spheres_frame_follow(struct eng_spheres *spheres);

/// The frame that slots have from now on, and where it puts images.
void eng_spheres_frame_set(struct eng_spheres *spheres, const eng_spheres_frame *frame);

/// Before the fused pass: the frame of the step after it.
void eng_spheres_frame_advance(struct eng_spheres *spheres);

/// The way that images make in a step, from the frame and the one before it.
void eng_spheres_frame_measure(struct eng_spheres *spheres);

/// Bodies lie where their slots are; before the frame loses its meaning.
void eng_spheres_unwrap(struct eng_spheres *spheres);

/// Slots into the cell, before a list is made.
void eng_spheres_wrap(struct eng_spheres *spheres);

/// Candidates of images for a search with these cells. @param cell_of  number of the cell of a
/// point
cairn_status eng_spheres_candidates_make(struct eng_spheres *spheres, int cells,
                                         int (*cell_of)(const void *grid, const double X[4]),
                                         const void *grid) CAIRN_CHECK_RESULT;

/// Columns of the search of a range among the candidates, for a slot. @param own  its place in them
eng_spheres_search eng_spheres_candidates_search(const struct eng_spheres *spheres, int range,
                                                 const eng_spheres_search *search, int slot,
                                                 int *own);

/// Slot whose image a candidate is; it becomes an image when a pair takes it.
int eng_spheres_candidate_source(const struct eng_spheres *spheres, int candidate);
void eng_spheres_candidate_take(struct eng_spheres *spheres, int candidate);

/// Cell of the search that a candidate is in, until pairs are searched for.
int eng_spheres_candidate_cell(const struct eng_spheres *spheres, int candidate);

/// Slots of the images that pairs took, numbered; then eng_spheres_image_slot tells them.
cairn_status eng_spheres_images_number(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;
int eng_spheres_image_slot(const struct eng_spheres *spheres, int candidate);

/// Pairs with images, once all blocks are made.
cairn_status eng_spheres_image_pairs_list(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Images [first, end) go where their slots say.
void eng_spheres_images_move(struct eng_spheres *spheres, int first, int end);

/// Whether a slot or image is the copy of its body that is nearest to another slot.
bool eng_spheres_is_nearest(const struct eng_spheres *spheres, int slot, int other);

/// Corrections of slots outside of the cell after a chunk has moved, in a cell that strains, and
/// the work of the strain on them since `momentum`, which is that of eng_spheres_drift_momentum
/// before.
void eng_spheres_chunk_strain(struct eng_spheres *spheres, eng_spheres_chunk *chunk,
                              double momentum);
double eng_spheres_drift_momentum(const struct eng_spheres *spheres,
                                  const eng_spheres_chunk *chunk);

/// Work of the strain through the images that pairs of a chunk meet, J; after their forces.
double eng_spheres_image_work(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk);

/// What a chunk adds to the stress of the cell: after its forces, and once it has moved.
void eng_spheres_chunk_branches(const struct eng_spheres *spheres, eng_spheres_chunk *chunk);
void eng_spheres_chunk_fluctuations(const struct eng_spheres *spheres, eng_spheres_chunk *chunk);

/// Whether the pair of a slot and an image of another acts on bodies far behind its own.
static inline bool eng_spheres_is_distant(const struct eng_spheres *spheres, int slot, int source)
{
    return 2 * (source / spheres->list.chunk_slots - slot / spheres->list.chunk_slots) >
           spheres->list.chunk_count;
}

#endif
