// SPDX-License-Identifier: Apache-2.0
/*
 * wsload — a WebSocket broadcast load generator for servers on this machine.
 *
 * Opens many WebSocket connections (or event streams) to one server, counts what each receives,
 * measures the age of every message from a timestamp found in its payload,
 * finds the clients that missed messages from a sequence number found in its
 * payload, or that missed an end, samples the server's CPU time and memory from
 * /proc, and prints one line of JSON. It can also publish the messages itself,
 * paced or closed loop.
 *
 * One thread, epoll, nothing but libc:   cc -O2 -Wall -Wextra -o wsload wsload.c
 *
 * It only ever connects to the loopback network (127.0.0.0/8).
 *
 * What it leaves out on purpose: TLS, extensions (none is offered), checking
 * Sec-WebSocket-Accept, and reassembly of fragments (a fragmented message is
 * counted once, at its last frame, and only that frame is searched).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------ basics */

enum {
    RECEIVE_BUFFER = 4 << 20, /* shared by all clients; the largest frame that can be parsed */
    MAX_HELLOS = 8,
    MAX_HEADERS = 16,
    MAX_SERVER_PROCESSES = 256,
    EVENTS_PER_WAIT = 512,
    CONTROL_FRAME_MAX = 125,
};

#define NANOSECONDS 1000000000ull

static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("wsload: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void *must(void *allocation)
{
    if (!allocation)
        fail("out of memory");
    return allocation;
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NANOSECONDS + (uint64_t)now.tv_nsec;
}

static uint64_t monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

/* A run of bytes that may hold NULs, such as a binary greeting. */
struct bytes {
    char *data;
    size_t length;
};

/* Decodes \n \r \t \0 \\ and \xHH, so that binary protocols fit on a command line. */
static struct bytes unescape(const char *text)
{
    struct bytes out = {must(malloc(strlen(text) + 1)), 0};
    while (*text) {
        char c = *text++;
        if (c == '\\' && *text) {
            char kind = *text++;
            char hex[3] = {0};
            switch (kind) {
            case 'n': c = '\n'; break;
            case 'r': c = '\r'; break;
            case 't': c = '\t'; break;
            case '0': c = '\0'; break;
            case 'x':
                if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]))
                    fail("\\x needs two hexadecimal digits");
                memcpy(hex, text, 2);
                text += 2;
                c = (char)strtol(hex, NULL, 16);
                break;
            default: c = kind;
            }
        }
        out.data[out.length++] = c;
    }
    out.data[out.length] = '\0';
    return out;
}

/* -------------------------------------------------- latency histogram (log-linear) */

enum { SUB_BITS = 6, SUB_BUCKETS = 1 << SUB_BITS, HISTOGRAM_SIZE = (64 - SUB_BITS + 1) * SUB_BUCKETS };

struct histogram {
    uint64_t count, maximum;
    uint64_t buckets[HISTOGRAM_SIZE]; /* 64 per power of two: within 1.6 % */
};

static unsigned bucket_of(uint64_t value)
{
    if (value < SUB_BUCKETS)
        return (unsigned)value;
    unsigned shift = 63 - (unsigned)__builtin_clzll(value) - SUB_BITS;
    return (shift + 1) * SUB_BUCKETS + (unsigned)((value >> shift) & (SUB_BUCKETS - 1));
}

