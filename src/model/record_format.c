/* Elements of types with a size of their own as text.  A record is a JSON object in either style: it has no other form that
 * a person would know. */
#include "base/base64.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf32.h"
#include "model/dtype.h"

#include <string.h>

static nwbz_code add_quoted(const char *text, size_t n, nz_buffer *out, nwbz_error *err)
{
    nz_json *json = nz_json_new_text_n(text, n);
    nwbz_code code = json ? nz_json_format(json, out, err) : nz_fail_memory(err, n, "a text");
    nz_json_free(json);
    return code;
}

static nwbz_code add_utf32(const nz_dtype *dtype, const void *element, nwbz_element_style style, nz_buffer *out,
                           nwbz_error *err)
{
    if (style == NWBZ_STYLE_TEXT)
        return nz_utf32_decode(element, (size_t)dtype->element_bytes, out, err);
    nz_buffer text = NZ_BUFFER_INIT(out->max_bytes);
    nwbz_code code = nz_utf32_decode(element, (size_t)dtype->element_bytes, &text, err);
    if (code == NWBZ_OK)
        code = add_quoted(text.bytes, text.n_bytes, out, err);
    nz_buffer_done(&text);
    return code;
}

static nwbz_code add_raw(const nz_dtype *dtype, const void *element, nwbz_element_style style, nz_buffer *out,
                         nwbz_error *err)
{
    const char *quote = style == NWBZ_STYLE_JSON ? "\"" : "";
    NZ_TRY(nz_buffer_add_text(out, quote, err));
    NZ_TRY(nz_base64_encode(element, (size_t)dtype->element_bytes, out, err));
    return nz_buffer_add_text(out, quote, err);
}

static nwbz_code add_record(const nz_dtype *dtype, const void *element, nz_buffer *out, nwbz_error *err)
{
    NZ_TRY(nz_buffer_add_text(out, "{", err));
    for (size_t i = 0; i < dtype->n_fields; i++) {
        const nz_field *field = &dtype->fields[i];
        NZ_TRY(nz_buffer_add_text(out, i ? ", " : "", err));
        NZ_TRY(add_quoted(field->name, strlen(field->name), out, err));
        NZ_TRY(nz_buffer_add_text(out, ": ", err));
        NZ_TRY(nz_element_add(&field->dtype, (const char *)element + field->offset_bytes, NWBZ_STYLE_JSON, out, err));
    }
    return nz_buffer_add_text(out, "}", err);
}

nwbz_code nz_element_add(const nz_dtype *dtype, const void *element, nwbz_element_style style, nz_buffer *out,
                         nwbz_error *err)
{
    char *text = NULL;
    if (dtype->type == NWBZ_STRUCT)
        return add_record(dtype, element, out, err);
    if (dtype->type == NWBZ_UTF32)
        return add_utf32(dtype, element, style, out, err);
    if (dtype->type == NWBZ_RAW)
        return add_raw(dtype, element, style, out, err);
    NZ_TRY(nwbz_element_format(dtype->type, element, style, &text, err));
    nwbz_code code = nz_buffer_add_text(out, text, err);
    nz_free(text);
    return code;
}
