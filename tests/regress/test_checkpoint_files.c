// SPDX-License-Identifier: Apache-2.0
// Checkpoint files that are cut, changed, made up, or whose writer was killed.
#include "base/hash.h"
#include "tests/regress/heap.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

// damaged files make the HDF5 library forget some of its own memory
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static const char *const files[] = {"a.h5", "a.h5.part", "b.h5"};

typedef struct bench {
    char folder[64], good[128], bad[128];
    cairn_world *world;
    unsigned char *bytes;
    size_t size;
} bench;

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/// The most that was asked for at once, bytes.
static void *reallocate_and_note(void *context, void *block, size_t size)
{
    size_t *most = context;
    *most = size > *most ? size : *most;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static bench make_bench(size_t *most)
{
    bench b;
    cairn_error error = {0};
    heap_def def = default_heap();
    def.layers = 1;
    if (most != NULL)
        def.allocator = (cairn_allocator){reallocate_and_note, most};
    heap_folder_make(b.folder);
    snprintf(b.good, sizeof b.good, "%s/a.h5", b.folder);
    snprintf(b.bad, sizeof b.bad, "%s/b.h5", b.folder);
    b.world = heap_world(&def);
    heap_steps(b.world, 50);
    must(cairn_world_save(b.world, b.good, "note", &error), &error);
    FILE *file = fopen(b.good, "rb");
    assert_non_null(file);
    b.bytes = malloc(1 << 22);
    b.size = fread(b.bytes, 1, 1 << 22, file);
    fclose(file);
    return b;
}

static void end_bench(bench *b)
{
    cairn_world_destroy(b->world);
    free(b->bytes);
    heap_folder_remove(b->folder, files, 3);
}

/// The bad file is refused, with a message, and nothing changes.
static void refuse(const bench *b)
{
    cairn_error error = {0};
    cairn_checkpoint checkpoint;
    uint64_t before = cairn_world_get_hash(b->world);
    assert_int_equal(cairn_world_restore(b->world, b->bad, &error), CAIRN_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "b.h5"));
    assert_int_equal(cairn_checkpoint_read(b->bad, &checkpoint, &error), CAIRN_ERROR_FORMAT);
    assert_int_equal(cairn_world_get_hash(b->world), before);
}

static void test_truncated(void **state)
{
    (void)state;
    bench b = make_bench(NULL);
    for (size_t size = 0; size < b.size; size += size < 64 || b.size - size < 64 ? 1 : 997) {
        write_bytes(b.bad, b.bytes, size);
        refuse(&b);
    }
    end_bench(&b);
}

static void test_flipped(void **state)
{
    (void)state;
    bench b = make_bench(NULL);
    base_rng rng = base_rng_make(11);
    for (int i = 0; i < 300; i++) {
        size_t at = (size_t)(base_rng_unit(&rng) * (double)b.size);
        unsigned char bit = (unsigned char)(1u << (i % 8));
        b.bytes[at] ^= bit;
        write_bytes(b.bad, b.bytes, b.size);
        refuse(&b);
        b.bytes[at] ^= bit;
    }
    end_bench(&b);
}

/// Changed on purpose, with a checksum that fits: whatever is answered, nothing breaks and the
/// world can still be brought back.
static void test_resealed(void **state)
{
    (void)state;
    bench b = make_bench(NULL);
    cairn_error error = {0};
    base_rng rng = base_rng_make(12);
    int stepped = 0;
    size_t image = b.size - 24;
    for (int i = 0; i < 300; i++) {
        size_t at = (size_t)(base_rng_unit(&rng) * (double)image);
        unsigned char old = b.bytes[at];
        b.bytes[at] = (unsigned char)(base_rng_unit(&rng) * 256.0);
        uint64_t hash = base_hash_bytes(BASE_HASH_START, b.bytes, image);
        memcpy(b.bytes + image + 16, &hash, sizeof hash);
        write_bytes(b.bad, b.bytes, b.size);
        b.bytes[at] = old;
        cairn_status status = cairn_world_restore(b.world, b.bad, &error);
        // numbers that were changed may ask too much of the step, which says so
        if (status == CAIRN_OK)
            stepped += cairn_world_step(b.world, &error) == CAIRN_OK;
    }
    assert_true(stepped > 0);
    must(cairn_world_restore(b.world, b.good, &error), &error);
    end_bench(&b);
}

/// Puts a checksum that fits behind the bad file.
static void seal(bench *b)
{
    FILE *in = fopen(b->bad, "rb");
    assert_non_null(in);
    uint64_t size = fread(b->bytes, 1, (1 << 22) - 24, in);
    fclose(in);
    uint64_t hash = base_hash_bytes(BASE_HASH_START, b->bytes, size);
    memcpy(b->bytes + size, "CAIRNSUM", 8);
    memcpy(b->bytes + size + 8, &size, sizeof size);
    memcpy(b->bytes + size + 16, &hash, sizeof hash);
    write_bytes(b->bad, b->bytes, size + 24);
}

