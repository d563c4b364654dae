// SPDX-License-Identifier: Apache-2.0
// Checkpoints: everything in a world that its later steps and read-outs depend on, in one file.
//
// The pair list goes with the fat bounds it was made for and what each pair remembers, so that the
// world goes on with the same list and makes a new one in the same step as the one that was saved.
// So does the sphere executor, whose list is made again from the positions it was made from.
#include "engine/files/population.h"
#include "engine/files/store.h"
#include "engine/joints/joints.h"
#include "engine/measures/fingerprint.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/passes/undo.h"

#include "base/assert.h"

#include <inttypes.h>
#include <string.h>

enum { FORMAT = 12, VERSION_SIZE = 32, ARENA_START = 1 << 16 };

/// Numbers whose meaning is their place in the file.
typedef enum count_index {
    COUNT_STEP,
    COUNT_BODIES,
    COUNT_COLLIDERS,
    COUNT_CONTACTS,
    COUNT_CONES,
    COUNT_PAIRS,
    COUNT_LISTED, // proxies of the broad phase's list; -1: no list
    COUNT_LISTED_PAIRS,
    COUNT_ENERGY_STARTED,
    COUNT_TOPOLOGY_CHANGED,
    COUNT_JOINTS,
    COUNT_JOINTS_CHANGED,
    COUNT_NOTE, // bytes
    COUNT_CONNECTORS,
    COUNT_ACTION_NUMBERS,
    COUNTS
} count_index;

enum { ENERGIES = (int)(sizeof(cairn_energy) / sizeof(double)) };

typedef enum real_index {
    REAL_TIME,
    REAL_TIME_START,
    REAL_TIME_STEP,
    REAL_ENERGY_START,
    REAL_ENERGY,
    REAL_ENERGY_READ = REAL_ENERGY + ENERGIES, // as cairn_world_get_energy gives it
    REALS = REAL_ENERGY_READ + ENERGIES
} real_index;

enum { PAIR_NUMBERS = 6 };

/// A column of bodies that is saved.
typedef struct body_source {
    const cairn_world *world;
    int column;
} body_source;

/// A world's state as it lies in the file. While saving the arrays are the world's own or copies,
/// while restoring all are copies, so that a file found wrong half-way changes nothing.
typedef struct snapshot {
    int64_t format, counts[COUNTS];
    uint64_t fingerprint[ENG_FINGERPRINT_COUNT], hash;
    double reals[REALS];
    char version[VERSION_SIZE];
    char *note;
    ENG_BODY_COLUMN_MEMBERS; // [bodies] those that are saved
    body_source sources[ENG_BODY_COLUMN_COUNT];
    double (*joints)[ENG_JOINT_NUMBERS]; // [joints]
    eng_contacts contacts;
    eng_connector_state *connectors; // [connectors]
    double *actions;                 // [action numbers]
    // [pairs] first, second, features, first contact, number of contacts
    int (*pairs)[PAIR_NUMBERS];
    vec3 *pair_axes;
    // the broad phase's list
    geo_bounds *listed;    // [listed]
    int (*listed_kind)[2]; // [listed] group, mobile
    geo_pair *listed_pairs;
    eng_spheres_record spheres;
    const cairn_world *world;  // of saving: large arrays are made from it part by part; or NULL
    eng_population population; // empty where it is as the world was built
} snapshot;

/// A large array: written from the world of the snapshot, read into `data`.
static void add_filled(eng_store_list *list, const char *name, eng_store_type type, int width,
                       int64_t count, void *data, const snapshot *s, eng_store_fill fill)
{
    eng_store_list_add(list, name, type, width, count, data);
    if (s->world == NULL)
        return;
    list->fields[list->count - 1].fill = fill;
    list->fields[list->count - 1].source = s->world;
}

/// Arrays that every checkpoint has in the same size.
static eng_store_list head_fields(snapshot *s)
{
    eng_store_list list = {0};
    eng_store_list_add(&list, "format", ENG_STORE_LONG, 1, 1, &s->format);
    eng_store_list_add(&list, "version", ENG_STORE_BYTE, 1, VERSION_SIZE, s->version);
    eng_store_list_add(&list, "counts", ENG_STORE_LONG, 1, COUNTS, s->counts);
    eng_store_list_add(&list, "fingerprint", ENG_STORE_WORD, 1, ENG_FINGERPRINT_COUNT,
                       s->fingerprint);
    eng_store_list_add(&list, "state_hash", ENG_STORE_WORD, 1, 1, &s->hash);
    eng_store_list_add(&list, "time_and_energy", ENG_STORE_REAL, 1, REALS, s->reals);
    eng_store_list_add(&list, "population/counts", ENG_STORE_LONG, 1, ENG_POPULATION_COUNTS,
                       s->population.counts);
    eng_store_list_add(&list, "spheres/counts", ENG_STORE_LONG, 1, ENG_SPHERES_RECORD_COUNTS,
                       s->spheres.counts);
    eng_store_list_add(&list, "spheres/numbers", ENG_STORE_REAL, 1, ENG_SPHERES_RECORD_REALS,
                       s->spheres.reals);
    return list;
}

