// SPDX-License-Identifier: Apache-2.0
// Servos: walls that are driven to a force, and sides of the periodic cell to a stress.
#include "engine/bodies/body_state.h"
#include "engine/grains/overlap.h"
#include "engine/measures/readout.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/actions.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

#define SERVO_COOKIE UINT32_C(0x0ca1200f)

// steps at the most from one sum over the contacts to the next, while the force stays what it was
enum { LOOK_AT_WALL_EVERY = 10, LOOK_AT_CELL_EVERY = 50 };

/// What a servo carries from step to step.
typedef enum servo_number {
    VELOCITY,  // m/s along the axis
    TARGET,    // N
    FORCE,     // N
    LOOKED,    // N, FORCE when the contacts were summed last
    IMPEDANCE, // N s/m; of a cell Pa s
    STIFFNESS, // N/m; of a cell Pa
    LASTING,   // m/s or 1/s, the part of the velocity that a lasting motion asks for
    GONE,      // m without a contact; of a cell strain
    GIVEN,     // 1: cairn_servo_set_target said the target, 0: the definition does
    ASKED,     // N, what it said; of a cell Pa or 1/s
    STRESS,    // Pa, three of the cell along x, y, z, of the first servo of a cell's stress
    RIGID = STRESS + 3, // of a cell's stress alone: 1 while it drives its side by rigid contacts
    DRIVE,              // of a cell's stress alone: eng_cell_drive, of the first servo of a side
    SERVO_NUMBERS = DRIVE + ENG_CELL_DRIVE_NUMBERS
} servo_number;

typedef struct servo {
    cairn_servo_def def; // the name and the others are owned, the axis has length 1
    const double *numbers;
    const double *stress; // [3] of the cell, Pa; of the first one that needs it
} servo;

cairn_servo_def cairn_default_servo_def(void)
{
    return (cairn_servo_def){.scale = 1.0,
                             .gain = 0.5,
                             .speed = 0.1,
                             .reach = 1.0,
                             .until = INFINITY,
                             .cookie = SERVO_COOKIE};
}

static const eng_action_kind servo_kind;

static double inverse_mass(const cairn_world *world, int index)
{
    const eng_body *body = &world->model.bodies.rows[index];
    return body->kind == CAIRN_DYNAMIC ? 1.0 / body->mass : 0.0;
}

static double curvature(const cairn_world *world, int index)
{
    const geo_shape *shape = world->model.shapes.rows[world->model.bodies.rows[index].shape];
    return shape->kind == GEO_SPHERE ? 1.0 / shape->sphere.radius : 0.0;
}

/// Adds what a contact sets against a speed of the wall along the axis: its spring within a step,
/// and a dashpot: a critical one, or the law's where that is stronger, since the force that the
/// servo reads has its share.
static cairn_status add_impedance(const cairn_world *world, const servo *s, int a, int b,
                                  double gap, double share, double *numbers, cairn_error *error)
{
    const eng_surface *surface = eng_surface_of(world, a, b);
    if (surface->law->stiffness == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo \"%.80s\": contacts by law \"%s\" have no stiffness to move %s",
                         s->def.name, surface->law->name,
                         s->def.cell ? "the cell by beside those that have one; give "
                                       "all grains laws of one kind"
                                     : "the wall by; give it a dynamic body on a slider joint to "
                                       "the world");
    double masses = inverse_mass(world, a) + inverse_mass(world, b);
    con_stiffness_input input = {
        .radius = 1.0 / (curvature(world, a) + curvature(world, b)),
        .mass = 1.0 / masses,
        .overlap = fmax(-gap, 0.0),
    };
    con_stiffness is = surface->law->stiffness(surface->parameters, &input);
    double dashpot = fmax(2.0 * sqrt(is.normal * input.mass), is.damping);
    numbers[STIFFNESS] += share * share * is.normal;
    numbers[IMPEDANCE] += share * share * (is.normal * world->state.clock.step + dashpot);
    return CAIRN_OK;
}

