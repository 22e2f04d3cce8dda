/* Walks argv with getopt_long, whose option list is made from the tables; "-" in its option string keeps operands
 * in place, so that the order typed is known and POSIXLY_CORRECT does not matter. */
#include "opt.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_LONG = 256, HELP_VALUE = 255 };

nwbz_code cli_fail(nwbz_error *err, nwbz_code code, const char *where, const char *format, ...)
{
    if (err->code != NWBZ_OK)
        return err->code;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(err->message, sizeof err->message, format, arguments);
    va_end(arguments);
    (void)snprintf(err->where, sizeof err->where, "%s", where ? where : "");
    err->code = code;
    return code;
}

void cli_option_each(const cli_command *command, void (*visit)(const cli_option *option, void *user), void *user)
{
    for (size_t t = 0; command->tables[t]; t++)
        for (const cli_option *option = command->tables[t]; option->help; option++)
            visit(option, user);
}

/* ---- Nearest word -------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein's distance by one row; words longer than the row are never near. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t row[LONGEST + 1], n_a = strlen(a), n_b = strlen(b);
    if (n_a > LONGEST || n_b > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= n_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smaller(substituted, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[n_b];
}

const char *cli_nearest(const char *word, const char *const *candidates, size_t n_candidates)
{
    const char *nearest = NULL;
    size_t best = strlen(word) / 3 + 1; /* a third of the letters may be wrong */
    for (size_t i = 0; i < n_candidates; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        if (distance <= best && (!nearest || distance < best)) {
            nearest = candidates[i];
            best = distance;
        }
    }
    return nearest;
}

/* ---- The option list of getopt --------------------------------------------------------- */

typedef struct parser {
    const cli_option **options; /* value FIRST_LONG + i means options[i] */
    struct option *longs;
    char *letters;
    size_t n_options, n_letters;
} parser;

static void count_option(const cli_option *option, void *user)
{
    *(size_t *)user += option->name != NULL;
}

static void add_option(const cli_option *option, void *user)
{
    parser *p = user;
    if (!option->name)
        return;
    int value = FIRST_LONG + (int)p->n_options;
    p->longs[p->n_options] =
        (struct option){ option->name, option->argument ? required_argument : no_argument, NULL, value };
    p->options[p->n_options++] = option;
    if (!option->letter)
        return;
    p->letters[p->n_letters++] = option->letter;
    if (option->argument)
        p->letters[p->n_letters++] = ':';
}

static nwbz_code parser_init(parser *p, const cli_command *command, nwbz_error *err)
{
    size_t n_options = 0;
    cli_option_each(command, count_option, &n_options);
    p->options = calloc(n_options + 1, sizeof *p->options);
    p->longs = calloc(n_options + 2, sizeof *p->longs);
    p->letters = calloc(2 * n_options + 4, 1);
    if (!p->options || !p->longs || !p->letters)
        return cli_fail(err, NWBZ_ENOMEM, "", "out of memory");
    p->letters[p->n_letters++] = '-';
    p->letters[p->n_letters++] = ':';
    cli_option_each(command, add_option, p);
    p->letters[p->n_letters++] = 'h';
    p->longs[p->n_options] = (struct option){ "help", no_argument, NULL, HELP_VALUE };
    return NWBZ_OK;
}

static void parser_done(parser *p)
{
    free(p->options);
    free(p->longs);
    free(p->letters);
}

static const cli_option *find_option(const parser *p, int value)
{
    if (value >= FIRST_LONG && (size_t)(value - FIRST_LONG) < p->n_options)
        return p->options[value - FIRST_LONG];
    for (size_t i = 0; i < p->n_options; i++)
        if (p->options[i]->letter && p->options[i]->letter == value)
            return p->options[i];
    return NULL;
}

/* ---- What getopt complains of ------------------------------------------------------------ */

/* Count the options that `--word` could be short for. */
static size_t count_prefixed(const parser *p, const char *word, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < p->n_options; i++)
        count += strncmp(p->options[i]->name, word, n) == 0;
    return count;
}

