// SPDX-License-Identifier: Apache-2.0
// What every impulse law has to do, tried on pairs of spheres, planes and hollow spheres: the
// battery behind cairn_world_check_law, for laws of the library and of programs alike.
#include "base/elementary.h"
#include "base/rng.h"
#include "contact/laws/audit.h"
#include "contact/laws/law_state.h"
#include "engine/state/own_laws.h"
#include "engine/state/values.h"

#include <string.h>

enum { ROUNDS = 16, STEPS_MAX = 200000 };

/// A law with its parameters, and who is told what it does wrong.
typedef struct trial {
    const con_law *law;
    const void *parameters;
    base_rng rng;
    cairn_error *error;
} trial;

/// The response; a state that makes no contact is a mistake of this file.
static con_law_response respond(const trial *t, const con_law_state *s)
{
    con_law_response r = {0};
    if (con_law_evaluate(t->law, t->parameters, s, &r, NULL) != CAIRN_OK)
        r.force[0].x = NAN;
    return r;
}

static cairn_status fault(const trial *t, const char *what, double found)
{
    return base_fail(t->error, CAIRN_ERROR_NUMERICAL, "law %.60s: %s (%g)", t->law->name, what,
                     found);
}

static vec3 random_vector(base_rng *rng, double size)
{
    return vec3_make(base_rng_range(rng, -size, size), base_rng_range(rng, -size, size),
                     base_rng_range(rng, -size, size));
}

/// Two spheres that overlap (or are apart by -overlap), closing and turning, in a new contact.
static con_law_state random_state(base_rng *rng, double overlap)
{
    con_law_state s = {.step = 1e-4, .fresh = true};
    vec3 n = vec3_normalize_or(random_vector(rng, 1.0), vec3_make(1.0, 0.0, 0.0));
    s.body[0] = (con_law_body){.position = random_vector(rng, 1.0), .radius = 0.05, .mass = 0.2};
    s.body[1] = (con_law_body){.position = vec3_add_scaled(s.body[0].position, 0.08 - overlap, n),
                               .radius = 0.03,
                               .mass = 0.1};
    for (int k = 0; k < 2; k++) {
        s.body[k].velocity = random_vector(rng, 1.0);
        s.body[k].angular_velocity = random_vector(rng, 10.0);
    }
    if (vec3_dot(n, vec3_sub(s.body[1].velocity, s.body[0].velocity)) > 0.0)
        for (int k = 0; k < 2; k++)
            s.body[k].velocity = vec3_negate(s.body[k].velocity);
    return s;
}

/// The same with the history of three steps behind it.
static con_law_state worn_state(const trial *t, base_rng *rng)
{
    con_law_state s = random_state(rng, 1e-4);
    for (int i = 0; i < 3; i++) {
        con_law_response r = respond(t, &s);
        memcpy(s.history, r.history, sizeof s.history);
        s.fresh = false;
    }
    return s;
}

// ---------------------------------------------------------------- one state

/// Laws of the library are asked about open gaps too, those of programs are not.
static cairn_status check_open(trial *t)
{
    if (con_law_find(t->law->name) != t->law)
        return CAIRN_OK;
    for (int i = 0; i < ROUNDS; i++) {
        con_law_state s = random_state(&t->rng, -1e-9);
        con_law_response r = respond(t, &s);
        double size = vec3_norm(r.force[1]) + vec3_norm(r.torque[0]) + vec3_norm(r.torque[1]);
        if (!(size == 0.0))
            return fault(t, "a new contact with an open gap has a force, N", size);
        if (r.output.elastic != 0.0)
            return fault(t, "a new contact with an open gap has energy, J", r.output.elastic);
    }
    return CAIRN_OK;
}

static cairn_status check_balance(trial *t)
{
    for (int i = 0; i < ROUNDS; i++) {
        con_law_state s = worn_state(t, &t->rng);
        con_law_response r = respond(t, &s);
        vec3 moment = vec3_add(r.torque[0], r.torque[1]);
        for (int k = 0; k < 2; k++)
            moment = vec3_add(moment, vec3_cross(s.body[k].position, r.force[k]));
        double size = vec3_norm(r.force[1]), off = vec3_norm(moment);
        if (!(size > 0.0))
            return fault(t, "spheres that overlap and close do not feel each other, N", size);
        if (!(off <= 1e-12 * size))
            return fault(t, "moments on the two bodies do not balance, N m", off);
    }
    return CAIRN_OK;
}

