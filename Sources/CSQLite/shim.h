// SPDX-License-Identifier: Apache-2.0
// SQLite, and what Swift can't import of it: a macro that casts a number to a function pointer.
#ifndef HEADWAY_CSQLITE_H
#define HEADWAY_CSQLITE_H
#include <sqlite3.h>

/// Binds a text that SQLite copies at once (SQLITE_TRANSIENT).
static inline int headway_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// The same for bytes.
static inline int headway_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

#endif
