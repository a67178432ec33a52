"""RAF activations as modules of PyTorch, models of rafnet in PyTorch, networks of PyTorch as models of rafnet.

    import rafnet.torch
    layer = rafnet.torch.shared_out("psg", 50)       # 50 neurons: x, x^2, sin, Gaussian, as in the paper's equations
    layer = rafnet.torch.learnable("psg", 256)       # every neuron a trained mix of all four, as in the paper's signals
    u = rafnet.torch.load("model.safetensors")       # any model as a module: (n, d) points -> (n, outputs) values
    rafnet.torch.save(u, "trained.safetensors")      # what `raf eval` and `rafnet.load` read
    rafnet.torch.save_sequential(network, "network.safetensors")
    rafnet.torch.save_siren(siren.state_dict(), "siren.safetensors", first_omega_0=30.0, hidden_omega_0=30.0)

Nothing but torch and safetensors is needed, and this file works alone: copied as `rafnet_torch.py`, say. The file format is in
docs/reference/model-file.md of rafnet. Parameters keep the names they have in the file.

Reproducing activation functions: Liang, Lyu, Wang, Yang, arXiv:2101.04844.
"""

from __future__ import annotations

import json
import math
import os
import re

import torch
from safetensors import safe_open
from safetensors.torch import save_file

__all__ = ["RAF", "Model", "SETS", "learnable", "load", "save", "save_sequential", "save_siren", "shared_out"]

KEY = "rafnet"
LEAST_WIDTH = 1e-6
SLACK = {torch.float64: 1e-12, torch.float32: 2.0**-23}
PRECISIONS = {torch.float64: "f64", torch.float32: "f32"}


def load(path, dtype=torch.float64):
    """The model in a file, ready to be evaluated, differentiated and trained. In float64 its values are those of `raf eval`."""
    with safe_open(path, framework="pt") as file:
        about = (file.metadata() or {}).get(KEY)
        if about is None:
            raise ValueError(f"`{path}` holds no rafnet model: the metadata key `{KEY}` is missing")
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    return Model(json.loads(about), tensors, dtype)


def save(model, path):
    """Writes a model with its parameters as they are now; in float32 or float64, as they are."""
    if not isinstance(model, Model):
        raise TypeError(f"`save` takes what `load` gave, found {type(model).__name__}; for layers in a row there is `save_sequential`")
    tensors = model.state_dict()
    if model.boxes is not None:
        tensors["pieces"] = model.boxes
    write(model.about, tensors, path)


def save_siren(state, path, first_omega_0=30.0, hidden_omega_0=30.0, coordinates=None, outputs=None, bounds=None):
    """Writes the state dict of a sine network, sin(omega_0 (W h + b)) in every layer but the last, as a model that `raf eval` reads.

    Keys are those of the SIREN reference code (`net.0.linear.weight`, ..., and `net.3.weight` for the linear output) or plain
    ones (`layers.0.weight`, `layers.0.bias`). A last layer that is a sine too gets an output layer that changes nothing.
    """
    stems = {}
    for key, tensor in state.items():
        stem, _, kind = key.rpartition(".")
        if kind not in ("weight", "bias") or not re.search(r"\d", stem):
            raise ValueError(f"the key `{key}` belongs to no numbered layer; expected keys such as `net.0.linear.weight`")
        stems.setdefault(stem, {})[kind] = tensor.detach().cpu()
    order = sorted(stems, key=lambda stem: [int(digits) for digits in re.findall(r"\d+", stem)])
    rows = []
    for k, stem in enumerate(order):
        if "weight" not in stems[stem] or stems[stem]["weight"].dim() != 2:
            raise ValueError(f"`{stem}.weight` is missing or no matrix")
        width = stems[stem]["weight"].shape[0]
        sine = term("sin", frequency=fixed(float(first_omega_0 if k == 0 else hidden_omega_0)))
        last = k + 1 == len(order) and not stem.endswith(".linear")
        rows.append((stem, stems[stem], None if last else [{"neurons": width, "terms": [sine]}]))
    write_rows(rows, path, coordinates, outputs, bounds)


