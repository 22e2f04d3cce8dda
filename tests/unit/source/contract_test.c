/* What every source must do: one set of tests for all of them.
 *
 * Each maker makes a source of the known samples with a given shape; what is then asked of it follows from its own
 * description.
 */
#include "unit/hdf5/fixture.h"

#include "base/thread.h"
#include "model/dtype.h"
#include "target/target.h"
#include "zarr/array.h"

#include <fcntl.h>

/* What a source was made of, and is to be freed after it. */
typedef struct made {
    nwbz_source *source;
    int16_t *samples;
    nwbz_store *store;
    nwbz_array *array;
    int fd;
    uint64_t shape[NWBZ_MAX_DIMS], natural[NWBZ_MAX_DIMS];
    unsigned n_dims;
    uint64_t position; /* of a forward callback: boxes given */
} made;

static uint64_t samples_of(const made *m)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < m->n_dims; d++)
        n *= m->shape[d];
    return n;
}

static void swap_all(int16_t *samples, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        samples[i] = (int16_t)((uint16_t)samples[i] >> 8 | (uint16_t)samples[i] << 8);
}

/* ---- makers ------------------------------------------------------------------------ */

static void make_memory(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    assert_ok(nwbz_source_new_memory(m->samples, NWBZ_INT16, m->n_dims, m->shape, &m->source, &err), &err);
}

static nwbz_raw_options raw_options(const made *m)
{
    nwbz_raw_options options = NWBZ_RAW_OPTIONS_INIT;
    options.type = NWBZ_INT16;
    options.n_dims = m->n_dims;
    options.shape = m->shape;
    return options;
}

static void make_raw(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_raw_options options = raw_options(m);
    test_file_write(in_folder("raw"), m->samples, samples_of(m) * 2);
    assert_ok(nwbz_source_open_raw(in_folder("raw"), &options, &m->source, &err), &err);
}

static void make_raw_big_endian(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_raw_options options = raw_options(m);
    options.big_endian = true;
    options.offset_bytes = 10;
    FILE *file = fopen(in_folder("raw.be"), "wb");
    assert_non_null(file);
    fwrite("0123456789", 1, 10, file);
    swap_all(m->samples, samples_of(m));
    fwrite(m->samples, 2, samples_of(m), file);
    assert_int_equal(fclose(file), 0);
    assert_ok(nwbz_source_open_raw(in_folder("raw.be"), &options, &m->source, &err), &err);
}

/* The file has three more columns, and the columns in another order: the source picks them back. */
static void write_shuffled(const made *m, FILE *file, uint64_t *channels)
{
    uint64_t wide = m->shape[1] + 3;
    int16_t *row = nz_calloc(wide, sizeof *row);
    assert_non_null(row);
    for (uint64_t c = 0; c < m->shape[1]; c++)
        channels[c] = c < m->shape[1] / 2 ? c + m->shape[1] - m->shape[1] / 2 + 2 : c - m->shape[1] / 2 + 1;
    for (uint64_t r = 0; r < m->shape[0]; r++) {
        memset(row, 0x55, wide * sizeof *row);
        for (uint64_t c = 0; c < m->shape[1]; c++)
            row[channels[c]] = m->samples[r * m->shape[1] + c];
        fwrite(row, sizeof *row, wide, file);
    }
    nz_free(row);
}

static void make_raw_channels(made *m)
{
    if (m->n_dims != 2 || m->shape[1] == 0)
        return;
    nwbz_error err = NWBZ_ERROR_INIT;
    uint64_t channels[1024], shape[2] = { m->shape[0], m->shape[1] + 3 };
    nwbz_raw_options options = raw_options(m);
    FILE *file = fopen(in_folder("raw.channels"), "wb");
    assert_non_null(file);
    write_shuffled(m, file, channels);
    assert_int_equal(fclose(file), 0);
    options.shape = shape;
    options.channels = channels;
    options.n_channels = m->shape[1];
    assert_ok(nwbz_source_open_raw(in_folder("raw.channels"), &options, &m->source, &err), &err);
}

