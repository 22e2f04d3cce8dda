/* Filling, reading and appending by many threads: the values are right, and the bytes do not depend on jobs, memory or source. */
#include "store/store.h"
#include "zarr/array.h"

#include <nwbz/nwbz.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A random array and how it is stored. */
typedef struct scene {
    unsigned n_dims;
    uint64_t shape[4], chunk[4], shard[4], natural[4];
    bool sharded;
    const char *codec;
    int32_t *elements;
    uint64_t n;
} scene;

static const char *const codecs[] = { "none", "zstd:1", "blosc:lz4:1:shuffle", "gzip:1", "zstd:1+crc32c" };

static void make_scene(scene *s)
{
    memset(s, 0, sizeof *s);
    s->n_dims = 1 + (unsigned)rand() % 3;
    s->n = 1;
    for (unsigned d = 0; d < s->n_dims; d++) {
        s->shape[d] = (uint64_t)rand() % (d == 0 ? 300 : 14);
        s->chunk[d] = 1 + (uint64_t)rand() % (d == 0 ? 40 : 6);
        s->shard[d] = s->chunk[d] * (1 + (uint64_t)rand() % 4);
        s->natural[d] = 1 + (uint64_t)rand() % (d == 0 ? 60 : 16);
        s->n *= s->shape[d];
    }
    s->sharded = rand() % 2;
    s->codec = codecs[(size_t)rand() % (sizeof codecs / sizeof *codecs)];
    s->elements = malloc(s->n * sizeof *s->elements + 1);
    int sparse = rand() % 3 == 0; /* whole chunks of fill value too */
    for (uint64_t i = 0; i < s->n; i++)
        s->elements[i] = sparse && (i / 500) % 2 ? 0 : rand() % 1000;
}

static nwbz_store *new_store(void)
{
    nwbz_store *store = NULL;
    assert_int_equal(nwbz_store_new_memory(&store, NULL), NWBZ_OK);
    return store;
}

static nwbz_array *new_array(nwbz_store *store, const scene *s, bool unknown)
{
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    uint64_t shape[4];
    nwbz_array *array = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    memcpy(shape, s->shape, sizeof shape);
    if (unknown)
        shape[0] = 0;
    options.type = NWBZ_INT32;
    options.n_dims = s->n_dims;
    options.shape = shape;
    options.chunk_shape = s->chunk;
    options.shard_shape = s->sharded ? s->shard : NULL;
    options.codec = s->codec;
    if (nwbz_array_create(store, "/a", &options, &array, &err) != NWBZ_OK)
        fail_msg("%s: %s", err.where, err.message);
    return array;
}

static nwbz_fill_options options_of(unsigned jobs, uint64_t limit)
{
    nwbz_fill_options options = NWBZ_FILL_OPTIONS_INIT;
    options.number_of_jobs = jobs;
    options.memory_limit_bytes = limit;
    return options;
}

/* A callback that gives a scene's elements, and can stop early, fail, or say how often it ran at once. */
typedef struct caller {
    const scene *scene;
    pthread_mutex_t mutex;
    int running, most_running, calls;
    int fail_at;
    pthread_t thread;
    bool other_thread;
} caller;

static int give(void *user, const uint64_t *start, const uint64_t *shape, void *elements, uint64_t *n_rows)
{
    caller *c = user;
    const scene *s = c->scene;
    pthread_mutex_lock(&c->mutex);
    int call = c->calls++;
    c->other_thread |= !pthread_equal(c->thread, pthread_self());
    c->running++;
    c->most_running = c->running > c->most_running ? c->running : c->most_running;
    pthread_mutex_unlock(&c->mutex);
    nz_box whole, box = { .n_dims = s->n_dims };
    nz_box_of_shape(&whole, s->n_dims, s->shape);
    memcpy(box.start, start, s->n_dims * sizeof *start);
    memcpy(box.shape, shape, s->n_dims * sizeof *shape);
    if (start[0] + shape[0] > s->shape[0]) {
        *n_rows = start[0] < s->shape[0] ? s->shape[0] - start[0] : 0;
        box.shape[0] = *n_rows;
    }
    if (box.shape[0] > 0)
        nz_box_copy(&box, s->elements, &whole, elements, &box, sizeof *s->elements);
    pthread_mutex_lock(&c->mutex);
    c->running--;
    pthread_mutex_unlock(&c->mutex);
    return call == c->fail_at;
}

