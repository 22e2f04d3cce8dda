/* The tree of an NWBFile: fixed groups, the session's texts, the subject, and then the series with what belongs to
 * it.
 *
 * Text fields of NWBFile and Subject are written by walking the table of fields, so that a new field is one row
 * there and nothing here.
 */
#include "base/memory.h"
#include "hdmf/schema.h"
#include "nwb/session.h"

#include <nwbz/nwbz.h>
#include <string.h>

/* ---- Pieces that all parts use --------------------------------------------------------------- */

nwbz_code nz_nwb_add_type(nz_session *session, nz_node *node, const char *namespace_name, const char *type,
                          nwbz_error *err)
{
    char id[NZ_UUID_ROOM];
    char *path = nz_node_path(node);
    if (path == NULL)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code = nz_ids_get(&session->ids, path, id, err);
    nz_free(path);
    NZ_TRY(code);
    NZ_TRY(nz_node_add_text(node, "namespace", namespace_name, err));
    NZ_TRY(nz_node_add_text(node, "neurodata_type", type, err));
    return nz_node_add_text(node, "object_id", id, err);
}

/* Set a value from text (no axis), a list of text (one) or a list of pairs (two). */
static nwbz_code value_of_json(const nz_json *json, nz_value *value, nwbz_error *err)
{
    bool is_list = nz_json_kind_of(json) == NZ_JSON_ARRAY;
    size_t n = is_list ? nz_json_length(json) : 1;
    bool pairs = is_list && n > 0 && nz_json_kind_of(nz_json_at(json, 0)) == NZ_JSON_ARRAY;
    size_t width = pairs ? 2 : 1;
    uint64_t shape[2] = { n, 2 };
    nwbz_string *texts = nz_calloc(n * width + 1, sizeof *texts);
    if (texts == NULL)
        return nz_fail_memory(err, n * width * sizeof *texts, "metadata");
    for (size_t i = 0; i < n * width; i++) {
        const nz_json *item = is_list ? nz_json_at(json, i / width) : json;
        size_t n_bytes;
        if (pairs)
            item = nz_json_at(item, i % width);
        texts[i].bytes = nz_json_text(item, &n_bytes);
        texts[i].n_bytes = n_bytes;
    }
    nwbz_code code = nz_value_set(value, NWBZ_STRING, is_list ? (pairs ? 2 : 1) : 0, shape, texts, err);
    nz_free(texts);
    return code;
}

nwbz_code nz_nwb_add_json(nz_node *group, const char *name, const nz_json *json, nz_node **child, nwbz_error *err)
{
    nz_value value = NZ_VALUE_INIT;
    NZ_TRY(value_of_json(json, &value, err));
    return nz_node_add_dataset(group, name, &value, child, err);
}

static nwbz_code add_text_dataset(nz_node *group, const char *name, const char *text, nz_node **child, nwbz_error *err)
{
    nz_value value = NZ_VALUE_INIT;
    NZ_TRY(nz_value_set_text(&value, text, err));
    return nz_node_add_dataset(group, name, &value, child, err);
}

/* Add the datasets of all fields of `object` that were given. */
static nwbz_code add_fields(const nz_session *session, const char *object, nz_node *group, nwbz_error *err)
{
    for (unsigned i = 0; i < NZ_META_COUNT; i++) {
        const nz_field_spec *spec = &nz_field_table[i];
        const nz_json *value = session->metadata.values[i];
        if (spec->path != NULL && value != NULL && strcmp(spec->object, object) == 0)
            NZ_TRY(nz_nwb_add_json(group, spec->path, value, NULL, err));
    }
    return NWBZ_OK;
}

/* ---- Parts ---------------------------------------------------------------------------------------- */

/* The texts at the root. */
static nwbz_code add_session(const nz_session *session, nz_node *root, nwbz_error *err)
{
    const nz_metadata *m = &session->metadata;
    const char *now[] = { session->file_create_date };
    nz_value dates = NZ_VALUE_INIT;
    if (m->values[NZ_META_FILE_CREATE_DATE] != NULL) {
        NZ_TRY(nz_nwb_add_json(root, "file_create_date", m->values[NZ_META_FILE_CREATE_DATE], NULL, err));
    } else {
        NZ_TRY(nz_value_set_texts(&dates, now, 1, err));
        NZ_TRY(nz_node_add_dataset(root, "file_create_date", &dates, NULL, err));
    }
    NZ_TRY(add_text_dataset(root, "identifier", session->identifier, NULL, err));
    NZ_TRY(add_text_dataset(root, "session_description",
                            nz_metadata_text(m, NZ_META_SESSION_DESCRIPTION, "no description"), NULL, err));
    NZ_TRY(add_text_dataset(root, "session_start_time", session->session_start_time, NULL, err));
    return add_text_dataset(root, "timestamps_reference_time",
                            nz_metadata_text(m, NZ_META_TIMESTAMPS_REFERENCE_TIME, session->session_start_time), NULL,
                            err);
}