static void make_npy(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    char header[300] = "{'descr': '<i2', 'fortran_order': False, 'shape': (";
    for (unsigned d = 0; d < m->n_dims; d++)
        snprintf(header + strlen(header), sizeof header - strlen(header), "%llu,%s", (unsigned long long)m->shape[d],
                 d + 1 < m->n_dims ? " " : "");
    strcat(header, "), }");
    size_t n = strlen(header), padded = (n + 10 + 1 + 63) / 64 * 64 - 10;
    FILE *file = fopen(in_folder("data.npy"), "wb");
    assert_non_null(file);
    fwrite("\x93NUMPY\x01\x00", 1, 8, file);
    fputc((int)(padded % 256), file);
    fputc((int)(padded / 256), file);
    fprintf(file, "%s%*s\n", header, (int)(padded - n - 1), "");
    fwrite(m->samples, 2, samples_of(m), file);
    assert_int_equal(fclose(file), 0);
    assert_ok(nwbz_source_open_npy(in_folder("data.npy"), &m->source, &err), &err);
}

static int give_box(void *user, const uint64_t *start, const uint64_t *shape, void *elements, uint64_t *n_rows)
{
    const made *m = user;
    nz_box box = { .n_dims = m->n_dims };
    memcpy(box.start, start, m->n_dims * sizeof *start);
    memcpy(box.shape, shape, m->n_dims * sizeof *shape);
    if (m->source->info.shape[0] == NWBZ_UNKNOWN_LENGTH) {
        uint64_t left = start[0] < m->shape[0] ? m->shape[0] - start[0] : 0;
        *n_rows = box.shape[0] = shape[0] < left ? shape[0] : left;
    }
    for (uint64_t i = 0, n = count_of(&box); i < n; i++)
        ((int16_t *)elements)[i] = sample_at(index_in_whole(&box, m->shape, i));
    return 0;
}

static nwbz_callback_options callback_options(made *m)
{
    nwbz_callback_options options = NWBZ_CALLBACK_OPTIONS_INIT;
    for (unsigned d = 0; d < m->n_dims; d++)
        m->natural[d] = d == 0 ? 7 : 3;
    options.type = NWBZ_INT16;
    options.n_dims = m->n_dims;
    options.shape = m->shape;
    options.natural_box = m->natural;
    options.read_box = give_box;
    options.user = m;
    return options;
}

static void make_callback(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_callback_options options = callback_options(m);
    assert_ok(nwbz_source_new_callback(&options, &m->source, &err), &err);
}

static void make_iterator(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    uint64_t shape[NWBZ_MAX_DIMS];
    memcpy(shape, m->shape, sizeof shape);
    shape[0] = NWBZ_UNKNOWN_LENGTH;
    nwbz_callback_options options = callback_options(m);
    options.shape = shape;
    options.forward = true;
    assert_ok(nwbz_source_new_callback(&options, &m->source, &err), &err);
}

static void make_stream(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    uint64_t shape[NWBZ_MAX_DIMS];
    nwbz_raw_options options = raw_options(m);
    for (unsigned d = 1; d < m->n_dims; d++)
        if (m->shape[d] == 0)
            return;
    memcpy(shape, m->shape, sizeof shape);
    shape[0] = NWBZ_UNKNOWN_LENGTH;
    options.shape = shape;
    test_file_write(in_folder("stream"), m->samples, samples_of(m) * 2);
    m->fd = open(in_folder("stream"), O_RDONLY);
    assert_ok(nwbz_source_new_stream(m->fd, &options, NULL, NULL, &m->source, &err), &err);
}

static void make_stream_channels(made *m)
{
    if (m->n_dims != 2 || m->shape[1] == 0)
        return;
    nwbz_error err = NWBZ_ERROR_INIT;
    uint64_t channels[1024], shape[2] = { m->shape[0], m->shape[1] + 3 };
    nwbz_raw_options options = raw_options(m);
    FILE *file = fopen(in_folder("stream.channels"), "wb");
    assert_non_null(file);
    fwrite("0123456", 1, 7, file);
    swap_all(m->samples, samples_of(m));
    write_shuffled(m, file, channels);
    assert_int_equal(fclose(file), 0);
    options.shape = shape;
    options.channels = channels;
    options.n_channels = m->shape[1];
    options.big_endian = true;
    options.offset_bytes = 7;
    m->fd = open(in_folder("stream.channels"), O_RDONLY);
    assert_ok(nwbz_source_new_stream(m->fd, &options, NULL, NULL, &m->source, &err), &err);
}

