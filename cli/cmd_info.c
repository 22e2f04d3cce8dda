/* nwbz info: one object with all that is known of it, or a store's summary. */
#include <inttypes.h>
#include <string.h>

#include <nwbz/nwbz.h>

#include "commands.h"
#include "common.h"
#include "entry.h"
#include "exit.h"
#include "help.h"
#include "look.h"
#include "print.h"
#include "skim.h"

typedef struct info_args {
    cli_common common;
} info_args;

static const cli_option *const info_tables[] = { cli_json_options, NULL };

/* ---- What is stored ----------------------------------------------------------------------- */

/* Sums over a tree. */
typedef struct info_totals {
    nwbz_store *store;
    uint64_t n_groups, n_arrays, n_objects, stored_bytes;
    double bytes;
    nwbz_error *err;
    nwbz_code code;
} info_totals;

/* Multiply the axes; as a double, since a document may claim any shape. */
static double count_elements(const nwbz_array_info *array)
{
    double n = 1;
    for (unsigned i = 0; i < array->n_dims; i++)
        n *= (double)array->shape[i];
    return n;
}

/* Count the objects that the whole array would be: chunks, or shards. */
static double count_objects(const nwbz_array_info *array)
{
    const uint64_t *object = array->shard_shape ? array->shard_shape : array->chunk_shape;
    double n = 1;
    for (unsigned i = 0; i < array->n_dims; i++)
        n *= object[i] ? (double)(array->shape[i] / object[i] + (array->shape[i] % object[i] != 0)) : 0;
    return n;
}

static nwbz_code stored(nwbz_store *store, const char *path, uint64_t *n_objects, uint64_t *n_bytes, nwbz_error *err)
{
    nwbz_array *array = NULL;
    nwbz_code code = nwbz_array_open(store, path, &array, err);
    if (code == NWBZ_OK)
        code = nwbz_array_stored(array, n_objects, n_bytes, err);
    nwbz_array_close(array);
    return code;
}

static int add_totals(const nwbz_entry *entry, void *user)
{
    info_totals *totals = user;
    uint64_t n_objects = 0, n_bytes = 0;
    totals->n_groups += !entry->is_array;
    totals->n_arrays += entry->is_array;
    if (entry->is_array && !entry->unsupported) {
        totals->code = stored(totals->store, entry->path, &n_objects, &n_bytes, totals->err);
        totals->n_objects += n_objects;
        totals->stored_bytes += n_bytes;
        if (entry->array.type != NWBZ_STRING)
            totals->bytes += count_elements(&entry->array) * (double)entry->array.element_bytes;
    }
    return totals->code != NWBZ_OK || cli_interrupted(NULL);
}

/* ---- For people ------------------------------------------------------------------------------ */

static void print_attributes(const char *json)
{
    cli_member member;
    bool any = false;
    while (json && cli_skim_next(&json, &member)) {
        (void)printf("%s  %.*s: %.*s\n", any ? "" : "attributes:\n", (int)member.n_name, member.name,
                     (int)member.n_value, member.value);
        any = true;
    }
    if (!any)
        (void)printf("attributes: none\n");
}

/* A field of a record a line, or the size of what has one. */
static void print_fields(const nwbz_array_info *array)
{
    char text[CLI_TEXT];
    const char *name, *at = array->data_type_json;
    size_t n_name;
    if (array->type == NWBZ_TYPE_NONE || nwbz_type_size(array->type) > 0)
        return;
    (void)printf("element:    %zu bytes\n", array->element_bytes);
    while (cli_entry_next_field(&at, &name, &n_name, text))
        (void)printf("  %.*s: %s\n", (int)n_name, name, text);
}

static void print_array(const nwbz_entry *entry, const info_totals *totals)
{
    char text[CLI_TEXT];
    const nwbz_array_info *array = &entry->array;
    (void)printf("dtype:      %s\n", cli_entry_dtype(entry));
    print_fields(array);
    (void)printf("shape:      %s\n", cli_text_shape(text, array->shape, array->n_dims));
    if (array->chunk_shape)
        (void)printf("chunks:     %s\n", cli_text_shape(text, array->chunk_shape, array->n_dims));
    (void)printf("shards:     %s\n",
                 array->shard_shape ? cli_text_shape(text, array->shard_shape, array->n_dims) : "none");
    (void)printf("codec:      %s\n", array->codec ? array->codec : "?");
    if (array->fill_value_json && *array->fill_value_json)
        (void)printf("fill value: %s\n", array->fill_value_json);
    (void)printf("format:     Zarr v%d\n", array->zarr_format);
    if (entry->unsupported) {
        (void)printf("unreadable: %s\n", entry->unsupported);
        return;
    }
    (void)printf("stored:     %" PRIu64 " of %.0f objects, %s", totals->n_objects, count_objects(array),
                 cli_text_bytes(text, totals->stored_bytes));
    if (array->type != NWBZ_STRING)
        (void)printf(" of %s", cli_text_bytes(text, (uint64_t)totals->bytes));
    (void)printf("\n");
}

