// SPDX-License-Identifier: Apache-2.0
// Chunks that are shuffled and deflated in place.
#include "engine/files/chunk.h"

#include <zlib.h>

enum { VALUE_SIZE = 8, GAP_LEAST = 1 << 16, OUTPUT_MOST = 1 << 30 };

/// Bytes before the values: deflate's output begins there and never reaches what is still to be
/// read, as data that it cannot shrink grow by less than this.
static size_t gap_of(size_t values)
{
    return compressBound((uLong)(values * VALUE_SIZE)) - values * VALUE_SIZE + GAP_LEAST;
}

size_t eng_chunk_room(size_t values)
{
    return gap_of(values) + values * VALUE_SIZE;
}

void eng_chunk_put(void *block, size_t values, size_t first, size_t count, const void *part)
{
    const unsigned char *from = part;
    for (size_t k = 0; k < VALUE_SIZE; k++) {
        unsigned char *to = (unsigned char *)block + gap_of(values) + k * values + first;
        for (size_t i = 0; i < count; i++)
            to[i] = from[i * VALUE_SIZE + k];
    }
}

size_t eng_chunk_deflate(void *block, size_t values, int level)
{
    z_stream stream = {.next_in = (Bytef *)block + gap_of(values),
                       .avail_in = (uInt)(values * VALUE_SIZE),
                       .next_out = block};
    if (deflateInit(&stream, level) != Z_OK)
        return 0;
    int result = Z_OK;
    while (result == Z_OK) {
        size_t free_bytes = (size_t)(stream.next_in - stream.next_out);
        stream.avail_out = (uInt)(free_bytes < OUTPUT_MOST ? free_bytes : OUTPUT_MOST);
        result = deflate(&stream, Z_FINISH);
    }
    size_t size = (size_t)(stream.next_out - (Bytef *)block);
    (void)deflateEnd(&stream);
    return result == Z_STREAM_END ? size : 0;
}
