/* Attribute values as JSON.
 *
 * JSON keeps less than a typed value: integers of every width become numbers without point, floats numbers with one
 * (a float32 is widened first), a reference the object that hdmf-zarr looks up.  Shapes become lists in lists, built
 * from the innermost axis by one recursion over the axes; lists and records of values lists and objects.
 *
 * A scalar reference to nothing is left out, since hdmf-zarr looks it up when it opens the file.  What stands in lists
 * and records it takes as it is; there such a reference keeps its place, with an empty path.
 */
#include "base/checked.h"
#include "base/memory.h"
#include "hdmf/write.h"
#include "model/dtype.h"

#include <string.h>

enum { MAX_EMPTY_LISTS = 1000000 };

/* Parts of a reference behind its source; NULL members are not there. */
static nwbz_code put_target(nz_json *inner, const nwbz_string *path, const char *region, nwbz_error *err)
{
    nz_json *boxes = NULL;
    bool is_root = path->n_bytes == 1 && path->bytes[0] == '/'; /* hdmf-zarr cannot look up the path "/" */
    NZ_TRY(nz_json_put(inner, "source", nz_json_new_text("."), err));
    if (!is_root)
        NZ_TRY(nz_json_put(inner, "path", nz_json_new_text_n(path->bytes, (size_t)path->n_bytes), err));
    if (region == NULL)
        return NWBZ_OK;
    NZ_TRY(nz_json_parse(region, strlen(region), &boxes, err));
    return nz_json_put(inner, "region", boxes, err);
}

static nz_json *reference_json(const nwbz_string *path, const char *region)
{
    nz_json *inner = nz_json_new_object(), *outer = nz_json_new_object();
    if (put_target(inner, path, region, NULL) != NWBZ_OK) {
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
            return reference_json(string, value->region);
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

static nz_json *value_json(const nz_value *value);

static nz_json *list_json(const nz_value *value)
{
    nz_json *list = nz_json_new_array();
    for (size_t i = 0; list != NULL && i < value->n_items; i++)
        if (nz_json_push(list, value_json(&value->items[i]), NULL) != NWBZ_OK) {
            nz_json_free(list);
            list = NULL;
        }
    return list;
}

static nz_json *record_json(const nz_value *value)
{
    nz_json *record = nz_json_new_object();
    for (size_t i = 0; record != NULL && i < value->n_items; i++)
        if (nz_json_put(record, value->names[i], value_json(&value->items[i]), NULL) != NWBZ_OK) {
            nz_json_free(record);
            record = NULL;
        }
    return record;
}

/* NULL: no memory.  Lists are no deeper than the types of a file, whose depth its reader bounds. */
static nz_json *value_json(const nz_value *value)
{
    uint64_t next = 0;
    if (value->names != NULL)
        return record_json(value);
    return value->items != NULL ? list_json(value) : axis_json(value, 0, &next);
}

/* Lists of nothing need no elements, and so may be more than memory holds. */
static nwbz_code check_empty_lists(const nz_value *value, nwbz_error *err)
{
    uint64_t n = 1;
    for (unsigned d = 0; d < value->n_dims && value->shape[d] > 0; d++)
        if (!nz_mul(n, value->shape[d], &n))
            n = UINT64_MAX;
    if (nz_value_count(value) > 0 || n <= MAX_EMPTY_LISTS)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_ELIMIT, "an attribute of %llu empty lists, of at most %d", (unsigned long long)n,
                   MAX_EMPTY_LISTS);
}

/* Refuse what no JSON could be made of, so that what remains is memory. */
static nwbz_code check_value(const nz_value *value, nwbz_error *err)
{
    if (value->items == NULL && nwbz_type_size(value->type) == 0)
        return nz_fail(err, NWBZ_EINVAL, "an attribute of type %s has no JSON", nwbz_type_name(value->type));
    NZ_TRY(check_empty_lists(value, err));
    if (value->region != NULL) {
        nz_json *boxes = NULL;
        NZ_TRY(nz_json_parse(value->region, strlen(value->region), &boxes, err));
        nz_json_free(boxes);
    }
    for (size_t i = 0; i < value->n_items; i++)
        NZ_TRY(check_value(&value->items[i], err));
    return NWBZ_OK;
}

nwbz_code nz_hdmf_attribute_json(const nz_value *value, nz_json **json, nwbz_error *err)
{
    *json = NULL;
    NZ_TRY(check_value(value, err));
    if (value->is_reference && value->n_dims == 0 && ((const nwbz_string *)value->elements)->n_bytes == 0)
        return NWBZ_OK;
    *json = value_json(value);
    return *json != NULL ? NWBZ_OK : nz_fail_memory(err, 256, "an attribute");
}
