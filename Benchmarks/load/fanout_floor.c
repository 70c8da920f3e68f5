// SPDX-License-Identifier: Apache-2.0
/*
 * fanout_floor — what the kernel alone charges for a broadcast.
 *
 * Sends one ready-made buffer to N loopback TCP sockets, round after round, from
 * one thread, and reports the sender's CPU time per delivery. A child process
 * reads everything. No protocol, no queue, no per-client state: no server that
 * sends the same bytes by the same call can be cheaper.
 *
 *   cc -O2 -Wall -Wextra -o fanout_floor fanout_floor.c [-DWITH_URING -luring]
 *   fanout_floor -n 1000 -b 152 -m send -d 5 -S 0 -R 1
 *
 * Methods: write, send, writev (header and body apart), sendmsg, and with
 * WITH_URING: uring (one submission per round), uring-fixed (registered files
 * and buffers), uring-cq (one submission per round, no completion when it
 * succeeds).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_URING
#include <liburing.h>
#endif

static int clients = 1000, bytes = 152, batch = 1, sender_core = -1, reader_core = -1;
static double duration = 5;
static const char *method = "send";
static int *sockets;
static char *frame;

static void die(const char *what)
{
    fprintf(stderr, "fanout_floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void pin(int core)
{
    cpu_set_t set;
    if (core < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) < 0)
        die("sched_setaffinity");
}

/* Connects every client, then reads and counts until it is killed. */
static void reader(struct sockaddr_in address, volatile uint64_t *received)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(reader_core);
    int poll = epoll_create1(0);
    for (int i = 0; i < clients; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
            die("connect");
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
    }
    static char buffer[1 << 20];
    for (;;) {
        struct epoll_event events[512];
        int n = epoll_wait(poll, events, 512, -1);
        uint64_t sum = 0;
        for (int i = 0; i < n; i++) {
            ssize_t got = recv(events[i].data.fd, buffer, sizeof buffer, MSG_DONTWAIT);
            if (got > 0)
                sum += (uint64_t)got;
        }
        __atomic_fetch_add(received, sum, __ATOMIC_RELEASE);
    }
}

/* Each method sends `size` bytes to every socket and returns how many sends were taken whole. */

static int round_write(size_t size)
{
    int taken = 0;
    for (int i = 0; i < clients; i++)
        taken += write(sockets[i], frame, size) == (ssize_t)size;
    return taken;
}

