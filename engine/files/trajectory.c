// SPDX-License-Identifier: Apache-2.0
// Writer of trajectory.h5: frames appended to extendable arrays, readable while the run goes on.
//
// The file is written in HDF5's mode for one writer and many readers (SWMR): every flush leaves a
// file that readers can open, also when the writer is killed. A frame begins with a new chunk of
// each array, and chunks are written once; `time` grows last, so that frames it counts are
// complete.
//
// No frame is held as a whole: items are made part by part while they are written. Bodies that are
// the same in all frames have one chunk a frame and array, which is made in one piece.
#include "engine/files/trajectory.h"
#include "engine/bodies/body_state.h"
#include "engine/files/chunk.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "base/elementary.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_SIZE = 4096,
    DEFLATE_LEVEL = 1,
    PART = 16 * ENG_TRAJECTORY_CHUNK // items that are made at a time
};

typedef eng_trajectory_index set_index;

struct cairn_trajectory {
    base_allocator allocator;
    hid_t file, sets[ENG_TRAJECTORY_COUNT];
    eng_trajectory_layout layout;
    int64_t contacts_every; // steps; 0: none
    int64_t frames;
    int64_t items[ENG_TRAJECTORY_ITEMS]; // items that the arrays have
    uint64_t ids;                        // hash of those of the bodies, where they do not vary
    int64_t *numbers;                    // [number_count] of the body of an id's index
    uint32_t *generations;               // [number_count] of the id
    int number_count, number_capacity, generation_capacity;
    eng_trajectory_rows rows; // of a part of a frame
    void *chunk;              // [chunk_room] one of bodies that do not vary
    size_t chunk_room;
    int64_t reserved; // bytes that the file has on the disk for certain
    char path[PATH_SIZE];
};

static void close_with(hid_t id, herr_t (*close_id)(hid_t))
{
    if (id >= 0)
        close_id(id);
}

static cairn_status fail_file(const char *path, const char *what, cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, what);
}

// ---------------------------------------------------------------- arrays

static hid_t set_properties(const cairn_trajectory *writer, set_index set)
{
    hsize_t chunk[ENG_TRAJECTORY_RANK];
    int rank = eng_trajectory_chunk(&writer->layout, set, chunk);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (properties >= 0 && H5Pset_chunk(properties, rank, chunk) >= 0 &&
        (!eng_trajectory_is_deflated(set) ||
         (H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, DEFLATE_LEVEL) >= 0)))
        return properties;
    close_with(properties, H5Pclose);
    return H5I_INVALID_HID;
}

static hid_t create_set(const cairn_trajectory *writer, set_index set)
{
    hsize_t shape[ENG_TRAJECTORY_RANK], most[ENG_TRAJECTORY_RANK];
    int rank = eng_trajectory_shape(&writer->layout, set, 0, shape);
    memcpy(most, shape, sizeof most);
    most[0] = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(rank, shape, most), properties = set_properties(writer, set);
    hid_t made = H5I_INVALID_HID;
    if (space >= 0 && properties >= 0)
        made = H5Dcreate2(writer->file, eng_trajectory_sets[set].name, eng_trajectory_type(set),
                          space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (made >= 0 && !eng_trajectory_put_text(made, "unit", eng_trajectory_sets[set].unit)) {
        H5Dclose(made);
        made = H5I_INVALID_HID;
    }
    close_with(properties, H5Pclose);
    close_with(space, H5Sclose);
    return made;
}

static bool create_sets(cairn_trajectory *writer)
{
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        if (eng_trajectory_has(&writer->layout, (set_index)i) &&
            (writer->sets[i] = create_set(writer, (set_index)i)) < 0)
            return false;
    return true;
}

// ---------------------------------------------------------------- the file

static hid_t create_file(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    close_with(access, H5Pclose);
    return file;
}

/// Where HDF5's part of a closed file ends, by its superblock (versions 2 and 3); -1 if it is none.
static off_t end_of_closed(int descriptor)
{
    enum { AT_VERSION = 8, AT_END = 28, SIZE = 36 };
    unsigned char head[SIZE];
    uint64_t end = 0;
    if (pread(descriptor, head, SIZE, 0) != SIZE || head[AT_VERSION] < 2 || head[AT_VERSION] > 3)
        return -1;
    for (int i = 7; i >= 0; i--)
        end = end << 8 | head[AT_END + i];
    return end <= INT64_MAX ? (off_t)end : -1;
}

static bool close_file(cairn_trajectory *writer)
{
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++) {
        close_with(writer->sets[i], H5Dclose);
        writer->sets[i] = H5I_INVALID_HID;
    }
    if (writer->file < 0)
        return true;
    int own = con_hdf5_descriptor(writer->file);
    own = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 3) : -1;
    bool good = H5Fclose(writer->file) >= 0;
    writer->file = H5I_INVALID_HID;
    if (own < 0)
        return good;
    // what was reserved and not used
    off_t end = good ? end_of_closed(own) : -1;
    if (end > 0 && lseek(own, 0, SEEK_END) > end)
        good = ftruncate(own, end) == 0;
    close(own);
    return good;
}

