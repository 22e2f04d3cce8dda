#include "write_end.h"

#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "exit.h"
#include "print.h"

enum { MOST_LINES = 20, MANY_OBJECTS = 100000 };

/* ---- The log --------------------------------------------------------------------------- */

void write_log(FILE *log, const char *format, ...)
{
    if (!log)
        return;
    char when[64] = "", text[1024];
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)fprintf(log, "%s ", when);
    cli_print_safe(log, text);
    (void)fputc('\n', log);
    (void)fflush(log);
}

void write_log_report(FILE *log, const nwbz_report *report)
{
    if (!log)
        return;
    char stored[CLI_TEXT], bytes[CLI_TEXT];
    for (size_t i = 0; i < report->n_conversions; i++)
        write_log(log, "conversion %s: %s: %s", report->conversions[i].path, report->conversions[i].kind,
                  report->conversions[i].detail);
    for (size_t i = 0; i < report->n_warnings; i++)
        write_log(log, "warning %s: %s", report->warnings[i].path ? report->warnings[i].path : "",
                  report->warnings[i].text);
    for (size_t i = 0; i < report->n_datasets; i++)
        write_log(log, "dataset %s: %s in, %s stored", report->datasets[i].path,
                  cli_text_bytes(bytes, report->datasets[i].bytes),
                  cli_text_bytes(stored, report->datasets[i].stored_bytes));
}

/* ---- Notes on stderr ---------------------------------------------------------------------- */

static void print_note(const char *kind, const char *path, const char *text)
{
    (void)fprintf(stderr, "nwbz: %s: ", kind);
    if (path && *path) {
        cli_print_safe(stderr, path);
        (void)fputs(": ", stderr);
    }
    cli_print_safe(stderr, text);
    (void)fputc('\n', stderr);
}

/* ---- Datasets as a table ------------------------------------------------------------------ */

static void add_datasets(cli_table *table, const nwbz_report *report, bool plan)
{
    char text[CLI_TEXT];
    for (size_t i = 0; i < report->n_datasets; i++) {
        const nwbz_dataset_report *d = &report->datasets[i];
        cli_table_add(table, d->path);
        cli_table_add(table, nwbz_type_name(d->type));
        cli_table_add(table, cli_text_shape(text, d->shape, d->n_dims));
        cli_table_add(table, cli_text_shape(text, d->chunk_shape, d->n_dims));
        cli_table_add(table, d->n_dims && d->shard_shape[0] ? cli_text_shape(text, d->shard_shape, d->n_dims) : "-");
        cli_table_add(table, d->codec ? d->codec : "-");
        (void)snprintf(text, sizeof text, "%" PRIu64, d->n_groups);
        cli_table_add(table, text);
        (void)snprintf(text, sizeof text, "%" PRIu64, d->n_objects);
        cli_table_add(table, text);
        (void)snprintf(text, sizeof text, "%.3g", d->source_reads);
        cli_table_add(table, text);
        cli_table_add(table, cli_text_bytes(text, d->bytes));
        if (!plan)
            cli_table_add(table, cli_text_bytes(text, d->stored_bytes));
    }
}

