// SPDX-License-Identifier: Apache-2.0
// What this machine can do at most: fused vector operations, and a triad out of each cache and
// memory.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef double vector __attribute__((vector_size(32)));

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { CHAINS = 10, TURNS = 20000000 };

/// Instructions a nanosecond: ten chains of fused operations on four doubles each.
__attribute__((target("avx2,fma"))) static double fused(double *kept)
{
    vector sum[CHAINS], a = {0.999, 0.998, 0.997, 0.996}, b = {1e-3, 2e-3, 3e-3, 4e-3};
    for (int i = 0; i < CHAINS; i++)
        sum[i] = a * (double)(i + 1);
    double start = cpu_seconds();
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < CHAINS; i++)
            __asm__ volatile("vfmadd213pd %2, %1, %0" : "+x"(sum[i]) : "x"(a), "x"(b));
    double seconds = cpu_seconds() - start;
    for (int i = 0; i < CHAINS; i++)
        *kept += sum[i][0];
    return 1e-9 * CHAINS * (double)TURNS / seconds;
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
    printf("fused %.2f l2 %.1f l3 %.1f memory %.1f", fused(&kept), triad(1 << 14, &kept),
           triad(1 << 18, &kept), triad(1 << 24, &kept));
    printf(" kept %g\n", kept);
    return 0;
}