def save_sequential(modules, path, coordinates=None, outputs=None, bounds=None):
    """Writes layers in a row, an `nn.Sequential` or any list of them, as a model that `raf eval` reads.

    Layers are `nn.Linear`; between them stand modules of `learnable`, `shared_out` or `RAF`, `nn.Tanh` or `nn.ReLU`, or the functions
    `torch.tanh`, `torch.relu`, `torch.sin`.
    """
    rows = []
    for k, module in enumerate(modules):
        known = PLAIN.get(type(module), PLAIN.get(module if callable(module) else None))
        if isinstance(module, torch.nn.Linear):
            rows.append((f"layer {k}", dict(module.state_dict()), None))
        elif rows and rows[-1][2] is None and (known or isinstance(module, RAF)):
            stem, tensors, _ = rows[-1]
            width = tensors["weight"].shape[0]
            groups = [{"neurons": width, "terms": [term(known)]}] if known else module.groups_about
            found = sum(group["neurons"] for group in groups)
            if found != width:
                raise ValueError(f"`layer {k}` does not fit: it has {found} neurons, and {width} numbers arrive")
            rows[-1] = (stem, {**tensors, **({} if known else module.state_dict())}, groups)
        else:
            found = type(module).__name__
            raise ValueError(f"`layer {k}` is {found}; expected nn.Linear and activations of rafnet.torch, nn.Tanh or nn.ReLU in turn")
    if not rows:
        raise ValueError("there is no layer; expected nn.Linear and activations in turn")
    write_rows(rows, path, coordinates, outputs, bounds)


def write_rows(rows, path, coordinates, outputs, bounds):
    """Writes layers, each with its name in messages, its tensors and its groups of neurons."""
    described, tensors, fan_in = [], {}, rows[0][1]["weight"].shape[1]
    stem, last, groups = rows[-1]
    if groups is not None:
        width = last["weight"].shape[0]
        rows = [*rows, ("the output", {"weight": torch.eye(width, dtype=last["weight"].dtype)}, None)]
    dimension, n_outputs = fan_in, rows[-1][1]["weight"].shape[0]
    for k, (stem, layer, groups) in enumerate(rows):
        width, found = layer["weight"].shape
        if found != fan_in or ("bias" in layer and layer["bias"].shape != (width,)):
            raise ValueError(f"`{stem}` does not fit: it takes {found} numbers, and {fan_in} arrive")
        tensors.update({f"layers.{k}.{kind}": tensor for kind, tensor in layer.items()})
        described.append({"width": width, "bias": "bias" in layer, "skip": None, "activation": groups})
        fan_in = width
    coordinates = coordinates or (["x", "y", "z"][:dimension] if dimension <= 3 else [f"x{k + 1}" for k in range(dimension)])
    outputs = outputs or (["u"] if n_outputs == 1 else [f"u{k + 1}" for k in range(n_outputs)])
    for what, names, expected in (("coordinates", coordinates, dimension), ("outputs", outputs, n_outputs)):
        if len(names) != expected:
            raise ValueError(f"{len(names)} {what} were named, and the network has {expected}")
    about = {
        "format": "rafnet model", "version": 1, "coordinates": list(coordinates), "time": None, "features": [],
        "outputs": [{"name": name, "scale": 1.0, "factor": None, "lift": None} for name in outputs], "constants": {},
        "domain": None if bounds is None else {"bounds": [[float(a), float(b)] for a, b in bounds], "description": None},
        "network": {"encoding": "raw", "layers": described},
    }
    write(about, tensors, path)


def write(about, tensors, path):
    """A model file, whole or not at all."""
    kinds = {tensor.dtype for tensor in tensors.values()}
    if len(kinds) != 1 or not kinds <= set(PRECISIONS):
        raise ValueError(f"the tensors are {', '.join(sorted(map(str, kinds)))}; expected all float32 or all float64")
    about = {**about, "written_by": "rafnet.torch", "precision": PRECISIONS[kinds.pop()]}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        save_file(tensors, temporary, metadata={KEY: json.dumps(about)})
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