static uint64_t bucket_value(unsigned bucket)
{
    if (bucket < SUB_BUCKETS)
        return bucket;
    unsigned shift = bucket / SUB_BUCKETS - 1;
    return ((uint64_t)SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
}

static void histogram_add(struct histogram *h, uint64_t value)
{
    h->count++;
    h->buckets[bucket_of(value)]++;
    if (value > h->maximum)
        h->maximum = value;
}

static uint64_t histogram_quantile(const struct histogram *h, double quantile)
{
    uint64_t rank = (uint64_t)(quantile * (double)h->count), seen = 0;
    for (unsigned b = 0; b < HISTOGRAM_SIZE; b++) {
        seen += h->buckets[b];
        if (seen > rank)
            return bucket_value(b);
    }
    return h->maximum;
}

/* ------------------------------------------ the server's processes, from /proc */

struct usage {
    double cpu_seconds; /* user + system, all threads and descendants */
    long rss_kib;       /* sum of VmRSS: memory shared between processes counts in each */
    int processes;
};

struct process {
    int pid, parent;
    double cpu_seconds;
};

static bool read_process(int pid, struct process *out)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool ok = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    char *after_name = ok ? strrchr(line, ')') : NULL;
    unsigned long user, system;
    if (!after_name || sscanf(after_name + 2, "%*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
                              &out->parent, &user, &system) != 3)
        return false;
    out->pid = pid;
    out->cpu_seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

/* On-CPU time of the living threads to the nanosecond, which /proc/PID/stat has in steps of 10 ms; 0 if unknown. */
static double read_thread_seconds(int pid)
{
    char path[64];
    unsigned long long sum = 0, on_cpu;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return 0;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, atoi(entry->d_name));
        FILE *file = isdigit((unsigned char)entry->d_name[0]) ? fopen(path, "r") : NULL;
        if (!file)
            continue;
        if (fscanf(file, "%llu", &on_cpu) == 1)
            sum += on_cpu;
        fclose(file);
    }
    closedir(tasks);
    return (double)sum / 1e9;
}

static long read_rss_kib(int pid)
{
    char path[64], line[256];
    long rss = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld kB", &rss) == 1)
            break;
    fclose(file);
    return rss;
}

static int family[MAX_SERVER_PROCESSES], family_size;

/* Finds the server and its living descendants: a walk through /proc, so not done while measuring. */
static void find_family(int root)
{
    static struct process all[65536];
    size_t count = 0;
    family_size = 0;
    DIR *proc = root > 0 ? opendir("/proc") : NULL;
    if (!proc)
        return;
    for (struct dirent *entry; (entry = readdir(proc)) && count < sizeof all / sizeof *all;)
        if (isdigit((unsigned char)entry->d_name[0]) && read_process(atoi(entry->d_name), &all[count]))
            count++;
    closedir(proc);
    family[family_size++] = root;
    for (int m = 0; m < family_size; m++)
        for (size_t i = 0; i < count && family_size < MAX_SERVER_PROCESSES; i++)
            if (all[i].parent == family[m])
                family[family_size++] = all[i].pid;
}

static struct usage read_usage(void)
{
    struct usage sum = {0};
    for (int m = 0; m < family_size; m++) {
        struct process process;
        if (!read_process(family[m], &process))
            continue;
        double precise = read_thread_seconds(family[m]);
        sum.cpu_seconds += precise > 0 ? precise : process.cpu_seconds;
        sum.rss_kib += read_rss_kib(family[m]);
        sum.processes++;
    }
    return sum;
}

/* ------------------------------------------------------------------ options */

enum publish_mode { PUBLISH_NOTHING, PUBLISH_PACED, PUBLISH_WINDOW };

static struct {
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
} option = {
    .clients = 1,
    .concurrency = 128,
    .settle = 0.5,
    .warmup = 0,
    .duration = 5,
    .drain = 1,
    .connect_timeout = 30,
    .clock = CLOCK_MONOTONIC,
    .publish_size = 150,
    .label = "",
};

