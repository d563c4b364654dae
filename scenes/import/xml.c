// SPDX-License-Identifier: Apache-2.0
// Reader of XML files by expat.
#include "scenes/import/xml.h"

#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifndef CAIRN_NO_XML
#include <expat.h>
#endif

enum { DEPTH_MOST = 200, NODES_MOST = 2000000, LISTED_MOST = 400 };

cairn_status scn_xml_fail(const scn_xml_file *file, const scn_xml_node *node, const char *format,
                          ...)
{
    char text[CAIRN_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return base_fail(file->error, CAIRN_ERROR_SCENE, "%.300s:%d: %s", file->name, node->line, text);
}

#ifdef CAIRN_NO_XML

cairn_status scn_xml_parse(const scn_xml_file *file, const char *text, size_t size,
                           scn_xml_node **root)
{
    (void)text, (void)size;
    *root = NULL;
    return base_fail(file->error, CAIRN_ERROR_UNSUPPORTED,
                     "%.300s: this build has no expat, which reads such files", file->name);
}

#else

typedef struct reader {
    const scn_xml_file *file;
    XML_Parser parser;
    scn_xml_node *root, *at;
    int depth, nodes;
    cairn_status status; // of the first failure, which has its message
} reader;

static void stop(reader *r, cairn_status status, const char *what)
{
    if (r->status != CAIRN_OK)
        return;
    r->status = base_fail(r->file->error, status, "%.300s:%lu: %s", r->file->name,
                          (unsigned long)XML_GetCurrentLineNumber(r->parser), what);
    XML_StopParser(r->parser, XML_FALSE);
}

static const char *copy(reader *r, const char *text)
{
    size_t size = strlen(text) + 1;
    char *made = base_arena_array(r->file->arena, char, "xml", size);
    if (made != NULL)
        memcpy(made, text, size);
    return made;
}

static bool add_attributes(reader *r, scn_xml_node *node, const XML_Char **pairs)
{
    scn_xml_attribute **end = &node->attributes;
    for (; pairs[0] != NULL; pairs += 2) {
        scn_xml_attribute *made = base_arena_array(r->file->arena, scn_xml_attribute, "xml", 1);
        if (made == NULL)
            return false;
        *made = (scn_xml_attribute){.name = copy(r, pairs[0]), .value = copy(r, pairs[1])};
        if (made->name == NULL || made->value == NULL)
            return false;
        *end = made;
        end = &made->next;
    }
    return true;
}

static void XMLCALL begin_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    reader *r = context;
    if (++r->depth > DEPTH_MOST || ++r->nodes > NODES_MOST) {
        stop(r, CAIRN_ERROR_SCENE, "more elements, or elements within each other, than are read");
        return;
    }
    scn_xml_node *node = base_arena_array(r->file->arena, scn_xml_node, "xml", 1);
    if (node != NULL)
        *node = (scn_xml_node){.name = copy(r, name),
                               .line = (int)XML_GetCurrentLineNumber(r->parser),
                               .parent = r->at};
    if (node == NULL || node->name == NULL || !add_attributes(r, node, attributes)) {
        stop(r, CAIRN_ERROR_MEMORY, "out of memory");
        return;
    }
    if (r->at == NULL)
        r->root = node;
    else if (r->at->last == NULL)
        r->at->first = node;
    else
        r->at->last->next = node;
    if (r->at != NULL)
        r->at->last = node;
    r->at = node;
}

static void XMLCALL end_element(void *context, const XML_Char *name)
{
    reader *r = context;
    (void)name;
    r->at = r->at->parent;
    r->depth--;
}

static void XMLCALL refuse_entity(void *context, const XML_Char *name, int is_parameter,
                                  const XML_Char *value, int length, const XML_Char *base,
                                  const XML_Char *system, const XML_Char *public,
                                  const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system;
    (void)public, (void)notation;
    stop(context, CAIRN_ERROR_SCENE, "declares an entity: such files are not read");
}

