/*
 * Spawn processes and say what each one took.
 *
 * A small program of its own, because a child started in the manner of vfork
 * reports at least its parent's memory: a Python parent would falsify ru_maxrss.
 *
 * Request on stdin: a length in decimal, a line feed, and so many bytes of
 * NUL-terminated strings: the number of jobs, how many run at once, and for each
 * job its stdin and stdout paths, the number of arguments, the arguments, the
 * number of variables, the variables. Answer on stdout, one line per job in their
 * order: wall ns, user CPU us, system CPU us, maximum RSS KB, wait status.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

struct job {
    const char *in, *out;
    char **arguments, **variables;
    pid_t pid;
    long long begun, wall;
    struct rusage used;
    int status;
};

static char *cursor;

static char *text(void)
{
    char *begin = cursor;
    while (*cursor)
        cursor++;
    cursor++;
    return begin;
}

static char **texts(void)
{
    int count = atoi(text());
    char **list = calloc((size_t)count + 1, sizeof *list);
    if (!list)
        exit(1);
    for (int i = 0; i < count; i++)
        list[i] = text();
    return list;
}

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void start(struct job *job)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, job->in, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, job->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    job->begun = now();
    if (posix_spawn(&job->pid, job->arguments[0], &actions, NULL, job->arguments, job->variables))
        exit(1);
    posix_spawn_file_actions_destroy(&actions);
}

static void finish(struct job *jobs, int count)
{
    int status;
    struct rusage used;
    pid_t pid = wait4(-1, &status, 0, &used);
    long long ended = now();
    for (int i = 0; i < count; i++)
        if (jobs[i].pid == pid) {
            jobs[i].wall = ended - jobs[i].begun;
            jobs[i].used = used;
            jobs[i].status = status;
        }
}

static void serve(char *request)
{
    cursor = request;
    int count = atoi(text()), at_once = atoi(text()), running = 0, done = 0;
    struct job *jobs = calloc((size_t)count, sizeof *jobs);
    if (!jobs)
        exit(1);
    for (int i = 0; i < count; i++) {
        jobs[i].in = text();
        jobs[i].out = text();
        jobs[i].arguments = texts();
        jobs[i].variables = texts();
    }
    for (int next = 0; done < count; done++, running--) {
        for (; next < count && running < at_once; running++)
            start(&jobs[next++]);
        finish(jobs, count);
    }
    for (int i = 0; i < count; i++) {
        struct rusage *u = &jobs[i].used;
        printf("%lld %lld %lld %ld %d\n", jobs[i].wall,
               u->ru_utime.tv_sec * 1000000LL + u->ru_utime.tv_usec,
               u->ru_stime.tv_sec * 1000000LL + u->ru_stime.tv_usec, u->ru_maxrss, jobs[i].status);
        free(jobs[i].arguments);
        free(jobs[i].variables);
    }
    fflush(stdout);
    free(jobs);
}

int main(void)
{
    long size;
    while (scanf("%ld", &size) == 1) {
        getchar();
        char *request = malloc((size_t)size);
        if (!request || fread(request, 1, (size_t)size, stdin) != (size_t)size)
            return 1;
        serve(request);
        free(request);
    }
    return 0;
}
