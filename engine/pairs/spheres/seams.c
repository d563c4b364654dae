// SPDX-License-Identifier: Apache-2.0
// Seams and creases of walls that are no half-spaces: what the contacts of one sphere with several
// of them are together, as pairs/covers.h has it for other bodies.
#include "engine/pairs/spheres/shapes.h"
#include "geometry/seams/cover.h"

/// The sphere that touches the walls.
typedef struct toucher {
    const struct eng_spheres *spheres;
    int slot;
    geo_shape ball;
    geo_site site; // of the ball
    vec3 centre;
    double radius, slack; // m
} toucher;

/// A wall that it touches, or a half-space.
typedef struct touched_wall {
    const eng_spheres_wall *wall;
    geo_site site;
} touched_wall;

static const eng_spheres_wall *wall_of(const struct eng_spheres *spheres, int wall)
{
    return (const eng_spheres_wall *)spheres->walls.rows.block + wall;
}

/// A contact with its point, halfway between the surfaces.
static geo_contact with_point(const toucher *t, geo_contact contact)
{
    contact.point = vec3_add_scaled(t->centre, t->radius + 0.5 * contact.gap, contact.normal);
    return contact;
}

static vec3 on_wall(const toucher *t, const geo_contact *contact)
{
    return vec3_add_scaled(t->centre, t->radius + contact->gap, contact->normal);
}

static vec3 velocity_at(const eng_spheres_wall *wall, vec3 point)
{
    vec3 arm = vec3_sub(point, wall->now.centre);
    return vec3_add(wall->velocity, vec3_cross(wall->omega, arm));
}

/// Whether two walls stay as they are to each other within the step, near a point.
static bool rest_together(const toucher *t, const eng_spheres_wall *a, const eng_spheres_wall *b,
                          vec3 point)
{
    if (a->body == b->body || (!a->moves && !b->moves))
        return true;
    return vec3_distance(velocity_at(a, point), velocity_at(b, point)) * t->spheres->pass.step <=
           t->slack;
}

/// Whether a group touched by this key in the step just done.
static bool had(const struct eng_spheres *spheres, const eng_spheres_group *group, uint64_t key)
{
    const eng_spheres_ghost *ghosts = spheres->walls.ghosts.block;
    const eng_spheres_touch *touches = spheres->walls.touches.block;
    for (int i = group->first_ghost; i < group->end_ghost; i++) {
        int place = ghosts[i].pair_slot;
        const eng_spheres_block *block = &spheres->pass.blocks[place / ENG_SPHERES_WIDTH];
        if (touches[i - spheres->walls.plane_ghosts].now.key == key &&
            (block->touch >> place % ENG_SPHERES_WIDTH & 1) != 0)
            return true;
    }
    return false;
}

/// The part is looked at again in the next step.
static void drop(eng_spheres_found *part, int index)
{
    part->margin = 0.0;
    part->count--;
    for (int i = index; i < part->count; i++)
        part->contacts[i] = part->contacts[i + 1];
}

static bool agree(const geo_contact *a, const geo_contact *b, double cosine)
{
    return vec3_dot(a->normal, b->normal) >= cosine;
}

/// Whether contacts with two walls are one.
static bool are_one(const toucher *t, const eng_spheres_wall *wall_a, const geo_contact *a,
                    const eng_spheres_wall *wall_b, const geo_contact *b)
{
    double cosine = wall_a->body == wall_b->body ? GEO_CREASE_COSINE : GEO_FLUSH_COSINE;
    return a->gap <= 0.0 && b->gap <= 0.0 && agree(a, b, cosine) &&
           rest_together(t, wall_a, wall_b, on_wall(t, a));
}

/// To which two walls lie against each other, m; a half-space has no size.
static double slack_of(const toucher *t, const eng_spheres_wall *a, const eng_spheres_wall *b)
{
    double size_a = a->shape == NULL ? 0.0 : a->shape->bounding_radius;
    double size_b = b->shape == NULL ? 0.0 : b->shape->bounding_radius;
    return 1e-6 * fmax(t->radius, fmin(size_a, size_b));
}

/// The closed contact of a part that reaches deepest; -1 for none.
static int deepest_of(const eng_spheres_found *part)
{
    int deepest = -1;
    for (int i = 0; i < part->count; i++)
        if (part->contacts[i].gap <= 0.0 &&
            (deepest < 0 || part->contacts[i].gap < part->contacts[deepest].gap))
            deepest = i;
    return deepest;
}

/// Drops the contacts of a part that another wall covers, which the sphere touches as `other` says.
static void drop_covered(const toucher *t, eng_spheres_found *part, const eng_spheres_wall *cover,
                         const geo_site *site, const geo_contact *other)
{
    const eng_spheres_wall *wall = wall_of(t->spheres, part->group->wall);
    geo_site of = {wall->shape, wall->placed};
    geo_contact through = with_point(t, *other);
    for (int i = part->count - 1; i >= 0; i--) {
        geo_contact c = with_point(t, part->contacts[i]);
        if (c.gap <= 0.0 && rest_together(t, wall, cover, on_wall(t, &c)) &&
            geo_is_covered(&t->site, &of, &c, site, &through, t->slack))
            drop(part, i);
    }
}

