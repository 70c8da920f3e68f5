// SPDX-License-Identifier: Apache-2.0
// Stands between the server and the kernel (LD_PRELOAD), to be a slow, full, lying or dying disk, and a clock that is set.
// HEADWAY_SHIM names a file with rules, one a line: CALL NAME ACTION NUMBER, where NAME ends the path of the file:
//   sync .part hold 0        fdatasync and fsync take as long as the rule is there
//   sync .part error 5       they fail with EIO
//   write .part short 7      pwrite takes seven bytes at most
//   write .part hold 9       the tenth one and those that follow take as long as the rule is there
//   write .part interrupt 3  each third one fails with EINTR
//   any - die 12             the process is killed before its twelfth step (sync, write, cut, unlink; parts' bytes apart)
//   clock - shift 86400      the calendar is so many seconds ahead
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_long steps, writes;

static int rule(const char *call, const char *path, char *action, long *number) {
    const char *place = getenv("HEADWAY_SHIM");
    if (!place) return 0;
    int saved = errno, file = open(place, O_RDONLY | O_CLOEXEC);
    char text[1024];
    ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    errno = saved;
    text[size > 0 ? size : 0] = 0;
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n"))) {
        char wanted[16], name[64];
        if (sscanf(line, "%15s %63s %15s %ld", wanted, name, action, number) != 4 || strcmp(wanted, call)) continue;
        size_t end = strlen(path), tail = strlen(name);
        if (!strcmp(name, "-") || (end >= tail && !strcmp(path + end - tail, name))) return 1;
    }
    return 0;
}

// Waits until the rules are others.
static void hold(const char *call, const char *path) {
    char action[16];
    long number;
    struct timespec moment = {0, 10000000};
    while (rule(call, path, action, &number) && !strcmp(action, "hold")) nanosleep(&moment, NULL);
}

static const char *path_of(int file, char *path, size_t room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    int saved = errno;
    ssize_t size = readlink(link, path, room - 1);
    errno = saved;
    path[size > 0 ? size : 0] = 0;
    return path;
}

static void step(void) {
    char action[16];
    long number;
    if (rule("any", "", action, &number) && atomic_fetch_add(&steps, 1) + 1 == number) kill(getpid(), SIGKILL);
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int sync_with(int (*real)(int), int file) {
    char path[512], action[16];
    long number;
    step();
    if (rule("sync", path_of(file, path, sizeof path), action, &number)) {
        if (!strcmp(action, "hold")) hold("sync", path);
        if (!strcmp(action, "error")) { errno = (int)number; return -1; }
    }
    return real(file);
}

int fdatasync(int file) { REAL(int, "fdatasync", int); return sync_with(real, file); }
int fsync(int file) { REAL(int, "fsync", int); return sync_with(real, file); }

static ssize_t write_with(ssize_t (*real)(int, const void *, size_t, off_t), int file, const void *bytes, size_t count,
                          off_t offset) {
    char path[512], action[16];
    long number;
    path_of(file, path, sizeof path);
    size_t end = strlen(path);
    if (end < 5 || strcmp(path + end - 5, ".part")) step();
    if (rule("write", path, action, &number)) {
        if (!strcmp(action, "short") && count > (size_t)number) count = (size_t)number;
        if (!strcmp(action, "hold") && atomic_fetch_add(&writes, 1) >= number) hold("write", path);
        if (!strcmp(action, "interrupt") && atomic_fetch_add(&writes, 1) % number == 0) { errno = EINTR; return -1; }
        if (!strcmp(action, "error")) { errno = (int)number; return -1; }
    }
    return real(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    return write_with(real, file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
    return write_with(real, file, bytes, count, offset);
}

int ftruncate(int file, off_t size) { REAL(int, "ftruncate", int, off_t); step(); return real(file, size); }
int ftruncate64(int file, off64_t size) { REAL(int, "ftruncate64", int, off64_t); step(); return real(file, size); }
int unlinkat(int folder, const char *name, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    step();
    return real(folder, name, flags);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(int, "clock_gettime", clockid_t, struct timespec *);
    int result = real(clock, time);
    char action[16];
    long number;
    if (!result && clock == CLOCK_REALTIME && rule("clock", "", action, &number)) time->tv_sec += number;
    return result;
}
