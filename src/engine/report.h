/* What a transfer adds to a report. */
#ifndef NZ_ENGINE_REPORT_H
#define NZ_ENGINE_REPORT_H

#include "engine/run.h"
#include "model/report.h"
#include "zarr/array.h"

/* Add what became of one dataset, and what it adds to the sums; `transfer` as it is after the run, or in a dry run
 * before it.  Warns of more than 100,000 objects. */
nwbz_code nz_report_add_dataset(nwbz_report *report, const nwbz_array *array, const nz_transfer *transfer,
                                nwbz_error *err);

#endif
