/* The series: a TimeSeries or an ElectricalSeries with its samples, its times and, if electrical, where its channels
 * were.
 *
 * Volts are samples * conversion * channel_conversion + offset (NWB's rule), so the conversion stays one number for
 * all channels and only what differs between them is a dataset.
 */
#include "base/memory.h"
#include "nwb/session.h"

#include <string.h>

const char *nz_nwb_series_name(const nz_session *session)
{
    return nz_metadata_text(&session->metadata, NZ_META_SERIES_NAME, session->metadata.series_type);
}

static nwbz_code add_given_text(const nz_session *session, nz_node *node, const char *attribute, nz_meta field,
                                const char *otherwise, nwbz_error *err)
{
    const char *text = nz_metadata_text(&session->metadata, field, otherwise);
    return text != NULL ? nz_node_add_text(node, attribute, text, err) : NWBZ_OK;
}

static nwbz_code add_data(nz_session *session, nz_node *series, nwbz_error *err)
{
    const nz_source_info *info = &session->source->info;
    const nz_metadata *m = &session->metadata;
    nz_node *data = NULL;
    NZ_TRY(nz_node_add_samples(series, "data", info->type, info->n_dims, info->shape, &data, err));
    data->user = &session->data_layout;
    NZ_TRY(add_given_text(session, data, "unit", NZ_META_SERIES_UNIT,
                          session->options->electrical ? "volts" : "unknown", err));
    NZ_TRY(nz_node_add_double(data, "conversion", nz_metadata_number(m, NZ_META_SERIES_CONVERSION, 1.0), err));
    NZ_TRY(nz_node_add_double(data, "offset", nz_metadata_number(m, NZ_META_SERIES_OFFSET, 0.0), err));
    NZ_TRY(nz_node_add_double(data, "resolution", nz_metadata_number(m, NZ_META_SERIES_RESOLUTION, -1.0), err));
    return add_given_text(session, data, "continuity", NZ_META_SERIES_CONTINUITY, NULL, err);
}

static nwbz_code add_starting_time(const nz_session *session, nz_node *series, nwbz_error *err)
{
    nz_value value = NZ_VALUE_INIT;
    nz_node *node = NULL;
    NZ_TRY(nz_value_set_double(&value, session->options->starting_time_seconds, err));
    NZ_TRY(nz_node_add_dataset(series, "starting_time", &value, &node, err));
    NZ_TRY(nz_node_add_double(node, "rate", session->options->rate_hz, err));
    return nz_node_add_text(node, "unit", "seconds", err);
}

static nwbz_code add_timestamps(nz_session *session, nz_node *series, nwbz_error *err)
{
    nz_node *node = NULL;
    NZ_TRY(nz_node_add_samples(series, "timestamps", NWBZ_FLOAT64, 1, session->timestamps->info.shape, &node, err));
    node->user = &session->timestamps_layout;
    NZ_TRY(nz_node_add_int(node, "interval", 1, err));
    return nz_node_add_text(node, "unit", "seconds", err);
}

static nwbz_code add_channel_conversion(const nz_session *session, nz_node *series, nwbz_error *err)
{
    const nz_json *list = session->metadata.values[NZ_META_SERIES_CHANNEL_CONVERSION];
    nz_value value = NZ_VALUE_INIT;
    nz_node *node = NULL;
    uint64_t n = list != NULL ? nz_json_length(list) : 0;
    if (list == NULL)
        return NWBZ_OK;
    double *numbers = nz_calloc((size_t)n, sizeof *numbers);
    if (numbers == NULL)
        return nz_fail_memory(err, (size_t)n * sizeof *numbers, "conversions of channels");
    for (size_t i = 0; i < n; i++)
        numbers[i] = nz_json_double(nz_json_at(list, i));
    nwbz_code code = nz_value_set(&value, NWBZ_FLOAT64, 1, &n, numbers, err);
    nz_free(numbers);
    NZ_TRY(code);
    NZ_TRY(nz_node_add_dataset(series, "channel_conversion", &value, &node, err));
    return nz_node_add_int(node, "axis", 1, err);
}

nwbz_code nz_nwb_add_series(nz_session *session, nz_node *acquisition, nwbz_error *err)
{
    nz_node *series = NULL;
    NZ_TRY(nz_node_add_group(acquisition, nz_nwb_series_name(session), &series, err));
    NZ_TRY(add_given_text(session, series, "comments", NZ_META_SERIES_COMMENTS, "no comments", err));
    NZ_TRY(add_given_text(session, series, "description", NZ_META_SERIES_DESCRIPTION, "no description", err));
    NZ_TRY(add_given_text(session, series, "filtering", NZ_META_SERIES_FILTERING, NULL, err));
    NZ_TRY(nz_nwb_add_type(session, series, "core", session->metadata.series_type, err));
    NZ_TRY(add_data(session, series, err));
    if (session->options->electrical) {
        NZ_TRY(add_channel_conversion(session, series, err));
        NZ_TRY(nz_nwb_add_electrode_region(session, series, err));
    }
    return session->timestamps != NULL ? add_timestamps(session, series, err) : add_starting_time(session, series, err);
}
