/* Write recordings as NWB files in Zarr.
 *
 *   recording (nwbz_source) + session metadata (JSON) --> NWBFile with a TimeSeries or ElectricalSeries, one Zarr store
 *
 * What is put down, name by name, is docs/ON-DISK.md, "What nwbz write makes"; it follows hdmf-zarr 0.14.
 */
#ifndef NWBZ_NWB_H
#define NWBZ_NWB_H

#include <nwbz/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One metadata field given beside the JSON text (a flag of the command line); it wins over the text. */
typedef struct nwbz_field {
    const char *object; /* "NWBFile", "Subject", "Device", "ElectrodeGroup", "TimeSeries", "ElectricalSeries" */
    const char *name;   /* "session_start_time" */
    const char *value;  /* text; numbers are parsed as JSON numbers where the field is a number; a list field gets a list of one */
} nwbz_field;

/* The codec of `write` where none is chosen, as nwbz_array_options.codec takes it; docs/codecs.md says why this one. */
NWBZ_API const char *nwbz_default_codec(void);

/* Options of nwbz_write().  Zero means "default" for every field. */
typedef struct nwbz_write_options {
    size_t struct_size;              /* set by NWBZ_WRITE_OPTIONS_INIT */
    /* the session and the series */
    const char *metadata_json;       /* text of one JSON object; NULL: none */
    const char *metadata_name;       /* names it in errors: the file's name */
    const nwbz_field *fields;
    size_t n_fields;
    bool electrical;                 /* an ElectricalSeries with device, electrode group and electrodes; else a TimeSeries */
    double rate_hz;                  /* one of rate_hz and timestamps is required; both: NWBZ_EINVAL */
    double starting_time_seconds;
    nwbz_source *timestamps;         /* float64 { frames } in seconds, borrowed; other lengths or types: NWBZ_ESOURCE */
    const char *source_name;         /* names the source in the report and in errors; NULL: its path */
    /* the format: these change the bytes */
    const uint64_t *chunk_shape;     /* of the data, n_chunk_dims values; NULL: min(64, channels) columns, as many frames as 10 MB hold */
    unsigned n_chunk_dims;
    const uint64_t *shard_shape;     /* n_shard_dims values; NULL: no shards */
    unsigned n_shard_dims;
    const char *codec;               /* of data and timestamps; NULL: nwbz_default_codec() */
    bool reproducible;               /* ids and dates from input and metadata (UUIDv5); needs a session start time */
    /* how: these never change the bytes */
    unsigned number_of_jobs;         /* 0: one per usable CPU */
    uint64_t memory_limit_bytes;     /* 0: 1 GiB */
    nwbz_existing existing;
    bool no_sync;
    bool dry_run;                    /* plan and check only; nothing is written */
    nwbz_progress_fn on_progress;
    void *user;
} nwbz_write_options;

#define NWBZ_WRITE_OPTIONS_INIT                                                                                                        \
    { sizeof(nwbz_write_options), 0, 0, 0, 0, false, 0.0, 0.0, 0, 0, 0, 0, 0, 0, 0, false, 0, 0, NWBZ_EXISTING_ERROR, false, false, 0, 0 }

/*
 * Write `source` { frames, channels } (or { frames }, or more axes without `electrical`) as the NWB Zarr store `path`.
 *
 * Ownership: everything is borrowed until the call returns.  `report` (NULL: none) must be initialised; it is the caller's to free.
 * Threads:   as nwbz_array_fill().
 * On disk:   the result is whole or absent.  Cancel, a kill and a full disk leave the staging folder, which existing = RESUME continues
 *            (sources that cannot be read again: removed); other errors remove it.
 * Returns NWBZ_OK; NWBZ_EINVAL (options; resume with options that change the bytes: names the option); NWBZ_ESOURCE (source or
 * metadata wrong or changed); NWBZ_EEXIST, NWBZ_ELOCKED; NWBZ_ELIMIT; NWBZ_EIO; NWBZ_ENOSPACE; NWBZ_ECANCELED; NWBZ_ECALLBACK; NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_write(nwbz_source *source, const char *path, const nwbz_write_options *options,
                                              nwbz_report *report, nwbz_error *err);

#ifdef __cplusplus
}
#endif
#endif