class Model(torch.nn.Module):
    """u_o(x) = factor_o(x) scale_o phi_o(x, features(x)) + lift_o(x); NaN outside the domain.

    A model of several pieces has a last layer for each of its boxes and sees every box as [-1, 1]^d.
    """

    def __init__(self, about, tensors, dtype):
        super().__init__()
        if about.get("format") != "rafnet model" or about.get("version") not in (1, 2):
            found = f"version {about.get('version')} of `{about.get('format')}`"
            raise ValueError(f"expected version 1 or 2 of `rafnet model`, found {found}")
        self.about, left = about, dict(tensors)
        layers = about["network"]["layers"]
        self.layers = torch.nn.ModuleList(Layer(layer, f"layers.{k}", left, dtype) for k, layer in enumerate(layers))
        boxes = left.pop("pieces").to(dtype) if about.get("pieces") else None  # (pieces, d, 2)
        self.register_buffer("boxes", boxes, persistent=False)
        if left:
            raise ValueError(f"the tensor `{min(left)}` belongs to no layer of the description")
        self.features = [(f["name"], Text(f["text"], f"the feature `{f['name']}`")) for f in about["features"]]
        text = lambda output, which: output[which] and Text(output[which], f"the {which} of `{output['name']}`")
        self.around = [(text(o, "factor"), o["scale"], text(o, "lift")) for o in about["outputs"]]
        domain = about["domain"]
        if domain is not None:
            low, high = torch.tensor(domain["bounds"], dtype=torch.float64).T
            room = SLACK[dtype] * (high - low + torch.maximum(low.abs(), high.abs()))
            self.register_buffer("low", (low - room).to(dtype), persistent=False)
            self.register_buffer("high", (high + room).to(dtype), persistent=False)
            self.room = room.max().item()
        with torch.no_grad():
            self(torch.zeros(1, len(about["coordinates"]), dtype=dtype))  # a text that cannot be read is refused now

    def forward(self, points):
        if points.dim() != 2 or points.shape[1] != len(self.about["coordinates"]):
            expected = ", ".join(self.about["coordinates"])
            raise ValueError(f"expected points of shape (n, {len(self.about['coordinates'])}), a column for each of {expected}; "
                             f"found {tuple(points.shape)}")
        names = {name: float(value) for name, value in self.about["constants"].items()}
        names.update(zip(self.about["coordinates"], points.unbind(1)))
        names["space"] = [name for name in self.about["coordinates"] if name != self.about["time"]]
        names.update(self.features)
        features = [as_column(text(names), points) for _, text in self.features]
        phi = self.network(points, features) if self.boxes is None else self.of_pieces(points, features)
        values = []
        for o, (factor, scale, lift) in enumerate(self.around):
            u = phi[:, o : o + 1] * scale
            u = u if factor is None else as_column(factor(names), points) * u
            values.append(u if lift is None else u + as_column(lift(names), points))
        values = torch.cat(values, 1)
        if self.about["domain"] is None:
            return values
        return torch.where(self.inside(points)[:, None], values, torch.full_like(values, math.nan))

    @torch.no_grad()
    def inside(self, points):
        """Which points the domain holds, to within rounding."""
        boxed = ((points >= self.low) & (points <= self.high)).all(1)
        shape = self.about["domain"]["description"]
        if not (isinstance(shape, dict) and shape.get("kind") in LEVELS):
            return boxed
        return boxed & (LEVELS[shape["kind"]](shape, points) <= self.room)

    def network(self, points, features, piece=None):
        outputs = [torch.cat([encoded(points, self.about["network"]["encoding"]), *features], 1)]
        for layer in self.layers[:-1]:
            outputs.append(layer(outputs))
        return self.layers[-1](outputs, piece)

    def of_pieces(self, points, features):
        """Every point by the first box that holds it, or the nearest one."""
        low, high = self.boxes.unbind(2)
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        with torch.no_grad():
            least, nearest = torch.full_like(points[:, 0], math.inf), torch.zeros_like(points[:, 0], dtype=torch.long)
            for piece in range(len(low)):
                outside = torch.maximum(low[piece] - points, points - high[piece]).clamp(min=0.0).amax(1)
                nearest = torch.where(outside < least, piece, nearest)
                least = torch.minimum(outside, least)
        rows, values = [], []
        for piece in nearest.unique().tolist():
            mine = (nearest == piece).nonzero()[:, 0]
            read = self.reads(piece)
            seen = [f[mine] if r else torch.zeros_like(f[mine]) for f, r in zip(features, read)]
            values.append(self.network((points[mine] - middle[piece]) / half[piece], seen, piece))
            rows.append(mine)
        order = torch.cat(rows).argsort()
        return torch.cat(values)[order]

    def reads(self, piece):
        """Which features a piece reads: those of neurons that its last layer weighs; with several hidden layers any."""
        count = len(self.features)
        if count == 0 or len(self.layers) != 2:
            return [True] * count
        weighed = (self.layers[1].weight[piece] != 0.0).any(0)
        return (self.layers[0].weight[weighed][:, -count:] != 0.0).any(0).tolist()


def level_of_box(about, x):
    low, high = x.new_tensor(about["bounds"]).T
    return torch.maximum(low - x, x - high).amax(1)


def radius(about, x):
    return (x - x.new_tensor(about["center"])).norm(dim=1)


def level_of_ellipse(about, x):
    """The distance to the curve, negative inside: y·t/(t + a²) from its nearest point, with the largest root t of Σ(a y/(t + a²))² = 1 by Newton's steps."""
    half = x.new_tensor(about["axes"])
    longer, shorter = (0, 1) if half[0] >= half[1] else (1, 0)
    y = (x - x.new_tensor(about["center"])).abs()
    square = half * half
    t = (half * (y - half)).amax(1)
    # on the longer axis between the centres of curvature of its ends two points are nearest, off the axis
    between = (y[:, shorter] == 0.0) & (t <= -square[shorter])
    t = torch.where(between, torch.zeros_like(t), t)
    for _ in range(100):
        p = half * y / (t[:, None] + square)
        t = torch.maximum(t, t + 0.5 * ((p * p).sum(1) - 1.0) / (p * p / (t[:, None] + square)).sum(1).clamp(min=1e-300))
    distance = (y * (t[:, None] / (t[:, None] + square))).norm(dim=1)
    focal = (square[longer] - square[shorter]).clamp(min=1e-300)
    s = (half[longer] * y[:, longer] / focal).clamp(max=1.0)
    beside = ((half[longer] * s - y[:, longer]) ** 2 + square[shorter] * (1.0 - s) * (1.0 + s)).sqrt()
    distance = torch.where(between, beside, distance)
    return torch.where((y / half).norm(dim=1) < 1.0, -distance, distance)


