/* A person's codec text and the "codecs" array of a document, both ways.
 *
 * The text is cut at "+", a codec each in the order of encoding, with its settings behind colons.  A checksum has nothing
 * to say of a compressor: "crc32c" is not the first, that is "none+crc32c".  Ranges are left to the codecs themselves: the
 * array made is opened once before it is given out.
 */
#include "base/memory.h"
#include "codec/blosc.h"
#include "codec/chain.h"

#include <errno.h>
#include <nwbz/nwb.h>
#include <stdlib.h>
#include <string.h>

static const char forms[] = "none, zstd[:LEVEL], gzip[:LEVEL], "
                            "blosc[:CNAME[:LEVEL[:noshuffle|shuffle|bitshuffle[:BLOCKSIZE]]]], portable, "
                            "numcodecs.shuffle[:BYTES], numcodecs.zlib[:LEVEL], numcodecs.zstd[:LEVEL], "
                            "numcodecs.lz4[:ACCELERATION], numcodecs.blosc (as blosc); several have + between, "
                            "+crc32c stands behind one of them";

enum { MAX_PARTS = 5, MAX_TEXT = 255 };

/* Codecs with one number. */
typedef struct numbered {
    const char *name, *member;
    const char *fallback; /* NULL: the element's size */
} numbered;

static const numbered with_number[] = {
    { "zstd", "level", "0" },
    { "gzip", "level", "5" },
    { "numcodecs.zlib", "level", "1" },
    { "numcodecs.zstd", "level", "0" },
    { "numcodecs.lz4", "acceleration", "1" },
    { "numcodecs.shuffle", "elementsize", NULL },
};

/* What numcodecs.blosc says by -1, 0, 1 and 2. */
static const char *const shuffle_words[] = { "autoshuffle", "noshuffle", "shuffle", "bitshuffle" };
enum { N_SHUFFLE_WORDS = sizeof shuffle_words / sizeof *shuffle_words };

static const numbered *find_numbered(const char *name)
{
    for (size_t i = 0; i < sizeof with_number / sizeof *with_number; i++)
        if (strcmp(with_number[i].name, name) == 0)
            return &with_number[i];
    return NULL;
}

/* docs/codecs.md has the figures: the smallest result of those codecs that write ten times as fast as zstd:0. */
const char *nwbz_default_codec(void)
{
    return "blosc:zstd:1:bitshuffle:1048576";
}

static nwbz_code fail_form(const char *text, nwbz_error *err)
{
    return nz_fail(err, NWBZ_EINVAL, "codec \"%.100s\" is none of: %s", text, forms);
}

/* Cut `text` (changed) at `mark` into at most `most` parts; 0: there are more, or an empty one. */
static unsigned cut(char *text, char mark, char **parts, unsigned most)
{
    unsigned n = 0;
    for (char *at = text; at;) {
        char *end = strchr(at, mark);
        if (n == most || *at == 0 || at == end)
            return 0;
        parts[n++] = at;
        if (end)
            *end++ = 0;
        at = end;
    }
    return n;
}

/* Put the integer that `text` is; *is_number says whether it is one. */
static nwbz_code put_number(nz_json *configuration, const char *name, const char *text, bool *is_number,
                            nwbz_error *err)
{
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *is_number = end != text && *end == 0 && errno == 0 && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
    return *is_number ? nz_json_put(configuration, name, nz_json_new_int(value), err) : NWBZ_OK;
}

/* Push {"name": name, "configuration": configuration}; `configuration` (NULL: none) is given away, also on failure. */
static nwbz_code push_codec(nz_json *codecs, const char *name, nz_json *configuration, nwbz_error *err)
{
    nz_json *entry = nz_json_new_object();
    nwbz_code code = nz_json_put(entry, "name", nz_json_new_text(name), err);
    if (code == NWBZ_OK && configuration)
        code = nz_json_put(entry, "configuration", configuration, err);
    else
        nz_json_free(configuration);
    if (code == NWBZ_OK)
        return nz_json_push(codecs, entry, err);
    nz_json_free(entry);
    return code;
}

static nwbz_code push_serializer(nz_json *codecs, const nz_dtype *dtype, bool big_endian, nwbz_error *err)
{
    if (dtype->type == NWBZ_STRING)
        return push_codec(codecs, "vlen-utf8", nz_json_new_object(), err);
    nz_json *configuration = NULL;
    if (nz_dtype_has_order(dtype)) {
        configuration = nz_json_new_object();
        nwbz_code code = nz_json_put(configuration, "endian", nz_json_new_text(big_endian ? "big" : "little"), err);
        if (code != NWBZ_OK) {
            nz_json_free(configuration);
            return code;
        }
    }
    return push_codec(codecs, "bytes", configuration, err);
}

/* Make the number of numcodecs' shuffle; *right false: there is no such word.  NULL: no memory. */
static nz_json *shuffle_number(const char *word, bool *right)
{
    for (int i = 0; i < N_SHUFFLE_WORDS; i++)
        if (strcmp(shuffle_words[i], word) == 0)
            return nz_json_new_int(i - 1);
    *right = false;
    return nz_json_new_int(0);
}

