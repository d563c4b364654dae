// SPDX-License-Identifier: Apache-2.0
// Options that cairn view and cairn render share: which scene, seen from where, showing what.
#ifndef CAIRN_CLI_OPTIONS_PICTURE_H
#define CAIRN_CLI_OPTIONS_PICTURE_H

#include "cli/text/options.h"
#include "viewer/app/view.h"

typedef struct cli_picture {
    cli_assignments parameters;
    const char *law, *solver, *local;
    double tolerance, step;         // NAN: the scene's
    int64_t threads, seed;          // 0, -1: the scene's
    const char *size;               // "WxH"
    const char *contacts, *colours; // NULL: off, id
    double azimuth, elevation;      // degrees; NAN: chosen
    double zoom;                    // NAN: 1
    bool parallel, no_ground, no_shadows;
} cli_picture;

/// Rows of an option table for the member `picture` of a command's settings.
#define CLI_PICTURE_OPTIONS(settings)                                                              \
    {.name = "set",                                                                                \
     .type = CLI_ASSIGNMENTS,                                                                      \
     .offset = offsetof(settings, picture.parameters),                                             \
     .argument = "NAME=VALUE",                                                                     \
     .help = "change a parameter of the scene; may be repeated"},                                  \
        {.name = "law",                                                                            \
         .type = CLI_PLUGIN,                                                                       \
         .offset = offsetof(settings, picture.law),                                                \
         .argument = "LAW",                                                                        \
         .help = "contact law of every pair (cairn list laws)",                                    \
         .plugin = CAIRN_LAW},                                                                     \
        {.name = "solver",                                                                         \
         .type = CLI_PLUGIN,                                                                       \
         .offset = offsetof(settings, picture.solver),                                             \
         .argument = "SOLVER",                                                                     \
         .help = "solver of the implicit law (cairn list solvers)",                                \
         .plugin = CAIRN_SOLVER},                                                                  \
        {.name = "local",                                                                          \
         .type = CLI_PLUGIN,                                                                       \
         .offset = offsetof(settings, picture.local),                                              \
         .argument = "LOCAL",                                                                      \
         .help = "one-contact solver (cairn list locals)",                                         \
         .plugin = CAIRN_LOCAL},                                                                   \
        {.name = "tolerance",                                                                      \
         .type = CLI_NUMBER,                                                                       \
         .offset = offsetof(settings, picture.tolerance),                                          \
         .argument = "X",                                                                          \
         .help = "residual that a step must reach",                                                \
         .minimum = 1e-16,                                                                         \
         .maximum = 1.0},                                                                          \
        {.name = "step",                                                                           \
         .type = CLI_NUMBER,                                                                       \
         .offset = offsetof(settings, picture.step),                                               \
         .argument = "H",                                                                          \
         .help = "time step, s",                                                                   \
         .minimum = 1e-12,                                                                         \
         .maximum = 10.0},                                                                         \
        {.name = "threads",                                                                        \
         .letter = 'j',                                                                            \
         .type = CLI_INTEGER,                                                                      \
         .offset = offsetof(settings, picture.threads),                                            \
         .argument = "N",                                                                          \
         .help = "number of threads; results do not depend on it",                                 \
         .minimum = 1,                                                                             \
         .maximum = 256},                                                                          \
        {.name = "seed",                                                                           \
         .type = CLI_INTEGER,                                                                      \
         .offset = offsetof(settings, picture.seed),                                               \
         .argument = "N",                                                                          \
         .help = "seed of the scene's random numbers",                                             \
         .maximum = INT_MAX},                                                                      \
        {.name = "size",                                                                           \
         .type = CLI_TEXT,                                                                         \
         .offset = offsetof(settings, picture.size),                                               \
         .argument = "WxH",                                                                        \
         .help = "width and height in pixels (default 1280x720)"},                                 \
        {.name = "contacts",                                                                       \
         .type = CLI_CHOICE,                                                                       \
         .offset = offsetof(settings, picture.contacts),                                           \
         .argument = "off|points|normals|forces|status|cones",                                     \
         .help = "how contacts are shown (default off)",                                           \
         .words = view_contacts_names},                                                            \
        {.name = "colours",                                                                        \
         .type = CLI_CHOICE,                                                                       \
         .offset = offsetof(settings, picture.colours),                                            \
         .argument = "id|material|speed|force|island",                                             \
         .help = "what the colour of a body tells (default id)",                                   \
         .words = view_colours_names},                                                             \
        {.name = "azimuth",                                                                        \
         .type = CLI_NUMBER,                                                                       \
         .offset = offsetof(settings, picture.azimuth),                                            \
         .argument = "DEGREES",                                                                    \
         .help = "where the eye is: about z, from x",                                              \
         .minimum = -360.0,                                                                        \
         .maximum = 360.0},                                                                        \
        {.name = "elevation",                                                                      \
         .type = CLI_NUMBER,                                                                       \
         .offset = offsetof(settings, picture.elevation),                                          \
         .argument = "DEGREES",                                                                    \
         .help = "where the eye is: above the horizon",                                            \
         .minimum = -89.0,                                                                         \
         .maximum = 89.0},                                                                         \
        {.name = "zoom",                                                                           \
         .type = CLI_NUMBER,                                                                       \
         .offset = offsetof(settings, picture.zoom),                                               \
         .argument = "X",                                                                          \
         .help = "nearer by this factor than all bodies need",                                     \
         .minimum = 0.01,                                                                          \
         .maximum = 1000.0},                                                                       \
        {.name = "parallel",                                                                       \
         .type = CLI_FLAG,                                                                         \
         .offset = offsetof(settings, picture.parallel),                                           \
         .help = "no perspective"},                                                                \
        {.name = "no-ground",                                                                      \
         .type = CLI_FLAG,                                                                         \
         .offset = offsetof(settings, picture.no_ground),                                          \
         .help = "no grid and no floor"},                                                          \
    {                                                                                              \
        .name = "no-shadows", .type = CLI_FLAG, .offset = offsetof(settings, picture.no_shadows),  \
        .help = "no shadows"                                                                       \
    }

void cli_picture_defaults(cli_picture *picture);

scn_options cli_picture_load_options(const cli_picture *picture);

/// Style and place that the options ask for.
view_style cli_picture_style(const cli_picture *picture);
view_place cli_picture_place(const cli_picture *picture);

/// Size in pixels; complains about what is no size. @return false for none
bool cli_picture_size(const cli_picture *picture, int *width, int *height);

/// Complains about a build without the viewer. @return CLI_EXIT_DONE for one that has it
int cli_picture_check(void);

/// Exit status of a call of the viewer.
int cli_picture_exit(cairn_status status);

#endif
