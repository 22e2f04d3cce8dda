/* Types of HDF5 as Zarr will hold them (docs/ON-DISK.md sections 4 to 7): one description per file type, for datasets and attributes.
 *
 *   file type --nz_hdf5_map_new--> map: the element in Zarr, the axes it brings, its note, the type that H5Dread and H5Aread are asked for
 *   bytes in map->memory_type --nz_hdf5_map_decode--> elements of map->dtype
 *
 * For this folder alone.  All functions are called under the lock (nz_hdf5_run).
 */
#ifndef NZ_HDF5_TYPES_H
#define NZ_HDF5_TYPES_H

#include "hdf5/library.h"
#include "model/dtype.h"
#include "model/value.h"

typedef enum nz_hdf5_class {
    NZ_HDF5_NUMBERS,    /* fixed size, no reference or text anywhere: memory_type is what Zarr holds, byte for byte */
    NZ_HDF5_TEXT,       /* fixed or variable */
    NZ_HDF5_REFERENCES, /* object or region */
    NZ_HDF5_ROWS,       /* rows of numbers of varying length: one more axis, whose length the values decide */
    NZ_HDF5_RECORDS     /* records with text or references in them: widths of fields are decided by the values */
} nz_hdf5_class;

typedef struct nz_hdf5_map {
    nz_hdf5_class class;
    nz_dtype dtype;                /* TEXT, REFERENCES: NWBZ_STRING; ROWS: of a row's elements; RECORDS: text fields have width 0 until nz_hdf5_map_widen() */
    bool is_region;                /* REFERENCES to regions */
    unsigned n_own_dims;           /* axes that the element brings: opaque 1, array its own; ROWS: 1, whose length is 0 here */
    uint64_t own_shape[NWBZ_MAX_DIMS];
    hid_t memory_type;             /* valid until nz_hdf5_map_free(); little-endian, packed; text: variable or fixed, as section 5 asks */
    size_t memory_bytes;           /* of one element in memory_type */
    bool stored_as_is;             /* stored elements are those of Zarr, byte for byte */
    uint64_t shuffle_bytes;        /* as nz_hdf5_dataset_info's */
    bool check_bools;              /* somewhere in it is a bool, whose bytes must be 0 or 1 */
    nz_json *note;                 /* section 4: what Zarr has no form for, without the lengths of rows and the space; NULL: nothing; owned */
    const char *note_kind;         /* the note's "class", for the report; NULL without a note */
    char note_text[160];           /* the same in words, for the report */
    char **reference_fields;       /* RECORDS: NULL-ended names of fields that are references; owned; NULL: none */
} nz_hdf5_map;

/* What a reference leads to. */
typedef struct nz_hdf5_target {
    char *path;   /* primary path, "/" for the root; NULL: to none (null, deleted, outside the tree); owned by the receiver */
    char *region; /* boxes as JSON; NULL: the whole object; owned by the receiver */
} nz_hdf5_target;

/* Find what a reference read from `in` (any object of its file) leads to.  `reference` is as H5Dread gives it for the type. */
typedef nwbz_code (*nz_hdf5_reference_fn)(hid_t in, bool is_region, const void *reference, void *user, nz_hdf5_target *target, nwbz_error *err);

/* How text and references are read; borrowed by datasets, from the tree. */
typedef struct nz_hdf5_text_rules {
    bool text_latin1;              /* text that is not UTF-8 is Latin-1; else NWBZ_ESOURCE names the element */
    nz_hdf5_reference_fn reference;
    void *user;
    /* Told of each value that was read as Latin-1, at most once per dataset or attribute; NULL: nobody. */
    nwbz_code (*on_latin1)(const char *where, void *user, nwbz_error *err);
} nz_hdf5_text_rules;

/*
 * Describe a type.  Ownership: *map is the caller's.
 * Returns NWBZ_OK; NWBZ_ESOURCE (damaged, or a type that Zarr cannot hold, section 4: named, with what to do); NWBZ_ELIMIT (records of more than 4,096 parts,
 * nesting of more than 16); NWBZ_ENOMEM.
 */
nwbz_code nz_hdf5_map_new(hid_t file_type, nz_hdf5_map **map, nwbz_error *err);
void nz_hdf5_map_free(nz_hdf5_map *map);

/* Turn one text element (as in memory_type) into UTF-8 by section 5, appended to `out` without NUL.  NWBZ_ESOURCE: not UTF-8, and no Latin-1 asked for. */
nwbz_code nz_hdf5_text_of(const nz_hdf5_map *map, const void *element, const nz_hdf5_text_rules *rules, nz_buffer *out, bool *was_latin1, nwbz_error *err);

/*
 * Widen the text fields of RECORDS for `n` elements in memory_type: each becomes as wide as its longest value, at least 512 characters.  Called for all elements
 * before any is decoded.
 */
nwbz_code nz_hdf5_map_widen(nz_hdf5_map *map, hid_t in, const void *elements, uint64_t n, const nz_hdf5_text_rules *rules, nwbz_error *err);

/* Decode `n` elements of NUMBERS (checked bools; nothing else to do) or RECORDS to elements of dtype.  `raw` and `out` do not overlap. */
nwbz_code nz_hdf5_map_decode(const nz_hdf5_map *map, hid_t in, const void *raw, uint64_t n, const nz_hdf5_text_rules *rules, void *out, nwbz_error *err);

/* ---- datasets, of a tree ---- */

/*
 * Describe the open dataset `id`, which is borrowed for the call: later ones open the object again, by its address in its file, so that 100,000
 * descriptions keep nothing open.  `file`, by which it was reached, stays open as long as the dataset (of external links: the file they lead to).
 * `path` is its primary path, for errors (copied).  Nothing that needs references is done yet: see nz_hdf5_dataset_settle().
 * Unlike nz_hdf5_dataset_open(): every type, null dataspaces, virtual and external layouts, and filters that are missing, which nz_hdf5_dataset_check_filters() tells of.
 * External raw files are looked for beside the HDF5 file (section 9).
 */
nwbz_code nz_hdf5_dataset_of(nz_hdf5_file *file, hid_t id, const char *path, const nz_hdf5_text_rules *rules, nz_hdf5_dataset **dataset, nwbz_error *err);

/* The map of its type. */
const nz_hdf5_map *nz_hdf5_dataset_map(const nz_hdf5_dataset *dataset);
bool nz_hdf5_dataset_is_null(const nz_hdf5_dataset *dataset);

/* Decide what the values decide: lengths of rows (*lengths, nz_free(), in C order, n of them; NULL for others), widths of fields.  Reads the dataset where it must.
 * From then on its info is as it will be stored. */
nwbz_code nz_hdf5_dataset_settle(nz_hdf5_dataset *dataset, uint64_t **lengths, uint64_t *n, nwbz_error *err);

/*
 * Read all of a settled dataset as a value.  `id`: the dataset, where it is open; H5I_INVALID_HID opens it.  References become the paths that `rules` finds, the root
 * as section 6 has it.  Not for records.  Returns what nz_hdf5_reader_read() does; NWBZ_ELIMIT: more bytes than memory can hold.
 */
nwbz_code nz_hdf5_dataset_value(const nz_hdf5_dataset *dataset, hid_t id, nz_value *value, nwbz_error *err);

/* nz_hdf5_dataset_close() for who holds the lock. */
void nz_hdf5_dataset_close_locked(nz_hdf5_dataset *dataset);

#endif