/* Fill the configuration of blosc, by either name, from the parts with its name. */
static nwbz_code put_blosc(nz_json *configuration, char **parts, unsigned n, const nz_dtype *dtype, bool *right,
                           nwbz_error *err)
{
    const char *all[MAX_PARTS] = { NULL, "zstd", "1", "bitshuffle", "0" };
    bool is_numcodecs = strcmp(parts[0], "blosc") != 0, is_level = false, is_blocksize = false, is_shuffle = true;
    if (is_numcodecs)
        all[1] = "lz4", all[2] = "5", all[3] = "shuffle";
    for (unsigned i = 1; i < n; i++)
        all[i] = parts[i];
    if (!is_numcodecs)
        NZ_TRY(nz_json_put(configuration, "typesize", nz_json_new_uint(nz_blosc_typesize(dtype)), err));
    NZ_TRY(nz_json_put(configuration, "cname", nz_json_new_text(all[1]), err));
    NZ_TRY(put_number(configuration, "clevel", all[2], &is_level, err));
    nz_json *shuffle = is_numcodecs ? shuffle_number(all[3], &is_shuffle) : nz_json_new_text(all[3]);
    NZ_TRY(nz_json_put(configuration, "shuffle", shuffle, err));
    NZ_TRY(put_number(configuration, "blocksize", all[4], &is_blocksize, err));
    *right = is_level && is_shuffle && is_blocksize;
    return NWBZ_OK;
}

/* Fill the configuration of a codec with one number. */
static nwbz_code put_numbered(nz_json *configuration, const numbered *codec, const char *given, const nz_dtype *dtype,
                              bool *right, nwbz_error *err)
{
    const char *number = given ? given : codec->fallback;
    if (number)
        NZ_TRY(put_number(configuration, codec->member, number, right, err));
    else if (dtype->type != NWBZ_STRING) /* the codec says that text has no size */
        NZ_TRY(nz_json_put(configuration, codec->member, nz_json_new_uint(nz_dtype_bytes(dtype)), err));
    return strcmp(codec->name, "zstd") == 0 ? nz_json_put(configuration, "checksum", nz_json_new_bool(false), err)
                                            : NWBZ_OK;
}

static nwbz_code push_compressor(nz_json *codecs, char **parts, unsigned n, const nz_dtype *dtype, const char *text,
                                 nwbz_error *err)
{
    bool is_blosc = strcmp(parts[0], "blosc") == 0 || strcmp(parts[0], "numcodecs.blosc") == 0, right = true;
    const numbered *one = is_blosc ? NULL : find_numbered(parts[0]);
    if (!is_blosc && (!one || n > 2))
        return fail_form(text, err);
    nz_json *configuration = nz_json_new_object();
    nwbz_code code = configuration ? NWBZ_OK : nz_fail_memory(err, 0, "a codec's configuration");
    if (code == NWBZ_OK && is_blosc)
        code = put_blosc(configuration, parts, n, dtype, &right, err);
    else if (code == NWBZ_OK)
        code = put_numbered(configuration, one, n > 1 ? parts[1] : NULL, dtype, &right, err);
    if (code == NWBZ_OK && !right)
        code = fail_form(text, err);
    if (code == NWBZ_OK)
        return push_codec(codecs, parts[0], configuration, err);
    nz_json_free(configuration);
    return code;
}

/* Let the codecs themselves judge their settings. */
static nwbz_code check_codecs(const nz_json *codecs, const nz_dtype *dtype, nwbz_error *err)
{
    nz_chain *chain = NULL;
    nwbz_code code = nz_chain_open(codecs, dtype, 0, &chain, err);
    nz_chain_close(chain);
    if (code != NWBZ_EFORMAT)
        return code;
    if (err)
        err->code = NWBZ_EINVAL;
    return NWBZ_EINVAL;
}

/* Push the codecs of `rest` (changed): a compressor wherever one may stand, a checksum behind something. */
static nwbz_code push_parts(nz_json *codecs, char *rest, const nz_dtype *dtype, const char *text, nwbz_error *err)
{
    bool may_sum = false, must_sum = false; /* behind "none" stands nothing but a checksum */
    while (rest) {
        char *parts[MAX_PARTS], *end = strchr(rest, '+');
        if (end)
            *end++ = 0;
        bool is_sum = strcmp(rest, "crc32c") == 0, is_none = !may_sum && strcmp(rest, "none") == 0;
        if (is_sum ? !may_sum : must_sum)
            return fail_form(text, err);
        if (is_sum) {
            NZ_TRY(push_codec(codecs, "crc32c", NULL, err));
        } else if (!is_none) {
            unsigned n = cut(rest, ':', parts, MAX_PARTS);
            if (n == 0)
                return fail_form(text, err);
            NZ_TRY(push_compressor(codecs, parts, n, dtype, text, err));
        }
        may_sum = true;
        must_sum = is_none;
        rest = end;
    }
    return NWBZ_OK;
}

