/* nwbz cat: elements of an array, read box by box and printed in C order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <nwbz/nwbz.h>

#include "commands.h"
#include "common.h"
#include "exit.h"
#include "help.h"
#include "look.h"
#include "print.h"
#include "select.h"

/* Elements read at once: enough for rows of large chunks, small beside any memory. */
enum { BOX_BYTES = 64 << 20, TEXT_ELEMENTS = 4096 };

typedef struct cat_args {
    cli_common common;
    bool raw;
    cli_slice slices[NWBZ_MAX_DIMS];
    unsigned n_slices;
} cat_args;

static nwbz_code set_slice(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option;
    cat_args *a = args;
    return cli_value_slices("--slice", value, a->slices, &a->n_slices, err);
}

static nwbz_code set_raw(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((cat_args *)args)->raw = true;
    return NWBZ_OK;
}

static nwbz_code set_json_lines(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((cat_args *)args)->common.json = true;
    return NWBZ_OK;
}

static const cli_option cat_options[] = {
    CLI_HEADING("Options"),
    { "slice", 's', "SELECTION", "What to print, one start:stop or index an axis: 0:1000,: or 5,-4:.  Default: all.",
      set_slice, NULL, NULL },
    { "json", 0, NULL, "One element a line, as JSON.", set_json_lines, NULL, NULL },
    { "raw", 0, NULL, "Little-endian bytes, in C order.", set_raw, NULL, NULL },
    CLI_OPTIONS_END,
};

static const cli_option *const cat_tables[] = { cat_options, cli_jobs_options, NULL };

/* ---- Printing one box -------------------------------------------------------------------- */

/* What stands after an element: the last axis is a line. */
static char separator(const cli_selection *selection, uint64_t column, bool json)
{
    if (json || selection->n_dims == 0)
        return '\n';
    unsigned last = selection->n_dims - 1;
    uint64_t at = selection->box_start[last] + column;
    return at + 1 == selection->start[last] + selection->shape[last] ? '\n' : '\t';
}

