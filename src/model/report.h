/* Filling in a nwbz_report.  Every function does nothing where the report is NULL. */
#ifndef NZ_MODEL_REPORT_H
#define NZ_MODEL_REPORT_H

#include "base/error.h"

#include <nwbz/types.h>

/* Say what the run is about. */
nwbz_code nz_report_begin(nwbz_report *report, const char *source, const char *destination, nwbz_error *err);

/* Add a warning (printf form) about the object at `path`. */
nwbz_code nz_report_warn(nwbz_report *report, nwbz_error *err, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Add a conversion: what is stored in another form than the source had it.  `attribute` NULL: the object itself.  `kind` is the word of the note
 * ("enum", "opaque", "link" ...), the rest (printf form) says it to a person. */
nwbz_code nz_report_convert(nwbz_report *report, nwbz_error *err, const char *path, const char *attribute, const char *kind,
                            const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Add an entry for a dataset, zeroed, which lives until the next call.  *dataset is NULL where the report is. */
nwbz_code nz_report_dataset(nwbz_report *report, const char *path, const char *codec, nwbz_dataset_report **dataset, nwbz_error *err);

#endif