/// Whether a contact of the last step acts between bodies that are still there.
static bool acts(const cairn_world *world, const cairn_contact_view *contact)
{
    return contact->status != CAIRN_CONTACT_OPEN && eng_body_check(world, contact->a) == CAIRN_OK &&
           eng_body_check(world, contact->b) == CAIRN_OK;
}

/// Wall `i` of a servo, of 1 + other_count.
static cairn_body_id wall_at(const cairn_servo_def *def, int i)
{
    return i == 0 ? def->body : def->others[i - 1];
}

static bool is_wall_of(const servo *s, cairn_body_id body)
{
    bool found = false;
    for (int i = 0; i <= s->def.other_count; i++)
        found |= wall_at(&s->def, i).index == body.index;
    return found;
}

static cairn_status look_at_wall(const cairn_world *world, const servo *s, double *numbers,
                                 cairn_error *error)
{
    // those of spheres with a wall are asked for by the wall, and not looked for among all
    bool by_wall = true;
    for (int i = 0; i <= s->def.other_count; i++)
        by_wall = by_wall && eng_spheres_has_wall(world, (int)wall_at(&s->def, i).index);
    int count = by_wall ? world->contacts.set.count : cairn_contact_count(world);
    vec3 axis = vec3_from(s->def.axis);
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        cairn_contact_view c;
        if (cairn_contact_get(world, i, &c) == CAIRN_OK && acts(world, &c) &&
            (is_wall_of(s, c.a) || is_wall_of(s, c.b)))
            status = add_impedance(world, s, (int)c.a.index, (int)c.b.index, c.gap,
                                   vec3_dot(vec3_from(c.normal), axis), numbers, error);
    }
    for (int i = 0, at = 0; i <= s->def.other_count && by_wall; i++, at = 0) {
        int wall = (int)wall_at(&s->def, i).index;
        eng_wall_contact c;
        while (status == CAIRN_OK && eng_spheres_next_of_wall(world, wall, &at, &c))
            if (eng_body_is_live(world, c.sphere) && vec3_norm(c.force) > 0.0)
                status = add_impedance(world, s, c.sphere, wall, c.gap, vec3_dot(c.normal, axis),
                                       numbers, error);
    }
    return status;
}

/// A volume.
static cairn_status look_at_cell(const cairn_world *world, const servo *s, double *numbers,
                                 cairn_error *error)
{
    int count = cairn_contact_count(world), side = s->def.side;
    cairn_status status = CAIRN_OK;
    double volume = fabs(mat3_determinant(&world->state.cell.now));
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        cairn_contact_view c;
        if (cairn_contact_get(world, i, &c) != CAIRN_OK || !acts(world, &c))
            continue;
        int a = (int)c.a.index, b = (int)c.b.index;
        vec3 point = vec3_from(c.point);
        vec3 branch =
            vec3_sub(eng_image_centre(world, b, point), eng_image_centre(world, a, point));
        status = add_impedance(world, s, a, b, c.gap, c.normal[side] * vec3_get(branch, side),
                               numbers, error);
    }
    numbers[IMPEDANCE] /= volume;
    numbers[STIFFNESS] /= volume;
    return status;
}

/// Sums over the contacts of the last step; where nothing acted, the last sums stay.
static cairn_status look(const cairn_world *world, const servo *s, double *numbers, bool *touches,
                         cairn_error *error)
{
    double was[2] = {numbers[IMPEDANCE], numbers[STIFFNESS]};
    numbers[IMPEDANCE] = numbers[STIFFNESS] = 0.0;
    cairn_status status = s->def.cell ? look_at_cell(world, s, numbers, error)
                                      : look_at_wall(world, s, numbers, error);
    *touches = numbers[IMPEDANCE] > 0.0;
    if (!*touches) {
        numbers[IMPEDANCE] = was[0];
        numbers[STIFFNESS] = was[1];
    }
    return status;
}

/// Whether a servo acts in the step that begins.
static bool is_on(const cairn_world *world, const cairn_servo_def *def)
{
    double middle = world->state.clock.time + 0.5 * world->state.clock.step;
    return middle >= def->from && middle <= def->until;
}

