"""Burgers' equation in rafnet."""

import rafnet

p = rafnet.Problem(domain=rafnet.box({"x": (-1, 1), "t": (0, 0.99)}, time="t"), equation="u_t + u*u_x - nu*u_xx",
                   parameters={"nu": "0.01/pi"}, boundary={"x": 0}, initial="-sin(pi*x)")
s = p.solve()


def u(x, t):
    return s(x=x, t=t)
