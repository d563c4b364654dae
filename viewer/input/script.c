// SPDX-License-Identifier: Apache-2.0
// From lines of a script to events of SDL.
#include "viewer/input/script.h"

#include "base/assert.h"
#include "base/file.h"
#include "viewer/input/keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef enum script_kind {
    SCRIPT_KEY,
    SCRIPT_DOWN,
    SCRIPT_UP,
    SCRIPT_MOVE,
    SCRIPT_PRESS,
    SCRIPT_RELEASE,
    SCRIPT_CLICK,
    SCRIPT_DRAG,
    SCRIPT_WHEEL,
    SCRIPT_DROP,
    SCRIPT_WAIT,
    SCRIPT_QUIT
} script_kind;

typedef struct script_form {
    const char *name;
    script_kind kind;
    int numbers; // wanted
} script_form;

static const script_form forms[] = {
    {"key", SCRIPT_KEY, 0},     {"down", SCRIPT_DOWN, 0},   {"up", SCRIPT_UP, 0},
    {"move", SCRIPT_MOVE, 2},   {"press", SCRIPT_PRESS, 2}, {"release", SCRIPT_RELEASE, 2},
    {"click", SCRIPT_CLICK, 2}, {"drag", SCRIPT_DRAG, 4},   {"wheel", SCRIPT_WHEEL, 1},
    {"drop", SCRIPT_DROP, 0},   {"wait", SCRIPT_WAIT, 1},   {"quit", SCRIPT_QUIT, 0},
};

typedef struct script_command {
    script_kind kind;
    int numbers[4];
    char text[200];
} script_command;

struct view_script {
    base_allocator allocator;
    script_command *commands;
    int count, capacity, at, waiting;
    int x, y; // of the mouse
};

// ---------------------------------------------------------------- reading

