/* The tree of a file: groups, datasets, attributes, links, in no format.
 *
 * Samples do not travel with it: a dataset either holds a small value, or says shape and type and its samples come through the engine.
 */
#ifndef NZ_MODEL_NODE_H
#define NZ_MODEL_NODE_H

#include "base/json.h"
#include "model/value.h"

typedef enum nz_node_kind { NZ_GROUP, NZ_DATASET, NZ_SOFT_LINK } nz_node_kind;

typedef struct nz_attribute {
    char *name;
    nz_value value;
} nz_attribute;

typedef struct nz_node nz_node;
typedef struct nz_node_index nz_node_index;
struct nz_node {
    nz_node_kind kind;
    char *name;             /* "" for the root */
    nz_node *parent;        /* NULL for the root */
    nz_attribute *attributes;
    size_t n_attributes;
    nz_node **children;     /* of a group, in the order they were added */
    size_t n_children;
    nz_node_index *index;   /* of the names of many children; only node.c reads it */
    nz_value value;         /* of a dataset that holds its elements */
    /* of a dataset: the same as the value's, or of the samples that come through the engine (value.type is NWBZ_TYPE_NONE) */
    nwbz_type type;
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS];
    void *user;             /* of whoever built the tree; never read here */
    char *target;           /* of a link: absolute path */
    nz_json *note;          /* what Zarr has no form for: an object, the attribute _HDF5 (docs/ON-DISK.md section 10); NULL: nothing to say */
    bool is_reference;      /* of a dataset without a value: its samples are text that names objects */
    char **reference_fields; /* of a dataset of records: the names of the fields that are references; NULL-ended, or NULL */
};

/* Make a root group. */
nwbz_code nz_node_new_root(nz_node **root, nwbz_error *err);

/* Add a child; the tree owns it.  NWBZ_EEXIST: the group has that name.  *child may be NULL when not wanted. */
nwbz_code nz_node_add_group(nz_node *group, const char *name, nz_node **child, nwbz_error *err);
/* `value` is moved into the node (and emptied), also on failure. */
nwbz_code nz_node_add_dataset(nz_node *group, const char *name, nz_value *value, nz_node **child, nwbz_error *err);
nwbz_code nz_node_add_samples(nz_node *group, const char *name, nwbz_type type, unsigned n_dims, const uint64_t *shape, nz_node **child,
                              nwbz_error *err);
nwbz_code nz_node_add_link(nz_node *group, const char *name, const char *target, nwbz_error *err);

/* Add an attribute; `value` is moved (and emptied), also on failure. */
nwbz_code nz_node_add_attribute(nz_node *node, const char *name, nz_value *value, nwbz_error *err);
nwbz_code nz_node_add_text(nz_node *node, const char *name, const char *text, nwbz_error *err);
nwbz_code nz_node_add_double(nz_node *node, const char *name, double number, nwbz_error *err);
nwbz_code nz_node_add_int(nz_node *node, const char *name, int64_t number, nwbz_error *err);

/* Find. NULL: none. */
nz_node *nz_node_child(const nz_node *group, const char *name);
const nz_attribute *nz_node_attribute(const nz_node *node, const char *name);

/* Return the absolute path in new memory; "/" for the root. */
char *nz_node_path(const nz_node *node);

/* Free the node and all below it: a whole tree, by its root. */
void nz_node_free(nz_node *node);

#endif