static const eng_store_type types[] = {
    [ENG_REAL] = ENG_STORE_REAL,
    [ENG_INTEGER] = ENG_STORE_INTEGER,
    [ENG_WORD] = ENG_STORE_WORD,
    [ENG_BYTE] = ENG_STORE_BYTE,
};

/// The saved columns of a table of state.
static void add_columns(eng_store_list *list, eng_columns columns, const char *const *names,
                        int64_t n)
{
    for (int i = 0; i < columns.count; i++) {
        const eng_column *column = &columns.table[i];
        if ((column->flags & ENG_SAVED) != 0)
            eng_store_list_add(list, names[i], types[column->scalar], column->width, n,
                               columns.data[i]);
    }
}

static const char *const body_names[] = {
#define BODY_NAME(name, ...) "bodies/" #name,
    ENG_BODY_COLUMNS(BODY_NAME)
#undef BODY_NAME
};

static void fill_body_column(const void *source, int64_t first, int64_t count, void *out)
{
    const body_source *of = source;
    size_t size = eng_column_row_size(eng_body_column(of->column));
    for (int64_t i = 0; i < count; i++)
        eng_body_value(of->world, of->column, (int)(first + i), (char *)out + (size_t)i * size);
}

static void add_bodies(eng_store_list *list, snapshot *s)
{
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++) {
        const eng_column *column = eng_body_column(i);
        if ((column->flags & ENG_SAVED) == 0)
            continue;
        add_filled(list, body_names[i], types[column->scalar], column->width,
                   s->counts[COUNT_BODIES], s->body_data[i], s, fill_body_column);
        s->sources[i] = (body_source){s->world, i};
        list->fields[list->count - 1].source = &s->sources[i];
    }
}

static const char *const contact_names[] = {
#define CONTACT_NAME(name, ...) "contacts/" #name,
    ENG_CONTACT_COLUMNS(CONTACT_NAME)
#undef CONTACT_NAME
};

static void add_spheres(eng_store_list *list, snapshot *s)
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
    eng_store_list_add(list, "spheres/travelled", ENG_STORE_REAL, 2, n[ENG_SPHERES_RECORD_CHUNKS],
                       spheres->travelled);
    int64_t groups = n[ENG_SPHERES_RECORD_GROUPS], ghosts = n[ENG_SPHERES_RECORD_GHOSTS];
    eng_store_list_add(list, "spheres/groups", ENG_STORE_INTEGER, 2, groups, spheres->groups);
    eng_store_list_add(list, "spheres/group_numbers", ENG_STORE_REAL,
                       ENG_SPHERES_RECORD_GROUP_WIDTH, groups, spheres->group_numbers);
    eng_store_list_add(list, "spheres/group_keys", ENG_STORE_WORD, 1, groups, spheres->group_keys);
    eng_store_list_add(list, "spheres/wall_contacts", ENG_STORE_REAL,
                       ENG_SPHERES_RECORD_WALL_CONTACT_WIDTH, ghosts, spheres->wall_contacts);
    eng_store_list_add(list, "spheres/wall_contact_keys", ENG_STORE_WORD, 2, ghosts,
                       spheres->wall_contact_keys);
    eng_store_list_add(list, "spheres/wall_contact_orders", ENG_STORE_INTEGER, 2, ghosts,
                       spheres->wall_contact_orders);
    eng_store_list_add(list, "spheres/walls", ENG_STORE_REAL, ENG_SPHERES_RECORD_WALL_WIDTH, walls,
                       spheres->walls);
    int64_t moved = n[ENG_SPHERES_RECORD_MOVED];
    eng_store_list_add(list, "spheres/critical", ENG_STORE_REAL, 6, n[ENG_SPHERES_RECORD_CRITICAL],
                       spheres->critical);
    eng_store_list_add(list, "spheres/exposed", ENG_STORE_INTEGER, 1, n[ENG_SPHERES_RECORD_EXPOSED],
                       spheres->exposed);
    eng_store_list_add(list, "spheres/moved_slots", ENG_STORE_INTEGER, 1, moved,
                       spheres->moved_slots);
    eng_store_list_add(list, "spheres/moved", ENG_STORE_REAL, ENG_SPHERES_RECORD_MOVED_WIDTH, moved,
                       spheres->moved);
}

