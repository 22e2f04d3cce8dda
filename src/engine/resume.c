/* Two JSON objects are compared member by member, there and back, by their text: so the first difference has a name and two values to show. */
#include "engine/resume.h"

#include "base/memory.h"

#include <nwbz/nwbz.h>
#include <string.h>

/* How a difference is told: the code, and a format with key, value then and value now. */
typedef struct nz_comparison {
    const nz_json *other;
    nwbz_code code;
    const char *what;       /* "option", "metadata", "source" */
    const char *then, *now; /* what the two sides are called */
    bool swapped;           /* visiting today's members, to find those that the plan lacks */
} nz_comparison;

static nwbz_code differ(const nz_comparison *c, const char *key, const char *then, const char *now, nwbz_error *err)
{
    return nz_fail(err, c->code, "%s %s: %.150s %s, %.150s %s", c->what, key, then, c->then, now, c->now);
}

static nwbz_code compare_member(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    const nz_comparison *c = user;
    char *mine = NULL, *others = NULL;
    const nz_json *other = nz_json_get(c->other, key);
    if (c->swapped && other != NULL)
        return NWBZ_OK; /* compared on the way there */
    nwbz_code code = nz_json_text_of(value, &mine, err);
    if (code == NWBZ_OK && other != NULL)
        code = nz_json_text_of(other, &others, err);
    if (code == NWBZ_OK && c->swapped)
        code = differ(c, key, "not given", mine, err);
    else if (code == NWBZ_OK && (others == NULL || strcmp(mine, others) != 0))
        code = differ(c, key, mine, others != NULL ? others : "not given", err);
    nz_free(mine);
    nz_free(others);
    return code;
}

/* Compare two objects member by member. */
static nwbz_code compare_objects(const nz_json *then, const nz_json *now, nz_comparison comparison, nwbz_error *err)
{
    comparison.other = now;
    NZ_TRY(nz_json_each(then, compare_member, &comparison, err));
    comparison.other = then;
    comparison.swapped = true;
    return nz_json_each(now, compare_member, &comparison, err);
}

nwbz_code nz_resume_check_version(const nz_json *plan, nwbz_error *err)
{
    const char *version = nz_json_get_text(plan, "version");
    if (version != NULL && strcmp(version, NWBZ_VERSION) == 0)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_EINVAL, "the unfinished run is of nwbz version %.40s, and this is %s: begin anew with overwrite",
                   version != NULL ? version : "unknown", NWBZ_VERSION);
}

nwbz_code nz_resume_check_options(const nz_json *plan, const char *key, const nz_json *now, const char *what, nwbz_error *err)
{
    static const char now_text[] = "now; give it as then, or begin anew with overwrite";
    const nz_json *then = nz_json_get(plan, key);
    nz_comparison comparison = { NULL, NWBZ_EINVAL, what, "in the unfinished run", now_text, false };
    if (nz_json_kind_of(then) != NZ_JSON_OBJECT)
        return nz_fail(err, NWBZ_EFORMAT, "the plan of the unfinished run has no %s", key);
    return compare_objects(then, now, comparison, err);
}

nwbz_code nz_resume_check_source(const nz_json *then, const nz_json *now, nwbz_error *err)
{
    static const char what[] = "the source has changed since the unfinished run:";
    nz_comparison comparison = { NULL, NWBZ_ESOURCE, what, "then", "now; begin anew with overwrite", false };
    if (nz_json_kind_of(then) != NZ_JSON_OBJECT)
        return nz_fail(err, NWBZ_EFORMAT, "the plan of the unfinished run has no source");
    return compare_objects(then, now, comparison, err);
}
