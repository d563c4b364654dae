// SPDX-License-Identifier: Apache-2.0
// Robots of other programs' files as calls of the scene language. A reader of a format fills a
// scn_robot; scn_robot_write makes calls of it, each with the line that it stems from.
#ifndef CAIRN_SCENES_IMPORT_ROBOT_H
#define CAIRN_SCENES_IMPORT_ROBOT_H

#include "scenes/import/xml.h"
#include <cairn/joint.h>
#include <cairn/shape.h>

/// A shape in the frame of its link.
typedef struct scn_robot_geom {
    int line;
    cairn_shape_kind kind;                    // polyhedron: the hull of a file's points
    double radius, half_length, half_size[3]; // m
    const char *file;                         // within the folder of data files
    double scale[3];                          // of the file's coordinates
    pose place;                               // in the link's frame
    bool touches;                             // false: drawn, and meets nothing
    struct scn_robot_geom *next;
} scn_robot_geom;

typedef struct scn_robot_link {
    const char *name;
    int line;
    double mass;  // kg; 0: from shapes of density 1000 kg/m3
    vec3 centre;  // m, centre of mass, link frame
    mat3 inertia; // kg m2, about the centre, axes of the link frame
    scn_robot_geom *geoms;
    double colour[4];                  // red: NAN where none is given
    struct scn_robot_joint *up, *down; // towards the root, NULL: a root; first of those beyond
    struct scn_robot_link *next;
    // found while calls are written
    pose place;                      // in the world
    struct scn_robot_link *carrier;  // the link that it is rigidly one with; itself
    struct scn_robot_link *part;     // next link of that body
    double beyond, first[3], second; // kg, kg m, kg m2: moments, about the world's origin, of the
                                     // mass of the link and of all that hangs on it
    bool weighs;                     // it or what hangs on it has a mass or a shape
} scn_robot_link;

typedef struct scn_robot_joint {
    const char *name;
    int line;
    bool fuses; // the links are one body
    bool free;  // nothing holds the child
    cairn_joint_kind kind;
    scn_robot_link *parent, *child;
    pose origin;              // of the child's frame in the parent's
    vec3 axis;                // child's frame
    double range[2];          // rad or m
    bool locked;              // the range of the file had no width, and is taken as none
    double start;             // rad or m, as the robot is made
    double damping, friction; // N m s or N s/m; N m or N
    struct scn_robot_joint *next, *beside; // of the file; of the same parent
} scn_robot_joint;

typedef struct scn_robot {
    scn_robot_link *links;
    scn_robot_joint *joints;
} scn_robot;

/// How a robot enters a scene.
typedef struct scn_robot_use {
    const char *prefix;   // of all names, with what parts it from them; ""
    const char *material; // NULL: the first
    pose at;              // of the root link
    bool fixed;           // the root link does not move
    const char *data;     // absolute path of the folder of data files
} scn_robot_use;

/// A call, or a sentence for the user.
typedef struct scn_robot_line {
    int line;
    const char *text; // in the arena
    bool note;        // a sentence
    struct scn_robot_line *next;
} scn_robot_line;

/// Reads an URDF file. @param folder  of the file within the folder of data files: "" or "a/b/"
cairn_status scn_urdf_read(const scn_xml_file *file, scn_xml_node *root, const char *folder,
                           scn_robot *robot) CAIRN_CHECK_RESULT;

/// Bodies and joints of a robot as calls, in the order in which they must be made.
cairn_status scn_robot_write(const scn_xml_file *file, scn_robot *robot, const scn_robot_use *use,
                             scn_robot_line **lines) CAIRN_CHECK_RESULT;

#endif
