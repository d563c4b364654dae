// SPDX-License-Identifier: Apache-2.0
// The record of which objects there are: taken from a world, checked, and brought back.
#include "engine/files/population.h"
#include "engine/joints/joints.h"
#include "engine/pairs/connectors.h"
#include "engine/passes/removal.h"
#include "engine/space/space.h"
#include "engine/state/blocks.h"
#include "engine/state/exclusions.h"
#include "engine/state/rows.h"
#include "engine/state/shapes.h"
#include "engine/state/world.h"

#include "engine/state/ids.h"
#include "engine/state/own_laws.h"

#include <string.h>

enum { SLOTS, LIVE, FREE, WAITING, NUMBERS };

bool eng_population_is_recorded(const eng_population *record)
{
    return record->counts[ENG_POPULATION_NAMES] > 0;
}

static const eng_slots *slots_of(const cairn_world *world, eng_population_kind kind)
{
    const eng_slots *const slots[] = {
        [ENG_POPULATION_BODIES] = &world->model.ids.body,
        [ENG_POPULATION_SHAPES] = &world->model.ids.shape,
        [ENG_POPULATION_JOINTS] = &world->model.ids.joint,
        [ENG_POPULATION_CONNECTORS] = &world->model.ids.connector,
    };
    return slots[kind];
}

/// Names of a record: of rows, of joints, and two of each connector.
static int name_count(const cairn_world *world)
{
    return world->model.bodies.count + world->model.joints.count +
           2 * world->model.connectors.count;
}

static const char *name_of(const cairn_world *world, int index)
{
    const char *name;
    int joint = index - world->model.bodies.count, connector = joint - world->model.joints.count;
    if (joint < 0)
        name = eng_extra_of(world, index).name;
    else if (connector < 0)
        name = world->model.joints.rows[joint].name;
    else
        name = connector % 2 == 0 ? world->model.connectors.rows[connector / 2].name
                                  : world->model.connectors.rows[connector / 2].surface.law->name;
    return name != NULL ? name : "";
}

static void write_parts(const cairn_world *world, eng_parts *parts)
{
    for (int i = 0; i < world->model.shapes.count; i++)
        if (world->model.shapes.rows[i] != NULL &&
            geo_plain_size_count(world->model.shapes.rows[i]->kind) < 0)
            eng_shape_write(world, i, parts);
    for (int i = 0; i < world->model.joints.count; i++)
        eng_joint_write(&world->model.joints.rows[i], parts);
    for (int i = 0; i < world->model.connectors.count; i++)
        eng_connector_write(&world->model.connectors.rows[i], parts);
    eng_exclusions_write(world, parts);
}

void eng_population_head(const cairn_world *world, eng_population *record)
{
    for (int k = 0; k < ENG_POPULATION_KINDS; k++) {
        const eng_slots *slots = slots_of(world, (eng_population_kind)k);
        int64_t *counts = record->counts + NUMBERS * k;
        counts[SLOTS] = slots->count;
        counts[LIVE] = slots->live_count;
        counts[FREE] = slots->free_count;
        counts[WAITING] = slots->waiting_count;
    }
    // one more, so that a record is never empty
    int64_t bytes = 1;
    for (int i = 0; i < name_count(world); i++)
        bytes += (int64_t)strlen(name_of(world, i)) + 1;
    record->counts[ENG_POPULATION_NAMES] = bytes;
    eng_parts parts = {0};
    write_parts(world, &parts);
    record->counts[ENG_POPULATION_PART_INTEGERS] = parts.integer_at;
    record->counts[ENG_POPULATION_PART_REALS] = parts.real_at;
}

void eng_population_size(eng_population *record)
{
    for (int k = 0; k < ENG_POPULATION_KINDS; k++) {
        const int64_t *counts = record->counts + NUMBERS * k;
        eng_slots_record *slots = &record->slots[k];
        slots->count = (int)counts[SLOTS];
        slots->live_count = (int)counts[LIVE];
        slots->free_count = (int)counts[FREE];
        slots->waiting_count = (int)counts[WAITING];
    }
    record->parts.integer_count = record->counts[ENG_POPULATION_PART_INTEGERS];
    record->parts.real_count = record->counts[ENG_POPULATION_PART_REALS];
}