/// How far two answers are apart, by the size of the first; `q` turns the first one.
static double difference(const con_law_response *a, const con_law_response *b, quat q, bool swapped)
{
    double size = 0.0, off = 0.0;
    for (int k = 0; k < 2; k++) {
        int other = swapped ? 1 - k : k;
        size += vec3_norm(a->force[k]) + vec3_norm(a->torque[k]);
        off += vec3_distance(quat_rotate(q, a->force[k]), b->force[other]) +
               vec3_distance(quat_rotate(q, a->torque[k]), b->torque[other]);
    }
    return off / size;
}

/// History that is a vector of the world: three numbers of which the first ends in _x.
static void turn_history(const con_law *law, quat q, double *history)
{
    for (int i = 0; i + 2 < law->history_count; i++) {
        const char *name = law->history_names[i];
        size_t length = strlen(name);
        if (length > 2 && strcmp(name + length - 2, "_x") == 0)
            vec3_store(history + i, quat_rotate(q, vec3_from(history + i)));
    }
}

/// A world that is turned, shifted and moves on evenly, and bodies in the other order.
static cairn_status check_frames(trial *t)
{
    const quat turn = base_quat_from_rotation_vector(vec3_make(0.7, -1.1, 2.0));
    const vec3 drift = {3.0, -2.0, 5.0}, shift = {0.2, 0.1, -0.3};
    for (int i = 0; i < ROUNDS; i++) {
        con_law_state s = worn_state(t, &t->rng), turned = s;
        turn_history(t->law, turn, turned.history);
        for (int k = 0; k < 2; k++) {
            con_law_body *b = &turned.body[k];
            b->position = vec3_add(quat_rotate(turn, b->position), shift);
            b->velocity = vec3_add(quat_rotate(turn, b->velocity), drift);
            b->angular_velocity = quat_rotate(turn, b->angular_velocity);
        }
        con_law_response a = respond(t, &s), b = respond(t, &turned);
        double off = difference(&a, &b, turn, false);
        if (!(off <= 1e-8))
            return fault(t, "another answer where all is turned and moves along, relative", off);
        s = random_state(&t->rng, 1e-4);
        con_law_state swapped = s;
        swapped.body[0] = s.body[1];
        swapped.body[1] = s.body[0];
        a = respond(t, &s);
        b = respond(t, &swapped);
        off = difference(&a, &b, (quat){1.0, 0.0, 0.0, 0.0}, true);
        if (!(off <= 1e-8))
            return fault(t, "another answer for bodies in the other order, relative", off);
    }
    return CAIRN_OK;
}

/// The same bits for the same question, whatever was asked in between.
static cairn_status check_memory(trial *t)
{
    for (int i = 0; i < ROUNDS; i++) {
        con_law_state s = worn_state(t, &t->rng), between = worn_state(t, &t->rng);
        con_law_response a = respond(t, &s);
        respond(t, &between);
        con_law_response b = respond(t, &s);
        if (memcmp(a.force, b.force, sizeof a.force) != 0 ||
            memcmp(a.torque, b.torque, sizeof a.torque) != 0 ||
            memcmp(a.history, b.history, sizeof a.history) != 0)
            return fault(t, "the same question has another answer later, N",
                         vec3_distance(a.force[1], b.force[1]));
    }
    return CAIRN_OK;
}

static bool is_finite(const con_law_response *r)
{
    bool finite = isfinite(r->output.elastic + r->output.friction + r->output.plastic);
    for (int k = 0; k < 2; k++)
        finite = finite && vec3_is_finite(r->force[k]) && vec3_is_finite(r->torque[k]);
    for (int i = 0; i < CON_HISTORY_MAX; i++)
        finite = finite && isfinite(r->history[i]);
    return finite;
}

static cairn_status check_extremes(trial *t)
{
    for (int k = 0; k < 64; k++) {
        con_law_state s = random_state(&t->rng, k & 1 ? 0.08 : 0.0);
        double speed = k & 2 ? 1e9 : 0.0;
        for (int side = 0; side < 2; side++) {
            s.body[side].velocity = vec3_scale(speed, s.body[side].velocity);
            s.body[side].angular_velocity = vec3_scale(speed, s.body[side].angular_velocity);
            if (k & 8)
                s.body[side].mass = side == 0 ? INFINITY : 1e-12;
        }
        if (k & 1)
            s.body[1].position = s.body[0].position;
        s.step = k & 4 ? 1e-15 : 1e3;
        s.fresh = (k & 16) != 0;
        con_law_response r = respond(t, &s);
        if (!is_finite(&r))
            return fault(t, "an answer is not finite in extreme state", k);
    }
    return CAIRN_OK;
}

