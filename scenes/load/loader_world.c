// SPDX-License-Identifier: Apache-2.0
// The world of a scene that is being loaded, and the messages that come with it.
#include "base/text.h"
#include "scenes/load/loader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scn_loader_log(const scn_loader *loader, cairn_log_level level, const char *format, ...)
{
    if (loader->options->log == NULL)
        return;
    char text[CAIRN_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    loader->options->log(loader->options->log_context, level, text);
}

cairn_value scn_value_of_word(const char *word)
{
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return (cairn_value){CAIRN_BOOLEAN, 0.0, word[0] == 't', NULL};
    char *end = NULL;
    double number = base_text_number(word, &end);
    return end != word && *end == '\0' ? cairn_number(number) : cairn_text(word);
}

static cairn_status make_world(scn_loader *loader, cairn_error *error)
{
    const scn_options *options = loader->options;
    cairn_world_def *def = &loader->world_def;
    for (int i = 0; i < options->simulation_count; i++) {
        const scn_assignment *setting = &options->simulation[i];
        cairn_status status =
            cairn_world_def_set_value(def, setting->name, scn_value_of_word(setting->value), error);
        if (status != CAIRN_OK) {
            loader->failure = CAIRN_ERROR_ARGUMENT;
            return status;
        }
    }
    if (!isnan(options->tolerance))
        def->tolerance = options->tolerance;
    if (!isnan(options->time_step))
        def->time_step = options->time_step;
    if (options->threads > 0)
        def->threads = options->threads;
    cairn_status status = cairn_world_create(def, &loader->scene->world, error);
    if (status == CAIRN_OK && options->solver != NULL)
        status = cairn_world_set_solver(loader->scene->world, options->solver, error);
    if (status == CAIRN_OK && options->local != NULL)
        status = cairn_world_set_local(loader->scene->world, options->local, error);
    const cairn_material_id none = {0};
    if (status == CAIRN_OK)
        loader->default_law = cairn_pair_get_law(loader->scene->world, none, none);
    if (status == CAIRN_OK && options->prepare != NULL)
        status = options->prepare(options->prepare_context, loader->scene->world, error);
    if (status == CAIRN_OK && options->law != NULL)
        status = cairn_pair_set_law(loader->scene->world, none, none, options->law, error);
    return status;
}

cairn_world *scn_loader_world(lua_State *L)
{
    scn_loader *loader = scn_loader_of(L);
    if (loader->scene->world == NULL) {
        cairn_error error = {0};
        cairn_status status = make_world(loader, &error);
        if (status != CAIRN_OK)
            scn_raise(L, "%s", error.message);
    }
    return loader->scene->world;
}
