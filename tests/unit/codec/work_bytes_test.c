/* What a codec says that it takes is not less than what it takes: all memory of the process is counted while it works.
 *
 * malloc and its like are replaced in this program, which sanitizers do themselves: built with one, the test says so
 * and is skipped.
 */
#define _GNU_SOURCE
#include "data.h"

#include <malloc.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define CAN_COUNT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CAN_COUNT 0
#endif
#endif
#ifndef CAN_COUNT
#define CAN_COUNT 1
#endif

static size_t now_bytes, peak_bytes;

#if CAN_COUNT
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *pointer, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *pointer);

static void *count(void *pointer)
{
    now_bytes += pointer ? malloc_usable_size(pointer) : 0;
    peak_bytes = now_bytes > peak_bytes ? now_bytes : peak_bytes;
    return pointer;
}

void *malloc(size_t n)
{
    return count(__libc_malloc(n));
}

void *calloc(size_t n, size_t size)
{
    return count(__libc_calloc(n, size));
}

void *realloc(void *pointer, size_t n)
{
    now_bytes -= pointer ? malloc_usable_size(pointer) : 0;
    return count(__libc_realloc(pointer, n));
}

int posix_memalign(void **pointer, size_t alignment, size_t n)
{
    *pointer = count(__libc_memalign(alignment, n));
    return *pointer ? 0 : 12;
}

void *aligned_alloc(size_t alignment, size_t n)
{
    return count(__libc_memalign(alignment, n));
}

void free(void *pointer)
{
    now_bytes -= pointer ? malloc_usable_size(pointer) : 0;
    __libc_free(pointer);
}
#endif

/* Encode and decode twice; return the peak beside what stood before. */
static size_t measure(const nz_chain *chain, const unsigned char *in, size_t n, unsigned char *out, size_t room,
                      unsigned char *back)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    size_t before = now_bytes, n_out = 0;
    peak_bytes = now_bytes;
    nz_chain_worker *worker = worker_of(chain);
    for (int i = 0; i < 2; i++) { /* the second time with used contexts */
        assert_int_equal(nz_chain_encode(chain, worker, in, n, out, room, &n_out, &err), NWBZ_OK);
        assert_int_equal(nz_chain_decode(chain, worker, out, n_out, back, n, &err), NWBZ_OK);
    }
    nz_chain_worker_free(worker);
    assert_int_equal(now_bytes, before);
    return peak_bytes - before;
}

static void a_codec_takes_no_more_than_it_says(void **state)
{
    /* The worker itself; and what aligning scratch to huge pages leaves untouched. */
    enum { SLACK = 4096, LARGE = 4 << 20, ALIGNMENT = 2 << 20 };
    static const char *const texts[] = { "none",
                                         "none+crc32c",
                                         "zstd:-7",
                                         "zstd:0",
                                         "zstd:1",
                                         "zstd:5",
                                         "zstd:9",
                                         "zstd:12",
                                         "zstd:15",
                                         "zstd:19",
                                         "gzip:0",
                                         "gzip:1",
                                         "gzip:5",
                                         "gzip:9",
                                         "blosc:lz4:5:shuffle",
                                         "blosc:lz4:9:bitshuffle",
                                         "blosc:lz4hc:9:bitshuffle",
                                         "blosc:blosclz:9:shuffle",
                                         "blosc:zlib:9:bitshuffle",
                                         "blosc:zstd:1:bitshuffle",
                                         "blosc:zstd:3:shuffle",
                                         "blosc:zstd:5:bitshuffle",
                                         "blosc:zstd:7:bitshuffle",
                                         "blosc:zstd:8:shuffle",
                                         "blosc:zstd:9:bitshuffle+crc32c",
                                         "numcodecs.shuffle:2+numcodecs.zlib:4",
                                         "numcodecs.zstd:3",
                                         "numcodecs.lz4",
                                         "numcodecs.blosc" };
    static const size_t sizes[] = { 2, 1000, 65536, 262144, 1050000, 9000000 };
    (void)state;
    if (!CAN_COUNT) {
        print_message("skipped: a sanitizer counts the memory of this program\n");
        skip();
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            nwbz_error err = NWBZ_ERROR_INIT;
            nz_json *codecs = NULL;
            nz_chain *chain = NULL;
            size_t n = sizes[k];
            bool is_fast = !strstr(texts[i], ":9") && !strstr(texts[i], ":8") && !strstr(texts[i], ":7:") &&
                           !strstr(texts[i], "zstd:1") && !strstr(texts[i], ":5:b");
            if (n > 262144 && !is_fast && strcmp(texts[i], "zstd:1") != 0)
                continue;
            assert_int_equal(nz_codec_parse_text(texts[i], NZ_DTYPE(NWBZ_INT16), true, &codecs, &err), NWBZ_OK);
            assert_int_equal(nz_chain_open(codecs, NZ_DTYPE(NWBZ_INT16), n, &chain, &err), NWBZ_OK);
            size_t room = nz_chain_bound(chain, n);
            unsigned char *in = make_data(DATA_NEURAL, n), *out = nz_malloc(room), *back = nz_malloc(n);
            size_t took = measure(chain, in, n, out, room, back), says = nz_chain_work_bytes(chain, n);
            if (took > says + SLACK + (n >= LARGE ? ALIGNMENT : 0))
                fail_msg("%s of %zu bytes takes %zu, and says %zu", texts[i], n, took, says);
            nz_free(in), nz_free(out), nz_free(back);
            nz_chain_close(chain);
            nz_json_free(codecs);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_codec_takes_no_more_than_it_says) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
