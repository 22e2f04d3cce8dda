/* Links, when all primary paths are known.
 *
 * A path is followed through our own nodes and links, not by the library: so it ends where the tree ends, whatever was
 * left out or came from other files, however long a chain is.  A link within a path is settled first, with a stack of
 * our own; one that is met while it is being followed itself lies on a circle, and leads nowhere.
 */
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "hdf5/tree_parts.h"

#include <stdlib.h>
#include <string.h>

/* A link that is being followed: what of its path is left, and where that begins. */
typedef struct step {
    nz_hdf5_link *link;
    const char *rest;
    nz_node *at; /* NULL: nowhere */
} step;

typedef struct following {
    nz_hdf5_tree *tree;
    step *steps;
    size_t n;
} following;

/* ---- where a path begins ---------------------------------------------------------------- */

/* Find the next component at or behind `path`, whose "." and doubled slashes do not count; *n is 0 at the end. */
static const char *next_component(const char *path, size_t *n)
{
    for (;;) {
        path += strspn(path, "/");
        *n = strcspn(path, "/");
        if (*n != 1 || *path != '.')
            return path;
        path++;
    }
}

/* Return what of `path` lies below `above`; NULL: it does not. */
static const char *below(const char *above, const char *path)
{
    size_t n, m;
    for (;;) {
        above = next_component(above, &n);
        if (n == 0)
            return path;
        path = next_component(path, &m);
        if (n != m || memcmp(above, path, n) != 0)
            return NULL;
        above += n;
        path += n;
    }
}

/* An absolute path in another file begins where an external link entered that file, if it leads below there. */
static void enter(const nz_hdf5_tree *tree, size_t place, step *s)
{
    const char *path = s->rest;
    for (size_t i = 0; i < tree->n_entrances; i++) {
        const nz_hdf5_entrance *entrance = &tree->entrances[i];
        const char *rest = entrance->place == place ? below(entrance->path, path) : NULL;
        if (!rest || (s->at && strlen(rest) >= strlen(s->rest)))
            continue;
        s->at = tree->objects[entrance->object].node;
        s->rest = rest;
    }
}

static step first_step(const nz_hdf5_tree *tree, nz_hdf5_link *link)
{
    step s = { link, link->target, NULL };
    size_t place = nz_hdf5_object_of(tree, link->group)->place, object = link->object;
    if (link->kind == NZ_HDF5_EXTERNAL && link->address)
        object = nz_hdf5_object_find(tree, 0, link->address);
    if (object != NZ_HDF5_NO_OBJECT) {
        s.at = tree->objects[object].node;
        s.rest = "";
    } else if (link->kind == NZ_HDF5_EXTERNAL || (*link->target == '/' && place == 0))
        s.at = link->kind != NZ_HDF5_EXTERNAL || link->is_inside ? tree->root : NULL;
    else if (*link->target == '/')
        enter(tree, place, &s);
    else
        s.at = link->group;
    return s;
}

/* ---- follow ------------------------------------------------------------------------------- */

typedef struct component {
    const char *name;
    size_t n;
} component;

static int compare(const void *key, const void *element)
{
    const component *c = key;
    const nz_hdf5_link *link = element;
    int order = strncmp(c->name, link->name, c->n);
    return order ? order : -(link->name[c->n] != 0);
}

static nz_hdf5_link *find_link(const nz_hdf5_tree *tree, const nz_node *group, component c)
{
    const nz_hdf5_object *object = nz_hdf5_object_of(tree, group);
    return object->n_links
               ? bsearch(&c, tree->links + object->first_link, object->n_links, sizeof *tree->links, compare)
               : NULL;
}

/* Find the object of that name; NULL: none, or a link, which may have a node by now. */
static nwbz_code find_child(const nz_node *group, component c, nz_node **child, nwbz_error *err)
{
    char *name = nz_strndup(c.name, c.n);
    if (!name)
        return nz_fail_memory(err, c.n + 1, "a name");
    *child = nz_node_child(group, name);
    if (*child && (*child)->kind == NZ_SOFT_LINK)
        *child = NULL;
    nz_free(name);
    return NWBZ_OK;
}

static nwbz_code push(following *f, nz_hdf5_link *link, nwbz_error *err)
{
    NZ_TRY(nz_hdf5_grow(&f->steps, f->n, sizeof *f->steps, err));
    link->state = NZ_HDF5_FOLLOWED;
    f->steps[f->n++] = first_step(f->tree, link);
    return NWBZ_OK;
}

/* Take one component of the link on top, or push the link that it is. */
static nwbz_code take(following *f, component c, nwbz_error *err)
{
    step *s = &f->steps[f->n - 1];
    nz_node *group = s->at, *child = NULL;
    s->at = NULL;
    if (group->kind != NZ_GROUP)
        return NWBZ_OK;
    NZ_TRY(find_child(group, c, &child, err));
    nz_hdf5_link *link = child ? NULL : find_link(f->tree, group, c);
    if (link && link->state == NZ_HDF5_UNKNOWN) {
        s->at = group; /* the same component again, when it is settled */
        return push(f, link, err);
    }
    s->rest = c.name + c.n;
    if (link)
        s->at = link->state == NZ_HDF5_SETTLED ? link->found : NULL;
    else
        s->at = child;
    return NWBZ_OK;
}

/* Find what a link finally leads to. */
static nwbz_code follow(following *f, nz_hdf5_link *link, nwbz_error *err)
{
    if (link->state == NZ_HDF5_SETTLED)
        return NWBZ_OK;
    NZ_TRY(push(f, link, err));
    while (f->n > 0) {
        step *s = &f->steps[f->n - 1];
        component c = { NULL, 0 };
        c.name = next_component(s->rest, &c.n);
        if (s->at && c.n > 0) {
            NZ_TRY(take(f, c, err));
            continue;
        }
        s->link->found = s->at;
        s->link->state = NZ_HDF5_SETTLED;
        f->n--;
    }
    return NWBZ_OK;
}

