/* Chunks of the samples. */
#ifndef NZ_NWB_LAYOUT_H
#define NZ_NWB_LAYOUT_H

#include "hdmf/write.h"
#include "source/source.h"

#include <nwbz/nwb.h>

/*
 * Decide chunks, shards and codec of the series' data: as the options say, else at most 64 columns and as many
 * frames as 10^7 bytes hold (docs/ON-DISK.md, "What nwbz write makes").  Where only shards are given, chunks become
 * the largest part of a shard that does not exceed that.
 * Returns NWBZ_EINVAL: wrong number of axes, a zero, a shard that is no multiple of the chunk or that has no part of
 * useful size.
 */
nwbz_code nz_layout_of_data(const nwbz_write_options *options, const nz_source_info *info, nz_layout *layout,
                            nwbz_error *err);

/* The same for timestamps: chunks of 10^7 bytes, no shards. */
void nz_layout_of_timestamps(const nwbz_write_options *options, const nz_source_info *info, nz_layout *layout);

#endif
