/* Which codec should be the default for neural data: ratio and speed of the candidates on one core.
 *
 *   cc -O2 bench/codec_choice.c -o codec_choice -lzstd -lblosc -ldeflate -lm
 *   ./codec_choice [--rounds 5] [KIND ...]          samples made here: probe, lfp, spikes, adc10, float32 ...
 *   ./codec_choice --raw FILE --channels 384        chunks cut out of a raw recording (int16)
 *
 * Each candidate encodes and decodes the same chunks as `nwbz write` stores them: (78125, 64) of int16, 10 MB;
 * timestamps in one row of 10 MB.  Seconds are CPU seconds of this thread, the least of all rounds (the slowest are
 * measured once); rounds of the candidates are interleaved, so that a busy moment of the machine meets them all.  The
 * calls are those of src/codec.
 */
#define _GNU_SOURCE
#include <blosc.h>
#include <libdeflate.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zstd.h>

enum { FRAMES = 78125, COLUMNS = 64, N_CHUNKS = 2, MAX_CANDIDATES = 64, RATE = 30000, SLOW_SECONDS = 1 };

static _Noreturn void die(const char *why)
{
    fprintf(stderr, "codec_choice: %s\n", why);
    exit(1);
}

static void *allocate(size_t n)
{
    void *p = malloc(n);
    if (!p)
        die("no memory");
    return p;
}

/* ---- Samples -------------------------------------------------------------------- */

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static double uniform(void)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

static double gauss(void)
{
    return sqrt(-2 * log(uniform() + 1e-300)) * cos(6.283185307179586 * uniform());
}

static int16_t clip(double x, double limit)
{
    return (int16_t)lrint(x > limit ? limit : x < -limit ? -limit : x);
}

/* A slow signal shared by the channels and white noise of 5 counts: easy to make, and as large as real ones. */
static void make_probe(int16_t *out, int chunk)
{
    for (int f = 0; f < FRAMES; f++) {
        double t = (double)(chunk * FRAMES + f) / RATE, slow = 60 * sin(6.2832 * 6 * t) + 25 * sin(6.2832 * 40 * t + 1);
        for (int c = 0; c < COLUMNS; c++)
            out[f * COLUMNS + c] = clip(slow * (0.5 + 0.7 * c / COLUMNS) + 5 * gauss(), 32767);
    }
}

/* Field potential at 2.5 kHz: smooth, hundreds of counts, one count of noise. */
static void make_lfp(int16_t *out, int chunk)
{
    double a[COLUMNS] = { 0 }, b[COLUMNS] = { 0 };
    (void)chunk;
    for (int f = 0; f < FRAMES; f++)
        for (int c = 0; c < COLUMNS; c++) {
            a[c] = 0.995 * a[c] + gauss();
            b[c] = 0.9 * b[c] + a[c];
            out[f * COLUMNS + c] = clip(2 * b[c] + gauss(), 32767);
        }
}

/* High gain: noise of 12 counts that neighbouring samples share, and spikes of 300 to 1500 counts, 20 a second. */
static void make_spikes(int16_t *out, int chunk)
{
    enum { SPIKE = 45 };
    double noise[COLUMNS] = { 0 }, height[COLUMNS] = { 0 };
    int age[COLUMNS];
    (void)chunk;
    for (int c = 0; c < COLUMNS; c++)
        age[c] = SPIKE;
    for (int f = 0; f < FRAMES; f++)
        for (int c = 0; c < COLUMNS; c++) {
            if (age[c] >= SPIKE && uniform() < 20.0 / RATE)
                age[c] = 0, height[c] = 300 + 1200 * uniform();
            double x = age[c] < SPIKE ? (age[c] - 8) / 5.0 : 100;
            noise[c] = 0.6 * noise[c] + 9.6 * gauss();
            out[f * COLUMNS + c] = clip(noise[c] - height[c] * (1 - x * x / 2) * exp(-x * x / 4), 32767);
            age[c] += age[c] < SPIKE;
        }
}

