// SPDX-License-Identifier: Apache-2.0
// The arrays of a world's state, taking them and going back to them; snapshots in memory.
#include "engine/files/snapshot.h"
#include "engine/bodies/body_state.h"
#include "engine/measures/fingerprint.h"
#include "engine/state/actions.h"
#include "engine/state/blocks.h"
#include "engine/state/filter.h"
#include "engine/state/pair_changes.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/pairs/domains.h"
#include "engine/passes/pieces.h"
#include "engine/passes/undo.h"

#include "base/assert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add(eng_field_list *list, const char *name, eng_store_type type, int width,
                int64_t count, void *data)
{
    BASE_ASSERT(list->count < ENG_FIELDS_MAX);
    list->fields[list->count++] =
        (eng_store_array){.name = name, .type = type, .width = width, .count = count, .data = data};
}

/// A large array: written from the world of the snapshot, read into `data`.
static void add_filled(eng_field_list *list, const char *name, eng_store_type type, int width,
                       int64_t count, void *data, const eng_snapshot *s, eng_store_fill fill)
{
    add(list, name, type, width, count, data);
    if (s->world == NULL)
        return;
    list->fields[list->count - 1].fill = fill;
    list->fields[list->count - 1].source = s->world;
}

/// Arrays that every checkpoint has in the same size.
eng_field_list eng_snapshot_head(eng_snapshot *s)
{
    eng_field_list list = {0};
    add(&list, "format", ENG_STORE_LONG, 1, 1, &s->format);
    add(&list, "version", ENG_STORE_BYTE, 1, ENG_VERSION_SIZE, s->version);
    add(&list, "counts", ENG_STORE_LONG, 1, ENG_COUNTS, s->counts);
    add(&list, "fingerprint", ENG_STORE_WORD, 1, ENG_FINGERPRINT_COUNT, s->fingerprint);
    add(&list, "state_hash", ENG_STORE_WORD, 1, 1, &s->hash);
    add(&list, "time_and_energy", ENG_STORE_REAL, 1, ENG_REALS, s->reals);
    add(&list, "energy_sums", ENG_STORE_LONG, BASE_EXACT_DIGITS, ENG_BOOKED_SUMS, s->booked);
    add(&list, "population/counts", ENG_STORE_LONG, 1, ENG_POPULATION_COUNTS, s->population.counts);
    add(&list, "spheres/counts", ENG_STORE_LONG, 1, ENG_SPHERES_RECORD_COUNTS, s->spheres.counts);
    add(&list, "spheres/numbers", ENG_STORE_REAL, 1, ENG_SPHERES_RECORD_REALS, s->spheres.reals);
    return list;
}

static const eng_store_type types[] = {
    [ENG_REAL] = ENG_STORE_REAL,
    [ENG_INTEGER] = ENG_STORE_INTEGER,
    [ENG_WORD] = ENG_STORE_WORD,
    [ENG_BYTE] = ENG_STORE_BYTE,
};

/// The saved columns of a table of state.
static void add_columns(eng_field_list *list, eng_columns columns, const char *const *names,
                        int64_t n)
{
    for (int i = 0; i < columns.count; i++) {
        const eng_column *column = &columns.table[i];
        if ((column->flags & ENG_SAVED) != 0)
            add(list, names[i], types[column->scalar], column->width, n, columns.data[i]);
    }
}

static const char *const body_names[] = {
#define BODY_NAME(name, ...) "bodies/" #name,
    ENG_BODY_COLUMNS(BODY_NAME)
#undef BODY_NAME
};

static bool fill_body_column(const void *source, int64_t first, int64_t count, void *out)
{
    const eng_body_source *of = source;
    size_t size = eng_column_row_size(eng_body_column(of->column));
    for (int64_t i = 0; i < count; i++)
        eng_body_value(of->world, of->column, (int)(first + i), (char *)out + (size_t)i * size);
    return true;
}

static void add_bodies(eng_field_list *list, eng_snapshot *s)
{
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++) {
        const eng_column *column = eng_body_column(i);
        if ((column->flags & ENG_SAVED) == 0)
            continue;
        add_filled(list, body_names[i], types[column->scalar], column->width,
                   s->counts[ENG_COUNT_BODIES], s->data[i], s, fill_body_column);
        s->sources[i] = (eng_body_source){s->world, i};
        list->fields[list->count - 1].source = &s->sources[i];
    }
}

static const char *const contact_names[] = {
#define CONTACT_NAME(name, ...) "contacts/" #name,
    ENG_CONTACT_COLUMNS(CONTACT_NAME)
#undef CONTACT_NAME
};

