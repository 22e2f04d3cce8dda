/* Stored chunks moved as they are: the bytes are the source's, whatever the shards, the jobs and the list of chunks are; what goes wrong has a name. */
#include "unit/engine/stored_source.h"
#include "unit/zarr/fixture.h"

#include "engine/record.h"
#include "engine/run.h"

/* ---- arrays ------------------------------------------------------------------------- */

typedef struct scene {
    unsigned n_dims;
    uint64_t shape[4], chunk[4], shard[4], counts[4], n_chunks;
    bool sharded, source_sharded;
    int32_t *elements;
    uint64_t n;
    const char *codec;
} scene;

static nwbz_array *new_array(nwbz_store *store, const char *path, const scene *s, bool sharded)
{
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    nwbz_array *array = NULL;
    options.type = NWBZ_INT32;
    options.n_dims = s->n_dims;
    options.shape = s->shape;
    options.chunk_shape = s->chunk;
    options.shard_shape = sharded ? s->shard : NULL;
    options.codec = s->codec;
    OK(nwbz_array_create(store, path, &options, &array, &failed));
    return array;
}

static void make_scene(scene *s)
{
    static const char *const codecs[] = { "none", "zstd:1", "blosc:lz4:1:shuffle", "gzip:1" };
    memset(s, 0, sizeof *s);
    s->n_dims = 1 + (unsigned)rand() % 3;
    s->n = s->n_chunks = 1;
    for (unsigned d = 0; d < s->n_dims; d++) {
        s->shape[d] = (uint64_t)rand() % (d == 0 ? 300 : 14);
        s->chunk[d] = 1 + (uint64_t)rand() % (d == 0 ? 20 : 6);
        s->shard[d] = s->chunk[d] * (1 + (uint64_t)rand() % 4);
        s->counts[d] = nz_ceil_div(s->shape[d], s->chunk[d]);
        s->n *= s->shape[d];
        s->n_chunks *= s->counts[d];
    }
    s->sharded = rand() % 2;
    s->source_sharded = rand() % 3 == 0;
    s->codec = codecs[rand() % 4];
    s->elements = malloc(s->n * sizeof *s->elements + 1);
    int sparse = rand() % 2;
    for (uint64_t i = 0; i < s->n; i++)
        s->elements[i] = sparse && (i / 200) % 3 ? 0 : rand() % 1000;
}

static nwbz_array *fill_source(nwbz_store *store, const scene *s)
{
    nwbz_array *array = new_array(store, "/source", s, s->source_sharded);
    nwbz_source *source = NULL;
    OK(nwbz_source_new_memory(s->elements, NWBZ_INT32, s->n_dims, s->shape, &source, &failed));
    OK(nwbz_array_fill(array, source, NULL, &failed));
    nwbz_source_close(source);
    return array;
}

/* List the chunks that are stored, in C order. */
static uint64_t *list_chunks(const nwbz_array *array, const scene *s, uint64_t *n)
{
    nz_array_reader *reader = NULL;
    uint64_t *list = malloc((s->n_chunks + 1) * s->n_dims * sizeof *list);
    OK(nz_array_reader_new(array, &reader, &failed));
    *n = 0;
    for (uint64_t i = 0; i < s->n_chunks; i++) {
        const void *bytes = NULL;
        size_t n_bytes;
        nz_index_of(i, s->n_dims, s->counts, list + *n * s->n_dims);
        OK(nz_array_read_stored(array, reader, list + *n * s->n_dims, &bytes, &n_bytes, &failed));
        *n += bytes != NULL;
    }
    nz_array_reader_free(reader);
    return list;
}

/* Every chunk is stored in both with the same bytes, or in none. */
static void check_same_chunks(const nwbz_array *a, const nwbz_array *b, const scene *s)
{
    nz_array_reader *ra = NULL, *rb = NULL;
    OK(nz_array_reader_new(a, &ra, &failed));
    OK(nz_array_reader_new(b, &rb, &failed));
    for (uint64_t i = 0; i < s->n_chunks; i++) {
        uint64_t index[4];
        const void *x = NULL, *y = NULL;
        size_t n_x, n_y;
        nz_index_of(i, s->n_dims, s->counts, index);
        OK(nz_array_read_stored(a, ra, index, &x, &n_x, &failed));
        OK(nz_array_read_stored(b, rb, index, &y, &n_y, &failed));
        assert_int_equal(!x, !y);
        assert_int_equal(n_x, n_y);
        if (x)
            assert_memory_equal(x, y, n_x);
    }
    nz_array_reader_free(ra);
    nz_array_reader_free(rb);
}

