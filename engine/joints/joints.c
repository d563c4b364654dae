// SPDX-License-Identifier: Apache-2.0
// Joints: creation, removal, look-up, read-outs.
#include "engine/joints/joints.h"
#include "base/assert.h"
#include "base/elementary.h"
#include "engine/bodies/body_state.h"
#include "engine/state/exclusions.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/values.h"
#include "engine/state/world.h"

#include <float.h>
#include <string.h>

#define JOINT_COOKIE UINT32_C(0x0ca12009)

cairn_joint_def cairn_default_joint_def(cairn_joint_kind kind)
{
    return (cairn_joint_def){
        .kind = kind,
        .axis = {0.0, 0.0, 1.0},
        .axis_b = {1.0, 0.0, 0.0},
        .range = {-INFINITY, INFINITY},
#define INITIAL(member, key, unit, initial, ...) .member = (initial),
        CAIRN_JOINT_SETTINGS(INITIAL)
#undef INITIAL
            .cookie = JOINT_COOKIE,
    };
}

static const base_setting setting_rows[] = {
#define ROW(member, key, unit_, initial_, low, high, kept, help_)                                  \
    {.name = key,                                                                                  \
     .type = BASE_SETTING_REAL,                                                                    \
     .offset = offsetof(cairn_joint_def, member),                                                  \
     .unit = unit_,                                                                                \
     .initial = initial_,                                                                          \
     .minimum = low,                                                                               \
     .maximum = high,                                                                              \
     .help = help_},
    CAIRN_JOINT_SETTINGS(ROW)
#undef ROW
};

static const base_settings_table settings = {
    .settings = setting_rows, .count = BASE_COUNT(setting_rows), .size = sizeof(cairn_joint_def)};

int cairn_joint_def_setting_count(void)
{
    return BASE_COUNT(setting_rows);
}

cairn_setting_info cairn_joint_def_get_setting(int index)
{
    if (index < 0 || index >= BASE_COUNT(setting_rows))
        return (cairn_setting_info){.name = "", .type = "", .unit = "", .help = ""};
    return eng_setting_info(&setting_rows[index]);
}

cairn_status cairn_joint_def_set_value(cairn_joint_def *def, const char *key, cairn_value value,
                                       cairn_error *error)
{
    if (def == NULL || key == NULL)
        return base_fail_null(error, __func__);
    return base_settings_set(&settings, def, key, eng_value_to_base(value), error);
}

// ---------------------------------------------------------------- creation

/// A body's place, -1 for the world, -2 where there is none.
static int body_place(const cairn_world *world, cairn_body_id id)
{
    if (id.generation == 0)
        return -1;
    return eng_body_check(world, id) == CAIRN_OK ? (int)id.index : -2;
}

static cairn_status check_bodies(const cairn_world *world, const cairn_joint_def *def,
                                 cairn_error *error)
{
    int a = body_place(world, def->a), b = body_place(world, def->b);
    if (a == -2 || b < 0)
        return eng_fail_id(error, eng_body_check(world, a == -2 ? def->a : def->b), "body");
    if (a == b)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the two bodies of a joint must be different");
    if (world->model.bodies.rows[b].kind != CAIRN_DYNAMIC &&
        (a < 0 || world->model.bodies.rows[a].kind != CAIRN_DYNAMIC))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "one of the two bodies of a joint, at least, must be dynamic");
    return CAIRN_OK;
}