static void add_spheres(eng_field_list *list, eng_snapshot *s)
{
    eng_spheres_record *spheres = &s->spheres;
    const int64_t *n = spheres->counts;
    int64_t pairs = n[ENG_SPHERES_RECORD_PAIR_SLOTS], walls = n[ENG_SPHERES_RECORD_WALLS];
    int64_t slots = n[ENG_SPHERES_RECORD_SLOTS];
    add_filled(list, "spheres/bodies", ENG_STORE_INTEGER, 1, slots, spheres->body, s,
               eng_spheres_fill_bodies);
    add_filled(list, "spheres/slots", ENG_STORE_REAL, ENG_SPHERES_RECORD_SLOT_WIDTH, slots,
               spheres->slots, s, eng_spheres_fill_slots);
    add_filled(list, "spheres/pairs", ENG_STORE_REAL, ENG_SPHERES_RECORD_PAIR_SLOT_WIDTH, pairs,
               spheres->pair_slots, s, eng_spheres_fill_pairs);
    add_filled(list, "spheres/acts", ENG_STORE_BYTE, 1, pairs, spheres->acts, s,
               eng_spheres_fill_acts);
    add_filled(list, "spheres/moments", ENG_STORE_REAL, ENG_SPHERES_RECORD_MOMENT_WIDTH,
               n[ENG_SPHERES_RECORD_MOMENTS], spheres->moments, s, eng_spheres_fill_moments);
    add_filled(list, "spheres/columns", ENG_STORE_REAL, 1, n[ENG_SPHERES_RECORD_COLUMNS],
               spheres->columns, s, eng_spheres_fill_columns);
    add_filled(list, "spheres/wraps", ENG_STORE_INTEGER, 3, n[ENG_SPHERES_RECORD_WRAPS],
               spheres->wraps, s, eng_spheres_fill_wraps);
    add(list, "spheres/travelled", ENG_STORE_REAL, 2, n[ENG_SPHERES_RECORD_CHUNKS],
        spheres->travelled);
    int64_t groups = n[ENG_SPHERES_RECORD_GROUPS], ghosts = n[ENG_SPHERES_RECORD_GHOSTS];
    add(list, "spheres/groups", ENG_STORE_INTEGER, 2, groups, spheres->groups);
    add(list, "spheres/group_numbers", ENG_STORE_REAL, ENG_SPHERES_RECORD_GROUP_WIDTH, groups,
        spheres->group_numbers);
    add(list, "spheres/group_keys", ENG_STORE_WORD, 1, groups, spheres->group_keys);
    add(list, "spheres/wall_contacts", ENG_STORE_REAL, ENG_SPHERES_RECORD_WALL_CONTACT_WIDTH,
        ghosts, spheres->wall_contacts);
    add(list, "spheres/wall_contact_keys", ENG_STORE_WORD, 2, ghosts, spheres->wall_contact_keys);
    add(list, "spheres/wall_contact_orders", ENG_STORE_INTEGER, 2, ghosts,
        spheres->wall_contact_orders);
    add(list, "spheres/walls", ENG_STORE_REAL, ENG_SPHERES_RECORD_WALL_WIDTH, walls,
        spheres->walls);
    int64_t moved = n[ENG_SPHERES_RECORD_MOVED];
    add(list, "spheres/critical", ENG_STORE_REAL, 6, n[ENG_SPHERES_RECORD_CRITICAL],
        spheres->critical);
    add(list, "spheres/exposed", ENG_STORE_INTEGER, 1, n[ENG_SPHERES_RECORD_EXPOSED],
        spheres->exposed);
    add(list, "spheres/moved_slots", ENG_STORE_INTEGER, 1, moved, spheres->moved_slots);
    add(list, "spheres/moved", ENG_STORE_REAL, ENG_SPHERES_RECORD_MOVED_WIDTH, moved,
        spheres->moved);
    add(list, "spheres/terms", ENG_STORE_REAL, ENG_SPHERES_RECORD_TERMS_WIDTH,
        n[ENG_SPHERES_RECORD_TERMS], spheres->terms);
}

static void add_population(eng_field_list *list, eng_population *population)
{
    static const char *const names[ENG_POPULATION_KINDS][4] = {
        {"bodies/generations", "bodies/live", "bodies/free", "bodies/waiting"},
        {"shapes/generations", "shapes/live", "shapes/free", "shapes/waiting"},
        {"joints/generations", "joints/live", "joints/free", "joints/waiting"},
        {"connectors/generations", "connectors/live", "connectors/free", "connectors/waiting"},
    };
    for (int k = 0; k < ENG_POPULATION_KINDS; k++) {
        eng_slots_record *slots = &population->slots[k];
        add(list, names[k][0], ENG_STORE_INTEGER, 1, slots->count, slots->generation);
        add(list, names[k][1], ENG_STORE_INTEGER, 1, slots->live_count, slots->live);
        add(list, names[k][2], ENG_STORE_INTEGER, 1, slots->free_count, slots->free);
        add(list, names[k][3], ENG_STORE_INTEGER, 1, slots->waiting_count, slots->waiting);
    }
    add(list, "bodies/built", ENG_STORE_INTEGER, ENG_POPULATION_INTEGERS,
        population->slots[ENG_POPULATION_BODIES].count, population->integers);
    add(list, "bodies/mass", ENG_STORE_REAL, ENG_POPULATION_REALS,
        population->slots[ENG_POPULATION_BODIES].count, population->reals);
    add(list, "shapes/sizes", ENG_STORE_REAL, ENG_POPULATION_SIZES,
        population->slots[ENG_POPULATION_SHAPES].count, population->shapes);
    add(list, "bodies/names", ENG_STORE_BYTE, 1, population->counts[ENG_POPULATION_NAMES],
        population->names);
    add(list, "parts/integers", ENG_STORE_INTEGER, 1,
        population->counts[ENG_POPULATION_PART_INTEGERS], population->parts.integers);
    add(list, "parts/numbers", ENG_STORE_REAL, 1, population->counts[ENG_POPULATION_PART_REALS],
        population->parts.reals);
}

