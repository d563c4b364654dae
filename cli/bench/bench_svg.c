// SPDX-License-Identifier: Apache-2.0
// Draws a performance profile as SVG: steps over a log axis, and a legend ordered by area.
#include "base/assert.h"
#include "cli/bench/bench.h"

#include <math.h>

enum {
    PLOT_LEFT = 70,
    PLOT_TOP = 50,
    PLOT_WIDTH = 760,
    PLOT_HEIGHT = 560,
    LEGEND_LEFT = PLOT_LEFT + PLOT_WIDTH + 24,
    LEGEND_ROW = 17,
    LEGEND_COLUMN = 330,
    LEGEND_ROWS = PLOT_HEIGHT / LEGEND_ROW
};

// dark enough on white, and apart from their neighbours also in grey by the dashes
static const char *const colours[] = {"#0b4f9c", "#d1361b", "#1b8a3a", "#8c2fa8", "#e08a00",
                                      "#0097a7", "#b01657", "#5d4a1f", "#6b7a00", "#333333"};
static const char *const dashes[] = {"", "9 3", "2 3", "9 3 2 3", "16 4", "5 2 1 2 1 2"};

static double x_of(const bench_profile *profile, double tau)
{
    return PLOT_LEFT + PLOT_WIDTH * log(tau) / log(profile->tau_max);
}

static double y_of(double share)
{
    return PLOT_TOP + PLOT_HEIGHT * (1.0 - share);
}

static void put_style(int rank, bool external, FILE *out)
{
    const char *dash = dashes[(rank + rank / BASE_COUNT(colours)) % BASE_COUNT(dashes)];
    fprintf(out, "fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"",
            colours[rank % BASE_COUNT(colours)], external ? "1.4" : "2.6");
    if (dash[0] != '\0')
        fprintf(out, " stroke-dasharray=\"%s\"", dash);
}

static void put_axes(const bench_profile *profile, FILE *out)
{
    for (int k = 0; k <= 10; k++) {
        double y = y_of(0.1 * k);
        fprintf(out,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f</text>\n",
                PLOT_LEFT, y, PLOT_LEFT + PLOT_WIDTH, y, PLOT_LEFT - 8, y + 4.0, 0.1 * k);
    }
    for (double decade = 1.0; decade <= profile->tau_max * 1.001; decade *= 10.0) {
        for (int k = 2; k < 10 && decade < profile->tau_max * 0.999; k++)
            fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#f0f0f0\"/>\n",
                    x_of(profile, k * decade), PLOT_TOP, x_of(profile, k * decade),
                    PLOT_TOP + PLOT_HEIGHT);
        double x = x_of(profile, decade);
        fprintf(out,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#cccccc\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>\n",
                x, PLOT_TOP, x, PLOT_TOP + PLOT_HEIGHT, x, PLOT_TOP + PLOT_HEIGHT + 18, decade);
    }
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#555555\"/>\n",
            PLOT_LEFT, PLOT_TOP, PLOT_WIDTH, PLOT_HEIGHT);
}

static void put_curve(const bench_table *table, const bench_profile *profile, int rank, FILE *out)
{
    const bench_curve *curve = &profile->curves[rank];
    double share = 0.0, unit = profile->problems > 0 ? 1.0 / profile->problems : 0.0;
    if (curve->solved == 0)
        return;
    fprintf(out, "<path d=\"M%.1f %.1f", x_of(profile, 1.0), y_of(0.0));
    for (int i = 0; i < curve->solved && curve->ratio[i] <= profile->tau_max; i++) {
        share += unit;
        // several at the same ratio are one step
        if (i + 1 < curve->solved && curve->ratio[i + 1] == curve->ratio[i])
            continue;
        fprintf(out, "H%.1fV%.1f", x_of(profile, curve->ratio[i]), y_of(share));
    }
    fprintf(out, "H%d\" ", PLOT_LEFT + PLOT_WIDTH);
    put_style(rank, table->solvers[curve->solver].external, out);
    fputs("/>\n", out);
}

static void put_legend(const bench_table *table, const bench_profile *profile, FILE *out)
{
    for (int rank = 0; rank < profile->curve_count; rank++) {
        const bench_curve *curve = &profile->curves[rank];
        const bench_solver *solver = &table->solvers[curve->solver];
        int x = LEGEND_LEFT + rank / LEGEND_ROWS * LEGEND_COLUMN;
        int y = PLOT_TOP + 8 + rank % LEGEND_ROWS * LEGEND_ROW;
        fprintf(out, "<path d=\"M%d %dH%d\" ", x, y, x + 44);
        put_style(rank, solver->external, out);
        fprintf(out, "/>\n<text x=\"%d\" y=\"%d\"%s>", x + 52, y + 4,
                solver->external ? "" : " font-weight=\"bold\"");

        // put escaped
        const char *text = solver->name;
        for (; *text != '\0'; text++) {
            unsigned char letter = (unsigned char)*text;
            if (letter == '&')
                fputs("&amp;", out);
            else if (letter == '<')
                fputs("&lt;", out);
            else if (letter == '>')
                fputs("&gt;", out);
            else if (letter >= 0x20 && letter < 0x7f)
                fputc(letter, out);
            else
                fputc('?', out);
        }

        fprintf(out, "  %d/%d</text>\n", curve->solved, curve->tried);
    }
}

void bench_svg_write(const bench_table *table, const bench_profile *profile, double tolerance,
                     FILE *out)
{
    int columns = (profile->curve_count + LEGEND_ROWS - 1) / LEGEND_ROWS;
    int width = LEGEND_LEFT + (columns > 0 ? columns : 1) * LEGEND_COLUMN;
    int height = PLOT_TOP + PLOT_HEIGHT + 60;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" "
            "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            width, height, width, height, width, height);
    put_axes(profile, out);

    // put titles
    fprintf(out,
            "<text x=\"%d\" y=\"28\" font-size=\"16\">Performance profile: %d problems, "
            "tolerance %g",
            PLOT_LEFT, profile->problems, tolerance);
    if (profile->unsolved > 0)
        fprintf(out, ", %d solved by none", profile->unsolved);
    fprintf(out,
            "</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">time / time of the fastest "
            "solver on the same problem</text>\n"
            "<text transform=\"translate(22 %d) rotate(-90)\" text-anchor=\"middle\">share of all "
            "problems solved within that ratio</text>\n",
            PLOT_LEFT + PLOT_WIDTH / 2, PLOT_TOP + PLOT_HEIGHT + 42, PLOT_TOP + PLOT_HEIGHT / 2);

    // the best on top
    for (int rank = profile->curve_count - 1; rank >= 0; rank--)
        put_curve(table, profile, rank, out);
    put_legend(table, profile, out);
    fputs("</svg>\n", out);
}
