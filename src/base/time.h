/* Clocks, and the ISO 8601 texts that NWB stores. */
#ifndef NZ_BASE_TIME_H
#define NZ_BASE_TIME_H

#include "base/error.h"

/* Return nanoseconds of a clock that never goes back. */
uint64_t nz_clock_ns(void);

/* Return nanoseconds since 1970, UTC. */
int64_t nz_clock_wall_ns(void);

/* Format a time as NWB stores it, in UTC: "2024-01-31T12:00:00+00:00" (with ".000000" for a fraction if micro != 0).  room >= 40. */
void nz_time_format(int64_t wall_ns, char *text, size_t room);

/*
 * Check an ISO 8601 date and time ("2024-01-31T12:00:00.5+01:00", "...Z", a blank for the T, a date alone) and return its canonical form, as
 * Python's datetime.isoformat() writes it.  *has_zone says whether it names one.
 * Returns NWBZ_EINVAL when it is no such text or no such date.  room >= 40.
 */
nwbz_code nz_time_parse(const char *text, char *canonical, size_t room, bool *has_zone, nwbz_error *err);

#endif
