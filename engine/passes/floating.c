// SPDX-License-Identifier: Apache-2.0
// Floating groups of bodies and their angular momentum, theory.md (7.3).
#include "engine/passes/floating.h"
#include "engine/passes/islands.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/joints/joints.h"
#include "engine/pairs/sharing.h"

#include <string.h>

enum { ANCHORED = -2 };

/// Two bodies act on each other; -1, or one that is not dynamic, is what groups are anchored to.
static void tie(const cairn_world *world, int *parent, bool *anchored, int a, int b)
{
    bool free_a = eng_is_dynamic(world, a), free_b = eng_is_dynamic(world, b);
    if (!free_a || !free_b) {
        int body = free_a ? a : b;
        if (free_a || free_b)
            anchored[base_groups_first(parent, body)] = true;
        return;
    }
    bool either = anchored[base_groups_first(parent, a)] || anchored[base_groups_first(parent, b)];
    anchored[eng_island_join(world, parent, a, b)] = either;
}

static void tie_all(const cairn_world *world, const bool *ties, int *parent, bool *anchored)
{
    const eng_contacts *c = &world->contacts.set;
    for (int k = 0; k < world->scratch.general.active_count; k++)
        parent[world->scratch.general.active[k]] = world->scratch.general.active[k];
    for (int i = 0; i < c->cone_count; i++)
        if (ties[i])
            tie(world, parent, anchored, c->body[i][0], c->body[i][1]);
    for (int i = 0; i < world->model.joints.count; i++)
        tie(world, parent, anchored, world->model.joints.rows[i].body[0],
            world->model.joints.rows[i].body[1]);
}

/// What is anchored in one process is so in those that know one of its bodies; true where that was
/// news to any.
static bool pass_anchors(const cairn_world *world, int *parent, bool *anchored, bool *row)
{
    bool news = false;
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int body = world->scratch.general.active[k];
        row[eng_solver_row(world, body)] = anchored[base_groups_first(parent, body)];
    }
    eng_borders_send(world, (con_rows){row, sizeof *row});
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int body = world->scratch.general.active[k], first = base_groups_first(parent, body);
        news = news || (row[eng_solver_row(world, body)] && !anchored[first]);
        anchored[first] = anchored[first] || row[eng_solver_row(world, body)];
    }
    return con_team_any(&world->contacts.domains, news);
}

static void tie_held(const cairn_world *world, const bool *ties, int *parent, bool *anchored)
{
    const eng_contacts *c = &world->contacts.set;
    for (int k = 0; k < world->scratch.general.active_count; k++)
        parent[world->scratch.general.active[k]] = world->scratch.general.active[k];
    for (int task = 0; task < con_domains_tasks(&world->contacts.domains); task++) {
        con_span held = con_domains_held(&world->contacts.domains, c->cone_count, task);
        for (int i = held.begin; i < held.end; i++)
            if (ties[i])
                tie(world, parent, anchored, c->body[i][0], c->body[i][1]);
    }
}

/// Whether a held contact ties two bodies that nothing anchors.
static bool holds_floating(const cairn_world *world, const bool *ties, int *parent,
                           const bool *anchored)
{
    const eng_contacts *c = &world->contacts.set;
    for (int task = 0; task < con_domains_tasks(&world->contacts.domains); task++) {
        con_span held = con_domains_held(&world->contacts.domains, c->cone_count, task);
        for (int i = held.begin; i < held.end; i++)
            if (ties[i] && world->model.bodies.rows[c->body[i][0]].kind == CAIRN_DYNAMIC &&
                world->model.bodies.rows[c->body[i][1]].kind == CAIRN_DYNAMIC &&
                !anchored[base_groups_first(parent, c->body[i][0])])
                return true;
    }
    return false;
}

cairn_status eng_floating_look(const cairn_world *world, const bool *ties, bool *found)
{
    size_t bodies = (size_t)world->model.bodies.count;
    int *parent = base_arena_array(world->scratch.arena, int, "group parents", bodies);
    bool *anchored = base_arena_array(world->scratch.arena, bool, "anchored groups", bodies);
    bool *row = base_arena_array(world->scratch.arena, bool, "anchored bodies",
                                 world->scratch.solve.problem.body_count);
    if (parent == NULL || anchored == NULL || row == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(anchored, 0, bodies * sizeof *anchored);
    tie_held(world, ties, parent, anchored);
    while (pass_anchors(world, parent, anchored, row))
        ;
    *found = con_team_any(&world->contacts.domains, holds_floating(world, ties, parent, anchored));
    return CAIRN_OK;
}

/// Angular momentum of one body about its own centre, world axes.
static vec3 omega_of(const cairn_world *world, int body)
{
    vec3 own =
        vec3_multiply(eng_inertia_of(world, body), vec3_from(world->state.bodies.v[body] + 3));
    return quat_rotate(world->state.bodies.q[body].orientation, own);
}

static vec3 momentum_about(const cairn_world *world, int body, vec3 point)
{
    vec3 arm = vec3_sub(world->state.bodies.q[body].position, point);
    vec3 linear =
        vec3_scale(world->model.bodies.rows[body].mass, vec3_from(world->state.bodies.v[body]));
    return vec3_add(omega_of(world, body), vec3_cross(arm, linear));
}

/// Numbers the groups that float and have more than one body.
static void number_groups(const cairn_world *world, int *parent, const bool *anchored, int *size,
                          eng_floating *floating)
{
    for (int k = 0; k < world->scratch.general.active_count; k++)
        if (world->model.bodies.rows[world->scratch.general.active[k]].kind == CAIRN_DYNAMIC)
            size[base_groups_first(parent, world->scratch.general.active[k])]++;
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int i = world->scratch.general.active[k];
        floating->group[i] = ANCHORED;
        if (parent[i] == i && size[i] > 1 && !anchored[i])
            floating->group[i] = floating->count++;
    }
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int i = world->scratch.general.active[k], first = base_groups_first(parent, i);
        if (world->model.bodies.rows[i].kind == CAIRN_DYNAMIC)
            floating->group[i] = floating->group[first];
    }
}

