# ls, info and cat: what a store holds, by object and by element.
. tests/cli/harness.sh

dst=$work/out.nwb.zarr
python3 -c 'import array,sys; open(sys.argv[1],"wb").write(array.array("h",[10*i+c for i in range(1000) for c in range(6)]).tobytes())' "$work/rec.dat"
nwbz write "$work/rec.dat" "$dst" --shape 1000,6 --dtype int16 --rate 30000 --chunks 300,4 --session-start-time 2024-05-01T10:00:00Z \
    --session-description $'two\nlines' > /dev/null || exit 1
data=$dst::/acquisition/TimeSeries/data

begin ls_shows_the_tree
run nwbz ls "$dst"
expect_code 0
expect_out '^/  NWBFile$'
expect_out '^  acquisition/$'
expect_out '^    TimeSeries/  TimeSeries$'
expect_out '^      data  int16 \(1000, 6\)$'

begin ls_long_is_one_object_a_line
run nwbz ls -l "$dst"
expect_code 0
expect_out '^/acquisition/TimeSeries/data +array +int16 +\(1000, 6\) +\(300, 4\) +- +[a-z:0-9]+$'
expect_out '^/acquisition/TimeSeries +TimeSeries +- '

begin ls_stops_at_a_depth
run nwbz ls --depth 1 "$dst"
expect_code 0
expect_out '^  acquisition/$'
expect "nothing deeper" [ "$(grep -c '^    ' "$out")" -eq 0 ]
run nwbz ls -d 0 -l "$dst::/acquisition"
expect_lines "$out" 2

begin ls_json_is_one_object
run nwbz ls --json "$dst"
expect_code 0
expect_json "$out"
expect "the series" [ "$(json_value "$out" "[(o['kind'], o['dtype'], o['shape'], o['chunks'], o['shards']) for o in j['objects'] if o['path'] == '/acquisition/TimeSeries/data']")" = "[('array', 'int16', [1000, 6], [300, 4], None)]" ]
expect "attributes" [ "$(json_value "$out" "[o['attributes']['neurodata_type'] for o in j['objects'] if o['path'] == '/']")" = "['NWBFile']" ]

begin an_object_may_be_named_without_colons
run nwbz ls "$dst/acquisition/TimeSeries"
expect_code 0
expect_out '^/acquisition/TimeSeries  TimeSeries$'
run nwbz cat "$dst/acquisition/TimeSeries/data" --slice 0,0
expect_out '^0$'
run nwbz ls "$dst::acquisition//TimeSeries/"
expect_out '^/acquisition/TimeSeries  TimeSeries$'
cp -r "$dst" "$dir/a::b.zarr"
run nwbz cat "$dir/a::b.zarr::/acquisition/TimeSeries/data" --slice 1,2
expect_out '^12$'
run nwbz cat "$dir/a::b.zarr/acquisition/TimeSeries/data" --slice 1,3
expect_out '^13$'
(cd "$dst/acquisition" && nwbz cat TimeSeries/data --slice 1,1) > "$out" 2> "$err"
expect_out '^11$'

begin info_of_an_array
run nwbz info "$data"
expect_code 0
expect_out '^dtype: +int16$'
expect_out '^shape: +\(1000, 6\)$'
expect_out '^chunks: +\(300, 4\)$'
expect_out '^shards: +none$'
expect_out '^fill value: 0$'
expect_out '^stored: +8 of 8 objects, .* of 12\.0 kB$'
expect_out '^  unit: "unknown"$'
run nwbz info --json "$data"
expect_json "$out"
expect "what is stored" [ "$(json_value "$out" "(j['stored_objects'], j['bytes'], j['kind'], j['stored_bytes'] > 0)")" = "(8, 12000, 'array', True)" ]

begin info_of_a_store
run nwbz info "$dst"
expect_code 0
expect_out '^type: +NWBFile$'
expect_out '^holds: +[0-9]+ groups, [0-9]+ arrays$'
expect_out '^stored: +[0-9]+ objects, '
run nwbz info --json "$dst"
expect_json "$out"
expect "sums" [ "$(json_value "$out" "(j['kind'], j['arrays'] > 3, j['stored_bytes'] > 0)")" = "('group', True, True)" ]

