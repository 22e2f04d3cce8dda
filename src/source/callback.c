/* A callback as a source: what the caller's function gives is taken as it is, but for the number of rows, which is
 * checked, since rows that never came would be stored as whatever the buffer held before.
 */
#include "source/source.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/options.h"

#include <inttypes.h>
#include <string.h>

typedef struct callback_source {
    nwbz_source base;
    nwbz_read_box_fn read_box;
    void *user;
} callback_source;

static nwbz_code read_box(nwbz_source *source, void *reader, const nz_box *box, void *elements, uint64_t *n_rows,
                          nwbz_error *err)
{
    const callback_source *self = (const callback_source *)source;
    const nz_source_info *info = &source->info;
    (void)reader;
    uint64_t asked = box->shape[0], given = asked;
    int result = self->read_box(self->user, box->start, box->shape, elements, &given);
    if (result != 0)
        return nz_fail(err, NWBZ_ECALLBACK, "the callback that reads the source returned %d", result);
    if (given > asked)
        return nz_fail(err, NWBZ_ECALLBACK,
                       "the callback says it gave %" PRIu64 " rows where %" PRIu64 " were asked for", given, asked);
    if (given < asked && info->shape[0] != NWBZ_UNKNOWN_LENGTH)
        return nz_fail(err, NWBZ_ECALLBACK,
                       "the callback gave %" PRIu64 " of %" PRIu64 " rows from row %" PRIu64
                       " on, of a source of %" PRIu64 " rows",
                       given, asked, box->start[0], info->shape[0]);
    *n_rows = given;
    return NWBZ_OK;
}

static void callback_close(nwbz_source *source)
{
    nz_free(source);
}

static const nz_source_class callback_class = { .read_box = read_box, .close = callback_close };

static nwbz_code check(const nwbz_callback_options *options, nwbz_error *err)
{
    if (!options->read_box)
        return nz_fail(err, NWBZ_EINVAL, "no read_box is given");
    if (options->type == NWBZ_STRING || nwbz_type_size(options->type) == 0)
        return nz_fail(err, NWBZ_EINVAL, "a source has numbers or bool, not type '%s'", nwbz_type_name(options->type));
    if (options->n_dims < 1 || options->n_dims > NWBZ_MAX_DIMS)
        return nz_fail(err, NWBZ_EINVAL, "a shape of %u axes is given; it must be 1 to %d", options->n_dims,
                       NWBZ_MAX_DIMS);
    if (!options->shape)
        return nz_fail(err, NWBZ_EINVAL, "no shape is given");
    if (options->shape[0] == NWBZ_UNKNOWN_LENGTH && !options->forward)
        return nz_fail(err, NWBZ_EINVAL, "only a forward source may have an unknown length");
    for (unsigned d = 1; d < options->n_dims; d++)
        if (options->shape[d] == NWBZ_UNKNOWN_LENGTH)
            return nz_fail(err, NWBZ_EINVAL, "only the first axis may have an unknown length, not axis %u", d);
    for (unsigned d = 0; options->natural_box && d < options->n_dims; d++)
        if (options->natural_box[d] == 0)
            return nz_fail(err, NWBZ_EINVAL, "axis %u of the natural box is 0", d);
    return NWBZ_OK;
}

/* A natural box over the edge of the array is the array's: the boxes asked for are the same. */
static nwbz_code describe(const nwbz_callback_options *options, nz_source_info *info, nwbz_error *err)
{
    uint64_t n_bytes;
    info->type = options->type;
    info->n_dims = options->n_dims;
    memcpy(info->shape, options->shape, options->n_dims * sizeof *info->shape);
    for (unsigned d = 0; d < info->n_dims; d++) {
        uint64_t natural = options->natural_box ? options->natural_box[d] : d == 0 ? 1 : info->shape[d];
        info->natural[d] = nz_max(nz_min(natural, info->shape[d]), 1);
    }
    bool known = info->shape[0] != NWBZ_UNKNOWN_LENGTH;
    if (!nz_count(info->natural, info->n_dims, nwbz_type_size(info->type), &n_bytes) || n_bytes > SIZE_MAX ||
        (known && !nz_count(info->shape, info->n_dims, nwbz_type_size(info->type), &n_bytes)))
        return nz_fail(err, NWBZ_EINVAL, "the shape or the natural box needs more bytes than can be counted");
    info->forward = options->forward;
    info->whole_boxes = true;
    info->caller_thread_only = options->caller_thread_only;
    info->max_readers = options->forward || options->caller_thread_only ? 1 : options->max_readers;
    info->name = "callback";
    return NWBZ_OK;
}

nwbz_code nwbz_source_new_callback(const nwbz_callback_options *options, nwbz_source **source, nwbz_error *err)
{
    nwbz_callback_options own = NWBZ_CALLBACK_OPTIONS_INIT;
    *source = NULL;
    NZ_TRY(nz_options_take(&own, sizeof own, options, err));
    NZ_TRY(check(&own, err));
    callback_source *self = nz_calloc(1, sizeof *self);
    if (!self)
        return nz_fail_memory(err, sizeof *self, "a source");
    self->base.class = &callback_class;
    self->read_box = own.read_box;
    self->user = own.user;
    nwbz_code code = describe(&own, &self->base.info, err);
    if (code != NWBZ_OK) {
        nz_free(self);
        return code;
    }
    *source = &self->base;
    return NWBZ_OK;
}