/// Number of proxies with a record; none where there is no list.
static int64_t listed_count(const snapshot *s)
{
    return s->counts[COUNT_LISTED] > 0 ? s->counts[COUNT_LISTED] : 0;
}

/// Arrays whose sizes the counts tell.
static eng_store_list body_fields(snapshot *s)
{
    eng_store_list list = {0};
    int64_t pairs = s->counts[COUNT_PAIRS];
    eng_store_list_add(&list, "note", ENG_STORE_BYTE, 1, s->counts[COUNT_NOTE], s->note);
    add_bodies(&list, s);
    eng_store_list_add(&list, "joints/numbers", ENG_STORE_REAL, ENG_JOINT_NUMBERS,
                       s->counts[COUNT_JOINTS], s->joints);
    add_columns(&list, eng_contacts_columns(&s->contacts), contact_names,
                s->counts[COUNT_CONTACTS]);
    eng_store_list_add(&list, "connectors/state", ENG_STORE_REAL, ENG_CONNECTOR_STATE_WIDTH,
                       s->counts[COUNT_CONNECTORS], s->connectors);
    eng_store_list_add(&list, "actions/numbers", ENG_STORE_REAL, 1, s->counts[COUNT_ACTION_NUMBERS],
                       s->actions);
    eng_store_list_add(&list, "pairs/numbers", ENG_STORE_INTEGER, PAIR_NUMBERS, pairs, s->pairs);
    eng_store_list_add(&list, "pairs/axis", ENG_STORE_REAL, 3, pairs, s->pair_axes);
    eng_store_list_add(&list, "list/bounds", ENG_STORE_REAL, 6, listed_count(s), s->listed);
    eng_store_list_add(&list, "list/kind", ENG_STORE_INTEGER, 2, listed_count(s), s->listed_kind);
    eng_store_list_add(&list, "list/pairs", ENG_STORE_INTEGER, 2, s->counts[COUNT_LISTED_PAIRS],
                       s->listed_pairs);
    add_spheres(&list, s);
    eng_population_fields(&s->population, &list);
    return list;
}

/// What only reading keeps whole: saving makes it part by part.
static bool allocate_large(snapshot *s, base_arena *arena)
{
    size_t bodies = (size_t)s->counts[COUNT_BODIES];
    bool made = true;
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++) {
        const eng_column *column = eng_body_column(i);
        if ((column->flags & ENG_SAVED) == 0)
            continue;
        s->body_data[i] =
            base_arena_allocate(arena, column->name, bodies, eng_column_row_size(column));
        made = made && s->body_data[i] != NULL;
    }
    return made && eng_spheres_record_allocate_large(&s->spheres, arena);
}

/// Copies of the arrays that the world has in another layout; false when out of memory.
static bool allocate_copies(snapshot *s, base_arena *arena)
{
    size_t pairs = (size_t)s->counts[COUNT_PAIRS], listed = (size_t)listed_count(s);
    s->actions = base_arena_array(arena, double, "actions", s->counts[COUNT_ACTION_NUMBERS]);
    s->joints =
        base_arena_allocate(arena, "joints", (size_t)s->counts[COUNT_JOINTS], sizeof *s->joints);
    s->pairs = base_arena_allocate(arena, "pairs", pairs, sizeof *s->pairs);
    s->pair_axes = base_arena_array(arena, vec3, "axes", pairs);
    s->listed = base_arena_array(arena, geo_bounds, "listed", listed);
    s->listed_kind = base_arena_allocate(arena, "listed kind", listed, sizeof *s->listed_kind);
    return s->joints != NULL && s->actions != NULL && s->pairs != NULL && s->pair_axes != NULL &&
           s->listed != NULL && s->listed_kind != NULL &&
           eng_spheres_record_allocate(&s->spheres, arena) &&
           eng_population_allocate(&s->population, arena);
}

// ---------------------------------------------------------------- saving