static const char usage_text[] =
    "usage: wsload [options] ws://127.0.0.1:PORT/PATH\n"
    "With http:// instead, the clients read server-sent events (a body that lasts as long as the\n"
    "connection); each event is a message. Greetings and publishing are WebSocket only.\n"
    "\n"
    "Connections\n"
    "  -n, --clients N           reading clients (default 1)\n"
    "      --slow K              further clients that connect and then never read\n"
    "      --slow-rcvbuf BYTES   SO_RCVBUF of the slow clients (default: the system's)\n"
    "      --concurrency N       handshakes under way at once (default 128)\n"
    "      --connect-timeout S   give up connecting after S seconds (default 30)\n"
    "      --protocol NAME       Sec-WebSocket-Protocol to ask for\n"
    "      --paths FILE          a line for each client: its own path, in turn; beats PATH\n"
    "      --header 'K: V'       a further request header (repeatable)\n"
    "      --hello TEXT          message to send once connected (repeatable, \\n \\r \\0 \\xHH;\n"
    "                            {i} in it, or in PATH, is the client's number)\n"
    "      --binary              send greetings and published messages as binary frames\n"
    "\n"
    "Measuring\n"
    "      --settle S            wait after connecting, before memory is read (default 0.5)\n"
    "      --warmup S            run this long before counting (default 0)\n"
    "  -d, --duration S          count for S seconds (default 5)\n"
    "      --drain S             then wait up to S seconds for stragglers (default 1)\n"
    "      --time-key KEY        latency from the nanosecond timestamp after KEY, e.g. '\"t\":'\n"
    "      --ready TEXT          a reader is connected only once it got a message with TEXT, e.g.\n"
    "                            '\"type\":\"ready\"'; tells how long that took\n"
    "      --clock NAME          monotonic (default) or realtime: the clock of that timestamp\n"
    "      --time-iso KEY        instead: latency from the RFC 3339 UTC timestamp after KEY, e.g.\n"
    "                            '\"at\":\"' before 2026-11-30T02:15:02.625Z, on the realtime clock\n"
    "                            (whole milliseconds make it read up to 1 ms too long)\n"
    "      --seq-key KEY         find missed messages from the number after KEY, e.g. '\"seq\":';\n"
    "                            for servers that send everything: where one conflates, a gap in\n"
    "                            seq is no loss. There use --ends; of missed, only\n"
    "                            clients_behind_at_end tells something, once the server is quiet\n"
    "      --ends TEXT           count each client's messages that contain TEXT, e.g.\n"
    "                            '\"type\":\"complete\"' (every occurrence, in a JSON array)\n"
    "      --expect-ends E       how many each client should get (default 0: as many as the one\n"
    "                            with the most)\n"
    "      --batch               a message that is a JSON array counts as its frames, one for each\n"
    "                            '\"type\":' in it (but a urn: type, a problem's, is no frame)\n"
    "      --pid PID             sample CPU and memory of this process and its descendants\n"
    "      --label TEXT          copied into the output\n"
    "\n"
    "Publishing (else the server is expected to speak by itself)\n"
    "      --publish paced:R[xB] send B messages together (default 1), R times a second\n"
    "      --publish window:W    keep W messages in flight: send as fast as all clients get them\n"
    "      --publish-path PATH   the publisher's own path (default PATH)\n"
    "      --publish-size BYTES  size of the JSON message (default 150)\n"
    "      --publish-prefix TEXT bytes before each message, e.g. a broker's own header\n"
    "      --publish-suffix TEXT bytes after each message\n"
    "      The message is {\"type\":\"progress\",\"seq\":N,\"t\":NS,\"pad\":\"...\"}; both keys are then\n"
    "      looked for unless others are given. Greetings are sent by the publisher too.\n"
    "\n"
    "Output: one line of JSON. Counts and CPU cover --duration; missed and ends cover the whole run.\n"
    "Exit status: 0, or 1 when not every client could connect or any was disconnected.\n";

static void parse_url(const char *url)
{
    int port = 0, used = 0;
    option.events = !strncmp(url, "http://", 7);
    const char *pattern = option.events ? "http://%63[0-9.]:%d%n" : "ws://%63[0-9.]:%d%n";
    if (sscanf(url, pattern, option.host, &port, &used) != 2 || port < 1 || port > 65535)
        fail("the address must look like ws://127.0.0.1:PORT/PATH, or http://...");
    snprintf(option.path, sizeof option.path, "%s", url[used] ? url + used : "/");
    option.address.sin_family = AF_INET;
    option.address.sin_port = htons((uint16_t)port);
    if (inet_pton(AF_INET, option.host, &option.address.sin_addr) != 1 ||
        ntohl(option.address.sin_addr.s_addr) >> 24 != 127)
        fail("only loopback addresses (127.x.x.x) are loaded");
}

static void parse_publish(const char *text)
{
    option.publish_burst = 1;
    if (sscanf(text, "paced:%lfx%d", &option.publish_rate, &option.publish_burst) >= 1 && option.publish_rate > 0 &&
        option.publish_burst > 0)
        option.publish = PUBLISH_PACED;
    else if (sscanf(text, "window:%d", &option.publish_window) == 1 && option.publish_window > 0)
        option.publish = PUBLISH_WINDOW;
    else
        fail("--publish takes paced:RATE, paced:RATExBURST or window:COUNT");
}