/* Store one object of the known samples, piece by piece, and beyond the edge the fill value. */
static void store_object(made *m, nz_target *target, const uint64_t *object_index)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    const nz_target_info *info = &target->info;
    nz_target_object *object = NULL;
    void *worker = NULL;
    uint64_t counts[NWBZ_MAX_DIMS], n_pieces = 1, n_bytes;
    uint32_t crc;
    size_t room = info->piece_bound_bytes, n;
    int16_t *piece = nz_calloc(1, info->piece_bytes);
    char *out = nz_malloc(room);
    assert_ok(target->class->worker_new(target, &worker, &err), &err);
    assert_ok(target->class->object_begin(target, object_index, &object, &err), &err);
    for (unsigned d = 0; d < info->n_dims; d++)
        n_pieces *= counts[d] = info->object_shape[d] / info->piece_shape[d];
    for (uint64_t p = 0; p < n_pieces; p++) {
        nz_box box = { .n_dims = info->n_dims };
        uint64_t index[NWBZ_MAX_DIMS];
        nz_index_of(p, info->n_dims, counts, index);
        for (unsigned d = 0; d < info->n_dims; d++) {
            box.start[d] = object_index[d] * info->object_shape[d] + index[d] * info->piece_shape[d];
            box.shape[d] = info->piece_shape[d];
        }
        for (uint64_t i = 0; i < count_of(&box); i++) {
            bool inside = true;
            uint64_t rest = i;
            for (unsigned d = info->n_dims; d-- > 0; rest /= box.shape[d])
                inside = inside && box.start[d] + rest % box.shape[d] < m->shape[d];
            piece[i] = inside ? sample_at(index_in_whole(&box, m->shape, i)) : 0;
        }
        assert_ok(target->class->encode_piece(target, worker, index, piece, out, room, &n, &err), &err);
        if (n > 0)
            assert_ok(target->class->object_add(object, p, out, n, &err), &err);
    }
    assert_ok(target->class->object_finish(object, &n_bytes, &crc, &err), &err);
    target->class->worker_free(worker);
    nz_free(piece);
    nz_free(out);
}

static void make_array(made *m, bool sharded)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_array_options options = NWBZ_ARRAY_OPTIONS_INIT;
    nz_target *target = NULL;
    uint64_t chunk[NWBZ_MAX_DIMS], shard[NWBZ_MAX_DIMS], counts[NWBZ_MAX_DIMS], n_objects = 1;
    for (unsigned d = 0; d < m->n_dims; d++) {
        chunk[d] = d == 0 ? 16 : 3;
        shard[d] = 2 * chunk[d];
        n_objects *= counts[d] = (m->shape[d] + (sharded ? shard : chunk)[d] - 1) / (sharded ? shard : chunk)[d];
    }
    options.type = NWBZ_INT16;
    options.n_dims = m->n_dims;
    options.shape = m->shape;
    options.chunk_shape = chunk;
    options.shard_shape = sharded ? shard : NULL;
    assert_ok(nwbz_store_new_memory(&m->store, &err), &err);
    assert_ok(nwbz_array_create(m->store, "/data", &options, &m->array, &err), &err);
    assert_ok(nz_target_of_array(m->array, false, &target, &err), &err);
    for (uint64_t i = 0; i < n_objects; i++) {
        uint64_t index[NWBZ_MAX_DIMS];
        nz_index_of(i, m->n_dims, counts, index);
        store_object(m, target, index);
    }
    target->class->free(target);
    assert_ok(nz_source_of_array(m->array, &m->source, &err), &err);
}

static void make_chunked_array(made *m)
{
    make_array(m, false);
}

static void make_sharded_array(made *m)
{
    make_array(m, true);
}

