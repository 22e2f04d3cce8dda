/* Reading metadata: one walk over the JSON text, then over the flags, each value through the same check.
 *
 * A field is looked up in the table; its value is normalised by its kind or refused, naming the field, what was
 * wanted and what was found.  Nothing that was given is dropped in silence: an object that has no place in this file
 * (a TimeSeries beside --electrical) is refused too.
 */
#include "nwb/metadata.h"

#include "base/memory.h"
#include "base/time.h"
#include "base/utf8.h"
#include "nwb/name.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What a value comes from: decides code and where of an error. */
typedef struct nz_origin {
    nz_metadata *metadata;
    const char *object; /* as the person wrote it */
    bool is_flag;
} nz_origin;

static nwbz_code origin_fail(const nz_origin *origin, nwbz_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static nwbz_code origin_fail(const nz_origin *origin, nwbz_error *err, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (origin->is_flag)
        return nz_fail(err, NWBZ_EINVAL, "%s", message);
    return nz_where(err, nz_fail(err, NWBZ_ESOURCE, "%s", message), "%s", origin->metadata->name);
}

/* ---- Finding a field ------------------------------------------------------------------ */

static bool is_series(const char *object)
{
    return strcmp(object, "TimeSeries") == 0 || strcmp(object, "ElectricalSeries") == 0;
}

const char *nz_metadata_object(const nz_metadata *metadata, nz_meta field)
{
    const char *object = nz_field_table[field].object;
    return strcmp(object, "Series") == 0 ? metadata->series_type : object;
}

/* Check that the object exists and has a place in this file. */
static nwbz_code check_object(const nz_origin *origin, nwbz_error *err)
{
    static const char *const others[] = { "Ecephys", "Behavior", "Ophys", "Icephys" };
    static const char *const known[] = { "NWBFile", "Subject", "Device" };
    const char *object = origin->object;
    bool electrical = strcmp(origin->metadata->series_type, "ElectricalSeries") == 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(object, known[i]) == 0)
            return NWBZ_OK;
    if (strcmp(object, origin->metadata->series_type) == 0 || (electrical && strcmp(object, "ElectrodeGroup") == 0))
        return NWBZ_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(object, others[i]) == 0)
            return origin_fail(
                origin, err,
                "%s is not read; give NWBFile, Subject, Device, ElectrodeGroup, TimeSeries or ElectricalSeries",
                object);
    if (strcmp(object, "TimeSeries") == 0)
        return origin_fail(origin, err, "TimeSeries is given, but the series is an ElectricalSeries; use that name");
    if (is_series(object) || strcmp(object, "ElectrodeGroup") == 0)
        return origin_fail(origin, err,
                           "%s is given, but the series is a TimeSeries; ask for an electrical one (--electrical)",
                           object);
    return origin_fail(
        origin, err,
        "unknown object \"%s\"; known are NWBFile, Subject, Device, ElectrodeGroup, TimeSeries, ElectricalSeries",
        object);
}

static nwbz_code find_field(const nz_origin *origin, const char *name, nz_meta *field, nwbz_error *err)
{
    const char *object = is_series(origin->object) ? "Series" : origin->object;
    bool electrical = strcmp(origin->metadata->series_type, "ElectricalSeries") == 0;
    for (unsigned i = 0; i < NZ_META_COUNT; i++) {
        const nz_field_spec *spec = &nz_field_table[i];
        bool named = strcmp(spec->name, name) == 0 || (spec->alias != NULL && strcmp(spec->alias, name) == 0);
        if (named && strcmp(spec->object, object) == 0 && (electrical || i < NZ_META_SERIES_FILTERING)) {
            *field = (nz_meta)i;
            return NWBZ_OK;
        }
    }
    return origin_fail(origin, err, "unknown field \"%s\" of %s", name, origin->object);
}

/* ---- Checking a value --------------------------------------------------------------------- */

static const char *kind_name(const nz_json *value)
{
    static const char *const names[] = {
        [NZ_JSON_NULL] = "null",       [NZ_JSON_BOOL] = "true or false", [NZ_JSON_INT] = "a number",
        [NZ_JSON_DOUBLE] = "a number", [NZ_JSON_TEXT] = "text",          [NZ_JSON_ARRAY] = "a list",
        [NZ_JSON_OBJECT] = "an object"
    };
    return names[nz_json_kind_of(value)];
}

