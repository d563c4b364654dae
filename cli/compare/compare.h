// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: what is read of a run's folder, and differences of its tables. Shared by
// cmd_compare.c and compare_*.c.
#ifndef CAIRN_CLI_COMPARE_COMPARE_H
#define CAIRN_CLI_COMPARE_COMPARE_H

#include "cli/text/csv.h"
#include "cli/text/json_read.h"

enum { COMPARE_TEXT = 128, COMPARE_PATH = 256 };

/// summary.json, as far as a comparison wants it; NaN and "" where a key is absent.
typedef struct compare_summary {
    char scene[COMPARE_TEXT], law[COMPARE_TEXT], solver[COMPARE_TEXT], status[COMPARE_TEXT];
    char state_hash[COMPARE_TEXT];
    double steps, time, bodies, contacts_max, iterations_mean, error_max, energy_residual;
    double penetration_max, seconds_stepping, seconds_per_step;
} compare_summary;

/// @return CAIRN_ERROR_FILE, or CAIRN_ERROR_FORMAT for a file that is no summary
cairn_status compare_summary_read(compare_summary *summary, const char *folder,
                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// A setting that two runs do not share: where it stands in resolved.json, and its values.
typedef struct compare_setting {
    char name[COMPARE_PATH];
    cli_json_kind kind[2];       // null where a run has none
    double number[2];            // of a number; of a boolean 0 or 1
    char value[2][COMPARE_TEXT]; // in words
} compare_setting;

typedef struct compare_settings_list {
    base_allocator allocator;
    bool known; // both runs have a resolved.json that can be read
    compare_setting *items;
    int count, capacity;
} compare_settings_list;

/// Settings that differ, but those that results do not depend on.
cairn_status compare_settings_read(const char *const folders[2], compare_settings_list *list,
                                   cairn_error *error) CAIRN_CHECK_RESULT;
void compare_settings_release(compare_settings_list *list);

/// The largest difference of one quantity, which may have several columns (x, y, z).
typedef struct compare_line {
    char name[COMPARE_TEXT];
    double difference; // in the quantity's unit
    double scale;      // size of the quantity in the runs
    double where;      // s, or the body's number
} compare_line;

/// difference / scale; 0 for two zeros.
double compare_relative(const compare_line *line);

typedef struct compare_lines {
    base_allocator allocator;
    compare_line *items;
    int count, capacity;
} compare_lines;

void compare_lines_release(compare_lines *lines);

/// Differences of two series (first columns: step, time), at the times of the first run that the
/// second covers, between whose rows it is taken to be straight. Columns are matched by name.
/// @param together  true: all columns share one scale (energies); false: columns that differ in one
///                  of the letters x, y, z make one quantity
/// @param same      out: false where columns or times are not the same
cairn_status compare_series(const cli_table *a, const cli_table *b, bool together,
                            compare_lines *lines, bool *same) CAIRN_CHECK_RESULT;

/// Differences of two tables of bodies: position, angle between orientations, velocities. Positions
/// are measured by the extent of the bodies that move, and velocities at least by the speed that
/// all of them would have with the energy, so that bodies at rest differ by nothing.
/// @param energy  J, largest energy of the runs; 0: not known
cairn_status compare_bodies(const cli_table *a, const cli_table *b, double energy,
                            compare_lines *lines, bool *same) CAIRN_CHECK_RESULT;

#endif