static void make_hdf5(made *m, bool chunked, hid_t file_type)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    hsize_t shape[NWBZ_MAX_DIMS], chunk[NWBZ_MAX_DIMS];
    for (unsigned d = 0; d < m->n_dims; d++) {
        shape[d] = m->shape[d];
        chunk[d] = d == 0 ? 16 : 3;
    }
    hdf5_layout layout = { m->n_dims, shape, chunked ? chunk : NULL, chunked };
    hdf5_file(in_folder("data.h5"), file_type, &layout, H5T_NATIVE_INT16, m->samples);
    assert_ok(nwbz_source_open_hdf5(in_folder("data.h5"), "/group/data", &m->source, &err), &err);
}

static void make_chunked_hdf5(made *m)
{
    make_hdf5(m, true, H5T_STD_I16LE);
}

static void make_contiguous_hdf5(made *m)
{
    make_hdf5(m, false, H5T_STD_I16BE);
}

/* ---- all sources, all shapes ---------------------------------------------------- */

static const struct {
    const char *name;
    void (*make)(made *);
} makers[] = { { "memory", make_memory },
               { "raw", make_raw },
               { "raw, big-endian, at an offset", make_raw_big_endian },
               { "raw, channels in another order", make_raw_channels },
               { "NPY", make_npy },
               { "callback", make_callback },
               { "iterator", make_iterator },
               { "stream", make_stream },
               { "stream, big-endian, channels, offset", make_stream_channels },
               { "Zarr array", make_chunked_array },
               { "Zarr array in shards", make_sharded_array },
               { "HDF5 in chunks, with filters", make_chunked_hdf5 },
               { "HDF5 without chunks, big-endian", make_contiguous_hdf5 } };

static const struct {
    unsigned n_dims;
    uint64_t shape[4];
} shapes[] = { { 1, { 1 } },       { 1, { 1000 } },       { 1, { 0 } },         { 2, { 1, 1 } },  { 2, { 523, 5 } },
               { 2, { 0, 5 } },    { 2, { 16, 6 } },      { 2, { 70, 384 } },   { 2, { 40, 0 } }, { 3, { 33, 4, 7 } },
               { 3, { 5, 1, 9 } }, { 4, { 9, 3, 2, 8 } }, { 4, { 3, 3, 3, 3 } } };

enum { SHAPE_523_5 = 4 };

/* Make the source; false where this one has no such shape. */
static bool begin(made *m, size_t maker, size_t shape)
{
    memset(m, 0, sizeof *m);
    m->fd = -1;
    m->n_dims = shapes[shape].n_dims;
    memcpy(m->shape, shapes[shape].shape, m->n_dims * sizeof *m->shape);
    uint64_t n = samples_of(m);
    m->samples = nz_malloc(n * sizeof *m->samples);
    assert_non_null(m->samples);
    for (uint64_t i = 0; i < n; i++)
        m->samples[i] = sample_at(i);
    makers[maker].make(m);
    if (m->source)
        return true;
    nz_free(m->samples);
    return false;
}

static void end(made *m)
{
    nwbz_source_close(m->source);
    nwbz_array_close(m->array);
    nwbz_store_close(m->store);
    nz_free(m->samples);
    if (m->fd >= 0)
        close(m->fd);
}

/* Run `check` on every source of every shape. */
static void for_all(void (*check)(made *, const char *name))
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        unsigned n_made = 0;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            made m;
            if (!begin(&m, i, s))
                continue;
            n_made++;
            check(&m, makers[i].name);
            end(&m);
        }
        assert_true(n_made >= 4);
    }
}

/* ---- the contract ------------------------------------------------------------------ */

static void check_description(made *m, const char *name)
{
    const nz_source_info *info = &m->source->info;
    unsigned n_dims = 0;
    const uint64_t *shape = nwbz_source_shape(m->source, &n_dims);
    assert_int_equal(n_dims, m->n_dims);
    assert_int_equal(nwbz_source_type(m->source), NWBZ_INT16);
    assert_non_null(info->name);
    for (unsigned d = 0; d < n_dims; d++) {
        if (shape[d] != m->shape[d] && !(d == 0 && shape[d] == NWBZ_UNKNOWN_LENGTH && info->forward))
            fail_msg("%s: axis %u is %llu", name, d, (unsigned long long)shape[d]);
        assert_true(info->natural[d] >= 1);
    }
    assert_true(!info->forward || info->whole_boxes);
    assert_true(!(info->forward || info->caller_thread_only) || info->max_readers == 1);
    assert_non_null(m->source->class->read_box);
    assert_true(!m->source->class->reader_new == !m->source->class->reader_free);
}

