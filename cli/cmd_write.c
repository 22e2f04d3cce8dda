/* nwbz write: parse, open what is named, nwbz_write(), say how it ended. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nwbz/nwbz.h>

#include "commands.h"
#include "exit.h"
#include "file.h"
#include "help.h"
#include "print.h"
#include "write_args.h"
#include "write_end.h"

/* What is open during a run. */
typedef struct write_run {
    nwbz_source *source, *timestamps;
    int stream_fd; /* -1: none, or standard input's */
    bool is_stream;
    char *metadata;
    FILE *log;
    cli_progress progress;
    nwbz_report report;
} write_run;

static void write_run_done(write_run *run)
{
    nwbz_source_close(run->source);
    nwbz_source_close(run->timestamps);
    if (run->stream_fd >= 0)
        (void)close(run->stream_fd);
    free(run->metadata);
    if (run->log)
        (void)fclose(run->log);
    nwbz_report_done(&run->report);
}

/* ---- The source ------------------------------------------------------------------------ */

/* Which options describe a raw file or stream. */
static nwbz_raw_options raw_options(const write_args *args)
{
    nwbz_raw_options options = NWBZ_RAW_OPTIONS_INIT;
    options.type = args->type;
    options.big_endian = args->big_endian;
    options.n_dims = args->shape.n_dims;
    options.shape = args->shape.axes;
    options.offset_bytes = args->offset_bytes;
    options.channels = args->channels;
    options.n_channels = args->n_channels;
    return options;
}

static nwbz_code open_stream(write_run *run, const write_args *args, nwbz_error *err)
{
    nwbz_raw_options options = raw_options(args);
    int fd = STDIN_FILENO;
    if (strcmp(args->source, "-") != 0) {
        fd = run->stream_fd = open(args->source, O_RDONLY | O_CLOEXEC);
        if (fd < 0 && cli_signal())
            return cli_fail(err, NWBZ_ECANCELED, args->source, "interrupted while waiting for a writer");
        if (fd < 0)
            return cli_fail(err, NWBZ_ESOURCE, args->source, "cannot be opened: %s", strerror(errno));
    } else if (isatty(fd)) {
        return cli_fail(err, NWBZ_EINVAL, "-", "standard input is a terminal; pipe samples into it");
    }
    run->is_stream = true;
    return nwbz_source_new_stream(fd, &options, cli_interrupted, NULL, &run->source, err);
}

/* A folder or a SpikeGLX file is none of what this version reads; say what it is. */
static nwbz_code refuse_folder(const write_args *args, nwbz_error *err)
{
    return cli_fail(err, NWBZ_EINVAL, args->source,
                    "is a folder; Open Ephys and Zarr folders come with a later version; give a raw or .npy file, or - "
                    "for standard input");
}

/* Compare what --shape and --dtype say with what a .npy file says of itself. */
static nwbz_code check_npy(const nwbz_source *source, const write_args *args, nwbz_error *err)
{
    unsigned n_dims = 0;
    char said[CLI_TEXT], found[CLI_TEXT];
    const uint64_t *shape = nwbz_source_shape(source, &n_dims);
    if (args->type != NWBZ_TYPE_NONE && args->type != nwbz_source_type(source))
        return cli_fail(err, NWBZ_ESOURCE, args->source, "holds %s, not the %s of --dtype; leave --dtype out",
                        nwbz_type_name(nwbz_source_type(source)), nwbz_type_name(args->type));
    bool same = !args->shape.n_dims || args->shape.n_dims == n_dims;
    for (unsigned i = 0; same && i < args->shape.n_dims; i++)
        same = args->shape.axes[i] == shape[i] || args->shape.axes[i] == NWBZ_UNKNOWN_LENGTH;
    if (!same)
        return cli_fail(err, NWBZ_ESOURCE, args->source, "has shape %s, not the %s of --shape; leave --shape out",
                        cli_text_shape(found, shape, n_dims),
                        cli_text_shape(said, args->shape.axes, args->shape.n_dims));
    return NWBZ_OK;
}

static nwbz_code open_source(write_run *run, const write_args *args, nwbz_error *err)
{
    struct stat status;
    if (strcmp(args->source, "-") == 0)
        return open_stream(run, args, err);
    bool found = stat(args->source, &status) == 0;
    if (found && S_ISDIR(status.st_mode))
        return refuse_folder(args, err);
    if (write_args_is_npy(args)) {
        nwbz_code code = nwbz_source_open_npy(args->source, &run->source, err);
        return code == NWBZ_OK ? check_npy(run->source, args, err) : code;
    }
    if (found && !S_ISREG(status.st_mode))
        return open_stream(run, args, err);
    nwbz_raw_options options = raw_options(args);
    return nwbz_source_open_raw(args->source, &options, &run->source, err);
}

/* ---- The destination ----------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* Refuse what would be another format, and a destination that is the source or lies inside it. */
static nwbz_code check_destination(const write_args *args, nwbz_error *err)
{
    static const char *const later[] = { ".nwb", ".h5", ".hdf5", ".zip" };
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (ends_with(args->destination, later[i]))
            return cli_fail_later(err, args->destination, NULL, "name a Zarr folder, as out.nwb.zarr");
    if (strstr(args->destination, "://"))
        return cli_fail_later(err, args->destination, NULL, "name a folder of this machine, as out.nwb.zarr");
    if (strcmp(args->source, "-") != 0 && cli_file_is_inside(args->destination, args->source))
        return cli_fail(err, NWBZ_EINVAL, args->destination,
                        "is the source %s or lies inside it; name another destination", args->source);
    return NWBZ_OK;
}