static void read_paths(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file)
        fail("%s: %s", name, strerror(errno));
    char line[sizeof option.path];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        option.paths = must(realloc(option.paths, sizeof *option.paths * (size_t)(option.path_count + 1)));
        option.paths[option.path_count++] = must(strdup(line));
    }
    fclose(file);
    if (!option.path_count)
        fail("%s has no line", name);
}

static void parse_options(int argc, char **argv)
{
    enum {
        SLOW = 256, SLOW_RCVBUF, CONCURRENCY, CONNECT_TIMEOUT, PROTOCOL, HEADER, HELLO, BINARY, SETTLE, WARMUP,
        DRAIN, TIME_KEY, CLOCK, SEQ_KEY, PID, LABEL, PUBLISH, PUBLISH_PATH, PUBLISH_SIZE, PUBLISH_PREFIX,
        PUBLISH_SUFFIX, TIME_ISO, ENDS, EXPECT_ENDS, BATCH, PATHS, READY,
    };
    static const struct option names[] = {
        {"clients", 1, 0, 'n'}, {"duration", 1, 0, 'd'}, {"help", 0, 0, 'h'},
        {"slow", 1, 0, SLOW}, {"slow-rcvbuf", 1, 0, SLOW_RCVBUF}, {"concurrency", 1, 0, CONCURRENCY},
        {"connect-timeout", 1, 0, CONNECT_TIMEOUT}, {"protocol", 1, 0, PROTOCOL}, {"header", 1, 0, HEADER},
        {"hello", 1, 0, HELLO}, {"binary", 0, 0, BINARY}, {"settle", 1, 0, SETTLE}, {"warmup", 1, 0, WARMUP},
        {"drain", 1, 0, DRAIN}, {"time-key", 1, 0, TIME_KEY}, {"clock", 1, 0, CLOCK}, {"seq-key", 1, 0, SEQ_KEY},
        {"pid", 1, 0, PID}, {"label", 1, 0, LABEL}, {"publish", 1, 0, PUBLISH},
        {"publish-path", 1, 0, PUBLISH_PATH}, {"publish-size", 1, 0, PUBLISH_SIZE},
        {"publish-prefix", 1, 0, PUBLISH_PREFIX}, {"publish-suffix", 1, 0, PUBLISH_SUFFIX},
        {"time-iso", 1, 0, TIME_ISO}, {"ends", 1, 0, ENDS}, {"expect-ends", 1, 0, EXPECT_ENDS},
        {"batch", 0, 0, BATCH}, {"paths", 1, 0, PATHS},
        {"ready", 1, 0, READY}, {0, 0, 0, 0},
    };
    for (int c; (c = getopt_long(argc, argv, "n:d:h", names, NULL)) != -1;)
        switch (c) {
        case 'n': option.clients = atoi(optarg); break;
        case 'd': option.duration = atof(optarg); break;
        case 'h': fputs(usage_text, stdout); exit(0);
        case SLOW: option.slow = atoi(optarg); break;
        case SLOW_RCVBUF: option.slow_receive_buffer = atoi(optarg); break;
        case CONCURRENCY: option.concurrency = atoi(optarg); break;
        case CONNECT_TIMEOUT: option.connect_timeout = atof(optarg); break;
        case PROTOCOL: option.protocol = optarg; break;
        case READY: option.ready_text = optarg; break;
        case PATHS: read_paths(optarg); break;
        case HEADER:
            if (option.header_count == MAX_HEADERS)
                fail("too many --header");
            option.headers[option.header_count++] = optarg;
            break;
        case HELLO:
            if (option.hello_count == MAX_HELLOS)
                fail("too many --hello");
            option.hellos[option.hello_count++] = unescape(optarg);
            break;
        case BINARY: option.binary = true; break;
        case SETTLE: option.settle = atof(optarg); break;
        case WARMUP: option.warmup = atof(optarg); break;
        case DRAIN: option.drain = atof(optarg); break;
        case TIME_KEY: case TIME_ISO:
            if (option.time_key)
                fail("one --time-key or --time-iso is enough");
            option.time_key = optarg;
            option.time_iso = c == TIME_ISO;
            break;
        case CLOCK:
            if (!strcmp(optarg, "realtime"))
                option.clock = CLOCK_REALTIME;
            else if (strcmp(optarg, "monotonic"))
                fail("--clock takes monotonic or realtime");
            break;
        case SEQ_KEY: option.sequence_key = optarg; break;
        case ENDS: option.end_text = optarg; break;
        case EXPECT_ENDS: option.expected_ends = atoi(optarg); break;
        case BATCH: option.batch = true; break;
        case PID: option.pid = atoi(optarg); break;
        case LABEL: option.label = optarg; break;
        case PUBLISH: parse_publish(optarg); break;
        case PUBLISH_PATH: option.publish_path = optarg; break;
        case PUBLISH_SIZE: option.publish_size = atoi(optarg); break;
        case PUBLISH_PREFIX: option.publish_prefix = unescape(optarg); break;
        case PUBLISH_SUFFIX: option.publish_suffix = unescape(optarg); break;
        default: fputs("Try 'wsload --help'.\n", stderr); exit(2);
        }
    if (argc - optind != 1) {
        fputs(usage_text, stderr);
        exit(2);
    }
    parse_url(argv[optind]);
    if (option.clients < 1 || option.slow < 0 || option.concurrency < 1 || option.duration <= 0)
        fail("--clients, --concurrency and --duration must be positive");
    if ((option.time_key && !*option.time_key) || (option.sequence_key && !*option.sequence_key) ||
        (option.end_text && !*option.end_text) || (option.ready_text && !*option.ready_text))
        fail("a key or text to look for can't be empty");
    if (option.expected_ends < 0 || (option.expected_ends && !option.end_text))
        fail("--expect-ends takes a count, and needs --ends");
    if (option.events && (option.publish || option.hello_count))
        fail("nothing can be sent on an event stream");
    if (option.time_iso)
        option.clock = CLOCK_REALTIME;
    if (option.publish) {
        if (!option.time_key)
            option.time_key = "\"t\":";
        if (!option.sequence_key)
            option.sequence_key = "\"seq\":";
    }
    if (!option.publish_path)
        option.publish_path = option.path;
}

