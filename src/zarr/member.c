/* Every refusal shows the member's name and the beginning of its value: who repairs a document by hand needs both. */
#include "zarr/member.h"

#include "base/memory.h"

#include <string.h>

/* Cut `text` to at most `room` bytes, not inside a UTF-8 sequence, with dots behind. */
static void cut_text(char *text, size_t room)
{
    if (strlen(text) <= room)
        return;
    size_t n = room - 3;
    while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
        n--;
    memcpy(text + n, "...", 4);
}

nwbz_code nz_member_fail(nwbz_error *err, nwbz_code code, const char *member, const nz_json *value, const char *what)
{
    if (!value)
        return nz_fail(err, code, "\"%s\" is missing: %s", member, what);
    char *text = NULL;
    if (nz_json_text_of(value, &text, NULL) != NWBZ_OK)
        return nz_fail(err, code, "\"%s\": %s", member, what);
    cut_text(text, 80);
    nz_fail(err, code, "\"%s\" is %s: %s", member, text, what);
    nz_free(text);
    return code;
}

nwbz_code nz_member_shape(const nz_json *value, const char *member, bool any_length, unsigned *n_dims, uint64_t *shape,
                          nwbz_error *err)
{
    if (!value || nz_json_kind_of(value) != NZ_JSON_ARRAY)
        return nz_member_fail(err, NWBZ_EFORMAT, member, value, "it must be a list of lengths");
    size_t n = nz_json_length(value);
    if (n > NWBZ_MAX_DIMS)
        return nz_fail(err, any_length ? NWBZ_EUNSUPPORTED : NWBZ_EFORMAT, "\"%s\" has %zu axes, of at most %d", member,
                       n, NWBZ_MAX_DIMS);
    if (!any_length && n != *n_dims)
        return nz_fail(err, NWBZ_EFORMAT, "\"%s\" has %zu axes where the array has %u", member, n, *n_dims);
    for (size_t i = 0; i < n; i++) {
        const nz_json *length = nz_json_at(value, i);
        if (nz_json_kind_of(length) != NZ_JSON_INT || !nz_json_uint(length, &shape[i]) || shape[i] > INT64_MAX)
            return nz_member_fail(err, NWBZ_EFORMAT, member, value, "each length must be an integer from 0 to 2^63-1");
    }
    *n_dims = (unsigned)n;
    return NWBZ_OK;
}

nwbz_code nz_member_named(const nz_json *value, const char *member, const char **name, const nz_json **configuration,
                          nwbz_error *err)
{
    *configuration = NULL;
    if (value && nz_json_kind_of(value) == NZ_JSON_TEXT) {
        *name = nz_json_text(value, NULL);
        return NWBZ_OK;
    }
    *name = value && nz_json_kind_of(value) == NZ_JSON_OBJECT ? nz_json_get_text(value, "name") : NULL;
    if (!*name)
        return nz_member_fail(err, NWBZ_EFORMAT, member, value, "it must be a name, or an object with a \"name\"");
    const nz_json *found = nz_json_get(value, "configuration");
    if (nz_member_is_none(found))
        return NWBZ_OK;
    if (nz_json_kind_of(found) != NZ_JSON_OBJECT)
        return nz_member_fail(err, NWBZ_EFORMAT, member, value, "its \"configuration\" must be an object");
    *configuration = nz_json_length(found) ? found : NULL;
    return NWBZ_OK;
}

typedef struct only_state {
    const char *member;
    const char *const *known;
} only_state;

static nwbz_code only_one(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    const only_state *state = user;
    (void)value;
    for (const char *const *known = state->known; *known; known++)
        if (strcmp(*known, key) == 0)
            return NWBZ_OK;
    return nz_fail(err, NWBZ_EUNSUPPORTED, "\"%s\" has a member '%.100s', which this version does not know",
                   state->member, key);
}

nwbz_code nz_member_only(const nz_json *object, const char *member, const char *const *known, nwbz_error *err)
{
    only_state state = { member, known };
    return object ? nz_json_each(object, only_one, &state, err) : NWBZ_OK;
}

nz_json *nz_object_of(const char *member, nz_json *value)
{
    nz_json *object = nz_json_new_object();
    if (!object) {
        nz_json_free(value);
        return NULL;
    }
    if (nz_json_put(object, member, value, NULL) == NWBZ_OK)
        return object;
    nz_json_free(object);
    return NULL;
}

nz_json *nz_named_new(const char *name, nz_json *configuration)
{
    nz_json *named = nz_object_of("name", nz_json_new_text(name));
    if (!named) {
        nz_json_free(configuration);
        return NULL;
    }
    if (nz_json_put(named, "configuration", configuration, NULL) == NWBZ_OK)
        return named;
    nz_json_free(named);
    return NULL;
}

bool nz_member_is_none(const nz_json *value)
{
    return !value || nz_json_kind_of(value) == NZ_JSON_NULL;
}