/* A 10-bit converter: few counts of noise, 15 of field potential. */
static void make_adc10(int16_t *out, int chunk)
{
    double slow[COLUMNS] = { 0 };
    (void)chunk;
    for (int f = 0; f < FRAMES; f++)
        for (int c = 0; c < COLUMNS; c++) {
            slow[c] = 0.999 * slow[c] + 0.7 * gauss();
            out[f * COLUMNS + c] = clip(slow[c] + 1.8 * gauss(), 511);
        }
}

typedef struct kind {
    const char *name, *what;
    size_t element_bytes;
    void (*make)(int16_t *out, int chunk); /* NULL: see make_chunk() */
} kind;

static const kind kinds[] = {
    { "probe", "int16: shared slow signal, white noise of 5 counts", 2, make_probe },
    { "lfp", "int16: smooth field potential, hundreds of counts", 2, make_lfp },
    { "spikes", "int16: noise of 12 counts and spikes up to 1500", 2, make_spikes },
    { "adc10", "int16: a 10-bit converter", 2, make_adc10 },
    { "float32", "float32: the probe in microvolts (0.195 a count)", 4, NULL },
    { "filtered", "float32: the probe after a filter, no two values alike", 4, NULL },
    { "seconds", "float64: timestamps of 30 kHz with a drift and a start time", 8, NULL },
};

static void *make_chunk(const kind *k, int chunk, size_t *n_bytes)
{
    size_t n = (size_t)FRAMES * COLUMNS;
    int16_t *samples = allocate(n * sizeof *samples);
    *n_bytes = n * sizeof *samples;
    if (k->make) {
        k->make(samples, chunk);
        return samples;
    }
    if (k->element_bytes == sizeof(double)) {
        double *seconds = (double *)samples;
        n = *n_bytes / sizeof *seconds;
        for (size_t i = 0; i < n; i++)
            seconds[i] = 12.3456 + (double)((size_t)chunk * n + i) / 30000.0123;
        return seconds;
    }
    make_probe(samples, chunk);
    float *volts = allocate(n * sizeof *volts);
    *n_bytes = n * sizeof *volts;
    bool is_filtered = strcmp(k->name, "filtered") == 0;
    for (size_t i = 0; i < n; i++) {
        float before = is_filtered && i >= COLUMNS ? 0.9f * volts[i - COLUMNS] : 0;
        volts[i] = before + (is_filtered ? 0.1f : 1) * 0.195f * samples[i];
    }
    free(samples);
    return volts;
}

/* ---- Candidates ------------------------------------------------------------------- */

typedef struct candidate {
    char name[64];
    enum { NONE, ZSTD, GZIP, BLOSC } codec;
    int level, shuffle;
    const char *cname;
    size_t block_bytes; /* 0: the library's own choice */
    size_t n_encoded;
    double encode_seconds, decode_seconds;
} candidate;

typedef struct contexts {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
    struct libdeflate_compressor *deflate[10];
    struct libdeflate_decompressor *inflate;
} contexts;

static contexts *contexts_new(void)
{
    contexts *x = allocate(sizeof *x);
    x->compress = ZSTD_createCCtx();
    x->decompress = ZSTD_createDCtx();
    x->inflate = libdeflate_alloc_decompressor();
    for (int level = 0; level < 10; level++)
        x->deflate[level] = libdeflate_alloc_compressor(level);
    return x;
}

static size_t encode(const candidate *c, contexts *x, size_t typesize, const void *in, size_t n, void *out, size_t room)
{
    switch (c->codec) {
    case ZSTD:
        ZSTD_CCtx_setParameter(x->compress, ZSTD_c_compressionLevel, c->level);
        return ZSTD_compress2(x->compress, out, room, in, n);
    case GZIP:
        return libdeflate_gzip_compress(x->deflate[c->level], in, n, out, room);
    case BLOSC:
        return (size_t)blosc_compress_ctx(c->level, c->shuffle, typesize, n, in, out, room, c->cname, c->block_bytes,
                                          1);
    default:
        memcpy(out, in, n);
        return n;
    }
}

