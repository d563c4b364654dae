// SPDX-License-Identifier: Apache-2.0
// The thread that steps the world or plays a run: orders, pace, frames, the ring of past frames.
#include "viewer/simulation/simulation.h"
#include "viewer/simulation/joints.h"
#include "viewer/simulation/looks.h"
#include "viewer/simulation/replay.h"
#include "viewer/simulation/sensors.h"

#include "base/assert.h"
#include "base/timer.h"

#include <SDL.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ORDERS = 128, FRAMES_MAX = 2000, SAMPLES = 2048 };

// bytes that past frames may take
static const size_t history_bytes = (size_t)192 << 20;
// s of wall clock between looks for more frames at the end of a run
static const double look_again = 0.5;
// s of wall clock after which lost time is given up
static const double patience = 0.1;
// rad/s and damping ratio of the spring that pulls a body
static const double pull_frequency = 12.0, pull_damping = 0.8;

struct view_simulation {
    base_allocator allocator;
    scn_scene *scene;
    cairn_replay *replay; // NULL: the scene's world is stepped
    const view_energy_row *energies;
    int energy_count;
    const double *readings; // of a run
    int reading_count;
    view_model model; // written under the lock
    SDL_Thread *thread;
    SDL_mutex *lock, *files;
    SDL_cond *wake;
    // under the lock
    bool quit;
    view_order orders[ORDERS];
    int order_first, order_count;
    view_frame ready;
    bool fresh;
    view_simulation_state state;
    view_sample samples[SAMPLES];
    int64_t sample_count; // ever taken
    view_sensors sensors;
    // of the thread
    view_frame back;
    view_frame *history; // [FRAMES_MAX] ring
    int64_t history_end; // frames ever kept
    int history_count, shown_back;
    int steps_asked;
    bool paused, failed, loop;
    bool beyond;                          // the end time was reached, which is said once
    double speed, wall_start, time_start; // pace: time_start was shown at wall_start
    double published, looked;             // s, wall clock
    double factor_wall, factor_time;      // start of the measured stretch
    double friction_scale, time_step_start;
    double *frictions; // [material_count^2] as the scene gave them
    bool pulling;
    view_order pull;
    view_drives drives;
    // of the window
    view_frame front;
};

// ---------------------------------------------------------------- messages

static void CAIRN_PRINTF(2, 3) say(view_simulation *s, const char *format, ...)
{
    va_list arguments;
    SDL_LockMutex(s->lock);
    va_start(arguments, format);
    vsnprintf(s->state.message, sizeof s->state.message, format, arguments);
    va_end(arguments);
    s->state.message_number++;
    SDL_UnlockMutex(s->lock);
}

// ---------------------------------------------------------------- frames

static view_frame *kept_frame(view_simulation *s, int back)
{
    return &s->history[(s->history_end - 1 - back) % FRAMES_MAX];
}

static double kept_time(view_simulation *s, int back)
{
    if (s->replay != NULL)
        return cairn_replay_get_times(s->replay)[s->history_count - 1 - back];
    return kept_frame(s, back)->time;
}

static double shown_time(view_simulation *s)
{
    return kept_time(s, s->shown_back);
}

/// A copy of the shown frame.
static bool copy_shown(view_simulation *s, view_frame *to)
{
    cairn_error error = {0};
    if (s->replay == NULL)
        return view_frame_copy(to, kept_frame(s, s->shown_back)) == CAIRN_OK;
    SDL_LockMutex(s->files);
    cairn_status status =
        view_replay_take(to, &s->model, s->replay, s->history_count - 1 - s->shown_back, &error);
    SDL_UnlockMutex(s->files);
    if (status == CAIRN_OK)
        return true;
    s->paused = true;
    say(s, "%.480s", error.message);
    return false;
}

/// Drops the oldest frames until the rest fits.
static void trim_history(view_simulation *s)
{
    size_t each = view_frame_bytes(kept_frame(s, 0));
    int fit = (int)fmin((double)FRAMES_MAX, fmax(2.0, (double)history_bytes / (double)each));
    while (s->history_count > fit)
        view_frame_finish(kept_frame(s, --s->history_count));
}

