# What comes in is what is stored: raw files and streams, .npy, byte orders, offsets, channels, times, codecs, chunks and shards.
. tests/cli/harness.sh

start="--session-start-time 2024-05-01T10:00:00+02:00 --no-sync"
make_noise "$work/rec.dat" 80000 # 10000 frames of 4 int16
dst=$dir/out.nwb.zarr
data=$dst::/acquisition/TimeSeries/data
sum() { sha256sum < "$1"; }
data_is() { expect "the samples of $1" [ "$(nwbz cat --raw "${2:-$data}" | sha256sum)" = "$(sum "$1")" ]; }

# write_good ARGUMENTS...: a run that must succeed.
write_good() {
    run nwbz write "$@" $start
    expect_code 0
    expect_no_err
    expect "no staging folder" [ "$(ls -A "$dir")" = out.nwb.zarr ]
}

begin a_raw_file
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 30000 -j 2
expect_out '^.*/out.nwb.zarr: [0-9]+ datasets?, [0-9.]+ [kM]?B in, [0-9.]+ [kM]?B stored, 00:0[0-9], 2 jobs$'
expect_lines "$out" 1
data_is "$work/rec.dat"
run nwbz cat "$dst::/acquisition/TimeSeries/starting_time"
expect_out '^0(\.0)?$'

begin frames_from_the_size_of_the_file
write_good "$work/rec.dat" "$dst" --shape -,4 --dtype '<i2' --rate 30000
data_is "$work/rec.dat"
rm -rf "$dst"
write_good "$work/rec.dat" "$dst" --shape 10000x4 --dtype i2 --rate 30000
data_is "$work/rec.dat"

begin one_axis_and_three_axes
write_good "$work/rec.dat" "$dst" --shape - --dtype uint8 --rate 1
data_is "$work/rec.dat"
rm -rf "$dst"
write_good "$work/rec.dat" "$dst" --shape -,5,4 --dtype float32 --rate 1
data_is "$work/rec.dat"
run nwbz info "$data"
expect_out '^shape: +\(1000, 5, 4\)$'

begin big_endian_samples_are_stored_as_the_same_numbers
python3 -c 'import array,sys; a=array.array("h",open(sys.argv[1],"rb").read()); a.byteswap(); open(sys.argv[2],"wb").write(a.tobytes())' \
    "$work/rec.dat" "$work/big-endian.dat"
write_good "$work/big-endian.dat" "$dst" --shape 10000,4 --dtype '>i2' --rate 1
data_is "$work/rec.dat"

begin an_offset_is_skipped
(head -c 1234 /dev/urandom && cat "$work/rec.dat") > "$work/headed.dat"
write_good "$work/headed.dat" "$dst" --shape -,4 --dtype int16 --rate 1 --offset 1234
data_is "$work/rec.dat"

begin channels_are_taken_in_the_order_given
python3 -c 'import array,sys; a=array.array("h",open(sys.argv[1],"rb").read())
b=array.array("h",[a[4*i+c] for i in range(10000) for c in (3,0,1)]); open(sys.argv[2],"wb").write(b.tobytes())' "$work/rec.dat" "$work/some.dat"
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 --channels 3,0:2
data_is "$work/some.dat"

begin a_npy_file_needs_no_shape_and_no_dtype
make_npy "$work/rec.npy" '<i2' '(10000, 4)' "$work/rec.dat"
write_good "$work/rec.npy" "$dst" --rate 30000
data_is "$work/rec.dat"
rm -rf "$dst"
make_npy "$work/swapped.npy" '>i2' '(10000, 4)' "$work/big-endian.dat"
write_good "$work/swapped.npy" "$dst" --rate 30000 --shape -,4 --dtype int16
data_is "$work/rec.dat"

begin standard_input_until_its_end
cat "$work/rec.dat" | nwbz write - "$dst" --shape -,4 --dtype int16 --rate 1 $start > "$out" 2> "$err"
code=$?
expect_code 0
data_is "$work/rec.dat"
rm -rf "$dst"
tail -c +1235 "$work/headed.dat" | nwbz write - "$dst" --shape 10000,4 --dtype int16 --rate 1 --channels 3,0:2 $start > "$out" 2> "$err"
code=$?
expect_code 0
data_is "$work/some.dat"

begin a_stream_that_does_not_match_its_shape_is_an_input_error
for shape in 9999,4 10001,4 -,3; do
    cat "$work/rec.dat" | nwbz write - "$dst" --shape $shape --dtype int16 --rate 1 $start > "$out" 2> "$err"
    code=$?
    expect_code 3
    expect_one_error "standard input: "
    expect_nothing_left
done

begin a_stream_without_frames_is_an_empty_recording
run nwbz write - "$dst" --shape -,4 --dtype int16 --rate 1 $start
expect_code 0
run nwbz info "$data"
expect_out '^shape: +\(0, 4\)$'

begin a_named_pipe_and_a_process_substitution_are_streams
mkfifo "$work/pipe"
cat "$work/rec.dat" > "$work/pipe" &
write_good "$work/pipe" "$dst" --shape -,4 --dtype int16 --rate 1
data_is "$work/rec.dat"
rm -rf "$dst"
write_good <(cat "$work/rec.dat") "$dst" --shape -,4 --dtype int16 --rate 1
data_is "$work/rec.dat"

