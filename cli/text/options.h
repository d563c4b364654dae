// SPDX-License-Identifier: Apache-2.0
// One table of options a subcommand gives parsing, --help, man page and completion.
#ifndef CAIRN_CLI_TEXT_OPTIONS_H
#define CAIRN_CLI_TEXT_OPTIONS_H

#include "base/status.h"
#include "scenes/scene.h"

#include <stdio.h>

/// Type of an option and of the field it fills.
typedef enum cli_option_type {
    CLI_FLAG,        // bool
    CLI_TEXT,        // const char *, into argv
    CLI_NUMBER,      // double
    CLI_INTEGER,     // int64_t
    CLI_CHOICE,      // const char *, one of `words`
    CLI_ASSIGNMENTS, // cli_assignments, name=value, may be repeated
    CLI_PLUGIN       // const char *, a name of a table of the engine
} cli_option_type;

/// What a shell may complete an argument with.
typedef enum cli_completion {
    CLI_COMPLETE_NOTHING,
    CLI_COMPLETE_FILE,
    CLI_COMPLETE_FOLDER
} cli_completion;

typedef struct cli_option {
    const char *name; // without the dashes
    char letter;      // short form; 0: none
    cli_option_type type;
    size_t offset;           // of the field in the command's settings
    const char *argument;    // name of the value in help; NULL for a flag
    const char *help;        // one sentence, no full stop
    double minimum, maximum; // of a number or integer; minimum excluded where `open`
    bool open;
    const char *word;         // that may stand for a number; NULL: none
    double word_value;        // which it means
    const char *const *words; // of a choice, NULL-terminated
    cairn_plugin plugin;
    cli_completion completion;
} cli_option;

enum { CLI_ASSIGNMENTS_MAX = 64, CLI_ASSIGNMENT_NAME = 80, CLI_ARGUMENTS_MAX = 4096 };

typedef struct cli_assignments {
    scn_assignment items[CLI_ASSIGNMENTS_MAX]; // names in `names`, values in argv
    char names[CLI_ASSIGNMENTS_MAX][CLI_ASSIGNMENT_NAME];
    int count;
} cli_assignments;

/// All subcommands, in the order of the help.
typedef struct cli_commands {
    const struct cli_command *const *items; // [count]
    int count;
} cli_commands;

/// First member of every command's settings.
typedef struct cli_common {
    const cli_commands *commands; // the list that the command stands in
    bool help;
    const char *arguments[CLI_ARGUMENTS_MAX]; // what is no option, in order
    int argument_count;
} cli_common;

/// Options that several subcommands have, for one member of the settings of each.
typedef struct cli_group {
    const cli_option *options; // [count]
    int count;
    size_t offset; // of the member that the options' offsets are counted from
} cli_group;

/// A subcommand: one file, one table, one line in the list of commands.
typedef struct cli_command {
    const char *name;
    const char *summary;     // one line
    const char *operands;    // "SCENE", "FILE", "[NAME]", "" ...
    const char *description; // paragraphs
    int least, most;         // number of operands
    const cli_option *options;
    int option_count;
    const cli_group *groups; // [group_count], before `options` in help; NULL: none
    int group_count;
    size_t settings_size;
    cli_completion completion;        // of operands
    const char *const *operand_words; // for completion; NULL: none
    /// Sets what is not zero by default; may be NULL.
    void (*defaults)(void *settings);
    /// @return exit status
    int (*run)(const void *settings);
    /// Adds to --help after the options; may be NULL.
    int (*help)(const void *settings);
    /// Plain text for the manual page after the options; may be NULL.
    void (*manual)(FILE *out);
} cli_command;

/// Number of options of a subcommand, those of its groups included, and each of them with its
/// offset in the settings.
int cli_option_count(const cli_command *command);
cli_option cli_option_at(const cli_command *command, int index);

/// Fills the settings (settings_size bytes) from the words after the subcommand. Options may be
/// written --name value or --name=value, anywhere; "--" ends them.
/// @return CAIRN_OK or CAIRN_ERROR_ARGUMENT with a message for the user
cairn_status cli_options_parse(const cli_command *command, int argc, char *const *argv,
                               void *settings, cairn_error *error) CAIRN_CHECK_RESULT;

/// Usage line, description and options.
void cli_options_help(const cli_command *command, FILE *out);

#endif
