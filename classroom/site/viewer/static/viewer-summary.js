// What is told of the numbers of an operator: in words, and as small pictures. A summary is made by
// classroom/live/values.py or, for numbers that the page computed itself, here: with the same fields.
(() => {
  "use strict";
  const [FIRST, MAPS, SIDE, WIDEST] = [6, 8, 24, 64]; // as in values.py
  const six = (value) => Number(value.toPrecision(6));

  /** (..., H, W) -> the first maps as signed bytes, 127 being `peak`. */
  function maps(shape, data) {
    const [height, width] = shape.length > 2 ? shape.slice(-2) : [1, data.length];
    const count = data.length / (height * width);
    const step = [Math.max(1, Math.ceil(height / SIDE)), height === 1 ? 1 : Math.max(1, Math.ceil(width / SIDE))];
    const [rows, columns] = [Math.ceil(height / step[0]), height === 1 ? Math.min(width, WIDEST) : Math.ceil(width / step[1])];
    const shown = [];
    for (let map = 0; map < Math.min(count, MAPS); map += 1) {
      for (let r = 0; r < rows; r += 1) for (let c = 0; c < columns; c += 1) shown.push(data[map * height * width + r * step[0] * width + c * step[1]]);
    }
    const peak = shown.reduce((most, one) => Math.max(most, Math.abs(one)), 0) || 1;
    return { of: count, shape: [Math.min(count, MAPS), rows, columns], step, peak: six(peak), bytes: Int8Array.from(shown, (one) => Math.round((one / peak) * 127)) };
  }

  /** A value with finite numbers -> its summary. */
  function summary(shape, dtype, data) {
    let [min, max, sum, zeros] = [Infinity, -Infinity, 0, 0];
    for (const one of data) {
      [min, max, sum, zeros] = [Math.min(min, one), Math.max(max, one), sum + one, zeros + (one === 0)];
    }
    return {
      shape, dtype, odd: 0, first: Array.from(data.slice(0, FIRST), six), min: six(min), max: six(max),
      mean: six(sum / data.length), zeros: six(zeros / data.length), maps: maps(shape, data),
    };
  }

  const bytesOf = ({ bytes, data }) => bytes ?? Int8Array.from(atob(data), (one) => (one.charCodeAt(0) << 24) >> 24);
  const told = (value) => String(Number(value.toPrecision(4))).replace("-", "−");

  /** The numbers of a weight or a result in a line. */
  function inWords({ min, max, mean, zeros, odd }) {
    const said = [];
    if (min !== undefined) said.push(min === max ? `all ${told(min)}` : `${told(min)} to ${told(max)}, mean ${told(mean)}`);
    if (min !== max && zeros >= 0.0005) said.push(`${told(100 * zeros)} % zeros`);
    if (odd) said.push(`${odd} not finite`);
    return said.join(", ");
  }

  function picture({ shape: [count, height, width], ...maps }, style) {
    const canvas = document.createElement("canvas");
    const cell = height === 1 ? Math.max(3, Math.floor(200 / width)) : Math.max(2, Math.floor(52 / Math.max(height, width)));
    const gap = 2;
    const across = Math.min(count, height === 1 ? 1 : 4);
    const down = Math.ceil(count / across);
    [canvas.width, canvas.height] = [across * (width * cell + gap) - gap, down * (height * Math.max(cell, height === 1 ? 10 : 0) + gap) - gap];
    canvas.setAttribute("aria-hidden", "true");
    const tall = height === 1 ? Math.max(cell, 10) : cell;
    const pen = canvas.getContext("2d");
    const [ground, positive, negative] = ["--m-plain", "--m-orange-line", "--m-blue-line"].map((name) => style.getPropertyValue(name).trim());
    const bytes = bytesOf(maps);
    for (let map = 0; map < count; map += 1) {
      const [left, top] = [(map % across) * (width * cell + gap), Math.floor(map / across) * (height * tall + gap)];
      pen.globalAlpha = 1;
      pen.fillStyle = ground;
      pen.fillRect(left, top, width * cell, height * tall);
      for (let i = 0; i < height * width; i += 1) {
        const value = bytes[map * height * width + i];
        if (!value) continue;
        pen.globalAlpha = Math.abs(value) / 127;
        pen.fillStyle = value > 0 ? positive : negative;
        pen.fillRect(left + (i % width) * cell, top + Math.floor(i / width) * tall, cell, tall);
      }
    }
    return canvas;
  }

  function caption({ of, shape: [count, height, width], step, peak }) {
    const parts = [];
    if (height === 1) parts.push(count < of ? `${count} of ${of} rows` : "");
    else parts.push(count < of ? `${count} of ${of} maps` : of > 1 ? `${of} maps` : "");
    if (height === 1 && width === WIDEST) parts.push(`the first ${width} numbers`);
    const most = Math.max(...step);
    if (most > 1) parts.push(`one number of ${step[0] * step[1]}`);
    parts.push(`full colour: ±${told(peak)}`);
    return parts.filter(Boolean).join("; ");
  }

  /** The part of the details that tells the values of an operator: `found` has a summary of each of its outputs. */
  function aboutValues(viewer, found) {
    const { make, shapeText } = globalThis.KuiperViewer;
    const parts = [make("p", { className: "viewer-list", textContent: `Values for ${viewer.values.words}` })];
    const style = getComputedStyle(viewer.figure);
    for (const one of found) {
      const lines = [`${shapeText(one.shape)} ${one.dtype}`, inWords(one)];
      if (one.first.length) lines.push(`begins ${one.first.map(told).join("  ")}`);
      parts.push(make("ul", { className: "viewer-values" }, ...lines.filter(Boolean).map((line) => make("li", { textContent: line }))));
      const isPicture = one.maps && one.maps.shape.reduce((a, b) => a * b, 1) > 1;
      if (isPicture) parts.push(make("div", { className: "viewer-maps" }, picture(one.maps, style), make("p", { textContent: caption(one.maps) })));
    }
    return parts;
  }

  Object.assign(globalThis.KuiperViewer, { summary, inWords, aboutValues, told });
})();
