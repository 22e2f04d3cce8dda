/* Where channels were recorded: one device, one electrode group linked to it, a table with one electrode per
 * channel, and the region of the table that the series points to (all of it).
 *
 * Columns are read by SpikeInterface as follows: channel_name gives the channels' ids, group_name their groups,
 * location their brain area.
 */
#include "base/memory.h"
#include "base/path.h"
#include "nwb/session.h"

#include <inttypes.h>
#include <string.h>

#define TABLE_PATH "/general/extracellular_ephys/electrodes"

const char *nz_nwb_device_name(const nz_session *session)
{
    return nz_metadata_text(&session->metadata, NZ_META_DEVICE_NAME, "Device");
}

const char *nz_nwb_group_name(const nz_session *session)
{
    return nz_metadata_text(&session->metadata, NZ_META_GROUP_NAME, "ElectrodeGroup");
}

nwbz_code nz_nwb_add_device(nz_session *session, nz_node *general, nwbz_error *err)
{
    nz_node *devices = NULL, *device = NULL;
    NZ_TRY(nz_node_add_group(general, "devices", &devices, err));
    NZ_TRY(nz_node_add_group(devices, nz_nwb_device_name(session), &device, err));
    for (unsigned i = NZ_META_DEVICE_DESCRIPTION; i <= NZ_META_DEVICE_SERIAL_NUMBER; i++) {
        const char *text = nz_metadata_text(&session->metadata, (nz_meta)i, NULL);
        if (text != NULL)
            NZ_TRY(nz_node_add_text(device, nz_field_table[i].attribute, text, err));
    }
    return nz_nwb_add_type(session, device, "core", "Device", err);
}

static nwbz_code add_group(nz_session *session, nz_node *ephys, nwbz_error *err)
{
    const nz_metadata *m = &session->metadata;
    nz_node *group = NULL;
    NZ_TRY(nz_node_add_group(ephys, nz_nwb_group_name(session), &group, err));
    NZ_TRY(
        nz_node_add_text(group, "description", nz_metadata_text(m, NZ_META_GROUP_DESCRIPTION, "no description"), err));
    NZ_TRY(nz_node_add_text(group, "location", nz_metadata_text(m, NZ_META_GROUP_LOCATION, "unknown"), err));
    NZ_TRY(nz_nwb_add_type(session, group, "core", "ElectrodeGroup", err));
    char *device = nz_path_join("/general/devices", nz_nwb_device_name(session));
    if (device == NULL)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code = nz_node_add_link(group, "device", device, err);
    nz_free(device);
    return code;
}

/* ---- Columns ---------------------------------------------------------------------------------- */

typedef struct nz_column {
    const char *name, *description;
    bool is_reference;
    char *(*text_of)(const nz_session *session, uint64_t channel); /* new memory; NULL without */
} nz_column;

/* Element `i` of a list field, or the only one; NULL: not given. */
static const char *listed(const nz_session *session, nz_meta field, uint64_t i)
{
    const nz_json *list = session->metadata.values[field];
    if (list == NULL)
        return NULL;
    return nz_json_text(nz_json_at(list, nz_json_length(list) == 1 ? 0 : (size_t)i), NULL);
}

static char *location_of(const nz_session *session, uint64_t channel)
{
    const char *location = listed(session, NZ_META_SERIES_LOCATION, channel);
    return nz_strdup(location != NULL ? location
                                      : nz_metadata_text(&session->metadata, NZ_META_GROUP_LOCATION, "unknown"));
}

static char *group_of(const nz_session *session, uint64_t channel)
{
    (void)channel;
    return nz_path_join("/general/extracellular_ephys", nz_nwb_group_name(session));
}

static char *group_name_of(const nz_session *session, uint64_t channel)
{
    (void)channel;
    return nz_strdup(nz_nwb_group_name(session));
}

static char *channel_name_of(const nz_session *session, uint64_t channel)
{
    const char *name = listed(session, NZ_META_SERIES_CHANNEL_NAMES, channel);
    return name != NULL ? nz_strdup(name) : nz_format("ch%" PRIu64, channel);
}

