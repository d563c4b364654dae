// SPDX-License-Identifier: Apache-2.0
// Status codes of every fallible call, and the message that goes with a failure.
#ifndef CAIRN_STATUS_H
#define CAIRN_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/// One list: code, and the sentence `cairn_status_text` gives for it.
#define CAIRN_STATUS_LIST(X)                                                                       \
    X(OK, "done")                                                                                  \
    X(ERROR_ARGUMENT, "an argument is outside its range")                                          \
    X(ERROR_MEMORY, "out of memory")                                                               \
    X(ERROR_FILE, "a file could not be read or written")                                           \
    X(ERROR_FORMAT, "a file does not have the expected content")                                   \
    X(ERROR_SCENE, "the scene is wrong")                                                           \
    X(ERROR_NONFINITE, "a value is not finite")                                                    \
    X(ERROR_NOT_FOUND, "no such name")                                                             \
    X(ERROR_STALE_ID, "an id is null or names an object that no longer exists")                    \
    X(ERROR_UNSUPPORTED, "not available in this build or for this combination")                    \
    X(ERROR_NUMERICAL, "a computation failed")                                                     \
    X(ERROR_INCONSISTENT, "the parts of a world's state contradict each other")                    \
    X(INTERRUPTED, "interrupted")

typedef enum cairn_status {
#define CAIRN_STATUS_ENUM(name, text) CAIRN_##name,
    CAIRN_STATUS_LIST(CAIRN_STATUS_ENUM)
#undef CAIRN_STATUS_ENUM
} cairn_status;

enum { CAIRN_MESSAGE_SIZE = 512 };

/// Filled by a call that fails: what went wrong, with the value and the allowed range.
typedef struct cairn_error {
    cairn_status status;
    char message[CAIRN_MESSAGE_SIZE];
} cairn_error;

#if defined(__GNUC__)
#define CAIRN_CHECK_RESULT __attribute__((warn_unused_result))
#define CAIRN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define CAIRN_API __attribute__((visibility("default")))
#else
#define CAIRN_CHECK_RESULT
#define CAIRN_PRINTF(text, first)
#define CAIRN_API
#endif

/// Sentence for a status; never NULL.
CAIRN_API const char *cairn_status_text(cairn_status status);

#ifdef __cplusplus
}
#endif

#endif
