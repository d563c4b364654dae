// SPDX-License-Identifier: Apache-2.0
// Copies an instant out of a world.
#include "viewer/draw/frame.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

view_frame view_frame_begin(const base_allocator *allocator)
{
    return (view_frame){.allocator = *allocator};
}

void view_frame_finish(view_frame *frame)
{
    if (frame->allocator.reallocate == NULL)
        return;
    base_release(&frame->allocator, frame->present);
    base_release(&frame->allocator, frame->poses);
    base_release(&frame->allocator, frame->velocities);
    base_release(&frame->allocator, frame->omegas);
    base_release(&frame->allocator, frame->centres);
    base_release(&frame->allocator, frame->contacts);
    *frame = (view_frame){0};
}

cairn_status view_frame_reserve(view_frame *frame, int bodies, int contacts)
{
    const base_allocator *allocator = &frame->allocator;
    if (base_array_reserve(allocator, &frame->present, &frame->present_capacity, bodies) !=
            CAIRN_OK ||
        base_array_reserve(allocator, &frame->poses, &frame->pose_capacity, bodies) != CAIRN_OK ||
        base_array_reserve(allocator, &frame->velocities, &frame->velocity_capacity, bodies) !=
            CAIRN_OK ||
        base_array_reserve(allocator, &frame->omegas, &frame->omega_capacity, bodies) != CAIRN_OK ||
        base_array_reserve(allocator, &frame->centres, &frame->centre_capacity, bodies) !=
            CAIRN_OK ||
        base_array_reserve(allocator, &frame->contacts, &frame->contact_capacity, contacts) !=
            CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    return CAIRN_OK;
}

static cairn_status take_body(view_frame *frame, const cairn_world *world, cairn_body_id id,
                              int body)
{
    cairn_body_view view;
    BASE_TRY(cairn_body_get(world, id, &view));
    const double *q = view.orientation;
    // bodies are shown in the periodic cell, whichever copy of it they are in
    double wrapped[3];
    cairn_world_wrap(world, view.centre, wrapped);
    vec3 shift = vec3_sub(vec3_from(wrapped), vec3_from(view.centre));
    vec3 place = vec3_add(vec3_from(view.position), shift);
    frame->poses[body] = (pose){place, {q[0], q[1], q[2], q[3]}};
    frame->velocities[body] = vec3_from(view.velocity);
    frame->omegas[body] = vec3_from(view.angular_velocity);
    frame->centres[body] = vec3_add(vec3_from(view.centre), shift);
    return CAIRN_OK;
}

static void take_contacts(view_frame *frame, const view_model *model, const cairn_world *world,
                          int count)
{
    frame->contact_count = 0;
    for (int i = 0; i < count; i++) {
        cairn_contact_view view;
        cairn_contact_get(world, i, &view);
        cairn_world_wrap(world, view.point, view.point);
        view_contact contact = {
            .a = view_model_body(model, view.a),
            .b = view_model_body(model, view.b),
            .point = vec3_from(view.point),
            .normal = vec3_from(view.normal),
            .force = vec3_from(view.force),
            .velocity = vec3_from(view.velocity),
            .gap = view.gap,
            .key = view.key,
            .status = view.status,
        };
        if (contact.a < 0 || contact.b < 0)
            continue;
        contact.friction = view_model_friction(model, contact.a, contact.b);
        frame->contacts[frame->contact_count++] = contact;
    }
}

cairn_status view_frame_take(view_frame *frame, const view_model *model, const cairn_world *world)
{
    int contacts = cairn_contact_count(world);
    BASE_TRY(view_frame_reserve(frame, model->body_count, contacts));
    frame->body_count = model->body_count;
    frame->present_count = 0;
    for (int i = 0; i < model->body_count; i++) {
        frame->present[i] = take_body(frame, world, model->bodies[i].id, i) == CAIRN_OK;
        frame->present_count += frame->present[i];
        if (frame->present[i])
            continue;
        frame->poses[i] = pose_identity();
        frame->velocities[i] = frame->omegas[i] = frame->centres[i] = vec3_make(0.0, 0.0, 0.0);
    }
    take_contacts(frame, model, world, contacts);
    if (cairn_world_get_cell(world, &frame->cell) != CAIRN_OK)
        frame->cell = (cairn_cell_view){0};
    frame->replayed = false;
    frame->keeps_contacts = true;
    frame->contacts_stored = frame->contact_count;
    frame->time = cairn_world_get_time(world);
    frame->time_step = cairn_world_get_def(world)->time_step;
    frame->step = cairn_world_get_step_count(world);
    frame->report = *cairn_world_get_report(world);
    frame->energy = cairn_world_get_energy(world);

    // every k-th residual and the last one, so that they fit
    int count = 0;
    const double *residuals = cairn_world_get_residuals(world, &count);
    int stride = (count + VIEW_RESIDUALS_MAX - 1) / VIEW_RESIDUALS_MAX;
    // an entry may stand for a block of iterations
    double each = fmax(1.0, floor((double)frame->report.iterations / fmax(count, 1.0)));
    frame->residual_count = 0;
    for (int i = 0; i < count; i += stride) {
        int at = i + stride < count ? i : count - 1;
        frame->residuals[frame->residual_count] = residuals[at];
        frame->iterations[frame->residual_count++] = each * (at + 1);
    }

    return CAIRN_OK;
}

cairn_status view_frame_copy(view_frame *to, const view_frame *from)
{
    if (view_frame_reserve(to, from->body_count, from->contact_count) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    size_t bodies = (size_t)from->body_count, contacts = (size_t)from->contact_count;
    if (bodies > 0) {
        memcpy(to->present, from->present, bodies * sizeof *to->present);
        memcpy(to->poses, from->poses, bodies * sizeof *to->poses);
        memcpy(to->velocities, from->velocities, bodies * sizeof *to->velocities);
        memcpy(to->omegas, from->omegas, bodies * sizeof *to->omegas);
        memcpy(to->centres, from->centres, bodies * sizeof *to->centres);
    }
    if (contacts > 0)
        memcpy(to->contacts, from->contacts, contacts * sizeof *to->contacts);
    to->body_count = from->body_count;
    to->present_count = from->present_count;
    to->contact_count = from->contact_count;
    to->time = from->time;
    to->time_step = from->time_step;
    to->step = from->step;
    to->replayed = from->replayed;
    to->keeps_contacts = from->keeps_contacts;
    to->contacts_stored = from->contacts_stored;
    to->report = from->report;
    to->energy = from->energy;
    to->cell = from->cell;
    to->residual_count = from->residual_count;
    memcpy(to->residuals, from->residuals, sizeof to->residuals);
    memcpy(to->iterations, from->iterations, sizeof to->iterations);
    return CAIRN_OK;
}

size_t view_frame_bytes(const view_frame *frame)
{
    return sizeof *frame +
           (size_t)frame->body_count * (sizeof(bool) + sizeof(pose) + 3 * sizeof(vec3)) +
           (size_t)frame->contact_count * sizeof(view_contact);
}

uint64_t view_frame_hash(const view_frame *frame)
{
    size_t count = (size_t)frame->body_count;
    uint64_t hash = base_hash_bytes(BASE_HASH_START, &frame->time, sizeof frame->time);
    hash = base_hash_bytes(hash, frame->poses, count * sizeof *frame->poses);
    hash = base_hash_bytes(hash, frame->velocities, count * sizeof *frame->velocities);
    return base_hash_bytes(hash, frame->omegas, count * sizeof *frame->omegas);
}

int64_t view_frame_contacts(const view_frame *frame)
{
    return frame->replayed ? frame->contacts_stored : frame->contact_count;
}

int view_frame_find_contact(const view_frame *frame, int a, int b, uint64_t key)
{
    for (int i = 0; i < frame->contact_count; i++) {
        const view_contact *contact = &frame->contacts[i];
        bool same = (contact->a == a && contact->b == b) || (contact->a == b && contact->b == a);
        if (same && contact->key == key)
            return i;
    }
    return -1;
}

int view_frame_next_contact(const view_frame *frame, int body, int from, int way)
{
    int count = frame->contact_count;
    int start = from >= 0 ? from : way > 0 ? -1 : count;
    for (int i = 1; i <= count; i++) {
        int at = ((start + way * i) % count + count) % count;
        if (frame->contacts[at].a == body || frame->contacts[at].b == body)
            return at;
    }
    return -1;
}

static void include_body(const view_shape *shape, const pose *placement, vec3 *minimum,
                         vec3 *maximum)
{
    vec3 middle = vec3_scale(0.5, vec3_add(shape->minimum, shape->maximum));
    vec3 half = vec3_scale(0.5, vec3_sub(shape->maximum, shape->minimum));
    mat3 rotation = quat_to_mat3(placement->orientation);
    vec3 centre = pose_apply(placement, middle);
    vec3 reach = {0.0, 0.0, 0.0};
    for (int column = 0; column < 3; column++)
        reach = vec3_add_scaled(reach, vec3_get(half, column),
                                vec3_abs(mat3_column(&rotation, column)));
    *minimum = vec3_min(*minimum, vec3_sub(centre, reach));
    *maximum = vec3_max(*maximum, vec3_add(centre, reach));
}

bool view_frame_bounds(const view_frame *frame, const view_model *model, bool containers,
                       vec3 *minimum, vec3 *maximum)
{
    *minimum = vec3_make(INFINITY, INFINITY, INFINITY);
    *maximum = vec3_make(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < frame->body_count; i++) {
        const view_body *body = &model->bodies[i];
        if (view_frame_has(frame, i) && body->radius > 0.0 &&
            (containers || !view_model_is_container(model, i)))
            include_body(&model->shapes[body->shape], &frame->poses[i], minimum, maximum);
    }
    // what hangs in the world is seen with what it hangs on
    for (int i = 0; i < model->joint_count; i++)
        if (!model->joints[i].is_connector)
            for (int side = 0; side < 2; side++)
                if (model->joints[i].bodies[side] < 0) {
                    *minimum = vec3_min(*minimum, model->joints[i].points[side]);
                    *maximum = vec3_max(*maximum, model->joints[i].points[side]);
                }
    // where grains come from is to be seen before the first of them
    for (int i = 0; i < model->region_count; i++)
        if (model->regions[i].kind == VIEW_REGION_EMITTER) {
            *minimum = vec3_min(*minimum, model->regions[i].minimum);
            *maximum = vec3_max(*maximum, model->regions[i].maximum);
        }
    return minimum->x <= maximum->x;
}
