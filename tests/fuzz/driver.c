// SPDX-License-Identifier: Apache-2.0
// Drives a fuzz target without libFuzzer: every file of the corpus, then changes of them.
//
//   fuzz_NAME --seeds FOLDER                  the target's own inputs
//   fuzz_NAME CORPUS MUTATIONS [SEED]         replay; the corpus may be absent
//
// Changes are of bytes, or of what a file of HDF5 is made of (structure.h).
#include "base/rng.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/structure.h"

#include <dirent.h>
#include <string.h>

enum { FILES_MAX = 4096, SIZE_MAX_INPUT = 1 << 20, ROOM_MORE = 1 << 16 };

// linked with the targets that read HDF5 alone
#pragma weak fuzz_change_structure

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

typedef struct corpus {
    input *inputs; // [count]
    int count;
} corpus;

static input read_input(const char *path)
{
    input result = {malloc(SIZE_MAX_INPUT), 0};
    FILE *file = fopen(path, "rb");
    fuzz_demand(file != NULL && result.bytes != NULL, path);
    result.size = fread(result.bytes, 1, SIZE_MAX_INPUT, file);
    fclose(file);
    // a block of its very size, so that sanitizers see reads behind it
    uint8_t *tight = malloc(result.size > 0 ? result.size : 1);
    fuzz_demand(tight != NULL, "out of memory");
    memcpy(tight, result.bytes, result.size);
    free(result.bytes);
    result.bytes = tight;
    return result;
}

/// Files of a folder by name, so that every run does the same.
static void read_folder(corpus *all, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && all->count < FILES_MAX)
            all->inputs[all->count++] = read_input(path);
        free(entries[i]);
    }
    free(entries);
}

static size_t below(base_rng *rng, size_t bound)
{
    return bound == 0 ? 0 : (size_t)(base_rng_unit(rng) * (double)bound);
}

/// One change: a bit, a byte, a number at the ends of its range, a piece left out or doubled.
static size_t change(base_rng *rng, uint8_t *bytes, size_t size)
{
    static const uint8_t numbers[][8] = {
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        {0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f},
        {0, 0, 0, 0, 0, 0, 0xf8, 0x7f},
        {0, 0, 0, 0, 0, 0, 0, 0},
        {'1', 'e', '3', '0', '8', ' ', '-', '1'},
    };
    size_t at = below(rng, size), length = 1 + below(rng, 32);
    length = length > size - at ? size - at : length;
    switch (size > 0 ? below(rng, 5) : 5) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << below(rng, 8));
        return size;
    case 1:
        bytes[at] = (uint8_t)below(rng, 256);
        return size;
    case 2:
        memcpy(bytes + at, numbers[below(rng, 5)], length > 8 ? 8 : length);
        return size;
    case 3:
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 4:
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    default:
        return size;
    }
}

static void run_changed(const corpus *all, base_rng *rng)
{
    const input *base = &all->inputs[below(rng, (size_t)all->count)];
    size_t most = base->size + ROOM_MORE, size = 0;
    uint8_t *bytes = malloc(most);
    fuzz_demand(bytes != NULL, "out of memory");
    memcpy(bytes, base->bytes, base->size);
    if (fuzz_change_structure != NULL) {
        // HDF5 itself crashes on bytes that were changed blindly, here and there
        size = fuzz_change_structure(bytes, base->size, most, base_rng_next(rng));
    } else {
        size = base->size;
        for (size_t left = 1 + below(rng, 6); left > 0; left--)
            size = change(rng, bytes, size);
    }
    uint8_t *tight = malloc(size > 0 ? size : 1);
    fuzz_demand(tight != NULL, "out of memory");
    memcpy(tight, bytes, size);
    free(bytes);
    LLVMFuzzerTestOneInput(tight, size);
    free(tight);
}

static int replay(const char *folder, long mutations, uint64_t seed)
{
    corpus all = {calloc(FILES_MAX, sizeof *all.inputs), 0};
    fuzz_demand(all.inputs != NULL, "out of memory");
    char seeds[] = "/tmp/cairn-fuzz-XXXXXX", command[128];
    fuzz_demand(mkdtemp(seeds) != NULL, "no folder for the seeds");
    fuzz_write_seeds(seeds);
    read_folder(&all, folder);
    read_folder(&all, seeds);
    snprintf(command, sizeof command, "rm -r '%s'", seeds);
    fuzz_demand(system(command) == 0, "the seeds are not removed");
    fuzz_demand(all.count > 0, "no inputs");
    for (int i = 0; i < all.count; i++)
        LLVMFuzzerTestOneInput(all.inputs[i].bytes, all.inputs[i].size);
    base_rng rng = base_rng_make(seed);
    for (long i = 0; i < mutations; i++)
        run_changed(&all, &rng);
    printf("%d inputs, %ld changed ones\n", all.count, mutations);
    for (int i = 0; i < all.count; i++)
        free(all.inputs[i].bytes);
    free(all.inputs);
    return 0;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "--seeds") == 0) {
        fuzz_write_seeds(words[2]);
        return 0;
    }
    if (count < 3 || count > 4) {
        fprintf(stderr, "usage: %s CORPUS MUTATIONS [SEED] | --seeds FOLDER\n", words[0]);
        return 2;
    }
    return replay(words[1], strtol(words[2], NULL, 10),
                  count == 4 ? strtoull(words[3], NULL, 10) : 1);
}