static cairn_status keep_frame(view_simulation *s)
{
    view_frame *slot = &s->history[s->history_end % FRAMES_MAX];
    if (slot->allocator.reallocate == NULL)
        *slot = view_frame_begin(&s->allocator);
    int64_t kept = s->history_count > 0 ? kept_frame(s, s->history_count - 1)->step : 0;
    SDL_LockMutex(s->lock);
    cairn_status status = view_model_update(&s->model, s->scene->world, kept);
    SDL_UnlockMutex(s->lock);
    if (status == CAIRN_OK)
        status = view_frame_take(slot, &s->model, s->scene->world);
    if (status != CAIRN_OK)
        return status;
    s->history_end++;
    s->history_count = s->history_count < FRAMES_MAX ? s->history_count + 1 : FRAMES_MAX;
    trim_history(s);
    return CAIRN_OK;
}

static void fill_state(view_simulation *s)
{
    const cairn_world *world = s->scene->world;
    const cairn_world_def *def = cairn_world_get_def(world);
    view_simulation_state *state = &s->state;
    state->paused = s->paused;
    state->speed = s->speed;
    state->kept = s->history_count;
    state->back = s->shown_back;
    state->oldest = kept_time(s, s->history_count - 1);
    state->latest = kept_time(s, 0);
    state->failed = s->failed;
    state->replay = s->replay != NULL;
    state->tolerance = def->tolerance;
    state->time_step = def->time_step;
    state->time_step_start = s->time_step_start;
    state->friction_scale = s->friction_scale;
    memcpy(state->gravity, def->gravity, sizeof state->gravity);
    view_drives_read(&s->drives, world);
    state->drives = s->drives;
    snprintf(state->solver, sizeof state->solver, "%s", cairn_world_get_solver(world));
}

/// Hands the shown frame and the state over.
static void publish(view_simulation *s)
{
    s->published = base_timer_seconds();
    bool copied = copy_shown(s, &s->back);
    SDL_LockMutex(s->lock);
    if (copied) {
        view_frame old = s->ready;
        s->ready = s->back;
        s->back = old;
        s->fresh = true;
    }
    fill_state(s);
    SDL_UnlockMutex(s->lock);
}

static void take_sample(view_simulation *s)
{
    const view_frame *frame = kept_frame(s, 0);
    const cairn_energy *energy = &frame->energy;
    view_sample sample = {
        .time = frame->time,
        .kinetic = energy->kinetic,
        .potential = energy->potential,
        .elastic = energy->elastic,
        .dissipated = energy->impact + energy->friction + energy->damping + energy->plastic,
        .residual = energy->residual,
        .error = frame->report.error,
        .iterations = frame->report.iterations,
        .contacts = frame->report.contacts,
    };
    memcpy(sample.seconds, frame->report.seconds, sizeof sample.seconds);
    view_sensors_read(&s->sensors, s->scene);
    SDL_LockMutex(s->lock);
    view_sensors_keep(&s->sensors);
    s->samples[s->sample_count++ % SAMPLES] = sample;
    SDL_UnlockMutex(s->lock);
}

// ---------------------------------------------------------------- pulling a body

/// A damped spring from a point of the body to where the mouse is; its work is the driver's.
static void apply_pull(view_simulation *s)
{
    cairn_world *world = s->scene->world;
    cairn_body_id id = s->model.bodies[s->pull.body].id;
    cairn_body_view body;
    if (!s->pulling || cairn_body_get(world, id, &body) != CAIRN_OK)
        return;
    const double *q = body.orientation;
    pose placement = {vec3_from(body.position), {q[0], q[1], q[2], q[3]}};
    vec3 anchor = pose_apply(&placement, s->pull.point);
    vec3 arm = vec3_sub(anchor, vec3_from(body.centre));
    vec3 velocity =
        vec3_add(vec3_from(body.velocity), vec3_cross(vec3_from(body.angular_velocity), arm));
    double frequency = fmin(pull_frequency, 0.3 / cairn_world_get_def(world)->time_step);
    double stiffness = body.mass * frequency * frequency;
    vec3 pull = vec3_scale(stiffness, vec3_sub(s->pull.vector, anchor));
    pull = vec3_add_scaled(pull, -2.0 * pull_damping * body.mass * frequency, velocity);
    double force[3], torque[3];
    cairn_error error;
    vec3_store(force, pull);
    vec3_store(torque, vec3_cross(arm, pull));
    if (cairn_body_set_force(world, id, force, torque, &error) != CAIRN_OK)
        s->pulling = false;
}

