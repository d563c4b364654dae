// SPDX-License-Identifier: Apache-2.0
// Memory that views may outlive, and steps that Ctrl-C ends.
#include "python/helper.h"

#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- memory

struct cairn_python_memory {
    atomic_flag busy; // the world allocates in one thread while another one drops an array
    int users;        // the world, and arrays, which may be gone after it
    int arrays;       // that look into the world
    void **kept;      // [kept_count] blocks that the world gave back meanwhile
    size_t kept_count, kept_capacity;
};

cairn_python_memory *cairn_python_memory_create(void)
{
    cairn_python_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return NULL;
    atomic_flag_clear(&memory->busy);
    memory->users = 1;
    return memory;
}

// both are held for the time of a copy at most
static void lock(cairn_python_memory *memory)
{
    while (atomic_flag_test_and_set_explicit(&memory->busy, memory_order_acquire))
        continue;
}

static void unlock(cairn_python_memory *memory)
{
    atomic_flag_clear_explicit(&memory->busy, memory_order_release);
}

static void release_kept(cairn_python_memory *memory)
{
    for (size_t i = 0; i < memory->kept_count; i++)
        free(memory->kept[i]);
    free(memory->kept);
    memory->kept = NULL;
    memory->kept_count = memory->kept_capacity = 0;
}

void cairn_python_memory_destroy(cairn_python_memory *memory)
{
    if (memory == NULL)
        return;
    lock(memory);
    bool last = --memory->users == 0;
    unlock(memory);
    if (!last)
        return;
    release_kept(memory);
    free(memory);
}

/// Keeps a block; false when out of memory.
static bool keep(cairn_python_memory *memory, void *block)
{
    if (memory->kept_count == memory->kept_capacity) {
        size_t capacity = 2 * memory->kept_capacity + 16;
        void **kept = realloc(memory->kept, capacity * sizeof *kept);
        if (kept == NULL)
            return false;
        memory->kept = kept;
        memory->kept_capacity = capacity;
    }
    memory->kept[memory->kept_count++] = block;
    return true;
}

/// As realloc and free do, with the old block left as it is. A block that cannot be noted is lost.
static void *move(cairn_python_memory *memory, void *block, size_t size)
{
    void *moved = size > 0 ? malloc(size) : NULL;
    if (size > 0 && moved == NULL)
        return NULL;
    size_t old = malloc_usable_size(block);
    if (moved != NULL)
        memcpy(moved, block, old < size ? old : size);
    keep(memory, block);
    return moved;
}

static void *reallocate(void *context, void *block, size_t size)
{
    cairn_python_memory *memory = context;
    if (block == NULL)
        return size > 0 ? malloc(size) : NULL;
    lock(memory);
    void *result = NULL;
    if (memory->arrays > 0)
        result = move(memory, block, size);
    else if (size > 0)
        result = realloc(block, size);
    else
        free(block);
    unlock(memory);
    return result;
}

cairn_allocator cairn_python_memory_allocator(cairn_python_memory *memory)
{
    return (cairn_allocator){reallocate, memory};
}

void cairn_python_memory_hold(cairn_python_memory *memory)
{
    lock(memory);
    memory->arrays++;
    memory->users++;
    unlock(memory);
}

void cairn_python_memory_let_go(cairn_python_memory *memory)
{
    lock(memory);
    if (--memory->arrays == 0)
        release_kept(memory);
    unlock(memory);
    cairn_python_memory_destroy(memory);
}

// ---------------------------------------------------------------- steps

// Ctrl-C is one for the process
static struct sigaction python_action;
static volatile sig_atomic_t asked;
static bool watching;                 // by the main thread
static cairn_world *volatile watched; // whose step is to end; NULL for none

static void note_interrupt(int number, siginfo_t *info, void *context)
{
    asked = 1;
    cairn_world_interrupt(watched);
    // Python raises KeyboardInterrupt once it is back
    if (python_action.sa_flags & SA_SIGINFO)
        python_action.sa_sigaction(number, info, context);
    else if (python_action.sa_handler != SIG_DFL && python_action.sa_handler != SIG_IGN)
        python_action.sa_handler(number);
}

/// False where the steps of an outer call are watched already.
static bool watch_begin(cairn_world *world)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    action.sa_sigaction = note_interrupt;
    sigemptyset(&action.sa_mask);
    if (watching)
        return false;
    watching = true;
    watched = world;
    asked = 0;
    sigaction(SIGINT, &action, &python_action);
    return true;
}

static void watch_end(void)
{
    sigaction(SIGINT, &python_action, NULL);
    watching = false;
    watched = NULL;
}

// energies of many spheres cost as much as some of their steps
enum { SUMS_EVERY = 32 };

/// Looks at the step that was made.
static cairn_status look(cairn_world *world, cairn_python_watch *guarded, cairn_error *error)
{
    const cairn_world_def *def = cairn_world_get_def(world);
    const cairn_step_report *report = cairn_world_get_report(world);
    guarded->solved += strcmp(report->stop, "none") != 0;
    if (cairn_world_is_unsolved(world)) {
        guarded->unsolved++;
        guarded->worst = report->error > guarded->worst ? report->error : guarded->worst;
    }
    bool whole = cairn_world_get_step_count(world) % SUMS_EVERY == 0;
    cairn_status status = cairn_guard_step(&guarded->guard, world, whole, error);
    if (guarded->guard.warning[0] != '\0' && def->log != NULL)
        def->log(def->log_context, CAIRN_WARNING, guarded->guard.warning);
    return status;
}

cairn_status cairn_python_steps(cairn_world *world, int64_t count, bool watch, bool stops,
                                cairn_python_watch *guarded, int64_t *done, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    *done = 0;
    watch = watch && watch_begin(world);
    if (guarded != NULL && !guarded->begun) {
        *guarded = (cairn_python_watch){.begun = true};
        cairn_guard_begin(&guarded->guard, world);
    }
    // a step that was asked to end too late ends the one after it, which is begun for that
    while ((*done < count || (watch && asked)) && status == CAIRN_OK) {
        status = cairn_world_step(world, error);
        *done += status == CAIRN_OK;
        if (status == CAIRN_OK && guarded != NULL)
            status = look(world, guarded, error);
        if (stops && cairn_world_get_stop(world) != NULL)
            break;
    }
    if (watch)
        watch_end();
    return status;
}

static bool is_asked(void *context)
{
    (void)context;
    return asked != 0;
}

cairn_status cairn_python_solve(cairn_problem *problem, cairn_solve_def *def,
                                cairn_solve_report *report, bool watch, cairn_error *error)
{
    watch = watch && watch_begin(NULL);
    if (watch)
        def->stop = is_asked;
    cairn_status status = cairn_problem_solve(problem, def, report, error);
    if (watch)
        watch_end();
    return status;
}