def level_of_polygon(about, x):
    """The distance to the nearest edge, negative where a ray to the right crosses an odd number of edges."""
    start = x.new_tensor(about["vertices"])
    edge, away = start.roll(-1, 0) - start, x[:, None] - start
    along = ((away * edge).sum(2) / (edge * edge).sum(1)).clamp(0.0, 1.0)
    distance = (away - along[:, :, None] * edge).norm(dim=2).amin(1)
    crossed = (start[:, 1] > x[:, 1:]) != (start.roll(-1, 0)[:, 1] > x[:, 1:])
    right = x[:, :1] < start[:, 0] + (x[:, 1:] - start[:, 1]) / edge[:, 1] * edge[:, 0]
    return torch.where((crossed & right).sum(1) % 2 == 1, -distance, distance)


def level_of_cylinder(about, x):
    t, (first, last) = x[:, about["axis"]], about["time"]
    space = torch.cat([x[:, : about["axis"]], x[:, about["axis"] + 1 :]], 1)
    return torch.maximum(level(about["space"], space), torch.maximum(first - t, t - last))


def levels(about, x):
    return torch.stack([level(part, x) for part in about["parts"]])


def level(about, x):
    return LEVELS[about["kind"]](about, x)


# Negative inside a shape, zero on its boundary, positive outside, in units of length.
LEVELS = {
    "box": level_of_box,
    "ball": lambda about, x: radius(about, x) - about["radius"],
    "annulus": lambda about, x: torch.maximum(about["inner"] - radius(about, x), radius(about, x) - about["outer"]),
    "ellipse": level_of_ellipse,
    "polygon": level_of_polygon,
    "cylinder": level_of_cylinder,
    "union": lambda about, x: levels(about, x).amin(0),
    "intersection": lambda about, x: levels(about, x).amax(0),
    "difference": lambda about, x: torch.cat([levels(about, x)[:1], -levels(about, x)[1:]]).amax(0),
}


def encoded(points, encoding):
    if encoding == "raw":
        return points
    return torch.cat([f(k * points) for k in range(1, encoding["periodic"] + 1) for f in (torch.sin, torch.cos)], 1)


def as_column(value, points):
    if isinstance(value, float):
        value = torch.full_like(points[:, 0], value)
    return value[:, None].to(points.dtype)


class RAF(torch.nn.Module):
    """sigma(z) = sum over p of alpha_p gamma_p(beta_p z), neuron by neuron, on the last axis of z (equation 1 of the paper).

    `groups` says it as model files do: rows of neighbouring neurons with their terms. `learnable` and `shared_out` make the paper's.
    Parameters are `alpha` and `beta` (a row for each trained term, a column for each neuron), `rational` and `text`, in several groups
    `groups.0.alpha` and so on. Random starts are drawn from PyTorch's generator, or from `generator`.
    """

    def __init__(self, groups, dtype=None, generator=None):
        super().__init__()
        dtype = dtype or torch.get_default_dtype()
        self.groups_about = [checked(group) for group in groups]
        if len(self.groups_about) > 1:
            self.groups = torch.nn.ModuleList(torch.nn.Module() for _ in self.groups_about)
        for owner, group in zip(self.owners(), self.groups_about):
            neurons, trained = group["neurons"], {"alpha": [], "beta": []}
            for p, about in enumerate(group["terms"]):
                for what, keys in (("alpha", ["alpha"]), ("beta", ["frequency", "width"])):
                    for key in keys:
                        if "trained" in about.get(key, {}):
                            trained[what].append(drawn(about[key]["trained"], neurons, dtype, generator))
                        elif key in about:
                            numbers = drawn(about[key]["fixed"], neurons, dtype, generator)
                            owner.register_buffer(f"fixed_{key}_{p}", numbers, persistent=False)
            for what, rows in trained.items():
                if rows:
                    owner.register_parameter(what, torch.nn.Parameter(torch.stack(rows)))
            bases = [about["basis"] for about in group["terms"]]
            if "rational" in bases:
                owner.rational = torch.nn.Parameter(torch.tensor(RATIONAL, dtype=dtype))
            owner.texts = {basis: named_text(basis) for basis in bases if basis not in BASES}
            starts = next((list(names.values()) for names, _ in owner.texts.values() if names), None)
            if starts:
                owner.text = torch.nn.Parameter(torch.tensor(starts, dtype=dtype)[:, None].repeat(1, neurons))

    def owners(self):
        """Who holds the numbers of each group: the module itself where there is one."""
        return [self] if len(self.groups_about) == 1 else getattr(self, "groups", [])

    def forward(self, z):
        neurons = sum(group["neurons"] for group in self.groups_about)
        if z.shape[-1] != neurons:
            raise ValueError(f"this activation has {neurons} neurons, and {z.shape[-1]} numbers arrive in each row")
        parts, start = [], 0
        for owner, group in zip(self.owners(), self.groups_about):
            parts.append(activated(owner, group["terms"], z[..., start : start + group["neurons"]]))
            start += group["neurons"]
        return torch.cat(parts, -1)

    def extra_repr(self):
        return ", ".join(f"{g['neurons']} x {' + '.join(t['basis'] for t in g['terms'])}" for g in self.groups_about)


