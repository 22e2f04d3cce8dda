/* NumPy's .npy files: a header, then elements as in a raw file, read by the raw source from behind the header.
 *
 *   "\x93NUMPY", version (2 bytes), length of the header (2 bytes; 4 from version 2), header: a Python dict as text,
 *   {'descr': '<i2', 'fortran_order': False, 'shape': (3600000, 384), }
 *
 * The header is read by a small parser of just that: three known keys in any order, each once; anything else is
 * refused, never guessed.
 * Source: NEP 1 and numpy.lib.format (formats 1.0, 2.0 and 3.0; 3.0 differs in the header's encoding alone, UTF-8).
 */
#include "source/raw.h"

#include "base/checked.h"
#include "base/file.h"

#include <inttypes.h>
#include <string.h>

enum {
    MAGIC_BYTES = 8,            /* with the version */
    MAX_HEADER_BYTES = 1 << 16, /* as much as version 1 can have; only records need more, and those are refused */
    MAX_DESCR_BYTES = 32
};

typedef struct npy_header {
    nwbz_type type;
    bool big_endian, fortran_order;
    unsigned n_dims;
    uint64_t shape[NWBZ_MAX_DIMS];
    bool has_descr, has_order, has_shape;
} npy_header;

/* ---- the text of the header ---------------------------------------------------- */

typedef struct parser {
    const char *begin, *at, *end;
    nwbz_error *err;
} parser;

static nwbz_code fail_at(const parser *p, const char *expected)
{
    return nz_fail(p->err, NWBZ_ESOURCE, "the NPY header is damaged: %s expected at byte %zu of %zu", expected,
                   (size_t)(p->at - p->begin), (size_t)(p->end - p->begin));
}

