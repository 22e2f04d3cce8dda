/* How far a run is, on stderr.
 *
 *   Writing /acquisition/ts/data (write)  72%|███████▏  | 28153/38654 MB [Elapsed: 00:15, Remaining: 00:05, Rate: 1.9 GB/s]
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <nwbz/types.h>

typedef enum cli_progress_mode {
    CLI_PROGRESS_AUTO = 0, /* a bar where stderr is a terminal, else none */
    CLI_PROGRESS_BAR,      /* redrawn in place */
    CLI_PROGRESS_LINE,     /* a line a second */
    CLI_PROGRESS_JSON,     /* one object a line */
    CLI_PROGRESS_NONE
} cli_progress_mode;

typedef struct cli_progress {
    cli_progress_mode mode;
    uint64_t done_bytes, total_bytes; /* of the last call, for the line of an interrupted run */
    uint64_t next_line_ns;
    bool drawn; /* a bar stands on the terminal's line */
} cli_progress;

/* Find the mode that `text` names. */
nwbz_code cli_progress_parse(const char *text, cli_progress_mode *mode, nwbz_error *err);

/* Begin: turn AUTO into what fits stderr; `quiet` into none. */
void cli_progress_begin(cli_progress *progress, cli_progress_mode mode, bool quiet);

/* A nwbz_progress_fn; `user` is the cli_progress.  Nonzero after a signal. */
int cli_progress_show(const nwbz_progress *now, void *user);

/* Leave the bar as it stands, so that the next line starts clean. */
void cli_progress_end(cli_progress *progress);

#endif
