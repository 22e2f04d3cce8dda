#include "entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "skim.h"

const char *cli_entry_dtype(const nwbz_entry *entry)
{
    return entry->array.type == NWBZ_TYPE_NONE ? "?" : nwbz_type_name(entry->array.type);
}

/* ---- Types ---- */

/* Text that is cut where it is full. */
typedef struct type_text {
    char *text;
    size_t n;
} type_text;

static void add(type_text *out, const char *text, size_t n)
{
    size_t room = CLI_TEXT - 1 - out->n;
    if (n > room) {
        memcpy(out->text + CLI_TEXT - 4, "...", 4);
        out->n = CLI_TEXT - 1;
        return;
    }
    memcpy(out->text + out->n, text, n);
    out->text[out->n += n] = 0;
}

static void add_text(type_text *out, const char *text)
{
    add(out, text, strlen(text));
}

static bool is_name(const cli_member *name, const char *text)
{
    return name->n_value == strlen(text) + 2 && strncmp(name->value + 1, text, name->n_value - 2) == 0;
}

/* Step to the next of a record's fields; `at` starts at the list. */
static bool next_field(const char **at, cli_member *name, cli_member *type)
{
    const char *field;
    size_t n_field;
    return cli_skim_next_item(at, &field, &n_field) && cli_skim_find(field, "name", name) &&
           cli_skim_find(field, "data_type", type) && name->n_value >= 2;
}

static void add_type(type_text *out, const char *json, size_t n_json);

static void add_record(type_text *out, const char *fields)
{
    cli_member name, type;
    const char *between = "struct{";
    for (const char *at = fields; out->n < CLI_TEXT - 1 && next_field(&at, &name, &type); between = ", ") {
        add_text(out, between);
        add(out, name.value + 1, name.n_value - 2);
        add_text(out, ": ");
        add_type(out, type.value, type.n_value);
    }
    add_text(out, "}");
}

/* `json` is a name, or an object with a name and a configuration, as the library writes it. */
static void add_type(type_text *out, const char *json, size_t n_json)
{
    cli_member name, configuration, member;
    if (*json == '"' && n_json >= 2) {
        add(out, json + 1, n_json - 2);
        return;
    }
    if (!cli_skim_find(json, "name", &name) || !cli_skim_find(json, "configuration", &configuration))
        return;
    if (cli_skim_find(configuration.value, "fields", &member)) {
        add_record(out, member.value);
    } else if (cli_skim_find(configuration.value, "length_bytes", &member)) {
        char text[64];
        bool is_utf32 = is_name(&name, "fixed_length_utf32");
        uint64_t n = strtoull(member.value, NULL, 10);
        (void)snprintf(text, sizeof text, "%s[%" PRIu64 "]", is_utf32 ? "utf32" : "raw", is_utf32 ? n / 4 : n);
        add_text(out, text);
    }
}

char *cli_entry_type_text(const nwbz_entry *entry, char *text)
{
    type_text out = { text, 0 };
    const char *json = entry->array.data_type_json;
    text[0] = 0;
    if (json && *json)
        add_type(&out, json, strlen(json));
    else
        add_text(&out, cli_entry_dtype(entry));
    return text;
}

bool cli_entry_next_field(const char **at, const char **name, size_t *n_name, char *text)
{
    cli_member member, configuration, fields, type;
    type_text out = { text, 0 };
    if (!*at)
        return false;
    if (**at == '{') { /* the type itself: go to its list */
        if (!cli_skim_find(*at, "configuration", &configuration) ||
            !cli_skim_find(configuration.value, "fields", &fields))
            return false;
        *at = fields.value;
    }
    text[0] = 0;
    if (!next_field(at, &member, &type))
        return false;
    *name = member.value + 1;
    *n_name = member.n_value - 2;
    add_type(&out, type.value, type.n_value);
    return true;
}

/* ---- Entries ---- */

char *cli_entry_type(const nwbz_entry *entry, char *text)
{
    cli_member member;
    text[0] = 0;
    if (cli_skim_find(entry->attributes_json, "neurodata_type", &member) && member.n_value >= 2 &&
        member.value[0] == '"')
        (void)snprintf(text, CLI_TEXT, "%.*s", (int)(member.n_value - 2 < CLI_TEXT ? member.n_value - 2 : CLI_TEXT - 1),
                       member.value + 1);
    return text;
}

static void print_shape(const char *name, const uint64_t *shape, unsigned n_dims)
{
    (void)printf(", \"%s\": ", name);
    if (!shape && n_dims) {
        (void)printf("null");
        return;
    }
    (void)printf("[");
    for (unsigned i = 0; i < n_dims; i++)
        (void)printf("%s%" PRIu64, i ? ", " : "", shape[i]);
    (void)printf("]");
}

static void print_fill_value(const nwbz_array_info *array)
{
    bool is_known = array->fill_value_json && *array->fill_value_json;
    (void)printf(", \"fill_value\": %s", is_known ? array->fill_value_json : "null");
}

static void print_array(const nwbz_entry *entry)
{
    const nwbz_array_info *array = &entry->array;
    (void)printf(", \"dtype\": ");
    cli_print_json_text(stdout, cli_entry_dtype(entry));
    if (array->type != NWBZ_TYPE_NONE && nwbz_type_size(array->type) == 0)
        (void)printf(", \"data_type\": %s", array->data_type_json);
    if (entry->unsupported) {
        (void)printf(", \"unsupported\": ");
        cli_print_json_text(stdout, entry->unsupported);
    }
    print_shape("shape", array->shape, array->n_dims);
    print_shape("chunks", array->chunk_shape, array->n_dims);
    print_shape("shards", array->shard_shape, array->shard_shape ? array->n_dims : 1);
    (void)printf(", \"codec\": ");
    cli_print_json_text(stdout, array->codec ? array->codec : "");
    if (array->type != NWBZ_TYPE_NONE)
        print_fill_value(array);
    (void)printf(", \"zarr_format\": %d", array->zarr_format);
}

void cli_entry_print_members(const nwbz_entry *entry)
{
    (void)printf("{\"path\": ");
    cli_print_json_text(stdout, entry->path);
    (void)printf(", \"kind\": \"%s\"", entry->is_array ? "array" : "group");
    if (entry->is_array)
        print_array(entry);
    (void)printf(", \"attributes\": %s",
                 entry->attributes_json && *entry->attributes_json ? entry->attributes_json : "{}");
}
