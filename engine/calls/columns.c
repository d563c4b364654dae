// SPDX-License-Identifier: Apache-2.0
// The columns that the public interface shows: their table, and where the world holds them.
#include "engine/calls/columns.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "base/settings.h"
#include "base/status.h"
#include "engine/joints/joints.h"
#include "engine/pairs/spheres/spheres.h"

#include <string.h>

static const char *const table_names[CAIRN_TABLE_COUNT] = {"bodies", "contacts", "joints",
                                                           "connectors"};

const char *cairn_table_name(cairn_table table)
{
    return (unsigned)table < CAIRN_TABLE_COUNT ? table_names[table] : "";
}

size_t cairn_scalar_size(cairn_scalar scalar)
{
    static const size_t sizes[] = {
        [CAIRN_FLOAT64] = 8, [CAIRN_INT32] = 4, [CAIRN_UINT32] = 4,
        [CAIRN_UINT64] = 8,  [CAIRN_UINT8] = 1,
    };
    return (unsigned)scalar <= CAIRN_UINT8 ? sizes[scalar] : 0;
}

int cairn_table_size(const cairn_world *world, cairn_table table)
{
    if (world == NULL)
        return 0;
    switch (table) {
    case CAIRN_BODIES:
        return cairn_body_count(world);
    case CAIRN_CONTACTS:
        return cairn_contact_count(world);
    case CAIRN_JOINTS:
        return cairn_joint_count(world);
    case CAIRN_CONNECTORS:
        return cairn_connector_count(world);
    case CAIRN_TABLE_COUNT:
        break;
    }
    return 0;
}

// ---------------------------------------------------------------- in place

/// One segment whose item i is of row i.
static void show_rows(cairn_array *array, int rows, const void *data, size_t stride, int count)
{
    array->row_count = rows;
    array->segment_count = 1;
    array->segments[0] = (cairn_array_segment){data, stride, count, NULL};
}

/// Rows of the general columns q and v.
static int general_rows(const cairn_world *world)
{
    int rooms = world->state.bodies.rooms[ENG_BODY_v];
    return rooms < world->model.bodies.count ? rooms : world->model.bodies.count;
}

static void show_velocity(const cairn_world *world, cairn_array *array)
{
    // slots have the velocity of their copy in the cell, those of clumps that of a member
    if ((world->state.cell.any && eng_spheres_slot_count(world) > 0) ||
        eng_spheres_holds_clumps(world))
        return;
    show_rows(array, world->model.bodies.count, world->state.bodies.v,
              sizeof *world->state.bodies.v, general_rows(world));
    cairn_array_segment slots = eng_spheres_show_velocity(world);
    if (slots.count > 0)
        array->segments[array->segment_count++] = slots;
}

/// Particle slots hold the midpoint of the coming step, which is another place.
static void show_centre(const cairn_world *world, cairn_array *array)
{
    if (eng_spheres_slot_count(world) == 0)
        show_rows(array, world->model.bodies.count, world->state.bodies.q,
                  sizeof *world->state.bodies.q, general_rows(world));
}

/// Whether the shape's frame of every body is its principal frame, as with boxes and capsules.
static bool frames_coincide(const cairn_world *world)
{
    for (int i = 0; i < world->model.bodies.solid_count; i++) {
        const pose *f = &world->model.bodies.solids[i].frame;
        if (f->position.x != 0.0 || f->position.y != 0.0 || f->position.z != 0.0 ||
            f->orientation.x != 0.0 || f->orientation.y != 0.0 || f->orientation.z != 0.0)
            return false;
    }
    return true;
}

static void show_position(const cairn_world *world, cairn_array *array)
{
    if (frames_coincide(world))
        show_centre(world, array);
}

static void show_orientation(const cairn_world *world, cairn_array *array)
{
    if (world->state.bodies.q != NULL && frames_coincide(world) &&
        eng_spheres_slot_count(world) == 0)
        show_rows(array, world->model.bodies.count, &world->state.bodies.q->orientation,
                  sizeof *world->state.bodies.q, general_rows(world));
}