def learnable(name, width, signal="image", dtype=None, generator=None):
    """Every neuron a mix of all functions of a set, as the paper fits signals: six trained numbers a neuron for `psg`.

    alpha starts from N(0, 0.1) for x, N(1, 0.1) for x^2 and the Gaussian, N(2, 0.1) for sin (N(1, 0.1) for `signal="video"`), the
    frequency of sin from N(30, 0.001), the Gaussian's width from U(0.01, 0.05) (video: U(0.002, 0.01)). `name` is one of `SETS`, or a text in x
    such as "a*sin(b*x); b = 30" whose names are trained, neuron by neuron.
    """
    if signal not in ("image", "audio", "video"):
        raise ValueError(f"unknown signal `{signal}`; known: image, audio, video")
    normal = lambda mean, deviation: {"trained": {"normal": [mean, deviation]}}
    video = signal == "video"
    mixes = {
        "sin": term("sin", normal(1.0 if video else 2.0, 0.1), frequency=normal(30.0, 0.001)),
        "gauss": term("gauss", normal(1.0, 0.1), width={"trained": {"uniform": [0.002, 0.01] if video else [0.01, 0.05]}}),
        "x": term("x", normal(0.0, 0.1)),
        "x2": term("x2", normal(1.0, 0.1)),
    }
    if name == "siren":
        mixes["sin"] = term("sin", frequency=fixed(30.0))
    return RAF([{"neurons": width, "terms": [mixes.get(b, term(b)) for b in bases(name)]}], dtype, generator)


