/* Kills a run before its k-th change of the file system, as SIGKILL does: nothing is cleaned up.
 *
 *   fork -> run -> SIGKILL before open for writing, write, rename, unlink, mkdir, rmdir, sync number k
 */
#ifndef NZ_TESTS_FAULT_KILL_H
#define NZ_TESTS_FAULT_KILL_H

#include <nwbz/error.h>
#include <stdbool.h>

/* Run in a child process, which is killed before its k-th change of the file system, k from 1 on.  Return whether it was killed; else the run
 * must have returned NWBZ_OK. */
bool kill_at(unsigned k, nwbz_code (*run)(void *user, nwbz_error *err), void *user);

/* Count from here on, in the child: what went before does not count. */
void kill_arm(void);

/* Be a file system that cannot exchange two names, or be as usual again. */
void kill_forbid_exchange(bool forbidden);

#endif
