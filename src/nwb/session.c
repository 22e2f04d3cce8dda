/* Deciding everything before the first byte is written: what is wrong is found here, with nothing on the disk yet. */
#include "nwb/session.h"

#include "base/memory.h"
#include "base/time.h"
#include "nwb/layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_A_SECOND INT64_C(1000000000)
enum { MAX_SERIES_DIMS = 4 }; /* NWB's TimeSeries has up to four axes, its ElectricalSeries up to three */

/* ---- Options ---------------------------------------------------------------------------- */

static nwbz_code check_times(const nwbz_write_options *options, nwbz_error *err)
{
    bool has_rate = options->rate_hz != 0.0;
    if (has_rate && options->timestamps != NULL)
        return nz_fail(err, NWBZ_EINVAL, "a rate (%g Hz) and timestamps are given; a series has one of them",
                       options->rate_hz);
    if (!has_rate && options->timestamps == NULL)
        return nz_fail(err, NWBZ_EINVAL,
                       "neither a rate nor timestamps are given; a series needs one of them (--rate or --timestamps)");
    if (has_rate && !(isfinite(options->rate_hz) && options->rate_hz > 0.0))
        return nz_fail(err, NWBZ_EINVAL, "a rate of %g Hz: wanted a number over 0", options->rate_hz);
    if (!isfinite(options->starting_time_seconds))
        return nz_fail(err, NWBZ_EINVAL, "a starting time of %g s: wanted a finite number",
                       options->starting_time_seconds);
    if (options->timestamps != NULL && options->starting_time_seconds != 0.0)
        return nz_fail(err, NWBZ_EINVAL,
                       "a starting time (%g s) and timestamps are given; the first timestamp is the starting time",
                       options->starting_time_seconds);
    return NWBZ_OK;
}

static nwbz_code check_data(const nz_session *session, nwbz_error *err)
{
    const nz_source_info *info = &session->source->info;
    bool electrical = session->options->electrical;
    unsigned most = electrical ? 2 : MAX_SERIES_DIMS;
    if (info->n_dims < 1 || info->n_dims > most)
        return nz_fail(err, NWBZ_EINVAL, "the data have %u axes; %s has 1 to %u", info->n_dims,
                       electrical ? "an electrical series" : "a series", most);
    if (electrical && (info->type == NWBZ_BOOL || info->type == NWBZ_COMPLEX64 || info->type == NWBZ_COMPLEX128))
        return nz_fail(err, NWBZ_EINVAL, "an electrical series holds integers or floats, not %s",
                       nwbz_type_name(info->type));
    if (electrical && info->n_dims == 2 && info->shape[1] == 0)
        return nz_fail(err, NWBZ_EINVAL, "an electrical series without channels");
    if (electrical && session->metadata.values[NZ_META_SERIES_CONVERSION] == NULL)
        return nz_fail(err, NWBZ_EINVAL,
                       "an electrical series needs its conversion, volts per count (--conversion, or "
                       "ElectricalSeries.conversion)");
    return NWBZ_OK;
}

static nwbz_code check_timestamps(const nz_session *session, nwbz_error *err)
{
    const nz_source_info *data = &session->source->info, *times;
    if (session->timestamps == NULL)
        return NWBZ_OK;
    times = &session->timestamps->info;
    if (times->type != NWBZ_FLOAT64 || times->n_dims != 1)
        return nz_where(err,
                        nz_fail(err, NWBZ_ESOURCE, "timestamps are %s with %u axes; wanted float64 with one",
                                nwbz_type_name(times->type), times->n_dims),
                        "%s", times->name);
    bool known = data->shape[0] != NWBZ_UNKNOWN_LENGTH && times->shape[0] != NWBZ_UNKNOWN_LENGTH;
    if (known && times->shape[0] != data->shape[0])
        return nz_where(err,
                        nz_fail(err, NWBZ_ESOURCE, "%" PRIu64 " timestamps for %" PRIu64 " frames", times->shape[0],
                                data->shape[0]),
                        "%s", times->name);
    return NWBZ_OK;
}

/* ---- Lists with one element per channel ---------------------------------------------------- */