def shared_out(name, width, gaussian_width=0.1, dtype=None):
    """The neurons shared out among the functions of a set, alpha = 1, as the paper solves equations; nothing is trained or drawn.

    Each function has the same number of neurons, the last one takes the remainder. Gaussians are exp(-z^2 / 2 s^2) with
    s = `gaussian_width`; `scaled-sine` and `scaled-sine-cosine` have sin(2 pi k z), k = 1, 2, ...
    """
    third, harmonics = width // 3, fixed({"harmonics": 2.0 * math.pi})
    if name == "scaled-sine":
        counts = [third, third, width - 2 * third]
        terms = [term("x"), term("sin", frequency=harmonics), term("x2")]
    elif name == "scaled-sine-cosine":
        counts = [third, third // 2, third - third // 2, width - 2 * third]
        terms = [term("x"), term("sin", frequency=harmonics), term("cos", frequency=harmonics), term("x2")]
    else:
        terms = [term(b, width=fixed(gaussian_width)) if b == "gauss" else term(b) for b in bases(name)]
        if name == "siren":
            terms = [term("sin", frequency=fixed(30.0))]
        part = width // len(terms)
        counts = [part] * (len(terms) - 1) + [width - part * (len(terms) - 1)]
    return RAF([{"neurons": n, "terms": [about]} for n, about in zip(counts, terms) if n > 0], dtype)


def bases(name):
    """The functions of a set, in the order in which neurons are shared out."""
    if name in SETS:
        return SETS[name]
    if name in BASES:
        return [name]
    if re.fullmatch(r"[\w-]*", name.strip()):
        raise ValueError(f"unknown activation `{name}`; known: {', '.join(SETS)}, or a text in x such as a*sin(b*x)")
    names, _ = named_text(name)
    starts = ", ".join(f"{n} = {value:.17g}" for n, value in names.items())
    return [name.partition(";")[0].strip() + (f"; {starts}" if starts else "")]


def fixed(value):
    return {"fixed": value}


def term(basis, alpha=None, **scale):
    """A term as model files write it."""
    return {"basis": basis, "alpha": alpha or fixed(1.0), **scale}


def checked(group):
    """A group that can be: neurons, terms, known functions, widths other than 0."""
    if group["neurons"] < 1 or not group["terms"]:
        raise ValueError(f"a group needs neurons and terms, found {group['neurons']} neurons and {len(group['terms'])} terms")
    if any(about.get("width", {}).get("fixed") == 0 for about in group["terms"]):
        raise ValueError("a width of 0 cannot be used; give a positive number")
    return group


def drawn(start, neurons, dtype, generator):
    """A number for each neuron, from where they start."""
    if isinstance(start, dict):
        if "harmonics" in start:
            return start["harmonics"] * torch.arange(1, neurons + 1, dtype=dtype)
        (kind, (a, b)), = start.items()
        if kind == "normal":
            return a + b * torch.randn(neurons, dtype=dtype, generator=generator)
        return a + (b - a) * torch.rand(neurons, dtype=dtype, generator=generator)
    numbers = torch.tensor(start, dtype=dtype)
    return numbers if numbers.dim() else numbers.repeat(neurons)


class Layer(RAF):
    """W h + b, then every neuron's sum of alpha gamma(beta z), then the skip; its numbers are taken out of `left`."""

    def __init__(self, about, name, left, dtype):
        super().__init__(about["activation"] or [], dtype)
        self.skip = about["skip"]
        for what in ["weight", "bias"] if about["bias"] else ["weight"]:
            self.register_parameter(what, torch.nn.Parameter(torch.empty(0, dtype=dtype)))
        for own, _ in list(self.named_parameters()):
            full, (owner, _, what) = f"{name}.{own}", own.rpartition(".")
            if full not in left:
                raise ValueError(f"the tensor `{full}` is missing")
            setattr(self.get_submodule(owner), what, torch.nn.Parameter(left.pop(full).to(dtype)))

    def forward(self, outputs, piece=None):
        if piece is None:
            z = torch.nn.functional.linear(outputs[-1], self.weight, getattr(self, "bias", None))
        else:
            used = (self.weight[piece] != 0.0).any(0)  # other neurons do not count, whatever they are
            z = outputs[-1][:, used] @ self.weight[piece][:, used].T
        if not self.groups_about:
            return z
        h = super().forward(z)
        if self.skip is None:
            return h
        if self.skip == "inputs":
            return h + torch.nn.functional.pad(outputs[0], (0, h.shape[1] - outputs[0].shape[1]))
        return h + outputs[self.skip + 1]


def activated(owner, terms, z):
    """sum over the terms of alpha gamma(beta z); trained numbers stand in rows, in the order of the terms."""
    rows = {"alpha": 0, "beta": 0}

    def number(term, p, key, what):
        if "fixed" in term[key]:
            return getattr(owner, f"fixed_{key}_{p}")
        rows[what] += 1
        return getattr(owner, what)[rows[what] - 1]

    total = 0.0
    for p, term in enumerate(terms):
        y = z
        if "frequency" in term:
            y = number(term, p, "frequency", "beta") * z
        elif "width" in term:
            y = z / (math.sqrt(2.0) * number(term, p, "width", "beta").abs().clamp(min=LEAST_WIDTH))
        gamma = BASES.get(term["basis"], lambda y, owner: written(term["basis"], y, owner))
        total = total + number(term, p, "alpha", "alpha") * gamma(y, owner)
    return total


def named_text(basis):
    """A basis function given as a text in x, `a*sin(b*x); b = 30`: its trained names with where they start, in alphabetical order, and the text."""
    body, _, starts = basis.partition(";")
    text = Text(body, "the activation")
    names = {name: 1.0 for name in sorted(text.free - {"x"})}
    for start in filter(str.strip, starts.split(",")):
        name, _, value = (part.strip() for part in start.partition("="))
        if name not in names:
            raise ValueError(f"`{start.strip()}` says nothing of a name in `{body.strip()}`; its names: {', '.join(names) or 'none'}")
        try:
            names[name] = float(Text(value, "the start")({}))
        except ValueError:
            raise ValueError(f"`{start.strip()}` is no start of a name; write a number, such as {name} = 30") from None
    if "x" not in text.free:
        raise ValueError(f"`{body.strip()}` does not depend on x; write a function of x, for example a*sin(b*x)")
    return names, text


def written(basis, y, owner):
    names, text = owner.texts[basis]
    return text({"x": y, **{name: owner.text[k] for k, name in enumerate(names)}})


def rational(y, owner):
    p0, p1, p2, p3, q0, q1, q2 = owner.rational
    return (((p3 * y + p2) * y + p1) * y + p0) / ((q2 * y + q1) * y + q0)


BASES = {
    "x": lambda y, _: y,
    "x2": lambda y, _: y * y,
    "sin": lambda y, _: torch.sin(y),
    "cos": lambda y, _: torch.cos(y),
    "gauss": lambda y, _: torch.exp(-y * y),
    "relu": lambda y, _: torch.relu(y),
    "relu3": lambda y, _: torch.relu(y) ** 3,
    "tanh": lambda y, _: torch.tanh(y),
    "rational": rational,
    "root": lambda y, _: torch.sqrt(y * y + 1.0),
    "floor": lambda y, _: torch.floor(y),
    "exp2": lambda y, _: torch.exp2(y),
    "step": lambda y, _: (y >= 0.0).to(y.dtype),
}


def modulo(a, b):
    size = torch.abs(b)
    rest = torch.remainder(a, size)
    return torch.where(rest < size, rest, torch.zeros_like(rest))


RATIONAL = [0.0218, 0.5, 1.5957, 1.1915, 1.0, 0.0, 2.383]  # the best (3, 2) approximation of ReLU
SETS = {
    "siren": ["sin"],
    "sine": ["sin"],
    "sine-gaussian": ["sin", "gauss"],
    "poly-sine": ["x", "x2", "sin"],
    "psg": ["x", "x2", "sin", "gauss"],
    "relu": ["relu"],
    "relu3": ["relu3"],
    "poly": ["x", "x2"],
    "poly-relu": ["x", "x2", "relu"],
    "poly-relu3": ["x", "x2", "relu3"],
    "tanh": ["tanh"],
    "rational": ["rational"],
    "gaussian": ["gauss"],
    "scaled-sine": ["x", "sin", "x2"],
    "scaled-sine-cosine": ["x", "sin", "cos", "x2"],
}
PLAIN = {torch.nn.Tanh: "tanh", torch.nn.ReLU: "relu", torch.tanh: "tanh", torch.relu: "relu", torch.sin: "sin"}


FUNCTIONS = {name: getattr(torch, name) for name in "sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs sign floor erf atan2".split()}
FUNCTIONS.update(cbrt=lambda a: torch.sign(a) * torch.abs(a) ** (1.0 / 3.0), mod=modulo, where=torch.where)
COMPARISONS = {"<": torch.lt, "<=": torch.le, ">": torch.gt, ">=": torch.ge, "==": torch.eq, "!=": torch.ne}
CONSTANTS = {"pi": math.pi, "e": math.e}
TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([^\W\d]\w*)|(\*\*|<=|>=|==|!=|[-+*/^<>()\[\],]))")


