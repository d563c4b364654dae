// SPDX-License-Identifier: Apache-2.0
// The fixed numbers of `auto`, each with its unit and its reason. What a user may want to change is
// a setting (auto.c). Where a value was chosen by measurement, docs/notes/solver_experiments.md has
// the figures.
#ifndef CAIRN_CONTACT_STRATEGY_NUMBERS_H
#define CAIRN_CONTACT_STRATEGY_NUMBERS_H

// ---------------------------------------------------------------- costs

/// Nominal seconds of work, by operations and not by the clock, so that results are the same on
/// every machine: of a factorisation for each contact and for each operation of its factors, of a
/// gradient step and of a sweep for each contact. They are orders of size, no timings.
static const double con_cost_of_contact = 1e-6;
static const double con_cost_of_operation = 0.08e-9;
static const double con_cost_of_gradient = 2e-8;
static const double con_cost_of_sweep = 1e-7;

// ---------------------------------------------------------------- tolerances and errors

/// Up to this tolerance Newton steps bring what rests to rest for many steps to come. Looser ones
/// leave motions in which contacts open and close: what is solved does not outlive its step, and
/// sweeps, even those that creep, calm these motions better.
static const double con_tight = 1e-7;

/// Part of the tolerance that what rests is brought to, and the linear solves for that: what is
/// left of the accelerations at rest adds up over the steps to come, which are then spared Newton
/// steps of their own for a while.
static const double con_deeper = 1e-2;
enum { CON_DEEPER_SOLVES = 4 };

/// A point up to this error is polished; one further away has other contacts than the solution, and
/// has not run away for want of one either.
static const double con_near = 1e-2;

/// The same after gradient steps, which leave few contacts undecided.
static const double con_near_by_gradient = 5e-5;

/// A search for tolerances as deep as the second begins, at errors up to the first, with proximal
/// steps that are shorter and more.
static const double con_nearly_there = 1e-7;
static const double con_deep = 1e-10;
enum { CON_NEARLY_THERE_SOLVES = 1000 };

// ---------------------------------------------------------------- proximal steps

/// Newton steps for one proximal point, and its tolerance over the error: only the last point has
/// to be exact.
enum { CON_PROXIMAL_INNER = 12 };
static const double con_proximal_inner_factor = 0.01;

/// Weights, relative to 3 / trace of the diagonal block: of first steps, of the last resort, which
/// starts from further away, and of steps that only finish.
static const double con_weight = 1e3;
static const double con_weight_from_afar = 1e2;
static const double con_weight_at_end = 1e8;

/// A polish starts with the weight 0.1 / error, and no more: the nearer, the longer the first step
/// may be. Another round follows as long as one halves the error.
static const double con_polish_weight_by_error = 0.1;
static const double con_polish_weight_most = 1e10;
static const double con_polish_gain = 0.5;

// ---------------------------------------------------------------- Newton steps

/// Steps between two looks at the error, and what they must gain from zero: a digit. What gains
/// less is left to the interior point.
enum { CON_NEWTON_FEW = 3 };
static const double con_newton_gain = 0.1;
static const double con_newton_regularisation = 1e-4;

/// Steps on each of the other equations, and the proximal steps after them.
enum { CON_EQUATION_STEPS = 45, CON_EQUATION_SOLVES = 260 };

// ---------------------------------------------------------------- interior point

/// Escapes from folds of one path, and starts with ten times the scale where a start is slow.
enum { CON_ESCAPES = 60, CON_SLOW_STARTS = 3 };

/// Factorisations from a guess, of the first path and of others: most end soon, and those that do
/// not are better left for further starts (time to a solution is heavy-tailed).
enum { CON_FIRST_FROM_GUESS = 100, CON_OTHERS_FROM_GUESS = 300 };

/// Scattered starts before other methods have a turn, and the proximal steps of that turn.
enum { CON_FEW_RESTARTS = 2, CON_SHORT_SOLVES = 600 };

/// A search takes no less than this many times the factorisations that the island has had.
static const double con_search_least = 2.0;

// ---------------------------------------------------------------- gradient steps

/// Factors are dear where so many factorisations cost more than so many gradient steps.
enum { CON_DEAR_FACTORISATIONS = 12, CON_DEAR_STEPS = 4000 };

/// Factorisations that gradient steps may cost, in an island and in a patch, whose error they reach
/// where no path does.
enum { CON_GRADIENT_WORTH = 25, CON_PATCH_GRADIENT_WORTH = 150 };

/// Two paces of the shift: what one does not solve, the other may. Part of its way that the shift
/// goes every five steps, and the steps in which the error must fall by half.
enum { CON_PACES = 2 };
static const double con_pace_share[CON_PACES] = {0.4, 0.15};
static const int con_pace_patience[CON_PACES] = {1500, 3000};
static const double con_pace_slowest = 0.02;

// ---------------------------------------------------------------- patches

/// Patches are for islands of at least one part in so many of all contacts: what one costs passes
/// over all.
enum { CON_PATCH_ISLANDS = 16 };

/// Patches of an island, and those in a row that may fail to halve its error; part of the effort
/// that one may take.
enum { CON_PATCHES = 20, CON_PATCHES_IN_VAIN = 4 };
static const double con_patch_gain = 0.5;

/// What the contacts that a patch leaves out may keep, so that it has few contacts and nearly all
/// of the error: part of the island's error, and, where that is more, of what the tolerance leaves
/// to the island.
static const double con_patch_rest = 0.03;
static const double con_patch_rest_of_tolerance = 0.3;

/// To what a patch is solved: this part of the island's tolerance, and of the patch's own where
/// that is more. The contacts at its border get the rest.
static const double con_patch_part = 0.2;
static const double con_patch_least_part = 0.1;
static const double con_patch_effort = 0.25;

/// Part of an island that a patch may have, and a wider one after it: before the whole is tried,
/// and after it.
static const double con_patch_most[2] = {0.2, 0.6};
static const double con_patch_wider_most[2] = {0.4, 0.7};

// ---------------------------------------------------------------- effort

/// A search leaves one part in so many of the effort to the last resort, which gives half of what
/// is left to sweeps and half to proximal steps.
enum { CON_RESERVE = 3 };
static const double con_last_share = 0.5;

/// Part of the clock's time left that a long proximal run may take.
static const double con_clock_share = 0.5;

#endif