bool eng_population_allocate(eng_population *record, base_arena *arena)
{
    eng_population_size(record);
    for (int k = 0; k < ENG_POPULATION_KINDS; k++) {
        const int64_t *counts = record->counts + NUMBERS * k;
        eng_slots_record *slots = &record->slots[k];
        slots->generation = base_arena_array(arena, uint32_t, "generations", counts[SLOTS]);
        slots->live = base_arena_array(arena, int, "live", counts[LIVE]);
        slots->free = base_arena_array(arena, int, "free", counts[FREE]);
        slots->waiting = base_arena_array(arena, int, "waiting", counts[WAITING]);
        if (slots->generation == NULL || slots->live == NULL || slots->free == NULL ||
            slots->waiting == NULL)
            return false;
    }
    size_t bodies = (size_t)record->slots[ENG_POPULATION_BODIES].count;
    size_t shapes = (size_t)record->slots[ENG_POPULATION_SHAPES].count;
    record->integers = base_arena_allocate(arena, "bodies", bodies, sizeof *record->integers);
    record->reals = base_arena_allocate(arena, "bodies", bodies, sizeof *record->reals);
    record->shapes = base_arena_allocate(arena, "shapes", shapes, sizeof *record->shapes);
    record->names =
        base_arena_allocate(arena, "names", (size_t)record->counts[ENG_POPULATION_NAMES], 1);
    eng_parts *parts = &record->parts;
    parts->integers = base_arena_array(arena, int, "parts", parts->integer_count);
    parts->reals = base_arena_array(arena, double, "parts", parts->real_count);
    return record->integers != NULL && record->reals != NULL && record->shapes != NULL &&
           record->names != NULL && parts->integers != NULL && parts->reals != NULL;
}

// ---------------------------------------------------------------- taking

static void take_body(const cairn_world *world, int row, eng_population *record)
{
    const eng_body *body = &world->model.bodies.rows[row];
    const int integers[ENG_POPULATION_INTEGERS] = {(int)body->kind,
                                                   body->shape,
                                                   body->material,
                                                   body->first_collider,
                                                   body->collider_room,
                                                   body->arrived,
                                                   eng_extra_of(world, row).motion.function !=
                                                       NULL};
    double *reals = record->reals[row];
    pose frame = eng_frame_of(world, row);
    memcpy(record->integers[row], integers, sizeof integers);
    reals[0] = body->mass;
    vec3_store(reals + 1, eng_inertia_of(world, row));
    memcpy(reals + 4, &frame, sizeof frame);
    reals[11] = eng_reach_of(world, row);
}

/// Kind + 1 and sizes; the kind alone where it takes more than four numbers to make the shape.
static void take_shape(const geo_shape *shape, double sizes[ENG_POPULATION_SIZES])
{
    memset(sizes, 0, ENG_POPULATION_SIZES * sizeof *sizes);
    if (shape == NULL)
        return;
    sizes[0] = (double)shape->kind + 1.0;
    sizes[ENG_POPULATION_SIZES - 1] = shape->with_body;
    int count = geo_plain_size_count(shape->kind);
    if (count > 0)
        memcpy(sizes + 1, geo_plain_sizes(shape), (size_t)count * sizeof *sizes);
}

void eng_population_take(const cairn_world *world, eng_population *record)
{
    char *name = record->names;
    for (int k = 0; k < ENG_POPULATION_KINDS; k++)
        eng_slots_take_record(slots_of(world, (eng_population_kind)k), &record->slots[k]);
    for (int i = 0; i < world->model.bodies.count; i++)
        take_body(world, i, record);
    for (int i = 0; i < name_count(world); i++)
        name = stpcpy(name, name_of(world, i)) + 1;
    *name = '\0';
    eng_parts parts = record->parts;
    write_parts(world, &parts);
    for (int i = 0; i < world->model.shapes.count; i++)
        take_shape(world->model.shapes.rows[i], record->shapes[i]);
}