static nwbz_code wrong_type(const nz_origin *origin, nz_meta field, const char *wanted, const nz_json *found,
                            nwbz_error *err)
{
    return origin_fail(origin, err, "%s.%s: wanted %s, found %s", origin->object, nz_field_table[field].name, wanted,
                       kind_name(found));
}

static bool is_number(const nz_json *value)
{
    return nz_json_kind_of(value) == NZ_JSON_INT || nz_json_kind_of(value) == NZ_JSON_DOUBLE;
}

static nwbz_code share(const nz_json *value, nz_json **out, nwbz_error *err)
{
    *out = nz_json_share(value);
    return *out != NULL ? NWBZ_OK : nz_fail_memory(err, 64, "metadata");
}

static nwbz_code check_text(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                            nwbz_error *err)
{
    if (nz_json_kind_of(value) != NZ_JSON_TEXT)
        return wrong_type(origin, field, "text", value, err);
    return share(value, out, err);
}

static nwbz_code check_number(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                              nwbz_error *err)
{
    if (!is_number(value))
        return wrong_type(origin, field, "a number", value, err);
    if (!isfinite(nz_json_double(value)))
        return origin_fail(origin, err, "%s.%s: wanted a finite number", origin->object, nz_field_table[field].name);
    return share(value, out, err);
}

static nwbz_code check_name(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                            nwbz_error *err)
{
    size_t n;
    NZ_TRY(check_text(origin, field, value, out, err));
    const char *name = nz_json_text(value, &n);
    const char *wrong = nz_name_problem(name, n);
    if (wrong == NULL && field == NZ_META_GROUP_NAME && strcmp(name, "electrodes") == 0)
        wrong = "the table of electrodes has that name";
    if (wrong == NULL && field == NZ_META_DEVICE_NAME && strcmp(name, "models") == 0)
        wrong = "the group of device models has that name";
    return wrong == NULL
               ? NWBZ_OK
               : origin_fail(origin, err, "%s.name: \"%.100s\" cannot name an object: %s", origin->object, name, wrong);
}

/* Times: the zone decides which moment is meant, so one must be there; a date of birth may do without. */
static nwbz_code check_time(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                            nwbz_error *err)
{
    char canonical[48];
    bool has_zone;
    size_t n;
    nwbz_error why = NWBZ_ERROR_INIT;
    const char *name = nz_field_table[field].name;
    if (nz_json_kind_of(value) != NZ_JSON_TEXT)
        return wrong_type(origin, field, "text", value, err);
    const char *text = nz_json_text(value, &n);
    if (strlen(text) != n || nz_time_parse(text, canonical, 40, &has_zone, &why) != NWBZ_OK)
        return origin_fail(origin, err, "%s.%s: \"%.100s\" is no ISO 8601 date and time, as 2024-01-31T12:00:00+01:00",
                           origin->object, name, text);
    bool birth = nz_field_table[field].kind == NZ_FIELD_BIRTH;
    if (!has_zone && !birth)
        return origin_fail(origin, err, "%s.%s: \"%.100s\" has no time zone; add one, as %.30s+01:00 or %.30sZ",
                           origin->object, name, text, text, text);
    if (!has_zone)
        strncat(canonical, "+00:00", sizeof canonical - strlen(canonical) - 1);
    origin->metadata->birth_without_zone |= birth && !has_zone;
    *out = nz_json_new_text(canonical);
    return *out != NULL ? NWBZ_OK : nz_fail_memory(err, strlen(canonical), "metadata");
}

static nwbz_code check_weight(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                              nwbz_error *err)
{
    char number[40];
    if (nz_json_kind_of(value) == NZ_JSON_TEXT)
        return share(value, out, err);
    if (!is_number(value))
        return wrong_type(origin, field, "text, or a number of kg", value, err);
    nz_double_format(nz_json_double(value), number, 32);
    strncat(number, " kg", sizeof number - strlen(number) - 1);
    *out = nz_json_new_text(number);
    return *out != NULL ? NWBZ_OK : nz_fail_memory(err, strlen(number), "metadata");
}

