/* Runs a small convolutional network, given as front/network.py writes it. Values are {shape: [...], data: Float32Array}. */
(() => {
  "use strict";

  const tensor = (shape, data) => ({ shape, data: data ?? new Float32Array(shape.reduce((a, b) => a * b, 1)) });
  const like = (x, f) => tensor(x.shape, x.data.map(f));

  /* (C,H,W), (O,C/groups,KH,KW), (O) -> (O,H',W') */
  function convolution(x, { weight, bias }, { stride, padding, dilation, groups }) {
    const [, height, width] = x.shape;
    const [outputs, inputs, kernelHeight, kernelWidth] = weight.shape;
    const extent = (size, kernel, at) =>
      Math.floor((size + 2 * padding[at] - dilation[at] * (kernel - 1) - 1) / stride[at]) + 1;
    const y = tensor([outputs, extent(height, kernelHeight, 0), extent(width, kernelWidth, 1)]);
    let place = 0;
    for (let o = 0; o < outputs; o++) {
      const first = Math.floor(o / (outputs / groups)) * inputs;
      for (let row = 0; row < y.shape[1]; row++) {
        for (let col = 0; col < y.shape[2]; col++) {
          let sum = bias ? bias.data[o] : 0;
          for (let c = 0; c < inputs; c++) {
            for (let i = 0; i < kernelHeight; i++) {
              const r = row * stride[0] - padding[0] + i * dilation[0];
              if (r < 0 || r >= height) continue;
              for (let j = 0; j < kernelWidth; j++) {
                const s = col * stride[1] - padding[1] + j * dilation[1];
                if (s < 0 || s >= width) continue;
                sum +=
                  x.data[((first + c) * height + r) * width + s] *
                  weight.data[((o * inputs + c) * kernelHeight + i) * kernelWidth + j];
              }
            }
          }
          y.data[place++] = sum;
        }
      }
    }
    return y;
  }

  /* (C,H,W) -> (C,H',W'), by `gather` of each window's numbers; windows: one side's [begin, end) for each place */
  function pooled(x, rows, cols, gather) {
    const [channels, height, width] = x.shape;
    const y = tensor([channels, rows.length, cols.length]);
    let place = 0;
    for (let c = 0; c < channels; c++) {
      for (const [top, bottom] of rows) {
        for (const [left, right] of cols) {
          const window = [];
          for (let r = top; r < bottom; r++) {
            for (let s = left; s < right; s++) window.push(x.data[(c * height + r) * width + s]);
          }
          y.data[place++] = gather(window);
        }
      }
    }
    return y;
  }

  /* adaptive pooling: window i of n has floor(i*size/n) to ceil((i+1)*size/n) */
  const shares = (size, n) =>
    Array.from({ length: n }, (_, i) => [Math.floor((i * size) / n), Math.ceil(((i + 1) * size) / n)]);
  const sliding = (size, kernel, stride) =>
    Array.from({ length: Math.floor((size - kernel) / stride) + 1 }, (_, i) => [i * stride, i * stride + kernel]);

  /* two values of the same shape, or one (C,1,1) that counts for all of its channel, or a number */
  function elementwise(a, b, f) {
    if (typeof a === "number") return like(b, (value) => f(a, value));
    if (typeof b === "number") return like(a, (value) => f(value, b));
    if (a.data.length < b.data.length) return elementwise(b, a, (p, q) => f(q, p));
    const repeat = a.data.length / b.data.length;
    return tensor(a.shape, a.data.map((value, i) => f(value, b.data[Math.floor(i / repeat)])));
  }

  const BINARY = { add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b };

  /* "add(mul(@0,@1),@2)" in the values @0, @1, ... */
  function expression(text, values) {
    const tokens = text.match(/@?[\w.+-]+/g);
    let at = 0;
    const next = () => {
      const token = tokens[at++];
      if (token in BINARY) {
        const first = next();
        return elementwise(first, next(), BINARY[token]);
      }
      return token[0] === "@" ? values[Number(token.slice(1))] : Number(token);
    };
    return next();
  }

  const LAYERS = {
    "pnnx.Expression": (inputs, arrays, { expr }) => expression(expr, inputs),
    "nn.Conv2d": ([x], arrays, options) => convolution(x, arrays, options),
    "nn.ReLU": ([x]) => like(x, (value) => Math.max(value, 0)),
    "nn.Sigmoid": ([x]) => like(x, (value) => 1 / (1 + Math.exp(-value))),
    "nn.AdaptiveAvgPool2d": ([x], arrays, { output_size: [rows, cols] }) =>
      pooled(x, shares(x.shape[1], rows), shares(x.shape[2], cols), (w) => w.reduce((a, b) => a + b) / w.length),
    "nn.MaxPool2d": ([x], arrays, { kernel_size: kernel, stride }) =>
      pooled(x, sliding(x.shape[1], kernel[0], stride[0]), sliding(x.shape[2], kernel[1], stride[1]), (w) =>
        Math.max(...w),
      ),
    "torch.flatten": ([x]) => tensor([x.data.length], x.data),
    "nn.Linear": ([x], { weight, bias }) => {
      const [outputs, inputs] = weight.shape;
      return tensor(
        [outputs],
        Float32Array.from({ length: outputs }, (_, o) => {
          let sum = bias.data[o];
          for (let i = 0; i < inputs; i++) sum += x.data[i] * weight.data[o * inputs + i];
          return sum;
        }),
      );
    },
  };

  /* The network, ready to run: unpacks the weights. */
  function load(network) {
    const bytes = Uint8Array.from(atob(network.weights), (one) => one.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const all = Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
    const operators = network.operators.map((one) => {
      const arrays = {};
      for (const [name, { at, shape }] of Object.entries(one.arrays)) {
        arrays[name] = tensor(shape, all.subarray(at, at + shape.reduce((a, b) => a * b, 1)));
      }
      return { ...one, arrays };
    });
    return { ...network, operators };
  }

  /* (C,H,W) -> every value of the network by name, and `output`: that of its output. */
  function run(network, x) {
    const values = {};
    let output = null;
    for (const { type, inputs, outputs, arrays, params } of network.operators) {
      if (type === "pnnx.Input") values[outputs[0]] = x;
      else if (type === "pnnx.Output") output = values[inputs[0]];
      else values[outputs[0]] = LAYERS[type](inputs.map((name) => values[name]), arrays, params);
    }
    return { values, output };
  }

  function softmax(logits) {
    const top = Math.max(...logits);
    const powers = Array.from(logits, (one) => Math.exp(one - top));
    const sum = powers.reduce((a, b) => a + b);
    return powers.map((one) => one / sum);
  }

  function median(values) {
    const sorted = Float64Array.from(values).sort();
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /* (H,W) rows -> (parts,W) rows: each number counts for as much of it as lies in a part */
  function means(rows, parts) {
    const size = rows.length / parts;
    return Array.from({ length: parts }, (_, part) => {
      const sums = new Float64Array(rows[0].length);
      for (let r = Math.floor(part * size); r < Math.min(rows.length, Math.ceil((part + 1) * size)); r++) {
        const share = Math.min((part + 1) * size, r + 1) - Math.max(part * size, r);
        for (let c = 0; c < sums.length; c++) sums[c] += (share * rows[r][c]) / size;
      }
      return sums;
    });
  }

  const transposed = (rows) => Array.from(rows[0], (_, c) => Float64Array.from(rows, (row) => row[c]));

  const LEAST_CONTRAST = 24;

  /* Grey levels (height,width) with one digit on plain ground -> (64) of 0..16, strokes from edge to edge; null if
     it is blank. The same as scan_of in classroom/gallery/digits.py. */
  function scanOf(grey, height, width) {
    const border = [];
    for (let c = 0; c < width; c++) border.push(grey[c], grey[(height - 1) * width + c]);
    for (let r = 0; r < height; r++) border.push(grey[r * width], grey[r * width + width - 1]);
    const ground = median(border);
    const ink = Float64Array.from(grey, (one) => Math.abs(one - ground));
    const most = ink.reduce((a, b) => Math.max(a, b), 0);
    if (most < LEAST_CONTRAST) return null;
    let [top, bottom, left, right] = [height, -1, width, -1];
    for (let i = 0; i < ink.length; i++) {
      if (ink[i] <= 0.35 * most) {
        ink[i] = 0;
        continue;
      }
      ink[i] /= most;
      const [r, c] = [Math.floor(i / width), i % width];
      [top, bottom] = [Math.min(top, r), Math.max(bottom, r)];
      [left, right] = [Math.min(left, c), Math.max(right, c)];
    }
    const [tall, wide] = [bottom - top + 1, right - left + 1];
    const side = Math.max(tall, wide);
    const [down, across] = [(side - tall) >> 1, (side - wide) >> 1];
    const square = Array.from({ length: side }, () => new Float64Array(side));
    for (let r = 0; r < tall; r++) {
      for (let c = 0; c < wide; c++) square[down + r][across + c] = ink[(top + r) * width + left + c];
    }
    const small = transposed(means(transposed(means(square, 8)), 8)).flatMap((row) => [...row]);
    const peak = Math.max(...small);
    return Float32Array.from(small, (one) => (16 * one) / peak);
  }

  globalThis.KuiperDigits = { TYPES: ["pnnx.Input", "pnnx.Output", ...Object.keys(LAYERS)], load, run, softmax, scanOf, tensor };
})();