/// Masses, centres, and angular momentum about them.
static void measure(const cairn_world *world, const eng_floating *floating)
{
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int i = world->scratch.general.active[k], g = floating->group[i];
        if (g < 0)
            continue;
        eng_floating_group *group = &floating->groups[g];
        double mass = world->model.bodies.rows[i].mass;
        group->mass += mass;
        group->centre = vec3_add_scaled(group->centre, mass, world->state.bodies.q[i].position);
    }
    for (int g = 0; g < floating->count; g++)
        floating->groups[g].centre =
            vec3_scale(1.0 / floating->groups[g].mass, floating->groups[g].centre);
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int i = world->scratch.general.active[k], g = floating->group[i];
        if (g < 0)
            continue;
        eng_floating_group *group = &floating->groups[g];
        group->momentum = vec3_add(group->momentum, momentum_about(world, i, group->centre));
    }
}

cairn_status eng_floating_find(const cairn_world *world, const bool *ties, eng_floating *floating)
{
    size_t bodies = (size_t)world->model.bodies.count;
    *floating = (eng_floating){0};
    floating->group = base_arena_array(world->scratch.arena, int, "groups", bodies);
    int *parent = base_arena_array(world->scratch.arena, int, "group parents", bodies);
    int *size = base_arena_array(world->scratch.arena, int, "group sizes", bodies);
    bool *anchored = base_arena_array(world->scratch.arena, bool, "anchored groups", bodies);
    if (floating->group == NULL || parent == NULL || size == NULL || anchored == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(size, 0, bodies * sizeof *size);
    memset(anchored, 0, bodies * sizeof *anchored);
    tie_all(world, ties, parent, anchored);
    // a periodic cell has no angular momentum that could be kept
    for (size_t i = 0; i < bodies && world->state.cell.any; i++)
        anchored[i] = true;
    number_groups(world, parent, anchored, size, floating);
    floating->groups = base_arena_array(world->scratch.arena, eng_floating_group, "floating groups",
                                        floating->count);
    if (floating->groups == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(floating->groups, 0, (size_t)floating->count * sizeof *floating->groups);
    measure(world, floating);
    return CAIRN_OK;
}

/// Inertia about a point, world axes, of one body.
static mat3 inertia_about(const cairn_world *world, int body, vec3 point)
{
    vec3 arm = vec3_sub(world->state.bodies.q[body].position, point),
         J = eng_inertia_of(world, body);
    double mass = world->model.bodies.rows[body].mass;
    mat3 axes = quat_to_mat3(world->state.bodies.q[body].orientation), sum;
    double r[3];
    vec3_store(r, arm);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double turned = 0.0;
            for (int k = 0; k < 3; k++)
                turned += axes.m[i][k] * vec3_get(J, k) * axes.m[j][k];
            double about = (i == j ? vec3_norm_squared(arm) : 0.0) - r[i] * r[j];
            sum.m[i][j] = turned + mass * about;
        }
    return sum;
}

/// Where the groups are now, and what they lack of their angular momentum.
static void measure_again(const cairn_world *world, const eng_floating *floating)
{
    for (int g = 0; g < floating->count; g++)
        floating->groups[g].shift = (vec3){0.0, 0.0, 0.0};
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int i = world->scratch.general.active[k], g = floating->group[i];
        if (g < 0)
            continue;
        eng_floating_group *group = &floating->groups[g];
        double share = world->model.bodies.rows[i].mass / group->mass;
        vec3 arm = vec3_sub(world->state.bodies.q[i].position, group->centre);
        group->shift = vec3_add_scaled(group->shift, share, arm);
        group->momentum = vec3_sub(group->momentum, momentum_about(world, i, group->centre));
    }
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int i = world->scratch.general.active[k], g = floating->group[i];
        if (g < 0)
            continue;
        eng_floating_group *group = &floating->groups[g];
        mat3 own = inertia_about(world, i, vec3_add(group->centre, group->shift));
        group->inertia = mat3_add(&group->inertia, &own);
    }
}

double eng_floating_restore(cairn_world *world, const eng_floating *floating)
{
    if (floating->count == 0)
        return 0.0;
    measure_again(world, floating);
    for (int g = 0; g < floating->count; g++) {
        eng_floating_group *group = &floating->groups[g];
        bool turns = mat3_determinant(&group->inertia) > 0.0;
        mat3 inverse = turns ? mat3_inverse(&group->inertia) : (mat3){0};
        group->turn = mat3_apply(&inverse, group->momentum);
    }
    double gained = 0.0;
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int i = world->scratch.general.active[k], g = floating->group[i];
        if (g < 0)
            continue;
        const eng_floating_group *group = &floating->groups[g];
        double *v = world->state.bodies.v[i];
        gained -= eng_body_kinetic_energy(world, i, v);
        vec3 arm =
            vec3_sub(world->state.bodies.q[i].position, vec3_add(group->centre, group->shift));
        vec3 own = quat_rotate_inverse(world->state.bodies.q[i].orientation, group->turn);
        vec3_store(v, vec3_add(vec3_from(v), vec3_cross(group->turn, arm)));
        vec3_store(v + 3, vec3_add(vec3_from(v + 3), own));
        gained += eng_body_kinetic_energy(world, i, v);
    }
    return gained;
}
