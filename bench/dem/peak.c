// SPDX-License-Identifier: Apache-2.0
// What this machine can do at most: fused vector operations, and a triad out of each cache and
// memory.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { TURNS = 20000000 };

#define FUSED(k) "vfmadd213pd %%ymm15, %%ymm14, %%ymm" #k "\n\t"
#define ADD(r) "add $1, %%" #r "\n\t"
#define REGISTERS                                                                                  \
    "rax", "rbx", "rcx", "rdx", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",    \
        "xmm8", "xmm9", "xmm14", "xmm15", "cc"

/// Instructions a nanosecond: ten chains of fused operations on four doubles each.
__attribute__((target("avx2,fma"))) static double fused(void)
{
    double start = cpu_seconds();
    for (int turn = 0; turn < TURNS; turn++)
        __asm__ volatile(FUSED(0) FUSED(1) FUSED(2) FUSED(3) FUSED(4) FUSED(5) FUSED(6) FUSED(7)
                             FUSED(8) FUSED(9)
                         :
                         :
                         : REGISTERS);
    return 1e-9 * 10.0 * TURNS / (cpu_seconds() - start);
}

/// The same of those among sums of whole numbers, as many as the processor takes at once.
__attribute__((target("avx2,fma"))) static double mixed(void)
{
    double start = cpu_seconds();
    for (int turn = 0; turn < TURNS; turn++)
        __asm__ volatile(FUSED(0) ADD(rax) ADD(rbx) FUSED(1) ADD(rcx) ADD(rdx) FUSED(2) ADD(rax)
                             ADD(rbx) FUSED(3) ADD(rcx) ADD(rdx) FUSED(4) ADD(rax) ADD(rbx) FUSED(5)
                                 ADD(rcx) ADD(rdx) FUSED(6) ADD(rax) ADD(rbx) FUSED(7) ADD(rcx)
                                     ADD(rdx)
                         :
                         :
                         : REGISTERS);
    return 1e-9 * 24.0 * TURNS / (cpu_seconds() - start);
}

/// Bytes a nanosecond of a = b + s c over arrays of so many numbers, the one that is written read
/// too.
__attribute__((target("avx2,fma"))) static double triad(size_t count, double *kept)
{
    double *a = aligned_alloc(64, 3 * count * sizeof *a), *b = a + count, *c = b + count;
    if (a == NULL)
        return 0.0;
    for (size_t i = 0; i < 3 * count; i++)
        a[i] = (double)i;
    size_t turns = 1 + ((size_t)1 << 28) / count;
    double start = cpu_seconds();
    for (size_t turn = 0; turn < turns; turn++) {
        double s = 1.0 + 1e-9 * (double)turn;
        for (size_t i = 0; i < count; i++)
            a[i] = b[i] + s * c[i];
        __asm__ volatile("" : : "r"(a) : "memory");
    }
    double seconds = cpu_seconds() - start;
    *kept += a[count / 2];
    free(a);
    return 1e-9 * 32.0 * (double)count * (double)turns / seconds;
}

int main(void)
{
    double kept = 0.0;
    printf("mixed %.2f fused %.2f l2 %.1f l3 %.1f memory %.1f", mixed(), fused(),
           triad(1 << 14, &kept), triad(1 << 18, &kept), triad(1 << 24, &kept));
    printf(" kept %g\n", kept);
    return 0;
}
