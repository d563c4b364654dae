// SPDX-License-Identifier: Apache-2.0
// Texts of others, made safe to show and to write.
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t base_text_mark(const char *text, size_t size)
{
    static const char mark[3] = "\xef\xbb\xbf";
    return size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

bool base_text_field(char **rest, char **field)
{
    char *at = *rest + strspn(*rest, " \t");
    if (*at == '"') {
        char *to = *field = ++at;
        for (; *at != '\0' && (*at != '"' || at[1] == '"'); at++) {
            at += *at == '"';
            *to++ = *at;
        }
        if (*at++ != '"')
            return false;
        *to = '\0';
        at += strspn(at, " \t");
        if (*at != ',' && *at != '\0')
            return false;
    } else {
        *field = *rest;
        at = *rest + strcspn(*rest, ",");
    }
    *rest = *at == ',' ? at + 1 : NULL;
    *at = '\0';
    return true;
}

int base_text_decode(const char *text, uint32_t *letter)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *at = (const unsigned char *)text;
    int length = at[0] < 0x80             ? 1
                 : (at[0] & 0xe0) == 0xc0 ? 2
                 : (at[0] & 0xf0) == 0xe0 ? 3
                 : (at[0] & 0xf8) == 0xf0 ? 4
                                          : 0;
    if (at[0] == 0 || length == 0)
        return 0;
    uint32_t value = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        // a text that ends early has its zero here
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3f);
    }
    // overlong forms, surrogates, beyond Unicode
    if (value < least[length] || (value >= 0xd800 && value < 0xe000) || value > 0x10ffff)
        return 0;
    *letter = value;
    return length;
}

bool base_text_is_control(uint32_t letter)
{
    return letter < 0x20 || (letter >= 0x7f && letter < 0xa0) ||
           (letter >= 0x2028 && letter <= 0x202e) || (letter >= 0x2066 && letter <= 0x2069);
}

bool base_text_is_utf8(const char *text)
{
    uint32_t letter;
    while (*text != '\0') {
        int length = base_text_decode(text, &letter);
        if (length == 0)
            return false;
        text += length;
    }
    return true;
}

/// How a control or a wrong byte is shown.
static void escape(uint32_t letter, char piece[16])
{
    if (letter == '\n' || letter == '\t' || letter == '\r')
        snprintf(piece, 16, "\\%c", letter == '\n' ? 'n' : letter == '\t' ? 't' : 'r');
    else
        snprintf(piece, 16, letter < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)letter);
}

void base_text_show(const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text != '\0') {
        uint32_t letter = 0;
        char piece[16];
        int length = base_text_decode(text, &letter);
        if (length == 0 || base_text_is_control(letter))
            escape(length == 0 ? (unsigned char)*text : letter, piece);
        else
            snprintf(piece, sizeof piece, "%.*s", length, text);
        size_t wanted = strlen(piece);
        if (used + wanted >= size)
            break;
        memcpy(out + used, piece, wanted);
        used += wanted;
        text += length > 0 ? length : 1;
    }
    out[used] = '\0';
}

void base_text_mend(const char *text, char *out, size_t size)
{
    static const char unknown[] = "\xef\xbf\xbd"; // U+FFFD
    size_t used = 0;
    while (*text != '\0') {
        uint32_t letter = 0;
        int length = base_text_decode(text, &letter);
        const char *piece = length == 0 ? unknown : base_text_is_control(letter) ? " " : text;
        size_t wanted = length == 0 ? sizeof unknown - 1 : piece == text ? (size_t)length : 1;
        if (used + wanted >= size)
            break;
        memcpy(out + used, piece, wanted);
        used += wanted;
        text += length > 0 ? length : 1;
    }
    out[used] = '\0';
}

locale_t base_plain_begin(void)
{
    // the C locale is there without being made, and goes with nobody
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void base_plain_end(locale_t before)
{
    uselocale(before);
}

double base_text_number(const char *text, char **end)
{
    return strtod_l(text, end, newlocale(LC_ALL_MASK, "C", (locale_t)0));
}
