#include "write_args.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Name the option as typed: "--dtype int17". */
static const char *place(char *text, size_t n_text, const cli_option *option, const char *value)
{
    (void)snprintf(text, n_text, "--%s%s%s", option->name, value ? " " : "", value ? value : "");
    return text;
}

/* ---- The recording ---------------------------------------------------------------------- */

static nwbz_code set_shape(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    return cli_value_shape("--shape", value, true, &((write_args *)args)->shape, err);
}

static nwbz_code set_dtype(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    write_args *a = args;
    char where[256];
    nwbz_error cause = NWBZ_ERROR_INIT;
    if (nwbz_type_parse(value, &a->type, &a->big_endian, &cause) != NWBZ_OK)
        return cli_fail(err, NWBZ_EINVAL, place(where, sizeof where, option, value), "%s", cause.message);
    if (a->type == NWBZ_STRING)
        return cli_fail(err, NWBZ_EINVAL, place(where, sizeof where, option, value),
                        "a recording holds numbers; for example int16");
    return NWBZ_OK;
}

static nwbz_code set_offset(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    return cli_value_count("--offset", value, &((write_args *)args)->offset_bytes, err);
}

static nwbz_code set_channels(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    write_args *a = args;
    return cli_value_channels("--channels", value, &a->channels, &a->n_channels, err);
}

static nwbz_code set_rate(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    write_args *a = args;
    char where[256];
    nwbz_code code = cli_value_number("--rate", value, &a->rate_hz, err);
    if (code == NWBZ_OK && !(a->rate_hz > 0))
        return cli_fail(err, NWBZ_EINVAL, place(where, sizeof where, option, value),
                        "must be over 0; for example 30000");
    return code;
}

static nwbz_code set_timestamps(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)err;
    ((write_args *)args)->timestamps_path = value;
    return NWBZ_OK;
}

static nwbz_code set_starting_time(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    write_args *a = args;
    a->has_starting_time = true;
    return cli_value_number("--starting-time", value, &a->starting_time, err);
}

static nwbz_code set_electrical(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((write_args *)args)->electrical = true;
    return NWBZ_OK;
}

static nwbz_code set_unit(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)err;
    ((write_args *)args)->unit = value;
    return NWBZ_OK;
}

/* ---- Metadata ------------------------------------------------------------------------------ */

static nwbz_code set_metadata(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)err;
    ((write_args *)args)->metadata_path = value;
    return NWBZ_OK;
}

static nwbz_code set_field(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    write_args *a = args;
    nwbz_field *grown = realloc(a->fields, (a->n_fields + 1) * sizeof *grown);
    if (!grown)
        return cli_fail(err, NWBZ_ENOMEM, "", "out of memory");
    a->fields = grown;
    a->fields[a->n_fields++] = (nwbz_field){ option->object, option->field, value };
    return NWBZ_OK;
}

/* A number of the series: checked here, where the option can be named. */
static nwbz_code set_number_field(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    char name[64];
    double number = 0;
    (void)snprintf(name, sizeof name, "--%s", option->name);
    nwbz_code code = cli_value_number(name, value, &number, err);
    if (code != NWBZ_OK)
        return code;
    if (strcmp(option->field, "conversion") == 0)
        ((write_args *)args)->has_conversion = true;
    return set_field(args, option, value, err);
}

/* ---- The format ------------------------------------------------------------------------------ */

static nwbz_code set_codec(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    if (strcmp(value, "keep") == 0)
        return cli_fail_later(err, "--codec", value,
                              "raw samples have no compression to keep: leave it out, or see `nwbz help write`");
    ((write_args *)args)->codec = value;
    return NWBZ_OK;
}

static nwbz_code set_chunks(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    return cli_value_shape("--chunks", value, false, &((write_args *)args)->chunks, err);
}

static nwbz_code set_shards(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    return cli_value_shape("--shards", value, false, &((write_args *)args)->shards, err);
}

static nwbz_code set_zarr_format(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)args;
    char where[256];
    if (strcmp(value, "3") == 0)
        return NWBZ_OK;
    if (strcmp(value, "2") == 0)
        return cli_fail_later(err, "--zarr-format", value, "this one writes 3");
    return cli_fail(err, NWBZ_EINVAL, place(where, sizeof where, option, value), "not a Zarr format; 3 is");
}

static nwbz_code set_reproducible(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((write_args *)args)->reproducible = true;
    return NWBZ_OK;
}

/* ---- The run ----------------------------------------------------------------------------------- */

static nwbz_code take_existing(write_args *a, nwbz_existing existing, const char *where, nwbz_error *err)
{
    if (a->has_existing && a->existing != existing)
        return cli_fail(err, NWBZ_EINVAL, where,
                        "contradicts an earlier option; give one of --existing, --overwrite, --resume");
    a->has_existing = true;
    a->existing = existing;
    return NWBZ_OK;
}