/* -------------------------------------------------------------- connections */

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

static struct {
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
} run;

static void watch(struct connection *c, int operation)
{
    struct epoll_event event = {.events = EPOLLIN | (c->wants_write ? (uint32_t)EPOLLOUT : 0), .data.ptr = c};
    if (c->role == SLOW_READER && c->state == OPEN)
        event.events = c->wants_write ? EPOLLOUT : 0;
    if (epoll_ctl(run.poll, operation, c->fd, &event) < 0)
        fail("epoll_ctl: %s", strerror(errno));
}

static void drop(struct connection *c, const char *why)
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

static void flush(struct connection *c)
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

static void append(struct bytes *to, const void *data, size_t length)
{
    to->data = must(realloc(to->data, to->length + length));
    memcpy(to->data + to->length, data, length);
    to->length += length;
}

/* Queues one masked frame, as every frame from a client must be. */
static void queue_frame(struct connection *c, unsigned opcode, const char *payload, size_t length)
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

static void open_connection(struct connection *c, enum role role, int number)
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

static void send_handshake(struct connection *c)
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

static void count_as_joined(struct connection *c)
{
    c->joined = true;
    run.under_way--;
    run.open++;
    histogram_add(&run.joining, monotonic_ns() - c->began_at);
}

static void finish_handshake(struct connection *c)
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

/* -------------------------------------------------------------- what arrives */

/* Where the next occurrence of a text ends, or NULL. */
static const char *after_next(const char *p, const char *end, const char *text)
{
    size_t length = strlen(text);
    p = memmem(p, (size_t)(end - p), text, length);
    return p ? p + length : NULL;
}

static const char *skip_to_value(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '"'))
        p++;
    return p;
}

static uint64_t read_number(const char *p, const char *end)
{
    uint64_t value = 0;
    p = skip_to_value(p, end);
    while (p < end && *p >= '0' && *p <= '9')
        value = value * 10 + (uint64_t)(*p++ - '0');
    return value;
}

/* Days from 1970-01-01 in the Gregorian calendar, counted in years that begin in March. */
static int64_t days_since_epoch(int year, int month, int day)
{
    year -= month <= 2;
    month = (month + 9) % 12;
    return 365ll * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719468;
}

