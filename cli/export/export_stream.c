// SPDX-License-Identifier: Apache-2.0
// Writes frames as differences of whole numbers, column by column.
#include "cli/export/export_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSITION = 0, TURN = 3, VELOCITY = 6, ORDERS = 3 };

// an orientation's part that is left out stays so while it is at least this large: below, the
// others could not tell it well
static const double left_out_least = 0.4;

void export_put(export_bytes *bytes, const void *data, size_t size)
{
    if (bytes->size + size > bytes->room && !bytes->failed) {
        size_t room = bytes->room + bytes->room / 2 + size + 4096;
        unsigned char *grown =
            bytes->allocator.reallocate(bytes->allocator.context, bytes->data, room);
        bytes->failed = grown == NULL;
        if (!bytes->failed) {
            bytes->data = grown;
            bytes->room = room;
        }
    }
    if (bytes->failed || size == 0)
        return;
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void export_bytes_release(export_bytes *bytes)
{
    base_release(&bytes->allocator, bytes->data);
    *bytes = (export_bytes){0};
}

cairn_status export_stream_begin(export_stream *stream, const export_model *model,
                                 const export_scale *scale, int most_contacts)
{
    const base_allocator *allocator = &model->allocator;
    *stream = (export_stream){.model = model,
                              .scale = *scale,
                              .most_contacts = most_contacts,
                              .bytes.allocator = *allocator};
    stream->tracks =
        base_allocate(allocator, (size_t)model->body_count + 1, sizeof *stream->tracks);
    stream->row_of =
        base_allocate(allocator, (size_t)model->body_count + 1, sizeof *stream->row_of);
    return stream->tracks != NULL && stream->row_of != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void export_stream_finish(export_stream *stream)
{
    if (stream->model == NULL)
        return;
    base_release(&stream->model->allocator, stream->tracks);
    base_release(&stream->model->allocator, stream->row_of);
    base_release(&stream->model->allocator, stream->numbers);
    export_bytes_release(&stream->bytes);
    *stream = (export_stream){0};
}

void export_stream_cut(export_stream *stream)
{
    stream->begun = stream->frame;
    stream->bytes.size = 0;
}

// ---------------------------------------------------------------- columns

static void put_u32(export_bytes *bytes, uint32_t number)
{
    unsigned char four[4] = {(unsigned char)number, (unsigned char)(number >> 8),
                             (unsigned char)(number >> 16), (unsigned char)(number >> 24)};
    export_put(bytes, four, 4);
}

static void put_u8(export_bytes *bytes, unsigned number)
{
    unsigned char one = (unsigned char)number;
    export_put(bytes, &one, 1);
}

/// The sign goes into the lowest bit, so that small numbers have empty high bytes.
static uint32_t fold(int32_t number)
{
    return ((uint32_t)number << 1) ^ (number < 0 ? UINT32_MAX : 0);
}

static void put_column(export_bytes *bytes, int order, const int32_t *numbers, int count)
{
    unsigned char part[1024];
    uint32_t all = 0;
    unsigned width = 0;
    for (int i = 0; i < count; i++)
        all |= fold(numbers[i]);
    while (all >> (8 * width) != 0 && ++width < 4)
        continue;
    put_u8(bytes, (unsigned)order);
    put_u8(bytes, width);
    for (unsigned plane = 0; plane < width; plane++)
        for (int from = 0; from < count; from += (int)sizeof part) {
            int n = count - from < (int)sizeof part ? count - from : (int)sizeof part;
            for (int i = 0; i < n; i++)
                part[i] = (unsigned char)(fold(numbers[from + i]) >> (8 * plane));
            export_put(bytes, part, (size_t)n);
        }
}

static int32_t whole(double number)
{
    const double most = 1 << 30;
    return (int32_t)lrint(number < -most ? -most : number > most ? most : number);
}

/// Small numbers are told finer than large ones: the square root, with the sign.
static int32_t bend(double number, double largest, int most)
{
    if (!(largest > 0.0))
        return 0;
    double part = sqrt(fmin(fabs(number) / largest, 1.0)) * most;
    return (int32_t)lrint(number < 0.0 ? -part : part);
}

// ---------------------------------------------------------------- bodies

/// What the track foretells; differences wrap around.
static int32_t foretell(const export_track *track, int column, int order, int run)
{
    int known = order < run ? order : run;
    uint32_t last = (uint32_t)track->last[column], before = (uint32_t)track->before[column];
    return known == 0 ? 0 : known == 1 ? (int32_t)last : (int32_t)(2 * last - before);
}

/// The part of an orientation that is left out, and the units of the others.
static int pack_turn(const export_stream *stream, const export_track *track, const double q[4],
                     int32_t out[3])
{
    int left = track->run > 0 ? track->left_out : -1, at = 0;
    if (left < 0 || fabs(q[left]) < left_out_least) {
        left = 0;
        for (int i = 1; i < 4; i++)
            if (fabs(q[i]) > fabs(q[left]))
                left = i;
    }
    double sign = q[left] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++)
        if (i != left)
            out[at++] = whole(sign * q[i] * stream->scale.turn);
    return left;
}

/// Numbers of a frame: `values` by bodies and columns, `scratch` for differences of each order.
typedef struct frame_numbers {
    const cairn_replay_frame *frame;
    const int *rows;                   // [bodies] of the frame, by the numbers of the bodies
    int32_t (*values)[EXPORT_COLUMNS]; // [bodies]
    int32_t *left, *scratch[ORDERS];   // [bodies]
} frame_numbers;

static int number_of(const frame_numbers *f, int i)
{
    return export_number(f->frame, f->rows[i]);
}

static bool turns(const export_stream *stream, int number)
{
    return stream->model->shapes[stream->model->bodies[number].shape].turns;
}

static void fill_values(export_stream *stream, const frame_numbers *f)
{
    const export_scale *scale = &stream->scale;
    for (int i = 0; i < f->frame->bodies; i++) {
        int number = number_of(f, i), row = f->rows[i];
        export_track *track = &stream->tracks[number];
        if (stream->frame == stream->begun || track->frame != stream->frame - 1)
            track->run = 0;
        for (int axis = 0; axis < 3; axis++) {
            f->values[i][POSITION + axis] =
                whole((f->frame->position[row][axis] - scale->origin[axis]) / scale->length);
            f->values[i][VELOCITY + axis] =
                bend(f->frame->velocity[row][axis], scale->velocity, scale->velocity_most);
        }
        if (turns(stream, number))
            f->left[i] = pack_turn(stream, track, f->frame->orientation[row], f->values[i] + TURN);
    }
}

/// The order whose differences are smallest.
static void put_predicted(export_stream *stream, const frame_numbers *f, int column)
{
    bool of_turn = column >= TURN && column < VELOCITY;
    double cost[ORDERS] = {0.0};
    int count = 0, best = 0;
    for (int i = 0; i < f->frame->bodies; i++) {
        int number = number_of(f, i);
        const export_track *track = &stream->tracks[number];
        if (of_turn && !turns(stream, number))
            continue;
        int run = of_turn && track->run > 0 && track->left_out != f->left[i] ? 0 : track->run;
        for (int order = 0; order < ORDERS; order++) {
            uint32_t told = (uint32_t)foretell(track, column, order, run);
            int32_t rest = (int32_t)((uint32_t)f->values[i][column] - told);
            f->scratch[order][count] = rest;
            cost[order] += log2(1.0 + fabs((double)rest));
        }
        count++;
    }
    for (int order = 1; order < ORDERS; order++)
        if (cost[order] < cost[best])
            best = order;
    put_column(&stream->bytes, best, f->scratch[best], count);
}

static void remember(export_stream *stream, const frame_numbers *f)
{
    for (int i = 0; i < f->frame->bodies; i++) {
        int number = number_of(f, i);
        export_track *track = &stream->tracks[number];
        memcpy(track->before, track->last, sizeof track->before);
        memcpy(track->last, f->values[i], sizeof track->last);
        // what another part was left out of foretells nothing
        if (track->run > 0 && turns(stream, number) && track->left_out != f->left[i])
            memcpy(track->before + TURN, track->last + TURN, 3 * sizeof *track->before);
        track->left_out = f->left[i];
        track->run = track->run < 2 ? track->run + 1 : 2;
        track->frame = stream->frame;
    }
}

/// The bits say which bodies are there; what follows is in the order of their numbers.
/// @param rows  [bodies] out
static cairn_status put_presence(export_stream *stream, const cairn_replay_frame *frame, int *rows)
{
    int count = stream->model->body_count, found = 0;
    size_t size = ((size_t)count + 7) / 8;
    unsigned char *bits = base_allocate(&stream->bytes.allocator, size + 1, 1);
    if (bits == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < frame->bodies; i++) {
        int number = export_number(frame, i);
        bits[number / 8] |= (unsigned char)(1 << number % 8);
        stream->row_of[number] = i;
    }
    for (int number = 0; number < count; number++)
        if (bits[number / 8] >> number % 8 & 1)
            rows[found++] = stream->row_of[number];
    put_u32(&stream->bytes, (uint32_t)found);
    put_u8(&stream->bytes, found < count ? 1 : 0);
    if (found < count)
        export_put(&stream->bytes, bits, size);
    base_release(&stream->bytes.allocator, bits);
    return found == frame->bodies ? CAIRN_OK : CAIRN_ERROR_FORMAT;
}

static bool make_room(export_stream *stream, size_t numbers)
{
    if (numbers <= stream->room)
        return true;
    base_release(&stream->bytes.allocator, stream->numbers);
    stream->numbers = base_allocate(&stream->bytes.allocator, numbers, sizeof *stream->numbers);
    stream->room = stream->numbers != NULL ? numbers : 0;
    return stream->numbers != NULL;
}

// ---------------------------------------------------------------- contacts

static double strength(const double force[3])
{
    return sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/// The strength that the most contacts which are kept have at least; 0: all of them are.
static cairn_status find_least(const export_stream *stream, const cairn_replay_frame *frame,
                               double *least)
{
    *least = 0.0;
    if (frame->contacts_kept <= stream->most_contacts)
        return CAIRN_OK;
    const base_allocator *allocator = &stream->bytes.allocator;
    double *strengths = base_allocate(allocator, (size_t)frame->contacts_kept, sizeof *strengths);
    if (strengths == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < frame->contacts_kept; i++)
        strengths[i] = strength(frame->contact_force[i]);
    qsort(strengths, (size_t)frame->contacts_kept, sizeof *strengths, descending);
    *least = stream->most_contacts > 0 ? strengths[stream->most_contacts - 1] : INFINITY;
    base_release(allocator, strengths);
    return CAIRN_OK;
}

/// Points are told from where A is, which small numbers do.
static cairn_status put_contacts(export_stream *stream, const cairn_replay_frame *frame)
{
    enum { WIDTH = 9 };
    double least = 0.0;
    cairn_status status = find_least(stream, frame, &least);
    size_t most = frame->contacts_kept > 0 ? (size_t)frame->contacts_kept : 0;
    if (status != CAIRN_OK || !make_room(stream, WIDTH * most + 1))
        return CAIRN_ERROR_MEMORY;
    int32_t *column[WIDTH];
    for (int c = 0; c < WIDTH; c++)
        column[c] = stream->numbers + (size_t)c * most;
    int count = 0, last_a = 0;
    for (int i = 0; i < frame->contacts_kept && count < stream->most_contacts; i++) {
        const double *force = frame->contact_force[i];
        if (strength(force) < least)
            continue;
        int a = (int)frame->contact_bodies[i][0], b = (int)frame->contact_bodies[i][1];
        column[0][count] = a - last_a;
        column[1][count] = b - a;
        column[2][count] = (int32_t)frame->contact_status[i];
        for (int axis = 0; axis < 3; axis++) {
            double at = frame->contact_point[i][axis] - stream->scale.origin[axis];
            uint32_t from = stream->tracks[a].frame == stream->frame && stream->tracks[a].run > 0
                                ? (uint32_t)stream->tracks[a].last[axis]
                                : 0;
            column[3 + axis][count] = (int32_t)((uint32_t)whole(at / stream->scale.length) - from);
            column[6 + axis][count] =
                bend(force[axis], stream->scale.force, stream->scale.force_most);
        }
        last_a = a;
        count++;
    }
    put_u8(&stream->bytes, frame->contacts_kept >= 0 ? 1 : 0);
    put_u32(&stream->bytes, (uint32_t)frame->contacts);
    put_u32(&stream->bytes, (uint32_t)count);
    for (int c = 0; c < WIDTH; c++)
        put_column(&stream->bytes, 0, column[c], count);
    stream->report.contacts += count;
    stream->report.left_out += (int64_t)most - count;
    return CAIRN_OK;
}

cairn_status export_stream_put(export_stream *stream, const cairn_replay_frame *frame)
{
    size_t bodies = (size_t)frame->bodies, each = EXPORT_COLUMNS + 2 + ORDERS;
    if (!make_room(stream, each * bodies + 1))
        return CAIRN_ERROR_MEMORY;
    frame_numbers f = {.frame = frame,
                       .values = (int32_t(*)[EXPORT_COLUMNS])(void *)stream->numbers,
                       .left = stream->numbers + EXPORT_COLUMNS * bodies};
    for (size_t order = 0; order < ORDERS; order++)
        f.scratch[order] = f.left + (order + 1) * bodies;
    int *rows = f.left + (ORDERS + 1) * bodies;
    f.rows = rows;
    memset(f.left, 0, bodies * sizeof *f.left);
    memset(f.values, 0, bodies * sizeof *f.values);
    BASE_TRY(put_presence(stream, frame, rows));
    fill_values(stream, &f);

    for (int column = POSITION; column < TURN; column++)
        put_predicted(stream, &f, column);
    int count = 0;
    for (int i = 0; i < frame->bodies; i++)
        if (turns(stream, number_of(&f, i)))
            f.scratch[0][count++] = f.left[i];
    put_column(&stream->bytes, 0, f.scratch[0], count);
    for (int column = TURN; column < EXPORT_COLUMNS; column++)
        put_predicted(stream, &f, column);
    remember(stream, &f);
    cairn_status status = put_contacts(stream, frame);
    stream->frame++;
    return status == CAIRN_OK && stream->bytes.failed ? CAIRN_ERROR_MEMORY : status;
}
