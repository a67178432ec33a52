"""Models of rafnet in PyTorch, and sine networks of PyTorch as models of rafnet. Needs torch and safetensors, nothing else.

    import rafnet_torch
    u = rafnet_torch.load("model.safetensors")       # an nn.Module: (n, d) points -> (n, outputs) values
    rafnet_torch.save(u, "trained.safetensors")      # what `raf eval` reads
    rafnet_torch.save_siren(siren.state_dict(), "siren.safetensors", first_omega_0=30.0, hidden_omega_0=30.0)

The file format is in docs/reference/model-file.md of rafnet. Parameters keep the names they have in the file.
"""

import json
import math
import os
import re

import torch
from safetensors import safe_open
from safetensors.torch import save_file

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
    write(model.about, model.state_dict(), path)


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
    layers = [stems[stem] for stem in order]
    for stem, layer in zip(order, layers):
        if "weight" not in layer or layer["weight"].dim() != 2:
            raise ValueError(f"`{stem}.weight` is missing or no matrix")
    if order[-1].endswith(".linear"):
        width = layers[-1]["weight"].shape[0]
        layers.append({"weight": torch.eye(width, dtype=layers[-1]["weight"].dtype)})
        order.append("the output")
    dimension, n_outputs = layers[0]["weight"].shape[1], layers[-1]["weight"].shape[0]
    described, tensors, fan_in = [], {}, dimension
    for k, (stem, layer) in enumerate(zip(order, layers)):
        width, found = layer["weight"].shape
        if found != fan_in or ("bias" in layer and layer["bias"].shape != (width,)):
            raise ValueError(f"`{stem}` does not fit: it takes {found} numbers, and {fan_in} arrive")
        tensors.update({f"layers.{k}.{kind}": tensor for kind, tensor in layer.items()})
        omega_0 = float(first_omega_0 if k == 0 else hidden_omega_0)
        sine = {"basis": "sin", "alpha": {"fixed": 1.0}, "frequency": {"fixed": omega_0}}
        activation = None if k + 1 == len(layers) else [{"neurons": width, "terms": [sine]}]
        described.append({"width": width, "bias": "bias" in layer, "skip": None, "activation": activation})
        fan_in = width
    coordinates = coordinates or (["x", "y", "z"][:dimension] if dimension <= 3 else [f"x{k + 1}" for k in range(dimension)])
    outputs = outputs or (["u"] if n_outputs == 1 else [f"u{k + 1}" for k in range(n_outputs)])
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
    about = {**about, "written_by": "rafnet_torch", "precision": PRECISIONS[kinds.pop()]}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        save_file(tensors, temporary, metadata={KEY: json.dumps(about)})
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


class Model(torch.nn.Module):
    """u_o(x) = factor_o(x) scale_o phi_o(x, features(x)) + lift_o(x); NaN outside the domain's box."""

    def __init__(self, about, tensors, dtype):
        super().__init__()
        if about.get("format") != "rafnet model" or about.get("version") != 1:
            raise ValueError(f"expected version 1 of `rafnet model`, found version {about.get('version')} of `{about.get('format')}`")
        self.about, left = about, dict(tensors)
        layers = about["network"]["layers"]
        self.layers = torch.nn.ModuleList(Layer(layer, f"layers.{k}", left, dtype) for k, layer in enumerate(layers))
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
        with torch.no_grad():
            self(torch.zeros(1, len(about["coordinates"]), dtype=dtype))  # a text that cannot be read is refused now

    def forward(self, points):
        names = {name: float(value) for name, value in self.about["constants"].items()}
        names.update(zip(self.about["coordinates"], points.unbind(1)))
        columns = [encoded(points, self.about["network"]["encoding"])]
        for name, text in self.features:
            names[name] = text(names)
            columns.append(as_column(names[name], points))
        inputs = torch.cat(columns, 1)
        outputs = [inputs]
        for layer in self.layers:
            outputs.append(layer(outputs))
        phi, values = outputs[-1], []
        for o, (factor, scale, lift) in enumerate(self.around):
            u = phi[:, o : o + 1] * scale
            u = u if factor is None else as_column(factor(names), points) * u
            values.append(u if lift is None else u + as_column(lift(names), points))
        values = torch.cat(values, 1)
        if self.about["domain"] is None:
            return values
        inside = ((points >= self.low) & (points <= self.high)).all(1, keepdim=True)
        return torch.where(inside, values, torch.full_like(values, math.nan))


def encoded(points, encoding):
    if encoding == "raw":
        return points
    return torch.cat([f(k * points) for k in range(1, encoding["periodic"] + 1) for f in (torch.sin, torch.cos)], 1)