static const nz_column columns[] = {
    { "location", "where in the brain the electrode lies", false, location_of },
    { "group", "the ElectrodeGroup that the electrode belongs to", true, group_of },
    { "group_name", "the name of that ElectrodeGroup", false, group_name_of },
    { "channel_name", "the name of the channel that the electrode was recorded on", false, channel_name_of },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static nwbz_code column_value(const nz_session *session, const nz_column *column, nz_value *value, nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    size_t n = (size_t)session->n_channels;
    char **texts = nz_calloc(n, sizeof *texts);
    if (texts == NULL)
        return nz_fail_memory(err, n * sizeof *texts, "a column of electrodes");
    for (size_t i = 0; code == NWBZ_OK && i < n; i++)
        if ((texts[i] = column->text_of(session, i)) == NULL)
            code = nz_fail_memory(err, 256, "a column of electrodes");
    if (code == NWBZ_OK)
        code = nz_value_set_texts(value, (const char *const *)texts, n, err);
    if (code == NWBZ_OK)
        value->is_reference = column->is_reference;
    for (size_t i = 0; i < n; i++)
        nz_free(texts[i]);
    nz_free(texts);
    return code;
}

static nwbz_code add_column(nz_session *session, nz_node *table, const nz_column *column, nwbz_error *err)
{
    nz_value value = NZ_VALUE_INIT;
    nz_node *node = NULL;
    NZ_TRY(column_value(session, column, &value, err));
    NZ_TRY(nz_node_add_dataset(table, column->name, &value, &node, err));
    NZ_TRY(nz_node_add_text(node, "description", column->description, err));
    return nz_nwb_add_type(session, node, "hdmf-common", "VectorData", err);
}

/* Add 0, 1, 2 ... as a dataset of one axis. */
static nwbz_code add_numbers(const nz_session *session, nz_node *group, const char *name, nz_node **node,
                             nwbz_error *err)
{
    nz_value value = NZ_VALUE_INIT;
    int64_t *numbers = nz_calloc((size_t)session->n_channels, sizeof *numbers);
    if (numbers == NULL)
        return nz_fail_memory(err, (size_t)session->n_channels * sizeof *numbers, "electrodes");
    for (uint64_t i = 0; i < session->n_channels; i++)
        numbers[i] = (int64_t)i;
    nwbz_code code = nz_value_set(&value, NWBZ_INT64, 1, &session->n_channels, numbers, err);
    nz_free(numbers);
    return code == NWBZ_OK ? nz_node_add_dataset(group, name, &value, node, err) : code;
}

static nwbz_code add_table(nz_session *session, nz_node *ephys, nwbz_error *err)
{
    const char *names[N_COLUMNS];
    nz_value colnames = NZ_VALUE_INIT;
    nz_node *table = NULL, *id = NULL;
    for (size_t i = 0; i < N_COLUMNS; i++)
        names[i] = columns[i].name;
    NZ_TRY(nz_node_add_group(ephys, "electrodes", &table, err));
    NZ_TRY(nz_value_set_texts(&colnames, names, N_COLUMNS, err));
    NZ_TRY(nz_node_add_attribute(table, "colnames", &colnames, err));
    NZ_TRY(nz_node_add_text(table, "description", "electrodes, one per channel", err));
    NZ_TRY(nz_nwb_add_type(session, table, "core", "ElectrodesTable", err));
    for (size_t i = 0; i < N_COLUMNS; i++)
        NZ_TRY(add_column(session, table, &columns[i], err));
    NZ_TRY(add_numbers(session, table, "id", &id, err));
    return nz_nwb_add_type(session, id, "hdmf-common", "ElementIdentifiers", err);
}

nwbz_code nz_nwb_add_electrodes(nz_session *session, nz_node *general, nwbz_error *err)
{
    nz_node *ephys = NULL;
    NZ_TRY(nz_node_add_group(general, "extracellular_ephys", &ephys, err));
    NZ_TRY(add_group(session, ephys, err));
    return add_table(session, ephys, err);
}

nwbz_code nz_nwb_add_electrode_region(nz_session *session, nz_node *series, nwbz_error *err)
{
    nz_value table = NZ_VALUE_INIT;
    nz_node *region = NULL;
    NZ_TRY(add_numbers(session, series, "electrodes", &region, err));
    NZ_TRY(nz_node_add_text(region, "description", "all electrodes", err));
    NZ_TRY(nz_nwb_add_type(session, region, "hdmf-common", "DynamicTableRegion", err));
    NZ_TRY(nz_value_set_reference(&table, TABLE_PATH, err));
    return nz_node_add_attribute(region, "table", &table, err);
}
