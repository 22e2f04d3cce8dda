/* Skim the members of a JSON object that the library handed over, without building a tree: enough to print
 * attributes. */
#ifndef CLI_SKIM_H
#define CLI_SKIM_H

#include <stdbool.h>
#include <stddef.h>

/* One member; both are slices of the text as it stands: the name without its quotes, the value with them. */
typedef struct cli_member {
    const char *name, *value;
    size_t n_name, n_value;
} cli_member;

/*
 * Step to the next member of the object: *at starts at the object's text and is moved.  False: no more, or not an
 * object.
 * The text is valid JSON, as the library's attributes_json is.
 */
bool cli_skim_next(const char **at, cli_member *member);

/* Step to the next element of the array, *at starting at the array's text: a slice of it.  False: no more, or not an
 * array. */
bool cli_skim_next_item(const char **at, const char **value, size_t *n_value);

/* Find a member by name. */
bool cli_skim_find(const char *object, const char *name, cli_member *member);

#endif
