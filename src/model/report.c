/* The report of a run: freeing it, and its JSON. */
#include "base/json.h"
#include "base/memory.h"

#include <nwbz/types.h>
#include <string.h>

void nwbz_report_done(nwbz_report *report)
{
    for (size_t i = 0; i < report->n_datasets; i++) {
        nz_free(report->datasets[i].path);
        nz_free(report->datasets[i].codec);
    }
    for (size_t i = 0; i < report->n_conversions; i++) {
        nwbz_conversion *conversion = &report->conversions[i];
        nz_free(conversion->path);
        nz_free(conversion->attribute);
        nz_free(conversion->kind);
        nz_free(conversion->detail);
    }
    for (size_t i = 0; i < report->n_warnings; i++) {
        nz_free(report->warnings[i].path);
        nz_free(report->warnings[i].text);
    }
    nz_free(report->datasets);
    nz_free(report->conversions);
    nz_free(report->warnings);
    nz_free(report->source);
    nz_free(report->destination);
    *report = (nwbz_report)NWBZ_REPORT_INIT;
}

/* ---- JSON ------------------------------------------------------------------------- */

static nz_json *text_or_null(const char *text)
{
    return text ? nz_json_new_text(text) : nz_json_new_null();
}

static bool has_shards(const nwbz_dataset_report *dataset)
{
    for (unsigned d = 0; d < dataset->n_dims; d++)
        if (dataset->shard_shape[d] != 0)
            return true;
    return false;
}

static nwbz_code put_moves(nz_json *object, const nwbz_dataset_report *dataset, nwbz_error *err)
{
    nz_json *moves = nz_json_new_object();
    nwbz_code code = nz_json_put(moves, "copy", nz_json_new_uint(dataset->n_copied), err);
    if (code == NWBZ_OK)
        code = nz_json_put(moves, "recode", nz_json_new_uint(dataset->n_recoded), err);
    if (code == NWBZ_OK)
        code = nz_json_put(moves, "read", nz_json_new_uint(dataset->n_read), err);
    if (code == NWBZ_OK)
        return nz_json_put(object, "moves", moves, err);
    nz_json_free(moves);
    return code;
}

static nwbz_code put_dataset(nz_json *object, const nwbz_dataset_report *dataset, nwbz_error *err)
{
    bool sharded = has_shards(dataset);
    NZ_TRY(nz_json_put(object, "path", text_or_null(dataset->path), err));
    NZ_TRY(nz_json_put(object, "shape", nz_json_new_shape(dataset->shape, dataset->n_dims), err));
    NZ_TRY(nz_json_put(object, "dtype", nz_json_new_text(nwbz_type_name(dataset->type)), err));
    NZ_TRY(nz_json_put(object, "chunks", nz_json_new_shape(dataset->chunk_shape, dataset->n_dims), err));
    NZ_TRY(nz_json_put(object, "shards",
                       sharded ? nz_json_new_shape(dataset->shard_shape, dataset->n_dims) : nz_json_new_null(), err));
    NZ_TRY(nz_json_put(object, "codec", text_or_null(dataset->codec), err));
    NZ_TRY(nz_json_put(object, "bytes", nz_json_new_uint(dataset->bytes), err));
    NZ_TRY(nz_json_put(object, "stored_bytes", nz_json_new_uint(dataset->stored_bytes), err));
    NZ_TRY(nz_json_put(object, "seconds", nz_json_new_double(dataset->seconds), err));
    NZ_TRY(nz_json_put(object, "groups", nz_json_new_uint(dataset->n_groups), err));
    NZ_TRY(nz_json_put(object, "objects", nz_json_new_uint(dataset->n_objects), err));
    NZ_TRY(put_moves(object, dataset, err));
    return nz_json_put(object, "source_reads", nz_json_new_double(dataset->source_reads), err);
}

static nwbz_code put_conversion(nz_json *object, const nwbz_conversion *conversion, nwbz_error *err)
{
    NZ_TRY(nz_json_put(object, "path", text_or_null(conversion->path), err));
    NZ_TRY(nz_json_put(object, "attribute", text_or_null(conversion->attribute), err));
    NZ_TRY(nz_json_put(object, "kind", text_or_null(conversion->kind), err));
    return nz_json_put(object, "detail", text_or_null(conversion->detail), err);
}

static nwbz_code put_warning(nz_json *object, const nwbz_warning *warning, nwbz_error *err)
{
    NZ_TRY(nz_json_put(object, "path", text_or_null(warning->path), err));
    return nz_json_put(object, "text", text_or_null(warning->text), err);
}

/* One of the three above for element `i` of its list. */
typedef enum part { DATASETS, CONVERSIONS, WARNINGS } part;

static nwbz_code put_element(nz_json *object, const nwbz_report *report, part which, size_t i, nwbz_error *err)
{
    if (which == DATASETS)
        return put_dataset(object, &report->datasets[i], err);
    return which == CONVERSIONS ? put_conversion(object, &report->conversions[i], err)
                                : put_warning(object, &report->warnings[i], err);
}

static nwbz_code put_list(nz_json *object, const char *key, const nwbz_report *report, part which, size_t n,
                          nwbz_error *err)
{
    nz_json *list = nz_json_new_array();
    nwbz_code code = NWBZ_OK;
    for (size_t i = 0; i < n && code == NWBZ_OK; i++) {
        nz_json *element = nz_json_new_object();
        code = put_element(element, report, which, i, err);
        if (code == NWBZ_OK)
            code = nz_json_push(list, element, err);
        else
            nz_json_free(element);
    }
    if (code == NWBZ_OK)
        return nz_json_put(object, key, list, err);
    nz_json_free(list);
    return code;
}

static nwbz_code put_report(nz_json *object, const nwbz_report *report, nwbz_error *err)
{
    NZ_TRY(nz_json_put(object, "source", text_or_null(report->source), err));
    NZ_TRY(nz_json_put(object, "destination", text_or_null(report->destination), err));
    NZ_TRY(nz_json_put(object, "seconds", nz_json_new_double(report->seconds), err));
    NZ_TRY(nz_json_put(object, "bytes_in", nz_json_new_uint(report->bytes_in), err));
    NZ_TRY(nz_json_put(object, "bytes_stored", nz_json_new_uint(report->bytes_stored), err));
    NZ_TRY(nz_json_put(object, "number_of_jobs", nz_json_new_uint(report->number_of_jobs), err));
    NZ_TRY(nz_json_put(object, "dry_run", nz_json_new_bool(report->dry_run), err));
    NZ_TRY(nz_json_put(object, "already_done", nz_json_new_bool(report->already_done), err));
    NZ_TRY(put_list(object, "datasets", report, DATASETS, report->n_datasets, err));
    NZ_TRY(put_list(object, "conversions", report, CONVERSIONS, report->n_conversions, err));
    NZ_TRY(put_list(object, "warnings", report, WARNINGS, report->n_warnings, err));
    return nz_json_put(object, "verified", text_or_null(report->verified), err);
}

nwbz_code nwbz_report_format(const nwbz_report *report, char **json, nwbz_error *err)
{
    *json = NULL;
    nz_json *object = nz_json_new_object();
    nwbz_code code = put_report(object, report, err);
    if (code == NWBZ_OK)
        code = nz_json_text_of(object, json, err);
    nz_json_free(object);
    return code;
}