static nwbz_code set_existing(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    static const char *const names[] = { "error", "skip", "overwrite", "resume" };
    char where[256];
    place(where, sizeof where, option, value);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0)
            return take_existing(args, (nwbz_existing)i, where, err);
    return cli_fail(err, NWBZ_EINVAL, where, "not known; one of error, skip, overwrite, resume");
}

static nwbz_code set_overwrite(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value;
    return take_existing(args, NWBZ_EXISTING_OVERWRITE, "--overwrite", err);
}

static nwbz_code set_resume(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value;
    return take_existing(args, NWBZ_EXISTING_RESUME, "--resume", err);
}

static nwbz_code set_no_sync(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((write_args *)args)->no_sync = true;
    return NWBZ_OK;
}

static nwbz_code set_dry_run(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((write_args *)args)->dry_run = true;
    return NWBZ_OK;
}

static nwbz_code set_verify(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)args;
    char where[256];
    if (strcmp(value, "none") == 0)
        return NWBZ_OK;
    if (strcmp(value, "crc") == 0 || strcmp(value, "full") == 0)
        return cli_fail_later(err, "--verify", value, "leave it out, or give none");
    return cli_fail(err, NWBZ_EINVAL, place(where, sizeof where, option, value), "not known; one of none, crc, full");
}

static nwbz_code set_later(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)args;
    char where[80];
    (void)snprintf(where, sizeof where, "--%s", option->name);
    return cli_fail_later(err, where, value, "it is for `nwbz export`: a recording has one series; leave it out");
}

/* ---- The tables ---------------------------------------------------------------------------------- */

static const cli_option recording_options[] = {
    CLI_HEADING("The recording"),
    { "shape", 0, "FRAMES,CHANNELS",
      "Shape of a raw recording, 3600000,384; `-,384`: from the file's size, or until the stream ends.", set_shape,
      NULL, NULL },
    { "dtype", 0, "TYPE",
      "Type of its samples: int16, float32 ..., or <i2, >i2 for a byte order (little-endian where none is said).",
      set_dtype, NULL, NULL },
    { "offset", 0, "BYTES", "Skip so many bytes at the start of the file.", set_offset, NULL, NULL },
    { "channels", 0, "LIST", "Take only these channels, in this order: 0:384,385 (ends are not included).",
      set_channels, NULL, NULL },
    { "rate", 0, "HZ", "Sampling rate.  This or --timestamps is required.", set_rate, NULL, NULL },
    { "timestamps", 0, "FILE.npy", "Time of each frame in seconds, float64.", set_timestamps, NULL, NULL },
    { "starting-time", 0, "SECONDS", "Time of the first frame; default 0.", set_starting_time, NULL, NULL },
    CLI_OPTIONS_END,
};

static const cli_option series_options[] = {
    CLI_HEADING("The series"),
    { "electrical", 0, NULL,
      "Write an ElectricalSeries with its device, electrode group and electrodes; else a TimeSeries.", set_electrical,
      NULL, NULL },
    { "name", 0, "NAME", "Name of the series; default ElectricalSeries or TimeSeries.", set_field, "", "name" },
    { "description", 0, "TEXT", "Description of the series.", set_field, "", "description" },
    { "comments", 0, "TEXT", "Comments on the series.", set_field, "", "comments" },
    { "unit", 0, "UNIT", "Unit of the samples after conversion; default unknown (an ElectricalSeries: volts).",
      set_unit, NULL, NULL },
    { "conversion", 0, "FACTOR",
      "Multiplies samples to give the unit (volts per count); --electrical needs it, here or in the metadata.",
      set_number_field, "", "conversion" },
    { "offset-volts", 0, "VOLTS", "Added after the conversion.", set_number_field, "", "offset" },
    { "device", 0, "NAME", "Name of the recording device.", set_field, "Device", "name" },
    { "location", 0, "REGION", "Brain region of the electrode group.", set_field, "ElectrodeGroup", "location" },
    CLI_OPTIONS_END,
};

