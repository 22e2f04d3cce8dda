/* What `nwbz write` was asked for: its option table and what comes of it. */
#ifndef CLI_WRITE_ARGS_H
#define CLI_WRITE_ARGS_H

#include <nwbz/nwb.h>

#include "common.h"
#include "value.h"

typedef struct write_args {
    cli_common common; /* first: the common setters store here */
    /* the recording */
    const char *source, *destination;
    cli_shape shape;
    nwbz_type type;
    bool big_endian;
    uint64_t offset_bytes;
    uint64_t *channels;
    size_t n_channels;
    double rate_hz;
    const char *timestamps_path;
    double starting_time;
    bool has_starting_time;
    bool electrical;
    const char *unit;
    /* the session */
    const char *metadata_path;
    nwbz_field *fields;
    size_t n_fields;
    bool has_conversion;
    /* the format */
    cli_shape chunks, shards;
    const char *codec;
    bool reproducible;
    /* the run */
    bool has_existing;
    nwbz_existing existing;
    bool no_sync, dry_run;
} write_args;

extern const cli_option *const write_tables[];

/* Parse and check what can be checked without reading files.  The words stay the caller's, for the line that
 * continues the run. */
nwbz_code write_args_parse(write_args *args, cli_words *words, const cli_command *command, int argc, char **argv,
                           nwbz_error *err);
void write_args_done(write_args *args);

/* Say whether SRC is named as NumPy's format. */
bool write_args_is_npy(const write_args *args);

/* Say in err->where which option gave a metadata field that the message begins with ("Subject.age: ..."). */
void write_args_name_option(const cli_words *words, nwbz_error *err);

/* Print the command that continues this one: the same words, with --resume for what said what to do with the
 * destination. */
void write_args_print_resume(const cli_words *words, FILE *file);

#endif
