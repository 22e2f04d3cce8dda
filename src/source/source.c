/* What every source answers in the same way. */
#include "source/source.h"

#include "base/checked.h"

#include <string.h>

nwbz_code nz_source_options(const void *given, void *own, size_t own_bytes, nwbz_error *err)
{
    size_t given_bytes = 0;
    if (given)
        memcpy(&given_bytes, given, sizeof given_bytes);
    if (given_bytes < sizeof given_bytes)
        return nz_fail(err, NWBZ_EINVAL, given ? "struct_size of the options is not set" : "no options are given");
    memcpy(own, given, nz_min(given_bytes, own_bytes));
    return NWBZ_OK;
}

const uint64_t *nwbz_source_shape(const nwbz_source *source, unsigned *n_dims)
{
    if (n_dims)
        *n_dims = source->info.n_dims;
    return source->info.shape;
}

nwbz_type nwbz_source_type(const nwbz_source *source)
{
    return source->info.type;
}

void nwbz_source_close(nwbz_source *source)
{
    if (source)
        source->class->close(source);
}
