// SPDX-License-Identifier: Apache-2.0
// Layout of trajectory.h5, shared by its writer and its reader.
#ifndef CAIRN_ENGINE_FILES_TRAJECTORY_H
#define CAIRN_ENGINE_FILES_TRAJECTORY_H

#include "base/memory.h"
#include "contact/fclib/hdf5.h"
#include <cairn/trajectory.h>

/// What an item of an array is.
typedef enum eng_trajectory_item {
    ENG_TRAJECTORY_FRAME,
    ENG_TRAJECTORY_BODY,    // of a frame
    ENG_TRAJECTORY_KNOWN,   // a body that was in any frame; its number is its row
    ENG_TRAJECTORY_CONTACT, // of a frame that keeps its contacts
    ENG_TRAJECTORY_ITEMS
} eng_trajectory_item;

/// The last array of all is written last: it counts the complete frames.
typedef enum eng_trajectory_index {
    ENG_TRAJECTORY_STEP,
    ENG_TRAJECTORY_CONTACTS,
    ENG_TRAJECTORY_POSITION,
    ENG_TRAJECTORY_ORIENTATION,
    ENG_TRAJECTORY_VELOCITY,
    ENG_TRAJECTORY_ANGULAR_VELOCITY,
    // where bodies come and go
    ENG_TRAJECTORY_NUMBER,
    // what bodies are
    ENG_TRAJECTORY_ID,
    ENG_TRAJECTORY_KIND,
    ENG_TRAJECTORY_MATERIAL,
    ENG_TRAJECTORY_MASS,
    ENG_TRAJECTORY_SHAPE,
    ENG_TRAJECTORY_SHAPE_KIND,
    ENG_TRAJECTORY_SHAPE_SIZE,
    ENG_TRAJECTORY_KNOWN_BODIES,
    // where bodies come and go
    ENG_TRAJECTORY_BODY_FIRST,
    ENG_TRAJECTORY_BODY_COUNT,
    // where contacts are kept
    ENG_TRAJECTORY_CONTACT_BODIES,
    ENG_TRAJECTORY_CONTACT_STATUS,
    ENG_TRAJECTORY_CONTACT_POINT,
    ENG_TRAJECTORY_CONTACT_NORMAL,
    ENG_TRAJECTORY_CONTACT_FORCE,
    ENG_TRAJECTORY_CONTACT_VELOCITY,
    ENG_TRAJECTORY_CONTACT_GAP,
    ENG_TRAJECTORY_CONTACT_FIRST,
    ENG_TRAJECTORY_CONTACT_COUNT,
    ENG_TRAJECTORY_TIME,
    ENG_TRAJECTORY_COUNT
} eng_trajectory_index;

/// Which arrays a file has.
typedef struct eng_trajectory_layout {
    int bodies;    // in all frames; not where they vary
    bool varies;   // bodies come and go
    bool contacts; // some frames keep their contacts
    bool known;    // what bodies are, their material among it
} eng_trajectory_layout;

typedef struct eng_trajectory_set {
    const char *name, *unit;
    eng_trajectory_item item;
    int width;             // numbers of an item; 0: one, as an array of rank 1
    bool whole;            // int64, not double
    bool varies, contacts; // only in files of this kind
    bool known;            // of what bodies are
} eng_trajectory_set;

extern const eng_trajectory_set eng_trajectory_sets[ENG_TRAJECTORY_COUNT];

/// CHUNK: items in one chunk, but that arrays of the same bodies in all frames have chunks of one
/// frame, and what a few such bodies are is one chunk. Chunks with items of bodies and contacts are
/// compressed, and written once: a frame begins with a new one. The others grow a number at a time
/// and are not compressed.
enum { ENG_TRAJECTORY_RANK = 3, ENG_TRAJECTORY_CHUNK = 1024 };

/// Type in memory.
hid_t eng_trajectory_type(eng_trajectory_index set);

/// Whether a file of this layout has the array.
bool eng_trajectory_has(const eng_trajectory_layout *layout, eng_trajectory_index set);

/// Whether an item of the array is a frame: as many bodies as there are in all of them.
bool eng_trajectory_is_fixed(const eng_trajectory_layout *layout, eng_trajectory_index set);

/// Shape of so many items of an array (frames, where eng_trajectory_is_fixed); returns its rank.
int eng_trajectory_shape(const eng_trajectory_layout *layout, eng_trajectory_index set,
                         int64_t items, hsize_t shape[ENG_TRAJECTORY_RANK]);

/// Shape of its chunks; returns their rank.
int eng_trajectory_chunk(const eng_trajectory_layout *layout, eng_trajectory_index set,
                         hsize_t chunk[ENG_TRAJECTORY_RANK]);

/// Whether its chunks are compressed.
bool eng_trajectory_is_deflated(eng_trajectory_index set);

/// Writes a text attribute, which is declared as UTF-8; names and words of a command line need not
/// be, and are mended.
bool eng_trajectory_put_text(hid_t owner, const char *name, const char *text);

/// Names of materials, in the order of their numbers: an array of texts.
#define ENG_TRAJECTORY_MATERIALS "material_names"

/// Writes what is known at the start of the program, its command, the scene and its materials.
/// @return CAIRN_ERROR_MEMORY, CAIRN_ERROR_FILE
cairn_status eng_trajectory_put_provenance(hid_t file, const cairn_world *world,
                                           const cairn_trajectory_def *def);

/// Room for a frame of every array, or for a part of one.
typedef struct eng_trajectory_rows {
    base_allocator allocator;
    void *rows[ENG_TRAJECTORY_COUNT];
    size_t room[ENG_TRAJECTORY_COUNT]; // bytes
} eng_trajectory_rows;

/// Room for so many items of an array; NULL when out of memory.
void *eng_trajectory_reserve(eng_trajectory_rows *rows, eng_trajectory_index set, int64_t items);
void eng_trajectory_release(eng_trajectory_rows *rows);
/// What is in the rows is lost; their memory goes back to the system until they are written again.
void eng_trajectory_rest(const eng_trajectory_rows *rows);

/// Lets a frame show the rows.
void eng_trajectory_show(const eng_trajectory_rows *rows, const eng_trajectory_layout *layout,
                         cairn_replay_frame *frame);

/// Whether the file says what its bodies are.
bool eng_trajectory_tells_bodies(const cairn_replay *replay);

/// Opens a file as one of many readers, which works while it is written and when its writer was
/// killed, too. Parts whose checksums are wrong are read again for about a millisecond: HDF5 by
/// itself waits twice as long each time, for ages in a damaged file. Negative on failure.
hid_t eng_trajectory_open_file(const char *path);

#endif