bool eng_population_take_functions(const cairn_world *world, eng_population *record,
                                   base_arena *arena)
{
    eng_population_functions *kept = base_arena_array(arena, eng_population_functions, "kept", 1);
    if (kept == NULL)
        return false;
    *kept = (eng_population_functions){
        .motions = base_arena_array(arena, eng_motion, "motions", world->model.bodies.count),
        .motors = base_arena_array(arena, eng_motor, "motors", world->model.joints.count)};
    if (kept->motions == NULL || kept->motors == NULL)
        return false;
    for (int i = 0; i < world->model.bodies.count; i++)
        kept->motions[i] = eng_extra_of(world, i).motion;
    for (int i = 0; i < world->model.joints.count; i++)
        kept->motors[i] = (eng_motor){world->model.joints.rows[i].motor_function,
                                      world->model.joints.rows[i].motor_context};
    record->functions = kept;
    return true;
}

// ---------------------------------------------------------------- bringing back

// live in the record, while a slot of the world with the same generation has another object: one
// that was made after the world went back to before the first
enum { OTHER = 2 };

/// Whether both tables have the same object in a slot.
static bool has_same(const eng_slots *slots, const unsigned char *live,
                     const eng_slots_record *other, int slot)
{
    return slot < other->count && live[slot] != 0 && live[slot] != OTHER &&
           eng_slots_is_live(slots, slot) &&
           eng_slots_generation(slots, slot) == other->generation[slot];
}

/// Whether a shape that is not plain is the one whose numbers lie in these parts from here on.
static cairn_status has_parts(const cairn_world *world, int slot, const eng_parts *from,
                              base_arena *arena, bool *same)
{
    eng_parts mine = {0};
    eng_shape_write(world, slot, &mine);
    int64_t integers = mine.integer_at, reals = mine.real_at;
    *same = integers <= from->integer_count - from->integer_at &&
            reals <= from->real_count - from->real_at;
    if (!*same)
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(arena);
    mine = (eng_parts){.integers = base_arena_array(arena, int, "parts", integers),
                       .reals = base_arena_array(arena, double, "parts", reals)};
    if (mine.integers == NULL || mine.reals == NULL)
        return CAIRN_ERROR_MEMORY;
    eng_shape_write(world, slot, &mine);
    *same = memcmp(mine.integers, from->integers + from->integer_at,
                   (size_t)integers * sizeof(int)) == 0 &&
            memcmp(mine.reals, from->reals + from->real_at, (size_t)reals * sizeof(double)) == 0;
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}

/// Marks bodies that the world has others in the place of. One that was frozen or released since is
/// the same.
static void mark_other_bodies(const cairn_world *world, const eng_population *record,
                              unsigned char *const live[ENG_POPULATION_KINDS])
{
    const eng_slots_record *bodies = &record->slots[ENG_POPULATION_BODIES];
    const char *name = record->names;
    for (int row = 0; row < bodies->count; row++, name += strlen(name) + 1) {
        if (!has_same(&world->model.ids.body, live[ENG_POPULATION_BODIES], bodies, row))
            continue;
        const int *n = record->integers[row];
        const eng_body *body = &world->model.bodies.rows[row];
        pose frame = eng_frame_of(world, row);
        bool shaped =
            body->shape == n[1] && has_same(&world->model.ids.shape, live[ENG_POPULATION_SHAPES],
                                            &record->slots[ENG_POPULATION_SHAPES], n[1]);
        vec3 inertia = eng_inertia_of(world, row);
        bool heavy = (int)body->kind != n[0] ||
                     (body->mass == record->reals[row][0] &&
                      memcmp(&inertia, record->reals[row] + 1, sizeof inertia) == 0);
        if (!shaped || !heavy || body->material != n[2] || strcmp(name, name_of(world, row)) != 0 ||
            memcmp(&frame, record->reals[row] + 4, sizeof frame) != 0)
            live[ENG_POPULATION_BODIES][row] = OTHER;
    }
}

/// Whether a body of the world stays; -1 is the world itself.
static bool stays(const cairn_world *world, const eng_population *record, const unsigned char *live,
                  int body)
{
    return body < 0 ||
           has_same(&world->model.ids.body, live, &record->slots[ENG_POPULATION_BODIES], body);
}

/// What a record brings that may not be in the world: made or read before the world is touched.
typedef struct newcomers {
    unsigned char *live[ENG_POPULATION_KINDS];
    geo_shape **shapes;       // [shapes] those to be made; NULL elsewhere
    const int (**members)[2]; // [shapes] of compounds
    eng_joint *joints;        // [joints] as recorded, without names
    eng_connector *connectors;
    const char **names; // [joints and 2 of each connector]
    const int (*excluded)[2];
    int excluded_count;
} newcomers;

