// SPDX-License-Identifier: Apache-2.0
// Calls camera and light, and the key colour: what pictures of a scene look like. Nothing of it is
// known to the world.
#include "scenes/load/loader.h"

#include "base/assert.h"

#include <lauxlib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- colours

typedef struct named_colour {
    const char *name;
    uint8_t red, green, blue;
} named_colour;

static const named_colour named_colours[] = {
    {"white", 240, 240, 236}, {"silver", 192, 198, 206}, {"grey", 140, 146, 154},
    {"black", 44, 46, 52},    {"red", 200, 62, 52},      {"orange", 226, 130, 58},
    {"yellow", 236, 196, 84}, {"green", 92, 158, 98},    {"teal", 70, 156, 164},
    {"blue", 74, 124, 190},   {"purple", 146, 104, 168}, {"pink", 224, 142, 150},
    {"brown", 128, 88, 58},   {"wood", 201, 160, 106},   {"sand", 214, 186, 134},
    {"stone", 168, 162, 150}, {"brick", 170, 98, 80},    {"steel", 150, 162, 176},
    {"cloth", 42, 110, 82},
};

/// "#rrggbb" or "#rrggbbaa". @return false for another text
static bool read_hexadecimal(const char *text, scn_colour *colour)
{
    size_t length = strlen(text);
    if (text[0] != '#' || (length != 7 && length != 9) ||
        strspn(text + 1, "0123456789abcdefABCDEF") != length - 1)
        return false;
    double part[4] = {0.0, 0.0, 0.0, NAN};
    for (size_t i = 0; 2 * i + 1 < length; i++) {
        char digits[3] = {text[2 * i + 1], text[2 * i + 2], '\0'};
        part[i] = (double)strtol(digits, NULL, 16) / 255.0;
    }
    *colour = (scn_colour){true, {part[0], part[1], part[2]}, part[3]};
    return true;
}

static void read_word(const scn_fields *fields, const char *text, scn_colour *colour)
{
    char list[512] = "";
    if (read_hexadecimal(text, colour))
        return;
    for (int i = 0; i < BASE_COUNT(named_colours); i++) {
        const named_colour *each = &named_colours[i];
        if (strcmp(each->name, text) == 0) {
            *colour = (scn_colour){
                true, {each->red / 255.0, each->green / 255.0, each->blue / 255.0}, NAN};
            return;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, ", \"%s\"", each->name);
    }
    scn_raise(fields->L, "%s: colour = \"%.40s\" is neither \"#rrggbb\"%s", fields->call, text,
              list);
}

scn_colour scn_read_colour(const scn_fields *fields)
{
    lua_State *L = fields->L;
    scn_colour colour = {.opacity = NAN};
    double part[4] = {0.0, 0.0, 0.0, NAN};
    int type = lua_getfield(L, fields->table, "colour");
    int count = type == LUA_TTABLE ? (int)lua_rawlen(L, -1) : 0;
    if (type == LUA_TSTRING)
        read_word(fields, lua_tostring(L, -1), &colour);
    else if (type != LUA_TNIL && count != 3 && count != 4)
        scn_raise(L,
                  "%s: colour must be a name, \"#rrggbb\", or red, green, blue and, where it is "
                  "wanted, opacity from 0 to 1, not %s",
                  fields->call, type == LUA_TTABLE ? "such a table" : luaL_typename(L, -1));
    lua_pop(L, 1);
    if (type != LUA_TTABLE)
        return colour;
    scn_fields_vector(fields, "colour", part, count, (scn_range){0.0, 1.0, false, ""});
    return (scn_colour){true, {part[0], part[1], part[2]}, part[3]};
}

void scn_paint_body(const scn_fields *fields, cairn_body_id body, const scn_colour *colour)
{
    scn_scene *scene = scn_loader_of(fields->L)->scene;
    scn_looks *looks = &scene->looks;
    if (!colour->given)
        return;
    if (base_array_reserve(&scene->allocator, &looks->bodies, &looks->body_capacity,
                           looks->body_count + 1) != CAIRN_OK)
        scn_raise(fields->L, "out of memory");
    looks->bodies[looks->body_count++] = (scn_body_colour){body, *colour};
}

void scn_paint_material(const scn_fields *fields, cairn_material_id material,
                        const scn_colour *colour)
{
    scn_scene *scene = scn_loader_of(fields->L)->scene;
    scn_looks *looks = &scene->looks;
    if (!colour->given)
        return;
    if (base_array_reserve(&scene->allocator, &looks->materials, &looks->material_capacity,
                           looks->material_count + 1) != CAIRN_OK)
        scn_raise(fields->L, "out of memory");
    looks->materials[looks->material_count++] = (scn_material_colour){material, *colour};
}

