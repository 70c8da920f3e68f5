// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "arriving.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "options.h"
#include "values.h"

enum { EVENTS_PER_WAIT = 512, CONTROL_FRAME_MAX = 125 };

static void note_sequence(struct connection *c, uint64_t sequence)
{
    if (c->last_sequence || option.publish) {
        if (sequence > c->last_sequence + 1)
            c->gaps += sequence - c->last_sequence - 1;
        else if (sequence <= c->last_sequence)
            c->repeats++;
    }
    if (sequence > c->last_sequence)
        c->last_sequence = sequence;
    if (sequence > run.top_sequence)
        run.top_sequence = sequence;
}

void note_silence(struct connection *c, uint64_t now, uint64_t since)
{
    uint64_t from = c->heard_at ? c->heard_at : since;
    if (from && now - from > run.longest_silence)
        run.longest_silence = now - from;
    c->heard_at = now;
}

/* A message may hold several frames (a broker's, or a batch), so each key is looked for until the end. */
static void take_message(struct connection *c, const char *payload, size_t length, uint64_t now)
{
    if (c->role != READER)
        return;
    const char *end = payload + length;
    if (run.counting)
        note_silence(c, monotonic_ns(), 0);
    if (!c->joined && after_next(payload, end, option.ready_text))
        count_as_joined(c);
    bool array = length && *payload == '[';
    uint64_t numbered = 0, frames = 1;
    if (option.sequence_key) {
        for (const char *p = payload; (p = after_next(p, end, option.sequence_key)); numbered++)
            note_sequence(c, read_number(p, end));
        frames = numbered;
    }
    if (option.batch)
        frames = array ? frames_in(payload, end) : 1;
    if (option.time_key && run.counting)
        for (const char *p = payload; (p = after_next(p, end, option.time_key));) {
            uint64_t sent = option.time_iso ? read_iso_time(p, end) : read_number(p, end);
            if (sent)
                histogram_add(&run.latency, now > sent ? now - sent : 0);
        }
    if (option.end_text) {
        uint64_t found = occurrences(payload, end, option.end_text);
        c->ends += array ? found : found > 0;
    }
    run.deliveries_ever += option.sequence_key ? numbered : frames;
    if (run.counting) {
        c->messages += frames;
        c->bytes += length;
        run.deliveries += frames;
        run.delivered_bytes += length;
    }
}

/* Handles the whole frames in a buffer and returns how many bytes they took. */
static size_t take_frames(struct connection *c, char *data, size_t length)
{
    uint64_t now = clock_ns(option.clock);
    size_t used = 0;
    while (length - used >= 2 && c->state == OPEN) {
        const uint8_t *frame = (const uint8_t *)data + used;
        size_t left = length - used, header = 2;
        uint64_t payload = frame[1] & 0x7f;
        if (frame[1] & 0x80) {
            drop(c, "the server masked a frame");
            break;
        }
        if (payload == 126) {
            header = 4;
            if (left < header)
                break;
            payload = (uint64_t)frame[2] << 8 | frame[3];
        } else if (payload == 127) {
            header = 10;
            if (left < header)
                break;
            payload = 0;
            for (int i = 0; i < 8; i++)
                payload = payload << 8 | frame[2 + i];
        }
        if (payload > RECEIVE_BUFFER / 2) {
            drop(c, "a frame is too large");
            break;
        }
        if (left < header + payload)
            break;
        const char *body = data + used + header;
        switch (frame[0] & 0x0f) {
        case 0x0: case 0x1: case 0x2:
            if (frame[0] & 0x80)
                take_message(c, body, payload, now);
            break;
        case 0x8: drop(c, "the server sent a close frame"); break;
        case 0x9:
            run.pings++;
            queue_frame(c, 0xA, body, payload <= CONTROL_FRAME_MAX ? payload : 0);
            flush(c);
            break;
        case 0xA: break;
        default: drop(c, "a frame has an unknown opcode");
        }
        used += header + payload;
    }
    return used;
}

/* The same for events: each ends with an empty line, and its message stands after "data: ". */
static size_t take_events(struct connection *c, char *data, size_t length)
{
    uint64_t now = clock_ns(option.clock);
    char *from = data, *end = data + length;
    for (char *stop; (stop = memmem(from, (size_t)(end - from), "\n\n", 2)); from = stop + 2) {
        const char *message = after_next(from, stop, "data: ");
        if (message)
            take_message(c, message, (size_t)(stop - message), now);
    }
    return (size_t)(from - data);
}

static void on_readable(struct connection *c)
{
    size_t kept = c->carry.length;
    if (kept)
        memcpy(run.buffer, c->carry.data, kept);
    ssize_t got = recv(c->fd, run.buffer + kept, RECEIVE_BUFFER - kept, 0);
    if (got <= 0) {
        if (got == 0 || errno != EAGAIN)
            drop(c, got ? strerror(errno) : "the server closed the connection");
        return;
    }
    char *data = run.buffer;
    size_t length = kept + (size_t)got;
    if (c->state == HANDSHAKING) {
        char *end = memmem(data, length, "\r\n\r\n", 4);
        if (end) {
            if (length < 12 || memcmp(data + 8, option.events ? " 200" : " 101", 4)) {
                drop(c, "the server refused");
                return;
            }
            length -= (size_t)(end + 4 - data);
            data = end + 4;
            finish_handshake(c);
        }
    }
    if (c->state == OPEN) {
        size_t used = option.events ? take_events(c, data, length) : take_frames(c, data, length);
        data += used;
        length -= used;
    }
    c->carry.length = 0;
    if (length && c->state != CLOSED)
        append(&c->carry, data, length);
}

static void on_event(struct connection *c, uint32_t events)
{
    if (c->state == CLOSED)
        return;
    if (c->state == CONNECTING) {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error)
            drop(c, strerror(error));
        else if (events & EPOLLOUT)
            send_handshake(c);
        return;
    }
    if (events & EPOLLOUT)
        flush(c);
    if (c->role == SLOW_READER && c->state == OPEN) {
        if (events & (EPOLLHUP | EPOLLERR))
            drop(c, "the server closed a slow connection");
        return;
    }
    if (c->state != CLOSED && events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        on_readable(c);
}

void turn(uint64_t deadline)
{
    struct epoll_event events[EVENTS_PER_WAIT];
    uint64_t now = monotonic_ns();
    struct timespec wait = {0, 0};
    if (deadline > now) {
        uint64_t left = deadline - now;
        wait = (struct timespec){(time_t)(left / NANOSECONDS), (long)(left % NANOSECONDS)};
    }
    int n = epoll_pwait2(run.poll, events, EVENTS_PER_WAIT, &wait, NULL);
    if (n < 0 && errno != EINTR)
        fail("epoll_pwait2: %s", strerror(errno));
    for (int i = 0; i < n; i++)
        on_event(events[i].data.ptr, events[i].events);
}