static void a_source_says_what_it_is(void **state)
{
    (void)state;
    for_all(check_description);
}

/* Read a box into memory of just its size, so that a sanitizer sees what goes past it; say whether rows and samples
 * are right. Runs on threads too, so it asserts nothing. */
static bool is_box_right(const made *m, void *reader, const nz_box *box)
{
    uint64_t n_rows = box->shape[0];
    nz_box come = *box;
    int16_t *elements = nz_malloc(count_of(box) * sizeof *elements);
    bool right = elements && m->source->class->read_box(m->source, reader, box, elements, &n_rows, NULL) == NWBZ_OK;
    come.shape[0] = n_rows;
    right = right && (m->source->info.shape[0] == NWBZ_UNKNOWN_LENGTH || n_rows == box->shape[0]);
    right = right && n_rows <= box->shape[0] && is_known(&come, m->shape, elements);
    nz_free(elements);
    return right;
}

static void check_box(const made *m, void *reader, const nz_box *box, const char *name)
{
    if (!is_box_right(m, reader, box))
        fail_msg("%s, %u axes: the box of %llu rows from row %llu on is wrong", name, m->n_dims,
                 (unsigned long long)box->shape[0], (unsigned long long)box->start[0]);
}

static void *reader_of(made *m)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    void *reader = NULL;
    if (m->source->class->reader_new)
        assert_ok(m->source->class->reader_new(m->source, &reader, &err), &err);
    return reader;
}

static void free_reader(made *m, void *reader)
{
    if (m->source->class->reader_free)
        m->source->class->reader_free(reader);
}

/* Read all cells of the natural grid in C order; each row of the array must come once. */
static void check_in_order(made *m, const char *name)
{
    const nz_source_info *info = &m->source->info;
    void *reader = reader_of(m);
    uint64_t counts[NWBZ_MAX_DIMS], cells = 1, index[NWBZ_MAX_DIMS];
    for (unsigned d = 0; d < m->n_dims; d++)
        cells *= counts[d] = (m->shape[d] + info->natural[d] - 1) / info->natural[d];
    for (uint64_t i = 0; i < cells; i++) {
        nz_box box;
        nz_index_of(i, m->n_dims, counts, index);
        nz_box_of_cell(&box, m->n_dims, info->shape, info->natural, index);
        check_box(m, reader, &box, name);
    }
    free_reader(m, reader);
}

static void the_natural_boxes_in_order_are_the_samples(void **state)
{
    (void)state;
    for_all(check_in_order);
}

static void check_end(made *m, const char *name)
{
    const nz_source_info *info = &m->source->info;
    if (info->shape[0] != NWBZ_UNKNOWN_LENGTH)
        return;
    nwbz_error err = NWBZ_ERROR_INIT;
    void *reader = reader_of(m);
    uint64_t rows = 0, n_rows = info->natural[0];
    while (n_rows == info->natural[0]) {
        nz_box box = { .n_dims = m->n_dims, .start = { rows } };
        for (unsigned d = 0; d < m->n_dims; d++)
            box.shape[d] = info->natural[d] < info->shape[d] ? info->natural[d] : info->shape[d];
        int16_t *elements = nz_malloc(count_of(&box) * sizeof *elements);
        assert_ok(m->source->class->read_box(m->source, reader, &box, elements, &n_rows, &err), &err);
        nz_free(elements);
        rows += n_rows;
    }
    if (rows != m->shape[0])
        fail_msg("%s: %llu rows came", name, (unsigned long long)rows);
    free_reader(m, reader);
}

static void a_source_of_unknown_length_says_where_it_ends(void **state)
{
    (void)state;
    for_all(check_end);
}

/* Any box that may be asked for. */
static void ask_box(const made *m, nz_box *box, uint64_t *seed)
{
    const nz_source_info *info = &m->source->info;
    uint64_t index[NWBZ_MAX_DIMS];
    random_box(box, m->n_dims, m->shape, seed);
    if (!info->whole_boxes)
        return;
    for (unsigned d = 0; d < m->n_dims; d++)
        index[d] = box->start[d] / info->natural[d];
    nz_box_of_cell(box, m->n_dims, m->shape, info->natural, index);
}

