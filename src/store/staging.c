/* When a folder store becomes visible, and what a run finds that comes after one that was killed.
 *
 *   begin    make F = .NAME.nwbz, lock F/lock, settle what lies there, decide; make F/tree; where NAME is to be
 *            replaced, write F/replaces, which holds the inode number of F/tree
 *   caller   fills F/tree; F/plan.json and F/journal make it resumable
 *   commit   sync; check NAME again; rename F/tree to NAME, or exchange the two and rename F/tree to F/old (where the
 *            file system cannot exchange: NAME to F/old, F/tree to NAME); sync the parent folder; remove F/old, the
 *            rest of F, F/lock, F
 *
 * A kill leaves one of these states.  "new" and "old" say which content lies at a name, - that nothing does; i: it has
 * the inode number that F/replaces holds.
 *
 *      plan  tree        old  NAME       means                                  settle
 *   1  -     any         -    any        not begun, or being removed            remove all in F
 *   2  yes   new         -    -          unfinished                             keep, resumable
 *   3  yes   new, i      -    old        unfinished, replaces NAME              keep, resumable
 *   4  yes   new         -    any        unfinished, NAME appeared meanwhile    keep, resumable when NAME has gone
 *   5  any   old         -    new, i     exchanged                              remove tree, then as 8
 *   6  any   new         yes  -          NAME is aside                          rename old to NAME, then as 1 or 3
 *   7  any   -           yes  any        moved                                  remove old, then as 8
 *   8  any   -           -    any        moved, or not begun                    remove all in F
 *   9  any   any         yes  any        NAME appeared while it was aside       error naming both, remove nothing
 *  10  any   -           yes  -          moved, and NAME taken away since       rename old to NAME, then as 8
 *  11  yes   not i       -    not i      F was copied: the tree may be either   remove all in F
 *
 * The inode number leaves no window: a mark of its own for "exchanged" would be a second step after the exchange.  In
 * state 11 the tree is an unfinished one, which is begun anew, or a store that was replaced; it must not be taken for
 * the other. Removal begins with plan.json, so that a half-removed tree is never resumed.  Only what has a name of
 * ours is removed; F itself goes when it is empty.
 *
 * The lock is held from begin to the end of commit or abort.  F/lock is removed while it is held; a run that had it
 * open meanwhile finds that the locked file is not at its name any more (nz_file_lock), or that F is gone, and begins
 * again. */
#include "store/staging.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/path.h"
#include "store/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char lock_name[] = "lock", old_name[] = "old", tree_name[] = "tree", mark_name[] = "replaces";

/* In the order of removal: without plan.json the rest counts for nothing. */
static const char *const removed_names[] = { "plan.json", "journal", tree_name, mark_name, NULL };

/* What lies at the names, under the lock (or without one, to see whether there is anything to do). */
typedef struct state {
    nz_file_info destination, tree, old;
    bool is_whole; /* the destination is a Zarr store */
    bool has_plan;
    bool has_mark;
    uint64_t mark;      /* inode number of the tree that may replace the destination; 0: unreadable */
    bool is_unfinished; /* set by settle */
} state;

typedef enum next_step { NOTHING, ANEW, GO_ON } next_step;

/* ---- Names --------------------------------------------------------------------------- */

static nwbz_code path_in(const nz_staging *staging, const char *name, char **path, nwbz_error *err)
{
    *path = nz_path_join(staging->folder, name);
    return *path ? NWBZ_OK : nz_fail_memory(err, strlen(staging->folder) + strlen(name), "a path");
}

static nwbz_code look_in(const nz_staging *staging, const char *name, nz_file_info *info, nwbz_error *err)
{
    char *path;
    NZ_TRY(path_in(staging, name, &path, err));
    nwbz_code code = nz_file_look(path, false, info, err);
    nz_free(path);
    return code;
}

static nwbz_code remove_in(const nz_staging *staging, const char *name, nwbz_error *err)
{
    char *path;
    NZ_TRY(path_in(staging, name, &path, err));
    nwbz_code code = nz_tree_remove(path, err);
    nz_free(path);
    return code;
}