cairn_status scn_xml_parse(const scn_xml_file *file, const char *text, size_t size,
                           scn_xml_node **root)
{
    reader r = {.file = file, .parser = XML_ParserCreate(NULL)};
    if (r.parser == NULL)
        return base_fail(file->error, CAIRN_ERROR_MEMORY, "%.300s: out of memory", file->name);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin_element, end_element);
    XML_SetEntityDeclHandler(r.parser, refuse_entity);
    bool fits = size <= INT_MAX;
    bool read = fits && XML_Parse(r.parser, text, (int)size, XML_TRUE) == XML_STATUS_OK;
    if (!read)
        stop(&r, CAIRN_ERROR_SCENE,
             fits ? XML_ErrorString(XML_GetErrorCode(r.parser)) : "the file is too large");
    XML_ParserFree(r.parser);
    *root = r.root;
    return r.status;
}

#endif

// ---------------------------------------------------------------- reading a tree

static scn_xml_node *first_of(scn_xml_node *node, const char *name)
{
    while (node != NULL && strcmp(node->name, name) != 0)
        node = node->next;
    if (node != NULL)
        node->read = true;
    return node;
}

scn_xml_node *scn_xml_child(scn_xml_node *node, const char *name)
{
    return node != NULL ? first_of(node->first, name) : NULL;
}

scn_xml_node *scn_xml_next(scn_xml_node *node)
{
    return first_of(node->next, node->name);
}

const char *scn_xml_text(scn_xml_node *node, const char *name, const char *fallback)
{
    for (scn_xml_attribute *a = node != NULL ? node->attributes : NULL; a != NULL; a = a->next)
        if (strcmp(a->name, name) == 0) {
            a->read = true;
            return a->value;
        }
    return fallback;
}

cairn_status scn_xml_need(const scn_xml_file *file, scn_xml_node *node, const char *name,
                          const char **value)
{
    *value = scn_xml_text(node, name, NULL);
    if (*value != NULL)
        return CAIRN_OK;
    return scn_xml_fail(file, node, "%.80s has no attribute \"%s\"", node->name, name);
}

cairn_status scn_xml_numbers(const scn_xml_file *file, scn_xml_node *node, const char *name,
                             int count, double *out)
{
    const char *text = scn_xml_text(node, name, NULL), *at = text;
    if (text == NULL)
        return CAIRN_OK;
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = base_text_number(at, &end);
        if (end == at || !isfinite(out[i]))
            return scn_xml_fail(file, node, "%s = \"%.80s\" of %.80s must be %d finite number%s",
                                name, text, node->name, count, count > 1 ? "s" : "");
        at = end;
    }
    if (at[strspn(at, " \t\r\n")] != '\0')
        return scn_xml_fail(file, node, "%s = \"%.80s\" of %.80s must be %d number%s and no more",
                            name, text, node->name, count, count > 1 ? "s" : "");
    return CAIRN_OK;
}

void scn_xml_skip(scn_xml_node *node)
{
    node->read = true;
    for (scn_xml_attribute *a = node->attributes; a != NULL; a = a->next)
        a->read = true;
    for (scn_xml_node *child = node->first; child != NULL; child = child->next)
        scn_xml_skip(child);
}

// ---------------------------------------------------------------- what nobody asked for

static void note(scn_xml_left_out *list, int *count, const char *element, const char *attribute,
                 int line)
{
    for (int i = 0; i < *count; i++) {
        const char *other = list[i].attribute;
        bool same =
            attribute == NULL || other == NULL ? attribute == other : strcmp(attribute, other) == 0;
        if (same && strcmp(list[i].element, element) == 0) {
            list[i].count++;
            return;
        }
    }
    if (*count < LISTED_MOST)
        list[(*count)++] = (scn_xml_left_out){element, attribute, line, 1};
}

static void collect(const scn_xml_node *node, scn_xml_left_out *list, int *count)
{
    if (!node->read) {
        note(list, count, node->name, NULL, node->line);
        return;
    }
    for (const scn_xml_attribute *a = node->attributes; a != NULL; a = a->next)
        if (!a->read)
            note(list, count, node->name, a->name, node->line);
    for (const scn_xml_node *child = node->first; child != NULL; child = child->next)
        collect(child, list, count);
}

cairn_status scn_xml_find_left_out(const scn_xml_file *file, const scn_xml_node *root,
                                   scn_xml_left_out **list, int *count)
{
    *count = 0;
    *list = base_arena_array(file->arena, scn_xml_left_out, "left out", LISTED_MOST);
    if (*list == NULL)
        return base_fail(file->error, CAIRN_ERROR_MEMORY, "%.300s: out of memory", file->name);
    collect(root, *list, count);
    return CAIRN_OK;
}
