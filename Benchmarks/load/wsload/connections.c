// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "connections.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "options.h"

struct run run;

static void watch(struct connection *c, int operation)
{
    struct epoll_event event = {.events = EPOLLIN | (c->wants_write ? (uint32_t)EPOLLOUT : 0), .data.ptr = c};
    if (c->role == SLOW_READER && c->state == OPEN)
        event.events = c->wants_write ? EPOLLOUT : 0;
    if (epoll_ctl(run.poll, operation, c->fd, &event) < 0)
        fail("epoll_ctl: %s", strerror(errno));
}

void drop(struct connection *c, const char *why)
{
    static int complaints;
    if (c->state == CLOSED)
        return;
    if (complaints++ < 3)
        fprintf(stderr, "wsload: client %d: %s\n", c->number, why);
    if (c->state == OPEN && c->joined) {
        run.open--;
        run.disconnected++;
    } else {
        run.under_way--;
        run.failed++;
    }
    c->state = CLOSED;
    close(c->fd);
}

void flush(struct connection *c)
{
    size_t sent = 0;
    while (sent < c->pending.length) {
        ssize_t n = send(c->fd, c->pending.data + sent, c->pending.length - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) {
            if (errno != EAGAIN) {
                drop(c, strerror(errno));
                return;
            }
            break;
        }
        sent += (size_t)n;
    }
    c->pending.length -= sent;
    if (c->pending.length)
        memmove(c->pending.data, c->pending.data + sent, c->pending.length);
    if ((c->pending.length > 0) != c->wants_write) {
        c->wants_write = c->pending.length > 0;
        watch(c, EPOLL_CTL_MOD);
    }
}

void queue_frame(struct connection *c, unsigned opcode, const char *payload, size_t length)
{
    static uint32_t mask = 0x9e3779b9;
    mask = mask * 1664525 + 1013904223;
    uint8_t header[14] = {(uint8_t)(0x80 | opcode)}, key[4];
    size_t size = 2;
    if (length < 126) {
        header[1] = (uint8_t)(0x80 | length);
    } else if (length < 65536) {
        header[1] = 0x80 | 126;
        header[2] = (uint8_t)(length >> 8);
        header[3] = (uint8_t)length;
        size = 4;
    } else {
        header[1] = 0x80 | 127;
        for (int i = 0; i < 8; i++)
            header[2 + i] = (uint8_t)((uint64_t)length >> (56 - 8 * i));
        size = 10;
    }
    memcpy(key, &mask, 4);
    memcpy(header + size, key, 4);
    append(&c->pending, header, size + 4);
    size_t start = c->pending.length;
    append(&c->pending, payload, length);
    for (size_t i = 0; i < length; i++)
        c->pending.data[start + i] ^= (char)key[i & 3];
}

static struct bytes number_filled(const char *data, size_t length, int number)
{
    struct bytes out = {0};
    char digits[16];
    int width = snprintf(digits, sizeof digits, "%d", number);
    for (size_t i = 0; i < length; i++)
        if (i + 3 <= length && !memcmp(data + i, "{i}", 3)) {
            append(&out, digits, (size_t)width);
            i += 2;
        } else {
            append(&out, data + i, 1);
        }
    return out;
}

void open_connection(struct connection *c, enum role role, int number)
{
    *c = (struct connection){.role = role, .number = number, .state = CONNECTING, .wants_write = true,
                             .began_at = monotonic_ns()};
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        fail("socket: %s (is 'ulimit -n' high enough?)", strerror(errno));
    int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (role == SLOW_READER && option.slow_receive_buffer)
        setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &option.slow_receive_buffer, sizeof(int));
    run.started++;
    run.under_way++;
    if (connect(c->fd, (struct sockaddr *)&option.address, sizeof option.address) < 0 && errno != EINPROGRESS) {
        drop(c, strerror(errno));
        return;
    }
    watch(c, EPOLL_CTL_ADD);
}

void send_handshake(struct connection *c)
{
    const char *template = c->role == PUBLISHER ? option.publish_path
                           : option.path_count    ? option.paths[c->number % option.path_count]
                                                  : option.path;
    struct bytes path = number_filled(template, strlen(template), c->number);
    char request[8192];
    int n = snprintf(request, sizeof request,
                     "GET %.*s HTTP/1.1\r\nHost: %s:%d\r\n%s",
                     (int)path.length, path.data, option.host, ntohs(option.address.sin_port),
                     option.events ? "Accept: text/event-stream\r\n"
                                   : "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                     "Sec-WebSocket-Key: d3Nsb2FkLXdzbG9hZC13cw==\r\nSec-WebSocket-Version: 13\r\n");
    free(path.data);
    if (option.protocol)
        n += snprintf(request + n, sizeof request - (size_t)n, "Sec-WebSocket-Protocol: %s\r\n", option.protocol);
    for (int i = 0; i < option.header_count && n < (int)sizeof request; i++)
        n += snprintf(request + n, sizeof request - (size_t)n, "%s\r\n", option.headers[i]);
    if (n + 2 >= (int)sizeof request)
        fail("the request is too long");
    memcpy(request + n, "\r\n", 2);
    append(&c->pending, request, (size_t)n + 2);
    c->state = HANDSHAKING;
    flush(c);
}

void count_as_joined(struct connection *c)
{
    c->joined = true;
    run.under_way--;
    run.open++;
    histogram_add(&run.joining, monotonic_ns() - c->began_at);
}

void finish_handshake(struct connection *c)
{
    c->state = OPEN;
    if (!option.ready_text || c->role != READER)
        count_as_joined(c);
    for (int i = 0; i < option.hello_count; i++) {
        struct bytes hello = number_filled(option.hellos[i].data, option.hellos[i].length, c->number);
        queue_frame(c, option.binary ? 2 : 1, hello.data, hello.length);
        free(hello.data);
    }
    flush(c);
    if (c->state == OPEN && c->role == SLOW_READER)
        watch(c, EPOLL_CTL_MOD);
}