/// Number of proxies with a record; none where there is no list.
static int64_t listed_count(const eng_snapshot *s)
{
    return s->counts[ENG_COUNT_LISTED] > 0 ? s->counts[ENG_COUNT_LISTED] : 0;
}

/// Arrays whose sizes the counts tell.
eng_field_list eng_snapshot_body(eng_snapshot *s)
{
    eng_field_list list = {0};
    int64_t pairs = s->counts[ENG_COUNT_PAIRS];
    add(&list, "note", ENG_STORE_BYTE, 1, s->counts[ENG_COUNT_NOTE], s->note);
    add_bodies(&list, s);
    add(&list, "joints/numbers", ENG_STORE_REAL, ENG_JOINT_NUMBERS, s->counts[ENG_COUNT_JOINTS],
        s->joints);
    add_columns(&list, eng_contacts_columns(&s->contacts), contact_names,
                s->counts[ENG_COUNT_CONTACTS]);
    add(&list, "connectors/state", ENG_STORE_REAL, ENG_CONNECTOR_STATE_WIDTH,
        s->counts[ENG_COUNT_CONNECTORS], s->connectors);
    add(&list, "actions/numbers", ENG_STORE_REAL, 1, s->counts[ENG_COUNT_ACTION_NUMBERS],
        s->actions);
    add(&list, "bonds/broken", ENG_STORE_REAL, ENG_BREAK_NUMBERS, s->counts[ENG_COUNT_BREAKS],
        s->breaks);
    add(&list, "pairs/numbers", ENG_STORE_INTEGER, ENG_PAIR_NUMBERS, pairs, s->pairs);
    add(&list, "pairs/axis", ENG_STORE_REAL, 3, pairs, s->pair_axes);
    add(&list, "list/bounds", ENG_STORE_REAL, 6, listed_count(s), s->listed);
    add(&list, "list/kind", ENG_STORE_INTEGER, 2, listed_count(s), s->listed_kind);
    add(&list, "list/images", ENG_STORE_INTEGER, 4, s->counts[ENG_COUNT_IMAGES], s->images);
    add(&list, "list/domains", ENG_STORE_INTEGER, 1, s->counts[ENG_COUNT_CUT_BODIES], s->domains);
    add(&list, "list/pairs", ENG_STORE_INTEGER, 2, s->counts[ENG_COUNT_LISTED_PAIRS],
        s->listed_pairs);
    add_spheres(&list, s);
    add_population(&list, &s->population);
    return list;
}

/// What only reading keeps whole: saving makes it part by part.
static bool allocate_large(eng_snapshot *s, base_arena *arena)
{
    size_t bodies = (size_t)s->counts[ENG_COUNT_BODIES];
    bool made = true;
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++) {
        const eng_column *column = eng_body_column(i);
        if ((column->flags & ENG_SAVED) == 0)
            continue;
        s->data[i] = base_arena_allocate(arena, column->name, bodies, eng_column_row_size(column));
        made = made && s->data[i] != NULL;
    }
    return made && eng_spheres_record_allocate_large(&s->spheres, arena);
}

/// Copies of the arrays that the world has in another layout; false when out of memory.
static bool allocate_copies(eng_snapshot *s, base_arena *arena)
{
    size_t pairs = (size_t)s->counts[ENG_COUNT_PAIRS], listed = (size_t)listed_count(s);
    s->actions = base_arena_array(arena, double, "actions", s->counts[ENG_COUNT_ACTION_NUMBERS]);
    s->joints = base_arena_allocate(arena, "joints", (size_t)s->counts[ENG_COUNT_JOINTS],
                                    sizeof *s->joints);
    s->pairs = base_arena_allocate(arena, "pairs", pairs, sizeof *s->pairs);
    s->pair_axes = base_arena_array(arena, vec3, "axes", pairs);
    s->listed = base_arena_array(arena, geo_bounds, "listed", listed);
    s->listed_kind = base_arena_allocate(arena, "listed kind", listed, sizeof *s->listed_kind);
    return s->joints != NULL && s->actions != NULL && s->pairs != NULL && s->pair_axes != NULL &&
           s->listed != NULL && s->listed_kind != NULL &&
           eng_spheres_record_allocate(&s->spheres, arena) &&
           eng_population_allocate(&s->population, arena);
}

/// con_stop + 1 of a name; 0: nothing was to be solved.
static int64_t stop_number(const char *name)
{
    for (int stop = CON_STOP_SOLVED; name != NULL && stop <= CON_STOP_FAILED; stop++)
        if (strcmp(name, con_stop_name((con_stop)stop)) == 0)
            return stop + 1;
    return 0;
}

/// The sums of a world in the one form that stands for their values.
static void take_booked(const eng_booked *booked, eng_snapshot *s)
{
    base_exact_sum sums[ENG_BOOKED_SUMS];
    memcpy(sums, booked, sizeof sums);
    for (int i = 0; i < ENG_BOOKED_SUMS; i++) {
        base_exact_carry(&sums[i]);
        memcpy(s->booked[i], sums[i].digit, sizeof s->booked[i]);
    }
}

static void restore_booked(eng_world_state *state, const eng_snapshot *s)
{
    base_exact_sum sums[ENG_BOOKED_SUMS] = {0};
    state->audit.has_booked = false;
    for (int i = 0; i < ENG_BOOKED_SUMS; i++) {
        memcpy(sums[i].digit, s->booked[i], sizeof s->booked[i]);
        for (int k = 0; k < BASE_EXACT_DIGITS; k++)
            state->audit.has_booked = state->audit.has_booked || s->booked[i][k] != 0;
    }
    memcpy(&state->audit.booked, sums, sizeof sums);
}

