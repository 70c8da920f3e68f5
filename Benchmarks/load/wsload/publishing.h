// SPDX-License-Identifier: Apache-2.0
/* Publishing the messages that all receive, where the server does not speak by itself. */
#pragma once
#include "connections.h"

struct publisher {
    struct connection *connection;
    uint64_t sent, next_at, stalls;
    uint64_t credit_base;  /* deliveries written off after a stall */
    uint64_t last_progress_at, last_deliveries;
};

extern struct publisher publisher;

/* Publishes what is due and returns when to look again. */
uint64_t publish_due(uint64_t now);
