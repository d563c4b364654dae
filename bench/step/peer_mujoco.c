// SPDX-License-Identifier: Apache-2.0
// Steps a neutral scene with MuJoCo: a given solver and cone, at most 100 iterations.
#include "bench/step/neutral.h"

#include <mujoco/mujoco.h>

#include <string.h>

static void write_plane(FILE *file, const neutral_scene *s, double x, double y, double nx,
                        double ny)
{
    fprintf(file,
            "<geom type='plane' size='0 0 1' pos='%g %g 0' zaxis='%g %g %d' "
            "friction='%g .005 .0001'/>\n",
            x, y, nx, ny, nx == 0.0 && ny == 0.0, s->friction);
}

static void write_body(FILE *file, const neutral_body *b)
{
    const double *p = b->position, *q = b->orientation, *h = b->size;
    fprintf(file, "<body pos='%.15g %.15g %.15g' quat='%.15g %.15g %.15g %.15g'><freejoint/>", p[0],
            p[1], p[2], q[0], q[1], q[2], q[3]);
    if (b->kind == NEUTRAL_BOX)
        fprintf(file, "<geom type='box' size='%g %g %g'/></body>\n", h[0], h[1], h[2]);
    else
        fprintf(file, "<geom type='capsule' size='%g %g'/></body>\n", h[0], h[1]);
}

static void write_model(const char *path, const neutral_scene *s, const char *solver,
                        const char *cone)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        neutral_quit("cannot be written", path);
    fprintf(file,
            "<mujoco><size njmax='%d' nconmax='%d' nstack='%ld'/>"
            "<option timestep='0.005' gravity='0 0 %g' solver='%s' cone='%s' iterations='100' "
            "tolerance='1e-8' jacobian='sparse'/>"
            "<default><geom density='%d' friction='%g .005 .0001' solref='0.01 1' "
            "condim='3'/></default><worldbody>\n",
            80 * s->count + 2000, 20 * s->count + 500, 120000L * s->count + 20000000L,
            -neutral_gravity(), solver, cone, NEUTRAL_DENSITY, s->friction);
    write_plane(file, s, 0, 0, 0, 0);
    for (int side = -1; s->walls && side <= 1; side += 2) {
        write_plane(file, s, -side * s->half_width, 0, side, 0);
        write_plane(file, s, 0, -side * s->half_width, 0, side);
    }
    for (int i = 0; i < s->count; i++)
        write_body(file, &s->bodies[i]);
    fprintf(file, "</worldbody></mujoco>\n");
    fclose(file);
}

int main(int count, char **arguments)
{
    if (count != 6) {
        fprintf(stderr, "usage: peer_mujoco SCENE STEPS FINAL Newton|CG elliptic|pyramidal\n");
        return 2;
    }
    neutral_scene s = neutral_read(arguments[1]);
    int steps = atoi(arguments[2]);
    char path[4096], problem[1000] = "", name[64];
    snprintf(path, sizeof path, "%s.xml", arguments[3]);
    write_model(path, &s, arguments[4], arguments[5]);
    mjModel *model = mj_loadXML(path, NULL, problem, sizeof problem);
    if (model == NULL)
        neutral_quit(problem, path);
    mjData *data = mj_makeData(model);
    double cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = neutral_seconds(CLOCK_MONOTONIC);
    for (int k = 0; k < steps; k++)
        mj_step(model, data);
    cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = neutral_seconds(CLOCK_MONOTONIC) - wall;
    snprintf(name, sizeof name, "mujoco-%s-%s", arguments[4], arguments[5]);
    neutral_report(name, &s, steps, cpu, wall);
    printf("\n");
    for (int i = 0; i < s.count; i++) {
        memcpy(s.bodies[i].position, data->qpos + 7 * i, 3 * sizeof(double));
        memcpy(s.bodies[i].orientation, data->qpos + 7 * i + 3, 4 * sizeof(double));
    }
    neutral_write(arguments[3], &s);
    mj_deleteData(data);
    mj_deleteModel(model);
    free(s.bodies);
    return 0;
}