static int64_t round_up(int64_t items, int64_t chunk)
{
    return (items + chunk - 1) / chunk * chunk;
}

/// Bytes that a frame may add to the file at most: new chunks of all arrays, not compressed, and
/// HDF5's tables of chunks, which grow with the file.
static int64_t most_bytes(const cairn_trajectory *writer,
                          const int64_t counts[ENG_TRAJECTORY_ITEMS], hsize_t size)
{
    int64_t bytes = 8192 + (int64_t)(size / 64);
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++) {
        const eng_trajectory_set *set = &eng_trajectory_sets[i];
        if (!eng_trajectory_has(&writer->layout, (set_index)i))
            continue;
        bool fixed = eng_trajectory_is_fixed(&writer->layout, (set_index)i);
        int64_t before = writer->items[set->item], count = counts[set->item];
        hsize_t chunk[ENG_TRAJECTORY_RANK];
        eng_trajectory_chunk(&writer->layout, (set_index)i, chunk);
        int64_t length = (int64_t)chunk[0];
        int64_t items = fixed ? writer->layout.bodies
                              : round_up(before + count, length) - round_up(before, length);
        bytes += 3072 + (items + items / 100) * (set->width > 0 ? set->width : 1) * 8;
    }
    return bytes;
}

/// Takes the room of a frame from the disk.
static bool make_room(cairn_trajectory *writer, const int64_t counts[ENG_TRAJECTORY_ITEMS])
{
    hsize_t size = 0;
    return H5Fget_filesize(writer->file, &size) >= 0 &&
           con_hdf5_make_room(writer->file, &writer->reserved, most_bytes(writer, counts, size)) ==
               0;
}

static cairn_trajectory *make_writer(const cairn_world *world, const cairn_trajectory_def *def,
                                     const char *path)
{
    const base_allocator *allocator = &world->model.allocator;
    cairn_trajectory *made = base_allocate(allocator, 1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->allocator = made->rows.allocator = *allocator;
    made->layout = (eng_trajectory_layout){
        .bodies = def->varies ? 0 : cairn_body_count(world),
        .varies = def->varies,
        .contacts = def->contacts_every > 0,
        .known = true,
    };
    made->contacts_every = def->contacts_every;
    made->ids = eng_slots_hash(&world->model.ids.body);
    made->file = H5I_INVALID_HID;
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        made->sets[i] = H5I_INVALID_HID;
    snprintf(made->path, sizeof made->path, "%s", path);
    return made;
}

static void release_writer(cairn_trajectory *writer)
{
    base_allocator allocator = writer->allocator;
    eng_trajectory_release(&writer->rows);
    base_release(&allocator, writer->chunk);
    base_release(&allocator, writer->numbers);
    base_release(&allocator, writer->generations);
    base_release(&allocator, writer);
}

int64_t cairn_trajectory_get_frame_count(const cairn_trajectory *writer)
{
    if (writer == NULL)
        return 0;
    return writer->frames;
}

cairn_status cairn_trajectory_close(cairn_trajectory *writer, cairn_error *error)
{
    if (writer == NULL)
        return CAIRN_OK;
    con_hdf5_silence silence = con_hdf5_silence_begin();
    bool good = close_file(writer);
    con_hdf5_silence_end(silence);
    cairn_status status =
        good ? CAIRN_OK : fail_file(writer->path, "could not be written to its end", error);
    release_writer(writer);
    return status;
}

// ---------------------------------------------------------------- memory

/// Room in the rows for a part of each array, and for the largest chunk of bodies that do not vary.
static bool reserve(cairn_trajectory *writer, const int64_t counts[ENG_TRAJECTORY_ITEMS])
{
    size_t widest = 0, bodies = (size_t)writer->layout.bodies;
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++) {
        const eng_trajectory_set *set = &eng_trajectory_sets[i];
        int64_t items = counts[set->item] < PART ? counts[set->item] : PART;
        if (set->item == ENG_TRAJECTORY_FRAME || !eng_trajectory_has(&writer->layout, (set_index)i))
            continue;
        if (eng_trajectory_reserve(&writer->rows, (set_index)i, items) == NULL)
            return false;
        if (eng_trajectory_is_fixed(&writer->layout, (set_index)i))
            widest = (size_t)set->width > widest ? (size_t)set->width : widest;
    }
    size_t room = widest * bodies > 0 ? eng_chunk_room(widest * bodies) : 0;
    if (room <= writer->chunk_room)
        return true;
    base_release(&writer->allocator, writer->chunk);
    writer->chunk = base_allocate(&writer->allocator, room, 1);
    writer->chunk_room = writer->chunk != NULL ? room : 0;
    return writer->chunk != NULL;
}

