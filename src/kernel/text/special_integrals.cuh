// tenorite.scipy.special: exponential integrals, elliptic ones, and those of sines.
#ifndef TNI_SPECIAL_INTEGRALS
#define TNI_SPECIAL_INTEGRALS
#include <tenorite/special_base.cuh>

static __device__ inline double sp_expn(double n, double x) {
    n = sp_count(n);
    if (!(x >= 0 && n >= 0)) return sp_nan();
    if (x > 1e4) return 0;
    if (n == 0) return exp(-x) / x;
    if (x == 0) return n > 1 ? 1 / (n - 1) : sp_inf();
    if (x > 1) {
        double b = x + n, c = 1e300, d = 1 / b, h = d;
        for (double i = 1; i < 1e5; i += 1) {
            double a = -i * (n - 1 + i);
            b += 2;
            d = 1 / (a * d + b);
            c = b + a / c;
            h *= c * d;
            if (fabs(c * d - 1) < 2e-16) break;
        }
        return h * exp(-x);
    }
    double sum = n > 1 ? 1 / (n - 1) : -log(x) - 0.57721566490153286061, factor = 1;
    for (double i = 1; i < 200; i += 1) {
        factor *= -x / i;
        double step;
        if (i != n - 1) {
            step = -factor / (i - n + 1);
        } else {
            double psi = -0.57721566490153286061;
            for (double k = 1; k <= n - 1; k += 1) psi += 1 / k;
            step = factor * (-log(x) + psi);
        }
        sum += step;
        if (fabs(step) < 1e-17 * fabs(sum)) break;
    }
    return sum;
}
/* Ei by a factor, of x at least 40: the exponential alone may leave the range. */
static __device__ inline double sp_expi_far(double x, double factor) {
    double sum = 1, term = 1;
    for (double k = 1; k < 60; k += 1) {
        if (k > x) break;
        term *= k / x;
        sum += term;
        if (term < 1e-17) break;
    }
    return exp(x / 2) / x * sum * factor * exp(x / 2);
}
static __device__ inline double sp_expi(double x) {
    if (x != x) return x;
    if (x == 0) return -sp_inf();
    if (x < 0) return -sp_expn(1, -x);
    if (x > 1000) return sp_inf();
    if (x < 40) {
        double sum = 0, term = 1;
        for (double k = 1; k < 500; k += 1) {
            term *= x / k;
            sum += term / k;
            if (term / k < 1e-17 * sum) break;
        }
        return 0.57721566490153286061 + log(x) + sum;
    }
    return sp_expi_far(x, 1);
}
/* K of 1 - p. */
static __device__ inline double sp_ellipkm1(double p) {
    if (!(p > 0)) return p == 0 ? sp_inf() : sp_nan();
    if (p == sp_inf()) return 0;
    double t = p > 1 ? 1 / p : p;
    double near = sp_poly(t, 1.3862943611198906, 0.0965735902799727, 0.03088514453324159,
                          0.014937601323037175, 0.008766532768464013, 0.0057685771575953625,
                          0.004344155911043079, 0.005105845379710576, 0.008150303319816836,
                          0.007434738896803977, 0.002376312861482351, 0.00015916324383831302);
    double far = sp_poly(t, 0.5, 0.125, 0.0703124999999107, 0.04882812485258443,
                         0.03738398908804145, 0.030277490390993384, 0.025345785463112423,
                         0.020870490128719773, 0.014265994479679831, 0.005894289478614715,
                         0.000986436935233653, 3.453511029092847e-05);
    near -= log(t) * far;
    return p > 1 ? near / sqrt(p) : near;
}
/* --- Incomplete elliptic integrals by Carlson's symmetric ones --- */

