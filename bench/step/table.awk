# SPDX-License-Identifier: Apache-2.0
# Results of run.sh as one table: steps a CPU second, speed of the 1e-8 run beside it, overlap.
function value(name,    i) {
    for (i = 4; i < NF; i++)
        if ($i == name)
            return $(i + 1)
    return "-"
}
$1 == "RESULT" {
    key = $3 SUBSEP $2
    if (!($3 in seen)) {
        seen[$3] = 1
        order[++scenes] = $3
    }
    row[$3, ++rows[$3]] = $2
    rate[key] = value("rate")
    worst[key] = value("worst_mm")
    mean[key] = value("mean_mm")
    error[key] = value("error")
    steps[key] = value("steps")
}
END {
    format = "%-14s %-24s %6s %12s %10s %12s %12s %10s\n"
    printf format, "scene", "program", "steps", "steps/CPU s", "1e-8 is", "worst mm", "mean mm", "error"
    for (s = 1; s <= scenes; s++)
        for (r = 1; r <= rows[order[s]]; r++) {
            key = order[s] SUBSEP row[order[s], r]
            ours = rate[order[s], "cairn-auto-1e-08"]
            ratio = rate[key] > 0 && ours > 0 ? sprintf("%.3gx", ours / rate[key]) : "-"
            printf format, order[s], row[order[s], r], steps[key], rate[key], ratio, worst[key], mean[key], error[key]
        }
}