static void check_any_box(made *m, const char *name)
{
    if (m->source->info.forward || samples_of(m) == 0)
        return;
    void *reader = reader_of(m);
    uint64_t seed = 1;
    for (unsigned i = 0; i < 100; i++) {
        nz_box box;
        ask_box(m, &box, &seed);
        check_box(m, reader, &box, name);
    }
    free_reader(m, reader);
}

static void any_box_has_its_samples(void **state)
{
    (void)state;
    for_all(check_any_box);
}

/* An array's source takes boxes that are no pieces too, as large as one and larger. */
static void an_array_gives_any_box(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        made m;
        if (makers[i].make != make_chunked_array && makers[i].make != make_sharded_array)
            continue;
        assert_true(begin(&m, i, SHAPE_523_5));
        void *reader = reader_of(&m);
        nz_box moved = { 2, { 5, 1 }, { 16, 3 } }, across = { 2, { 10, 2 }, { 500, 3 } },
               inside = { 2, { 17, 0 }, { 3, 2 } };
        check_box(&m, reader, &moved, makers[i].name);
        check_box(&m, reader, &across, makers[i].name);
        check_box(&m, reader, &inside, makers[i].name);
        uint64_t seed = 3;
        for (unsigned k = 0; k < 50; k++) {
            nz_box box;
            random_box(&box, 2, m.shape, &seed);
            check_box(&m, reader, &box, makers[i].name);
        }
        free_reader(&m, reader);
        end(&m);
    }
}

/* Decode one stored chunk and compare the part of it that lies in the array. */
static bool is_chunk_right(const made *m, nz_chain_worker *worker, const uint64_t *index, const char *bytes, size_t n)
{
    const nz_source_info *info = &m->source->info;
    nz_box box = { .n_dims = m->n_dims }, part;
    for (unsigned d = 0; d < m->n_dims; d++) {
        box.start[d] = index[d] * info->natural[d];
        box.shape[d] = info->natural[d];
    }
    nz_box_of_cell(&part, m->n_dims, m->shape, info->natural, index);
    int16_t *piece = nz_malloc(count_of(&box) * sizeof *piece), *samples = nz_malloc(count_of(&part) * sizeof *samples);
    bool right = nz_chain_decode(m->array->chain, worker, bytes, n, piece, count_of(&box) * sizeof *piece, NULL) == NWBZ_OK;
    if (right)
        nz_box_copy(&part, piece, &box, samples, &part, sizeof *samples);
    right = right && is_known(&part, m->shape, samples);
    nz_free(piece);
    nz_free(samples);
    return right;
}

/* Ask for all stored chunks in visits of a few, each of at most `max_bytes` but for its last chunk. */
static void check_stored(made *m, const uint64_t *indexes, size_t n_chunks, size_t max_bytes, size_t absent)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_chain_worker *worker = NULL;
    void *reader = reader_of(m);
    assert_ok(nz_chain_worker_new(m->array->chain, &worker, &err), &err);
    for (size_t at = 0, n; at < n_chunks; at += n) {
        nz_buffer out = NZ_BUFFER_INIT(1 << 20);
        nz_stored chunks[16];
        size_t asked = n = n_chunks - at < 16 ? n_chunks - at : 16;
        assert_ok(nz_buffer_add(&out, "before", 6, &err), &err);
        assert_ok(m->source->class->read_stored(m->source, reader, indexes + at * m->n_dims, &n, max_bytes, chunks, &out, &err), &err);
        assert_true(n >= 1 && n <= asked);
        assert_true(n == asked || out.n_bytes >= max_bytes);
        assert_true(n == 1 || chunks[n - 1].offset < max_bytes);
        assert_memory_equal(out.bytes, "before", 6);
        for (size_t i = 0; i < n; i++) {
            assert_false(chunks[i].is_other);
            assert_int_equal(chunks[i].is_absent, at + i == absent);
            assert_true(chunks[i].offset + chunks[i].n_bytes <= out.n_bytes);
            if (!chunks[i].is_absent)
                assert_true(is_chunk_right(m, worker, indexes + (at + i) * m->n_dims, out.bytes + chunks[i].offset, chunks[i].n_bytes));
        }
        nz_buffer_done(&out);
    }
    nz_chain_worker_free(worker);
    free_reader(m, reader);
}