static void skip_blanks(parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

/* Take `c`, blanks before it skipped. */
static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool take_word(parser *p, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(p);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* Parse a quoted text without escapes, of less than `room` bytes. */
static nwbz_code parse_text(parser *p, char *text, size_t room, const char *expected)
{
    skip_blanks(p);
    char quote = p->at < p->end ? *p->at : 0;
    if (quote != '\'' && quote != '"')
        return fail_at(p, expected);
    const char *from = p->at + 1, *to = from;
    while (to < p->end && *to != quote && *to != '\\' && *to != '\n')
        to++;
    if (to == p->end || *to != quote)
        return fail_at(p, expected);
    if ((size_t)(to - from) >= room)
        return nz_fail(p->err, NWBZ_ESOURCE, "the NPY header is damaged: a text of %zu bytes where %s is expected",
                       (size_t)(to - from), expected);
    memcpy(text, from, (size_t)(to - from));
    text[to - from] = 0;
    p->at = to + 1;
    return NWBZ_OK;
}

/* ---- values ------------------------------------------------------------------------ */

/* Say what a dtype that we do not read is called. */
static const char *kind_of_descr(const char *descr)
{
    static const struct {
        char letter;
        const char *kind;
    } kinds[] = { { 'O', "Python objects" }, { 'S', "bytes text" },      { 'a', "bytes text" }, { 'U', "unicode text" },
                  { 'V', "raw records" },    { 'M', "dates and times" }, { 'm', "durations" } };
    char letter = descr[strspn(descr, "<>|=")];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (letter == kinds[i].letter)
            return kinds[i].kind;
    return "a type that is none of bool, integers to 64 bits, float16 to float64, complex64 and complex128";
}

static nwbz_code parse_descr(parser *p, npy_header *header)
{
    char descr[MAX_DESCR_BYTES];
    skip_blanks(p);
    if (p->at < p->end && *p->at == '[')
        return nz_fail(p->err, NWBZ_EUNSUPPORTED,
                       "the NPY file holds records (a structured dtype); samples must be numbers or bool");
    NZ_TRY(parse_text(p, descr, sizeof descr, "a dtype"));
    if (nwbz_type_parse(descr, &header->type, &header->big_endian, NULL) != NWBZ_OK || header->type == NWBZ_STRING)
        return nz_fail(p->err, NWBZ_EUNSUPPORTED, "the NPY file has dtype '%s': %s", descr, kind_of_descr(descr));
    return NWBZ_OK;
}

static nwbz_code parse_order(parser *p, npy_header *header)
{
    header->fortran_order = take_word(p, "True");
    return header->fortran_order || take_word(p, "False") ? NWBZ_OK : fail_at(p, "True or False");
}

static nwbz_code parse_length(parser *p, uint64_t *length)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at < '0' || *p->at > '9')
        return fail_at(p, "the length of an axis");
    for (*length = 0; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
        if (!nz_mul(*length, 10, length) || !nz_add(*length, (uint64_t)(*p->at - '0'), length) || *length > INT64_MAX)
            return fail_at(p, "a length below 2^63");
    if (p->at < p->end && *p->at == 'L') /* a long of Python 2 */
        p->at++;
    return NWBZ_OK;
}

static nwbz_code parse_shape(parser *p, npy_header *header)
{
    if (!take(p, '('))
        return fail_at(p, "a shape in parentheses");
    for (bool more = true; !take(p, ')');) {
        if (!more)
            return fail_at(p, "',' or ')'");
        if (header->n_dims == NWBZ_MAX_DIMS)
            return nz_fail(p->err, NWBZ_EUNSUPPORTED, "the NPY file has more than %d axes", NWBZ_MAX_DIMS);
        NZ_TRY(parse_length(p, &header->shape[header->n_dims]));
        header->n_dims++;
        more = take(p, ',');
        if (!more && header->n_dims == 1)
            return fail_at(p, "',' (a number in parentheses is no tuple)");
    }
    return NWBZ_OK;
}

/* ---- the dict ------------------------------------------------------------------------ */

static nwbz_code parse_member(parser *p, npy_header *header)
{
    static const struct {
        const char *key;
        nwbz_code (*parse)(parser *, npy_header *);
        size_t seen; /* offset of has_... */
    } members[] = { { "descr", parse_descr, offsetof(npy_header, has_descr) },
                    { "fortran_order", parse_order, offsetof(npy_header, has_order) },
                    { "shape", parse_shape, offsetof(npy_header, has_shape) } };
    char key[MAX_DESCR_BYTES];
    NZ_TRY(parse_text(p, key, sizeof key, "a key"));
    if (!take(p, ':'))
        return fail_at(p, "':'");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        bool *seen = (bool *)((char *)header + members[i].seen);
        if (strcmp(key, members[i].key) != 0)
            continue;
        if (*seen)
            return nz_fail(p->err, NWBZ_ESOURCE, "the NPY header has the key '%s' twice", key);
        *seen = true;
        return members[i].parse(p, header);
    }
    return nz_fail(p->err, NWBZ_ESOURCE, "the NPY header has the key '%s', which is none of the format's", key);
}

static nwbz_code parse_header(const char *text, size_t n_bytes, npy_header *header, nwbz_error *err)
{
    parser p = { text, text, text + n_bytes, err };
    if (!take(&p, '{'))
        return fail_at(&p, "'{'");
    for (bool more = true; !take(&p, '}'); more = take(&p, ',')) {
        if (!more)
            return fail_at(&p, "',' or '}'");
        NZ_TRY(parse_member(&p, header));
    }
    skip_blanks(&p);
    if (p.at != p.end)
        return fail_at(&p, "the end");
    if (!header->has_descr || !header->has_order || !header->has_shape)
        return nz_fail(err, NWBZ_ESOURCE, "the NPY header has no '%s'",
                       !header->has_descr   ? "descr"
                       : !header->has_order ? "fortran_order"
                                            : "shape");
    return NWBZ_OK;
}

/* Elements in Fortran order lie as in C order where at most one axis is longer than 1. */
static nwbz_code check_order(const npy_header *header, nwbz_error *err)
{
    unsigned n_long = 0;
    for (unsigned d = 0; d < header->n_dims; d++) {
        if (header->shape[d] == 0)
            return NWBZ_OK;
        n_long += header->shape[d] > 1;
    }
    if (!header->fortran_order || n_long <= 1)
        return NWBZ_OK;
    return nz_fail(
        err, NWBZ_EUNSUPPORTED,
        "the NPY file is in Fortran order; save it again with numpy.save(file, numpy.ascontiguousarray(array))");
}