static void show_mass(const cairn_world *world, cairn_array *array)
{
    show_rows(array, world->model.bodies.count, &world->model.bodies.rows->mass,
              sizeof *world->model.bodies.rows, world->model.bodies.count);
}

/// A column of the program's, where there are any values, from a member of its rows on.
static void show_given(const cairn_world *world, cairn_array *array, int column, size_t offset)
{
    const char *data = world->state.bodies.data[column];
    if (data != NULL)
        show_rows(array, world->model.bodies.count, data + offset,
                  eng_column_row_size(eng_body_column(column)), world->model.bodies.count);
}

static void show_load_force(const cairn_world *world, cairn_array *array)
{
    show_given(world, array, ENG_BODY_loads, offsetof(eng_load, force));
}

static void show_load_torque(const cairn_world *world, cairn_array *array)
{
    show_given(world, array, ENG_BODY_loads, offsetof(eng_load, torque));
}

static void show_user(const cairn_world *world, cairn_array *array)
{
    show_given(world, array, ENG_BODY_users, 0);
}

/// A column of the contacts, where all of them are of the general passes.
static void show_contacts(const cairn_world *world, cairn_array *array, const void *data,
                          size_t stride)
{
    if (eng_spheres_contact_count(world) == 0)
        show_rows(array, world->contacts.set.count, data, stride, world->contacts.set.count);
}

#define SHOW_CONTACTS(column)                                                                      \
    static void show_contact_##column(const cairn_world *world, cairn_array *array)                \
    {                                                                                              \
        show_contacts(world, array, world->contacts.set.column,                                    \
                      sizeof *world->contacts.set.column);                                         \
    }
SHOW_CONTACTS(gap)
SHOW_CONTACTS(point)
SHOW_CONTACTS(frame)
SHOW_CONTACTS(U)
SHOW_CONTACTS(R)
SHOW_CONTACTS(key)
SHOW_CONTACTS(history)

/// The first row of the frame.
static void show_contact_normal(const cairn_world *world, cairn_array *array)
{
    show_contact_frame(world, array);
}

static void show_connector_history(const cairn_world *world, cairn_array *array)
{
    const eng_connector_state *state = world->state.connectors.rows;
    show_rows(array, world->model.connectors.count, state != NULL ? &state->history : NULL,
              sizeof *state, world->model.connectors.count);
}

// ---------------------------------------------------------------- the table

#define SHOWN(table, prefix, name, scalar, width, unit, settable, show, item, member, help)        \
    {{prefix "." name, table, scalar, width, unit, help, settable, (show) != NULL},                \
     offsetof(item, member),                                                                       \
     show},
#define BODY(name, scalar, width, unit, settable, show, member, help)                              \
    SHOWN(CAIRN_BODIES, "bodies", name, scalar, width, unit, settable, show, eng_body_item,        \
          member, help)
#define CONTACT(name, scalar, width, unit, show, member, help)                                     \
    SHOWN(CAIRN_CONTACTS, "contacts", name, scalar, width, unit, false, show, eng_contact_item,    \
          member, help)
#define JOINT(name, scalar, width, unit, show, member, help)                                       \
    SHOWN(CAIRN_JOINTS, "joints", name, scalar, width, unit, false, show, eng_joint_item, member,  \
          help)
#define CONNECTOR(name, scalar, width, unit, show, member, help)                                   \
    SHOWN(CAIRN_CONNECTORS, "connectors", name, scalar, width, unit, false, show,                  \
          eng_connector_item, member, help)

