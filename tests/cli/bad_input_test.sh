# Bad input: a clear error of one line that names the thing, the right exit code, and nothing left behind.
. tests/cli/harness.sh

start=2024-05-01T10:00:00+02:00
make_noise "$work/rec.dat" 80000 # 10000 frames of 4 int16
dst=$dir/out.nwb.zarr

# write_bad CODE PATTERN OPTIONS...: the error of a run that is right but for OPTIONS.
write_bad() {
    local expected=$1 pattern=$2
    shift 2
    run nwbz write "$work/rec.dat" "$dst" --session-start-time $start "$@"
    expect_code "$expected"
    expect_one_error "$pattern"
    expect_no_out
    expect_nothing_left
}
good="--shape 10000,4 --dtype int16 --rate 30000 --no-sync"

begin a_shape_that_does_not_match_the_size_is_an_input_error
write_bad 3 ".*rec.dat: .*80000.*" --shape 10001,4 --dtype int16 --rate 30000
write_bad 3 ".*rec.dat: .*80000.*" --shape 9999,4 --dtype int16 --rate 30000
write_bad 3 ".*rec.dat: .*" --shape -,3 --dtype int16 --rate 30000
write_bad 3 ".*rec.dat: .*" $good --offset 8

begin a_shape_that_cannot_be_right_is_a_usage_error
for shape in -5,4 10000,-4 10000, "" x 10000,0 10000,- 4.5,4 99999999999999999999,4; do
    write_bad 2 "--shape $shape: .*example" --shape "$shape" --dtype int16 --rate 30000
done

begin an_unknown_dtype_is_a_usage_error_that_lists_the_names
write_bad 2 "--dtype int17: .*int16" --shape 10000,4 --dtype int17 --rate 30000
write_bad 2 "--dtype string: " --shape 10000,4 --dtype string --rate 30000

begin what_is_missing_is_named
write_bad 2 ".*--shape" --dtype int16 --rate 30000
write_bad 2 ".*--dtype" --shape 10000,4 --rate 30000
write_bad 2 "--rate.*--timestamps" --shape 10000,4 --dtype int16
run nwbz write "$work/rec.dat"
expect_code 2
expect_one_error "write: needs a source and a destination"
run nwbz
expect_code 2
expect_one_error "no command"

begin numbers_that_cannot_be_right_are_usage_errors
for rate in 0 -1 nan inf x 30000x; do
    write_bad 2 "--rate $rate: " --shape 10000,4 --dtype int16 --rate "$rate"
done
for memory in 0 -1G 1Q x 1e99 "" 0.1; do
    write_bad 2 "--memory $memory: .*example" $good -m "$memory"
done
write_bad 2 "--offset -8: " $good --offset -8
write_bad 2 "--starting-time soon: " $good --starting-time soon
write_bad 2 "--conversion x: " $good --conversion x

begin jobs_that_cannot_be_right_are_usage_errors
for jobs in 0 -100000 1.5 -0.5 1e9 nan x ""; do
    write_bad 2 "--jobs $jobs: " $good -j "$jobs"
done
write_bad 2 "--jobs 0: " $good --number-of-jobs 0
NWBZ_JOBS=0 run nwbz write "$work/rec.dat" "$dst" $good
expect_code 2
expect_one_error "NWBZ_JOBS 0: "

begin channels_that_cannot_be_right_are_usage_errors
for channels in 3:1 1:1 x -1 0:2, "" 0-2; do
    write_bad 2 "--channels $channels: .*example" $good --channels "$channels"
done
write_bad 2 ".*channel" $good --channels 4
write_bad 2 ".*channel" $good --channels 1,1

begin codecs_chunks_and_shards_that_cannot_be_right_are_usage_errors
write_bad 2 ".*lz5" $good --codec lz5
write_bad 2 ".*zstd" $good --codec zstd:99
write_bad 2 "--chunks 0,4: " $good --chunks 0,4
write_bad 2 "--chunks -,4: " $good --chunks -,4
write_bad 2 ".*" $good --chunks 100
write_bad 2 ".*" $good --chunks 100,4 --shards 150,4

begin an_object_over_the_memory_limit_fails_with_both_numbers
write_bad 1 ".*[0-9].*[0-9]" $good --chunks 10000,4 -m 16K

begin an_object_over_the_codecs_two_gigabytes_fails_with_both_numbers
write_bad 1 ".*2[0-9]{9}.*2[0-9]{9}" $good --chunks 275000000,4 --codec blosc:lz4:5:shuffle -m 64G