/* Every object of two stores' arrays is the same, byte for byte. */
static void check_same_objects(const nwbz_array *a, const nwbz_array *b)
{
    uint64_t counts[4], n = 1;
    for (unsigned d = 0; d < a->meta.n_dims; d++)
        n *= counts[d] = nz_ceil_div(a->meta.shape[d], a->meta.object_shape[d]);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t index[4];
        void *x = NULL, *y = NULL;
        size_t n_x = 0, n_y = 0;
        nz_index_of(i, a->meta.n_dims, counts, index);
        char *key_a = nz_array_object_key(a, index), *key_b = nz_array_object_key(b, index);
        nwbz_code code = nwbz_store_get(a->store, key_a, &x, &n_x, NULL);
        assert_int_equal(nwbz_store_get(b->store, key_b, &y, &n_y, NULL), code);
        assert_int_equal(n_x, n_y);
        if (code == NWBZ_OK)
            assert_memory_equal(x, y, n_x);
        nwbz_free(x);
        nwbz_free(y);
        nz_free(key_a);
        nz_free(key_b);
    }
}

/* ---- moving --------------------------------------------------------------------------- */

typedef struct way {
    unsigned jobs, other_every, fail_at;
    uint64_t limit;
    const uint64_t *list;
    uint64_t n_list;
    nz_record *record;
    bool verify_crc;
    nwbz_progress last;
    /* out */
    nz_transfer transfer;
    unsigned n_calls, n_chunks, n_boxes;
} way;

static int watch(const nwbz_progress *progress, void *user)
{
    nwbz_progress *last = user;
    assert_true(progress->done_bytes >= last->done_bytes);
    *last = *progress;
    return 0;
}

static nwbz_code copy(const nwbz_array *from, nwbz_array *to, way *how, nwbz_error *err)
{
    stored_source source;
    nz_target *target = NULL;
    OK(stored_source_of(&source, from, &failed));
    OK(nz_target_of_array(to, false, &target, &failed));
    source.other_every = how->other_every;
    source.fail_at = how->fail_at;
    how->transfer = (nz_transfer){ .source = &source.base, .target = target, .chunk_list = how->list, .n_chunks = how->n_list };
    nz_run_options options = { .number_of_jobs = how->jobs, .memory_limit_bytes = how->limit ? how->limit : 1 << 30, .kind = "export", .record = how->record,
                               .verify_crc = how->verify_crc, .on_progress = watch, .user = &how->last };
    nwbz_code code = nz_plan_make_copy(&source.base.info, &target->info, how->jobs, options.memory_limit_bytes, &how->transfer.plan, err);
    if (code == NWBZ_OK)
        code = nz_run(&how->transfer, 1, &options, err);
    how->n_calls = source.n_calls;
    how->n_chunks = source.n_chunks;
    how->n_boxes = source.n_boxes;
    target->class->free(target);
    nwbz_source_close(&source.base);
    return code;
}

static void check_values(nwbz_array *array, const scene *s)
{
    uint64_t start[4] = { 0 };
    int32_t *read = malloc(s->n * sizeof *read + 1);
    OK(nwbz_array_read(array, start, s->shape, read, s->n * sizeof *read, NULL, &failed));
    assert_memory_equal(read, s->elements, s->n * sizeof *read);
    free(read);
}

static uint64_t chunk_bytes_of(const scene *s, const uint64_t *index)
{
    nz_box box;
    nz_box_of_cell(&box, s->n_dims, s->shape, s->chunk, index);
    return nz_box_count(&box) * sizeof *s->elements;
}

