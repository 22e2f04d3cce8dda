/* The codecs of one array, in order: serializer, then bytes to bytes.
 *
 * Prepared once per array from its document, then immutable and shared by all threads; each thread has a worker with
 * the contexts and two scratch buffers, so that nothing is allocated per chunk.
 */
#ifndef NZ_CODEC_CHAIN_H
#define NZ_CODEC_CHAIN_H

#include "codec/codec.h"

typedef struct nz_chain nz_chain;
typedef struct nz_chain_worker nz_chain_worker;

/*
 * Prepare the chain of a "codecs" array (sharding excluded) for pieces of `piece_bytes` in memory (0 for
 * text: any size).
 *
 * Returns NWBZ_EUNSUPPORTED naming a codec that is not ours; NWBZ_EFORMAT (no serializer first, wrong configuration);
 * NWBZ_ELIMIT (a piece is over what a codec takes: both numbers).
 */
nwbz_code nz_chain_open(const nz_json *codecs, const nz_dtype *dtype, uint64_t piece_bytes, nz_chain **chain,
                        nwbz_error *err);
void nz_chain_close(nz_chain *chain);

/* Make the "codecs" array for a document, every configuration member written out. */
nwbz_code nz_chain_format(const nz_chain *chain, nz_json **codecs, nwbz_error *err);

/* Say that the serializer is vlen-utf8. */
bool nz_chain_is_text(const nz_chain *chain);

/* Most bytes that a piece of n bytes takes encoded: of the last codec and of each before it (room for encoding in
 * any order). */
uint64_t nz_chain_bound(const nz_chain *chain, uint64_t n_bytes);

/* Memory of one worker for pieces of n bytes: scratch and the codecs' own. */
uint64_t nz_chain_work_bytes(const nz_chain *chain, uint64_t n_bytes);

/* Make a worker; scratch is allocated when first needed and kept. */
nwbz_code nz_chain_worker_new(const nz_chain *chain, nz_chain_worker **worker, nwbz_error *err);
void nz_chain_worker_free(nz_chain_worker *worker);

/*
 * Encode a piece.  `room` is at least nz_chain_bound(n).  For text, `in` is what nz_vlen_utf8_encode() gave (the
 * serializer is skipped).  The input is not changed.
 */
nwbz_code nz_chain_encode(const nz_chain *chain, nz_chain_worker *worker, const void *in, size_t n, void *out,
                          size_t room, size_t *n_out, nwbz_error *err);

/* Decode a piece that must give exactly `n_out` bytes; else NWBZ_EFORMAT with both numbers. */
nwbz_code nz_chain_decode(const nz_chain *chain, nz_chain_worker *worker, const void *in, size_t n, void *out,
                          size_t n_out, nwbz_error *err);

/* Decode text to the serialised bytes (for nz_vlen_utf8_decode()), of at most `max_bytes` (more: NWBZ_ELIMIT with both
 * numbers).  What `out` held before is dropped. */
nwbz_code nz_chain_decode_text(const nz_chain *chain, nz_chain_worker *worker, const void *in, size_t n,
                               size_t max_bytes, nz_buffer *out, nwbz_error *err);

/* Say whether n encoded bytes could be too many or too few for a fixed-size chain (shard index): the exact size,
 * when every codec of the chain has one (bytes, crc32c); 0 otherwise. */
uint64_t nz_chain_fixed_size(const nz_chain *chain, uint64_t n_bytes);

#endif
