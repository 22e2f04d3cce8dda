/* What people read: sizes, times, shapes, tables, errors in one line.  Results go to stdout, all else to stderr. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stdio.h>

#include <nwbz/types.h>

/* Texts of numbers; `text` holds CLI_TEXT bytes, and is returned. */
enum { CLI_TEXT = 512 };
char *cli_text_bytes(char *text, uint64_t bytes);                         /* 2.8 GB (powers of 1000) */
char *cli_text_memory(char *text, uint64_t bytes);                        /* 1.0 GiB (powers of 1024) */
char *cli_text_seconds(char *text, double seconds);                       /* 00:05, 1:02:03 */
char *cli_text_shape(char *text, const uint64_t *shape, unsigned n_dims); /* (3600000, 384) */

/* Write `text` with control characters as \xNN, so that a name cannot break a line or steer a terminal. */
void cli_print_safe(FILE *file, const char *text);

/* Write `text` as a JSON string, quotes included. */
void cli_print_json_text(FILE *file, const char *text);

/* Write `nwbz: WHERE: WHAT; what to do` to stderr. */
void cli_print_error(const nwbz_error *err);

/* Write {"error": {...}} to stdout: what a program that asked for --json gets when the command fails. */
void cli_print_json_error(const nwbz_error *err, int exit_code);

/* Write `text` as one argument for a shell, quoted where it must be. */
void cli_print_quoted(FILE *file, const char *text);

/* A table with columns as wide as their widest cell.  Cells are copied. */
typedef struct cli_table {
    char **cells;
    size_t n_columns, n_cells;
    bool failed;
} cli_table;
void cli_table_add(cli_table *table, const char *cell);
void cli_table_print(cli_table *table, FILE *file); /* and frees it */

/* Flush stdout.  False: what was printed did not arrive (full disk, closed pipe); errno says why. */
bool cli_flush(void);

#endif
