/* The plan beside an unfinished tree: written when a run begins, compared when another goes on with it.
 *
 *   {"version", "existing", "options": {...}, "metadata": {...}, "source": {...}, "timestamps": {...},
 *    "identifier", "session_start_time", "file_create_date", "ids": {path: id}}
 *
 * Chunks of two runs lie in one file, so everything that changes bytes must be the same in both; ids and dates,
 * which a second run would choose anew, are taken from the first.
 */
#include "base/memory.h"
#include "engine/resume.h"
#include "nwb/session.h"

#include <nwbz/nwbz.h>
#include <string.h>

/* ---- Making ------------------------------------------------------------------------------ */

static nwbz_code put_shape(nz_json *json, const char *key, const uint64_t *shape, unsigned n, nwbz_error *err)
{
    return nz_json_put(json, key, nz_json_new_shape(shape, n), err);
}

static nwbz_code put_options(const nz_session *session, nz_json *json, nwbz_error *err)
{
    const nwbz_write_options *options = session->options;
    const nz_source_info *info = &session->source->info;
    const nz_layout *layout = &session->data_layout;
    NZ_TRY(nz_json_put(json, "dtype", nz_json_new_text(nwbz_type_name(info->type)), err));
    NZ_TRY(put_shape(json, "shape", info->shape, info->n_dims, err));
    NZ_TRY(put_shape(json, "chunks", layout->chunk_shape, info->n_dims, err));
    NZ_TRY(put_shape(json, "shards", layout->shard_shape, layout->shard_shape[0] != 0 ? info->n_dims : 0, err));
    NZ_TRY(nz_json_put(json, "codec", nz_json_new_text(layout->codec), err));
    NZ_TRY(nz_json_put(json, "electrical", nz_json_new_bool(options->electrical), err));
    NZ_TRY(nz_json_put(json, "rate", nz_json_new_double(options->rate_hz), err));
    NZ_TRY(nz_json_put(json, "starting-time", nz_json_new_double(options->starting_time_seconds), err));
    NZ_TRY(nz_json_put(json, "timestamps", nz_json_new_bool(session->timestamps != NULL), err));
    return nz_json_put(json, "reproducible", nz_json_new_bool(options->reproducible), err);
}

nwbz_code nz_session_options(const nz_session *session, nz_json **json, nwbz_error *err)
{
    nz_json *made = nz_json_new_object();
    nwbz_code code = made != NULL ? put_options(session, made, err) : nz_fail_memory(err, 64, "the plan");
    if (code != NWBZ_OK)
        nz_json_free(made);
    else
        *json = made;
    return code;
}

static nwbz_code put_shared(nz_json *json, const char *key, const nz_json *value, nwbz_error *err)
{
    return nz_json_put(json, key, value != NULL ? nz_json_share(value) : nz_json_new_null(), err);
}

static nwbz_code put_plan(const nz_session *session, nz_json *plan, nwbz_error *err)
{
    static const char *const existing[] = { "error", "skip", "overwrite", "resume" };
    nz_json *part = NULL;
    NZ_TRY(nz_json_put(plan, "version", nz_json_new_text(NWBZ_VERSION), err));
    NZ_TRY(nz_json_put(plan, "existing", nz_json_new_text(existing[session->options->existing]), err));
    NZ_TRY(nz_session_options(session, &part, err));
    NZ_TRY(nz_json_put(plan, "options", part, err));
    NZ_TRY(nz_metadata_json(&session->metadata, &part, err));
    NZ_TRY(nz_json_put(plan, "metadata", part, err));
    NZ_TRY(put_shared(plan, "source", session->source_identity, err));
    NZ_TRY(put_shared(plan, "timestamps", session->timestamps_identity, err));
    NZ_TRY(nz_json_put(plan, "identifier", nz_json_new_text(session->identifier), err));
    NZ_TRY(nz_json_put(plan, "session_start_time", nz_json_new_text(session->session_start_time), err));
    NZ_TRY(nz_json_put(plan, "file_create_date", nz_json_new_text(session->file_create_date), err));
    return put_shared(plan, "ids", session->ids.known, err);
}

