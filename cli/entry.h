/* One group or array, in the words that ls and info share. */
#ifndef CLI_ENTRY_H
#define CLI_ENTRY_H

#include <nwbz/array.h>

/* Return the dtype's name, or "?" where this version cannot read it. */
const char *cli_entry_dtype(const nwbz_entry *entry);

/* Write the neurodata_type, "" where there is none, to `text` of CLI_TEXT bytes; return it. */
char *cli_entry_type(const nwbz_entry *entry, char *text);

/* Print the members "path", "kind", "dtype" ... "attributes" of one JSON object, without the closing brace. */
void cli_entry_print_members(const nwbz_entry *entry);

#endif