/* Nanoseconds since 1970 of an RFC 3339 timestamp such as 2026-11-30T02:15:02.625Z; 0 if it is none, or not in UTC. */
static uint64_t read_iso_time(const char *p, const char *end)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd";
    int field[6] = {0}, f = 0; /* year, month, day, hour, minute, second */
    p = skip_to_value(p, end);
    for (const char *s = shape; *s; s++, p++) {
        if (p == end || (*s == 'd' ? !isdigit((unsigned char)*p) : *p != *s))
            return 0;
        if (*s == 'd')
            field[f] = field[f] * 10 + (*p - '0');
        else
            f++;
    }
    uint64_t nanoseconds = 0, unit = NANOSECONDS / 10;
    if (p < end && *p == '.')
        for (p++; p < end && isdigit((unsigned char)*p); p++, unit /= 10)
            nanoseconds += (uint64_t)(*p - '0') * unit;
    int64_t days = days_since_epoch(field[0], field[1], field[2]);
    if (p == end || *p != 'Z' || field[1] < 1 || field[1] > 12 || days < 0)
        return 0;
    uint64_t seconds = (uint64_t)days * 86400 + (uint64_t)(field[3] * 3600 + field[4] * 60 + field[5]);
    return seconds * NANOSECONDS + nanoseconds;
}

static uint64_t occurrences(const char *p, const char *end, const char *text)
{
    uint64_t count = 0;
    while ((p = after_next(p, end, text)))
        count++;
    return count;
}

/* Frames in a batch: each has its type. That of a problem inside a frame is a URN, and no frame. */
static uint64_t frames_in(const char *p, const char *end)
{
    uint64_t frames = 0;
    while ((p = after_next(p, end, "\"type\":"))) {
        p = skip_to_value(p, end);
        frames += end - p < 4 || memcmp(p, "urn:", 4);
    }
    return frames;
}

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

/* How long a reader heard nothing; what began before --duration counts from its beginning. */
static void note_silence(struct connection *c, uint64_t now, uint64_t since)
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

/* One turn of the event loop, no later than the deadline. */
static void turn(uint64_t deadline)
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

/* -------------------------------------------------------------- publishing */

static struct {
    struct connection *connection;
    uint64_t sent, next_at, stalls;
    uint64_t credit_base;  /* deliveries written off after a stall */
    uint64_t last_progress_at, last_deliveries;
} publisher;

static void queue_one(void)
{
    char json[65536 + 128];
    int size = option.publish_size < 65536 ? option.publish_size : 65536;
    int n = snprintf(json, sizeof json, "{\"type\":\"progress\",\"seq\":%llu,\"t\":%llu,\"pad\":\"",
                     (unsigned long long)++publisher.sent, (unsigned long long)clock_ns(option.clock));
    while (n < size - 2)
        json[n++] = 'x';
    memcpy(json + n, "\"}", 2);
    n += 2;
    struct bytes message = {0};
    append(&message, option.publish_prefix.data ? option.publish_prefix.data : "", option.publish_prefix.length);
    append(&message, json, (size_t)n);
    append(&message, option.publish_suffix.data ? option.publish_suffix.data : "", option.publish_suffix.length);
    queue_frame(publisher.connection, option.binary ? 2 : 1, message.data, message.length);
    free(message.data);
}

/* A burst goes out in one send, so that the server can have it in one read. */
static void publish_burst(int count)
{
    while (count-- > 0)
        queue_one();
    flush(publisher.connection);
}

/* Publishes what is due and returns when to look again. */
static uint64_t publish_due(uint64_t now)
{
    if (!option.publish || publisher.connection->state != OPEN)
        return now + NANOSECONDS / 10;
    if (option.publish == PUBLISH_PACED) {
        if (!publisher.next_at)
            publisher.next_at = now;
        while (publisher.next_at <= now) {
            publish_burst(option.publish_burst);
            publisher.next_at += (uint64_t)((double)NANOSECONDS / option.publish_rate);
        }
        return publisher.next_at;
    }
    const uint64_t stall = 2 * NANOSECONDS, readers = (uint64_t)option.clients;
    if (run.deliveries_ever != publisher.last_deliveries || !publisher.last_progress_at) {
        publisher.last_deliveries = run.deliveries_ever;
        publisher.last_progress_at = now;
    } else if (now - publisher.last_progress_at > stall) { /* lost messages: start a new window */
        publisher.stalls++;
        publisher.credit_base = publisher.sent * readers - run.deliveries_ever;
        publisher.last_progress_at = now;
    }
    while (publisher.sent * readers < run.deliveries_ever + publisher.credit_base +
                                          (uint64_t)option.publish_window * readers)
        publish_burst(1);
    return now + NANOSECONDS / 20;
}

