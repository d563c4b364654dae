// SPDX-License-Identifier: Apache-2.0
// Gathers pairs found in any order into one list sorted by (first, second).
#include "geometry/broad/broad_phase_internal.h"

#include <limits.h>
#include <string.h>

static void insertion_sort(geo_pair *pairs, int count)
{
    for (int i = 1; i < count; i++) {
        geo_pair moving = pairs[i];
        int k = i;
        for (; k > 0 && pairs[k - 1].second > moving.second; k--)
            pairs[k] = pairs[k - 1];
        pairs[k] = moving;
    }
}

static void sift_down(geo_pair *pairs, int at, int count)
{
    geo_pair moving = pairs[at];
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && pairs[child + 1].second > pairs[child].second)
            child++;
        if (pairs[child].second <= moving.second)
            break;
        pairs[at] = pairs[child];
        at = child;
    }
    pairs[at] = moving;
}

static void heap_sort(geo_pair *pairs, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--)
        sift_down(pairs, i, count);
    for (int end = count - 1; end > 0; end--) {
        geo_pair last = pairs[end];
        pairs[end] = pairs[0];
        pairs[0] = last;
        sift_down(pairs, 0, end);
    }
}

// the pairs of one first proxy, by their second; large proxies find theirs in order
static void sort_run(geo_pair *pairs, int count)
{
    int sorted = 1;
    while (sorted < count && pairs[sorted - 1].second < pairs[sorted].second)
        sorted++;
    if (sorted >= count)
        return;
    if (count <= 32)
        insertion_sort(pairs, count);
    else
        heap_sort(pairs, count);
}

cairn_status geo_broad_gather(geo_broad_phase *broad, int list_count)
{
    long total = 0;
    for (int i = 0; i < list_count; i++)
        total += broad->lists[i].count;
    // a quarter more than needed, so that slow growth does not allocate at each rebuild
    long wanted = total > broad->pair_capacity ? total + total / 4 : total;
    if (wanted > INT_MAX)
        return CAIRN_ERROR_MEMORY;
    cairn_status status =
        base_array_reserve(&broad->allocator, &broad->pairs, &broad->pair_capacity, (int)wanted);
    if (status == CAIRN_OK)
        status = base_array_reserve(&broad->allocator, &broad->starts, &broad->start_capacity,
                                    broad->count + 1);
    if (status == CAIRN_OK)
        broad->pair_count = (int)total;
    if (status != CAIRN_OK)
        return status;
    // counting sort by first, which keeps the order of the lists
    int *starts = broad->starts;
    memset(starts, 0, ((size_t)broad->count + 1) * sizeof *starts);
    for (int i = 0; i < list_count; i++)
        for (long k = 0; k < broad->lists[i].count; k++)
            starts[broad->lists[i].pairs[k].first + 1]++;
    for (int i = 0; i < broad->count; i++)
        starts[i + 1] += starts[i];
    for (int i = 0; i < list_count; i++)
        for (long k = 0; k < broad->lists[i].count; k++) {
            geo_pair pair = broad->lists[i].pairs[k];
            broad->pairs[starts[pair.first]++] = pair;
        }
    // each start has moved on to the next one's
    for (int i = 0, begin = 0; i < broad->count && broad->pairs != NULL; i++) {
        sort_run(broad->pairs + begin, starts[i] - begin);
        begin = starts[i];
    }
    return CAIRN_OK;
}
