// SPDX-License-Identifier: Apache-2.0
// Model, frame and draw list: what is in a picture, without a GPU.
#include "tests/unit/viewer/world_fixture.h"
#include "viewer/draw/draw_list.h"

#include <string.h>

static view_draw_list build(fixture *f, const view_style *style)
{
    base_allocator allocator = base_allocator_default();
    view_draw_list list = view_draw_list_begin(&allocator);
    view_draw_request request = {
        .model = &f->model,
        .frame = &f->frame,
        .style = style,
        .eye = {0.0, -10.0, 0.0},
        .forward = {0.0, 1.0, 0.0},
        .selected = -1,
        .contact = -1,
    };
    assert_int_equal(view_draw_list_build(&list, &request), CAIRN_OK);
    return list;
}

static int symbol_count(const view_draw_list *list)
{
    int count = 0;
    for (int i = 0; i < VIEW_MESH; i++)
        count += list->symbols[i].count;
    return count;
}

static vec3 world_position(const view_draw_list *list, const view_instance *item)
{
    return vec3_add(list->origin,
                    vec3_make(item->position[0], item->position[1], item->position[2]));
}

static void test_every_shape(void **state)
{
    (void)state;
    fixture f;
    view_style style = view_style_default();
    fixture_begin(&f);
    add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0, 0, 3);
    add_body(f.world, f.capsule, CAIRN_DYNAMIC, 2, 0, 3);
    add_body(f.world, f.box, CAIRN_DYNAMIC, 4, 0, 3);
    add_body(f.world, f.cylinder, CAIRN_DYNAMIC, 6, 0, 3);
    add_body(f.world, f.hull, CAIRN_DYNAMIC, 8, 0, 3);
    add_body(f.world, f.plane, CAIRN_FIXED, 0, 0, 0);
    fixture_show(&f);
    view_draw_list list = build(&f, &style);
    for (int primitive = VIEW_SPHERE; primitive <= VIEW_CYLINDER; primitive++)
        assert_int_equal(list.solids[primitive].count, 1);
    assert_int_equal(list.solids[VIEW_PLANE].count, 1);
    assert_int_equal(list.batch_count, VIEW_MESH + 1);
    assert_int_equal(list.solids[VIEW_MESH].count, 1);
    // four triangles of a tetrahedron
    assert_int_equal(f.model.meshes[0].vertex_count, 12);
    const view_instance *box = &list.solids[VIEW_BOX].items[0];
    check_close(box->size[0], 0.3, 1e-6, 0.0);
    check_close(box->size[2], 0.5, 1e-6, 0.0);
    vec3 where = world_position(&list, box);
    check_close(where.x, 4.0, 1e-6, 0.0);
    check_close(where.z, 3.0, 1e-6, 0.0);
    assert_int_equal(symbol_count(&list), 0);
    assert_false(list.has_floor);
    view_draw_list_finish(&list);
    fixture_end(&f);
}

/// Normals of the tetrahedron point away from its middle.
static void test_mesh_normals(void **state)
{
    (void)state;
    fixture f;
    fixture_begin(&f);
    add_body(f.world, f.hull, CAIRN_DYNAMIC, 0, 0, 0);
    fixture_show(&f);
    const view_mesh *mesh = &f.model.meshes[0];
    for (int i = 0; i < mesh->vertex_count; i++) {
        const float *p = mesh->positions[i], *n = mesh->normals[i];
        double outward = n[0] * (p[0] - 0.25) + n[1] * (p[1] - 0.25) + n[2] * (p[2] - 0.25);
        assert_true(outward > 0.0);
        check_close(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-6, 0.0);
    }
    fixture_end(&f);
}