static void chunks_are_copied_as_they_are_by_any_number_of_jobs(void **state)
{
    (void)state;
    srand(21);
    for (int round = 0; round < 60; round++) {
        scene s;
        make_scene(&s);
        nwbz_store *store = memory_store();
        nwbz_array *source = fill_source(store, &s), *first = NULL;
        uint64_t n_stored = 0, listed_bytes = 0, *list = list_chunks(source, &s, &n_stored);
        for (uint64_t i = 0; i < n_stored; i++)
            listed_bytes += chunk_bytes_of(&s, list + i * s.n_dims);
        for (int k = 0; k < 8; k++) {
            static const unsigned jobs[] = { 1, 2, 8, 3, 1, 2, 4, 2 }, other_every[] = { 0, 0, 3, 0, 2, 1, 0, 5 };
            way how = { .jobs = jobs[k], .other_every = other_every[k], .limit = k == 3 ? 4 << 20 : 0, .verify_crc = k > 4 };
            if (k % 3 == 1) {
                how.list = list;
                how.n_list = n_stored;
            }
            nwbz_store *other = memory_store();
            nwbz_array *array = new_array(other, "/source", &s, s.sharded);
            OK(copy(source, array, &how, &failed));
            check_same_chunks(source, array, &s);
            check_values(array, &s);
            assert_int_equal(how.transfer.n_copied + how.transfer.n_read, n_stored);
            assert_true(other_every[k] != 0 || how.transfer.n_read == 0);
            assert_true(other_every[k] != 1 || how.transfer.n_copied == 0);
            assert_int_equal(how.n_boxes, how.transfer.n_read);
            assert_int_equal(how.n_chunks, how.list ? n_stored : s.n_chunks);
            assert_int_equal(how.last.done_bytes, how.list ? listed_bytes : s.n * 4);
            assert_int_equal(how.last.total_bytes, how.last.done_bytes);
            if (first)
                check_same_objects(first, array);
            if (!first) {
                first = array;
                continue;
            }
            nwbz_array_close(array);
            nwbz_store_close(other);
        }
        nwbz_store *first_store = first->store;
        nwbz_array_close(first);
        nwbz_store_close(first_store);
        nwbz_array_close(source);
        nwbz_store_close(store);
        free(list);
        free(s.elements);
    }
}

static void a_scalar_is_copied(void **state)
{
    (void)state;
    scene s = { .n_dims = 0, .n = 1, .n_chunks = 1, .codec = "none", .elements = malloc(4) };
    s.elements[0] = 42;
    nwbz_store *store = memory_store();
    nwbz_array *source = fill_source(store, &s), *array = new_array(store, "/copy", &s, false);
    way how = { .jobs = 2 };
    OK(copy(source, array, &how, &failed));
    check_values(array, &s);
    assert_int_equal(how.transfer.n_copied, 1);
    nwbz_array_close(array);
    nwbz_array_close(source);
    nwbz_store_close(store);
    free(s.elements);
}

/* What the array had before, where the source has nothing. */
static void an_absent_chunk_stays_absent_where_there_was_one(void **state)
{
    (void)state;
    scene s = { .n_dims = 1, .shape = { 40 }, .chunk = { 10 }, .counts = { 4 }, .n = 40, .n_chunks = 4, .codec = "none", .elements = calloc(40, 4) };
    s.elements[35] = 1;
    nwbz_store *store = memory_store();
    nwbz_array *source = fill_source(store, &s), *array = new_array(store, "/copy", &s, false);
    char old[40] = { 1 };
    OK(nwbz_store_put(store, "copy/c/1", old, sizeof old, &failed));
    way how = { .jobs = 1 };
    OK(copy(source, array, &how, &failed));
    check_same_chunks(source, array, &s);
    check_values(array, &s);
    assert_int_equal(how.transfer.n_objects_stored, 1);
    assert_int_equal(how.transfer.stored_bytes, 40);
    nwbz_array_close(array);
    nwbz_array_close(source);
    nwbz_store_close(store);
    free(s.elements);
}

