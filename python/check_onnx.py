"""Evaluates an ONNX file in onnxruntime and says how far it is from given values.

    check_onnx.py MODEL.onnx POINTS.npy VALUES.npy [shape]

With `shape` the domain is no box: the file, which knows the box around it alone, may have values where there should be none.
Prints the largest difference of an unknown over its largest value; exit status 3 when onnx or onnxruntime is not installed.
"""
import sys

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as error:
    print(error)
    sys.exit(3)


def main(model, points, values, shape=None):
    onnx.checker.check_model(onnx.load(model), full_check=True)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    [given], [wanted] = session.get_inputs(), session.get_outputs()
    kind = {"tensor(double)": np.float64, "tensor(float)": np.float32}[given.type]
    points, expected = np.load(points), np.load(values)
    assert (given.name, wanted.name) == ("points", "values"), (given.name, wanted.name)
    assert (given.shape, wanted.shape) == (["n", points.shape[1]], ["n", expected.shape[1]]), (given.shape, wanted.shape)
    for n in (0, 1, len(points)):
        [found] = session.run(None, {"points": points[:n].astype(kind)})
        assert found.shape == (n, expected.shape[1]) and found.dtype == kind, (found.shape, found.dtype)
    missing, outside = np.isnan(found), np.isnan(expected)
    assert (missing <= outside).all() and (shape or (missing == outside).all()), "NaN at other points"
    print((np.nanmax(np.abs(found - expected), axis=0) / np.nanmax(np.abs(expected), axis=0)).max())


main(*sys.argv[1:])
