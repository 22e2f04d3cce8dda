/* nwbz ls: the tree below an object. */
#include <stdlib.h>
#include <string.h>

#include <nwbz/nwbz.h>

#include "commands.h"
#include "common.h"
#include "entry.h"
#include "exit.h"
#include "help.h"
#include "look.h"
#include "print.h"
#include "value.h"

typedef struct ls_args {
    cli_common common;
    bool list;
    uint32_t depth;
} ls_args;

/* What the visitor needs. */
typedef struct ls_run {
    const ls_args *args;
    const char *store_path;
    size_t n_root; /* levels of the object where the listing begins */
    size_t n_entries;
    cli_table table;
} ls_run;

static nwbz_code set_list(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((ls_args *)args)->list = true;
    return NWBZ_OK;
}

static nwbz_code set_depth(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    uint64_t depth = 0;
    nwbz_code code = cli_value_count("--depth", value, &depth, err);
    ((ls_args *)args)->depth = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
    return code;
}

static const cli_option ls_options[] = {
    CLI_HEADING("Options"),
    { "long", 'l', NULL, "One object a line: path, type, dtype, shape, chunks, shards, codec.", set_list, NULL, NULL },
    { "depth", 'd', "N", "Go down so many levels only; 0: the object alone.", set_depth, NULL, NULL },
    CLI_OPTIONS_END,
};

static const cli_option *const ls_tables[] = { ls_options, cli_json_options, NULL };

/* Count the names in a path: 0 for "/". */
static size_t count_levels(const char *path)
{
    size_t n = 0;
    for (; *path; path++)
        n += path[0] == '/' && path[1] && path[1] != '/';
    return n;
}

static void print_tree(const nwbz_entry *entry, const ls_run *run)
{
    char text[CLI_TEXT], type[CLI_TEXT];
    size_t level = count_levels(entry->path) - run->n_root;
    const char *name = level ? strrchr(entry->path, '/') + 1 : entry->path;
    (void)printf("%*s", (int)(2 * level), "");
    cli_print_safe(stdout, name);
    if (entry->is_array)
        (void)printf("  %s %s", cli_entry_type_text(entry, type),
                     cli_text_shape(text, entry->array.shape, entry->array.n_dims));
    else if (level)
        (void)printf("/");
    if (*cli_entry_type(entry, text))
        (void)printf("  %s", text);
    (void)printf("\n");
}

static void add_row(const nwbz_entry *entry, cli_table *table)
{
    char text[CLI_TEXT];
    const nwbz_array_info *array = &entry->array;
    cli_table_add(table, entry->path);
    cli_table_add(table, *cli_entry_type(entry, text) ? text : entry->is_array ? "array" : "group");
    cli_table_add(table, entry->is_array ? cli_entry_type_text(entry, text) : "-");
    cli_table_add(table, entry->is_array ? cli_text_shape(text, array->shape, array->n_dims) : "-");
    bool has_chunks = entry->is_array && array->chunk_shape;
    cli_table_add(table, has_chunks ? cli_text_shape(text, array->chunk_shape, array->n_dims) : "-");
    bool has_shards = entry->is_array && array->shard_shape;
    cli_table_add(table, has_shards ? cli_text_shape(text, array->shard_shape, array->n_dims) : "-");
    cli_table_add(table, entry->is_array && array->codec ? array->codec : "-");
}

/* The object of --json is begun by the first entry, so that a store that cannot be read gives one object too: the
 * error. */
static void print_json(const nwbz_entry *entry, const ls_run *run)
{
    if (run->n_entries == 0) {
        (void)printf("{\"store\": ");
        cli_print_json_text(stdout, run->store_path);
        (void)printf(", \"objects\": [");
    }
    (void)printf("%s\n  ", run->n_entries ? "," : "");
    cli_entry_print_members(entry);
    (void)printf("}");
}

static int on_entry(const nwbz_entry *entry, void *user)
{
    ls_run *run = user;
    if (run->args->common.json)
        print_json(entry, run);
    else if (run->args->list)
        add_row(entry, &run->table);
    else
        print_tree(entry, run);
    run->n_entries++;
    return cli_interrupted(NULL) || ferror(stdout);
}

static void begin_table(cli_table *table)
{
    static const char *const names[] = { "path", "type", "dtype", "shape", "chunks", "shards", "codec" };
    table->n_columns = sizeof names / sizeof *names;
    for (size_t i = 0; i < table->n_columns; i++)
        cli_table_add(table, names[i]);
}

static int run_ls(const ls_args *args, const char *path)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    cli_look look = CLI_LOOK_INIT;
    ls_run run = { args, NULL, 0, 0, { NULL, 0, 0, false } };
    bool json = args->common.json;
    nwbz_code code = cli_look_open(&look, path, &err);
    if (code == NWBZ_OK) {
        run.store_path = look.store_path;
        run.n_root = count_levels(look.object);
        if (args->list && !json)
            begin_table(&run.table);
        code = nwbz_list(look.store, look.object, args->depth, on_entry, &run, &err);
    }
    if (run.n_entries > 0 && json)
        (void)printf("]}\n");
    if (run.table.n_cells > 0)
        cli_table_print(&run.table, stdout);
    cli_look_done(&look);
    if (code == NWBZ_OK || ferror(stdout))
        return cli_exit_flush(CLI_EXIT_OK);
    (void)cli_flush(); /* what was found stands before the error */
    return cli_exit_error(&err, CLI_READS, json && run.n_entries == 0);
}

static int main_ls(const cli_command *command, int argc, char **argv)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    cli_words words = CLI_WORDS_INIT;
    ls_args args;
    memset(&args, 0, sizeof args);
    args.depth = UINT32_MAX;
    int exit_code;
    nwbz_code code = cli_words_parse(&words, command, &args, argc, argv, &err);
    if (code == NWBZ_OK && !words.help)
        code = cli_one_operand(&words, "ls", &err);
    if (code != NWBZ_OK)
        exit_code = cli_exit_parse(&err, argc, argv);
    else if (words.help)
        exit_code = cli_help(command);
    else
        exit_code = run_ls(&args, words.operands[0]);
    cli_words_done(&words);
    return exit_code;
}

const cli_command cli_command_ls = {
    "ls",
    "PATH[::/OBJECT] [OPTIONS]",
    "list groups and arrays",
    "Lists what lies in a Zarr store, or below one of its objects: arrays with dtype and shape, and the neurodata type "
    "where there is one. "
    "PATH/OBJECT works as PATH::/OBJECT does.",
    ls_tables,
    main_ls,
};