static nwbz_code check_length(const nz_session *session, nz_meta field, nwbz_error *err)
{
    const nz_json *list = session->metadata.values[field];
    size_t n = list != NULL ? nz_json_length(list) : 0;
    if (list == NULL || n == session->n_channels || (field == NZ_META_SERIES_LOCATION && n == 1))
        return NWBZ_OK;
    return nz_metadata_fail(&session->metadata, field, err, "%zu given for %" PRIu64 " channels", n,
                            session->n_channels);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Channels are told apart by their names, so no two may be alike. */
static nwbz_code check_names_differ(const nz_session *session, nwbz_error *err)
{
    const nz_json *list = session->metadata.values[NZ_META_SERIES_CHANNEL_NAMES];
    nwbz_code code = NWBZ_OK;
    size_t n = list != NULL ? nz_json_length(list) : 0;
    const char **names = nz_calloc(n + 1, sizeof *names);
    if (names == NULL)
        return nz_fail_memory(err, n * sizeof *names, "names of channels");
    for (size_t i = 0; i < n; i++)
        names[i] = nz_json_text(nz_json_at(list, i), NULL);
    if (n > 1)
        qsort(names, n, sizeof *names, compare_texts);
    for (size_t i = 1; code == NWBZ_OK && i < n; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            code = nz_metadata_fail(&session->metadata, NZ_META_SERIES_CHANNEL_NAMES, err,
                                    "two channels are named \"%.100s\"", names[i]);
    nz_free(names);
    return code;
}

static nwbz_code check_channels(nz_session *session, nwbz_error *err)
{
    const nz_source_info *info = &session->source->info;
    if (!session->options->electrical)
        return NWBZ_OK;
    session->n_channels = info->n_dims == 2 ? info->shape[1] : 1;
    if (info->n_dims == 1 && session->metadata.values[NZ_META_SERIES_CHANNEL_CONVERSION] != NULL)
        return nz_metadata_fail(&session->metadata, NZ_META_SERIES_CHANNEL_CONVERSION, err,
                                "the data have no axis of channels; use conversion alone");
    NZ_TRY(check_length(session, NZ_META_SERIES_CHANNEL_CONVERSION, err));
    NZ_TRY(check_length(session, NZ_META_SERIES_CHANNEL_NAMES, err));
    NZ_TRY(check_length(session, NZ_META_SERIES_LOCATION, err));
    return check_names_differ(session, err);
}

/* ---- Identities, ids, dates ------------------------------------------------------------------- */

static nwbz_code identity_of(nwbz_source *source, nz_json **identity, nwbz_error *err)
{
    *identity = NULL;
    return source != NULL && source->class->identity != NULL ? source->class->identity(source, identity, err) : NWBZ_OK;
}

/* The start time: given; else when the source was last changed, or now where it cannot say. */
static void decide_dates(nz_session *session)
{
    int64_t now = nz_clock_wall_ns(), start = now;
    const nz_json *changed = nz_json_get(session->source_identity, "mtime_ns");
    const char *given = nz_metadata_text(&session->metadata, NZ_META_SESSION_START_TIME, NULL);
    session->start_time_guessed = given == NULL;
    if (changed != NULL)
        (void)nz_json_int(changed, &start);
    start -= ((start % NS_A_SECOND) + NS_A_SECOND) % NS_A_SECOND;
    if (given == NULL)
        nz_time_format(start, session->session_start_time, NZ_TIME_ROOM);
    else
        strncat(session->session_start_time, given, NZ_TIME_ROOM - 1);
    if (session->options->reproducible)
        memcpy(session->file_create_date, session->session_start_time, NZ_TIME_ROOM);
    else
        nz_time_format(now, session->file_create_date, NZ_TIME_ROOM);
}

/* Copy what the samples' bytes say, and leave out where the file lies and when it was changed. */
static nwbz_code add_identity_part(const char *key, const nz_json *value, void *user, nwbz_error *err)
{
    if (strcmp(key, "path") == 0 || strcmp(key, "mtime_ns") == 0)
        return NWBZ_OK;
    return nz_json_put(user, key, nz_json_share(value), err);
}

static nwbz_code put_samples(nz_json *seed, const char *key, const nz_json *identity, nwbz_error *err)
{
    nz_json *part = nz_json_new_object();
    nwbz_code code = part != NULL ? NWBZ_OK : nz_fail_memory(err, 64, "object ids");
    if (code == NWBZ_OK && identity != NULL)
        code = nz_json_each(identity, add_identity_part, part, err);
    if (code == NWBZ_OK)
        return nz_json_put(seed, key, part, err);
    nz_json_free(part);
    return code;
}

/* What reproducible ids depend on, as text. */
static nwbz_code seed_text(const nz_session *session, char **text, nwbz_error *err)
{
    nz_json *seed = nz_json_new_object(), *part = NULL;
    nwbz_code code =
        seed != NULL ? nz_metadata_json(&session->metadata, &part, err) : nz_fail_memory(err, 64, "object ids");
    if (code == NWBZ_OK)
        code = nz_json_put(seed, "metadata", part, err);
    if (code == NWBZ_OK)
        code = nz_session_options(session, &part, err);
    if (code == NWBZ_OK)
        code = nz_json_put(seed, "options", part, err);
    if (code == NWBZ_OK)
        code = put_samples(seed, "source", session->source_identity, err);
    if (code == NWBZ_OK)
        code = put_samples(seed, "timestamps", session->timestamps_identity, err);
    if (code == NWBZ_OK)
        code = nz_json_text_of(seed, text, err);
    nz_json_free(seed);
    return code;
}

static nwbz_code decide_ids(nz_session *session, nwbz_error *err)
{
    char *seed = NULL, id[NZ_UUID_ROOM];
    if (session->options->reproducible)
        NZ_TRY(seed_text(session, &seed, err));
    nwbz_code code = nz_ids_begin(&session->ids, seed, err);
    nz_free(seed);
    NZ_TRY(code);
    const char *given = nz_metadata_text(&session->metadata, NZ_META_IDENTIFIER, NULL);
    if (given == NULL)
        NZ_TRY(nz_ids_get(&session->ids, "identifier", id, err));
    session->identifier = nz_strdup(given != NULL ? given : id);
    return session->identifier != NULL ? NWBZ_OK : nz_fail_memory(err, NZ_UUID_ROOM, "the identifier");
}

/* ---- The whole ------------------------------------------------------------------------------------ */

nwbz_code nz_session_begin(nz_session *session, nwbz_source *source, const nwbz_write_options *options, nwbz_error *err)
{
    memset(session, 0, sizeof *session);
    session->options = options;
    session->source = source;
    session->timestamps = options->timestamps;
    NZ_TRY(check_times(options, err));
    NZ_TRY(nz_metadata_read(options, &session->metadata, err));
    NZ_TRY(check_data(session, err));
    NZ_TRY(check_channels(session, err));
    NZ_TRY(check_timestamps(session, err));
    if (options->reproducible && session->metadata.values[NZ_META_SESSION_START_TIME] == NULL)
        return nz_fail(
            err, NWBZ_EINVAL,
            "a reproducible file needs its session start time (--session-start-time, or NWBFile.session_start_time)");
    NZ_TRY(nz_layout_of_data(options, &source->info, &session->data_layout, err));
    if (session->timestamps != NULL)
        nz_layout_of_timestamps(options, &session->timestamps->info, &session->timestamps_layout);
    NZ_TRY(identity_of(source, &session->source_identity, err));
    NZ_TRY(identity_of(session->timestamps, &session->timestamps_identity, err));
    decide_dates(session);
    return decide_ids(session, err);
}

void nz_session_done(nz_session *session)
{
    nz_metadata_done(&session->metadata);
    nz_json_free(session->source_identity);
    nz_json_free(session->timestamps_identity);
    nz_ids_done(&session->ids);
    nz_free(session->identifier);
    memset(session, 0, sizeof *session);
}

bool nz_session_is_resumable(const nz_session *session)
{
    return session->source_identity != NULL && (session->timestamps == NULL || session->timestamps_identity != NULL);
}
