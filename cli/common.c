#include "common.h"

#include <stdlib.h>
#include <string.h>

#include "exit.h"
#include "value.h"

nwbz_code cli_fail_later(nwbz_error *err, const char *where, const char *value, const char *what_now)
{
    char place[256];
    (void)snprintf(place, sizeof place, "%s%s%s", where, value ? " " : "", value ? value : "");
    return cli_fail(err, NWBZ_EINVAL, place, "comes with a later version; %s", what_now);
}

static nwbz_code set_jobs(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    return cli_value_jobs("--jobs", value, &((cli_common *)args)->jobs, err);
}

static nwbz_code set_memory(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    return cli_value_size("--memory", value, &((cli_common *)args)->memory_bytes, err);
}

static nwbz_code set_quiet(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((cli_common *)args)->quiet = true;
    return NWBZ_OK;
}

static nwbz_code set_verbose(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((cli_common *)args)->verbose = true;
    return NWBZ_OK;
}

static nwbz_code set_json(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((cli_common *)args)->json = true;
    return NWBZ_OK;
}

static nwbz_code set_log(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)err;
    ((cli_common *)args)->log_path = value;
    return NWBZ_OK;
}

static nwbz_code set_progress(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    return cli_progress_parse(value, &((cli_common *)args)->progress, err);
}

const cli_option cli_jobs_options[] = {
    CLI_HEADING("Speed (never changes the bytes that are written)"),
    { "jobs", 'j', "N",
      "Number of jobs: 4; -1 all usable CPUs (the default), -2 all but one, 0.5 half of them. Environment: NWBZ_JOBS.",
      set_jobs, NULL, NULL },
    { "number-of-jobs", 0, "N", "The same as --jobs.", set_jobs, NULL, NULL },
    { "memory", 'm', "SIZE", "All buffers in flight together; default 1G. K, M, G, T are powers of 1024.", set_memory,
      NULL, NULL },
    CLI_OPTIONS_END,
};

const cli_option cli_report_options[] = {
    CLI_HEADING("What is said"),
    { "quiet", 'q', NULL, "Say nothing but errors.", set_quiet, NULL, NULL },
    { "verbose", 'v', NULL, "Say at the end what was stored for each dataset.", set_verbose, NULL, NULL },
    { "progress", 0, "HOW",
      "auto (the default: a bar where stderr is a terminal), bar, line, json (one object a line on stderr) or none.",
      set_progress, NULL, NULL },
    { "json", 0, NULL, "Print the report as one JSON object on stdout instead of the closing line.", set_json, NULL,
      NULL },
    { "log", 0, "FILE", "Add what happens, with times, to FILE.", set_log, NULL, NULL },
    CLI_OPTIONS_END,
};

const cli_option cli_json_options[] = {
    { "json", 0, NULL, "Print one JSON object.", set_json, NULL, NULL },
    CLI_OPTIONS_END,
};

nwbz_code cli_common_finish(cli_common *common, nwbz_error *err)
{
    const char *jobs = getenv("NWBZ_JOBS");
    if (common->jobs || !jobs || !*jobs)
        return NWBZ_OK;
    return cli_value_jobs("NWBZ_JOBS", jobs, &common->jobs, err);
}

nwbz_code cli_one_operand(const cli_words *words, const char *command, nwbz_error *err)
{
    if (words->n_operands == 0)
        return cli_fail(err, NWBZ_EINVAL, command, "needs a PATH, as out.nwb.zarr or out.nwb.zarr::/acquisition");
    if (words->n_operands > 1)
        return cli_fail(err, NWBZ_EINVAL, words->operands[1], "%s takes one PATH; give the others in runs of their own",
                        command);
    return NWBZ_OK;
}

int cli_exit_parse(const nwbz_error *err, int argc, char **argv)
{
    bool json = false;
    for (int i = 1; i < argc; i++)
        json = json || strcmp(argv[i], "--json") == 0;
    return cli_exit_error(err, CLI_READS, json);
}