/// A link that the world has another one in the place of is no longer the same.
static void mark_other_link(const cairn_world *world, const eng_population *record,
                            unsigned char *const live[ENG_POPULATION_KINDS],
                            eng_population_kind kind, int slot, const int body[2], const char *name)
{
    const eng_slots *here = slots_of(world, kind);
    if (!has_same(here, live[kind], &record->slots[kind], slot))
        return;
    int place = eng_slots_place(here, slot);
    bool joint = kind == ENG_POPULATION_JOINTS;
    const int *own =
        joint ? world->model.joints.rows[place].body : world->model.connectors.rows[place].body;
    const char *called =
        joint ? world->model.joints.rows[place].name : world->model.connectors.rows[place].name;
    if (own[0] != body[0] || own[1] != body[1] || strcmp(called != NULL ? called : "", name) != 0)
        live[kind][slot] = OTHER;
}

/// Whether a joint (or connector) of the world is that of the record, with its bodies.
static bool keeps_link(const cairn_world *world, const eng_population *record,
                       unsigned char *const live[ENG_POPULATION_KINDS], eng_population_kind kind,
                       int slot)
{
    const eng_slots *here = slots_of(world, kind);
    if (!has_same(here, live[kind], &record->slots[kind], slot))
        return false;
    int place = eng_slots_place(here, slot);
    const int *body = kind == ENG_POPULATION_JOINTS ? world->model.joints.rows[place].body
                                                    : world->model.connectors.rows[place].body;
    return stays(world, record, live[ENG_POPULATION_BODIES], body[0]) &&
           stays(world, record, live[ENG_POPULATION_BODIES], body[1]);
}

/// Makes the shapes that are not there but for plain ones, and goes past the others.
static cairn_status read_shapes(const cairn_world *world, const eng_population *record,
                                eng_parts *parts, base_arena *arena, newcomers *new)
{
    const eng_slots_record *shapes = &record->slots[ENG_POPULATION_SHAPES];
    unsigned char *live = new->live[ENG_POPULATION_SHAPES];
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < shapes->count && status == CAIRN_OK; i++) {
        int kind = (int)record->shapes[i][0] - 1;
        bool plain = kind < 0 || geo_plain_size_count((geo_kind)kind) >= 0;
        bool same = has_same(&world->model.ids.shape, live, shapes, i);
        double sizes[ENG_POPULATION_SIZES];
        if (same) {
            take_shape(world->model.shapes.rows[i], sizes);
            same =
                memcmp(sizes, record->shapes[i], (ENG_POPULATION_SIZES - 1) * sizeof *sizes) == 0;
            if (same && !plain)
                status = has_parts(world, i, parts, arena, &same);
            live[i] = same ? live[i] : OTHER;
        }
        if (plain || status != CAIRN_OK)
            continue;
        bool made = !same && live[i] != 0;
        status = eng_shape_read(parts, (geo_kind)kind, &world->model.allocator,
                                made ? &new->shapes[i] : NULL, &new->members[i]);
    }
    return status;
}

static void read_links(const cairn_world *world, const eng_population *record, eng_parts *parts,
                       newcomers *new, const char **reason)
{
    const eng_slots_record *joints = &record->slots[ENG_POPULATION_JOINTS];
    const eng_slots_record *connectors = &record->slots[ENG_POPULATION_CONNECTORS];
    for (int i = 0; i < joints->live_count; i++) {
        bool asks = eng_joint_read(parts, &new->joints[i]);
        mark_other_link(world, record, new->live, ENG_POPULATION_JOINTS, joints->live[i],
                        new->joints[i].body, new->names[i]);
        if (asks && record->functions == NULL &&
            !keeps_link(world, record, new->live, ENG_POPULATION_JOINTS, joints->live[i]))
            *reason = "it has joints whose motors follow functions of the program and that were "
                      "made after the first step, or removed here since";
    }
    for (int i = 0; i < connectors->live_count; i++) {
        eng_connector_part part = eng_connector_read(parts);
        const con_law *law = eng_law_find(world, new->names[joints->live_count + 2 * i + 1]);
        if (law == NULL || law->kind != CON_LAW_IMPULSE ||
            !eng_connector_settle(&part, law, &new->connectors[i]))
            *reason = "it has a connector of a law that this world does not have";
        else
            mark_other_link(world, record, new->live, ENG_POPULATION_CONNECTORS,
                            connectors->live[i], new->connectors[i].body,
                            new->names[joints->live_count + 2 * i]);
    }
    new->excluded = eng_exclusions_read(parts, &new->excluded_count);
}

