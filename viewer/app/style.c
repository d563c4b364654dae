// SPDX-License-Identifier: Apache-2.0
// Names and defaults of what a picture shows.
#include "viewer/app/style.h"

#include <stddef.h>
#include <string.h>

#define NAME(upper, name, help) #name,

const char *const view_contacts_names[] = {VIEW_CONTACTS_LIST(NAME) NULL};
const char *const view_colours_names[] = {VIEW_COLOURS_LIST(NAME) NULL};

const char *const view_glass_names[] = {"auto", "none", "all", NULL};

view_style view_style_default(void)
{
    return (view_style){.ground = true, .shadows = true, .joints = true, .contact_scale = 1.0};
}

int view_style_find(const char *const *names, const char *name)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}
