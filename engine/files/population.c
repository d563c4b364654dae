// SPDX-License-Identifier: Apache-2.0
// The record of which objects there are: taken from a world, checked, and brought back.
#include "engine/files/population.h"

#include "engine/joints/joints.h"

#include <string.h>

enum { SLOTS, LIVE, FREE, WAITING, NUMBERS };

bool eng_population_is_recorded(const eng_population *record)
{
    return record->counts[ENG_POPULATION_NAMES] > 0;
}

static const eng_slots *slots_of(const cairn_world *world, eng_population_kind kind)
{
    const eng_slots *const slots[] = {
        [ENG_POPULATION_BODIES] = &world->body_slots,
        [ENG_POPULATION_SHAPES] = &world->shape_slots,
        [ENG_POPULATION_JOINTS] = &world->joint_slots,
        [ENG_POPULATION_CONNECTORS] = &world->connector_slots,
    };
    return slots[kind];
}

static const char *name_of(const cairn_world *world, int body)
{
    const char *name = eng_extra_of(world, body).name;
    return name != NULL ? name : "";
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
    for (int i = 0; i < world->body_count; i++)
        bytes += (int64_t)strlen(name_of(world, i)) + 1;
    record->counts[ENG_POPULATION_NAMES] = bytes;
}

bool eng_population_allocate(eng_population *record, base_arena *arena)
{
    for (int k = 0; k < ENG_POPULATION_KINDS; k++) {
        const int64_t *counts = record->counts + NUMBERS * k;
        eng_slots_record *slots = &record->slots[k];
        slots->count = (int)counts[SLOTS];
        slots->live_count = (int)counts[LIVE];
        slots->free_count = (int)counts[FREE];
        slots->waiting_count = (int)counts[WAITING];
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
    return record->integers != NULL && record->reals != NULL && record->shapes != NULL &&
           record->names != NULL;
}

// ---------------------------------------------------------------- taking

static void take_body(const cairn_world *world, int row, eng_population *record)
{
    const eng_body *body = &world->bodies[row];
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

/// Kind + 1 and sizes; the kind alone where it takes more than three numbers to make the shape.
static void take_shape(const geo_shape *shape, double sizes[ENG_POPULATION_SIZES])
{
    memset(sizes, 0, ENG_POPULATION_SIZES * sizeof *sizes);
    if (shape == NULL)
        return;
    sizes[0] = (double)shape->kind + 1.0;
    sizes[4] = shape->with_body;
    int count = geo_plain_size_count(shape->kind);
    if (count > 0)
        memcpy(sizes + 1, geo_plain_sizes(shape), (size_t)count * sizeof *sizes);
}

void eng_population_take(const cairn_world *world, eng_population *record)
{
    char *name = record->names;
    for (int k = 0; k < ENG_POPULATION_KINDS; k++)
        eng_slots_take_record(slots_of(world, (eng_population_kind)k), &record->slots[k]);
    for (int i = 0; i < world->body_count; i++) {
        take_body(world, i, record);
        name = stpcpy(name, name_of(world, i)) + 1;
    }
    *name = '\0';
    for (int i = 0; i < world->shape_count; i++)
        take_shape(world->shapes[i], record->shapes[i]);
}

// ---------------------------------------------------------------- checking

/// Every slot is in one list at most, and those of no list have used up their generations.
static bool are_slots_sound(const eng_slots_record *slots, base_arena *arena)
{
    unsigned char *seen = base_arena_array(arena, unsigned char, "slots", slots->count);
    const int *const lists[] = {slots->live, slots->free, slots->waiting};
    const int counts[] = {slots->live_count, slots->free_count, slots->waiting_count};
    if (seen == NULL)
        return false;
    memset(seen, 0, (size_t)slots->count);
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < counts[l]; i++) {
            int slot = lists[l][i];
            if (slot < 0 || slot >= slots->count || seen[slot] != 0)
                return false;
            seen[slot] = (unsigned char)(l + 1);
        }
    for (int i = 0; i < slots->count; i++)
        if (slots->generation[i] == 0 || (seen[i] == 0 && slots->generation[i] != UINT32_MAX))
            return false;
    return true;
}

static bool is_body_sound(const cairn_world *world, const eng_population *record, int row,
                          int64_t colliders)
{
    const int *n = record->integers[row];
    const double *r = record->reals[row];
    double sum = 0.0;
    for (int k = 4; k < 11; k++)
        sum += r[k];
    bool dynamic = n[0] == CAIRN_DYNAMIC;
    for (int k = 0; k < 4; k++)
        dynamic = dynamic && r[k] > 0.0 && isfinite(r[k]);
    return n[0] >= 0 && n[0] <= CAIRN_MOVING && (dynamic || n[0] != CAIRN_DYNAMIC) && n[1] >= 0 &&
           n[1] < record->slots[ENG_POPULATION_SHAPES].count && record->shapes[n[1]][0] > 0.0 &&
           n[2] >= 0 && n[2] < world->material_count && n[3] >= 0 && n[4] >= 0 &&
           n[4] <= ENG_COLLIDER_ROOM_MAX && n[3] + (int64_t)n[4] <= colliders && isfinite(sum) &&
           !isnan(r[11]);
}

const char *eng_population_fault(const cairn_world *world, const eng_population *record,
                                 int64_t colliders, base_arena *arena)
{
    for (int k = 0; k < ENG_POPULATION_KINDS; k++)
        if (!are_slots_sound(&record->slots[k], arena))
            return "its ids are not consistent";
    const eng_slots_record *bodies = &record->slots[ENG_POPULATION_BODIES];
    const eng_slots_record *shapes = &record->slots[ENG_POPULATION_SHAPES];
    int64_t bytes = record->counts[ENG_POPULATION_NAMES], names = 0;
    for (int64_t i = 0; i < bytes; i++)
        names += record->names[i] == '\0';
    if (names != bodies->count + (int64_t)1 || record->names[bytes - 1] != '\0')
        return "its names are not those of its bodies";
    for (int i = 0; i < shapes->live_count; i++) {
        double kind = record->shapes[shapes->live[i]][0];
        if (!(kind >= 1.0 && kind <= GEO_KIND_COUNT && kind == floor(kind)))
            return "a shape is of no kind";
    }
    for (int i = 0; i < bodies->live_count + bodies->waiting_count; i++) {
        int row =
            i < bodies->live_count ? bodies->live[i] : bodies->waiting[i - bodies->live_count];
        if (!is_body_sound(world, record, row, colliders))
            return "a body is not sound";
    }
    return NULL;
}

// ---------------------------------------------------------------- bringing back

/// Whether both tables have the same object in a slot.
static bool has_same(const eng_slots *slots, const unsigned char *live,
                     const eng_slots_record *other, int slot)
{
    return slot < other->count && live[slot] != 0 && eng_slots_is_live(slots, slot) &&
           eng_slots_generation(slots, slot) == other->generation[slot];
}

/// [count] 1 for live slots.
static unsigned char *live_flags(const eng_slots_record *slots, base_arena *arena)
{
    unsigned char *live = base_arena_array(arena, unsigned char, "live", slots->count + 1);
    if (live == NULL)
        return NULL;
    memset(live, 0, (size_t)slots->count + 1);
    for (int i = 0; i < slots->live_count; i++)
        live[slots->live[i]] = 1;
    return live;
}

/// Whether a body of the world stays; -1 is the world itself.
static bool stays(const cairn_world *world, const eng_population *record, const unsigned char *live,
                  int body)
{
    return body < 0 ||
           has_same(&world->body_slots, live, &record->slots[ENG_POPULATION_BODIES], body);
}

/// Why the joints and connectors of the record cannot be brought back; NULL where they can.
static const char *reason_against_links(const cairn_world *world, const eng_population *record,
                                        unsigned char *const live[ENG_POPULATION_KINDS])
{
    static const char *const reasons[2] = {
        "it has joints that were made after the first step, or removed here since",
        "it has connectors that were made after the first step, or removed here since"};
    const eng_population_kind kinds[2] = {ENG_POPULATION_JOINTS, ENG_POPULATION_CONNECTORS};
    for (int k = 0; k < 2; k++) {
        const eng_slots *here = slots_of(world, kinds[k]);
        const eng_slots_record *there = &record->slots[kinds[k]];
        for (int i = 0; i < there->live_count; i++) {
            int slot = there->live[i];
            if (!has_same(here, live[kinds[k]], there, slot))
                return reasons[k];
            const int *body = k == 0 ? world->joints[eng_slots_place(here, slot)].body
                                     : world->connectors[eng_slots_place(here, slot)].body;
            for (int side = 0; side < 2; side++)
                if (!stays(world, record, live[ENG_POPULATION_BODIES], body[side]))
                    return reasons[k];
        }
    }
    return NULL;
}

/// Why the record cannot be brought back; NULL where it can.
static const char *reason_against(const cairn_world *world, const eng_population *record,
                                  unsigned char *const live[ENG_POPULATION_KINDS])
{
    const eng_slots_record *shapes = &record->slots[ENG_POPULATION_SHAPES];
    const eng_slots_record *bodies = &record->slots[ENG_POPULATION_BODIES];
    const char *reason = reason_against_links(world, record, live);
    for (int i = 0; i < bodies->live_count && reason == NULL; i++)
        if (record->integers[bodies->live[i]][6] != 0 &&
            !stays(world, record, live[ENG_POPULATION_BODIES], bodies->live[i]))
            reason = "it has bodies that follow functions of time and were made after the first "
                     "step, or removed here since";
    if (reason != NULL)
        return reason;
    for (int i = 0; i < shapes->live_count; i++) {
        int slot = shapes->live[i], kind = (int)record->shapes[slot][0] - 1;
        bool plain = kind >= 0 && geo_plain_size_count((geo_kind)kind) >= 0;
        bool same = has_same(&world->shape_slots, live[ENG_POPULATION_SHAPES], shapes, slot);
        if (!same && !plain)
            return "it has a hull, mesh or compound that was made after the first step, or removed "
                   "here since";
        if (same && (int)world->shapes[slot]->kind != kind)
            return "its shapes are others";
    }
    return NULL;
}

static void swap_bytes(void *a, void *b, size_t size)
{
    unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++) {
        unsigned char kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

/// Puts the live slots into the recorded order, and what stands in their order with them.
static void order_joints(cairn_world *world, const eng_slots_record *recorded)
{
    for (int place = 0; place < recorded->live_count; place++) {
        eng_slots *slots = &world->joint_slots;
        int slot = recorded->live[place], now = eng_slots_place(slots, slot);
        swap_bytes(&world->joints[place], &world->joints[now], sizeof *world->joints);
        eng_slots_move(slots, slot, place);
    }
    for (int i = 0; i < world->joint_count; i++)
        if (world->joints[i].name != NULL)
            base_names_change(&world->joint_names, world->joints[i].name, i);
}

static void order_connectors(cairn_world *world, const eng_slots_record *recorded)
{
    for (int place = 0; place < recorded->live_count; place++) {
        eng_slots *slots = &world->connector_slots;
        int slot = recorded->live[place], now = eng_slots_place(slots, slot);
        swap_bytes(&world->connectors[place], &world->connectors[now], sizeof *world->connectors);
        eng_slots_move(slots, slot, place);
    }
    // the chains of the bodies are made anew
    for (int i = 0; i < world->extra_count; i++)
        world->extras[i].first_connector = 0;
    for (int i = 0; i < world->connector_count; i++) {
        eng_connector *connector = &world->connectors[i];
        if (connector->name != NULL)
            base_names_change(&world->connector_names, connector->name, i);
        for (int side = 0; side < 2; side++) {
            eng_extra *extra = &world->extras[world->bodies[connector->body[side]].extra - 1];
            connector->next[side] = extra->first_connector;
            extra->first_connector = i + 1;
        }
    }
}

static void drop_others(cairn_world *world, const eng_population *record,
                        unsigned char *const live[ENG_POPULATION_KINDS])
{
    const eng_slots_record *recorded = record->slots;
    for (int i = world->joint_count; i-- > 0;)
        if (!has_same(&world->joint_slots, live[ENG_POPULATION_JOINTS],
                      &recorded[ENG_POPULATION_JOINTS], eng_slots_at(&world->joint_slots, i)))
            eng_joint_drop(world, i);
    for (int i = world->connector_count; i-- > 0;)
        if (!has_same(&world->connector_slots, live[ENG_POPULATION_CONNECTORS],
                      &recorded[ENG_POPULATION_CONNECTORS],
                      eng_slots_at(&world->connector_slots, i)))
            eng_connector_drop(world, i);
    for (int i = world->body_slots.live_count; i-- > 0;) {
        int row = eng_slots_at(&world->body_slots, i);
        if (has_same(&world->body_slots, live[ENG_POPULATION_BODIES],
                     &recorded[ENG_POPULATION_BODIES], row))
            continue;
        eng_slots_drop(&world->body_slots, row);
        eng_colliders_drop(world, row);
        eng_body_clear(world, row);
    }
    for (int i = world->shape_slots.live_count; i-- > 0;) {
        int slot = eng_slots_at(&world->shape_slots, i);
        if (!has_same(&world->shape_slots, live[ENG_POPULATION_SHAPES],
                      &recorded[ENG_POPULATION_SHAPES], slot))
            eng_shape_drop(world, slot);
    }
}

static cairn_status make_shapes(cairn_world *world, const eng_population *record)
{
    const eng_slots_record *shapes = &record->slots[ENG_POPULATION_SHAPES];
    cairn_status status = eng_shapes_reserve(world, shapes->count);
    for (int i = 0; i < shapes->live_count && status == CAIRN_OK; i++) {
        int slot = shapes->live[i];
        const double *sizes = record->shapes[slot];
        if (world->shapes[slot] == NULL)
            status = eng_shape_make_plain(world, slot, (geo_kind)((int)sizes[0] - 1), sizes + 1);
        if (status == CAIRN_OK)
            world->shapes[slot]->with_body = sizes[4] != 0.0;
    }
    return status == CAIRN_OK ? eng_slots_restore(&world->shape_slots, &world->allocator, shapes)
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
        world->bodies[row].first_collider = n[3];
        world->bodies[row].collider_room = (unsigned)n[4] & ENG_COLLIDER_ROOM_MAX;
        name += strlen(name) + 1;
    }
    // those that wait for the next step to be gone
    for (int i = 0; i < bodies->waiting_count && status == CAIRN_OK; i++) {
        status = make_body(world, record, bodies->waiting[i], "");
        world->bodies[bodies->waiting[i]].removed = status == CAIRN_OK;
    }
    return status == CAIRN_OK ? eng_slots_restore(&world->body_slots, &world->allocator, bodies)
                              : status;
}

static cairn_status make_arrivals(cairn_world *world, const eng_population *record)
{
    eng_arrivals_settle(world);
    cairn_status status = base_array_reserve(&world->allocator, &world->arrivals,
                                             &world->arrival_capacity, world->body_count);
    for (int row = 0; row < world->body_count && status == CAIRN_OK; row++) {
        world->bodies[row].arrived = record->integers[row][5] != 0;
        if (world->bodies[row].arrived)
            world->arrivals[world->arrival_count++] = row;
    }
    return status;
}

cairn_status eng_population_restore(cairn_world *world, const eng_population *record, int colliders,
                                    const char **reason)
{
    unsigned char *live[ENG_POPULATION_KINDS];
    base_arena *arena = base_arena_create(&world->allocator, 1 << 12);
    cairn_status status = arena != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int k = 0; k < ENG_POPULATION_KINDS && status == CAIRN_OK; k++)
        if ((live[k] = live_flags(&record->slots[k], arena)) == NULL)
            status = CAIRN_ERROR_MEMORY;
    *reason = status == CAIRN_OK ? reason_against(world, record, live) : NULL;
    if (*reason != NULL)
        status = CAIRN_ERROR_UNSUPPORTED;
    for (int k = 0; k < ENG_POPULATION_KINDS && status == CAIRN_OK; k++) {
        eng_slots *slots = (eng_slots *)slots_of(world, (eng_population_kind)k);
        status = eng_slots_prepare_all(slots, &world->allocator, slots->count);
    }
    if (status == CAIRN_OK) {
        eng_removals_settle(world);
        eng_blocks_release(world);
        eng_colliders_release(world);
        drop_others(world, record, live);
        order_joints(world, &record->slots[ENG_POPULATION_JOINTS]);
        order_connectors(world, &record->slots[ENG_POPULATION_CONNECTORS]);
        status = make_shapes(world, record);
    }
    if (status == CAIRN_OK)
        status = make_bodies(world, record, live[ENG_POPULATION_BODIES]);
    if (status == CAIRN_OK)
        status = eng_slots_restore(&world->joint_slots, &world->allocator,
                                   &record->slots[ENG_POPULATION_JOINTS]);
    if (status == CAIRN_OK)
        status = eng_slots_restore(&world->connector_slots, &world->allocator,
                                   &record->slots[ENG_POPULATION_CONNECTORS]);
    if (status == CAIRN_OK)
        status = make_arrivals(world, record);
    world->body_count =
        status == CAIRN_OK ? record->slots[ENG_POPULATION_BODIES].count : world->body_count;
    world->collider_count = colliders;
    world->population_changed = true;
    base_arena_destroy(arena);
    return status;
}
