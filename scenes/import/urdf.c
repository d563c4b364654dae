// SPDX-License-Identifier: Apache-2.0
// Reader of URDF files, as http://wiki.ros.org/urdf/XML describes them.
#include "scenes/import/robot.h"

#include "base/elementary.h"
#include "base/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    const scn_xml_file *file;
    scn_xml_node *root;
    const char *folder;
    scn_robot *robot;
    base_allocator allocator;    // of the tables
    base_names links, materials; // indices of the two lists
    scn_robot_link **link;       // in the arena
    scn_xml_node **colour;       // in the arena, of materials; NULL for none
} reader;

static cairn_status no_memory(const reader *r)
{
    return base_fail(r->file->error, CAIRN_ERROR_MEMORY, "%.300s: out of memory", r->file->name);
}

/// Fixed-axis angles about x, y and z.
static quat turn_of(const double angles[3])
{
    quat turn = quat_identity();
    for (int axis = 0; axis < 3; axis++) {
        double half = 0.5 * angles[axis], s = base_sin(half);
        quat one = {base_cos(half), axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0};
        turn = quat_multiply(one, turn);
    }
    return quat_normalize(turn);
}

static cairn_status read_origin(const reader *r, scn_xml_node *of, pose *place)
{
    scn_xml_node *origin = scn_xml_child(of, "origin");
    double xyz[3] = {0.0, 0.0, 0.0}, angles[3] = {0.0, 0.0, 0.0};
    *place = pose_identity();
    if (origin == NULL)
        return CAIRN_OK;
    BASE_TRY(scn_xml_numbers(r->file, origin, "xyz", 3, xyz));
    BASE_TRY(scn_xml_numbers(r->file, origin, "rpy", 3, angles));
    *place = (pose){vec3_from(xyz), turn_of(angles)};
    return CAIRN_OK;
}

// ---------------------------------------------------------------- links

static cairn_status read_inertial(const reader *r, scn_xml_node *node, scn_robot_link *link)
{
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    scn_xml_node *inertial = scn_xml_child(node, "inertial");
    if (inertial == NULL)
        return CAIRN_OK;
    pose place;
    double six[6] = {0.0};
    scn_xml_node *mass = scn_xml_child(inertial, "mass");
    scn_xml_node *inertia = scn_xml_child(inertial, "inertia");
    BASE_TRY(read_origin(r, inertial, &place));
    if (mass != NULL)
        BASE_TRY(scn_xml_numbers(r->file, mass, "value", 1, &link->mass));
    if (link->mass < 0.0)
        return scn_xml_fail(r->file, mass, "mass = %g kg of link \"%.80s\" must not be negative",
                            link->mass, link->name);
    for (int i = 0; i < 6 && inertia != NULL; i++)
        BASE_TRY(scn_xml_numbers(r->file, inertia, names[i], 1, &six[i]));
    mat3 turn = quat_to_mat3(place.orientation), back = mat3_transpose(&turn);
    mat3 own = {{{six[0], six[3], six[4]}, {six[3], six[1], six[5]}, {six[4], six[5], six[2]}}};
    own = mat3_multiply(&turn, &own);
    link->centre = place.position;
    link->inertia = mat3_multiply(&own, &back);
    return CAIRN_OK;
}

/// The path of a mesh within the folder of data files. "package://name/rest" is rest; the folder
/// of the package is that of data files.
static cairn_status find_file(const reader *r, scn_xml_node *mesh, const char **path)
{
    const char *name, *folder = r->folder;
    BASE_TRY(scn_xml_need(r->file, mesh, "filename", &name));
    if (strncmp(name, "package://", 10) == 0) {
        const char *rest = strchr(name + 10 + strspn(name + 10, "/"), '/');
        if (rest == NULL)
            return scn_xml_fail(r->file, mesh, "filename = \"%.200s\" names a package alone", name);
        name = rest + 1;
        folder = "";
    } else if (strncmp(name, "file://", 7) == 0) {
        name += 7;
    }
    size_t size = strlen(folder) + strlen(name) + 1;
    char *made = base_arena_array(r->file->arena, char, "path", size);
    if (made == NULL)
        return no_memory(r);
    snprintf(made, size, "%s%s", folder, name);
    *path = made;
    return CAIRN_OK;
}