/// The rate of shrinking, 1/s, of a side that is held at a stress, by which the volume of the cell
/// stays while other sides are strained at given rates; sides that are held share it.
static double constant_volume_rate(const cairn_world *world)
{
    double given = 0.0, held = 0.0;
    int at = 0;
    for (const eng_action *each; (each = eng_action_next(world, &servo_kind, &at)) != NULL;) {
        const servo *other = each->data;
        const cairn_servo_def *def = &other->def;
        if (!def->cell || def->side != def->across || !is_on(world, def))
            continue;
        given += def->rate ? other->numbers[VELOCITY] : 0.0;
        held += def->rate ? 0.0 : 1.0;
    }
    return given / held;
}

/// The velocity of a moving wall or the rate of the cell: slow where it is stiff, so that it acts
/// as a dashpot between the contacts and the target, which takes energy out at any gain. A part of
/// it lasts, so that a bed that keeps yielding leaves no error behind. For a wall it gathers in
/// sixteen times the time in which the contacts answer, slow enough for the springs of many layers
/// in a row; for the cell, which strains all its layers at once, in four times, which is critical
/// damping. Where other sides of a cell are strained at a rate, what they push aside is given
/// without waiting for the stress to say so.
static cairn_status set_velocity(const cairn_world *world, const servo *s, double *numbers,
                                 cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    double wanted = numbers[TARGET] - numbers[FORCE], speed = s->def.speed;
    bool touches = numbers[FORCE] != 0.0;
    int every = s->def.cell ? LOOK_AT_CELL_EVERY : LOOK_AT_WALL_EVERY;
    // contacts come and go with the force
    bool changed = fabs(numbers[FORCE] - numbers[LOOKED]) > 0.1 * fabs(numbers[LOOKED]);
    if (touches &&
        (changed || numbers[IMPEDANCE] == 0.0 || world->state.clock.step_count % every == 0)) {
        numbers[LOOKED] = numbers[FORCE];
        status = look(world, s, numbers, &touches, error);
    }
    bool known = numbers[IMPEDANCE] > 0.0;
    double answer = known ? s->def.gain / numbers[IMPEDANCE] : 0.0, h = world->state.clock.step;
    if (!touches) {
        // after a loss of contact as if the springs there were went on, so that the next touch is
        // no impact, and what runs away is caught up with
        double most = known ? answer * (wanted + numbers[STIFFNESS] * numbers[GONE]) : speed;
        numbers[LASTING] = 0.0;
        numbers[VELOCITY] = wanted > 0.0 ? fmin(speed, most) : 0.0;
        return status;
    }
    double times = s->def.cell ? 4.0 : 16.0;
    double part = fmin(h * answer * numbers[STIFFNESS] / times, 1.0);
    // far from the target nothing lasts on the way to it; what lasts the other way is taken back
    bool near = fabs(wanted) <= 0.5 * fabs(numbers[TARGET]) || wanted * numbers[TARGET] < 0.0 ||
                wanted * numbers[LASTING] < 0.0;
    double more = near ? answer * wanted : -numbers[LASTING];
    numbers[LASTING] = fmax(-speed, fmin(speed, numbers[LASTING] + part * more));
    double aside = s->def.cell ? constant_volume_rate(world) : 0.0;
    numbers[VELOCITY] = fmax(-speed, fmin(speed, aside + numbers[LASTING] + answer * wanted));
    return status;
}

/// What is asked for the step that begins.
static cairn_status ask_target(const cairn_world *world, const servo *s, double *target,
                               cairn_error *error)
{
    const cairn_servo_def *def = &s->def;
    double middle = world->state.clock.time + 0.5 * world->state.clock.step;
    cairn_status status = CAIRN_OK;
    if (s->numbers[GIVEN] != 0.0) {
        *target = s->numbers[ASKED];
        return CAIRN_OK;
    }
    *target = def->force;
    if (def->target != NULL)
        status = def->target(def->context, middle, target, error);
    *target *= def->scale;
    if (status == CAIRN_OK && !isfinite(*target))
        return base_fail(error, CAIRN_ERROR_NONFINITE,
                         "servo \"%.80s\": the target is not finite at t = %g s", def->name,
                         middle);
    return status;
}

