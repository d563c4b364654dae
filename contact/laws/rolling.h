// SPDX-License-Identifier: Apache-2.0
// Tangential, rolling and twisting resistance, shared by the laws with a tangential spring.
#ifndef CAIRN_CONTACT_LAWS_ROLLING_H
#define CAIRN_CONTACT_LAWS_ROLLING_H

#include "contact/laws/law.h"
#include "contact/laws/slider.h"

#include <float.h>

typedef struct con_rolling {
    double rolling_friction, rolling_stiffness, rolling_damping;
    double twisting_friction, twisting_stiffness, twisting_damping;
} con_rolling;

enum { CON_ROLLING_HISTORY = 4, CON_ROLLING_STORED = 2 };

/// Rows of a settings table for a struct with a member `member` of type con_rolling.
#define CON_ROLLING_SETTINGS(type, member)                                                         \
    {"rolling_friction",                                                                           \
     BASE_SETTING_REAL,                                                                            \
     offsetof(type, member.rolling_friction),                                                      \
     "",                                                                                           \
     0.0,                                                                                          \
     0.0,                                                                                          \
     DBL_MAX,                                                                                      \
     NULL,                                                                                         \
     "rolling moment at most this times effective radius times normal force"},                     \
        {"rolling_stiffness",                                                                      \
         BASE_SETTING_REAL,                                                                        \
         offsetof(type, member.rolling_stiffness),                                                 \
         "N/m",                                                                                    \
         0.0,                                                                                      \
         0.0,                                                                                      \
         DBL_MAX,                                                                                  \
         NULL,                                                                                     \
         "spring against rolling, at the effective radius; 0: that against sliding"},              \
        {"rolling_damping",                                                                        \
         BASE_SETTING_REAL,                                                                        \
         offsetof(type, member.rolling_damping),                                                   \
         "N s/m",                                                                                  \
         0.0,                                                                                      \
         0.0,                                                                                      \
         DBL_MAX,                                                                                  \
         NULL,                                                                                     \
         "dashpot against rolling, at the effective radius"},                                      \
        {"twisting_friction",                                                                      \
         BASE_SETTING_REAL,                                                                        \
         offsetof(type, member.twisting_friction),                                                 \
         "",                                                                                       \
         0.0,                                                                                      \
         0.0,                                                                                      \
         DBL_MAX,                                                                                  \
         NULL,                                                                                     \
         "twisting moment at most this times effective radius times normal force"},                \
        {"twisting_stiffness",                                                                     \
         BASE_SETTING_REAL,                                                                        \
         offsetof(type, member.twisting_stiffness),                                                \
         "N/m",                                                                                    \
         0.0,                                                                                      \
         0.0,                                                                                      \
         DBL_MAX,                                                                                  \
         NULL,                                                                                     \
         "spring against twisting, at the effective radius; 0: that against sliding"},             \
    {                                                                                              \
        "twisting_damping", BASE_SETTING_REAL, offsetof(type, member.twisting_damping), "N s/m",   \
            0.0, 0.0, DBL_MAX, NULL, "dashpot against twisting, at the effective radius"           \
    }

/// Tangential part of R with its dashpot part, stored energy and friction, by a slider that moves
/// with the contact point; added to `output`.
/// @param history  [3] spring force on B, N, world
void con_tangential_force(const con_slider *slider, const con_impulse_input *input,
                          double history[3], con_impulse_output *output);

/// Whether anything of these parameters acts.
static inline bool con_rolling_resists(const con_rolling *p)
{
    return p->rolling_friction > 0.0 || p->twisting_friction > 0.0;
}

/// Adds couples, stored energy and friction to `output`, docs/laws.md section 3.
/// @param radius     m, effective; INFINITY: as the shapes roll, nothing where that is not known
/// @param force      N, normal, >= 0
/// @param sliding    gives the stiffness where that of the settings is 0
/// @param history    [4] rolling moment on B (N m, world), twisting moment on B (N m)
/// @param stored     [2] J, that they store where radii may change: of rolling, of twisting
void con_rolling_resist(const con_rolling *p, const con_impulse_input *input, double radius,
                        double force, const con_slider *sliding,
                        double history[CON_ROLLING_HISTORY], double stored[CON_ROLLING_STORED],
                        con_impulse_output *output);

#endif