/* Find the parent without following a symlink at the destination itself. */
static nwbz_code find_parent(const char *path, char **parent, nwbz_error *err)
{
    nz_file_info info;
    nwbz_error failed = NWBZ_ERROR_INIT;
    char *given = nz_path_parent(path);
    if (!given)
        return nz_fail_memory(err, strlen(path), "a path");
    nwbz_code code = nz_path_resolve(given, parent, &failed);
    if (code == NWBZ_OK)
        code = nz_file_look(*parent, true, &info, &failed);
    bool is_absent = code == NWBZ_OK ? info.kind == NZ_FILE_ABSENT : failed.os_errno == ENOENT;
    if (is_absent)
        code = nz_fail(err, NWBZ_ENOTFOUND, "the folder %s does not exist: make it first", given);
    else if (failed.os_errno == ENOTDIR || (code == NWBZ_OK && info.kind != NZ_FILE_FOLDER))
        code = nz_fail(err, NWBZ_ENOTFOUND, "%s is not a folder", given);
    else if (code != NWBZ_OK && err)
        *err = failed;
    nz_free(given);
    return code;
}

static nwbz_code name_places(nz_staging *staging, const char *path, nwbz_error *err)
{
    char *parent = NULL, *name = nz_path_name(path), *beside = NULL;
    nwbz_code code = name ? NWBZ_OK : nz_fail_memory(err, strlen(path), "a path");
    if (code == NWBZ_OK && (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
        code = nz_fail(err, NWBZ_EINVAL, "the path does not end with the name of a folder that can be made");
    if (code == NWBZ_OK)
        code = find_parent(path, &parent, err);
    if (code == NWBZ_OK) {
        beside = nz_format(".%s.nwbz", name);
        staging->destination = nz_path_join(parent, name);
        staging->folder = beside ? nz_path_join(parent, beside) : NULL;
        staging->tree = staging->folder ? nz_path_join(staging->folder, tree_name) : NULL;
        if (!staging->destination || !staging->tree)
            code = nz_fail_memory(err, strlen(parent) + strlen(name), "a path");
    }
    nz_free(parent);
    nz_free(name);
    nz_free(beside);
    return code;
}

/* ---- Looking ------------------------------------------------------------------------- */

static nwbz_code look_at_destination(const nz_staging *staging, state *now, nwbz_error *err)
{
    now->is_whole = false;
    NZ_TRY(nz_file_look(staging->destination, false, &now->destination, err));
    if (now->destination.kind != NZ_FILE_FOLDER)
        return NWBZ_OK;
    for (const char *const *name = nz_document_names; *name && !now->is_whole; name++) {
        nz_file_info info;
        char *path = nz_path_join(staging->destination, *name);
        nwbz_code code =
            path ? nz_file_look(path, true, &info, err) : nz_fail_memory(err, strlen(staging->destination), "a path");
        nz_free(path);
        NZ_TRY(code);
        now->is_whole = info.kind == NZ_FILE_REGULAR;
    }
    return NWBZ_OK;
}

/* Read a small file of ours; *text is NULL where there is none. */
static nwbz_code read_in(const nz_staging *staging, const char *name, char **text, size_t *n, nwbz_error *err)
{
    char *path;
    nwbz_error failed = NWBZ_ERROR_INIT;
    *text = NULL;
    NZ_TRY(path_in(staging, name, &path, err));
    nwbz_code code = nz_file_read_all(path, NZ_DOCUMENT_MAX_BYTES, text, n, NWBZ_EIO, &failed);
    nz_free(path);
    if (code == NWBZ_OK || code == NWBZ_ENOTFOUND)
        return NWBZ_OK;
    if (err)
        *err = failed;
    return code;
}

/* A plan is whole when it parses: after a power cut a renamed file can be empty. */
static nwbz_code look_at_plan(const nz_staging *staging, state *now, nwbz_error *err)
{
    char *text;
    size_t n;
    nz_json *plan = NULL;
    nwbz_error failed = NWBZ_ERROR_INIT;
    NZ_TRY(read_in(staging, nz_record_names[NZ_RECORD_PLAN], &text, &n, err));
    nwbz_code code = text ? nz_json_parse(text, n, &plan, &failed) : NWBZ_OK;
    now->has_plan = code == NWBZ_OK && plan && nz_json_kind_of(plan) == NZ_JSON_OBJECT;
    nz_json_free(plan);
    nz_free(text);
    if (code == NWBZ_OK || code == NWBZ_EFORMAT)
        return NWBZ_OK;
    if (err)
        *err = failed;
    return code;
}

static nwbz_code look_at_mark(const nz_staging *staging, state *now, nwbz_error *err)
{
    char *text;
    size_t n;
    NZ_TRY(read_in(staging, mark_name, &text, &n, err));
    now->has_mark = text != NULL;
    now->mark = text ? strtoull(text, NULL, 10) : 0;
    nz_free(text);
    return NWBZ_OK;
}

static nwbz_code look_around(const nz_staging *staging, state *now, nwbz_error *err)
{
    memset(now, 0, sizeof *now);
    NZ_TRY(look_at_destination(staging, now, err));
    NZ_TRY(look_in(staging, tree_name, &now->tree, err));
    NZ_TRY(look_in(staging, old_name, &now->old, err));
    NZ_TRY(look_at_plan(staging, now, err));
    return look_at_mark(staging, now, err);
}

static bool is_there(const nz_file_info *info)
{
    return info->kind != NZ_FILE_ABSENT;
}

/* ---- Removing ------------------------------------------------------------------------- */

static nwbz_code remove_temporary(const char *name, bool is_folder, void *user, nwbz_error *err)
{
    return nz_name_is_temporary(name) && !is_folder ? remove_in(user, name, err) : NWBZ_OK;
}

/* Remove what is ours in the folder, but the lock and the old store. */
static nwbz_code clear(nz_staging *staging, nwbz_error *err)
{
    for (const char *const *name = removed_names; *name; name++)
        NZ_TRY(remove_in(staging, *name, err));
    return nz_folder_each(staging->folder, remove_temporary, staging, err);
}

/* Give the lock back; where nothing waits to be resumed or put back, remove it and the folder first. */
static void release(nz_staging *staging)
{
    nz_file_info plan, tree, old;
    if (staging->lock_fd < 0)
        return;
    bool is_empty = look_in(staging, removed_names[0], &plan, NULL) == NWBZ_OK && !is_there(&plan) &&
                    look_in(staging, tree_name, &tree, NULL) == NWBZ_OK && !is_there(&tree) &&
                    look_in(staging, old_name, &old, NULL) == NWBZ_OK && !is_there(&old);
    if (is_empty && remove_in(staging, lock_name, NULL) == NWBZ_OK)
        (void)nz_folder_remove(staging->folder, NULL);
    nz_file_drop(staging->lock_fd);
    staging->lock_fd = -1;
}

/* ---- Settling what an earlier run left -------------------------------------------------- */

static nwbz_code put_back(const nz_staging *staging, nwbz_error *err)
{
    char *old;
    NZ_TRY(path_in(staging, old_name, &old, err));
    nwbz_code code = nz_file_rename(old, staging->destination, false, err);
    nz_free(old);
    return code;
}

static nwbz_code settle_old(const nz_staging *staging, const state *now, nwbz_error *err)
{
    if (!is_there(&now->old))
        return NWBZ_OK;
    if (!is_there(&now->destination))
        return put_back(staging, err); /* states 6, 10 */
    if (is_there(&now->tree))          /* state 9 */
        return nz_fail(err, NWBZ_EEXIST,
                       "it appeared while its replacement was under way: the store that was there lies in %s/%s; move "
                       "one of them away",
                       staging->folder, old_name);
    return remove_in(staging, old_name, err); /* state 7 */
}

static nwbz_code settle(nz_staging *staging, state *now, nwbz_error *err)
{
    NZ_TRY(look_around(staging, now, err));
    if (is_there(&now->old)) {
        NZ_TRY(settle_old(staging, now, err));
        NZ_TRY(look_around(staging, now, err));
    }
    bool is_marked = !now->has_mark || (now->tree.inode == now->mark && now->mark); /* not in states 5 and 11 */
    now->is_unfinished = now->has_plan && now->tree.kind == NZ_FILE_FOLDER && is_marked;
    return now->is_unfinished ? NWBZ_OK : clear(staging, err);
}

/* ---- Deciding --------------------------------------------------------------------------- */

static nwbz_code refuse(const nz_staging *staging, const state *now, nwbz_existing existing, nwbz_error *err)
{
    if (now->is_unfinished && existing == NWBZ_EXISTING_RESUME)
        return nz_fail(err, NWBZ_EEXIST,
                       "it appeared while an unfinished tree of it was left in %s: move it away to continue, or begin "
                       "anew with --overwrite",
                       staging->folder);
    if (now->is_unfinished)
        return nz_fail(err, NWBZ_EEXIST,
                       "an unfinished tree of it stands at %s: continue it with --resume, begin anew with --overwrite",
                       staging->folder);
    if (now->is_whole)
        return nz_fail(err, NWBZ_EEXIST, "it exists: replace it with --overwrite, keep it with --existing skip");
    return nz_fail(err, NWBZ_EEXIST, "it exists and is no Zarr store: move it away, or choose another name");
}

static nwbz_code decide(const nz_staging *staging, const state *now, nwbz_existing existing, next_step *next,
                        nwbz_error *err)
{
    bool exists = is_there(&now->destination);
    bool is_skipped = existing == NWBZ_EXISTING_SKIP && now->is_whole;
    bool is_done = existing == NWBZ_EXISTING_RESUME && now->is_whole && !now->is_unfinished;
    bool is_next = existing == NWBZ_EXISTING_RESUME && now->is_unfinished && (!exists || now->has_mark);
    *next = is_skipped || is_done ? NOTHING : is_next ? GO_ON : ANEW;
    if (*next != ANEW || existing == NWBZ_EXISTING_OVERWRITE || (!exists && !now->is_unfinished))
        return NWBZ_OK;
    return refuse(staging, now, existing, err);
}

/* Refuse to replace anything but a folder of Zarr keys. */
static nwbz_code replaceable_check(const nz_staging *staging, nwbz_error *err)
{
    nz_file_info info;
    bool zarr_only = false;
    char *foreign = NULL;
    NZ_TRY(nz_file_look(staging->destination, false, &info, err));
    if (info.kind == NZ_FILE_ABSENT)
        return NWBZ_OK;
    if (info.kind != NZ_FILE_FOLDER)
        return nz_fail(err, NWBZ_EEXIST,
                       "it exists and is %s: only a Zarr folder is ever replaced; move it away, or choose another name",
                       info.kind == NZ_FILE_REGULAR ? "a file" : "a symlink or a special file");
    nwbz_code code = nz_staging_is_zarr_only(staging->destination, &zarr_only, &foreign, err);
    if (code == NWBZ_OK && !zarr_only)
        code = nz_fail(err, NWBZ_EEXIST,
                       "it holds %s, which is no part of a Zarr store, so it is not replaced: move that away, or "
                       "choose another name",
                       foreign);
    nz_free(foreign);
    return code;
}

/* ---- Begin -------------------------------------------------------------------------------- */

static nwbz_code take_lock(nz_staging *staging, nwbz_error *err)
{
    char *path;
    nwbz_code code;
    nwbz_error failed;
    NZ_TRY(path_in(staging, lock_name, &path, err));
    do { /* again when the run before removed the folder under our feet */
        failed = (nwbz_error)NWBZ_ERROR_INIT;
        code = nz_folder_make(staging->folder, &failed);
        if (code != NWBZ_OK)
            break;
        code = nz_file_lock(path, &staging->lock_fd, &failed);
    } while (code != NWBZ_OK && failed.os_errno == ENOENT);
    nz_free(path);
    if (code != NWBZ_OK)
        (void)nz_folder_remove(staging->folder, NULL); /* made in vain; never while anything is in it */
    if (code == NWBZ_OK && staging->lock_fd < 0)
        return nz_fail(err, NWBZ_ELOCKED, "another run is writing it and holds the lock in %s: wait for it or stop it",
                       staging->folder);
    if (code != NWBZ_OK && err)
        *err = failed;
    return code;
}

static nwbz_code write_mark(const nz_staging *staging, nwbz_error *err)
{
    char *path, text[32];
    nz_file_info tree;
    NZ_TRY(nz_file_look(staging->tree, false, &tree, err));
    NZ_TRY(path_in(staging, mark_name, &path, err));
    int n = snprintf(text, sizeof text, "%llu\n", (unsigned long long)tree.inode);
    nwbz_code code = nz_file_write_all(path, text, (size_t)n, err);
    nz_free(path);
    return code;
}

static nwbz_code begin_anew(nz_staging *staging, const state *now, nwbz_error *err)
{
    NZ_TRY(clear(staging, err));
    staging->replace = is_there(&now->destination);
    nwbz_code code = nz_folder_make(staging->tree, err);
    if (code == NWBZ_OK && staging->replace)
        code = write_mark(staging, err);
    if (code != NWBZ_OK)
        (void)clear(staging, NULL);
    return code;
}

/* Look without the lock where no folder is: so that a refusal makes none, and needs no right to. */
static nwbz_code look_first(nz_staging *staging, nwbz_existing existing, next_step *next, nwbz_error *err)
{
    state now;
    nz_file_info folder;
    *next = ANEW;
    NZ_TRY(nz_file_look(staging->folder, false, &folder, err));
    if (folder.kind == NZ_FILE_FOLDER)
        return NWBZ_OK;
    if (folder.kind != NZ_FILE_ABSENT)
        return nz_fail(err, NWBZ_EEXIST, "%s is in the way of its unfinished tree: move that away", staging->folder);
    NZ_TRY(look_around(staging, &now, err));
    return decide(staging, &now, existing, next, err);
}

static nwbz_code begin_locked(nz_staging *staging, nwbz_existing existing, next_step *next, nwbz_error *err)
{
    state now;
    NZ_TRY(settle(staging, &now, err));
    NZ_TRY(decide(staging, &now, existing, next, err));
    if (*next == NOTHING)
        return NWBZ_OK;
    NZ_TRY(replaceable_check(staging, err));
    staging->resumed = *next == GO_ON;
    staging->replace = is_there(&now.destination);
    return *next == GO_ON ? NWBZ_OK : begin_anew(staging, &now, err);
}

static nwbz_code begin(nz_staging *staging, const char *path, nwbz_existing existing, next_step *next, nwbz_error *err)
{
    state now;
    NZ_TRY(name_places(staging, path, err));
    NZ_TRY(look_first(staging, existing, next, err));
    if (*next == NOTHING)
        return NWBZ_OK;
    nwbz_code code = take_lock(staging, err);
    if (code == NWBZ_ELOCKED && existing == NWBZ_EXISTING_SKIP && look_at_destination(staging, &now, NULL) == NWBZ_OK &&
        now.is_whole) {
        *next = NOTHING;
        return NWBZ_OK;
    }
    return code == NWBZ_OK ? begin_locked(staging, existing, next, err) : code;
}

nwbz_code nz_staging_begin(nz_staging *staging, const char *path, nwbz_existing existing, bool *done, nwbz_error *err)
{
    next_step next = NOTHING;
    *staging = (nz_staging)NZ_STAGING_INIT;
    nwbz_code code = begin(staging, path, existing, &next, err);
    *done = code == NWBZ_OK && next == NOTHING;
    if (code != NWBZ_OK || *done)
        release(staging);
    return nz_where(err, code, "%s", path);
}

/* ---- Commit --------------------------------------------------------------------------------- */

/* Exchange by two renames, where the file system has no exchange. */
static nwbz_code put_aside(const nz_staging *staging, const char *old, nwbz_error *err)
{
    NZ_TRY(nz_file_rename(staging->destination, old, false, err));
    nwbz_code code = nz_file_rename(staging->tree, staging->destination, false, err);
    if (code != NWBZ_OK)
        (void)nz_file_rename(old, staging->destination, false, NULL);
    return code;
}

/* Undo the move, so that an error always means that the destination is as it was. */
static void take_back(const nz_staging *staging, const char *old, bool exchanged)
{
    nz_file_info aside;
    if (exchanged) {
        (void)nz_file_rename(staging->tree, staging->destination, true, NULL);
        return;
    }
    nwbz_code code = nz_file_rename(staging->destination, staging->tree, false, NULL);
    if (code == NWBZ_OK && nz_file_look(old, false, &aside, NULL) == NWBZ_OK && is_there(&aside))
        (void)nz_file_rename(old, staging->destination, false, NULL);
}

static nwbz_code sync_parent(const nz_staging *staging, nwbz_error *err)
{
    char *parent = nz_path_parent(staging->destination);
    nwbz_code code = parent ? nz_folder_sync(parent, err) : nz_fail_memory(err, strlen(staging->destination), "a path");
    nz_free(parent);
    return code;
}

static nwbz_code move(const nz_staging *staging, const char *old, bool no_sync, nwbz_error *err)
{
    nz_file_info there;
    NZ_TRY(nz_file_look(staging->destination, false, &there, err));
    bool exchanged = is_there(&there);
    if (exchanged && !staging->replace)
        return nz_fail(err, NWBZ_EEXIST, "it appeared while it was being written, and is not replaced: move it away");
    if (exchanged)
        NZ_TRY(replaceable_check(staging, err));
    nwbz_code code = nz_file_rename(staging->tree, staging->destination, exchanged, err);
    if (exchanged && code == NWBZ_EUNSUPPORTED) {
        exchanged = false;
        code = put_aside(staging, old, err);
    }
    if (code == NWBZ_OK && !no_sync && (code = sync_parent(staging, err)) != NWBZ_OK)
        take_back(staging, old, exchanged);
    if (code == NWBZ_OK && exchanged)
        (void)nz_file_rename(staging->tree, old, false, NULL); /* if not, F/replaces still says which is which */
    return code;
}

/* The result is there: what cannot be removed now is left to the next run on this destination. */
static void clean_up(nz_staging *staging)
{
    if (remove_in(staging, old_name, NULL) == NWBZ_OK)
        (void)clear(staging, NULL);
    release(staging);
}

nwbz_code nz_staging_commit(nz_staging *staging, bool no_sync, nwbz_error *err)
{
    char *old;
    NZ_TRY(path_in(staging, old_name, &old, err));
    nwbz_code code = no_sync ? NWBZ_OK : nz_tree_sync(staging->folder, err);
    if (code == NWBZ_OK)
        code = move(staging, old, no_sync, err);
    nz_free(old);
    if (code == NWBZ_OK)
        clean_up(staging);
    return code;
}

/* ---- The end ---------------------------------------------------------------------------------- */

void nz_staging_abort(nz_staging *staging, bool keep)
{
    state now;
    if (staging->lock_fd < 0)
        return;
    bool is_kept = keep && look_at_plan(staging, &now, NULL) == NWBZ_OK && now.has_plan;
    if (!is_kept)
        (void)clear(staging, NULL);
    release(staging);
}

void nz_staging_done(nz_staging *staging)
{
    nz_file_drop(staging->lock_fd);
    nz_free(staging->destination);
    nz_free(staging->folder);
    nz_free(staging->tree);
    *staging = (nz_staging)NZ_STAGING_INIT;
}