/// What the contacts of the walls that are still there push against the axis, N.
static double read_walls(const cairn_world *world, const cairn_servo_def *def)
{
    double sum = 0.0;
    for (int i = 0; i <= def->other_count; i++)
        if (eng_body_check(world, wall_at(def, i)) == CAIRN_OK)
            sum -= vec3_dot(eng_contact_force_on(world, (int)wall_at(def, i).index),
                            vec3_from(def->axis));
    return sum;
}

static cairn_status drive_wall(cairn_world *world, const servo *s, double *numbers,
                               cairn_error *error)
{
    const cairn_servo_def *def = &s->def;
    double force[3], torque[3];
    numbers[FORCE] = read_walls(world, def);
    vec3 axis = vec3_from(def->axis);
    if (world->state.clock.step_count == 0)
        numbers[FORCE] = 0.0;
    if (world->model.bodies.rows[def->body.index].kind != CAIRN_DYNAMIC)
        return set_velocity(world, s, numbers, error);
    vec3_store(force, vec3_scale(numbers[TARGET], axis));
    memset(torque, 0, sizeof torque);
    numbers[VELOCITY] = vec3_dot(vec3_from(eng_state_of(world, (int)def->body.index).v), axis);
    return cairn_body_set_force(world, def->body, force, torque, error);
}

/// Whether all contacts of the bodies there are would be by laws without stiffness.
static bool is_rigid(const cairn_world *world)
{
    bool cone = false, other = false;
    for (int i = 0; i < world->model.materials.surface_count; i++) {
        bool is = world->model.materials.surfaces[i].law->kind == CON_LAW_CONE;
        cone = cone || is;
        other = other || !is;
    }
    if (!cone || !other)
        return cone;
    // surfaces may be of materials that no body has
    eng_surface scratch;
    bool *used =
        base_arena_array(world->scratch.arena, bool, "materials", world->model.materials.count);
    for (int i = 0; used != NULL && i < world->model.materials.count; i++)
        used[i] = false;
    for (int i = 0; used != NULL && i < world->model.bodies.count; i++)
        if (eng_body_is_live(world, i))
            used[world->model.bodies.rows[i].material] = true;
    bool rigid = used != NULL;
    for (int i = 0; rigid && i < world->model.materials.count; i++)
        for (int j = 0; rigid && j <= i; j++)
            rigid = !used[i] || !used[j] ||
                    eng_surface_between(world, i, j, &scratch)->law->kind == CON_LAW_CONE;
    return rigid;
}

/// What a side under the rigid law does not go with.
static cairn_status check_rigid(const cairn_world *world, const servo *s, cairn_error *error)
{
    const char *what = NULL;
    if (world->model.def.impact != CAIRN_IMPACT_NEWTON)
        what = "impacts by Newton's law (impact = \"newton\")";
    else if (world->model.joints.count > 0)
        what = "a world without joints";
    if (what == NULL)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                     "servo \"%.80s\": a stress of the cell under the rigid law wants %s",
                     s->def.name, what);
}

/// The stress is a force on the side, whose rate is found with the impulses of the contacts.
static cairn_status drive_rigid_cell(cairn_world *world, const servo *s, double *numbers,
                                     cairn_error *error)
{
    int side = s->def.side;
    eng_cell_drive *drive = world->state.cell.drive[side];
    numbers[RIGID] = 1.0;
    drive->speed = s->def.speed;
    drive->stress = numbers[TARGET];
    numbers[VELOCITY] = -world->state.cell.gradient.m[side][side];
    return check_rigid(world, s, error);
}

/// Compression is positive, and the cell shrinks where it is less than the target.
static cairn_status drive_cell(cairn_world *world, const servo *s, double *numbers,
                               cairn_error *error)
{
    int side = s->def.side;
    numbers[FORCE] = s->stress[side];
    if (is_rigid(world))
        return drive_rigid_cell(world, s, numbers, error);
    if (numbers[RIGID] != 0.0)
        numbers[RIGID] = world->state.cell.drive[side]->speed = 0.0;
    cairn_status status = set_velocity(world, s, numbers, error);
    if (status == CAIRN_OK)
        world->state.cell.gradient.m[side][side] = -numbers[VELOCITY];
    return status;
}

