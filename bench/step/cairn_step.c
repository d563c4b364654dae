// SPDX-License-Identifier: Apache-2.0
// Steps a neutral scene with this engine: steps a CPU second, phases, iterations, certified error.
#include "bench/step/neutral.h"

#include <cairn/cairn.h>

#include <string.h>

typedef struct options {
    const char *scene, *final;
    int steps, threads;
    double tolerance;
    const char *solver; // NULL or "-": the default
    const char *log;    // CSV of every step; NULL for none
} options;

typedef struct totals {
    double cpu, wall;
    double tail_cpu; // of the last fifth of the steps
    double seconds[CAIRN_PHASE_COUNT];
    long iterations, contacts;
    int unsolved, contacts_most;
    double error;
} totals;

static void stop_on(cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static void set_pair(cairn_world *world, double friction)
{
    cairn_material_id any = {0};
    cairn_error error;
    stop_on(cairn_pair_set_law(world, any, any, "signorini_coulomb", &error), &error);
    stop_on(cairn_pair_set_value(world, any, any, "friction", cairn_number(friction), &error),
            &error);
}

static void add_plane(cairn_world *world, cairn_shape_id shape, const double position[3],
                      const double orientation[4])
{
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id id;
    cairn_error error;
    def.kind = CAIRN_FIXED;
    def.shape = shape;
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.orientation, orientation, sizeof def.orientation);
    stop_on(cairn_body_create(world, &def, &id, &error), &error);
}

static void add_planes(cairn_world *world, const neutral_scene *s)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_id shape;
    cairn_error error;
    stop_on(cairn_shape_create(world, &def, &shape, &error), &error);
    const double half = sqrt(0.5), w = s->half_width;
    add_plane(world, shape, (const double[3]){0.0}, (const double[4]){1.0});
    if (!s->walls)
        return;
    add_plane(world, shape, (const double[3]){-w, 0, 0}, (const double[4]){half, 0, half, 0});
    add_plane(world, shape, (const double[3]){w, 0, 0}, (const double[4]){half, 0, -half, 0});
    add_plane(world, shape, (const double[3]){0, -w, 0}, (const double[4]){half, -half, 0, 0});
    add_plane(world, shape, (const double[3]){0, w, 0}, (const double[4]){half, half, 0, 0});
}

// bodies of one size share the shape
static cairn_shape_id shape_for(cairn_world *world, const neutral_scene *s, int i,
                                cairn_shape_id last)
{
    const neutral_body *b = &s->bodies[i];
    if (i > 0 && b->kind == b[-1].kind && memcmp(b->size, b[-1].size, sizeof b->size) == 0)
        return last;
    cairn_shape_def def =
        cairn_default_shape_def(b->kind == NEUTRAL_BOX ? CAIRN_BOX : CAIRN_CAPSULE);
    cairn_error error;
    def.radius = b->size[0];
    def.half_length = b->size[1];
    memcpy(def.half_size, b->size, sizeof def.half_size);
    stop_on(cairn_shape_create(world, &def, &last, &error), &error);
    return last;
}

static void add_bodies(cairn_world *world, const neutral_scene *s)
{
    cairn_shape_id shape = {0};
    for (int i = 0; i < s->count; i++) {
        const neutral_body *b = &s->bodies[i];
        cairn_body_def def = cairn_default_body_def();
        cairn_body_id id;
        cairn_error error;
        shape = shape_for(world, s, i, shape);
        def.shape = shape;
        def.density = NEUTRAL_DENSITY;
        memcpy(def.position, b->position, sizeof def.position);
        memcpy(def.orientation, b->orientation, sizeof def.orientation);
        stop_on(cairn_body_create(world, &def, &id, &error), &error);
    }
}

static cairn_world *build(const neutral_scene *s, const options *o)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    cairn_error error;
    def.gravity[2] = -neutral_gravity();
    def.time_step = 1.0 / 200.0;
    def.tolerance = o->tolerance;
    def.threads = o->threads;
    stop_on(cairn_world_create(&def, &world, &error), &error);
    if (o->solver != NULL)
        stop_on(cairn_world_set_solver(world, o->solver, &error), &error);
    set_pair(world, s->friction);
    add_planes(world, s);
    add_bodies(world, s);
    return world;
}

