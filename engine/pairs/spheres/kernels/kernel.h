// SPDX-License-Identifier: Apache-2.0
// Passes of the sphere executor over blocks and slots, included once by each build of the kernels.
//
// The including file gives SIMD_LANES, the length of the vectors of base/simd.h, and the name in
// LANE_KERNEL. Sums and products run in the same order with explicit fused operations everywhere,
// so that all builds give the same bits.
#include "base/elementary.h"
#include "base/simd.h"
#include "contact/laws/law_list.h"
#include "engine/pairs/spheres/kernels/clumps_kernel.h"
#include "engine/pairs/spheres/kernels/pair.h"
#include "engine/pairs/spheres/kernels/see.h"

/// Slots of list A are used again and again.
INLINE void clear_forces(double (*rows)[8])
{
    memset(rows, 0, LANES * sizeof *rows);
}

/// What is asked for ahead of its use where bodies and blocks do not stay in the caches.
typedef struct fetching {
    bool on;
    int skip; // blocks of list B between those of list A of this chunk and of the next
} fetching;

enum { AHEAD = 4, BLOCKS_AHEAD = 10 };

/// Asks for the slots of the later bodies of a block.
INLINE void fetch_partners(const eng_spheres_pass *pass, const eng_spheres_block *block)
{
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
        int slot = eng_spheres_slot_b(block, k);
        __builtin_prefetch(pass->X[slot]);
        __builtin_prefetch(pass->V[slot]);
    }
}

INLINE void fetch_block(const eng_spheres_pass *pass, int index, const law_kernel *law)
{
    const char *block = (const char *)&pass->blocks[index];
    for (size_t at = 0; at < sizeof(eng_spheres_block); at += 64)
        __builtin_prefetch(block + at);
    for (int row = 0; row < law->columns - 1; row++)
        __builtin_prefetch(eng_spheres_columns_of(pass, index)[row]);
}

/// Once for each part of a block.
INLINE void fetch(const eng_spheres_pass *pass, const eng_spheres_segment *segment, int part,
                  const law_kernel *law, int skip)
{
    int partners = part / PARTS + AHEAD, block = part / PARTS + BLOCKS_AHEAD;
    if (part % PARTS != 0)
        return;
    if (partners < segment->end_block)
        fetch_partners(pass, &pass->blocks[partners]);
    fetch_block(pass, block < segment->end_block ? block : block + skip, law);
}

/// Parts of blocks of list A, AHEAD at a time.
INLINE void near_parts(const eng_spheres_pass *pass, const eng_spheres_segment *segment,
                       const resistance *moments, const law_kernel *law, fetching fetches, sums *s)
{
    spread t = spread_terms(pass, &pass->terms[segment->terms], law);
    pairs p = parts_of(pass, segment->first_block, law), next = p;
    found_bits bits = {0, 0};
    int end = segment->end_block * PARTS;
    for (int begin = segment->first_block * PARTS; begin < end; begin += AHEAD) {
        early ahead[AHEAD];
        int count = end - begin < AHEAD ? end - begin : AHEAD;
        for (int k = 0; k < count; k++, next_part(&next, law))
            begin_pairs(pass, next, &t, law, &ahead[k]);
        for (int k = 0; k < count; k++, next_part(&p, law)) {
            if (fetches.on)
                fetch(pass, segment, begin + k, law, fetches.skip);
            if (ahead[k].acts)
                act(pass, p, &t, moments, law, &ahead[k], &bits, s);
            else
                clear_forces(pass->force + p.b->force_row + p.first);
            if (moments != NULL && !ahead[k].acts)
                clear_couples(pass, p);
            if (p.first + LANES == ENG_SPHERES_WIDTH)
                store_found(p.b, &bits);
        }
    }
}

/// Smallest lane.
static double smallest(vec a)
{
    double lanes[LANES] __attribute__((aligned(64))), least;
    v_store(lanes, a);
    least = lanes[0];
    for (int k = 1; k < LANES; k++)
        least = lanes[k] < least ? lanes[k] : least;
    return least;
}

/// A block of list B; returns the smallest gap of its lanes.
INLINE double far_block(const eng_spheres_pass *pass, int index, const spread *t,
                        const resistance *moments, const law_kernel *law, sums *s)
{
    eng_spheres_block *b = &pass->blocks[index];
    pairs p = parts_of(pass, index, law);
    found_bits bits = {0, 0};
    vec least = v_set(1e30);
    for (int k = 0; k < PARTS; k++, next_part(&p, law)) {
        early e;
        begin_pairs(pass, p, t, law, &e);
        least = v_min(least, e.r - v_load(b->radius_sum + p.first));
        if (e.acts)
            act(pass, p, t, moments, law, &e, &bits, s);
    }
    store_found(b, &bits);
    // other ranges may mark the same body
    for (unsigned left = b->touch; left != 0; left &= left - 1) {
        int k = __builtin_ctz(left);
        __atomic_store_n(&pass->far_touched[eng_spheres_slot_a(b, k)], 1, __ATOMIC_RELAXED);
        int other = eng_spheres_source_of(pass, eng_spheres_slot_b(b, k));
        __atomic_store_n(&pass->far_touched[other], 1, __ATOMIC_RELAXED);
    }
    return smallest(least);
}

