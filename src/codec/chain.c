/* A chain is an array of stages; those that change nothing are skipped.
 *
 *   encode:  in --stage 0--> scratch --stage 1--> scratch --last--> out
 *   decode:  the same from right to left
 *
 * Bytes are not moved where they need not be: the last stage writes straight to `out`; a trailer (crc32c) behind it
 * appends there in place, and on decoding only checks; a chain without stages is one memcpy.  Scratch is sized by the
 * worst case of the piece, so that it grows once and not with each chunk that compresses a little worse.
 */
#include "codec/chain.h"

#include "base/checked.h"
#include "base/memory.h"

#include <inttypes.h>
#include <string.h>

typedef struct stage {
    const nz_codec_class *class;
    void *self;
} stage;

struct nz_chain {
    size_t n_stages, first; /* stages from `first` on are run: the serializer is left out when it changes nothing */
    size_t n_own; /* those before this one, from `first` on, need room of their own; behind it stand only trailers */
    stage *stages;
};

struct nz_chain_worker {
    const nz_chain *chain;
    void *scratch[2];
    size_t scratch_bytes[2];
    void *workers[]; /* one per stage */
};

/* ---- Prepare ------------------------------------------------------------------ */

static nwbz_code check_entry_member(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    const char *name = user;
    (void)value;
    if (strcmp(key, "name") != 0 && strcmp(key, "configuration") != 0 && strcmp(key, "must_understand") != 0)
        return nz_fail(err, NWBZ_EFORMAT, "codec %s: unknown member \"%s\"", name, key);
    return NWBZ_OK;
}

/* An entry is {"name": ..., "configuration": {...}}, or the name alone where there is no configuration (Zarr v3.1). */
static nwbz_code read_entry(const nz_json *entry, size_t i, const char **name, const nz_json **configuration,
                            nwbz_error *err)
{
    bool alone = entry && nz_json_kind_of(entry) == NZ_JSON_TEXT;
    *name = alone ? nz_json_text(entry, NULL) : nz_json_get_text(entry, "name");
    *configuration = alone ? NULL : nz_json_get(entry, "configuration");
    if (!*name)
        return nz_fail(err, NWBZ_EFORMAT, "codec %zu of \"codecs\" has no name", i);
    union {
        const char *name;
        void *user;
    } user = { *name };
    return alone ? NWBZ_OK : nz_json_each(entry, check_entry_member, user.user, err);
}

static nwbz_code open_stage(const nz_json *entry, size_t i, const nz_dtype *dtype, stage *s, nwbz_error *err)
{
    const char *name = NULL;
    const nz_json *configuration = NULL;
    NZ_TRY(read_entry(entry, i, &name, &configuration, err));
    const nz_codec_class *class = nz_codec_find(name);
    if (!class)
        return nz_fail(err, NWBZ_EUNSUPPORTED,
                       "codec \"%s\" is not one that this version has (bytes, vlen-utf8, blosc, zstd, gzip, crc32c, and "
                       "of numcodecs shuffle, zlib, zstd, lz4, blosc)",
                       name);
    if (class->array_to_bytes != (i == 0))
        return nz_fail(err, NWBZ_EFORMAT,
                       "codec \"%s\" cannot stand at place %zu: one of bytes, vlen-utf8 stands first, and only there",
                       name, i);
    NZ_TRY(class->open(configuration, dtype, &s->self, err));
    s->class = class;
    return NWBZ_OK;
}

static uint64_t stage_bound(const nz_chain *chain, size_t i, uint64_t n_bytes)
{
    return chain->stages[i].class->bound(chain->stages[i].self, n_bytes);
}

/* Refuse pieces that a stage could not encode. */
static nwbz_code check_sizes(const nz_chain *chain, uint64_t n_bytes, nwbz_error *err)
{
    uint64_t n = n_bytes;
    if (n > UINT64_MAX / 4 && chain->first < chain->n_stages)
        n = UINT64_MAX / 4; /* keeps bounds from overflowing */
    for (size_t i = chain->first; i < chain->n_stages; i++) {
        uint64_t bound = stage_bound(chain, i, n);
        if (bound > NZ_CODEC_MAX_BYTES)
            return nz_fail(err, NWBZ_ELIMIT,
                           "a chunk of %" PRIu64 " bytes may take %" PRIu64
                           " with codec %s, which is limited to %" PRIu64 ": smaller chunks are needed",
                           n_bytes, bound, chain->stages[i].class->name, NZ_CODEC_MAX_BYTES);
        n = bound;
    }
    return NWBZ_OK;
}

