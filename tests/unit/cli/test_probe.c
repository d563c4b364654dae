// SPDX-License-Identifier: Apache-2.0
// Work in processes of its own: what it says comes back, and what breaks it breaks nothing else.
#include "cli/process/probe.h"

#include "base/assert.h"
#include "tests/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// more memory than there is, is an answer and no error of the program
const char *__asan_default_options(void);
__attribute__((weak)) const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static cairn_status read_well(void *context, cairn_error *error)
{
    (void)error;
    // what a child changes is its own
    *(int *)context = 1;
    return CAIRN_OK;
}

static cairn_status read_badly(void *context, cairn_error *error)
{
    (void)context;
    return base_fail(error, CAIRN_ERROR_FILE, "x.h5: not there");
}

static cairn_status die_of(void *context, cairn_error *error)
{
    (void)error;
    fputs("noise\n", stderr);
    signal(*(int *)context, SIG_DFL);
    raise(*(int *)context);
    return CAIRN_OK;
}

static cairn_status leave(void *context, cairn_error *error)
{
    (void)context;
    (void)error;
    _exit(0);
}

/// A block beyond the limit is refused, and one well within it is not.
static cairn_status take_memory(void *context, cairn_error *error)
{
    (void)context;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "no limit");
    volatile size_t much = (size_t)5 << 30;
    void *large = malloc(much), *small = malloc(1 << 20);
    bool good = large == NULL && small != NULL;
    free(large);
    free(small);
    return good ? CAIRN_OK : base_fail(error, CAIRN_ERROR_ARGUMENT, "limit is not kept");
}

static void test_answers(void **unused)
{
    (void)unused;
    cairn_error error = {0};
    int changed = 0;
    assert_int_equal(cli_probe("x.h5", read_well, &changed, &error), CAIRN_OK);
    assert_int_equal(changed, 0);
    assert_int_equal(cli_probe("x.h5", read_badly, NULL, &error), CAIRN_ERROR_FILE);
    assert_string_equal(error.message, "x.h5: not there");
    assert_int_equal(error.status, CAIRN_ERROR_FILE);
}

static void test_crashes(void **unused)
{
    (void)unused;
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGPROF};
    for (int i = 0; i < BASE_COUNT(numbers); i++) {
        cairn_error error = {0};
        int number = numbers[i];
        assert_int_equal(cli_probe("a/x.h5", die_of, &number, &error), CAIRN_ERROR_FORMAT);
        assert_string_equal(error.message, "a/x.h5: damaged (HDF5 could not read it)");
    }
    cairn_error error = {0};
    assert_int_equal(cli_probe("x.h5", leave, NULL, &error), CAIRN_ERROR_FORMAT);
    // from outside: nothing is said of the file
    int number = SIGTERM;
    assert_int_equal(cli_probe("x.h5", die_of, &number, &error), CAIRN_INTERRUPTED);
}

/// One thing that a reader may not do: nothing but EPERM is right.
static void try(char *said, size_t size, const char *what, long result)
{
    if (result >= 0 || errno != EPERM)
        snprintf(said + strlen(said), size - strlen(said), "%s: %ld; ", what, result);
}

static void *do_nothing(void *argument)
{
    return argument;
}

/// Whether this kernel can keep a process to one file (landlock), asked as the kernel is asked.
static bool kernel_keeps_places(void)
{
#ifdef SYS_landlock_create_ruleset
    return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
#else
    return false;
#endif
}

/// A file beside the one that is read, its folder, and a device.
static void try_places(char *said, size_t size, const char *path)
{
    char beside[64];
    snprintf(beside, sizeof beside, "%s.beside", path);
    const char *const others[] = {beside, "/tmp", "/etc/passwd", "/dev/null", "/proc/self/maps"};
    for (int i = 0; i < BASE_COUNT(others); i++)
        if (open(others[i], O_RDONLY) >= 0 || errno != EACCES)
            snprintf(said + strlen(said), size - strlen(said), "%s: read; ", others[i]);
    int file = open("/sys/devices/system/cpu/online", O_RDONLY);
    if (file < 0 && errno == EACCES)
        snprintf(said + strlen(said), size - strlen(said), "number of processors; ");
}

static cairn_status overstep(void *context, cairn_error *error)
{
    const char *path = context;
    char *const words[] = {"/bin/true", NULL};
    char said[256] = "";
    try(said, sizeof said, "open to write", open(path, O_WRONLY));
    try(said, sizeof said, "open to append", open(path, O_RDWR | O_APPEND));
    try(said, sizeof said, "make a file", creat("/tmp/cairn-probe-made", 0600));
    try(said, sizeof said, "remove", unlink(path));
    try(said, sizeof said, "rename", rename(path, "/tmp/cairn-probe-moved"));
    try(said, sizeof said, "folder", mkdir("/tmp/cairn-probe-folder", 0700));
    try(said, sizeof said, "mode", chmod(path, 0777));
    try(said, sizeof said, "execute", execv(words[0], words));
    try(said, sizeof said, "fork", fork());
    try(said, sizeof said, "network", socket(AF_INET, SOCK_STREAM, 0));
    try(said, sizeof said, "local socket", socket(AF_UNIX, SOCK_STREAM, 0));
    try(said, sizeof said, "signal to the parent", kill(getppid(), SIGTERM));
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    try(said, sizeof said, "code", code == MAP_FAILED ? -1 : 0);
    // the parent's descriptors are gone; that of the answer is the only one above the standard ones
    int open_ones = 0;
    for (int i = 3; i < 200; i++)
        open_ones += fcntl(i, F_GETFD) >= 0;
    if (open_ones != 1)
        snprintf(said + strlen(said), sizeof said - strlen(said), "%d descriptors; ", open_ones);
    if (kernel_keeps_places())
        try_places(said, sizeof said, path);
    // reading and threads are left
    pthread_t thread;
    if (close(open(path, O_RDONLY)) != 0 || pthread_create(&thread, NULL, do_nothing, NULL) != 0 ||
        pthread_join(thread, NULL) != 0)
        snprintf(said + strlen(said), sizeof said - strlen(said), "reading or threads; ");
    return said[0] == 0 ? CAIRN_OK : base_fail(error, CAIRN_ERROR_ARGUMENT, "%s", said);
}