/// Blocks of list B that may touch by now; the chunk is looked at again when the first of the
/// others may.
INLINE void far_blocks(const eng_spheres_pass *pass, eng_spheres_chunk *chunk,
                       const eng_spheres_segment *segment, const resistance *moments,
                       const law_kernel *law, sums *s)
{
    spread t = spread_terms(pass, &pass->terms[segment->terms], law);
    for (int i = segment->first_block; i < segment->end_block; i++) {
        eng_spheres_block *b = &pass->blocks[i];
        if (b->check_distance <= chunk->path) {
            double gap = far_block(pass, i, &t, moments, law, s);
            // two bodies approach by twice the path at most
            b->check_distance = chunk->path + (gap > 0.0 ? 0.499999 * gap : 0.0);
        }
        chunk->check_distance =
            b->check_distance < chunk->check_distance ? b->check_distance : chunk->check_distance;
    }
}

// one law's passes over its blocks in a chunk: list A plain, with blocks and bodies asked for
// ahead, and with rolling and twisting; list B without and with them
#define LAW_PASSES(name)                                                                           \
    static __attribute__((noinline)) void near_##name(                                             \
        const eng_spheres_pass *pass, const eng_spheres_segment *segment, int skip, sums *s)       \
    {                                                                                              \
        (void)skip;                                                                                \
        near_parts(pass, segment, NULL, &name##_kernel, (fetching){false, 0}, s);                  \
    }                                                                                              \
    static __attribute__((noinline)) void near_fetching_##name(                                    \
        const eng_spheres_pass *pass, const eng_spheres_segment *segment, int skip, sums *s)       \
    {                                                                                              \
        near_parts(pass, segment, NULL, &name##_kernel, (fetching){true, skip}, s);                \
    }                                                                                              \
    static __attribute__((noinline)) void near_resisting_##name(                                   \
        const eng_spheres_pass *pass, const eng_spheres_segment *segment, int skip, sums *s)       \
    {                                                                                              \
        resistance moments = spread_resistance(&pass->terms[segment->terms]);                      \
        near_parts(pass, segment, &moments, &name##_kernel, (fetching){pass->reach > 0, skip}, s); \
    }                                                                                              \
    static __attribute__((noinline)) void far_##name(const eng_spheres_pass *pass,                 \
                                                     eng_spheres_chunk *chunk,                     \
                                                     const eng_spheres_segment *segment, sums *s)  \
    {                                                                                              \
        far_blocks(pass, chunk, segment, NULL, &name##_kernel, s);                                 \
    }                                                                                              \
    static __attribute__((noinline)) void far_resisting_##name(                                    \
        const eng_spheres_pass *pass, eng_spheres_chunk *chunk,                                    \
        const eng_spheres_segment *segment, sums *s)                                               \
    {                                                                                              \
        resistance moments = spread_resistance(&pass->terms[segment->terms]);                      \
        far_blocks(pass, chunk, segment, &moments, &name##_kernel, s);                             \
    }
CON_KERNEL_LIST(LAW_PASSES)

typedef void near_pass(const eng_spheres_pass *pass, const eng_spheres_segment *segment, int skip,
                       sums *s);
typedef void far_pass(const eng_spheres_pass *pass, eng_spheres_chunk *chunk,
                      const eng_spheres_segment *segment, sums *s);

#define LAW_ENTRY(name)                                                                            \
    {near_##name, near_fetching_##name, near_resisting_##name, far_##name, far_resisting_##name},
static const struct law_passes {
    near_pass *near, *near_fetching, *near_resisting;
    far_pass *far, *far_resisting;
} passes_of[CON_KERNEL_COUNT] = {CON_KERNEL_LIST(LAW_ENTRY)};

static const struct law_passes *law_of(const eng_spheres_pass *pass,
                                       const eng_spheres_segment *segment)
{
    return &passes_of[pass->terms[segment->terms].batch->kernel];
}

/// List A of a chunk.
static void near_list(const eng_spheres_pass *pass, const eng_spheres_chunk *chunk, sums *s)
{
    for (int i = chunk->first_segment; i < chunk->first_far_segment; i++) {
        const eng_spheres_segment *segment = &pass->segments[i];
        const struct law_passes *law = law_of(pass, segment);
        bool last = i + 1 == chunk->first_far_segment;
        int skip = last ? chunk->end_block - segment->end_block : 0;
        near_pass *plain = pass->reach > 0 ? law->near_fetching : law->near;
        (pass->resist != NULL ? law->near_resisting : plain)(pass, segment, skip, s);
    }
}

/// Sum of the lanes of all parts, in order.
static double total(const vec *parts)
{
    double lanes[ENG_SPHERES_WIDTH] __attribute__((aligned(64))), sum = 0.0;
    for (int part = 0; part < PARTS; part++)
        v_store(lanes + part * LANES, parts[part]);
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++)
        sum += lanes[k];
    return sum;
}

static double lane_largest(vec a)
{
    double lanes[LANES] __attribute__((aligned(64))), most;
    v_store(lanes, a);
    most = lanes[0];
    for (int k = 1; k < LANES; k++)
        most = lanes[k] > most ? lanes[k] : most;
    return most;
}

static void far_list(const eng_spheres_pass *pass, eng_spheres_chunk *chunk, sums *s)
{
    if (chunk->path < chunk->check_distance)
        return;
    chunk->check_distance = 1e30;
    for (int i = chunk->first_far_segment; i < chunk->end_segment; i++) {
        const eng_spheres_segment *segment = &pass->segments[i];
        const struct law_passes *law = law_of(pass, segment);
        (pass->resist != NULL ? law->far_resisting : law->far)(pass, chunk, segment, s);
    }
}

static void forces(const eng_spheres_pass *pass, int index)
{
    eng_spheres_chunk *chunk = &pass->chunks[index];
    sums s = {.depth = v_set(0.0), .relative = v_set(0.0)};
    for (int part = 0; part < PARTS; part++)
        s.damping[part] = s.friction[part] = s.plastic[part] = v_set(0.0);
    near_list(pass, chunk, &s);
    far_list(pass, chunk, &s);
    chunk->damping = -0.5 * pass->step * total(s.damping);
    chunk->friction = -0.5 * pass->step * total(s.friction);
    chunk->plastic = total(s.plastic);
    chunk->depth = lane_largest(s.depth);
    chunk->relative = lane_largest(s.relative);
    chunk->contacts = s.contacts;
    chunk->active = s.active;
}

/// Asks for the slots that the pairs of later chunks meet first.
INLINE void fetch_slots(const eng_spheres_pass *pass, int slot)
{
    __builtin_prefetch(pass->V[slot + pass->reach], 0, 2);
    __builtin_prefetch(pass->X[slot + pass->reach], 0, 2);
}

/// What the motion of a chunk's slots adds up to.
INLINE void note_motion(eng_spheres_chunk *chunk, const motion_sums *s)
{
    memset(chunk->fastest, 0, sizeof chunk->fastest);
    chunk->finite = 0.0;
    end_motion(s, chunk);
}

static __attribute__((noinline)) void move_resisting(const eng_spheres_pass *pass,
                                                     eng_spheres_chunk *chunk)
{
    double load[8] __attribute__((aligned(64)));
    motion_sums s = no_motion();
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++) {
        load_with_couples(pass, slot, load);
        move_slot(pass, slot, load, &s);
    }
    note_motion(chunk, &s);
}