static const cli_option session_options[] = {
    CLI_HEADING("The session and the subject (options win over the file)"),
    { "metadata", 0, "FILE", "JSON with NWBFile, Subject, Device, ElectrodeGroup, and TimeSeries or ElectricalSeries.",
      set_metadata, NULL, NULL },
    { "session-start-time", 0, "TIME",
      "2024-05-01T10:00:00+02:00; a zone must be said.  Default: the source's time of change, with a warning.",
      set_field, "NWBFile", "session_start_time" },
    { "session-description", 0, "TEXT", "What was done in the session.", set_field, "NWBFile", "session_description" },
    { "identifier", 0, "TEXT", "Identifier of the file; default a new UUID.", set_field, "NWBFile", "identifier" },
    { "session-id", 0, "TEXT", "The lab's own number of the session.", set_field, "NWBFile", "session_id" },
    { "experimenter", 0, "NAME", "Who did it.", set_field, "NWBFile", "experimenter" },
    { "experiment-description", 0, "TEXT", "What the experiment is about.", set_field, "NWBFile",
      "experiment_description" },
    { "lab", 0, "NAME", "Lab.", set_field, "NWBFile", "lab" },
    { "institution", 0, "NAME", "Institution.", set_field, "NWBFile", "institution" },
    { "keywords", 0, "WORD", "Keyword.", set_field, "NWBFile", "keywords" },
    { "notes", 0, "TEXT", "Notes.", set_field, "NWBFile", "notes" },
    { "subject-id", 0, "TEXT", "Subject's identifier.", set_field, "Subject", "subject_id" },
    { "species", 0, "TEXT", "Subject's species: Mus musculus.", set_field, "Subject", "species" },
    { "sex", 0, "M|F|U|O", "Subject's sex.", set_field, "Subject", "sex" },
    { "age", 0, "DURATION", "Subject's age: P90D.", set_field, "Subject", "age" },
    { "date-of-birth", 0, "TIME", "Subject's date of birth.", set_field, "Subject", "date_of_birth" },
    { "genotype", 0, "TEXT", "Subject's genotype.", set_field, "Subject", "genotype" },
    { "strain", 0, "TEXT", "Subject's strain.", set_field, "Subject", "strain" },
    { "weight", 0, "TEXT", "Subject's weight: 0.023 kg.", set_field, "Subject", "weight" },
    { "subject-description", 0, "TEXT", "Subject's description.", set_field, "Subject", "description" },
    CLI_OPTIONS_END,
};

static const cli_option format_options[] = {
    CLI_HEADING("The format (changes the bytes that are written)"),
    { "codec", 0, "CODEC",
      "blosc:zstd:5:bitshuffle, zstd:3, gzip:5, none, or portable (the default is).  Of data and timestamps.",
      set_codec, NULL, NULL },
    { "chunks", 0, "SHAPE", "Chunks of the data: 40000,64.  Default: 64 channels, as many frames as 10 MB hold.",
      set_chunks, NULL, NULL },
    { "shards", 0, "SHAPE",
      "Shards of the data, multiples of the chunks: 400000,64.  Default: none, each chunk a file.", set_shards, NULL,
      NULL },
    { "zarr-format", 0, "3", "Zarr format.", set_zarr_format, NULL, NULL },
    { "reproducible", 0, NULL,
      "Make ids and dates from the input and the metadata, so that the same input gives the same bytes; needs a "
      "session start time.",
      set_reproducible, NULL, NULL },
    CLI_OPTIONS_END,
};

static const cli_option run_options[] = {
    CLI_HEADING("The destination"),
    { "existing", 'e', "WHAT",
      "If it exists, or an unfinished run of it: error (the default), skip, overwrite or resume.", set_existing, NULL,
      NULL },
    { "overwrite", 0, NULL, "The same as --existing overwrite: replace a store, when the new one is whole.",
      set_overwrite, NULL, NULL },
    { "resume", 0, NULL, "The same as --existing resume: go on where an earlier run stopped.", set_resume, NULL, NULL },
    { "dry-run", 'n', NULL, "Check, print the plan and write nothing.", set_dry_run, NULL, NULL },
    { "no-sync", 0, NULL, "Do not wait for the disk at the end: faster, and not safe against a power cut.", set_no_sync,
      NULL, NULL },
    { "verify", 0, "none", "Checking what was written: none.", set_verify, NULL, NULL },
    { "only", 0, "GLOB", "For a later version.", set_later, NULL, NULL },
    { "exclude", 0, "GLOB", "For a later version.", set_later, NULL, NULL },
    { "for", 'f', "GLOB:SETTING", "For a later version.", set_later, NULL, NULL },
    CLI_OPTIONS_END,
};

const cli_option *const write_tables[] = {
    recording_options, series_options,   session_options,    format_options,
    run_options,       cli_jobs_options, cli_report_options, NULL,
};

/* ---- What fits together ----------------------------------------------------------------------------- */

bool write_args_is_npy(const write_args *args)
{
    size_t n = strlen(args->source);
    return n >= 4 && strcasecmp(args->source + n - 4, ".npy") == 0;
}