/* One [name, version]. */
static nwbz_code check_pair(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                            nwbz_error *err)
{
    bool good = nz_json_kind_of(value) == NZ_JSON_ARRAY && nz_json_length(value) == 2;
    for (size_t i = 0; good && i < 2; i++)
        good = nz_json_kind_of(nz_json_at(value, i)) == NZ_JSON_TEXT;
    if (!good)
        return wrong_type(origin, field, "a list of [name, version], both text", value, err);
    return share(value, out, err);
}

typedef nwbz_code (*check_fn)(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                              nwbz_error *err);

/* How each kind is checked: by element where it is a list. */
static const struct {
    check_fn check;
    bool is_list, one_is_list; /* one_is_list: an element alone stands for a list of one */
    const char *wanted;
} kinds[] = {
    [NZ_FIELD_TEXT] = { check_text, false, false, "text" },
    [NZ_FIELD_TEXTS] = { check_text, true, true, "text or a list of text" },
    [NZ_FIELD_NAME] = { check_name, false, false, "text" },
    [NZ_FIELD_TIME] = { check_time, false, false, "text" },
    [NZ_FIELD_TIMES] = { check_time, true, true, "text or a list of text" },
    [NZ_FIELD_BIRTH] = { check_time, false, false, "text" },
    [NZ_FIELD_WEIGHT] = { check_weight, false, false, "text" },
    [NZ_FIELD_NUMBER] = { check_number, false, false, "a number" },
    [NZ_FIELD_NUMBERS] = { check_number, true, false, "a list of numbers" },
    [NZ_FIELD_PAIRS] = { check_pair, true, false, "a list of [name, version]" },
};

static nwbz_code check_list(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                            nwbz_error *err)
{
    nz_field_kind kind = nz_field_table[field].kind;
    bool is_array = nz_json_kind_of(value) == NZ_JSON_ARRAY;
    nz_json *list, *item;
    if (!is_array && (!kinds[kind].one_is_list || nz_json_kind_of(value) != NZ_JSON_TEXT))
        return wrong_type(origin, field, kinds[kind].wanted, value, err);
    if ((list = nz_json_new_array()) == NULL)
        return nz_fail_memory(err, 64, "metadata");
    nwbz_code code = NWBZ_OK;
    for (size_t i = 0; code == NWBZ_OK && i < (is_array ? nz_json_length(value) : 1); i++) {
        item = NULL;
        code = kinds[kind].check(origin, field, is_array ? nz_json_at(value, i) : value, &item, err);
        if (code == NWBZ_OK)
            code = nz_json_push(list, item, err);
        else
            nz_json_free(item);
    }
    if (code != NWBZ_OK)
        nz_json_free(list);
    else
        *out = list;
    return code;
}

static nwbz_code check_value(const nz_origin *origin, nz_meta field, const nz_json *value, nz_json **out,
                             nwbz_error *err)
{
    nz_field_kind kind = nz_field_table[field].kind;
    *out = NULL;
    return kinds[kind].is_list ? check_list(origin, field, value, out, err)
                               : kinds[kind].check(origin, field, value, out, err);
}

/* ---- The text -------------------------------------------------------------------------------- */

static nwbz_code read_member(const char *name, const nz_json *value, void *user, nwbz_error *err)
{
    const nz_origin *origin = user;
    nz_meta field;
    nz_json *checked = NULL;
    NZ_TRY(find_field(origin, name, &field, err));
    if (origin->metadata->values[field] != NULL)
        return origin_fail(origin, err, "%s.%s is given twice, as \"%s\" and \"%s\"", origin->object,
                           nz_field_table[field].name, nz_field_table[field].name, nz_field_table[field].alias);
    nwbz_code code = check_value(origin, field, value, &checked, err);
    if (code != NWBZ_OK)
        nz_json_free(checked);
    else
        origin->metadata->values[field] = checked;
    return code;
}

static nwbz_code read_object(const char *name, const nz_json *value, void *user, nwbz_error *err)
{
    nz_metadata *metadata = user;
    nz_origin origin = { metadata, name, false };
    NZ_TRY(check_object(&origin, err));
    if (nz_json_kind_of(value) != NZ_JSON_OBJECT)
        return origin_fail(&origin, err, "%s: wanted an object, found %s", name, kind_name(value));
    metadata->device_given |= strcmp(name, "Device") == 0;
    metadata->subject_given |= strcmp(name, "Subject") == 0;
    return nz_json_each(value, read_member, &origin, err);
}

