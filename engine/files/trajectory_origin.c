// SPDX-License-Identifier: Apache-2.0
// What trajectory.h5 says of where it comes from: program, command, scene.
#include "engine/files/trajectory.h"
#include "engine/state/world.h"

#include "base/text.h"

#include <string.h>

enum { ATTRIBUTE_SIZE = 16384 };

static void close_with(hid_t id, herr_t (*close_id)(hid_t))
{
    if (id >= 0)
        close_id(id);
}

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

bool eng_trajectory_put_text(hid_t owner, const char *name, const char *text)
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

/// Name of an item by its number.
typedef const char *name_function(const cairn_world *world, int index);

/// Texts of one length in memory, which zeros fill.
static bool put_texts(hid_t file, const char *name, const char *texts, hsize_t count, size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5I_INVALID_HID;
    bool good = type >= 0 && space >= 0 && H5Tset_size(type, size) >= 0 &&
                H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (good)
        set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0;
    close_with(set, H5Dclose);
    close_with(space, H5Sclose);
    close_with(type, H5Tclose);
    return good;
}

static cairn_status put_names(hid_t file, const cairn_world *world, const char *name, int count,
                              name_function *of)
{
    size_t size = 1;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(of(world, i));
        size = length > size ? length : size;
    }
    // a mended text may be longer, but not beyond this, and ends with a zero
    size = 3 * size + 1;
    char *texts = base_allocate(&world->model.allocator, (size_t)count + 1, size);
    if (texts == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(texts, 0, ((size_t)count + 1) * size);
    for (int i = 0; i < count; i++)
        base_text_mend(of(world, i), texts + (size_t)i * size, size);
    bool good = put_texts(file, name, texts, (hsize_t)count, size);
    base_release(&world->model.allocator, texts);
    return good ? CAIRN_OK : CAIRN_ERROR_FILE;
}

static const char *material_name(const cairn_world *world, int index)
{
    return world->model.materials.rows[index].name;
}

static const char *shape_kind_name(const cairn_world *world, int index)
{
    (void)world;
    return cairn_shape_kind_name((cairn_shape_kind)index);
}

cairn_status eng_trajectory_put_provenance(hid_t file, const cairn_world *world,
                                           const cairn_trajectory_def *def)
{
    // where they vary the frames tell
    int64_t bodies = def->varies ? -1 : cairn_body_count(world);
    bool good =
        eng_trajectory_put_text(file, "kind", "cairn trajectory") &&
        eng_trajectory_put_text(file, "version", cairn_version()) &&
        eng_trajectory_put_text(file, "command", def->command != NULL ? def->command : "") &&
        eng_trajectory_put_text(file, "scene", def->scene != NULL ? def->scene : "") &&
        put_attribute(file, "seed", H5T_NATIVE_INT64, &def->seed) &&
        put_attribute(file, "bodies", H5T_NATIVE_INT64, &bodies) &&
        put_attribute(file, "time_step", H5T_NATIVE_DOUBLE, &world->state.clock.step) &&
        put_long_text(file, "scene_text", def->scene_text != NULL ? def->scene_text : "");
    BASE_TRY(good ? CAIRN_OK : CAIRN_ERROR_FILE);
    BASE_TRY(put_names(file, world, ENG_TRAJECTORY_MATERIALS, world->model.materials.count,
                       material_name));
    return put_names(file, world, "shape_kind_names", CAIRN_SHAPE_KIND_COUNT, shape_kind_name);
}