static nwbz_source *callback_source(const scene *s, caller *c, bool forward, bool unknown, bool caller_thread_only, unsigned max_readers)
{
    nwbz_callback_options options = NWBZ_CALLBACK_OPTIONS_INIT;
    uint64_t shape[4], natural[4];
    nwbz_source *source = NULL;
    nwbz_error err = NWBZ_ERROR_INIT;
    memcpy(shape, s->shape, sizeof shape);
    memcpy(natural, s->natural, sizeof natural);
    if (unknown)
        shape[0] = NWBZ_UNKNOWN_LENGTH;
    *c = (caller){ .scene = s, .mutex = PTHREAD_MUTEX_INITIALIZER, .fail_at = -1, .thread = pthread_self() };
    options.type = NWBZ_INT32;
    options.n_dims = s->n_dims;
    options.shape = shape;
    options.natural_box = natural;
    options.forward = forward;
    options.caller_thread_only = caller_thread_only;
    options.max_readers = max_readers;
    options.read_box = give;
    options.user = c;
    if (nwbz_source_new_callback(&options, &source, &err) != NWBZ_OK)
        fail_msg("%s", err.message);
    return source;
}

static void check_values(nwbz_array *array, const scene *s, unsigned jobs)
{
    nwbz_fill_options options = options_of(jobs, 0);
    uint64_t start[4] = { 0 }, shape[4];
    nwbz_error err = NWBZ_ERROR_INIT;
    int32_t *read = malloc(s->n * sizeof *read + 1);
    if (nwbz_array_read(array, start, s->shape, read, s->n * sizeof *read, &options, &err) != NWBZ_OK)
        fail_msg("%s: %s", err.where, err.message);
    assert_memory_equal(read, s->elements, s->n * sizeof *read);
    if (s->n > 0) { /* and a box of it */
        nz_box whole, box = { .n_dims = s->n_dims };
        nz_box_of_shape(&whole, s->n_dims, s->shape);
        for (unsigned d = 0; d < s->n_dims; d++) {
            box.start[d] = start[d] = (uint64_t)rand() % s->shape[d];
            box.shape[d] = shape[d] = 1 + (uint64_t)rand() % (s->shape[d] - start[d]);
        }
        uint64_t n = nz_box_count(&box);
        int32_t *expected = malloc(n * sizeof *expected);
        nz_box_copy(&box, s->elements, &whole, expected, &box, sizeof *expected);
        assert_int_equal(nwbz_array_read(array, start, shape, read, n * sizeof *read, &options, &err), NWBZ_OK);
        assert_memory_equal(read, expected, n * sizeof *read);
        free(expected);
    }
    free(read);
}

/* Compare every object of two stores' arrays, byte for byte. */
static void check_same_bytes(nwbz_array *a, nwbz_array *b)
{
    uint64_t counts[4], n = 1;
    for (unsigned d = 0; d < a->meta.n_dims; d++) {
        counts[d] = a->meta.shape[d] == 0 ? 0 : (a->meta.shape[d] - 1) / a->meta.object_shape[d] + 1;
        n *= counts[d];
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t index[4];
        void *x = NULL, *y = NULL;
        size_t n_x = 0, n_y = 0;
        nz_index_of(i, a->meta.n_dims, counts, index);
        char *key = nz_array_object_key(a, index);
        nwbz_code code = nwbz_store_get(a->store, key, &x, &n_x, NULL);
        assert_int_equal(nwbz_store_get(b->store, key, &y, &n_y, NULL), code);
        assert_int_equal(n_x, n_y);
        if (code == NWBZ_OK)
            assert_memory_equal(x, y, n_x);
        nwbz_free(x);
        nwbz_free(y);
        nwbz_free(key);
    }
}

static void fill_from(nwbz_array *array, nwbz_source *source, unsigned jobs, uint64_t limit)
{
    nwbz_fill_options options = options_of(jobs, limit);
    nwbz_error err = NWBZ_ERROR_INIT;
    if (nwbz_array_fill(array, source, &options, &err) != NWBZ_OK)
        fail_msg("%s: %s", err.where, err.message);
    nwbz_source_close(source);
}

static nwbz_source *memory_source(const scene *s)
{
    nwbz_source *source = NULL;
    assert_int_equal(nwbz_source_new_memory(s->elements, NWBZ_INT32, s->n_dims, s->shape, &source, NULL), NWBZ_OK);
    return source;
}

