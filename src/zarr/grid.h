/* Grids: the regular grids of objects and pieces over an array, and what sizes they may have. */
#ifndef NZ_ZARR_GRID_H
#define NZ_ZARR_GRID_H

#include "zarr/metadata.h"

/*
 * Check meta's shapes: axes up to INT64_MAX, chunks of 1 or more, shards whole multiples of chunks (failing with
 * `bad`); bytes of a piece and of a shard's index that can be held (NWBZ_ELIMIT).
 */
nwbz_code nz_grid_check(const nz_array_meta *meta, nwbz_code bad, nwbz_error *err);

/* Count the cells of `cell` that cover `shape`, per axis. */
void nz_grid_counts(unsigned n_dims, const uint64_t *shape, const uint64_t *cell, uint64_t *counts);

/* Count the pieces per axis of one object (1 each without shards). */
void nz_grid_inner_counts(const nz_array_meta *meta, uint64_t *counts);

/* Count the pieces in one object. */
uint64_t nz_grid_pieces(const nz_array_meta *meta);

/* The bytes of one piece in memory. */
uint64_t nz_grid_piece_bytes(const nz_array_meta *meta);

#endif