nwbz_code nz_chain_open(const nz_json *codecs, const nz_dtype *dtype, uint64_t piece_bytes, nz_chain **chain,
                        nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    nz_chain *c = NULL;
    *chain = NULL;
    if (!codecs || nz_json_kind_of(codecs) != NZ_JSON_ARRAY || nz_json_length(codecs) == 0)
        return nz_fail(err, NWBZ_EFORMAT, "\"codecs\" is not an array of at least one codec");
    size_t n = nz_json_length(codecs);
    c = nz_calloc(1, sizeof *c);
    if (c)
        c->stages = nz_calloc(n, sizeof *c->stages);
    if (!c || !c->stages) {
        code = nz_fail_memory(err, sizeof *c + n * sizeof *c->stages, "the codecs of an array");
        goto done;
    }
    for (size_t i = 0; i < n && code == NWBZ_OK; i++) {
        code = open_stage(nz_json_at(codecs, i), i, dtype, &c->stages[i], err);
        c->n_stages += code == NWBZ_OK;
    }
    if (code != NWBZ_OK)
        goto done;
    c->first = c->stages[0].class->is_identity(c->stages[0].self) ? 1 : 0;
    for (c->n_own = n; c->n_own > c->first && c->stages[c->n_own - 1].class->is_trailer;)
        c->n_own--;
    code = check_sizes(c, piece_bytes, err);
done:
    if (code == NWBZ_OK)
        *chain = c;
    else
        nz_chain_close(c);
    return code;
}

void nz_chain_close(nz_chain *chain)
{
    if (!chain)
        return;
    for (size_t i = 0; i < chain->n_stages; i++)
        chain->stages[i].class->close(chain->stages[i].self);
    nz_free(chain->stages);
    nz_free(chain);
}

static nwbz_code format_entry(const stage *s, nz_json *codecs, nwbz_error *err)
{
    nz_json *configuration = NULL;
    NZ_TRY(s->class->format(s->self, &configuration, err));
    nz_json *entry = nz_json_new_object();
    nwbz_code code = nz_json_put(entry, "name", nz_json_new_text(s->class->name), err);
    if (code == NWBZ_OK && configuration)
        code = nz_json_put(entry, "configuration", configuration, err);
    else
        nz_json_free(configuration);
    if (code == NWBZ_OK)
        return nz_json_push(codecs, entry, err);
    nz_json_free(entry);
    return code;
}

nwbz_code nz_chain_format(const nz_chain *chain, nz_json **codecs, nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    *codecs = NULL;
    nz_json *array = nz_json_new_array();
    if (!array)
        return nz_fail_memory(err, 0, "the codecs of a document");
    for (size_t i = 0; i < chain->n_stages && code == NWBZ_OK; i++)
        code = format_entry(&chain->stages[i], array, err);
    if (code == NWBZ_OK)
        *codecs = array;
    else
        nz_json_free(array);
    return code;
}

bool nz_chain_is_text(const nz_chain *chain)
{
    return chain->stages[0].class == &nz_codec_vlen_utf8;
}

/* ---- Sizes ---------------------------------------------------------------------- */

uint64_t nz_chain_bound(const nz_chain *chain, uint64_t n_bytes)
{
    uint64_t most = n_bytes;
    for (size_t i = chain->first; i < chain->n_stages; i++) {
        n_bytes = stage_bound(chain, i, n_bytes);
        most = nz_max(most, n_bytes);
    }
    return most;
}

uint64_t nz_chain_fixed_size(const nz_chain *chain, uint64_t n_bytes)
{
    for (size_t i = 0; i < chain->n_stages; i++) {
        if (!chain->stages[i].class->fixed_size)
            return 0;
        n_bytes = stage_bound(chain, i, n_bytes);
    }
    return n_bytes;
}