begin cat_prints_rows_as_lines
run nwbz cat "$data" --slice 0:3,0:4
expect_code 0
printf '0\t1\t2\t3\n10\t11\t12\t13\n20\t21\t22\t23\n' > "$work/expected"
expect "three rows" cmp -s "$out" "$work/expected"

begin cat_takes_slices_as_numpy_does
# SLICE, then NumPy's answer for rows and columns.
check_slice() {
    run nwbz cat "$data" --slice "$1" --json
    expect_code 0
    python3 -c 'import sys
rows = range(1000)[slice(*[int(x) if x else None for x in sys.argv[1].split(":")])]
columns = range(6)[slice(*[int(x) if x else None for x in sys.argv[2].split(":")])]
for r in rows:
    for c in columns: print(10*r+c)' "$2" "$3" > "$work/expected"
    expect "slice $1" cmp -s "$out" "$work/expected"
}
check_slice 5,2 5:6 2:3
check_slice -1,-2 999:1000 4:5
check_slice -3:,: -3: :
check_slice :-990,1:-1 :-990 1:-1
check_slice 995:2000,: 995: :
check_slice 7:5,: 7:5 :
check_slice 299:302,3:5 299:302 3:5
check_slice 10 10:11 :
check_slice :,3 : 3:4
check_slice -5000:3,0 :3 0:1

begin cat_refuses_slices_that_cannot_be
for slice in 0:3:2 x 0:, "" 1.5 0:3,,; do
    run nwbz cat "$data" --slice "$slice"
    expect_code 2
    expect_one_error "--slice $slice: "
done
for slice in 1000,0 -1001,0 0,6 0,0,0; do
    run nwbz cat "$data" --slice $slice
    expect_code 3
    expect_one_error '--slice: '
done

begin cat_raw_is_the_bytes_that_came_in
nwbz cat --raw "$data" > "$out"
expect "the same bytes" cmp -s "$out" "$work/rec.dat"
nwbz cat --raw "$data" -m 1K -j 1 > "$out" 2> "$err" # boxes smaller than a chunk
[ -s "$err" ] || expect "the same bytes, box by box" cmp -s "$out" "$work/rec.dat"
nwbz cat "$data" > "$out"
expect_lines "$out" 1000

begin cat_of_text
run nwbz cat "$dst::/session_description" --json
expect_out '^"two\\nlines"$'
run nwbz cat "$dst::/session_description"
expect_lines "$out" 2
run nwbz cat "$dst::/session_description" --raw
expect_code 3
run nwbz cat --raw --json "$data"
expect_code 2

