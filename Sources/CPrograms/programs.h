// SPDX-License-Identifier: Apache-2.0
// What starts programs and Swift does not see: glibc (2.34 and later) shows it only to those who define _DEFAULT_SOURCE.
#ifndef HEADWAY_CPROGRAMS_H
#define HEADWAY_CPROGRAMS_H
#include <spawn.h>

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

/// In the child, closes every descriptor from that one on; an error number, like its relatives.
static inline int headway_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

#endif