/// @param population  which objects there are is kept in any case
void eng_snapshot_take_head(const cairn_world *world, bool population, eng_snapshot *s)
{
    s->format = ENG_CHECKPOINT_FORMAT;
    snprintf(s->version, sizeof s->version, "%s", cairn_version());
    eng_fingerprint_built(world, s->fingerprint);
    s->hash = cairn_world_get_hash(world);
    int listed_pairs;
    s->listed_pairs = (geo_pair *)geo_broad_phase_pairs(world->contacts.broad.phase, &listed_pairs);
    bool cut = !world->contacts.cut_due && !world->contacts.pairs.topology_changed &&
               world->contacts.cut.body_count == world->model.bodies.count;
    int64_t counts[ENG_COUNTS] = {
        [ENG_COUNT_STEP] = world->state.clock.step_count,
        [ENG_COUNT_BODIES] = world->model.bodies.count,
        [ENG_COUNT_COLLIDERS] = world->contacts.colliders.count,
        [ENG_COUNT_CONTACTS] = world->contacts.set.count,
        [ENG_COUNT_CONES] = world->contacts.set.cone_count,
        [ENG_COUNT_PAIRS] = world->contacts.pairs.count,
        [ENG_COUNT_LISTED] = geo_broad_phase_count(world->contacts.broad.phase),
        [ENG_COUNT_LISTED_PAIRS] = listed_pairs,
        [ENG_COUNT_ENERGY_STARTED] = world->state.audit.started,
        [ENG_COUNT_TOPOLOGY_CHANGED] = world->contacts.pairs.topology_changed,
        [ENG_COUNT_JOINTS] = world->model.joints.count,
        [ENG_COUNT_JOINTS_CHANGED] = world->model.joints.changed,
        [ENG_COUNT_NOTE] = s->counts[ENG_COUNT_NOTE],
        [ENG_COUNT_CONNECTORS] = world->model.connectors.count,
        [ENG_COUNT_ACTION_NUMBERS] = eng_actions_number_count(world),
        [ENG_COUNT_IMAGES] = world->contacts.broad.image_count,
        [ENG_COUNT_PIECES_DONE] = world->state.pieces.done,
        [ENG_COUNT_PIECES_RAMP] = eng_pieces_pack(&world->state.pieces),
        [ENG_COUNT_PIECES_GAVE_UP] = world->state.pieces.gave_up,
        [ENG_COUNT_PIECES] = world->state.pieces.report.pieces,
        [ENG_COUNT_PIECES_ITERATIONS] = world->state.pieces.report.iterations,
        [ENG_COUNT_PIECES_STOP] = stop_number(world->state.pieces.report.stop),
        [ENG_COUNT_BREAKS] = world->state.connectors.break_count,
        [ENG_COUNT_CUT] = cut ? world->contacts.cut.levels + 1 : 0,
        [ENG_COUNT_CUT_BODIES] =
            cut && world->contacts.cut.levels > 0 ? world->model.bodies.count : 0,
    };
    memcpy(s->counts, counts, sizeof counts);
    s->reals[ENG_REAL_AT_TIME] = world->state.clock.time;
    s->reals[ENG_REAL_AT_TIME_START] = world->state.clock.time_start;
    s->reals[ENG_REAL_AT_TIME_STEP] = world->state.clock.step;
    s->reals[ENG_REAL_AT_ENERGY_START] = world->state.audit.start;
    memcpy(&s->reals[ENG_REAL_AT_ENERGY], &world->state.audit.energy,
           sizeof world->state.audit.energy);
    take_booked(&world->state.audit.booked, s);
    cairn_energy read = cairn_world_get_energy(world);
    memcpy(&s->reals[ENG_REAL_AT_ENERGY_READ], &read, sizeof read);
    const mat3 cell[4] = {world->state.cell.now, world->state.cell.middle,
                          world->state.cell.gradient, world->state.cell.unfolded};
    memcpy(&s->reals[ENG_REAL_AT_CELL], cell, sizeof cell);
    const cairn_step_report *report = &world->state.pieces.report;
    const double pieces[4] = {report->error, report->error_scaled, report->error_siconos,
                              report->energy_rise};
    memcpy(&s->reals[ENG_REAL_AT_PIECES], pieces, sizeof pieces);
    eng_spheres_record_head(world, &s->spheres);
    if (population || world->model.population_changed)
        eng_population_head(world, &s->population);
}

static void copy_pairs(const cairn_world *world, eng_snapshot *s)
{
    for (int i = 0; i < world->contacts.pairs.count; i++) {
        const eng_pair *pair = &world->contacts.pairs.rows[i];
        const int numbers[ENG_PAIR_NUMBERS] = {pair->colliders.first, pair->colliders.second,
                                               pair->feature[0],      pair->feature[1],
                                               pair->first,           pair->count};
        memcpy(s->pairs[i], numbers, sizeof numbers);
        s->pair_axes[i] = pair->axis;
    }
    for (int i = 0; i < listed_count(s); i++) {
        geo_proxy proxy = geo_broad_phase_listed(world->contacts.broad.phase, i);
        s->listed[i] = proxy.bounds;
        s->listed_kind[i][0] = proxy.group;
        s->listed_kind[i][1] = proxy.mobile;
    }
}

