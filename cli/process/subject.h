// SPDX-License-Identifier: Apache-2.0
// What cairn view and cairn render show: a scene, the folder of a run, or its trajectory.h5.
#ifndef CAIRN_CLI_PROCESS_SUBJECT_H
#define CAIRN_CLI_PROCESS_SUBJECT_H

#include "viewer/app/view.h"

/// Opens a path. The bodies of a run come from the scene in its trajectory, with the parameters of
/// resolved.json beside it, or where that is missing those of the command in the trajectory; its
/// energies from energy.csv where there is one.
/// @param options  for a scene; of a run only its limits count
/// @return as scn_load for a scene; CAIRN_ERROR_FILE and CAIRN_ERROR_FORMAT for a run that is not
///         there, damaged, or not of its scene. *subject is zero on failure
cairn_status cli_subject_open(const char *path, const scn_options *options, view_subject *subject,
                              cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether a path is a run and not a scene.
bool cli_subject_is_run(const char *path);

/// The same for what a user names; complains on failure.
/// @return exit status
int cli_load_subject(const char *word, const scn_options *options, view_subject *subject);

#endif
