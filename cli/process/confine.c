// SPDX-License-Identifier: Apache-2.0
// A filter of system calls and of places for processes that only read.
#include "cli/process/confine.h"

#include "cli/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static void give_up_descriptors(int line)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; nowhere >= 0 && i <= STDERR_FILENO; i++)
        (void)dup2(nowhere, i);
    struct rlimit limit = {1024, 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    long most = limit.rlim_cur < 65536 ? (long)limit.rlim_cur : 65536;
#ifdef SYS_close_range
    bool closed = (line <= 3 || syscall(SYS_close_range, 3, line - 1, 0) == 0) &&
                  syscall(SYS_close_range, line + 1, ~0U, 0) == 0;
#else
    bool closed = false;
#endif
    for (int i = STDERR_FILENO + 1; !closed && i < most; i++)
        if (i != line)
            close(i);
}

#ifdef THIS_ARCHITECTURE

/// Calls that reading never makes.
static const int refused[] = {
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_ptrace,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_truncate,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_pivot_root,
    SYS_setns,
    SYS_unshare,
    SYS_bpf,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_memfd_create,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_setrlimit,
    SYS_setuid,
    SYS_setgid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_shmget,
    SYS_msgget,
    SYS_mq_open,
    SYS_inotify_init1,
    SYS_personality,
    SYS_renameat,
#ifdef __x86_64__
    SYS_fork,
    SYS_vfork,
    SYS_creat,
    SYS_unlink,
    SYS_rename,
    SYS_mkdir,
    SYS_rmdir,
    SYS_mknod,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
#endif
};

/// Calls that a kernel may lack, so that the C library goes another way, which is looked at.
static const int unknown[] = {
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_openat2
    SYS_openat2,
#endif
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
#ifdef SYS_pidfd_send_signal
    SYS_pidfd_send_signal,
#endif
};

enum { INSTRUCTIONS_MAX = 320, ARGUMENT_BYTES = 8 };

typedef struct program {
    struct sock_filter code[INSTRUCTIONS_MAX];
    int count;
} program;

static void emit(program *p, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false)
{
    if (p->count < INSTRUCTIONS_MAX)
        p->code[p->count] = (struct sock_filter){code, if_true, if_false, value};
    p->count++;
}