static size_t decode(const candidate *c, contexts *x, const void *in, size_t n, void *out, size_t n_out)
{
    size_t got = 0;
    switch (c->codec) {
    case ZSTD:
        return ZSTD_decompressDCtx(x->decompress, out, n_out, in, n);
    case GZIP:
        return libdeflate_gzip_decompress(x->inflate, in, n, out, n_out, &got) == LIBDEFLATE_SUCCESS ? got : 0;
    case BLOSC:
        return (size_t)blosc_decompress_ctx(in, out, n_out, 1);
    default:
        memcpy(out, in, n);
        return n;
    }
}

static unsigned add_blosc(candidate *list, unsigned n, const char *cname, int shuffle, int level, size_t block_bytes)
{
    static const char *const words[] = { "noshuffle", "shuffle", "bitshuffle" };
    list[n] =
        (candidate){ .codec = BLOSC, .level = level, .shuffle = shuffle, .cname = cname, .block_bytes = block_bytes };
    int length = snprintf(list[n].name, sizeof list[n].name, "blosc:%s:%d:%s", cname, level, words[shuffle]);
    if (block_bytes)
        snprintf(list[n].name + length, sizeof list[n].name - (size_t)length, ":%zu", block_bytes);
    return n + 1;
}

static unsigned list_candidates(candidate *list)
{
    static const int zstd_levels[] = { -5, -1, 0, 1, 2, 5, 9 }, gzip_levels[] = { 1, 5 };
    static const int lz4_levels[] = { 1, 5, 9 }, blosc_levels[] = { 1, 2, 3, 4, 5, 7, 9 };
    static const size_t blocks[] = { 1 << 18, 1 << 19, 1 << 20, 1 << 21 };
    unsigned n = 0;
    list[n] = (candidate){ .codec = NONE };
    strcpy(list[n++].name, "none");
    for (size_t i = 0; i < sizeof zstd_levels / sizeof *zstd_levels; i++, n++) {
        list[n] = (candidate){ .codec = ZSTD, .level = zstd_levels[i] };
        snprintf(list[n].name, sizeof list[n].name, "zstd:%d", zstd_levels[i]);
    }
    for (size_t i = 0; i < sizeof gzip_levels / sizeof *gzip_levels; i++, n++) {
        list[n] = (candidate){ .codec = GZIP, .level = gzip_levels[i] };
        snprintf(list[n].name, sizeof list[n].name, "gzip:%d", gzip_levels[i]);
    }
    for (int shuffle = BLOSC_SHUFFLE; shuffle <= BLOSC_BITSHUFFLE; shuffle++) {
        for (size_t i = 0; i < sizeof lz4_levels / sizeof *lz4_levels; i++)
            n = add_blosc(list, n, "lz4", shuffle, lz4_levels[i], 0);
        n = add_blosc(list, n, "lz4", shuffle, 5, 1 << 20);
        for (size_t i = 0; i < sizeof blosc_levels / sizeof *blosc_levels; i++)
            n = add_blosc(list, n, "zstd", shuffle, blosc_levels[i], 0);
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
            n = add_blosc(list, n, "zstd", shuffle, 1, blocks[i]);
        for (int level = 2; level <= 3; level++)
            n = add_blosc(list, n, "zstd", shuffle, level, 1 << 20);
    }
    return n;
}

/* ---- Measure ---------------------------------------------------------------------------- */

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct chunks {
    void *bytes[N_CHUNKS];
    size_t n_bytes, typesize;
} chunks;