static void copy_joint_out(const eng_joint *joint, const eng_joint_state *state,
                           double numbers[ENG_JOINT_NUMBERS])
{
    const double scalars[] = {state->coordinate,     state->effort,      joint->motor,
                              joint->motor_velocity, joint->motor_limit, joint->force};
    memcpy(numbers, scalars, sizeof scalars);
    vec3_store(numbers + 6, state->impulse);
    vec3_store(numbers + 9, state->moment);
    numbers[12] = joint->motor_position;
    numbers[13] = joint->motor_stiffness;
    numbers[14] = joint->motor_damping;
    memcpy(numbers + 15, state->part, sizeof state->part);
}

static void copy_joint_in(const double numbers[ENG_JOINT_NUMBERS], eng_joint *joint,
                          eng_joint_state *state)
{
    state->coordinate = numbers[0];
    state->effort = numbers[1];
    joint->motor = numbers[2] != 0.0;
    joint->motor_velocity = numbers[3];
    joint->motor_limit = numbers[4];
    joint->force = numbers[5];
    state->impulse = vec3_from(numbers + 6);
    state->moment = vec3_from(numbers + 9);
    joint->motor_position = numbers[12];
    joint->motor_stiffness = numbers[13];
    joint->motor_damping = numbers[14];
    memcpy(state->part, numbers + 15, sizeof state->part);
}

/// The arrays are borrowed from the world; nothing writes through them.
bool eng_snapshot_take(const cairn_world *world, eng_snapshot *s, base_arena *arena)
{
    s->contacts = world->contacts.set;
    s->connectors = world->state.connectors.rows;
    s->breaks = world->state.connectors.breaks;
    s->images = world->contacts.broad.images;
    s->domains = world->contacts.cut.of_body;
    if (!allocate_copies(s, arena))
        return false;
    for (int i = 0; i < world->model.joints.count; i++)
        copy_joint_out(&world->model.joints.rows[i], &world->state.joints.rows[i], s->joints[i]);
    eng_actions_take(world, s->actions);
    copy_pairs(world, s);
    if (eng_population_is_recorded(&s->population))
        eng_population_take(world, &s->population);
    eng_spheres_record_take(world, &s->spheres);
    return true;
}

cairn_status eng_snapshot_refuse(const con_hdf5_reader *reader, const char *reason)
{
    return base_fail(reader->error, CAIRN_ERROR_FORMAT, "%s: %s", reader->path, reason);
}

cairn_status eng_snapshot_check(const con_hdf5_reader *reader, const cairn_world *world,
                                const eng_snapshot *s)
{
    uint64_t here[ENG_FINGERPRINT_COUNT];
    eng_fingerprint_built(world, here);
    for (int i = 0; i < ENG_FINGERPRINT_COUNT; i++)
        if (here[i] != s->fingerprint[i])
            return base_fail(reader->error, CAIRN_ERROR_ARGUMENT,
                             "%s is of a world with other %s: it goes on only with the scene and "
                             "the settings it was saved with",
                             reader->path, eng_fingerprint_text((eng_fingerprint_part)i));
    if (s->counts[ENG_COUNT_ACTION_NUMBERS] != eng_actions_number_count(world))
        return eng_snapshot_refuse(reader, "its actions are not those of its fingerprint");
    if (eng_population_is_recorded(&s->population))
        return CAIRN_OK;
    if (world->model.population_changed)
        return base_fail(reader->error, CAIRN_ERROR_ARGUMENT,
                         "%s: bodies, shapes, joints or connectors were made or removed here since "
                         "the first step: it goes on only with a world as the scene builds it",
                         reader->path);
    if (s->counts[ENG_COUNT_BODIES] != world->model.bodies.count ||
        s->counts[ENG_COUNT_COLLIDERS] != world->contacts.colliders.count ||
        s->counts[ENG_COUNT_JOINTS] != world->model.joints.count ||
        s->counts[ENG_COUNT_CONNECTORS] != world->model.connectors.count)
        return eng_snapshot_refuse(
            reader, "its bodies, joints or connectors are not those of its fingerprint");
    return CAIRN_OK;
}

bool eng_snapshot_allocate(eng_snapshot *s, base_arena *arena)
{
    s->note = base_arena_array(arena, char, "note", s->counts[ENG_COUNT_NOTE]);
    s->connectors =
        base_arena_array(arena, eng_connector_state, "connectors", s->counts[ENG_COUNT_CONNECTORS]);
    s->listed_pairs =
        base_arena_array(arena, geo_pair, "listed pairs", s->counts[ENG_COUNT_LISTED_PAIRS]);
    s->images = base_arena_array(arena, eng_image, "images", s->counts[ENG_COUNT_IMAGES]);
    s->domains = base_arena_array(arena, int, "domains", s->counts[ENG_COUNT_CUT_BODIES]);
    s->breaks = base_arena_allocate(arena, "breaks", (size_t)s->counts[ENG_COUNT_BREAKS],
                                    sizeof *s->breaks);
    return s->note != NULL && s->breaks != NULL && s->images != NULL && s->domains != NULL &&
           s->connectors != NULL && s->listed_pairs != NULL && allocate_copies(s, arena) &&
           allocate_large(s, arena);
}