static void test_compound_parts(void **state)
{
    (void)state;
    fixture f;
    view_style style = view_style_default();
    fixture_begin(&f);
    cairn_body_id body = add_body(f.world, f.compound, CAIRN_DYNAMIC, 0, 0, 0);
    const double position[3] = {10, 20, 30}, half_turn[4] = {0, 0, 0, 1};
    cairn_error error = {0};
    assert_int_equal(cairn_body_set_pose(f.world, body, position, half_turn, &error), CAIRN_OK);
    fixture_show(&f);
    view_draw_list list = build(&f, &style);
    assert_int_equal(list.solids[VIEW_SPHERE].count, 1);
    assert_int_equal(list.solids[VIEW_CAPSULE].count, 1);
    // half a turn about z takes the member at x = -1 to x = +1
    vec3 sphere = world_position(&list, &list.solids[VIEW_SPHERE].items[0]);
    vec3 capsule = world_position(&list, &list.solids[VIEW_CAPSULE].items[0]);
    check_close(sphere.x, 11.0, 1e-6, 0.0);
    check_close(capsule.x, 9.0, 1e-6, 0.0);
    check_close(capsule.y, 20.0, 1e-6, 0.0);
    // the capsule lies along y now
    const float *q = list.solids[VIEW_CAPSULE].items[0].orientation;
    vec3 axis = quat_rotate((quat){q[3], q[0], q[1], q[2]}, vec3_make(0, 0, 1));
    check_close(fabs(axis.y), 1.0, 1e-6, 0.0);
    // bounds: the sphere's side, and the capsule's
    vec3 low, high;
    assert_true(view_frame_bounds(&f.frame, &f.model, true, &low, &high));
    check_close(high.x, 11.5, 1e-9, 0.0);
    check_close(low.x, 8.8, 1e-9, 0.0);
    view_draw_list_finish(&list);
    fixture_end(&f);
}

static void test_glass(void **state)
{
    (void)state;
    fixture f;
    view_style style = view_style_default();
    fixture_begin(&f);
    add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0, 0, 1);
    add_body(f.world, f.wall, CAIRN_FIXED, 0, 3, 0);
    add_body(f.world, f.wall, CAIRN_FIXED, 0, 9, 0);
    add_body(f.world, f.box, CAIRN_FIXED, 0, -3, 0);
    fixture_show(&f);
    view_draw_list list = build(&f, &style);
    // the large walls are glass, the small fixed box is not; the farther wall comes first
    assert_int_equal(list.glass_count, 2);
    assert_int_equal(list.solids[VIEW_BOX].count, 1);
    assert_true(list.glass[0].distance > list.glass[1].distance);
    check_close(world_position(&list, &list.glass[0].instance).y, 9.0, 1e-6, 0.0);
    assert_true(list.has_floor);
    check_close(list.floor_level, -0.5, 1e-9, 0.0);
    view_draw_list_finish(&list);
    style.glass = VIEW_GLASS_NONE;
    list = build(&f, &style);
    assert_int_equal(list.glass_count, 0);
    view_draw_list_finish(&list);
    style.glass = VIEW_GLASS_ALL;
    list = build(&f, &style);
    assert_int_equal(list.glass_count, 3);
    view_draw_list_finish(&list);
    fixture_end(&f);
}

/// A box at rest on the ground: four contacts that carry its weight.
static void make_resting_box(fixture *f)
{
    cairn_error error = {0};
    fixture_begin(f);
    add_body(f->world, f->plane, CAIRN_FIXED, 0, 0, 0);
    add_body(f->world, f->box, CAIRN_DYNAMIC, 0, 0, 0.5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(cairn_world_step(f->world, &error), CAIRN_OK);
    fixture_show(f);
}

static void test_contacts(void **state)
{
    (void)state;
    fixture f;
    make_resting_box(&f);
    assert_int_equal(f.frame.contact_count, 4);
    vec3 sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        const view_contact *contact = &f.frame.contacts[i];
        double sign = f.model.bodies[contact->b].kind == CAIRN_DYNAMIC ? 1.0 : -1.0;
        sum = vec3_add_scaled(sum, sign, contact->force);
    }
    check_close(sum.z, 9.81 * 1000.0 * 0.6 * 0.8 * 1.0, 1e-6, 0.0);
    // symbols of a contact: sphere; sphere, shaft, tip; shaft, tip; disc; cone, shaft, tip; rod
    static const int expected[VIEW_CONTACTS_COUNT] = {0, 4, 12, 8, 4, 12, 4};
    for (int mode = 0; mode < VIEW_CONTACTS_COUNT; mode++) {
        view_style style = view_style_default();
        style.contacts = (view_contacts)mode;
        view_draw_list list = build(&f, &style);
        assert_int_equal(symbol_count(&list), expected[mode]);
        view_draw_list_finish(&list);
    }
    fixture_end(&f);
}