static void print_group(const info_totals *totals)
{
    char text[CLI_TEXT];
    (void)printf("holds:      %" PRIu64 " groups, %" PRIu64 " arrays\n", totals->n_groups - 1, totals->n_arrays);
    (void)printf("stored:     %" PRIu64 " objects, %s", totals->n_objects, cli_text_bytes(text, totals->stored_bytes));
    (void)printf(" of %s (text not counted)\n", cli_text_bytes(text, (uint64_t)totals->bytes));
}

static void print_text(const nwbz_entry *entry, const cli_look *look, const info_totals *totals)
{
    char text[CLI_TEXT];
    cli_print_safe(stdout, look->store_path);
    (void)printf("::");
    cli_print_safe(stdout, entry->path);
    (void)printf("\nkind:       %s\n", entry->is_array ? "array" : "group");
    if (*cli_entry_type(entry, text))
        (void)printf("type:       %s\n", text);
    if (entry->is_array)
        print_array(entry, totals);
    else
        print_group(totals);
    print_attributes(entry->attributes_json);
}

/* ---- For programs ------------------------------------------------------------------------------- */

static void print_json(const nwbz_entry *entry, const cli_look *look, const info_totals *totals)
{
    cli_entry_print_members(entry);
    (void)printf(", \"store\": ");
    cli_print_json_text(stdout, look->store_path);
    if (!entry->is_array)
        (void)printf(", \"groups\": %" PRIu64 ", \"arrays\": %" PRIu64, totals->n_groups - 1, totals->n_arrays);
    (void)printf(", \"stored_objects\": %" PRIu64 ", \"stored_bytes\": %" PRIu64 ", \"bytes\": %.0f}\n",
                 totals->n_objects, totals->stored_bytes, totals->bytes);
}

/* ---- The run ---------------------------------------------------------------------------------------- */

typedef struct info_run {
    const cli_look *look;
    const info_totals *totals;
    bool json;
} info_run;

static int print_entry(const nwbz_entry *entry, void *user)
{
    const info_run *run = user;
    if (run->json)
        print_json(entry, run->look, run->totals);
    else
        print_text(entry, run->look, run->totals);
    return 0;
}

static nwbz_code list_twice(const cli_look *look, bool json, nwbz_error *err)
{
    info_totals totals = { look->store, 0, 0, 0, 0, 0, err, NWBZ_OK };
    info_run run = { look, &totals, json };
    nwbz_code code = nwbz_list(look->store, look->object, UINT32_MAX, add_totals, &totals, err);
    if (totals.code != NWBZ_OK)
        return totals.code;
    if (code != NWBZ_OK)
        return code;
    return nwbz_list(look->store, look->object, 0, print_entry, &run, err);
}

static int run_info(const info_args *args, const char *path)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    cli_look look = CLI_LOOK_INIT;
    nwbz_code code = cli_look_open(&look, path, &err);
    if (code == NWBZ_OK)
        code = list_twice(&look, args->common.json, &err);
    cli_look_done(&look);
    if (code != NWBZ_OK)
        return cli_exit_error(&err, CLI_READS, args->common.json);
    return cli_exit_flush(CLI_EXIT_OK);
}

static int main_info(const cli_command *command, int argc, char **argv)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    cli_words words = CLI_WORDS_INIT;
    info_args args;
    memset(&args, 0, sizeof args);
    int exit_code;
    nwbz_code code = cli_words_parse(&words, command, &args, argc, argv, &err);
    if (code == NWBZ_OK && !words.help)
        code = cli_one_operand(&words, "info", &err);
    if (code != NWBZ_OK)
        exit_code = cli_exit_parse(&err, argc, argv);
    else if (words.help)
        exit_code = cli_help(command);
    else
        exit_code = run_info(&args, words.operands[0]);
    cli_words_done(&words);
    return exit_code;
}

const cli_command cli_command_info = {
    "info",
    "PATH[::/OBJECT] [--json]",
    "say all that is known of one object",
    "Prints dtype, shape, chunks, shards, codec, fill value, what is stored, and the attributes of an array; of a "
    "group, or of a store "
    "(PATH alone), what it holds, what that takes, and its attributes.",
    info_tables,
    main_info,
};
