// SPDX-License-Identifier: Apache-2.0
#include "processes.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SERVER_PROCESSES = 256 };

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

void find_family(int root)
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

struct usage read_usage(void)
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
