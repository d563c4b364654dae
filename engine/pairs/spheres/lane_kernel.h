// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the spheres lane, included once by each build of the kernels.
//
// The including file gives the vector layer: types `vec` and `mask` of LANES doubles, the v_ and m_
// operations, load_positions, load_velocities, store_forces, add_rows, and the name in LANE_KERNEL.
// Sums and products run in the same order with explicit fused operations everywhere, so that all
// builds give the same bits. The equations are those of contact/laws/slider.c and of the two laws,
// with several quotients taken from one division.
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { PARTS = ENG_LANE_WIDTH / LANES };

typedef struct vec_3 {
    vec x, y, z;
} vec_3;

INLINE vec lane_dot(vec_3 a, vec_3 b)
{
    return v_fma(a.z, b.z, v_fma(a.y, b.y, v_mul(a.x, b.x)));
}

INLINE vec_3 scaled(vec s, vec_3 a)
{
    return (vec_3){v_mul(s, a.x), v_mul(s, a.y), v_mul(s, a.z)};
}

/// a + s b
INLINE vec_3 lane_add_scaled(vec_3 a, vec s, vec_3 b)
{
    return (vec_3){v_fma(s, b.x, a.x), v_fma(s, b.y, a.y), v_fma(s, b.z, a.z)};
}

/// a - s b
INLINE vec_3 less_scaled(vec_3 a, vec s, vec_3 b)
{
    return (vec_3){v_fnma(s, b.x, a.x), v_fnma(s, b.y, a.y), v_fnma(s, b.z, a.z)};
}

/// a - b x c
INLINE vec_3 less_cross(vec_3 a, vec_3 b, vec_3 c)
{
    return (vec_3){v_fma(b.z, c.y, v_fnma(b.y, c.z, a.x)), v_fma(b.x, c.z, v_fnma(b.z, c.x, a.y)),
                   v_fma(b.y, c.x, v_fnma(b.x, c.y, a.z))};
}

INLINE vec_3 cross(vec_3 a, vec_3 b)
{
    return (vec_3){v_fnma(a.z, b.y, v_mul(a.y, b.z)), v_fnma(a.x, b.z, v_mul(a.z, b.x)),
                   v_fnma(a.y, b.x, v_mul(a.x, b.y))};
}

INLINE vec_3 selected(mask m, vec_3 yes, vec_3 no)
{
    return (vec_3){v_select(m, yes.x, no.x), v_select(m, yes.y, no.y), v_select(m, yes.z, no.z)};
}

/// Sums of a chunk, lane by lane.
typedef struct sums {
    vec damping[PARTS], friction[PARTS]; // J, with the factor -step/2 left out
    vec depth, relative;
    int contacts, active;
} sums;

/// Constants of one surface in all lanes.
typedef struct spread {
    vec normal, tangential, damping, friction, least_force, tangential_inverse;
    vec step, rate; // s, 1/s
} spread;

INLINE spread spread_terms(const eng_lane_terms *t, double step)
{
    return (spread){v_set(t->normal),   v_set(t->tangential),  v_set(t->damping),
                    v_set(t->friction), v_set(t->least_force), v_set(1.0 / t->tangential),
                    v_set(step),        v_set(1.0 / step)};
}

/// What follows from the positions and the law's stiffness.
typedef struct shape_of {
    vec gap, depth;
    vec distance_inverse;
    vec spring_squared, spring_squared_inverse;
    vec tangential, tangential_inverse; // N/m
    vec before_inverse, before_ratio; // 1 / stiffness of the last step; loss with a shrinking area
    vec damping, normal_spring;       // N s/m, N
} shape_of;

INLINE vec_3 load_3(double (*rows)[ENG_LANE_WIDTH], int first)
{
    return (vec_3){v_load(rows[0] + first), v_load(rows[1] + first), v_load(rows[2] + first)};
}

INLINE void store_3(double (*rows)[ENG_LANE_WIDTH], int first, vec_3 a)
{
    v_store(rows[0] + first, a.x);
    v_store(rows[1] + first, a.y);
    v_store(rows[2] + first, a.z);
}

INLINE vec_3 kept(mask m, vec_3 a)
{
    return (vec_3){v_keep(m, a.x), v_keep(m, a.y), v_keep(m, a.z)};
}

