# What a run says: closing line, plan, report, progress, warnings, log.
. tests/cli/harness.sh

make_noise "$work/rec.dat" 8000000
dst=$dir/out.nwb.zarr
options="--shape 1000000,4 --dtype int16 --rate 30000 --session-start-time 2024-05-01T10:00:00Z --no-sync"
write() { run nwbz write "$work/rec.dat" "$dst" $options "$@"; }

begin json_is_exactly_one_object
write --json -j 2
expect_code 0
expect_no_err
expect_json "$out"
expect "its keys" [ "$(json_value "$out" 'sorted({"source","destination","seconds","bytes_in","bytes_stored","datasets","conversions","warnings","verified"} - set(j))')" = "[]" ]
series="next(d for d in j['datasets'] if d['path'] == '/acquisition/TimeSeries/data')"
expect "a dataset's keys" [ "$(json_value "$out" "sorted({'path','shape','dtype','bytes','stored_bytes','seconds','moves','source_reads'} - set($series))")" = "[]" ]
expect "its shape and bytes" [ "$(json_value "$out" "($series['shape'], $series['dtype'], $series['bytes'], $series['source_reads'])")" = "([1000000, 4], 'int16', 8000000, 1.0)" ]
expect "verified" [ "$(json_value "$out" "j['verified']")" = none ]

begin quiet_says_nothing
write -q
expect_code 0
expect_no_out
expect_no_err

begin verbose_says_what_was_stored
write -v
expect_code 0
expect_lines "$out" 1
expect_err '^/acquisition/TimeSeries/data +int16 +\(1000000, 4\)'

begin a_dry_run_prints_the_plan_and_writes_nothing
write -n --chunks 1000,2 -j 2 -m 64M
expect_code 0
expect_out '^dataset +dtype +shape +chunks +shards +codec +groups +objects +source reads +bytes$'
expect_out '^/acquisition/TimeSeries/data +int16 +\(1000000, 4\) +\(1000, 2\) +- +[a-z:0-9]+ +[0-9]+ +2000 +1 +8\.0 MB$'
expect_out '2 jobs, 64\.0 MiB of memory; nothing was written$'
expect_nothing_left

begin a_dry_run_is_one_object_with_json
write -n --json
expect_code 0
expect_json "$out"
expect_nothing_left

begin a_dry_run_finds_the_errors_of_a_run
write -n --chunks 1000000,4 -m 64K
expect_code 1
expect_nothing_left

begin a_dry_run_over_a_result_says_that_a_run_would_stop
write
write -n
expect_code 0
expect_one_error 'warning: .*out.nwb.zarr: it exists'
write -n --overwrite
expect_no_err

begin a_dry_run_suggests_shards_over_100000_objects
write -n --chunks 5,4
expect_code 0
expect_out 'would be 200000 files; --shards [0-9]+,4 makes them about [0-9]+'
suggested=$(sed -n 's/.*--shards \([0-9,]*\) makes.*/\1/p' "$out")
write -n --chunks 5,4 --shards "$suggested"
expect_code 0
expect "no more suggestion" [ "$(grep -c 'would be' "$out")" -eq 0 ]

begin no_bar_where_stderr_is_no_terminal
write
expect_code 0
expect_no_err

begin a_bar_in_megabytes
write --progress bar --codec gzip:9
expect_code 0
expect_err 'Writing /acquisition/TimeSeries/data \(write\) +[0-9]+%\|.{10,}\| [0-9.]+/8\.[0-9] MB \[Elapsed: [0-9:]+, Remaining: [0-9:-]+, Rate: [0-9.]+ [kMG]?B/s\]'
expect_err '100%\|██████████\|'

begin progress_by_lines_and_by_objects
write --progress line
expect_code 0
expect_err '^Writing /acquisition/TimeSeries/data \(write\) '
rm -rf "$dst"
write --progress json --json
expect_json "$out"
while read -r line; do
    echo "$line" > "$work/line.json"
    expect_json "$work/line.json"
done < "$err"
tail -1 "$err" > "$work/line.json"
expect "the last is whole" [ "$(json_value "$work/line.json" "j['done_bytes'] == j['total_bytes'] > 0")" = True ]
rm -rf "$dst"
write --progress bar -q
expect_no_err

begin the_log_says_what_happened
write --log "$work/run.log"
expect_code 0
expect "begin and end" [ "$(grep -cE '^[0-9T:-]+Z (nwbz 0.*: write|done: )' "$work/run.log")" -eq 2 ]
write --log "$work/run.log"
expect_code 4
expect "an error too" grep -qE 'Z stopped: exit 4: ' "$work/run.log"
write --log "$work/absent/run.log"
expect_code 1
expect_one_error '.*run.log: '

begin a_full_stdout_is_noticed
nwbz write "$work/rec.dat" "$dst" $options > /dev/full 2> "$err"
code=$?
expect_code 1
expect_one_error 'standard output: '
expect "the result stands" [ -f "$dst/zarr.json" ]

finish
