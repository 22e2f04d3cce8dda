/* How the program ends: exit codes, and the signals that ask it to stop.
 *
 *   0 done   1 failed   2 what was typed is wrong   3 the input is wrong   4 the destination exists
 *   5 no room, kept   130, 143 interrupted, kept
 */
#ifndef CLI_EXIT_H
#define CLI_EXIT_H

#include <nwbz/types.h>

enum {
    CLI_EXIT_OK = 0,
    CLI_EXIT_FAILED = 1,
    CLI_EXIT_USAGE = 2,
    CLI_EXIT_INPUT = 3,
    CLI_EXIT_EXISTS = 4,
    CLI_EXIT_NO_SPACE = 5
};

/* Whether a command makes files or only reads them: what is missing is its destination's folder, or its input. */
typedef enum cli_role { CLI_WRITES, CLI_READS } cli_role;

/* Turn a library's code into the exit code. */
int cli_exit_code(nwbz_code code, cli_role role);

/* Print the error (and, where `json`, the object that stands for it on stdout); return the exit code. */
int cli_exit_error(const nwbz_error *err, cli_role role, bool json);

/* Flush stdout and return `code`; where the output did not arrive, say so and return 1 (closed pipe: die quietly). */
int cli_exit_flush(int code);

/* Take SIGINT, SIGTERM and SIGHUP as requests to stop, and make failed writes of SIGPIPE and SIGXFSZ. */
void cli_signals_take(void);

/* Return the signal that asked to stop, 0: none.  The second form is for nwbz_source_new_stream(). */
int cli_signal(void);
int cli_interrupted(void *unused);

#endif