static void release(view_simulation *s)
{
    const double none[3] = {0.0, 0.0, 0.0};
    cairn_error error;
    if (s->pulling && cairn_body_set_force(s->scene->world, s->model.bodies[s->pull.body].id, none,
                                           none, &error) != CAIRN_OK)
        say(s, "%s", error.message);
    s->pulling = false;
}

// ---------------------------------------------------------------- orders

static void say_result(view_simulation *s, cairn_status status, const cairn_error *error,
                       const char *done)
{
    say(s, "%s", status == CAIRN_OK ? done : error->message);
}

static void set_friction(view_simulation *s, double factor)
{
    cairn_world *world = s->scene->world;
    int count = s->model.material_count;
    for (int a = 0; a < count; a++)
        for (int b = a; b < count; b++) {
            cairn_material_id first = cairn_material_find(world, s->model.materials[a]);
            cairn_material_id second = cairn_material_find(world, s->model.materials[b]);
            cairn_value value = cairn_number(factor * s->frictions[a * count + b]);
            cairn_error error = {0};
            cairn_status status =
                cairn_pair_set_value(world, first, second, "friction", value, &error);
            if (status != CAIRN_OK) {
                say(s, "%s", error.message);
                return;
            }
        }
    s->friction_scale = factor;
    view_model_read_friction(&s->model, world);
    say(s, "friction is %.3g times that of the scene", factor);
}

/// Settings that the world takes as they are, and says so.
static void set_value(view_simulation *s, const view_order *order)
{
    cairn_world *world = s->scene->world;
    cairn_error error = {0};
    cairn_status status = CAIRN_OK;
    char done[160];
    double value = order->number, gravity[3];
    if (order->kind == VIEW_ORDER_TOLERANCE) {
        status = cairn_world_set_tolerance(world, value, &error);
        snprintf(done, sizeof done, "the tolerance is %.3g", value);
    } else if (order->kind == VIEW_ORDER_TIME_STEP) {
        status = cairn_world_set_time_step(world, value, &error);
        snprintf(done, sizeof done, "the time step is %.4g s", value);
    } else if (order->kind == VIEW_ORDER_GRAVITY) {
        vec3_store(gravity, order->vector);
        status = cairn_world_set_gravity(world, gravity, &error);
        snprintf(done, sizeof done, "gravity is %.3g %.3g %.3g m/s2", gravity[0], gravity[1],
                 gravity[2]);
    } else if (order->kind == VIEW_ORDER_SOLVER) {
        status = cairn_world_set_solver(world, order->text, &error);
        snprintf(done, sizeof done, "the solver is %.60s", order->text);
    } else {
        const view_drive *drive = &s->drives.items[order->body];
        status = view_drives_set(&s->drives, world, order->body, value, &error);
        snprintf(done, sizeof done, "%s is %.4g %s", drive->name, value, drive->unit);
    }
    say_result(s, status, &error, done);
}

static void write_problem(view_simulation *s, const char *path)
{
    cairn_error error = {0};
    char done[VIEW_TEXT_MAX];
    SDL_LockMutex(s->files);
    cairn_status status =
        cairn_world_write_fclib(s->scene->world, path, CAIRN_FCLIB_LOCAL, s->scene->name,
                                "written from the viewer", &error);
    SDL_UnlockMutex(s->files);
    snprintf(done, sizeof done, "wrote %.480s", path);
    say_result(s, status, &error, done);
}

/// What a body touched before it was moved acts no more: the next step finds what it touches now.
static void drop_contacts(view_frame *frame, int body)
{
    int kept = 0;
    for (int i = 0; i < frame->contact_count; i++)
        if (frame->contacts[i].a != body && frame->contacts[i].b != body)
            frame->contacts[kept++] = frame->contacts[i];
    frame->contact_count = kept;
}

/// Bodies are elsewhere from the next step on. What is shown is the latest frame.
static void show_moved(view_simulation *s, cairn_status status, const cairn_error *error,
                       const bool *moved)
{
    s->shown_back = 0;
    if (status == CAIRN_OK)
        status = view_frame_take(kept_frame(s, 0), &s->model, s->scene->world);
    for (int i = 0; i < s->model.body_count && status == CAIRN_OK; i++)
        if (moved[i])
            drop_contacts(kept_frame(s, 0), i);
    if (status != CAIRN_OK)
        say(s, "%.480s", error->message[0] != '\0' ? error->message : cairn_status_text(status));
    publish(s);
}