static void take_head(const cairn_world *world, snapshot *s)
{
    s->format = FORMAT;
    snprintf(s->version, sizeof s->version, "%s", cairn_version());
    eng_fingerprint_built(world, s->fingerprint);
    s->hash = cairn_world_get_hash(world);
    int listed_pairs;
    s->listed_pairs = (geo_pair *)geo_broad_phase_pairs(world->broad, &listed_pairs);
    int64_t counts[COUNTS] = {
        [COUNT_STEP] = world->step_count,
        [COUNT_BODIES] = world->body_count,
        [COUNT_COLLIDERS] = world->collider_count,
        [COUNT_CONTACTS] = world->contacts.count,
        [COUNT_CONES] = world->contacts.cone_count,
        [COUNT_PAIRS] = world->pair_count,
        [COUNT_LISTED] = geo_broad_phase_count(world->broad),
        [COUNT_LISTED_PAIRS] = listed_pairs,
        [COUNT_ENERGY_STARTED] = world->energy_started,
        [COUNT_TOPOLOGY_CHANGED] = world->topology_changed,
        [COUNT_JOINTS] = world->joint_count,
        [COUNT_JOINTS_CHANGED] = world->joints_changed,
        [COUNT_NOTE] = s->counts[COUNT_NOTE],
        [COUNT_CONNECTORS] = world->connector_count,
        [COUNT_ACTION_NUMBERS] = eng_actions_number_count(world),
    };
    memcpy(s->counts, counts, sizeof counts);
    s->reals[REAL_TIME] = world->time;
    s->reals[REAL_TIME_START] = world->time_start;
    s->reals[REAL_TIME_STEP] = world->def.time_step;
    s->reals[REAL_ENERGY_START] = world->energy_start;
    memcpy(&s->reals[REAL_ENERGY], &world->energy, sizeof world->energy);
    cairn_energy read = cairn_world_get_energy(world);
    memcpy(&s->reals[REAL_ENERGY_READ], &read, sizeof read);
    eng_spheres_record_head(world, &s->spheres);
    if (world->population_changed)
        eng_population_head(world, &s->population);
}

static void copy_pairs(const cairn_world *world, snapshot *s)
{
    for (int i = 0; i < world->pair_count; i++) {
        const eng_pair *pair = &world->pairs[i];
        const int numbers[PAIR_NUMBERS] = {pair->colliders.first,
                                           pair->colliders.second,
                                           pair->cache.feature[0],
                                           pair->cache.feature[1],
                                           pair->first,
                                           pair->count};
        memcpy(s->pairs[i], numbers, sizeof numbers);
        s->pair_axes[i] = pair->cache.axis;
    }
    for (int i = 0; i < listed_count(s); i++) {
        geo_proxy proxy = geo_broad_phase_listed(world->broad, i);
        s->listed[i] = proxy.bounds;
        s->listed_kind[i][0] = proxy.group;
        s->listed_kind[i][1] = proxy.mobile;
    }
}

/// The arrays are borrowed from the world; nothing writes through them.
static bool take_arrays(const cairn_world *world, snapshot *s, base_arena *arena)
{
    s->contacts = world->contacts;
    s->connectors = world->connector_state;
    if (!allocate_copies(s, arena))
        return false;
    for (int i = 0; i < world->joint_count; i++)
        eng_joint_numbers_take(&world->joints[i], s->joints[i]);
    eng_actions_take(world, s->actions);
    copy_pairs(world, s);
    if (eng_population_is_recorded(&s->population))
        eng_population_take(world, &s->population);
    eng_spheres_record_take(world, &s->spheres);
    return true;
}

static cairn_status save_with(const cairn_world *world, const char *path, const char *note,
                              base_arena *arena, cairn_error *error)
{
    snapshot s = {.note = (char *)note, .world = world};
    s.counts[COUNT_NOTE] = (int64_t)strlen(note);
    take_head(world, &s);
    if (!take_arrays(world, &s, arena))
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    eng_store_list head = head_fields(&s), rest = body_fields(&s);
    eng_store_array all[2 * ENG_STORE_LIST_MAX];
    memcpy(all, head.fields, (size_t)head.count * sizeof *all);
    memcpy(all + head.count, rest.fields, (size_t)rest.count * sizeof *all);
    return eng_store_write(path, all, head.count + rest.count, error);
}

cairn_status cairn_world_save(const cairn_world *world, const char *path, const char *note,
                              cairn_error *error)
{
    const char *text = note != NULL ? note : "";
    if (strlen(text) >= CAIRN_NOTE_SIZE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the note has %zu bytes, of less than %d",
                         strlen(text), CAIRN_NOTE_SIZE);
    // scratch of its own: the world's holds the problem of the last step
    base_arena *arena = base_arena_create(&world->allocator, ARENA_START);
    if (arena == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    cairn_status status = save_with(world, path, text, arena, error);
    base_arena_destroy(arena);
    if (status == CAIRN_OK)
        base_log(&world->logger, BASE_LOG_DETAIL, "step %" PRId64 " was saved to %s",
                 world->step_count, path);
    return status;
}

// ---------------------------------------------------------------- reading

static cairn_status read_fields(const con_hdf5_reader *reader, const eng_store_list *list)
{
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < list->count && status == CAIRN_OK; i++)
        status = eng_store_read(reader, &list->fields[i]);
    return status;
}

