/* Runs a scenario again and again, each time with the next allocation, read or write of the library failing, until it goes through untouched.
 *
 *   prepare -> run with the k-th step failing -> check_failed or check_done      k = 1, 2, 3 ...
 *
 * After each run it checks for itself: a failure has its code and a message; what was allocated is freed; no descriptor is left open.  What
 * must hold beyond (nothing at the final path, say) is for check_failed.  A step may fail without the run failing, where the result does not hang on
 * it (removing what is left over, advice): then check_done must hold.
 */
#ifndef NZ_TESTS_FAULT_FAULT_H
#define NZ_TESTS_FAULT_FAULT_H

#include <nwbz/error.h>

typedef enum fault_kind {
    FAULT_ALLOCATION, /* NULL; NWBZ_ENOMEM */
    FAULT_READ,       /* opening, looking, listing, reading; EIO */
    FAULT_WRITE, /* opening, writing (half of it is written), closing, making, renaming, removing, syncing, locking; EIO */
    FAULT_FULL /* a full disk: from the k-th step on everything that needs room fails, NWBZ_ENOSPACE; removing and renaming go on */
} fault_kind;

typedef struct fault_scenario {
    void (*prepare)(void *user);                                              /* NULL: nothing */
    nwbz_code (*run)(void *user, nwbz_error *err);                            /* frees and closes all it made */
    void (*check_failed)(void *user, fault_kind kind, const nwbz_error *err); /* NULL: nothing */
    void (*check_done)(void *user);                                           /* NULL: nothing */
    void *user;
    unsigned stride; /* k = 1, 1 + stride ...: for what differs little from a scenario whose every k is tried; 0: 1 */
} fault_scenario;

/* Try all k; return how many steps there were.  Fails the cmocka test with k and what failed. */
unsigned fault_try_all(const fault_scenario *scenario, fault_kind kind);

/* cmocka setup: *state becomes an empty folder in memory where there is such a file system (thousands of runs would wait for a disk), else below
 * TMPDIR.  Taken down by test_folder_teardown(). */
int fault_folder_setup(void **state);

/* Return how many descriptors the process has open. */
unsigned fault_count_descriptors(void);

#endif