/// What is computed some blocks ahead, so that roots and divisions of several blocks overlap.
typedef struct early {
    vec X[4];
    vec r, spring_squared;
    vec root;    // hertz: overlap^(1/4)
    vec inverse; // of the product of all divisors
    mask touch;
    bool acts; // something touches or did
} early;

INLINE vec safe_square(vec q)
{
    return v_max(q, v_set(1e-60));
}

INLINE vec safe_slope(const eng_lane_hertz *h, int first)
{
    return v_max(v_load(h->slope + first), v_set(1e-20));
}

INLINE vec area_of(const eng_lane_hertz *h, int first, vec root)
{
    return v_mul(v_load(h->root_radius + first), v_mul(root, root));
}

/// LANES pairs of one block.
typedef struct pairs {
    eng_lane_block *b;
    eng_lane_hertz *h; // not used by hooke
    int first;         // lane
} pairs;

/// Lanes of a block that touch and slip, as its parts find them.
typedef struct found_bits {
    unsigned touch, slip;
} found_bits;

INLINE void next_part(pairs *p, bool hertz)
{
    p->first += LANES;
    if (p->first < ENG_LANE_WIDTH)
        return;
    p->first = 0;
    p->b++;
    if (hertz)
        p->h++;
}

/// After the last part of a block.
INLINE void store_found(eng_lane_block *b, found_bits *bits)
{
    b->touch = (unsigned char)bits->touch;
    b->slip = (unsigned char)bits->slip;
    *bits = (found_bits){0, 0};
}

INLINE pairs parts_of(const eng_lane_pass *pass, int block, bool hertz)
{
    return (pairs){&pass->blocks[block], hertz ? &pass->hertz[block] : NULL, 0};
}

INLINE void begin_pairs(const eng_lane_pass *pass, pairs p, const spread *t, bool hertz, early *e)
{
    eng_lane_block *b = p.b;
    int first = p.first;
    load_positions(pass, b->i8 + first, b->j8 + first, e->X);
    vec rsq = v_fma(e->X[2], e->X[2], v_fma(e->X[1], e->X[1], v_mul(e->X[0], e->X[0])));
    vec sum = v_load(b->radius_sum + first);
    e->touch = m_less(rsq, v_mul(sum, sum));
    e->acts = m_any(e->touch) || ((unsigned)b->touch >> first & ((1u << LANES) - 1u)) != 0;
    e->r = v_sqrt(rsq);
    vec_3 spring = load_3(b->spring, first);
    e->spring_squared = lane_dot(spring, spring);
    vec divisor = v_mul(e->r, safe_square(e->spring_squared));
    if (hertz) {
        vec depth = v_sub(v_set(0.0), v_sub(e->r, sum));
        e->root = v_sqrt(v_sqrt(v_max(depth, v_set(1e-40))));
        vec now = v_mul(t->tangential, area_of(p.h, p.first, e->root));
        divisor = v_mul(divisor, v_mul(now, safe_slope(p.h, p.first)));
    }
    e->inverse = v_div(v_set(1.0), divisor);
}

INLINE shape_of shape_hooke(pairs p, const spread *t, const early *e, vec depth)
{
    return (shape_of){
        .distance_inverse = v_mul(e->inverse, safe_square(e->spring_squared)),
        .spring_squared_inverse = v_mul(e->inverse, e->r),
        .tangential = t->tangential,
        .tangential_inverse = t->tangential_inverse,
        .before_inverse = t->tangential_inverse,
        .damping = v_load(p.b->damping + p.first),
        .normal_spring = v_mul(t->normal, depth),
    };
}

INLINE shape_of shape_hertz(pairs p, const spread *t, const early *e, vec depth)
{
    vec area = area_of(p.h, p.first, e->root), safe = safe_square(e->spring_squared);
    vec now = v_mul(t->tangential, area), old = safe_slope(p.h, p.first);
    vec left = v_mul(e->r, safe), right = v_mul(now, old);
    vec inverse_left = v_mul(e->inverse, right), inverse_right = v_mul(e->inverse, left);
    vec old_inverse = v_mul(inverse_right, now);
    return (shape_of){
        .distance_inverse = v_mul(inverse_left, safe),
        .spring_squared_inverse = v_mul(inverse_left, e->r),
        .tangential = now,
        .tangential_inverse = v_mul(inverse_right, old),
        .before_inverse = old_inverse,
        .before_ratio = v_min(v_mul(now, old_inverse), v_set(1.0)),
        .damping = v_mul(v_load(p.b->damping + p.first), e->root),
        .normal_spring = v_mul(v_mul(t->normal, area), depth),
    };
}

