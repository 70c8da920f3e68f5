// SPDX-License-Identifier: Apache-2.0
/* What the command line asks for. */
#pragma once
#include <netinet/in.h>
#include <stdbool.h>
#include "basics.h"

enum { MAX_HELLOS = 8, MAX_HEADERS = 16 };

enum publish_mode { PUBLISH_NOTHING, PUBLISH_PACED, PUBLISH_WINDOW };

struct options {
    struct sockaddr_in address;
    char host[64];
    char path[1024];
    bool events; /* server-sent events instead of WebSockets */
    const char **paths; /* one for each client, instead of path */
    int path_count;
    int clients;
    int slow;
    int slow_receive_buffer;
    int concurrency; /* handshakes under way at once */
    const char *protocol;
    const char *headers[MAX_HEADERS];
    int header_count;
    struct bytes hellos[MAX_HELLOS];
    int hello_count;
    bool binary; /* greetings and published messages are binary frames */
    double settle, warmup, duration, drain, connect_timeout;
    const char *time_key, *sequence_key;
    bool time_iso; /* after time_key is an RFC 3339 timestamp, not nanoseconds */
    clockid_t clock;
    const char *ready_text;
    const char *end_text;
    int expected_ends;
    bool batch; /* a message that is an array holds many frames */
    int pid;
    enum publish_mode publish;
    double publish_rate; /* bursts a second */
    int publish_burst;   /* messages that go out together */
    int publish_window;
    const char *publish_path;
    int publish_size;
    struct bytes publish_prefix, publish_suffix;
    const char *label;
};

extern struct options option;
extern const char usage_text[];

void parse_options(int argc, char **argv);
