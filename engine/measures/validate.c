// SPDX-License-Identifier: Apache-2.0
// Validation: whether what a world holds fits together, for tests and for programs that look for a
// mistake.
#include "engine/bodies/body_state.h"
#include "engine/joints/joints.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/rows.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

static cairn_status broken(cairn_error *error, const char *kind, int index, const char *what)
{
    return base_fail(error, CAIRN_ERROR_INCONSISTENT, "%s %d: %s", kind, index, what);
}

static bool in_range(int value, int count)
{
    return value >= 0 && value < count;
}

static bool are_finite(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

// ---------------------------------------------------------------- bodies and what joins them

static const char *body_fault(const cairn_world *world, int index)
{
    const eng_body *body = &world->model.bodies.rows[index];
    if (body->shape < 0)
        return eng_slots_is_live(&world->model.ids.body, index) ? "it has no shape" : NULL;
    if (!in_range(body->shape, world->model.shapes.count) ||
        world->model.shapes.rows[body->shape] == NULL)
        return "its shape is not there";
    if (!in_range(body->material, world->model.materials.count))
        return "its material is not there";
    if (!in_range(body->solid, world->model.bodies.solid_count + 1))
        return "its mass properties are not there";
    if (!in_range(body->extra, world->model.bodies.extra_count + 1))
        return "its extra data are not there";
    int colliders = eng_collider_count_of(world, index);
    if (colliders > (int)body->collider_room ||
        !in_range(body->first_collider, world->contacts.colliders.count - colliders + 1))
        return "it has no room for its colliders";
    for (int k = 0; k < colliders && index < world->contacts.colliders.bodies; k++)
        if (world->contacts.colliders.rows[body->first_collider + k].body != index)
            return "its collider is another body's";
    bool dynamic = body->kind == CAIRN_DYNAMIC;
    if (!(body->mass > 0.0) || (dynamic && !isfinite(body->mass)))
        return "its mass is not positive and, of a dynamic body, finite";
    eng_state state = eng_state_of(world, index);
    if (!are_finite((const double *)&state, sizeof state / sizeof(double)))
        return "its state is not finite";
    quat q = state.q.orientation;
    if (!(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-9))
        return "its orientation is not a unit quaternion";
    return NULL;
}

static cairn_status check_bodies(const cairn_world *world, cairn_error *error)
{
    int rooms = 0;
    for (int i = 0; i < world->model.bodies.count; i++) {
        const char *fault = body_fault(world, i);
        if (fault != NULL)
            return broken(error, "body", i, fault);
        rooms += (int)world->model.bodies.rows[i].collider_room;
    }
    // a row whose next body needs more room leaves its old one unused
    bool reused = world->model.ids.body.paged;
    if (rooms > world->contacts.colliders.count ||
        (!reused && rooms != world->contacts.colliders.count))
        return base_fail(error, CAIRN_ERROR_INCONSISTENT,
                         "the bodies have %d colliders, the world counts %d", rooms,
                         world->contacts.colliders.count);
    return CAIRN_OK;
}

/// Ends of connectors that the chain of a body names; -1 where it is broken.
static int chain_length(const cairn_world *world, int body)
{
    int length = 0;
    for (int at = eng_extra_of(world, body).first_connector; at != 0; length++) {
        if (!in_range(at - 1, world->model.connectors.count) ||
            length > world->model.connectors.count)
            return -1;
        const eng_connector *connector = &world->model.connectors.rows[at - 1];
        if (connector->body[0] != body && connector->body[1] != body)
            return -1;
        at = connector->next[connector->body[0] == body ? 0 : 1];
    }
    return length;
}

static cairn_status check_links(const cairn_world *world, cairn_error *error)
{
    int ends = 0;
    for (int i = 0; i < world->model.bodies.count; i++) {
        int length = chain_length(world, i);
        if (length < 0)
            return broken(error, "body", i, "its chain of connectors is broken");
        ends += length;
    }
    if (ends != 2 * world->model.connectors.count)
        return base_fail(error, CAIRN_ERROR_INCONSISTENT,
                         "bodies name %d ends of connectors, there are %d", ends,
                         2 * world->model.connectors.count);
    for (int i = 0; i < world->model.connectors.count; i++)
        if (!are_finite((const double *)&world->state.connectors.rows[i],
                        ENG_CONNECTOR_STATE_WIDTH))
            return broken(error, "connector", i, "its state is not finite");
    for (int i = 0; i < world->model.joints.count; i++) {
        const eng_joint *joint = &world->model.joints.rows[i];
        if (!in_range(joint->body[0] + 1, world->model.bodies.count + 1) ||
            !in_range(joint->body[1] + 1, world->model.bodies.count + 1) ||
            joint->body[0] == joint->body[1])
            return broken(error, "joint", i, "its bodies are not two of the world's");
        if (!isfinite(world->state.joints.rows[i].coordinate))
            return broken(error, "joint", i, "its coordinate is not finite");
    }
    for (int i = 1; i < world->model.bodies.excluded_count; i++)
        if (world->model.bodies.excluded[i] <= world->model.bodies.excluded[i - 1])
            return broken(error, "excluded pair", i, "it is not in order");
    return CAIRN_OK;
}

static cairn_status check_surfaces(const cairn_world *world, cairn_error *error)
{
    for (int i = 0; i < world->model.materials.surface_count; i++) {
        const eng_surface *surface = &world->model.materials.surfaces[i];
        if (surface->law == NULL)
            return broken(error, "surface", i, "it has no law");
        for (int side = 0; side < 2; side++)
            if (!in_range(surface->pair[side], world->model.materials.count + 1) ||
                !in_range(surface->next[side], world->model.materials.surface_count))
                return broken(error, "surface", i, "its materials or neighbours are not there");
    }
    return CAIRN_OK;
}

// ---------------------------------------------------------------- pairs, contacts, plan

static int body_of(const cairn_world *world, const eng_pair *pair, int side)
{
    return world->contacts.colliders
        .rows[side == 0 ? pair->colliders.first : pair->colliders.second]
        .body;
}

static const char *pair_fault(const cairn_world *world, int index)
{
    const eng_pair *pair = &world->contacts.pairs.rows[index], *before = pair - 1;
    const geo_pair *c = &pair->colliders;
    if (!in_range(c->first, world->contacts.colliders.count) ||
        !in_range(c->second, world->contacts.colliders.count))
        return "its colliders are not there";
    if (index > 0 &&
        (c->first < before->colliders.first ||
         (c->first == before->colliders.first && c->second <= before->colliders.second)))
        return "it is not in order";
    if (body_of(world, pair, 0) == body_of(world, pair, 1))
        return "it is of one body";
    if (pair->count < 0 || (pair->count > 0 && (pair->first < 0 || pair->first + pair->count >
                                                                       world->contacts.set.count)))
        return "its contacts are not there";
    for (int i = pair->first; i < pair->first + pair->count; i++)
        if (world->contacts.set.pair[i] != index)
            return "one of its contacts names another pair";
    return NULL;
}

static cairn_status check_pairs(const cairn_world *world, cairn_error *error)
{
    int contacts = 0;
    // an interrupted step may leave contacts without a pair, engine/passes/undo.h
    for (int i = 0; i < world->contacts.set.count; i++)
        contacts += world->contacts.set.pair[i] < 0;
    for (int i = 0; i < world->contacts.pairs.count; i++) {
        const char *fault = pair_fault(world, i);
        if (fault != NULL)
            return broken(error, "pair", i, fault);
        contacts += world->contacts.pairs.rows[i].count;
    }
    if (contacts != world->contacts.set.count)
        return base_fail(error, CAIRN_ERROR_INCONSISTENT,
                         "the pairs have %d contacts, the set has %d", contacts,
                         world->contacts.set.count);
    return CAIRN_OK;
}

static const char *contact_fault(const cairn_world *world, int i)
{
    const eng_contacts *c = &world->contacts.set;
    if (c->pair[i] < -1 || c->pair[i] >= world->contacts.pairs.count)
        return "its pair is not there";
    const eng_pair *pair = c->pair[i] >= 0 ? &world->contacts.pairs.rows[c->pair[i]] : NULL;
    if (!in_range(c->body[i][0], world->model.bodies.count) ||
        !in_range(c->body[i][1], world->model.bodies.count))
        return "its bodies are not there";
    if (pair != NULL &&
        (c->body[i][0] != body_of(world, pair, 0) || c->body[i][1] != body_of(world, pair, 1)))
        return "its bodies are not those of its pair";
    if (!in_range(c->surface[i], world->model.materials.surface_count))
        return "its surface is not there";
    mat3 transposed = mat3_transpose(&c->frame[i]);
    mat3 identity = mat3_multiply(&c->frame[i], &transposed);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            if (!(fabs(identity.m[row][column] - (row == column ? 1.0 : 0.0)) < 1e-9))
                return "its frame is not a rotation";
    return NULL;
}

static cairn_status check_contacts(const cairn_world *world, cairn_error *error)
{
    eng_contacts contacts = world->contacts.set;
    int row;
    const eng_column *column =
        eng_columns_find_nonfinite(eng_contacts_columns(&contacts), contacts.count, &row);
    if (column != NULL)
        return base_fail(error, CAIRN_ERROR_NONFINITE, "contact %d: its %s is not finite", row,
                         column->name);
    for (int i = 0; i < contacts.count; i++) {
        const char *fault = contact_fault(world, i);
        if (fault != NULL)
            return broken(error, "contact", i, fault);
    }
    const con_domains *domains = &world->contacts.domains;
    for (int i = 1; i <= con_domains_tasks(domains) && contacts.cone_count > 0; i++)
        if (domains->start[i] < domains->start[i - 1] || domains->start[i] > contacts.cone_count)
            return broken(error, "task", i - 1, "its contacts are not there");
    return CAIRN_OK;
}

/// A batch is given by the pair alone: where the places of each batch ascend, no pair is there
/// twice.
static const char *place_fault(const cairn_world *world, int place)
{
    const eng_plan *plan = &world->contacts.plan;
    int index = plan->order[place], number = plan->batch[place];
    if (!in_range(index, world->contacts.pairs.count) || !in_range(number, plan->batch_count))
        return "its pair or batch is not there";
    bool cone = place<plan->cone_pairs, follows = place> 0 && place != plan->cone_pairs &&
                (cone || number == plan->batch[place - 1]);
    if (follows && index <= plan->order[place - 1])
        return "it is not in order";
    const eng_pair *pair = &world->contacts.pairs.rows[index];
    const eng_batch *batch = &plan->batches[number];
    if (cone != (number < plan->cone_batches))
        return "it is not among those of its law's kind";
    if (eng_surface_of(world, body_of(world, pair, 0), body_of(world, pair, 1)) !=
            &world->model.materials.surfaces[batch->surface] ||
        world->contacts.colliders.rows[pair->colliders.first].shape->kind != batch->kind[0] ||
        world->contacts.colliders.rows[pair->colliders.second].shape->kind != batch->kind[1])
        return "its pair is not of its batch's class and surface";
    for (int i = pair->first; i < pair->first + pair->count; i++)
        if (cone != (i < world->contacts.set.cone_count) ||
            (!cone && (i < batch->first || i >= batch->first + batch->count)))
            return "a contact does not lie in its batch";
    return NULL;
}

/// The explicit pairs that each dynamic body names are those that name it.
static cairn_status check_touches(const cairn_world *world, cairn_error *error)
{
    const eng_plan *plan = &world->contacts.plan;
    int named = 0, listed = 0;
    for (int i = 0; i < plan->paired_count; i++) {
        int body = plan->paired[i];
        eng_body_pairs own = plan->pairs_of[body];
        listed += own.count;
        for (int k = own.first; k < own.first + own.count; k++) {
            int place = plan->touch[k] >> 1;
            if (place < plan->cone_pairs || place >= world->contacts.pairs.count ||
                body_of(world, &world->contacts.pairs.rows[plan->order[place]],
                        plan->touch[k] & 1) != body ||
                (k > own.first && plan->touch[k] <= plan->touch[k - 1]))
                return broken(error, "body", body, "its explicit pairs are not its own");
        }
    }
    for (int place = plan->cone_pairs; place < world->contacts.pairs.count; place++)
        for (int side = 0; side < 2; side++) {
            int body = body_of(world, &world->contacts.pairs.rows[plan->order[place]], side);
            named += world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
        }
    if (named != listed)
        return base_fail(error, CAIRN_ERROR_INCONSISTENT,
                         "explicit pairs name %d dynamic bodies, which name %d pairs", named,
                         listed);
    return CAIRN_OK;
}

/// Of the last step; it is gone when the list is to be made anew.
static cairn_status check_plan(const cairn_world *world, cairn_error *error)
{
    if (!world->contacts.plan.current || world->contacts.pairs.topology_changed)
        return CAIRN_OK;
    for (int place = 0; place < world->contacts.pairs.count; place++) {
        const char *fault = place_fault(world, place);
        if (fault != NULL)
            return broken(error, "place", place, fault);
    }
    return check_touches(world, error);
}

cairn_status cairn_world_validate(const cairn_world *world, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    // first, because energies are read through it
    const char *fault = eng_spheres_fault(world);
    if (fault != NULL)
        return base_fail(error, CAIRN_ERROR_INCONSISTENT, "%s", fault);
    cairn_energy energy = cairn_world_get_energy(world);
    if (!are_finite((const double *)&energy, sizeof energy / sizeof(double)))
        return base_fail(error, CAIRN_ERROR_NONFINITE, "the energy audit is not finite");
    if (!isfinite(world->state.clock.time) || world->state.clock.step_count < 0)
        return base_fail(error, CAIRN_ERROR_INCONSISTENT, "step %lld, t = %g s: no time",
                         (long long)world->state.clock.step_count, world->state.clock.time);
    cairn_status status = check_bodies(world, error);
    if (status == CAIRN_OK)
        status = check_links(world, error);
    if (status == CAIRN_OK)
        status = check_surfaces(world, error);
    if (status == CAIRN_OK)
        status = check_pairs(world, error);
    if (status == CAIRN_OK)
        status = check_contacts(world, error);
    return status == CAIRN_OK ? check_plan(world, error) : status;
}