static nwbz_code fail_unknown(const parser *p, const cli_command *command, const char *typed, nwbz_error *err)
{
    if (optopt > 0 && optopt < HELP_VALUE) {
        char where[3] = { '-', (char)optopt, 0 };
        return cli_fail(err, NWBZ_EINVAL, where, "unknown option; `nwbz help %s` lists all", command->name);
    }
    if (optopt >= HELP_VALUE)
        return cli_fail(err, NWBZ_EINVAL, typed, "takes no value; leave `=...` out");
    char word[64];
    size_t n = strcspn(typed + 2, "=");
    (void)snprintf(word, sizeof word, "%.*s", (int)smaller(n, sizeof word - 1), typed + 2);
    if (count_prefixed(p, word, n) > 1)
        return cli_fail(err, NWBZ_EINVAL, typed, "could mean several options; type more letters");
    const char **names = calloc(p->n_options + 1, sizeof *names);
    if (!names)
        return cli_fail(err, NWBZ_ENOMEM, "", "out of memory");
    for (size_t i = 0; i < p->n_options; i++)
        names[i] = p->options[i]->name;
    const char *nearest = cli_nearest(word, names, p->n_options);
    free(names);
    if (nearest)
        return cli_fail(err, NWBZ_EINVAL, typed, "unknown option; did you mean --%s?", nearest);
    return cli_fail(err, NWBZ_EINVAL, typed, "unknown option; `nwbz help %s` lists all", command->name);
}

/* ---- Parsing ------------------------------------------------------------------------------ */

static void add_word(cli_words *words, const cli_option *option, const char *value)
{
    words->words[words->n_words++] = (cli_word){ option, value };
    if (!option)
        words->operands[words->n_operands++] = value;
}

static nwbz_code parse_all(cli_words *words, const parser *p, const cli_command *command, void *args, int argc,
                           char **argv, nwbz_error *err)
{
    int value;
    opterr = 0;
    while ((value = getopt_long(argc, argv, p->letters, p->longs, NULL)) != -1) {
        if (value == 1) {
            add_word(words, NULL, optarg);
            continue;
        }
        if (value == 'h' || value == HELP_VALUE) {
            words->help = true;
            return NWBZ_OK;
        }
        if (value == '?')
            return fail_unknown(p, command, argv[optind - 1], err);
        if (value == ':')
            return cli_fail(err, NWBZ_EINVAL, argv[optind - 1], "a value must follow; `nwbz help %s` says which",
                            command->name);
        const cli_option *option = find_option(p, value);
        add_word(words, option, optarg);
        nwbz_code code = option->set(args, option, optarg, err);
        if (code != NWBZ_OK)
            return code;
    }
    for (int i = optind; i < argc; i++) /* after "--" */
        add_word(words, NULL, argv[i]);
    return NWBZ_OK;
}

nwbz_code cli_words_parse(cli_words *words, const cli_command *command, void *args, int argc, char **argv,
                          nwbz_error *err)
{
    parser p = { NULL, NULL, NULL, 0, 0 };
    nwbz_code code = parser_init(&p, command, err);
    if (code != NWBZ_OK)
        goto done;
    /* A word is one of argv, or a letter of a cluster such as -nq. */
    size_t n_most = 0;
    for (int i = 0; i < argc; i++)
        n_most += strlen(argv[i]) + 1;
    words->words = calloc(n_most + 1, sizeof *words->words);
    words->operands = calloc(n_most + 1, sizeof *words->operands);
    if (!words->words || !words->operands) {
        code = cli_fail(err, NWBZ_ENOMEM, "", "out of memory");
        goto done;
    }
    code = parse_all(words, &p, command, args, argc, argv, err);
done:
    parser_done(&p);
    return code;
}

void cli_words_done(cli_words *words)
{
    free(words->words);
    free(words->operands);
    *words = (cli_words)CLI_WORDS_INIT;
}
