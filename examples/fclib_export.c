// SPDX-License-Identifier: Apache-2.0
// The frictional contact problem of a step is written as an FCLIB file, read again and solved as
// `cairn solve` does.
//
//     cc fclib_export.c $(pkg-config --cflags --libs cairn) && ./a.out problem.hdf5
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>

static void must(cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static const char stack[] = "ground{}\n"
                            "for i = 0, 4 do\n"
                            "  body{ shape = box{ size = { 0.2, 0.2, 0.1 } }, position = { 0.02 * "
                            "i, 0, 0.05 + 0.1 * i } }\n"
                            "end\n";

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "problem.hdf5";
    cairn_error error;
    cairn_scene *scene;
    cairn_world *world;
    cairn_scene_def def = cairn_default_scene_def();
    must(cairn_scene_open("stack", &def, &scene, &error), &error);
    must(cairn_scene_add(scene, stack, &error), &error);
    must(cairn_scene_get_world(scene, &world, &error), &error);
    for (int step = 0; step < 20; step++)
        must(cairn_world_step(world, &error), &error);
    must(cairn_world_write_fclib(world, path, CAIRN_FCLIB_GLOBAL, "stack", "five boxes", &error),
         &error);

    cairn_problem *problem;
    cairn_solve_report report;
    cairn_solve_def solve = cairn_default_solve_def();
    solve.tolerance = 1e-8;
    must(cairn_problem_read(path, &problem, &error), &error);
    must(cairn_problem_solve(problem, &solve, &report, &error), &error);
    printf("contacts %d\n", cairn_problem_get_contact_count(problem));
    printf("solved again: %s, error %.1e\n", report.stop, report.error);
    cairn_problem_destroy(problem);
    cairn_scene_destroy(scene);
    return 0;
}