/* A grid of 2^60 chunks with five of them. */
static void a_huge_grid_costs_what_is_stored(void **state)
{
    (void)state;
    static const uint64_t list[] = { 0, 0, 7, UINT64_C(1) << 29, UINT64_C(1) << 29, 3, (UINT64_C(1) << 30) - 2, 5, (UINT64_C(1) << 30) - 1, (UINT64_C(1) << 30) - 1 };
    for (int sharded = 0; sharded < 2; sharded++) {
        scene s = { .n_dims = 2, .shape = { UINT64_C(4) << 30, UINT64_C(3) << 30 }, .chunk = { 4, 3 }, .shard = { 8, 6 }, .codec = "none" };
        nwbz_store *store = memory_store();
        nwbz_array *source = new_array(store, "/source", &s, false), *array = new_array(store, "/copy", &s, sharded);
        char chunk[48] = "samples of a chunk";
        for (int i = 0; i < 5; i++) {
            char *key = nz_array_object_key(source, list + 2 * i);
            chunk[20] = (char)i;
            OK(nwbz_store_put(store, key, chunk, sizeof chunk, &failed));
            nz_free(key);
        }
        way how = { .jobs = 2, .list = list, .n_list = 5, .verify_crc = true };
        OK(copy(source, array, &how, &failed));
        assert_int_equal(how.n_chunks, 5);
        assert_int_equal(how.transfer.n_copied, 5);
        assert_int_equal(how.transfer.n_objects_stored, 5);
        assert_int_equal(how.last.total_bytes, 5 * 48);
        nz_array_reader *reader = NULL;
        OK(nz_array_reader_new(array, &reader, &failed));
        for (int i = 0; i < 5; i++) {
            const void *bytes = NULL;
            size_t n = 0;
            chunk[20] = (char)i;
            OK(nz_array_read_stored(array, reader, list + 2 * i, &bytes, &n, &failed));
            assert_int_equal(n, sizeof chunk);
            assert_memory_equal(bytes, chunk, sizeof chunk);
        }
        nz_array_reader_free(reader);
        nwbz_array_close(array);
        nwbz_array_close(source);
        nwbz_store_close(store);
    }
}

static void a_list_that_is_wrong_is_refused(void **state)
{
    (void)state;
    scene s = { .n_dims = 2, .shape = { 40, 9 }, .chunk = { 10, 3 }, .codec = "none" };
    nwbz_store *store = memory_store();
    nwbz_array *source = new_array(store, "/source", &s, false), *array = new_array(store, "/copy", &s, false);
    static const uint64_t outside[] = { 0, 0, 1, 3 }, twice[] = { 1, 0, 1, 0 }, unordered[] = { 2, 0, 1, 2 };
    way how = { .jobs = 1, .n_list = 2 };
    how.list = outside;
    REFUSED(NWBZ_EINVAL, "chunk 3 along axis 1 is listed, of 3", copy(source, array, &how, &failed));
    how.list = twice;
    REFUSED(NWBZ_EINVAL, "not in C order: entry 1", copy(source, array, &how, &failed));
    how.list = unordered;
    REFUSED(NWBZ_EINVAL, "not in C order: entry 1", copy(source, array, &how, &failed));
    assert_int_equal(how.n_calls, 0);
    nwbz_array_close(array);
    nwbz_array_close(source);
    nwbz_store_close(store);
}

/* ---- what fails -------------------------------------------------------------------------- */

static const scene small = { .n_dims = 2, .shape = { 200, 11 }, .chunk = { 10, 4 }, .shard = { 40, 8 }, .counts = { 20, 3 }, .n = 2200, .n_chunks = 60, .codec = "zstd:1" };

static scene small_scene(bool sharded)
{
    scene s = small;
    s.sharded = sharded;
    s.elements = malloc(s.n * sizeof *s.elements);
    for (uint64_t i = 0; i < s.n; i++)
        s.elements[i] = (int32_t)(i * 7 % 500 + 1);
    return s;
}

static void a_damaged_chunk_stops_the_run_and_is_named(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        scene s = small_scene(k % 2);
        nwbz_store *store = memory_store();
        nwbz_array *source = fill_source(store, &s), *array = new_array(store, "/copy", &s, s.sharded);
        way how = { .jobs = 1 + k % 3, .fail_at = 1 + k };
        nwbz_error err = NWBZ_ERROR_INIT;
        assert_int_equal(copy(source, array, &how, &err), NWBZ_ESOURCE);
        assert_non_null(strstr(err.message, "is damaged"));
        assert_string_equal(err.where, "memory:/source (for memory:/copy)");
        nwbz_array_close(array);
        nwbz_array_close(source);
        nwbz_store_close(store);
        free(s.elements);
    }
}

/* A store over one in memory whose k-th call fails, or that changes the value of a key. */
typedef struct faulty_store {
    nwbz_store base;
    nwbz_store *inner;
    unsigned n_calls, fail_at; /* n_calls is atomic */
    const char *changed_key;
} faulty_store;

struct nz_writer { /* ours: each store has its own */
    faulty_store *store;
    nz_writer *inner;
    bool changes;
};

static faulty_store *faulty(nwbz_store *store)
{
    return (faulty_store *)store;
}