/// A body where the mouse puts it, whose velocity stays, or a joint with all that hangs on it.
static void move_bodies(view_simulation *s, const view_order *order)
{
    cairn_error error = {0};
    const base_allocator *allocator = &s->model.allocator;
    size_t count = (size_t)s->model.body_count;
    bool *moved = base_allocate(allocator, count + 1, sizeof *moved);
    cairn_status status = moved != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        memset(moved, 0, (count + 1) * sizeof *moved);
    if (status == CAIRN_OK && order->kind == VIEW_ORDER_JOINT) {
        status =
            view_joint_set(s->scene->world, &s->model, order->body, order->number, moved, &error);
    } else if (status == CAIRN_OK) {
        double position[3];
        vec3_store(position, order->vector);
        const quat q = order->orientation;
        moved[order->body] = true;
        status = cairn_body_set_pose(s->scene->world, s->model.bodies[order->body].id, position,
                                     (double[4]){q.w, q.x, q.y, q.z}, &error);
    }
    show_moved(s, status, &error, moved);
    base_release(allocator, moved);
}

/// The pace starts anew from what is shown.
static void restart_pace(view_simulation *s)
{
    s->wall_start = s->factor_wall = base_timer_seconds();
    s->time_start = s->factor_time = shown_time(s);
}

static void seek(view_simulation *s, double back)
{
    s->paused = true;
    s->shown_back = (int)fmin(fmax(back, 0.0), (double)(s->history_count - 1));
    publish(s);
}

static void ask_steps(view_simulation *s, double number)
{
    s->paused = true;
    if (number < 0.0) {
        s->steps_asked = 0;
        seek(s, s->shown_back - number);
    } else {
        s->steps_asked += (int)number;
    }
}

static void set_pause(view_simulation *s, bool pause)
{
    s->paused = pause;
    // a run that was played to its end begins anew
    if (!pause && s->replay != NULL && s->shown_back == 0)
        s->shown_back = s->history_count - 1;
    publish(s);
    restart_pace(s);
}

static void obey(view_simulation *s, const view_order *order)
{
    if (s->replay != NULL && order->kind >= VIEW_ORDER_SOLVER) {
        say(s, "this is a run that was made: it can be looked at, not changed");
        return;
    }
    switch (order->kind) {
    case VIEW_ORDER_PAUSE:
        set_pause(s, order->number > 0.0);
        break;
    case VIEW_ORDER_STEP:
        ask_steps(s, order->number);
        break;
    case VIEW_ORDER_SEEK:
        seek(s, order->number);
        break;
    case VIEW_ORDER_SPEED:
        s->speed = order->number;
        restart_pace(s);
        break;
    case VIEW_ORDER_LOOP:
        s->loop = order->number > 0.0;
        break;
    case VIEW_ORDER_SOLVER:
    case VIEW_ORDER_TIME_STEP:
    case VIEW_ORDER_TOLERANCE:
    case VIEW_ORDER_GRAVITY:
        set_value(s, order);
        break;
    case VIEW_ORDER_FRICTION:
        set_friction(s, order->number);
        break;
    case VIEW_ORDER_DRIVE:
        if (order->body >= 0 && order->body < s->drives.count)
            set_value(s, order);
        break;
    case VIEW_ORDER_PULL:
        s->pull = *order;
        s->pulling = true;
        break;
    case VIEW_ORDER_RELEASE:
        release(s);
        break;
    case VIEW_ORDER_PLACE:
    case VIEW_ORDER_JOINT:
        if (order->kind == VIEW_ORDER_PLACE ||
            (order->body >= 0 && order->body < s->model.joint_count))
            move_bodies(s, order);
        break;
    case VIEW_ORDER_PROBLEM:
        write_problem(s, order->text);
        break;
    }
    SDL_LockMutex(s->lock);
    fill_state(s);
    SDL_UnlockMutex(s->lock);
}

static bool take_order(view_simulation *s, view_order *order)
{
    SDL_LockMutex(s->lock);
    bool found = s->order_count > 0;
    if (found) {
        *order = s->orders[s->order_first];
        s->order_first = (s->order_first + 1) % ORDERS;
        s->order_count--;
    }
    SDL_UnlockMutex(s->lock);
    return found;
}

