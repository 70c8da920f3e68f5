// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options option = {
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

void parse_options(int argc, char **argv)
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