static cairn_status check_axis(const double axis[3], const char *what, cairn_error *error)
{
    double norm = vec3_norm(vec3_from(axis));
    if (!(norm > 1e-12 && isfinite(norm)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s = (%g, %g, %g) must be finite and not zero", what, axis[0], axis[1],
                         axis[2]);
    return CAIRN_OK;
}

static cairn_status check_geometry(const cairn_joint_def *def, cairn_error *error)
{
    vec3 anchor = vec3_from(def->anchor), anchor_b = vec3_from(def->anchor_b);
    if (!vec3_is_finite(anchor) || !vec3_is_finite(anchor_b))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "anchors of a joint must be finite");
    if (def->kind == CAIRN_JOINT_ROD && !(vec3_distance(anchor, anchor_b) > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a rod needs two different ends");
    cairn_status status = check_axis(def->axis, "axis", error);
    if (status != CAIRN_OK || def->kind != CAIRN_JOINT_UNIVERSAL)
        return status;
    status = check_axis(def->axis_b, "second axis", error);
    vec3 a = vec3_from(def->axis), b = vec3_from(def->axis_b);
    if (status == CAIRN_OK && fabs(vec3_dot(a, b)) > 1e-6 * vec3_norm(a) * vec3_norm(b))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the axes of a universal joint must be perpendicular");
    return status;
}

/// What a kind's coordinate does not take must be left alone.
static cairn_status check_use(const cairn_joint_def *def, cairn_error *error)
{
    const char *name = cairn_joint_kind_name(def->kind);
    bool driven = def->motor || def->force != 0.0 || def->damping != 0.0 || def->friction != 0.0;
    bool sprung = def->stiffness != 0.0 || isfinite(def->range[0]) || isfinite(def->range[1]);
    if (eng_joint_has_drive(def->kind) || (!driven && !sprung && def->start == 0.0))
        return CAIRN_OK;
    if (def->start != 0.0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "start = %g: a %s joint has no coordinate that could start there",
                         def->start, name);
    if (!eng_joint_has_swing(def->kind))
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "a %s joint has no coordinate for a range, motor, force, spring or friction", name);
    if (driven)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a %s joint has no coordinate for a motor, force, damping or friction: it "
                         "takes a range of its swing and a spring's stiffness",
                         name);
    if (def->stiffness != 0.0 && def->rest != 0.0)
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "the spring of a %s joint is slack where the joint is made: rest = %g must "
            "be 0",
            name, def->rest);
    return CAIRN_OK;
}

/// A motor with a position needs something to pull with, and one without has no use for it.
static cairn_status check_motor_law(const cairn_joint_def *def, cairn_error *error)
{
    bool position = def->motor_law == CAIRN_MOTOR_POSITION;
    bool pulls = def->motor_stiffness > 0.0 || def->motor_damping > 0.0;
    if (!position && def->motor_law != CAIRN_MOTOR_VELOCITY)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is no motor law %d",
                         (int)def->motor_law);
    if (position && def->motor && !pulls)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a motor with a position needs a stiffness or a damping above 0");
    if (!position && (pulls || def->motor_position != 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "motor position, stiffness and damping belong to the law position");
    return CAIRN_OK;
}

static cairn_status check_numbers(const cairn_joint_def *def, cairn_error *error)
{
    for (int i = 0; i < BASE_COUNT(setting_rows); i++) {
        const base_setting *row = &setting_rows[i];
        double value = base_settings_get(row, def).number;
        bool finite = isfinite(value) || (isinf(value) && value == row->maximum);
        if (!finite || value < row->minimum)
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s = %g %s of a joint must be finite%s",
                             row->name, value, row->unit,
                             row->minimum == 0.0 ? " and not negative" : "");
    }
    BASE_TRY(check_motor_law(def, error));
    if (!isfinite(def->start))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "start = %g of a joint must be finite",
                         def->start);
    if (!(def->range[0] < def->range[1] && def->range[0] <= def->start &&
          def->range[1] >= def->start))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "range = %g to %g of a joint must hold %g, where the joint is made",
                         def->range[0], def->range[1], def->start);
    return check_use(def, error);
}

static cairn_status check_def(const cairn_world *world, const cairn_joint_def *def,
                              cairn_error *error)
{
    if (def->cookie != JOINT_COOKIE || (unsigned)def->kind >= CAIRN_JOINT_KIND_COUNT)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the joint definition does not come from cairn_default_joint_def()");
    cairn_status status = check_bodies(world, def, error);
    if (status == CAIRN_OK)
        status = check_geometry(def, error);
    if (status == CAIRN_OK)
        status = check_numbers(def, error);
    if (status == CAIRN_OK && def->name != NULL &&
        base_names_find(&world->model.joints.names, def->name) >= 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is a joint \"%s\" already", def->name);
    return status;
}

/// World axes of the joint, as columns: z along the axis, x along the second axis where there is
/// one.
static mat3 world_axes(const cairn_joint_def *def)
{
    const vec3 up = {0.0, 0.0, 1.0};
    vec3 z = vec3_normalize_or(vec3_from(def->axis), up), x, y;
    vec3_tangents(z, &x, &y);
    if (def->kind == CAIRN_JOINT_UNIVERSAL) {
        vec3 b = vec3_from(def->axis_b);
        x = vec3_normalize_or(vec3_add_scaled(b, -vec3_dot(b, z), z), x);
    }
    y = vec3_cross(z, x);
    return mat3_from_columns(x, y, z);
}