/* R_F and R_D of the same arguments, whose steps are the same. */
static __device__ inline void sp_carlson(double x, double y, double z, double *f, double *d) {
    double sum = 0, factor = 1, roots[3], mean = 0, dx = 1, dy = 1, dz = 1;
    for (int i = 0; i < 60; i++) {
        mean = (x + y + 3 * z) / 5;
        dx = 1 - x / mean;
        dy = 1 - y / mean;
        dz = 1 - z / mean;
        if (fmax(fmax(fabs(dx), fabs(dy)), fabs(dz)) < 4e-3) break;
        roots[0] = sqrt(x);
        roots[1] = sqrt(y);
        roots[2] = sqrt(z);
        double l = roots[0] * roots[1] + (roots[0] + roots[1]) * roots[2];
        sum += factor / (roots[2] * (z + l));
        factor /= 4;
        x = (x + l) / 4;
        y = (y + l) / 4;
        z = (z + l) / 4;
    }
    double xy = dx * dy, zz = dz * dz, e2 = xy - 6 * zz, e3 = (3 * xy - 8 * zz) * dz;
    double e4 = 3 * (xy - zz) * zz, e5 = xy * zz * dz;
    double part =
        1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26;
    part += -e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20;
    *d = 3 * sum + factor * part / (mean * sqrt(mean));
    mean = (x + y + z) / 3;
    dx = 1 - x / mean;
    dy = 1 - y / mean;
    dz = 1 - z / mean;
    e2 = dx * dy - dz * dz;
    e3 = dx * dy * dz;
    part = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2 * e2 * e2 / 208;
    *f = (part + 3 * e3 * e3 / 104 + e2 * e2 * e3 / 16) / sqrt(mean);
}
/* E of 1 - p. */
static __device__ inline double sp_ellipem1(double p) {
    double t = p > 1 ? 1 / p : p;
    double near = sp_poly(t, 1.0, 0.4431471805599453, 0.056805192709989565, 0.021831370481490302,
                          0.011544540473412546, 0.007144197431721411, 0.004930974850472778,
                          0.004437166511989556, 0.006803441124828545, 0.0087979923015414,
                          0.004708335407694943, 0.0006459349418102926);
    double far = sp_poly(t, 0.25, 0.09374999999999897, 0.05859374999488092, 0.04272460602114013,
                         0.033645128372555774, 0.0277345774392813, 0.023237392308149064,
                         0.01785670005196861, 0.009675335901661052, 0.0025084916622778,
                         0.00017134028137971718, -1.464419248364136e-06);
    if (t > 0) near -= t * log(t) * far;
    return p > 1 ? near * sqrt(p) : near;
}
static __device__ inline double sp_ellipinc(double phi, double m, bool is_first) {
    if (phi != phi || m != m || m > 1) return sp_nan();
    bool is_deep = sp_is_infinite(m);
    if (sp_is_infinite(phi)) return is_deep && is_first ? sp_nan() : phi;
    if (is_deep) return is_first ? 0 : sp_inf();
    const double pi = 3.14159265358979323846;
    double turns = rint(phi / pi), rest = phi - turns * pi, whole = 0;
    if (m == 1 && is_first && fabs(phi) >= pi / 2) return sp_inf();
    if (m == 1 && !is_first) return SP_ALONE(sin)(rest) + 2 * turns;
    if (turns != 0) whole = is_first ? sp_ellipkm1(1 - m) : sp_ellipem1(1 - m);
    double s = SP_ALONE(sin)(rest), c = SP_ALONE(cos)(rest), q = 1 - m * s * s;
    double f, d;
    sp_carlson(c * c, q, 1, &f, &d);
    double part = is_first ? s * f : s * (f - m / 3 * s * s * d);
    return part + 2 * turns * whole;
}
/* The functions of Jacobi by Landen's descent. */
static __device__ inline void sp_ellipj(double u, double m, double *sn, double *cn, double *dn,
                                        double *ph) {
    *sn = *cn = *dn = *ph = sp_nan();
    if (!(m >= 0 && m <= 1) || u != u) return;
    if (m == 1) {
        const double half = 1.57079632679489661923;
        *sn = tanh(u);
        *cn = *dn = 1 / cosh(u);
        *ph = 2 * atan(exp(u)) - half;
        return;
    }
    double a[16], c[16], b = sqrt(1 - m);
    int n = 0;
    a[0] = 1;
    c[0] = sqrt(m);
    while (n < 14 && fabs(c[n] / a[n]) > 1.2e-16) {
        c[n + 1] = (a[n] - b) / 2;
        a[n + 1] = (a[n] + b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n), before = phi;
    for (; n > 0; n--) {
        double t = c[n] * sin(phi) / a[n];
        before = phi;
        phi = (asin(t) + phi) / 2;
    }
    double s = sin(phi), k = cos(phi), d = cos(phi - before);
    *sn = s;
    *cn = k;
    *dn = fabs(d) < 0.1 || m == 0 ? sqrt(1 - m * s * s) : k / d;
    *ph = phi;
}

/* --- Integrals of sines and cosines --- */

static __device__ inline void sp_sici(double x, double *sine, double *cosine) {
    const double half = 1.57079632679489661923;
    double t = fabs(x), z = t * t, si, ci, f, g;
    if (t <= 4) {
        si = t * sp_poly(z, 1.0, -0.05555555555555555, 0.0016666666666666627,
                         -2.8344671201809283e-05, 3.06192435819185e-07, -2.27746439765077e-09,
                         1.2353110412022082e-11, -5.098105706784326e-14, 1.6537641118389194e-16,
                         -4.3243943635141796e-19, 9.225837230893694e-22, -1.4510986112315727e-24);
        ci = z * sp_poly(z, -0.25, 0.01041666666666666, -0.00023148148148146268,
                         3.1001984126800588e-06, -2.7557319214796103e-08, 1.7397297221300834e-10,
                         -8.193384814578924e-13, 2.9871158895070454e-15, -8.672999134979405e-18,
                         2.034717810213151e-20, -3.49312134479292e-23);
        ci += 0.57721566490153286061 + log(t);
    } else { /* f and g: integrals that don't wave */
        z = 1 / z;
        if (t <= 8) {
            f = sp_poly(z, 0.9999999595063273, 215.393163489939, 15021.143651868171,
                        427830.0826029132, 5142202.463516845, 24122562.494290743, 34713196.18189344,
                        6843822.829686844) /
                sp_poly(z, 1.0, 217.39312977904947, 15431.944652918062, 454191.8649941377,
                        5797680.608946406, 30470677.563256644, 55616850.176303044,
                        22197243.139076483);
            g = sp_poly(z, 0.9999998976119726, 301.5889941843996, 30804.675097425687,
                        1363672.0859188295, 27742673.66427376, 252700559.33847535,
                        920546239.3883003, 1004085034.5538262, 101176711.7954115) /
                sp_poly(z, 1.0, 307.5888897113602, 32530.265140949963, 1526960.5046829586,
                        34195783.61094747, 364464235.025417, 1732791053.6913924, 3135239282.7650247,
                        1445866742.87638);
        } else {
            f = sp_poly(z, 1.0, 1271.801701293326, 604634.4429631382, 139694532.9846374,
                        17085279008.238506, 1130532531473.4985, 39724489368691.87,
                        697855366205206.2, 5410580371326379.0, 1.4163996440451424e+16,
                        5513371302872787.0) /
                sp_poly(z, 1.0, 1273.8017012933258, 607158.046365726, 140878997.83653256,
                        17353342028.038616, 1162247542461.3523, 41713599923744.21,
                        761883018599028.2, 6380923367442044.0, 1.993197290957994e+16,
                        1.409058124704395e+16);
            g = sp_poly(z, 1.0, 1375.0776200335272, 709177.9993663569, 178361744.10798234,
                        23828594663.776405, 1727587444053.1428, 66637119812433.8,
                        1283676394236236.0, 1.0815116800553918e+16, 2.9628636234956044e+16,
                        8797597962991604.0) /
                sp_poly(z, 1.0, 1381.0776200335256, 717344.4650865757, 182505121.5840117,
                        24844141808.923874, 1857905847275.763, 75511675674458.48,
                        1594125566847440.0, 1.593635940618035e+16, 6.293648092138717e+16,
                        6.4119705148181096e+16);
        }
        double c = cos(t), s = sin(t);
        f /= t;
        g *= z;
        si = half - f * c - g * s;
        ci = f * s - g * c;
    }
    if (t > 1e300) {
        si = half;
        ci = x > 0 ? 0 : sp_nan();
    }
    *sine = x == x ? copysign(si, x) : x;
    *cosine = x == x ? ci : x;
}
// Both by exp(t) / t, for t from 8 to 40.
static __device__ inline void sp_shichi_middle(double t, double *shi, double *chi) {
    if (t < 15) {
        double z = t - 8;
        *shi = sp_poly(z, 0.5909240440352392, 0.28768884361392427, 0.07073635786134488,
                       0.011209942653018085, 0.0012507732425601874, 0.000104345393527325,
                       6.471906995163878e-06, 2.9699990738086504e-07, 9.331932723859163e-09,
                       1.614964564384856e-10) /
               sp_poly(z, 1.0, 0.515713383959331, 0.1297748955836792, 0.020835882078136227,
                       0.0023661600938650554, 0.00019859476852705625, 1.2486544773840956e-05,
                       5.769021939663671e-07, 1.835374619594132e-08, 3.228829225847843e-10);
        *chi = sp_poly(z, 0.5909239429519687, 0.2896031232511719, 0.07144957493280885,
                       0.011365443560474739, 0.0012721474278532526, 0.00010653029547760408,
                       6.634516550639027e-06, 3.062589496484742e-07, 9.69155212023823e-09,
                       1.7134087596631986e-10) /
               sp_poly(z, 1.0, 0.5189526007943176, 0.1310755402115111, 0.021120884179881665,
                       0.0024062805940664317, 0.00020272975354568553, 1.2797633180395552e-05,
                       5.948305688305032e-07, 1.9053407273885112e-08, 3.425711390656968e-10);
    } else {
        double z = t - 15;
        *shi = sp_poly(z, 0.5390515536931243, 0.2564828650705266, 0.0620973534711825,
                       0.009994494032094474, 0.0011919495755576004, 0.00011133981702271494,
                       8.418479739042526e-06, 5.248241815617368e-07, 2.7249219885758045e-08,
                       1.1777581285863333e-09, 4.211345249117596e-11, 1.2097923674822506e-12,
                       2.6493400393366484e-14, 4.0809426902876585e-16) /
               sp_poly(z, 1.0, 0.48158222852516863, 0.11750583802957493, 0.019031686561150334,
                       0.0022813161710310177, 0.00021404997977002486, 1.6247678875701425e-05,
                       1.0166102914188547e-06, 5.29595176447325e-08, 2.296975537269269e-09,
                       8.238752880109156e-11, 2.3780245857259725e-12, 5.217061218116572e-14,
                       8.161885382353163e-16);
        *chi = sp_poly(z, 0.5390515536930363, 0.23090476072534788, 0.05087441621736176,
                       0.007446804683985236, 0.0008053215581114256, 6.76588855277581e-05,
                       4.548570255492542e-06, 2.470495754494884e-07, 1.0875933611123115e-08,
                       3.7730665589829064e-10, 9.93815310136643e-12, 1.7855698768526584e-13) /
               sp_poly(z, 1.0, 0.4341320279458797, 0.09641187350033656, 0.014206061416243613,
                       0.0015442906313565352, 0.00013036423381374912, 8.799802498962166e-06,
                       4.799839811897305e-07, 2.120481577296631e-08, 7.39736580541244e-10,
                       1.9519192352850828e-11, 3.5711397501163723e-13);
    }
}
static __device__ inline void sp_shichi(double x, double *sine, double *cosine) {
    double t = fabs(x), z = t * t, shi, chi;
    if (t < 8) {
        shi = t * sp_poly(z, 1.0, 0.055555555555555455, 0.0016666666666667802,
                          2.834467120176189e-05, 3.06192435834621e-07, 2.277464396858453e-09,
                          1.2353110815339236e-11, 5.098108045164283e-14, 1.6538034420892447e-16,
                          4.326485030864689e-19, 9.324319674193159e-22, 1.6753585822500966e-24,
                          2.653159973337764e-27, 2.842792575405044e-30, 6.300832346586465e-33);
        chi = z * sp_poly(z, 0.25, 0.010416666666666664, 0.00023148148148148482,
                          3.1001984126968707e-06, 2.7557319224357083e-08, 1.7397297484514472e-10,
                          8.193389763419727e-13, 2.987173004596319e-15, 8.67735216780544e-18,
                          2.0551099437952036e-20, 4.0451426386916005e-23, 6.696443823253349e-26,
                          9.757601887514862e-29, 1.0053331328741609e-31, 1.9732525842219947e-34);
        chi += 0.57721566490153286061 + log(t);
    } else if (t < 40) {
        sp_shichi_middle(t, &shi, &chi);
        double size = exp(t) / t;
        shi *= size;
        chi *= size;
    } else {
        shi = chi = t > 1000 ? sp_inf() : sp_expi_far(t, 0.5);
    }
    *sine = x == x ? copysign(shi, x) : x;
    *cosine = x == x ? chi : x;
}
#endif
