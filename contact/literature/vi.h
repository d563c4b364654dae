// SPDX-License-Identifier: Apache-2.0
// The law as a variational inequality: projections along F(r) = u + mu |u_T| e_N.
#ifndef CAIRN_CONTACT_LITERATURE_VI_H
#define CAIRN_CONTACT_LITERATURE_VI_H

#include "contact/literature/search.h"

/// Find r in K with F(r).(z - r) >= 0 for all z in K, solvers.md (S.9).
typedef struct con_vi {
    con_search search;
    double (*r)[3], (*u)[3], (*F)[3];                   // the point
    double (*trial_r)[3], (*trial_u)[3], (*trial_F)[3]; // P_K(r - rho F) and its values
    double rho;
    bool failed; // a value was not finite
} con_vi;

/// Settings of the self-adaptive step, solvers.md (S.10).
typedef struct con_vi_settings {
    int rule;        // con_vi_rule
    double rho;      // first step
    double largest;  // L: above this ratio the step is cut
    double smallest; // below it the step grows
    double factor;   // of cuts and growth
} con_vi_settings;

typedef enum con_vi_rule {
    CON_VI_UPK, // rho |F - F'| / |r - r'|
    CON_VI_UPTS // rho (r - r').(F - F') / |r - r'|^2
} con_vi_rule;

extern const char *const con_vi_rule_names[];

/// Start at the guess, its values computed and tested.
cairn_status con_vi_begin(con_vi *vi, const con_problem *problem, const con_control *control,
                          int default_limit, double rho, double (*R)[3], con_report *report,
                          base_arena *arena) CAIRN_CHECK_RESULT;

/// u = W r + q and F of a point.
void con_vi_evaluate(con_vi *vi, const double (*r)[3], double (*u)[3], double (*F)[3]);

/// out = P_K(r - step F)
void con_vi_project(const con_vi *vi, const double (*r)[3], double step, const double (*F)[3],
                    double (*out)[3]);

/// Trial point with a step that makes the map contract; counts its products.
/// @param ratio  out: of the accepted step
/// @return false when out of iterations
bool con_vi_trial(con_vi *vi, const con_vi_settings *settings, double *ratio);

/// The trial becomes the point.
void con_vi_accept(con_vi *vi);

/// Tests the point. @return whether to go on
bool con_vi_go_on(con_vi *vi);

#define CON_VI_ROWS                                                                                \
    {                                                                                              \
        "rule",      BASE_SETTING_CHOICE, offsetof(con_vi_settings, rule),                         \
        "",          CON_VI_UPK,          CON_VI_UPK,                                              \
        CON_VI_UPTS, con_vi_rule_names,   "what the step is adapted by"},                          \
        {"rho",                                                                                    \
         BASE_SETTING_REAL,                                                                        \
         offsetof(con_vi_settings, rho),                                                           \
         "",                                                                                       \
         1.0,                                                                                      \
         1e-12,                                                                                    \
         1e12,                                                                                     \
         NULL,                                                                                     \
         "first step, relative to 3 / trace of the diagonal block"},                               \
        {"largest",                                                                                \
         BASE_SETTING_REAL,                                                                        \
         offsetof(con_vi_settings, largest),                                                       \
         "",                                                                                       \
         0.9,                                                                                      \
         0.01,                                                                                     \
         0.999,                                                                                    \
         NULL,                                                                                     \
         "ratio above which the step is cut"},                                                     \
        {"smallest",                                                                               \
         BASE_SETTING_REAL,                                                                        \
         offsetof(con_vi_settings, smallest),                                                      \
         "",                                                                                       \
         0.3,                                                                                      \
         0.0,                                                                                      \
         0.999,                                                                                    \
         NULL,                                                                                     \
         "ratio below which the step grows"},                                                      \
    {                                                                                              \
        "factor", BASE_SETTING_REAL, offsetof(con_vi_settings, factor), "", 2.0 / 3.0, 0.1, 0.95,  \
            NULL, "of a cut; growth is its inverse"                                                \
    }

#endif