static nwbz_code step(faulty_store *store, nwbz_error *err)
{
    if (__atomic_add_fetch(&store->n_calls, 1, __ATOMIC_RELAXED) == store->fail_at)
        return nz_fail(err, NWBZ_EIO, "made to fail");
    return NWBZ_OK;
}

static nwbz_code faulty_get(nwbz_store *store, const char *key, uint64_t offset, bool from_end, size_t n, nz_buffer *out, nwbz_error *err)
{
    NZ_TRY(step(faulty(store), err));
    return faulty(store)->inner->class->get(faulty(store)->inner, key, offset, from_end, n, out, err);
}

static nwbz_code faulty_size(nwbz_store *store, const char *key, uint64_t *n_bytes, nwbz_error *err)
{
    NZ_TRY(step(faulty(store), err));
    return faulty(store)->inner->class->size(faulty(store)->inner, key, n_bytes, err);
}

static nwbz_code faulty_open(nwbz_store *store, const char *key, nz_writer **writer, nwbz_error *err)
{
    faulty_store *self = faulty(store);
    *writer = NULL;
    NZ_TRY(step(self, err));
    nz_writer *new = nz_calloc(1, sizeof *new);
    new->store = self;
    new->changes = self->changed_key && strcmp(self->changed_key, key) == 0;
    NZ_TRY(self->inner->class->writer_open(self->inner, key, &new->inner, err));
    *writer = new;
    return NWBZ_OK;
}

static nwbz_code faulty_append(nz_writer *writer, const void *bytes, size_t n, nwbz_error *err)
{
    NZ_TRY(step(writer->store, err));
    if (!writer->changes || n == 0)
        return writer->store->inner->class->writer_append(writer->inner, bytes, n, err);
    char *changed = nz_memdup(bytes, n);
    changed[n / 2] ^= 4;
    nwbz_code code = writer->store->inner->class->writer_append(writer->inner, changed, n, err);
    nz_free(changed);
    return code;
}

static nwbz_code faulty_commit(nz_writer *writer, nwbz_error *err)
{
    nwbz_code code = step(writer->store, err);
    if (code == NWBZ_OK)
        code = writer->store->inner->class->writer_commit(writer->inner, err);
    else
        writer->store->inner->class->writer_abort(writer->inner);
    nz_free(writer);
    return code;
}

static void faulty_abort(nz_writer *writer)
{
    writer->store->inner->class->writer_abort(writer->inner);
    nz_free(writer);
}

static nwbz_code faulty_remove(nwbz_store *store, const char *key, nwbz_error *err)
{
    NZ_TRY(step(faulty(store), err));
    return faulty(store)->inner->class->remove(faulty(store)->inner, key, err);
}

static void make_faulty(faulty_store *store)
{
    static char name[] = "faulty";
    static const nz_store_class class = { .get = faulty_get, .size = faulty_size, .writer_open = faulty_open, .writer_append = faulty_append,
                                          .writer_commit = faulty_commit, .writer_abort = faulty_abort, .remove = faulty_remove };
    *store = (faulty_store){ .base = { .class = &class, .name = name, .writable = true }, .inner = memory_store() };
}

static void each_call_of_the_store_may_fail(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        scene s = small_scene(k % 2);
        nwbz_store *store = memory_store();
        nwbz_array *source = fill_source(store, &s);
        unsigned fail_at = 1;
        for (;; fail_at += 1 + k / 2) {
            faulty_store bad;
            make_faulty(&bad);
            nwbz_array *array = new_array(&bad.base, "/copy", &s, s.sharded);
            way how = { .jobs = 1 + k % 3, .verify_crc = true, .other_every = k == 3 ? 4 : 0 };
            nwbz_error err = NWBZ_ERROR_INIT;
            bad.n_calls = 0;
            bad.fail_at = fail_at;
            nwbz_code code = copy(source, array, &how, &err);
            bool failed_once = bad.n_calls >= fail_at;
            bad.fail_at = 0;
            if (code == NWBZ_OK)
                check_same_chunks(source, array, &s);
            else if (code != NWBZ_EIO || !strstr(err.message, "made to fail") || !strstr(err.where, s.sharded ? "faulty:/copy shard " : "faulty:/copy chunk "))
                fail_msg("call %u: %s: %s", fail_at, err.where, err.message);
            assert_int_equal(code != NWBZ_OK, failed_once);
            nwbz_array_close(array);
            nwbz_store_close(bad.inner);
            if (!failed_once)
                break;
        }
        assert_true(fail_at > 60);
        nwbz_array_close(source);
        nwbz_store_close(store);
        free(s.elements);
    }
}

