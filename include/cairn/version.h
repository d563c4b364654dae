// SPDX-License-Identifier: Apache-2.0
// cairn: the version, and what may change with it. The build reads the numbers from this file.
//
// A change of MAJOR, or of MINOR while MAJOR is 0, may change or remove anything. Otherwise calls,
// enum values and members of structs are only added: a program that was built with one version runs
// with the library of a later one that has the same MAJOR (0.MINOR while MAJOR is 0), which is the
// version in the name of the shared library. Structs that a program fills have a cookie, which
// holds their layout, and a library refuses one that it does not know; structs that the library
// fills grow with MAJOR, or 0.MINOR, alone.
#ifndef CAIRN_VERSION_H
#define CAIRN_VERSION_H

#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0

#define CAIRN_VERSION_QUOTE(number) #number
#define CAIRN_VERSION_JOIN(major, minor, patch)                                                    \
    CAIRN_VERSION_QUOTE(major) "." CAIRN_VERSION_QUOTE(minor) "." CAIRN_VERSION_QUOTE(patch)
/// Of the headers, "0.1.0".
#define CAIRN_VERSION_TEXT                                                                         \
    CAIRN_VERSION_JOIN(CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH)

/// Of the library that runs, which may be later than that of the headers; never NULL.
CAIRN_API const char *cairn_version(void);

#ifdef __cplusplus
}
#endif

#endif