/* ---------------------------------------------------------------- the run */

static void run_for(double seconds, bool publishing)
{
    uint64_t end = monotonic_ns() + (uint64_t)(seconds * 1e9);
    for (uint64_t now; (now = monotonic_ns()) < end;) {
        uint64_t next = publishing ? publish_due(now) : end;
        turn(next < end ? next : end);
    }
}

static void connect_all(int first, int last)
{
    uint64_t deadline = monotonic_ns() + (uint64_t)(option.connect_timeout * 1e9);
    for (int next = first; next < last || run.under_way > 0;) {
        while (next < last && run.under_way < option.concurrency) {
            enum role role = next < option.clients                 ? READER
                             : next < option.clients + option.slow ? SLOW_READER
                                                                   : PUBLISHER;
            open_connection(&run.all[next], role, next);
            next++;
        }
        if (monotonic_ns() > deadline)
            fail("not connected in %.0f s: %d open, %d failed", option.connect_timeout, run.open, run.failed);
        turn(monotonic_ns() + NANOSECONDS / 20);
    }
}

static int readers_behind(void)
{
    int behind = 0;
    for (int i = 0; i < option.clients; i++)
        behind += run.all[i].state != OPEN || run.all[i].last_sequence < run.top_sequence;
    return behind;
}

static void drain(void)
{
    uint64_t end = monotonic_ns() + (uint64_t)(option.drain * 1e9);
    while (monotonic_ns() < end) {
        if (option.publish && run.top_sequence == publisher.sent && !readers_behind())
            break;
        turn(monotonic_ns() + NANOSECONDS / 100);
    }
}

static double own_cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text >= ' ')
            putchar(*text);
    }
    putchar('"');
}