/// Whether a saved column of bodies has anything that was given.
static bool has_values(const eng_snapshot *s, int column)
{
    double rest[ENG_BODY_WIDTH_MAX];
    size_t size = eng_column_row_size(eng_body_column(column));
    eng_body_rest(column, rest);
    for (int64_t i = 0; i < s->counts[ENG_COUNT_BODIES] && s->data[column] != NULL; i++)
        if (memcmp((const char *)s->data[column] + (size_t)i * size, rest, size) != 0)
            return true;
    return false;
}

/// Room for everything, so that what follows cannot fail.
static cairn_status reserve(cairn_world *world, const eng_snapshot *s)
{
    int pairs = (int)s->counts[ENG_COUNT_PAIRS], capacity = world->contacts.pairs.capacity;
    const base_allocator *allocator = &world->model.allocator;
    cairn_status status =
        base_array_reserve(allocator, &world->contacts.pairs.before, &capacity, pairs);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &world->contacts.pairs.rows,
                                    &world->contacts.pairs.capacity, pairs);
    if (status == CAIRN_OK)
        status = eng_contacts_reserve(allocator, &world->contacts.set,
                                      (int)s->counts[ENG_COUNT_CONTACTS]);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &world->contacts.broad.images,
                                    &world->contacts.broad.image_capacity,
                                    (int)s->counts[ENG_COUNT_IMAGES]);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &world->contacts.cut.of_body,
                                    &world->contacts.cut.body_capacity,
                                    (int)s->counts[ENG_COUNT_CUT_BODIES]);
    if (status == CAIRN_OK)
        status = eng_breaks_reserve(world, (int)s->counts[ENG_COUNT_BREAKS]);
    if (status == CAIRN_OK && has_values(s, ENG_BODY_collisions))
        status = eng_collisions_reserve(world);
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT && status == CAIRN_OK; i++)
        if (eng_body_column_group(i) == ENG_BODY_GIVEN && has_values(s, i))
            status = eng_body_column_make(&world->model.allocator, &world->state.bodies, i,
                                          world->model.bodies.count);
    return status;
}

static cairn_status restore_list(eng_world_contacts *contacts, const eng_snapshot *s,
                                 base_arena *arena)
{
    int count = (int)listed_count(s);
    geo_proxy *listed = base_arena_array(arena, geo_proxy, "proxies", count);
    if (listed == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        listed[i] = (geo_proxy){s->listed[i], s->listed_kind[i][0], s->listed_kind[i][1]};
    return geo_broad_phase_restore(contacts->broad.phase, listed, (int)s->counts[ENG_COUNT_LISTED],
                                   s->listed_pairs, (int)s->counts[ENG_COUNT_LISTED_PAIRS]);
}

static void copy_contacts(eng_world_contacts *contacts, eng_snapshot *s)
{
    int count = (int)s->counts[ENG_COUNT_CONTACTS];
    eng_columns_copy(eng_contacts_columns(&contacts->set), eng_contacts_columns(&s->contacts),
                     count);
    contacts->set.count = count;
    contacts->set.cone_count = (int)s->counts[ENG_COUNT_CONES];
    // one task, until the next step cuts anew
    contacts->domains = (con_domains){.start = {0, contacts->set.cone_count}};
}

/// Columns of the program, before lists of near pairs, which depend on some.
static void copy_given(cairn_world *world, const eng_snapshot *s)
{
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++)
        if (eng_body_column_group(i) == ENG_BODY_GIVEN && s->data[i] != NULL &&
            world->state.bodies.data[i] != NULL)
            memcpy(world->state.bodies.data[i], s->data[i],
                   (size_t)world->model.bodies.count * eng_column_row_size(eng_body_column(i)));
}

/// The domains of the bodies that there are now.
static void restore_cut(cairn_world *world, const eng_snapshot *s)
{
    int count = (int)s->counts[ENG_COUNT_CUT_BODIES];
    world->contacts.cut_due = s->counts[ENG_COUNT_CUT] == 0;
    world->contacts.cut_renewed = false;
    world->contacts.cut.levels = count > 0 ? (int)s->counts[ENG_COUNT_CUT] - 1 : 0;
    world->contacts.cut.body_count = world->model.bodies.count;
    if (count > 0)
        memcpy(world->contacts.cut.of_body, s->domains, (size_t)count * sizeof *s->domains);
}

/// A step that was interrupted between two of its pieces goes on there.
static void restore_pieces(eng_world_state *state, const eng_snapshot *s)
{
    const double *reals = &s->reals[ENG_REAL_AT_PIECES];
    int64_t stop = s->counts[ENG_COUNT_PIECES_STOP];
    state->pieces = (eng_pieces){
        .done = (int)s->counts[ENG_COUNT_PIECES_DONE],
        .gave_up = s->counts[ENG_COUNT_PIECES_GAVE_UP] != 0,
        .report = {.stop = stop > 0 ? con_stop_name((con_stop)(stop - 1)) : "none",
                   .pieces = (int)s->counts[ENG_COUNT_PIECES],
                   .iterations = (int)s->counts[ENG_COUNT_PIECES_ITERATIONS],
                   .error = reals[0],
                   .error_scaled = reals[1],
                   .error_siconos = reals[2],
                   .energy_rise = reals[3]},
    };
    eng_pieces_unpack(s->counts[ENG_COUNT_PIECES_RAMP], &state->pieces);
}

