/* What the parts of tree.c share.  For this folder alone.
 *
 *   walk: objects in breadth-first order, each at its first name  -->  objects, their nodes, links
 *   then, with all primary paths known: links, attributes that hold references, datasets that hold references
 *
 * "Under the lock" is within nz_hdf5_run(); the others must not be called there.
 */
#ifndef NZ_HDF5_TREE_PARTS_H
#define NZ_HDF5_TREE_PARTS_H

#include "hdf5/tree.h"
#include "hdf5/types.h"

#define NZ_HDF5_NO_OBJECT SIZE_MAX

/* A file that objects of the tree lie in; the first is the tree's own. */
typedef struct nz_hdf5_place {
    nz_hdf5_file *file;
    bool is_ours;            /* to be closed */
    unsigned long number;    /* the library's, for the identity of objects */
    uint64_t device, inode;
    uint64_t size_bytes;
    uint64_t n_links;        /* found in it so far: no more than its bytes can hold */
} nz_hdf5_place;

/* An object, once, at its primary path. */
typedef struct nz_hdf5_object {
    uint64_t address;
    uint32_t place;          /* index of the file */
    uint32_t path_bytes;     /* length of its path */
    nz_node *parent, *node;  /* node NULL: not visited yet, or left out */
    char *name;              /* until it has a node; owned */
    size_t first_link, n_links; /* of a group: its range of the tree's links, sorted by name */
} nz_hdf5_object;

typedef enum nz_hdf5_link_kind { NZ_HDF5_HARD, NZ_HDF5_SOFT, NZ_HDF5_EXTERNAL } nz_hdf5_link_kind;
typedef enum nz_hdf5_link_state { NZ_HDF5_UNKNOWN, NZ_HDF5_FOLLOWED, NZ_HDF5_SETTLED } nz_hdf5_link_state;

/* A name in a group that is not (or not known to be) the primary path of an object. */
typedef struct nz_hdf5_link {
    nz_hdf5_link_kind kind;
    nz_hdf5_link_state state;
    char *name, *target, *file; /* owned; target: of soft and external ones, as the file has it; file: of external ones */
    uint64_t address;           /* of hard ones; of external ones by way of another file: of an object in the tree's own; else 0 */
    nz_node *group;
    size_t object;              /* what it leads to, where that is known by identity */
    bool is_inside;             /* external, but back into the tree's own file */
    nz_node *found;             /* when settled: what it finally leads to; NULL: nowhere */
} nz_hdf5_link;

/* Where an external link entered another file: what is below `path` there is below the object here. */
typedef struct nz_hdf5_entrance {
    uint32_t place;
    char *path; /* owned */
    size_t object;
} nz_hdf5_entrance;

struct nz_hdf5_tree {
    nz_hdf5_tree_options options;
    nz_node *root;
    nz_hdf5_place *places;
    nz_hdf5_object *objects;
    nz_hdf5_link *links;
    nz_hdf5_entrance *entrances;
    size_t n_places, n_objects, n_links, n_entrances;
    size_t *slots, n_slots;  /* hash table of the objects: index + 1, 0 for none; n_slots is a power of two, at most half full */
    uint64_t user_block_bytes;
};

/* Make room for one more element in a list of `n`, whose room is always `n` rounded up to a power of two.  NWBZ_ENOMEM. */
nwbz_code nz_hdf5_grow(void *list, size_t n, size_t element_bytes, nwbz_error *err);

/* ---- objects.c: objects by identity ---- */

/* Find the object; NZ_HDF5_NO_OBJECT: none. */
size_t nz_hdf5_object_find(const nz_hdf5_tree *tree, size_t place, uint64_t address);

/* Add an object that is not there yet, to be visited in its turn.  `name` is moved, also on failure.  NWBZ_ESOURCE: its path is too long. */
nwbz_code nz_hdf5_object_add(nz_hdf5_tree *tree, size_t place, uint64_t address, nz_node *parent, char *name, nwbz_error *err);

/* Return the object of a node of a group during the walk. */
nz_hdf5_object *nz_hdf5_object_of(const nz_hdf5_tree *tree, const nz_node *group);

/* Find the file (index of places) of an open object.  Under the lock.  NZ_HDF5_NO_OBJECT: none of the tree's. */
size_t nz_hdf5_place_of(const nz_hdf5_tree *tree, unsigned long number);

/* ---- walk.c ---- */

/* Visit all objects from the root on. */
nwbz_code nz_hdf5_walk(nz_hdf5_tree *tree, nwbz_error *err);

/* ---- group.c: the links of one group ---- */

/*
 * List the links of an open group of the file `place`, sorted by name in byte order.  Under the lock.
 * Ownership: *links is the caller's, each to be emptied.  NWBZ_ESOURCE: damaged (a name twice, more links than the file can hold), a kind of link that Zarr has no
 * form for.
 */
nwbz_code nz_hdf5_links_list(nz_hdf5_tree *tree, size_t place, hid_t group, nz_hdf5_link **links, size_t *n, nwbz_error *err);
void nz_hdf5_link_done(nz_hdf5_link *link);

/* ---- external.c ---- */

/*
 * Look where an external link of a group leads.  What it leads to becomes an object of the tree at the link's place (link->name is then NULL), unless it is one
 * already (link->object) or lies in the tree's own file (link->is_inside, or link->address); all of these not when external links are kept.
 * NWBZ_ESOURCE names file and object that cannot be opened.
 */
nwbz_code nz_hdf5_external_enter(nz_hdf5_tree *tree, nz_hdf5_link *link, nwbz_error *err);

/* Add the tree's own file (is_ours false), or another one. */
nwbz_code nz_hdf5_place_add(nz_hdf5_tree *tree, nz_hdf5_file *file, bool is_ours, size_t *place, nwbz_error *err);

/* ---- links.c ---- */

/* Turn all links into nodes, or notes where they cannot be followed. */
nwbz_code nz_hdf5_links_settle(nz_hdf5_tree *tree, nwbz_error *err);

/* ---- references.c: a nz_hdf5_reference_fn, whose `user` is the tree ---- */

nwbz_code nz_hdf5_reference(hid_t in, bool is_region, const void *reference, void *user, nz_hdf5_target *target, nwbz_error *err);

/* ---- names.c ---- */

/* Refuse a name that cannot be part of a key of a store.  NWBZ_ESOURCE. */
nwbz_code nz_hdf5_name_check(const char *name, nwbz_error *err);

/* Report what other systems cannot hold, of all names in the tree. */
nwbz_code nz_hdf5_names_warn(nz_hdf5_tree *tree, nwbz_error *err);

/* ---- notes.c ---- */

/* Put `value` (given away, also on failure) into the note of a node. */
nwbz_code nz_hdf5_note_put(nz_node *node, const char *key, nz_json *value, nwbz_error *err);

/* Report a conversion of the node, or of its attribute (or NULL); with options.strict fail with NWBZ_ESOURCE. */
nwbz_code nz_hdf5_convert(const nz_hdf5_tree *tree, const nz_node *node, const char *attribute, const char *kind, nwbz_error *err, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
