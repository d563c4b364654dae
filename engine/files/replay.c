// SPDX-License-Identifier: Apache-2.0
// Reader of trajectory.h5. Nothing in the file is trusted: shapes, types, layout and sizes are
// looked at before anything is allocated or read.
#include "engine/files/trajectory.h"
#include "engine/state/world.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_MOST = 16 << 20, ARENA_START = 1 << 12, ITEMS_MOST = INT_MAX / 16 };

// one byte of deflate stands for less than this many
static const double compression_most = 1100.0;

typedef eng_trajectory_index set_index;

struct cairn_replay {
    base_allocator allocator;
    base_arena *arena; // texts and path
    const char *path;
    hid_t file, sets[ENG_TRAJECTORY_COUNT];
    cairn_replay_info info;
    cairn_replay_guard guard; // no function: none
    eng_trajectory_layout layout;
    int known;             // bodies in the rows of what they are
    const char *materials; // [material_count][material_size] names, filled with zeros
    int material_count;
    size_t material_size;
    int frames;
    int time_capacity;
    double *times;            // [frames]
    eng_trajectory_rows rows; // of the frame that was read last; of bodies that vary all that are
                              // known
};

static cairn_status refuse(const cairn_replay *replay, const char *name, const char *reason,
                           cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_FORMAT, "%s: %s: %s", replay->path, name, reason);
}

static cairn_status no_memory(const cairn_replay *replay, cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", replay->path);
}

/// Bytes of the file as it is now; 0 when that is not known.
static double size_of(const cairn_replay *replay)
{
    struct stat information;
    return stat(replay->path, &information) == 0 ? (double)information.st_size : 0.0;
}

// ---------------------------------------------------------------- what the file says of its run

static bool is_single(hid_t space)
{
    return space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
}

/// Whether a type is a text of fixed length; its size goes to *size.
static bool is_text(hid_t type, size_t *size)
{
    *size = type >= 0 ? H5Tget_size(type) : 0;
    return type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
           *size > 0 && *size <= TEXT_MOST;
}