/// Reads the record, and makes what memory or numbers may forbid.
/// @param reason  out: why it cannot be brought back; NULL where it can
static cairn_status read_newcomers(const cairn_world *world, const eng_population *record,
                                   base_arena *arena, newcomers *new, const char **reason)
{
    const eng_slots_record *slots = record->slots;
    size_t shapes = (size_t)slots[ENG_POPULATION_SHAPES].count;
    int links =
        slots[ENG_POPULATION_JOINTS].live_count + 2 * slots[ENG_POPULATION_CONNECTORS].live_count;
    new->shapes = base_arena_array(arena, geo_shape *, "shapes", shapes);
    new->members = base_arena_allocate(arena, "members", shapes, sizeof *new->members);
    new->joints =
        base_arena_array(arena, eng_joint, "joints", slots[ENG_POPULATION_JOINTS].live_count);
    new->connectors = base_arena_array(arena, eng_connector, "connectors",
                                       slots[ENG_POPULATION_CONNECTORS].live_count);
    new->names = base_arena_array(arena, const char *, "names", links);
    if (new->shapes == NULL || new->members == NULL || new->joints == NULL ||
        new->connectors == NULL || new->names == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(new->shapes, 0, shapes * sizeof *new->shapes);
    const char *name = record->names;
    for (int i = 0; i < slots[ENG_POPULATION_BODIES].count; i++)
        name += strlen(name) + 1;
    for (int i = 0; i < links; i++, name += strlen(name) + 1)
        new->names[i] = name;
    eng_parts parts = record->parts;
    const eng_slots_record *bodies = &slots[ENG_POPULATION_BODIES];
    cairn_status status = read_shapes(world, record, &parts, arena, new);
    if (status == CAIRN_OK) {
        mark_other_bodies(world, record, new->live);
        read_links(world, record, &parts, new, reason);
    }
    for (int i = 0; i < bodies->live_count && *reason == NULL && record->functions == NULL; i++)
        if (record->integers[bodies->live[i]][6] != 0 &&
            !stays(world, record, new->live[ENG_POPULATION_BODIES], bodies->live[i]))
            *reason = "it has bodies that follow functions of time and were made after the first "
                      "step, or removed here since";
    return status == CAIRN_OK && *reason != NULL ? CAIRN_ERROR_UNSUPPORTED : status;
}

/// A link that is not in the world: its name, and its bodies' extras.
static cairn_status welcome(cairn_world *world, base_names *names, const char *name, int place,
                            const int body[2], char **kept)
{
    cairn_status status = CAIRN_OK;
    for (int side = 0; side < 2 && status == CAIRN_OK; side++)
        if (body[side] >= 0 && eng_extra_make(&world->model, body[side]) == NULL)
            status = CAIRN_ERROR_MEMORY;
    if (status != CAIRN_OK || name[0] == '\0')
        return status;
    *kept = base_copy_text(&world->model.allocator, name);
    return *kept == NULL ? CAIRN_ERROR_MEMORY
                         : base_names_add(names, &world->model.allocator, *kept, place);
}

/// The joints of the record in their order: those of the world, which are all of the record now,
/// and the others.
static cairn_status bring_joints(cairn_world *world, const eng_slots_record *recorded,
                                 newcomers *new)
{
    int count = recorded->live_count;
    cairn_status status = base_array_reserve(&world->model.allocator, &world->model.joints.rows,
                                             &world->model.joints.capacity, count);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->state.joints.rows,
                                    &world->state.joints.capacity, count);
    for (int place = 0; place < count && status == CAIRN_OK; place++) {
        eng_joint *joint = &new->joints[place];
        int slot = recorded->live[place];
        if (eng_slots_is_live(&world->model.ids.joint, slot)) {
            const eng_joint *kept =
                &world->model.joints.rows[eng_slots_place(&world->model.ids.joint, slot)];
            joint->name = kept->name;
            joint->motor_function = kept->motor_function;
            joint->motor_context = kept->motor_context;
            if (joint->name != NULL)
                base_names_change(&world->model.joints.names, joint->name, place);
            continue;
        }
        status = welcome(world, &world->model.joints.names, new->names[place], place, joint->body,
                         &joint->name);
        for (int side = 0; side < 2 && status == CAIRN_OK; side++)
            if (joint->body[side] >= 0)
                eng_extra_make(&world->model, joint->body[side])->joints++;
    }
    if (status != CAIRN_OK)
        return status;
    if (count > 0) {
        memcpy(world->model.joints.rows, new->joints, (size_t)count * sizeof *new->joints);
        memset(world->state.joints.rows, 0, (size_t)count * sizeof *world->state.joints.rows);
    }
    world->model.joints.count = count;
    return eng_slots_restore(&world->model.ids.joint, &world->model.allocator, recorded);
}