static int round_send(size_t size)
{
    int taken = 0;
    for (int i = 0; i < clients; i++)
        taken += send(sockets[i], frame, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size;
    return taken;
}

static int round_writev(size_t size)
{
    int taken = 0;
    for (int i = 0; i < clients; i++) {
        struct iovec parts[2] = {{frame, 4}, {frame + 4, size - 4}};
        taken += writev(sockets[i], parts, 2) == (ssize_t)size;
    }
    return taken;
}

static int round_sendmsg(size_t size)
{
    int taken = 0;
    struct iovec part = {frame, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    for (int i = 0; i < clients; i++)
        taken += sendmsg(sockets[i], &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size;
    return taken;
}

#ifdef WITH_URING
enum { RING = 4096 };
static struct io_uring ring;
static int fixed, skip;

static void uring_setup(void)
{
    struct io_uring_params parameters = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                                                  IORING_SETUP_CQSIZE,
                                         .cq_entries = 2 * RING};
    int rc = io_uring_queue_init_params(RING, &ring, &parameters);
    if (rc < 0) {
        errno = -rc;
        die("io_uring_queue_init_params");
    }
    fixed = !strcmp(method, "uring-fixed");
    skip = !strcmp(method, "uring-cq");
    if (fixed && io_uring_register_files(&ring, sockets, (unsigned)clients) < 0)
        die("io_uring_register_files");
}

static int round_uring(size_t size)
{
    int taken = 0;
    for (int first = 0; first < clients; first += RING) {
        int count = clients - first < RING ? clients - first : RING;
        for (int i = first; i < first + count; i++) {
            struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
            io_uring_prep_send(sqe, fixed ? i : sockets[i], frame, size, MSG_NOSIGNAL | MSG_DONTWAIT);
            sqe->flags |= (fixed ? IOSQE_FIXED_FILE : 0) | (skip ? IOSQE_CQE_SKIP_SUCCESS : 0);
        }
        if (skip) {
            io_uring_submit(&ring);
            taken += count - (int)io_uring_cq_ready(&ring);
            io_uring_cq_advance(&ring, io_uring_cq_ready(&ring));
            continue;
        }
        io_uring_submit_and_wait(&ring, (unsigned)count);
        struct io_uring_cqe *cqe;
        unsigned head, seen = 0;
        io_uring_for_each_cqe(&ring, head, cqe) {
            taken += cqe->res == (int)size;
            seen++;
        }
        io_uring_cq_advance(&ring, seen);
    }
    return taken;
}
#endif

int main(int argc, char **argv)
{
    for (int c; (c = getopt(argc, argv, "n:b:k:m:d:S:R:h")) != -1;)
        switch (c) {
        case 'n': clients = atoi(optarg); break;
        case 'b': bytes = atoi(optarg); break;
        case 'k': batch = atoi(optarg); break;
        case 'm': method = optarg; break;
        case 'd': duration = atof(optarg); break;
        case 'S': sender_core = atoi(optarg); break;
        case 'R': reader_core = atoi(optarg); break;
        default:
            printf("usage: fanout_floor [-n clients] [-b frame bytes] [-k frames per send] [-d seconds]\n"
                   "                    [-m write|send|writev|sendmsg|uring|uring-fixed|uring-cq]\n"
                   "                    [-S sender core] [-R reader core]\n");
            return c != 'h';
        }
    if (clients < 1 || bytes < 5 || batch < 1)
        die("arguments");

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 4096) < 0)
        die("listen");
    getsockname(listener, (struct sockaddr *)&address, &length);

    uint64_t *received = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child == 0)
        reader(address, received);
    pin(sender_core);
    sockets = calloc((size_t)clients, sizeof *sockets);
    for (int i = 0; i < clients; i++) {
        int on = 1;
        sockets[i] = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (sockets[i] < 0)
            die("accept");
        setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    size_t size = (size_t)bytes * (size_t)batch;
    frame = malloc(size);
    memset(frame, 'x', size);

    int (*round)(size_t) = !strcmp(method, "write")     ? round_write
                           : !strcmp(method, "send")    ? round_send
                           : !strcmp(method, "writev")  ? round_writev
                           : !strcmp(method, "sendmsg") ? round_sendmsg
                                                        : NULL;
#ifdef WITH_URING
    if (!strncmp(method, "uring", 5)) {
        uring_setup();
        round = round_uring;
    }
#endif
    if (!round) {
        fprintf(stderr, "fanout_floor: no method '%s'\n", method);
        return 2;
    }

    /* Only the rounds are charged; between rounds the sender sleeps until all is read. */
    uint64_t cpu = 0, wall = 0, rounds = 0, refused = 0, sent_bytes = 0;
    uint64_t end = now_ns(CLOCK_MONOTONIC) + (uint64_t)(duration * 1e9);
    while (now_ns(CLOCK_MONOTONIC) < end) {
        uint64_t cpu_start = now_ns(CLOCK_PROCESS_CPUTIME_ID), start = now_ns(CLOCK_MONOTONIC);
        int taken = round(size);
        cpu += now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
        wall += now_ns(CLOCK_MONOTONIC) - start;
        rounds++;
        refused += (uint64_t)(clients - taken);
        sent_bytes += (uint64_t)taken * size;
        while (__atomic_load_n(received, __ATOMIC_ACQUIRE) < sent_bytes && now_ns(CLOCK_MONOTONIC) < end)
            usleep(20);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    double deliveries = (double)rounds * clients * batch;
    printf("{\"method\":\"%s\",\"clients\":%d,\"frame_bytes\":%d,\"frames_per_send\":%d,\"rounds\":%llu,"
           "\"refused\":%llu,\"cpu_ns_per_delivery\":%.0f,\"wall_ns_per_delivery\":%.0f,"
           "\"deliveries_per_cpu_s\":%.0f}\n",
           method, clients, bytes, batch, (unsigned long long)rounds, (unsigned long long)refused,
           (double)cpu / deliveries, (double)wall / deliveries, deliveries / ((double)cpu / 1e9));
    return 0;
}