static __attribute__((noinline)) void move_free(const eng_spheres_pass *pass,
                                                eng_spheres_chunk *chunk)
{
    motion_sums s = no_motion();
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++)
        move_slot(pass, slot, pass->load[(size_t)slot * pass->load_stride], &s);
    note_motion(chunk, &s);
}

/// A chunk of members of clumps alone, without resistance: their sums are kept, and the clumps move
/// later.
static __attribute__((noinline)) void sum_members(const eng_spheres_pass *pass,
                                                  eng_spheres_chunk *chunk)
{
    motion_sums s = no_motion();
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++)
        store_sum(pass, slot, pass->load[(size_t)slot * pass->load_stride]);
    note_motion(chunk, &s);
}

/// A chunk with members of clumps among spheres.
static __attribute__((noinline)) void move_mixed(const eng_spheres_pass *pass,
                                                 eng_spheres_chunk *chunk)
{
    double load[8] __attribute__((aligned(64)));
    motion_sums s = no_motion();
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++) {
        const double *given = pass->load[(size_t)slot * pass->load_stride];
        if (pass->resist != NULL) {
            load_with_couples(pass, slot, load);
            given = load;
        }
        if (pass->ids[slot] < 0)
            store_sum(pass, slot, given);
        else
            move_slot(pass, slot, given, &s);
    }
    note_motion(chunk, &s);
}

