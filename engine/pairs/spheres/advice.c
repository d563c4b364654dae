// SPDX-License-Identifier: Apache-2.0
// Why many spheres or clumps of a world are not in the sphere executor, in words for its user.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "contact/laws/slow.h"
#include "engine/state/surfaces.h"

#include <stdio.h>

// fewer are fast enough anywhere
enum { MANY = 100 };

/// Dynamic bodies that explicit laws move outside of the executor: how many, and one of them.
typedef struct outsiders {
    int count, example;
} outsiders;

static const eng_surface *own_surface(const cairn_world *world, int body, eng_surface *scratch)
{
    int material = world->model.bodies.rows[body].material;
    return eng_surface_between(world, material, material, scratch);
}

static eng_outside case_of(const cairn_world *world, int body)
{
    return eng_spheres_may_hold(world, body)        ? ENG_OUTSIDE_SPHERES
           : eng_spheres_is_of_spheres(world, body) ? ENG_OUTSIDE_CLUMPS
                                                    : ENG_OUTSIDE_SHAPES;
}

static outsiders find_outsiders(const eng_spheres *spheres, eng_outside which)
{
    const cairn_world *world = spheres->world;
    outsiders found = {0};
    for (int i = 0; i < world->model.bodies.count; i++) {
        if (!eng_body_is_live(world, i) || world->model.bodies.rows[i].kind != CAIRN_DYNAMIC ||
            case_of(world, i) != which || eng_spheres_slot_of(spheres, i) != ENG_SPHERES_NO_SLOT ||
            (which == ENG_OUTSIDE_CLUMPS && eng_spheres_is_clump(spheres, i)))
            continue;
        eng_surface scratch;
        if (own_surface(world, i, &scratch)->law->kind != CON_LAW_IMPULSE)
            continue;
        found.example = i;
        found.count++;
    }
    return found;
}

/// The first setting whose default would bring the surface into the kernels; NULL: none alone.
static const char *setting_against(const eng_surface *surface, bool clumps)
{
    const base_settings_table *table = &surface->law->table;
    _Alignas(16) unsigned char initial[CON_LAW_SETTINGS_MAX];
    base_settings_defaults(table, initial);
    for (int k = 0; k < table->count; k++) {
        eng_surface with = *surface;
        cairn_error unused;
        const base_setting *row = &table->settings[k];
        if (base_settings_set(table, with.parameters, row->name, base_settings_get(row, initial),
                              &unused) == CAIRN_OK &&
            (clumps ? eng_spheres_law_takes_clumps(&with) : eng_spheres_has_kernel(&with)))
            return row->name;
    }
    return NULL;
}

/// Why the bodies are outside, as a clause.
static void explain(const cairn_world *world, const eng_surface *surface, eng_outside which,
                    char *text, size_t size)
{
    bool clumps = which == ENG_OUTSIDE_CLUMPS;
    const char *setting = which != ENG_OUTSIDE_SHAPES ? setting_against(surface, clumps) : NULL;
    if (which == ENG_OUTSIDE_SHAPES)
        snprintf(text, size, "kernels move spheres and clumps of spheres alone");
    else if (clumps && world->state.cell.any && eng_spheres_law_takes_clumps(surface))
        snprintf(text, size, "kernels take no clumps in a periodic cell");
    else if (surface->law->batch != NULL && setting != NULL)
        snprintf(text, size, "its kernel takes %s only with the default of %s",
                 clumps ? "clumps" : "spheres", setting);
    else
        snprintf(text, size, "it has no kernel%s%s", clumps ? " for clumps" : "",
                 clumps ? " (hooke and hertz_mindlin have)"
                        : " (`cairn list laws` shows which laws have one)");
}

bool eng_spheres_advise(const cairn_world *world, eng_outside which, char *text, size_t size)
{
    static const char *const nouns[] = {"spheres", "clumps", "bodies"};
    eng_surface scratch;
    outsiders found = find_outsiders(world->state.spheres, which);
    if (found.count < MANY)
        return false;
    const eng_surface *surface = own_surface(world, found.example, &scratch);
    const geo_shape *shape =
        world->model.shapes.rows[world->model.bodies.rows[found.example].shape];
    double factor = which == ENG_OUTSIDE_SHAPES
                        ? con_slow_shape(cairn_shape_kind_name((cairn_shape_kind)shape->kind))
                        : con_slow_law(surface->law->name, which == ENG_OUTSIDE_CLUMPS);
    char why[160], times[40] = "several";
    explain(world, surface, which, why, sizeof why);
    if (factor > 0.0)
        snprintf(times, sizeof times, "some %.0f", factor);
    snprintf(text, size,
             "Law '%.40s' runs on the slow path for %d %s, %s times slower in a dense bed%s: %s",
             surface->law->name, found.count, nouns[which], times,
             which == ENG_OUTSIDE_SHAPES ? " than spheres" : "", why);
    return true;
}