/// The rate of the cell as it is asked for.
static cairn_status set_rate(eng_world_state *state, const servo *s, double *numbers,
                             cairn_error *error)
{
    double rate = numbers[VELOCITY] = numbers[TARGET];
    if (fabs(rate) * state->clock.step > 0.1)
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "servo \"%.80s\": the rate %g 1/s strains the cell by more than a tenth in "
            "a step at t = %g s",
            s->def.name, rate, state->clock.time);
    state->cell.gradient.m[s->def.side][s->def.across] = rate;
    return CAIRN_OK;
}

/// Takes back what the servo has set, when it ends.
static cairn_status let_go(cairn_world *world, const servo *s, double *numbers, cairn_error *error)
{
    const cairn_servo_def *def = &s->def;
    static const double none[3];
    bool was = numbers[VELOCITY] != 0.0 || numbers[TARGET] != 0.0;
    bool drove = def->cell && !def->rate && numbers[RIGID] != 0.0;
    was = was || drove;
    numbers[VELOCITY] = numbers[TARGET] = numbers[GONE] = numbers[LASTING] = 0.0;
    if (drove)
        numbers[RIGID] = world->state.cell.drive[def->side]->speed = 0.0;
    if (was && def->cell)
        world->state.cell.gradient.m[def->side][def->across] = 0.0;
    if (was && !def->cell && world->model.bodies.rows[def->body.index].kind == CAIRN_DYNAMIC)
        return cairn_body_set_force(world, def->body, none, none, error);
    return CAIRN_OK;
}

static cairn_status servo_begin(cairn_world *world, eng_action *action, cairn_error *error)
{
    const servo *s = action->data;
    const cairn_servo_def *def = &s->def;
    double *numbers = action->numbers;
    if (!def->cell && eng_body_check(world, def->body) != CAIRN_OK)
        return CAIRN_OK; // it was removed
    double h = world->state.clock.step, middle = world->state.clock.time + 0.5 * h;
    if (!is_on(world, def))
        return middle < def->from ? CAIRN_OK : let_go(world, s, numbers, error);
    cairn_status status = ask_target(world, s, &numbers[TARGET], error);
    if (status == CAIRN_OK && def->rate)
        return set_rate(&world->state, s, numbers, error);
    if (status == CAIRN_OK)
        status =
            def->cell ? drive_cell(world, s, numbers, error) : drive_wall(world, s, numbers, error);
    numbers[GONE] = numbers[FORCE] == 0.0 ? numbers[GONE] + h * fabs(numbers[VELOCITY]) : 0.0;
    if (status == CAIRN_OK && numbers[GONE] > def->reach)
        status = base_fail(error, CAIRN_ERROR_ARGUMENT,
                           "servo \"%.80s\": no contact to push on after %g%s (reach = %g%s); the "
                           "target is %g %s at t = %g s",
                           def->name, numbers[GONE], def->cell ? "" : " m", def->reach,
                           def->cell ? "" : " m", numbers[TARGET], def->cell ? "Pa" : "N", middle);
    return status;
}

/// The first servo of a stress reads it for those that follow.
static cairn_status servo_end(cairn_world *world, eng_action *action, cairn_error *error)
{
    const servo *s = action->data;
    if (s->stress != action->numbers + STRESS)
        return CAIRN_OK;
    cairn_measure measure;
    cairn_status status = eng_spheres_cell_stress(world, measure.stress)
                              ? CAIRN_OK
                              : eng_measure(world, NULL, NULL, &measure, error);
    if (status == CAIRN_OK)
        memcpy(action->numbers + STRESS, measure.stress, 3 * sizeof(double));
    return status;
}

static void servo_release(const base_allocator *allocator, void *data)
{
    servo *s = data;
    base_release(allocator, (char *)s->def.name);
    base_release(allocator, (cairn_body_id *)s->def.others);
    base_release(allocator, s);
}

static const eng_action_kind servo_kind = {
    .begin = servo_begin, .end = servo_end, .release = servo_release};