static nwbz_code print_box(const cat_args *args, const nwbz_array *array, size_t element_bytes,
                           const cli_selection *selection, const unsigned char *elements, nwbz_error *err)
{
    uint64_t n = cli_selection_box_elements(selection);
    uint64_t n_columns = selection->n_dims ? selection->box_shape[selection->n_dims - 1] : 1;
    bool json = args->common.json;
    for (uint64_t i = 0; i < n && !ferror(stdout); i++) {
        char *text = NULL;
        nwbz_code code = nwbz_array_format_element(array, elements + i * element_bytes,
                                                   json ? NWBZ_STYLE_JSON : NWBZ_STYLE_TEXT, &text, err);
        if (code != NWBZ_OK)
            return code;
        (void)fputs(text, stdout);
        (void)putchar(separator(selection, i % n_columns, json));
        nwbz_free(text);
    }
    return NWBZ_OK;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static int on_progress(const nwbz_progress *now, void *user)
{
    (void)now;
    return cli_interrupted(user);
}

static nwbz_fill_options fill_options(const cat_args *args)
{
    nwbz_fill_options options = NWBZ_FILL_OPTIONS_INIT;
    options.number_of_jobs = args->common.jobs;
    options.memory_limit_bytes = args->common.memory_bytes;
    options.on_progress = on_progress;
    return options;
}

static nwbz_code cat_text(const cat_args *args, nwbz_array *array, cli_selection *selection, nwbz_error *err)
{
    nwbz_code code = NWBZ_OK;
    while (code == NWBZ_OK && cli_selection_next(selection) && !ferror(stdout)) {
        nwbz_string *elements = NULL;
        code = nwbz_array_read_strings(array, selection->box_start, selection->box_shape, &elements, err);
        if (code == NWBZ_OK)
            code = print_box(args, array, sizeof *elements, selection, (const unsigned char *)elements, err);
        nwbz_free(elements);
    }
    return code;
}

static nwbz_code cat_numbers(const cat_args *args, nwbz_array *array, size_t element_bytes,
                             cli_selection *selection, unsigned char *elements, nwbz_error *err)
{
    nwbz_fill_options options = fill_options(args);
    nwbz_code code = NWBZ_OK;
    while (code == NWBZ_OK && cli_selection_next(selection) && !ferror(stdout)) {
        size_t n_bytes = (size_t)cli_selection_box_elements(selection) * element_bytes;
        code = nwbz_array_read(array, selection->box_start, selection->box_shape, elements, n_bytes, &options, err);
        if (code == NWBZ_OK && args->raw)
            (void)fwrite(elements, 1, n_bytes, stdout);
        else if (code == NWBZ_OK)
            code = print_box(args, array, element_bytes, selection, elements, err);
        if (code == NWBZ_OK && cli_signal())
            code = cli_fail(err, NWBZ_ECANCELED, "cat", "interrupted");
    }
    return code;
}

static nwbz_code cat_array(const cat_args *args, nwbz_array *array, nwbz_error *err)
{
    nwbz_array_info info;
    cli_selection selection;
    nwbz_array_get_info(array, &info);
    if (args->raw && info.type == NWBZ_STRING)
        return cli_fail(err, NWBZ_ESOURCE, "--raw", "the array holds text, which has no bytes of one size; use --json");
    nwbz_code code = cli_selection_resolve(&selection, args->slices, args->n_slices, &info, err);
    if (code != NWBZ_OK)
        return code;
    bool is_text = info.type == NWBZ_STRING;
    uint64_t most = BOX_BYTES;
    if (args->common.memory_bytes && args->common.memory_bytes / 4 < most)
        most = args->common.memory_bytes / 4;
    cli_selection_cut(&selection, &info, is_text ? TEXT_ELEMENTS : most / info.element_bytes);
    if (is_text)
        return cat_text(args, array, &selection, err);
    size_t n_bytes = (size_t)cli_selection_most_elements(&selection) * info.element_bytes;
    unsigned char *elements = malloc(n_bytes + 1);
    if (!elements)
        return cli_fail(err, NWBZ_ENOMEM, "", "out of memory: %zu bytes", n_bytes);
    code = cat_numbers(args, array, info.element_bytes, &selection, elements, err);
    free(elements);
    return code;
}

/* ---- The run ---------------------------------------------------------------------------------- */

static int ignore_entry(const nwbz_entry *entry, void *user)
{
    (void)entry, (void)user;
    return 0;
}

/* An object that is no array: say whether it is a group, which has no elements. */
static nwbz_code explain_not_array(const cli_look *look, nwbz_error *err)
{
    nwbz_error plain = NWBZ_ERROR_INIT, ignored = NWBZ_ERROR_INIT;
    if (err->code != NWBZ_ENOTFOUND || nwbz_list(look->store, look->object, 0, ignore_entry, NULL, &ignored) != NWBZ_OK)
        return err->code;
    (void)cli_fail(&plain, NWBZ_ENOTFOUND, look->object, "is a group; name an array below it (`nwbz ls` lists them)");
    *err = plain;
    return err->code;
}

static int run_cat(const cat_args *args, const char *path)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    cli_look look = CLI_LOOK_INIT;
    nwbz_array *array = NULL;
    nwbz_code code = cli_look_open(&look, path, &err);
    if (code == NWBZ_OK) {
        code = nwbz_array_open(look.store, look.object, &array, &err);
        if (code != NWBZ_OK)
            code = explain_not_array(&look, &err);
    }
    if (code == NWBZ_OK)
        code = cat_array(args, array, &err);
    nwbz_array_close(array);
    cli_look_done(&look);
    if (code == NWBZ_OK || ferror(stdout))
        return cli_exit_flush(CLI_EXIT_OK);
    (void)cli_flush();
    return cli_exit_error(&err, CLI_READS, false);
}

static nwbz_code parse_cat(cat_args *args, cli_words *words, const cli_command *command, int argc, char **argv,
                           nwbz_error *err)
{
    nwbz_code code = cli_words_parse(words, command, args, argc, argv, err);
    if (code != NWBZ_OK || words->help)
        return code;
    if (args->raw && args->common.json)
        return cli_fail(err, NWBZ_EINVAL, "--raw and --json", "only one of them can say how elements are printed");
    if ((code = cli_one_operand(words, "cat", err)) != NWBZ_OK)
        return code;
    return cli_common_finish(&args->common, err);
}

static int main_cat(const cli_command *command, int argc, char **argv)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    cli_words words = CLI_WORDS_INIT;
    cat_args args;
    memset(&args, 0, sizeof args);
    int exit_code;
    if (parse_cat(&args, &words, command, argc, argv, &err) != NWBZ_OK)
        exit_code = cli_exit_error(&err, CLI_READS, false);
    else if (words.help)
        exit_code = cli_help(command);
    else
        exit_code = run_cat(&args, words.operands[0]);
    cli_words_done(&words);
    return exit_code;
}

const cli_command cli_command_cat = {
    "cat",
    "PATH::/OBJECT [OPTIONS]",
    "print elements of an array",
    "Prints the selection in C order, the last axis on a line, separated by tabs. PATH/OBJECT works as PATH::/OBJECT "
    "does.",
    cat_tables,
    main_cat,
};