/// `flat`, what is left of a vector of squared length q without its pairs p along the normal, made
/// as long as the vector was: 1 / sqrt(1 - e) times as long, e = p^2 / q.
INLINE vec_3 length_kept(vec_3 flat, vec p, vec q, vec q_inverse, mask touch)
{
    vec e = v_mul(v_mul(p, p), q_inverse);
    vec factor = v_fma(v_set(0.3125), e, v_set(0.375));
    factor = v_fma(factor, e, v_set(0.5));
    factor = v_fma(factor, e, v_set(1.0));
    mask large = m_and(touch, m_less(v_set(1e-4), e));
    if (__builtin_expect(m_any(large), 0)) {
        vec left = lane_dot(flat, flat), least = v_set(1e-300);
        vec exact = v_sqrt(v_div(q, v_max(left, least)));
        factor = v_select(large, v_keep(m_less(least, left), exact), factor);
    }
    return scaled(factor, flat);
}

/// Force and spring of lanes that slip.
INLINE void slip_lanes(mask slip, vec size_squared, vec limit, vec spring_rate, vec dashpot,
                       vec_3 before, vec_3 *force, vec_3 *spring)
{
    vec size = v_sqrt(size_squared), sum = v_add(spring_rate, dashpot);
    vec inverse = v_div(v_set(1.0), v_mul(size, sum));
    vec_3 cut = scaled(v_mul(limit, v_mul(inverse, sum)), *force);
    vec_3 mixed = lane_add_scaled(scaled(dashpot, before), spring_rate, cut);
    *spring = selected(slip, scaled(v_mul(inverse, size), mixed), *spring);
    *force = selected(slip, cut, *force);
}

/// Relative motion of the pairs of a part of a block.
typedef struct motion {
    vec_3 n, slide; // normal; velocity at the contact point along the surface
    vec_3 apart;    // velocity of the centres
    vec_3 along;    // its part along the surface
    vec_3 turn;     // sum of arm times spin
    vec normal;     // velocity along the normal
} motion;

INLINE motion motion_of(const vec X[4], const vec V[8], vec distance_inverse, vec half_gap)
{
    motion m;
    m.n = scaled(distance_inverse, (vec_3){X[0], X[1], X[2]});
    m.apart = (vec_3){V[0], V[1], V[2]};
    m.turn = lane_add_scaled((vec_3){V[3], V[4], V[5]}, half_gap, (vec_3){V[6], V[7], X[3]});
    m.normal = lane_dot(m.apart, m.n);
    m.along = less_scaled(m.apart, m.normal, m.n);
    m.slide = less_cross(m.along, m.turn, m.n);
    return m;
}

/// Energies of the interval between the last configuration and this one, contact/laws/audit.h: the
/// second half of the last step, whose forces are the lagged ones, and the first half of this one.
/// The normal's turn within a step is left out: its effect cancels over an approach and departure.
typedef struct audited {
    vec_3 whole, spring, loss; // N: turned, new; dashpot or loss of now; no contact: zero but whole
    vec damping;               // N, normal dashpot's part of now
    vec stored;                // W, gain of the spring over half a step
    mask slip;
} audited;

INLINE void audit(eng_lane_block *b, int first, int part, const motion *m, const audited *a,
                  sums *s)
{
    vec_3 lag = {v_load_float(b->lag_tangent[0] + first), v_load_float(b->lag_tangent[1] + first),
                 v_load_float(b->lag_tangent[2] + first)};
    vec normal = v_mul(v_add(v_load_float(b->lag_normal + first), a->damping), m->normal);
    vec now = lane_dot(a->loss, m->slide), old = lane_dot(lag, m->slide);
    mask slipped = m_from_bits((unsigned)b->slip >> first);
    vec stick = v_add(v_drop(a->slip, now), v_drop(slipped, old));
    vec loss = v_add(v_keep(a->slip, now), v_keep(slipped, old));
    s->damping[part] = v_add(s->damping[part], v_add(normal, stick));
    // springs: given minus stored while the contact lasts, all of it when it opens
    vec_3 both = {v_add(a->whole.x, a->spring.x), v_add(a->whole.y, a->spring.y),
                  v_add(a->whole.z, a->spring.z)};
    vec work = v_add(lane_dot(both, m->slide), a->stored);
    s->friction[part] = v_add(s->friction[part], v_add(loss, work));
}