nwbz_code nz_codec_parse_text(const char *text, const nz_dtype *dtype, bool big_endian, nz_json **codecs, nwbz_error *err)
{
    static const char portable[] = "portable";
    size_t n_portable = sizeof portable - 1;
    char copy[MAX_TEXT + 64];
    *codecs = NULL;
    if (strlen(text) > MAX_TEXT)
        return fail_form(text, err);
    /* What `write` uses by default is in the Zarr v3 core. */
    bool is_portable = strncmp(text, portable, n_portable) == 0 && (text[n_portable] == 0 || text[n_portable] == '+');
    strcpy(copy, is_portable ? nwbz_default_codec() : "");
    strcat(copy, is_portable ? text + n_portable : text);
    nz_json *array = nz_json_new_array();
    if (!array)
        return nz_fail_memory(err, 0, "the codecs of a document");
    nwbz_code code = push_serializer(array, dtype, big_endian, err);
    if (code == NWBZ_OK)
        code = push_parts(array, copy, dtype, text, err);
    if (code == NWBZ_OK)
        code = check_codecs(array, dtype, err);
    if (code == NWBZ_OK)
        *codecs = array;
    else
        nz_json_free(array);
    return code;
}

/* ---- The other way ------------------------------------------------------------------ */

/* Return the integer member, which the codec's own format() wrote. */
static long long int_of(const nz_json *configuration, const char *name)
{
    const nz_json *member = nz_json_get(configuration, name);
    int64_t value = 0;
    return member && nz_json_int(member, &value) ? value : 0;
}

/* Return the word of blosc's shuffle, by either name; NULL: the codec has none. */
static const char *shuffle_of(const nz_json *configuration)
{
    const nz_json *member = nz_json_get(configuration, "shuffle");
    int64_t number = 0;
    if (member && nz_json_kind_of(member) == NZ_JSON_INT && nz_json_int(member, &number) && number >= -1 && number <= 2)
        return shuffle_words[number + 1];
    return nz_json_get_text(configuration, "shuffle");
}

/* Append the text of a codec with all members of its configuration at hand, and those that were `given`. */
static nwbz_code add_settings(const char *name, const nz_json *given, const nz_json *configuration, nz_buffer *out,
                              nwbz_error *err)
{
    const nz_json *checksum = nz_json_get(configuration, "checksum");
    const char *cname = nz_json_get_text(configuration, "cname"), *shuffle = shuffle_of(configuration);
    const numbered *one = find_numbered(name);
    if (one && !(checksum && nz_json_bool(checksum)) && (one->fallback || nz_json_get(given, one->member)))
        return nz_buffer_addf(out, err, "%s:%lld", name, int_of(configuration, one->member));
    if (!cname || !shuffle)
        return nz_buffer_add_text(out, name, err);
    NZ_TRY(nz_buffer_addf(out, err, "%s:%s:%lld:%s", name, cname, int_of(configuration, "clevel"), shuffle));
    long long blocksize = int_of(configuration, "blocksize");
    return blocksize ? nz_buffer_addf(out, err, ":%lld", blocksize) : NWBZ_OK;
}

static nwbz_code add_codec(const nz_json *entry, nz_buffer *out, nwbz_error *err)
{
    bool alone = entry && nz_json_kind_of(entry) == NZ_JSON_TEXT;
    const char *name = alone ? nz_json_text(entry, NULL) : nz_json_get_text(entry, "name");
    const nz_json *given = alone ? NULL : nz_json_get(entry, "configuration");
    const nz_codec_class *class = nz_codec_find(name);
    void *self = NULL;
    nz_json *whole = NULL;
    if (class && class->array_to_bytes)
        return NWBZ_OK;
    if (out->n_bytes || class == &nz_codec_crc32c)
        NZ_TRY(nz_buffer_add_text(out, out->n_bytes ? "+" : "none+", err));
    /* Opened and formatted again, the configuration has all its members; one that cannot be opened goes by name. */
    if (!class || class->open(given, NZ_DTYPE(NWBZ_UINT8), &self, NULL) != NWBZ_OK)
        return nz_buffer_add_text(out, name ? name : "?", err);
    nwbz_code code = class->format(self, &whole, err);
    if (code == NWBZ_OK)
        code = add_settings(name, given, whole, out, err);
    nz_json_free(whole);
    class->close(self);
    return code;
}

nwbz_code nz_codec_format_text(const nz_json *codecs, char **text, nwbz_error *err)
{
    enum { MAX_FORMATTED = 64 * 1024 };
    nz_buffer out = NZ_BUFFER_INIT(MAX_FORMATTED);
    nwbz_code code = NWBZ_OK;
    *text = NULL;
    for (size_t i = 0; i < nz_json_length(codecs) && code == NWBZ_OK; i++)
        code = add_codec(nz_json_at(codecs, i), &out, err);
    if (code == NWBZ_OK && out.n_bytes == 0)
        code = nz_buffer_add_text(&out, "none", err);
    if (code == NWBZ_OK)
        *text = out.bytes;
    else
        nz_buffer_done(&out);
    return code;
}