/* ---- the file -------------------------------------------------------------------------- */

static uint64_t little(const unsigned char *bytes, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = n; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* Find where the header lies: [*at, *at + *n_bytes) of the file, whose first `n` bytes are given. */
static nwbz_code find_header(const unsigned char *bytes, size_t n, size_t *at, size_t *n_bytes, nwbz_error *err)
{
    if (n < MAGIC_BYTES || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return nz_fail(err, NWBZ_ESOURCE, "is no NPY file: it does not begin with \\x93NUMPY%s",
                       n >= 2 && memcmp(bytes, "PK", 2) == 0 ? " (an NPZ archive must be unpacked first)" : "");
    unsigned major = bytes[6], length_bytes = major == 1 ? 2 : 4;
    if (major < 1 || major > 3 || bytes[7] != 0)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "is an NPY file of version %u.%u; versions 1.0, 2.0 and 3.0 are read",
                       major, bytes[7]);
    if (n < MAGIC_BYTES + length_bytes)
        return nz_fail(err, NWBZ_ESOURCE, "the NPY file ends after %zu bytes, within its header", n);
    *at = MAGIC_BYTES + length_bytes;
    uint64_t length = little(bytes + MAGIC_BYTES, length_bytes);
    if (length > MAX_HEADER_BYTES)
        return nz_fail(err, NWBZ_EUNSUPPORTED, "the NPY header has %" PRIu64 " bytes; up to %d are read", length,
                       MAX_HEADER_BYTES);
    *n_bytes = (size_t)length;
    if (n - *at < length)
        return nz_fail(err, NWBZ_ESOURCE, "the NPY file ends after %zu bytes, within its header of %" PRIu64 " bytes",
                       n, *at + length);
    return NWBZ_OK;
}

static nwbz_code read_header(int fd, const char *path, npy_header *header, uint64_t *offset_bytes, nwbz_error *err)
{
    nz_buffer start = NZ_BUFFER_INIT(MAGIC_BYTES + 4 + MAX_HEADER_BYTES);
    size_t at = 0, n_bytes = 0;
    nwbz_code code = nz_buffer_reserve(&start, start.max_bytes, err);
    if (code == NWBZ_OK)
        code = nz_file_read_at(fd, start.bytes, start.max_bytes, 0, &start.n_bytes, NWBZ_ESOURCE, path, err);
    if (code == NWBZ_OK)
        code = find_header((const unsigned char *)start.bytes, start.n_bytes, &at, &n_bytes, err);
    if (code == NWBZ_OK)
        code = parse_header(start.bytes + at, n_bytes, header, err);
    nz_buffer_done(&start);
    *offset_bytes = at + n_bytes;
    return code;
}

static nwbz_code open_npy(const char *path, nwbz_source **source, nwbz_error *err)
{
    npy_header header = { 0 };
    nwbz_raw_options options = NWBZ_RAW_OPTIONS_INIT;
    nz_file_info look = { 0 };
    int fd = -1;
    NZ_TRY(nz_file_open_read(path, NWBZ_ESOURCE, &fd, err));
    nwbz_code code = nz_file_look_fd(fd, path, &look, err);
    if (code == NWBZ_OK && look.kind != NZ_FILE_REGULAR)
        code = nz_fail(err, NWBZ_ESOURCE,
                       look.kind == NZ_FILE_FOLDER ? "is a folder, not an NPY file" : "is no regular file");
    if (code == NWBZ_OK)
        code = read_header(fd, path, &header, &options.offset_bytes, err);
    nz_file_drop(fd);
    NZ_TRY(code);
    NZ_TRY(check_order(&header, err));
    options.type = header.type;
    options.big_endian = header.big_endian;
    options.n_dims = header.n_dims;
    options.shape = header.shape;
    return nz_raw_open(path, &options, 0, source, err);
}

nwbz_code nwbz_source_open_npy(const char *path, nwbz_source **source, nwbz_error *err)
{
    *source = NULL;
    return nz_where(err, open_npy(path, source, err), "%s", path);
}
