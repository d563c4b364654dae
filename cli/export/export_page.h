// SPDX-License-Identifier: Apache-2.0
// The page of web/built/replay.html and the script show.py inside the program; made by
// viewer/embed.py.
#ifndef CAIRN_CLI_EXPORT_EXPORT_PAGE_H
#define CAIRN_CLI_EXPORT_EXPORT_PAGE_H

/// Zero-terminated; what a run brings stands in place of the comment "blocks".
extern const unsigned char export_file_replay_html[];
extern const int export_file_replay_html_size; // without the zero

/// The script; what the run is stands in place of its line "RUN = {}". Zero-terminated.
extern const unsigned char export_file_show_py[];
extern const int export_file_show_py_size;

#endif
