/* Run a fuzz target over its corpus without a fuzzer, so that every compiler and every test run can.
 *
 *   replay FOLDER MUTATIONS     each file of FOLDER as it is, then MUTATIONS changed copies of each
 *
 * A copy is cut, or has a few bytes changed, swapped or repeated, by a generator with a fixed seed: the same inputs each time.
 * What the target finds ends the process; the last line says how many inputs it saw.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX_BYTES = 1 << 20, MAX_CHANGES = 4 };

static uint64_t state = 88172645463325252u;

/* Return a number below `n` (xorshift). */
static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % n);
}

static size_t read_file(const char *folder, const char *name, uint8_t *bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t n = fread(bytes, 1, MAX_BYTES, file);
    fclose(file);
    return n;
}

static size_t change_once(uint8_t *bytes, size_t n)
{
    if (n < 2)
        return n;
    size_t at = below(n), from = below(n), length = 1 + below(n - (at > from ? at : from));
    switch (below(5)) {
    case 0:
        bytes[at] = (uint8_t)below(256);
        return n;
    case 1:
        bytes[at] ^= (uint8_t)(1u << below(8));
        return n;
    case 2:
        return at ? at : n; /* cut the end off */
    case 3:
        memmove(bytes + at, bytes + from, length); /* repeat a stretch elsewhere */
        return n;
    default:
        memmove(bytes + at, bytes + at + length, n - at - length); /* take a stretch out */
        return n - length ? n - length : n;
    }
}

/* Hand a copy of its own to the target, so that a read past its end is seen. */
static void run_once(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    if (!copy)
        exit(1);
    memcpy(copy, bytes, n);
    (void)LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

static int is_file_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    static uint8_t whole[MAX_BYTES], changed[MAX_BYTES];
    struct dirent **entries = NULL;
    int n_entries = argc == 3 ? scandir(argv[1], &entries, is_file_name, alphasort) : -1;
    if (n_entries < 1) {
        fprintf(stderr, "usage: %s FOLDER MUTATIONS; the folder must hold inputs\n", argv[0]);
        return 2;
    }
    unsigned long n_inputs = 0, mutations = strtoul(argv[2], NULL, 10);
    for (int i = 0; i < n_entries; i++) {
        size_t n = read_file(argv[1], entries[i]->d_name, whole);
        run_once(whole, n);
        for (unsigned long k = 0; k < mutations; k++) {
            memcpy(changed, whole, n);
            size_t n_changed = n;
            for (size_t c = 1 + below(MAX_CHANGES); c > 0; c--)
                n_changed = change_once(changed, n_changed);
            run_once(changed, n_changed);
        }
        n_inputs += 1 + mutations;
        free(entries[i]);
    }
    free(entries);
    printf("%lu inputs from %d files\n", n_inputs, n_entries);
    return 0;
}
