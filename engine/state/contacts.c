// SPDX-License-Identifier: Apache-2.0
// Contacts of one step: what the table of their columns makes of them.
#include "engine/state/contacts.h"

#include <string.h>

#define CHECK_WIDTH(name, type, scalar, width, ...)                                                \
    _Static_assert(sizeof(type) == (size_t)(width) * ((scalar) == ENG_BYTE      ? 1                \
                                                      : (scalar) == ENG_INTEGER ? sizeof(int)      \
                                                                                : 8),              \
                   "width of " #name);
ENG_CONTACT_COLUMNS(CHECK_WIDTH)

static const eng_column columns[] = {
#define DESCRIBE(name, type, scalar, width, unit, flags, help)                                     \
    {#name, scalar, width, unit, flags, help},
    ENG_CONTACT_COLUMNS(DESCRIBE)
#undef DESCRIBE
};

eng_columns eng_contacts_columns(eng_contacts *contacts)
{
    return (eng_columns){columns, contacts->data, ENG_CONTACT_COLUMN_COUNT};
}

cairn_status eng_contacts_reserve(const base_allocator *allocator, eng_contacts *contacts,
                                  int needed)
{
    return eng_columns_reserve(eng_contacts_columns(contacts), allocator, &contacts->capacity,
                               needed);
}

void eng_contacts_release(const base_allocator *allocator, eng_contacts *contacts)
{
    eng_columns_release(eng_contacts_columns(contacts), allocator);
    *contacts = (eng_contacts){0};
}

void eng_contact_carry(eng_contacts *now, int made, const eng_contacts *before, int old)
{
#define CARRY(name, type, scalar, width, unit, flags, help)                                        \
    if (((flags)&ENG_CARRIED) != 0 && old >= 0)                                                    \
        memcpy(&now->name[made], &before->name[old], sizeof now->name[made]);                      \
    else if (((flags) & (ENG_CARRIED | ENG_CLEARED)) != 0)                                         \
        memset(&now->name[made], 0, sizeof now->name[made]);
    ENG_CONTACT_COLUMNS(CARRY)
#undef CARRY
    now->fresh[made] = old < 0;
}

void eng_contact_turn(eng_contacts *now, int made, const eng_contacts *before, int old)
{
    vec3 reaction = mat3_apply_transposed(&before->frame[old], vec3_from(before->R[old]));
    vec3_store(now->R[made], mat3_apply(&now->frame[made], reaction));
    // the part along the normal stays along it
    vec3 sliding = {0.0, before->U[old][1], before->U[old][2]};
    vec3 turned =
        mat3_apply(&now->frame[made], mat3_apply_transposed(&before->frame[old], sliding));
    vec3_store(now->U[made], (vec3){before->U[old][0], turned.y, turned.z});
}