static nwbz_code check_operands(write_args *args, const cli_words *words, nwbz_error *err)
{
    if (words->n_operands < 2)
        return cli_fail(err, NWBZ_EINVAL, "write",
                        "needs a source and a destination: nwbz write SRC DST --shape ... (`nwbz help write`)");
    if (words->n_operands > 2)
        return cli_fail_later(err, "write: more than one source", NULL, "join the files, or write them one by one");
    args->source = words->operands[0];
    args->destination = words->operands[1];
    if (!*args->source || !*args->destination)
        return cli_fail(err, NWBZ_EINVAL, "write", "a source or destination without a name");
    return NWBZ_OK;
}

static nwbz_code check_source_options(const write_args *args, nwbz_error *err)
{
    if (!write_args_is_npy(args)) {
        if (!args->shape.n_dims)
            return cli_fail(err, NWBZ_EINVAL, args->source,
                            "--shape is missing; for example --shape -,384 (frames from the size)");
        if (args->type == NWBZ_TYPE_NONE)
            return cli_fail(err, NWBZ_EINVAL, args->source, "--dtype is missing; for example --dtype int16");
    } else if (args->offset_bytes || args->channels) {
        return cli_fail(err, NWBZ_EINVAL, args->offset_bytes ? "--offset" : "--channels",
                        "is for raw recordings; %s is .npy", args->source);
    }
    if (args->channels && args->shape.n_dims != 2)
        return cli_fail(err, NWBZ_EINVAL, "--channels", "needs a shape of two axes, FRAMES,CHANNELS");
    return NWBZ_OK;
}

static nwbz_code check_time_options(const write_args *args, nwbz_error *err)
{
    if (args->timestamps_path && args->rate_hz > 0)
        return cli_fail(err, NWBZ_EINVAL, "--rate and --timestamps",
                        "only one of them can say when the samples were taken");
    if (!args->timestamps_path && !(args->rate_hz > 0))
        return cli_fail(err, NWBZ_EINVAL, "--rate", "is missing; give --rate HZ or --timestamps FILE.npy");
    if (args->timestamps_path && args->has_starting_time)
        return cli_fail(err, NWBZ_EINVAL, "--starting-time and --timestamps",
                        "only one of them can say when the samples were taken");
    return NWBZ_OK;
}

/* --unit and --conversion, whose meaning depends on the type of the series. */
static nwbz_code finish_series(write_args *args, nwbz_error *err)
{
    static const cli_option unit = { "unit", 0, NULL, "", NULL, "", "unit" };
    if (args->electrical && args->unit && strcmp(args->unit, "volts") != 0)
        return cli_fail(err, NWBZ_EINVAL, "--unit",
                        "an ElectricalSeries is in volts; leave it out and give --conversion in volts per count");
    if (args->electrical && !args->has_conversion && !args->metadata_path)
        return cli_fail(err, NWBZ_EINVAL, "--electrical",
                        "needs --conversion, volts per count; for example 2.34375e-6");
    if (args->unit && !args->electrical) {
        nwbz_code code = set_field(args, &unit, args->unit, err);
        if (code != NWBZ_OK)
            return code;
    }
    for (size_t i = 0; i < args->n_fields; i++)
        if (!*args->fields[i].object)
            args->fields[i].object = args->electrical ? "ElectricalSeries" : "TimeSeries";
    return NWBZ_OK;
}

nwbz_code write_args_parse(write_args *args, cli_words *words, const cli_command *command, int argc, char **argv,
                           nwbz_error *err)
{
    nwbz_code code = cli_words_parse(words, command, args, argc, argv, err);
    if (code != NWBZ_OK || words->help)
        return code;
    if ((code = check_operands(args, words, err)) != NWBZ_OK)
        return code;
    if ((code = check_source_options(args, err)) != NWBZ_OK)
        return code;
    if ((code = check_time_options(args, err)) != NWBZ_OK)
        return code;
    if ((code = finish_series(args, err)) != NWBZ_OK)
        return code;
    return cli_common_finish(&args->common, err);
}

void write_args_name_option(const cli_words *words, nwbz_error *err)
{
    if (err->code != NWBZ_EINVAL)
        return;
    for (size_t i = words->n_words; i-- > 0;) {
        const cli_option *option = words->words[i].option;
        const char *dot = strchr(err->message, '.');
        if (!option || !option->field || !dot)
            continue;
        size_t n_object = (size_t)(dot - err->message), n_field = strlen(option->field);
        const char *object = *option->object ? option->object : "Series"; /* TimeSeries, ElectricalSeries */
        size_t n_own = strlen(object);
        bool same_object = n_own <= n_object && strncmp(dot - n_own, object, n_own) == 0;
        if (same_object && strncmp(dot + 1, option->field, n_field) == 0 && strchr(": ", dot[1 + n_field])) {
            place(err->where, sizeof err->where, option, words->words[i].value);
            return;
        }
    }
}

void write_args_done(write_args *args)
{
    free(args->channels);
    free(args->fields);
}