static void lane_move(const eng_spheres_pass *pass, int index)
{
    eng_spheres_chunk *chunk = &pass->chunks[index];
    int fetched = pass->reach > 0 ? pass->slot_count - pass->reach : 0;
    for (int slot = chunk->first_slot; slot < chunk->end_slot && slot < fetched; slot++)
        fetch_slots(pass, slot);
    if (chunk->members == chunk->end_slot - chunk->first_slot && pass->resist == NULL)
        sum_members(pass, chunk);
    else if (chunk->members > 0)
        move_mixed(pass, chunk);
    else
        (pass->resist != NULL ? move_resisting : move_free)(pass, chunk);
}

/// q <- exp(step w) q of LANES slots, with one Newton step towards unit length.
INLINE void turn_part(const eng_spheres_pass *pass, double (*q)[8], int slot, int first)
{
    vec half = v_set(0.5 * pass->step);
    vec x = half * v_gather(&pass->V[slot][6], 8), y = half * v_gather(&pass->V[slot][7], 8);
    vec z = half * v_gather(&pass->X[slot][3], 4);
    vec s = v_fma(z, z, v_fma(y, y, x * x)), sine, cosine;
    half_turn(s, &sine, &cosine);
    x = sine * x, y = sine * y, z = sine * z;
    vec a = v_load(q[0] + first), b = v_load(q[1] + first);
    vec c = v_load(q[2] + first), d = v_load(q[3] + first);
    vec w = v_fnma(z, d, v_fnma(y, c, v_fnma(x, b, cosine * a)));
    vec i = v_fnma(z, c, v_fma(y, d, v_fma(x, a, cosine * b)));
    vec j = v_fma(z, b, v_fma(y, a, v_fnma(x, d, cosine * c)));
    vec k = v_fma(z, a, v_fnma(y, b, v_fma(x, c, cosine * d)));
    vec norm = v_fma(k, k, v_fma(j, j, v_fma(i, i, w * w)));
    vec unit = v_fnma(v_set(0.5), norm, v_set(1.5));
    v_store(q[0] + first, unit * w);
    v_store(q[1] + first, unit * i);
    v_store(q[2] + first, unit * j);
    v_store(q[3] + first, unit * k);
}

static void lane_turn(const eng_spheres_pass *pass, int index)
{
    const eng_spheres_chunk *chunk = &pass->chunks[index];
    // members turn with their clumps
    if (chunk->members == chunk->end_slot - chunk->first_slot)
        return;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot += ENG_SPHERES_WIDTH)
        for (int first = 0; first < ENG_SPHERES_WIDTH; first += LANES)
            turn_part(pass, pass->turn[slot / ENG_SPHERES_WIDTH], slot + first, first);
}

/// Numbers of the lanes of a mask, with the bits of `apart` where these are set.
INLINE int put_found(int first, unsigned bits, unsigned apart, int *found)
{
    int count = 0;
    for (int k = 0; k < LANES; k++) {
        found[count] = (first + k) | (apart >> k & 1 ? ENG_SPHERES_APART : 0);
        count += bits >> k & 1;
    }
    return count;
}

static int meet(const eng_spheres_search *search, int slot, int begin, int end, int *found)
{
    const double *const *place = search->place;
    vec own = v_set(search->radius[slot]), margin = v_set(search->margin[slot]);
    vec near = v_set(search->near);
    vec at[3] = {v_set(place[0][slot]), v_set(place[1][slot]), v_set(place[2][slot])};
    int count = 0;
    for (int first = begin; first < end; first += LANES) {
        vec x = v_load_any(place[0] + first) - at[0];
        vec y = v_load_any(place[1] + first) - at[1];
        vec z = v_load_any(place[2] + first) - at[2];
        vec square = v_fma(z, z, v_fma(y, y, x * x));
        vec sum = own + v_load_any(search->radius + first);
        vec more = margin + v_load_any(search->margin + first);
        vec wide = sum + more, tight = v_fma(near, more, sum);
        unsigned bits = m_bits(m_less(square, wide * wide));
        if (end - first < LANES)
            bits &= (1u << (end - first)) - 1u;
        if (bits != 0)
            count += put_found(first, bits, ~m_bits(m_less(square, tight * tight)), found + count);
    }
    return count;
}

const eng_spheres_kernel LANE_KERNEL = {
    .name = SIMD_NAME,
    .forces = forces,
    .move = lane_move,
    .turn = lane_turn,
    .clumps = lane_clumps,
    .meet = meet,
    .see = see,
    .draw = draw,
};

#if defined(__clang__) && SIMD_LANES > 1
#pragma clang attribute pop
#endif