# An array of two records, one of text of fixed width and one of raw bytes, as any Zarr writer makes them.
cat > "$work/make_types.py" <<'EOF'
import json, pathlib, struct, sys
def array(name, data_type, fill, chunk):
    node = pathlib.Path(sys.argv[1]) / name
    (node / "c").mkdir(parents=True)
    (node / "zarr.json").write_text(json.dumps({
        "zarr_format": 3, "node_type": "array", "shape": [3], "data_type": data_type, "fill_value": fill, "attributes": {},
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}}, "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}))
    (node / "c/0").write_bytes(chunk)
(root := pathlib.Path(sys.argv[1])).mkdir()
(root / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
utf32 = {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}
raw = {"name": "raw_bytes", "configuration": {"length_bytes": 3}}
fields = [{"name": "x", "data_type": "float32"}, {"name": "t", "data_type": utf32}, {"name": "r", "data_type": raw}]
record = struct.pack("<f8s3s", 0.1, "a\"".encode("utf-32-le"), b"\1\2\3")
array("rec", {"name": "struct", "configuration": {"fields": fields}}, {"x": "NaN", "t": "", "r": "AAAA"}, record + bytes(15))
array("txt", utf32, "\u00e4", "b\0\U0001f600\0".encode("utf-32-le"))
array("raw", raw, "AAAA", b"\xff\xfe\xfdabc")
EOF
python3 "$work/make_types.py" "$work/types.zarr" || exit 1
types=$work/types.zarr

begin records_are_objects_in_one_line
run nwbz cat --json "$types::/rec"
expect_code 0
expect_lines "$out" 3
expect_out '^\{"x": 0\.1, "t": "a\\"", "r": "AQID"\}$'
expect_out '^\{"x": "NaN", "t": "", "r": "AAAA"\}$'
run nwbz cat "$types::/rec" --slice 0
expect_out '^\{"x": 0\.1, "t": "a\\"", "r": "AQID"\}$'
nwbz cat --raw "$types::/rec" --slice 0:2 > "$out"
expect "the stored bytes" cmp -s "$out" "$types/rec/c/0"

begin text_of_fixed_width_is_text_and_raw_bytes_are_base64
run nwbz cat "$types::/txt"
expect "three texts" [ "$(cat "$out")" = "$(printf 'b\t\xf0\x9f\x98\x80\t\xc3\xa4')" ]
run nwbz cat --json "$types::/txt" --slice 2
expect "quoted" [ "$(cat "$out")" = "$(printf '"\xc3\xa4"')" ]
nwbz cat --raw "$types::/txt" --slice 0:2 > "$out"
expect "the stored bytes" cmp -s "$out" "$types/txt/c/0"
run nwbz cat "$types::/raw"
expect "base64" [ "$(cat "$out")" = "$(printf '//79\tYWJj\tAAAA')" ]
run nwbz cat --json "$types::/raw" --slice 1
expect_out '^"YWJj"$'

begin types_with_a_size_of_their_own_are_shown
run nwbz ls "$types"
expect_out '^  raw  raw\[3\] \(3\)$'
expect_out '^  rec  struct\{x: float32, t: utf32\[2\], r: raw\[3\]\} \(3\)$'
expect_out '^  txt  utf32\[2\] \(3\)$'
run nwbz info "$types::/rec"
expect_code 0
expect_out '^dtype: +struct$'
expect_out '^element: +15 bytes$'
expect_out '^  t: utf32\[2\]$'
expect_out '^fill value: \{"x": "NaN", "t": "", "r": "AAAA"\}$'
expect_out '^stored: +1 of 2 objects, 30 B of 45 B$'
run nwbz info --json "$types::/rec"
expect_json "$out"
expect "all fields" [ "$(json_value "$out" "(j['dtype'], [f['name'] for f in j['data_type']['configuration']['fields']], j['fill_value'], j['bytes'])")" = "('struct', ['x', 't', 'r'], {'x': 'NaN', 't': '', 'r': 'AAAA'}, 45)" ]
run nwbz info --json "$types::/txt"
expect "its width" [ "$(json_value "$out" "(j['dtype'], j['data_type']['configuration'], ascii(j['fill_value']))")" = "('fixed_length_utf32', {'length_bytes': 8}, \"'\\\\xe4'\")" ]

begin text_of_fixed_width_that_is_none_is_named
cp -r "$types" "$dir/broken.zarr"
printf '\0\330\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > "$dir/broken.zarr/txt/c/0"
run nwbz cat "$dir/broken.zarr::/txt"
expect_code 3
expect_one_error '.*0x0000d800'

begin cat_of_a_group_or_of_nothing_is_an_input_error
run nwbz cat "$dst::/acquisition"
expect_code 3
expect_one_error '.*/acquisition: is a group'
for object in "$dst::/absent" "$dst/absent" "$work/absent.zarr" "$work/rec.dat" "$work" "$work/rec.dat/x"; do
    for command in ls info cat; do
        run nwbz $command "$object"
        expect_code 3
        expect_one_error '.*: '
        expect_no_out
    done
done
run nwbz ls --json "$work/absent.zarr"
expect_code 3
expect_json "$out"

begin a_damaged_chunk_is_named
cp -r "$dst" "$dir/broken.zarr"
printf 'xxxx' > "$dir/broken.zarr/acquisition/TimeSeries/data/c/1/0"
run nwbz cat "$dir/broken.zarr::/acquisition/TimeSeries/data"
expect_code 3
expect_err '^nwbz: .*/acquisition/TimeSeries/data.*1.0'

begin a_closed_pipe_is_quiet_and_a_full_disk_is_not
nwbz cat "$data" 2> "$err" | head -1 > "$out"
expect_no_err
expect_lines "$out" 1
nwbz cat "$data" > /dev/full 2> "$err"
code=$?
expect_code 1
expect_one_error 'standard output: '
nwbz ls "$dst" > /dev/full 2> "$err"
code=$?
expect_code 1

finish