/// A ball on a plane and in a hollow sphere, as body A and as body B: it is pushed out.
static cairn_status check_sides(trial *t)
{
    for (int k = 0; k < 4; k++) {
        int ball = k & 1;
        con_law_state s = {.plane_normal = {0.0, 0.0, 1.0}, .step = 1e-4, .fresh = true};
        s.body[ball] = (con_law_body){.position = {0.3, 0.2, 0.0999},
                                      .velocity = {0.3, 0.0, -0.1},
                                      .radius = 0.1,
                                      .mass = 1.0};
        s.body[1 - ball] = (con_law_body){.radius = INFINITY, .mass = INFINITY};
        if (k & 2) {
            s.body[1 - ball].radius = -0.5;
            s.body[1 - ball].position = vec3_make(0.3, 0.2, 0.5);
        }
        con_law_response r = respond(t, &s);
        if (!is_finite(&r) || !(r.force[ball].z > 0.0))
            return fault(t,
                         k & 2 ? "a ball in a hollow sphere is not pushed inwards, N"
                               : "a ball on a plane is not pushed out, N",
                         r.force[ball].z);
    }
    return CAIRN_OK;
}

// ---------------------------------------------------------------- an impact

/// An impact that is stepped as a world steps it.
typedef struct impact {
    con_law_state state;
    mat3 frame;
    double releasable, elastic, lost, least, residual, start; // J; residual and loss at their worst
    int steps;                                                // closed
    bool closed;
} impact;

static double inertia_of(const con_law_body *b)
{
    return 0.4 * b->mass * b->radius * b->radius;
}

static double kinetic(const con_law_state *s)
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++)
        sum += 0.5 * s->body[k].mass * vec3_norm_squared(s->body[k].velocity) +
               0.5 * inertia_of(&s->body[k]) * vec3_norm_squared(s->body[k].angular_velocity);
    return sum;
}

static void drift(con_law_state *s)
{
    for (int k = 0; k < 2; k++)
        s->body[k].position =
            vec3_add_scaled(s->body[k].position, 0.5 * s->step, s->body[k].velocity);
}

/// Velocities at the end of the step, and what the audit needs of it.
static con_contact_motion kick(con_law_state *s, const con_law_response *r)
{
    con_contact_motion motion = {0};
    vec3 v[2];
    memcpy(motion.V, r->input.V, sizeof motion.V);
    for (int k = 0; k < 2; k++) {
        con_law_body *b = &s->body[k];
        motion.omega[k] = b->angular_velocity;
        b->velocity = vec3_add_scaled(b->velocity, s->step / b->mass, r->force[k]);
        b->angular_velocity =
            vec3_add_scaled(b->angular_velocity, s->step / inertia_of(b), r->torque[k]);
        motion.omega_end[k] = b->angular_velocity;
        vec3 arm = vec3_sub(r->input.point, r->input.centre[k]);
        v[k] = vec3_add(b->velocity, vec3_cross(b->angular_velocity, arm));
    }
    vec3_store(motion.U, mat3_apply(&r->input.frame, vec3_sub(v[1], v[0])));
    return motion;
}

static void book(impact *i)
{
    double held = kinetic(&i->state) + i->elastic;
    i->least = fmin(i->least, i->lost);
    i->residual = fmax(i->residual, fabs(held + i->lost - i->start));
}

static void step_impact(const trial *t, impact *i)
{
    con_law_state *s = &i->state;
    drift(s);
    // the impulse of the last step is given in the frame of this one
    con_impulse_input now = {.gap = NAN};
    vec3 R = mat3_apply_transposed(&i->frame, vec3_from(s->R_previous));
    if (con_law_state_input(s, &now, NULL) == CAIRN_OK)
        i->frame = now.frame;
    vec3_store(s->R_previous, mat3_apply(&i->frame, R));
    bool held = t->law->bonded != NULL && t->law->bonded(t->parameters, s->history);
    i->closed = now.gap <= 0.0 || held;
    if (!i->closed) {
        i->lost += i->releasable;
        i->releasable = i->elastic = 0.0;
        book(i);
        drift(s);
        return;
    }
    con_law_response r = respond(t, s);
    memcpy(s->history, r.history, sizeof s->history);
    memcpy(s->R_previous, r.output.R, sizeof s->R_previous);
    con_contact_motion motion = kick(s, &r);
    con_contact_energy part = con_impulse_book(&r.output, &motion);
    drift(s);
    i->elastic = part.elastic;
    i->lost += part.damping + part.plastic + part.friction;
    i->releasable = part.releasable;
    book(i);
    s->fresh = false;
    i->steps++;
}

