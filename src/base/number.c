/* Floats as text.
 *
 * Any decimal of up to 15 digits survives the way into a double and back, so if 15 digits read back, printing 15 and
 * dropping the zeros at the end is the shortest text; else 16 or 17 digits do.  (float32: 6, then 7 to 9.)
 * Subnormals hold fewer digits than that promise needs: for them the search begins at one digit.  The C library
 * prints the decimal point of the locale, which a host program may have set.
 */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Turn what the locale uses for a decimal point into '.', and add ".0" where nothing says that this is no integer. */
static void make_plain(char *text, size_t room)
{
    size_t n = strspn(text, "-0123456789"), point = strcspn(text + n, "0123456789e");
    if (point > 0) {
        text[n] = '.';
        memmove(text + n + 1, text + n + point, strlen(text + n + point) + 1);
    } else if (!text[n] && n + 3 <= room) {
        memcpy(text + n, ".0", 3);
    }
}

static bool format_special(double value, char *text, size_t room)
{
    if (isfinite(value))
        return false;
    snprintf(text, room, "%s", isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
    return true;
}

void nz_double_format(double value, char *text, size_t room)
{
    if (format_special(value, text, room))
        return;
    for (int digits = fpclassify(value) == FP_SUBNORMAL ? 1 : 15; digits <= 17; digits++) {
        snprintf(text, room, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    make_plain(text, room);
}

void nz_float_format(float value, char *text, size_t room)
{
    if (format_special((double)value, text, room))
        return;
    for (int digits = fpclassify(value) == FP_SUBNORMAL ? 1 : 6; digits <= 9; digits++) {
        snprintf(text, room, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    make_plain(text, room);
}
