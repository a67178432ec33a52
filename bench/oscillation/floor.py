"""What the row x + x^2 settles without any training: four layers of x and x^2 are polynomials of total degree 16 (2^layers).

For u = x(1-x) y(1-y) p with p of that degree, the smallest mean squared residual of -lap u + r(u) = f by Gauss-Newton from the linear solution,
and its relative L2 error, for sin(2 pi k x) sin(2 pi k y), k = 1, 2, 3, degrees 4, 8, 16, 32.
"""
import numpy as np, math
from numpy.polynomial import legendre as L

def basis(n, t):  # value, first, second derivative of x(1-x) P_i(2x-1)
    V = L.legvander(2*t-1, n); eye = np.eye(n+1)
    D1 = np.stack([L.legval(2*t-1, L.legder(eye[i])) * 2 for i in range(n+1)], 1)
    D2 = np.stack([L.legval(2*t-1, L.legder(eye[i], 2)) * 4 if i > 1 else 0*t for i in range(n+1)], 1)
    b, b1, b2 = (t*(1-t))[:, None], (1-2*t)[:, None], -2.0
    return b*V, b1*V + b*D1, b2*V + 2*b1*D1 + b*D2

q = 60
t, w = L.leggauss(q); t, w = (t+1)/2, w/2
w2 = np.outer(w, w).ravel(); sw = np.sqrt(w2)
for k in (1, 2, 3):
    W = 2*math.pi*k
    e = np.outer(np.sin(W*t), np.sin(W*t)).ravel()
    for n in (4, 8, 16, 32):
        B, _, B2 = basis(n, t)
        pairs = [(i, j) for i in range(n+1) for j in range(n+1-i)]
        A = np.stack([np.outer(B[:, i], B[:, j]).ravel() for i, j in pairs], 1)
        Lap = np.stack([(np.outer(B2[:, i], B[:, j]) + np.outer(B[:, i], B2[:, j])).ravel() for i, j in pairs], 1)
        row = []
        for op in ("linear", "paper", "cubic"):
            r = {"linear": lambda u: 0*u, "paper": lambda u: (u+2)**2, "cubic": lambda u: (u+2)**2 - (u-1)**3}[op]
            dr = {"linear": lambda u: 0*u, "paper": lambda u: 2*(u+2), "cubic": lambda u: 2*(u+2) - 3*(u-1)**2}[op]
            f = 2*W*W*e + r(e)
            c = np.linalg.lstsq(sw[:, None]*(-Lap), sw*(2*W*W*e), rcond=1e-13)[0]
            for _ in range(60 if op != "linear" else 0):
                u = A@c
                J = -Lap + dr(u)[:, None]*A
                R = -Lap@c + r(u) - f
                c = c - np.linalg.lstsq(sw[:, None]*J, sw*R, rcond=1e-13)[0]
            u = A@c
            row.append(f"{op} {math.sqrt((w2*(u-e)**2).sum()/(w2*e*e).sum()):.4e}")
        c = np.linalg.lstsq(sw[:, None]*A, sw*e, rcond=1e-13)[0]
        row.append(f"best L2 {math.sqrt((w2*(A@c-e)**2).sum()/(w2*e*e).sum()):.4e}")
        print("k", k, "degree", n, *row, sep="  ", flush=True)
