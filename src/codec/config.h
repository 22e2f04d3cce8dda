/* Reading a codec's "configuration" object: every member known, of its kind, in its range.
 *
 * `configuration` may be NULL (absent): then every member takes its fallback.  Failures are NWBZ_EFORMAT and name codec
 * and member.
 */
#ifndef NZ_CODEC_CONFIG_H
#define NZ_CODEC_CONFIG_H

#include "base/json.h"

/* Refuse members other than `names` (NULL-terminated), and a configuration that is no object. */
nwbz_code nz_config_check(const nz_json *configuration, const char *codec, const char *const *names, nwbz_error *err);

/* Read an integer from `low` to `high`. */
nwbz_code nz_config_int(const nz_json *configuration, const char *codec, const char *name, int64_t fallback,
                        int64_t low, int64_t high, int64_t *value, nwbz_error *err);

/* Read true or false. */
nwbz_code nz_config_bool(const nz_json *configuration, const char *codec, const char *name, bool fallback, bool *value,
                         nwbz_error *err);

/* Read one of the words `choices` (NULL-terminated) as its place among them. */
nwbz_code nz_config_choice(const nz_json *configuration, const char *codec, const char *name,
                           const char *const *choices, unsigned fallback, unsigned *choice, nwbz_error *err);

#endif