static cairn_status bring_connectors(cairn_world *world, const eng_slots_record *recorded,
                                     newcomers *new, const char *const *names)
{
    int count = recorded->live_count;
    cairn_status status = base_array_reserve(&world->model.allocator, &world->model.connectors.rows,
                                             &world->model.connectors.capacity, count);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->state.connectors.rows,
                                    &world->state.connectors.capacity, count);
    for (int place = 0; place < count && status == CAIRN_OK; place++) {
        eng_connector *connector = &new->connectors[place];
        int slot = recorded->live[place];
        if (!eng_slots_is_live(&world->model.ids.connector, slot)) {
            status = welcome(world, &world->model.connectors.names, names[2 * place], place,
                             connector->body, &connector->name);
            continue;
        }
        connector->name =
            world->model.connectors.rows[eng_slots_place(&world->model.ids.connector, slot)].name;
        if (connector->name != NULL)
            base_names_change(&world->model.connectors.names, connector->name, place);
    }
    if (status != CAIRN_OK)
        return status;
    if (count > 0)
        memcpy(world->model.connectors.rows, new->connectors,
               (size_t)count * sizeof *new->connectors);
    world->model.connectors.count = count;
    // the chains of the bodies are made anew
    for (int i = 0; i < world->model.bodies.extra_count; i++)
        world->model.bodies.extras[i].first_connector = 0;
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            eng_connector *connector = &world->model.connectors.rows[i];
            eng_extra *extra = eng_extra_make(&world->model, connector->body[side]);
            connector->next[side] = extra->first_connector;
            extra->first_connector = i + 1;
        }
    return eng_slots_restore(&world->model.ids.connector, &world->model.allocator, recorded);
}

static cairn_status bring_exclusions(cairn_world *world, const newcomers *new)
{
    cairn_status status = CAIRN_OK;
    world->model.bodies.excluded_count = 0;
    for (int i = 0; i < new->excluded_count &&status == CAIRN_OK; i++)
        status = eng_exclusion_add(world, new->excluded[i]);
    return status;
}

/// What the program had its bodies and joints follow then.
static cairn_status bring_functions(cairn_world *world, const eng_population *record)
{
    const eng_population_functions *kept = record->functions;
    cairn_status status = CAIRN_OK;
    world->model.bodies.motion_count = 0;
    for (int row = 0; row < record->slots[ENG_POPULATION_BODIES].count; row++) {
        eng_motion motion = kept->motions[row];
        eng_extra *extra = NULL;
        if (motion.function == NULL && eng_extra_of(world, row).motion.function == NULL)
            continue;
        extra = eng_extra_make(&world->model, row);
        if (extra == NULL) {
            status = CAIRN_ERROR_MEMORY;
            continue;
        }
        extra->motion = motion;
        world->model.bodies.motion_count += motion.function != NULL;
    }
    for (int i = 0; i < world->model.joints.count; i++) {
        world->model.joints.rows[i].motor_function = kept->motors[i].function;
        world->model.joints.rows[i].motor_context = kept->motors[i].context;
    }
    return status;
}

