// SPDX-License-Identifier: Apache-2.0
#ifndef HEADWAY_CSQLITE_H
#define HEADWAY_CSQLITE_H
#include <sqlite3.h>
#endif
