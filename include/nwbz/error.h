/* Errors.
 *
 *   cause --code, message--> layer that knows the place --where--> caller's nwbz_error
 *
 * Every function that can fail returns a nwbz_code and takes a caller-owned nwbz_error as its last argument; NULL is allowed.
 * There is no thread-local last error, and the library never prints.
 */
#ifndef NWBZ_ERROR_H
#define NWBZ_ERROR_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define NWBZ_API __attribute__((visibility("default")))
#define NWBZ_MUST_CHECK __attribute__((warn_unused_result))
#else
#define NWBZ_API
#define NWBZ_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What kind of thing went wrong: what a program can decide on.  The text for people is in nwbz_error. */
typedef enum nwbz_code {
    NWBZ_OK = 0,
    NWBZ_EINVAL = 1,       /* an argument cannot be right, whatever the files hold */
    NWBZ_ESOURCE = 2,      /* the input is missing, unreadable, damaged, changed, or not what the options say */
    NWBZ_EFORMAT = 3,      /* a stored Zarr document or chunk is damaged or not Zarr */
    NWBZ_ENOTFOUND = 4,    /* no such store, key, group or array */
    NWBZ_EUNSUPPORTED = 5, /* sound, but with a dtype, codec or option that this version does not have */
    NWBZ_EEXIST = 6,       /* the destination exists, or an unfinished tree stands beside it */
    NWBZ_ELOCKED = 7,      /* another run holds the destination's lock */
    NWBZ_ENOSPACE = 8,     /* no room on the disk or over the quota: kept, can be resumed */
    NWBZ_ELIMIT = 9,       /* one object needs more than the memory limit, or than its codec can take */
    NWBZ_EIO = 10,         /* the destination could not be written or read back; os_errno says why */
    NWBZ_ENOMEM = 11,      /* an allocation failed */
    NWBZ_ECANCELED = 12,   /* a callback asked to stop: kept, can be resumed */
    NWBZ_ECALLBACK = 13    /* a source's callback failed with an error of its own */
} nwbz_code;

/* What went wrong, where.  Owned by the caller; start it with NWBZ_ERROR_INIT.  Written once, by the first failure. */
typedef struct nwbz_error {
    nwbz_code code;
    int os_errno;      /* errno of the failed call; 0: none */
    char where[256];   /* file, dataset and chunk: "rec.nwb.zarr:/acquisition/raw/data chunk 0/3" */
    char message[512]; /* what, with both numbers, and what to do */
} nwbz_error;

#define NWBZ_ERROR_INIT { NWBZ_OK, 0, { 0 }, { 0 } }

/* Return the name of `code`, "NWBZ_EIO"; of a number that is none, "NWBZ_E?".  Static text. */
NWBZ_API const char *nwbz_code_name(nwbz_code code);

#ifdef __cplusplus
}
#endif
#endif
