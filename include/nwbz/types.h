/* Element types, shapes, progress, jobs, and the report of a run.
 *
 * Shapes count elements, outermost dimension first, C order: the data of an ElectricalSeries is { samples, channels }.
 * A size in bytes is named _bytes, a time _ns or seconds, a rate _hz.
 */
#ifndef NWBZ_TYPES_H
#define NWBZ_TYPES_H

#include <stdbool.h>
#include <nwbz/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NWBZ_MAX_DIMS = 32 };

/* The length of a first axis that is not known before the samples have come (standard input, an iterator). */
#define NWBZ_UNKNOWN_LENGTH UINT64_MAX

/* The type of an element, by its Zarr v3 name.  In memory numbers are in the machine's byte order (little-endian only). */
typedef enum nwbz_type {
    NWBZ_TYPE_NONE = 0,
    NWBZ_BOOL,       /* one byte, 0 or 1 */
    NWBZ_INT8,
    NWBZ_INT16,
    NWBZ_INT32,
    NWBZ_INT64,
    NWBZ_UINT8,
    NWBZ_UINT16,
    NWBZ_UINT32,
    NWBZ_UINT64,
    NWBZ_FLOAT16,    /* IEEE binary16, two bytes */
    NWBZ_FLOAT32,
    NWBZ_FLOAT64,
    NWBZ_COMPLEX64,  /* two float32: real, imaginary */
    NWBZ_COMPLEX128, /* two float64 */
    NWBZ_STRING,     /* nwbz_string: UTF-8 of any length */
    NWBZ_STRUCT,     /* a record: named fields one behind the other, without padding; its size is the array's */
    NWBZ_UTF32,      /* fixed_length_utf32: code points of four bytes, NUL behind them; its size is the array's */
    NWBZ_RAW         /* raw_bytes: bytes without a meaning; its size is the array's */
} nwbz_type;

/* One element of a NWBZ_STRING array: n_bytes of UTF-8, not NUL-terminated.  bytes may be NULL when n_bytes is 0. */
typedef struct nwbz_string {
    const char *bytes;
    uint64_t n_bytes;
} nwbz_string;

/* Return the bytes of one element in memory (sizeof(nwbz_string) for NWBZ_STRING); 0 for NWBZ_TYPE_NONE, and for the types whose size is the array's
 * (nwbz_array_info.element_bytes). */
NWBZ_API size_t nwbz_type_size(nwbz_type type);

/* Return the Zarr v3 name of `type`, "int16"; "none" for NWBZ_TYPE_NONE.  Static text. */
NWBZ_API const char *nwbz_type_name(nwbz_type type);

/*
 * Find the type that `name` means: a Zarr v3 name ("int16", "float32", "bool", "string") or NumPy's ("<i2", ">i2", "|u1", "=f4",
 * "i2").  *big_endian becomes true for ">"; NULL refuses it.
 *
 * Returns NWBZ_OK, or NWBZ_EINVAL with a message that lists the names.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_type_parse(const char *name, nwbz_type *type, bool *big_endian, nwbz_error *err);

/* How nwbz_element_format() writes an element. */
typedef enum nwbz_element_style {
    NWBZ_STYLE_TEXT = 0, /* nan, inf, -inf; complex 1+2j; text as it is */
    NWBZ_STYLE_JSON      /* "NaN", "Infinity", "-Infinity"; complex [re, im]; text quoted and escaped */
} nwbz_element_style;

/*
 * Format one element: floats as the shortest text that reads back.
 *
 * Ownership: *text is the caller's, NUL-terminated, to be given to nwbz_free().
 * Returns NWBZ_OK, NWBZ_EINVAL for NWBZ_TYPE_NONE, NWBZ_ENOMEM.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_element_format(nwbz_type type, const void *element, nwbz_element_style style, char **text,
                                                       nwbz_error *err);

/* Give back memory that a function of this library handed over.  NULL is fine. */
NWBZ_API void nwbz_free(void *pointer);