/// Arrows of equal forces are as long as the unit, wherever the scale comes from.
static void test_force_arrows(void **state)
{
    (void)state;
    fixture f;
    make_resting_box(&f);
    view_style style = view_style_default();
    style.contacts = VIEW_CONTACTS_FORCES;
    view_draw_list list = build(&f, &style);
    double force = vec3_norm(f.frame.contacts[0].force);
    double length = view_force_length(&f.model, &style) * force / list.force_unit;
    const view_instance *shaft = &list.symbols[VIEW_CYLINDER].items[0];
    const view_instance *tip = &list.symbols[VIEW_CONE].items[0];
    check_close(2.0 * (shaft->size[2] + tip->size[2]), length, 1e-5, 0.0);
    view_draw_list_finish(&list);
    style.force_unit = 2.0 * force;
    list = build(&f, &style);
    shaft = &list.symbols[VIEW_CYLINDER].items[0];
    tip = &list.symbols[VIEW_CONE].items[0];
    check_close(2.0 * (shaft->size[2] + tip->size[2]), 0.5 * view_force_length(&f.model, &style),
                1e-5, 0.0);
    view_draw_list_finish(&list);
    fixture_end(&f);
}

/// A rod of a force chain goes from the contact to the centre of the one dynamic body.
static void test_chains(void **state)
{
    (void)state;
    fixture f;
    make_resting_box(&f);
    view_style style = view_style_default();
    style.contacts = VIEW_CONTACTS_CHAINS;
    view_draw_list list = build(&f, &style);
    for (int i = 0; i < 4; i++) {
        const view_instance *rod = &list.symbols[VIEW_CYLINDER].items[i];
        vec3 point = f.frame.contacts[i].point, centre = {0, 0, 0};
        for (int body = 0; body < f.model.body_count; body++)
            if (f.model.bodies[body].kind == CAIRN_DYNAMIC)
                centre = f.frame.centres[body];
        check_close(2.0 * rod->size[2], vec3_distance(point, centre), 1e-5, 0.0);
        vec3 middle = world_position(&list, rod);
        check_close(vec3_distance(middle, vec3_scale(0.5, vec3_add(point, centre))), 0.0, 0.0,
                    1e-5);
    }
    view_draw_list_finish(&list);
    fixture_end(&f);
}

/// The symbol of a joint goes with its bodies, whatever the frame; without joints there is none.
static void test_joints(void **state)
{
    (void)state;
    fixture f;
    cairn_error error;
    cairn_joint_id joint;
    fixture_begin(&f);
    cairn_joint_def def = cairn_default_joint_def(CAIRN_JOINT_BALL);
    def.a = add_body(f.world, f.box, CAIRN_DYNAMIC, 0, 0, 2);
    def.b = add_body(f.world, f.box, CAIRN_DYNAMIC, 3, 0, 2);
    def.anchor[0] = 1.5;
    def.anchor[2] = 2.0;
    assert_int_equal(cairn_joint_create(f.world, &def, &joint, &error), CAIRN_OK);
    fixture_show(&f);
    assert_int_equal(f.model.joint_count, 1);
    // the second body turned by a right angle about z, and moved
    int b = f.model.joints[0].bodies[1];
    f.frame.poses[b] = (pose){{0.0, 5.0, 2.0}, {sqrt(0.5), 0.0, 0.0, sqrt(0.5)}};
    view_style style = view_style_default();
    view_draw_list list = build(&f, &style);
    assert_int_equal(list.symbols[VIEW_SPHERE].count, 1);
    vec3 at = world_position(&list, &list.symbols[VIEW_SPHERE].items[0]);
    check_close(vec3_distance(at, vec3_make(0.0, 3.5, 2.0)), 0.0, 0.0, 1e-5);
    view_draw_list_finish(&list);
    style.joints = false;
    list = build(&f, &style);
    assert_int_equal(symbol_count(&list), 0);
    view_draw_list_finish(&list);
    fixture_end(&f);
}

