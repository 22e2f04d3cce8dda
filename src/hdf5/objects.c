/* Objects by identity: a list in the order of discovery, and a hash table over it (open addressing, at most half full),
 * since files with 100,000 objects and as many references to them exist. */
#include "base/memory.h"
#include "hdf5/tree_parts.h"

#include <string.h>

enum { FIRST_SLOTS = 64, MAX_PATH_BYTES = 4095 };

nwbz_code nz_hdf5_grow(void *list, size_t n, size_t element_bytes, nwbz_error *err)
{
    void *old;
    memcpy(&old, list, sizeof old);
    if (n & (n - 1))
        return NWBZ_OK;
    size_t room = n ? 2 * n : 1;
    void *larger = room <= SIZE_MAX / element_bytes ? nz_realloc(old, room * element_bytes) : NULL;
    if (!larger)
        return nz_fail_memory(err, room * element_bytes, "the tree of an HDF5 file");
    memcpy(list, &larger, sizeof larger);
    return NWBZ_OK;
}

/* ---- the table ---------------------------------------------------------------------- */

/* The finalizer of MurmurHash3: addresses differ in few bits. */
static size_t hash(size_t place, uint64_t address)
{
    uint64_t h = address + place * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (size_t)(h ^ h >> 33);
}

/* Return the slot that holds the object, or the free one where it belongs. */
static size_t *find_slot(const nz_hdf5_tree *tree, size_t place, uint64_t address)
{
    size_t at = hash(place, address) & (tree->n_slots - 1);
    while (tree->slots[at]) {
        const nz_hdf5_object *object = &tree->objects[tree->slots[at] - 1];
        if (object->place == place && object->address == address)
            break;
        at = (at + 1) & (tree->n_slots - 1);
    }
    return &tree->slots[at];
}

static nwbz_code grow_slots(nz_hdf5_tree *tree, nwbz_error *err)
{
    if (tree->n_slots > 2 * tree->n_objects)
        return NWBZ_OK;
    size_t n = tree->n_slots ? 4 * tree->n_slots : FIRST_SLOTS;
    size_t *slots = nz_calloc(n, sizeof *slots);
    if (!slots)
        return nz_fail_memory(err, n * sizeof *slots, "the objects of an HDF5 file");
    nz_free(tree->slots);
    tree->slots = slots;
    tree->n_slots = n;
    for (size_t i = 0; i < tree->n_objects; i++)
        *find_slot(tree, tree->objects[i].place, tree->objects[i].address) = i + 1;
    return NWBZ_OK;
}

size_t nz_hdf5_object_find(const nz_hdf5_tree *tree, size_t place, uint64_t address)
{
    size_t slot = tree->n_slots ? *find_slot(tree, place, address) : 0;
    return slot ? slot - 1 : NZ_HDF5_NO_OBJECT;
}

/* ---- add ---------------------------------------------------------------------------- */

/* A file system takes no longer path; and it bounds how deep groups can be nested. */
static nwbz_code path_bytes_of(const nz_hdf5_tree *tree, const nz_node *parent, const char *name, uint32_t *n,
                               nwbz_error *err)
{
    *n = 0;
    if (!parent)
        return NWBZ_OK; /* the root */
    size_t total = nz_hdf5_object_of(tree, parent)->path_bytes + 1 + strlen(name);
    if (total > MAX_PATH_BYTES)
        return nz_fail(err, NWBZ_ESOURCE,
                       "the path of an object in it has %zu bytes, and no file system takes more than %d: give the "
                       "groups shorter names",
                       total, MAX_PATH_BYTES);
    *n = (uint32_t)total;
    return NWBZ_OK;
}

nwbz_code nz_hdf5_object_add(nz_hdf5_tree *tree, size_t place, uint64_t address, nz_node *parent, char *name,
                             nwbz_error *err)
{
    uint32_t path_bytes = 0;
    nwbz_code code = path_bytes_of(tree, parent, name, &path_bytes, err);
    if (code == NWBZ_OK)
        code = nz_hdf5_grow(&tree->objects, tree->n_objects, sizeof *tree->objects, err);
    if (code == NWBZ_OK)
        code = grow_slots(tree, err);
    if (code != NWBZ_OK) {
        nz_free(name);
        return code;
    }
    tree->objects[tree->n_objects++] = (nz_hdf5_object){
        .address = address, .place = (uint32_t)place, .path_bytes = path_bytes, .parent = parent, .name = name
    };
    *find_slot(tree, place, address) = tree->n_objects;
    return NWBZ_OK;
}

nz_hdf5_object *nz_hdf5_object_of(const nz_hdf5_tree *tree, const nz_node *group)
{
    return &tree->objects[(uintptr_t)group->user - 1];
}

size_t nz_hdf5_place_of(const nz_hdf5_tree *tree, unsigned long number)
{
    for (size_t i = 0; i < tree->n_places; i++)
        if (tree->places[i].number == number)
            return i;
    return NZ_HDF5_NO_OBJECT;
}