/// Of the contacts of one part that are one, one stays: that which was there in the last step, as
/// deep as the deepest.
static void join_creases(const toucher *t, eng_spheres_found *part)
{
    for (int i = part->count - 1; i > 0; i--)
        for (int j = 0; j < i; j++) {
            geo_contact *a = &part->contacts[j], *b = &part->contacts[i];
            if (a->gap > 0.0 || b->gap > 0.0 || !agree(a, b, GEO_CREASE_COSINE))
                continue;
            uint64_t key =
                !had(t->spheres, part->group, a->key) && had(t->spheres, part->group, b->key)
                    ? b->key
                    : a->key;
            if (b->gap < a->gap)
                *a = *b;
            a->key = key;
            drop(part, i);
            break;
        }
}

/// Of contacts of two parts that are one, the deeper one stays, of equal ones that which was there.
static void join_parts(toucher *t, eng_spheres_found *one, eng_spheres_found *two)
{
    const eng_spheres_wall *wall_one = wall_of(t->spheres, one->group->wall);
    const eng_spheres_wall *wall_two = wall_of(t->spheres, two->group->wall);
    t->slack = slack_of(t, wall_one, wall_two);
    for (int i = one->count - 1; i >= 0; i--)
        for (int j = two->count - 1; j >= 0; j--) {
            const geo_contact *a = &one->contacts[i], *b = &two->contacts[j];
            if (!are_one(t, wall_one, a, wall_two, b))
                continue;
            bool alike = fabs(a->gap - b->gap) <= 1e-3 * fmax(fabs(a->gap), fabs(b->gap));
            bool first =
                alike ? had(t->spheres, one->group, a->key) || !had(t->spheres, two->group, b->key)
                      : a->gap < b->gap;
            drop(first ? two : one, first ? j : i);
            if (!first)
                break;
        }
}

/// What lies on a half-space that the sphere touches.
static void settle_plane(toucher *t, int index, eng_spheres_found *parts, int count)
{
    const eng_spheres_wall *wall = wall_of(t->spheres, index);
    double height = vec3_dot(wall->now.normal, vec3_sub(t->centre, wall->now.point));
    geo_contact other = {.gap = height - t->radius, .normal = vec3_negate(wall->now.normal)};
    if (other.gap > 0.0 || !eng_spheres_takes(t->spheres, t->slot, wall->body))
        return;
    const geo_shape plane = {.kind = GEO_HALFSPACE, .bounding_radius = INFINITY};
    geo_site site = {&plane, wall->placed};
    site.place.position = wall->now.point;
    for (int p = 0; p < count; p++) {
        const eng_spheres_wall *lying = wall_of(t->spheres, parts[p].group->wall);
        t->slack = slack_of(t, lying, wall);
        drop_covered(t, &parts[p], wall, &site, &other);
        for (int i = parts[p].count - 1; i >= 0; i--)
            if (are_one(t, lying, &parts[p].contacts[i], wall, &other))
                drop(&parts[p], i);
    }
}

bool eng_spheres_is_on_plane(const struct eng_spheres *spheres, int slot)
{
    vec3 centre = vec3_from(spheres->pass.X[slot]);
    double radius = spheres->pass.constants[slot][3];
    for (int w = 0; w < spheres->walls.plane_count; w++) {
        const eng_spheres_plane *now = &wall_of(spheres, w)->now;
        if (vec3_dot(now->normal, vec3_sub(centre, now->point)) - radius <= 0.0)
            return true;
    }
    return false;
}

void eng_spheres_seams_settle(const struct eng_spheres *spheres, int slot, eng_spheres_found *parts,
                              int count)
{
    double radius = spheres->pass.constants[slot][3];
    toucher t = {
        .spheres = spheres,
        .slot = slot,
        .ball = {.kind = GEO_SPHERE, .smallest_size = 2.0 * radius, .bounding_radius = radius},
        .centre = vec3_from(spheres->pass.X[slot]),
        .radius = radius,
    };
    t.site = (geo_site){&t.ball, pose_identity()};
    t.site.place.position = t.centre;
    for (int p = 0; p < count; p++)
        for (int other = 0; other < count; other++) {
            int deepest = deepest_of(&parts[other]);
            if (other == p || deepest < 0)
                continue;
            const eng_spheres_wall *wall = wall_of(spheres, parts[p].group->wall);
            const eng_spheres_wall *cover = wall_of(spheres, parts[other].group->wall);
            geo_site site = {cover->shape, cover->placed};
            t.slack = slack_of(&t, wall, cover);
            geo_contact through = parts[other].contacts[deepest];
            drop_covered(&t, &parts[p], cover, &site, &through);
        }
    for (int w = 0; w < spheres->walls.plane_count; w++)
        settle_plane(&t, w, parts, count);
    for (int p = 0; p < count; p++) {
        join_creases(&t, &parts[p]);
        for (int other = 0; other < p; other++)
            join_parts(&t, &parts[other], &parts[p]);
    }
}