begin both_rate_and_timestamps_are_a_usage_error
make_noise "$work/times.raw" 80000
make_npy "$work/times.npy" '<f8' '(10000,)' "$work/times.raw"
write_bad 2 "--rate and --timestamps" $good --timestamps "$work/times.npy"

begin timestamps_of_another_length_or_type_are_an_input_error
head -c 8000 "$work/times.raw" > "$work/short.raw"
make_npy "$work/short.npy" '<f8' '(1000,)' "$work/short.raw"
make_npy "$work/ints.npy" '<i8' '(10000,)' "$work/times.raw"
write_bad 3 ".*1000" --shape 10000,4 --dtype int16 --timestamps "$work/short.npy"
write_bad 3 ".*(int64|float64)" --shape 10000,4 --dtype int16 --timestamps "$work/ints.npy"
write_bad 3 ".*absent.npy" --shape 10000,4 --dtype int16 --timestamps "$work/absent.npy"

begin a_source_that_is_missing_is_an_input_error
run nwbz write "$work/absent.dat" "$dst" $good
expect_code 3
expect_one_error ".*absent.dat: "
run nwbz write "$work/absent.npy" "$dst" --rate 1
expect_code 3
expect_nothing_left

begin a_file_that_is_no_npy_is_an_input_error
cp "$work/rec.dat" "$work/fake.npy"
run nwbz write "$work/fake.npy" "$dst" --rate 1
expect_code 3
expect_one_error ".*fake.npy: "
expect_nothing_left

begin a_npy_file_that_is_not_what_the_options_say_is_an_input_error
make_npy "$work/rec.npy" '<i2' '(10000, 4)' "$work/rec.dat"
run nwbz write "$work/rec.npy" "$dst" --rate 1 --shape 10000,5
expect_code 3
expect_one_error ".*rec.npy: .*10000, 4.*10000, 5"
run nwbz write "$work/rec.npy" "$dst" --rate 1 --dtype int32
expect_code 3
expect_one_error ".*rec.npy: .*int16.*int32"
expect_nothing_left

begin a_destination_that_is_the_source_or_inside_it_is_a_usage_error
for inside in "$work/rec.dat" "$work/rec.dat/out.nwb.zarr" "$work/dir/../rec.dat" "$work//rec.dat/a/b"; do
    run nwbz write "$work/rec.dat" "$inside" $good
    expect_code 2
    expect_one_error ".*source"
    run nwbz write "$work/rec.dat" "$inside" $good --overwrite
    expect_code 2
done
ln -s "$work/rec.dat" "$work/link.dat"
run nwbz write "$work/link.dat" "$work/rec.dat" $good
expect_code 2
expect "the source must stay" [ "$(stat -c %s "$work/rec.dat")" -eq 80000 ]
expect_nothing_left

begin a_destination_whose_folder_is_absent_fails
run nwbz write "$work/rec.dat" "$dir/absent/out.nwb.zarr" $good
expect_code 1
expect_one_error ".*absent"
expect_nothing_left

begin metadata_that_is_not_json_is_an_input_error
for text in '{' '' '[]' '{"NWBFile": 1}' '{"NWBFile": {"lab": "x",}}' 'NaN' '{"NWBFile": {"lab": "a"}} x'; do
    printf '%s' "$text" > "$work/meta.json"
    write_bad 3 ".*meta.json: " $good --metadata "$work/meta.json"
done
printf '{"NWBFile": {"lab": "a\0b"}}' > "$work/meta.json"
write_bad 3 ".*meta.json: " $good --metadata "$work/meta.json"
write_bad 3 ".*absent.json: " $good --metadata "$work/absent.json"
write_bad 3 ".*: " $good --metadata "$work"

begin metadata_of_the_wrong_type_or_with_an_unknown_key_is_an_input_error
for text in '{"NWBFile": {"lab": 5}}' '{"NWBFile": {"experimenter": [1]}}' '{"NWBFile": {"labb": "x"}}' '{"Nwbfile": {}}' \
    '{"Ecephys": {}}' '{"Subject": {"sex": []}}' '{"TimeSeries": {"conversion": "x"}}'; do
    printf '%s' "$text" > "$work/meta.json"
    write_bad 3 ".*meta.json: .*(lab|experimenter|labb|Nwbfile|Ecephys|sex|conversion)" $good --metadata "$work/meta.json"
done

begin a_start_time_without_zone_is_an_error_of_the_option_or_of_the_file
run nwbz write "$work/rec.dat" "$dst" $good --session-start-time 2024-05-01T10:00:00
expect_code 2
expect_one_error "--session-start-time 2024-05-01T10:00:00: .*zone"
printf '{"NWBFile": {"session_start_time": "2024-05-01T10:00:00"}}' > "$work/meta.json"
run nwbz write "$work/rec.dat" "$dst" $good --metadata "$work/meta.json"
expect_code 3
expect_one_error ".*meta.json: .*session_start_time.*zone"
expect_nothing_left