/// Memory of a frame that is written goes back to the system until the next one.
static void rest(const cairn_trajectory *writer)
{
    eng_trajectory_rest(&writer->rows);
    base_give_back(writer->chunk, writer->chunk_room);
}

// ---------------------------------------------------------------- bodies and contacts of a world

/// What a frame is made of: a world, or a frame of an earlier file.
typedef struct source {
    const cairn_world *world; // NULL: a frame
    int place;                // in the world, from which on the next body to be known is
    const cairn_replay *replay;
    const void *arrays[ENG_TRAJECTORY_COUNT]; // of a frame: those in memory
} source;

/// The number of an id; -1 for one that was in no frame yet.
static int64_t number_of(const cairn_trajectory *writer, const cairn_world *world, cairn_body_id id)
{
    if (!writer->layout.varies)
        return eng_slots_place(&world->model.ids.body, (int)id.index);
    bool known =
        (int)id.index < writer->number_count && writer->generations[id.index] == id.generation;
    return known ? writer->numbers[id.index] : -1;
}

static bool set_number(cairn_trajectory *writer, uint32_t index, uint32_t generation,
                       int64_t number)
{
    int needed = (int)index + 1;
    if (base_array_reserve(&writer->allocator, &writer->numbers, &writer->number_capacity,
                           needed) != CAIRN_OK ||
        base_array_reserve(&writer->allocator, &writer->generations, &writer->generation_capacity,
                           needed) != CAIRN_OK)
        return false;
    for (; writer->number_count < needed; writer->number_count++)
        writer->generations[writer->number_count] = 0;
    writer->numbers[index] = number;
    writer->generations[index] = generation;
    return true;
}

/// What is known of a body that is in its first frame, into the rows of the known ones.
static void take_known_body(cairn_trajectory *writer, const cairn_world *world, int64_t row,
                            cairn_body_id id)
{
    void **rows = writer->rows.rows;
    cairn_body_view view = {0};
    cairn_shape_view shape = {0};
    // of a body that is there
    cairn_status status = cairn_body_get(world, id, &view);
    if (status == CAIRN_OK)
        status = cairn_shape_get(world, view.shape, &shape);
    BASE_ASSERT(status == CAIRN_OK);
    (void)status;
    ((int64_t(*)[2])rows[ENG_TRAJECTORY_ID])[row][0] = id.index;
    ((int64_t(*)[2])rows[ENG_TRAJECTORY_ID])[row][1] = id.generation;
    ((int64_t *)rows[ENG_TRAJECTORY_KIND])[row] = view.kind;
    ((int64_t *)rows[ENG_TRAJECTORY_MATERIAL])[row] = view.material.index;
    ((double *)rows[ENG_TRAJECTORY_MASS])[row] = view.mass;
    ((int64_t(*)[2])rows[ENG_TRAJECTORY_SHAPE])[row][0] = view.shape.index;
    ((int64_t(*)[2])rows[ENG_TRAJECTORY_SHAPE])[row][1] = view.shape.generation;
    ((int64_t *)rows[ENG_TRAJECTORY_SHAPE_KIND])[row] = shape.kind;
    double *size = ((double(*)[3])rows[ENG_TRAJECTORY_SHAPE_SIZE])[row];
    bool round =
        shape.kind == CAIRN_SPHERE || shape.kind == CAIRN_CAPSULE || shape.kind == CAIRN_CYLINDER;
    size[0] = round ? shape.radius : base_pow(3.0 / (4.0 * M_PI) * shape.volume, 1.0 / 3.0);
    size[1] = round ? shape.half_length : 0.0;
    size[2] = 0.0;
    if (shape.kind == CAIRN_BOX)
        memcpy(size, shape.half_size, sizeof shape.half_size);
}