/* The others move by slabs: each feed reads back what it stored. */
static nwbz_code move_by_slabs(nwbz_source *source, nwbz_array *array, bool verify_crc, nwbz_error *err)
{
    nz_target *target = NULL;
    OK(nz_target_of_array(array, false, &target, &failed));
    nz_transfer transfer = { .source = source, .target = target };
    nz_run_options options = { .number_of_jobs = 2, .memory_limit_bytes = 1 << 30, .kind = "write", .verify_crc = verify_crc };
    OK(nz_plan_make(&source->info, &target->info, NULL, 2, options.memory_limit_bytes, &transfer.plan, &failed));
    assert_int_equal(transfer.plan.feed, NZ_FEED_SLABS);
    nwbz_code code = nz_run(&transfer, 1, &options, err);
    target->class->free(target);
    return code;
}

static void what_is_read_back_must_be_what_was_written(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        scene s = small_scene(k % 2);
        nwbz_store *store = memory_store();
        nwbz_array *source = fill_source(store, &s);
        faulty_store bad;
        make_faulty(&bad);
        nwbz_array *array = new_array(&bad.base, "/copy", &s, s.sharded);
        bad.changed_key = s.sharded ? "copy/c/3/1" : "copy/c/11/2";
        bool verifies = k / 2 % 2, slabs = k / 4;
        way how = { .jobs = 2, .verify_crc = verifies };
        nwbz_error err = NWBZ_ERROR_INIT;
        nwbz_code code;
        if (slabs) {
            nwbz_source *samples = NULL;
            OK(nwbz_source_new_memory(s.elements, NWBZ_INT32, 2, s.shape, &samples, &failed));
            code = move_by_slabs(samples, array, verifies, &err);
            nwbz_source_close(samples);
        } else {
            code = copy(source, array, &how, &err);
        }
        assert_int_equal(code, verifies ? NWBZ_EIO : NWBZ_OK);
        if (verifies && (!strstr(err.message, "something else is read back") ||
                         strcmp(err.where, s.sharded ? "faulty:/copy shard 3/1" : "faulty:/copy chunk 11/2") != 0))
            fail_msg("%s: %s", err.where, err.message);
        nwbz_array_close(array);
        nwbz_store_close(bad.inner);
        nwbz_array_close(source);
        nwbz_store_close(store);
        free(s.elements);
    }
}

/* ---- resume --------------------------------------------------------------------------------- */

static nwbz_code copy_with_journal(const nwbz_array *source, nwbz_array *array, way *how, nwbz_error *err)
{
    OK(nz_record_open(array->store, &how->record, &failed));
    nwbz_code code = copy(source, array, how, err);
    nz_record_close(how->record);
    return code;
}

static void what_an_earlier_run_stored_is_not_asked_for_again(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        scene s = small_scene(k % 2);
        nwbz_store *store = memory_store(), *half = memory_store(), *whole = memory_store();
        nwbz_array *source = fill_source(store, &s), *array = new_array(half, "/source", &s, s.sharded), *wanted = new_array(whole, "/source", &s, s.sharded);
        uint64_t n = 0, *list = list_chunks(source, &s, &n);
        way first = { .jobs = 1 + k % 3, .fail_at = 1 + k % 5 }, again = { .jobs = 2 }, plain = { .jobs = 1 };
        if (k % 4 > 1) {
            first.list = again.list = list;
            first.n_list = again.n_list = n;
        }
        assert_int_equal(n, s.n_chunks);
        nwbz_error err = NWBZ_ERROR_INIT;
        assert_int_equal(copy_with_journal(source, array, &first, &err), NWBZ_ESOURCE);
        uint64_t moved = first.transfer.n_copied;
        half->resumed = true;
        OK(copy_with_journal(source, array, &again, &failed));
        OK(copy(source, wanted, &plain, &failed));
        check_same_objects(wanted, array);
        assert_int_equal(again.n_chunks, again.transfer.n_copied);
        assert_true(again.transfer.n_copied <= s.n_chunks);
        assert_true(k % 5 == 0 || s.sharded || again.n_chunks < s.n_chunks);
        assert_true(s.sharded || again.n_chunks + moved >= s.n_chunks);
        assert_int_equal(again.last.done_bytes, s.n * 4);
        /* one that was damaged meanwhile is moved again */
        char *key = nz_array_object_key(array, (uint64_t[]){ 1, 1 });
        OK(nwbz_store_put(half, key, "damaged", 7, &failed));
        nz_free(key);
        way third = { .jobs = 2 };
        OK(copy_with_journal(source, array, &third, &failed));
        check_same_objects(wanted, array);
        assert_int_equal(third.n_chunks, s.sharded ? 4 : 1);
        free(list);
        nwbz_array_close(source);
        nwbz_array_close(array);
        nwbz_array_close(wanted);
        nwbz_store_close(store);
        nwbz_store_close(half);
        nwbz_store_close(whole);
        free(s.elements);
    }
}

