/* The program: a table of commands.
 *
 *   argv[1] --cli_commands--> parse --> run --> exit code
 */
#include <stdio.h>
#include <string.h>

#include <nwbz/nwbz.h>

#include "commands.h"
#include "exit.h"
#include "help.h"

const cli_command *const cli_commands[] = {
    &cli_command_write, &cli_command_ls, &cli_command_info, &cli_command_cat, &cli_command_help,
};
const size_t cli_n_commands = sizeof cli_commands / sizeof *cli_commands;

static int print_version(void)
{
    (void)printf("nwbz %s\n", nwbz_version());
    return cli_exit_flush(CLI_EXIT_OK);
}

static int refuse_command(const char *word)
{
    static const char *const later[] = { "export", "verify", "digest", "completion" };
    nwbz_error err = NWBZ_ERROR_INIT;
    const char *names[sizeof cli_commands / sizeof *cli_commands];
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(word, later[i]) == 0)
            (void)cli_fail(&err, NWBZ_EINVAL, word,
                           "comes with a later version; this is nwbz %s, and `nwbz help` lists what it has",
                           nwbz_version());
    for (size_t i = 0; i < cli_n_commands; i++)
        names[i] = cli_commands[i]->name;
    const char *nearest = cli_nearest(word, names, cli_n_commands);
    if (nearest)
        (void)cli_fail(&err, NWBZ_EINVAL, word, "no such command; did you mean `nwbz %s`?", nearest);
    (void)cli_fail(&err, NWBZ_EINVAL, word, "no such command; `nwbz help` lists them"); /* the first failure stands */
    return cli_exit_error(&err, CLI_READS, false);
}

int main(int argc, char **argv)
{
    cli_signals_take();
    if (argc < 2) {
        (void)fputs("nwbz: no command; `nwbz help` lists them\n", stderr);
        return CLI_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return print_version();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return cli_help_all();
    for (size_t i = 0; i < cli_n_commands; i++)
        if (strcmp(cli_commands[i]->name, word) == 0)
            return cli_commands[i]->run(cli_commands[i], argc - 1, argv + 1);
    return refuse_command(word);
}
