# SIGINT and SIGTERM stop a run, keep it, and say how to go on; --resume then gives the same bytes.
. tests/cli/harness.sh

make_noise "$work/big.dat" 40000000
dst=$dir/out.nwb.zarr
options="--shape 5000000,4 --dtype int16 --rate 30000 --codec gzip:9 --chunks 20000,4 -j 1 -m 4M"
options="$options --session-start-time 2024-05-01T10:00:00Z --reproducible --no-sync"

# start OPTIONS...: a run in the background, at work.
start() {
    "$NWBZ" write "$work/big.dat" "$dst" $options "$@" > "$out" 2> "$err" < /dev/null &
    pid=$!
    wait_until has_chunk
}
stop() {
    kill "$1" $pid
    wait $pid
    code=$?
}

begin the_whole_run_for_comparison
run nwbz write "$work/big.dat" "$dst" $options
expect_code 0
whole=$(tree_sum "$dst")

for signal in INT:130 TERM:143; do
    begin "a_run_stopped_by_SIG${signal%:*}_is_kept_and_resumed_to_the_same_bytes"
    start
    stop -${signal%:*}
    expect_code ${signal#*:}
    expect_err "^interrupted at [0-9]+ %; nothing is visible at .*out.nwb.zarr yet. Continue: nwbz write .*big.dat .* --resume$"
    expect_err "^Remove:   rm -r .*/\.out\.nwb\.zarr\.nwbz$"
    expect_no_out
    expect "nothing is visible" [ ! -e "$dst" ]
    line=$(sed -n 's/.*Continue: nwbz //p' "$err")
    eval "run nwbz $line"
    expect_code 0
    expect "the same bytes as without a stop" [ "$(tree_sum "$dst")" = "$whole" ]
    expect "no staging folder" [ "$(ls -A "$dir")" = out.nwb.zarr ]
done

begin the_line_that_removes_a_stopped_run_removes_all_of_it
start
stop -INT
eval "$(sed -n 's/^Remove: *//p' "$err")"
expect_nothing_left

begin an_overwrite_that_was_stopped_is_resumed_by_resume_alone
run nwbz write "$work/big.dat" "$dst" $options --unit old
expect_code 0
start --overwrite
stop -INT
expect_code 130
expect_err "; nothing has changed at .*out.nwb.zarr yet. Continue: "
expect "the old result is still there" [ -f "$dst/zarr.json" ]
line=$(sed -n 's/.*Continue: nwbz //p' "$err")
expect "without --overwrite" [ "${line/--overwrite/}" = "$line" ]
eval "run nwbz $line"
expect_code 0
expect "the new result" [ "$(tree_sum "$dst")" = "$whole" ]

begin a_second_signal_leaves_no_mess
start
kill -INT $pid
kill -INT $pid
kill -TERM $pid
wait $pid
code=$?
expect_code 130
run nwbz write "$work/big.dat" "$dst" $options --resume
expect_code 0
expect "the same bytes" [ "$(tree_sum "$dst")" = "$whole" ]

begin a_stream_that_is_interrupted_while_nothing_comes_is_removed
mkfifo "$work/pipe"
sleep 60 > "$work/pipe" &
writer=$!
"$NWBZ" write "$work/pipe" "$dst" --shape -,4 --dtype int16 --rate 1 > "$out" 2> "$err" < /dev/null &
pid=$!
wait_until [ -d "$dir/.out.nwb.zarr.nwbz" ]
sleep 0.1
stop -INT
kill $writer
expect_code 130
expect_err "^interrupted after .*; nothing is visible at .*removed"
expect_nothing_left

begin waiting_for_the_writer_of_a_pipe_can_be_interrupted
"$NWBZ" write "$work/pipe" "$dst" --shape -,4 --dtype int16 --rate 1 > "$out" 2> "$err" < /dev/null &
pid=$!
sleep 0.3
stop -TERM
expect_code 143
expect_nothing_left

begin waiting_for_metadata_from_a_pipe_can_be_interrupted
"$NWBZ" write "$work/big.dat" "$dst" $options --metadata "$work/pipe" > "$out" 2> "$err" < /dev/null &
pid=$!
sleep 0.3
stop -INT
expect_code 130
expect_nothing_left

begin a_closed_stderr_does_not_end_a_run
nwbz write "$work/big.dat" "$dst" $options --progress json 2>&1 > "$out" < /dev/null | head -c 10 > /dev/null
code=${PIPESTATUS[0]}
expect_code 0
expect "the same bytes" [ "$(tree_sum "$dst")" = "$whole" ]

finish
