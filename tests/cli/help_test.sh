# Help and the manual page are made of the option tables; words that are nearly right are answered with the right one.
. tests/cli/harness.sh

begin help_lists_every_command
run nwbz help
expect_code 0
for command in write ls info cat help; do
    expect_out "^  $command "
done
expect_out '^  130, 143 '
cp "$out" "$work/help"
run nwbz --help
expect "--help is the same" cmp -s "$out" "$work/help"

begin the_version_is_printed
run nwbz --version
expect_code 0
expect_out '^nwbz [0-9]+\.[0-9]+\.[0-9]+$'

begin help_of_a_command_is_its_own_help
for command in write ls info cat help; do
    run nwbz help $command
    expect_code 0
    expect_out "^usage: nwbz $command "
    expect_out '^  -h, --help '
    cp "$out" "$work/help"
    run nwbz $command --help
    expect "nwbz $command --help is the same" cmp -s "$out" "$work/help"
    expect "no line over 100 columns" [ "$(awk 'length > 100' "$work/help" | wc -l)" -eq 0 ]
done

begin every_option_that_is_promised_is_listed
run nwbz help write
for option in shape dtype offset channels rate timestamps starting-time unit electrical conversion offset-volts reproducible no-sync \
    metadata session-start-time session-description identifier subject-id species sex age name description jobs number-of-jobs memory \
    existing overwrite resume codec chunks shards zarr-format dry-run quiet verbose progress json log verify; do
    expect_out "--$option( |\$)"
done
for letter in j m e n q v h; do
    expect_out "^  -$letter, --"
done

begin every_option_that_is_listed_is_taken
nwbz help write | sed -n 's/^ *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' | sort -u > "$work/options"
expect "many options" [ "$(wc -l < "$work/options")" -gt 50 ]
while read -r option; do
    run nwbz write "--$option" --help
    expect "--$option is known" [ "$(grep -c 'unknown option' "$err")" -eq 0 ]
done < "$work/options"

begin the_manual_page_is_what_the_program_says
run nwbz help --man
expect_code 0
expect "docs/man/nwbz.1 is up to date (nwbz help --man makes it)" cmp -s "$out" docs/man/nwbz.1

begin words_that_are_nearly_right_are_answered
run nwbz write a b --shap 1,2 --overwirte
expect_code 2
expect_one_error "--overwirte: unknown option; did you mean --overwrite\?"
run nwbz write a b --resumee
expect_one_error "--resumee: unknown option; did you mean --resume\?"
run nwbz wriet
expect_code 2
expect_one_error "wriet: no such command; did you mean .nwbz write.\?"
run nwbz write a b --zzzzzzzzzz
expect_one_error "--zzzzzzzzzz: unknown option; .nwbz help write. lists all"
run nwbz write a b -Z
expect_one_error "-Z: unknown option"
run nwbz write a b --sub=x
expect_one_error "--sub=x: could mean several options"
run nwbz write a b --resume=yes
expect_one_error "--resume=yes: takes no value"
run nwbz write a b --shape
expect_one_error "--shape: a value must follow"
run nwbz help nothing
expect_code 2

begin options_may_stand_anywhere_and_be_joined
make_noise "$work/rec.dat" 800
run nwbz write -nj2 --shape=100,4 "$work/rec.dat" --dtype=int16 --rate=1 -- "$dir/out.nwb.zarr"
expect_code 0
POSIXLY_CORRECT=1 run nwbz write "$work/rec.dat" "$dir/out.nwb.zarr" --shape 100,4 --dtype int16 --rate 1 --dry-run
expect_code 0
expect_nothing_left

finish
