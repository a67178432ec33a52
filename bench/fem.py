#!/usr/bin/env python3
"""Three local problems by finite elements: relative L2 error against CPU seconds, to hold `raf solve --method pieces` against.

    python3 -m venv fem && fem/bin/pip install scikit-fem numpy scipy
    OPENBLAS_NUM_THREADS=1 fem/bin/python bench/fem.py

Elements of degree 4 (squares and triangles of scikit-fem), a sparse direct solver (SuperLU), meshes made for each problem by hand: the plate's
follows the circle with curved sides, the layers' is a Shishkin mesh, the sources' is refined where the sources are. The solutions
are those of `bench/pieces/*.toml`, so that the errors are of the same functions. Seconds are those of one process, assembly and solution, without
the making of the mesh and the error.
"""
import logging, time
import numpy as np
from skfem import Basis, BilinearForm, FacetBasis, LinearForm, MeshQuad, MeshQuad2, MeshTri, condense, solve
from skfem import ElementQuadP, ElementTriP4
from skfem.helpers import dot, grad

logging.getLogger("skfem").setLevel(logging.ERROR)
stiffness = BilinearForm(lambda u, v, w: dot(grad(u), grad(v)))


def report(name, mesh, basis, exact, began, u):
    seconds = time.process_time() - began
    there, x = basis.interpolate(u), basis.global_coordinates()
    true = exact(x[0], x[1])
    error = np.sqrt((((there - true) ** 2) * basis.dx).sum() / ((true**2) * basis.dx).sum())
    print(f"{name}: {mesh.nelements} elements, {basis.N} unknowns, relative L2 {error:.1e}, {seconds:.2f} s", flush=True)


def plate(n):
    """Laplace's equation around a hole: u on the left, u_n on the other sides and on the circle."""
    def exact(x, y):
        dx, dy = x - 0.5, y - 0.5
        r2 = dx**2 + dy**2
        return np.sin(3 * x) * np.cosh(3 * y) / np.cosh(3) + 0.15 * np.log(r2) + 0.05 * dx / r2

    def gradient(x, y):
        dx, dy = x - 0.5, y - 0.5
        r2 = dx**2 + dy**2
        ux = 3 * np.cos(3 * x) * np.cosh(3 * y) / np.cosh(3) + 0.3 * dx / r2 + 0.05 * (1 / r2 - 2 * dx**2 / r2**2)
        return ux, 3 * np.sin(3 * x) * np.sinh(3 * y) / np.cosh(3) + 0.3 * dy / r2 - 0.1 * dx * dy / r2**2

    def place(s, t):  # s around from 0 to 4 sides, t from the circle to the square
        side, along = int(s) % 4, 2 * (s % 1) - 1
        square = np.array([(1, along), (-along, 1), (-1, -along), (along, -1)][side]) / 2
        angle = np.arctan2(square[1], square[0])
        return 0.5 + (1 - t) * 0.2 * np.array([np.cos(angle), np.sin(angle)]) + t * square

    around, out = 8 * n, 2 * n  # points at half elements
    points = np.array([place(4 * i / around, j / out) for j in range(out + 1) for i in range(around)]).T
    number = lambda i, j: (i % around) + around * j
    cells = [(i, j) for j in range(0, out, 2) for i in range(0, around, 2)]
    corners = np.array([[number(i, j), number(i, j + 2), number(i + 2, j + 2), number(i + 2, j)] for i, j in cells]).T
    used, flat = np.unique(corners, return_inverse=True)
    straight = MeshQuad(points[:, used], flat.reshape(corners.shape))
    mesh = MeshQuad2.from_mesh(straight)
    # the points of curved squares: each goes to the nearest of those that the blending made
    from scipy.spatial import cKDTree
    mesh = MeshQuad2(points[:, cKDTree(points.T).query(mesh.doflocs.T)[1]], mesh.t)
    basis = Basis(mesh, ElementQuadP(4), intorder=10)
    began = time.process_time()
    fluxes = FacetBasis(mesh, ElementQuadP(4), intorder=10)
    load = LinearForm(lambda v, w: v * (gradient(w.x[0], w.x[1])[0] * w.n[0] + gradient(w.x[0], w.x[1])[1] * w.n[1]))
    matrix, right = stiffness.assemble(basis), load.assemble(fluxes)
    held = basis.get_dofs(lambda x: np.abs(x[0]) < 1e-9).all()
    left = FacetBasis(mesh, ElementQuadP(4), facets=mesh.facets_satisfying(lambda x: np.abs(x[0]) < 1e-9), intorder=10)
    given = projected(left, exact)
    u = solve(*condense(matrix, right, x=given, D=held))
    report(f"plate {n}", mesh, basis, exact, began, u)


