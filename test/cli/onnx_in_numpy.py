# SPDX-License-Identifier: BSD-3-Clause
"""A small reader of ONNX files that computes their graphs with NumPy, for tests where onnxruntime is missing. It knows the operators
that krossfold writes, with the attributes that it gives them, as https://onnx.ai/onnx/operators defines them."""

import struct

import numpy

TYPES = {1: numpy.float32, 7: numpy.int64, 9: numpy.bool_, 11: numpy.float64}


def fields(data):
    """{field: [value, ...]} of a protobuf message: numbers, or bytes."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        elif tag & 7 == 2:
            size = varint()
            value, at = data[at:at + size], at + size
        else:
            assert tag & 7 == 5
            value, at = struct.unpack("<f", data[at:at + 4])[0], at + 4
        found.setdefault(tag >> 3, []).append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def tensor_of(data):
    tensor = fields(data)
    shape = tensor.get(1, [])
    if tensor[2][0] == 8:
        return numpy.array([word.decode() for word in tensor[6]], object).reshape(shape)
    return numpy.frombuffer(tensor[9][0], TYPES[tensor[2][0]]).reshape(shape)


def attributes_of(node):
    found = {}
    for data in node.get(5, []):
        attribute = fields(data)
        kind = attribute[20][0]
        value = signed(attribute[3][0]) if kind == 2 else attribute[4][0].decode() if kind == 3 else [signed(v) for v in attribute[8]]
        found[attribute[1][0].decode()] = value
    return found


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def softmax(x, axis):
    e = numpy.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def conv(x, w, b):
    windows = numpy.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return numpy.einsum("nchwij,ocij->nohw", windows, w) + b[:, None, None]


def lstm(x, w, r, b, hidden_size):
    """x (step, sample, input); gates in the order input, output, forget, cell."""
    h = c = numpy.zeros((x.shape[1], hidden_size), x.dtype)
    outputs = []
    for step in x:
        i, o, f, g = numpy.split(step @ w[0].T + h @ r[0].T + b[0, :4 * hidden_size] + b[0, 4 * hidden_size:], 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
        h = sigmoid(o) * numpy.tanh(c)
        outputs.append(h)
    return numpy.array(outputs)[:, None]


OPERATORS = {
    "Abs": lambda a, x: numpy.abs(x), "Add": lambda a, x, y: x + y, "Cast": lambda a, x: x.astype(TYPES[a["to"]]),
    "ArgMax": lambda a, x: numpy.argmax(x, a["axis"], keepdims=bool(a["keepdims"])),
    "Clip": lambda a, x, low, high: numpy.clip(x, low, high), "Concat": lambda a, *x: numpy.concatenate(x, a["axis"]),
    "Conv": lambda a, x, w, b: conv(x, w, b), "Div": lambda a, x, y: x / y, "Equal": lambda a, x, y: x == y, "Exp": lambda a, x: numpy.exp(x),
    "Flatten": lambda a, x: x.reshape(len(x), -1), "Gather": lambda a, x, i: numpy.take(x, i, a["axis"]),
    "Gemm": lambda a, x, w, b: x @ (w.T if a["transB"] else w) + b, "Greater": lambda a, x, y: x > y,
    "LSTM": lambda a, x, w, r, b: lstm(x, w, r, b, a["hidden_size"]), "Log": lambda a, x: numpy.log(x), "MatMul": lambda a, x, y: x @ y,
    "Max": lambda a, x, y: numpy.maximum(x, y), "Mul": lambda a, x, y: x * y, "Neg": lambda a, x: -x,
    "OneHot": lambda a, i, depth, values: values[(i[..., None] == numpy.arange(depth)).astype(int)], "Pow": lambda a, x, y: x ** y,
    "ReduceSum": lambda a, x, axes: x.sum(tuple(axes), keepdims=bool(a["keepdims"])), "Relu": lambda a, x: numpy.maximum(x, 0),
    "Reshape": lambda a, x, shape: x.reshape(shape), "Sigmoid": lambda a, x: sigmoid(x),
    "Slice": lambda a, x, begin, end, axes: x.take(range(begin[0], end[0]), axes[0]), "Softmax": lambda a, x: softmax(x, a["axis"]),
    "Squeeze": lambda a, x, axes: x.squeeze(tuple(axes)), "Sub": lambda a, x, y: x - y, "Sum": lambda a, *x: sum(x), "Tanh": lambda a, x: numpy.tanh(x),
    "Transpose": lambda a, x: x.transpose(a["perm"]), "Unsqueeze": lambda a, x, axes: numpy.expand_dims(x, tuple(axes)),
}


class OnnxInNumpy:
    """A file of ONNX: inputs {name: (type, shape)}, outputs likewise, metadata, and run()."""

    def __init__(self, path):
        model = fields(path.read_bytes())
        graph = fields(model[7][0])
        self.metadata = {fields(data)[1][0].decode(): fields(data)[2][0].decode() for data in model.get(14, [])}
        self.constants = {fields(data)[8][0].decode(): tensor_of(data) for data in graph[5]}
        self.nodes = [fields(data) for data in graph[1]]
        self.inputs, self.outputs = (dict(map(self.value, graph[field])) for field in (11, 12))

    @staticmethod
    def value(data):
        info = fields(data)
        tensor = fields(fields(info[2][0])[1][0])
        shape = [fields(one) for one in fields(tensor[2][0])[1]]
        return info[1][0].decode(), (tensor[1][0], [one[1][0] if 1 in one else one[2][0].decode() for one in shape])

    def run(self, x):
        (name, (kind, shape)), = self.inputs.items()
        assert x.dtype == TYPES[kind] and len(shape) == x.ndim, (x.dtype, x.shape, shape)
        values = {**self.constants, name: x}
        with numpy.errstate(over="ignore"):
            for node in self.nodes:
                inputs = [values[one.decode()] for one in node[1]]
                values[node[2][0].decode()] = OPERATORS[node[4][0].decode()](attributes_of(node), *inputs)
        found = {one: values[one] for one in self.outputs}
        for one, (kind, shape) in self.outputs.items():
            assert found[one].dtype == (object if kind == 8 else TYPES[kind]), (one, found[one].dtype)
            assert all(extent in (length, "N", "step") for extent, length in zip(shape, found[one].shape)), (one, found[one].shape)
        return found
