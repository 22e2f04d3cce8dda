/* nwbz_write(): a session is decided, its tree built, its samples moved by the engine, its documents put, and the
 * whole made visible.
 *
 *   session -> tree -> arrays -> [store, plan.json] -> samples -> small values and documents -> commit
 *
 * Everything up to the store happens without touching the disk; a dry run stops there, on a store in memory.  In an
 * unfinished run of the same options, ids and dates come from its plan before the tree is built, so that the bytes
 * are those of an uninterrupted run.
 */
#include "base/memory.h"
#include "base/options.h"
#include "base/time.h"
#include "engine/report.h"
#include "engine/run.h"
#include "source/destination.h"
#include "nwb/session.h"
#include "store/store.h"

#include <inttypes.h>
#include <string.h>

/* What a run holds. */
typedef struct nz_write_run {
    const char *path;
    const nwbz_write_options *options;
    nwbz_report *report; /* or NULL */
    nz_session session;
    nwbz_store *store;
    nz_record *record;
    nz_specs *specs;
    nz_node *root;
    nz_target *targets[2];
    nz_transfer transfers[2]; /* data, timestamps */
    size_t n_transfers;
} nz_write_run;

static void run_done(nz_write_run *run)
{
    for (size_t i = 0; i < 2; i++)
        if (run->targets[i] != NULL)
            run->targets[i]->class->free(run->targets[i]);
    nwbz_array_close(run->session.data_layout.array);
    nwbz_array_close(run->session.timestamps_layout.array);
    nz_node_free(run->root);
    nz_specs_free(run->specs);
    nz_record_close(run->record);
    nwbz_store_close(run->store);
    nz_session_done(&run->session);
}

static const char *source_name(const nz_write_run *run)
{
    return run->options->source_name != NULL ? run->options->source_name : run->session.source->info.name;
}

/* ---- The tree and its transfers ----------------------------------------------------------------- */

static nwbz_code add_transfer(nz_write_run *run, nwbz_source *source, nwbz_array *array, nwbz_error *err)
{
    size_t i = run->n_transfers;
    bool unknown = source->info.shape[0] == NWBZ_UNKNOWN_LENGTH;
    nz_run_options resolved = { 0 };
    nwbz_fill_options fill = NWBZ_FILL_OPTIONS_INIT;
    fill.number_of_jobs = run->options->number_of_jobs;
    fill.memory_limit_bytes = run->options->memory_limit_bytes;
    nz_run_options_of(&fill, &resolved);
    NZ_TRY(nz_target_of_array(array, unknown, &run->targets[i], err));
    run->transfers[i] = (nz_transfer){ .source = source, .target = run->targets[i] };
    nwbz_code code = nz_plan_make(&source->info, &run->targets[i]->info, NULL, resolved.number_of_jobs,
                                  resolved.memory_limit_bytes, &run->transfers[i].plan, err);
    run->n_transfers++;
    return nz_where(err, code, "%s:%s", run->path, array->path);
}

static nwbz_code prepare(nz_write_run *run, nwbz_error *err)
{
    nz_session *session = &run->session;
    NZ_TRY(nz_specs_new(&run->specs, err));
    NZ_TRY(nz_specs_add_builtin(run->specs, err));
    NZ_TRY(nz_nwb_build(session, &run->root, err));
    NZ_TRY(nz_hdmf_make_arrays(run->root, run->store, run->specs, err));
    NZ_TRY(add_transfer(run, session->source, session->data_layout.array, err));
    return session->timestamps != NULL ? add_transfer(run, session->timestamps, session->timestamps_layout.array, err)
                                       : NWBZ_OK;
}

/* ---- The report -------------------------------------------------------------------------------------- */

static nwbz_code warn(const nz_write_run *run, nwbz_error *err)
{
    const nz_session *session = &run->session;
    if (session->start_time_guessed)
        NZ_TRY(nz_report_warn(
            run->report, err, "/session_start_time",
            "not given: %s is %s; give --session-start-time (NWBFile.session_start_time)", session->session_start_time,
            session->source_identity != NULL ? "when the source was last changed" : "the time of writing"));
    if (session->metadata.birth_without_zone)
        NZ_TRY(nz_report_warn(run->report, err, "/general/subject/date_of_birth",
                              "given without a time zone: taken as UTC"));
    if (session->options->reproducible && !nz_session_is_resumable(session))
        NZ_TRY(nz_report_warn(run->report, err, "/identifier",
                              "%s can be read only once, so reproducible ids do not depend on its samples: give an "
                              "identifier of your own",
                              source_name(run)));
    return NWBZ_OK;
}

static nwbz_code fill_report(nz_write_run *run, nwbz_error *err)
{
    nz_layout *layouts[2] = { &run->session.data_layout, &run->session.timestamps_layout };
    for (size_t i = 0; i < run->n_transfers; i++)
        NZ_TRY(nz_report_add_dataset(run->report, layouts[i]->array, &run->transfers[i], err));
    return warn(run, err);
}

/* ---- The store ------------------------------------------------------------------------------------------ */

/* An unfinished run is someone's work: a resume that does not fit leaves it as it is. */
static nwbz_code adopt(nz_write_run *run, nwbz_error *err)
{
    nz_json *plan = NULL;
    nwbz_store_keep_unfinished(run->store, true);
    nwbz_code code = nz_record_get_plan(run->store, &plan, err);
    if (code == NWBZ_OK)
        code = nz_session_adopt(&run->session, plan, err);
    nz_json_free(plan);
    return code;
}

/* A dry run's store is in memory and speaks, in errors, of the destination. */
static nwbz_code open_dry(nz_write_run *run, nwbz_error *err)
{
    NZ_TRY(nwbz_store_new_memory(&run->store, err));
    char *name = nz_strdup(run->path);
    if (name == NULL)
        return nz_fail_memory(err, strlen(run->path), "a path");
    nz_free(run->store->name);
    run->store->name = name;
    return NWBZ_OK;
}