// the last word of each row is the item's member that holds it
static const eng_shown_column shown[] = {
    // clang-format off
    BODY("id", CAIRN_UINT32, 3, "", false, NULL, id, "index, generation, world")
    BODY("kind", CAIRN_INT32, 1, "", false, NULL, view.kind, "cairn_body_kind")
    BODY("shape", CAIRN_UINT32, 3, "", false, NULL, view.shape, "id of its shape")
    BODY("material", CAIRN_UINT32, 3, "", false, NULL, view.material, "id of its material")
    BODY("position", CAIRN_FLOAT64, 3, "m", true, show_position, view.position,
         "of the shape's frame")
    BODY("orientation", CAIRN_FLOAT64, 4, "", true, show_orientation, view.orientation,
         "quaternion w x y z of the shape's frame")
    BODY("centre", CAIRN_FLOAT64, 3, "m", false, show_centre, view.centre, "centre of mass")
    BODY("velocity", CAIRN_FLOAT64, 3, "m/s", true, show_velocity, view.velocity,
         "of the centre of mass")
    BODY("angular_velocity", CAIRN_FLOAT64, 3, "rad/s", true, NULL, view.angular_velocity,
         "world axes")
    BODY("mass", CAIRN_FLOAT64, 1, "kg", false, show_mass, view.mass,
         "infinite where the body is not dynamic")
    BODY("inertia", CAIRN_FLOAT64, 3, "kg m2", false, NULL, view.inertia, "principal moments")
    BODY("kinetic_energy", CAIRN_FLOAT64, 1, "J", false, NULL, view.kinetic_energy,
         "0 where the body is not dynamic")
    BODY("load_force", CAIRN_FLOAT64, 3, "N", true, show_load_force, load_force,
         "applied by the program, world axes")
    BODY("load_torque", CAIRN_FLOAT64, 3, "N m", true, show_load_torque, load_torque,
         "applied by the program, world axes")
    BODY("contact_force", CAIRN_FLOAT64, 3, "N", false, NULL, contact_force,
         "sum over contacts and connectors of the last step, world axes")
    BODY("contact_torque", CAIRN_FLOAT64, 3, "N m", false, NULL, contact_torque,
         "sum over contacts and connectors of the last step, about the centre of mass")
    BODY("collision", CAIRN_UINT32, 2, "", true, NULL, collision, "groups and mask, one bit each")
    BODY("user", CAIRN_UINT64, 1, "", true, show_user, user, "the program's own word")

    CONTACT("a", CAIRN_UINT32, 3, "", NULL, view.a, "id of body A")
    CONTACT("b", CAIRN_UINT32, 3, "", NULL, view.b, "id of body B")
    CONTACT("gap", CAIRN_FLOAT64, 1, "m", show_contact_gap, view.gap,
            "midpoint configuration; negative: overlap")
    CONTACT("point", CAIRN_FLOAT64, 3, "m", show_contact_point, view.point,
            "midpoint configuration, world axes")
    CONTACT("normal", CAIRN_FLOAT64, 3, "", show_contact_normal, view.normal, "from A to B")
    CONTACT("frame", CAIRN_FLOAT64, 9, "", show_contact_frame, frame,
            "rows N, T1, T2: the contact axes in world axes")
    CONTACT("force", CAIRN_FLOAT64, 3, "N", NULL, view.force,
            "on B, world axes, mean of the last step")
    CONTACT("impulse", CAIRN_FLOAT64, 3, "N s", NULL, view.impulse, "on B, world axes")
    CONTACT("reaction", CAIRN_FLOAT64, 3, "N s", show_contact_R, reaction,
            "impulse on B in contact axes (N, T1, T2)")
    CONTACT("velocity", CAIRN_FLOAT64, 3, "m/s", show_contact_U, view.velocity,
            "of B against A at the end of the step, contact axes (N, T1, T2)")
    CONTACT("status", CAIRN_INT32, 1, "", NULL, view.status, "cairn_contact_status")
    CONTACT("key", CAIRN_UINT64, 1, "", show_contact_key, view.key,
            "of the features that touch; the same from step to step")
    CONTACT("history", CAIRN_FLOAT64, CON_HISTORY_MAX, "", show_contact_history, history,
            "what the law keeps, in the order of cairn_law_get_history_name")

    JOINT("id", CAIRN_UINT32, 3, "", NULL, id, "index, generation, world")
    JOINT("kind", CAIRN_INT32, 1, "", NULL, view.kind, "cairn_joint_kind")
    JOINT("a", CAIRN_UINT32, 3, "", NULL, view.a, "id of body A; null: the world")
    JOINT("b", CAIRN_UINT32, 3, "", NULL, view.b, "id of body B")
    JOINT("anchor", CAIRN_FLOAT64, 3, "m", NULL, view.anchor, "on B, world axes")
    JOINT("axis", CAIRN_FLOAT64, 3, "", NULL, view.axis, "of A, world axes")
    JOINT("coordinate", CAIRN_FLOAT64, 1, "rad or m", NULL, view.coordinate,
          "angle or way of B against A")
    JOINT("speed", CAIRN_FLOAT64, 1, "rad/s or m/s", NULL, view.speed, "of the coordinate")
    JOINT("force", CAIRN_FLOAT64, 3, "N", NULL, view.force, "on B, world axes, of the last step")
    JOINT("torque", CAIRN_FLOAT64, 3, "N m", NULL, view.torque, "on B about the anchor")
    JOINT("effort", CAIRN_FLOAT64, 1, "N m or N", NULL, view.effort,
          "along the coordinate: motor, friction and range")
    JOINT("error", CAIRN_FLOAT64, 1, "m or rad", NULL, view.error, "largest violation now")

    CONNECTOR("id", CAIRN_UINT32, 3, "", NULL, id, "index, generation, world")
    CONNECTOR("a", CAIRN_UINT32, 3, "", NULL, view.bodies[0], "id of body A")
    CONNECTOR("b", CAIRN_UINT32, 3, "", NULL, view.bodies[1], "id of body B")
    CONNECTOR("gap", CAIRN_FLOAT64, 1, "m", NULL, view.gap, "now; negative: overlap")
    CONNECTOR("normal", CAIRN_FLOAT64, 3, "", NULL, view.normal, "from A to B")
    CONNECTOR("point", CAIRN_FLOAT64, 3, "m", NULL, view.point, "halfway between the surfaces")
    CONNECTOR("velocity", CAIRN_FLOAT64, 3, "m/s", NULL, view.velocity,
              "of B against A at the point, world axes")
    CONNECTOR("closed", CAIRN_UINT8, 1, "", NULL, view.closed, "1: closed in the last step")
    CONNECTOR("force", CAIRN_FLOAT64, 3, "N", NULL, view.force[1], "on B, of the last step")
    CONNECTOR("torque", CAIRN_FLOAT64, 3, "N m", NULL, view.torque[1], "on B about its marker")
    CONNECTOR("history", CAIRN_FLOAT64, CON_HISTORY_MAX, "", show_connector_history, view.history,
              "what the law keeps, in the order of cairn_law_get_history_name")
    // clang-format on
};