static void copy_state(cairn_world *world, const eng_snapshot *s)
{
    for (int i = 0; i < world->model.bodies.count; i++) {
        if (eng_spheres_holds(world, i))
            continue;
        world->state.bodies.q[i] = s->q[i];
        if (i < world->state.bodies.step_rows)
            world->state.bodies.q_mid[i] = s->q_mid[i];
        memcpy(world->state.bodies.held[i], s->held[i], sizeof *world->state.bodies.held);
        memcpy(world->state.bodies.v[i], s->v[i], sizeof *world->state.bodies.v);
    }
    for (int i = 0; i < world->model.joints.count; i++)
        copy_joint_in(s->joints[i], &world->model.joints.rows[i], &world->state.joints.rows[i]);
    if (world->model.connectors.count > 0)
        memcpy(world->state.connectors.rows, s->connectors,
               (size_t)world->model.connectors.count * sizeof *s->connectors);
    world->state.connectors.break_count = (int)s->counts[ENG_COUNT_BREAKS];
    if (world->state.connectors.break_count > 0)
        memcpy(world->state.connectors.breaks, s->breaks,
               (size_t)world->state.connectors.break_count *
                   sizeof *world->state.connectors.breaks);
    world->contacts.pairs.count = (int)s->counts[ENG_COUNT_PAIRS];
    world->contacts.plan.current = false;
    // what is known of shapes that are no more
    world->contacts.pairs.leading_count = 0;
    for (int i = 0; i < world->contacts.pairs.count; i++) {
        const int *p = s->pairs[i];
        world->contacts.pairs.rows[i] = (eng_pair){
            .colliders = {p[0], p[1]},
            .axis = s->pair_axes[i],
            .feature = {p[2], p[3]},
            .first = p[4],
            .count = p[5],
        };
    }
    world->contacts.broad.image_count = (int)s->counts[ENG_COUNT_IMAGES];
    if (world->contacts.broad.image_count > 0)
        memcpy(world->contacts.broad.images, s->images,
               (size_t)world->contacts.broad.image_count * sizeof *s->images);
    if (world->state.cell.any) {
        mat3 cell[4];
        memcpy(cell, &s->reals[ENG_REAL_AT_CELL], sizeof cell);
        world->state.cell.now = cell[0];
        world->state.cell.middle = cell[1];
        world->state.cell.inverse = mat3_inverse(&cell[1]);
        world->state.cell.gradient = cell[2];
        world->state.cell.unfolded = cell[3];
    }
    restore_cut(world, s);
    restore_pieces(&world->state, s);
    eng_actions_restore(world, s->actions);
    world->state.clock.step_count = s->counts[ENG_COUNT_STEP];
    world->state.audit.started = s->counts[ENG_COUNT_ENERGY_STARTED] != 0;
    world->contacts.pairs.topology_changed = s->counts[ENG_COUNT_TOPOLOGY_CHANGED] != 0;
    world->model.joints.changed = s->counts[ENG_COUNT_JOINTS_CHANGED] != 0;
    world->state.clock.time = s->reals[ENG_REAL_AT_TIME];
    world->state.clock.time_start = s->reals[ENG_REAL_AT_TIME_START];
    world->state.audit.start = s->reals[ENG_REAL_AT_ENERGY_START];
    memcpy(&world->state.audit.energy, &s->reals[ENG_REAL_AT_ENERGY],
           sizeof world->state.audit.energy);
    restore_booked(&world->state, s);
}

/// Brings back which objects there are, where the file says.
static cairn_status restore_population(const con_hdf5_reader *reader, cairn_world *world,
                                       eng_snapshot *s)
{
    if (!eng_population_is_recorded(&s->population))
        return CAIRN_OK;
    const char *reason = "";
    cairn_status status =
        eng_population_restore(world, &s->population, (int)s->counts[ENG_COUNT_COLLIDERS], &reason);
    if (status == CAIRN_ERROR_UNSUPPORTED)
        return base_fail(reader->error, status, "%s: %s", reader->path, reason);
    if (status == CAIRN_ERROR_FORMAT)
        return eng_snapshot_refuse(reader, "a shape is not sound");
    return status == CAIRN_OK ? status
                              : base_fail(reader->error, status, "%s: out of memory", reader->path);
}

/// Whether bodies that contacts move lie in domains, and those with joints beyond them: several
/// threads solve what lies apart at once.
static bool has_sound_cut(const cairn_world *world, const eng_snapshot *s)
{
    for (int i = 0; i < s->counts[ENG_COUNT_CUT_BODIES]; i++)
        if (world->model.bodies.rows[i].kind == CAIRN_DYNAMIC &&
            (s->domains[i] == ENG_DOMAIN_ANY ||
             (eng_extra_of(world, i).joints > 0 && s->domains[i] != ENG_DOMAIN_ALL)))
            return false;
    return true;
}