static cairn_status refuse(const con_hdf5_reader *reader, const char *reason)
{
    return base_fail(reader->error, CAIRN_ERROR_FORMAT, "%s: %s", reader->path, reason);
}

static bool in_range(int64_t value, int64_t count)
{
    return value >= 0 && value < count;
}

static cairn_status read_head(const con_hdf5_reader *reader, snapshot *s)
{
    const eng_store_array format = {
        .name = "format", .type = ENG_STORE_LONG, .width = 1, .count = 1, .data = &s->format};
    cairn_status status = eng_store_read(reader, &format);
    if (status == CAIRN_OK && s->format != FORMAT)
        return base_fail(reader->error, CAIRN_ERROR_FORMAT,
                         "%s: checkpoint of format %" PRId64 ", this version reads format %d",
                         reader->path, s->format, FORMAT);
    eng_store_list head = head_fields(s);
    if (status == CAIRN_OK)
        status = read_fields(reader, &head);
    if (status != CAIRN_OK)
        return status;
    s->version[VERSION_SIZE - 1] = '\0';
    for (int i = 0; i < COUNTS; i++)
        if (s->counts[i] < (i == COUNT_LISTED ? -1 : 0) ||
            (i != COUNT_STEP && s->counts[i] > INT_MAX / 16))
            return refuse(reader, "a number of its parts is out of range");
    bool good = true;
    for (int i = 0; i < ENG_POPULATION_COUNTS; i++)
        good = good && in_range(s->population.counts[i], INT_MAX / 16);
    for (int i = 0; i < ENG_SPHERES_RECORD_COUNTS; i++)
        good = good && in_range(s->spheres.counts[i], (int64_t)reader->file_size + 1);
    // every one of these has a byte in the file at least
    static const count_index in_file[] = {COUNT_CONTACTS, COUNT_PAIRS,         COUNT_LISTED_PAIRS,
                                          COUNT_BODIES,   COUNT_JOINTS,        COUNT_CONNECTORS,
                                          COUNT_LISTED,   COUNT_ACTION_NUMBERS};
    for (int i = 0; i < BASE_COUNT(in_file); i++)
        good = good && s->counts[in_file[i]] <= (int64_t)reader->file_size;
    if (!good || s->counts[COUNT_NOTE] >= CAIRN_NOTE_SIZE ||
        s->counts[COUNT_CONES] > s->counts[COUNT_CONTACTS])
        return refuse(reader, "a number of its parts is out of range");
    return CAIRN_OK;
}

static cairn_status read_checkpoint(const con_hdf5_reader *reader, cairn_checkpoint *checkpoint)
{
    snapshot s = {0};
    cairn_status status = read_head(reader, &s);
    if (status != CAIRN_OK)
        return status;
    const eng_store_array note = {.name = "note",
                                  .type = ENG_STORE_BYTE,
                                  .width = 1,
                                  .count = s.counts[COUNT_NOTE],
                                  .data = checkpoint->note};
    status = eng_store_read(reader, &note);
    checkpoint->note[s.counts[COUNT_NOTE]] = '\0';
    checkpoint->step_count = s.counts[COUNT_STEP];
    checkpoint->time = s.reals[REAL_TIME];
    checkpoint->time_step = s.reals[REAL_TIME_STEP];
    checkpoint->bodies = eng_population_is_recorded(&s.population) ? (int)s.population.counts[1]
                                                                   : (int)s.counts[COUNT_BODIES];
    checkpoint->contacts = (int)s.counts[COUNT_CONTACTS];
    checkpoint->state_hash = s.hash;
    memcpy(&checkpoint->energy, &s.reals[REAL_ENERGY_READ], sizeof checkpoint->energy);
    memcpy(checkpoint->version, s.version, sizeof s.version);
    return status;
}

bool cairn_checkpoint_exists(const char *path)
{
    return eng_store_found(path);
}

cairn_status cairn_checkpoint_read(const char *path, cairn_checkpoint *checkpoint,
                                   cairn_error *error)
{
    *checkpoint = (cairn_checkpoint){0};
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, ARENA_START);
    if (arena == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    con_hdf5_reader reader;
    cairn_status status = eng_store_open(&reader, path, arena, error);
    if (status == CAIRN_OK)
        status = read_checkpoint(&reader, checkpoint);
    con_hdf5_close(&reader);
    con_hdf5_silence_end(silence);
    base_arena_destroy(arena);
    return status;
}

