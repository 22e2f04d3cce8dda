/* Calls of the library whose names or types differ between 1.10 and 2.x.  For this folder alone.
 *
 * An object is known by its file's number and its address.  From 1.12 on the library speaks of tokens, which for files on disk are that address, in
 * little-endian bytes with zeros behind; references to objects hold the same number in every version.
 */
#ifndef NZ_HDF5_VERSION_H
#define NZ_HDF5_VERSION_H

#include <hdf5.h>
#include <stdint.h>

#if H5_VERSION_GE(1, 12, 0)

typedef H5L_info2_t nz_hdf5_link_info;

static inline uint64_t nz_hdf5_address_of_token(const H5O_token_t *token)
{
    uint64_t address = 0;
    for (unsigned i = 0; i < sizeof address; i++)
        address |= (uint64_t)token->__data[i] << 8 * i;
    return address;
}

/* The address that a hard link holds. */
static inline uint64_t nz_hdf5_link_address(const nz_hdf5_link_info *info)
{
    return nz_hdf5_address_of_token(&info->u.token);
}

/* Negative on failure. */
static inline herr_t nz_hdf5_identify(hid_t object, unsigned long *file, uint64_t *address)
{
    H5O_info2_t info;
    herr_t status = H5Oget_info3(object, &info, H5O_INFO_BASIC);
    *file = status < 0 ? 0 : info.fileno;
    *address = status < 0 ? 0 : nz_hdf5_address_of_token(&info.token);
    return status;
}

static inline hid_t nz_hdf5_open_at(hid_t file, uint64_t address)
{
    H5O_token_t token = { { 0 } };
    for (unsigned i = 0; i < sizeof address; i++)
        token.__data[i] = (uint8_t)(address >> 8 * i);
    return H5Oopen_by_token(file, token);
}

/* In the order of the file, which needs no list of all links in memory. */
static inline herr_t nz_hdf5_each_link(hid_t group, H5L_iterate2_t on_link, void *user)
{
    hsize_t at = 0;
    return H5Literate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, on_link, user);
}

/* Free what the library allocated for text and rows in `elements`. */
static inline herr_t nz_hdf5_reclaim(hid_t type, hid_t space, void *elements)
{
    return H5Treclaim(type, space, H5P_DEFAULT, elements);
}

#else

typedef H5L_info_t nz_hdf5_link_info;

static inline uint64_t nz_hdf5_link_address(const nz_hdf5_link_info *info)
{
    return info->u.address;
}

static inline herr_t nz_hdf5_identify(hid_t object, unsigned long *file, uint64_t *address)
{
    H5O_info_t info;
    herr_t status = H5Oget_info2(object, &info, H5O_INFO_BASIC);
    *file = status < 0 ? 0 : info.fileno;
    *address = status < 0 ? 0 : info.addr;
    return status;
}

static inline hid_t nz_hdf5_open_at(hid_t file, uint64_t address)
{
    return H5Oopen_by_addr(file, address);
}

static inline herr_t nz_hdf5_each_link(hid_t group, H5L_iterate_t on_link, void *user)
{
    hsize_t at = 0;
    return H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, on_link, user);
}

static inline herr_t nz_hdf5_reclaim(hid_t type, hid_t space, void *elements)
{
    return H5Dvlen_reclaim(type, space, H5P_DEFAULT, elements);
}

#endif

#endif
