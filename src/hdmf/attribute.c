/* Attribute values as JSON.
 *
 * JSON keeps less than a typed value: integers of every width become numbers without point, floats numbers with one
 * (a float32 is widened first), a reference the object that hdmf-zarr looks up.  Shapes become lists in lists, built
 * from the innermost axis by one recursion over the axes.
 */
#include "base/memory.h"
#include "hdmf/write.h"
#include "model/dtype.h"

#include <string.h>

static nz_json *reference_json(const nwbz_string *path)
{
    nz_json *inner = nz_json_new_object(), *outer = nz_json_new_object();
    bool is_root = path->n_bytes == 1 && path->bytes[0] == '/'; /* hdmf-zarr cannot look up the path "/" */
    nwbz_code code = nz_json_put(inner, "source", nz_json_new_text("."), NULL);
    if (code == NWBZ_OK && !is_root)
        code = nz_json_put(inner, "path", nz_json_new_text_n(path->bytes, (size_t)path->n_bytes), NULL);
    if (code != NWBZ_OK) {
        nz_json_free(inner);
        inner = NULL;
    }
    if (nz_json_put(outer, "_REFERENCE", inner, NULL) == NWBZ_OK)
        return outer;
    nz_json_free(outer);
    return NULL;
}

static nz_json *pair_json(double real, double imaginary)
{
    nz_json *pair = nz_json_new_array();
    if (nz_json_push(pair, nz_json_new_double(real), NULL) == NWBZ_OK &&
        nz_json_push(pair, nz_json_new_double(imaginary), NULL) == NWBZ_OK)
        return pair;
    nz_json_free(pair);
    return NULL;
}

/* One integer of `n_bytes`, sign-extended or not. */
static nz_json *integer_json(const void *element, size_t n_bytes, bool is_signed)
{
    uint64_t bits = 0;
    memcpy(&bits, element, n_bytes);
    unsigned unused = 64 - 8 * (unsigned)n_bytes;
    if (!is_signed)
        return nz_json_new_uint(bits);
    uint64_t sign = (uint64_t)1 << (63 - unused);
    return nz_json_new_int((int64_t)((bits ^ sign) - sign));
}

static nz_json *float_json(nwbz_type type, const void *element)
{
    uint16_t half;
    float f[2];
    double d[2];
    switch (type) {
    case NWBZ_FLOAT16:
        memcpy(&half, element, sizeof half);
        return nz_json_new_double((double)nz_half_to_float(half));
    case NWBZ_FLOAT32:
        memcpy(f, element, sizeof f[0]);
        return nz_json_new_double((double)f[0]);
    case NWBZ_FLOAT64:
        memcpy(d, element, sizeof d[0]);
        return nz_json_new_double(d[0]);
    case NWBZ_COMPLEX64:
        memcpy(f, element, sizeof f);
        return pair_json((double)f[0], (double)f[1]);
    default:
        memcpy(d, element, sizeof d);
        return pair_json(d[0], d[1]);
    }
}

/* NULL: no memory. */
static nz_json *element_json(const nz_value *value, uint64_t i)
{
    size_t size = nwbz_type_size(value->type);
    const unsigned char *element = (const unsigned char *)value->elements + i * size;
    const nwbz_string *string = (const nwbz_string *)(const void *)element;
    switch (value->type) {
    case NWBZ_STRING:
        if (value->is_reference)
            return reference_json(string);
        return nz_json_new_text_n(string->n_bytes > 0 ? string->bytes : "", (size_t)string->n_bytes);
    case NWBZ_BOOL:
        return nz_json_new_bool(*element != 0);
    case NWBZ_INT8:
    case NWBZ_INT16:
    case NWBZ_INT32:
    case NWBZ_INT64:
        return integer_json(element, size, true);
    case NWBZ_UINT8:
    case NWBZ_UINT16:
    case NWBZ_UINT32:
    case NWBZ_UINT64:
        return integer_json(element, size, false);
    default:
        return float_json(value->type, element);
    }
}

/* The lists from axis `d` on, taking elements from *next. */
static nz_json *axis_json(const nz_value *value, unsigned d, uint64_t *next)
{
    if (d == value->n_dims)
        return element_json(value, (*next)++);
    nz_json *list = nz_json_new_array();
    for (uint64_t i = 0; list != NULL && i < value->shape[d]; i++)
        if (nz_json_push(list, axis_json(value, d + 1, next), NULL) != NWBZ_OK) {
            nz_json_free(list);
            list = NULL;
        }
    return list;
}

nwbz_code nz_hdmf_attribute_json(const nz_value *value, nz_json **json, nwbz_error *err)
{
    uint64_t n = nz_value_count(value), next = 0;
    *json = NULL;
    for (uint64_t i = 0; value->is_reference && i < n; i++)
        if (((const nwbz_string *)value->elements)[i].n_bytes == 0)
            return NWBZ_OK;
    *json = axis_json(value, 0, &next);
    return *json != NULL ? NWBZ_OK : nz_fail_memory(err, (size_t)n * nwbz_type_size(value->type), "an attribute");
}