// ---------------------------------------------------------------- restoring

static cairn_status check_world(const con_hdf5_reader *reader, const cairn_world *world,
                                const snapshot *s)
{
    uint64_t here[ENG_FINGERPRINT_COUNT];
    eng_fingerprint_built(world, here);
    for (int i = 0; i < ENG_FINGERPRINT_COUNT; i++)
        if (here[i] != s->fingerprint[i])
            return base_fail(reader->error, CAIRN_ERROR_ARGUMENT,
                             "%s is of a world with other %s: it goes on only with the scene and "
                             "the settings it was saved with",
                             reader->path, eng_fingerprint_text((eng_fingerprint_part)i));
    if (s->counts[COUNT_ACTION_NUMBERS] != eng_actions_number_count(world))
        return refuse(reader, "its actions are not those of its fingerprint");
    if (eng_population_is_recorded(&s->population))
        return CAIRN_OK;
    if (world->population_changed)
        return base_fail(reader->error, CAIRN_ERROR_ARGUMENT,
                         "%s: bodies, shapes, joints or connectors were made or removed here since "
                         "the first step: it goes on only with a world as the scene builds it",
                         reader->path);
    if (s->counts[COUNT_BODIES] != world->body_count ||
        s->counts[COUNT_COLLIDERS] != world->collider_count ||
        s->counts[COUNT_JOINTS] != world->joint_count ||
        s->counts[COUNT_CONNECTORS] != world->connector_count)
        return refuse(reader, "its bodies, joints or connectors are not those of its fingerprint");
    return CAIRN_OK;
}

static bool allocate_arrays(snapshot *s, base_arena *arena)
{
    s->note = base_arena_array(arena, char, "note", s->counts[COUNT_NOTE]);
    s->connectors =
        base_arena_array(arena, eng_connector_state, "connectors", s->counts[COUNT_CONNECTORS]);
    s->listed_pairs =
        base_arena_array(arena, geo_pair, "listed pairs", s->counts[COUNT_LISTED_PAIRS]);
    return s->note != NULL && s->connectors != NULL && s->listed_pairs != NULL &&
           allocate_copies(s, arena) && allocate_large(s, arena);
}

static const char *pair_fault(const snapshot *s)
{
    int64_t contacts = s->counts[COUNT_CONTACTS], colliders = s->counts[COUNT_COLLIDERS];
    for (int i = 0; i < s->counts[COUNT_PAIRS]; i++) {
        const int *p = s->pairs[i], *before = i > 0 ? s->pairs[i - 1] : NULL;
        if (!in_range(p[0], colliders) || !in_range(p[1], colliders))
            return "a pair names a part that is not there";
        if (before != NULL && (p[0] < before[0] || (p[0] == before[0] && p[1] <= before[1])))
            return "its pairs are not in order";
        if (p[5] < 0 || (p[5] > 0 && (p[4] < 0 || p[4] + (int64_t)p[5] > contacts)))
            return "a pair names contacts that are not there";
    }
    for (int i = 0; i < s->counts[COUNT_LISTED_PAIRS]; i++)
        if (!in_range(s->listed_pairs[i].first, s->counts[COUNT_LISTED]) ||
            !in_range(s->listed_pairs[i].second, s->counts[COUNT_LISTED]))
            return "its list names a part that is not there";
    return NULL;
}

static const char *contact_fault(const cairn_world *world, snapshot *s)
{
    const eng_contacts *c = &s->contacts;
    int row, count = (int)s->counts[COUNT_CONTACTS];
    if (eng_columns_find_nonfinite(eng_contacts_columns(&s->contacts), count, &row) != NULL)
        return "a contact's state is not finite";
    for (int i = 0; i < count; i++) {
        if (!in_range((int64_t)c->pair[i] + 1, s->counts[COUNT_PAIRS] + 1) ||
            !in_range(c->body[i][0], s->counts[COUNT_BODIES]) ||
            !in_range(c->body[i][1], s->counts[COUNT_BODIES]) ||
            !in_range(c->surface[i], world->surface_count))
            return "a contact names what is not there";
        bool cone = world->surfaces[c->surface[i]].law->kind == CON_LAW_CONE;
        if (cone != (i < s->counts[COUNT_CONES]))
            return "a contact is not of its law's kind";
    }
    return NULL;
}

