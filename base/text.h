// SPDX-License-Identifier: Apache-2.0
// Texts of others: names and titles of scenes and files may hold any bytes. They are shown without
// what a terminal would obey, and written as valid UTF-8.
#ifndef CAIRN_BASE_TEXT_H
#define CAIRN_BASE_TEXT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// From here on this thread reads and prints numbers with a point, whatever locale the program has
/// set. @return what base_plain_end brings back
locale_t base_plain_begin(void);
void base_plain_end(locale_t before);

/// strtod with a point for fractions in every locale.
double base_text_number(const char *text, char **end);

/// Takes the next field of a line of fields between commas, in place: plain, or in quotes, within
/// which a comma is a letter and two quotes are one.
/// @param rest   where the field begins; out: where the next one does, NULL after the last
/// @param field  out: the field, ended by zero; of a plain one with its blanks
/// @return false for quotes that do not end, or end before the field does
bool base_text_field(char **rest, char **field);

/// The letter at `text`. @return its number of bytes, 1 to 4; 0 where no valid UTF-8 begins, also
/// at the end of the text
int base_text_decode(const char *text, uint32_t *letter);

/// Length of the mark that editors of some systems put before a text in UTF-8: 3, or 0 without one.
size_t base_text_mark(const char *text, size_t size);

/// True for letters that change what stands around them: controls (C0, DEL, C1), line and
/// paragraph separators, and those that turn the direction of writing.
bool base_text_is_control(uint32_t letter);

/// True where all bytes are valid UTF-8.
bool base_text_is_utf8(const char *text);

/// Copies a text for people: controls become \n, \t, \x1b, \u202e ..., bytes that are not UTF-8
/// \xff. What does not fit is left out, whole letters at a time.
/// @param out  [size], ended by zero; size > 0
void base_text_show(const char *text, char *out, size_t size);

/// Copies a text for files: bytes that are not UTF-8 become U+FFFD, controls become spaces.
/// @param out  [size], ended by zero; size > 0; 3 bytes for each of `text` are enough for all
void base_text_mend(const char *text, char *out, size_t size);

#endif
