/* The cached specifications: /specifications/NAMESPACE/VERSION/SOURCE, scalar texts, and .specloc at the root that
 * says where they are. */
#include "hdmf/schema.h"
#include "hdmf/write.h"

#include <string.h>

const char *nz_schema_version(const char *namespace_name)
{
    size_t n;
    const nz_schema_text *texts = nz_schema_texts(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(texts[i].namespace_name, namespace_name) == 0)
            return texts[i].version;
    return NULL;
}

/* Find a child group, or add it. */
static nwbz_code group_in(nz_node *parent, const char *name, nz_node **group, nwbz_error *err)
{
    *group = nz_node_child(parent, name);
    return *group != NULL ? NWBZ_OK : nz_node_add_group(parent, name, group, err);
}

nwbz_code nz_hdmf_add_specifications(nz_node *root, nwbz_error *err)
{
    size_t n;
    const nz_schema_text *texts = nz_schema_texts(&n);
    nz_node *specifications = NULL, *ns = NULL, *version = NULL;
    NZ_TRY(nz_node_add_group(root, "specifications", &specifications, err));
    for (size_t i = 0; i < n; i++) {
        nz_value value = NZ_VALUE_INIT;
        nwbz_string text = { texts[i].text, texts[i].n_bytes };
        NZ_TRY(group_in(specifications, texts[i].namespace_name, &ns, err));
        NZ_TRY(group_in(ns, texts[i].version, &version, err));
        NZ_TRY(nz_value_set(&value, NWBZ_STRING, 0, NULL, &text, err));
        NZ_TRY(nz_node_add_dataset(version, texts[i].name, &value, NULL, err));
    }
    return nz_node_add_text(root, ".specloc", "specifications", err);
}