/* ---- The run -------------------------------------------------------------------------------- */

static nwbz_code open_all(write_run *run, const write_args *args, nwbz_error *err)
{
    nwbz_code code = check_destination(args, err);
    if (code == NWBZ_OK && args->common.log_path) {
        run->log = fopen(args->common.log_path, "a");
        if (!run->log)
            code = cli_fail(err, NWBZ_EIO, args->common.log_path, "the log cannot be opened: %s", strerror(errno));
    }
    if (code == NWBZ_OK && args->metadata_path)
        code = cli_file_read(args->metadata_path, &run->metadata, err);
    if (code == NWBZ_OK)
        code = open_source(run, args, err);
    if (code == NWBZ_OK && args->timestamps_path)
        code = nwbz_source_open_npy(args->timestamps_path, &run->timestamps, err);
    return code;
}

static nwbz_write_options write_options(write_run *run, const write_args *args)
{
    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    options.metadata_json = run->metadata;
    options.metadata_name = args->metadata_path;
    options.fields = args->fields;
    options.n_fields = args->n_fields;
    options.electrical = args->electrical;
    options.rate_hz = args->rate_hz;
    options.starting_time_seconds = args->starting_time;
    options.timestamps = run->timestamps;
    options.source_name = strcmp(args->source, "-") == 0 ? "standard input" : args->source;
    options.chunk_shape = args->chunks.n_dims ? args->chunks.axes : NULL;
    options.n_chunk_dims = args->chunks.n_dims;
    options.shard_shape = args->shards.n_dims ? args->shards.axes : NULL;
    options.n_shard_dims = args->shards.n_dims;
    options.codec = args->codec;
    options.reproducible = args->reproducible;
    options.number_of_jobs = args->common.jobs;
    options.memory_limit_bytes = args->common.memory_bytes;
    options.existing = args->existing;
    options.no_sync = args->no_sync;
    options.dry_run = args->dry_run;
    options.on_progress = cli_progress_show;
    options.user = &run->progress;
    return options;
}

static int end_failed(write_run *run, const write_args *args, const cli_words *words, nwbz_error *err)
{
    write_args_name_option(words, err);
    int code = cli_exit_code(err->code, CLI_WRITES);
    write_log(run->log, "stopped: exit %d: %s: %s", code, err->where, err->message);
    if (err->code != NWBZ_ECANCELED)
        cli_print_error(err);
    if (err->code == NWBZ_ECANCELED || err->code == NWBZ_ENOSPACE)
        write_print_stopped(args, words, &run->progress, err->code);
    if (args->common.json)
        cli_print_json_error(err, code);
    return code;
}

static int run_write(const write_args *args, const cli_words *words)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    write_run run = { NULL, NULL, -1, false, NULL, NULL, { 0 }, NWBZ_REPORT_INIT };
    int exit_code = CLI_EXIT_OK;
    cli_progress_begin(&run.progress, args->common.progress, args->common.quiet);
    nwbz_code code = open_all(&run, args, &err);
    if (code == NWBZ_OK) {
        write_log(run.log, "nwbz %s: write %s to %s", nwbz_version(), args->source, args->destination);
        nwbz_write_options options = write_options(&run, args);
        code = nwbz_write(run.source, args->destination, &options, &run.report, &err);
        cli_progress_end(&run.progress);
    }
    if (code == NWBZ_OK) {
        write_log_report(run.log, &run.report);
        write_log(run.log, "done: %s", args->destination);
        code = write_print_report(args, &run.report, &err);
    }
    if (code != NWBZ_OK)
        exit_code = end_failed(&run, args, words, &err);
    write_run_done(&run);
    return cli_exit_flush(exit_code);
}

static int main_write(const cli_command *command, int argc, char **argv)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    cli_words words = CLI_WORDS_INIT;
    write_args args;
    memset(&args, 0, sizeof args);
    int exit_code;
    if (write_args_parse(&args, &words, command, argc, argv, &err) != NWBZ_OK)
        exit_code = cli_exit_parse(&err, argc, argv);
    else if (words.help)
        exit_code = cli_help(command);
    else
        exit_code = run_write(&args, &words);
    write_args_done(&args);
    cli_words_done(&words);
    return exit_code;
}

const cli_command cli_command_write = {
    "write",
    "SRC DST [OPTIONS]",
    "write a raw recording as NWB Zarr",
    "SRC is a raw binary file (frames outermost; --shape and --dtype say what is in it), a .npy file, a pipe, or - for "
    "standard input. "
    "DST is the Zarr folder to be made, by custom named *.nwb.zarr. It appears when it is whole: until then the run's "
    "tree lies in "
    ".NAME.nwbz beside it.\n"
    "A failed run removes its unfinished tree. Ctrl-C, a kill and a full disk leave it, and --resume goes on with it "
    "(not what came "
    "from a pipe, which cannot be read again).",
    write_tables,
    main_write,
};