static void bytes_depend_neither_on_jobs_nor_memory_nor_source(void **state)
{
    (void)state;
    srand(11);
    for (int round = 0; round < 24; round++) {
        scene s;
        make_scene(&s);
        nwbz_store *reference_store = new_store();
        nwbz_array *reference = new_array(reference_store, &s, false);
        fill_from(reference, memory_source(&s), 1, 0);
        check_values(reference, &s, 1);
        for (int way = 0; way < 7; way++) {
            static const unsigned jobs[] = { 2, 8, 2, 3, 4, 2, 1 };
            nwbz_store *store = new_store();
            nwbz_array *array = new_array(store, &s, way == 4 || way == 6);
            caller c;
            if (way < 2)
                fill_from(array, memory_source(&s), jobs[way], way ? 0 : 4 << 20);
            else
                fill_from(array, callback_source(&s, &c, way == 3 || way == 4 || way == 6, way == 4 || way == 6, way == 5, way == 2 ? 0 : 1), jobs[way], 0);
            if (way > 2)
                assert_true(c.most_running <= 1);
            if (way == 5)
                assert_false(c.other_thread);
            if (s.n > 0 || (way != 4 && way != 6)) {
                check_values(array, &s, 1 + (unsigned)way);
                check_same_bytes(reference, array);
            }
            nwbz_array_close(array);
            nwbz_store_close(store);
        }
        nwbz_array_close(reference);
        nwbz_store_close(reference_store);
        free(s.elements);
    }
}

static void rows_that_are_pushed_give_the_same_bytes(void **state)
{
    (void)state;
    srand(12);
    for (int round = 0; round < 20; round++) {
        scene s;
        make_scene(&s);
        nwbz_store *reference_store = new_store(), *store = new_store();
        nwbz_array *reference = new_array(reference_store, &s, false), *array = new_array(store, &s, true);
        fill_from(reference, memory_source(&s), 1, 0);
        nwbz_fill_options options = options_of(2, 0);
        nwbz_error err = NWBZ_ERROR_INIT;
        uint64_t row = s.shape[0] ? s.n / s.shape[0] : 0;
        for (uint64_t at = 0; at < s.shape[0];) {
            uint64_t n = 1 + (uint64_t)rand() % (s.shape[0] - at);
            if (nwbz_array_append(array, s.elements + at * row, n, &options, &err) != NWBZ_OK)
                fail_msg("%s: %s", err.where, err.message);
            at += n;
            if (rand() % 3 == 0)
                assert_int_equal(nwbz_array_flush(array, &options, &err), NWBZ_OK);
            if (rand() % 5 == 0) { /* another program goes on */
                assert_int_equal(nwbz_array_flush(array, &options, &err), NWBZ_OK);
                nwbz_array_close(array);
                assert_int_equal(nwbz_array_open(store, "/a", &array, &err), NWBZ_OK);
            }
        }
        assert_int_equal(nwbz_array_flush(array, &options, &err), NWBZ_OK);
        nwbz_array_close(array);
        assert_int_equal(nwbz_array_open(store, "/a", &array, &err), NWBZ_OK);
        check_values(array, &s, 2);
        check_same_bytes(reference, array);
        nwbz_array_close(array);
        nwbz_array_close(reference);
        nwbz_store_close(store);
        nwbz_store_close(reference_store);
        free(s.elements);
    }
}

static void an_error_of_a_callback_stops_the_run_and_is_named(void **state)
{
    (void)state;
    scene s = { .n_dims = 2, .shape = { 400, 6 }, .chunk = { 30, 4 }, .natural = { 10, 6 }, .codec = "zstd:1", .n = 2400 };
    s.elements = calloc(s.n, sizeof *s.elements);
    for (int fail_at = 0; fail_at < 40; fail_at += 7) {
        nwbz_store *store = new_store();
        nwbz_array *array = new_array(store, &s, false);
        caller c;
        nwbz_source *source = callback_source(&s, &c, false, false, true, 0);
        c.fail_at = fail_at;
        nwbz_fill_options options = options_of(3, 0);
        nwbz_error err = NWBZ_ERROR_INIT;
        assert_int_equal(nwbz_array_fill(array, source, &options, &err), NWBZ_ECALLBACK);
        assert_int_equal(err.code, NWBZ_ECALLBACK);
        assert_non_null(strstr(err.where, "/a"));
        assert_int_equal(c.calls, fail_at + 1);
        nwbz_source_close(source);
        nwbz_array_close(array);
        nwbz_store_close(store);
    }
    free(s.elements);
}

static int cancel(const nwbz_progress *progress, void *user)
{
    (void)user;
    return progress->done_bytes < progress->total_bytes;
}

static int slow_give(void *user, const uint64_t *start, const uint64_t *shape, void *elements, uint64_t *n_rows)
{
    struct timespec pause = { 0, 30 * 1000 * 1000 };
    nanosleep(&pause, NULL);
    return give(user, start, shape, elements, n_rows);
}

