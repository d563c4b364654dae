// SPDX-License-Identifier: Apache-2.0
// A replay gives back what a run wrote, while it goes on and after it, and refuses what is damaged.
#include "base/status.h"
#include "tests/regress/heap.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

// damaged files make the HDF5 library forget some of its own memory
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

enum { FRAMES = 12, BODIES = 10 };

static const char *const files[] = {"a.h5", "b.h5"};
static const char scene_text[] = "title \"heap\"\n-- \xc3\xa4\n";

/// What was written, as the world said it.
typedef struct record {
    double time;
    int64_t step, contacts;
    cairn_body_view bodies[BODIES];
} record;

typedef struct bench {
    char folder[64], path[128], bad[128];
    cairn_world *world;
    cairn_trajectory *writer;
    record records[FRAMES];
    int count;
} bench;

static void write_frame(bench *b)
{
    cairn_error error = {0};
    record *r = &b->records[b->count++];
    must(cairn_trajectory_write_frame(b->writer, b->world, &error), &error);
    r->time = cairn_world_get_time(b->world);
    r->step = cairn_world_get_step_count(b->world);
    r->contacts = cairn_contact_count(b->world);
    for (int i = 0; i < BODIES; i++)
        assert_int_equal(cairn_body_get(b->world, cairn_body_at(b->world, i), &r->bodies[i]), 0);
    heap_steps(b->world, 7);
}

static void begin(bench *b)
{
    cairn_error error = {0};
    heap_def def = default_heap();
    def.layers = 1;
    memset(b, 0, sizeof *b);
    heap_folder_make(b->folder);
    snprintf(b->path, sizeof b->path, "%s/a.h5", b->folder);
    snprintf(b->bad, sizeof b->bad, "%s/b.h5", b->folder);
    b->world = heap_world(&def);
    assert_int_equal(cairn_body_count(b->world), BODIES);
    const cairn_trajectory_def what = {
        .command = "cairn run heap", .scene = "heap", .scene_text = scene_text, .seed = 42};
    must(cairn_trajectory_create(b->path, b->world, &what, &b->writer, &error), &error);
}

static void close_writer(bench *b)
{
    cairn_error error = {0};
    must(cairn_trajectory_close(b->writer, &error), &error);
    b->writer = NULL;
}

static void end(bench *b)
{
    close_writer(b);
    cairn_world_destroy(b->world);
    heap_folder_remove(b->folder, files, 2);
}

static void compare_frame(const bench *b, cairn_replay *replay, int index)
{
    cairn_error error = {0};
    cairn_replay_frame frame;
    const record *r = &b->records[index];
    must(cairn_replay_read(replay, index, &frame, &error), &error);
    assert_true(frame.time == r->time && cairn_replay_get_times(replay)[index] == r->time);
    assert_int_equal(frame.step, r->step);
    assert_int_equal(frame.contacts, r->contacts);
    for (int i = 0; i < BODIES; i++) {
        const cairn_body_view *v = &r->bodies[i];
        assert_memory_equal(frame.position[i], v->position, sizeof v->position);
        assert_memory_equal(frame.orientation[i], v->orientation, sizeof v->orientation);
        assert_memory_equal(frame.velocity[i], v->velocity, sizeof v->velocity);
        assert_memory_equal(frame.angular_velocity[i], v->angular_velocity,
                            sizeof v->angular_velocity);
    }
}