/// The checkpoint with one of its arrays behind a link, to another name or another file, and with a
/// checksum that fits.
static void write_linked(bench *b, const char *name, const char *other_file)
{
    write_bytes(b->bad, b->bytes, b->size - 24);
    hid_t file = H5Fopen(b->bad, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(H5Lmove(file, name, file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    if (other_file != NULL)
        assert_true(H5Lcreate_external(other_file, name, file, name, H5P_DEFAULT, H5P_DEFAULT) >=
                    0);
    else
        assert_true(H5Lcreate_soft("/elsewhere", file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Fclose(file) >= 0);
    seal(b);
}

/// Arrays are read from the file itself, whatever a link says.
static void test_links(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bench b = make_bench(NULL);
        cairn_error error = {0};
        write_linked(&b, k % 2 == 0 ? "format" : "note", k < 2 ? NULL : b.good);
        assert_int_equal(cairn_world_restore(b.world, b.bad, &error), CAIRN_ERROR_FORMAT);
        assert_non_null(strstr(error.message, "a link to another place, which is refused"));
        refuse(&b);
        end_bench(&b);
    }
}

/// Writes the checkpoint with one of its counts changed; false when there are fewer.
static bool write_count(bench *b, const char *name, int index, int64_t value)
{
    int64_t counts[64];
    write_bytes(b->bad, b->bytes, b->size - 24);
    hid_t file = H5Fopen(b->bad, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    assert_in_range(count, 1, 64);
    if (index < count) {
        assert_true(H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
        counts[index] = value;
        assert_true(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0);
    }
    H5Sclose(space);
    H5Dclose(set);
    assert_true(H5Fclose(file) >= 0);
    if (index < count)
        seal(b);
    return index < count;
}

/// No memory is taken for what a file of some kilobytes claims to hold.
static void test_claims(void **state)
{
    (void)state;
    static const char *const names[] = {"counts", "population/counts", "spheres/counts"};
    size_t most = 0;
    bench b = make_bench(&most);
    cairn_error error = {0};
    int refused = 0;
    for (int k = 0; k < 2 * 3; k++)
        for (int i = 0;; i++) {
            // what was sealed is in the place of the good file's bytes
            FILE *good = fopen(b.good, "rb");
            assert_non_null(good);
            b.size = fread(b.bytes, 1, 1 << 22, good);
            fclose(good);
            if (!write_count(&b, names[k / 2], i, k % 2 == 0 ? 60000 : 100000000))
                break;
            most = 0;
            refused += cairn_world_restore(b.world, b.bad, &error) == CAIRN_ERROR_FORMAT;
            assert_in_range(most, 1, 4 << 20);
        }
    assert_true(refused > 60);
    end_bench(&b);
}

static void test_no_checkpoint(void **state)
{
    (void)state;
    bench b = make_bench(NULL);
    cairn_error error = {0};
    assert_int_equal(cairn_world_restore(b.world, b.bad, &error), CAIRN_ERROR_FILE);
    assert_int_equal(cairn_world_restore(b.world, b.folder, &error), CAIRN_ERROR_FILE);
    assert_int_equal(cairn_world_save(b.world, "/proc/none/a.h5", NULL, &error), CAIRN_ERROR_FILE);
    assert_false(cairn_checkpoint_exists(b.bad));
    end_bench(&b);
}

static void save_forever(const bench *b)
{
    cairn_error error = {0};
    for (;;) {
        if (cairn_world_step(b->world, &error) != CAIRN_OK ||
            cairn_world_save(b->world, b->good, "note", &error) != CAIRN_OK)
            _exit(1);
    }
}

/// A writer that dies at any moment leaves the last complete checkpoint.
static void test_killed_writer(void **state)
{
    (void)state;
    bench b = make_bench(NULL);
    base_rng rng = base_rng_make(13);
    cairn_error error = {0};
    int64_t last = 0;
    for (int i = 0; i < 40; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            save_forever(&b);
        struct timespec wait = {0, (long)(2e7 * base_rng_unit(&rng))};
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        must(cairn_world_restore(b.world, b.good, &error), &error);
        assert_true(cairn_world_get_step_count(b.world) >= last);
        last = cairn_world_get_step_count(b.world);
    }
    end_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncated),     cmocka_unit_test(test_flipped),
        cmocka_unit_test(test_resealed),      cmocka_unit_test(test_no_checkpoint),
        cmocka_unit_test(test_killed_writer), cmocka_unit_test(test_links),
        cmocka_unit_test(test_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
