// SPDX-License-Identifier: Apache-2.0
// Elementary functions made of additions, products, quotients and square roots, each rounded as
// IEEE 754 says: the same bits on every processor.
//
// Where one double is not enough a number is the sum of two, of which the second is what the first
// leaves out (Dekker 1971). Series are those of Taylor after a reduction of the argument; their
// first term left out is below 2^-60 of the result.
#include "base/elementary.h"

#include <float.h>
#include <stdint.h>

typedef struct twofold {
    double high, low;
} twofold;

/// a + b exactly.
static twofold sum_of(double a, double b)
{
    double s = a + b, part = s - a;
    return (twofold){s, (a - (s - part)) + (b - part)};
}

/// a b exactly, for |a|, |b| between 2^-480 and 2^480 or zero.
static twofold product_of(double a, double b)
{
    const double split = 134217729.0; // 2^27 + 1
    double p = a * b, sa = split * a, sb = split * b;
    double a1 = sa - (sa - a), b1 = sb - (sb - b), a2 = a - a1, b2 = b - b1;
    return (twofold){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static twofold add(twofold a, twofold b)
{
    twofold s = sum_of(a.high, b.high);
    return sum_of(s.high, s.low + (a.low + b.low));
}

static twofold multiply(twofold a, twofold b)
{
    twofold p = product_of(a.high, b.high);
    return sum_of(p.high, p.low + (a.high * b.low + a.low * b.high));
}

/// a / b for plain numbers.
static twofold quotient_of(double a, double b)
{
    double q = a / b;
    twofold back = product_of(q, b);
    return sum_of(q, ((a - back.high) - back.low) / b);
}

// ---------------------------------------------------------------- sine and cosine

/// x less the nearest multiple of pi/2, within pi/4 and a bit. @param quarter  out: that multiple,
/// modulo 4
static twofold reduce_angle(double x, int *quarter)
{
    // pi/2 in three parts
    static const double part[3] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                   -0x1.f1976b7ed8fbcp-110};
    const double per_quarter = 0x1.45f306dc9c883p-1;
    // beyond this an angle has no digits that say where in its turn it is; fmod is exact
    if (fabs(x) > 0x1p50)
        x = fmod(x, 4.0 * part[0]);
    double n = rint(x * per_quarter);
    twofold y = {x, 0.0};
    *quarter = 0;
    if (n == 0.0)
        return y;
    *quarter = (int)fmod(n, 4.0) & 3;
    for (int i = 0; i < 3; i++) {
        twofold p = product_of(n, part[i]);
        y = add(y, (twofold){-p.high, -p.low});
    }
    return y;
}

/// sin(y.high + y.low) for |y| <= 0.8.
static double sine(twofold y)
{
    double z = y.high * y.high, sum = 0.0;
    // Taylor: each term by the one before
    static const double ratio[8] = {-1.0 / 20.0,  -1.0 / 42.0,  -1.0 / 72.0,  -1.0 / 110.0,
                                    -1.0 / 156.0, -1.0 / 210.0, -1.0 / 272.0, -1.0 / 342.0};
    for (int k = 7; k >= 0; k--)
        sum = z * ratio[k] * (1.0 + sum);
    double cubic = -y.high * z / 6.0;
    return y.high + (cubic + (cubic * sum + y.low * (1.0 - 0.5 * z)));
}

/// cos(y.high + y.low) for |y| <= 0.8.
static double cosine(twofold y)
{
    double z = y.high * y.high, sum = 0.0;
    static const double ratio[7] = {-1.0 / 30.0,  -1.0 / 56.0,  -1.0 / 90.0, -1.0 / 132.0,
                                    -1.0 / 182.0, -1.0 / 240.0, -1.0 / 306.0};
    for (int k = 6; k >= 0; k--)
        sum = z * ratio[k] * (1.0 + sum);
    double half = 0.5 * z, rest = 1.0 - half;
    double quartic = z * z / 24.0 * (1.0 + sum) - y.high * y.low;
    return rest + (((1.0 - rest) - half) + quartic);
}

static double of_quarter(twofold y, int quarter)
{
    double value = (quarter & 1) != 0 ? cosine(y) : sine(y);
    return (quarter & 2) != 0 ? -value : value;
}

double base_sin(double x)
{
    if (x == 0.0)
        return x;
    if (!isfinite(x))
        return x - x;
    int quarter;
    twofold y = reduce_angle(x, &quarter);
    return of_quarter(y, quarter);
}

double base_cos(double x)
{
    if (!isfinite(x))
        return x - x;
    int quarter;
    twofold y = reduce_angle(x, &quarter);
    return of_quarter(y, quarter + 1);
}

// ---------------------------------------------------------------- arcs

/// atan(a / b) for 0 <= a <= b, b > 0.
static twofold arc(double a, double b)
{
    // atan(i / 16)
    static const twofold table[17] = {{0x0.0p+0, 0x0.0p+0},
                                      {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
                                      {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                      {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
                                      {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                      {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
                                      {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                      {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
                                      {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                      {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
                                      {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                      {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
                                      {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                      {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
                                      {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                      {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
                                      {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    twofold q = {a / b, 0.0};
    // a quotient without a normal rest is its own arc
    if (q.high < 0x1p-400)
        return q;
    int scale = ilogb(b);
    q = quotient_of(ldexp(a, -scale), ldexp(b, -scale));
    int i = (int)rint(16.0 * q.high);
    double c = i / 16.0;
    static const double odd[8] = {-1.0 / 3.0,  1.0 / 5.0,  -1.0 / 7.0,  1.0 / 9.0,
                                  -1.0 / 11.0, 1.0 / 13.0, -1.0 / 15.0, 1.0 / 17.0};
    double t = i == 0 ? q.high : ((q.high - c) + q.low) / (1.0 + q.high * c);
    double z = t * t, sum = 0.0;
    for (int k = 7; k >= 0; k--)
        sum = z * (odd[k] + sum);
    double rest = i == 0 ? q.low : 0.0;
    twofold s = sum_of(table[i].high, t);
    return sum_of(s.high, s.low + (table[i].low + (t * sum + rest)));
}

double base_atan2(double y, double x)
{
    static const double pi_high = 0x1.921fb54442d18p+1, pi_low = 0x1.1a62633145c07p-53;
    double a = fabs(y), b = fabs(x);
    if (isnan(x) || isnan(y))
        return x + y;
    if (a == 0.0 && b == 0.0)
        return copysign(signbit(x) ? pi_high : 0.0, y);
    if (isinf(a) && isinf(b))
        a = b = 1.0;
    twofold r;
    if (a <= b) {
        r = isinf(b) ? (twofold){0.0, 0.0} : arc(a, b);
    } else {
        r = isinf(a) ? (twofold){0.0, 0.0} : arc(b, a);
        r = add((twofold){0.5 * pi_high, 0.5 * pi_low}, (twofold){-r.high, -r.low});
    }
    if (signbit(x))
        r = add((twofold){pi_high, pi_low}, (twofold){-r.high, -r.low});
    return copysign(r.high + r.low, y);
}

double base_acos(double x)
{
    return base_atan2(sqrt((1.0 - x) * (1.0 + x)), x);
}

double base_asin(double x)
{
    return base_atan2(x, sqrt((1.0 - x) * (1.0 + x)));
}

double base_tan(double x)
{
    return base_sin(x) / base_cos(x);
}

// ---------------------------------------------------------------- exponential and logarithm

// ln 2: its first 32 bits, then two parts of the rest
static const double ln2_high = 0x1.62e42fee00000p-1, ln2_middle = 0x1.a39ef35793c76p-33,
                    ln2_low = 0x1.cc01f97b57a08p-87;

/// ln x for finite x > 0: k ln 2 + 2 artanh((m - 1) / (m + 1)).
static twofold logarithm(double x)
{
    // 1 / (2n + 1)
    static const twofold odd[18] = {{0x1.0000000000000p+0, 0x0.0p+0},
                                    {0x1.5555555555555p-2, 0x1.5555555555555p-56},
                                    {0x1.999999999999ap-3, -0x1.999999999999ap-57},
                                    {0x1.2492492492492p-3, 0x1.2492492492492p-57},
                                    {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
                                    {0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59},
                                    {0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58},
                                    {0x1.1111111111111p-4, 0x1.1111111111111p-60},
                                    {0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1ep-61},
                                    {0x1.af286bca1af28p-5, 0x1.af286bca1af28p-59},
                                    {0x1.8618618618618p-5, 0x1.8618618618618p-59},
                                    {0x1.642c8590b2164p-5, 0x1.642c8590b2164p-60},
                                    {0x1.47ae147ae147bp-5, -0x1.eb851eb851eb8p-61},
                                    {0x1.2f684bda12f68p-5, 0x1.2f684bda12f68p-59},
                                    {0x1.1a7b9611a7b96p-5, 0x1.1a7b9611a7b96p-61},
                                    {0x1.0842108421084p-5, 0x1.0842108421084p-60},
                                    {0x1.f07c1f07c1f08p-6, -0x1.f07c1f07c1f08p-61},
                                    {0x1.d41d41d41d41dp-6, 0x1.0750750750750p-60}};
    int k;
    double m = frexp(x, &k);
    if (m < M_SQRT1_2) {
        m *= 2.0;
        k--;
    }
    // m - 1 is exact, m + 1 is not
    twofold below = sum_of(m, 1.0), s = quotient_of(m - 1.0, below.high);
    s.low -= s.high * below.low / below.high;
    s = sum_of(s.high, s.low);
    twofold z = multiply(s, s), sum = odd[17];
    for (int n = 16; n >= 0; n--)
        sum = add(multiply(sum, z), odd[n]);
    twofold artanh = multiply(sum, s);
    twofold result = {2.0 * artanh.high, 2.0 * artanh.low};
    twofold shift = sum_of(k * ln2_high, k * ln2_middle);
    shift.low += k * ln2_low;
    return add(shift, result);
}

/// e^(x.high + x.low); |x.low| is below an ulp of x.high.
static double exponential(twofold x)
{
    static const double per_ln2 = 0x1.71547652b82fep+0;
    if (x.high > 710.0)
        return INFINITY;
    if (x.high < -746.0)
        return 0.0;
    double k = rint(x.high * per_ln2);
    twofold r = sum_of(x.high - k * ln2_high, -k * ln2_middle);
    r.low += x.low - k * ln2_low;
    r = sum_of(r.high, r.low);
    double sum = 0.0;
    for (int n = 17; n >= 3; n--)
        sum = r.high / n * (1.0 + sum);
    double square = 0.5 * r.high * r.high;
    twofold one = sum_of(1.0, r.high);
    double rest = one.low + (r.low * (1.0 + r.high) + (square + square * sum));
    return ldexp(one.high + rest, (int)k);
}

double base_exp(double x)
{
    return isnan(x) ? x : exponential((twofold){x, 0.0});
}

double base_ln(double x)
{
    if (isnan(x) || x < 0.0)
        return NAN;
    if (x == 0.0)
        return -INFINITY;
    if (isinf(x))
        return x;
    twofold result = logarithm(x);
    return result.high + result.low;
}

/// x^n for n = 0, 1/2, 1, ... 4, which laws of contact have.
static double half_power(double x, int halves)
{
    double result = (halves & 1) != 0 ? sqrt(x) : 1.0;
    for (int i = 0; i < halves / 2; i++)
        result *= x;
    return result;
}

double base_pow(double x, double y)
{
    if (y == 0.0 || x == 1.0)
        return 1.0;
    if (isnan(x) || isnan(y))
        return x + y;
    if (x < 0.0) {
        // a whole exponent alone has a result
        double size = base_pow(-x, y);
        return y != rint(y) && isfinite(x) && isfinite(y)    ? NAN
               : fmod(y, 2.0) == 1.0 || fmod(y, 2.0) == -1.0 ? -size
                                                             : size;
    }
    if (2.0 * y == rint(2.0 * y) && y > 0.0 && y <= 4.0)
        return half_power(x, (int)(2.0 * y));
    if (x == 0.0 || isinf(x))
        return (x == 0.0) == (y > 0.0) ? 0.0 : INFINITY;
    if (isinf(y))
        return (x > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    // beyond, the result over- or underflows whatever x is
    double exponent = fmin(fmax(y, -0x1p100), 0x1p100);
    twofold l = logarithm(x);
    twofold p = product_of(l.high, exponent);
    return exponential(sum_of(p.high, p.low + l.low * exponent));
}

double base_log_to(double x, double base)
{
    twofold a = logarithm(x), b = logarithm(base);
    double result = (a.high + a.low) / (b.high + b.low), whole = rint(result);
    return base_pow(base, whole) == x ? whole : result;
}
