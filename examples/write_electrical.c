/* Write an ElectricalSeries with its electrodes, with metadata as JSON and a progress callback.
 *
 *   cc write_electrical.c $(pkg-config --cflags --libs nwbz) && ./a.out
 */
#include <stdio.h>
#include <stdlib.h>

#include <nwbz/nwbz.h>

enum { FRAMES = 30000, CHANNELS = 4 };

static const char metadata[] =
    "{"
    "  \"NWBFile\": {\"session_description\": \"one second of noise\","
    "                \"session_start_time\": \"2024-05-01T10:00:00+02:00\","
    "                \"experimenter\": [\"Doe, Jane\"]},"
    "  \"Subject\": {\"subject_id\": \"m1\", \"species\": \"Mus musculus\", \"sex\": \"F\", \"age\": \"P90D\"},"
    "  \"ElectricalSeries\": {\"conversion\": 2.34375e-6}"
    "}";

/* Called now and then by the writing thread; nonzero would stop the run. */
static int show(const nwbz_progress *progress, void *user)
{
    *(uint64_t *)user = progress->done_bytes;
    return 0;
}

int main(void)
{
    static int16_t samples[FRAMES * CHANNELS];
    const uint64_t shape[] = { FRAMES, CHANNELS };
    uint64_t done_bytes = 0;
    for (size_t i = 0; i < FRAMES * CHANNELS; i++)
        samples[i] = (int16_t)(rand() % 200 - 100);

    nwbz_write_options options = NWBZ_WRITE_OPTIONS_INIT;
    options.metadata_json = metadata;
    options.electrical = true;
    options.rate_hz = 30000;
    options.number_of_jobs = 2;
    options.existing = NWBZ_EXISTING_OVERWRITE;
    options.on_progress = show;
    options.user = &done_bytes;

    nwbz_error err = NWBZ_ERROR_INIT;
    nwbz_report report = NWBZ_REPORT_INIT;
    nwbz_source *source = NULL;
    nwbz_code code = nwbz_source_new_memory(samples, NWBZ_INT16, 2, shape, &source, &err);
    if (code == NWBZ_OK)
        code = nwbz_write(source, "electrical.nwb.zarr", &options, &report, &err);
    nwbz_source_close(source);
    if (code != NWBZ_OK) {
        (void)fprintf(stderr, "%s: %s\n", err.where, err.message);
        return EXIT_FAILURE;
    }
    (void)printf("%s: %llu bytes in, %llu stored\n", report.destination, (unsigned long long)report.bytes_in,
                 (unsigned long long)report.bytes_stored);
    int exit_code = done_bytes == sizeof samples ? EXIT_SUCCESS : EXIT_FAILURE;
    nwbz_report_done(&report);
    return exit_code;
}