static nwbz_code read_text(nz_metadata *metadata, const char *text, nwbz_error *err)
{
    nz_json *json = NULL;
    nz_origin origin = { metadata, "", false };
    nwbz_error why = NWBZ_ERROR_INIT;
    nwbz_code code = nz_json_parse(text, strlen(text), &json, &why);
    if (code == NWBZ_ENOMEM)
        return nz_fail_memory(err, strlen(text), "metadata");
    if (code != NWBZ_OK)
        return origin_fail(&origin, err, "%.400s", why.message);
    if (nz_json_kind_of(json) != NZ_JSON_OBJECT)
        code = origin_fail(&origin, err, "wanted an object of objects, found %s", kind_name(json));
    else
        code = nz_json_each(json, read_object, metadata, err);
    nz_json_free(json);
    return code;
}

/* ---- Flags ------------------------------------------------------------------------------------- */

/* Make the JSON that a typed text means for a field. */
static nwbz_code flag_json(const nz_origin *origin, nz_meta field, const char *text, nz_json **json, nwbz_error *err)
{
    nz_field_kind kind = nz_field_table[field].kind;
    const char *name = nz_field_table[field].name;
    nwbz_error why = NWBZ_ERROR_INIT;
    if (kind == NZ_FIELD_PAIRS)
        return origin_fail(origin, err, "%s.%s cannot be given as a flag", origin->object, name);
    if (!nz_utf8_is_valid(text, strlen(text)))
        return origin_fail(origin, err, "%s.%s is not UTF-8", origin->object, name);
    if (kind != NZ_FIELD_NUMBER && kind != NZ_FIELD_NUMBERS) {
        *json = nz_json_new_text(text);
        return *json != NULL ? NWBZ_OK : nz_fail_memory(err, strlen(text), "metadata");
    }
    nwbz_code code = nz_json_parse(text, strlen(text), json, &why);
    if (code == NWBZ_ENOMEM)
        return nz_fail_memory(err, strlen(text), "metadata");
    if (code == NWBZ_OK && is_number(*json))
        return NWBZ_OK;
    nz_json_free(*json);
    *json = NULL;
    return origin_fail(origin, err, "%s.%s: wanted a number, found \"%.100s\"", origin->object, name, text);
}

/* A list field gets a list of one; a second flag for it adds an element. */
static nwbz_code flag_list(nz_metadata *metadata, nz_meta field, nz_json **json, nwbz_error *err)
{
    nz_json *list = nz_json_new_array();
    const nz_json *before = metadata->from_flag[field] ? metadata->values[field] : NULL;
    nwbz_code code = list != NULL ? NWBZ_OK : nz_fail_memory(err, 64, "metadata");
    for (size_t i = 0; code == NWBZ_OK && before != NULL && i < nz_json_length(before); i++)
        code = nz_json_push(list, nz_json_share(nz_json_at(before, i)), err);
    if (code == NWBZ_OK) {
        code = nz_json_push(list, *json, err);
        *json = NULL;
    }
    if (code != NWBZ_OK)
        nz_json_free(list);
    else
        *json = list;
    return code;
}

static nwbz_code read_flag(nz_metadata *metadata, const nwbz_field *flag, nwbz_error *err)
{
    nz_meta field;
    nz_json *json = NULL, *checked = NULL;
    nz_origin origin = { metadata, flag->object, true };
    NZ_TRY(check_object(&origin, err));
    NZ_TRY(find_field(&origin, flag->name, &field, err));
    nwbz_code code = flag_json(&origin, field, flag->value, &json, err);
    if (code == NWBZ_OK && kinds[nz_field_table[field].kind].is_list)
        code = flag_list(metadata, field, &json, err);
    if (code == NWBZ_OK)
        code = check_value(&origin, field, json, &checked, err);
    nz_json_free(json);
    if (code != NWBZ_OK) {
        nz_json_free(checked);
        return code;
    }
    nz_json_free(metadata->values[field]);
    metadata->values[field] = checked;
    metadata->from_flag[field] = true;
    metadata->device_given |= strcmp(flag->object, "Device") == 0;
    metadata->subject_given |= strcmp(flag->object, "Subject") == 0;
    return NWBZ_OK;
}

/* ---- The whole ------------------------------------------------------------------------------------ */