/* ---- memory and many transfers ------------------------------------------------------------------ */

static void chunks_that_cannot_be_decoded_in_the_limit_are_copied_all_the_same(void **state)
{
    (void)state;
    scene s = { .n_dims = 1, .shape = { 1 << 20 }, .chunk = { 1 << 20 }, .counts = { 1 }, .n = 1 << 20, .n_chunks = 1, .codec = "zstd:1",
                .elements = calloc(1 << 20, 4) };
    s.elements[9] = 1;
    nwbz_store *store = memory_store();
    nwbz_array *source = fill_source(store, &s), *array = new_array(store, "/copy", &s, false);
    stored_source info;
    nz_target *target = NULL;
    nz_plan plan;
    OK(stored_source_of(&info, source, &failed));
    OK(nz_target_of_array(array, false, &target, &failed));
    info.base.info.stored_bound_bytes = 100000;
    info.base.info.reader_bytes = 0;
    OK(nz_plan_make_copy(&info.base.info, &target->info, 4, 64 << 20, &plan, &failed));
    assert_false(plan.never_reads);
    assert_in_range(plan.n_workers, 1, 4);
    OK(nz_plan_make_copy(&info.base.info, &target->info, 4, 8 << 20, &plan, &failed));
    assert_true(plan.never_reads);
    assert_int_equal(plan.n_workers, 4);
    assert_true(plan.n_workers * plan.worker_bytes <= 8 << 20);
    nz_transfer transfer = { .source = &info.base, .target = target, .plan = plan };
    nz_run_options options = { .number_of_jobs = 4, .memory_limit_bytes = 8 << 20, .kind = "export" };
    OK(nz_run(&transfer, 1, &options, &failed));
    check_values(array, &s);
    info.other_every = 1;
    REFUSED(NWBZ_ELIMIT, "other filters than its dataset says", nz_run(&transfer, 1, &options, &failed));
    REFUSED(NWBZ_ELIMIT, "a chunk of shape { 1048576 } needs", nz_plan_make_copy(&info.base.info, &target->info, 4, 50000, &plan, &failed));
    target->class->free(target);
    nwbz_source_close(&info.base);
    nwbz_array_close(array);
    nwbz_array_close(source);
    nwbz_store_close(store);
    free(s.elements);
}

/* A chunk that is larger stored than was said takes what the limit has left, and no more. */
static void a_chunk_that_is_larger_than_is_usual_stays_in_the_limit(void **state)
{
    (void)state;
    scene s = { .n_dims = 1, .shape = { 1 << 20 }, .chunk = { 1 << 20 }, .counts = { 1 }, .n = 1 << 20, .n_chunks = 1, .codec = "none",
                .elements = calloc(1 << 20, 4) };
    s.elements[9] = 1;
    nwbz_store *store = memory_store();
    nwbz_array *source = fill_source(store, &s), *array = new_array(store, "/copy", &s, false);
    for (int fits = 0; fits < 2; fits++) {
        stored_source info;
        nz_target *target = NULL;
        OK(stored_source_of(&info, source, &failed));
        OK(nz_target_of_array(array, false, &target, &failed));
        info.base.info.stored_bound_bytes = 1000;
        info.base.info.reader_bytes = 0;
        nz_transfer transfer = { .source = &info.base, .target = target };
        nz_run_options options = { .number_of_jobs = 1, .memory_limit_bytes = fits ? 6 << 20 : 3 << 20, .kind = "export" };
        OK(nz_plan_make_copy(&info.base.info, &target->info, 1, options.memory_limit_bytes, &transfer.plan, &failed));
        nwbz_error err = NWBZ_ERROR_INIT;
        assert_int_equal(nz_run(&transfer, 1, &options, &err), fits ? NWBZ_OK : NWBZ_ELIMIT);
        target->class->free(target);
        nwbz_source_close(&info.base);
    }
    check_values(array, &s);
    nwbz_array_close(array);
    nwbz_array_close(source);
    nwbz_store_close(store);
    free(s.elements);
}