// ---------------------------------------------------------------- regions

/// Rods of one colour: how many, m in all, and the largest distance of an end from where it may be.
typedef struct rod_sum {
    int count;
    double length, off;
} rod_sum;

static rod_sum sum_rods(const view_draw_list *list, view_colour colour,
                        double off(vec3 end, const void *context), const void *context)
{
    rod_sum sum = {0};
    const view_batch *rods = &list->symbols[VIEW_CYLINDER];
    for (int i = 0; i < rods->count; i++) {
        const view_instance *rod = &rods->items[i];
        if (memcmp(&rod->colour, &colour, sizeof colour) != 0)
            continue;
        const float *q = rod->orientation;
        vec3 half = quat_rotate((quat){q[3], q[0], q[1], q[2]}, vec3_make(0.0, 0.0, rod->size[2]));
        vec3 middle = world_position(list, rod);
        sum.count++;
        sum.length += 2.0 * rod->size[2];
        sum.off = fmax(sum.off, fmax(off(vec3_add(middle, half), context),
                                     off(vec3_sub(middle, half), context)));
    }
    return sum;
}

/// m, from the nearest corner of the box between two points.
static double off_box(vec3 end, const void *context)
{
    const vec3 *box = context;
    double x = fmin(fabs(end.x - box[0].x), fabs(end.x - box[1].x)),
           y = fmin(fabs(end.y - box[0].y), fabs(end.y - box[1].y)),
           z = fmin(fabs(end.z - box[0].z), fabs(end.z - box[1].z));
    return fmax(x, fmax(y, z));
}

/// m, from the surface of a ball of radius 2.
static double off_ball(vec3 end, const void *context)
{
    return fabs(vec3_distance(end, *(const vec3 *)context) - 2.0);
}

/// m, from the ends of a tube of radius 1 and length 3 that stands on a point.
static double off_tube(vec3 end, const void *context)
{
    vec3 from = vec3_sub(end, *(const vec3 *)context);
    double side = fabs(hypot(from.x, from.y) - 1.0);
    return fmax(side, fmin(fabs(from.z), fabs(from.z - 3.0)));
}

static const view_colour emitter_green = {46, 150, 70, 255}, outlet_red = {196, 60, 50, 255},
                         cell_grey = {110, 118, 130, 255}, servo_violet = {130, 70, 180, 255};

static void demand_rods(rod_sum sum, int count, double length)
{
    assert_int_equal(sum.count, count);
    check_close(sum.length, length, 5e-3, 0.0);
    check_close(sum.off, 0.0, 0.0, 1e-5);
}

/// The picture of a world with one outlet more.
static view_draw_list show_outlet(fixture *f, const cairn_region *region)
{
    cairn_error error = {0};
    cairn_outlet_def outlet = cairn_default_outlet_def();
    outlet.region = *region;
    fixture_begin(f);
    assert_int_equal(cairn_outlet_create(f->world, &outlet, &error), CAIRN_OK);
    add_body(f->world, f->sphere, CAIRN_DYNAMIC, 0, 0, 0);
    fixture_show(f);
    view_style style = view_style_default();
    return build(f, &style);
}

static void test_outlets(void **state)
{
    (void)state;
    fixture f;
    cairn_region ball = {.kind = CAIRN_REGION_SPHERE, .a = {5, 0, 1}, .radius = 2.0};
    view_draw_list list = show_outlet(&f, &ball);
    vec3 centre = vec3_from(ball.a);
    demand_rods(sum_rods(&list, outlet_red, off_ball, &centre), 3 * 32, 3 * 2.0 * M_PI * 2.0);
    view_draw_list_finish(&list);
    fixture_end(&f);
    cairn_region tube = {
        .kind = CAIRN_REGION_CYLINDER, .a = {-5, 0, 1}, .b = {-5, 0, 4}, .radius = 1.0};
    list = show_outlet(&f, &tube);
    centre = vec3_from(tube.a);
    demand_rods(sum_rods(&list, outlet_red, off_tube, &centre), 2 * 32 + 4,
                2 * 2.0 * M_PI + 4 * 3.0);
    view_draw_list_finish(&list);
    fixture_end(&f);
}

