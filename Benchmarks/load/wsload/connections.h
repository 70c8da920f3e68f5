// SPDX-License-Identifier: Apache-2.0
/* Connections, from the first packet to the last, and what is counted of all of them. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "basics.h"
#include "histogram.h"

enum role { READER, SLOW_READER, PUBLISHER };
enum state { CONNECTING, HANDSHAKING, OPEN, CLOSED };

struct connection {
    int fd, number;
    enum role role;
    enum state state;
    bool wants_write;
    struct bytes carry;   /* an incomplete frame, kept until the rest arrives */
    struct bytes pending; /* bytes the socket did not take yet */
    uint64_t messages, bytes;
    uint64_t last_sequence, gaps, repeats; /* gaps: numbers skipped; repeats: numbers not rising */
    uint64_t ends;
    uint64_t heard_at; /* when its last message came, while --duration lasts */
    uint64_t began_at; /* when it set out to connect */
    bool joined;
};

struct run {
    int poll;
    struct connection *all; /* readers, then slow readers, then the publisher */
    int total, started, open, failed, disconnected, under_way;
    char *buffer;
    bool counting;
    uint64_t deliveries, delivered_bytes; /* inside --duration */
    uint64_t deliveries_ever;             /* for the closed loop and the drain */
    uint64_t top_sequence;                /* highest seen by anyone */
    uint64_t longest_silence;             /* of any reader, between two messages, inside --duration */
    uint64_t pings;
    struct histogram latency, joining;
};

extern struct run run;

void drop(struct connection *c, const char *why);
void flush(struct connection *c);
/* Queues one masked frame, as every frame from a client must be. */
void queue_frame(struct connection *c, unsigned opcode, const char *payload, size_t length);
void open_connection(struct connection *c, enum role role, int number);
void send_handshake(struct connection *c);
void count_as_joined(struct connection *c);
void finish_handshake(struct connection *c);
