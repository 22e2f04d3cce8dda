/* Names that no key of a store can have are refused; names that other systems cannot hold are listed (docs/ON-DISK.md
 * section 14).  Letters are folded in ASCII alone: more would need the tables of Unicode. */
#include "base/memory.h"
#include "base/utf8.h"
#include "hdf5/tree_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME_BYTES = 255, SHOWN_BYTES = 60 };

/* ---- refused -------------------------------------------------------------------------- */

/* Show the beginning of a name that may be no text. */
static const char *shown(const char *name, char text[4 * SHOWN_BYTES + 4])
{
    char *at = text;
    size_t n = strlen(name);
    for (size_t i = 0; i < n && i < SHOWN_BYTES; i++) {
        unsigned char byte = (unsigned char)name[i];
        at += byte < 0x20 || byte > 0x7e ? snprintf(at, 5, "\\x%02x", byte) : snprintf(at, 5, "%c", byte);
    }
    memcpy(at, n > SHOWN_BYTES ? "..." : "", n > SHOWN_BYTES ? 4 : 1);
    return text;
}

static bool is_taken(const char *name)
{
    static const char *const taken[] = { "", ".", "..", "zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata" };
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return false;
}

nwbz_code nz_hdf5_name_check(const char *name, nwbz_error *err)
{
    char text[4 * SHOWN_BYTES + 4];
    const char *why = NULL;
    size_t n = strlen(name);
    if (is_taken(name))
        why = "has a meaning of its own in a Zarr store";
    else if (strchr(name, '/'))
        why = "has a slash";
    else if (strchr(name, '\\'))
        why = "has a backslash, which readers of Zarr take for a slash";
    else if (n > MAX_NAME_BYTES)
        why = "has more than the 255 bytes that file systems take";
    else if (!nz_utf8_is_valid(name, n))
        why = "is not UTF-8";
    if (!why)
        return NWBZ_OK;
    return nz_fail(err, NWBZ_ESOURCE, "the name '%s' %s: rename it (h5py: group.move), or leave it out",
                   shown(name, text), why);
}

/* ---- listed ----------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int compare_folded(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return (unsigned char)lower(*a) - (unsigned char)lower(*b);
}

/* Say whether the part in front of the first period is the name of a device. */
static bool is_device(const char *name)
{
    static const char *const devices[] = { "con", "prn", "aux", "nul", "com", "lpt" };
    size_t n = strcspn(name, ".");
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        bool same = n >= 3;
        for (size_t k = 0; same && k < 3; k++)
            same = lower(name[k]) == devices[i][k];
        if (same && (i < 4 ? n == 3 : n == 4 && name[3] >= '1' && name[3] <= '9'))
            return true;
    }
    return false;
}

/* What is wrong with a name elsewhere; NULL: nothing. */
static const char *trouble(const char *name)
{
    size_t n = strlen(name);
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < 0x20 || strchr("<>:\"|?*", *c))
            return "Windows cannot hold the name: it has a character that is not allowed there";
    if (name[strspn(name, ".")] == 0)
        return "names of nothing but periods are discouraged by the Zarr specification";
    if (name[n - 1] == '.' || name[n - 1] == ' ')
        return "Windows cannot hold the name: it ends in a period or a blank";
    if (is_device(name))
        return "Windows cannot hold the name: it is that of a device";
    return strncmp(name, "__", 2) == 0 ? "names that begin with __ are discouraged by the Zarr specification" : NULL;
}

static nwbz_code warn(const nz_hdf5_tree *tree, const nz_node *node, const char *what, const char *other,
                      nwbz_error *err)
{
    char *path = nz_node_path(node);
    if (!path)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code =
        nz_report_warn(tree->options.report, err, path, "%s%s%s", what, other ? other : "", other ? "'" : "");
    nz_free(path);
    return code;
}

static int compare_nodes(const void *a, const void *b)
{
    const nz_node *const *x = a, *const *y = b;
    int order = compare_folded((*x)->name, (*y)->name);
    return order ? order : strcmp((*x)->name, (*y)->name);
}

/* Links have no folder: only the names of objects can fall together. */
static nwbz_code warn_of_case(const nz_hdf5_tree *tree, const nz_node *group, nwbz_error *err)
{
    size_t n = 0;
    nwbz_code code = NWBZ_OK;
    const nz_node **sorted = nz_calloc(group->n_children, sizeof *sorted);
    if (!sorted)
        return nz_fail_memory(err, group->n_children * sizeof *sorted, "the names of a group");
    for (size_t i = 0; i < group->n_children; i++)
        if (group->children[i]->kind != NZ_SOFT_LINK)
            sorted[n++] = group->children[i];
    if (n > 1)
        qsort(sorted, n, sizeof *sorted, compare_nodes);
    for (size_t i = 1; i < n && code == NWBZ_OK; i++)
        if (compare_folded(sorted[i - 1]->name, sorted[i]->name) == 0)
            code = warn(tree, sorted[i], "a disk that does not tell case cannot hold it beside '", sorted[i - 1]->name,
                        err);
    nz_free(sorted);
    return code;
}

nwbz_code nz_hdf5_names_warn(nz_hdf5_tree *tree, nwbz_error *err)
{
    for (size_t i = 0; i < tree->n_objects && tree->options.report; i++) {
        const nz_node *node = tree->objects[i].node;
        const char *what = node && node->parent ? trouble(node->name) : NULL;
        if (what)
            NZ_TRY(warn(tree, node, what, NULL, err));
        if (node && node->n_children > 1)
            NZ_TRY(warn_of_case(tree, node, err));
    }
    return NWBZ_OK;
}