/// Edges of an emitter and of the cell, and the arrows of servos on a wall and on the cell.
static void test_emitter_cell_servos(void **state)
{
    (void)state;
    fixture f;
    cairn_error error = {0};
    fixture_begin(&f);
    cairn_cell_def cell = cairn_default_cell_def();
    for (int k = 0; k < 3; k++) {
        cell.low[k] = -10.0;
        cell.size[k] = 20.0;
        cell.periodic[k] = true;
    }
    assert_int_equal(cairn_world_set_cell(f.world, &cell, &error), CAIRN_OK);
    cairn_grain_def grain = {.shape = f.sphere, .density = 1000.0, .share = 1.0};
    cairn_emitter_def emitter = cairn_default_emitter_def();
    emitter.grains = &grain;
    emitter.grain_count = 1;
    emitter.rate = 1.0;
    emitter.region = (cairn_region){.kind = CAIRN_REGION_BOX, .a = {0, 0, 4}, .b = {2, 3, 6}};
    assert_int_equal(cairn_emitter_create(f.world, &emitter, &error), CAIRN_OK);
    cairn_servo_def servo = cairn_default_servo_def();
    servo.body = add_body(f.world, f.box, CAIRN_MOVING, 1, 2, 3);
    servo.axis[0] = 4.0;
    servo.force = 1.0;
    servo.speed = 1.0;
    assert_int_equal(cairn_servo_create(f.world, &servo, &error), CAIRN_OK);
    servo = cairn_default_servo_def();
    servo.cell = true;
    servo.side = servo.across = 2;
    servo.force = servo.speed = 1.0;
    assert_int_equal(cairn_servo_create(f.world, &servo, &error), CAIRN_OK);
    fixture_show(&f);
    view_style style = view_style_default();
    view_draw_list list = build(&f, &style);
    const vec3 box[2] = {{0, 0, 4}, {2, 3, 6}}, all[2] = {{-10, -10, -10}, {10, 10, 10}};
    demand_rods(sum_rods(&list, emitter_green, off_box, box), 12, 4 * (2.0 + 3.0 + 2.0));
    demand_rods(sum_rods(&list, cell_grey, off_box, all), 12, 12 * 20.0);
    // heads of the arrows: into the wall along x, and into the cell from below and above
    int wall = 0, cell_faces = 0;
    const view_batch *heads = &list.symbols[VIEW_CONE];
    for (int i = 0; i < heads->count; i++) {
        vec3 at = world_position(&list, &heads->items[i]);
        assert_memory_equal(&heads->items[i].colour, &servo_violet, sizeof servo_violet);
        wall += at.x < 1.0 && fabs(at.y - 2.0) < 1e-5 && fabs(at.z - 3.0) < 1e-5;
        cell_faces += fabs(at.x) + fabs(at.y) < 1e-5 && fabs(at.z) > 10.0;
    }
    assert_int_equal(wall, 1);
    assert_int_equal(cell_faces, 2);
    view_draw_list_finish(&list);
    fixture_end(&f);
}

static void test_marks_and_clip(void **state)
{
    (void)state;
    fixture f;
    view_style style = view_style_default();
    fixture_begin(&f);
    add_body(f.world, f.box, CAIRN_DYNAMIC, 0, 0, 0);
    add_body(f.world, f.box, CAIRN_DYNAMIC, 5, 0, 0);
    fixture_show(&f);
    style.boxes = true;
    style.frames = true;
    view_draw_list list = build(&f, &style);
    // twelve edges and three arrows of two pieces each
    assert_int_equal(symbol_count(&list), 2 * (12 + 6));
    view_draw_list_finish(&list);
    style.clip = true;
    style.clip_plane[0] = 1.0;
    style.clip_plane[3] = 2.0;
    list = build(&f, &style);
    assert_int_equal(list.solids[VIEW_BOX].count, 1);
    assert_int_equal(symbol_count(&list), 12 + 6);
    view_draw_list_finish(&list);
    fixture_end(&f);
}