/// The joint's axes in B: those in A, turned about z as far as the coordinate is at its start.
static mat3 axes_of_b(const cairn_joint_def *def, const mat3 *axes)
{
    if (!eng_joint_has_turns(def->kind) || def->start == 0.0)
        return *axes;
    double c = base_cos(def->start), s = base_sin(def->start);
    vec3 x = mat3_column(axes, 0), y = mat3_column(axes, 1);
    return mat3_from_columns(vec3_add_scaled(vec3_scale(c, x), s, y),
                             vec3_add_scaled(vec3_scale(c, y), -s, x), mat3_column(axes, 2));
}

/// The anchor of A: that of B, less the way that the coordinate is at its start.
static vec3 anchor_of_a(const cairn_joint_def *def, const mat3 *axes)
{
    vec3 anchor = vec3_from(def->anchor);
    if (eng_joint_has_turns(def->kind) || def->start == 0.0)
        return anchor;
    return vec3_add_scaled(anchor, -def->start, mat3_column(axes, 2));
}

/// Anchors and axes in the axes of the two bodies.
static void place(const cairn_world *world, const cairn_joint_def *def, eng_joint *joint)
{
    mat3 axes_a = world_axes(def), axes[2] = {axes_a, axes_of_b(def, &axes_a)};
    vec3 anchors[2] = {anchor_of_a(def, &axes_a), vec3_from(def->anchor)};
    if (def->kind == CAIRN_JOINT_ROD)
        anchors[1] = vec3_from(def->anchor_b);
    for (int side = 0; side < 2; side++) {
        int body = joint->body[side];
        pose q = body >= 0 ? eng_state_of(world, body).q : pose_identity();
        mat3 attitude = quat_to_mat3(q.orientation), back = mat3_transpose(&attitude);
        joint->point[side] = pose_apply_inverse(&q, anchors[side]);
        joint->axes[side] = mat3_multiply(&back, &axes[side]);
    }
    joint->length = vec3_distance(anchors[0], anchors[1]);
}

static eng_joint joint_of(const cairn_world *world, const cairn_joint_def *def)
{
    eng_joint joint = {
        .kind = def->kind,
        .body = {body_place(world, def->a), body_place(world, def->b)},
        .range = {def->range[0], def->range[1]},
        .motor = def->motor,
        .motor_law = def->motor_law,
#define TAKE(member, ...) .member = def->member,
        CAIRN_JOINT_SETTINGS(TAKE)
#undef TAKE
            .apart = !def->collide,
    };
    // a swing is never below 0
    if (eng_joint_has_swing(def->kind))
        joint.range[0] = -INFINITY;
    place(world, def, &joint);
    return joint;
}

cairn_status cairn_joint_create(cairn_world *world, const cairn_joint_def *def,
                                cairn_joint_id *joint, cairn_error *error)
{
    if (world == NULL || def == NULL || joint == NULL)
        return base_fail_null(error, __func__);
    *joint = (cairn_joint_id){0};
    BASE_TRY(check_def(world, def, error));
    int index = world->model.joints.count;
    eng_joint made = joint_of(world, def);
    cairn_status status = base_array_reserve(&world->model.allocator, &world->model.joints.rows,
                                             &world->model.joints.capacity, index + 1);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->state.joints.rows,
                                    &world->state.joints.capacity, index + 1);
    if (status == CAIRN_OK)
        status = eng_slots_reserve(&world->model.ids.joint, &world->model.allocator,
                                   eng_slots_next(&world->model.ids.joint) + 1);
    for (int side = 0; side < 2 && status == CAIRN_OK; side++)
        if (made.body[side] >= 0 && eng_extra_make(&world->model, made.body[side]) == NULL)
            status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && def->name != NULL) {
        made.name = base_copy_text(&world->model.allocator, def->name);
        status = made.name != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    }
    if (status == CAIRN_OK && !def->collide)
        status = eng_exclusion_add(world, made.body);
    if (status == CAIRN_OK && made.name != NULL)
        status =
            base_names_add(&world->model.joints.names, &world->model.allocator, made.name, index);
    if (status != CAIRN_OK) {
        base_release(&world->model.allocator, made.name);
        return base_fail(error, status, "out of memory for a joint");
    }
    world->model.joints.rows[world->model.joints.count++] = made;
    world->state.joints.rows[index] =
        (eng_joint_state){.coordinate = def->kind == CAIRN_JOINT_ROD ? made.length : def->start};
    for (int side = 0; side < 2; side++)
        if (made.body[side] >= 0)
            eng_extra_make(&world->model, made.body[side])->joints++;
    world->model.joints.changed = world->contacts.pairs.topology_changed =
        world->scratch.general.due = true;
    eng_population_changes(world);
    if (world->state.audit.started) {
        // a spring that is not slack where it is made
        world->state.audit.energy.elastic += eng_joint_elastic(world, index);
        world->state.audit.energy.population += eng_joint_elastic(world, index);
    }
    *joint = eng_joint_id(world, eng_slots_take(&world->model.ids.joint));
    return CAIRN_OK;
}

