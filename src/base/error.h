/* Filling in a nwbz_error: the message once where the cause is known, the place once by the first layer that knows it. */
#ifndef NZ_BASE_ERROR_H
#define NZ_BASE_ERROR_H

#include <nwbz/error.h>
#include <stdbool.h>

/* Return from the function when `call` fails.  For functions that own nothing at that point; the others go to done:. */
#define NZ_TRY(call)                                                                                                                   \
    do {                                                                                                                               \
        nwbz_code nz_try_code_ = (call);                                                                                               \
        if (nz_try_code_ != NWBZ_OK)                                                                                                   \
            return nz_try_code_;                                                                                                       \
    } while (0)

/* Write code and message (printf form) into `err` (NULL: nowhere) and return `code`.  Clears where and os_errno. */
nwbz_code nz_fail(nwbz_error *err, nwbz_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * The same for a failed system call: appends ": <strerror>".  ENOSPC, EDQUOT and EFBIG become NWBZ_ENOSPACE, ENOMEM becomes NWBZ_ENOMEM, whatever
 * `code` says.
 */
nwbz_code nz_fail_os(nwbz_error *err, nwbz_code code, int os_errno, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* NWBZ_ENOMEM with the size that was asked for. */
nwbz_code nz_fail_memory(nwbz_error *err, size_t n_bytes, const char *what);

/* Set err->where (printf form) unless it is set.  Too long: cut from the left behind "...".  Returns `code`, for a chain of calls. */
nwbz_code nz_where(nwbz_error *err, nwbz_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Put `prefix` before err->where (for the file, which a lower layer does not know).  Cut from the left when too long. */
nwbz_code nz_where_prefix(nwbz_error *err, nwbz_code code, const char *prefix);

#endif
