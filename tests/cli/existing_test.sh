# What stands at the destination: nothing is overwritten by default, nothing foreign is ever deleted.
. tests/cli/harness.sh

make_noise "$work/rec.dat" 80000
dst=$dir/out.nwb.zarr
options="--shape 10000,4 --dtype int16 --rate 30000 --session-start-time 2024-05-01T10:00:00Z --reproducible --no-sync"
write() { run nwbz write "$work/rec.dat" "$dst" $options "$@"; }
make_noise "$work/big.dat" 40000000
slow="--shape 5000000,4 --dtype int16 --rate 1 --codec gzip:9 --chunks 20000,4 -m 4M -j 1 --session-start-time 2024-05-01T10:00:00Z --no-sync"

begin a_second_run_on_the_same_destination_is_an_error
write
expect_code 0
before=$(tree_sum "$dst")
write
expect_code 4
expect_one_error ".*out.nwb.zarr: .*--overwrite|.*out.nwb.zarr.*exist"
expect "the first result stays" [ "$(tree_sum "$dst")" = "$before" ]
expect "no staging folder" [ "$(ls -A "$dir")" = out.nwb.zarr ]

begin skip_leaves_a_whole_destination_and_says_so
write
before=$(tree_sum "$dst")
write -e skip --unit changed
expect_code 0
expect_out "whole already"
expect "the first result stays" [ "$(tree_sum "$dst")" = "$before" ]

begin skip_writes_where_nothing_is
write -e skip
expect_code 0
expect "it is there" [ -f "$dst/zarr.json" ]

begin overwrite_replaces_a_store
write
before=$(tree_sum "$dst")
write --overwrite --unit volts
expect_code 0
expect "the result is new" [ "$(tree_sum "$dst")" != "$before" ]
expect "nothing stands beside it" [ "$(ls -A "$dir")" = out.nwb.zarr ]

begin overwrite_refuses_a_folder_that_holds_anything_foreign
write
echo precious > "$dst/acquisition/notes.txt"
write --overwrite
expect_code 4
expect_one_error ".*notes.txt"
expect "it stays" [ "$(cat "$dst/acquisition/notes.txt")" = precious ]

begin a_file_a_symlink_or_an_empty_folder_is_never_replaced
echo precious > "$dst"
write --overwrite
expect_code 4
expect "the file stays" [ "$(cat "$dst")" = precious ]
rm "$dst"
mkdir "$dir/elsewhere"
ln -s elsewhere "$dst"
write --overwrite
expect_code 4
expect "the link stays" [ -L "$dst" ]
expect "what it points to stays empty" [ -z "$(ls -A "$dir/elsewhere")" ]

begin resume_without_an_unfinished_run_begins_anew
write --resume
expect_code 0
expect_out "[0-9]+ datasets?, "

begin resume_of_a_whole_destination_says_so
write
write --resume
expect_code 0
expect_out "whole already"

begin another_runs_lock_is_an_error_and_hurts_neither
"$NWBZ" write "$work/big.dat" "$dst" $slow > "$work/first.out" 2> "$work/first.err" < /dev/null &
pid=$!
wait_until has_chunk
kill -STOP $pid
run nwbz write "$work/big.dat" "$dst" $slow
expect_code 4
expect_one_error ".*(run|lock)"
run nwbz write "$work/big.dat" "$dst" $slow --resume
expect_code 4
run nwbz write "$work/big.dat" "$dst" $slow --overwrite
expect_code 4
kill -CONT $pid
wait $pid
code=$?
expect_code 0
expect "the first run's result" [ "$(nwbz cat --raw "$dst::/acquisition/TimeSeries/data" | sha256sum)" = "$(sha256sum < "$work/big.dat")" ]

begin an_unfinished_run_is_an_error_that_names_both_ways_on
"$NWBZ" write "$work/big.dat" "$dst" $slow > /dev/null 2>&1 < /dev/null &
pid=$!
wait_until has_chunk
kill -KILL $pid
wait $pid 2> /dev/null
run nwbz write "$work/big.dat" "$dst" $slow
expect_code 4
expect_err "^nwbz: .*--resume"
expect "it is kept" [ -d "$dir/.out.nwb.zarr.nwbz" ]

begin resume_with_options_that_change_the_bytes_names_the_option
"$NWBZ" write "$work/big.dat" "$dst" $slow > /dev/null 2>&1 < /dev/null &
pid=$!
wait_until has_chunk
kill -KILL $pid
wait $pid 2> /dev/null
run nwbz write "$work/big.dat" "$dst" ${slow/gzip:9/zstd:3} --resume
expect_code 2
expect_err "^nwbz: .*codec"
run nwbz write "$work/big.dat" "$dst" ${slow/20000,4/40000,4} --resume
expect_code 2
expect_err "^nwbz: .*chunk"
expect "it is kept" [ -d "$dir/.out.nwb.zarr.nwbz" ]
cp "$work/big.dat" "$work/changed.dat"
printf 'xxxx' | dd of="$work/changed.dat" conv=notrunc status=none
mv "$work/big.dat" "$work/aside.dat"
mv "$work/changed.dat" "$work/big.dat"
run nwbz write "$work/big.dat" "$dst" $slow --resume
expect_code 3
expect_err "^nwbz: .*changed"
mv "$work/aside.dat" "$work/big.dat"

begin modes_follow_the_umask
(umask 027 && nwbz write "$work/rec.dat" "$dst" $options > /dev/null)
expect "folders" [ "$(stat -c %a "$dst")" = 750 ]
expect "files" [ "$(stat -c %a "$dst/zarr.json")" = 640 ]

finish