/// The motion of a moving wall, a cairn_motion_function.
static cairn_status follow(void *context, double time, cairn_motion *motion, cairn_error *error)
{
    (void)time;
    (void)error;
    const servo *s = context;
    motion->given = CAIRN_MOTION_VELOCITY;
    vec3_store(motion->velocity, vec3_scale(s->numbers[VELOCITY], vec3_from(s->def.axis)));
    return CAIRN_OK;
}

static cairn_status check_cell(const cairn_world *world, const cairn_servo_def *def,
                               cairn_error *error)
{
    if (!world->state.cell.any)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "servo: this world has no periodic cell");
    if (def->side < 0 || def->side > 2 || !world->state.cell.periodic[def->side] ||
        def->across < 0 || def->across > 2 || !world->state.cell.periodic[def->across])
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: side = %d and across = %d must be those of periodic directions",
                         def->side, def->across);
    if (!def->rate && def->side != def->across)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: a stress is along a side (x, y, z), not %c%c; a shear has a rate",
                         "xyz"[def->side], "xyz"[def->across]);
    if (def->speed * world->state.clock.step > 0.1)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: speed = %g 1/s strains the cell by more than a tenth in a step",
                         def->speed);
    return CAIRN_OK;
}

static cairn_status check_wall(const cairn_world *world, const cairn_servo_def *def,
                               cairn_error *error)
{
    cairn_status status = eng_body_check(world, def->body);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    if (world->model.bodies.rows[def->body.index].kind == CAIRN_FIXED)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: the body is fixed; it must be moving or dynamic");
    for (int i = 0; i <= def->other_count && def->other_count != 0; i++) {
        status = eng_body_check(world, wall_at(def, i));
        if (status != CAIRN_OK)
            return eng_fail_id(error, status, "body");
        if (world->model.bodies.rows[wall_at(def, i).index].kind != CAIRN_MOVING)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "servo: walls that move as one must be of kind moving; dynamic ones "
                             "are joined by fixed joints");
    }
    double length = vec3_norm(vec3_from(def->axis));
    if (!(length > 0.0) || !isfinite(length))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: axis has length %g; it must be "
                         "greater than 0 and finite",
                         length);
    return CAIRN_OK;
}