static const script_form *find_form(const char *name)
{
    for (int i = 0; i < BASE_COUNT(forms); i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

/// The key of a name such as "Shift+C"; SDLK_UNKNOWN where there is none.
static SDL_Keycode key_of(const char *name, Uint16 *modifier)
{
    *modifier = KMOD_NONE;
    if (strncmp(name, "Shift+", 6) == 0) {
        *modifier = KMOD_LSHIFT;
        name += 6;
    } else if (strncmp(name, "Ctrl+", 5) == 0) {
        *modifier = KMOD_LCTRL;
        name += 5;
    }
    return SDL_GetKeyFromName(name);
}

/// Whether what follows the numbers is one of the words that a line of this kind may have.
static bool is_word_of(script_kind kind, const char *word)
{
    static const char *const drags[] = {"", "left", "right", "shift", "ctrl", "alt", "turn"};
    Uint16 modifier;
    if (kind == SCRIPT_KEY || kind == SCRIPT_DOWN || kind == SCRIPT_UP)
        return key_of(word, &modifier) != SDLK_UNKNOWN;
    if (kind == SCRIPT_DROP)
        return word[0] != '\0';
    for (int i = 0; i < BASE_COUNT(drags); i++)
        if (strcmp(drags[i], word) == 0)
            return i == 0 || kind == SCRIPT_DRAG;
    return false;
}

/// @return false for a line that is wrong
static bool read_command(char *line, script_command *command)
{
    char name[16];
    int used = 0;
    if (sscanf(line, "%15s %n", name, &used) != 1)
        return false;
    const script_form *form = find_form(name);
    if (form == NULL)
        return false;
    char *rest = line + used;
    command->kind = form->kind;
    for (int i = 0; i < form->numbers; i++) {
        if (sscanf(rest, "%d %n", &command->numbers[i], &used) != 1)
            return false;
        rest += used;
    }
    snprintf(command->text, sizeof command->text, "%s", rest);
    return is_word_of(form->kind, command->text);
}

static cairn_status add_line(view_script *script, char *line, int number, cairn_error *error)
{
    line[strcspn(line, "#\r\n")] = '\0';
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ')
        line[--length] = '\0';
    if (line[strspn(line, " \t")] == '\0')
        return CAIRN_OK;
    if (base_array_reserve(&script->allocator, &script->commands, &script->capacity,
                           script->count + 1) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    script_command *command = &script->commands[script->count];
    *command = (script_command){0};
    if (!read_command(line, command))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "line %d of the script is not understood: \"%.80s\"", number, line);
    script->count++;
    return CAIRN_OK;
}

cairn_status view_script_open(const char *path, const base_allocator *allocator,
                              view_script **script, cairn_error *error)
{
    char line[256];
    cairn_status status = CAIRN_OK;
    const char *reason = NULL;
    FILE *file = base_file_read(path, &reason);
    *script = NULL;
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%.300s: %s", path, reason);
    *script = base_allocate(allocator, 1, sizeof **script);
    if (*script == NULL)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    else
        (*script)->allocator = *allocator;
    for (int i = 1; status == CAIRN_OK && fgets(line, sizeof line, file) != NULL; i++)
        status = add_line(*script, line, i, error);
    fclose(file);
    if (status != CAIRN_OK) {
        view_script_close(*script);
        *script = NULL;
    }
    return status;
}

void view_script_close(view_script *script)
{
    if (script == NULL)
        return;
    base_allocator allocator = script->allocator;
    base_release(&allocator, script->commands);
    base_release(&allocator, script);
}

// ---------------------------------------------------------------- playing

static void push_key(const char *name, bool down, Uint32 window)
{
    SDL_Event event = {.key = {.type = down ? SDL_KEYDOWN : SDL_KEYUP, .windowID = window}};
    event.key.state = down ? SDL_PRESSED : SDL_RELEASED;
    event.key.keysym.sym = key_of(name, &event.key.keysym.mod);
    SDL_PushEvent(&event);
}

static void push_motion(view_script *script, int x, int y, Uint32 state, Uint32 window)
{
    SDL_Event event = {.motion = {.type = SDL_MOUSEMOTION, .windowID = window, .state = state}};
    event.motion.x = x;
    event.motion.y = y;
    event.motion.xrel = x - script->x;
    event.motion.yrel = y - script->y;
    script->x = x;
    script->y = y;
    SDL_PushEvent(&event);
}

static void push_button(const view_script *script, Uint8 button, bool down, Uint32 window)
{
    SDL_Event event = {.button = {.type = down ? SDL_MOUSEBUTTONDOWN : SDL_MOUSEBUTTONUP,
                                  .windowID = window,
                                  .button = button,
                                  .clicks = 1}};
    event.button.state = down ? SDL_PRESSED : SDL_RELEASED;
    event.button.x = script->x;
    event.button.y = script->y;
    SDL_PushEvent(&event);
}

/// All of a drag lies between two pictures; press, move and release have pictures between them.
static void drag(view_script *script, const script_command *command, Uint32 window)
{
    bool right = strcmp(command->text, "right") == 0 || strcmp(command->text, "turn") == 0;
    const int *at = command->numbers;
    Uint8 button = right ? SDL_BUTTON_RIGHT : SDL_BUTTON_LEFT;
    SDL_Keymod modifier = strcmp(command->text, "ctrl") == 0    ? KMOD_LCTRL
                          : strcmp(command->text, "shift") == 0 ? KMOD_LSHIFT
                          : strcmp(command->text, "alt") == 0 || strcmp(command->text, "turn") == 0
                              ? KMOD_LALT
                              : KMOD_NONE;
    SDL_SetModState(modifier);
    push_motion(script, at[0], at[1], 0, window);
    push_button(script, button, true, window);
    for (int i = 1; i <= 8; i++)
        push_motion(script, at[0] + (at[2] - at[0]) * i / 8, at[1] + (at[3] - at[1]) * i / 8,
                    SDL_BUTTON(button), window);
    push_button(script, button, false, window);
}

static void push_drop(const char *path, Uint32 window)
{
    SDL_Event event = {.drop = {.type = SDL_DROPFILE, .windowID = window}};
    event.drop.file = SDL_strdup(path);
    SDL_PushEvent(&event);
}

static void push_wheel(int turns, Uint32 window)
{
    SDL_Event event = {.wheel = {.type = SDL_MOUSEWHEEL, .windowID = window, .y = turns}};
    event.wheel.preciseY = (float)turns;
    SDL_PushEvent(&event);
}

static void play(view_script *script, const script_command *command, Uint32 window)
{
    SDL_Event quit = {.type = SDL_QUIT};
    switch (command->kind) {
    case SCRIPT_KEY:
        push_key(command->text, true, window);
        push_key(command->text, false, window);
        break;
    case SCRIPT_DOWN:
    case SCRIPT_UP:
        push_key(command->text, command->kind == SCRIPT_DOWN, window);
        break;
    case SCRIPT_MOVE:
        push_motion(script, command->numbers[0], command->numbers[1], 0, window);
        break;
    case SCRIPT_PRESS:
    case SCRIPT_RELEASE:
        push_motion(script, command->numbers[0], command->numbers[1], 0, window);
        push_button(script, SDL_BUTTON_LEFT, command->kind == SCRIPT_PRESS, window);
        break;
    case SCRIPT_CLICK:
        push_motion(script, command->numbers[0], command->numbers[1], 0, window);
        push_button(script, SDL_BUTTON_LEFT, true, window);
        push_button(script, SDL_BUTTON_LEFT, false, window);
        break;
    case SCRIPT_DRAG:
        drag(script, command, window);
        break;
    case SCRIPT_WHEEL:
        push_wheel(command->numbers[0], window);
        break;
    case SCRIPT_DROP:
        push_drop(command->text, window);
        break;
    case SCRIPT_WAIT:
        script->waiting = command->numbers[0];
        break;
    case SCRIPT_QUIT:
        SDL_PushEvent(&quit);
        break;
    }
}

bool view_script_play(view_script *script, Uint32 window)
{
    if (script->waiting > 0) {
        script->waiting--;
        return true;
    }
    while (script->at < script->count && script->waiting == 0)
        play(script, &script->commands[script->at++], window);
    return script->at < script->count || script->waiting > 0;
}
