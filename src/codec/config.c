/* One check per kind of member.  Strict, because a member that we do not know may change what the bytes mean. */
#include "codec/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct known {
    const char *codec;
    const char *const *names;
} known;

static nwbz_code check_member(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    const known *k = user;
    (void)value;
    for (const char *const *name = k->names; *name; name++)
        if (strcmp(*name, key) == 0)
            return NWBZ_OK;
    return nz_fail(err, NWBZ_EFORMAT, "codec %s: unknown configuration member \"%s\"", k->codec, key);
}

nwbz_code nz_config_check(const nz_json *configuration, const char *codec, const char *const *names, nwbz_error *err)
{
    known k = { codec, names };
    if (!configuration)
        return NWBZ_OK;
    if (nz_json_kind_of(configuration) != NZ_JSON_OBJECT)
        return nz_fail(err, NWBZ_EFORMAT, "codec %s: \"configuration\" is not an object", codec);
    return nz_json_each(configuration, check_member, &k, err);
}

nwbz_code nz_config_int(const nz_json *configuration, const char *codec, const char *name, int64_t fallback,
                        int64_t low, int64_t high, int64_t *value, nwbz_error *err)
{
    const nz_json *member = nz_json_get(configuration, name);
    *value = fallback;
    if (!member)
        return NWBZ_OK;
    if (nz_json_kind_of(member) != NZ_JSON_INT)
        return nz_fail(err, NWBZ_EFORMAT, "codec %s: \"%s\" is not an integer", codec, name);
    if (!nz_json_int(member, value))
        return nz_fail(err, NWBZ_EFORMAT, "codec %s: \"%s\" is over 2^63, not %" PRId64 " to %" PRId64, codec, name,
                       low, high);
    if (*value < low || *value > high)
        return nz_fail(err, NWBZ_EFORMAT, "codec %s: \"%s\" is %" PRId64 ", not %" PRId64 " to %" PRId64, codec, name,
                       *value, low, high);
    return NWBZ_OK;
}

nwbz_code nz_config_bool(const nz_json *configuration, const char *codec, const char *name, bool fallback, bool *value,
                         nwbz_error *err)
{
    const nz_json *member = nz_json_get(configuration, name);
    *value = fallback;
    if (!member)
        return NWBZ_OK;
    if (nz_json_kind_of(member) != NZ_JSON_BOOL)
        return nz_fail(err, NWBZ_EFORMAT, "codec %s: \"%s\" is neither true nor false", codec, name);
    *value = nz_json_bool(member);
    return NWBZ_OK;
}

nwbz_code nz_config_choice(const nz_json *configuration, const char *codec, const char *name,
                           const char *const *choices, unsigned fallback, unsigned *choice, nwbz_error *err)
{
    *choice = fallback;
    if (!nz_json_get(configuration, name))
        return NWBZ_OK;
    const char *text = nz_json_get_text(configuration, name);
    char words[128] = "";
    for (unsigned i = 0; choices[i]; i++) {
        if (text && strcmp(choices[i], text) == 0) {
            *choice = i;
            return NWBZ_OK;
        }
        size_t n = strlen(words);
        snprintf(words + n, sizeof words - n, "%s%s", i ? ", " : "", choices[i]);
    }
    return nz_fail(err, NWBZ_EFORMAT, "codec %s: \"%s\" is %s%s%s, not one of %s", codec, name, text ? "\"" : "",
                   text ? text : "no text", text ? "\"" : "", words);
}