INLINE void store_lag(eng_lane_block *b, int first, vec damping, vec_3 loss)
{
    v_store_float(b->lag_normal + first, damping);
    v_store_float(b->lag_tangent[0] + first, loss.x);
    v_store_float(b->lag_tangent[1] + first, loss.y);
    v_store_float(b->lag_tangent[2] + first, loss.z);
}

/// Bits of this part in a byte of the block.
INLINE void store_bits(unsigned char *byte, int first, unsigned bits)
{
    unsigned all = (1u << LANES) - 1u;
    *byte = (unsigned char)((*byte & ~(all << first)) | (bits << first));
}

INLINE void lane_count(const eng_lane_block *b, int first, mask touch, vec force, vec depth,
                       sums *s)
{
    vec inside = v_keep(touch, depth);
    mask active = m_differ(force, v_set(0.0));
    s->contacts += __builtin_popcount(m_bits(touch));
    s->active += __builtin_popcount(m_bits(active));
    s->depth = v_max(s->depth, inside);
    s->relative = v_max(s->relative, v_mul(inside, v_load_float(b->inverse_size + first)));
}

#include "engine/pairs/spheres/lane_resist.h"

/// Law, force rows and audit of LANES pairs that are near enough to matter.
/// @param moments  rolling and twisting; NULL in the variants without
INLINE void act(const eng_lane_pass *pass, pairs p, const spread *t, const resistance *moments,
                bool hertz, const early *e, found_bits *bits, sums *s)
{
    eng_lane_block *b = p.b;
    int first = p.first;
    mask touch = e->touch;
    vec gap = v_sub(e->r, v_load(b->radius_sum + first)), q = e->spring_squared;
    vec depth = v_sub(v_set(0.0), gap), half_gap = v_mul(v_set(0.5), gap);
    vec_3 old = load_3(b->spring, first);
    shape_of k = hertz ? shape_hertz(p, t, e, depth) : shape_hooke(p, t, e, depth);
    vec V[8];
    load_velocities(pass, b->i8 + first, b->j8 + first, V);
    motion m = motion_of(e->X, V, k.distance_inverse, half_gap);

    vec force = v_max(v_fnma(k.damping, m.normal, k.normal_spring), t->least_force);
    vec limit = v_mul(t->friction, v_max(force, v_set(0.0)));
    vec along = lane_dot(old, m.n);
    vec_3 whole =
        length_kept(less_scaled(old, along, m.n), along, q, k.spring_squared_inverse, touch);
    vec_3 before = hertz ? scaled(k.before_ratio, whole) : whole;
    vec spring_rate = v_mul(k.tangential, t->step), dashpot = v_mul(t->damping, k.damping);
    vec_3 spring = less_scaled(before, spring_rate, m.slide);
    vec_3 drag = less_scaled(spring, dashpot, m.slide);
    vec size_squared = lane_dot(drag, drag);
    mask slip = m_and(touch, m_less(v_mul(limit, limit), size_squared));
    if (m_any(slip))
        slip_lanes(slip, size_squared, limit, spring_rate, dashpot, before, &drag, &spring);

    // nothing acts and nothing is remembered where nothing touches
    force = v_keep(touch, force);
    drag = kept(touch, drag);
    spring = kept(touch, spring);
    vec gained = v_mul(lane_dot(spring, spring), k.tangential_inverse);
    audited a = {
        .whole = whole,
        .spring = spring,
        .loss = {v_sub(drag.x, spring.x), v_sub(drag.y, spring.y), v_sub(drag.z, spring.z)},
        .damping = v_keep(touch, v_sub(force, k.normal_spring)),
        .stored = v_mul(v_fnma(q, k.before_inverse, gained), t->rate),
        .slip = slip,
    };
    audit(b, first, first / LANES, &m, &a, s);
    lane_count(b, first, touch, force, depth, s);

    store_lag(b, first, a.damping, a.loss);
    bits->touch |= m_bits(touch) << first;
    bits->slip |= m_bits(slip) << first;
    store_3(b->spring, first, spring);
    if (hertz)
        v_store(p.h->slope + first, v_keep(touch, k.tangential));
    vec_3 moment = cross(drag, m.n), total = lane_add_scaled(drag, force, m.n);
    vec out[8] = {total.x, total.y, total.z, moment.x, moment.y, moment.z, half_gap, v_set(0.0)};
    store_forces(pass->force + b->force_row + first, out);
    if (moments != NULL)
        lane_resist(pass, p, moments, t, &k, hertz, touch, force, m.n, s);
}