/* Most bytes that go into stage i for a piece of n bytes.  Other encoders than ours may need some more than our
 * bounds say. */
static uint64_t decoded_room(const nz_chain *chain, size_t i, uint64_t n_bytes)
{
    bool exact = true;
    for (size_t k = chain->first; k < i; k++) {
        exact = exact && chain->stages[k].class->fixed_size;
        n_bytes = stage_bound(chain, k, n_bytes);
    }
    return exact ? n_bytes : n_bytes + n_bytes / 8 + 4096;
}

uint64_t nz_chain_work_bytes(const nz_chain *chain, uint64_t n_bytes)
{
    uint64_t total = 0, scratch = 0, n_scratch = 0;
    for (size_t i = chain->first; i < chain->n_stages; i++) {
        uint64_t room = decoded_room(chain, i, n_bytes);
        total += chain->stages[i].class->work_bytes(chain->stages[i].self, room);
        if (i == chain->first || i >= chain->n_own)
            continue;
        scratch = nz_max(scratch, room);
        n_scratch++;
    }
    return total + nz_min(n_scratch, 2) * scratch;
}

/* ---- Work ------------------------------------------------------------------------- */

nwbz_code nz_chain_worker_new(const nz_chain *chain, nz_chain_worker **worker, nwbz_error *err)
{
    size_t n_bytes = sizeof(nz_chain_worker) + chain->n_stages * sizeof(void *);
    nz_chain_worker *w = nz_calloc(1, n_bytes);
    *worker = NULL;
    if (!w)
        return nz_fail_memory(err, n_bytes, "a codec worker");
    w->chain = chain;
    for (size_t i = chain->first; i < chain->n_stages; i++) {
        const nz_codec_class *class = chain->stages[i].class;
        nwbz_code code = class->worker_new ? class->worker_new(chain->stages[i].self, &w->workers[i], err) : NWBZ_OK;
        if (code != NWBZ_OK) {
            nz_chain_worker_free(w);
            return code;
        }
    }
    *worker = w;
    return NWBZ_OK;
}

void nz_chain_worker_free(nz_chain_worker *worker)
{
    if (!worker)
        return;
    for (size_t i = 0; i < worker->chain->n_stages; i++)
        if (worker->workers[i])
            worker->chain->stages[i].class->worker_free(worker->workers[i]);
    nz_free(worker->scratch[0]);
    nz_free(worker->scratch[1]);
    nz_free(worker);
}

/* Make scratch `k` at least `n_bytes` large; what was in it is lost. */
static nwbz_code scratch_reserve(nz_chain_worker *worker, size_t k, uint64_t n_bytes, nwbz_error *err)
{
    if (worker->scratch_bytes[k] >= n_bytes && worker->scratch[k])
        return NWBZ_OK;
    nz_free(worker->scratch[k]);
    worker->scratch_bytes[k] = 0;
    worker->scratch[k] = nz_malloc_large((size_t)n_bytes);
    if (!worker->scratch[k])
        return nz_fail_memory(err, (size_t)n_bytes, "encoded bytes between two codecs");
    worker->scratch_bytes[k] = (size_t)n_bytes;
    return NWBZ_OK;
}

nwbz_code nz_chain_encode(const nz_chain *chain, nz_chain_worker *worker, const void *in, size_t n, void *out,
                          size_t room, size_t *n_out, nwbz_error *err)
{
    uint64_t limit = n;
    if (chain->first == chain->n_stages && n > room)
        return nz_fail(err, NWBZ_EINVAL, "a chunk of %zu bytes, room for %zu", n, room);
    if (chain->first == chain->n_stages && n)
        memcpy(out, in, n);
    NZ_TRY(check_sizes(chain, n, err));
    for (size_t i = chain->first; i < chain->n_stages; i++) {
        bool to_out = i + 1 >= chain->n_own;
        size_t k = i & 1;
        limit = stage_bound(chain, i, limit);
        if (!to_out)
            NZ_TRY(scratch_reserve(worker, k, limit, err));
        void *to = to_out ? out : worker->scratch[k];
        NZ_TRY(chain->stages[i].class->encode(chain->stages[i].self, worker->workers[i], in, n, to,
                                              to_out ? room : worker->scratch_bytes[k], &n, err));
        in = to;
    }
    *n_out = n;
    return NWBZ_OK;
}