static const char *body_fault(const snapshot *s)
{
    for (int i = 0; i < s->counts[COUNT_ACTION_NUMBERS]; i++)
        if (!isfinite(s->actions[i]))
            return "the state of a load, emitter or outlet is not finite";
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++) {
        eng_columns one = {eng_body_column(i), (void **)&s->body_data[i], 1};
        int row;
        if (s->body_data[i] != NULL &&
            eng_columns_find_nonfinite(one, (int)s->counts[COUNT_BODIES], &row) != NULL)
            return "a body's state is not finite";
    }
    for (int i = 0; i < s->counts[COUNT_JOINTS]; i++) {
        double sum = s->joints[i][0] + s->joints[i][3];
        for (int k = 12; k < ENG_JOINT_NUMBERS; k++)
            sum += s->joints[i][k];
        if (!isfinite(sum))
            return "a joint's state is not finite";
    }
    for (int i = 0; i < s->counts[COUNT_CONNECTORS]; i++) {
        const double *state = (const double *)&s->connectors[i];
        for (int k = 0; k < ENG_CONNECTOR_STATE_WIDTH; k++)
            if (!isfinite(state[k]))
                return "a connector's state is not finite";
    }
    return NULL;
}

/// Whether a column of bodies has anything but zeros.
static bool has_values(const snapshot *s, int column)
{
    size_t words = (size_t)s->counts[COUNT_BODIES] * (size_t)eng_body_column(column)->width;
    const uint64_t *of = s->body_data[column];
    for (size_t i = 0; i < words; i++)
        if (of[i] != 0)
            return true;
    return false;
}

/// Room for everything, so that what follows cannot fail.
static cairn_status reserve(cairn_world *world, const snapshot *s)
{
    int pairs = (int)s->counts[COUNT_PAIRS], capacity = world->pair_capacity;
    const base_allocator *allocator = &world->allocator;
    cairn_status status = base_array_reserve(allocator, &world->pairs_before, &capacity, pairs);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &world->pairs, &world->pair_capacity, pairs);
    if (status == CAIRN_OK)
        status = eng_contacts_reserve(allocator, &world->contacts, (int)s->counts[COUNT_CONTACTS]);
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT && status == CAIRN_OK; i++)
        if (s->body_data[i] != NULL && eng_body_column_group(i) == ENG_BODY_GIVEN &&
            has_values(s, i))
            status = eng_body_column_make(world, i);
    return status;
}

static cairn_status restore_list(cairn_world *world, const snapshot *s, base_arena *arena)
{
    int count = (int)listed_count(s);
    geo_proxy *listed = base_arena_array(arena, geo_proxy, "proxies", count);
    if (listed == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        listed[i] = (geo_proxy){s->listed[i], s->listed_kind[i][0], s->listed_kind[i][1]};
    return geo_broad_phase_restore(world->broad, listed, (int)s->counts[COUNT_LISTED],
                                   s->listed_pairs, (int)s->counts[COUNT_LISTED_PAIRS]);
}

static void copy_contacts(cairn_world *world, snapshot *s)
{
    int count = (int)s->counts[COUNT_CONTACTS];
    eng_columns_copy(eng_contacts_columns(&world->contacts), eng_contacts_columns(&s->contacts),
                     count);
    world->contacts.count = count;
    world->contacts.cone_count = (int)s->counts[COUNT_CONES];
}

static void copy_state(cairn_world *world, const snapshot *s)
{
    for (int k = 0; k < world->general_count; k++) {
        int i = world->active[k];
        world->q[i] = s->q[i];
        if (i < world->blocks_count)
            world->q_mid[i] = s->q_mid[i];
        memcpy(world->v[i], s->v[i], sizeof *world->v);
    }
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++)
        if (eng_body_column_group(i) == ENG_BODY_GIVEN && s->body_data[i] != NULL &&
            world->body_data[i] != NULL)
            memcpy(world->body_data[i], s->body_data[i],
                   (size_t)world->body_count * eng_column_row_size(eng_body_column(i)));
    for (int i = 0; i < world->joint_count; i++)
        eng_joint_numbers_put(s->joints[i], &world->joints[i]);
    if (world->connector_count > 0)
        memcpy(world->connector_state, s->connectors,
               (size_t)world->connector_count * sizeof *s->connectors);
    world->pair_count = (int)s->counts[COUNT_PAIRS];
    world->plan.current = false;
    for (int i = 0; i < world->pair_count; i++) {
        const int *p = s->pairs[i];
        world->pairs[i] = (eng_pair){{p[0], p[1]}, {s->pair_axes[i], {p[2], p[3]}}, p[4], p[5]};
    }
    eng_actions_restore(world, s->actions);
    world->step_count = s->counts[COUNT_STEP];
    world->energy_started = s->counts[COUNT_ENERGY_STARTED] != 0;
    world->topology_changed = s->counts[COUNT_TOPOLOGY_CHANGED] != 0;
    world->joints_changed = s->counts[COUNT_JOINTS_CHANGED] != 0;
    world->time = s->reals[REAL_TIME];
    world->time_start = s->reals[REAL_TIME_START];
    world->energy_start = s->reals[REAL_ENERGY_START];
    memcpy(&world->energy, &s->reals[REAL_ENERGY], sizeof world->energy);
}