cairn_status eng_snapshot_commit(const con_hdf5_reader *reader, cairn_world *world, eng_snapshot *s)
{
    eng_built_note(world);
    world->model.went_back++;
    BASE_TRY(restore_population(reader, world, s));
    if (!has_sound_cut(world, s))
        return eng_snapshot_refuse(reader, "its domains are not those of its bodies");
    if (!eng_breaks_are_sound((const double(*)[ENG_BREAK_NUMBERS])s->breaks,
                              (int)s->counts[ENG_COUNT_BREAKS]))
        return eng_snapshot_refuse(reader, "a bond that broke is out of range");
    cairn_status status = reserve(world, s);
    if (status == CAIRN_OK)
        copy_given(world, s);
    if (status == CAIRN_OK)
        status = restore_list(&world->contacts, s, reader->arena);
    if (status == CAIRN_OK && s->counts[ENG_COUNT_ACTION_NUMBERS] > 0)
        status = eng_pair_changes_restore(world, s->actions);
    if (status == CAIRN_ERROR_ARGUMENT)
        return eng_snapshot_refuse(reader, "a parameter of a pair has no such value");
    if (status == CAIRN_OK)
        status = eng_spheres_record_restore(world, &s->spheres);
    if (status == CAIRN_OK && world->scratch.general.work)
        status = eng_blocks_reserve(world);
    if (status == CAIRN_ERROR_FORMAT)
        return eng_snapshot_refuse(reader, "its spheres do not give the pairs that it holds");
    if (status != CAIRN_OK)
        return base_fail(reader->error, status, "%s: out of memory", reader->path);
    copy_contacts(&world->contacts, s);
    copy_state(world, s);
    eng_step_forget(world);
    if (cairn_world_get_hash(world) != s->hash)
        return eng_snapshot_refuse(reader,
                                   "the restored state does not have the hash of the saved one");
    return CAIRN_OK;
}

// ---------------------------------------------------------------- in memory

struct cairn_snapshot {
    base_allocator allocator;
    base_arena *arena;
    uint32_t tag; // of the world
    eng_snapshot state;
};

/// Copies the arrays of one list to those of another one for the same counts; false where one
/// cannot be made.
static bool copy_fields(const eng_field_list *from, const eng_field_list *to)
{
    bool good = true;
    for (int i = 0; i < from->count; i++) {
        const eng_store_array *source = &from->fields[i];
        size_t size = eng_store_element_size(source->type) * (size_t)source->width;
        if (source->count > 0 && source->fill != NULL)
            good &= source->fill(source->source, 0, source->count, to->fields[i].data);
        else if (source->count > 0)
            memcpy(to->fields[i].data, source->data, (size_t)source->count * size);
    }
    return good;
}

/// All that a checkpoint would hold; false when out of memory.
static bool take_copy(const cairn_world *world, eng_snapshot *copy, base_arena *arena)
{
    eng_snapshot s = {.note = (char *)"", .world = world};
    base_arena *scratch = base_arena_create(&world->model.allocator, ENG_SNAPSHOT_ARENA);
    bool whole = scratch != NULL;
    if (whole) {
        eng_snapshot_take_head(world, true, &s);
        eng_field_list from = eng_snapshot_head(&s), to = eng_snapshot_head(copy);
        whole = copy_fields(&from, &to) && eng_snapshot_take(world, &s, scratch) &&
                eng_snapshot_allocate(copy, arena) &&
                eng_population_take_functions(world, &copy->population, arena) &&
                eng_contacts_reserve(&world->model.allocator, &copy->contacts,
                                     world->contacts.set.count) == CAIRN_OK;
    }
    if (whole) {
        eng_field_list from = eng_snapshot_body(&s), to = eng_snapshot_body(copy);
        whole = copy_fields(&from, &to);
    }
    base_arena_destroy(scratch);
    return whole;
}

cairn_status cairn_world_snapshot(const cairn_world *world, cairn_snapshot **kept,
                                  cairn_error *error)
{
    if (world == NULL || kept == NULL)
        return base_fail_null(error, __func__);
    *kept = NULL;
    cairn_snapshot *made = base_allocate(&world->model.allocator, 1, sizeof *made);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a snapshot");
    *made = (cairn_snapshot){.allocator = world->model.allocator, .tag = world->model.ids.tag};
    // the world may be gone before it
    made->arena = base_arena_create(&made->allocator, ENG_SNAPSHOT_ARENA);
    if (made->arena == NULL || !take_copy(world, &made->state, made->arena)) {
        cairn_snapshot_destroy(made);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a snapshot");
    }
    *kept = made;
    return CAIRN_OK;
}

cairn_status cairn_world_revert(cairn_world *world, const cairn_snapshot *kept, cairn_error *error)
{
    if (world == NULL || kept == NULL)
        return base_fail_null(error, __func__);
    if (kept->tag != world->model.ids.tag)
        return base_fail(error, CAIRN_ERROR_WORLD, "the snapshot is of another world");
    con_hdf5_reader origin = {.path = "the snapshot",
                              .arena =
                                  base_arena_create(&world->model.allocator, ENG_SNAPSHOT_ARENA),
                              .error = error};
    if (origin.arena == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a snapshot");
    eng_snapshot state = kept->state;
    cairn_status status = eng_snapshot_check(&origin, world, &state);
    if (status == CAIRN_OK)
        status = eng_snapshot_commit(&origin, world, &state);
    base_arena_destroy(origin.arena);
    return status;
}

void cairn_snapshot_destroy(cairn_snapshot *kept)
{
    if (kept == NULL)
        return;
    base_allocator allocator = kept->allocator;
    eng_contacts_release(&allocator, &kept->state.contacts);
    base_arena_destroy(kept->arena);
    base_release(&allocator, kept);
}