/// Whether another joint than this one keeps its bodies from touching.
static bool is_excluded(const cairn_world *world, int index)
{
    const eng_joint *joint = &world->model.joints.rows[index];
    for (int i = 0; i < world->model.joints.count; i++) {
        const eng_joint *other = &world->model.joints.rows[i];
        bool same = other->body[0] == joint->body[0] && other->body[1] == joint->body[1];
        bool swapped = other->body[0] == joint->body[1] && other->body[1] == joint->body[0];
        if (i != index && other->apart && (same || swapped))
            return true;
    }
    return false;
}

static void let_touch(cairn_world *world, int index)
{
    const eng_joint *joint = &world->model.joints.rows[index];
    if (!joint->apart || joint->body[0] < 0 || is_excluded(world, index))
        return;
    eng_exclusion_remove(world, joint->body);
}

void eng_joint_drop(cairn_world *world, int index)
{
    eng_joint *joint = &world->model.joints.rows[index];
    if (world->state.audit.started) {
        world->state.audit.energy.elastic -= eng_joint_elastic(world, index);
        world->state.audit.energy.population -= eng_joint_elastic(world, index);
    }
    let_touch(world, index);
    for (int side = 0; side < 2; side++)
        if (joint->body[side] >= 0)
            eng_extra_make(&world->model, joint->body[side])->joints--;
    if (joint->name != NULL)
        base_names_remove(&world->model.joints.names, joint->name);
    base_release(&world->model.allocator, joint->name);
    // the last one takes its place, as it does among the slots
    int last = --world->model.joints.count;
    *joint = world->model.joints.rows[last];
    world->state.joints.rows[index] = world->state.joints.rows[last];
    if (index < last && joint->name != NULL)
        base_names_change(&world->model.joints.names, joint->name, index);
    eng_slots_drop(&world->model.ids.joint, eng_slots_at(&world->model.ids.joint, index));
    eng_slots_recycle(&world->model.ids.joint);
    world->model.joints.changed = world->contacts.pairs.topology_changed =
        world->scratch.general.due = true;
    eng_population_changes(world);
}

cairn_status cairn_joint_remove(cairn_world *world, cairn_joint_id id, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_joint_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "joint");
    if (eng_slots_prepare(&world->model.ids.joint, &world->model.allocator, (int)id.index) !=
        CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to remove a joint");
    eng_joint_drop(world, eng_joint_index(world, id));
    return CAIRN_OK;
}

// ---------------------------------------------------------------- look-up and read-outs

int cairn_joint_count(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    return world->model.joints.count;
}

cairn_joint_id cairn_joint_at(const cairn_world *world, int index)
{
    if (world == NULL)
        return (cairn_joint_id){0};
    return eng_joint_id(world, eng_slots_at(&world->model.ids.joint, index));
}

cairn_joint_id cairn_joint_find(const cairn_world *world, const char *name)
{
    if (world == NULL || name == NULL)
        return (cairn_joint_id){0};
    return cairn_joint_at(world, base_names_find(&world->model.joints.names, name));
}

static double largest_violation(const eng_joint_rows *rows)
{
    double worst = 0.0;
    for (int i = 0; i < rows->count; i++)
        worst = fmax(worst, fabs(rows->g[i]));
    return worst;
}

