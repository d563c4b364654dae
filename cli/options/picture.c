// SPDX-License-Identifier: Apache-2.0
// From the options of cairn view and cairn render to what the viewer takes.
#include "cli/options/picture.h"

#include "cli/options/saved_view.h"
#include "cli/process/files.h"
#include "cli/process/status.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE_MAX_PIXELS = 16384 };

const cli_option cli_picture_options[CLI_PICTURE_OPTION_COUNT] = {
    {.name = "step",
     .type = CLI_NUMBER,
     .offset = offsetof(cli_picture, step),
     .argument = "H",
     .help = "time step, s",
     .minimum = 1e-12,
     .maximum = 10.0},
    {.name = "size",
     .type = CLI_TEXT,
     .offset = offsetof(cli_picture, size),
     .argument = "WxH",
     .help = "width and height in pixels (default 1280x720)"},
    {.name = "view",
     .type = CLI_TEXT,
     .offset = offsetof(cli_picture, view),
     .argument = "FILE",
     .help = "where the eye is and what is shown, as saved by F9 in the window",
     .completion = CLI_COMPLETE_FILE},
    {.name = "contacts",
     .type = CLI_CHOICE,
     .offset = offsetof(cli_picture, contacts),
     .argument = "off|points|normals|forces|status|cones|chains",
     .help = "how contacts are shown (default off)",
     .words = view_contacts_names},
    {.name = "colours",
     .type = CLI_CHOICE,
     .offset = offsetof(cli_picture, colours),
     .argument = "id|material|speed|force|island|size|pressure|neighbours",
     .help = "what the colour of a body tells (default id)",
     .words = view_colours_names},
    {.name = "azimuth",
     .type = CLI_NUMBER,
     .offset = offsetof(cli_picture, azimuth),
     .argument = "DEGREES",
     .help = "where the eye is: about z, from x",
     .minimum = -360.0,
     .maximum = 360.0},
    {.name = "elevation",
     .type = CLI_NUMBER,
     .offset = offsetof(cli_picture, elevation),
     .argument = "DEGREES",
     .help = "where the eye is: above the horizon",
     .minimum = -89.0,
     .maximum = 89.0},
    {.name = "zoom",
     .type = CLI_NUMBER,
     .offset = offsetof(cli_picture, zoom),
     .argument = "X",
     .help = "nearer by this factor than all bodies need",
     .minimum = 0.01,
     .maximum = 1000.0},
    {.name = "follow",
     .type = CLI_TEXT,
     .offset = offsetof(cli_picture, follow),
     .argument = "BODY",
     .help = "the camera goes with the body of this name"},
    {.name = "parallel",
     .type = CLI_FLAG,
     .offset = offsetof(cli_picture, parallel),
     .help = "no perspective"},
    {.name = "no-ground",
     .type = CLI_FLAG,
     .offset = offsetof(cli_picture, no_ground),
     .help = "no grid and no floor"},
    {.name = "no-joints",
     .type = CLI_FLAG,
     .offset = offsetof(cli_picture, no_joints),
     .help = "no symbols of joints, connectors, regions and cells"},
    {.name = "no-shadows",
     .type = CLI_FLAG,
     .offset = offsetof(cli_picture, no_shadows),
     .help = "no shadows"},
};

void cli_picture_defaults(cli_picture *picture)
{
    cli_scene_defaults(&picture->scene);
    picture->step = NAN;
    picture->azimuth = picture->elevation = picture->zoom = NAN;
}

scn_options cli_picture_load_options(const cli_picture *picture)
{
    scn_options result = cli_scene_load_options(&picture->scene, &picture->solving);
    result.time_step = picture->step;
    return result;
}

int cli_picture_look(const cli_picture *picture, view_style *style, view_place *place)
{
    cairn_error error = {0};
    *style = view_style_default();
    *place = view_place_default();
    if (picture->view != NULL &&
        cli_saved_view_read(picture->view, place, style, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_INPUT;
    }
    if (picture->contacts != NULL)
        style->contacts = (view_contacts)view_style_find(view_contacts_names, picture->contacts);
    if (picture->colours != NULL)
        style->colours = (view_colours)view_style_find(view_colours_names, picture->colours);
    style->ground = style->ground && !picture->no_ground;
    style->joints = style->joints && !picture->no_joints;
    style->shadows = style->shadows && !picture->no_shadows;
    if (isfinite(picture->azimuth))
        place->azimuth = picture->azimuth;
    if (isfinite(picture->elevation))
        place->elevation = picture->elevation;
    place->zoom = picture->zoom;
    place->follow = picture->follow;
    place->parallel = place->parallel || picture->parallel;
    return CLI_EXIT_DONE;
}

static bool parse_length(const char **text, char end, int *length)
{
    char *stop = NULL;
    long value = strtol(*text, &stop, 10);
    if (stop == *text || *stop != end || value < 16 || value > SIZE_MAX_PIXELS)
        return false;
    *length = (int)value;
    *text = stop + 1;
    return true;
}

bool cli_picture_size(const cli_picture *picture, int *width, int *height)
{
    const char *text = picture->size;
    *width = 1280;
    *height = 720;
    if (text == NULL || (parse_length(&text, 'x', width) && parse_length(&text, '\0', height)))
        return true;
    cli_complain("--size wants WIDTHxHEIGHT of 16 to %d pixels, not \"%.80s\"", SIZE_MAX_PIXELS,
                 picture->size);
    return false;
}

int cli_picture_check(void)
{
    if (view_missing() == NULL)
        return CLI_EXIT_DONE;
    cli_complain("%s", view_missing());
    return CLI_EXIT_ABSENT;
}

int cli_picture_exit(cairn_status status)
{
    switch (status) {
    case CAIRN_OK:
        return CLI_EXIT_DONE;
    case CAIRN_ERROR_UNSUPPORTED:
        return CLI_EXIT_ABSENT;
    case CAIRN_INTERRUPTED:
        return CLI_EXIT_INTERRUPTED;
    case CAIRN_ERROR_ARGUMENT:
        return CLI_EXIT_USAGE;
    case CAIRN_ERROR_SCENE:
    case CAIRN_ERROR_FORMAT:
        return CLI_EXIT_INPUT;
    case CAIRN_ERROR_MEMORY:
    case CAIRN_ERROR_FILE:
    case CAIRN_ERROR_NONFINITE:
    case CAIRN_ERROR_NOT_FOUND:
    case CAIRN_ERROR_STALE_ID:
    case CAIRN_ERROR_WORLD:
    case CAIRN_ERROR_NUMERICAL:
    case CAIRN_ERROR_INCONSISTENT:
        break;
    }
    return CLI_EXIT_FAILED;
}
