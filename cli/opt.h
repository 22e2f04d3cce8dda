/* Option tables: what a command takes, said once.
 *
 *   argv --getopt_long over the table--> setters(args)       the same table --> --help and the man page
 *
 * A command lists tables of options (its own and the common ones); each option names the function that stores it.
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <nwbz/types.h>

typedef struct cli_option cli_option;

/* Store `value` (NULL where the option takes none) in `args`, the command's struct.  NWBZ_EINVAL: cannot be right. */
typedef nwbz_code (*cli_set_fn)(void *args, const cli_option *option, const char *value, nwbz_error *err);

struct cli_option {
    const char *name;     /* "shape" for --shape; NULL: a heading of --help */
    char letter;          /* 'j' for -j; 0: none */
    const char *argument; /* "FILE" in --help; NULL: takes none */
    const char *help;     /* one sentence; NULL ends the table */
    cli_set_fn set;
    const char *object; /* the metadata field that the value becomes: "Subject" ... */
    const char *field;  /* ... "subject_id" */
};

#define CLI_HEADING(text)                                                                                              \
    {                                                                                                                  \
        NULL, 0, NULL, text, NULL, NULL, NULL                                                                          \
    }
#define CLI_OPTIONS_END                                                                                                \
    {                                                                                                                  \
        NULL, 0, NULL, NULL, NULL, NULL, NULL                                                                          \
    }

typedef struct cli_command {
    const char *name;                /* "write" */
    const char *operands;            /* "SRC DST" */
    const char *summary;             /* one line of `nwbz help` */
    const char *text;                /* paragraphs of --help, below the usage line */
    const cli_option *const *tables; /* ended by NULL */
    int (*run)(const struct cli_command *command, int argc, char **argv); /* returns the exit code */
} cli_command;

/* One word of the command line: an option with its value, or (option NULL) an operand. */
typedef struct cli_word {
    const cli_option *option;
    const char *value;
} cli_word;

/* The command line in the order it was typed; values point into argv. */
typedef struct cli_words {
    cli_word *words;
    size_t n_words;
    const char **operands; /* the operands alone */
    size_t n_operands;
    bool help; /* --help was there: nothing else counts */
} cli_words;

#define CLI_WORDS_INIT                                                                                                 \
    {                                                                                                                  \
        NULL, 0, NULL, 0, false                                                                                        \
    }

/*
 * Parse argv (argv[0] is the command's name) by the command's tables and call each option's setter in order.
 * Returns NWBZ_OK; NWBZ_EINVAL (unknown option, with the nearest one; a value missing or wrong); NWBZ_ENOMEM.
 */
nwbz_code cli_words_parse(cli_words *words, const cli_command *command, void *args, int argc, char **argv,
                          nwbz_error *err);
void cli_words_done(cli_words *words);

/* Call `visit` for each option and heading of the command, in order. */
void cli_option_each(const cli_command *command, void (*visit)(const cli_option *option, void *user), void *user);

/* Return the candidate nearest to `word`, or NULL where none is near enough to be meant. */
const char *cli_nearest(const char *word, const char *const *candidates, size_t n_candidates);

/* Write an error of the command line itself: `where` is what was typed.  Returns `code`. */
nwbz_code cli_fail(nwbz_error *err, nwbz_code code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
