/* Decode untrusted bytes with every codec.  The first byte picks the codec, the second how much room there is; the rest
 * is the chunk.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_XOPEN_SOURCE=700 -Iinclude -Isrc fuzz/codec_decode.c \
 *       src/base/[a-z]*.c src/model/[a-z]*.c src/codec/[a-z]*.c \
 *       -lzstd -llz4 -lblosc -ldeflate -lisal -ljson-c -luuid -lm -o codec_decode
 *   ./codec_decode fuzz/corpus/codec_decode -max_total_time=60
 *
 * Chunk and room end at a page that nobody may touch: the libraries underneath are not built with sanitizers.  Beside
 * what those and that page find, two things must hold: what is decoded fits the room, and a failure has words.
 */
#define _GNU_SOURCE
#include "codec/chain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const texts[] = { "none",
                                     "gzip:5",
                                     "zstd:1",
                                     "blosc:zstd:1:bitshuffle",
                                     "none+crc32c",
                                     "gzip:1+crc32c",
                                     "zstd:1+crc32c",
                                     "numcodecs.zlib",
                                     "numcodecs.shuffle:2+numcodecs.zlib",
                                     "numcodecs.zstd",
                                     "numcodecs.lz4",
                                     "numcodecs.shuffle:4+numcodecs.lz4",
                                     "numcodecs.blosc",
                                     "numcodecs.shuffle:3" };
enum { N_TEXTS = sizeof texts / sizeof *texts };

static void require(int holds)
{
    if (!holds)
        abort();
}

/* Bytes whose end is the end of what may be read and written. */
typedef struct guarded {
    unsigned char *bytes;
    void *map;
    size_t map_bytes;
} guarded;

static guarded guarded_new(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (n + page - 1) / page * page;
    guarded g = { NULL, NULL, whole + page };
    g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(g.map != MAP_FAILED && mprotect((char *)g.map + whole, page, PROT_NONE) == 0);
    g.bytes = (unsigned char *)g.map + whole - n;
    return g;
}

static void decode_text(const nz_chain *chain, nz_chain_worker *worker, const void *chunk, size_t n, size_t room)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_buffer out = NZ_BUFFER_INIT(room);
    nwbz_string elements[4];
    if (nz_chain_decode_text(chain, worker, chunk, n, room, &out, &err) == NWBZ_OK) {
        require(out.n_bytes <= room);
        for (uint64_t count = 0; count <= 4; count++)
            require(nz_vlen_utf8_decode(out.bytes, out.n_bytes, count, elements, &err) == NWBZ_OK || err.message[0]);
    } else {
        require(err.message[0] != 0);
    }
    nz_buffer_done(&out);
}

static void decode_numbers(const nz_chain *chain, nz_chain_worker *worker, const void *chunk, size_t n, size_t room)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    guarded out = guarded_new(room);
    require(nz_chain_decode(chain, worker, chunk, n, out.bytes, room, &err) == NWBZ_OK || err.message[0]);
    munmap(out.map, out.map_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *codecs = NULL;
    nz_chain *chain = NULL;
    nz_chain_worker *worker = NULL;
    if (n < 2)
        return 0;
    bool is_text = data[0] & 0x80;
    size_t room = (size_t)data[1] * data[1] * 2;
    guarded chunk = guarded_new(n - 2);
    memcpy(chunk.bytes, data + 2, n - 2);
    require(nz_codec_parse_text(texts[(data[0] & 0x3f) % N_TEXTS], NZ_DTYPE(is_text ? NWBZ_STRING : NWBZ_INT16), data[0] & 0x40,
                                &codecs, &err) == NWBZ_OK);
    require(nz_chain_open(codecs, NZ_DTYPE(is_text ? NWBZ_STRING : NWBZ_INT16), room, &chain, &err) == NWBZ_OK);
    require(nz_chain_worker_new(chain, &worker, &err) == NWBZ_OK);
    if (is_text)
        decode_text(chain, worker, chunk.bytes, n - 2, room);
    else
        decode_numbers(chain, worker, chunk.bytes, n - 2, room);
    nz_chain_worker_free(worker);
    nz_chain_close(chain);
    nz_json_free(codecs);
    munmap(chunk.map, chunk.map_bytes);
    return 0;
}
