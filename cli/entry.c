#include "entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "skim.h"

const char *cli_entry_dtype(const nwbz_entry *entry)
{
    return entry->array.type == NWBZ_TYPE_NONE ? "?" : nwbz_type_name(entry->array.type);
}

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
    char *text = NULL;
    nwbz_error ignored = NWBZ_ERROR_INIT;
    if (array->fill_value &&
        nwbz_element_format(array->type, array->fill_value, NWBZ_STYLE_JSON, &text, &ignored) == NWBZ_OK)
        (void)printf(", \"fill_value\": %s", text);
    else
        (void)printf(", \"fill_value\": null");
    nwbz_free(text);
}

static void print_array(const nwbz_entry *entry)
{
    const nwbz_array_info *array = &entry->array;
    (void)printf(", \"dtype\": ");
    cli_print_json_text(stdout, cli_entry_dtype(entry));
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