/* *store stays NULL where nothing is to be done. */
static nwbz_code open_store(nz_write_run *run, nwbz_error *err)
{
    nwbz_create_options create = NWBZ_CREATE_OPTIONS_INIT;
    create.existing = run->options->existing;
    create.no_sync = run->options->no_sync;
    NZ_TRY(nz_destination_check(run->path, run->session.source_identity, err));
    NZ_TRY(nz_destination_check(run->path, run->session.timestamps_identity, err));
    if (run->options->dry_run)
        return open_dry(run, err);
    NZ_TRY(nwbz_store_create(run->path, &create, &run->store, err));
    return run->store != NULL && run->store->resumed ? adopt(run, err) : NWBZ_OK;
}

static nwbz_code put_plan(nz_write_run *run, nwbz_error *err)
{
    nz_json *plan = NULL;
    if (run->store->resumed)
        return NWBZ_OK;
    NZ_TRY(nz_session_plan(&run->session, &plan, err));
    nwbz_code code = nz_record_put_plan(run->store, plan, err);
    nz_json_free(plan);
    return code;
}

/* ---- The samples --------------------------------------------------------------------------------------------- */

/* Where a length became known only now. */
static nwbz_code check_lengths(const nz_write_run *run, nwbz_error *err)
{
    if (run->n_transfers < 2 || run->transfers[0].n_rows == run->transfers[1].n_rows)
        return NWBZ_OK;
    return nz_where(err,
                    nz_fail(err, NWBZ_ESOURCE, "%" PRIu64 " timestamps for %" PRIu64 " frames",
                            run->transfers[1].n_rows, run->transfers[0].n_rows),
                    "%s", run->session.timestamps->info.name);
}

static nwbz_code move_samples(nz_write_run *run, nwbz_error *err)
{
    nz_run_options options = { 0 };
    nwbz_fill_options fill = NWBZ_FILL_OPTIONS_INIT;
    fill.number_of_jobs = run->options->number_of_jobs;
    fill.memory_limit_bytes = run->options->memory_limit_bytes;
    fill.on_progress = run->options->on_progress;
    fill.user = run->options->user;
    nz_run_options_of(&fill, &options);
    options.kind = "write";
    options.record = run->record;
    NZ_TRY(nz_run(run->transfers, run->n_transfers, &options, err));
    return check_lengths(run, err);
}

static nwbz_code write_all(nz_write_run *run, nwbz_error *err)
{
    NZ_TRY(put_plan(run, err));
    NZ_TRY(nz_record_open(run->store, &run->record, err));
    NZ_TRY(move_samples(run, err));
    nz_hdmf_put_options put = { .store = run->store, .specs = run->specs };
    NZ_TRY(nz_hdmf_put_tree(run->root, &put, err));
    NZ_TRY(fill_report(run, err));
    return nwbz_store_commit(run->store, err);
}

/* Cancel and a full disk leave what can be gone on with; all else is removed at close. */
static void decide_keeping(nz_write_run *run, nwbz_code code)
{
    bool can_go_on = code == NWBZ_ECANCELED || code == NWBZ_ENOSPACE;
    nwbz_store_keep_unfinished(run->store, can_go_on && nz_session_is_resumable(&run->session));
}

static nwbz_code run_session(nz_write_run *run, nwbz_source *source, nwbz_error *err)
{
    NZ_TRY(nz_session_begin(&run->session, source, run->options, err));
    NZ_TRY(nz_report_begin(run->report, source_name(run), run->path, err));
    NZ_TRY(open_store(run, err));
    if (run->store == NULL) {
        if (run->report != NULL)
            run->report->already_done = true;
        return NWBZ_OK;
    }
    nwbz_code code = prepare(run, err);
    if (code == NWBZ_OK)
        code = run->options->dry_run ? fill_report(run, err) : write_all(run, err);
    decide_keeping(run, code);
    return code;
}

static nwbz_code check_arguments(nwbz_source *source, const char *path, const nwbz_write_options *options,
                                 nwbz_error *err)
{
    if (source == NULL || path == NULL || *path == 0)
        return nz_fail(err, NWBZ_EINVAL, "a source and a destination are required");
    if (options->n_fields > 0 && options->fields == NULL)
        return nz_fail(err, NWBZ_EINVAL, "%zu metadata fields announced and none given", options->n_fields);
    return NWBZ_OK;
}

nwbz_code nwbz_write(nwbz_source *source, const char *path, const nwbz_write_options *options, nwbz_report *report,
                     nwbz_error *err)
{
    nwbz_error own = NWBZ_ERROR_INIT;
    uint64_t started_ns = nz_clock_ns();
    if (err == NULL)
        err = &own;
    nwbz_write_options taken = NWBZ_WRITE_OPTIONS_INIT;
    NZ_TRY(nz_options_take(&taken, sizeof taken, options, err));
    NZ_TRY(check_arguments(source, path, &taken, err));
    nz_write_run run = { .path = path, .options = &taken, .report = report };
    nwbz_code code = run_session(&run, source, err);
    nz_where(err, code, "%s", path);
    if (report != NULL) {
        nz_run_options resolved = { 0 };
        nwbz_fill_options fill = NWBZ_FILL_OPTIONS_INIT;
        fill.number_of_jobs = taken.number_of_jobs;
        nz_run_options_of(&fill, &resolved);
        report->number_of_jobs = resolved.number_of_jobs;
        report->dry_run = taken.dry_run;
        report->seconds = (double)(nz_clock_ns() - started_ns) * 1e-9;
    }
    run_done(&run);
    return code;
}
