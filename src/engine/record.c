/* The journal is read once into a sorted table; a key that stands in it twice counts as its last line says. */
#include "engine/record.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOURNAL "journal"
#define PLAN "plan.json"
#define JOURNAL_MAX_BYTES ((size_t)8 << 30)
#define PLAN_MAX_BYTES ((size_t)256 << 20)
enum { LINE_ROOM = 3 * 4096 + 64 }; /* on the stack: no allocation per object; system paths end at 4096 bytes */

/* One line of the earlier run's journal; the key lies in `text`. */
typedef struct entry {
    const char *key;
    size_t line;
    uint64_t n_bytes;
    uint32_t crc;
} entry;

struct nz_record {
    nwbz_store *store;
    nz_buffer text; /* the journal, with lines cut into keys */
    entry *entries;
    size_t n_entries;
};

/* Turn %XX back, in place. */
static bool unescape(char *key)
{
    char *out = key;
    for (char *in = key; *in; in++, out++) {
        *out = *in;
        if (*in != '%')
            continue;
        unsigned value;
        if (!in[1] || !in[2] || sscanf(in + 1, "%2x", &value) != 1)
            return false;
        *out = (char)value;
        in += 2;
    }
    *out = 0;
    return true;
}

/* Parse "CRC32C SIZE KEY"; the line is NUL-terminated. */
static bool parse_line(char *line, entry *e)
{
    unsigned long long n_bytes;
    unsigned crc;
    int at = 0;
    if (sscanf(line, "%8x %llu %n", &crc, &n_bytes, &at) != 2 || at < 11 || line[8] != ' ' || !line[at] || !unescape(line + at))
        return false;
    e->key = line + at;
    e->crc = crc;
    e->n_bytes = n_bytes;
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* *whole_bytes: where the first line begins that is torn or wrong. */
static nwbz_code parse_journal(nz_record *record, size_t *whole_bytes, nwbz_error *err)
{
    size_t n_lines = 0;
    for (size_t i = 0; i < record->text.n_bytes; i++)
        n_lines += record->text.bytes[i] == '\n';
    record->entries = nz_calloc(n_lines, sizeof *record->entries);
    if (!record->entries)
        return nz_fail_memory(err, n_lines * sizeof *record->entries, "the journal");
    char *line = record->text.bytes;
    for (size_t i = 0; i < n_lines; i++) {
        char *end = memchr(line, '\n', (size_t)(record->text.bytes + record->text.n_bytes - line));
        *end = 0;
        entry *e = &record->entries[record->n_entries];
        if (!parse_line(line, e)) /* torn by a power cut: what follows does not count */
            break;
        e->line = record->n_entries++;
        line = end + 1;
    }
    *whole_bytes = (size_t)(line - record->text.bytes);
    qsort(record->entries, record->n_entries, sizeof *record->entries, compare_entries);
    return NWBZ_OK;
}

/* Read the journal; a torn end is cut off, so that new lines do not join it. */
static nwbz_code read_journal(nz_record *record, nwbz_error *err)
{
    nwbz_store *store = record->store;
    nwbz_code code = store->class->record_get(store, JOURNAL, &record->text, err);
    if (code == NWBZ_ENOTFOUND)
        return NWBZ_OK;
    size_t whole_bytes = 0, n_bytes = record->text.n_bytes;
    if (code == NWBZ_OK)
        code = parse_journal(record, &whole_bytes, err);
    if (code != NWBZ_OK || whole_bytes == n_bytes)
        return code;
    nz_buffer again = NZ_BUFFER_INIT(JOURNAL_MAX_BYTES);
    code = store->class->record_get(store, JOURNAL, &again, err);
    if (code == NWBZ_OK)
        code = store->class->record_put(store, JOURNAL, again.bytes, whole_bytes, err);
    nz_buffer_done(&again);
    return code;
}

nwbz_code nz_record_open(nwbz_store *store, nz_record **out, nwbz_error *err)
{
    *out = NULL;
    nz_record *record = nz_calloc(1, sizeof *record);
    if (!record)
        return nz_fail_memory(err, sizeof *record, "the journal");
    record->store = store;
    record->text = (nz_buffer)NZ_BUFFER_INIT(JOURNAL_MAX_BYTES);
    nwbz_code code = store->resumed ? read_journal(record, err) : NWBZ_OK;
    if (code != NWBZ_OK) {
        nz_record_close(record);
        return code;
    }
    *out = record;
    return NWBZ_OK;
}

void nz_record_close(nz_record *record)
{
    if (!record)
        return;
    nz_buffer_done(&record->text);
    nz_free(record->entries);
    nz_free(record);
}

nwbz_code nz_record_get_plan(nwbz_store *store, nz_json **plan, nwbz_error *err)
{
    *plan = NULL;
    nz_buffer text = NZ_BUFFER_INIT(PLAN_MAX_BYTES);
    nwbz_code code = store->class->record_get(store, PLAN, &text, err);
    if (code == NWBZ_OK)
        code = nz_json_parse(text.bytes ? text.bytes : "", text.n_bytes, plan, err);
    nz_buffer_done(&text);
    return nz_where(err, code, "%s: %s of the unfinished tree", store->name, PLAN);
}

nwbz_code nz_record_put_plan(nwbz_store *store, const nz_json *plan, nwbz_error *err)
{
    nz_buffer text = NZ_BUFFER_INIT(PLAN_MAX_BYTES);
    nwbz_code code = nz_json_format(plan, &text, err);
    if (code == NWBZ_OK)
        code = store->class->record_put(store, PLAN, text.bytes, text.n_bytes, err);
    nz_buffer_done(&text);
    return nz_where(err, code, "%s: %s of the unfinished tree", store->name, PLAN);
}

nwbz_code nz_record_add(nz_record *record, const char *key, uint64_t n_bytes, uint32_t crc, nwbz_error *err)
{
    char line[LINE_ROOM];
    size_t at = (size_t)snprintf(line, sizeof line, "%08x %llu ", crc, (unsigned long long)n_bytes);
    for (; *key && at + 5 < sizeof line; key++) {
        unsigned char byte = (unsigned char)*key;
        if (byte <= 0x20 || byte == '%' || byte == 0x7f)
            at += (size_t)snprintf(line + at, sizeof line - at, "%%%02x", byte);
        else
            line[at++] = (char)byte;
    }
    nwbz_code code = NWBZ_OK;
    if (*key)
        code = nz_fail(err, NWBZ_EIO, "a key is too long for the journal: over %d bytes", LINE_ROOM);
    line[at++] = '\n';
    if (code == NWBZ_OK)
        code = record->store->class->record_append(record->store, JOURNAL, line, at, err);
    return nz_where(err, code, "%s: journal of the unfinished tree", record->store->name);
}

/* Order by key only, so that the search ends at any line of that key. */
static int compare_key(const void *key, const void *element)
{
    return strcmp(key, ((const entry *)element)->key);
}

bool nz_record_find(const nz_record *record, const char *key, uint64_t *n_bytes, uint32_t *crc)
{
    const entry *found = record->n_entries ? bsearch(key, record->entries, record->n_entries, sizeof *found, compare_key) : NULL;
    if (!found)
        return false;
    while (found + 1 < record->entries + record->n_entries && strcmp(found[1].key, key) == 0)
        found++;
    *n_bytes = found->n_bytes;
    *crc = found->crc;
    return true;
}