static cairn_status check(const cairn_world *world, const cairn_servo_def *def, cairn_error *error)
{
    if (def->cookie != SERVO_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the servo's definition does not come from cairn_default_servo_def()");
    if (def->other_count < 0 || (def->other_count > 0 && (def->cell || def->others == NULL)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: other_count = %d must be that of others, and 0 for the cell",
                         def->other_count);
    if (!isfinite(def->force) || !isfinite(def->scale))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: force = %g N and scale = %g must be finite", def->force,
                         def->scale);
    if (!(def->gain > 0.0) || !(def->gain <= 1.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: gain = %g must be greater than 0 and at most 1", def->gain);
    if (!(def->speed > 0.0) || !isfinite(def->speed) || !(def->reach > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: speed = %g m/s and reach = %g m must be greater than 0, and the "
                         "speed finite",
                         def->speed, def->reach);
    if (def->rate && !def->cell)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: a rate is of the cell, not of a wall");
    if (!isfinite(def->from) || !(def->until >= def->from))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: from = %g s must be finite, and until = %g s not before it",
                         def->from, def->until);
    return def->cell ? check_cell(world, def, error) : check_wall(world, def, error);
}

/// A servo with copies of what its definition points to; NULL when out of memory.
static servo *copy_servo(const base_allocator *allocator, const cairn_servo_def *def)
{
    servo *made = base_allocate(allocator, 1, sizeof *made);
    char *name = base_copy_text(allocator, def->name != NULL ? def->name : "servo");
    size_t others = (size_t)def->other_count;
    cairn_body_id *copy = base_allocate(allocator, others + 1, sizeof *copy);
    if (made == NULL || name == NULL || copy == NULL) {
        base_release(allocator, made);
        base_release(allocator, name);
        base_release(allocator, copy);
        return NULL;
    }
    if (others > 0)
        memcpy(copy, def->others, others * sizeof *copy);
    *made = (servo){.def = *def};
    made->def.name = name;
    made->def.others = copy;
    if (!def->cell)
        vec3_store(made->def.axis,
                   vec3_normalize_or(vec3_from(def->axis), vec3_make(0.0, 0.0, 1.0)));
    return made;
}

static uint64_t print_of(const cairn_servo_def *def)
{
    const double values[] = {def->force,          def->scale, def->gain,
                             def->speed,          def->reach, (double)def->body.index,
                             def->target != NULL, def->cell,  def->side,
                             def->across,         def->rate,  def->from,
                             def->until};
    uint64_t print = base_hash_bytes(BASE_HASH_START, values, sizeof values);
    print = base_hash_bytes(print, def->axis, sizeof def->axis);
    for (int i = 0; i < def->other_count; i++)
        print = base_hash_bytes(print, &def->others[i].index, sizeof def->others[i].index);
    return print;
}

cairn_status cairn_servo_create(cairn_world *world, const cairn_servo_def *def, cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = check(world, def, error);
    if (status != CAIRN_OK)
        return status;
    servo *made = copy_servo(&world->model.allocator, def);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a servo");
    uint64_t print = print_of(&made->def);
    bool reads = def->cell && !def->rate;
    eng_action *action =
        eng_action_add(world, &servo_kind, made, reads ? SERVO_NUMBERS : RIGID, print);
    if (action == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a servo");
    made->numbers = action->numbers;
    if (def->target == NULL)
        action->numbers[TARGET] = def->force * def->scale;
    int at = 0;
    const eng_action *each = NULL;
    if (reads && world->state.cell.drive[def->side] == NULL)
        world->state.cell.drive[def->side] = (eng_cell_drive *)(action->numbers + DRIVE);
    world->state.cell.watched = world->state.cell.watched || reads;
    while (reads && made->stress == NULL &&
           (each = eng_action_next(world, &servo_kind, &at)) != NULL) {
        const servo *other = each->data;
        made->stress = other == made ? action->numbers + STRESS : other->stress;
    }
    bool moves = !def->cell && world->model.bodies.rows[def->body.index].kind == CAIRN_MOVING;
    for (int i = 0; i <= def->other_count && moves && status == CAIRN_OK; i++)
        status = cairn_body_set_motion(world, wall_at(&made->def, i), follow, made, error);
    if (status != CAIRN_OK)
        made->def.body = (cairn_body_id){0}; // it does nothing then
    return status;
}

int cairn_servo_count(const cairn_world *world)
{
    int at = 0, count = 0;
    while (world != NULL && eng_action_next(world, &servo_kind, &at) != NULL)
        count++;
    return count;
}

/// NULL for an index that is not in 0 .. count-1.
static const eng_action *find(const cairn_world *world, int index)
{
    int at = 0;
    const eng_action *action = NULL;
    for (int i = 0; i <= index && (i == 0 || action != NULL); i++)
        action = eng_action_next(world, &servo_kind, &at);
    return action;
}

cairn_status cairn_servo_get(const cairn_world *world, int index, cairn_servo_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_servo_view){.name = ""};
    const eng_action *action = find(world, index);
    if (action == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    const cairn_servo_def *def = &((const servo *)action->data)->def;
    *view = (cairn_servo_view){.name = def->name,
                               .target = action->numbers[TARGET],
                               .force = action->numbers[FORCE],
                               .velocity = action->numbers[VELOCITY],
                               .follows = def->target != NULL && action->numbers[GIVEN] == 0.0,
                               .rate = def->rate,
                               .cell = def->cell,
                               .side = def->side,
                               .across = def->across,
                               .body = def->body};
    memcpy(view->axis, def->axis, sizeof view->axis);
    return CAIRN_OK;
}

cairn_status cairn_servo_set_target(cairn_world *world, int index, double target,
                                    cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    const eng_action *action = find(world, index);
    if (action == NULL)
        return base_fail(error, CAIRN_ERROR_NOT_FOUND, "the world has %d servos, and none at %d",
                         cairn_servo_count(world), index);
    if (!isfinite(target))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the target of a servo is %g: not finite",
                         target);
    action->numbers[GIVEN] = 1.0;
    action->numbers[TARGET] = action->numbers[ASKED] = target;
    return CAIRN_OK;
}
