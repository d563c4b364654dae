// SPDX-License-Identifier: Apache-2.0
// Processes of a test are threads of one program: what they send each other goes by a post.
#ifndef CAIRN_TESTS_POST_H
#define CAIRN_TESTS_POST_H

#include <cairn/ranks.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MOST = 11 };

/// One message from each to each, at a time.
typedef struct post {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    unsigned char *bytes[RANKS_MOST][RANKS_MOST];
    size_t size[RANKS_MOST][RANKS_MOST];
    int wrong;      // messages of another size than was expected
    int fail_after; // messages that arrive; negative: all
} post;

static inline void post_send(post *p, int from, const cairn_message *m)
{
    while (p->bytes[from][m->rank] != NULL)
        pthread_cond_wait(&p->changed, &p->mutex);
    p->bytes[from][m->rank] = malloc(m->sent_size + 1);
    memcpy(p->bytes[from][m->rank], m->sent, m->sent_size);
    p->size[from][m->rank] = m->sent_size;
    pthread_cond_broadcast(&p->changed);
}

static inline void post_receive(post *p, int to, const cairn_message *m)
{
    while (p->bytes[m->rank][to] == NULL)
        pthread_cond_wait(&p->changed, &p->mutex);
    if (p->size[m->rank][to] == m->received_size)
        memcpy(m->received, p->bytes[m->rank][to], m->received_size);
    else
        p->wrong++;
    free(p->bytes[m->rank][to]);
    p->bytes[m->rank][to] = NULL;
    pthread_cond_broadcast(&p->changed);
}

/// The messages of one process, while others make theirs.
static inline void post_exchange(post *p, int number, const cairn_message *messages, int count)
{
    pthread_mutex_lock(&p->mutex);
    for (int i = 0; i < count; i++)
        if (messages[i].sent_size > 0)
            post_send(p, number, &messages[i]);
    for (int i = 0; i < count; i++)
        if (messages[i].received_size > 0)
            post_receive(p, number, &messages[i]);
    pthread_mutex_unlock(&p->mutex);
}

#endif
