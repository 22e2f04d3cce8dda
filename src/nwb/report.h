/* Filling in a nwbz_report.  Every function does nothing where the report is NULL. */
#ifndef NZ_NWB_REPORT_H
#define NZ_NWB_REPORT_H

#include "engine/run.h"
#include "zarr/array.h"

#include <nwbz/types.h>

/* Say what the run is about. */
nwbz_code nz_report_begin(nwbz_report *report, const char *source, const char *destination, nwbz_error *err);

/* Add a warning (printf form) about the object at `path`. */
nwbz_code nz_report_warn(nwbz_report *report, nwbz_error *err, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Add what became of one dataset, and what it adds to the sums; `transfer` as it is after the run, or in a dry run
 * before it.  Warns of more than 100,000 objects. */
nwbz_code nz_report_add_dataset(nwbz_report *report, const nwbz_array *array, const nz_transfer *transfer,
                                nwbz_error *err);

#endif
