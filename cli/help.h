/* Help and the man page, both made from the option tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "opt.h"

/* Print what a command does and takes; returns the exit code. */
int cli_help(const cli_command *command);

/* Print the commands. */
int cli_help_all(void);

/* Print the manual page, in the man macros. */
int cli_help_man(void);

#endif
