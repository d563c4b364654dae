// SPDX-License-Identifier: Apache-2.0
// A wall in bond whose contacts are sorted into the tasks of domains.
#ifndef CAIRN_TESTS_CONTACT_BOND_H
#define CAIRN_TESTS_CONTACT_BOND_H

#include "tests/unit/contact/fixture.h"

enum { COLUMNS = 24, ROWS = 5, LEVELS = 3, DOMAINS = 1 << LEVELS, TASKS = 2 * DOMAINS - 1 };

// bodies of a wall of columns in bond: brick `row`, `column` lies on two below
static inline int brick(int row, int column)
{
    return row * COLUMNS + column;
}

typedef struct bond {
    fixture f;
    con_domains domains;
} bond;

static inline int below(int row, int column, int side)
{
    int other = column - row % 2 + side;
    return row > 0 && other >= 0 && other < COLUMNS ? brick(row - 1, other) : -1;
}

static inline void lay_brick(fixture *f, base_rng *rng, int row, int column, int task_of[])
{
    int body = brick(row, column);
    double mass = base_rng_range(rng, 0.8, 1.2);
    for (int k = 0; k < 6; k++) {
        f->mass_inverse[body][k] = k < 3 ? 1.0 / mass : 12.0 / (mass * (0.2 + 0.1 * k));
        f->v_free[body][k] = base_rng_range(rng, -0.05, 0.05) - (k == 2 ? 0.1 : 0.0);
    }
    for (int corner = 0; corner < 4; corner++) {
        double x = corner & 1 ? 0.4 : -0.4, y = corner & 2 ? 0.25 : -0.25;
        int contact = 4 * body + corner, other = below(row, column, corner & 1);
        int domain = column * DOMAINS / COLUMNS;
        fixture_set_contact(f, contact, other, body, (vec3){0.0, 0.0, 1.0},
                            (vec3){-0.5 * x, y, 0.25}, (vec3){x, y, -0.25}, 0.4);
        task_of[contact] = con_domains_task(
            LEVELS, other >= 0 ? other % COLUMNS * DOMAINS / COLUMNS : domain, domain);
    }
}

// contact `from` of one fixture becomes contact `to` of another
static inline void copy_contact(const fixture *source, int from, fixture *f, int to)
{
    memcpy(f->H[to], source->H[from], sizeof f->H[to]);
    memcpy(f->body[to], source->body[from], sizeof f->body[to]);
    f->friction[to] = source->friction[from];
}

// a wall in bond, its contacts sorted by tasks
static inline bond bond_create(void)
{
    enum { BODIES = COLUMNS * ROWS, CONTACTS = 4 * BODIES };
    base_rng rng = base_rng_make(5);
    int task_of[CONTACTS], made = 0;
    fixture plain = fixture_create(CONTACTS, BODIES);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            lay_brick(&plain, &rng, row, column, task_of);
    bond b = {.f = fixture_create(CONTACTS, BODIES), .domains = {.levels = LEVELS}};
    memcpy(b.f.mass_inverse, plain.mass_inverse, BODIES * sizeof *plain.mass_inverse);
    memcpy(b.f.v_free, plain.v_free, BODIES * sizeof *plain.v_free);
    for (int task = 0; task < TASKS; task++) {
        b.domains.start[task] = made;
        for (int i = 0; i < CONTACTS; i++)
            if (task_of[i] == task)
                copy_contact(&plain, i, &b.f, made++);
        assert_true(made > b.domains.start[task]);
    }
    b.domains.start[TASKS] = made;
    assert_int_equal(made, CONTACTS);
    fixture_finish(&b.f);
    fixture_destroy(&plain);
    return b;
}

#endif
