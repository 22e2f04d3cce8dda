/* What every source answers in the same way. */
#include "source/source.h"

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
