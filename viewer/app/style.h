// SPDX-License-Identifier: Apache-2.0
// What a picture shows and how: colours, contacts, transparency. Plain values, changed by keys and
// options.
#ifndef CAIRN_VIEWER_APP_STYLE_H
#define CAIRN_VIEWER_APP_STYLE_H

#include <stdbool.h>

/// Name and help of each way to show contacts; the name is what --contacts takes.
#define VIEW_CONTACTS_LIST(X)                                                                      \
    X(OFF, off, "no contacts")                                                                     \
    X(POINTS, points, "contact points")                                                            \
    X(NORMALS, normals, "normals, from A to B")                                                    \
    X(FORCES, forces, "forces on B")                                                               \
    X(STATUS, status, "discs: open, sticking, sliding")                                            \
    X(CONES, cones, "friction cones with the force inside")                                        \
    X(CHAINS, chains, "force chains: rods between centres, as thick as the normal force")

typedef enum view_contacts {
#define VIEW_CONTACTS_ENUM(upper, name, help) VIEW_CONTACTS_##upper,
    VIEW_CONTACTS_LIST(VIEW_CONTACTS_ENUM)
#undef VIEW_CONTACTS_ENUM
        VIEW_CONTACTS_COUNT
} view_contacts;

#define VIEW_COLOURS_LIST(X)                                                                       \
    X(ID, id, "each body its own")                                                                 \
    X(MATERIAL, material, "by material")                                                           \
    X(SPEED, speed, "by speed")                                                                    \
    X(FORCE, force, "by the sum of its contact forces")                                            \
    X(ISLAND, island, "by group of touching bodies")                                               \
    X(SIZE, size, "by the diameter of a ball of the same volume")                                  \
    X(PRESSURE, pressure, "by the mean pressure that its contacts give")                           \
    X(NEIGHBOURS, neighbours, "by the number of bodies that it touches")

typedef enum view_colours {
#define VIEW_COLOURS_ENUM(upper, name, help) VIEW_COLOURS_##upper,
    VIEW_COLOURS_LIST(VIEW_COLOURS_ENUM)
#undef VIEW_COLOURS_ENUM
        VIEW_COLOURS_COUNT
} view_colours;

typedef enum view_glass {
    VIEW_GLASS_AUTO, // fixed and moving bodies much larger than the others
    VIEW_GLASS_NONE,
    VIEW_GLASS_ALL, // whatever is not dynamic
    VIEW_GLASS_COUNT
} view_glass;

typedef struct view_style {
    view_contacts contacts;
    view_colours colours;
    view_glass glass;
    bool ground; // grid on half-spaces, and a floor to stand on where there is none
    bool shadows;
    bool frames;            // principal axes of bodies
    bool boxes;             // bounding boxes
    bool velocities;        // arrows
    bool joints;            // joints and connectors
    double contact_scale;   // of contact symbols; 1: automatic
    double force_unit;      // N drawn as an arrow of one unit; 0: from the frame
    double colour_range[2]; // of what the scale shows; the first not below the second: automatic
    bool clip;              // hide bodies whose centre is in front of the plane
    double clip_plane[4];   // n . x > d is hidden
} view_style;

view_style view_style_default(void);

/// NULL-terminated names for option tables.
extern const char *const view_contacts_names[];
extern const char *const view_colours_names[];
extern const char *const view_glass_names[];

/// Index of a name in one of the tables; -1 for none.
int view_style_find(const char *const *names, const char *name);

#endif