/// A text attribute; "" where there is none that can be read, NULL when out of memory.
static const char *read_attribute_text(const cairn_replay *replay, const char *name)
{
    char *text = "";
    size_t size = 0;
    if (H5Aexists(replay->file, name) <= 0)
        return text;
    hid_t attribute = H5Aopen(replay->file, name, H5P_DEFAULT);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    if (is_text(type, &size) && is_single(space)) {
        text = base_arena_array(replay->arena, char, name, size + 1);
        if (text != NULL && H5Aread(attribute, type, text) < 0)
            text[0] = '\0';
        if (text != NULL)
            text[size] = '\0';
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return text;
}

static bool read_attribute(const cairn_replay *replay, const char *name, hid_t memory, void *value)
{
    if (H5Aexists(replay->file, name) <= 0)
        return false;
    hid_t attribute = H5Aopen(replay->file, name, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool good = type >= 0 && H5Tget_class(type) == H5Tget_class(memory) && is_single(space) &&
                H5Aread(attribute, memory, value) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Aclose(attribute);
    return good;
}

static bool is_hard_link(hid_t file, const char *name)
{
    H5L_info_t link;
    return H5Lexists(file, name, H5P_DEFAULT) > 0 &&
           H5Lget_info(file, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD;
}

/// Whether the data lie in this file: contiguous ones may lie in others, virtual ones do.
static bool is_stored_here(hid_t set)
{
    hid_t properties = H5Dget_create_plist(set);
    bool good = properties >= 0 && H5Pget_layout(properties) != H5D_VIRTUAL &&
                H5Pget_external_count(properties) == 0;
    if (properties >= 0)
        H5Pclose(properties);
    return good;
}

/// The scene file; "" where there is none that can be read, NULL when out of memory.
static const char *read_scene_text(const cairn_replay *replay)
{
    static const char name[] = "scene_text";
    char *text = "";
    size_t size = 0;
    hid_t set = is_hard_link(replay->file, name) ? H5Dopen2(replay->file, name, H5P_DEFAULT)
                                                 : H5I_INVALID_HID;
    if (set < 0)
        return text;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    // what the file does not hold is not allocated
    if (is_text(type, &size) && is_single(space) && H5Dget_storage_size(set) == size &&
        is_stored_here(set) && (double)size <= size_of(replay)) {
        text = base_arena_array(replay->arena, char, name, size + 1);
        if (text != NULL && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0)
            text[0] = '\0';
        if (text != NULL)
            text[size] = '\0';
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(set);
    return text;
}

/// The names of the materials, where there are some that can be read; false when out of memory.
static bool read_materials(cairn_replay *replay)
{
    static const char name[] = ENG_TRAJECTORY_MATERIALS;
    hsize_t count = 0;
    size_t size = 0;
    hid_t set = is_hard_link(replay->file, name) ? H5Dopen2(replay->file, name, H5P_DEFAULT)
                                                 : H5I_INVALID_HID;
    if (set < 0)
        return true;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    char *texts = NULL;
    // what the file does not hold is not allocated
    bool sound = is_text(type, &size) && space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                 H5Sget_simple_extent_dims(space, &count, NULL) == 1 && count > 0 &&
                 (double)count * (double)size <= size_of(replay) &&
                 H5Dget_storage_size(set) == count * size && is_stored_here(set);
    if (sound)
        texts = base_arena_array(replay->arena, char, name, (size_t)count *size);
    if (texts != NULL && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0) {
        for (size_t i = 1; i <= count; i++)
            texts[i * size - 1] = '\0';
        replay->materials = texts;
        replay->material_count = (int)count;
        replay->material_size = size;
    }
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(set);
    return !sound || texts != NULL;
}

static cairn_status read_info(cairn_replay *replay, cairn_error *error)
{
    cairn_replay_info *info = &replay->info;
    int64_t bodies = -1;
    const char *kind = read_attribute_text(replay, "kind");
    if (kind == NULL)
        return no_memory(replay, error);
    if (strcmp(kind, "cairn trajectory") != 0)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: not a cairn trajectory file",
                         replay->path);
    bool varies = read_attribute(replay, "bodies", H5T_NATIVE_INT64, &bodies) && bodies == -1;
    if ((bodies < 0 && !varies) || bodies > INT_MAX / 16)
        return refuse(replay, "bodies", "missing or out of range", error);
    info->varies = varies;
    info->bodies = varies ? 0 : (int)bodies;
    info->contacts = H5Lexists(replay->file, eng_trajectory_sets[ENG_TRAJECTORY_CONTACT_COUNT].name,
                               H5P_DEFAULT) > 0;
    bool known = varies || H5Lexists(replay->file, eng_trajectory_sets[ENG_TRAJECTORY_ID].name,
                                     H5P_DEFAULT) > 0;
    replay->layout = (eng_trajectory_layout){info->bodies, varies, info->contacts, known};
    if (!read_attribute(replay, "seed", H5T_NATIVE_INT64, &info->seed))
        return refuse(replay, "seed", "missing or no number", error);
    if (!read_attribute(replay, "time_step", H5T_NATIVE_DOUBLE, &info->time_step) ||
        !(info->time_step > 0.0 && isfinite(info->time_step)))
        return refuse(replay, "time_step", "missing or not positive", error);
    info->version = read_attribute_text(replay, "version");
    info->command = read_attribute_text(replay, "command");
    info->scene = read_attribute_text(replay, "scene");
    info->scene_text = read_scene_text(replay);
    bool good = info->version != NULL && info->command != NULL && info->scene != NULL &&
                info->scene_text != NULL && read_materials(replay);
    return good ? CAIRN_OK : no_memory(replay, error);
}

// ---------------------------------------------------------------- arrays

/// Whether the chunks are those that the writer makes: others could be of any size.
static bool has_our_chunks(const cairn_replay *replay, hid_t properties, set_index set)
{
    hsize_t chunk[ENG_TRAJECTORY_RANK], wanted[ENG_TRAJECTORY_RANK];
    int rank = eng_trajectory_chunk(&replay->layout, set, wanted);
    // contiguous arrays may lie in other files, virtual ones do
    return H5Pget_layout(properties) == H5D_CHUNKED &&
           H5Pget_chunk(properties, ENG_TRAJECTORY_RANK, chunk) == rank &&
           memcmp(chunk, wanted, (size_t)rank * sizeof *chunk) == 0;
}

/// Items that an array holds (frames, where eng_trajectory_is_fixed); -1 for another shape.
static int64_t items_of(const cairn_replay *replay, set_index set)
{
    hsize_t shape[ENG_TRAJECTORY_RANK], wanted[ENG_TRAJECTORY_RANK];
    hid_t space = H5Dget_space(replay->sets[set]);
    int rank = eng_trajectory_shape(&replay->layout, set, 0, wanted);
    bool good = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, shape, NULL) == rank && shape[0] <= ITEMS_MOST;
    for (int k = 1; k < rank && good; k++)
        good = shape[k] == wanted[k];
    if (space >= 0)
        H5Sclose(space);
    return good ? (int64_t)shape[0] : -1;
}

static cairn_status open_set(cairn_replay *replay, set_index set, cairn_error *error)
{
    const char *name = eng_trajectory_sets[set].name;
    if (!is_hard_link(replay->file, name))
        return refuse(replay, name, "missing", error);
    hid_t id = replay->sets[set] = H5Dopen2(replay->file, name, H5P_DEFAULT);
    if (id < 0)
        return refuse(replay, name, "not a readable array", error);
    hid_t type = H5Dget_type(id), properties = H5Dget_create_plist(id);
    bool good = type >= 0 && properties >= 0 && H5Tequal(type, eng_trajectory_type(set)) > 0 &&
                has_our_chunks(replay, properties, set);
    if (properties >= 0)
        H5Pclose(properties);
    if (type >= 0)
        H5Tclose(type);
    return good ? CAIRN_OK : refuse(replay, name, "not of a trajectory's type or layout", error);
}

/// Reads so many items (frames, where eng_trajectory_is_fixed) from `first` on.
static bool read_rows(const cairn_replay *replay, set_index set, int64_t first, int64_t items,
                      void *data)
{
    hsize_t start[ENG_TRAJECTORY_RANK] = {(hsize_t)first}, count[ENG_TRAJECTORY_RANK];
    int rank = eng_trajectory_shape(&replay->layout, set, items, count);
    hid_t space = H5Dget_space(replay->sets[set]), memory = H5Screate_simple(rank, count, NULL);
    bool good =
        space >= 0 && memory >= 0 &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        H5Dread(replay->sets[set], eng_trajectory_type(set), memory, space, H5P_DEFAULT, data) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    return good;
}

/// The frames that `time` counts must be in every array, and in the file.
static cairn_status check_frames(const cairn_replay *replay, int64_t frames, cairn_error *error)
{
    double most = size_of(replay);
    if ((double)frames * sizeof(double) > most)
        return refuse(replay, "time", "more frames than such a file holds", error);
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++) {
        const eng_trajectory_set *set = &eng_trajectory_sets[i];
        if (!eng_trajectory_has(&replay->layout, (set_index)i))
            continue;
        bool fixed = eng_trajectory_is_fixed(&replay->layout, (set_index)i);
        int64_t items = items_of(replay, (set_index)i);
        double each = 8.0 * (double)(set->width > 0 ? set->width : 1);
        double bytes = fixed ? each * (double)replay->info.bodies : each * (double)items;
        if (items < (fixed || set->item == ENG_TRAJECTORY_FRAME ? frames : 0))
            return refuse(replay, set->name, "of another shape, or fewer frames than times", error);
        if (frames > 0 && bytes > compression_most * most)
            return refuse(replay, set->name, "more items than such a file holds", error);
    }
    return CAIRN_OK;
}

static bool all_finite(const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static bool all_within(const int64_t *values, int64_t count, int64_t least, int64_t most)
{
    for (int64_t i = 0; i < count; i++)
        if (values[i] < least || values[i] > most)
            return false;
    return true;
}

/// What words and numbers of known bodies may be.
static bool are_known(const cairn_replay *replay, int64_t count)
{
    void *const *rows = replay->rows.rows;
    const double *mass = rows[ENG_TRAJECTORY_MASS], *size = rows[ENG_TRAJECTORY_SHAPE_SIZE];
    for (int64_t i = 0; i < count; i++)
        if (!(mass[i] > 0.0) || !(size[3 * i] >= 0.0) || !(size[3 * i + 1] >= 0.0) ||
            !(size[3 * i + 2] >= 0.0))
            return false;
    return all_finite(size, 3 * count) &&
           all_within(rows[ENG_TRAJECTORY_ID], 2 * count, 0, ITEMS_MOST) &&
           all_within(rows[ENG_TRAJECTORY_SHAPE], 2 * count, 0, ITEMS_MOST) &&
           all_within(rows[ENG_TRAJECTORY_KIND], count, 0, CAIRN_MOVING) &&
           all_within(rows[ENG_TRAJECTORY_MATERIAL], count, 0, ITEMS_MOST) &&
           all_within(rows[ENG_TRAJECTORY_SHAPE_KIND], count, 0, CAIRN_SHAPE_KIND_COUNT - 1);
}

/// The bodies that are known in the last of so many frames.
static cairn_status read_known(cairn_replay *replay, int64_t frames, cairn_error *error)
{
    static const char name[] = "body_known";
    int64_t known = 0;
    if (frames > 0 && !read_rows(replay, ENG_TRAJECTORY_KNOWN_BODIES, frames - 1, 1, &known))
        return refuse(replay, name, "cannot be read", error);
    if (known < 0 || known > ITEMS_MOST ||
        (!replay->layout.varies && frames > 0 && known != replay->info.bodies))
        return refuse(replay, name, "out of range", error);
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++) {
        set_index set = (set_index)i;
        if (eng_trajectory_sets[set].item != ENG_TRAJECTORY_KNOWN)
            continue;
        if (known > items_of(replay, set))
            return refuse(replay, eng_trajectory_sets[set].name, "fewer bodies than are known",
                          error);
        void *rows = eng_trajectory_reserve(&replay->rows, set, known);
        if (rows == NULL)
            return no_memory(replay, error);
        if (known > 0 && !read_rows(replay, set, 0, known, rows))
            return refuse(replay, eng_trajectory_sets[set].name, "cannot be read", error);
    }
    if (!are_known(replay, known))
        return refuse(replay, "body_shape_size", "a body's kind, mass or shape is out of range",
                      error);
    replay->known = (int)known;
    if (replay->layout.varies)
        replay->info.bodies = (int)known;
    return CAIRN_OK;
}

/// Whether this program has the arrays open here alone. HDF5 shares what is open twice, and
/// H5Drefresh would leave all handles with the first chunk's data for every frame.
static bool is_alone(const cairn_replay *replay)
{
    int mine = 0;
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        mine += replay->sets[i] >= 0;
    return H5Fget_obj_count(replay->file, H5F_OBJ_DATASET) == mine;
}

static cairn_status count_frames(cairn_replay *replay, cairn_error *error)
{
    int64_t frames = items_of(replay, ENG_TRAJECTORY_TIME);
    bool alone = is_alone(replay);
    // time grows last: looked at first, so that the others have at least as many
    for (int i = 0; i < ENG_TRAJECTORY_COUNT && alone; i++)
        if (i != ENG_TRAJECTORY_TIME && replay->sets[i] >= 0 && H5Drefresh(replay->sets[i]) < 0)
            return refuse(replay, eng_trajectory_sets[i].name, "cannot be read", error);
    if (frames < 0)
        return refuse(replay, "time", "of another shape", error);
    BASE_TRY(check_frames(replay, frames, error));
    if (base_array_reserve(&replay->allocator, &replay->times, &replay->time_capacity,
                           (int)frames) != CAIRN_OK)
        return no_memory(replay, error);
    replay->frames = 0;
    if (frames > 0 && !read_rows(replay, ENG_TRAJECTORY_TIME, 0, frames, replay->times))
        return refuse(replay, "time", "cannot be read", error);
    for (int64_t i = 0; i < frames; i++)
        if (!isfinite(replay->times[i]))
            return refuse(replay, "time", "is not finite", error);
    if (replay->layout.known)
        BASE_TRY(read_known(replay, frames, error));
    replay->frames = (int)frames;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- the file

static cairn_status open_with(cairn_replay *replay, cairn_error *error)
{
    struct stat information;
    if (stat(replay->path, &information) != 0 || !S_ISREG(information.st_mode))
        return base_fail(error, CAIRN_ERROR_FILE, "%s: no such file", replay->path);
    replay->file = eng_trajectory_open_file(replay->path);
    if (replay->file < 0)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: not a cairn trajectory file, or damaged",
                         replay->path);
    cairn_status status = read_info(replay, error);
    for (int i = ENG_TRAJECTORY_COUNT - 1; i >= 0 && status == CAIRN_OK; i--)
        if (eng_trajectory_has(&replay->layout, (set_index)i))
            status = open_set(replay, (set_index)i, error);
    return status == CAIRN_OK ? count_frames(replay, error) : status;
}

static cairn_replay *make_replay(const char *path)
{
    base_allocator allocator = base_allocator_default();
    cairn_replay *made = base_allocate(&allocator, 1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->allocator = made->rows.allocator = allocator;
    made->file = H5I_INVALID_HID;
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        made->sets[i] = H5I_INVALID_HID;
    made->arena = base_arena_create(&allocator, ARENA_START);
    char *copy =
        made->arena != NULL ? base_arena_array(made->arena, char, "path", strlen(path) + 1) : NULL;
    if (copy == NULL) {
        cairn_replay_close(made);
        return NULL;
    }
    memcpy(copy, path, strlen(path) + 1);
    made->path = copy;
    return made;
}

cairn_status cairn_replay_open(const char *path, cairn_replay **replay, cairn_error *error)
{
    if (path == NULL || replay == NULL)
        return base_fail_null(error, __func__);
    cairn_replay *made = make_replay(path);
    *replay = NULL;
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    cairn_status status = open_with(made, error);
    con_hdf5_silence_end(silence);
    if (status == CAIRN_OK)
        *replay = made;
    else
        cairn_replay_close(made);
    return status;
}

void cairn_replay_close(cairn_replay *replay)
{
    if (replay == NULL)
        return;
    base_allocator allocator = replay->allocator;
    con_hdf5_silence silence = con_hdf5_silence_begin();
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        if (replay->sets[i] >= 0)
            H5Dclose(replay->sets[i]);
    eng_trajectory_release(&replay->rows);
    if (replay->file >= 0)
        H5Fclose(replay->file);
    con_hdf5_silence_end(silence);
    if (replay->guard.release != NULL)
        replay->guard.release(replay->guard.context);
    base_release(&allocator, replay->times);
    base_arena_destroy(replay->arena);
    base_release(&allocator, replay);
}

const cairn_replay_info *cairn_replay_get_info(const cairn_replay *replay)
{
    if (replay == NULL)
        return NULL;
    return &replay->info;
}

void cairn_replay_set_guard(cairn_replay *replay, const cairn_replay_guard *guard)
{
    if (replay == NULL || guard == NULL)
        return;
    replay->guard = *guard;
}

static cairn_status ask_guard(const cairn_replay *replay, int64_t frame, cairn_error *error)
{
    const cairn_replay_guard *guard = &replay->guard;
    return guard->ask != NULL ? guard->ask(guard->context, frame, error) : CAIRN_OK;
}

int64_t cairn_replay_get_frame_count(const cairn_replay *replay)
{
    if (replay == NULL)
        return 0;
    return replay->frames;
}

const double *cairn_replay_get_times(const cairn_replay *replay)
{
    if (replay == NULL)
        return NULL;
    return replay->times;
}

cairn_status cairn_replay_refresh(cairn_replay *replay, cairn_error *error)
{
    if (replay == NULL)
        return base_fail_null(error, __func__);
    BASE_TRY(ask_guard(replay, -1, error));
    con_hdf5_silence silence = con_hdf5_silence_begin();
    cairn_status status = !is_alone(replay) || H5Drefresh(replay->sets[ENG_TRAJECTORY_TIME]) >= 0
                              ? count_frames(replay, error)
                              : refuse(replay, "time", "cannot be read", error);
    con_hdf5_silence_end(silence);
    return status;
}

// ---------------------------------------------------------------- frames

static bool are_turns(const double *rows, int64_t bodies)
{
    for (int64_t i = 0; i < bodies; i++) {
        const double *q = rows + 4 * i;
        double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        if (!(fabs(square - 1.0) < 1e-6))
            return false;
    }
    return true;
}

/// Reads items of an array into its rows; of bodies that are the same in all frames one frame.
static cairn_status read_items(cairn_replay *replay, set_index set, int64_t first, int64_t items,
                               int64_t known, cairn_error *error)
{
    const eng_trajectory_set *s = &eng_trajectory_sets[set];
    bool fixed = eng_trajectory_is_fixed(&replay->layout, set);
    int64_t count = items * (s->width > 0 ? s->width : 1);
    // a frame without items begins where its first one would stand: behind the end of the array
    bool inside = fixed || items == 0 || first + items <= items_of(replay, set);
    if (first < 0 || items < 0 || !inside)
        return refuse(replay, s->name, "fewer items than a frame has", error);
    void *rows = eng_trajectory_reserve(&replay->rows, set, items);
    if (rows == NULL)
        return no_memory(replay, error);
    if (count > 0 && !read_rows(replay, set, first, fixed ? 1 : items, rows))
        return refuse(replay, s->name, "a frame cannot be read", error);
    if (s->whole &&
        !all_within(rows, count, 0,
                    set == ENG_TRAJECTORY_CONTACT_STATUS ? CAIRN_CONTACT_SLIDING : known - 1))
        return refuse(replay, s->name, "out of range", error);
    if (!s->whole && !all_finite(rows, count))
        return refuse(replay, s->name, "is not finite", error);
    if (set == ENG_TRAJECTORY_ORIENTATION && !are_turns(rows, items))
        return refuse(replay, s->name, "is not of unit length", error);
    return CAIRN_OK;
}

/// Reads the arrays of an item's kind.
static cairn_status read_kind(cairn_replay *replay, eng_trajectory_item item, int64_t first,
                              int64_t items, int64_t known, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < ENG_TRAJECTORY_COUNT && status == CAIRN_OK; i++)
        if (eng_trajectory_sets[i].item == item &&
            eng_trajectory_has(&replay->layout, (set_index)i))
            status = read_items(replay, (set_index)i, first, items, known, error);
    return status;
}

static cairn_status read_frame(cairn_replay *replay, int64_t index, cairn_replay_frame *frame,
                               cairn_error *error)
{
    const eng_trajectory_layout *layout = &replay->layout;
    int64_t first = index, bodies = layout->bodies, contact_first = 0, kept = -1;
    frame->known = layout->bodies;
    bool good = read_rows(replay, ENG_TRAJECTORY_STEP, index, 1, &frame->step) &&
                read_rows(replay, ENG_TRAJECTORY_CONTACTS, index, 1, &frame->contacts);
    if (layout->varies)
        good = good && read_rows(replay, ENG_TRAJECTORY_BODY_FIRST, index, 1, &first) &&
               read_rows(replay, ENG_TRAJECTORY_BODY_COUNT, index, 1, &bodies) &&
               read_rows(replay, ENG_TRAJECTORY_KNOWN_BODIES, index, 1, &frame->known);
    if (layout->contacts)
        good = good && read_rows(replay, ENG_TRAJECTORY_CONTACT_FIRST, index, 1, &contact_first) &&
               read_rows(replay, ENG_TRAJECTORY_CONTACT_COUNT, index, 1, &kept);
    if (!good)
        return refuse(replay, "step", "a frame cannot be read", error);
    if (frame->known < 0 || frame->known > replay->info.bodies || bodies < 0 ||
        bodies > frame->known || kept < -1 || kept > ITEMS_MOST)
        return refuse(replay, "body_count", "out of range", error);
    BASE_TRY(read_kind(replay, ENG_TRAJECTORY_BODY, first, bodies, frame->known, error));
    if (layout->contacts)
        BASE_TRY(read_kind(replay, ENG_TRAJECTORY_CONTACT, contact_first, kept > 0 ? kept : 0,
                           frame->known, error));
    frame->time = replay->times[index];
    frame->bodies = (int)bodies;
    frame->contacts_kept = (int)kept;
    eng_trajectory_show(&replay->rows, layout, frame);
    return CAIRN_OK;
}

cairn_status cairn_replay_read(cairn_replay *replay, int64_t index, cairn_replay_frame *frame,
                               cairn_error *error)
{
    if (replay == NULL || frame == NULL)
        return base_fail_null(error, __func__);
    *frame = (cairn_replay_frame){0};
    if (index < 0 || index >= replay->frames)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s: frame %lld is out of range: 0 to %d",
                         replay->path, (long long)index, replay->frames - 1);
    BASE_TRY(ask_guard(replay, index, error));
    con_hdf5_silence silence = con_hdf5_silence_begin();
    cairn_status status = read_frame(replay, index, frame, error);
    con_hdf5_silence_end(silence);
    return status;
}

