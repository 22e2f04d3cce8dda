/* Text is wrapped here, at 100 columns, so that the tables hold whole sentences. */
#include "help.h"

#include <stdio.h>
#include <string.h>

#include <nwbz/nwbz.h>

#include "commands.h"
#include "exit.h"

enum { COLUMNS = 100, INDENT = 30 };

/* Print words from column `at`, wrapped, with later lines indented by `indent`; newlines in the text begin a
 * paragraph. */
static void print_wrapped(const char *text, int at, int indent)
{
    while (*text) {
        int n = (int)strcspn(text, " \n");
        if (at > indent && at + 1 + n > COLUMNS) {
            (void)printf("\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            (void)putchar(' ');
            at++;
        }
        (void)printf("%.*s", n, text);
        at += n;
        text += n;
        if (*text == '\n') {
            (void)printf("\n\n%*s", indent, "");
            at = indent;
        }
        text += strspn(text, " \n");
    }
    (void)putchar('\n');
}

static void print_option(const cli_option *option, void *user)
{
    (void)user;
    if (!option->name) {
        (void)printf("\n%s\n", option->help);
        return;
    }
    char left[128];
    int n;
    if (option->letter)
        n = snprintf(left, sizeof left, "  -%c, --%s", option->letter, option->name);
    else
        n = snprintf(left, sizeof left, "      --%s", option->name);
    if (option->argument)
        n += snprintf(left + n, sizeof left - (size_t)n, " %s", option->argument);
    (void)fputs(left, stdout);
    if (n + 2 > INDENT)
        (void)printf("\n%*s", INDENT, "");
    else
        (void)printf("%*s", INDENT - n, "");
    print_wrapped(option->help, INDENT, INDENT);
}

int cli_help(const cli_command *command)
{
    (void)printf("usage: nwbz %s %s\n\n", command->name, command->operands);
    print_wrapped(command->text, 0, 0);
    cli_option_each(command, print_option, NULL);
    (void)printf("\n");
    print_option(&(const cli_option){ "help", 'h', NULL, "Print this.", NULL, NULL, NULL }, NULL);
    return cli_exit_flush(CLI_EXIT_OK);
}

static const struct {
    const char *codes, *meaning;
} exit_table[] = {
    { "0", "done" },
    { "1", "failed; the unfinished tree is removed" },
    { "2", "what was typed cannot be right, whatever the files hold" },
    { "3", "the input is missing, unreadable, damaged, or not what the options say" },
    { "4", "the destination exists, or an unfinished run or another run's lock stands there" },
    { "5", "no room on the disk; kept, --resume goes on" },
    { "130, 143", "interrupted (SIGINT, SIGTERM); kept, --resume goes on" },
};

int cli_help_all(void)
{
    (void)printf("nwbz %s: neurophysiology data in NWB, written to Zarr in parallel\n\n", nwbz_version());
    (void)printf("usage: nwbz COMMAND ...\n\n");
    for (size_t i = 0; i < cli_n_commands; i++)
        (void)printf("  %-7s %-32s %s\n", cli_commands[i]->name, cli_commands[i]->operands, cli_commands[i]->summary);
    (void)printf("\n`nwbz help COMMAND` lists its options; `nwbz --version` prints the version.\n\nexit codes\n");
    for (size_t i = 0; i < sizeof exit_table / sizeof *exit_table; i++)
        (void)printf("  %-9s %s\n", exit_table[i].codes, exit_table[i].meaning);
    return cli_exit_flush(CLI_EXIT_OK);
}

/* ---- The manual page -------------------------------------------------------------------------- */

/* Escape for troff: backslashes and hyphens; a line is never begun by a dot, since texts begin with other letters. */
static void man_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\\')
            (void)fputs("\\e", stdout);
        else if (*text == '-')
            (void)fputs("\\-", stdout);
        else if (*text == '\n')
            (void)fputs("\n.PP\n", stdout);
        else
            (void)putchar(*text);
    }
}

static void man_option(const cli_option *option, void *user)
{
    (void)user;
    if (!option->name) {
        (void)printf(".PP\n");
        man_text(option->help);
        (void)printf(":\n");
        return;
    }
    (void)printf(".TP\n.B ");
    if (option->letter)
        (void)printf("\\-%c, ", option->letter);
    (void)printf("\\-\\-");
    man_text(option->name);
    if (option->argument) {
        (void)printf(" \\fI");
        man_text(option->argument);
        (void)printf("\\fR");
    }
    (void)printf("\n");
    man_text(option->help);
    (void)printf("\n");
}

static void man_command(const cli_command *command)
{
    (void)printf(".SS nwbz %s ", command->name);
    man_text(command->operands);
    (void)printf("\n");
    man_text(command->text);
    (void)printf("\n");
    cli_option_each(command, man_option, NULL);
}

int cli_help_man(void)
{
    (void)printf(".TH NWBZ 1 \"\" \"nwbz %s\" \"User Commands\"\n.SH NAME\n"
                 "nwbz \\- neurophysiology data in NWB, written to Zarr in parallel\n.SH SYNOPSIS\n",
                 nwbz_version());
    for (size_t i = 0; i < cli_n_commands; i++) {
        (void)printf("%s.B nwbz %s\n", i ? ".br\n" : "", cli_commands[i]->name);
        man_text(cli_commands[i]->operands);
        (void)printf("\n");
    }
    (void)printf(".SH COMMANDS\n");
    for (size_t i = 0; i < cli_n_commands; i++)
        man_command(cli_commands[i]);
    (void)printf(".SH EXIT STATUS\n");
    for (size_t i = 0; i < sizeof exit_table / sizeof *exit_table; i++) {
        (void)printf(".TP\n.B %s\n", exit_table[i].codes);
        man_text(exit_table[i].meaning);
        (void)printf("\n");
    }
    (void)printf(".SH ENVIRONMENT\n.TP\n.B NWBZ_JOBS\nNumber of jobs where \\-\\-jobs is not given.\n");
    return cli_exit_flush(CLI_EXIT_OK);
}