// ---------------------------------------------------------------- stepping

static void measure_factor(view_simulation *s)
{
    double now = base_timer_seconds(), shown = shown_time(s);
    if (now - s->factor_wall < 0.5)
        return;
    SDL_LockMutex(s->lock);
    s->state.factor = (shown - s->factor_time) / (now - s->factor_wall);
    SDL_UnlockMutex(s->lock);
    s->factor_wall = now;
    s->factor_time = shown;
}

/// A scene stops once at its end time; who goes on then wants more of it.
static void stop_at_end(view_simulation *s)
{
    double step = cairn_world_get_def(s->scene->world)->time_step, end = s->scene->end_time;
    if (s->beyond || cairn_world_get_time(s->scene->world) < end - 0.5 * step)
        return;
    s->beyond = s->paused = true;
    say(s, "the end time of the scene, %g s, is reached: Space goes on", end);
}

static void step_world(view_simulation *s)
{
    cairn_error error = {0};
    apply_pull(s);
    cairn_status status = cairn_world_step(s->scene->world, &error);
    if (status == CAIRN_OK) {
        status = keep_frame(s);
        snprintf(error.message, sizeof error.message, "%s", cairn_status_text(status));
    }
    if (status != CAIRN_OK) {
        s->failed = s->paused = true;
        say(s, "%.480s", error.message);
        return;
    }
    take_sample(s);
    stop_at_end(s);
}

/// At the end of a run: frames that were added since.
static void look_for_frames(view_simulation *s)
{
    cairn_error error = {0};
    int64_t before = cairn_replay_get_frame_count(s->replay);
    SDL_LockMutex(s->files);
    cairn_status status = cairn_replay_refresh(s->replay, &error);
    if (status == CAIRN_OK) {
        SDL_LockMutex(s->lock);
        status = view_model_add_recorded(&s->model, s->replay);
        SDL_UnlockMutex(s->lock);
    }
    SDL_UnlockMutex(s->files);
    s->looked = base_timer_seconds();
    int64_t more = cairn_replay_get_frame_count(s->replay) - before;
    if (status == CAIRN_OK && more >= 0) {
        s->history_count += (int)more;
        s->shown_back += (int)more;
        if (more == 0 && s->loop && !s->paused)
            s->shown_back = s->history_count - 1;
        if (more > 0 || s->loop)
            restart_pace(s);
        return;
    }
    s->failed = s->paused = true;
    // what can be shown no longer reaches behind what is there
    s->history_count = (int)fmax(1.0, (double)cairn_replay_get_frame_count(s->replay));
    say(s, "%.480s", status != CAIRN_OK ? error.message : "the run was started anew");
}

/// Shows the next frame: a kept one, or that of a new step.
static void advance(view_simulation *s)
{
    if (s->shown_back > 0)
        s->shown_back--;
    else if (s->replay != NULL && !s->failed)
        look_for_frames(s);
    else if (!s->failed)
        step_world(s);
    if (s->steps_asked > 0)
        s->steps_asked--;
    // a window that draws sixty times a second does not need every step of a fast scene
    if (s->paused || base_timer_seconds() - s->published > 0.008)
        publish(s);
    measure_factor(s);
}

/// Seconds until the next frame is due; 0 for now, a long time for never.
static double time_to_wait(view_simulation *s)
{
    if (s->steps_asked > 0)
        return 0.0;
    if (s->paused || (s->failed && s->shown_back == 0))
        return 3600.0;
    if (s->replay != NULL && s->shown_back == 0)
        return fmax(s->looked + look_again - base_timer_seconds(), 0.0);
    double shown = shown_time(s);
    double late = base_timer_seconds() - s->wall_start - (shown - s->time_start) / s->speed;
    if (late > patience) {
        // too slow for the asked speed: what was lost is not made up for
        s->wall_start += late - patience;
    }
    return fmax(-late, 0.0);
}

static int run(void *context)
{
    view_simulation *s = context;
    bool quit = false;
    restart_pace(s);
    while (!quit) {
        view_order order;
        while (take_order(s, &order))
            obey(s, &order);
        double wait = time_to_wait(s);
        if (wait <= 0.0)
            advance(s);
        SDL_LockMutex(s->lock);
        if (wait > 0.0 && !s->quit && s->order_count == 0)
            SDL_CondWaitTimeout(s->wake, s->lock, (Uint32)fmin(fmax(1e3 * wait, 1.0), 1000.0));
        quit = s->quit;
        SDL_UnlockMutex(s->lock);
    }
    return 0;
}