/* ---- Jobs -------------------------------------------------------------------- */

/* Count the CPUs that this process may use: affinity mask and cgroup quota (rounded up), at least 1. */
NWBZ_API unsigned nwbz_jobs_usable(void);

/*
 * Turn what a person types into a number of jobs: 3 is 3; -1 all usable CPUs, -2 all but one; 0.5 half of them (at least 1).
 *
 * Returns NWBZ_OK, or NWBZ_EINVAL for 0, below minus the number of usable CPUs, a number with a fraction outside (0, 1), above 4096 or NaN.
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_jobs_resolve(double number_of_jobs, unsigned *jobs, nwbz_error *err);

/* ---- Progress ---------------------------------------------------------------- */

/* How far a call is.  Valid during the callback only. */
typedef struct nwbz_progress {
    const char *dataset;    /* absolute path: "/acquisition/TimeSeries/data" */
    const char *kind;       /* "write", "copy", "read", "verify" */
    uint64_t done_bytes;    /* of samples, before encoding, over the whole call */
    uint64_t total_bytes;   /* 0: not known */
    uint64_t elapsed_ns;
    unsigned number_of_jobs;
} nwbz_progress;

/* Called on the calling thread only, under no lock, at most ten times a second and once at the end.  Nonzero cancels the call. */
typedef int (*nwbz_progress_fn)(const nwbz_progress *progress, void *user);

/* ---- The report of a run ------------------------------------------------------ */

/* What was done (or, in a dry run, would be done) for one dataset. */
typedef struct nwbz_dataset_report {
    char *path;                 /* "/acquisition/TimeSeries/data" */
    nwbz_type type;
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS];
    uint64_t chunk_shape[NWBZ_MAX_DIMS];
    uint64_t shard_shape[NWBZ_MAX_DIMS]; /* all 0: no shards */
    char *codec;                /* "blosc:zstd:1:bitshuffle" */
    uint64_t bytes;             /* of samples */
    uint64_t stored_bytes;
    double seconds;
    uint64_t n_groups;          /* what is read together */
    uint64_t n_objects;         /* chunk or shard files, those of nothing but fill value included */
    uint64_t n_copied, n_recoded, n_read; /* pieces by kind of move */
    double source_reads;        /* how often the source is read: 1.0 is once */
} nwbz_dataset_report;

/* Something stored in another form than the source had it. */
typedef struct nwbz_conversion {
    char *path, *attribute /* or NULL */, *kind, *detail;
} nwbz_conversion;

/* Something a person should know. */
typedef struct nwbz_warning {
    char *path, *text;
} nwbz_warning;

/* The report: start it with NWBZ_REPORT_INIT; what it points to is its own until nwbz_report_done(). */
typedef struct nwbz_report {
    size_t struct_size;
    char *source, *destination;
    double seconds;
    uint64_t bytes_in, bytes_stored;
    unsigned number_of_jobs;
    bool dry_run;
    bool already_done;          /* existing = skip or resume, and the destination was whole */
    nwbz_dataset_report *datasets;
    size_t n_datasets;
    nwbz_conversion *conversions;
    size_t n_conversions;
    nwbz_warning *warnings;
    size_t n_warnings;
    const char *verified;       /* "none", "crc", "full"; static */
} nwbz_report;

#define NWBZ_REPORT_INIT { sizeof(nwbz_report), 0, 0, 0, 0, 0, 0, false, false, 0, 0, 0, 0, 0, 0, "none" }

/* Free what the report points to and make it empty again. */
NWBZ_API void nwbz_report_done(nwbz_report *report);

/*
 * Format the report as one JSON object (the keys of docs/man: source, destination, seconds, bytes_in, bytes_stored, datasets ...).
 * Ownership: *json is the caller's, to be given to nwbz_free().
 */
NWBZ_API NWBZ_MUST_CHECK nwbz_code nwbz_report_format(const nwbz_report *report, char **json, nwbz_error *err);

#ifdef __cplusplus
}
#endif
#endif
