// SPDX-License-Identifier: Apache-2.0
// Options that cairn view and cairn render share: which scene, seen from where, showing what.
#ifndef CAIRN_CLI_OPTIONS_PICTURE_H
#define CAIRN_CLI_OPTIONS_PICTURE_H

#include "cli/options/shared.h"
#include "viewer/app/view.h"

typedef struct cli_picture {
    cli_scene_choice scene;
    cli_solver_choice solving;
    double step;                    // s; NAN: the scene's
    const char *size;               // "WxH"
    const char *view;               // file of a saved view; NULL: none
    const char *contacts, *colours; // NULL: off, id
    double azimuth, elevation;      // degrees; NAN: chosen
    double zoom;                    // NAN: 1
    const char *follow;             // name of a body; NULL: none
    bool parallel, no_ground, no_joints, no_shadows;
} cli_picture;

/// Rows of .groups of a subcommand, for a member of its settings.
#define CLI_PICTURE_GROUPS(settings, member)                                                       \
    CLI_SCENE_GROUP(settings, member.scene), CLI_SOLVER_GROUP(settings, member.solving),           \
    {                                                                                              \
        cli_picture_options, CLI_PICTURE_OPTION_COUNT, offsetof(settings, member)                  \
    }

enum { CLI_PICTURE_OPTION_COUNT = 13 };

extern const cli_option cli_picture_options[CLI_PICTURE_OPTION_COUNT];

void cli_picture_defaults(cli_picture *picture);

scn_options cli_picture_load_options(const cli_picture *picture);

/// Style and place that the saved view and the options ask for; options win. Complains about a file
/// that is no view. @return CLI_EXIT_DONE or CLI_EXIT_INPUT
int cli_picture_look(const cli_picture *picture, view_style *style, view_place *place);

/// Size in pixels; complains about what is no size. @return false for none
bool cli_picture_size(const cli_picture *picture, int *width, int *height);

/// Complains about a build without the viewer. @return CLI_EXIT_DONE for one that has it
int cli_picture_check(void);

/// Exit status of a call of the viewer.
int cli_picture_exit(cairn_status status);

#endif