cairn_status cairn_replay_get_body(const cairn_replay *replay, int number, cairn_replay_body *body)
{
    if (replay == NULL || body == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *body = (cairn_replay_body){0};
    if (number < 0 || number >= replay->known)
        return CAIRN_ERROR_NOT_FOUND;
    void *const *rows = replay->rows.rows;
    const int64_t *id = ((const int64_t(*)[2])rows[ENG_TRAJECTORY_ID])[number];
    const int64_t *shape = ((const int64_t(*)[2])rows[ENG_TRAJECTORY_SHAPE])[number];
    *body = (cairn_replay_body){
        .id = {(uint32_t)id[0], (uint32_t)id[1]},
        .kind = (cairn_body_kind)((const int64_t *)rows[ENG_TRAJECTORY_KIND])[number],
        .material = (int)((const int64_t *)rows[ENG_TRAJECTORY_MATERIAL])[number],
        .mass = ((const double *)rows[ENG_TRAJECTORY_MASS])[number],
        .shape = {(uint32_t)shape[0], (uint32_t)shape[1]},
        .shape_kind = (cairn_shape_kind)((const int64_t *)rows[ENG_TRAJECTORY_SHAPE_KIND])[number],
    };
    memcpy(body->shape_size, ((const double(*)[3])rows[ENG_TRAJECTORY_SHAPE_SIZE])[number],
           sizeof body->shape_size);
    return CAIRN_OK;
}

bool eng_trajectory_tells_bodies(const cairn_replay *replay)
{
    return replay->layout.known;
}

const char *cairn_replay_get_material(const cairn_replay *replay, int index)
{
    if (replay == NULL || index < 0 || index >= replay->material_count)
        return "";
    return replay->materials + (size_t)index * replay->material_size;
}
