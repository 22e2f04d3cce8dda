/* The session's metadata: JSON text and flags --checked against one table--> a value per field.
 *
 * A value is normalised JSON: text fields are text, list fields always lists, times as isoformat() writes them,
 * weights text.  Which fields exist, of which type, and where they go in the file is one table (fields.c).
 */
#ifndef NZ_NWB_METADATA_H
#define NZ_NWB_METADATA_H

#include "base/json.h"

#include <nwbz/nwb.h>

typedef enum nz_field_kind {
    NZ_FIELD_TEXT,
    NZ_FIELD_TEXTS,  /* a list of text; text alone is a list of one */
    NZ_FIELD_NAME,   /* text that names an object of the file */
    NZ_FIELD_TIME,   /* date and time with a time zone */
    NZ_FIELD_TIMES,  /* a list of those */
    NZ_FIELD_BIRTH,  /* date, or date and time; UTC where no zone is given */
    NZ_FIELD_WEIGHT, /* text; a number is in kg */
    NZ_FIELD_NUMBER,
    NZ_FIELD_NUMBERS, /* a list of numbers */
    NZ_FIELD_PAIRS    /* a list of [name, version] */
} nz_field_kind;

/* All fields, in the order of the table.  "SERIES" stands for TimeSeries or ElectricalSeries. */
typedef enum nz_meta {
    NZ_META_SESSION_DESCRIPTION,
    NZ_META_IDENTIFIER,
    NZ_META_SESSION_START_TIME,
    NZ_META_TIMESTAMPS_REFERENCE_TIME,
    NZ_META_FILE_CREATE_DATE,
    NZ_META_DATA_COLLECTION,
    NZ_META_EXPERIMENT_DESCRIPTION,
    NZ_META_EXPERIMENTER,
    NZ_META_INSTITUTION,
    NZ_META_KEYWORDS,
    NZ_META_LAB,
    NZ_META_NOTES,
    NZ_META_PHARMACOLOGY,
    NZ_META_PROTOCOL,
    NZ_META_RELATED_PUBLICATIONS,
    NZ_META_SESSION_ID,
    NZ_META_SLICES,
    NZ_META_SOURCE_SCRIPT,
    NZ_META_SOURCE_SCRIPT_FILE_NAME,
    NZ_META_STIMULUS_NOTES,
    NZ_META_SURGERY,
    NZ_META_VIRUS,
    NZ_META_WAS_GENERATED_BY,
    NZ_META_SUBJECT_AGE,
    NZ_META_SUBJECT_AGE_REFERENCE,
    NZ_META_SUBJECT_DATE_OF_BIRTH,
    NZ_META_SUBJECT_DESCRIPTION,
    NZ_META_SUBJECT_GENOTYPE,
    NZ_META_SUBJECT_SEX,
    NZ_META_SUBJECT_SPECIES,
    NZ_META_SUBJECT_STRAIN,
    NZ_META_SUBJECT_ID,
    NZ_META_SUBJECT_WEIGHT,
    NZ_META_DEVICE_NAME,
    NZ_META_DEVICE_DESCRIPTION,
    NZ_META_DEVICE_MANUFACTURER,
    NZ_META_DEVICE_MODEL_NUMBER,
    NZ_META_DEVICE_MODEL_NAME,
    NZ_META_DEVICE_SERIAL_NUMBER,
    NZ_META_GROUP_NAME,
    NZ_META_GROUP_DESCRIPTION,
    NZ_META_GROUP_LOCATION,
    NZ_META_SERIES_NAME,
    NZ_META_SERIES_DESCRIPTION,
    NZ_META_SERIES_COMMENTS,
    NZ_META_SERIES_UNIT,
    NZ_META_SERIES_CONVERSION,
    NZ_META_SERIES_OFFSET,
    NZ_META_SERIES_RESOLUTION,
    NZ_META_SERIES_CONTINUITY,
    NZ_META_SERIES_FILTERING, /* this and the following: ElectricalSeries only */
    NZ_META_SERIES_CHANNEL_CONVERSION,
    NZ_META_SERIES_CHANNEL_NAMES,
    NZ_META_SERIES_LOCATION, /* of the electrodes: one for all, or one for each */
    NZ_META_COUNT
} nz_meta;

/* One row of the table. */
typedef struct nz_field_spec {
    const char *object; /* "NWBFile", "Subject", "Device", "ElectrodeGroup", "Series" */
    const char *name;
    const char *alias; /* another name for the same field, or NULL */
    nz_field_kind kind;
    const char *path;      /* of the dataset that holds it ("general/lab"); NULL: it is no dataset of its own */
    const char *attribute; /* of its object; NULL: none */
} nz_field_spec;

extern const nz_field_spec nz_field_table[NZ_META_COUNT];

typedef struct nz_metadata {
    nz_json *values[NZ_META_COUNT]; /* NULL: not given */
    bool from_flag[NZ_META_COUNT];
    const char *series_type; /* "TimeSeries" or "ElectricalSeries" */
    const char *name;        /* of the text, for errors */
    bool birth_without_zone;
    bool device_given; /* a Device object, even without fields */
    bool subject_given;
} nz_metadata;

/*
 * Read options->metadata_json, then options->fields, which win.
 *
 * Ownership: nz_metadata_done() also after a failure; `options` must outlive it.
 * Returns NWBZ_OK; NWBZ_ESOURCE (text: not JSON, unknown object or field, wrong type: where is the text's name);
 * NWBZ_EINVAL (the same in a flag); NWBZ_ENOMEM.
 */
nwbz_code nz_metadata_read(const nwbz_write_options *options, nz_metadata *metadata, nwbz_error *err);
void nz_metadata_done(nz_metadata *metadata);

/* Return the text of a field, or `otherwise` where it is not given. */
const char *nz_metadata_text(const nz_metadata *metadata, nz_meta field, const char *otherwise);
double nz_metadata_number(const nz_metadata *metadata, nz_meta field, double otherwise);

/* Fail for what a field says: NWBZ_EINVAL if it came from a flag, else NWBZ_ESOURCE with the text's name as where.
 * The message begins with the field. */
nwbz_code nz_metadata_fail(const nz_metadata *metadata, nz_meta field, nwbz_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Make one JSON object of all that was given, {"NWBFile.lab": ...}, in the order of the table: for the plan and for
 * reproducible ids. */
nwbz_code nz_metadata_json(const nz_metadata *metadata, nz_json **json, nwbz_error *err);

/* Return "NWBFile", "ElectricalSeries" ...: the object of a field as a person wrote it. */
const char *nz_metadata_object(const nz_metadata *metadata, nz_meta field);

#endif