/// The shape in a <geometry>.
static cairn_status read_shape(const reader *r, scn_xml_node *geometry, scn_robot_geom *geom)
{
    scn_xml_node *box = scn_xml_child(geometry, "box"), *ball = scn_xml_child(geometry, "sphere");
    scn_xml_node *rod = scn_xml_child(geometry, "cylinder");
    scn_xml_node *capsule = scn_xml_child(geometry, "capsule");
    scn_xml_node *mesh = scn_xml_child(geometry, "mesh");
    geom->scale[0] = geom->scale[1] = geom->scale[2] = 1.0;
    if (box != NULL) {
        geom->kind = CAIRN_BOX;
        BASE_TRY(scn_xml_numbers(r->file, box, "size", 3, geom->half_size));
        for (int k = 0; k < 3; k++)
            geom->half_size[k] *= 0.5;
        return CAIRN_OK;
    }
    if (ball != NULL) {
        geom->kind = CAIRN_SPHERE;
        return scn_xml_numbers(r->file, ball, "radius", 1, &geom->radius);
    }
    if (mesh != NULL) {
        geom->kind = CAIRN_POLYHEDRON;
        BASE_TRY(scn_xml_numbers(r->file, mesh, "scale", 3, geom->scale));
        return find_file(r, mesh, &geom->file);
    }
    scn_xml_node *round = rod != NULL ? rod : capsule;
    if (round == NULL)
        return scn_xml_fail(r->file, geometry,
                            "geometry must hold box, sphere, cylinder, capsule or mesh");
    geom->kind = rod != NULL ? CAIRN_CYLINDER : CAIRN_CAPSULE;
    BASE_TRY(scn_xml_numbers(r->file, round, "radius", 1, &geom->radius));
    BASE_TRY(scn_xml_numbers(r->file, round, "length", 1, &geom->half_length));
    geom->half_length *= 0.5;
    return CAIRN_OK;
}

/// Shapes of all elements of a name.
static cairn_status read_geoms(const reader *r, scn_xml_node *node, const char *name, bool touches,
                               scn_robot_link *link)
{
    scn_robot_geom **end = &link->geoms;
    for (scn_xml_node *at = scn_xml_child(node, name); at != NULL; at = scn_xml_next(at)) {
        scn_robot_geom *geom = base_arena_array(r->file->arena, scn_robot_geom, "robot", 1);
        scn_xml_node *geometry = scn_xml_child(at, "geometry");
        if (geom == NULL)
            return no_memory(r);
        if (geometry == NULL)
            return scn_xml_fail(r->file, at, "%s of link \"%.80s\" has no geometry", name,
                                link->name);
        scn_xml_text(at, "name", NULL);
        *geom = (scn_robot_geom){.line = geometry->line, .touches = touches};
        BASE_TRY(read_origin(r, at, &geom->place));
        BASE_TRY(read_shape(r, geometry, geom));
        *end = geom;
        end = &geom->next;
    }
    return CAIRN_OK;
}

/// The colour of a link's first visual element, which may name a material of the robot.
static cairn_status read_colour(const reader *r, scn_xml_node *node, scn_robot_link *link)
{
    scn_xml_node *material = scn_xml_child(scn_xml_child(node, "visual"), "material");
    int known = base_names_find(&r->materials, scn_xml_text(material, "name", ""));
    scn_xml_node *colour = scn_xml_child(material, "color");
    if (colour == NULL && known >= 0)
        colour = r->colour[known];
    return colour != NULL ? scn_xml_numbers(r->file, colour, "rgba", 4, link->colour) : CAIRN_OK;
}