/* Let a trailer check the bytes where they lie: it writes nothing when out == in. */
static nwbz_code check_trailer(const stage *s, void *worker, const void *in, size_t n, size_t *n_out, nwbz_error *err)
{
    union {
        const void *in;
        void *out;
    } place = { in };
    return s->class->decode(s->self, worker, in, n, place.out, n, n_out, err);
}

/* To a caller who knows how many bytes a chunk has, more of them are damage. */
static nwbz_code as_damage(nwbz_code code, nwbz_error *err)
{
    if (code != NWBZ_ELIMIT)
        return code;
    if (err)
        err->code = NWBZ_EFORMAT;
    return NWBZ_EFORMAT;
}

nwbz_code nz_chain_decode(const nz_chain *chain, nz_chain_worker *worker, const void *in, size_t n, void *out,
                          size_t n_out, nwbz_error *err)
{
    size_t k = 0; /* the scratch that `in` is not in */
    for (size_t i = chain->n_stages; i-- > chain->first;) {
        const stage *s = &chain->stages[i];
        if (s->class->is_trailer && i > chain->first) {
            NZ_TRY(as_damage(check_trailer(s, worker->workers[i], in, n, &n, err), err));
            continue;
        }
        bool to_out = i == chain->first;
        if (!to_out)
            NZ_TRY(scratch_reserve(worker, k, decoded_room(chain, i, n_out), err));
        void *to = to_out ? out : worker->scratch[k];
        NZ_TRY(as_damage(s->class->decode(s->self, worker->workers[i], in, n, to,
                                          to_out ? n_out : worker->scratch_bytes[k], &n, err),
                         err));
        in = to;
        k ^= 1;
    }
    if (n != n_out)
        return nz_fail(err, NWBZ_EFORMAT, "the chunk holds %zu bytes, not the %zu of its shape", n, n_out);
    if (chain->first == chain->n_stages && n)
        memcpy(out, in, n);
    return NWBZ_OK;
}

/* Decode a stage whose output has no known size, into scratch `k`, which grows until it fits. */
static nwbz_code decode_growing(const stage *s, nz_chain_worker *worker, void *own, size_t k, const void *in, size_t n,
                                size_t max_bytes, size_t *n_out, nwbz_error *err)
{
    uint64_t room = nz_min(nz_max(4 * (uint64_t)n + 4096, worker->scratch_bytes[k]), max_bytes);
    for (;;) {
        NZ_TRY(scratch_reserve(worker, k, room, err));
        nwbz_code code = s->class->decode(s->self, own, in, n, worker->scratch[k], (size_t)room, n_out, err);
        if (code != NWBZ_ELIMIT || room >= max_bytes)
            return code;
        room = nz_min(nz_max(2 * room, *n_out), max_bytes);
    }
}

nwbz_code nz_chain_decode_text(const nz_chain *chain, nz_chain_worker *worker, const void *in, size_t n,
                               size_t max_bytes, nz_buffer *out, nwbz_error *err)
{
    size_t k = 0; /* the scratch that `in` is not in */
    for (size_t i = chain->n_stages; i-- > chain->first;) {
        const stage *s = &chain->stages[i];
        if (s->class->is_trailer) {
            NZ_TRY(as_damage(check_trailer(s, worker->workers[i], in, n, &n, err), err));
            continue;
        }
        size_t most = i == chain->first ? max_bytes : (size_t)NZ_CODEC_MAX_BYTES;
        NZ_TRY(decode_growing(s, worker, worker->workers[i], k, in, n, most, &n, err));
        in = worker->scratch[k];
        k ^= 1;
    }
    if (n > max_bytes)
        return nz_fail(err, NWBZ_ELIMIT, "the text chunk holds %zu bytes, over the limit of %zu", n, max_bytes);
    out->n_bytes = 0;
    return nz_buffer_add(out, in, n, err);
}