static void an_array_gives_its_stored_chunks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        made m;
        if (makers[i].make != make_chunked_array && makers[i].make != make_sharded_array)
            continue;
        assert_true(begin(&m, i, SHAPE_523_5));
        uint64_t counts[2] = { (523 + 15) / 16, 2 }, indexes[2 * 33 * 2];
        for (uint64_t p = 0; p < 66; p++)
            nz_index_of(p, 2, counts, indexes + 2 * p);
        assert_true(m.source->info.stored_bound_bytes >= 16 * 3 * 2);
        check_stored(&m, indexes, 66, 1 << 20, SIZE_MAX);
        check_stored(&m, indexes, 66, 200, SIZE_MAX);
        check_stored(&m, indexes, 66, 0, SIZE_MAX);
        if (!m.array->meta.sharded) {
            nwbz_error err = NWBZ_ERROR_INIT;
            assert_ok(m.store->class->remove(m.store, "data/c/10/1", &err), &err);
            check_stored(&m, indexes, 66, 300, 21);
        }
        end(&m);
    }
}

typedef struct reading {
    const made *m;
    uint64_t seed;
    unsigned n_right;
} reading;

static void *read_many(void *argument)
{
    reading *r = argument;
    const nz_source_class *class = r->m->source->class;
    void *reader = NULL;
    if (class->reader_new && class->reader_new(r->m->source, &reader, NULL) != NWBZ_OK)
        return NULL;
    for (unsigned i = 0; i < 50; i++) {
        nz_box box;
        ask_box(r->m, &box, &r->seed);
        r->n_right += is_box_right(r->m, reader, &box);
    }
    if (class->reader_free)
        class->reader_free(reader);
    return NULL;
}

static void check_threads(made *m, const char *name)
{
    if (m->source->info.max_readers != 0 || samples_of(m) == 0)
        return;
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_thread threads[4];
    reading readings[4];
    for (unsigned i = 0; i < 4; i++) {
        readings[i] = (reading){ m, i + 10, 0 };
        assert_ok(nz_thread_start(&threads[i], read_many, &readings[i], &err), &err);
    }
    for (unsigned i = 0; i < 4; i++)
        nz_thread_join(threads[i]);
    for (unsigned i = 0; i < 4; i++)
        if (readings[i].n_right != 50)
            fail_msg("%s: %u of 50 boxes are right on thread %u", name, readings[i].n_right, i);
}

static void four_threads_read_at_once_where_readers_have_no_limit(void **state)
{
    (void)state;
    for_all(check_threads);
}

static void check_identity(made *m, const char *name)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    nz_json *first = NULL, *second = NULL;
    char *first_text = NULL, *second_text = NULL;
    (void)name;
    if (!m->source->class->identity)
        return;
    assert_ok(m->source->class->identity(m->source, &first, &err), &err);
    assert_ok(m->source->class->identity(m->source, &second, &err), &err);
    assert_ok(nz_json_text_of(first, &first_text, &err), &err);
    assert_ok(nz_json_text_of(second, &second_text, &err), &err);
    assert_string_equal(first_text, second_text);
    nz_json_free(first);
    nz_json_free(second);
    nz_free(first_text);
    nz_free(second_text);
}

static void an_unchanged_source_has_one_identity(void **state)
{
    (void)state;
    for_all(check_identity);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_says_what_it_is),
        cmocka_unit_test(the_natural_boxes_in_order_are_the_samples),
        cmocka_unit_test(a_source_of_unknown_length_says_where_it_ends),
        cmocka_unit_test(any_box_has_its_samples),
        cmocka_unit_test(an_array_gives_any_box),
        cmocka_unit_test(an_array_gives_its_stored_chunks),
        cmocka_unit_test(four_threads_read_at_once_where_readers_have_no_limit),
        cmocka_unit_test(an_unchanged_source_has_one_identity),
    };
    return cmocka_run_group_tests(tests, make_folder, test_folder_teardown);
}