/// Bodies of the set have another colour, hidden ones no instance.
static void test_flags(void **state)
{
    (void)state;
    fixture f;
    view_style style = view_style_default();
    fixture_begin(&f);
    for (int i = 0; i < 3; i++)
        add_body(f.world, f.sphere, CAIRN_DYNAMIC, i, 0, 3);
    fixture_show(&f);
    view_draw_list plain = build(&f, &style);
    const unsigned char flags[] = {VIEW_FLAG_SET, VIEW_FLAG_HIDDEN};
    view_draw_request request = {.model = &f.model,
                                 .frame = &f.frame,
                                 .style = &style,
                                 .selected = -1,
                                 .contact = -1,
                                 .flags = flags,
                                 .flag_count = 2};
    base_allocator allocator = base_allocator_default();
    view_draw_list list = view_draw_list_begin(&allocator);
    assert_int_equal(view_draw_list_build(&list, &request), CAIRN_OK);
    assert_int_equal(plain.solids[VIEW_SPHERE].count, 3);
    assert_int_equal(list.solids[VIEW_SPHERE].count, 2);
    assert_memory_not_equal(&list.colours[0], &plain.colours[0], sizeof *list.colours);
    assert_memory_equal(&list.colours[2], &plain.colours[2], sizeof *list.colours);
    view_draw_list_finish(&list);
    view_draw_list_finish(&plain);
    fixture_end(&f);
}

static void test_islands(void **state)
{
    (void)state;
    fixture f;
    int islands[6];
    fixture_begin(&f);
    add_body(f.world, f.plane, CAIRN_FIXED, 0, 0, 0);
    for (int i = 0; i < 5; i++)
        add_body(f.world, f.box, CAIRN_DYNAMIC, 3 * i, 0, 1);
    fixture_show(&f);
    // bodies 5-2 and 2-4 touch; 1 and 3 touch the ground alone
    view_contact contacts[4] = {
        {.a = 5, .b = 2, .status = CAIRN_CONTACT_STICKING},
        {.a = 2, .b = 4, .status = CAIRN_CONTACT_SLIDING},
        {.a = 0, .b = 1, .status = CAIRN_CONTACT_STICKING},
        {.a = 1, .b = 3, .status = CAIRN_CONTACT_OPEN},
    };
    view_frame frame = f.frame;
    frame.contacts = contacts;
    frame.contact_count = 4;
    assert_int_equal(view_islands(&f.model, &frame, islands), 3);
    const int expected[6] = {-1, 0, 1, 2, 1, 1};
    assert_memory_equal(islands, expected, sizeof expected);
    fixture_end(&f);
}