static cairn_status read_link(const reader *r, scn_xml_node *node, scn_robot_link *link)
{
    *link = (scn_robot_link){.line = node->line, .colour = {NAN}};
    BASE_TRY(scn_xml_need(r->file, node, "name", &link->name));
    int known = base_names_find(&r->links, link->name);
    if (known >= 0)
        return scn_xml_fail(r->file, node, "there is a link \"%.80s\" already, on line %d",
                            link->name, r->link[known]->line);
    BASE_TRY(read_inertial(r, node, link));
    BASE_TRY(read_colour(r, node, link));
    BASE_TRY(read_geoms(r, node, "collision", true, link));
    // what is drawn alone stands in where nothing touches
    if (link->geoms == NULL)
        return read_geoms(r, node, "visual", false, link);
    for (scn_xml_node *at = scn_xml_child(node, "visual"); at != NULL; at = scn_xml_next(at))
        scn_xml_skip(at);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- joints

static cairn_status find_link(const reader *r, scn_xml_node *joint, const char *role,
                              scn_robot_link **link)
{
    const char *name;
    scn_xml_node *node = scn_xml_child(joint, role);
    if (node == NULL)
        return scn_xml_fail(r->file, joint, "joint has no %s", role);
    BASE_TRY(scn_xml_need(r->file, node, "link", &name));
    int known = base_names_find(&r->links, name);
    if (known < 0)
        return scn_xml_fail(r->file, node, "there is no link \"%.80s\"", name);
    *link = r->link[known];
    return CAIRN_OK;
}

static cairn_status read_type(const reader *r, scn_xml_node *node, scn_robot_joint *joint)
{
    static const struct {
        const char *name;
        cairn_joint_kind kind;
        bool fuses, free, has_range;
    } types[] = {
        {"revolute", CAIRN_JOINT_HINGE, false, false, true},
        {"continuous", CAIRN_JOINT_HINGE, false, false, false},
        {"prismatic", CAIRN_JOINT_SLIDER, false, false, true},
        {"fixed", CAIRN_JOINT_FIXED, true, false, false},
        {"floating", CAIRN_JOINT_FIXED, false, true, false},
    };
    const char *type;
    BASE_TRY(scn_xml_need(r->file, node, "type", &type));
    scn_xml_node *limit = scn_xml_child(node, "limit");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(type, types[i].name) != 0)
            continue;
        joint->kind = types[i].kind;
        joint->fuses = types[i].fuses;
        joint->free = types[i].free;
        joint->range[0] = -INFINITY;
        joint->range[1] = INFINITY;
        if (limit == NULL || !types[i].has_range)
            return CAIRN_OK;
        // URDF: 0 where left out
        joint->range[0] = joint->range[1] = 0.0;
        BASE_TRY(scn_xml_numbers(r->file, limit, "lower", 1, &joint->range[0]));
        BASE_TRY(scn_xml_numbers(r->file, limit, "upper", 1, &joint->range[1]));
        if (joint->range[0] > joint->range[1])
            return scn_xml_fail(r->file, limit, "lower = %g is above upper = %g of joint \"%.80s\"",
                                joint->range[0], joint->range[1], joint->name);
        joint->locked = joint->range[0] == joint->range[1];
        if (joint->locked) {
            joint->range[0] = -INFINITY;
            joint->range[1] = INFINITY;
        }
        joint->start = fmax(joint->range[0], fmin(joint->range[1], 0.0));
        return CAIRN_OK;
    }
    return scn_xml_fail(r->file, node,
                        "joint \"%.80s\" is of type \"%.40s\": there are revolute, continuous, "
                        "prismatic, fixed and floating ones",
                        joint->name, type);
}