int cairn_column_count(void)
{
    return BASE_COUNT(shown);
}

cairn_status cairn_column_get_info(int index, cairn_column_info *info)
{
    if (info == NULL)
        return CAIRN_ERROR_ARGUMENT;
    bool known = index >= 0 && index < BASE_COUNT(shown);
    *info = known ? shown[index].info : (cairn_column_info){.name = "", .unit = "", .help = ""};
    return known ? CAIRN_OK : CAIRN_ERROR_NOT_FOUND;
}

int cairn_column_find(const char *name)
{
    if (name == NULL)
        return -1;
    for (int i = 0; i < BASE_COUNT(shown) && name != NULL; i++)
        if (strcmp(shown[i].info.name, name) == 0)
            return i;
    return -1;
}

const eng_shown_column *eng_shown_column_find(const char *name, cairn_error *error)
{
    int index = cairn_column_find(name);
    if (index >= 0)
        return &shown[index];
    const char *names[BASE_COUNT(shown)];
    for (int i = 0; i < BASE_COUNT(shown); i++)
        names[i] = shown[i].info.name;
    base_fail(error, CAIRN_ERROR_NOT_FOUND, "unknown column \"%s\"%s", name,
              base_choices_for(name, names, BASE_COUNT(shown)).text);
    return NULL;
}

cairn_status cairn_world_array(const cairn_world *world, const char *column, cairn_array *array,
                               cairn_error *error)
{
    if (world == NULL || column == NULL || array == NULL)
        return base_fail_null(error, __func__);
    *array = (cairn_array){0};
    const eng_shown_column *found = eng_shown_column_find(column, error);
    if (found == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    array->info = found->info;
    if (found->show != NULL)
        found->show(world, array);
    if (array->segment_count == 0)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "this world does not hold %s as it is: cairn_world_read works it out",
                         column);
    return CAIRN_OK;
}
