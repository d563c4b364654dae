// SPDX-License-Identifier: Apache-2.0
// Writer of trajectory.h5: frames appended to extendable arrays, readable while the run goes on.
//
// The file is written in HDF5's mode for one writer and many readers (SWMR): every flush leaves a
// file that readers can open, also when the writer is killed. A frame is one chunk of each array,
// written once; `time` grows last, so that frames it counts are complete.
#include "engine/files/trajectory.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096, DEFLATE_LEVEL = 1, WIDTH_MAX = 4, ATTRIBUTE_SIZE = 16384 };

typedef eng_trajectory_index set_index;

struct cairn_trajectory {
    base_allocator allocator;
    hid_t file, sets[ENG_TRAJECTORY_COUNT];
    int64_t frames;
    int bodies;
    uint64_t ids; // hash of those of the bodies
    double *rows; // [bodies][WIDTH_MAX]
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

static int shape_of(const cairn_trajectory *writer, set_index set, int64_t frames,
                    hsize_t shape[ENG_TRAJECTORY_RANK])
{
    return eng_trajectory_shape(set, writer->bodies, frames, shape);
}

// ---------------------------------------------------------------- what is known at the start

static bool put_attribute(hid_t owner, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR), attribute = H5I_INVALID_HID;
    if (space >= 0)
        attribute = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    close_with(attribute, H5Aclose);
    close_with(space, H5Sclose);
    return good;
}

static hid_t text_type(const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    size_t length = strlen(text);
    if (type >= 0 &&
        (H5Tset_size(type, length > 0 ? length : 1) < 0 ||
         H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
         H5Tset_cset(type, base_text_is_utf8(text) ? H5T_CSET_UTF8 : H5T_CSET_ASCII) < 0)) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/// Declared as UTF-8, which names and words of a command line need not be.
static bool put_text(hid_t owner, const char *name, const char *text)
{
    char mended[ATTRIBUTE_SIZE];
    base_text_mend(text, mended, sizeof mended);
    hid_t type = text_type(mended);
    bool good = type >= 0 && put_attribute(owner, name, type, mended);
    close_with(type, H5Tclose);
    return good;
}

/// A dataset, since attributes are for short texts.
static bool put_long_text(hid_t file, const char *name, const char *text)
{
    hid_t type = text_type(text), space = H5Screate(H5S_SCALAR), set = H5I_INVALID_HID;
    if (type >= 0 && space >= 0)
        set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    close_with(set, H5Dclose);
    close_with(space, H5Sclose);
    close_with(type, H5Tclose);
    return good;
}

static bool put_provenance(hid_t file, const cairn_world *world, const cairn_trajectory_def *def)
{
    int64_t bodies = cairn_body_count(world);
    return put_text(file, "kind", "cairn trajectory") &&
           put_text(file, "version", cairn_version()) &&
           put_text(file, "command", def->command != NULL ? def->command : "") &&
           put_text(file, "scene", def->scene != NULL ? def->scene : "") &&
           put_attribute(file, "seed", H5T_NATIVE_INT64, &def->seed) &&
           put_attribute(file, "bodies", H5T_NATIVE_INT64, &bodies) &&
           put_attribute(file, "time_step", H5T_NATIVE_DOUBLE, &world->def.time_step) &&
           put_long_text(file, "scene_text", def->scene_text != NULL ? def->scene_text : "");
}

/// Chunks of one frame, compressed; of many frames where a frame is one number.
static hid_t set_properties(const cairn_trajectory *writer, set_index set)
{
    hsize_t chunk[ENG_TRAJECTORY_RANK];
    int rank = shape_of(writer, set, 1, chunk);
    if (rank == 1)
        chunk[0] = ENG_TRAJECTORY_CHUNK;
    else if (chunk[1] == 0)
        chunk[1] = 1;
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (properties >= 0 && H5Pset_chunk(properties, rank, chunk) >= 0 &&
        (rank == 1 ||
         (H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, DEFLATE_LEVEL) >= 0)))
        return properties;
    close_with(properties, H5Pclose);
    return H5I_INVALID_HID;
}