begin the_samples_of_a_stream_are_stored_as_those_of_a_file
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 --chunks 3000,3 --shards 6000,3
mv "$dst" "$work/file.zarr"
cat "$work/rec.dat" | nwbz write - "$dst" --shape -,4 --dtype int16 --rate 1 --chunks 3000,3 --shards 6000,3 $start > /dev/null 2>&1
expect "the same objects" [ "$(tree_sum "$dst/acquisition/TimeSeries/data/c")" = "$(tree_sum "$work/file.zarr/acquisition/TimeSeries/data/c")" ]
rm -rf "$work/file.zarr"

begin timestamps_are_stored_beside_the_samples
python3 -c 'import array,sys; open(sys.argv[1],"wb").write(array.array("d",[i/30000+5 for i in range(10000)]).tobytes())' "$work/times.raw"
make_npy "$work/times.npy" '<f8' '(10000,)' "$work/times.raw"
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --timestamps "$work/times.npy"
data_is "$work/rec.dat"
data_is "$work/times.raw" "$dst::/acquisition/TimeSeries/timestamps"

begin starting_time_and_rate_are_stored
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 2.5 --starting-time -1.25
run nwbz cat "$dst::/acquisition/TimeSeries/starting_time"
expect_out '^-1\.25$'
run nwbz info "$dst::/acquisition/TimeSeries/starting_time"
expect_out '^  rate: 2\.5$'

begin every_codec_gives_the_samples_back
for codec in none zstd:3 gzip:5 blosc:zstd:5:bitshuffle blosc:lz4:5:shuffle zstd:3+crc32c portable; do
    rm -rf "$dst"
    write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 --codec $codec
    data_is "$work/rec.dat"
done

begin chunks_and_shards_are_as_asked
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 --chunks 300,3 --shards 1200,3
run nwbz info "$data"
expect_out '^chunks: +\(300, 3\)$'
expect_out '^shards: +\(1200, 3\)$'
expect_out '^stored: +18 of 18 objects'
data_is "$work/rec.dat"

begin the_default_chunks_are_64_columns_and_10_MB
make_noise "$work/wide.dat" 1000000
write_good "$work/wide.dat" "$dst" --shape 5000,100 --dtype int16 --rate 1
run nwbz info "$data"
expect_out '^chunks: +\(5000, 64\)$'
data_is "$work/wide.dat"

begin an_electrical_series_has_its_electrodes
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 30000 --electrical --conversion 2.34375e-6 \
    --offset-volts 0.5 --device probe --location CA1 --description raw
data_is "$work/rec.dat" "$dst::/acquisition/ElectricalSeries/data"
run nwbz info "$dst::/acquisition/ElectricalSeries/data"
expect_out '^  conversion: 2\.34375e-0?6$'
expect_out '^  offset: 0\.5$'
run nwbz cat "$dst::/general/extracellular_ephys/electrodes/location"
expect_out '^CA1(	CA1){3}$'
run nwbz ls "$dst"
expect_out 'probe/  Device'

begin metadata_of_a_file_and_of_options_and_options_win
cat > "$work/meta.json" << 'END'
{"NWBFile": {"session_description": "of the file", "experimenter": ["A", "B"], "lab": "of the file"},
 "Subject": {"subject_id": "m1", "species": "Mus musculus"}, "TimeSeries": {"name": "raw", "unit": "volts"}}
END
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 --metadata "$work/meta.json" --lab "of the option" --sex F
run nwbz cat "$dst::/general/lab"
expect_out '^of the option$'
run nwbz cat "$dst::/session_description"
expect_out '^of the file$'
run nwbz cat "$dst::/general/experimenter"
expect_out '^A	B$'
run nwbz cat "$dst::/general/subject/sex"
expect_out '^F$'
data_is "$work/rec.dat" "$dst::/acquisition/raw/data"

begin an_option_for_a_list_adds_to_it
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 --experimenter A --experimenter B
run nwbz cat --json "$dst::/general/experimenter"
expect_lines "$out" 2

begin without_a_start_time_the_sources_is_taken_with_a_warning
touch -d 2023-02-03T04:05:06Z "$work/rec.dat"
run nwbz write "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1
expect_code 0
expect_one_error 'warning: .*--session-start-time'
run nwbz cat "$dst::/session_start_time"
expect_out '^2023-02-03T04:05:06(\.0+)?\+00:00$'

begin reproducible_runs_give_the_same_bytes
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 --reproducible -j 1
first=$(tree_sum "$dst")
rm -rf "$dst"
write_good "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 --reproducible -j 8 -m 64M
expect "the same bytes" [ "$(tree_sum "$dst")" = "$first" ]

begin the_number_of_jobs_comes_from_the_environment_too
NWBZ_JOBS=3 run nwbz write "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 $start
expect_out ', 3 jobs$'
rm -rf "$dst"
NWBZ_JOBS=3 run nwbz write "$work/rec.dat" "$dst" --shape 10000,4 --dtype int16 --rate 1 $start -j 1
expect_out ', 1 job$'

begin a_destination_with_a_slash_at_its_end_or_in_the_current_folder
(cd "$dir" && nwbz write "$work/rec.dat" out.nwb.zarr/ --shape 10000,4 --dtype int16 --rate 1 $start) > "$out" 2> "$err"
code=$?
expect_code 0
data_is "$work/rec.dat"

finish
