// SPDX-License-Identifier: Apache-2.0
// bodies.csv: where the bodies of a run ended, and what they are.
#include "cli/run/run.h"

#include "cli/text/csv.h"

static void put_vector(const double *values, int count, FILE *out)
{
    for (int k = 0; k < count; k++)
        fprintf(out, ",%.17g", values[k]);
}

static void put_body(const cairn_world *world, int index, FILE *out)
{
    static const char *const kinds[] = {
        [CAIRN_DYNAMIC] = "dynamic", [CAIRN_FIXED] = "fixed", [CAIRN_MOVING] = "moving"};
    cairn_body_view view;
    cairn_shape_view shape = {0};
    if (cairn_body_get(world, cairn_body_at(world, index), &view) != CAIRN_OK)
        return;
    fprintf(out, "%d,", index);
    cli_csv_put(view.name, out);
    fprintf(out, ",%s", kinds[view.kind]);
    put_vector(view.position, 3, out);
    put_vector(view.orientation, 4, out);
    put_vector(view.velocity, 3, out);
    put_vector(view.angular_velocity, 3, out);
    // shapes without a radius have 0
    bool round = cairn_shape_get(world, view.shape, &shape) == CAIRN_OK;
    const double size[2] = {view.mass, round ? shape.radius : 0.0};
    put_vector(size, 2, out);
    fputc(',', out);
    cli_csv_put(cairn_material_get_name(world, view.material), out);
    fprintf(out, ",%s\n", round ? cairn_shape_kind_name(shape.kind) : "");
}

cairn_status run_bodies_write(const run_state *run, cairn_error *error)
{
    char path[PATH_MAX];
    cli_file file;
    const cairn_world *world = run->scene->world;
    BASE_TRY(cli_path_join(path, run->files.folder, "bodies.csv", error));
    BASE_TRY(cli_file_open(&file, path, error));
    fputs("body,name,kind,position x [m],position y [m],position z [m],orientation w,"
          "orientation x,orientation y,orientation z,velocity x [m/s],velocity y [m/s],"
          "velocity z [m/s],angular velocity x [rad/s],angular velocity y [rad/s],"
          "angular velocity z [rad/s],mass [kg],radius [m],material,shape\n",
          file.stream);
    for (int i = 0; i < cairn_body_count(world); i++)
        put_body(world, i, file.stream);
    return cli_file_commit(&file, error);
}
