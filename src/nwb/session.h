/* One run of nwbz_write(): what is to be written, decided once, before anything is.
 *
 *   options, metadata, sources --nz_session_begin--> session --nz_session_plan--> JSON: ids, dates, options
 *                                                    |    <--nz_session_adopt-- that of an earlier run
 *                                                    +--nz_nwb_build--> tree
 */
#ifndef NZ_NWB_SESSION_H
#define NZ_NWB_SESSION_H

#include "hdmf/write.h"
#include "nwb/ids.h"
#include "nwb/metadata.h"
#include "source/source.h"

enum { NZ_TIME_ROOM = 48 };

typedef struct nz_session {
    const nwbz_write_options *options; /* borrowed */
    nwbz_source *source, *timestamps;  /* borrowed; timestamps may be NULL */
    nz_metadata metadata;
    nz_json *source_identity, *timestamps_identity; /* NULL: cannot be read again, or no timestamps */
    nz_ids ids;
    nz_layout data_layout, timestamps_layout;
    char *identifier;
    char session_start_time[NZ_TIME_ROOM], file_create_date[NZ_TIME_ROOM];
    bool start_time_guessed;
    uint64_t n_channels; /* of an electrical series: columns of the data, 1 for one axis */
} nz_session;

/*
 * Check options, metadata and sources together, and decide chunks, ids and dates.  Reads no samples; the identity of
 * a source reads 128 KiB.
 *
 * Ownership: nz_session_done() also after a failure.
 * Returns as nwbz_write(): NWBZ_EINVAL, NWBZ_ESOURCE, NWBZ_ENOMEM.
 */
nwbz_code nz_session_begin(nz_session *session, nwbz_source *source, const nwbz_write_options *options,
                           nwbz_error *err);
void nz_session_done(nz_session *session);

/* Say whether all sources can be read again, so that an unfinished run can be resumed. */
bool nz_session_is_resumable(const nz_session *session);

/* Make one JSON object of the options that change the bytes, beside the metadata. */
nwbz_code nz_session_options(const nz_session *session, nz_json **json, nwbz_error *err);

/* Make the plan that is kept beside the unfinished tree.  Call it when the tree is built: then every id exists. */
nwbz_code nz_session_plan(const nz_session *session, nz_json **plan, nwbz_error *err);

/*
 * Take ids and dates from the plan of an unfinished run, which must be of the same options and sources.
 * Returns NWBZ_EINVAL (an option that changes the bytes differs: names it), NWBZ_ESOURCE (a source has changed:
 * names what), NWBZ_EFORMAT (not our plan).
 */
nwbz_code nz_session_adopt(nz_session *session, const nz_json *plan, nwbz_error *err);

/* Build the tree of the file.  Ownership: *root is the caller's; the layouts of the samples' nodes are the
 * session's. */
nwbz_code nz_nwb_build(nz_session *session, nz_node **root, nwbz_error *err);

/* Parts of it: the series with its samples; device, electrode group and table of electrodes. */
nwbz_code nz_nwb_add_series(nz_session *session, nz_node *acquisition, nwbz_error *err);
nwbz_code nz_nwb_add_device(nz_session *session, nz_node *general, nwbz_error *err);
nwbz_code nz_nwb_add_electrodes(nz_session *session, nz_node *general, nwbz_error *err);
nwbz_code nz_nwb_add_electrode_region(nz_session *session, nz_node *series, nwbz_error *err);

/* Add the attributes of an object with a type of a namespace: namespace, neurodata_type, object_id (its id is found
 * by its path). */
nwbz_code nz_nwb_add_type(nz_session *session, nz_node *node, const char *namespace_name, const char *type,
                          nwbz_error *err);

/* Add a text dataset or attribute, with its value from normalised JSON: text is a scalar, a list of text one axis, a
 * list of pairs two. */
nwbz_code nz_nwb_add_json(nz_node *group, const char *name, const nz_json *json, nz_node **child, nwbz_error *err);

/* Names of the objects, as given or by default. */
const char *nz_nwb_series_name(const nz_session *session);
const char *nz_nwb_device_name(const nz_session *session);
const char *nz_nwb_group_name(const nz_session *session);

#endif