/// Brings back which objects there are, where the file says.
static cairn_status restore_population(const con_hdf5_reader *reader, cairn_world *world,
                                       snapshot *s)
{
    if (!eng_population_is_recorded(&s->population))
        return CAIRN_OK;
    const char *reason = "";
    cairn_status status =
        eng_population_restore(world, &s->population, (int)s->counts[COUNT_COLLIDERS], &reason);
    if (status == CAIRN_ERROR_UNSUPPORTED)
        return base_fail(reader->error, status, "%s: %s", reader->path, reason);
    return status == CAIRN_OK ? status
                              : base_fail(reader->error, status, "%s: out of memory", reader->path);
}

static cairn_status commit(const con_hdf5_reader *reader, cairn_world *world, snapshot *s)
{
    eng_built_note(world);
    cairn_status status = restore_population(reader, world, s);
    if (status != CAIRN_OK)
        return status;
    status = reserve(world, s);
    if (status == CAIRN_OK)
        status = restore_list(world, s, reader->arena);
    if (status == CAIRN_OK)
        status = eng_spheres_record_restore(world, &s->spheres);
    if (status == CAIRN_OK && world->general_work)
        status = eng_blocks_reserve(world);
    if (status == CAIRN_ERROR_FORMAT)
        return refuse(reader, "its spheres do not give the pairs that it holds");
    if (status != CAIRN_OK)
        return base_fail(reader->error, status, "%s: out of memory", reader->path);
    copy_contacts(world, s);
    copy_state(world, s);
    eng_step_forget(world);
    if (cairn_world_get_hash(world) != s->hash)
        return refuse(reader, "the restored state does not have the hash of the saved one");
    return CAIRN_OK;
}

static const char *population_fault(const con_hdf5_reader *reader, const cairn_world *world,
                                    const snapshot *s)
{
    const eng_population *population = &s->population;
    if (!eng_population_is_recorded(population))
        return NULL;
    if (s->counts[COUNT_BODIES] != population->slots[ENG_POPULATION_BODIES].count ||
        s->counts[COUNT_JOINTS] != population->slots[ENG_POPULATION_JOINTS].live_count ||
        s->counts[COUNT_CONNECTORS] != population->slots[ENG_POPULATION_CONNECTORS].live_count)
        return "its bodies, joints or connectors are not as many as it says";
    return eng_population_fault(world, population, s->counts[COUNT_COLLIDERS], reader->arena);
}

static cairn_status restore_from(const con_hdf5_reader *reader, cairn_world *world, snapshot *s)
{
    cairn_status status = read_head(reader, s);
    if (status == CAIRN_OK)
        status = check_world(reader, world, s);
    if (status != CAIRN_OK)
        return status;
    if (!allocate_arrays(s, reader->arena) ||
        eng_contacts_reserve(&world->allocator, &s->contacts, (int)s->counts[COUNT_CONTACTS]) !=
            CAIRN_OK)
        return base_fail(reader->error, CAIRN_ERROR_MEMORY, "%s: out of memory", reader->path);
    eng_store_list rest = body_fields(s);
    status = read_fields(reader, &rest);
    if (status != CAIRN_OK)
        return status;
    const char *fault = population_fault(reader, world, s);
    fault = fault == NULL ? pair_fault(s) : fault;
    fault = fault == NULL ? contact_fault(world, s) : fault;
    fault = fault == NULL ? body_fault(s) : fault;
    return fault == NULL ? commit(reader, world, s) : refuse(reader, fault);
}

cairn_status cairn_world_restore(cairn_world *world, const char *path, cairn_error *error)
{
    base_arena *arena = base_arena_create(&world->allocator, ARENA_START);
    if (arena == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    con_hdf5_reader reader;
    snapshot s = {0};
    cairn_status status = eng_store_open(&reader, path, arena, error);
    if (status == CAIRN_OK)
        status = restore_from(&reader, world, &s);
    con_hdf5_close(&reader);
    con_hdf5_silence_end(silence);
    eng_contacts_release(&world->allocator, &s.contacts);
    base_arena_destroy(arena);
    if (status == CAIRN_OK)
        base_log(&world->logger, BASE_LOG_DETAIL, "the world goes on from step %" PRId64 " of %s",
                 world->step_count, path);
    return status;
}