/* What was given, and this library behind it. */
static nwbz_code add_generated_by(const nz_session *session, nz_node *general, nwbz_error *err)
{
    const nz_json *given = session->metadata.values[NZ_META_WAS_GENERATED_BY];
    nz_json *all = nz_json_new_array(), *own = nz_json_new_array();
    nwbz_code code = nz_json_push(own, nz_json_new_text("nwbz"), err);
    if (code == NWBZ_OK)
        code = nz_json_push(own, nz_json_new_text(NWBZ_VERSION), err);
    for (size_t i = 0; code == NWBZ_OK && given != NULL && i < nz_json_length(given); i++)
        code = nz_json_push(all, nz_json_share(nz_json_at(given, i)), err);
    if (code == NWBZ_OK) {
        code = nz_json_push(all, own, err);
        own = NULL;
    }
    if (code == NWBZ_OK)
        code = nz_nwb_add_json(general, "was_generated_by", all, NULL, err);
    nz_json_free(own);
    nz_json_free(all);
    return code;
}

/* The schema wants the file's name beside a script: where it is not given, what stands behind the script's last
 * slash. */
static nwbz_code add_script_name(const nz_session *session, nz_node *general, nwbz_error *err)
{
    const char *script = nz_metadata_text(&session->metadata, NZ_META_SOURCE_SCRIPT, NULL);
    if (script == NULL)
        return NWBZ_OK;
    const char *slash = strrchr(script, '/');
    const char *name =
        nz_metadata_text(&session->metadata, NZ_META_SOURCE_SCRIPT_FILE_NAME, slash != NULL ? slash + 1 : script);
    return nz_node_add_text(nz_node_child(general, "source_script"), "file_name", name, err);
}

static nwbz_code add_subject(nz_session *session, nz_node *general, nwbz_error *err)
{
    nz_node *subject = NULL;
    if (!session->metadata.subject_given)
        return NWBZ_OK;
    NZ_TRY(nz_node_add_group(general, "subject", &subject, err));
    NZ_TRY(nz_nwb_add_type(session, subject, "core", "Subject", err));
    NZ_TRY(add_fields(session, "Subject", subject, err));
    nz_node *age = nz_node_child(subject, "age");
    return age == NULL
               ? NWBZ_OK
               : nz_node_add_text(age, "reference",
                                  nz_metadata_text(&session->metadata, NZ_META_SUBJECT_AGE_REFERENCE, "birth"), err);
}

static nwbz_code add_general(nz_session *session, nz_node *root, nwbz_error *err)
{
    nz_node *general = NULL;
    NZ_TRY(nz_node_add_group(root, "general", &general, err));
    NZ_TRY(add_fields(session, "NWBFile", general, err));
    NZ_TRY(add_script_name(session, general, err));
    NZ_TRY(add_generated_by(session, general, err));
    NZ_TRY(add_subject(session, general, err));
    if (session->options->electrical || session->metadata.device_given)
        NZ_TRY(nz_nwb_add_device(session, general, err));
    return session->options->electrical ? nz_nwb_add_electrodes(session, general, err) : NWBZ_OK;
}

static nwbz_code build(nz_session *session, nz_node *root, nwbz_error *err)
{
    nz_node *acquisition = NULL, *stimulus = NULL;
    NZ_TRY(nz_node_add_text(root, "nwb_version", nz_schema_version("core"), err));
    NZ_TRY(nz_nwb_add_type(session, root, "core", "NWBFile", err));
    NZ_TRY(nz_node_add_group(root, "acquisition", &acquisition, err));
    NZ_TRY(nz_node_add_group(root, "analysis", NULL, err));
    NZ_TRY(add_session(session, root, err));
    NZ_TRY(add_general(session, root, err));
    NZ_TRY(nz_node_add_group(root, "processing", NULL, err));
    NZ_TRY(nz_node_add_group(root, "stimulus", &stimulus, err));
    NZ_TRY(nz_node_add_group(stimulus, "presentation", NULL, err));
    NZ_TRY(nz_node_add_group(stimulus, "templates", NULL, err));
    NZ_TRY(nz_nwb_add_series(session, acquisition, err));
    return nz_hdmf_add_specifications(root, err);
}

nwbz_code nz_nwb_build(nz_session *session, nz_node **root, nwbz_error *err)
{
    *root = NULL;
    NZ_TRY(nz_node_new_root(root, err));
    nwbz_code code = build(session, *root, err);
    if (code != NWBZ_OK) {
        nz_node_free(*root);
        *root = NULL;
    }
    return code;
}
