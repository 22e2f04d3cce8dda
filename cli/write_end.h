/* How `nwbz write` ends: the closing line, the plan, the report, the warnings; and how to go on after a stop. */
#ifndef CLI_WRITE_END_H
#define CLI_WRITE_END_H

#include "write_args.h"

/* Print the plan of a dry run as a table on stdout, with --shards suggested where there would be many objects. */
void write_print_plan(const write_args *args, const nwbz_report *report);

/* Print the report of a run: JSON, or the closing line on stdout and what a person should know on stderr. */
nwbz_code write_print_report(const write_args *args, const nwbz_report *report, nwbz_error *err);

/* Print what a stopped run left and how to go on and how to remove it. */
void write_print_stopped(const write_args *args, const cli_words *words, const cli_progress *progress, nwbz_code code);

/* Add a line with the time to the log; NULL: none. */
void write_log(FILE *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void write_log_report(FILE *log, const nwbz_report *report);

#endif
