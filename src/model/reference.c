/* The JSON text is written here, once, since it must be the same in columns and in fields of records. */
#include "model/reference.h"

#include "base/json.h"

#include <string.h>

static nwbz_code put(nz_json *object, const char *path, const char *region, nwbz_error *err)
{
    NZ_TRY(nz_json_put(object, "source", nz_json_new_text("."), err));
    if (region == NULL)
        return NWBZ_OK; /* the root */
    nz_json *boxes = NULL;
    NZ_TRY(nz_json_put(object, "path", nz_json_new_text(path), err));
    NZ_TRY(nz_json_parse(region, strlen(region), &boxes, err));
    return nz_json_put(object, "region", boxes, err);
}

nwbz_code nz_reference_text(const char *path, const char *region, nz_buffer *out, nwbz_error *err)
{
    if (path == NULL || *path == 0)
        return NWBZ_OK;
    if (region == NULL && strcmp(path, "/") != 0)
        return nz_buffer_add_text(out, path, err);
    nz_json *object = nz_json_new_object();
    nwbz_code code = put(object, path, region, err);
    if (code == NWBZ_OK)
        code = nz_json_format(object, out, err);
    nz_json_free(object);
    return code;
}
