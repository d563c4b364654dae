// SPDX-License-Identifier: Apache-2.0
// Laws of a program: their registration, and the way from the engine's form of a contact to theirs.
#include "engine/state/own_laws.h"
#include "engine/state/values.h"
#include "engine/state/world.h"

#include "base/assert.h"

#include <float.h>
#include <string.h>

#define LAW_COOKIE UINT32_C(0x0ca12010)

// GROUP: contacts that are handed over at a time
enum { GROUP = 512 };

_Static_assert((int)CAIRN_LAW_HISTORY_MAX == (int)CON_HISTORY_MAX,
               "histories are copied as they are");
_Static_assert(CAIRN_OWN_PARAMETERS_MAX * sizeof(double) <= CON_LAW_SETTINGS_MAX,
               "parameters lie in the surface");

cairn_law_def cairn_default_law_def(void)
{
    return (cairn_law_def){.help = "", .version = 1, .cookie = LAW_COOKIE};
}

// ---------------------------------------------------------------- one batch

static void to_public(const con_impulse_input *input, cairn_law_contact *contact)
{
    *contact =
        (cairn_law_contact){.gap = input->gap, .fresh = input->fresh, .initial = input->initial};
    memcpy(contact->frame, input->frame.m, sizeof contact->frame);
    memcpy(contact->velocity, input->V, sizeof contact->velocity);
    memcpy(contact->previous, input->R_previous, sizeof contact->previous);
    memcpy(contact->mobility, input->W.m, sizeof contact->mobility);
    memcpy(contact->free, input->B, sizeof contact->free);
    vec3_store(contact->point, input->point);
    for (int side = 0; side < 2; side++) {
        vec3_store(contact->centre[side], input->centre[side]);
        vec3_store(contact->motion[side], input->velocity[side]);
        vec3_store(contact->turning[side], input->angular_velocity[side]);
        contact->radius[side] = input->radius[side];
        contact->mass[side] = input->mass[side];
    }
}

static void from_public(const cairn_law_answer *answer, con_impulse_output *output)
{
    memcpy(output->R, answer->impulse, sizeof output->R);
    memcpy(output->R_damping, answer->impulse_damping, sizeof output->R_damping);
    memcpy(output->R_friction, answer->impulse_friction, sizeof output->R_friction);
    output->couple[0] = vec3_from(answer->moment[0]);
    output->couple[1] = vec3_from(answer->moment[1]);
    output->elastic = answer->elastic;
    output->releasable = answer->releasable;
    output->friction = answer->friction;
    output->plastic = answer->plastic;
}

/// con_law.impulses of every registered law.
static void act(const con_law *law, const void *parameters, int count,
                const con_impulse_input *inputs, double (*history)[CON_HISTORY_MAX],
                con_impulse_output *outputs)
{
    const eng_own_law *own = (const eng_own_law *)law;
    int width = law->history_count;
    for (int first = 0; first < count; first += GROUP) {
        cairn_law_contact contacts[GROUP];
        cairn_law_answer answers[GROUP] = {0};
        double histories[GROUP * CON_HISTORY_MAX];
        int n = count - first < GROUP ? count - first : GROUP;
        for (int i = 0; i < n; i++) {
            to_public(&inputs[first + i], &contacts[i]);
            for (int k = 0; k < width; k++)
                histories[i * width + k] = inputs[first + i].fresh ? 0.0 : history[first + i][k];
        }
        cairn_law_batch batch = {
            .size = sizeof batch,
            .step = inputs[first].step,
            .count = n,
            .parameters = parameters,
            .contacts = contacts,
            .contact_size = sizeof *contacts,
            .history = histories,
            .history_count = width,
            .answers = answers,
            .answer_size = sizeof *answers,
        };
        own->function(own->context, &batch);
        for (int i = 0; i < n; i++) {
            from_public(&answers[i], &outputs[first + i]);
            memcpy(history[first + i], histories + i * width, (size_t)width * sizeof *histories);
        }
    }
}

// ---------------------------------------------------------------- registration

