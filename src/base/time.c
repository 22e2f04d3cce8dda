/* Clocks; dates by counting days, without the C library's time zones; and a parser of ISO 8601 that writes what
 * Python's isoformat() writes.
 *
 * Days since 1970 <-> year, month, day: years that begin in March put the leap day last, so that the months before it
 * have fixed offsets, and 400 years have always 146097 days.
 */
#include "base/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_A_SECOND INT64_C(1000000000)

enum { DAYS_IN_400_YEARS = 146097, DAYS_TO_1970 = 719468 /* from 0000-03-01 */, SECONDS_A_DAY = 86400 };

uint64_t nz_clock_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * (uint64_t)NS_A_SECOND + (uint64_t)now.tv_nsec;
}

int64_t nz_clock_wall_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NS_A_SECOND + now.tv_nsec;
}

/* Divide rounding down, also below zero. */
static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static void date_of_day(int64_t day, int *year, int *month, int *day_of_month)
{
    day += DAYS_TO_1970;
    int64_t era = floor_div(day, DAYS_IN_400_YEARS), in_era = day - era * DAYS_IN_400_YEARS;
    int64_t year_in_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t day_of_year = in_era - (365 * year_in_era + year_in_era / 4 - year_in_era / 100);
    int64_t from_march = (5 * day_of_year + 2) / 153;
    *day_of_month = (int)(day_of_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = (int)(year_in_era + era * 400 + (*month <= 2));
}

void nz_time_format(int64_t wall_ns, char *text, size_t room)
{
    int64_t seconds = floor_div(wall_ns, NS_A_SECOND), day = floor_div(seconds, SECONDS_A_DAY);
    int year, month, day_of_month, left = (int)(seconds - day * SECONDS_A_DAY);
    int64_t over = wall_ns % NS_A_SECOND; /* of the sign of wall_ns */
    int micro = (int)((over < 0 ? over + NS_A_SECOND : over) / 1000);
    char fraction[16] = "";
    date_of_day(day, &year, &month, &day_of_month);
    if (micro)
        snprintf(fraction, sizeof fraction, ".%06d", micro);
    snprintf(text, room, "%04d-%02d-%02dT%02d:%02d:%02d%s+00:00", year, month, day_of_month, left / 3600,
             left / 60 % 60, left % 60, fraction);
}

/* ---- Parse --------------------------------------------------------------------------- */

typedef struct parsed {
    int year, month, day, hour, minute, second, micro;
    bool has_zone;
    char zone_sign;
    int zone_hour, zone_minute, zone_second;
} parsed;

/* Read exactly `n` digits. */
static bool take_number(const char **at, int n, int *value)
{
    *value = 0;
    for (int i = 0; i < n; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        *value = *value * 10 + (**at - '0');
    }
    return true;
}

static bool take(const char **at, const char *one_of)
{
    if (!**at || !strchr(one_of, **at))
        return false;
    (*at)++;
    return true;
}

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static bool take_date(const char **at, parsed *p)
{
    if (!take_number(at, 4, &p->year) || !take(at, "-") || !take_number(at, 2, &p->month) || !take(at, "-") ||
        !take_number(at, 2, &p->day))
        return false;
    return p->year >= 1 && p->month >= 1 && p->month <= 12 && p->day >= 1 && p->day <= days_in_month(p->year, p->month);
}

/* Digits past the sixth are dropped, as Python does. */
static bool take_fraction(const char **at, int *micro)
{
    int n = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++, n++)
        if (n < 6)
            *micro = *micro * 10 + (**at - '0');
    for (int i = n; i < 6; i++)
        *micro *= 10;
    return n > 0;
}

static bool take_clock(const char **at, parsed *p)
{
    if (!take_number(at, 2, &p->hour))
        return false;
    if (take(at, ":")) {
        if (!take_number(at, 2, &p->minute))
            return false;
        if (take(at, ":")) {
            if (!take_number(at, 2, &p->second))
                return false;
            if (take(at, ".,") && !take_fraction(at, &p->micro))
                return false;
        }
    }
    return p->hour < 24 && p->minute < 60 && p->second < 60;
}

/* "Z", "+01", "+0100", "+01:00", "+01:00:30", or nothing. */
static bool take_zone(const char **at, parsed *p)
{
    if (take(at, "Zz")) {
        p->has_zone = true;
        return true;
    }
    if (**at != '+' && **at != '-')
        return true;
    p->has_zone = true;
    p->zone_sign = *(*at)++;
    if (!take_number(at, 2, &p->zone_hour))
        return false;
    bool colon = take(at, ":");
    if ((colon || **at) && !take_number(at, 2, &p->zone_minute))
        return false;
    if (colon && take(at, ":") && !take_number(at, 2, &p->zone_second))
        return false;
    return p->zone_hour < 24 && p->zone_minute < 60 && p->zone_second < 60;
}

static void format_parsed(const parsed *p, char *text, size_t room)
{
    char fraction[16] = "", zone[24] = "", seconds[8] = "";
    if (p->micro)
        snprintf(fraction, sizeof fraction, ".%06d", p->micro);
    if (p->zone_second)
        snprintf(seconds, sizeof seconds, ":%02d", p->zone_second);
    bool is_utc = !p->zone_hour && !p->zone_minute && !p->zone_second;
    if (p->has_zone)
        snprintf(zone, sizeof zone, "%c%02d:%02d%s", is_utc ? '+' : p->zone_sign, p->zone_hour, p->zone_minute,
                 seconds);
    snprintf(text, room, "%04d-%02d-%02dT%02d:%02d:%02d%s%s", p->year, p->month, p->day, p->hour, p->minute, p->second,
             fraction, zone);
}

nwbz_code nz_time_parse(const char *text, char *canonical, size_t room, bool *has_zone, nwbz_error *err)
{
    parsed p = { 0 };
    const char *at = text;
    *has_zone = false;
    bool good = take_date(&at, &p);
    if (good && *at)
        good = take(&at, "Tt ") && take_clock(&at, &p) && take_zone(&at, &p) && !*at;
    if (!good)
        return nz_fail(err, NWBZ_EINVAL, "'%s' is no date and time of ISO 8601, such as 2024-01-31T12:00:00+01:00",
                       text);
    format_parsed(&p, canonical, room);
    *has_zone = p.has_zone;
    return NWBZ_OK;
}