/// An oblique collision of turning bodies; `phase` (0 to 1) of a step passes before the touch.
/// @return whether the bodies met and parted again
static bool run_impact(const trial *t, double h, double phase, impact *i)
{
    con_law_state s = {.body = {{.velocity = {1.0, 0.2, 0.0},
                                 .angular_velocity = {3.0, 0.0, 5.0},
                                 .radius = 0.05,
                                 .mass = 0.2},
                                {.position = {0.08, 0.001, -0.002},
                                 .velocity = {-1.0, -0.1, 0.3},
                                 .angular_velocity = {0.0, 4.0, -2.0},
                                 .radius = 0.03,
                                 .mass = 0.1}},
                       .step = h,
                       .fresh = true};
    for (int k = 0; k < 2; k++)
        s.body[k].position.x += (k == 0 ? -1.0 : 1.0) * h * (1.0 + phase);
    *i = (impact){.state = s, .frame = mat3_identity(), .start = kinetic(&s)};
    bool met = false;
    for (int k = 0; k < STEPS_MAX; k++) {
        step_impact(t, i);
        if (met && !i->closed)
            return true;
        met = met || i->closed;
        if (!isfinite(i->residual) || (!met && k > 64))
            return false;
    }
    return false;
}

/// A step of which a contact takes 64.
static double step_of_impact(const trial *t)
{
    impact i;
    for (double h = 1e-3; h > 1e-10; h *= 0.25)
        if (run_impact(t, h, 0.5, &i) && i.steps >= 256)
            return h * i.steps / 64.0;
    return 0.0;
}

/// Worst residual over the phases of the touch, by the energy that the impact exchanges.
static double worst_residual(const trial *t, double h, double *least)
{
    const double exchanged = 0.5 * (0.2 * 0.1 / 0.3) * 4.0;
    double worst = 0.0;
    *least = 0.0;
    for (int k = 0; k < 10; k++) {
        impact i;
        if (!run_impact(t, h, 0.1 * k, &i))
            return INFINITY;
        worst = fmax(worst, i.residual / exchanged);
        *least = fmin(*least, i.least / exchanged);
    }
    return worst;
}

/// The books close to 1 % at 64 steps a contact, better with smaller steps, and nothing is made.
static cairn_status check_energy(trial *t)
{
    double least, h = step_of_impact(t);
    if (h == 0.0)
        return fault(t, "bodies that collide with 2 m/s do not part again, or in no time, s", h);
    double coarse = worst_residual(t, h, &least), fine = worst_residual(t, 0.25 * h, &least);
    if (!(coarse <= 1e-2))
        return fault(t, "energy of an impact that nothing explains, relative", coarse);
    if (!(fine <= fmax(0.6 * coarse, 1e-6)))
        return fault(t, "unexplained energy stays where the step is a quarter, relative", fine);
    return least >= -1e-3 ? CAIRN_OK
                          : fault(t, "dashpots and friction make energy, relative", least);
}

cairn_status cairn_world_check_law(const cairn_world *world, const char *name,
                                   const cairn_parameter *parameters, int parameter_count,
                                   cairn_error *error)
{
    static cairn_status (*const checks[])(trial *) = {
        check_open,     check_memory, check_balance, check_frames,
        check_extremes, check_sides,  check_energy,
    };
    _Alignas(16) unsigned char values[CON_LAW_SETTINGS_MAX];
    if (world == NULL || name == NULL || (parameters == NULL && parameter_count > 0))
        return base_fail_null(error, __func__);
    trial t = {.law = eng_law_find(world, name),
               .parameters = values,
               .rng = base_rng_make(20),
               .error = error};
    if (t.law == NULL)
        return eng_fail_law(world, name, error);
    if (t.law->kind != CON_LAW_IMPULSE)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "%.60s is a law of the implicit problem: its solver is checked, not it",
                         name);
    base_settings_defaults(&t.law->table, values);
    for (int i = 0; i < parameter_count; i++)
        BASE_TRY(base_settings_set(&t.law->table, values, parameters[i].name,
                                   eng_value_to_base(parameters[i].value), error));
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        BASE_TRY(checks[i](&t));
    return CAIRN_OK;
}
