/* Comparing what an unfinished run noted (plan.json) with what a run would note now.
 *
 * Objects of two runs come to lie in one tree, so everything that changes bytes must be the same in both.
 */
#ifndef NZ_ENGINE_RESUME_H
#define NZ_ENGINE_RESUME_H

#include "base/json.h"

/* Compare the version that the plan names with this library's.  NWBZ_EINVAL: another. */
nwbz_code nz_resume_check_version(const nz_json *plan, nwbz_error *err);

/* Compare the options under `key` with today's, member by member.  `what` ("option", "metadata") begins the message.  NWBZ_EINVAL names the first
 * that differs, with both values; NWBZ_EFORMAT: the plan has none. */
nwbz_code nz_resume_check_options(const nz_json *plan, const char *key, const nz_json *now, const char *what, nwbz_error *err);

/* Compare the identity of a source: `then` is the plan's.  NWBZ_ESOURCE names what has changed, with both values; NWBZ_EFORMAT: the plan has none. */
nwbz_code nz_resume_check_source(const nz_json *then, const nz_json *now, nwbz_error *err);

#endif