static cairn_status read_joint(const reader *r, scn_xml_node *node, scn_robot_joint *joint)
{
    double axis[3] = {1.0, 0.0, 0.0};
    *joint = (scn_robot_joint){.line = node->line};
    BASE_TRY(scn_xml_need(r->file, node, "name", &joint->name));
    BASE_TRY(read_type(r, node, joint));
    BASE_TRY(find_link(r, node, "parent", &joint->parent));
    BASE_TRY(find_link(r, node, "child", &joint->child));
    BASE_TRY(read_origin(r, node, &joint->origin));
    scn_xml_node *direction = scn_xml_child(node, "axis");
    scn_xml_node *dynamics = scn_xml_child(node, "dynamics");
    if (direction != NULL)
        BASE_TRY(scn_xml_numbers(r->file, direction, "xyz", 3, axis));
    joint->axis = vec3_from(axis);
    if (!joint->fuses && !joint->free && !(vec3_norm(joint->axis) > 0.0))
        return scn_xml_fail(r->file, direction, "the axis of joint \"%.80s\" must not be zero",
                            joint->name);
    if (dynamics != NULL) {
        BASE_TRY(scn_xml_numbers(r->file, dynamics, "damping", 1, &joint->damping));
        BASE_TRY(scn_xml_numbers(r->file, dynamics, "friction", 1, &joint->friction));
        if (joint->damping < 0.0 || joint->friction < 0.0)
            return scn_xml_fail(r->file, dynamics,
                                "damping = %g and friction = %g of joint \"%.80s\" must not be "
                                "negative",
                                joint->damping, joint->friction, joint->name);
    }
    if (joint->child->up != NULL)
        return scn_xml_fail(r->file, node,
                            "link \"%.80s\" is the child of joint \"%.80s\" on line %d already",
                            joint->child->name, joint->child->up->name, joint->child->up->line);
    joint->child->up = joint;
    joint->beside = joint->parent->down;
    joint->parent->down = joint;
    return CAIRN_OK;
}

/// How many children of a name there are.
static int count_of(scn_xml_node *root, const char *name)
{
    int count = 0;
    for (scn_xml_node *at = scn_xml_child(root, name); at != NULL; at = scn_xml_next(at))
        count++;
    return count;
}

/// Lists the colours of the robot's materials by their names; the first of a name holds.
static cairn_status read_materials(reader *r)
{
    int count = 0;
    r->colour = base_arena_array(r->file->arena, scn_xml_node *, "robot",
                                 count_of(r->root, "material") + 1);
    if (r->colour == NULL)
        return no_memory(r);
    for (scn_xml_node *at = scn_xml_child(r->root, "material"); at != NULL; at = scn_xml_next(at)) {
        const char *name = scn_xml_text(at, "name", "");
        if (base_names_find(&r->materials, name) >= 0)
            continue;
        r->colour[count] = scn_xml_child(at, "color");
        if (base_names_add(&r->materials, &r->allocator, name, count++) != CAIRN_OK)
            return no_memory(r);
    }
    return CAIRN_OK;
}

static cairn_status read_links(reader *r)
{
    int count = 0, links = count_of(r->root, "link");
    scn_robot_link **end = &r->robot->links;
    r->link = base_arena_array(r->file->arena, scn_robot_link *, "robot", links + 1);
    if (r->link == NULL)
        return no_memory(r);
    for (scn_xml_node *at = scn_xml_child(r->root, "link"); at != NULL; at = scn_xml_next(at)) {
        scn_robot_link *link = base_arena_array(r->file->arena, scn_robot_link, "robot", 1);
        if (link == NULL)
            return no_memory(r);
        BASE_TRY(read_link(r, at, link));
        r->link[count] = *end = link;
        end = &link->next;
        if (base_names_add(&r->links, &r->allocator, link->name, count++) != CAIRN_OK)
            return no_memory(r);
    }
    return count > 0 ? CAIRN_OK : scn_xml_fail(r->file, r->root, "robot has no link");
}

static cairn_status read_joints(const reader *r)
{
    scn_robot_joint **end = &r->robot->joints;
    for (scn_xml_node *at = scn_xml_child(r->root, "joint"); at != NULL; at = scn_xml_next(at)) {
        *end = base_arena_array(r->file->arena, scn_robot_joint, "robot", 1);
        if (*end == NULL)
            return no_memory(r);
        BASE_TRY(read_joint(r, at, *end));
        end = &(*end)->next;
    }
    return CAIRN_OK;
}

cairn_status scn_urdf_read(const scn_xml_file *file, scn_xml_node *root, const char *folder,
                           scn_robot *robot)
{
    reader r = {.file = file,
                .root = root,
                .folder = folder,
                .robot = robot,
                .allocator = base_allocator_default()};
    *robot = (scn_robot){0};
    root->read = true;
    (void)scn_xml_text(root, "name", NULL);
    cairn_status status = read_materials(&r);
    if (status == CAIRN_OK)
        status = read_links(&r);
    if (status == CAIRN_OK)
        status = read_joints(&r);
    base_names_release(&r.links, &r.allocator);
    base_names_release(&r.materials, &r.allocator);
    return status;
}
