// SPDX-License-Identifier: Apache-2.0
// Curves of a sweep as SVG: axes with units, two curves, a legend.
#include "cli/law/law.h"

#include <math.h>

enum {
    PLOT_LEFT = 92,
    PLOT_TOP = 46,
    PLOT_WIDTH = 620,
    PLOT_HEIGHT = 400,
    WIDTH = PLOT_LEFT + PLOT_WIDTH + 30,
    HEIGHT = PLOT_TOP + PLOT_HEIGHT + 64,
    TICKS = 8 // about as many
};

static const char *const colours[] = {"#0b4f9c", "#d1361b"};
static const char *const dashes[] = {"none", "8 4"};

/// A range of values with round steps.
typedef struct law_axis {
    double low, high, step;
} law_axis;

static law_axis make_axis(double low, double high)
{
    double span = high - low, size = fmax(fabs(low), fabs(high));
    // values that are all the same
    if (!(span > 1e-12 * size)) {
        low -= size > 0.0 ? 0.1 * size : 1.0;
        high += size > 0.0 ? 0.1 * size : 1.0;
        span = high - low;
    }
    double decade = pow(10.0, floor(log10(span / TICKS))), step = decade;
    for (double factor = 2.0; span / step > TICKS; factor = factor == 2.0 ? 5.0 : 10.0)
        step = factor * decade;
    return (law_axis){low, high, step};
}

static double place_x(const law_axis *axis, double x)
{
    return PLOT_LEFT + PLOT_WIDTH * (x - axis->low) / (axis->high - axis->low);
}

static double place_y(const law_axis *axis, double y)
{
    return PLOT_TOP + PLOT_HEIGHT * (1.0 - (y - axis->low) / (axis->high - axis->low));
}

static double round_value(const law_axis *axis, double value)
{
    return fabs(value) < 1e-9 * axis->step ? 0.0 : value;
}

static void put_axes(const law_axis *x, const law_axis *y, FILE *out)
{
    double first = ceil(x->low / x->step - 1e-9), last = floor(x->high / x->step + 1e-9);
    for (double i = first; i <= last; i++) {
        double at = place_x(x, i * x->step);
        fprintf(out,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#dddddd\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                at, PLOT_TOP, at, PLOT_TOP + PLOT_HEIGHT, at, PLOT_TOP + PLOT_HEIGHT + 18,
                round_value(x, i * x->step));
    }
    first = ceil(y->low / y->step - 1e-9), last = floor(y->high / y->step + 1e-9);
    for (double i = first; i <= last; i++) {
        double at = place_y(y, i * y->step);
        fprintf(out,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                PLOT_LEFT, at, PLOT_LEFT + PLOT_WIDTH, at, i == 0.0 ? "#888888" : "#dddddd",
                PLOT_LEFT - 8, at + 4.0, round_value(y, i * y->step));
    }
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#555555\"/>\n",
            PLOT_LEFT, PLOT_TOP, PLOT_WIDTH, PLOT_HEIGHT);
}

static void put_quantity(const char *name, const char *unit, FILE *out)
{
    fputs(name, out);
    if (unit[0] != '\0')
        fprintf(out, " [%s]", unit);
}

static void put_titles(const law_curves *curves, FILE *out)
{
    fprintf(out, "<text x=\"%d\" y=\"28\" font-size=\"16\">%s</text>\n", PLOT_LEFT, curves->title);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", PLOT_LEFT + PLOT_WIDTH / 2,
            PLOT_TOP + PLOT_HEIGHT + 44);
    put_quantity(curves->x_name, curves->x_unit, out);
    fprintf(out,
            "</text>\n<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">",
            PLOT_TOP + PLOT_HEIGHT / 2);
    put_quantity(curves->y_name, curves->y_unit, out);
    fputs("</text>\n", out);
}

static void put_legend(const law_curves *curves, FILE *out)
{
    int right = PLOT_LEFT + PLOT_WIDTH;
    for (int k = 0; k < 2; k++)
        fprintf(out,
                "<path d=\"M%d 24h36\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.4\" "
                "stroke-dasharray=\"%s\"/>\n<text x=\"%d\" y=\"28\">%s</text>\n",
                right - 270 + 140 * k, colours[k], dashes[k], right - 226 + 140 * k,
                curves->labels[k]);
}

static void put_curve(const law_curves *curves, int k, const law_axis *x, const law_axis *y,
                      FILE *out)
{
    fputs("<path d=\"", out);
    for (int i = 0; i < curves->count; i++)
        fprintf(out, "%c%.2f %.2f", i == 0 ? 'M' : 'L', place_x(x, curves->x[i]),
                place_y(y, curves->y[k][i]));
    fprintf(out,
            "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.4\" stroke-dasharray=\"%s\" "
            "stroke-linejoin=\"round\"/>\n",
            colours[k], dashes[k]);
}

static void find_range(const double *values, int count, double *low, double *high)
{
    for (int i = 0; i < count; i++) {
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
}

void law_svg_write(const law_curves *curves, FILE *out)
{
    double low = INFINITY, high = -INFINITY;
    find_range(curves->x, curves->count, &low, &high);
    law_axis x = make_axis(low, high);
    low = high = 0.0;
    find_range(curves->y[0], curves->count, &low, &high);
    find_range(curves->y[1], curves->count, &low, &high);

    // the same with ends at round values
    law_axis axis = make_axis(low, high);
    axis.low = axis.step * floor(axis.low / axis.step + 1e-9);
    axis.high = axis.step * ceil(axis.high / axis.step - 1e-9);
    law_axis y = axis;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" "
            "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_axes(&x, &y, out);
    put_titles(curves, out);
    for (int k = 1; k >= 0; k--)
        put_curve(curves, k, &x, &y, out);
    put_legend(curves, out);
    fputs("</svg>\n", out);
}