static void a_progress_callback_can_cancel(void **state)
{
    (void)state;
    scene s = { .n_dims = 1, .shape = { 3000 }, .chunk = { 100 }, .natural = { 100 }, .codec = "none", .n = 3000 };
    s.elements = calloc(s.n, sizeof *s.elements);
    nwbz_store *store = new_store();
    nwbz_array *array = new_array(store, &s, false);
    caller c = { .scene = &s, .mutex = PTHREAD_MUTEX_INITIALIZER, .fail_at = -1, .thread = pthread_self() };
    nwbz_callback_options callback = NWBZ_CALLBACK_OPTIONS_INIT;
    nwbz_source *source = NULL;
    callback.type = NWBZ_INT32;
    callback.n_dims = 1;
    callback.shape = s.shape;
    callback.natural_box = s.natural;
    callback.caller_thread_only = true;
    callback.read_box = slow_give;
    callback.user = &c;
    assert_int_equal(nwbz_source_new_callback(&callback, &source, NULL), NWBZ_OK);
    nwbz_fill_options options = options_of(2, 0);
    options.on_progress = cancel;
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nwbz_array_fill(array, source, &options, &err), NWBZ_ECANCELED);
    assert_true(c.calls < 30);
    nwbz_source_close(source);
    nwbz_array_close(array);
    nwbz_store_close(store);
    free(s.elements);
}

static int watch(const nwbz_progress *progress, void *user)
{
    nwbz_progress *last = user;
    assert_true(progress->done_bytes >= last->done_bytes);
    *last = *progress;
    return 0;
}

static void progress_ends_at_all_bytes(void **state)
{
    (void)state;
    scene s = { .n_dims = 2, .shape = { 1000, 7 }, .chunk = { 33, 4 }, .shard = { 66, 8 }, .sharded = true, .codec = "none", .n = 7000 };
    s.elements = calloc(s.n, sizeof *s.elements);
    nwbz_store *store = new_store();
    nwbz_array *array = new_array(store, &s, false);
    nwbz_source *source = memory_source(&s);
    nwbz_fill_options options = options_of(2, 0);
    nwbz_progress last = { 0 };
    options.on_progress = watch;
    options.user = &last;
    assert_int_equal(nwbz_array_fill(array, source, &options, NULL), NWBZ_OK);
    assert_int_equal(last.done_bytes, 28000);
    assert_int_equal(last.total_bytes, 28000);
    nwbz_source_close(source);
    nwbz_array_close(array);
    nwbz_store_close(store);
    free(s.elements);
}

static void a_scalar_is_filled_and_read(void **state)
{
    (void)state;
    double value = 2.5, read = 0;
    nwbz_store *store = new_store();
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    nwbz_array *array = NULL;
    nwbz_source *source = NULL;
    options.type = NWBZ_FLOAT64;
    assert_int_equal(nwbz_array_create(store, "/x", &options, &array, NULL), NWBZ_OK);
    assert_int_equal(nwbz_source_new_memory(&value, NWBZ_FLOAT64, 0, NULL, &source, NULL), NWBZ_OK);
    nwbz_error err = NWBZ_ERROR_INIT;
    if (nwbz_array_fill(array, source, NULL, &err) != NWBZ_OK || nwbz_array_read(array, NULL, NULL, &read, sizeof read, NULL, &err) != NWBZ_OK)
        fail_msg("%s: %s", err.where, err.message);
    assert_true(read == value);
    nwbz_source_close(source);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

static void a_box_outside_the_array_is_refused_with_its_numbers(void **state)
{
    (void)state;
    scene s = { .n_dims = 1, .shape = { 100 }, .chunk = { 10 }, .codec = "none", .n = 100 };
    int32_t read[20];
    nwbz_store *store = new_store();
    nwbz_array *array = new_array(store, &s, false);
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_int_equal(nwbz_array_read(array, (uint64_t[]){ 90 }, (uint64_t[]){ 20 }, read, sizeof read, NULL, &err), NWBZ_EINVAL);
    assert_non_null(strstr(err.message, "90 to 110"));
    assert_int_equal(nwbz_array_read(array, (uint64_t[]){ UINT64_MAX }, (uint64_t[]){ 20 }, read, sizeof read, NULL, &err), NWBZ_EINVAL);
    assert_int_equal(nwbz_array_read(array, (uint64_t[]){ 0 }, (uint64_t[]){ 10 }, read, sizeof read, NULL, &err), NWBZ_EINVAL);
    nwbz_array_close(array);
    nwbz_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scalar_is_filled_and_read),
        cmocka_unit_test(bytes_depend_neither_on_jobs_nor_memory_nor_source),
        cmocka_unit_test(rows_that_are_pushed_give_the_same_bytes),
        cmocka_unit_test(an_error_of_a_callback_stops_the_run_and_is_named),
        cmocka_unit_test(a_progress_callback_can_cancel),
        cmocka_unit_test(progress_ends_at_all_bytes),
        cmocka_unit_test(a_box_outside_the_array_is_refused_with_its_numbers),
    };
    return cmocka_run_group_tests_name("engine.run", tests, NULL, NULL);
}
