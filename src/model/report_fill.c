/* The report grows by one entry at a time, to twice the room when it is full: there may be 100,000 datasets. */
#include "model/report.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static nwbz_code set_text(char **to, const char *text, nwbz_error *err)
{
    nz_free(*to);
    *to = nz_strdup(text);
    return *to != NULL ? NWBZ_OK : nz_fail_memory(err, strlen(text) + 1, "the report");
}

/* Format into new memory, whole: text that is cut may end within a character.  NULL: no memory. */
static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    char *text = n < 0 ? NULL : nz_malloc((size_t)n + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

/* Add a zeroed entry to a list; its room is the next power of two of its length. */
static void *add_entry(void **list, size_t *n, size_t entry_bytes)
{
    if ((*n & (*n - 1)) == 0) {
        void *grown = nz_realloc(*list, (*n == 0 ? 1 : 2 * *n) * entry_bytes);
        if (grown == NULL)
            return NULL;
        *list = grown;
    }
    char *entry = (char *)*list + (*n)++ * entry_bytes;
    memset(entry, 0, entry_bytes);
    return entry;
}

nwbz_code nz_report_begin(nwbz_report *report, const char *source, const char *destination, nwbz_error *err)
{
    if (report == NULL)
        return NWBZ_OK;
    NZ_TRY(set_text(&report->source, source, err));
    return set_text(&report->destination, destination, err);
}

nwbz_code nz_report_warn(nwbz_report *report, nwbz_error *err, const char *path, const char *format, ...)
{
    va_list arguments;
    if (report == NULL)
        return NWBZ_OK;
    nwbz_warning *warning = add_entry((void **)&report->warnings, &report->n_warnings, sizeof *warning);
    if (warning == NULL)
        return nz_fail_memory(err, sizeof *warning, "the report");
    va_start(arguments, format);
    warning->text = format_text(format, arguments);
    va_end(arguments);
    if (warning->text == NULL)
        return nz_fail_memory(err, strlen(format), "the report");
    return set_text(&warning->path, path, err);
}

nwbz_code nz_report_convert(nwbz_report *report, nwbz_error *err, const char *path, const char *attribute,
                            const char *kind, const char *format, ...)
{
    va_list arguments;
    if (report == NULL)
        return NWBZ_OK;
    nwbz_conversion *conversion = add_entry((void **)&report->conversions, &report->n_conversions, sizeof *conversion);
    if (conversion == NULL)
        return nz_fail_memory(err, sizeof *conversion, "the report");
    va_start(arguments, format);
    conversion->detail = format_text(format, arguments);
    va_end(arguments);
    if (conversion->detail == NULL)
        return nz_fail_memory(err, strlen(format), "the report");
    if (attribute != NULL)
        NZ_TRY(set_text(&conversion->attribute, attribute, err));
    NZ_TRY(set_text(&conversion->path, path, err));
    return set_text(&conversion->kind, kind, err);
}

nwbz_code nz_report_dataset(nwbz_report *report, const char *path, const char *codec, nwbz_dataset_report **dataset,
                            nwbz_error *err)
{
    *dataset = NULL;
    if (report == NULL)
        return NWBZ_OK;
    *dataset = add_entry((void **)&report->datasets, &report->n_datasets, sizeof **dataset);
    if (*dataset == NULL)
        return nz_fail_memory(err, sizeof **dataset, "the report");
    NZ_TRY(set_text(&(*dataset)->path, path, err));
    return set_text(&(*dataset)->codec, codec, err);
}
