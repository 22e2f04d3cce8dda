/* Whether a folder holds nothing but Zarr keys, so that it may be replaced.
 *
 *   node     a folder with zarr.json, .zgroup or .zarray.  Besides documents (zarr.json .zgroup .zarray .zattrs
 *            .zmetadata) a group holds nodes and parents; an array (node_type "array", or .zarray) holds chunks.
 *   parent   a folder without document inside a node: it holds only nodes and parents, or nothing
 *   chunks   files 0, 0.1 (v2), c, c.0.1, and folders c, 0 that hold such numbers to any depth (0/1, c/0/1); numbers
 *            have no leading zeros
 *   ours     .nwbz-tmp-XXXXXXXX, what a killed write in place leaves
 *
 * The folder itself is a node, or empty: a folder of stores is none, so it is never replaced whole.  Files are regular
 * files; a symlink, a pipe or any other thing is foreign, as is every other name.  Each entry is looked at once: the
 * time is linear in their number. */
#include "store/staging.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"
#include "store/store.h"
#include "store/place.h"

#include <string.h>

typedef enum folder_kind { PARENT, GROUP, ARRAY, CHUNKS } folder_kind;

typedef struct walk {
    size_t n_root; /* length of the root's path, for names below it */
    char *foreign; /* the first one; the walk ends with NWBZ_ECANCELED */
    const char *folder;
    folder_kind kind;
} walk;

static nwbz_code folder_check(walk *at, const char *folder, folder_kind kind, nwbz_error *err);

/* ---- Names ------------------------------------------------------------------------- */

/* Return what follows the number at `text`; NULL when there is none, or one with a leading zero. */
static const char *after_number(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n == 0 || (n > 1 && *text == '0') ? NULL : text + n;
}

static bool is_number(const char *name)
{
    const char *end = after_number(name);
    return end && !*end;
}

/* "0", "0.1", "c", "c.0.1" */
static bool is_chunk_file(const char *name)
{
    const char *at = name[0] == 'c' ? name + 1 : after_number(name);
    while (at && *at == '.')
        at = after_number(at + 1);
    return at && !*at;
}

static bool is_document(const char *name)
{
    static const char *const others[] = { ".zattrs", NULL };
    for (const char *const *at = nz_document_names; *at; at++)
        if (strcmp(name, *at) == 0)
            return true;
    return strcmp(name, others[0]) == 0;
}

/* ---- What a folder is ------------------------------------------------------------------ */

static nwbz_code look_below(const char *folder, const char *name, nz_file_info *info, nwbz_error *err)
{
    char *path = nz_path_join(folder, name);
    nwbz_code code = path ? nz_file_look(path, false, info, err) : nz_fail_memory(err, strlen(folder), "a path");
    nz_free(path);
    return code;
}

/* A zarr.json that cannot be read makes a group: then nothing beside it is taken for a chunk. */
static nwbz_code kind_of_document(const char *folder, folder_kind *kind, nwbz_error *err)
{
    char *path = nz_path_join(folder, nz_document_names[0]), *text = NULL;
    size_t n = 0;
    nz_json *document = NULL;
    nwbz_error failed = NWBZ_ERROR_INIT;
    nwbz_code code = path ? nz_file_read_all(path, NZ_DOCUMENT_MAX_BYTES, &text, &n, NWBZ_EIO, &failed)
                          : nz_fail_memory(&failed, strlen(folder), "a path");
    if (code == NWBZ_OK)
        code = nz_json_parse(text, n, &document, &failed);
    const char *type = code == NWBZ_OK ? nz_json_get_text(document, "node_type") : NULL;
    *kind = type && strcmp(type, "array") == 0 ? ARRAY : GROUP;
    nz_json_free(document);
    nz_free(text);
    nz_free(path);
    if (code == NWBZ_OK || code == NWBZ_EFORMAT || code == NWBZ_ELIMIT)
        return NWBZ_OK;
    if (err)
        *err = failed;
    return code;
}