static hid_t create_set(const cairn_trajectory *writer, set_index set)
{
    hsize_t shape[ENG_TRAJECTORY_RANK], most[ENG_TRAJECTORY_RANK];
    int rank = shape_of(writer, set, 0, shape);
    memcpy(most, shape, sizeof most);
    most[0] = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(rank, shape, most), properties = set_properties(writer, set);
    hid_t made = H5I_INVALID_HID;
    if (space >= 0 && properties >= 0)
        made = H5Dcreate2(writer->file, eng_trajectory_sets[set].name, eng_trajectory_type(set),
                          space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (made >= 0 && !put_text(made, "unit", eng_trajectory_sets[set].unit)) {
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
        if ((writer->sets[i] = create_set(writer, (set_index)i)) < 0)
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

static bool close_file(cairn_trajectory *writer)
{
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++) {
        close_with(writer->sets[i], H5Dclose);
        writer->sets[i] = H5I_INVALID_HID;
    }
    bool good = writer->file < 0 || H5Fclose(writer->file) >= 0;
    writer->file = H5I_INVALID_HID;
    return good;
}

static cairn_trajectory *make_writer(const cairn_world *world, const char *path)
{
    const base_allocator *allocator = &world->allocator;
    cairn_trajectory *made = base_allocate(allocator, 1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->allocator = *allocator;
    made->bodies = cairn_body_count(world);
    made->ids = eng_slots_hash(&world->body_slots);
    made->file = H5I_INVALID_HID;
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        made->sets[i] = H5I_INVALID_HID;
    snprintf(made->path, sizeof made->path, "%s", path);
    made->rows = base_allocate(allocator, (size_t)made->bodies + 1, WIDTH_MAX * sizeof(double));
    if (made->rows != NULL)
        return made;
    base_release(allocator, made);
    return NULL;
}

static void release_writer(cairn_trajectory *writer)
{
    base_allocator allocator = writer->allocator;
    base_release(&allocator, writer->rows);
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

// ---------------------------------------------------------------- frames

static bool append(const cairn_trajectory *writer, set_index set, const void *data)
{
    hsize_t shape[ENG_TRAJECTORY_RANK], start[ENG_TRAJECTORY_RANK] = {(hsize_t)writer->frames},
                                        count[ENG_TRAJECTORY_RANK];
    int rank = shape_of(writer, set, writer->frames + 1, shape);
    shape_of(writer, set, 1, count);
    hid_t id = writer->sets[set];
    if (H5Dset_extent(id, shape) < 0)
        return false;
    if (rank > 1 && writer->bodies == 0)
        return true;
    hid_t space = H5Dget_space(id), memory = H5Screate_simple(rank, count, NULL);
    bool good = space >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                H5Dwrite(id, eng_trajectory_type(set), memory, space, H5P_DEFAULT, data) >= 0 &&
                H5Dflush(id) >= 0;
    close_with(memory, H5Sclose);
    close_with(space, H5Sclose);
    return good;
}

static const double *value_of(const cairn_body_view *view, set_index set)
{
    return set == ENG_TRAJECTORY_POSITION      ? view->position
           : set == ENG_TRAJECTORY_ORIENTATION ? view->orientation
           : set == ENG_TRAJECTORY_VELOCITY    ? view->velocity
                                               : view->angular_velocity;
}

/// Whether other bodies than those that the file was begun with stand in its columns.
static bool has_changed(const cairn_trajectory *writer, const cairn_world *world)
{
    return world->population_changed && eng_slots_hash(&world->body_slots) != writer->ids;
}

static bool append_bodies(cairn_trajectory *writer, const cairn_world *world, set_index set)
{
    size_t width = (size_t)eng_trajectory_sets[set].width;
    for (int i = 0; i < writer->bodies; i++) {
        cairn_body_view view;
        if (cairn_body_get(world, cairn_body_at(world, i), &view) != CAIRN_OK)
            return false;
        memcpy(writer->rows + (size_t)i * width, value_of(&view, set), width * sizeof(double));
    }
    return append(writer, set, writer->rows);
}

cairn_status cairn_trajectory_write_frame(cairn_trajectory *writer, const cairn_world *world,
                                          cairn_error *error)
{
    if (writer == NULL || world == NULL)
        return base_fail_null(error, __func__);
    if (cairn_body_count(world) != writer->bodies || has_changed(writer, world))
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "%s: bodies were made or removed since it was begun with %d; a trajectory "
                         "holds the same bodies in all frames, a ParaView series those of each",
                         writer->path, writer->bodies);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    int64_t step = world->step_count, contacts = cairn_contact_count(world);
    double time = world->time;
    bool good = append(writer, ENG_TRAJECTORY_STEP, &step) &&
                append(writer, ENG_TRAJECTORY_CONTACTS, &contacts);
    for (int set = ENG_TRAJECTORY_POSITION; set <= ENG_TRAJECTORY_SPIN && good; set++)
        good = append_bodies(writer, world, (set_index)set);
    good = good && append(writer, ENG_TRAJECTORY_TIME, &time);
    con_hdf5_silence_end(silence);
    if (!good)
        return fail_file(writer->path, "a frame could not be written", error);
    writer->frames++;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- beginning and going on

/// The first frames of an earlier file, read as a replay is, which trusts nothing in it.
static cairn_status copy_frames(cairn_trajectory *writer, cairn_replay *from, int64_t frames,
                                cairn_error *error)
{
    if (cairn_replay_get_info(from)->bodies != writer->bodies ||
        cairn_replay_get_frame_count(from) < frames)
        return base_fail(error, CAIRN_ERROR_FORMAT,
                         "%s: does not hold the %lld frames of the checkpoint", writer->path,
                         (long long)frames);
    while (writer->frames < frames) {
        cairn_replay_frame frame;
        cairn_status status = cairn_replay_read(from, writer->frames, &frame, error);
        if (status != CAIRN_OK)
            return status;
        bool good = append(writer, ENG_TRAJECTORY_STEP, &frame.step) &&
                    append(writer, ENG_TRAJECTORY_CONTACTS, &frame.contacts) &&
                    append(writer, ENG_TRAJECTORY_POSITION, frame.position) &&
                    append(writer, ENG_TRAJECTORY_ORIENTATION, frame.orientation) &&
                    append(writer, ENG_TRAJECTORY_VELOCITY, frame.velocity) &&
                    append(writer, ENG_TRAJECTORY_SPIN, frame.angular_velocity) &&
                    append(writer, ENG_TRAJECTORY_TIME, &frame.time);
        if (!good)
            return fail_file(writer->path, "a frame could not be copied", error);
        writer->frames++;
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
    cairn_status status = CAIRN_OK;
    if (writer->file < 0 || !put_provenance(writer->file, world, def) || !create_sets(writer))
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
    cairn_trajectory *made = make_writer(world, path);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
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
