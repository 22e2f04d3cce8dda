/* Notes of nodes (docs/ON-DISK.md section 10), and conversions in the report. */
#include "base/memory.h"
#include "base/path.h"
#include "hdf5/tree_parts.h"

#include <stdarg.h>
#include <stdio.h>

nwbz_code nz_hdf5_note_put(nz_node *node, const char *key, nz_json *value, nwbz_error *err)
{
    if (!node->note)
        node->note = nz_json_new_object();
    return nz_json_put(node->note, key, value, err);
}

/* Format into new memory; NULL without memory. */
static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    char *text = n < 0 ? NULL : nz_malloc((size_t)n + 1);
    if (text)
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

static nwbz_code tell(const nz_hdf5_tree *tree, const char *path, const char *attribute, const char *kind,
                      const char *text, nwbz_error *err)
{
    if (!tree->options.strict)
        return nz_report_convert(tree->options.report, err, path, attribute, kind, "%s", text);
    nwbz_code code = nz_fail(err, NWBZ_ESOURCE, "%s; with strict nothing may be stored in another form", text);
    return nz_where(err, code, "%s%s%s", path, attribute ? " attribute " : "", attribute ? attribute : "");
}

nwbz_code nz_hdf5_convert(const nz_hdf5_tree *tree, const nz_node *node, const char *attribute, const char *kind,
                          nwbz_error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(format, arguments), *path = nz_node_path(node);
    va_end(arguments);
    nwbz_code code =
        text && path ? tell(tree, path, attribute, kind, text, err) : nz_fail_memory(err, 256, "the report");
    nz_free(text);
    nz_free(path);
    return code;
}
