// SPDX-License-Identifier: Apache-2.0
// Columns of the public interface read and written for all items at once.
#include "engine/calls/columns.h"
#include "engine/measures/readout.h"
#include "engine/state/body_columns.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "base/status.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/ids.h"

#include <string.h>

/// One item of a table, of which the columns copy their part.
typedef union any_item {
    eng_body_item body;
    eng_contact_item contact;
    eng_joint_item joint;
    eng_connector_item connector;
} any_item;

// ---------------------------------------------------------------- reading

static cairn_status read_body(const cairn_world *world, int i, eng_body_item *item)
{
    item->id = cairn_body_at(world, i);
    const eng_load *load = eng_load_of(world, (int)item->id.index);
    vec3_store(item->load_force, load->force);
    vec3_store(item->load_torque, load->torque);
    item->user = world->state.bodies.users != NULL ? world->state.bodies.users[item->id.index] : 0;
    item->collision = world->state.bodies.collisions != NULL
                          ? world->state.bodies.collisions[item->id.index]
                          : eng_collision_default();
    return cairn_body_get(world, item->id, &item->view);
}

static cairn_status read_contact(const cairn_world *world, int i, eng_contact_item *item)
{
    const eng_contacts *c = &world->contacts.set;
    BASE_TRY(cairn_contact_get(world, i, &item->view));
    if (i < c->count) {
        memcpy(item->frame, &c->frame[i], sizeof item->frame);
        memcpy(item->reaction, c->R[i], sizeof item->reaction);
        memcpy(item->history, c->history[i], sizeof item->history);
        return CAIRN_OK;
    }
    vec3 normal = vec3_from(item->view.normal), t1, t2;
    vec3_tangents(normal, &t1, &t2);
    mat3 frame = mat3_from_rows(normal, t1, t2);
    memcpy(item->frame, &frame, sizeof item->frame);
    vec3_store(item->reaction, mat3_apply(&frame, vec3_from(item->view.impulse)));
    eng_spheres_contact_history(world, i - c->count, item->history);
    return CAIRN_OK;
}

_Static_assert(sizeof(mat3) == 9 * sizeof(double), "frames are copied row by row");

static cairn_status read_item(const cairn_world *world, cairn_table table, int i, any_item *item)
{
    switch (table) {
    case CAIRN_BODIES:
        return read_body(world, i, &item->body);
    case CAIRN_CONTACTS:
        return read_contact(world, i, &item->contact);
    case CAIRN_JOINTS:
        item->joint.id = cairn_joint_at(world, i);
        return cairn_joint_get(world, item->joint.id, &item->joint.view);
    case CAIRN_CONNECTORS:
        item->connector.id = cairn_connector_at(world, i);
        return cairn_connector_get(world, item->connector.id, &item->connector.view);
    case CAIRN_TABLE_COUNT:
        break;
    }
    return CAIRN_ERROR_NOT_FOUND;
}

static size_t item_size(const cairn_column_info *info)
{
    return cairn_scalar_size(info->scalar) * (size_t)info->width;
}

/// Copies out of the arrays that cairn_world_array would show.
static void read_in_place(const cairn_world *world, const cairn_array *array, char *values)
{
    size_t size = item_size(&array->info);
    bool bodies = array->info.table == CAIRN_BODIES;
    for (int s = 0; s < array->segment_count; s++) {
        const cairn_array_segment *segment = &array->segments[s];
        for (int i = 0; i < segment->count; i++) {
            int row = segment->rows != NULL ? segment->rows[i] : i;
            int item = bodies ? eng_slots_place(&world->model.ids.body, row) : row;
            if (item >= 0)
                memcpy(values + (size_t)item * size,
                       (const char *)segment->data + (size_t)i * segment->stride, size);
        }
    }
}

/// CAIRN_OK where the count is that of the table.
static cairn_status check_count(const cairn_world *world, const eng_shown_column *column, int count,
                                cairn_error *error)
{
    int size = cairn_table_size(world, column->info.table);
    if (count == size)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "%s has %d items, one for each of the %s, and not %d", column->info.name, size,
                     cairn_table_name(column->info.table), count);
}

