// SPDX-License-Identifier: Apache-2.0
// Typed ways into libcurl's variadic functions, which Swift can't call.
#ifndef HEADWAY_CCURL_H
#define HEADWAY_CCURL_H
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static inline CURLcode headway_curl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode headway_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode headway_curl_set_string(CURL *easy, CURLoption option, const char *value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode headway_curl_set_pointer(CURL *easy, CURLoption option, void *value) { return curl_easy_setopt(easy, option, value); }
typedef size_t (*headway_curl_data)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode headway_curl_set_data(CURL *easy, CURLoption option, headway_curl_data function) { return curl_easy_setopt(easy, option, function); }
typedef curl_socket_t (*headway_curl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode headway_curl_set_opener(CURL *easy, headway_curl_opener function) { return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function); }
static inline CURLcode headway_curl_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }
static inline CURLcode headway_curl_get_string(CURL *easy, CURLINFO info, char **value) { return curl_easy_getinfo(easy, info, value); }
static inline CURLcode headway_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_ALL); }
static inline CURL *headway_curl_message_handle(CURLMsg *message) { return message->easy_handle; }
static inline CURLcode headway_curl_message_result(CURLMsg *message) { return message->data.result; }
static inline int headway_curl_is_done(CURLMsg *message) { return message->msg == CURLMSG_DONE; }

/// The 4 or 16 bytes of an address about to be connected to; 0 where it is of another family.
static inline int headway_curl_address_bytes(const struct curl_sockaddr *address, unsigned char *bytes) {
    if (address->family == AF_INET) {
        __builtin_memcpy(bytes, &((const struct sockaddr_in *)&address->addr)->sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6) {
        __builtin_memcpy(bytes, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, 16);
        return 16;
    }
    return 0;
}
static inline curl_socket_t headway_curl_open(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
#endif
