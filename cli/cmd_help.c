/* nwbz help [COMMAND], nwbz help --man. */
#include <string.h>

#include "commands.h"
#include "exit.h"
#include "help.h"

typedef struct help_args {
    bool man;
} help_args;

static nwbz_code set_man(void *args, const cli_option *option, const char *value, nwbz_error *err)
{
    (void)option, (void)value, (void)err;
    ((help_args *)args)->man = true;
    return NWBZ_OK;
}

static const cli_option help_options[] = {
    CLI_HEADING("Options"),
    { "man", 0, NULL, "Print the manual page, in the man macros.", set_man, NULL, NULL },
    CLI_OPTIONS_END,
};

static const cli_option *const help_tables[] = { help_options, NULL };

static int help_of(const char *name)
{
    for (size_t i = 0; i < cli_n_commands; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_help(cli_commands[i]);
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)cli_fail(&err, NWBZ_EINVAL, name, "no such command; `nwbz help` lists them");
    return cli_exit_error(&err, CLI_READS, false);
}

static int main_help(const cli_command *command, int argc, char **argv)
{
    nwbz_error err = NWBZ_ERROR_INIT;
    cli_words words = CLI_WORDS_INIT;
    help_args args = { false };
    int exit_code;
    if (cli_words_parse(&words, command, &args, argc, argv, &err) != NWBZ_OK)
        exit_code = cli_exit_error(&err, CLI_READS, false);
    else if (args.man)
        exit_code = cli_help_man();
    else if (words.help)
        exit_code = cli_help(command);
    else if (words.n_operands > 0)
        exit_code = help_of(words.operands[0]);
    else
        exit_code = cli_help_all();
    cli_words_done(&words);
    return exit_code;
}

const cli_command cli_command_help = {
    "help",      "[COMMAND]", "say what a command takes", "Without COMMAND: lists the commands and the exit codes.",
    help_tables, main_help,
};