/// Rows of list A are used again and again.
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

/// Asks for the rows of the later bodies of a block.
INLINE void fetch_partners(const eng_lane_pass *pass, const eng_lane_block *block)
{
    for (int k = 0; k < ENG_LANE_WIDTH; k++) {
        int row = eng_lane_row_b(block, k);
        __builtin_prefetch(pass->X[row]);
        __builtin_prefetch(pass->V[row]);
    }
}

INLINE void fetch_block(const eng_lane_pass *pass, int index, bool hertz)
{
    const char *block = (const char *)&pass->blocks[index];
    for (size_t at = 0; at < sizeof(eng_lane_block); at += 64)
        __builtin_prefetch(block + at);
    for (size_t at = 0; hertz && at < sizeof(eng_lane_hertz); at += 64)
        __builtin_prefetch((const char *)&pass->hertz[index] + at);
}

/// Once for each part of a block.
INLINE void fetch(const eng_lane_pass *pass, const eng_lane_segment *segment, int part, bool hertz,
                  int skip)
{
    int partners = part / PARTS + AHEAD, block = part / PARTS + BLOCKS_AHEAD;
    if (part % PARTS != 0)
        return;
    if (partners < segment->end_block)
        fetch_partners(pass, &pass->blocks[partners]);
    fetch_block(pass, block < segment->end_block ? block : block + skip, hertz);
}