def called(function, *arguments):
    """A function of numbers; of plain ones a plain one."""
    tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
    like = next((t for t in tensors if t.is_floating_point()), torch.zeros((), dtype=torch.float64))
    result = function(*(a if isinstance(a, torch.Tensor) else like.new_tensor(a) for a in arguments))
    return result if tensors or result.dtype == torch.bool else float(result)


def slope(value, names, along):
    """The derivative of a function of names along coordinates, one after the other, by forward differentiation."""
    if not along:
        return value(names)
    name, *rest = along
    x = names[name]

    def of(x):
        inner = slope(value, {**names, name: x}, rest)
        return inner if isinstance(inner, torch.Tensor) else torch.full_like(x, inner)

    return torch.func.jvp(of, (x,), (torch.ones_like(x),))[1]


class Vector:
    """A number for each coordinate of space: what `grad` gives, to be scaled, added and put into `div` and `dot`."""

    def __init__(self, parts):
        self.parts = list(parts)

    def __mul__(self, factor):
        return Vector(part * factor for part in self.parts)

    __rmul__ = __mul__

    def __truediv__(self, divisor):
        return Vector(called(torch.divide, part, divisor) for part in self.parts)

    def __neg__(self):
        return self * -1.0

    def __add__(self, other):
        return Vector(a + b for a, b in zip(self.parts, other.parts, strict=True))

    def __sub__(self, other):
        return self + -other