static void drop_others(cairn_world *world, const eng_population *record,
                        unsigned char *const live[ENG_POPULATION_KINDS])
{
    const eng_slots_record *recorded = record->slots;
    for (int i = world->model.joints.count; i-- > 0;)
        if (!keeps_link(world, record, live, ENG_POPULATION_JOINTS,
                        eng_slots_at(&world->model.ids.joint, i)))
            eng_joint_drop(world, i);
    for (int i = world->model.connectors.count; i-- > 0;)
        if (!keeps_link(world, record, live, ENG_POPULATION_CONNECTORS,
                        eng_slots_at(&world->model.ids.connector, i)))
            eng_connector_drop(world, i);
    for (int i = world->model.ids.body.live_count; i-- > 0;) {
        int row = eng_slots_at(&world->model.ids.body, i);
        if (has_same(&world->model.ids.body, live[ENG_POPULATION_BODIES],
                     &recorded[ENG_POPULATION_BODIES], row))
            continue;
        eng_slots_drop(&world->model.ids.body, row);
        eng_colliders_drop(world, row);
        eng_body_clear(world, row);
    }
    for (int i = world->model.ids.shape.live_count; i-- > 0;) {
        int slot = eng_slots_at(&world->model.ids.shape, i);
        if (!has_same(&world->model.ids.shape, live[ENG_POPULATION_SHAPES],
                      &recorded[ENG_POPULATION_SHAPES], slot))
            eng_shape_drop(world, slot);
    }
}

/// A compound's members as ids of this world.
static cairn_status adopt(cairn_world *world, int slot, geo_shape *shape, const int (*members)[2])
{
    size_t count = shape->kind == GEO_COMPOUND ? (size_t)shape->compound.member_count : 0;
    cairn_shape_id *ids = base_allocate(&world->model.allocator, count, sizeof *ids);
    for (size_t i = 0; i < count && ids != NULL; i++)
        ids[i] = (cairn_shape_id){(uint32_t)members[i][0], (uint32_t)members[i][1],
                                  world->model.ids.tag};
    cairn_status status =
        ids != NULL || count == 0 ? eng_shape_adopt(world, slot, shape, ids) : CAIRN_ERROR_MEMORY;
    base_release(&world->model.allocator, ids);
    return status;
}

static cairn_status make_shapes(cairn_world *world, const eng_population *record, newcomers *new)
{
    const eng_slots_record *shapes = &record->slots[ENG_POPULATION_SHAPES];
    cairn_status status = eng_shapes_reserve(&world->model, shapes->count);
    for (int i = 0; i < shapes->live_count && status == CAIRN_OK; i++) {
        int slot = shapes->live[i];
        const double *sizes = record->shapes[slot];
        if (world->model.shapes.rows[slot] == NULL && new->shapes[slot] != NULL) {
            status = adopt(world, slot, new->shapes[slot], new->members[slot]);
            new->shapes[slot] = status == CAIRN_OK ? NULL : new->shapes[slot];
        } else if (world->model.shapes.rows[slot] == NULL) {
            status = eng_shape_make_plain(world, slot, (geo_kind)((int)sizes[0] - 1), sizes + 1);
        }
        if (status == CAIRN_OK)
            world->model.shapes.rows[slot]->with_body = sizes[ENG_POPULATION_SIZES - 1] != 0.0;
    }
    return status == CAIRN_OK
               ? eng_slots_restore(&world->model.ids.shape, &world->model.allocator, shapes)
               : status;
}

static cairn_status make_body(cairn_world *world, const eng_population *record, int row,
                              const char *name)
{
    const int *n = record->integers[row];
    const double *r = record->reals[row];
    eng_body body = {.kind = (cairn_body_kind)n[0],
                     .shape = n[1],
                     .material = n[2],
                     .first_collider = n[3],
                     .collider_room = (unsigned)n[4] & ENG_COLLIDER_ROOM_MAX,
                     .mass = r[0]};
    eng_solid solid = {.inertia = vec3_from(r + 1), .reach = r[11]};
    memcpy(&solid.frame, r + 4, sizeof solid.frame);
    return eng_body_make(world, row, &body, &solid, name[0] != '\0' ? name : NULL);
}

