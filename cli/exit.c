/* A signal only sets a flag, which the progress callback and the reader of a stream look at: the run then ends
 * as by any other error, with its tree kept.  A second signal sets the same flag again, so it cannot cut the tidying short. */
#include "exit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "opt.h"
#include "print.h"

static volatile sig_atomic_t signal_taken;

static void take_signal(int number)
{
    if (!signal_taken)
        signal_taken = number;
}

void cli_signals_take(void)
{
    static const int asked[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    (void)sigfillset(&action.sa_mask); /* of two at once the first counts */
    action.sa_handler = take_signal;   /* without SA_RESTART: a read that waits for a stream must come back */
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        bool by_nohup = asked[i] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
        if (!by_nohup)
            (void)sigaction(asked[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL); /* a closed stderr must not end a run */
    (void)sigaction(SIGXFSZ, &action, NULL);
}

int cli_signal(void)
{
    return signal_taken;
}

int cli_interrupted(void *unused)
{
    (void)unused;
    return signal_taken != 0;
}

/* What each code means where a command writes, and where it only reads. */
static const struct {
    nwbz_code code;
    int writes, reads;
} exit_codes[] = {
    { NWBZ_OK, CLI_EXIT_OK, CLI_EXIT_OK },
    { NWBZ_EINVAL, CLI_EXIT_USAGE, CLI_EXIT_USAGE },
    { NWBZ_ESOURCE, CLI_EXIT_INPUT, CLI_EXIT_INPUT },
    { NWBZ_EFORMAT, CLI_EXIT_INPUT, CLI_EXIT_INPUT },
    { NWBZ_ENOTFOUND, CLI_EXIT_FAILED, CLI_EXIT_INPUT }, /* the destination's folder; the input */
    { NWBZ_EUNSUPPORTED, CLI_EXIT_INPUT, CLI_EXIT_INPUT },
    { NWBZ_EEXIST, CLI_EXIT_EXISTS, CLI_EXIT_EXISTS },
    { NWBZ_ELOCKED, CLI_EXIT_EXISTS, CLI_EXIT_EXISTS },
    { NWBZ_ENOSPACE, CLI_EXIT_NO_SPACE, CLI_EXIT_FAILED },
    { NWBZ_ELIMIT, CLI_EXIT_FAILED, CLI_EXIT_FAILED },
    { NWBZ_EIO, CLI_EXIT_FAILED, CLI_EXIT_INPUT },
    { NWBZ_ENOMEM, CLI_EXIT_FAILED, CLI_EXIT_FAILED },
    { NWBZ_ECALLBACK, CLI_EXIT_FAILED, CLI_EXIT_FAILED },
};

int cli_exit_code(nwbz_code code, cli_role role)
{
    if (code == NWBZ_ECANCELED)
        return 128 + (signal_taken ? signal_taken : SIGINT);
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++)
        if (exit_codes[i].code == code)
            return role == CLI_WRITES ? exit_codes[i].writes : exit_codes[i].reads;
    return CLI_EXIT_FAILED;
}

int cli_exit_error(const nwbz_error *err, cli_role role, bool json)
{
    int code = cli_exit_code(err->code, role);
    cli_print_error(err);
    if (json)
        cli_print_json_error(err, code);
    return code;
}

/* Whether the reader of a pipe has gone: asked of the pipe, since the failed write's errno may be overwritten. */
static bool is_pipe_closed(void)
{
    struct pollfd poll_out = { STDOUT_FILENO, POLLOUT, 0 };
    return poll(&poll_out, 1, 0) == 1 && (poll_out.revents & POLLERR);
}

int cli_exit_flush(int code)
{
    errno = 0;
    if (cli_flush())
        return code;
    int cause = errno;
    if (cause == EPIPE || is_pipe_closed()) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)raise(SIGPIPE);
    }
    nwbz_error err = NWBZ_ERROR_INIT;
    (void)cli_fail(&err, NWBZ_EIO, "standard output", "not all was written: %s",
                   cause ? strerror(cause) : "an earlier write failed");
    cli_print_error(&err);
    return CLI_EXIT_FAILED;
}