/// Parts of blocks of list A, AHEAD at a time.
INLINE void near_parts(const eng_lane_pass *pass, const eng_lane_segment *segment,
                       const resistance *moments, bool hertz, fetching fetches, sums *s)
{
    spread t = spread_terms(&pass->terms[segment->terms], pass->step);
    pairs p = parts_of(pass, segment->first_block, hertz), next = p;
    found_bits bits = {0, 0};
    int end = segment->end_block * PARTS;
    for (int begin = segment->first_block * PARTS; begin < end; begin += AHEAD) {
        early ahead[AHEAD];
        int count = end - begin < AHEAD ? end - begin : AHEAD;
        for (int k = 0; k < count; k++, next_part(&next, hertz))
            begin_pairs(pass, next, &t, hertz, &ahead[k]);
        for (int k = 0; k < count; k++, next_part(&p, hertz)) {
            if (fetches.on)
                fetch(pass, segment, begin + k, hertz, fetches.skip);
            if (ahead[k].acts)
                act(pass, p, &t, moments, hertz, &ahead[k], &bits, s);
            else
                clear_forces(pass->force + p.b->force_row + p.first);
            if (moments != NULL && !ahead[k].acts)
                clear_couples(pass, p);
            if (p.first + LANES == ENG_LANE_WIDTH)
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
INLINE double far_block(const eng_lane_pass *pass, int index, const spread *t,
                        const resistance *moments, bool hertz, sums *s)
{
    eng_lane_block *b = &pass->blocks[index];
    pairs p = parts_of(pass, index, hertz);
    found_bits bits = {0, 0};
    vec least = v_set(1e30);
    for (int k = 0; k < PARTS; k++, next_part(&p, hertz)) {
        early e;
        begin_pairs(pass, p, t, hertz, &e);
        least = v_min(least, v_sub(e.r, v_load(b->radius_sum + p.first)));
        if (e.acts)
            act(pass, p, t, moments, hertz, &e, &bits, s);
    }
    store_found(b, &bits);
    // other ranges may mark the same body
    for (unsigned left = b->touch; left != 0; left &= left - 1) {
        int k = __builtin_ctz(left);
        __atomic_store_n(&pass->far_touched[eng_lane_row_a(b, k)], 1, __ATOMIC_RELAXED);
        __atomic_store_n(&pass->far_touched[eng_lane_row_b(b, k)], 1, __ATOMIC_RELAXED);
    }
    return smallest(least);
}

/// Blocks of list B that may touch by now; the chunk wakes when the first of the others may.
INLINE void far_blocks(const eng_lane_pass *pass, eng_lane_chunk *chunk,
                       const eng_lane_segment *segment, const resistance *moments, bool hertz,
                       sums *s)
{
    spread t = spread_terms(&pass->terms[segment->terms], pass->step);
    for (int i = segment->first_block; i < segment->end_block; i++) {
        eng_lane_block *b = &pass->blocks[i];
        if (b->wake <= chunk->path) {
            double gap = far_block(pass, i, &t, moments, hertz, s);
            // two bodies approach by twice the path at most
            b->wake = chunk->path + (gap > 0.0 ? 0.499999 * gap : 0.0);
        }
        chunk->wake = b->wake < chunk->wake ? b->wake : chunk->wake;
    }
}

static __attribute__((noinline)) void near_hooke(const eng_lane_pass *pass,
                                                 const eng_lane_segment *segment, sums *s)
{
    near_parts(pass, segment, NULL, false, (fetching){false, 0}, s);
}

static __attribute__((noinline)) void near_hertz(const eng_lane_pass *pass,
                                                 const eng_lane_segment *segment, sums *s)
{
    near_parts(pass, segment, NULL, true, (fetching){false, 0}, s);
}

static __attribute__((noinline)) void
near_hooke_fetching(const eng_lane_pass *pass, const eng_lane_segment *segment, int skip, sums *s)
{
    near_parts(pass, segment, NULL, false, (fetching){true, skip}, s);
}

static __attribute__((noinline)) void
near_hertz_fetching(const eng_lane_pass *pass, const eng_lane_segment *segment, int skip, sums *s)
{
    near_parts(pass, segment, NULL, true, (fetching){true, skip}, s);
}

static __attribute__((noinline)) void near_hooke_resisting(const eng_lane_pass *pass,
                                                           const eng_lane_segment *segment,
                                                           fetching fetches, sums *s)
{
    resistance moments = spread_resistance(&pass->terms[segment->terms]);
    near_parts(pass, segment, &moments, false, fetches, s);
}

static __attribute__((noinline)) void near_hertz_resisting(const eng_lane_pass *pass,
                                                           const eng_lane_segment *segment,
                                                           fetching fetches, sums *s)
{
    resistance moments = spread_resistance(&pass->terms[segment->terms]);
    near_parts(pass, segment, &moments, true, fetches, s);
}

/// List A of a chunk.
static void near_list(const eng_lane_pass *pass, const eng_lane_chunk *chunk, sums *s)
{
    for (int i = chunk->first_segment; i < chunk->first_far_segment; i++) {
        const eng_lane_segment *segment = &pass->segments[i];
        bool hertz = pass->terms[segment->terms].law == ENG_LANE_HERTZ;
        bool last = i + 1 == chunk->first_far_segment;
        int skip = last ? chunk->end_block - segment->end_block : 0;
        if (pass->resist != NULL)
            (hertz ? near_hertz_resisting
                   : near_hooke_resisting)(pass, segment, (fetching){pass->reach > 0, skip}, s);
        else if (pass->reach > 0)
            (hertz ? near_hertz_fetching : near_hooke_fetching)(pass, segment, skip, s);
        else
            (hertz ? near_hertz : near_hooke)(pass, segment, s);
    }
}

static __attribute__((noinline)) void far_hooke(const eng_lane_pass *pass, eng_lane_chunk *chunk,
                                                const eng_lane_segment *segment, sums *s)
{
    far_blocks(pass, chunk, segment, NULL, false, s);
}

static __attribute__((noinline)) void far_hertz(const eng_lane_pass *pass, eng_lane_chunk *chunk,
                                                const eng_lane_segment *segment, sums *s)
{
    far_blocks(pass, chunk, segment, NULL, true, s);
}

static __attribute__((noinline)) void far_resisting(const eng_lane_pass *pass,
                                                    eng_lane_chunk *chunk,
                                                    const eng_lane_segment *segment, sums *s)
{
    resistance moments = spread_resistance(&pass->terms[segment->terms]);
    if (pass->terms[segment->terms].law == ENG_LANE_HERTZ)
        far_blocks(pass, chunk, segment, &moments, true, s);
    else
        far_blocks(pass, chunk, segment, &moments, false, s);
}

/// Sum of the lanes of all parts, in order.
static double total(const vec *parts)
{
    double lanes[ENG_LANE_WIDTH] __attribute__((aligned(64))), sum = 0.0;
    for (int part = 0; part < PARTS; part++)
        v_store(lanes + part * LANES, parts[part]);
    for (int k = 0; k < ENG_LANE_WIDTH; k++)
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

static void far_list(const eng_lane_pass *pass, eng_lane_chunk *chunk, sums *s)
{
    if (chunk->path < chunk->wake)
        return;
    chunk->wake = 1e30;
    for (int i = chunk->first_far_segment; i < chunk->end_segment; i++) {
        const eng_lane_segment *segment = &pass->segments[i];
        if (pass->resist != NULL)
            far_resisting(pass, chunk, segment, s);
        else if (pass->terms[segment->terms].law == ENG_LANE_HERTZ)
            far_hertz(pass, chunk, segment, s);
        else
            far_hooke(pass, chunk, segment, s);
    }
}

static void forces(const eng_lane_pass *pass, int index)
{
    eng_lane_chunk *chunk = &pass->chunks[index];
    sums s = {.depth = v_set(0.0), .relative = v_set(0.0)};
    for (int part = 0; part < PARTS; part++)
        s.damping[part] = s.friction[part] = v_set(0.0);
    near_list(pass, chunk, &s);
    far_list(pass, chunk, &s);
    chunk->damping = -0.5 * pass->step * total(s.damping);
    chunk->friction = -0.5 * pass->step * total(s.friction);
    chunk->depth = lane_largest(s.depth);
    chunk->relative = lane_largest(s.relative);
    chunk->contacts = s.contacts;
    chunk->active = s.active;
}

/// Asks for the rows that the pairs of later chunks meet first.
INLINE void fetch_rows(const eng_lane_pass *pass, int row)
{
    __builtin_prefetch(pass->V[row + pass->reach], 0, 2);
    __builtin_prefetch(pass->X[row + pass->reach], 0, 2);
}

/// What the motion of a chunk's rows adds up to.
INLINE void note_motion(eng_lane_chunk *chunk, const motion_sums *s)
{
    memset(chunk->fastest, 0, sizeof chunk->fastest);
    chunk->finite = 0.0;
    end_motion(s, chunk);
}

static __attribute__((noinline)) void move_resisting(const eng_lane_pass *pass,
                                                     eng_lane_chunk *chunk)
{
    double load[8] __attribute__((aligned(64)));
    motion_sums s;
    begin_motion(&s);
    for (int row = chunk->first_row; row < chunk->end_row; row++) {
        load_with_couples(pass, row, load);
        move_row(pass, row, load, &s);
    }
    note_motion(chunk, &s);
}

static __attribute__((noinline)) void move_free(const eng_lane_pass *pass, eng_lane_chunk *chunk)
{
    motion_sums s;
    begin_motion(&s);
    for (int row = chunk->first_row; row < chunk->end_row; row++)
        move_row(pass, row, pass->load[(size_t)row * pass->load_stride], &s);
    note_motion(chunk, &s);
}

static void lane_move(const eng_lane_pass *pass, int index)
{
    eng_lane_chunk *chunk = &pass->chunks[index];
    int fetched = pass->reach > 0 ? pass->row_count - pass->reach : 0;
    for (int row = chunk->first_row; row < chunk->end_row && row < fetched; row++)
        fetch_rows(pass, row);
    (pass->resist != NULL ? move_resisting : move_free)(pass, chunk);
}

/// sin(a)/a and cos(a) of s = a^2, both to round-off below the bound of `turn_group`.
INLINE void half_turn(vec s, vec *sine, vec *cosine)
{
    static const double odd[] = {-1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6};
    static const double even[] = {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5};
    vec a = v_set(odd[0]), b = v_set(even[0]);
    for (int i = 1; i < 5; i++) {
        a = v_fma(a, s, v_set(odd[i]));
        b = v_fma(b, s, v_set(even[i]));
    }
    *sine = v_fma(a, s, v_set(1.0));
    *cosine = v_fma(b, s, v_set(1.0));
}

/// The same for any angle, in the lanes of a mask.
static __attribute__((noinline)) void half_turn_large(mask large, vec s, vec *sine, vec *cosine)
{
    double lane[LANES] __attribute__((aligned(64))), out[2][LANES] __attribute__((aligned(64)));
    v_store(lane, s);
    for (int k = 0; k < LANES; k++) {
        double angle = sqrt(lane[k]);
        out[0][k] = angle > 0.0 ? sin(angle) / angle : 1.0;
        out[1][k] = cos(angle);
    }
    *sine = v_select(large, v_load(out[0]), *sine);
    *cosine = v_select(large, v_load(out[1]), *cosine);
}

/// q <- exp(step w) q of LANES rows, with one Newton step towards unit length.
INLINE void turn_part(const eng_lane_pass *pass, double (*q)[8], int row, int first)
{
    vec half = v_set(0.5 * pass->step);
    vec x = v_mul(half, v_gather(&pass->V[row][6], 8)),
        y = v_mul(half, v_gather(&pass->V[row][7], 8));
    vec z = v_mul(half, v_gather(&pass->X[row][3], 4));
    vec s = v_fma(z, z, v_fma(y, y, v_mul(x, x))), sine, cosine;
    half_turn(s, &sine, &cosine);
    mask large = m_less(v_set(0.06), s);
    if (__builtin_expect(m_any(large), 0))
        half_turn_large(large, s, &sine, &cosine);
    x = v_mul(sine, x), y = v_mul(sine, y), z = v_mul(sine, z);
    vec a = v_load(q[0] + first), b = v_load(q[1] + first);
    vec c = v_load(q[2] + first), d = v_load(q[3] + first);
    vec w = v_fnma(z, d, v_fnma(y, c, v_fnma(x, b, v_mul(cosine, a))));
    vec i = v_fnma(z, c, v_fma(y, d, v_fma(x, a, v_mul(cosine, b))));
    vec j = v_fma(z, b, v_fma(y, a, v_fnma(x, d, v_mul(cosine, c))));
    vec k = v_fma(z, a, v_fnma(y, b, v_fma(x, c, v_mul(cosine, d))));
    vec norm = v_fma(k, k, v_fma(j, j, v_fma(i, i, v_mul(w, w))));
    vec unit = v_fnma(v_set(0.5), norm, v_set(1.5));
    v_store(q[0] + first, v_mul(unit, w));
    v_store(q[1] + first, v_mul(unit, i));
    v_store(q[2] + first, v_mul(unit, j));
    v_store(q[3] + first, v_mul(unit, k));
}

static void lane_turn(const eng_lane_pass *pass, int index)
{
    const eng_lane_chunk *chunk = &pass->chunks[index];
    for (int row = chunk->first_row; row < chunk->end_row; row += ENG_LANE_WIDTH)
        for (int first = 0; first < ENG_LANE_WIDTH; first += LANES)
            turn_part(pass, pass->turn[row / ENG_LANE_WIDTH], row + first, first);
}

/// Numbers of the lanes of a mask, with the bits of `apart` where these are set.
INLINE int put_found(int first, unsigned bits, unsigned apart, int *found)
{
    int count = 0;
    for (int k = 0; k < LANES; k++) {
        found[count] = (first + k) | (apart >> k & 1 ? ENG_LANE_APART : 0);
        count += bits >> k & 1;
    }
    return count;
}

static int meet(const eng_lane_search *search, int row, int begin, int end, int *found)
{
    const double *const *place = search->place;
    vec own = v_set(search->radius[row]), margin = v_set(search->margin[row]);
    vec near = v_set(search->near);
    vec at[3] = {v_set(place[0][row]), v_set(place[1][row]), v_set(place[2][row])};
    int count = 0;
    for (int first = begin; first < end; first += LANES) {
        vec x = v_sub(v_load_any(place[0] + first), at[0]);
        vec y = v_sub(v_load_any(place[1] + first), at[1]);
        vec z = v_sub(v_load_any(place[2] + first), at[2]);
        vec square = v_fma(z, z, v_fma(y, y, v_mul(x, x)));
        vec sum = v_add(own, v_load_any(search->radius + first));
        vec more = v_add(margin, v_load_any(search->margin + first));
        vec wide = v_add(sum, more), tight = v_fma(near, more, sum);
        unsigned bits = m_bits(m_less(square, v_mul(wide, wide)));
        if (end - first < LANES)
            bits &= (1u << (end - first)) - 1u;
        if (bits != 0)
            count +=
                put_found(first, bits, ~m_bits(m_less(square, v_mul(tight, tight))), found + count);
    }
    return count;
}

const eng_lane_kernel LANE_KERNEL = {
    .name = LANE_NAME,
    .available = available,
    .forces = forces,
    .move = lane_move,
    .turn = lane_turn,
    .meet = meet,
};
