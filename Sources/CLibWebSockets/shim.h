// SPDX-License-Identifier: Apache-2.0
// What Swift can't import from libwebsockets or Linux by itself: conditional macros, and headers outside the Glibc module.
#ifndef HEADWAY_CLIBWEBSOCKETS_H
#define HEADWAY_CLIBWEBSOCKETS_H
#include <libwebsockets.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/// Room that lws_write wants before a payload (a macro with a condition, so not imported).
enum { headway_lws_pre = LWS_PRE };

/// The kernel's id of this thread. glibc's pthread_self may be folded across a suspension by the optimiser; a system call is not.
static inline long headway_thread_id(void) { return syscall(SYS_gettid); }

/// accept4 is hidden behind _GNU_SOURCE, with which these headers would differ from those of the Glibc module. -1 with errno, as there.
static inline int headway_accept(int listener) {
  return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Lets the allocator keep so many bytes that were freed, and take blocks below `largest` from them.
static inline void headway_keep_freed(int bytes, int largest) {
  mallopt(M_TRIM_THRESHOLD, bytes);
  mallopt(M_MMAP_THRESHOLD, largest);
}

/// Nanoseconds of the clock that never steps.
static inline uint64_t headway_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static inline int headway_new_timer(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }

/// Arms the timer for one absolute instant of headway_monotonic_ns; 0 disarms.
static inline int headway_arm_timer(int timer, uint64_t deadline_ns) {
  struct itimerspec at;
  memset(&at, 0, sizeof at);
  at.it_value.tv_sec = (time_t)(deadline_ns / 1000000000ull);
  at.it_value.tv_nsec = (long)(deadline_ns % 1000000000ull);
  return timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static inline int headway_new_wake(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/// One socket option whose value is an int.
static inline int headway_set_option(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value);
}

/// A numeric address and port as a sockaddr; 0 when the text is no address.
static inline socklen_t headway_address(const char *host, uint16_t port, struct sockaddr_storage *out) {
  struct sockaddr_in *v4 = (struct sockaddr_in *)out;
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
  memset(out, 0, sizeof *out);
  if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    return sizeof *v4;
  }
  if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    return sizeof *v6;
  }
  return 0;
}

static inline int headway_bind(int fd, const struct sockaddr_storage *to, socklen_t length) {
  return bind(fd, (const struct sockaddr *)to, length);
}

/// The port that a bound socket really has; 0 when it can't be told.
static inline uint16_t headway_port(int fd) {
  struct sockaddr_storage at;
  socklen_t length = sizeof at;
  if (getsockname(fd, (struct sockaddr *)&at, &length) != 0) return 0;
  return at.ss_family == AF_INET6 ? ntohs(((struct sockaddr_in6 *)&at)->sin6_port)
                                  : ntohs(((struct sockaddr_in *)&at)->sin_port);
}

/// Soft limit of open files (raised or lowered to `wanted` as far as the hard one lets it).
static inline uint64_t headway_file_limit(uint64_t wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (wanted == 0) return (uint64_t)limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max != RLIM_INFINITY && wanted > limit.rlim_max ? limit.rlim_max : (rlim_t)wanted;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  return (uint64_t)limit.rlim_cur;
}

/// Hands an fd that is not a connection (a timer, an eventfd, a listener) to the loop.
static inline struct lws *headway_adopt_file(struct lws_vhost *vhost, int fd, const char *protocol) {
  lws_sock_file_fd_type both;
  memset(&both, 0, sizeof both);
  both.filefd = fd;
  return lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, both, protocol, NULL);
}

static inline int headway_new_watch(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// Has a socket reported once when one of `events` is there, or an error or the end of both directions, which are always
/// asked for. A socket that is watched already is watched for these instead; one that is closed no longer is.
static inline int headway_watch(int watch, int fd, uint32_t events, uint64_t tag) {
  struct epoll_event event;
  memset(&event, 0, sizeof event);
  event.events = events | EPOLLONESHOT;
  event.data.u64 = tag;
  if (epoll_ctl(watch, EPOLL_CTL_MOD, fd, &event) == 0) return 0;
  return errno == ENOENT ? epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event) : -1;
}

/// The next socket that is ready, without waiting; 1, or 0 when there is none.
static inline int headway_next_ready(int watch, uint32_t *events, uint64_t *tag) {
  struct epoll_event event;
  if (epoll_wait(watch, &event, 1, 0) != 1) return 0;
  *events = event.events;
  *tag = event.data.u64;
  return 1;
}

/// How many bytes were read from a TCP socket since it was connected (one more once the peer has said that it ends); -1
/// when more came each time that it was asked.
static inline int64_t headway_bytes_read(int fd) {
  for (int attempt = 0; attempt < 16; attempt++) {
    // The kernel counts what came and what waits, and tells one at a time. glibc's struct tcp_info ends before that number
    // (tcpi_bytes_received, Linux 4.1), which stands behind 128 bytes.
    uint64_t came[2][17];
    int waiting = 0;
    for (int i = 0; i < 2; i++) {
      socklen_t length = sizeof came[i];
      if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, came[i], &length) != 0 || length < sizeof came[i]) return -1;
      if (i == 0 && ioctl(fd, SIOCINQ, &waiting) != 0) return -1;
    }
    if (came[0][16] == came[1][16]) return (int64_t)came[0][16] - waiting;
  }
  return -1;
}

static const int headway_tcp_notsent_lowat = TCP_NOTSENT_LOWAT;

#endif
