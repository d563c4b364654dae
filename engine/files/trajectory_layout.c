// SPDX-License-Identifier: Apache-2.0
// Layout of trajectory.h5, and how its readers open it.
#include "engine/files/trajectory.h"

#include "base/file.h"

enum { READ_ATTEMPTS = 20 };

const eng_trajectory_set eng_trajectory_sets[ENG_TRAJECTORY_COUNT] = {
    // clang-format off
    // array                          name               unit     item                     width  whole  varies contacts known
    [ENG_TRAJECTORY_STEP] =           {"step",             "",      ENG_TRAJECTORY_FRAME,   0, true,  false, false, false},
    [ENG_TRAJECTORY_CONTACTS] =       {"contacts",         "",      ENG_TRAJECTORY_FRAME,   0, true,  false, false, false},
    [ENG_TRAJECTORY_POSITION] =       {"position",         "m",     ENG_TRAJECTORY_BODY,    3, false, false, false, false},
    [ENG_TRAJECTORY_ORIENTATION] =    {"orientation_wxyz", "",      ENG_TRAJECTORY_BODY,    4, false, false, false, false},
    [ENG_TRAJECTORY_VELOCITY] =       {"velocity",         "m/s",   ENG_TRAJECTORY_BODY,    3, false, false, false, false},
    [ENG_TRAJECTORY_ANGULAR_VELOCITY] = {"angular_velocity", "rad/s", ENG_TRAJECTORY_BODY,    3, false, false, false, false},
    [ENG_TRAJECTORY_NUMBER] =         {"body",             "",      ENG_TRAJECTORY_BODY,    0, true,  true,  false, false},
    [ENG_TRAJECTORY_ID] =             {"body_id",          "",      ENG_TRAJECTORY_KNOWN,   2, true,  false, false, true},
    [ENG_TRAJECTORY_KIND] =           {"body_kind",        "",      ENG_TRAJECTORY_KNOWN,   0, true,  false, false, true},
    [ENG_TRAJECTORY_MATERIAL] =       {"body_material",    "",      ENG_TRAJECTORY_KNOWN,   0, true,  false, false, true},
    [ENG_TRAJECTORY_MASS] =           {"body_mass",        "kg",    ENG_TRAJECTORY_KNOWN,   0, false, false, false, true},
    [ENG_TRAJECTORY_SHAPE] =          {"body_shape",       "",      ENG_TRAJECTORY_KNOWN,   2, true,  false, false, true},
    [ENG_TRAJECTORY_SHAPE_KIND] =     {"body_shape_kind",  "",      ENG_TRAJECTORY_KNOWN,   0, true,  false, false, true},
    [ENG_TRAJECTORY_SHAPE_SIZE] =     {"body_shape_size",  "m",     ENG_TRAJECTORY_KNOWN,   3, false, false, false, true},
    [ENG_TRAJECTORY_KNOWN_BODIES] =   {"body_known",       "",      ENG_TRAJECTORY_FRAME,   0, true,  false, false, true},
    [ENG_TRAJECTORY_BODY_FIRST] =     {"body_first",       "",      ENG_TRAJECTORY_FRAME,   0, true,  true,  false, false},
    [ENG_TRAJECTORY_BODY_COUNT] =     {"body_count",       "",      ENG_TRAJECTORY_FRAME,   0, true,  true,  false, false},
    [ENG_TRAJECTORY_CONTACT_BODIES] = {"contact_bodies",   "",      ENG_TRAJECTORY_CONTACT, 2, true,  false, true, false},
    [ENG_TRAJECTORY_CONTACT_STATUS] = {"contact_status",   "",      ENG_TRAJECTORY_CONTACT, 0, true,  false, true, false},
    [ENG_TRAJECTORY_CONTACT_POINT] =  {"contact_point",    "m",     ENG_TRAJECTORY_CONTACT, 3, false, false, true, false},
    [ENG_TRAJECTORY_CONTACT_NORMAL] = {"contact_normal",   "",      ENG_TRAJECTORY_CONTACT, 3, false, false, true, false},
    [ENG_TRAJECTORY_CONTACT_FORCE] =  {"contact_force",    "N",     ENG_TRAJECTORY_CONTACT, 3, false, false, true, false},
    [ENG_TRAJECTORY_CONTACT_VELOCITY] = {"contact_velocity", "m/s", ENG_TRAJECTORY_CONTACT, 3, false, false, true, false},
    [ENG_TRAJECTORY_CONTACT_GAP] =    {"contact_gap",      "m",     ENG_TRAJECTORY_CONTACT, 0, false, false, true, false},
    [ENG_TRAJECTORY_CONTACT_FIRST] =  {"contact_first",    "",      ENG_TRAJECTORY_FRAME,   0, true,  false, true, false},
    [ENG_TRAJECTORY_CONTACT_COUNT] =  {"contact_count",    "",      ENG_TRAJECTORY_FRAME,   0, true,  false, true, false},
    [ENG_TRAJECTORY_TIME] =           {"time",             "s",     ENG_TRAJECTORY_FRAME,   0, false, false, false, false},
    // clang-format on
};