static void print_datasets(const nwbz_report *report, bool plan, FILE *file)
{
    static const char *const names[] = { "dataset", "dtype",   "shape",        "chunks", "shards", "codec",
                                         "groups",  "objects", "source reads", "bytes",  "stored" };
    cli_table table = { NULL, plan ? 10 : 11, 0, false };
    for (size_t i = 0; i < table.n_columns; i++)
        cli_table_add(&table, names[i]);
    add_datasets(&table, report, plan);
    cli_table_print(&table, file);
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* Suggest shards that make MANY_OBJECTS / 10 files or fewer of a dataset with many: its chunks, made longer along the
 * first axis. */
static void suggest_shards(const nwbz_dataset_report *d)
{
    if (d->n_objects <= MANY_OBJECTS || d->n_dims == 0 || d->shard_shape[0])
        return;
    uint64_t times = (d->n_objects + MANY_OBJECTS / 10 - 1) / (MANY_OBJECTS / 10);
    uint64_t rows = (d->shape[0] + d->chunk_shape[0] - 1) / d->chunk_shape[0];
    if (times > rows && d->shape[0] != NWBZ_UNKNOWN_LENGTH)
        times = rows;
    (void)printf("%s would be %" PRIu64 " files; --shards %" PRIu64, d->path, d->n_objects, d->chunk_shape[0] * times);
    for (unsigned i = 1; i < d->n_dims; i++)
        (void)printf(",%" PRIu64, d->chunk_shape[i]);
    (void)printf(" makes them about %" PRIu64 "\n", (d->n_objects + times - 1) / times);
}

/* A plan is printed whatever stands at the destination; but a run would stop there. */
static void warn_existing(const write_args *args)
{
    struct stat status;
    if (args->existing == NWBZ_EXISTING_ERROR && lstat(args->destination, &status) == 0)
        print_note("warning", args->destination, "it exists: a run needs --overwrite or --existing skip");
}

void write_print_plan(const write_args *args, const nwbz_report *report)
{
    char bytes[CLI_TEXT], memory[CLI_TEXT];
    print_datasets(report, true, stdout);
    for (size_t i = 0; i < report->n_datasets; i++)
        suggest_shards(&report->datasets[i]);
    cli_print_safe(stdout, args->destination);
    (void)printf(": %zu dataset%s, %s in, %u job%s, %s of memory; nothing was written\n", report->n_datasets,
                 report->n_datasets == 1 ? "" : "s", cli_text_bytes(bytes, report->bytes_in), report->number_of_jobs,
                 report->number_of_jobs == 1 ? "" : "s",
                 cli_text_memory(memory, args->common.memory_bytes ? args->common.memory_bytes : (uint64_t)1 << 30));
}

/* ---- The report -------------------------------------------------------------------------------- */

/* Conversions and warnings, at most MOST_LINES of both together, then a count. */
static void print_notes(const nwbz_report *report)
{
    char text[CLI_TEXT];
    size_t n_lines = 0, n_all = report->n_conversions + report->n_warnings;
    for (size_t i = 0; i < report->n_warnings && n_lines < MOST_LINES; i++, n_lines++)
        print_note("warning", report->warnings[i].path, report->warnings[i].text);
    for (size_t i = 0; i < report->n_conversions && n_lines < MOST_LINES; i++, n_lines++) {
        const nwbz_conversion *c = &report->conversions[i];
        (void)snprintf(text, sizeof text, "%s%s%s: %s", c->attribute ? c->attribute : "", c->attribute ? ": " : "",
                       c->kind, c->detail);
        print_note("stored otherwise", c->path, text);
    }
    if (n_all > n_lines)
        (void)fprintf(stderr, "nwbz: and %zu more; --json or --log has all\n", n_all - n_lines);
}

static void print_closing_line(const write_args *args, const nwbz_report *report)
{
    char in[CLI_TEXT], stored[CLI_TEXT], seconds[CLI_TEXT];
    cli_print_safe(stdout, args->destination);
    if (report->already_done) {
        (void)printf(": is whole already; nothing to do\n");
        return;
    }
    (void)printf(": %zu dataset%s, %s in, %s stored, %s, %u job%s\n", report->n_datasets,
                 report->n_datasets == 1 ? "" : "s", cli_text_bytes(in, report->bytes_in),
                 cli_text_bytes(stored, report->bytes_stored), cli_text_seconds(seconds, report->seconds),
                 report->number_of_jobs, report->number_of_jobs == 1 ? "" : "s");
}

nwbz_code write_print_report(const write_args *args, const nwbz_report *report, nwbz_error *err)
{
    if (args->common.json) {
        char *json = NULL;
        nwbz_code code = nwbz_report_format(report, &json, err);
        if (code == NWBZ_OK)
            (void)printf("%s\n", json);
        nwbz_free(json);
        return code;
    }
    if (!args->common.quiet)
        print_notes(report);
    if (args->dry_run && !args->common.quiet)
        warn_existing(args);
    if (args->dry_run && !report->already_done) /* the plan was asked for: it is printed with -q too */
        write_print_plan(args, report);
    else if (!args->common.quiet)
        print_closing_line(args, report);
    if (args->common.verbose && !args->dry_run && !report->already_done)
        print_datasets(report, false, stderr);
    return NWBZ_OK;
}

/* ---- After a stop -------------------------------------------------------------------------------- */

void write_args_print_resume(const cli_words *words, FILE *file)
{
    (void)fputs("nwbz write", file);
    for (size_t i = 0; i < words->n_words; i++) {
        const cli_word *word = &words->words[i];
        if (word->option) {
            const char *name = word->option->name;
            if (strcmp(name, "existing") == 0 || strcmp(name, "overwrite") == 0 || strcmp(name, "resume") == 0)
                continue;
            (void)fprintf(file, " --%s", name);
            if (!word->value)
                continue;
        }
        (void)fputc(' ', file);
        cli_print_quoted(file, word->value);
    }
    (void)fputs(" --resume", file);
}

/* Name the staging folder of `destination`, `.NAME.nwbz` beside it; the caller's. */
static char *staging_path(const char *destination)
{
    size_t n = strlen(destination);
    char *copy = strdup(destination), *other = strdup(destination), *path = malloc(n + 16);
    if (copy && other && path)
        (void)snprintf(path, n + 16, "%s/.%s.nwbz", dirname(copy), basename(other));
    free(copy);
    free(other);
    return path;
}

static void print_percent(const cli_progress *progress)
{
    char bytes[CLI_TEXT];
    if (progress->total_bytes)
        (void)fprintf(stderr, "interrupted at %.0f %%",
                      100.0 * (double)progress->done_bytes / (double)progress->total_bytes);
    else
        (void)fprintf(stderr, "interrupted after %s", cli_text_bytes(bytes, progress->done_bytes));
}

void write_print_stopped(const write_args *args, const cli_words *words, const cli_progress *progress, nwbz_code code)
{
    struct stat status;
    char *staging = staging_path(args->destination);
    bool kept = staging && lstat(staging, &status) == 0;
    if (code == NWBZ_ECANCELED) {
        bool exists = lstat(args->destination, &status) == 0; /* --overwrite: the older result */
        print_percent(progress);
        (void)fputs(exists ? "; nothing has changed at " : "; nothing is visible at ", stderr);
        cli_print_safe(stderr, args->destination);
        (void)fputs(kept ? " yet. " : "; what was written is removed.", stderr);
    }
    if (kept) {
        (void)fputs("Continue: ", stderr);
        write_args_print_resume(words, stderr);
        (void)fputs("\nRemove:   rm -r ", stderr);
        cli_print_quoted(stderr, staging);
    }
    if (kept || code == NWBZ_ECANCELED)
        (void)fputc('\n', stderr);
    free(staging);
}
