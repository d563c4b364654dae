// SPDX-License-Identifier: Apache-2.0
// Checkpoints: a snapshot of a world in one file, and what must hold of a file before it is
// believed.
#include "engine/files/snapshot.h"
#include "engine/state/actions.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "engine/pairs/domains.h"
#include "engine/passes/pieces.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

static cairn_status save_with(const cairn_world *world, const char *path, const char *note,
                              base_arena *arena, cairn_error *error)
{
    eng_snapshot s = {.note = (char *)note, .world = world};
    s.counts[ENG_COUNT_NOTE] = (int64_t)strlen(note);
    eng_snapshot_take_head(world, false, &s);
    if (!eng_snapshot_take(world, &s, arena))
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    eng_field_list head = eng_snapshot_head(&s), rest = eng_snapshot_body(&s);
    eng_store_array all[2 * ENG_FIELDS_MAX];
    memcpy(all, head.fields, (size_t)head.count * sizeof *all);
    memcpy(all + head.count, rest.fields, (size_t)rest.count * sizeof *all);
    return eng_store_write(path, all, head.count + rest.count, error);
}

cairn_status cairn_world_save(const cairn_world *world, const char *path, const char *note,
                              cairn_error *error)
{
    if (world == NULL || path == NULL)
        return base_fail_null(error, __func__);
    const char *text = note != NULL ? note : "";
    if (strlen(text) >= CAIRN_NOTE_SIZE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the note has %zu bytes, of less than %d",
                         strlen(text), CAIRN_NOTE_SIZE);
    // scratch of its own: the world's holds the problem of the last step
    base_arena *arena = base_arena_create(&world->model.allocator, ENG_SNAPSHOT_ARENA);
    if (arena == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    cairn_status status = save_with(world, path, text, arena, error);
    base_arena_destroy(arena);
    if (status == CAIRN_OK)
        base_log(&world->model.logger, BASE_LOG_DETAIL, "step %" PRId64 " was saved to %s",
                 world->state.clock.step_count, path);
    return status;
}

// ---------------------------------------------------------------- reading

static cairn_status read_fields(const con_hdf5_reader *reader, const eng_field_list *list)
{
    for (int i = 0; i < list->count; i++)
        BASE_TRY(eng_store_read(reader, &list->fields[i]));
    return CAIRN_OK;
}

static bool in_range(int64_t value, int64_t count)
{
    return value >= 0 && value < count;
}

static cairn_status read_head(const con_hdf5_reader *reader, eng_snapshot *s)
{
    const eng_store_array format = {
        .name = "format", .type = ENG_STORE_LONG, .width = 1, .count = 1, .data = &s->format};
    cairn_status status = eng_store_read(reader, &format);
    if (status == CAIRN_OK && s->format != ENG_CHECKPOINT_FORMAT)
        return base_fail(reader->error, CAIRN_ERROR_FORMAT,
                         "%s: checkpoint of format %" PRId64 ", this version reads format %d",
                         reader->path, s->format, ENG_CHECKPOINT_FORMAT);
    eng_field_list head = eng_snapshot_head(s);
    if (status == CAIRN_OK)
        status = read_fields(reader, &head);
    if (status != CAIRN_OK)
        return status;
    s->version[ENG_VERSION_SIZE - 1] = '\0';
    for (int i = 0; i < ENG_COUNTS; i++)
        if (s->counts[i] < (i == ENG_COUNT_LISTED ? -1 : 0) ||
            (i != ENG_COUNT_STEP && s->counts[i] > INT_MAX / 16))
            return eng_snapshot_refuse(reader, "a number of its parts is out of range");
    bool good = true;
    for (int i = 0; i < ENG_BOOKED_SUMS; i++)
        for (int k = 0; k < BASE_EXACT_DIGITS; k++)
            good = good && s->booked[i][k] <= (int64_t)UINT32_MAX &&
                   s->booked[i][k] >= (k + 1 < BASE_EXACT_DIGITS ? 0 : -(int64_t)UINT32_MAX);
    for (int i = 0; i < ENG_POPULATION_COUNTS; i++)
        good = good && in_range(s->population.counts[i], INT_MAX / 16);
    for (int i = 0; i < ENG_SPHERES_RECORD_COUNTS; i++)
        good = good && in_range(s->spheres.counts[i], (int64_t)reader->file_size + 1);
    if (!good || s->counts[ENG_COUNT_NOTE] >= CAIRN_NOTE_SIZE ||
        s->counts[ENG_COUNT_CONES] > s->counts[ENG_COUNT_CONTACTS] ||
        s->counts[ENG_COUNT_PIECES_STOP] > CON_STOP_FAILED + 1 ||
        s->counts[ENG_COUNT_CUT] > CON_DOMAIN_LEVELS_MAX + 1 ||
        s->counts[ENG_COUNT_CUT_BODIES] !=
            (s->counts[ENG_COUNT_CUT] > 1 ? s->counts[ENG_COUNT_BODIES] : 0))
        return eng_snapshot_refuse(reader, "a number of its parts is out of range");
    return CAIRN_OK;
}

static cairn_status read_checkpoint(const con_hdf5_reader *reader, cairn_checkpoint *checkpoint)
{
    eng_snapshot s = {0};
    BASE_TRY(read_head(reader, &s));
    const eng_store_array note = {.name = "note",
                                  .type = ENG_STORE_BYTE,
                                  .width = 1,
                                  .count = s.counts[ENG_COUNT_NOTE],
                                  .data = checkpoint->note};
    cairn_status status = eng_store_read(reader, &note);
    checkpoint->note[s.counts[ENG_COUNT_NOTE]] = '\0';
    checkpoint->step_count = s.counts[ENG_COUNT_STEP];
    checkpoint->time = s.reals[ENG_REAL_AT_TIME];
    checkpoint->time_step = s.reals[ENG_REAL_AT_TIME_STEP];
    checkpoint->bodies = eng_population_is_recorded(&s.population)
                             ? (int)s.population.counts[1]
                             : (int)s.counts[ENG_COUNT_BODIES];
    checkpoint->contacts = (int)s.counts[ENG_COUNT_CONTACTS];
    checkpoint->state_hash = s.hash;
    memcpy(&checkpoint->energy, &s.reals[ENG_REAL_AT_ENERGY_READ], sizeof checkpoint->energy);
    memcpy(checkpoint->version, s.version, sizeof s.version);
    return status;
}

bool cairn_checkpoint_exists(const char *path)
{
    if (path == NULL)
        return false;
    return eng_store_found(path);
}

cairn_status cairn_checkpoint_read(const char *path, cairn_checkpoint *checkpoint,
                                   cairn_error *error)
{
    if (path == NULL || checkpoint == NULL)
        return base_fail_null(error, __func__);
    *checkpoint = (cairn_checkpoint){0};
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, ENG_SNAPSHOT_ARENA);
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

static const char *pair_fault(const eng_snapshot *s)
{
    int64_t contacts = s->counts[ENG_COUNT_CONTACTS], colliders = s->counts[ENG_COUNT_COLLIDERS];
    for (int i = 0; i < s->counts[ENG_COUNT_PAIRS]; i++) {
        const int *p = s->pairs[i], *before = i > 0 ? s->pairs[i - 1] : NULL;
        if (!in_range(p[0], colliders) || !in_range(p[1], colliders))
            return "a pair names a part that is not there";
        if (before != NULL && (p[0] < before[0] || (p[0] == before[0] && p[1] <= before[1])))
            return "its pairs are not in order";
        if (p[5] < 0 || (p[5] > 0 && (p[4] < 0 || p[4] + (int64_t)p[5] > contacts)))
            return "a pair names contacts that are not there";
    }
    // colliders in their order, then images of these
    int own = 0;
    while (own < s->counts[ENG_COUNT_IMAGES] && s->images[own].source == own)
        own++;
    for (int i = own; i < s->counts[ENG_COUNT_IMAGES]; i++)
        if (!in_range(s->images[i].source, own))
            return "its list has images of parts that are not there";
    for (int i = 0; i < s->counts[ENG_COUNT_LISTED_PAIRS]; i++)
        if (!in_range(s->listed_pairs[i].first, s->counts[ENG_COUNT_LISTED]) ||
            !in_range(s->listed_pairs[i].second, s->counts[ENG_COUNT_LISTED]))
            return "its list names a part that is not there";
    return NULL;
}

static const char *domain_fault(const eng_snapshot *s)
{
    int count = 1 << (s->counts[ENG_COUNT_CUT] > 1 ? s->counts[ENG_COUNT_CUT] - 1 : 0);
    for (int i = 0; i < s->counts[ENG_COUNT_CUT_BODIES]; i++)
        if (s->domains[i] < ENG_DOMAIN_ALL || s->domains[i] >= count)
            return "a body is in a domain that is not there";
    return NULL;
}

static const char *contact_fault(const cairn_world *world, eng_snapshot *s)
{
    const eng_contacts *c = &s->contacts;
    int row, count = (int)s->counts[ENG_COUNT_CONTACTS];
    if (eng_columns_find_nonfinite(eng_contacts_columns(&s->contacts), count, &row) != NULL)
        return "a contact's state is not finite";
    for (int i = 0; i < count; i++) {
        if (!in_range((int64_t)c->pair[i] + 1, s->counts[ENG_COUNT_PAIRS] + 1) ||
            !in_range(c->body[i][0], s->counts[ENG_COUNT_BODIES]) ||
            !in_range(c->body[i][1], s->counts[ENG_COUNT_BODIES]) ||
            !in_range(c->surface[i], world->model.materials.surface_count))
            return "a contact names what is not there";
        bool cone = world->model.materials.surfaces[c->surface[i]].law->kind == CON_LAW_CONE;
        if (cone != (i < s->counts[ENG_COUNT_CONES]))
            return "a contact is not of its law's kind";
    }
    return NULL;
}

static const char *body_fault(const cairn_world *world, const eng_snapshot *s)
{
    eng_pieces pieces = {0};
    eng_pieces_unpack(s->counts[ENG_COUNT_PIECES_RAMP], &pieces);
    if (s->counts[ENG_COUNT_PIECES_DONE] >= eng_pieces_of(world) ||
        (pieces.ramp & (pieces.ramp - 1)) != 0 || (pieces.least & (pieces.least - 1)) != 0)
        return "more pieces of a step are done than it has";
    if (!eng_actions_are_finite(world, s->actions))
        return "the state of a load, emitter or outlet is not finite";
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++) {
        eng_columns one = {eng_body_column(i), (void **)&s->data[i], 1};
        int row;
        if (s->data[i] != NULL &&
            eng_columns_find_nonfinite(one, (int)s->counts[ENG_COUNT_BODIES], &row) != NULL)
            return "a body's state is not finite";
    }
    for (int i = 0; i < s->counts[ENG_COUNT_JOINTS]; i++) {
        double sum = s->joints[i][0] + s->joints[i][3];
        for (int k = 12; k < ENG_JOINT_NUMBERS; k++)
            sum += s->joints[i][k];
        if (!isfinite(sum))
            return "a joint's state is not finite";
    }
    for (int i = 0; i < s->counts[ENG_COUNT_CONNECTORS]; i++) {
        const double *state = (const double *)&s->connectors[i];
        for (int k = 0; k < ENG_CONNECTOR_STATE_WIDTH; k++)
            if (!isfinite(state[k]))
                return "a connector's state is not finite";
    }
    return NULL;
}