static cairn_status check_parameter(const cairn_law_def *def, int index, cairn_error *error)
{
    const cairn_parameter_def *p = &def->parameters[index];
    if (p->name == NULL || p->name[0] == '\0')
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "law \"%s\": parameter %d has no name",
                         def->name, index);
    if (strcmp(p->name, "law") == 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "law \"%s\": a parameter cannot be called \"law\"", def->name);
    for (int i = 0; i < index; i++)
        if (strcmp(def->parameters[i].name, p->name) == 0)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "law \"%s\": parameter \"%s\" is there twice", def->name, p->name);
    if (!(p->minimum <= p->initial && p->initial <= p->maximum))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "law \"%s\": %s = %g at first is out of its range, %g to %g", def->name,
                         p->name, p->initial, p->minimum, p->maximum);
    return CAIRN_OK;
}

static cairn_status check_law(const cairn_world *world, const cairn_law_def *def,
                              cairn_error *error)
{
    if (def->cookie != LAW_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the law definition does not come from cairn_default_law_def()");
    if (def->name == NULL || def->name[0] == '\0' || def->function == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a law needs a name and a function");
    if (eng_law_find(world, def->name) != NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is a law \"%s\" already", def->name);
    if (def->parameter_count < 0 || def->parameter_count > CAIRN_OWN_PARAMETERS_MAX ||
        (def->parameter_count > 0 && def->parameters == NULL))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "law \"%s\": %d parameters, of 0 to %d",
                         def->name, def->parameter_count, (int)CAIRN_OWN_PARAMETERS_MAX);
    if (def->history_count < 0 || def->history_count > CAIRN_LAW_HISTORY_MAX ||
        (def->history_count > 0 && def->history == NULL))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "law \"%s\": %d numbers of history, of 0 to %d", def->name,
                         def->history_count, (int)CAIRN_LAW_HISTORY_MAX);
    for (int i = 0; i < def->history_count; i++)
        if (def->history[i] == NULL)
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "law \"%s\": history %d has no name",
                             def->name, i);
    for (int i = 0; i < def->parameter_count; i++)
        BASE_TRY(check_parameter(def, i, error));
    return CAIRN_OK;
}

/// All texts of a definition in the order in which keep_texts takes them; returns their number.
static int list_texts(const cairn_law_def *def, const char **texts)
{
    int count = 0;
    texts[count++] = def->name;
    texts[count++] = def->help != NULL ? def->help : "";
    for (int i = 0; i < def->parameter_count; i++) {
        const cairn_parameter_def *p = &def->parameters[i];
        texts[count++] = p->name;
        texts[count++] = p->unit != NULL ? p->unit : "";
        texts[count++] = p->help != NULL ? p->help : "";
    }
    for (int i = 0; i < def->history_count; i++)
        texts[count++] = def->history[i];
    return count;
}

/// Copies of all texts in one block, and the law's tables from them; false when out of memory.
static bool fill_law(const cairn_world *world, const cairn_law_def *def, eng_own_law *own)
{
    const char *texts[2 + 3 * CAIRN_OWN_PARAMETERS_MAX + CAIRN_LAW_HISTORY_MAX];
    int count = list_texts(def, texts), next = 0;
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += strlen(texts[i]) + 1;
    own->texts = base_allocate(&world->model.allocator, size, 1);
    if (own->texts == NULL)
        return false;
    char *at = own->texts;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(texts[i]) + 1;
        texts[i] = memcpy(at, texts[i], length);
        at += length;
    }
    own->law.name = texts[next++];
    own->law.help = texts[next++];
    for (int i = 0; i < def->parameter_count; i++, next += 3)
        own->rows[i] = (base_setting){
            .name = texts[next],
            .type = BASE_SETTING_REAL,
            .offset = (size_t)i * sizeof(double),
            .unit = texts[next + 1],
            .initial = def->parameters[i].initial,
            .minimum = fmax(def->parameters[i].minimum, -DBL_MAX),
            .maximum = fmin(def->parameters[i].maximum, DBL_MAX),
            .help = texts[next + 2],
        };
    for (int i = 0; i < def->history_count; i++)
        own->history_names[i] = texts[next++];
    return true;
}