static void other_grids_are_refused(void **state)
{
    (void)state;
    scene s = { .n_dims = 2, .shape = { 40, 9 }, .chunk = { 10, 3 }, .codec = "none" }, t = s;
    t.chunk[1] = 4;
    nwbz_store *store = memory_store();
    nwbz_array *source = new_array(store, "/source", &s, false), *array = new_array(store, "/copy", &t, false);
    way how = { .jobs = 1 };
    REFUSED(NWBZ_EINVAL, "axis 1 of a chunk is 3 long in the source and 4 in the array", copy(source, array, &how, &failed));
    nwbz_array_close(array);
    nwbz_array_close(source);
    nwbz_store_close(store);
}

/* Datasets that are copied and such that are encoded, one after the other in one run, within one small limit. */
static void transfers_of_both_kinds_share_a_run(void **state)
{
    (void)state;
    enum { N = 9 };
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        scene s[N];
        nwbz_store *store = memory_store(), *other = memory_store();
        nwbz_array *from[N], *to[N];
        stored_source sources[N];
        nz_transfer transfers[N];
        memset(transfers, 0, sizeof transfers);
        for (int i = 0; i < N; i++) {
            char path[20];
            make_scene(&s[i]);
            from[i] = fill_source(store, &s[i]);
            snprintf(path, sizeof path, "/copy%d", i);
            to[i] = new_array(other, path, &s[i], s[i].sharded);
            OK(stored_source_of(&sources[i], from[i], &failed));
            transfers[i].source = &sources[i].base;
            OK(nz_target_of_array(to[i], false, &transfers[i].target, &failed));
            if (rand() % 2)
                OK(nz_plan_make_copy(&sources[i].base.info, &transfers[i].target->info, jobs, 8 << 20, &transfers[i].plan, &failed));
            else
                OK(nz_plan_make(&sources[i].base.info, &transfers[i].target->info, NULL, jobs, 8 << 20, &transfers[i].plan, &failed));
            /* its own store: the next source has the same path */
            if (i + 1 < N)
                store = memory_store();
        }
        nz_run_options options = { .number_of_jobs = jobs, .memory_limit_bytes = 8 << 20, .kind = "export", .verify_crc = true };
        OK(nz_run(transfers, N, &options, &failed));
        for (int i = 0; i < N; i++) {
            check_values(to[i], &s[i]);
            transfers[i].target->class->free(transfers[i].target);
            nwbz_source_close(&sources[i].base);
            nwbz_store *source_store = from[i]->store;
            nwbz_array_close(from[i]);
            nwbz_store_close(source_store);
            nwbz_array_close(to[i]);
            free(s[i].elements);
        }
        nwbz_store_close(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_copied_as_they_are_by_any_number_of_jobs),
        cmocka_unit_test(a_scalar_is_copied),
        cmocka_unit_test(an_absent_chunk_stays_absent_where_there_was_one),
        cmocka_unit_test(a_huge_grid_costs_what_is_stored),
        cmocka_unit_test(a_list_that_is_wrong_is_refused),
        cmocka_unit_test(a_damaged_chunk_stops_the_run_and_is_named),
        cmocka_unit_test(each_call_of_the_store_may_fail),
        cmocka_unit_test(what_is_read_back_must_be_what_was_written),
        cmocka_unit_test(what_an_earlier_run_stored_is_not_asked_for_again),
        cmocka_unit_test(chunks_that_cannot_be_decoded_in_the_limit_are_copied_all_the_same),
        cmocka_unit_test(a_chunk_that_is_larger_than_is_usual_stays_in_the_limit),
        cmocka_unit_test(other_grids_are_refused),
        cmocka_unit_test(transfers_of_both_kinds_share_a_run),
    };
    return cmocka_run_group_tests_name("engine.copy", tests, NULL, NULL);
}
