// SPDX-License-Identifier: Apache-2.0
#ifndef HEADWAY_CCRYPTO_H
#define HEADWAY_CCRYPTO_H
#include <openssl/evp.h>
#endif