/* What no field can say alone. */
static nwbz_code check_together(const nz_metadata *m, nwbz_error *err)
{
    const char *reference = nz_metadata_text(m, NZ_META_SUBJECT_AGE_REFERENCE, "birth");
    if (m->values[NZ_META_SOURCE_SCRIPT_FILE_NAME] != NULL && m->values[NZ_META_SOURCE_SCRIPT] == NULL)
        return nz_metadata_fail(m, NZ_META_SOURCE_SCRIPT_FILE_NAME, err, "source_script must be given too");
    if (strcmp(reference, "birth") != 0 && strcmp(reference, "gestational") != 0)
        return nz_metadata_fail(m, NZ_META_SUBJECT_AGE_REFERENCE, err, "\"%.100s\" is neither birth nor gestational",
                                reference);
    if (m->values[NZ_META_SUBJECT_AGE_REFERENCE] != NULL && m->values[NZ_META_SUBJECT_AGE] == NULL)
        return nz_metadata_fail(m, NZ_META_SUBJECT_AGE_REFERENCE, err, "age must be given too");
    if (strcmp(m->series_type, "ElectricalSeries") == 0 &&
        strcmp(nz_metadata_text(m, NZ_META_SERIES_UNIT, "volts"), "volts") != 0)
        return nz_metadata_fail(
            m, NZ_META_SERIES_UNIT, err,
            "an ElectricalSeries is in volts, not \"%.100s\"; its conversion says how many one count is",
            nz_metadata_text(m, NZ_META_SERIES_UNIT, ""));
    return NWBZ_OK;
}

nwbz_code nz_metadata_read(const nwbz_write_options *options, nz_metadata *metadata, nwbz_error *err)
{
    memset(metadata, 0, sizeof *metadata);
    metadata->series_type = options->electrical ? "ElectricalSeries" : "TimeSeries";
    metadata->name = options->metadata_name != NULL ? options->metadata_name : "metadata";
    if (options->metadata_json != NULL)
        NZ_TRY(read_text(metadata, options->metadata_json, err));
    for (size_t i = 0; i < options->n_fields; i++) {
        const nwbz_field *flag = &options->fields[i];
        if (flag->object == NULL || flag->name == NULL || flag->value == NULL)
            return nz_fail(err, NWBZ_EINVAL, "metadata field %zu lacks its object, name or value", i);
        NZ_TRY(read_flag(metadata, flag, err));
    }
    return check_together(metadata, err);
}

void nz_metadata_done(nz_metadata *metadata)
{
    for (unsigned i = 0; i < NZ_META_COUNT; i++) {
        nz_json_free(metadata->values[i]);
        metadata->values[i] = NULL;
    }
}

const char *nz_metadata_text(const nz_metadata *metadata, nz_meta field, const char *otherwise)
{
    return metadata->values[field] != NULL ? nz_json_text(metadata->values[field], NULL) : otherwise;
}

double nz_metadata_number(const nz_metadata *metadata, nz_meta field, double otherwise)
{
    return metadata->values[field] != NULL ? nz_json_double(metadata->values[field]) : otherwise;
}

nwbz_code nz_metadata_fail(const nz_metadata *metadata, nz_meta field, nwbz_error *err, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    bool flag = metadata->from_flag[field];
    nwbz_code code = nz_fail(err, flag ? NWBZ_EINVAL : NWBZ_ESOURCE, "%s.%s: %s", nz_metadata_object(metadata, field),
                             nz_field_table[field].name, message);
    return flag ? code : nz_where(err, code, "%s", metadata->name);
}

nwbz_code nz_metadata_json(const nz_metadata *metadata, nz_json **json, nwbz_error *err)
{
    nz_json *object = nz_json_new_object();
    nwbz_code code = object != NULL ? NWBZ_OK : nz_fail_memory(err, 64, "metadata");
    for (unsigned i = 0; code == NWBZ_OK && i < NZ_META_COUNT; i++) {
        char key[80];
        snprintf(key, sizeof key, "%s.%s", nz_metadata_object(metadata, (nz_meta)i), nz_field_table[i].name);
        if (metadata->values[i] != NULL)
            code = nz_json_put(object, key, nz_json_share(metadata->values[i]), err);
    }
    if (code != NWBZ_OK)
        nz_json_free(object);
    else
        *json = object;
    return code;
}