def projected(facets, exact):
    """Boundary values by least squares on these facets."""
    mass = BilinearForm(lambda u, v, w: u * v).assemble(facets)
    on = np.flatnonzero(mass.diagonal() > 1e-9 * mass.diagonal().max())
    right = LinearForm(lambda v, w: exact(w.x[0], w.x[1]) * v).assemble(facets)
    return solve(*condense(mass, right, I=on))


def layers(n, eps=1e-3):
    """-eps Lap u + u_x + u_y = f with layers at x = 1 and y = 1."""
    profile = lambda x: x - np.exp((x - 1) / eps)
    source = lambda x, y: profile(x) + profile(y)
    fine = min(0.5, 10 * eps * np.log(n + 1))
    line = np.concatenate([np.linspace(0, 1 - fine, n + 1), np.linspace(1 - fine, 1, n + 1)[1:]])
    mesh = MeshQuad.init_tensor(line, line)
    basis = Basis(mesh, ElementQuadP(4), intorder=12)
    began = time.process_time()
    flow = BilinearForm(lambda u, v, w: eps * dot(grad(u), grad(v)) + (grad(u)[0] + grad(u)[1]) * v)
    matrix = flow.assemble(basis)
    right = LinearForm(lambda v, w: source(w.x[0], w.x[1]) * v).assemble(basis)
    u = solve(*condense(matrix, right, D=basis.get_dofs().all()))
    report(f"layers {n}", mesh, basis, lambda x, y: profile(x) * profile(y), began, u)


SOURCES = ((0.3, 0.6, 1.0), (0.72, 0.25, 0.7), (0.55, 0.83, -0.5))


def sources(refined, deep):
    """Poisson's equation with three sources of width 0.01."""
    r = lambda x, y, a, b: ((x - a) ** 2 + (y - b) ** 2) / 1e-4
    exact = lambda x, y: sum(c * np.exp(-r(x, y, a, b)) for a, b, c in SOURCES)
    source = lambda x, y: -4e4 * sum(c * (r(x, y, a, b) - 1) * np.exp(-r(x, y, a, b)) for a, b, c in SOURCES)
    mesh = MeshTri().refined(refined)
    for k in range(deep):
        middle = mesh.p[:, mesh.t].mean(axis=1)
        near = max(0.06, 0.3 * 0.5**k)
        mesh = mesh.refined(np.flatnonzero(np.min([np.hypot(middle[0] - a, middle[1] - b) for a, b, _ in SOURCES], axis=0) < near))
    basis = Basis(mesh, ElementTriP4(), intorder=10)
    began = time.process_time()
    matrix = stiffness.assemble(basis)
    right = LinearForm(lambda v, w: source(w.x[0], w.x[1]) * v).assemble(basis)
    u = solve(*condense(matrix, right, D=basis.get_dofs().all()))
    report(f"sources {refined} {deep}", mesh, basis, exact, began, u)


if __name__ == "__main__":
    for n in (4, 8, 16, 32):
        plate(n)
    for n in (8, 16, 32, 64):
        layers(n)
    for refined, deep in ((3, 3), (3, 5), (4, 6)):
        sources(refined, deep)