static void test_frames(void **state)
{
    (void)state;
    bench b;
    cairn_error error = {0};
    cairn_replay *replay;
    cairn_replay_frame frame;
    begin(&b);
    while (b.count < FRAMES)
        write_frame(&b);
    close_writer(&b);
    must(cairn_replay_open(b.path, &replay, &error), &error);
    const cairn_replay_info *info = cairn_replay_get_info(replay);
    assert_string_equal(info->command, "cairn run heap");
    assert_string_equal(info->scene, "heap");
    assert_string_equal(info->scene_text, scene_text);
    assert_string_equal(info->version, cairn_version());
    assert_int_equal(info->seed, 42);
    assert_int_equal(info->bodies, BODIES);
    assert_true(info->time_step == cairn_world_get_def(b.world)->time_step);
    assert_int_equal(cairn_replay_get_frame_count(replay), FRAMES);
    // in any order
    for (int i = 0; i < FRAMES; i++)
        compare_frame(&b, replay, (i * 5) % FRAMES);
    assert_int_equal(cairn_replay_read(replay, -1, &frame, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_replay_read(replay, FRAMES, &frame, &error), CAIRN_ERROR_ARGUMENT);
    cairn_replay_close(replay);
    cairn_replay_close(NULL);
    end(&b);
}

/// A file that is open twice is read by both as by one alone, whoever looks for new frames.
static void test_twice(void **state)
{
    (void)state;
    bench b;
    cairn_error error = {0};
    cairn_replay *replays[2];
    begin(&b);
    while (b.count < FRAMES)
        write_frame(&b);
    close_writer(&b);
    for (int k = 0; k < 2; k++)
        must(cairn_replay_open(b.path, &replays[k], &error), &error);
    for (int k = 0; k < 4; k++) {
        cairn_replay *replay = replays[k % 2];
        must(cairn_replay_refresh(replay, &error), &error);
        assert_int_equal(cairn_replay_get_frame_count(replay), FRAMES);
        for (int i = 0; i < FRAMES; i++)
            compare_frame(&b, replay, i);
    }
    cairn_replay_close(replays[0]);
    must(cairn_replay_refresh(replays[1], &error), &error);
    compare_frame(&b, replays[1], FRAMES - 1);
    cairn_replay_close(replays[1]);
    end(&b);
}

typedef struct watch {
    int asked, released;
    int64_t refused; // frame
} watch;

static cairn_status ask(void *context, int64_t frame, cairn_error *error)
{
    watch *w = context;
    w->asked++;
    return frame == w->refused ? base_fail(error, CAIRN_ERROR_FORMAT, "not frame %d", (int)frame)
                               : CAIRN_OK;
}

static void release(void *context)
{
    ((watch *)context)->released++;
}

/// What the guard refuses is not read; it is asked once each time and released once.
static void test_guard(void **state)
{
    (void)state;
    bench b;
    cairn_error error = {0};
    cairn_replay *replay;
    cairn_replay_frame frame;
    watch w = {.refused = 2};
    const cairn_replay_guard guard = {ask, release, &w};
    begin(&b);
    while (b.count < FRAMES)
        write_frame(&b);
    close_writer(&b);
    must(cairn_replay_open(b.path, &replay, &error), &error);
    cairn_replay_set_guard(replay, &guard);
    for (int i = 0; i < 2; i++)
        compare_frame(&b, replay, i);
    assert_int_equal(cairn_replay_read(replay, 2, &frame, &error), CAIRN_ERROR_FORMAT);
    assert_string_equal(error.message, "not frame 2");
    assert_null(frame.position);
    must(cairn_replay_refresh(replay, &error), &error);
    assert_int_equal(w.asked, 4);
    w.refused = -1;
    assert_int_equal(cairn_replay_refresh(replay, &error), CAIRN_ERROR_FORMAT);
    compare_frame(&b, replay, 2);
    cairn_replay_close(replay);
    assert_int_equal(w.released, 1);
    end(&b);
}

/// Run and replay in one program share what HDF5 knows of the file: the copy is one of a run whose
/// program was killed.
static void copy_file(const char *from, const char *to, size_t most, size_t flip)
{
    static unsigned char bytes[1 << 20];
    FILE *in = fopen(from, "rb");
    assert_non_null(in);
    size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    if (flip < size)
        bytes[flip] ^= (unsigned char)(1u << (flip % 8));
    FILE *out = fopen(to, "wb");
    assert_non_null(out);
    size_t kept = size < most ? size : most;
    assert_int_equal(fwrite(bytes, 1, kept, out), kept);
    assert_int_equal(fclose(out), 0);
}

static void test_unfinished(void **state)
{
    (void)state;
    bench b;
    cairn_error error = {0};
    cairn_replay *replay;
    begin(&b);
    for (int frames = 0; frames < 5; frames++) {
        copy_file(b.path, b.bad, SIZE_MAX, SIZE_MAX);
        must(cairn_replay_open(b.bad, &replay, &error), &error);
        must(cairn_replay_refresh(replay, &error), &error);
        assert_int_equal(cairn_replay_get_frame_count(replay), frames);
        for (int i = 0; i < frames; i++)
            compare_frame(&b, replay, i);
        cairn_replay_close(replay);
        write_frame(&b);
    }
    end(&b);
}

/// Whatever is answered, nothing breaks, and an error has a message.
static bool try_file(const char *path)
{
    cairn_error error = {0};
    cairn_replay *replay;
    cairn_replay_frame frame;
    cairn_status status = cairn_replay_open(path, &replay, &error);
    if (status != CAIRN_OK) {
        assert_null(replay);
        assert_true(status == CAIRN_ERROR_FORMAT || status == CAIRN_ERROR_FILE);
        assert_true(error.message[0] != '\0');
        return false;
    }
    bool good = true;
    for (int64_t i = 0; i < cairn_replay_get_frame_count(replay); i++)
        good &= cairn_replay_read(replay, i, &frame, &error) == CAIRN_OK;
    cairn_replay_close(replay);
    return good;
}

// ---------------------------------------------------------------- bodies that come and go

enum { VARYING_FRAMES = 9, VARYING_BODIES = 40, KEPT_CONTACTS = 200 };

typedef struct varying_record {
    int bodies, contacts;
    cairn_body_id ids[VARYING_BODIES];
    cairn_body_view views[VARYING_BODIES];
    cairn_contact_view kept[KEPT_CONTACTS];
} varying_record;

static const cairn_trajectory_def varying_def = {
    .command = "grains", .scene = "grains", .scene_text = "", .varies = true, .contacts_every = 14};

static cairn_body_id drop_ball(cairn_world *world, double radius)
{
    cairn_error error = {0};
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    shape.radius = radius;
    must(cairn_shape_create(world, &shape, &body.shape, &error), &error);
    body.position[2] = 3.0;
    must(cairn_body_create(world, &body, &id, &error), &error);
    return id;
}

/// A world before the k-th frame: a ball more each time, and from the third on the oldest one goes.
static void change(cairn_world *world, int k, cairn_body_id balls[VARYING_FRAMES])
{
    cairn_error error = {0};
    balls[k] = drop_ball(world, 0.1 + 0.01 * k);
    if (k >= 3)
        must(cairn_body_remove(world, balls[k - 3], &error), &error);
    heap_steps(world, 7);
}

static void record_world(const cairn_world *world, varying_record *r)
{
    r->bodies = cairn_body_count(world);
    r->contacts = cairn_contact_count(world);
    assert_true(r->bodies <= VARYING_BODIES && r->contacts <= KEPT_CONTACTS);
    for (int i = 0; i < r->bodies; i++) {
        r->ids[i] = cairn_body_at(world, i);
        assert_int_equal(cairn_body_get(world, r->ids[i], &r->views[i]), CAIRN_OK);
    }
    for (int i = 0; i < r->contacts; i++)
        cairn_contact_get(world, i, &r->kept[i]);
}

static void compare_varying(cairn_replay *replay, int index, const varying_record *r)
{
    cairn_error error = {0};
    cairn_replay_frame frame;
    must(cairn_replay_read(replay, index, &frame, &error), &error);
    assert_int_equal(frame.bodies, r->bodies);
    assert_int_equal(frame.contacts, r->contacts);
    for (int i = 0; i < frame.bodies; i++) {
        cairn_replay_body body;
        assert_int_equal(cairn_replay_get_body(replay, (int)frame.body[i], &body), CAIRN_OK);
        assert_true(body.id[0] == r->ids[i].index && body.id[1] == r->ids[i].generation);
        assert_true(body.mass == r->views[i].mass && body.kind == r->views[i].kind);
        assert_memory_equal(frame.position[i], r->views[i].position, sizeof r->views[i].position);
        assert_memory_equal(frame.velocity[i], r->views[i].velocity, sizeof r->views[i].velocity);
        assert_true(frame.body[i] < frame.known);
    }
    if (frame.step % 14 != 0) {
        assert_true(frame.contacts_kept < 0);
        return;
    }
    assert_int_equal(frame.contacts_kept, r->contacts);
    for (int i = 0; i < r->contacts; i++) {
        const cairn_contact_view *c = &r->kept[i];
        cairn_replay_body body;
        assert_int_equal(cairn_replay_get_body(replay, (int)frame.contact_bodies[i][1], &body), 0);
        assert_true(body.id[0] == c->b.index && body.id[1] == c->b.generation);
        assert_memory_equal(frame.contact_point[i], c->point, sizeof c->point);
        assert_memory_equal(frame.contact_normal[i], c->normal, sizeof c->normal);
        assert_memory_equal(frame.contact_force[i], c->force, sizeof c->force);
        assert_memory_equal(frame.contact_velocity[i], c->velocity, sizeof c->velocity);
        assert_true(frame.contact_gap[i] == c->gap && frame.contact_status[i] == (int)c->status);
    }
}

/// What a file says of its frames and bodies.
static void compare_files(const char *path, const varying_record *records)
{
    cairn_error error = {0};
    cairn_replay *replay;
    cairn_replay_body body;
    must(cairn_replay_open(path, &replay, &error), &error);
    const cairn_replay_info *info = cairn_replay_get_info(replay);
    assert_true(info->varies && info->contacts);
    assert_int_equal(info->bodies, BODIES + VARYING_FRAMES);
    assert_int_equal(cairn_replay_get_frame_count(replay), VARYING_FRAMES);
    for (int i = 0; i < VARYING_FRAMES; i++)
        compare_varying(replay, (4 * i) % VARYING_FRAMES, &records[(4 * i) % VARYING_FRAMES]);
    assert_int_equal(cairn_replay_get_body(replay, BODIES + 2, &body), CAIRN_OK);
    assert_true(body.shape_kind == CAIRN_SPHERE && body.shape_size[0] == 0.1 + 0.01 * 2);
    assert_int_equal(cairn_replay_get_body(replay, info->bodies, &body), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_replay_get_body(replay, -1, &body), CAIRN_ERROR_NOT_FOUND);
    cairn_replay_close(replay);
}

static void test_bodies_come_and_go(void **state)
{
    (void)state;
    static varying_record records[VARYING_FRAMES];
    cairn_body_id balls[VARYING_FRAMES];
    bench b;
    cairn_error error = {0};
    cairn_trajectory *writer, *again;
    begin(&b);
    // a file of the same bodies in all frames takes no others
    heap_steps(b.world, 1);
    cairn_body_id extra = drop_ball(b.world, 0.1);
    assert_int_equal(cairn_trajectory_write_frame(b.writer, b.world, &error),
                     CAIRN_ERROR_UNSUPPORTED);
    must(cairn_body_remove(b.world, extra, &error), &error);

    must(cairn_trajectory_create(b.bad, b.world, &varying_def, &writer, &error), &error);
    for (int k = 0; k < VARYING_FRAMES; k++) {
        change(b.world, k, balls);
        must(cairn_trajectory_write_frame(writer, b.world, &error), &error);
        record_world(b.world, &records[k]);
        // gone on with where it stands, it numbers bodies as before
        if (k == 4) {
            must(cairn_trajectory_close(writer, &error), &error);
            must(cairn_trajectory_resume(b.bad, b.world, &varying_def, k + 1, &again, &error),
                 &error);
            writer = again;
        }
    }
    must(cairn_trajectory_close(writer, &error), &error);
    compare_files(b.bad, records);

    // of another kind than what is asked for
    cairn_trajectory_def other = varying_def;
    other.varies = false;
    assert_int_equal(cairn_trajectory_resume(b.bad, b.world, &other, 2, &again, &error),
                     CAIRN_ERROR_FORMAT);
    other = varying_def;
    other.contacts_every = 0;
    assert_int_equal(cairn_trajectory_resume(b.bad, b.world, &other, 2, &again, &error),
                     CAIRN_ERROR_FORMAT);
    end(&b);
}

/// Bytes of a file with bodies that come and go, changed at random: refused or read, never
/// believed.
static void test_damaged_varying(void **state)
{
    (void)state;
    bench b;
    cairn_body_id balls[VARYING_FRAMES];
    cairn_error error = {0};
    cairn_trajectory *writer;
    base_rng rng = base_rng_make(4);
    begin(&b);
    close_writer(&b);
    must(cairn_trajectory_create(b.path, b.world, &varying_def, &writer, &error), &error);
    for (int k = 0; k < 4; k++) {
        change(b.world, k, balls);
        must(cairn_trajectory_write_frame(writer, b.world, &error), &error);
    }
    must(cairn_trajectory_close(writer, &error), &error);
    FILE *file = fopen(b.path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    fclose(file);
    for (int i = 0; i < 400; i++) {
        copy_file(b.path, b.bad, SIZE_MAX, (size_t)(base_rng_unit(&rng) * (double)size));
        (void)try_file(b.bad);
    }
    assert_true(try_file(b.path));
    end(&b);
}

static void test_damaged(void **state)
{
    (void)state;
    bench b;
    base_rng rng = base_rng_make(3);
    begin(&b);
    while (b.count < 4)
        write_frame(&b);
    close_writer(&b);
    FILE *file = fopen(b.path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    fclose(file);
    for (size_t kept = 0; kept < size; kept += 1 + size / 150) {
        copy_file(b.path, b.bad, kept, SIZE_MAX);
        assert_false(try_file(b.bad));
    }
    for (int i = 0; i < 400; i++) {
        copy_file(b.path, b.bad, SIZE_MAX, (size_t)(base_rng_unit(&rng) * (double)size));
        (void)try_file(b.bad);
    }
    assert_false(try_file(b.folder));
    assert_false(try_file("/none/a.h5"));
    assert_true(try_file(b.path));
    end(&b);
}

/// Well-formed HDF5 that says what is not so.
static void make_false(const bench *b, const char *set, hid_t type, int rank, const hsize_t *shape)
{
    copy_file(b->path, b->bad, SIZE_MAX, SIZE_MAX);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fopen(b->bad, H5F_ACC_RDWR, access), space = H5Screate_simple(rank, shape, NULL);
    hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t one[3] = {1, 1, 1};
    H5Pset_chunk(chunks, rank, one);
    assert_true(H5Ldelete(file, set, H5P_DEFAULT) >= 0);
    hid_t made = H5Dcreate2(file, set, type, space, H5P_DEFAULT, chunks, H5P_DEFAULT);
    assert_true(made >= 0);
    H5Dclose(made);
    H5Pclose(chunks);
    H5Sclose(space);
    H5Fclose(file);
    H5Pclose(access);
    assert_false(try_file(b->bad));
}

static void test_false_shapes(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    while (b.count < 3)
        write_frame(&b);
    close_writer(&b);
    const hsize_t huge[3] = {1 << 30, BODIES, 3}, few[3] = {2, BODIES, 3}, other[3] = {3, 9, 3};
    make_false(&b, "time", H5T_NATIVE_DOUBLE, 1, huge);
    make_false(&b, "time", H5T_NATIVE_INT64, 1, few);
    make_false(&b, "position", H5T_NATIVE_DOUBLE, 3, huge);
    make_false(&b, "position", H5T_NATIVE_DOUBLE, 3, few);
    make_false(&b, "position", H5T_NATIVE_FLOAT, 3, few);
    make_false(&b, "velocity", H5T_NATIVE_DOUBLE, 3, other);
    make_false(&b, "orientation_wxyz", H5T_NATIVE_DOUBLE, 2, few);
    end(&b);
}

/// The text of the scene is not taken from another file, nor is a pipe waited for.
static void test_text_elsewhere(void **state)
{
    (void)state;
    bench b;
    cairn_error error = {0};
    cairn_replay *replay;
    char secret[160], pipe[160];
    begin(&b);
    write_frame(&b);
    close_writer(&b);
    snprintf(secret, sizeof secret, "%s/secret", b.folder);
    snprintf(pipe, sizeof pipe, "%s/pipe", b.folder);
    FILE *out = fopen(secret, "w");
    assert_non_null(out);
    fputs("eight by", out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const char *const places[] = {secret, pipe};
    for (int i = 0; i < 2; i++) {
        copy_file(b.path, b.bad, SIZE_MAX, SIZE_MAX);
        hid_t access = H5Pcreate(H5P_FILE_ACCESS), elsewhere = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        hid_t file = H5Fopen(b.bad, H5F_ACC_RDWR, access), type = H5Tcopy(H5T_C_S1);
        const hsize_t one = 1;
        hid_t space = H5Screate_simple(1, &one, NULL);
        assert_true(H5Tset_size(type, 8) >= 0 && H5Pset_external(elsewhere, places[i], 0, 8) >= 0);
        assert_true(H5Ldelete(file, "scene_text", H5P_DEFAULT) >= 0);
        hid_t made =
            H5Dcreate2(file, "scene_text", type, space, H5P_DEFAULT, elsewhere, H5P_DEFAULT);
        assert_true(made >= 0);
        H5Dclose(made);
        H5Sclose(space);
        H5Tclose(type);
        H5Pclose(elsewhere);
        H5Fclose(file);
        H5Pclose(access);
        alarm(20);
        must(cairn_replay_open(b.bad, &replay, &error), &error);
        alarm(0);
        assert_string_equal(cairn_replay_get_info(replay)->scene_text, "");
        cairn_replay_close(replay);
    }
    unlink(secret);
    unlink(pipe);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),          cmocka_unit_test(test_guard),
        cmocka_unit_test(test_unfinished),      cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_false_shapes),    cmocka_unit_test(test_bodies_come_and_go),
        cmocka_unit_test(test_damaged_varying), cmocka_unit_test(test_text_elsewhere),
        cmocka_unit_test(test_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
