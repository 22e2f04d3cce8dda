#include "print.h"

#include <math.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "exit.h"

/* ---- Numbers ----------------------------------------------------------------------------- */

static char *text_scaled(char *text, double value, double step, const char *const *units, size_t n_units)
{
    size_t unit = 0;
    while (value >= step * 0.99995 && unit + 1 < n_units) { /* 999.96 MB would print as 1000.0 MB */
        value /= step;
        unit++;
    }
    (void)snprintf(text, CLI_TEXT, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}

char *cli_text_bytes(char *text, uint64_t bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };
    return text_scaled(text, (double)bytes, 1000, units, 6);
}

char *cli_text_memory(char *text, uint64_t bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    return text_scaled(text, (double)bytes, 1024, units, 5);
}

char *cli_text_seconds(char *text, double seconds)
{
    uint64_t whole = seconds > 0 && seconds < 1e15 ? (uint64_t)(seconds + 0.5) : 0;
    if (whole < 3600)
        (void)snprintf(text, CLI_TEXT, "%02" PRIu64 ":%02" PRIu64, whole / 60, whole % 60);
    else
        (void)snprintf(text, CLI_TEXT, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, whole / 3600, whole / 60 % 60,
                       whole % 60);
    return text;
}

char *cli_text_shape(char *text, const uint64_t *shape, unsigned n_dims)
{
    size_t n = (size_t)snprintf(text, CLI_TEXT, "(");
    for (unsigned i = 0; i < n_dims && n < CLI_TEXT; i++) {
        const char *separator = i ? ", " : "";
        if (shape[i] == NWBZ_UNKNOWN_LENGTH)
            n += (size_t)snprintf(text + n, CLI_TEXT - n, "%s-", separator);
        else
            n += (size_t)snprintf(text + n, CLI_TEXT - n, "%s%" PRIu64, separator, shape[i]);
    }
    if (n < CLI_TEXT)
        (void)snprintf(text + n, CLI_TEXT - n, ")");
    return text;
}

/* ---- Text ---------------------------------------------------------------------------------- */

void cli_print_safe(FILE *file, const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at < 0x20 || *at == 0x7f)
            (void)fprintf(file, "\\x%02x", *at);
        else
            (void)fputc(*at, file);
    }
}

void cli_print_json_text(FILE *file, const char *text)
{
    nwbz_string element = { text, strlen(text) };
    char *json = NULL;
    nwbz_error ignored = NWBZ_ERROR_INIT;
    if (nwbz_element_format(NWBZ_STRING, &element, NWBZ_STYLE_JSON, &json, &ignored) == NWBZ_OK)
        (void)fputs(json, file);
    else
        (void)fputs("null", file);
    nwbz_free(json);
}

void cli_print_error(const nwbz_error *err)
{
    (void)fputs("nwbz: ", stderr);
    if (err->where[0]) {
        cli_print_safe(stderr, err->where);
        (void)fputs(": ", stderr);
    }
    cli_print_safe(stderr, err->message[0] ? err->message : nwbz_code_name(err->code));
    (void)fputc('\n', stderr);
}

void cli_print_json_error(const nwbz_error *err, int exit_code)
{
    (void)printf("{\"error\": {\"code\": \"%s\", \"exit\": %d, \"where\": ", nwbz_code_name(err->code), exit_code);
    cli_print_json_text(stdout, err->where);
    (void)fputs(", \"message\": ", stdout);
    cli_print_json_text(stdout, err->message);
    (void)fputs("}}\n", stdout);
    (void)cli_flush();
}

void cli_print_quoted(FILE *file, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+%@";
    if (*text && strspn(text, plain) == strlen(text)) {
        (void)fputs(text, file);
        return;
    }
    (void)fputc('\'', file);
    for (; *text; text++) {
        if (*text == '\'')
            (void)fputs("'\\''", file);
        else
            (void)fputc(*text, file);
    }
    (void)fputc('\'', file);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

void cli_table_add(cli_table *table, const char *cell)
{
    char **grown = realloc(table->cells, (table->n_cells + 1) * sizeof *grown);
    char *copy = malloc(strlen(cell) + 1);
    if (grown)
        table->cells = grown;
    if (!grown || !copy) {
        free(copy);
        table->failed = true;
        return;
    }
    memcpy(copy, cell, strlen(cell) + 1);
    table->cells[table->n_cells++] = copy;
}

static size_t column_width(const cli_table *table, size_t column)
{
    size_t width = 0;
    for (size_t i = column; i < table->n_cells; i += table->n_columns)
        if (strlen(table->cells[i]) > width)
            width = strlen(table->cells[i]);
    return width;
}

void cli_table_print(cli_table *table, FILE *file)
{
    size_t *widths = calloc(table->n_columns, sizeof *widths);
    for (size_t c = 0; widths && c < table->n_columns; c++)
        widths[c] = column_width(table, c);
    for (size_t i = 0; i < table->n_cells; i++) {
        bool last = (i + 1) % table->n_columns == 0;
        cli_print_safe(file, table->cells[i]);
        size_t pad = last || !widths ? 0 : widths[i % table->n_columns] - strlen(table->cells[i]) + 2;
        (void)fprintf(file, "%*s", (int)pad, "");
        if (last)
            (void)fputc('\n', file);
    }
    for (size_t i = 0; i < table->n_cells; i++)
        free(table->cells[i]);
    free(table->cells);
    free(widths);
    table->cells = NULL;
    table->n_cells = 0;
}

bool cli_flush(void)
{
    return !ferror(stdout) && fflush(stdout) == 0;
}
