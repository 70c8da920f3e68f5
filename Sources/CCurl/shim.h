// SPDX-License-Identifier: Apache-2.0
// Typed ways into libcurl's variadic functions, which Swift can't call.
#ifndef HEADWAY_CCURL_H
#define HEADWAY_CCURL_H
#include <curl/curl.h>
#endif
