// SPDX-License-Identifier: Apache-2.0
// Loaded before a program, counts how often it allocates, and tells that in the last line of its standard error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

static atomic_ulong count;

#define FORWARD(result, name, parameters, arguments)                                                                   \
    result name parameters                                                                                             \
    {                                                                                                                  \
        static result(*next) parameters;                                                                               \
        if (!next)                                                                                                     \
            next = (result(*) parameters)dlsym(RTLD_NEXT, #name);                                                      \
        atomic_fetch_add(&count, 1);                                                                                   \
        return next arguments;                                                                                         \
    }

FORWARD(void *, malloc, (size_t size), (size))
FORWARD(void *, realloc, (void *old, size_t size), (old, size))
FORWARD(int, posix_memalign, (void **to, size_t alignment, size_t size), (to, alignment, size))
FORWARD(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))

__attribute__((destructor)) static void tell(void)
{
    fprintf(stderr, "allocations %lu\n", atomic_load(&count));
}