cairn_status cairn_world_add_law(cairn_world *world, const cairn_law_def *def, cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    BASE_TRY(check_law(world, def, error));
    cairn_status status =
        base_array_reserve(&world->model.allocator, &world->model.program.laws,
                           &world->model.program.law_capacity, world->model.program.law_count + 1);
    eng_own_law *own =
        status == CAIRN_OK ? base_allocate(&world->model.allocator, 1, sizeof *own) : NULL;
    if (own == NULL || !fill_law(world, def, own)) {
        base_release(&world->model.allocator, own);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for law \"%s\"", def->name);
    }
    own->function = def->function;
    own->context = def->context;
    own->version = def->version;
    own->law.kind = CON_LAW_IMPULSE;
    own->law.table = (base_settings_table){own->rows, def->parameter_count,
                                           (size_t)def->parameter_count * sizeof(double)};
    own->law.uses_mobility = def->mobility;
    own->law.uses_previous = true;
    own->law.history_count = def->history_count;
    own->law.history_names = own->history_names;
    own->law.impulses = act;
    world->model.program.laws[world->model.program.law_count++] = own;
    return CAIRN_OK;
}

void eng_own_release(eng_world_model *model)
{
    for (int i = 0; i < model->program.law_count; i++) {
        base_release(&model->allocator, model->program.laws[i]->texts);
        base_release(&model->allocator, model->program.laws[i]);
    }
    base_release(&model->allocator, model->program.laws);
    for (int i = 0; i < model->program.field_count; i++)
        base_release(&model->allocator, model->program.fields[i].name);
    base_release(&model->allocator, model->program.fields);
    base_release(&model->allocator, model->program.filter.name);
}

// ---------------------------------------------------------------- look-up

static const con_law *law_at(const cairn_world *world, int index)
{
    int count;
    const con_law *const *library = con_law_list(&count);
    if (index < 0 || index >= count + world->model.program.law_count)
        return NULL;
    return index < count ? library[index] : &world->model.program.laws[index - count]->law;
}

int cairn_world_law_count(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    int count = 0;
    con_law_list(&count);
    return world != NULL ? count + world->model.program.law_count : 0;
}

int cairn_world_find_law(const cairn_world *world, const char *name)
{
    if (world == NULL || name == NULL)
        return -1;
    for (int i = 0; name != NULL && i < cairn_world_law_count(world); i++)
        if (strcmp(law_at(world, i)->name, name) == 0)
            return i;
    return -1;
}

cairn_status cairn_world_get_law(const cairn_world *world, int index, cairn_plugin_info *info)
{
    if (world == NULL || info == NULL)
        return CAIRN_ERROR_ARGUMENT;
    const con_law *law = law_at(world, index);
    *info = (cairn_plugin_info){.name = "", .help = "", .kind = ""};
    if (law == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    *info = (cairn_plugin_info){.name = law->name,
                                .help = law->help,
                                .kind = law->kind == CON_LAW_CONE ? "cone" : "impulse",
                                .setting_count = law->table.count};
    return CAIRN_OK;
}

cairn_status cairn_world_get_law_setting(const cairn_world *world, int index, int setting,
                                         cairn_setting_info *info)
{
    if (world == NULL || info == NULL)
        return CAIRN_ERROR_ARGUMENT;
    const con_law *law = law_at(world, index);
    *info = (cairn_setting_info){.name = "", .type = "", .unit = "", .help = ""};
    if (law == NULL || setting < 0 || setting >= law->table.count)
        return CAIRN_ERROR_NOT_FOUND;
    *info = eng_setting_info(&law->table.settings[setting]);
    return CAIRN_OK;
}

const con_law *eng_law_find(const cairn_world *world, const char *name)
{
    return law_at(world, cairn_world_find_law(world, name));
}

cairn_status eng_fail_law(const cairn_world *world, const char *name, cairn_error *error)
{
    const char *names[64];
    int count = cairn_world_law_count(world);
    count = count < BASE_COUNT(names) ? count : BASE_COUNT(names);
    for (int i = 0; i < count; i++)
        names[i] = law_at(world, i)->name;
    return base_fail(error, CAIRN_ERROR_NOT_FOUND, "unknown law \"%s\"%s", name,
                     base_choices_for(name, names, count).text);
}

uint32_t eng_law_version(const cairn_world *world, const con_law *law)
{
    for (int i = 0; i < world->model.program.law_count; i++)
        if (&world->model.program.laws[i]->law == law)
            return world->model.program.laws[i]->version;
    return 0;
}