/// A ball of diameter d pressed by F from above and below has a mean pressure of F d / (3 V).
static void test_pressure_and_neighbours(void **state)
{
    (void)state;
    fixture f;
    fixture_begin(&f);
    add_body(f.world, f.plane, CAIRN_FIXED, 0, 0, 0);
    add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0, 0, 3);
    add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0, 0, 4);
    fixture_show(&f);
    // body 1 rests on the ground in two contacts, and carries body 2
    view_contact contacts[4] = {
        {.a = 0, .b = 1, .point = {0, 0, 2.5}, .force = {0, 0, 3}},
        {.a = 0, .b = 1, .point = {0, 0, 2.5}, .force = {0, 0, 3}},
        {.a = 1, .b = 2, .point = {0, 0, 3.5}, .force = {0, 0, 6}},
        {.a = 0, .b = 2, .status = CAIRN_CONTACT_OPEN},
    };
    for (int i = 0; i < 3; i++)
        contacts[i].status = CAIRN_CONTACT_STICKING;
    view_frame frame = f.frame;
    frame.contacts = contacts;
    frame.contact_count = 4;
    view_style style = view_style_default();
    view_colour colours[3];
    double range[2];
    style.colours = VIEW_COLOURS_NEIGHBOURS;
    assert_int_equal(view_colour_bodies(&f.model, &frame, &style, colours, range), CAIRN_OK);
    check_close(range[1], 2.0, 0.0, 0.0);
    view_colour half = view_colour_scale(0.5);
    assert_memory_equal(&colours[2], &half, sizeof half);
    style.colours = VIEW_COLOURS_PRESSURE;
    assert_int_equal(view_colour_bodies(&f.model, &frame, &style, colours, range), CAIRN_OK);
    // each of the two forces on body 1 acts half a metre from its centre
    check_close(range[1], (6.0 * 0.5 + 6.0 * 0.5) / 3.0 / (M_PI / 6.0), 1e-12, 0.0);
    assert_memory_equal(&colours[2], &half, sizeof half);
    // a range that was typed: what lies outside has the colour of its end
    style.colours = VIEW_COLOURS_NEIGHBOURS;
    memcpy(style.colour_range, (double[2]){1.0, 1.5}, sizeof style.colour_range);
    assert_int_equal(view_colour_bodies(&f.model, &frame, &style, colours, range), CAIRN_OK);
    check_close(range[0], 1.0, 0.0, 0.0);
    check_close(range[1], 1.5, 0.0, 0.0);
    const view_colour low = view_colour_scale(0.0), high = view_colour_scale(1.0);
    assert_memory_equal(&colours[2], &low, sizeof low);
    assert_memory_equal(&colours[1], &high, sizeof high);
    fixture_end(&f);
}

static void test_turn(void **state)
{
    (void)state;
    const vec3 directions[] = {{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, 1, 0}, {0.6, 0, -0.8}};
    for (int i = 0; i < 5; i++) {
        vec3 turned = quat_rotate(view_turn_z_to(directions[i]), vec3_make(0, 0, 1));
        check_at_most(vec3_distance(turned, directions[i]), 1e-12);
    }
}

/// Every failing allocation leaves nothing behind.
static void test_memory(void **state)
{
    (void)state;
    fixture f;
    make_resting_box(&f);
    view_style style = view_style_default();
    style.contacts = VIEW_CONTACTS_CONES;
    style.boxes = true;
    style.colours = VIEW_COLOURS_ISLAND;
    for (long k = 1; k < 200; k++) {
        base_counting_allocator counter = {.fail_at = k};
        base_allocator allocator = base_allocator_counting(&counter);
        cairn_error error = {0};
        view_model model = {0};
        cairn_status status = view_model_build(&model, &allocator, f.world, &error);
        view_frame frame = view_frame_begin(&allocator), copy = view_frame_begin(&allocator);
        view_draw_list list = view_draw_list_begin(&allocator);
        view_draw_request request = {
            .model = &model, .frame = &frame, .style = &style, .selected = -1, .contact = -1};
        if (status == CAIRN_OK)
            status = view_frame_take(&frame, &model, f.world);
        if (status == CAIRN_OK)
            status = view_frame_copy(&copy, &frame);
        if (status == CAIRN_OK)
            status = view_draw_list_build(&list, &request);
        view_draw_list_finish(&list);
        view_frame_finish(&frame);
        view_frame_finish(&copy);
        view_model_finish(&model);
        assert_int_equal(counter.live, 0);
        if (status == CAIRN_OK) {
            assert_true(k > 10);
            break;
        }
        assert_int_equal(status, CAIRN_ERROR_MEMORY);
    }
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape),    cmocka_unit_test(test_mesh_normals),
        cmocka_unit_test(test_compound_parts), cmocka_unit_test(test_glass),
        cmocka_unit_test(test_contacts),       cmocka_unit_test(test_force_arrows),
        cmocka_unit_test(test_chains),         cmocka_unit_test(test_joints),
        cmocka_unit_test(test_marks_and_clip), cmocka_unit_test(test_flags),
        cmocka_unit_test(test_islands),        cmocka_unit_test(test_turn),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_pressure_and_neighbours),
        cmocka_unit_test(test_outlets),        cmocka_unit_test(test_emitter_cell_servos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