def as_column(value, points):
    if isinstance(value, float):
        value = torch.full_like(points[:, 0], value)
    return value[:, None].to(points.dtype)


class Layer(torch.nn.Module):
    """W h + b, then every neuron's sum of alpha gamma(beta z), then the skip."""

    def __init__(self, about, name, left, dtype):
        super().__init__()
        self.skip, self.groups_about = about["skip"], about["activation"] or []
        take = lambda owner, prefix, what: owner.register_parameter(what, parameter(left, f"{prefix}.{what}", dtype))
        for what in ["weight", "bias"] if about["bias"] else ["weight"]:
            take(self, name, what)
        single = len(self.groups_about) == 1
        if not single:
            self.groups = torch.nn.ModuleList(torch.nn.Module() for _ in self.groups_about)
        for g, (owner, group) in enumerate(zip(self.owners(), self.groups_about)):
            prefix = name if single else f"{name}.groups.{g}"
            for what, keys in (("alpha", ["alpha"]), ("beta", ["frequency", "width"])):
                numbers = [term[key] for term in group["terms"] for key in keys if key in term]
                if any("trained" in number for number in numbers):
                    take(owner, prefix, what)
                for p, term in enumerate(group["terms"]):
                    for key in keys:
                        if "fixed" in term.get(key, {}):
                            fixed = torch.tensor(values(term[key]["fixed"], group["neurons"]), dtype=dtype)
                            owner.register_buffer(f"fixed_{key}_{p}", fixed, persistent=False)
            if any(term["basis"] == "rational" for term in group["terms"]):
                take(owner, prefix, "rational")
            owner.texts = {t["basis"]: named_text(t["basis"]) for t in group["terms"] if t["basis"] not in BASES}
            if any(names for names, _ in owner.texts.values()):
                take(owner, prefix, "text")

    def owners(self):
        """Who holds the numbers of each group: the layer itself where there is one."""
        return [self] if len(self.groups_about) == 1 else self.groups

    def forward(self, outputs):
        z = torch.nn.functional.linear(outputs[-1], self.weight, getattr(self, "bias", None))
        if not self.groups_about:
            return z
        parts, start = [], 0
        for owner, group in zip(self.owners(), self.groups_about):
            parts.append(activated(owner, group["terms"], z[:, start : start + group["neurons"]]))
            start += group["neurons"]
        h = torch.cat(parts, 1)
        if self.skip is None:
            return h
        if self.skip == "inputs":
            return h + torch.nn.functional.pad(outputs[0], (0, h.shape[1] - outputs[0].shape[1]))
        return h + outputs[self.skip + 1]


def parameter(left, name, dtype):
    if name not in left:
        raise ValueError(f"the tensor `{name}` is missing")
    return torch.nn.Parameter(left.pop(name).to(dtype))


def values(start, neurons):
    """The numbers of a coefficient that is not trained, one for each neuron."""
    if isinstance(start, dict):
        return [start["harmonics"] * (k + 1) for k in range(neurons)]
    return start if isinstance(start, list) else [start] * neurons


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
    """A basis function given as a text in x, `a*sin(b*x); a = 1, b = 30`: its trained names in order, and the text."""
    text, _, starts = basis.partition(";")
    names = [start.partition("=")[0].strip() for start in starts.split(",") if start.strip()]
    return names, Text(text, "the activation")


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


class Text:
    """A text in the coordinates, constants and features, read once: a function of their values by name."""

    def __init__(self, text, what):
        self.what, self.tokens, at = what, [], 0
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

    def refusal(self, found):
        return ValueError(f"{self.what} uses {found}, which rafnet_torch does not read; `raf eval` and `raf export` do")

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
        divide = lambda a, b: called(torch.divide, a, b)
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
            return lambda names: self.named(token, names)
        if token in ("sum", "prod"):
            return self.loop(token)
        arguments = [self.either()]
        while self.take(","):
            arguments.append(self.either())
        self.expect(")")
        return self.call(token, arguments)

    def named(self, name, names):
        if name in names:
            return names[name]
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
        if name not in FUNCTIONS:
            raise self.refusal(f"`{name}(…)`")
        return lambda names: called(FUNCTIONS[name], *(argument(names) for argument in arguments))

    def loop(self, name):
        """sum(i, from, to, term), bounds included; the bracket is open."""
        index, parts = self.tokens[self.at : self.at + 1], []
        self.at += 1
        for _ in range(3):
            self.expect(",")
            parts.append(self.either())
        self.expect(")")
        low, high, term = parts

        def value(names):
            result = 0.0 if name == "sum" else 1.0
            for i in range(round(low(names)), round(high(names)) + 1):
                part = term({**names, index[0]: float(i)})
                result = result + part if name == "sum" else result * part
            return result

        return value