static cairn_status make_bodies(cairn_world *world, const eng_population *record,
                                const unsigned char *live)
{
    const eng_slots_record *bodies = &record->slots[ENG_POPULATION_BODIES];
    const char *name = record->names;
    cairn_status status = eng_bodies_reserve(world, bodies->count);
    for (int row = 0; row < bodies->count && status == CAIRN_OK; row++) {
        const int *n = record->integers[row];
        if (live[row] != 0 && !eng_body_is_live(world, row))
            status = make_body(world, record, row, name);
        else if (live[row] != 0 && (int)world->model.bodies.rows[row].kind != n[0])
            // it was frozen or released since
            status = eng_body_change(world, row, (cairn_body_kind)n[0], record->reals[row][0],
                                     vec3_from(record->reals[row] + 1));
        world->model.bodies.rows[row].first_collider = n[3];
        world->model.bodies.rows[row].collider_room = (unsigned)n[4] & ENG_COLLIDER_ROOM_MAX;
        name += strlen(name) + 1;
    }
    // those that wait for the next step to be gone
    for (int i = 0; i < bodies->waiting_count && status == CAIRN_OK; i++) {
        status = make_body(world, record, bodies->waiting[i], "");
        world->model.bodies.rows[bodies->waiting[i]].removed = status == CAIRN_OK;
    }
    return status == CAIRN_OK
               ? eng_slots_restore(&world->model.ids.body, &world->model.allocator, bodies)
               : status;
}

static cairn_status make_arrivals(cairn_world *world, const eng_population *record)
{
    // the world's own count is still that of the bodies before
    const int count = record->slots[ENG_POPULATION_BODIES].count;
    eng_arrivals_settle(&world->model);
    cairn_status status = base_array_reserve(&world->model.allocator, &world->model.bodies.arrivals,
                                             &world->model.bodies.arrival_capacity, count);
    for (int row = 0; row < count && status == CAIRN_OK; row++) {
        world->model.bodies.rows[row].arrived = record->integers[row][5] != 0;
        if (world->model.bodies.rows[row].arrived)
            world->model.bodies.arrivals[world->model.bodies.arrival_count++] = row;
    }
    return status;
}

/// The world gets the objects of the record, all of which can be had but for memory.
static cairn_status replace_objects(cairn_world *world, const eng_population *record,
                                    newcomers *new)
{
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < ENG_POPULATION_KINDS && status == CAIRN_OK; k++) {
        eng_slots *slots = (eng_slots *)slots_of(world, (eng_population_kind)k);
        status = eng_slots_prepare_all(slots, &world->model.allocator, slots->count);
    }
    if (status != CAIRN_OK)
        return status;
    const eng_slots_record *joints = &record->slots[ENG_POPULATION_JOINTS];
    eng_removals_settle(world);
    eng_blocks_release(world);
    eng_colliders_release(world);
    drop_others(world, record, new->live);
    status = make_shapes(world, record, new);
    if (status == CAIRN_OK)
        status = make_bodies(world, record, new->live[ENG_POPULATION_BODIES]);
    if (status == CAIRN_OK)
        status = bring_joints(world, joints, new);
    if (status == CAIRN_OK)
        status = bring_connectors(world, &record->slots[ENG_POPULATION_CONNECTORS], new,
                                  new->names + joints->live_count);
    if (status == CAIRN_OK)
        status = bring_exclusions(world, new);
    if (status == CAIRN_OK && record->functions != NULL)
        status = bring_functions(world, record);
    return status == CAIRN_OK ? make_arrivals(world, record) : status;
}

cairn_status eng_population_restore(cairn_world *world, const eng_population *record, int colliders,
                                    const char **reason)
{
    newcomers new = {0};
    base_arena *arena = base_arena_create(&world->model.allocator, 1 << 12);
    cairn_status status = arena != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int k = 0; k < ENG_POPULATION_KINDS && status == CAIRN_OK; k++)
        if ((new.live[k] = eng_population_live(&record->slots[k], arena)) == NULL)
            status = CAIRN_ERROR_MEMORY;
    *reason = NULL;
    if (status == CAIRN_OK)
        status = read_newcomers(world, record, arena, &new, reason);
    bool begun = status == CAIRN_OK;
    if (begun)
        status = replace_objects(world, record, &new);
    for (int i = 0; new.shapes != NULL &&i < record->slots[ENG_POPULATION_SHAPES].count; i++)
        geo_shape_destroy(new.shapes[i]);
    if (begun) {
        world->model.bodies.count = status == CAIRN_OK ? record->slots[ENG_POPULATION_BODIES].count
                                                       : world->model.bodies.count;
        world->model.shapes.count = status == CAIRN_OK ? record->slots[ENG_POPULATION_SHAPES].count
                                                       : world->model.shapes.count;
        world->contacts.colliders.count = colliders;
        world->model.population_changed = true;
    }
    base_arena_destroy(arena);
    return status;
}