static const char *population_fault(const con_hdf5_reader *reader, const cairn_world *world,
                                    const eng_snapshot *s)
{
    const eng_population *population = &s->population;
    if (!eng_population_is_recorded(population))
        return NULL;
    if (s->counts[ENG_COUNT_BODIES] != population->slots[ENG_POPULATION_BODIES].count ||
        s->counts[ENG_COUNT_JOINTS] != population->slots[ENG_POPULATION_JOINTS].live_count ||
        s->counts[ENG_COUNT_CONNECTORS] != population->slots[ENG_POPULATION_CONNECTORS].live_count)
        return "its bodies, joints or connectors are not as many as it says";
    return eng_population_fault(world, population, s->counts[ENG_COUNT_COLLIDERS], reader->arena);
}

/// Whether the file holds as much as its counts say: before memory is taken for it.
static cairn_status check_sizes(const con_hdf5_reader *reader, eng_snapshot *s)
{
    eng_population_size(&s->population);
    eng_field_list rest = eng_snapshot_body(s);
    for (int i = 0; i < rest.count; i++)
        BASE_TRY(eng_store_check(reader, &rest.fields[i]));
    return CAIRN_OK;
}

static cairn_status restore_from(const con_hdf5_reader *reader, cairn_world *world, eng_snapshot *s)
{
    BASE_TRY(read_head(reader, s));
    BASE_TRY(eng_snapshot_check(reader, world, s));
    BASE_TRY(check_sizes(reader, s));
    if (!eng_snapshot_allocate(s, reader->arena) ||
        eng_contacts_reserve(&world->model.allocator, &s->contacts,
                             (int)s->counts[ENG_COUNT_CONTACTS]) != CAIRN_OK)
        return base_fail(reader->error, CAIRN_ERROR_MEMORY, "%s: out of memory", reader->path);
    eng_field_list rest = eng_snapshot_body(s);
    BASE_TRY(read_fields(reader, &rest));
    const char *fault = population_fault(reader, world, s);
    fault = fault == NULL ? pair_fault(s) : fault;
    fault = fault == NULL ? domain_fault(s) : fault;
    fault = fault == NULL ? contact_fault(world, s) : fault;
    fault = fault == NULL ? body_fault(world, s) : fault;
    return fault == NULL ? eng_snapshot_commit(reader, world, s)
                         : eng_snapshot_refuse(reader, fault);
}

cairn_status cairn_world_restore(cairn_world *world, const char *path, cairn_error *error)
{
    if (world == NULL || path == NULL)
        return base_fail_null(error, __func__);
    base_arena *arena = base_arena_create(&world->model.allocator, ENG_SNAPSHOT_ARENA);
    if (arena == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    con_hdf5_reader reader;
    eng_snapshot s = {0};
    cairn_status status = eng_store_open(&reader, path, arena, error);
    if (status == CAIRN_OK)
        status = restore_from(&reader, world, &s);
    con_hdf5_close(&reader);
    con_hdf5_silence_end(silence);
    eng_contacts_release(&world->model.allocator, &s.contacts);
    base_arena_destroy(arena);
    if (status == CAIRN_OK)
        base_log(&world->model.logger, BASE_LOG_DETAIL,
                 "the world goes on from step %" PRId64 " of %s", world->state.clock.step_count,
                 path);
    return status;
}