// ---------------------------------------------------------------- start and stop

static cairn_status prepare(view_simulation *s)
{
    size_t pairs = (size_t)s->model.material_count * (size_t)s->model.material_count;
    s->back = view_frame_begin(&s->allocator);
    s->ready = view_frame_begin(&s->allocator);
    s->front = view_frame_begin(&s->allocator);
    s->history = base_allocate(&s->allocator, FRAMES_MAX, sizeof *s->history);
    s->frictions = base_allocate(&s->allocator, pairs + 1, sizeof *s->frictions);
    s->lock = SDL_CreateMutex();
    s->files = SDL_CreateMutex();
    s->wake = SDL_CreateCond();
    if (s->history == NULL || s->frictions == NULL || s->lock == NULL || s->files == NULL ||
        s->wake == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(s->frictions, s->model.frictions, pairs * sizeof *s->frictions);
    cairn_status status = CAIRN_OK;
    if (s->replay == NULL)
        status = keep_frame(s);
    if (status == CAIRN_OK)
        status = view_sensors_begin(&s->sensors, s->scene, s->replay == NULL ? SAMPLES : 1);
    if (status != CAIRN_OK)
        return status;
    if (!copy_shown(s, &s->front))
        return s->replay != NULL ? CAIRN_ERROR_FORMAT : CAIRN_ERROR_MEMORY;
    publish(s);
    s->thread = SDL_CreateThread(run, "simulation", s);
    return s->thread != NULL ? CAIRN_OK : CAIRN_ERROR_UNSUPPORTED;
}

/// All frames of a run are at hand, and the first is shown.
static void take_replay(view_simulation *s, const view_subject *subject)
{
    s->replay = subject->replay;
    s->energies = subject->energies;
    s->energy_count = subject->energy_count;
    s->readings = subject->readings;
    s->reading_count = subject->reading_count;
    s->history_count = (int)cairn_replay_get_frame_count(s->replay);
    s->shown_back = s->history_count - 1;
}

cairn_status view_simulation_start(view_simulation **simulation, const view_subject *subject,
                                   bool paused, cairn_error *error)
{
    *simulation = NULL;
    if (subject->replay != NULL && cairn_replay_get_frame_count(subject->replay) == 0)
        return base_fail(error, CAIRN_ERROR_FORMAT, "the run has no frame yet");
    view_simulation *s = base_allocate(&subject->scene->allocator, 1, sizeof *s);
    if (s == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    s->allocator = subject->scene->allocator;
    s->scene = subject->scene;
    s->paused = paused;
    s->speed = s->friction_scale = 1.0;
    s->time_step_start = cairn_world_get_def(s->scene->world)->time_step;
    if (subject->replay != NULL)
        take_replay(s, subject);
    else
        s->drives = view_drives_find(s->scene->world);
    cairn_status status = view_model_build(&s->model, &s->allocator, s->scene->world, error);
    if (status != CAIRN_OK) {
        view_simulation_stop(s);
        return status;
    }
    if (s->replay != NULL)
        status = view_model_add_recorded(&s->model, s->replay);
    if (status == CAIRN_OK)
        status = view_looks_mark(s->scene, &s->model);
    if (status == CAIRN_OK)
        status = prepare(s);
    if (status == CAIRN_OK) {
        *simulation = s;
        return CAIRN_OK;
    }
    status = base_fail(error, status, "%s",
                       s->state.message_number > 0 ? s->state.message : cairn_status_text(status));
    view_simulation_stop(s);
    return status;
}

void view_simulation_stop(view_simulation *s)
{
    if (s == NULL)
        return;
    if (s->thread != NULL) {
        SDL_LockMutex(s->lock);
        s->quit = true;
        SDL_CondSignal(s->wake);
        SDL_UnlockMutex(s->lock);
        SDL_WaitThread(s->thread, NULL);
    }
    for (int i = 0; s->history != NULL && i < FRAMES_MAX; i++)
        view_frame_finish(&s->history[i]);
    view_frame_finish(&s->back);
    view_frame_finish(&s->ready);
    view_frame_finish(&s->front);
    SDL_DestroyCond(s->wake);
    SDL_DestroyMutex(s->lock);
    SDL_DestroyMutex(s->files);
    base_allocator allocator = s->allocator;
    view_model_finish(&s->model);
    view_sensors_finish(&s->sensors);
    base_release(&allocator, s->history);
    base_release(&allocator, s->frictions);
    base_release(&allocator, s);
}

// ---------------------------------------------------------------- the window's side

void view_simulation_hold_files(view_simulation *s, bool hold)
{
    if (hold)
        SDL_LockMutex(s->files);
    else
        SDL_UnlockMutex(s->files);
}

void view_simulation_post(view_simulation *s, const view_order *order)
{
    SDL_LockMutex(s->lock);
    if (s->order_count < ORDERS)
        s->orders[(s->order_first + s->order_count++) % ORDERS] = *order;
    SDL_CondSignal(s->wake);
    SDL_UnlockMutex(s->lock);
}

const view_frame *view_simulation_frame(view_simulation *s, view_model *model)
{
    SDL_LockMutex(s->lock);
    cairn_status status = view_model_follow(model, &s->model);
    if (s->fresh && status == CAIRN_OK) {
        view_frame old = s->front;
        s->front = s->ready;
        s->ready = old;
        s->fresh = false;
    }
    SDL_UnlockMutex(s->lock);
    return status == CAIRN_OK ? &s->front : NULL;
}

view_simulation_state view_simulation_get_state(view_simulation *s)
{
    SDL_LockMutex(s->lock);
    view_simulation_state state = s->state;
    SDL_UnlockMutex(s->lock);
    return state;
}

/// Rows of a run's energies up to a time, thinned out to what is asked for.
static int run_samples(const view_simulation *s, double time, view_sample *samples, int capacity)
{
    int rows = 0, count = 0;
    while (rows < s->energy_count && s->energies[rows].time <= time)
        rows++;
    int stride = (rows + capacity - 1) / capacity;
    for (int i = 0; i < rows; i += stride) {
        const view_energy_row *row = &s->energies[i + stride < rows ? i : rows - 1];
        samples[count++] = (view_sample){.time = row->time,
                                         .kinetic = row->kinetic,
                                         .potential = row->potential,
                                         .elastic = row->elastic,
                                         .dissipated = row->dissipated,
                                         .residual = row->residual,
                                         .error = NAN};
    }
    return count;
}

const char *view_simulation_unit(const view_simulation *s, int sensor)
{
    return s->sensors.units[sensor];
}

int view_simulation_readings(view_simulation *s, int sensor, double *rows, int capacity)
{
    const scn_scene *scene = s->scene;
    int first = 1 + view_sensors_first_column(scene, sensor),
        columns = scene->sensors[sensor].columns;
    int width = 1 + view_sensors_first_column(scene, scene->sensor_count), count = 0;
    SDL_LockMutex(s->lock);
    int64_t end = s->sensors.count, kept = end < SAMPLES ? end : SAMPLES;
    if (s->replay != NULL) {
        for (end = 0; end < s->reading_count && s->readings[end * width] <= s->front.time;)
            end++;
        kept = end;
    }
    int64_t stride = (kept + capacity - 1) / capacity;
    for (int64_t i = end - kept; i < end; i += stride) {
        const double *row =
            s->replay != NULL ? s->readings + i * width : s->sensors.rows + i % SAMPLES * width;
        double *to = rows + (ptrdiff_t)count++ * (1 + columns);
        to[0] = row[0];
        memcpy(to + 1, row + first, (size_t)columns * sizeof *to);
    }
    SDL_UnlockMutex(s->lock);
    return count;
}

int view_simulation_samples(view_simulation *s, view_sample *samples, int capacity)
{
    if (s->replay != NULL)
        return run_samples(s, s->front.time, samples, capacity);
    SDL_LockMutex(s->lock);
    int64_t kept = s->sample_count < SAMPLES ? s->sample_count : SAMPLES;
    int count = (int)(kept < capacity ? kept : capacity);
    for (int i = 0; i < count; i++)
        samples[i] = s->samples[(s->sample_count - count + i) % SAMPLES];
    SDL_UnlockMutex(s->lock);
    return count;
}
