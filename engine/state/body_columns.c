// SPDX-License-Identifier: Apache-2.0
// Columns of the rows of bodies: what the table of them makes.
#include "engine/state/body_columns.h"

#include <string.h>

#define CHECK_WIDTH(name, type, scalar, width, ...)                                                \
    _Static_assert(                                                                                \
        sizeof(type) == (size_t)(width) * ((scalar) == ENG_INTEGER ? sizeof(int) : 8) &&           \
            sizeof(type) % 8 == 0 && (width) <= ENG_BODY_WIDTH_MAX && (scalar) != ENG_BYTE,        \
        "width of " #name);
ENG_BODY_COLUMNS(CHECK_WIDTH)

static const eng_column columns[] = {
#define DESCRIBE(name, type, scalar, width, unit, group, flags, help)                              \
    {#name, scalar, width, unit, flags, help},
    ENG_BODY_COLUMNS(DESCRIBE)
#undef DESCRIBE
};

static const eng_body_group groups[] = {
#define GROUP(name, type, scalar, width, unit, group, ...) group,
    ENG_BODY_COLUMNS(GROUP)
#undef GROUP
};

const eng_column *eng_body_column(int column)
{
    return &columns[column];
}

eng_body_group eng_body_column_group(int column)
{
    return groups[column];
}

cairn_status eng_body_columns_reserve(const base_allocator *allocator, eng_body_columns *bodies,
                                      eng_body_group group, int rows)
{
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT && status == CAIRN_OK; i++) {
        bool absent = group == ENG_BODY_GIVEN && bodies->data[i] == NULL;
        if (groups[i] == group && !absent)
            status = base_array_reserve_bytes(allocator, &bodies->data[i], &bodies->rooms[i], rows,
                                              eng_column_row_size(&columns[i]));
    }
    return status;
}

void eng_body_columns_shrink(const base_allocator *allocator, eng_body_columns *bodies,
                             eng_body_group group, int rows)
{
    if (rows == 0)
        eng_body_columns_release(allocator, bodies, group);
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++) {
        if (groups[i] != group || rows >= bodies->rooms[i])
            continue;
        void *less = allocator->reallocate(allocator->context, bodies->data[i],
                                           (size_t)rows * eng_column_row_size(&columns[i]));
        // a block that stayed large is only used in part
        bodies->data[i] = less != NULL ? less : bodies->data[i];
        bodies->rooms[i] = rows;
    }
}

void eng_body_columns_release(const base_allocator *allocator, eng_body_columns *bodies,
                              eng_body_group group)
{
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++) {
        if (groups[i] != group)
            continue;
        base_release(allocator, bodies->data[i]);
        bodies->data[i] = NULL;
        bodies->rooms[i] = 0;
    }
}

void eng_body_rest(int column, void *value)
{
    const pose origin = pose_identity();
    const cairn_collision touching = eng_collision_default();
    memset(value, 0, eng_column_row_size(&columns[column]));
    if ((columns[column].flags & ENG_PLACED) != 0)
        memcpy(value, &origin, sizeof origin);
    else if (column == ENG_BODY_collisions)
        memcpy(value, &touching, sizeof touching);
}

cairn_status eng_body_column_make(const base_allocator *allocator, eng_body_columns *bodies,
                                  int column, int rows)
{
    size_t size = eng_column_row_size(&columns[column]);
    if (bodies->data[column] != NULL)
        return CAIRN_OK;
    bodies->data[column] = base_allocate(allocator, (size_t)rows, size);
    if (bodies->data[column] == NULL)
        return CAIRN_ERROR_MEMORY;
    bodies->rooms[column] = rows;
    for (int i = 0; i < rows; i++)
        eng_body_rest(column, (char *)bodies->data[column] + (size_t)i * size);
    return CAIRN_OK;
}

void eng_body_row_clear(eng_body_columns *bodies, eng_body_group group, int row)
{
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++)
        if (groups[i] == group && row < bodies->rooms[i])
            eng_body_rest(i,
                          (char *)bodies->data[i] + (size_t)row * eng_column_row_size(&columns[i]));
}