/// A reader that tries to do more than read.
static void test_confinement(void **unused)
{
    (void)unused;
    cairn_error error = {0};
    char path[] = "/tmp/cairn-probe-XXXXXX", beside[64];
    int file = mkstemp(path), flag = 0;
    assert_true(file >= 0);
    snprintf(beside, sizeof beside, "%s.beside", path);
    FILE *other = fopen(beside, "w");
    assert_non_null(other);
    fclose(other);
    // a kernel without the filter is no failure, and is told apart here
    bool filters = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
    cairn_status status = cli_probe(path, overstep, path, &error);
    assert_int_equal(access(path, R_OK | W_OK), 0);
    close(file);
    unlink(path);
    unlink(beside);
    if (status != CAIRN_OK && filters)
        fail_msg("%s", error.message);
    // this process may do all of it still
    assert_int_equal(cli_probe("x.h5", read_well, &flag, &error), CAIRN_OK);
    assert_int_equal(system("true"), 0);
}

static void test_memory(void **unused)
{
    (void)unused;
    cairn_error error = {0};
    cairn_status status = cli_probe("x.h5", take_memory, NULL, &error);
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void hang(void *context, int line)
{
    (void)line;
    volatile double sum = 0.0;
    cli_child_limit_cpu(*(double *)context);
    for (;;)
        sum = sum + 1.0;
}

static void test_hang(void **unused)
{
    (void)unused;
    cairn_error error = {0};
    double seconds = 0.1;
    char byte;
    cli_child child;
    assert_int_equal(cli_child_start(&child, hang, &seconds, &error), CAIRN_OK);
    assert_false(cli_child_receive(child.line, &byte, 1));
    int state = cli_child_end(&child);
    assert_true(WIFSIGNALED(state) && WTERMSIG(state) == SIGPROF && cli_child_broke(state));
    assert_int_equal(child.pid, 0);
    // one that has all the time in the world is ended by its parent
    seconds = 1e6;
    assert_int_equal(cli_child_start(&child, hang, &seconds, &error), CAIRN_OK);
    state = cli_child_end(&child);
    assert_true(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL && !cli_child_broke(state));
}

/// The one child of this process.
static pid_t child_of_this(void)
{
    pid_t found = 0;
    DIR *all = opendir("/proc");
    assert_non_null(all);
    for (struct dirent *entry = readdir(all); entry != NULL; entry = readdir(all)) {
        char path[300];
        int number = 0, parent = 0;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
        if (file == NULL)
            continue;
        if (fscanf(file, "%d %*s %*c %d", &number, &parent) == 2 && parent == getpid())
            found = number;
        fclose(file);
    }
    closedir(all);
    assert_true(found > 0);
    return found;
}

static void write_frames(const char *path, int frames)
{
    cairn_error error = {0};
    cairn_world_def def = cairn_default_world_def();
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    cairn_world *world = NULL;
    cairn_trajectory *writer = NULL;
    const cairn_trajectory_def from = {.command = "x", .scene = "x", .scene_text = "x", .seed = 1};
    shape.radius = 0.1;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    assert_int_equal(cairn_shape_create(world, &shape, &body.shape, &error), CAIRN_OK);
    assert_int_equal(cairn_body_create(world, &body, &id, &error), CAIRN_OK);
    assert_int_equal(cairn_trajectory_create(path, world, &from, &writer, &error), CAIRN_OK);
    for (int i = 0; i < frames; i++) {
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
        assert_int_equal(cairn_trajectory_write_frame(writer, world, &error), CAIRN_OK);
    }
    assert_int_equal(cairn_trajectory_close(writer, &error), CAIRN_OK);
    cairn_world_destroy(world);
}

/// Frames are read by the child first; when that is gone, none is read any more.
static void test_frames(void **unused)
{
    (void)unused;
    static const int numbers[] = {SIGSEGV, SIGKILL};
    static const cairn_status expected[] = {CAIRN_ERROR_FORMAT, CAIRN_INTERRUPTED};
    char path[] = "/tmp/cairn-probe-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_frames(path, 4);
    // the child shall not have this test's own way to die
    signal(SIGSEGV, SIG_DFL);
    for (int i = 0; i < 2; i++) {
        cairn_error error = {0};
        cairn_replay *replay = NULL;
        cairn_replay_frame frame;
        assert_int_equal(cli_probe_replay(path, &replay, &error), CAIRN_OK);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(cairn_replay_read(replay, k, &frame, &error), CAIRN_OK);
            assert_int_equal(frame.step, k + 1);
        }
        assert_int_equal(cairn_replay_refresh(replay, &error), CAIRN_OK);
        kill(child_of_this(), numbers[i]);
        for (int k = 0; k < 3; k++)
            assert_int_equal(cairn_replay_read(replay, k, &frame, &error), expected[i]);
        assert_int_equal(cairn_replay_refresh(replay, &error), expected[i]);
        cairn_replay_close(replay);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers), cmocka_unit_test(test_crashes),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_confinement),
        cmocka_unit_test(test_hang),    cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
