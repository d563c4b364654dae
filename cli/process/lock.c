// SPDX-License-Identifier: Apache-2.0
// Locks of folders, by the system's locks on a file in them.
#include "cli/process/lock.h"

#include "base/file.h"
#include "cli/process/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ATTEMPTS = 100, OWNER_SIZE = 256 };

/// "process 12 on host since 2026-01-31 12:00:00"
static void describe_self(char text[OWNER_SIZE])
{
    char host[64] = "?", when[32] = "?";
    struct tm local;
    time_t now = time(NULL);
    if (gethostname(host, sizeof host) != 0)
        snprintf(host, sizeof host, "?");
    host[sizeof host - 1] = '\0';
    if (localtime_r(&now, &local) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
    snprintf(text, OWNER_SIZE, "process %ld on %s since %s\n", (long)getpid(), host, when);
}

static cairn_status fail_taken(const char *folder, int descriptor, cairn_error *error)
{
    char owner[OWNER_SIZE];
    ssize_t length = pread(descriptor, owner, sizeof owner - 1, 0);
    owner[length > 0 ? length : 0] = '\0';
    owner[strcspn(owner, "\n")] = '\0';
    return base_fail(error, CAIRN_ERROR_FILE,
                     "%.250s: another run writes into this folder (%.150s); --out and --fclib "
                     "choose others",
                     folder, owner[0] != '\0' ? owner : "it has just begun");
}

/// True where the open file is still the one of that name: its owner may have removed it.
static bool is_current(int descriptor, const char *path)
{
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Some file systems have no locks; a run goes without there.
static bool has_no_locks(int reason)
{
    return reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP;
}

/// One attempt. @return CAIRN_OK with lock->descriptor -1: try again
static cairn_status attempt(cli_lock *lock, const char *folder, cairn_error *error)
{
    int descriptor = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor < 0)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", lock->path, base_file_refusal(errno));
    cairn_status status = CAIRN_OK;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || has_no_locks(errno)) {
        // a file that has other names, too, is somebody's: this name of it goes
        struct stat info;
        if (fstat(descriptor, &info) == 0 && info.st_nlink > 1 &&
            is_current(descriptor, lock->path))
            unlink(lock->path);
        if (is_current(descriptor, lock->path)) {
            lock->descriptor = descriptor;
            return CAIRN_OK;
        }
    } else if (errno == EWOULDBLOCK) {
        status = fail_taken(folder, descriptor, error);
    } else if (errno != EINTR) {
        status = base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be locked: %s", lock->path,
                           strerror(errno));
    }
    close(descriptor);
    return status;
}

cairn_status cli_lock_take(cli_lock *lock, const char *folder, cairn_error *error)
{
    lock->descriptor = -1;
    cairn_status status = cli_path_join(lock->path, folder, "run.lock", error);
    for (int i = 0; i < ATTEMPTS && status == CAIRN_OK && lock->descriptor < 0; i++)
        status = attempt(lock, folder, error);
    if (status != CAIRN_OK)
        return status;
    if (lock->descriptor < 0)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be locked", lock->path);
    char owner[OWNER_SIZE];
    describe_self(owner);
    // who has it is for people: a full disk keeps no run from its folder
    if (ftruncate(lock->descriptor, 0) == 0)
        (void)base_write_all(lock->descriptor, owner, strlen(owner));
    return CAIRN_OK;
}

void cli_lock_release(cli_lock *lock)
{
    if (lock->descriptor < 0)
        return;
    unlink(lock->path);
    close(lock->descriptor);
    lock->descriptor = -1;
}
