/* nwbz: neurophysiology data in NWB, written to Zarr in parallel with one number, number_of_jobs.  This header includes the rest. */
#ifndef NWBZ_NWBZ_H
#define NWBZ_NWBZ_H

#include <nwbz/array.h>
#include <nwbz/error.h>
#include <nwbz/nwb.h>
#include <nwbz/source.h>
#include <nwbz/store.h>
#include <nwbz/types.h>

#define NWBZ_VERSION_MAJOR 0
#define NWBZ_VERSION_MINOR 1
#define NWBZ_VERSION_PATCH 0
#define NWBZ_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Return the version of the library that runs, "0.1.0".  Static text. */
NWBZ_API const char *nwbz_version(void);

#ifdef __cplusplus
}
#endif
#endif
