#include "skim.h"

#include <string.h>

static const char *skip_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Return the end of the string that begins at `at`. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1])
            at++;
    return *at ? at + 1 : at;
}

/* Return the end of the value that begins at `at`: brackets are counted outside of strings. */
static const char *skip_value(const char *at)
{
    size_t depth = 0;
    while (*at) {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (depth == 0 && strchr(",}] \t\r\n", *at))
            break;
        depth += *at == '{' || *at == '[';
        bool closes = *at == '}' || *at == ']';
        at++;
        if (closes && --depth == 0)
            break;
    }
    return at;
}

bool cli_skim_next(const char **at, cli_member *member)
{
    const char *p = skip_blank(*at);
    if (*p == '{' || *p == ',')
        p = skip_blank(p + 1);
    if (*p != '"')
        return false;
    const char *end = skip_string(p);
    member->name = p + 1;
    member->n_name = (size_t)(end - p) >= 2 ? (size_t)(end - p) - 2 : 0;
    p = skip_blank(end);
    if (*p != ':')
        return false;
    member->value = skip_blank(p + 1);
    end = skip_value(member->value);
    member->n_value = (size_t)(end - member->value);
    *at = end;
    return true;
}

bool cli_skim_next_item(const char **at, const char **value, size_t *n_value)
{
    const char *p = skip_blank(*at);
    if (*p != '[' && *p != ',')
        return false;
    p = skip_blank(p + 1);
    const char *end = skip_value(p);
    *value = p;
    *n_value = (size_t)(end - p);
    *at = end;
    return end > p;
}

bool cli_skim_find(const char *object, const char *name, cli_member *member)
{
    while (object && cli_skim_next(&object, member))
        if (member->n_name == strlen(name) && strncmp(member->name, name, member->n_name) == 0)
            return true;
    return false;
}
