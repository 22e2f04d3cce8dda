/* Options that several commands take, and the run's log. */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include <stdio.h>

#include "opt.h"
#include "progress.h"

/* The first member of a command's args, so that the common setters can store into any of them. */
typedef struct cli_common {
    unsigned jobs;         /* 0: NWBZ_JOBS, else all usable CPUs */
    uint64_t memory_bytes; /* 0: the library's 1 GiB */
    cli_progress_mode progress;
    bool quiet, verbose, json;
    const char *log_path;
} cli_common;

extern const cli_option cli_jobs_options[];   /* -j, -m */
extern const cli_option cli_report_options[]; /* -q -v --progress --json --log */
extern const cli_option cli_json_options[];   /* --json alone */

/* Fill in what the environment says where no option does: NWBZ_JOBS. */
nwbz_code cli_common_finish(cli_common *common, nwbz_error *err);

/* Say that a value is for a later version: "comes with a later version; what to do now". */
nwbz_code cli_fail_later(nwbz_error *err, const char *where, const char *value, const char *what_now);

/* Check that exactly one operand was typed. */
nwbz_code cli_one_operand(const cli_words *words, const char *command, nwbz_error *err);

/* Report a failed parse: the error, and --json's object where it was asked for; returns the exit code. */
int cli_exit_parse(const nwbz_error *err, int argc, char **argv);

#endif