nwbz_code nz_session_plan(const nz_session *session, nz_json **plan, nwbz_error *err)
{
    nz_json *made = nz_json_new_object();
    nwbz_code code = made != NULL ? put_plan(session, made, err) : nz_fail_memory(err, 64, "the plan");
    if (code != NWBZ_OK)
        nz_json_free(made);
    else
        *plan = made;
    return code;
}

/* ---- Comparing ------------------------------------------------------------------------------ */

static nwbz_code compare_made(const nz_json *plan, const char *key, nz_json *now, const char *what, nwbz_error *err)
{
    nwbz_code code = nz_resume_check_options(plan, key, now, what, err);
    nz_json_free(now);
    return code;
}

static nwbz_code compare_source(const nz_json *plan, const char *key, const nz_json *now, const nwbz_source *source,
                                nwbz_error *err)
{
    if (now == NULL)
        return NWBZ_OK;
    return nz_where(err, nz_resume_check_source(nz_json_get(plan, key), now, err), "%s", source->info.name);
}

static nwbz_code compare_all(const nz_session *session, const nz_json *plan, nwbz_error *err)
{
    nz_json *now = NULL;
    NZ_TRY(nz_resume_check_version(plan, err));
    if (!nz_session_is_resumable(session))
        return nz_fail(
            err, NWBZ_EINVAL,
            "%s cannot be read a second time, so the unfinished run cannot be resumed: begin anew with overwrite",
            session->source_identity == NULL ? session->source->info.name : session->timestamps->info.name);
    NZ_TRY(nz_session_options(session, &now, err));
    NZ_TRY(compare_made(plan, "options", now, "option", err));
    NZ_TRY(nz_metadata_json(&session->metadata, &now, err));
    NZ_TRY(compare_made(plan, "metadata", now, "metadata", err));
    NZ_TRY(compare_source(plan, "source", session->source_identity, session->source, err));
    return compare_source(plan, "timestamps", session->timestamps_identity, session->timestamps, err);
}

/* ---- Taking over ------------------------------------------------------------------------------ */

static nwbz_code take_time(const nz_json *plan, const char *key, char *text, nwbz_error *err)
{
    const char *value = nz_json_get_text(plan, key);
    if (value == NULL || strlen(value) >= NZ_TIME_ROOM)
        return nz_fail(err, NWBZ_EFORMAT, "the plan of the unfinished run has no %s", key);
    memcpy(text, value, strlen(value) + 1);
    return NWBZ_OK;
}

/* Copy: what is taken over may still get new members. */
static nwbz_code take_id(const char *path, const nz_json *id, void *user, nwbz_error *err)
{
    return nz_json_put(user, path, nz_json_share(id), err);
}

nwbz_code nz_session_adopt(nz_session *session, const nz_json *plan, nwbz_error *err)
{
    NZ_TRY(compare_all(session, plan, err));
    NZ_TRY(take_time(plan, "session_start_time", session->session_start_time, err));
    NZ_TRY(take_time(plan, "file_create_date", session->file_create_date, err));
    const char *identifier = nz_json_get_text(plan, "identifier");
    const nz_json *ids = nz_json_get(plan, "ids");
    if (identifier == NULL || ids == NULL || nz_json_kind_of(ids) != NZ_JSON_OBJECT)
        return nz_fail(err, NWBZ_EFORMAT, "the plan of the unfinished run has no identifier or no ids");
    char *copy = nz_strdup(identifier);
    if (copy == NULL)
        return nz_fail_memory(err, strlen(identifier), "the identifier");
    nz_free(session->identifier);
    session->identifier = copy;
    return nz_json_each(ids, take_id, session->ids.known, err);
}
