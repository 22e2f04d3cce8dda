/* One group or array, in the words that ls and info share. */
#ifndef CLI_ENTRY_H
#define CLI_ENTRY_H

#include <nwbz/array.h>

/* Return the dtype's name, or "?" where this version cannot read it. */
const char *cli_entry_dtype(const nwbz_entry *entry);

/*
 * Write the type with what its name alone does not say, "int16", "utf32[512]", "struct{x: float32, t: utf32[4]}", to
 * `text` of CLI_TEXT bytes, cut behind "..."; return it.
 */
char *cli_entry_type_text(const nwbz_entry *entry, char *text);

/* Step to the next field of a record: its name as JSON has it, and its type like above.  *at starts as
 * array.data_type_json; false: no more, or no record. */
bool cli_entry_next_field(const char **at, const char **name, size_t *n_name, char *text);

/* Write the neurodata_type, "" where there is none, to `text` of CLI_TEXT bytes; return it. */
char *cli_entry_type(const nwbz_entry *entry, char *text);

/* Print the members "path", "kind", "dtype" ... "attributes" of one JSON object, without the closing brace. */
void cli_entry_print_members(const nwbz_entry *entry);

#endif
