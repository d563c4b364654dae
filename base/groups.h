// SPDX-License-Identifier: Apache-2.0
// Disjoint sets of indices: each member leads to a smaller one of its group, the first to itself.
#ifndef CAIRN_BASE_GROUPS_H
#define CAIRN_BASE_GROUPS_H

/// Makes every index a group of its own. @param parent  [count]
static inline void base_groups_init(int *parent, int count)
{
    for (int i = 0; i < count; i++)
        parent[i] = i;
}

/// First, that is smallest, member of the group of an index; paths are shortened on the way.
static inline int base_groups_first(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/// Makes one group of those of two indices. @return its first member
static inline int base_groups_join(int *parent, int a, int b)
{
    int first = base_groups_first(parent, a), second = base_groups_first(parent, b);
    int low = first < second ? first : second;
    parent[first < second ? second : first] = low;
    return low;
}

#endif