class Text:
    """A text in the coordinates, constants and features, read once: a function of their values by name.

    A feature is a name whose value is a text itself, so that it is differentiated with the rest. `free` are the names that have no meaning here.
    """

    def __init__(self, text, what):
        self.text, self.what, self.tokens, self.free, at = text, what, [], set(), 0
        while text[at:].strip():
            match = TOKEN.match(text, at)
            if match is None:
                raise self.refusal(f"`{text[at:].strip()[0]}`")
            self.tokens.append(match.group(match.lastindex))
            at = match.end()
        self.at = 0
        self.value = self.either()
        if self.at < len(self.tokens):
            raise self.refusal(f"`{self.tokens[self.at]}`")

    def __call__(self, names):
        return self.value(names)

    def __reduce__(self):
        return Text, (self.text, self.what)

    def refusal(self, found):
        return ValueError(f"{self.what} uses {found}, which rafnet.torch does not read; `raf eval` and `raf export` do")

    def take(self, *signs):
        if self.at < len(self.tokens) and self.tokens[self.at] in signs:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def expect(self, sign):
        if not self.take(sign):
            raise self.refusal(f"`{self.tokens[self.at]}`" if self.at < len(self.tokens) else f"no `{sign}`")

    def either(self):
        return self.joined("or", torch.logical_or, lambda: self.joined("and", torch.logical_and, self.negation))

    def joined(self, sign, function, operand):
        first = operand()
        if not self.take(sign):
            return first
        rest = self.joined(sign, function, operand)
        return lambda names: function(first(names), rest(names))

    def negation(self):
        if self.take("not"):
            inner = self.negation()
            return lambda names: torch.logical_not(inner(names))
        left = self.sum()
        sign = self.take(*COMPARISONS)
        if sign is None:
            return left
        right = self.sum()
        return lambda names: called(COMPARISONS[sign], left(names), right(names))

    def chain(self, plus, minus, operand, combine):
        first, rest = operand(), []
        while sign := self.take(plus, minus):
            rest.append((sign, operand()))

        def value(names):
            result = first(names)
            for sign, part in rest:
                result = combine(sign, result, part(names))
            return result

        return value if rest else first

    def sum(self):
        return self.chain("+", "-", self.term, lambda sign, a, b: a + b if sign == "+" else a - b)

    def term(self):
        sign = self.take("+", "-")
        if sign:
            inner = self.term()
            return inner if sign == "+" else lambda names: -inner(names)
        divide = lambda a, b: a / b if isinstance(a, Vector) else called(torch.divide, a, b)
        return self.chain("*", "/", self.signed, lambda sign, a, b: a * b if sign == "*" else divide(a, b))

    def signed(self):
        sign = self.take("+", "-")
        if sign:
            inner = self.signed()
            return inner if sign == "+" else lambda names: -inner(names)
        base = self.atom()
        if not self.take("^", "**"):
            return base
        exponent = self.signed()

        def power(names):
            a, b = base(names), exponent(names)
            return a**b if isinstance(a, torch.Tensor) else called(torch.pow, a, b)

        return power

    def atom(self):
        if self.at == len(self.tokens):
            raise self.refusal("an unfinished text")
        token = self.tokens[self.at]
        self.at += 1
        if token == "(":
            inner = self.either()
            self.expect(")")
            return inner
        if token[0].isdigit() or token[0] == ".":
            return lambda names: float(token)
        if not (token[0].isalpha() or token[0] == "_"):
            raise self.refusal(f"`{token}`")
        if self.take("["):
            index = self.either()
            self.expect("]")
            return lambda names: self.named(f"{token}{round(index(names))}", names)
        if not self.take("("):
            if token not in CONSTANTS:
                self.free.add(token)
            return lambda names: self.named(token, names)
        if token in ("sum", "prod"):
            return self.loop(token)
        if token == "d":
            return self.along()
        arguments = [self.either()]
        while self.take(","):
            arguments.append(self.either())
        self.expect(")")
        return self.call(token, arguments)

    def named(self, name, names):
        if name in names:
            return names[name](names) if isinstance(names[name], Text) else names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        raise self.refusal(f"`{name}`")

    def call(self, name, arguments):
        if name in ("min", "max"):
            function = torch.minimum if name == "min" else torch.maximum

            def extreme(names):
                result = arguments[0](names)
                for argument in arguments[1:]:
                    result = called(function, result, argument(names))
                return result

            return extreme
        if name in ("grad", "div", "dot", "laplacian"):
            return self.derivative(name, *arguments)
        if name not in FUNCTIONS:
            raise self.refusal(f"`{name}(…)`")
        return lambda names: called(FUNCTIONS[name], *(argument(names) for argument in arguments))

    def derivative(self, name, first, second=None):
        """Over space, that is all coordinates but time."""
        if name == "dot":
            return lambda names: sum(a * b for a, b in zip(first(names).parts, second(names).parts, strict=True))
        if name == "grad":
            return lambda names: Vector(slope(first, names, [n]) for n in names["space"])
        if name == "laplacian":
            return lambda names: sum(slope(first, names, [n, n]) for n in names["space"])
        part = lambda k: lambda names: first(names).parts[k]
        return lambda names: sum(slope(part(k), names, [n]) for k, n in enumerate(names["space"]))

    def along(self):
        """d(a, x, ...): the bracket is open."""
        first, coordinates = self.either(), []
        while self.take(","):
            coordinates += self.tokens[self.at : self.at + 1]
            self.at += 1
        self.expect(")")
        return lambda names: slope(first, names, coordinates)

    def loop(self, name):
        """sum(i, from, to, term), bounds included; the bracket is open."""
        index, parts = self.tokens[self.at : self.at + 1], []
        self.at += 1
        for _ in range(3):
            self.expect(",")
            parts.append(self.either())
        self.expect(")")
        low, high, term = parts
        self.free -= set(index)

        def value(names):
            result = 0.0 if name == "sum" else 1.0
            for i in range(round(low(names)), round(high(names)) + 1):
                part = term({**names, index[0]: float(i)})
                result = result + part if name == "sum" else result * part
            return result

        return value