int main(int argc, char **argv)
{
    parse_options(argc, argv);
    run.poll = epoll_create1(EPOLL_CLOEXEC);
    run.buffer = must(malloc(RECEIVE_BUFFER));
    int connections = option.clients + option.slow + (option.publish ? 1 : 0);
    run.all = must(calloc((size_t)connections, sizeof *run.all));

    find_family(option.pid);
    if (option.pid && !read_usage().processes)
        fail("there is no process %d", option.pid);
    struct usage before = read_usage();
    uint64_t connect_start = monotonic_ns();
    connect_all(0, option.clients + option.slow);
    double connect_seconds = (double)(monotonic_ns() - connect_start) / 1e9;
    run_for(option.settle, false);
    find_family(option.pid); /* a server may have forked for its clients */
    struct usage idle = read_usage();

    if (option.publish) {
        publisher.connection = &run.all[connections - 1];
        connect_all(connections - 1, connections);
        run_for(0.1, false);
    }
    run_for(option.warmup, true);

    struct usage start = read_usage(), end = start;
    long peak_rss = start.rss_kib;
    double own_start = own_cpu_seconds();
    uint64_t clock_start = monotonic_ns();
    run.counting = true;
    for (double left = option.duration; left > 0; left -= 0.5) { /* memory is sampled twice a second */
        run_for(left < 0.5 ? left : 0.5, true);
        end = read_usage();
        if (end.rss_kib > peak_rss)
            peak_rss = end.rss_kib;
    }
    run.counting = false;
    for (int i = 0; i < option.clients; i++)
        note_silence(&run.all[i], monotonic_ns(), clock_start);
    double wall = (double)(monotonic_ns() - clock_start) / 1e9;
    double own = own_cpu_seconds() - own_start;
    drain();

    uint64_t gaps = 0, repeats = 0, least = UINT64_MAX, most = 0, expected_ends = (uint64_t)option.expected_ends;
    int clients_with_gaps = 0, clients_short = 0, clients_over = 0;
    for (int i = 0; i < option.clients; i++) {
        const struct connection *c = &run.all[i];
        gaps += c->gaps;
        repeats += c->repeats;
        clients_with_gaps += c->gaps > 0;
        least = c->messages < least ? c->messages : least;
        most = c->messages > most ? c->messages : most;
        if (!option.expected_ends && c->ends > expected_ends)
            expected_ends = c->ends;
    }
    for (int i = 0; i < option.clients; i++) {
        clients_short += run.all[i].ends < expected_ends;
        clients_over += run.all[i].ends > expected_ends;
    }
    double cpu = end.cpu_seconds - start.cpu_seconds;
    int sockets = option.clients + option.slow;

    printf("{\"label\":");
    print_json_text(option.label);
    printf(",\"clients\":%d,\"slow\":%d,\"connect_s\":%.3f,\"connect_failed\":%d,\"disconnected\":%d",
           option.clients, option.slow, connect_seconds, run.failed, run.disconnected);
    printf(",\"wall_s\":%.3f,\"deliveries\":%llu,\"deliveries_per_s\":%.0f,\"payload_bytes\":%llu", wall,
           (unsigned long long)run.deliveries, (double)run.deliveries / wall,
           (unsigned long long)run.delivered_bytes);
    printf(",\"per_client_min\":%llu,\"per_client_max\":%llu,\"pings\":%llu", (unsigned long long)least,
           (unsigned long long)most, (unsigned long long)run.pings);
    printf(",\"longest_silence_ms\":%.1f", (double)run.longest_silence / 1e6);
    if (option.ready_text)
        printf(",\"join_us\":{\"count\":%llu,\"p50\":%.1f,\"p99\":%.1f,\"max\":%.1f}",
               (unsigned long long)run.joining.count, (double)histogram_quantile(&run.joining, .5) / 1e3,
               (double)histogram_quantile(&run.joining, .99) / 1e3, (double)run.joining.maximum / 1e3);
    if (option.time_key && run.latency.count)
        printf(",\"latency_us\":{\"count\":%llu,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f}",
               (unsigned long long)run.latency.count, (double)histogram_quantile(&run.latency, .5) / 1e3,
               (double)histogram_quantile(&run.latency, .9) / 1e3, (double)histogram_quantile(&run.latency, .99) / 1e3,
               (double)histogram_quantile(&run.latency, .999) / 1e3, (double)run.latency.maximum / 1e3);
    if (option.sequence_key)
        printf(",\"missed\":{\"clients\":%d,\"messages\":%llu,\"repeats\":%llu,\"clients_behind_at_end\":%d}",
               clients_with_gaps, (unsigned long long)gaps, (unsigned long long)repeats, readers_behind());
    if (option.end_text)
        printf(",\"ends\":{\"expected\":%llu,\"clients_short\":%d,\"clients_over\":%d}",
               (unsigned long long)expected_ends, clients_short, clients_over);
    if (option.publish)
        printf(",\"published\":%llu,\"stalls\":%llu", (unsigned long long)publisher.sent,
               (unsigned long long)publisher.stalls);
    if (option.pid)
        printf(",\"server\":{\"processes\":%d,\"cpu_s\":%.3f,\"cpu_percent\":%.1f,\"cpu_ns_per_delivery\":%.0f,"
               "\"deliveries_per_cpu_s\":%.0f,\"rss_kib_before\":%ld,\"rss_kib_idle\":%ld,\"rss_kib_peak\":%ld,"
               "\"rss_bytes_per_connection\":%.0f,\"connect_cpu_s\":%.3f}",
               end.processes, cpu, 100 * cpu / wall, run.deliveries ? cpu * 1e9 / (double)run.deliveries : 0,
               cpu > 0 ? (double)run.deliveries / cpu : 0, before.rss_kib, idle.rss_kib, peak_rss,
               sockets ? (double)(idle.rss_kib - before.rss_kib) * 1024 / sockets : 0,
               idle.cpu_seconds - before.cpu_seconds);
    printf(",\"generator_cpu_percent\":%.1f}\n", 100 * own / wall);
    return run.failed || run.disconnected ? 1 : 0;
}
