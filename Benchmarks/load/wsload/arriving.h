// SPDX-License-Identifier: Apache-2.0
/* What arrives: frames, events, and the turns of the loop that bring them. */
#pragma once
#include "connections.h"

enum { RECEIVE_BUFFER = 4 << 20 }; /* shared by all clients; the largest frame that can be parsed */

/* How long a reader heard nothing; what began before --duration counts from its beginning. */
void note_silence(struct connection *c, uint64_t now, uint64_t since);
/* One turn of the event loop, no later than the deadline. */
void turn(uint64_t deadline);