/// Speed of the coordinate's row for the states of A and B.
static double speed_now(const eng_joint *joint, const eng_joint_rows *rows,
                        const eng_state states[2])
{
    const eng_wrench *row = &rows->row[rows->count];
    double speed[2] = {0.0, 0.0};
    for (int side = 0; side < 2; side++) {
        const eng_state *s = &states[side];
        if (joint->body[side] < 0)
            continue;
        eng_twist twist = {eng_point_velocity(s->v, &s->q, rows->point),
                           quat_rotate(s->q.orientation, vec3_from(s->v + 3))};
        speed[side] = eng_joint_speed(row, &twist);
    }
    return speed[1] - speed[0];
}

cairn_status cairn_joint_get(const cairn_world *world, cairn_joint_id id, cairn_joint_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    BASE_TRY(eng_joint_check(world, id));
    int index = eng_joint_index(world, id);
    const eng_joint *joint = &world->model.joints.rows[index];
    const eng_joint_state *state = &world->state.joints.rows[index];
    eng_state states[2] = {{.q = pose_identity()}, {.q = pose_identity()}};
    eng_joint_rows rows;
    for (int side = 0; side < 2; side++)
        if (joint->body[side] >= 0)
            states[side] = eng_state_of(world, joint->body[side]);
    const pose q[2] = {states[0].q, states[1].q};
    eng_joint_evaluate(joint, q, &rows);
    bool moves = rows.has_coordinate || joint->kind == CAIRN_JOINT_ROD;
    *view = (cairn_joint_view){
        .kind = joint->kind,
        .name = joint->name != NULL ? joint->name : "",
        .a = eng_body_id(world, joint->body[0]),
        .b = eng_body_id(world, joint->body[1]),
        .coordinate = eng_joint_has_turns(joint->kind)
                          ? eng_joint_unwind(rows.coordinate, state->coordinate)
                          : rows.coordinate,
        .range = {joint->range[0], joint->range[1]},
        .effort = state->effort / world->state.clock.step,
        .error = largest_violation(&rows),
    };
    if (moves)
        view->speed = speed_now(joint, &rows, states);
    vec3_store(view->anchor, rows.point);
    vec3_store(view->axis, quat_rotate(q[0].orientation, mat3_column(&joint->axes[0], 2)));
    vec3_store(view->force, vec3_scale(1.0 / world->state.clock.step, state->impulse));
    vec3_store(view->torque, vec3_scale(1.0 / world->state.clock.step, state->moment));
    return CAIRN_OK;
}

cairn_status cairn_joint_get_motor(const cairn_world *world, cairn_joint_id id,
                                   cairn_motor_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_motor_view){0};
    BASE_TRY(eng_joint_check(world, id));
    int index = eng_joint_index(world, id);
    const eng_joint *joint = &world->model.joints.rows[index];
    *view = (cairn_motor_view){
        .on = joint->motor,
        .law = joint->motor_law,
        .velocity = joint->motor_velocity,
        .position = joint->motor_position,
        .stiffness = joint->motor_stiffness,
        .damping = joint->motor_damping,
        .limit = joint->motor_limit,
        .force = joint->force,
        .effort = world->state.joints.rows[index].effort / world->state.clock.step,
        .has_function = joint->motor_function != NULL,
    };
    return CAIRN_OK;
}

/// The joint of an id, where it has a coordinate that may be driven.
/// @param call   who asks, to say so where there is no world
/// @param servo  whether it must have a motor with a position
static cairn_status find_drive(cairn_world *world, cairn_joint_id id, const char *call, bool servo,
                               eng_joint **joint, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, call);
    cairn_status status = eng_joint_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "joint");
    *joint = &world->model.joints.rows[eng_joint_index(world, id)];
    if (!eng_joint_has_drive((*joint)->kind))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a %s joint has no coordinate to drive",
                         cairn_joint_kind_name((*joint)->kind));
    if (servo && (*joint)->motor_law != CAIRN_MOTOR_POSITION)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the motor of the joint follows a velocity: a position and gains are of a "
                         "joint that is "
                         "made with motor = { position = , stiffness = }, as a second one of the "
                         "same bodies may "
                         "be");
    return CAIRN_OK;
}