/// What is known of so many bodies that are in their first frame, the next ones in the order of the
/// world, into the rows.
static void take_known(cairn_trajectory *writer, source *from, int64_t count)
{
    for (int64_t row = 0; row < count; from->place++) {
        cairn_body_id id = cairn_body_at(from->world, from->place);
        if (number_of(writer, from->world, id) >= writer->items[ENG_TRAJECTORY_KNOWN])
            take_known_body(writer, from->world, row++, id);
    }
}

/// Numbers for bodies that come, in their order. @return false when out of memory
static bool number_bodies(cairn_trajectory *writer, const cairn_world *world, int bodies,
                          int64_t *known)
{
    int64_t before = writer->items[ENG_TRAJECTORY_KNOWN];
    *known = writer->layout.varies ? before : bodies;
    for (int i = 0; i < bodies && writer->layout.varies; i++) {
        cairn_body_id id = cairn_body_at(world, i);
        int64_t number = number_of(writer, world, id);
        // one that was given for a frame that could not be written is given again
        if (number >= 0 && number < before)
            continue;
        if (!set_number(writer, id.index, id.generation, *known))
            return false;
        ++*known;
    }
    return true;
}

/// What bodies [first, first + count) of a world have in an array, into its rows.
static void take_bodies(cairn_trajectory *writer, const cairn_world *world, set_index set,
                        int64_t first, int64_t count)
{
    enum { AHEAD = 12 }; // so many bodies their states are fetched
    void *rows = writer->rows.rows[set];
    for (int64_t i = 0; i < count; i++) {
        int row = eng_slots_at(&world->model.ids.body, (int)(first + i));
        double v[6];
        if (i + AHEAD < count)
            eng_state_prefetch(world,
                               eng_slots_at(&world->model.ids.body, (int)(first + i + AHEAD)));
        if (set == ENG_TRAJECTORY_NUMBER) {
            ((int64_t *)rows)[i] = number_of(writer, world, eng_body_id(world, row));
        } else if (set == ENG_TRAJECTORY_POSITION) {
            vec3_store(((double(*)[3])rows)[i], eng_shape_place_of(world, row));
        } else if (set == ENG_TRAJECTORY_ORIENTATION) {
            quat q = eng_shape_pose_of(world, row).orientation;
            memcpy(((double(*)[4])rows)[i], (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
        } else if (set == ENG_TRAJECTORY_VELOCITY) {
            eng_velocity_of(world, row, v);
            memcpy(((double(*)[3])rows)[i], v, 3 * sizeof(double));
        } else {
            vec3_store(((double(*)[3])rows)[i], eng_omega_of(world, row));
        }
    }
}

/// Contacts [first, first + count) of a world, into the rows.
static void take_contacts(cairn_trajectory *writer, const cairn_world *world, int64_t first,
                          int64_t count)
{
    void **rows = writer->rows.rows;
    for (int64_t i = 0; i < count; i++) {
        cairn_contact_view view;
        cairn_contact_get(world, (int)(first + i), &view);
        int64_t *bodies = ((int64_t(*)[2])rows[ENG_TRAJECTORY_CONTACT_BODIES])[i];
        bodies[0] = number_of(writer, world, view.a);
        bodies[1] = number_of(writer, world, view.b);
        ((int64_t *)rows[ENG_TRAJECTORY_CONTACT_STATUS])[i] = view.status;
        ((double *)rows[ENG_TRAJECTORY_CONTACT_GAP])[i] = view.gap;
        const struct {
            set_index set;
            const double *value;
        } vectors[] = {{ENG_TRAJECTORY_CONTACT_POINT, view.point},
                       {ENG_TRAJECTORY_CONTACT_NORMAL, view.normal},
                       {ENG_TRAJECTORY_CONTACT_FORCE, view.force},
                       {ENG_TRAJECTORY_CONTACT_VELOCITY, view.velocity}};
        for (int k = 0; k < BASE_COUNT(vectors); k++)
            memcpy(((double(*)[3])rows[vectors[k].set])[i], vectors[k].value, 3 * sizeof(double));
    }
}

// ---------------------------------------------------------------- bodies of an earlier file

/// The numbers of bodies that come with a frame of an earlier file.
static bool copy_numbers(cairn_trajectory *writer, const cairn_replay *replay, int64_t known)
{
    for (int64_t number = writer->items[ENG_TRAJECTORY_KNOWN]; number < known; number++) {
        cairn_replay_body body;
        if (cairn_replay_get_body(replay, (int)number, &body) != CAIRN_OK ||
            !set_number(writer, body.id[0], body.id[1], number))
            return false;
    }
    return true;
}

/// What is known of bodies [first, first + count) of those, into the rows.
static void copy_known(cairn_trajectory *writer, const cairn_replay *replay, int64_t first,
                       int64_t count)
{
    void **rows = writer->rows.rows;
    for (int64_t row = 0; row < count; row++) {
        cairn_replay_body body = {0};
        int number = (int)(writer->items[ENG_TRAJECTORY_KNOWN] + first + row);
        // its number was found already
        cairn_status status = cairn_replay_get_body(replay, number, &body);
        BASE_ASSERT(status == CAIRN_OK);
        (void)status;
        for (int k = 0; k < 2; k++) {
            ((int64_t(*)[2])rows[ENG_TRAJECTORY_ID])[row][k] = body.id[k];
            ((int64_t(*)[2])rows[ENG_TRAJECTORY_SHAPE])[row][k] = body.shape[k];
        }
        ((int64_t *)rows[ENG_TRAJECTORY_KIND])[row] = body.kind;
        ((int64_t *)rows[ENG_TRAJECTORY_MATERIAL])[row] = body.material;
        ((double *)rows[ENG_TRAJECTORY_MASS])[row] = body.mass;
        ((int64_t *)rows[ENG_TRAJECTORY_SHAPE_KIND])[row] = body.shape_kind;
        memcpy(((double(*)[3])rows[ENG_TRAJECTORY_SHAPE_SIZE])[row], body.shape_size,
               sizeof body.shape_size);
    }
}

/// A frame of an earlier file; its arrays are in memory.
static source source_of_frame(const cairn_replay *replay, const cairn_replay_frame *frame)
{
    return (source){.replay = replay,
                    .arrays = {
                        [ENG_TRAJECTORY_POSITION] = frame->position,
                        [ENG_TRAJECTORY_ORIENTATION] = frame->orientation,
                        [ENG_TRAJECTORY_VELOCITY] = frame->velocity,
                        [ENG_TRAJECTORY_ANGULAR_VELOCITY] = frame->angular_velocity,
                        [ENG_TRAJECTORY_NUMBER] = frame->body,
                        [ENG_TRAJECTORY_CONTACT_BODIES] = frame->contact_bodies,
                        [ENG_TRAJECTORY_CONTACT_STATUS] = frame->contact_status,
                        [ENG_TRAJECTORY_CONTACT_POINT] = frame->contact_point,
                        [ENG_TRAJECTORY_CONTACT_NORMAL] = frame->contact_normal,
                        [ENG_TRAJECTORY_CONTACT_FORCE] = frame->contact_force,
                        [ENG_TRAJECTORY_CONTACT_VELOCITY] = frame->contact_velocity,
                        [ENG_TRAJECTORY_CONTACT_GAP] = frame->contact_gap,
                    }};
}

// ---------------------------------------------------------------- frames

/// Puts items into an array from `at` on, which grows with them.
static bool append(const cairn_trajectory *writer, set_index set, int64_t at, const void *data,
                   int64_t items)
{
    hsize_t shape[ENG_TRAJECTORY_RANK], count[ENG_TRAJECTORY_RANK];
    hsize_t start[ENG_TRAJECTORY_RANK] = {(hsize_t)at};
    int rank = eng_trajectory_shape(&writer->layout, set, at + items, shape);
    eng_trajectory_shape(&writer->layout, set, items, count);
    hid_t id = writer->sets[set];
    if (H5Dset_extent(id, shape) < 0)
        return false;
    hid_t space = H5Dget_space(id), memory = H5Screate_simple(rank, count, NULL);
    bool good = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(id, eng_trajectory_type(set), memory, space, H5P_DEFAULT, data) >= 0 &&
                H5Dflush(id) >= 0;
    close_with(memory, H5Sclose);
    close_with(space, H5Sclose);
    return good;
}

static size_t width_of(set_index set)
{
    return (size_t)(eng_trajectory_sets[set].width > 0 ? eng_trajectory_sets[set].width : 1);
}

/// Items of an array from the first one on: where they are, or in the rows.
static const void *part_of(const cairn_trajectory *writer, const source *from, set_index set,
                           int64_t first)
{
    return from->arrays[set] != NULL
               ? (const double *)from->arrays[set] + (size_t)first * width_of(set)
               : writer->rows.rows[set];
}

/// Puts a frame of bodies that do not vary, which is one chunk, behind those that an array has.
static bool append_chunk(cairn_trajectory *writer, const source *from, set_index set)
{
    int64_t bodies = writer->layout.bodies, frame = writer->items[ENG_TRAJECTORY_FRAME];
    size_t width = width_of(set), values = (size_t)bodies * width, size = 0;
    hsize_t shape[ENG_TRAJECTORY_RANK], start[ENG_TRAJECTORY_RANK] = {(hsize_t)frame};
    for (int64_t first = 0; first < bodies; first += PART) {
        int64_t count = bodies - first < PART ? bodies - first : PART;
        if (from->world != NULL)
            take_bodies(writer, from->world, set, first, count);
        eng_chunk_put(writer->chunk, values, (size_t)first * width, (size_t)count * width,
                      part_of(writer, from, set, first));
    }
    eng_trajectory_shape(&writer->layout, set, frame + 1, shape);
    if (values > 0 && (size = eng_chunk_deflate(writer->chunk, values, DEFLATE_LEVEL)) == 0)
        return false;
    hid_t id = writer->sets[set];
    return H5Dset_extent(id, shape) >= 0 &&
           (values == 0 || (H5Dwrite_chunk(id, H5P_DEFAULT, 0, start, size, writer->chunk) >= 0 &&
                            H5Dflush(id) >= 0));
}

/// Makes items [first, first + count) that are not in memory.
static void take_part(cairn_trajectory *writer, source *from, eng_trajectory_item item,
                      int64_t first, int64_t count)
{
    if (from->world == NULL) {
        if (item == ENG_TRAJECTORY_KNOWN)
            copy_known(writer, from->replay, first, count);
    } else if (item == ENG_TRAJECTORY_KNOWN) {
        take_known(writer, from, count);
    } else if (item == ENG_TRAJECTORY_CONTACT) {
        take_contacts(writer, from->world, first, count);
    } else {
        for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
            if (eng_trajectory_sets[i].item == item)
                take_bodies(writer, from->world, (set_index)i, first, count);
    }
}

/// Puts items behind those that their arrays have, part by part.
static bool append_items(cairn_trajectory *writer, source *from, eng_trajectory_item item,
                         int64_t items)
{
    for (int64_t first = 0; first < items; first += PART) {
        int64_t count = items - first < PART ? items - first : PART;
        take_part(writer, from, item, first, count);
        for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
            if (eng_trajectory_sets[i].item == item &&
                !append(writer, (set_index)i, writer->items[item] + first,
                        part_of(writer, from, (set_index)i, first), count))
                return false;
    }
    return true;
}

/// The bodies of a frame.
static bool append_bodies(cairn_trajectory *writer, source *from, int64_t bodies)
{
    if (writer->layout.varies)
        return append_items(writer, from, ENG_TRAJECTORY_BODY, bodies);
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        if (eng_trajectory_is_fixed(&writer->layout, (set_index)i) &&
            eng_trajectory_has(&writer->layout, (set_index)i) &&
            !append_chunk(writer, from, (set_index)i))
            return false;
    return true;
}

/// What a frame has of itself.
static bool append_number(const cairn_trajectory *writer, set_index set,
                          const cairn_replay_frame *frame)
{
    int64_t value = set == ENG_TRAJECTORY_STEP            ? frame->step
                    : set == ENG_TRAJECTORY_CONTACTS      ? frame->contacts
                    : set == ENG_TRAJECTORY_KNOWN_BODIES  ? frame->known
                    : set == ENG_TRAJECTORY_BODY_FIRST    ? writer->items[ENG_TRAJECTORY_BODY]
                    : set == ENG_TRAJECTORY_BODY_COUNT    ? frame->bodies
                    : set == ENG_TRAJECTORY_CONTACT_FIRST ? writer->items[ENG_TRAJECTORY_CONTACT]
                                                          : frame->contacts_kept;
    return append(writer, set, writer->items[ENG_TRAJECTORY_FRAME],
                  set == ENG_TRAJECTORY_TIME ? (const void *)&frame->time : &value, 1);
}

static void count_items(const cairn_trajectory *writer, const cairn_replay_frame *frame,
                        int64_t counts[ENG_TRAJECTORY_ITEMS])
{
    counts[ENG_TRAJECTORY_FRAME] = 1;
    counts[ENG_TRAJECTORY_BODY] = frame->bodies;
    counts[ENG_TRAJECTORY_KNOWN] =
        writer->layout.known ? frame->known - writer->items[ENG_TRAJECTORY_KNOWN] : 0;
    counts[ENG_TRAJECTORY_CONTACT] = frame->contacts_kept > 0 ? frame->contacts_kept : 0;
}

static bool append_frame(cairn_trajectory *writer, source *from, const cairn_replay_frame *frame)
{
    int64_t counts[ENG_TRAJECTORY_ITEMS];
    count_items(writer, frame, counts);
    bool good = make_room(writer, counts) && append_bodies(writer, from, frame->bodies) &&
                append_items(writer, from, ENG_TRAJECTORY_KNOWN, counts[ENG_TRAJECTORY_KNOWN]) &&
                append_items(writer, from, ENG_TRAJECTORY_CONTACT, counts[ENG_TRAJECTORY_CONTACT]);
    for (int i = 0; i < ENG_TRAJECTORY_COUNT && good; i++)
        if (eng_trajectory_sets[i].item == ENG_TRAJECTORY_FRAME &&
            eng_trajectory_has(&writer->layout, (set_index)i))
            good = append_number(writer, (set_index)i, frame);
    if (!good)
        return false;
    writer->frames++;
    writer->items[ENG_TRAJECTORY_FRAME]++;
    writer->items[ENG_TRAJECTORY_BODY] =
        round_up(writer->items[ENG_TRAJECTORY_BODY] + frame->bodies, ENG_TRAJECTORY_CHUNK);
    writer->items[ENG_TRAJECTORY_KNOWN] += counts[ENG_TRAJECTORY_KNOWN];
    writer->items[ENG_TRAJECTORY_CONTACT] =
        round_up(writer->items[ENG_TRAJECTORY_CONTACT] + counts[ENG_TRAJECTORY_CONTACT],
                 ENG_TRAJECTORY_CHUNK);
    return true;
}

/// A frame with what is known of it beforehand. @return false when out of memory
static bool begin_frame(cairn_trajectory *writer, const cairn_world *world,
                        cairn_replay_frame *frame)
{
    int bodies = cairn_body_count(world), contacts = cairn_contact_count(world);
    bool keeps =
        writer->contacts_every > 0 && world->state.clock.step_count % writer->contacts_every == 0;
    int64_t counts[ENG_TRAJECTORY_ITEMS];
    *frame = (cairn_replay_frame){
        .step = world->state.clock.step_count,
        .contacts = contacts,
        .time = world->state.clock.time,
        .bodies = bodies,
        .contacts_kept = keeps ? contacts : -1,
    };
    if (!number_bodies(writer, world, bodies, &frame->known))
        return false;
    count_items(writer, frame, counts);
    return reserve(writer, counts);
}

/// Whether other bodies than those that the file was begun with stand in its columns.
static bool has_changed(const cairn_trajectory *writer, const cairn_world *world)
{
    return !writer->layout.varies && (cairn_body_count(world) != writer->layout.bodies ||
                                      (world->model.population_changed &&
                                       eng_slots_hash(&world->model.ids.body) != writer->ids));
}

cairn_status cairn_trajectory_write_frame(cairn_trajectory *writer, const cairn_world *world,
                                          cairn_error *error)
{
    cairn_replay_frame frame;
    if (writer == NULL || world == NULL)
        return base_fail_null(error, __func__);
    if (has_changed(writer, world))
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "%s: bodies were made or removed since it was begun with %d, and its "
                         "definition does not say that they vary",
                         writer->path, writer->layout.bodies);
    if (!begin_frame(writer, world, &frame))
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", writer->path);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    source from = {.world = world};
    bool good = append_frame(writer, &from, &frame);
    con_hdf5_silence_end(silence);
    rest(writer);
    return good ? CAIRN_OK : fail_file(writer->path, "a frame could not be written", error);
}

// ---------------------------------------------------------------- beginning and going on

/// The first frames of an earlier file, read as a replay is, which trusts nothing in it.
static cairn_status copy_frames(cairn_trajectory *writer, cairn_replay *from, int64_t frames,
                                cairn_error *error)
{
    const cairn_replay_info *info = cairn_replay_get_info(from);
    const eng_trajectory_layout *layout = &writer->layout;
    if (info->varies != layout->varies || info->contacts != layout->contacts ||
        (!info->varies && info->bodies != layout->bodies) ||
        cairn_replay_get_frame_count(from) < frames)
        return base_fail(error, CAIRN_ERROR_FORMAT,
                         "%s: does not hold the %lld frames of the checkpoint", writer->path,
                         (long long)frames);
    while (writer->frames < frames) {
        cairn_replay_frame frame;
        BASE_TRY(cairn_replay_read(from, writer->frames, &frame, error));
        int64_t counts[ENG_TRAJECTORY_ITEMS];
        source items = source_of_frame(from, &frame);
        count_items(writer, &frame, counts);
        if ((layout->varies && !copy_numbers(writer, from, frame.known)) ||
            !reserve(writer, counts))
            return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", writer->path);
        if (!append_frame(writer, &items, &frame))
            return fail_file(writer->path, "a frame could not be copied", error);
    }
    return CAIRN_OK;
}

/// A file of its own name until it is complete enough for readers.
static cairn_status begin_file(cairn_trajectory *writer, const cairn_world *world,
                               const cairn_trajectory_def *def, cairn_replay *from, int64_t frames,
                               cairn_error *error)
{
    char temporary[PATH_SIZE + 8];
    snprintf(temporary, sizeof temporary, "%s.part", writer->path);
    // what lies there, perhaps a link, is not written through
    (void)remove(temporary);
    writer->file = create_file(temporary);
    const int64_t none[ENG_TRAJECTORY_ITEMS] = {0};
    writer->reserved = 0;
    cairn_status status = writer->file >= 0
                              ? eng_trajectory_put_provenance(writer->file, world, def)
                              : CAIRN_ERROR_FILE;
    if (status == CAIRN_OK && !(create_sets(writer) && make_room(writer, none)))
        status = CAIRN_ERROR_FILE;
    if (status == CAIRN_ERROR_MEMORY)
        base_fail(error, status, "%s: out of memory", temporary);
    else if (status != CAIRN_OK)
        status = fail_file(temporary, "cannot be written", error);
    if (status == CAIRN_OK && from != NULL)
        status = copy_frames(writer, from, frames, error);
    if (status == CAIRN_OK &&
        (H5Fstart_swmr_write(writer->file) < 0 || rename(temporary, writer->path) != 0))
        status = fail_file(writer->path, "cannot be written", error);
    if (status == CAIRN_OK)
        return status;
    close_file(writer);
    remove(temporary);
    return status;
}

static cairn_status open_writer(const char *path, const cairn_world *world,
                                const cairn_trajectory_def *def, cairn_replay *from, int64_t frames,
                                cairn_trajectory **writer, cairn_error *error)
{
    if (strlen(path) >= PATH_SIZE)
        return fail_file(path, "the path is too long", error);
    cairn_trajectory *made = make_writer(world, def, path);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    // a file of an earlier version goes on as it is
    made->layout.known = from == NULL || eng_trajectory_tells_bodies(from);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    cairn_status status = begin_file(made, world, def, from, frames, error);
    con_hdf5_silence_end(silence);
    if (status == CAIRN_OK)
        *writer = made;
    else
        release_writer(made);
    return status;
}

cairn_status cairn_trajectory_create(const char *path, const cairn_world *world,
                                     const cairn_trajectory_def *def, cairn_trajectory **writer,
                                     cairn_error *error)
{
    if (path == NULL || def == NULL || world == NULL || writer == NULL)
        return base_fail_null(error, __func__);
    *writer = NULL;
    const char *reason = base_file_in_the_way(path);
    if (reason != NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    return open_writer(path, world, def, NULL, 0, writer, error);
}

cairn_status cairn_trajectory_resume(const char *path, const cairn_world *world,
                                     const cairn_trajectory_def *def, int64_t frames,
                                     cairn_trajectory **writer, cairn_error *error)
{
    if (path == NULL || def == NULL || world == NULL || writer == NULL)
        return base_fail_null(error, __func__);
    if (frames < 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s: frames = %lld must not be negative",
                         path, (long long)frames);
    *writer = NULL;
    cairn_replay *from = NULL;
    cairn_status status = cairn_replay_open(path, &from, error);
    if (status == CAIRN_OK)
        status = open_writer(path, world, def, from, frames, writer, error);
    cairn_replay_close(from);
    return status;
}