static void load(program *p, size_t offset)
{
    emit(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(program *p, uint32_t what)
{
    emit(p, BPF_RET | BPF_K, what, 0, 0);
}

/// The call with this number gets an answer; the number is loaded.
static void answer_call(program *p, int call, uint32_t what)
{
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
    answer(p, what);
}

/// The call is refused where an argument has one of these bits, or none of them where `wanted`.
static void check_bits(program *p, int call, int argument, uint32_t bits, bool wanted)
{
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
    load(p, offsetof(struct seccomp_data, args) + (size_t)argument * ARGUMENT_BYTES);
    emit(p, BPF_JMP | BPF_JSET | BPF_K, bits, wanted ? 1 : 0, wanted ? 0 : 1);
    answer(p, SECCOMP_RET_ERRNO | EPERM);
    answer(p, SECCOMP_RET_ALLOW);
}

/// Signals go to this process alone.
static void check_signal(program *p, int call)
{
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
    load(p, offsetof(struct seccomp_data, args));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 1, 0);
    answer(p, SECCOMP_RET_ERRNO | EPERM);
    answer(p, SECCOMP_RET_ALLOW);
}

static void write_program(program *p)
{
    const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
    load(p, offsetof(struct seccomp_data, arch));
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0);
    answer(p, SECCOMP_RET_ERRNO | EPERM);
    load(p, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    // the numbers of the x32 interface
    emit(p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    answer(p, SECCOMP_RET_ERRNO | EPERM);
    check_bits(p, SYS_open, 1, writing, false);
#endif
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        answer_call(p, refused[i], SECCOMP_RET_ERRNO | EPERM);
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        answer_call(p, unknown[i], SECCOMP_RET_ERRNO | ENOSYS);
    check_bits(p, SYS_openat, 2, writing, false);
    check_bits(p, SYS_mmap, 2, PROT_EXEC, false);
    check_bits(p, SYS_mprotect, 2, PROT_EXEC, false);
    check_bits(p, SYS_clone, 0, CLONE_THREAD, true);
    check_bits(p, SYS_prlimit64, 2, UINT32_MAX, false); // limits may be read, not set
    check_signal(p, SYS_kill);
    check_signal(p, SYS_tgkill);
    answer(p, SECCOMP_RET_ALLOW);
}

static bool install(void)
{
    program p = {.count = 0};
    write_program(&p);
    struct sock_fprog filter = {(unsigned short)p.count, p.code};
    return p.count <= INSTRUCTIONS_MAX && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#else

static bool install(void)
{
    return false;
}

#endif

// ---------------------------------------------------------------- places

#ifdef SYS_landlock_create_ruleset

// what <linux/landlock.h> of Linux 6.1 does not name yet
enum { SCOPE_VERSION = 6, NETWORK_VERSION = 4, RULE_BENEATH = 1, VERSION_QUESTION = 1 };

typedef struct ruleset {
    uint64_t files, network, scope; // kinds of access that need a rule
} ruleset;

typedef struct __attribute__((packed)) rule_beneath {
    uint64_t access;
    int32_t place;
} rule_beneath;

/// Kinds of access to files by version of the kernel's interface: from the second on, links between
/// folders, then shortening, then device calls.
static uint64_t all_file_access(int version)
{
    int bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return ((uint64_t)1 << bits) - 1;
}

static bool allow(int rules, const char *path, uint64_t access)
{
    rule_beneath rule = {access, open(path, O_PATH | O_CLOEXEC)};
    if (rule.place < 0)
        return errno == ENOENT;
    bool good = syscall(SYS_landlock_add_rule, rules, RULE_BENEATH, &rule, 0) == 0;
    close(rule.place);
    return good;
}

/// Of all files `path` alone can be opened from here on, and what the C library and threads look
/// at.
static bool close_places(const char *path)
{
    enum { READ_FILE = 1 << 2, READ_FOLDER = 1 << 3 };
    // numbers of processors and limits of memory; neither holds anything of a user
    static const char *const harmless[] = {"/sys/devices/system", "/proc/sys/vm", "/proc/meminfo",
                                           "/proc/cpuinfo"};
    int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION_QUESTION);
    if (version < 1)
        return false;
    const ruleset handled = {all_file_access(version), version >= NETWORK_VERSION ? 3 : 0,
                             version >= SCOPE_VERSION ? 3 : 0};
    size_t size = version >= SCOPE_VERSION     ? sizeof handled
                  : version >= NETWORK_VERSION ? 2 * sizeof(uint64_t)
                                               : sizeof(uint64_t);
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    bool good = rules >= 0 && allow(rules, path, READ_FILE);
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        good = good && allow(rules, harmless[i],
                             i < 2 ? (uint64_t)(READ_FILE | READ_FOLDER) : (uint64_t)READ_FILE);
    good = good && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    if (rules >= 0)
        close(rules);
    return good;
}

#else

static bool close_places(const char *path)
{
    (void)path;
    return false;
}

#endif

cli_confinement cli_confine(const char *path, int line)
{
    // what the C library says of a damaged heap is not for the user
    give_up_descriptors(line);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    bool places = close_places(path);
    return (cli_confinement){.calls = install(), .places = places};
}

static void confine_and_tell(void *context, int line)
{
    (void)context;
    cli_confinement kept = cli_confine("/dev/null", line);
    if (!cli_child_send(line, &kept, sizeof kept))
        _exit(1);
}

const char *cli_describe_confinement(void)
{
    static const char *const words[2][2] = {
        {"limits alone", "files (landlock)"},
        {"system calls (seccomp)", "system calls (seccomp), files (landlock)"}};
    cairn_error error = {0};
    cli_child child = {0};
    cli_confinement kept = {false, false};
    if (cli_child_start(&child, confine_and_tell, NULL, &error) != CAIRN_OK)
        return "not tried: no process could be started";
    bool told = cli_child_receive(child.line, &kept, sizeof kept);
    cli_child_end(&child);
    return told ? words[kept.calls][kept.places] : "not tried: the process ended";
}