begin reproducible_needs_a_start_time
run nwbz write "$work/rec.dat" "$dst" $good --reproducible
expect_code 2
expect_one_error ".*start.time"
expect_nothing_left

begin electrical_needs_a_conversion
write_bad 2 "--electrical.*--conversion" $good --electrical
printf '{"NWBFile": {"lab": "x"}}' > "$work/meta.json"
write_bad 2 ".*conversion" $good --electrical --metadata "$work/meta.json"

begin what_contradicts_is_a_usage_error
write_bad 2 "--resume: contradicts" $good --overwrite --resume
write_bad 2 "--existing replace: " $good -e replace
write_bad 2 "--progress often: " $good --progress often
write_bad 2 "--unit" $good --electrical --conversion 1e-6 --unit apples
write_bad 2 "--starting-time and --timestamps" --shape 10000,4 --dtype int16 --timestamps "$work/times.npy" --starting-time 1
run nwbz write "$work/rec.npy" "$dst" --rate 1 --offset 8
expect_code 2
expect_nothing_left

begin what_a_later_version_brings_is_a_usage_error_that_says_so
write_bad 2 "--codec keep: comes with a later version" $good --codec keep
write_bad 2 "--zarr-format 2: comes with a later version" $good --zarr-format 2
write_bad 2 "--only .*: comes with a later version" $good --only '*'
write_bad 2 "--exclude .*: comes with a later version" $good --exclude '*'
write_bad 2 "--for .*: comes with a later version" $good -f '*:skip'
write_bad 2 "--verify full: comes with a later version" $good --verify full
mkdir "$work/folder"
run nwbz write "$work/folder" "$dst" $good
expect_code 2
expect_one_error ".*folder.*later version"
run nwbz write "$work/rec.dat" "$work/rec.dat" "$dst" $good
expect_code 2
expect_one_error ".*later version"
for later in out.nwb out.zip s3://bucket/out.zarr; do
    run nwbz write "$work/rec.dat" "$dir/$later" $good
    expect_code 2
    expect_one_error ".*later version"
done
for later in export verify digest completion; do
    run nwbz $later a b
    expect_code 2
    expect_one_error "$later: comes with a later version"
done
expect_nothing_left

begin an_error_is_one_line_whatever_a_name_holds
run nwbz write $'no\nsuch\x1b[31m.dat' "$dst" $good
expect_code 3
expect_one_error 'no\\x0asuch\\x1b\[31m.dat: '
expect_nothing_left

begin a_failure_with_json_is_one_object_too
run nwbz write "$work/absent.dat" "$dst" $good --json
expect_code 3
expect_json "$out"
expect "the object names code and exit" [ "$(json_value "$out" '(j["error"]["code"], j["error"]["exit"])')" = "('NWBZ_ESOURCE', 3)" ]
run nwbz write "$work/rec.dat" "$dst" $good -j 0 --json
expect_code 2
expect_json "$out"

begin a_file_that_shrinks_while_it_is_read_is_an_input_error
make_noise "$work/big.dat" 40000000
"$NWBZ" write "$work/big.dat" "$dst" --shape 5000000,4 --dtype int16 --rate 1 --codec gzip:9 --chunks 20000,4 -m 4M -j 1 \
    > "$out" 2> "$err" < /dev/null &
pid=$!
wait_until has_chunk
kill -STOP $pid # far from the end: 40 MB of gzip:9 take seconds
truncate -s 20000000 "$work/big.dat"
kill -CONT $pid
wait $pid
code=$?
expect_code 3
expect_one_error ".*big.dat.*"
expect_nothing_left
rm "$work/big.dat"

# Root may read and write everything: these need a user who may not.
begin no_permission_is_said
if [ "$(id -u)" -eq 0 ]; then
    cp "$NWBZ" "$work/nwbz"
    chmod 755 "$work" "$work/nwbz"
    as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$work/nwbz" "$@"; }
else
    as_user() { nwbz "$@"; }
fi
chmod 555 "$dir"
run as_user write "$work/rec.dat" "$dst" $good
expect_code 1
expect_one_error ".*[Pp]ermission"
expect_nothing_left
chmod 777 "$dir"
cp "$work/rec.dat" "$work/secret.dat"
chmod 000 "$work/secret.dat"
run as_user write "$work/secret.dat" "$dst" $good
expect_code 3
expect_one_error ".*secret.dat: .*[Pp]ermission"
expect_nothing_left

finish