cairn_status cairn_joint_set_motor(cairn_world *world, cairn_joint_id id, bool on, double velocity,
                                   double limit, cairn_error *error)
{
    eng_joint *joint = NULL;
    BASE_TRY(find_drive(world, id, __func__, false, &joint, error));
    if (!isfinite(velocity) || !(limit >= 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "motor velocity = %g must be finite and its limit = %g not negative",
                         velocity, limit);
    joint->motor = on;
    joint->motor_velocity = velocity;
    joint->motor_limit = limit;
    return CAIRN_OK;
}

cairn_status cairn_joint_set_motor_position(cairn_world *world, cairn_joint_id id, double position,
                                            cairn_error *error)
{
    eng_joint *joint = NULL;
    BASE_TRY(find_drive(world, id, __func__, true, &joint, error));
    if (!isfinite(position))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "motor position = %g must be finite",
                         position);
    joint->motor_position = position;
    return CAIRN_OK;
}

cairn_status cairn_joint_set_motor_gains(cairn_world *world, cairn_joint_id id, double stiffness,
                                         double damping, cairn_error *error)
{
    eng_joint *joint = NULL;
    BASE_TRY(find_drive(world, id, __func__, true, &joint, error));
    bool sound = stiffness >= 0.0 && isfinite(stiffness) && damping >= 0.0 && isfinite(damping);
    if (!sound || (stiffness == 0.0 && damping == 0.0))
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "motor stiffness = %g and damping = %g must be at least 0, and one of them "
            "above it",
            stiffness, damping);
    joint->motor_stiffness = stiffness;
    joint->motor_damping = damping;
    return CAIRN_OK;
}

cairn_status cairn_joint_set_motor_function(cairn_world *world, cairn_joint_id id,
                                            cairn_motor_function *function, void *context,
                                            cairn_error *error)
{
    eng_joint *joint = NULL;
    BASE_TRY(find_drive(world, id, __func__, false, &joint, error));
    joint->motor_function = function;
    joint->motor_context = context;
    return CAIRN_OK;
}

static cairn_status ask_motor(const eng_joint *joint, int index, double time, double *value,
                              cairn_error *error)
{
    cairn_status status = joint->motor_function(joint->motor_context, time, value, error);
    if (status != CAIRN_OK || isfinite(*value))
        return status;
    return base_fail(error, CAIRN_ERROR_NONFINITE,
                     "the motor of joint %d (\"%s\") is not finite at t = %g s", index,
                     joint->name != NULL ? joint->name : "", time);
}

cairn_status eng_joints_ask_motors(cairn_world *world, cairn_error *error)
{
    double h = world->state.clock.step, t = world->state.clock.time;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < world->model.joints.count && status == CAIRN_OK; i++) {
        eng_joint *joint = &world->model.joints.rows[i];
        if (!joint->motor || joint->motor_function == NULL)
            continue;
        if (joint->motor_law == CAIRN_MOTOR_VELOCITY) {
            status = ask_motor(joint, i, t + 0.75 * h, &joint->motor_velocity, error);
            continue;
        }
        double middle = 0.0;
        status = ask_motor(joint, i, t + 0.5 * h, &middle, error);
        if (status == CAIRN_OK)
            status = ask_motor(joint, i, t + 1.5 * h, &joint->motor_position, error);
        joint->motor_velocity = (joint->motor_position - middle) / h;
    }
    return status;
}

cairn_status cairn_joint_set_force(cairn_world *world, cairn_joint_id id, double force,
                                   cairn_error *error)
{
    eng_joint *joint = NULL;
    cairn_status status = find_drive(world, id, __func__, false, &joint, error);
    if (status == CAIRN_OK && !isfinite(force))
        status =
            base_fail(error, CAIRN_ERROR_ARGUMENT, "force = %g of a joint must be finite", force);
    if (status == CAIRN_OK)
        joint->force = force;
    return status;
}

double eng_joint_elastic(const cairn_world *world, int index)
{
    const eng_joint *joint = &world->model.joints.rows[index];
    double stretch = world->state.joints.rows[index].coordinate - joint->rest;
    return 0.5 * joint->stiffness * stretch * stretch;
}

double eng_joints_elastic(const cairn_world *world)
{
    double sum = 0.0;
    for (int i = 0; i < world->model.joints.count; i++)
        sum += eng_joint_elastic(world, i);
    return sum;
}