static nwbz_code kind_of_folder(const char *folder, folder_kind *kind, nwbz_error *err)
{
    nz_file_info info;
    *kind = PARENT;
    NZ_TRY(look_below(folder, nz_document_names[0], &info, err));
    if (info.kind == NZ_FILE_REGULAR)
        return kind_of_document(folder, kind, err);
    NZ_TRY(look_below(folder, ".zarray", &info, err));
    if (info.kind == NZ_FILE_REGULAR)
        *kind = ARRAY;
    NZ_TRY(look_below(folder, ".zgroup", &info, err));
    if (info.kind == NZ_FILE_REGULAR && *kind == PARENT)
        *kind = GROUP;
    return NWBZ_OK;
}

/* ---- The walk -------------------------------------------------------------------------- */

static nwbz_code is_foreign(walk *at, const char *path, nwbz_error *err)
{
    at->foreign = nz_strdup(path + at->n_root + 1);
    return at->foreign ? NWBZ_ECANCELED : nz_fail_memory(err, strlen(path), "a path");
}

static nwbz_code file_check(walk *at, const char *path, const char *name, nwbz_error *err)
{
    nz_file_info info;
    bool fits = nz_name_is_temporary(name);
    if (at->kind == CHUNKS)
        fits = fits || is_number(name);
    else if (at->kind != PARENT)
        fits = fits || is_document(name) || (at->kind == ARRAY && is_chunk_file(name));
    if (!fits)
        return is_foreign(at, path, err);
    NZ_TRY(nz_file_look(path, false, &info, err));
    bool is_fine = info.kind == NZ_FILE_REGULAR || info.kind == NZ_FILE_ABSENT; /* gone meanwhile */
    return is_fine ? NWBZ_OK : is_foreign(at, path, err);
}

static nwbz_code subfolder_check(walk *at, const char *path, const char *name, nwbz_error *err)
{
    if (at->kind == CHUNKS || at->kind == ARRAY) {
        bool fits = is_number(name) || (at->kind == ARRAY && strcmp(name, "c") == 0);
        return fits ? folder_check(at, path, CHUNKS, err) : is_foreign(at, path, err);
    }
    folder_kind kind;
    NZ_TRY(kind_of_folder(path, &kind, err));
    return folder_check(at, path, kind, err);
}

static nwbz_code entry_check(const char *name, bool is_folder, void *user, nwbz_error *err)
{
    walk *at = user;
    char *path = nz_path_join(at->folder, name);
    if (!path)
        return nz_fail_memory(err, strlen(name), "a path");
    nwbz_code code = is_folder ? subfolder_check(at, path, name, err) : file_check(at, path, name, err);
    nz_free(path);
    return code;
}

static nwbz_code folder_check(walk *at, const char *folder, folder_kind kind, nwbz_error *err)
{
    walk below = { at->n_root, NULL, folder, kind };
    nwbz_code code = nz_folder_each(folder, entry_check, &below, err);
    at->foreign = below.foreign;
    return code;
}

static nwbz_code any_entry(const char *name, bool is_folder, void *user, nwbz_error *err)
{
    (void)is_folder;
    char **first = user;
    *first = nz_strdup(name);
    return *first ? NWBZ_ECANCELED : nz_fail_memory(err, strlen(name), "a name");
}

nwbz_code nz_staging_is_zarr_only(const char *path, bool *zarr_only, char **foreign, nwbz_error *err)
{
    *zarr_only = false;
    *foreign = NULL;
    folder_kind kind;
    walk at = { strlen(path), NULL, path, PARENT };
    NZ_TRY(kind_of_folder(path, &kind, err));
    nwbz_code code =
        kind == PARENT ? nz_folder_each(path, any_entry, &at.foreign, err) : folder_check(&at, path, kind, err);
    *foreign = at.foreign;
    if (code == NWBZ_ECANCELED && at.foreign)
        return NWBZ_OK;
    *zarr_only = code == NWBZ_OK;
    return code;
}