/* ---- what becomes of them ------------------------------------------------------------------- */

static bool is_at_or_above(const nz_node *node, const nz_node *group)
{
    for (const nz_node *at = group; at; at = at->parent)
        if (at == node)
            return true;
    return false;
}

static nwbz_code add_link(const nz_hdf5_link *link, nwbz_error *err)
{
    char *path = nz_node_path(link->found);
    if (!path)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code = nz_node_add_link(link->group, link->name, path, err);
    nz_free(path);
    return code;
}

static nwbz_code put_entry(nz_json *entry, const nz_hdf5_link *link, const char *target, nwbz_error *err)
{
    static const char *const kinds[] = { "hard", "soft", "external" };
    NZ_TRY(nz_json_put(entry, "name", nz_json_new_text(link->name), err));
    NZ_TRY(nz_json_put(entry, "kind", nz_json_new_text(kinds[link->kind]), err));
    if (link->file)
        NZ_TRY(nz_json_put(entry, "file", nz_json_new_text(link->file), err));
    return nz_json_put(entry, "target", nz_json_new_text(target), err);
}

/* Report it and add its entry to `list`. */
static nwbz_code note(const nz_hdf5_tree *tree, const nz_hdf5_link *link, const char *target, nz_json *list,
                      nwbz_error *err)
{
    const char *why = link->found                                          ? "to its own group or one above it"
                      : link->kind == NZ_HDF5_EXTERNAL && !link->is_inside ? "to another file"
                                                                           : "to nothing that is stored";
    if (!nz_utf8_is_valid(target, strlen(target)) || (link->file && !nz_utf8_is_valid(link->file, strlen(link->file))))
        return nz_fail(err, NWBZ_ESOURCE, "the target of the link '%s' is not UTF-8", link->name);
    NZ_TRY(nz_hdf5_convert(tree, link->group, NULL, "link", err, "the link '%s' leads %s ('%s'): kept as a note",
                           link->name, why, target));
    nz_json *entry = nz_json_new_object();
    nwbz_code code = put_entry(entry, link, target, err);
    if (code == NWBZ_OK)
        return nz_json_push(list, entry, err);
    nz_json_free(entry);
    return code;
}

/* The target as the file has it; of a second name, the first, or where that was left out, nothing. */
static nwbz_code note_link(const nz_hdf5_tree *tree, const nz_hdf5_link *link, nz_json **list, nwbz_error *err)
{
    if (!*list && !(*list = nz_json_new_array()))
        return nz_fail_memory(err, 64, "the links of a note");
    if (link->target)
        return note(tree, link, link->target, *list, err);
    char *path = link->found ? nz_node_path(link->found) : nz_strdup("");
    if (!path)
        return nz_fail_memory(err, 256, "a path");
    nwbz_code code = note(tree, link, path, *list, err);
    nz_free(path);
    return code;
}

static nwbz_code is_wanted(const nz_hdf5_tree *tree, const nz_hdf5_link *link, bool *wanted, nwbz_error *err)
{
    *wanted = true;
    if (!tree->options.wants)
        return NWBZ_OK;
    char *group = nz_node_path(link->group), *path = group ? nz_path_join(group, link->name) : NULL;
    if (path)
        *wanted = tree->options.wants(path, link->found && link->found->kind == NZ_GROUP, tree->options.user);
    nz_free(group);
    nz_free(path);
    return path ? NWBZ_OK : nz_fail_memory(err, 256, "a path");
}

static nwbz_code settle(following *f, nz_hdf5_link *link, nz_json **list, nwbz_error *err)
{
    const nz_hdf5_tree *tree = f->tree;
    bool wanted;
    NZ_TRY(follow(f, link, err));
    NZ_TRY(is_wanted(tree, link, &wanted, err));
    if (!wanted)
        return NWBZ_OK;
    NZ_TRY(nz_hdf5_name_check(link->name, err));
    if (link->found && !is_at_or_above(link->found, link->group))
        return add_link(link, err);
    if (link->is_inside && !link->found && !tree->options.keep_external && !tree->options.wants)
        return nz_fail(
            err, NWBZ_ESOURCE,
            "the external link '%s' leads to '%s' in its own file, which is not there: external links can be "
            "kept as notes (external keep)",
            link->name, link->target);
    return note_link(tree, link, list, err);
}

static nwbz_code settle_group(following *f, const nz_hdf5_object *object, nwbz_error *err)
{
    nz_json *list = NULL;
    nwbz_code code = NWBZ_OK;
    for (size_t i = 0; i < object->n_links && code == NWBZ_OK; i++)
        code = settle(f, &f->tree->links[object->first_link + i], &list, err);
    if (code == NWBZ_OK && list)
        return nz_hdf5_note_put(object->node, "links", list, err);
    nz_json_free(list);
    return code;
}

nwbz_code nz_hdf5_links_settle(nz_hdf5_tree *tree, nwbz_error *err)
{
    following f = { tree, NULL, 0 };
    nwbz_code code = NWBZ_OK;
    for (size_t i = 0; i < tree->n_objects && code == NWBZ_OK; i++) {
        code = settle_group(&f, &tree->objects[i], err);
        char *path = code != NWBZ_OK && tree->objects[i].node ? nz_node_path(tree->objects[i].node) : NULL;
        if (path)
            nz_where(err, code, "%s", path);
        nz_free(path);
    }
    nz_free(f.steps);
    return code;
}