static void measure(candidate *c, contexts *x, const chunks *data, void *out, size_t room, void *back)
{
    double encode_seconds = 0, decode_seconds = 0;
    c->n_encoded = 0;
    for (int i = 0; i < N_CHUNKS; i++) {
        double at = cpu_seconds();
        size_t n = encode(c, x, data->typesize, data->bytes[i], data->n_bytes, out, room);
        double half = cpu_seconds();
        if (decode(c, x, out, n, back, data->n_bytes) != data->n_bytes)
            die("decoding failed");
        decode_seconds += cpu_seconds() - half;
        encode_seconds += half - at;
        if (memcmp(back, data->bytes[i], data->n_bytes) != 0)
            die("decoded values differ");
        c->n_encoded += n;
    }
    c->encode_seconds =
        c->encode_seconds > 0 && c->encode_seconds < encode_seconds ? c->encode_seconds : encode_seconds;
    c->decode_seconds =
        c->decode_seconds > 0 && c->decode_seconds < decode_seconds ? c->decode_seconds : decode_seconds;
}

static void run(const char *what, const chunks *data, int rounds)
{
    candidate list[MAX_CANDIDATES];
    unsigned n = list_candidates(list);
    contexts *x = contexts_new();
    size_t room = data->n_bytes + data->n_bytes / 64 + 65536;
    void *out = allocate(room), *back = allocate(data->n_bytes);
    for (int round = 0; round < rounds; round++)
        for (unsigned i = 0; i < n; i++)
            if (round == 0 || list[i].encode_seconds < SLOW_SECONDS)
                measure(&list[i], x, data, out, room, back);
    double total = (double)data->n_bytes * N_CHUNKS;
    printf("\n%s\n\n| codec | ratio | encode MB/s | decode MB/s |\n|---|---|---|---|\n", what);
    for (unsigned i = 0; i < n; i++)
        printf("| %s | %.3f | %.0f | %.0f |\n", list[i].name, total / (double)list[i].n_encoded,
               total / list[i].encode_seconds / 1e6, total / list[i].decode_seconds / 1e6);
    fflush(stdout);
    free(out), free(back);
}

static void run_kind(const kind *k, int rounds)
{
    chunks data = { .typesize = k->element_bytes };
    for (int i = 0; i < N_CHUNKS; i++)
        data.bytes[i] = make_chunk(k, i, &data.n_bytes);
    char what[200];
    snprintf(what, sizeof what, "### %s\n\n%s", k->name, k->what);
    run(what, &data, rounds);
    for (int i = 0; i < N_CHUNKS; i++)
        free(data.bytes[i]);
}

/* Cut chunks out of a raw recording: row band i, columns from 64 * i. */
static void run_raw(const char *path, int channels, int rounds)
{
    chunks data = { .typesize = 2, .n_bytes = sizeof(int16_t) * FRAMES * COLUMNS };
    FILE *file = fopen(path, "rb");
    if (!file || channels < COLUMNS)
        die("cannot read the recording (64 channels or more)");
    int16_t *row = allocate(sizeof *row * (size_t)channels);
    for (int i = 0; i < N_CHUNKS; i++) {
        int16_t *samples = data.bytes[i] = allocate(data.n_bytes);
        int first = i * COLUMNS % (channels - COLUMNS + 1);
        for (int f = 0; f < FRAMES; f++) {
            if (fread(row, sizeof *row, (size_t)channels, file) != (size_t)channels)
                die("the recording is too short");
            memcpy(samples + (size_t)f * COLUMNS, row + first, COLUMNS * sizeof *row);
        }
    }
    fclose(file);
    run("### recording", &data, rounds);
}

int main(int argc, char **argv)
{
    int rounds = 5, channels = 384, n_named = 0;
    const char *raw = NULL;
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--rounds") == 0)
            rounds = atoi(argv[++i]);
        else if (i + 1 < argc && strcmp(argv[i], "--raw") == 0)
            raw = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--channels") == 0)
            channels = atoi(argv[++i]);
    }
    if (raw) {
        run_raw(raw, channels, rounds);
        return 0;
    }
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(argv[i], kinds[k].name) == 0)
                run_kind(&kinds[k], rounds), n_named++;
    for (size_t k = 0; n_named == 0 && k < sizeof kinds / sizeof *kinds; k++)
        run_kind(&kinds[k], rounds);
    return 0;
}
