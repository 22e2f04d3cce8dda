/* A bar is redrawn in place and cut to the terminal's width: a line that wraps could not be redrawn. */
#define _DEFAULT_SOURCE /* struct winsize */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "exit.h"
#include "opt.h"
#include "print.h"

static const char *const mode_names[] = { "auto", "bar", "line", "json", "none" };

nwbz_code cli_progress_parse(const char *text, cli_progress_mode *mode, nwbz_error *err)
{
    for (size_t i = 0; i < sizeof mode_names / sizeof *mode_names; i++) {
        if (strcmp(text, mode_names[i]) == 0) {
            *mode = (cli_progress_mode)i;
            return NWBZ_OK;
        }
    }
    char where[256];
    (void)snprintf(where, sizeof where, "--progress %s", text);
    return cli_fail(err, NWBZ_EINVAL, where, "not known; one of auto, bar, line, json, none");
}

void cli_progress_begin(cli_progress *progress, cli_progress_mode mode, bool quiet)
{
    memset(progress, 0, sizeof *progress);
    progress->mode = mode;
    if (mode == CLI_PROGRESS_AUTO)
        progress->mode = isatty(STDERR_FILENO) ? CLI_PROGRESS_BAR : CLI_PROGRESS_NONE;
    if (quiet)
        progress->mode = CLI_PROGRESS_NONE;
}

/* ---- One line ------------------------------------------------------------------------- */

/* Ten cells in eighths: ███████▏ and blanks. */
static void text_bar(char *text, size_t n_text, double fraction)
{
    static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
    unsigned n_eighths = (unsigned)(fraction * 80);
    unsigned cells = n_eighths / 8, part = n_eighths % 8;
    size_t n = 0;
    for (unsigned i = 0; i < cells; i++)
        n += (size_t)snprintf(text + n, n_text - n, "█");
    n += (size_t)snprintf(text + n, n_text - n, "%s", eighths[part]);
    (void)snprintf(text + n, n_text - n, "%*s", (int)(10 - cells - (part > 0)), "");
}

/* "28153/38654 MB", with a decimal where the whole is under 100 MB. */
static void text_megabytes(char *text, size_t n_text, const nwbz_progress *now)
{
    double done = (double)now->done_bytes / 1e6, total = (double)now->total_bytes / 1e6;
    int decimals = (now->total_bytes ? total : done) < 100;
    if (now->total_bytes)
        (void)snprintf(text, n_text, "%.*f/%.*f MB", decimals, done, decimals, total);
    else
        (void)snprintf(text, n_text, "%.*f MB", decimals, done);
}

/* Everything after the dataset's name. */
static void text_figures(char *text, size_t n_text, const nwbz_progress *now)
{
    char bar[64], megabytes[64], elapsed[CLI_TEXT], remaining[CLI_TEXT], rate[CLI_TEXT];
    double seconds = (double)now->elapsed_ns / 1e9;
    double per_second = seconds > 0 ? (double)now->done_bytes / seconds : 0;
    text_megabytes(megabytes, sizeof megabytes, now);
    cli_text_seconds(elapsed, seconds);
    cli_text_bytes(rate, (uint64_t)per_second);
    if (!now->total_bytes) {
        (void)snprintf(text, n_text, "%s [Elapsed: %s, Rate: %s/s]", megabytes, elapsed, rate);
        return;
    }
    double fraction = (double)now->done_bytes / (double)now->total_bytes;
    if (fraction > 1)
        fraction = 1;
    text_bar(bar, sizeof bar, fraction);
    cli_text_seconds(remaining, per_second > 0 ? (double)(now->total_bytes) * (1 - fraction) / per_second : 0);
    (void)snprintf(text, n_text, "%3d%%|%s| %s [Elapsed: %s, Remaining: %s, Rate: %s/s]", (int)(fraction * 100), bar,
                   megabytes, elapsed, per_second > 0 ? remaining : "--:--", rate);
}

/* Count the columns of UTF-8 text: continuation bytes take none. */
static size_t count_columns(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void print_line(const nwbz_progress *now, size_t width)
{
    char figures[1024];
    text_figures(figures, sizeof figures, now);
    size_t taken = count_columns(figures) + strlen("Writing  ()  ") + strlen(now->kind);
    const char *name = now->dataset;
    size_t n_name = strlen(name);
    if (taken + n_name > width) { /* the end of a path says most */
        size_t room = width > taken ? width - taken : 0;
        name += n_name - room;
    }
    (void)fputs(strcmp(now->kind, "read") == 0 ? "Reading " : "Writing ", stderr);
    cli_print_safe(stderr, name);
    (void)fprintf(stderr, " (%s)  %s", now->kind, figures);
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col - 1u;
    return 240;
}

static void print_json(const nwbz_progress *now)
{
    (void)fputs("{\"dataset\": ", stderr);
    cli_print_json_text(stderr, now->dataset);
    (void)fprintf(stderr,
                  ", \"kind\": \"%s\", \"done_bytes\": %" PRIu64 ", \"total_bytes\": %" PRIu64
                  ", \"seconds\": %.3f, \"number_of_jobs\": %u}\n",
                  now->kind, now->done_bytes, now->total_bytes, (double)now->elapsed_ns / 1e9, now->number_of_jobs);
}

int cli_progress_show(const nwbz_progress *now, void *user)
{
    cli_progress *progress = user;
    progress->done_bytes = now->done_bytes;
    progress->total_bytes = now->total_bytes;
    bool whole = now->total_bytes && now->done_bytes >= now->total_bytes;
    bool due = now->elapsed_ns >= progress->next_line_ns || whole;
    if (progress->mode == CLI_PROGRESS_BAR) {
        (void)fputs("\r\033[K", stderr);
        print_line(now, terminal_width());
        progress->drawn = true;
    } else if (progress->mode == CLI_PROGRESS_LINE && due) {
        print_line(now, 4096);
        (void)fputc('\n', stderr);
        progress->next_line_ns = now->elapsed_ns + 1000000000u;
    } else if (progress->mode == CLI_PROGRESS_JSON) {
        print_json(now);
    }
    (void)fflush(stderr);
    return cli_interrupted(NULL);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->drawn)
        (void)fputc('\n', stderr);
    progress->drawn = false;
}
