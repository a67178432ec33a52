// The reference values beside this file: cc -O3 -o references references.c -lm, then
//   ./references allen-cahn > allen-cahn.csv
//   ./references van-der-pol 5 23 92 50000 > van-der-pol-5.csv
//   ./references van-der-pol 100 330 110 400000 > van-der-pol-100.csv
//   ./references lorenz 20000 > lorenz-forward.csv
// Classical Runge-Kutta steps in long double; half as many give the same to 4e-15, 3e-12 and 2e-14.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

// One step of u' = f(u) for up to three unknowns.
static void step(void (*f)(const real *, real *), real *u, int n, real h) {
    static const real share[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1, 2, 2, 1};
    real k[4][3], at[3];
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < n; i++) at[i] = u[i] + (j ? share[j] * h * k[j - 1][i] : 0);
        f(at, k[j]);
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < n; i++) u[i] += h / 6 * weight[j] * k[j][i];
}

static real mu;

static void oscillator(const real *u, real *f) {
    f[0] = u[1];
    f[1] = mu * (1 - u[0] * u[0]) * u[1] - u[0];
}

static void convection(const real *u, real *f) {
    f[0] = 10 * (u[1] - u[0]);
    f[1] = u[0] * (28 - u[2]) - u[1];
    f[2] = u[0] * u[1] - 8.0L / 3 * u[2];
}

// Values at `rows` equal times, `steps` steps between them; the first `shown` unknowns are printed.
static void path(void (*f)(const real *, real *), real *u, int n, int shown, real end, int rows, long steps) {
    for (int row = 1; row <= rows; row++) {
        for (long s = 0; s < steps; s++) step(f, u, n, end / rows / steps);
        printf("%.17g", (double)(end * row / rows));
        for (int i = 0; i < shown; i++) printf(",%.16Lg", u[i]);
        printf("\n");
    }
}

// u_t = 1e-4 u_xx + 5u - 5u^3 from x^2 cos(pi x), periodic on [-1, 1], so even at 0 and at 1: differences of order eight on [0, 1].
static void slope(const double *u, double *f, int n) {
    static const double a[4] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    double c = 1e-4 * n * n;
    for (int i = 0; i <= n; i++) {
        double sum = -205.0 / 72 * u[i];
        for (int m = 1; m <= 4; m++) sum += a[m - 1] * (u[abs(i - m)] + u[i + m > n ? 2 * n - i - m : i + m]);
        f[i] = c * sum + 5 * u[i] - 5 * u[i] * u[i] * u[i];
    }
}

enum { PLACES = 41, TIMES = 4 };

static void fronts(int n, double *out) {
    long steps = 4 * (long)ceil(1e-4 * 6.6 * n * n / 2.4 / 4); // within the method's stability
    double h = 1.0 / steps, *u = malloc(4 * (n + 1) * sizeof *u), *k = u + n + 1, *at = k + n + 1, *sum = at + n + 1;
    for (int i = 0; i <= n; i++) u[i] = pow((double)i / n, 2) * cos(M_PI * i / n);
    for (long s = 1; s <= steps; s++) {
        static const double share[4] = {0.5, 0.5, 1, 0}, weight[4] = {1, 2, 2, 1};
        for (int i = 0; i <= n; i++) at[i] = sum[i] = u[i];
        for (int j = 0; j < 4; j++) {
            slope(at, k, n);
            for (int i = 0; i <= n; i++) sum[i] += h / 6 * weight[j] * k[i], at[i] = u[i] + share[j] * h * k[i];
        }
        for (int i = 0; i <= n; i++) u[i] = sum[i];
        if (s % (steps / TIMES) == 0)
            for (int j = 0; j < PLACES; j++) *out++ = u[j * n / (PLACES - 1)];
    }
    free(u);
}

int main(int count, char **words) {
    if (count == 6 && !strcmp(words[1], "van-der-pol")) {
        real u[2] = {2, 0};
        mu = atof(words[2]);
        printf("t,u\n");
        path(oscillator, u, 2, 1, atof(words[3]), atoi(words[4]), atol(words[5]));
    } else if (count == 3 && !strcmp(words[1], "lorenz")) {
        real u[3] = {1, 1, 1};
        printf("t,x,y,z\n");
        path(convection, u, 3, 3, 5, 50, atol(words[2]));
    } else if (count == 2 && !strcmp(words[1], "allen-cahn")) {
        // the kink at 1 leaves an error like 1/n^2, which two grids take away: those of 1600 and 3200 agree with these to 5e-11
        static double coarse[PLACES * TIMES], fine[PLACES * TIMES];
        fronts(3200, coarse);
        fronts(6400, fine);
        printf("x,t,u\n");
        for (int k = 0; k < PLACES * TIMES; k++)
            printf("%.17g,%.17g,%.12g\n", k % PLACES / (PLACES - 1.0), (k / PLACES + 1.0) / TIMES, fine[k] + (fine[k] - coarse[k]) / 3);
    } else {
        fprintf(stderr, "usage: see the head of references.c\n");
        return 2;
    }
    return 0;
}
