// SPDX-License-Identifier: Apache-2.0
// XML files as trees of elements that know their lines. Nothing outside of the file is read, and
// files that declare entities are refused.
#ifndef CAIRN_SCENES_IMPORT_XML_H
#define CAIRN_SCENES_IMPORT_XML_H

#include "base/memory.h"
#include "base/vec.h"

typedef struct scn_xml_attribute {
    const char *name, *value;
    struct scn_xml_attribute *next;
    bool read; // someone asked for it
} scn_xml_attribute;

typedef struct scn_xml_node {
    const char *name;
    int line;
    bool read; // someone asked for it
    scn_xml_attribute *attributes;
    struct scn_xml_node *parent, *first, *last, *next;
} scn_xml_node;

/// A file that is read, for messages.
typedef struct scn_xml_file {
    const char *name;  // as messages have it
    base_arena *arena; // of nodes and texts
    cairn_error *error;
} scn_xml_file;

/// @return CAIRN_ERROR_SCENE with "name:line: ..." for what is no XML, CAIRN_ERROR_MEMORY
cairn_status scn_xml_parse(const scn_xml_file *file, const char *text, size_t size,
                           scn_xml_node **root) CAIRN_CHECK_RESULT;

/// Writes "name:line: ..."; returns CAIRN_ERROR_SCENE.
cairn_status scn_xml_fail(const scn_xml_file *file, const scn_xml_node *node, const char *format,
                          ...) CAIRN_PRINTF(3, 4);

/// The first child of a name, which counts as read; NULL where there is none.
scn_xml_node *scn_xml_child(scn_xml_node *node, const char *name);

/// The next sibling of the same name, which counts as read; NULL behind the last.
scn_xml_node *scn_xml_next(scn_xml_node *node);

/// The text of an attribute; the fallback where it is missing, or the node is NULL.
const char *scn_xml_text(scn_xml_node *node, const char *name, const char *fallback);

/// The same, but the attribute must be there.
cairn_status scn_xml_need(const scn_xml_file *file, scn_xml_node *node, const char *name,
                          const char **value) CAIRN_CHECK_RESULT;

/// As many numbers as `count` between blanks; `out` stays as it is where the attribute is missing.
cairn_status scn_xml_numbers(const scn_xml_file *file, scn_xml_node *node, const char *name,
                             int count, double *out) CAIRN_CHECK_RESULT;

/// All below an element counts as read: it says nothing that a simulation needs.
void scn_xml_skip(scn_xml_node *node);

/// Elements, or attributes of elements, that nobody asked for.
typedef struct scn_xml_left_out {
    const char *element, *attribute; // NULL: the element itself, with all below
    int line, count;                 // of the first; how many there are
} scn_xml_left_out;

/// Each name once, in the order of lines, in the arena.
cairn_status scn_xml_find_left_out(const scn_xml_file *file, const scn_xml_node *root,
                                   scn_xml_left_out **list, int *count) CAIRN_CHECK_RESULT;

#endif
