# A full disk: exit code 5, the run is kept, and goes on when there is room.  Needs a small file system of its own: root may mount
# one, others may inside a user namespace; where neither is allowed this says so and tests nothing.
if [ "${NWBZ_OWN_MOUNTS:-}" = "" ]; then
    probe='d=$(mktemp -d) && mount -t tmpfs -o size=1m tmpfs "$d" && umount "$d" && rmdir "$d"'
    export NWBZ_OWN_MOUNTS=1
    if unshare -m sh -c "$probe" 2> /dev/null; then
        exec unshare -m bash "$0"
    elif unshare -rm sh -c "$probe" 2> /dev/null; then
        exec unshare -rm bash "$0"
    fi
    echo "NOT RUN: a tmpfs cannot be mounted here, by root or in a user namespace"
    exit 0
fi
. tests/cli/harness.sh

make_noise "$work/big.dat" 8000000
options="--shape 1000000,4 --dtype int16 --rate 30000 --codec none --chunks 20000,4 --session-start-time 2024-05-01T10:00:00Z --reproducible"
dst=$dir/disk/out.nwb.zarr
nwbz write "$work/big.dat" "$work/whole.nwb.zarr" $options > /dev/null || exit 1

# disk SIZE BALLAST: an empty file system of that size, but for so many bytes, at $dir/disk.
disk() {
    mkdir "$dir/disk"
    mount -t tmpfs -o size="$1" tmpfs "$dir/disk"
    head -c "$2" /dev/zero > "$dir/disk/ballast"
}

begin a_full_disk_is_said_with_both_ways_on_and_the_run_goes_on_when_there_is_room
disk 16m 12000000
run nwbz write "$work/big.dat" "$dst" $options
expect_code 5
expect_err "^nwbz: .*[Nn]o (space|room)"
expect_err "^Continue: nwbz write .* --resume$"
expect_err "^Remove:   rm -r .*/\.out\.nwb\.zarr\.nwbz$"
expect_no_out
expect "nothing is visible" [ ! -e "$dst" ]
expect "the run is kept" [ -d "$dir/disk/.out.nwb.zarr.nwbz/tree" ]
run nwbz write "$work/big.dat" "$dst" $options --resume
expect_code 5
rm "$dir/disk/ballast"
run nwbz write "$work/big.dat" "$dst" $options --resume
expect_code 0
expect "the same bytes as with room" [ "$(tree_sum "$dst")" = "$(tree_sum "$work/whole.nwb.zarr")" ]
expect "no staging folder" [ "$(ls -A "$dir/disk")" = out.nwb.zarr ]
umount "$dir/disk"

begin a_disk_with_no_room_at_all_is_said_too
disk 64k 65536
run nwbz write "$work/big.dat" "$dst" $options
expect_code 5
expect_err "^nwbz: .*[Nn]o (space|room)"
expect "nothing is visible" [ ! -e "$dst" ]
umount "$dir/disk"

begin a_stream_on_a_full_disk_cannot_be_resumed_and_is_removed
disk 4m 0
run nwbz write <(cat "$work/big.dat") "$dst" ${options/1000000,4/-,4}
expect_code 5
expect_err "^nwbz: .*[Nn]o (space|room)"
expect "nothing is left" [ "$(ls -A "$dir/disk")" = ballast ]
umount "$dir/disk"

finish
