/* The commands: one cmd_*.c each. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "opt.h"

extern const cli_command cli_command_write, cli_command_ls, cli_command_info, cli_command_cat, cli_command_help;

/* All of them, in the order of `nwbz help`. */
extern const cli_command *const cli_commands[];
extern const size_t cli_n_commands;

#endif