hid_t eng_trajectory_type(eng_trajectory_index set)
{
    return eng_trajectory_sets[set].whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
}

bool eng_trajectory_has(const eng_trajectory_layout *layout, eng_trajectory_index set)
{
    const eng_trajectory_set *s = &eng_trajectory_sets[set];
    return (!s->varies || layout->varies) && (!s->contacts || layout->contacts) &&
           (!s->known || layout->known);
}

bool eng_trajectory_is_fixed(const eng_trajectory_layout *layout, eng_trajectory_index set)
{
    return eng_trajectory_sets[set].item == ENG_TRAJECTORY_BODY && !layout->varies;
}

int eng_trajectory_shape(const eng_trajectory_layout *layout, eng_trajectory_index set,
                         int64_t items, hsize_t shape[ENG_TRAJECTORY_RANK])
{
    bool fixed = eng_trajectory_is_fixed(layout, set);
    int width = eng_trajectory_sets[set].width, rank = 0;
    shape[rank++] = (hsize_t)items;
    if (fixed)
        shape[rank++] = (hsize_t)layout->bodies;
    if (width > 0)
        shape[rank++] = (hsize_t)width;
    return rank;
}

int eng_trajectory_chunk(const eng_trajectory_layout *layout, eng_trajectory_index set,
                         hsize_t chunk[ENG_TRAJECTORY_RANK])
{
    bool fixed = eng_trajectory_is_fixed(layout, set);
    bool known = eng_trajectory_sets[set].item == ENG_TRAJECTORY_KNOWN && !layout->varies;
    // no more than there will be
    int64_t items = fixed                                            ? 1
                    : known && layout->bodies < ENG_TRAJECTORY_CHUNK ? layout->bodies
                                                                     : ENG_TRAJECTORY_CHUNK;
    int rank = eng_trajectory_shape(layout, set, items, chunk);
    for (int k = 0; k < rank; k++)
        chunk[k] = chunk[k] > 0 ? chunk[k] : 1;
    return rank;
}

bool eng_trajectory_is_deflated(eng_trajectory_index set)
{
    eng_trajectory_item item = eng_trajectory_sets[set].item;
    return item == ENG_TRAJECTORY_BODY || item == ENG_TRAJECTORY_CONTACT;
}

void *eng_trajectory_reserve(eng_trajectory_rows *rows, eng_trajectory_index set, int64_t items)
{
    const eng_trajectory_set *s = &eng_trajectory_sets[set];
    size_t each = (size_t)(s->width > 0 ? s->width : 1) * sizeof(double);
    size_t needed = ((size_t)items + 1) * each;
    if (rows->room[set] >= needed)
        return rows->rows[set];
    base_release(&rows->allocator, rows->rows[set]);
    rows->room[set] = 0;
    rows->rows[set] = base_allocate(&rows->allocator, (size_t)items + (size_t)items / 4 + 1, each);
    if (rows->rows[set] != NULL)
        rows->room[set] = ((size_t)items + (size_t)items / 4 + 1) * each;
    return rows->rows[set];
}

void eng_trajectory_release(eng_trajectory_rows *rows)
{
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        base_release(&rows->allocator, rows->rows[i]);
}

void eng_trajectory_rest(const eng_trajectory_rows *rows)
{
    for (int i = 0; i < ENG_TRAJECTORY_COUNT; i++)
        base_give_back(rows->rows[i], rows->room[i]);
}

void eng_trajectory_show(const eng_trajectory_rows *rows, const eng_trajectory_layout *layout,
                         cairn_replay_frame *frame)
{
    void *const *r = rows->rows;
    frame->body = layout->varies ? r[ENG_TRAJECTORY_NUMBER] : NULL;
    frame->position = r[ENG_TRAJECTORY_POSITION];
    frame->orientation = r[ENG_TRAJECTORY_ORIENTATION];
    frame->velocity = r[ENG_TRAJECTORY_VELOCITY];
    frame->angular_velocity = r[ENG_TRAJECTORY_ANGULAR_VELOCITY];
    frame->contact_bodies = r[ENG_TRAJECTORY_CONTACT_BODIES];
    frame->contact_status = r[ENG_TRAJECTORY_CONTACT_STATUS];
    frame->contact_point = r[ENG_TRAJECTORY_CONTACT_POINT];
    frame->contact_normal = r[ENG_TRAJECTORY_CONTACT_NORMAL];
    frame->contact_force = r[ENG_TRAJECTORY_CONTACT_FORCE];
    frame->contact_velocity = r[ENG_TRAJECTORY_CONTACT_VELOCITY];
    frame->contact_gap = r[ENG_TRAJECTORY_CONTACT_GAP];
}

hid_t eng_trajectory_open_file(const char *path)
{
    // HDF5 would wait for the other end of a pipe
    FILE *regular = base_file_read(path, NULL);
    if (regular == NULL)
        return H5I_INVALID_HID;
    fclose(regular);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_metadata_read_attempts(access, READ_ATTEMPTS) >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}
