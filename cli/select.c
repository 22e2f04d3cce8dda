#include "select.h"

#include <inttypes.h>
#include <string.h>

/* ---- Resolve --------------------------------------------------------------------------- */

/* Turn an end as typed into [0, length]. */
static uint64_t clip(int64_t end, uint64_t length)
{
    if (end >= 0)
        return (uint64_t)end < length ? (uint64_t)end : length;
    uint64_t back = (uint64_t)(-(end + 1)) + 1;
    return back > length ? 0 : length - back;
}

static nwbz_code resolve_axis(const cli_slice *slice, unsigned axis, uint64_t length, uint64_t *start, uint64_t *n,
                              nwbz_error *err)
{
    if (slice->index) {
        uint64_t at = clip(slice->start, length);
        bool before = slice->start < 0 && (uint64_t)(-(slice->start + 1)) >= length;
        if (before || at >= length)
            return cli_fail(err, NWBZ_ESOURCE, "--slice",
                            "index %" PRId64 " is past the %" PRIu64 " elements of axis %u", slice->start, length,
                            axis);
        *start = at;
        *n = 1;
        return NWBZ_OK;
    }
    uint64_t stop = slice->has_stop ? clip(slice->stop, length) : length;
    *start = slice->has_start ? clip(slice->start, length) : 0;
    *n = stop > *start ? stop - *start : 0;
    return NWBZ_OK;
}

nwbz_code cli_selection_resolve(cli_selection *selection, const cli_slice *slices, unsigned n_slices,
                                const nwbz_array_info *array, nwbz_error *err)
{
    static const cli_slice whole = { false, false, false, 0, 0 };
    memset(selection, 0, sizeof *selection);
    selection->n_dims = array->n_dims;
    if (n_slices > array->n_dims)
        return cli_fail(err, NWBZ_ESOURCE, "--slice", "has %u axes, but the array has %u", n_slices, array->n_dims);
    for (unsigned i = 0; i < array->n_dims; i++) {
        nwbz_code code = resolve_axis(i < n_slices ? &slices[i] : &whole, i, array->shape[i], &selection->start[i],
                                      &selection->shape[i], err);
        if (code != NWBZ_OK)
            return code;
    }
    return NWBZ_OK;
}

/* ---- Cut ---------------------------------------------------------------------------------- */

void cli_selection_cut(cli_selection *selection, const nwbz_array_info *array, uint64_t most)
{
    uint64_t room = most ? most : 1;
    for (unsigned i = selection->n_dims; i-- > 0;) {
        uint64_t length = selection->shape[i];
        uint64_t step = length < room ? length : room;
        selection->chunk[i] = array->chunk_shape[i] ? array->chunk_shape[i] : 1;
        selection->step[i] = step ? step : 1;
        room = step == length && length ? room / length
                                        : 1; /* an axis that is cut leaves single steps to those before it */
    }
}

/* Begin the current box along an axis: it ends at the last edge of chunks within a step, where there is one, so that
 * no chunk is decoded twice. */
static void begin_axis(cli_selection *selection, unsigned axis, uint64_t start)
{
    uint64_t left = selection->start[axis] + selection->shape[axis] - start;
    uint64_t length = left < selection->step[axis] ? left : selection->step[axis];
    uint64_t beyond = length < left ? (start + length) % selection->chunk[axis] : 0;
    selection->box_start[axis] = start;
    selection->box_shape[axis] = beyond < length ? length - beyond : length;
}

static bool begin(cli_selection *selection)
{
    selection->begun = true;
    for (unsigned i = 0; i < selection->n_dims; i++) {
        if (selection->shape[i] == 0)
            return false;
        begin_axis(selection, i, selection->start[i]);
    }
    return true;
}

bool cli_selection_next(cli_selection *selection)
{
    if (!selection->begun)
        return begin(selection);
    for (unsigned i = selection->n_dims; i-- > 0;) {
        uint64_t next = selection->box_start[i] + selection->box_shape[i];
        if (next < selection->start[i] + selection->shape[i]) {
            begin_axis(selection, i, next);
            return true;
        }
        begin_axis(selection, i, selection->start[i]);
    }
    return false;
}

static uint64_t product(const uint64_t *axes, unsigned n_axes)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < n_axes; i++)
        n *= axes[i];
    return n;
}

uint64_t cli_selection_most_elements(const cli_selection *selection)
{
    return product(selection->step, selection->n_dims);
}

uint64_t cli_selection_box_elements(const cli_selection *selection)
{
    return product(selection->box_shape, selection->n_dims);
}