// ---------------------------------------------------------------- camera and light

int scn_call_camera(lua_State *L)
{
    static const char *const names[] = {"azimuth", "elevation", "zoom",   "parallel",
                                        "min",     "max",       "follow", NULL};
    scn_fields fields = scn_fields_begin(L, "camera");
    scn_fields_check(&fields, names, 0);
    scn_scene *scene = scn_loader_of(L)->scene;
    scn_camera camera = {
        .azimuth = scn_fields_number(&fields, "azimuth", NAN,
                                     (scn_range){-360.0, 360.0, false, "degrees"}),
        .elevation = scn_fields_number(&fields, "elevation", NAN,
                                       (scn_range){-89.0, 89.0, false, "degrees"}),
        .zoom = scn_fields_number(&fields, "zoom", NAN, (scn_range){0.01, 1000.0, false, ""}),
        .parallel = scn_fields_boolean(&fields, "parallel", false),
    };
    bool low = scn_fields_vector(&fields, "min", camera.low, 3, scn_range_any("m"));
    camera.boxed = scn_fields_vector(&fields, "max", camera.high, 3, scn_range_any("m"));
    if (low != camera.boxed)
        scn_raise(L, "camera: min and max go together");
    for (int k = 0; k < 3; k++)
        if (camera.low[k] > camera.high[k])
            scn_raise(L, "camera: min[%d] = %g is above max[%d] = %g", k + 1, camera.low[k], k + 1,
                      camera.high[k]);
    const char *follow = scn_fields_text(&fields, "follow", NULL);
    if (follow != NULL) {
        camera.follow = base_copy_text(&scene->allocator, follow);
        if (camera.follow == NULL)
            scn_raise(L, "out of memory");
    }
    base_release(&scene->allocator, scene->looks.camera.follow);
    scene->looks.camera = camera;
    return 0;
}

int scn_call_light(lua_State *L)
{
    static const char *const names[] = {"azimuth", "elevation", "shadows", NULL};
    scn_fields fields = scn_fields_begin(L, "light");
    scn_fields_check(&fields, names, 0);
    scn_loader_of(L)->scene->looks.light = (scn_light){
        .azimuth = scn_fields_number(&fields, "azimuth", NAN,
                                     (scn_range){-360.0, 360.0, false, "degrees"}),
        .elevation =
            scn_fields_number(&fields, "elevation", NAN, (scn_range){5.0, 90.0, false, "degrees"}),
        .no_shadows = !scn_fields_boolean(&fields, "shadows", true),
    };
    return 0;
}

// ---------------------------------------------------------------- what a scene keeps

scn_looks scn_default_looks(void)
{
    return (scn_looks){
        .camera = {.azimuth = NAN, .elevation = NAN, .zoom = NAN},
        .light = {.azimuth = NAN, .elevation = NAN},
    };
}

CAIRN_PRINTF(3, 4)
static void put(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void put_number(char *text, size_t size, const char *name, double value)
{
    if (!isnan(value))
        put(text, size, "%s = %.17g, ", name, value);
}

/// A text of the language, each byte that is not plain by its number.
static void put_text(char *text, size_t size, const char *name, const char *value)
{
    put(text, size, "%s = \"", name);
    for (; *value != '\0'; value++) {
        unsigned char byte = (unsigned char)*value;
        bool plain = byte >= 32 && byte < 127 && byte != '"' && byte != '\\';
        put(text, size, plain ? "%c" : "\\%03d", byte);
    }
    put(text, size, "\", ");
}

void scn_write_looks(const scn_looks *looks, char *text, size_t size)
{
    const scn_camera *camera = &looks->camera;
    text[0] = '\0';
    put(text, size, "camera{ ");
    put_number(text, size, "azimuth", camera->azimuth);
    put_number(text, size, "elevation", camera->elevation);
    put_number(text, size, "zoom", camera->zoom);
    if (camera->boxed)
        put(text, size, "min = {%.17g, %.17g, %.17g}, max = {%.17g, %.17g, %.17g}, ",
            camera->low[0], camera->low[1], camera->low[2], camera->high[0], camera->high[1],
            camera->high[2]);
    if (camera->follow != NULL)
        put_text(text, size, "follow", camera->follow);
    put(text, size, "parallel = %s }\nlight{ ", camera->parallel ? "true" : "false");
    put_number(text, size, "azimuth", looks->light.azimuth);
    put_number(text, size, "elevation", looks->light.elevation);
    put(text, size, "shadows = %s }\n", looks->light.no_shadows ? "false" : "true");
}

void scn_release_looks(const base_allocator *allocator, scn_looks *looks)
{
    base_release(allocator, looks->bodies);
    base_release(allocator, looks->materials);
    base_release(allocator, looks->camera.follow);
}