cairn_status cairn_world_read(const cairn_world *world, const char *column, void *values, int count,
                              cairn_error *error)
{
    if (world == NULL || column == NULL || (values == NULL && count > 0))
        return base_fail_null(error, __func__);
    const eng_shown_column *found = eng_shown_column_find(column, error);
    if (found == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    cairn_status status = check_count(world, found, count, error);
    if (status != CAIRN_OK || count == 0)
        return status;
    cairn_array array = {.info = found->info};
    if (found->show != NULL)
        found->show(world, &array);
    bool forces = found->offset == offsetof(eng_body_item, contact_force);
    bool torques = found->offset == offsetof(eng_body_item, contact_torque);
    if (array.segment_count > 0)
        read_in_place(world, &array, values);
    else if (found->info.table == CAIRN_BODIES && (forces || torques))
        eng_contact_forces(world, torques, values);
    else
        for (int i = 0; i < count && status == CAIRN_OK; i++) {
            any_item item;
            status = read_item(world, found->info.table, i, &item);
            memcpy((char *)values + (size_t)i * item_size(&found->info),
                   (const char *)&item + found->offset, item_size(&found->info));
        }
    return status == CAIRN_OK
               ? status
               : base_fail(error, status, "%s: %s", column, cairn_status_text(status));
}

// ---------------------------------------------------------------- writing

/// Members of a body's item as one column writes them.
typedef struct write_context {
    const eng_shown_column *column;
    const char *values;
    size_t size;
} write_context;

/// The item as it is, and as it is to be; false where that is the same.
static bool find_change(const cairn_world *world, const write_context *write, int i,
                        eng_body_item *item)
{
    const char *value = write->values + (size_t)i * write->size;
    char *member = (char *)item + write->column->offset;
    if (read_body(world, i, item) != CAIRN_OK || memcmp(member, value, write->size) == 0)
        return false;
    memcpy(member, value, write->size);
    return true;
}

/// Whether the call for one body would take the item.
static cairn_status check_item(const eng_body_item *item, const write_context *write,
                               cairn_error *error)
{
    const char *name = write->column->info.name;
    const double *values = (const double *)((const char *)item + write->column->offset);
    if (write->column->info.scalar != CAIRN_FLOAT64)
        return CAIRN_OK;
    double norm = 0.0;
    for (int k = 0; k < write->column->info.width; k++) {
        norm += values[k] * values[k];
        if (!isfinite(values[k]))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "%s of the body of index %u: %g must be finite", name, item->id.index,
                             values[k]);
    }
    if (write->column->offset == offsetof(eng_body_item, view.orientation) &&
        !(norm > 1e-12 && isfinite(norm)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s of the body of index %u must not be zero, and its square finite", name,
                         item->id.index);
    bool moves = write->column->offset == offsetof(eng_body_item, view.velocity) ||
                 write->column->offset == offsetof(eng_body_item, view.angular_velocity);
    if (moves && item->view.kind == CAIRN_FIXED)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s: the body of index %u is fixed and has no velocity", name,
                         item->id.index);
    return CAIRN_OK;
}

/// Hands the item to the call for one body.
static cairn_status set_item(cairn_world *world, const eng_body_item *item, size_t offset,
                             cairn_error *error)
{
    switch (offset) {
    case offsetof(eng_body_item, view.position):
    case offsetof(eng_body_item, view.orientation):
        return cairn_body_set_pose(world, item->id, item->view.position, item->view.orientation,
                                   error);
    case offsetof(eng_body_item, view.velocity):
    case offsetof(eng_body_item, view.angular_velocity):
        return cairn_body_set_velocity(world, item->id, item->view.velocity,
                                       item->view.angular_velocity, error);
    case offsetof(eng_body_item, load_force):
    case offsetof(eng_body_item, load_torque):
        return cairn_body_set_force(world, item->id, item->load_force, item->load_torque, error);
    case offsetof(eng_body_item, collision):
        return cairn_body_set_collision(world, item->id, item->collision, error);
    case offsetof(eng_body_item, user):
        return cairn_body_set_user(world, item->id, item->user, error);
    default:
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "no call sets this column");
    }
}

cairn_status cairn_world_write(cairn_world *world, const char *column, const void *values,
                               int count, cairn_error *error)
{
    if (world == NULL || column == NULL || (values == NULL && count > 0))
        return base_fail_null(error, __func__);
    const eng_shown_column *found = eng_shown_column_find(column, error);
    if (found == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    if (!found->info.settable)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s cannot be set", column);
    cairn_status status = check_count(world, found, count, error);
    write_context write = {found, values, item_size(&found->info)};
    eng_body_item item;
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        if (find_change(world, &write, i, &item))
            status = check_item(&item, &write, error);
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        if (find_change(world, &write, i, &item))
            status = set_item(world, &item, found->offset, error);
    return status;
}