static void book(totals *t, const cairn_step_report *report)
{
    for (int k = 0; k < CAIRN_PHASE_COUNT; k++)
        t->seconds[k] += report->seconds[k];
    t->iterations += report->iterations;
    t->contacts += report->contacts;
    t->contacts_most = report->contacts > t->contacts_most ? report->contacts : t->contacts_most;
    t->error = fmax(t->error, report->error);
    t->unsolved += report->contacts > 0 && strcmp(report->stop, "solved") != 0;
}

static void log_step(FILE *log, int step, const cairn_step_report *report)
{
    if (log != NULL)
        fprintf(log, "%d,%d,%d,%d,%s,%.3g,%.3g,%.1f\n", step, report->contacts, report->active,
                report->iterations, report->stop, report->error, report->penetration,
                1e6 * report->seconds[CAIRN_PHASE_SOLVER]);
}

static FILE *open_log(const options *o)
{
    FILE *log = o->log != NULL ? fopen(o->log, "w") : NULL;
    if (o->log != NULL && log == NULL)
        neutral_quit("cannot be written", o->log);
    if (log != NULL)
        fprintf(log, "step,contacts,active,iterations,stop,error,penetration,us_solver\n");
    return log;
}

static totals run(cairn_world *world, const options *o)
{
    FILE *log = open_log(o);
    int steps = o->steps;
    totals t = {0};
    double cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID), tail = cpu;
    double wall = neutral_seconds(CLOCK_MONOTONIC);
    for (int k = 0; k < steps; k++) {
        cairn_error error;
        if (k == steps - steps / 5)
            tail = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID);
        stop_on(cairn_world_step(world, &error), &error);
        book(&t, cairn_world_get_report(world));
        log_step(log, k + 1, cairn_world_get_report(world));
    }
    double end = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID);
    t.cpu = end - cpu;
    t.tail_cpu = end - tail;
    t.wall = neutral_seconds(CLOCK_MONOTONIC) - wall;
    if (log != NULL)
        fclose(log);
    return t;
}

static void write_final(const cairn_world *world, neutral_scene *s, const char *path)
{
    int planes = s->walls ? 5 : 1;
    for (int i = 0; i < s->count; i++) {
        cairn_body_view view;
        if (cairn_body_get(world, cairn_body_at(world, planes + i), &view) != CAIRN_OK)
            neutral_quit("a body is lost", path);
        memcpy(s->bodies[i].position, view.position, sizeof view.position);
        memcpy(s->bodies[i].orientation, view.orientation, sizeof view.orientation);
    }
    neutral_write(path, s);
}

static void print(const neutral_scene *s, const options *o, const totals *t, uint64_t hash)
{
    char name[64];
    snprintf(name, sizeof name, "cairn-%s-%.0e%s", o->solver != NULL ? o->solver : "auto",
             o->tolerance, o->threads > 1 ? "-threads" : "");
    neutral_report(name, s, o->steps, t->cpu, t->wall);
    printf(" tail_rate %.4g contacts %d iterations %.4g error %.3g unsolved %d",
           o->steps >= 5 ? o->steps / 5 / t->tail_cpu : NAN, t->contacts_most,
           (double)t->iterations / o->steps, t->error, t->unsolved);
    for (int k = 0; k < CAIRN_PHASE_COUNT; k++)
        printf(" us_%s %.4g", cairn_phase_name((cairn_phase)k), 1e6 * t->seconds[k] / o->steps);
    printf(" hash %016llx\n", (unsigned long long)hash);
}

int main(int count, char **arguments)
{
    if (count < 6 || count > 8) {
        fprintf(stderr, "usage: cairn_step SCENE STEPS FINAL TOLERANCE THREADS [SOLVER [LOG]]\n");
        return 2;
    }
    options o = {.scene = arguments[1],
                 .steps = atoi(arguments[2]),
                 .final = arguments[3],
                 .tolerance = atof(arguments[4]),
                 .threads = atoi(arguments[5]),
                 .solver = count >= 7 && strcmp(arguments[6], "-") != 0 ? arguments[6] : NULL,
                 .log = count == 8 ? arguments[7] : NULL};
    neutral_scene s = neutral_read(o.scene);
    cairn_world *world = build(&s, &o);
    totals t = run(world, &o);
    print(&s, &o, &t, cairn_world_get_hash(world));
    write_final(world, &s, o.final);
    cairn_world_destroy(world);
    free(s.bodies);
    return 0;
}
