// SPDX-License-Identifier: Apache-2.0
// Who runs which row: claims that several processes and machines respect, and that end with them.
//
// A claim is a file that says machine, process and when that process started. Its time of change is
// the owner's last sign of life. All looking and taking happens under one lock of the folder
// (fcntl, which network file systems pass on), so that a claim is judged and replaced in one go.
#include "cli/sweep/sweep.h"

#include "base/file.h"
#include "cli/process/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OWNER_SIZE = 128 };

typedef struct owner {
    char machine[64];
    long process;
    unsigned long long started; // of the process, in the system's ticks; 0: not known
} owner;

/// When a process of this machine started; process numbers come back, this does not.
static unsigned long long start_of(long process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    // the name, in parentheses, may hold anything; 19 numbers follow it before the start
    const char *at = strrchr(text, ')');
    for (int field = 0; at != NULL && field < 20; field++) {
        at = strchr(at, ' ');
        at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

static owner this_process(void)
{
    owner self = {.process = (long)getpid(), .started = start_of((long)getpid())};
    if (gethostname(self.machine, sizeof self.machine) != 0)
        snprintf(self.machine, sizeof self.machine, "unknown");
    self.machine[sizeof self.machine - 1] = '\0';
    return self;
}

static cairn_status claim_path(char out[PATH_MAX], const char *folder, int row, cairn_error *error)
{
    char inner[PATH_MAX];
    cairn_status status = sweep_row_folder(inner, folder, row, error);
    return status == CAIRN_OK ? cli_path_join(out, inner, "claim", error) : status;
}

/// The owner that a claim names; false where there is no claim or it cannot be understood.
static bool read_claim(const char *path, owner *who)
{
    FILE *file = base_file_read(path, NULL);
    if (file == NULL)
        return false;
    int read = fscanf(file, "%63s %ld %llu", who->machine, &who->process, &who->started);
    fclose(file);
    return read == 3;
}

static bool is_same_owner(const owner *a, const owner *b)
{
    return strcmp(a->machine, b->machine) == 0 && a->process == b->process &&
           a->started == b->started;
}

/// Whether the owner of a claim lives: a process of this machine is looked for, one of another
/// machine must have given a sign of life not long ago.
static bool is_alive(const char *path, const owner *who, const owner *self, double timeout)
{
    struct stat information;
    if (stat(path, &information) != 0)
        return false;
    if (strcmp(who->machine, self->machine) == 0)
        return start_of(who->process) == who->started && who->started != 0;
    return difftime(time(NULL), information.st_mtime) < timeout;
}

cairn_status sweep_lock(const char *folder, int *lock, cairn_error *error)
{
    char path[PATH_MAX];
    *lock = -1;
    BASE_TRY(cli_path_join(path, folder, "lock", error));
    int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor < 0)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, base_file_refusal(errno));
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int got;
    while ((got = fcntl(descriptor, F_SETLKW, &whole)) != 0 && errno == EINTR)
        continue;
    if (got != 0) {
        int reason = errno;
        close(descriptor);
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, strerror(reason));
    }
    *lock = descriptor;
    return CAIRN_OK;
}

void sweep_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}

/// Whether a row has a result that stands.
static cairn_status has_result(const char *inner, bool retry, bool *result, cairn_error *error)
{
    char path[PATH_MAX], text[256];
    *result = false;
    cairn_status status = cli_path_join(path, inner, "row.csv", error);
    FILE *file = status == CAIRN_OK ? base_file_read(path, NULL) : NULL;
    if (file == NULL)
        return status;
    *result = true;
    // the second line's second field is the status
    if (retry && fgets(text, sizeof text, file) != NULL) {
        while (strchr(text, '\n') == NULL && fgets(text, sizeof text, file) != NULL)
            continue;
        const char *second = fgets(text, sizeof text, file) != NULL ? strchr(text, ',') : NULL;
        *result = second == NULL || strncmp(second, ",failed", 7) != 0;
    }
    fclose(file);
    return CAIRN_OK;
}

static cairn_status write_claim(const char *path, const owner *self, cairn_error *error)
{
    cli_file file;
    BASE_TRY(cli_file_open(&file, path, error));
    fprintf(file.stream, "%s %ld %llu\n", self->machine, self->process, self->started);
    return cli_file_commit(&file, error);
}

/// FOLDER/rows and the row's own in it; neither may lead elsewhere.
static cairn_status make_row_folder(const char *folder, const char *inner, cairn_error *error)
{
    char rows[PATH_MAX];
    cairn_status status = cli_path_join(rows, folder, "rows", error);
    if (status == CAIRN_OK)
        status = cli_folder_make_own(rows, error);
    return status == CAIRN_OK ? cli_folder_make_own(inner, error) : status;
}

cairn_status sweep_claim_take(const char *folder, int row, double timeout, bool retry,
                              sweep_claim *claim, cairn_error *error)
{
    char inner[PATH_MAX], path[PATH_MAX];
    bool result = false;
    *claim = SWEEP_CLAIM_DONE;
    owner self = this_process(), who;
    BASE_TRY(sweep_row_folder(inner, folder, row, error));
    BASE_TRY(has_result(inner, retry, &result, error));
    BASE_TRY(claim_path(path, folder, row, error));
    if (!result)
        BASE_TRY(make_row_folder(folder, inner, error));
    bool claimed = read_claim(path, &who), taken = claimed && is_alive(path, &who, &self, timeout);
    // its owner was killed between the result and the end of its claim
    if (result && claimed && !taken)
        unlink(path);
    if (result)
        return CAIRN_OK;
    *claim = taken ? SWEEP_CLAIM_OTHERS : SWEEP_CLAIM_TAKEN;
    return taken ? CAIRN_OK : write_claim(path, &self, error);
}

bool sweep_claim_renew(const char *folder, int row)
{
    char path[PATH_MAX];
    owner self = this_process(), who;
    return claim_path(path, folder, row, NULL) == CAIRN_OK && read_claim(path, &who) &&
           is_same_owner(&who, &self) && utimensat(AT_FDCWD, path, NULL, 0) == 0;
}

void sweep_claim_leave(const char *folder, int row)
{
    char path[PATH_MAX];
    owner self = this_process(), who;
    if (claim_path(path, folder, row, NULL) == CAIRN_OK && read_claim(path, &who) &&
        is_same_owner(&who, &self))
        unlink(path);
}
