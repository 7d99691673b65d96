// The drawing of a network, as far as its blocks are open: where boxes and lines are and their SVG.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";
  const BOX = 40; // height of a box
  const LABELS = 22; // height of the strip below it where shapes stand
  const LETTERS = 36;
  const PORT = 16; // pixels between lines that enter a box
  const ARROW = 6;
  const HEAD = 24; // height of the title of an open block
  const MARGIN = 14;
  const CHARACTER = 0.605; // width of a character of the monospaced font, in font sizes

  function mark(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const textWidth = (text, size) => CHARACTER * size * text.length;
  const shorten = (text) => (text.length <= LETTERS ? text : `${text.slice(0, LETTERS / 2)}…${text.slice(text.length - LETTERS / 2 + 1)}`);
  const shapeText = (shape) => (shape ? shape.map((size) => (size < 0 ? "?" : size)).join("x") || "scalar" : "");
  const operandText = ({ shape, dtype }) => `${shapeText(shape)} ${dtype ?? ""}`.trim();
  const labelOf = (operand) => operandText(operand.real ?? operand); // `real`: what it was for an input

  /** The boxes in sight: operators, {op}, and folded runs of equal blocks, {run}; `open` has the numbers of open runs. */
  function boxesOf(graph, runs, open) {
    const boxes = [];
    const boxOf = new Map(); // operator -> its box
    for (let i = 0; i < graph.operators.length; i += 1) {
      const run = runs.findIndex(({ first, length, count }) => i >= first && i < first + length * count);
      const { first, length } = runs[run] ?? {};
      if (run < 0 || open.has(run)) {
        boxes.push({ key: `op ${i}`, op: i, frame: run < 0 ? null : `frame ${run} ${Math.floor((i - first) / length)}` });
      } else if (i === first) boxes.push({ key: `run ${run}`, run, frame: null });
      boxOf.set(i, boxes.at(-1));
    }
    return { boxes, boxOf };
  }

  /** The lines between boxes: one for each value that a box reads; those inside a folded run are not seen. */
  function linesOf(graph, boxes, boxOf) {
    const number = new Map(graph.operators.map((op, i) => [op, i]));
    const lines = new Map();
    graph.operators.forEach((op, i) => op.inputs.forEach((operand, slot) => {
      const [from, to] = [boxOf.get(number.get(graph.operands.get(operand).producer)), boxOf.get(i)];
      if (from === to) return;
      const key = to.run === undefined ? `${operand} ${i} ${slot}` : `${operand} ${to.key}`;
      lines.set(key, { from, to, operand });
    }));
    return [...lines.values()];
  }

  /** What stands below a box: its values that others read or all that it gives, with the place of each. */
  function measure(box, graph, lines) {
    const left = [...new Set(lines.filter((line) => line.from === box).map((line) => line.operand))];
    const given = box.run === undefined ? graph.operators[box.op].outputs : left;
    const texts = given.map((name) => labelOf(graph.operands.get(name)));
    const widths = texts.map((text) => (text ? textWidth(text, 10) + 12 : PORT));
    let x = -(widths.reduce((a, b) => a + b, 0) + 6 * Math.max(widths.length - 1, 0)) / 2;
    box.exits = new Map();
    box.pills = [];
    given.forEach((name, i) => {
      box.exits.set(name, x + widths[i] / 2);
      if (texts[i]) box.pills.push([texts[i], x + widths[i] / 2, widths[i]]);
      x += widths[i] + 6;
    });
    const reads = lines.filter((line) => line.to === box).length;
    const inner = Math.max(textWidth(box.title, 12), textWidth(box.name, 10), PORT * reads, 64) + 20;
    box.width = Math.max(inner, ...[...box.exits.values()].map((exit) => 2 * Math.abs(exit) + 20));
    box.full = Math.max(box.width, ...box.pills.map(([, middle, width]) => 2 * Math.abs(middle) + width));
  }

  /** Give each box and frame its place -> {width, height, boxes, lines, frames}; x is the middle of a box, y its top. */
  function layout(graph, runs, open) {
    const { boxes, boxOf } = boxesOf(graph, runs, open);
    const lines = linesOf(graph, boxes, boxOf);
    for (const box of boxes) {
      const op = graph.operators[box.op];
      const run = runs[box.run];
      box.title = run ? `block × ${run.count}` : shorten(op.type);
      box.name = run ? `${run.length} operators each` : shorten(op.name);
      measure(box, graph, lines);
    }
    const index = new Map(boxes.map((box, i) => [box, i]));
    const edges = lines.map(({ from, to }) => [index.get(from), index.get(to)]);
    const late = boxes.flatMap((box, i) => (box.op !== undefined && isConstant(graph.operators[box.op]) ? [i] : []));
    const { layer, x, bends } = globalThis.KuiperViewer.layered(boxes.map((box) => box.full), edges, late, barriersOf(boxes));
    const tops = topsOf(boxes, lines, edges, layer, x, bends);
    boxes.forEach((box, i) => Object.assign(box, { x: x[i] + MARGIN, y: tops[layer[i]] }));
    lines.forEach((line, i) => {
      line.bends = bends[i].map((place, k) => ({ x: place + MARGIN, y: tops[layer[edges[i][0]] + 1 + k] }));
    });
    return enclosed({ boxes, lines, frames: framesOf(boxes) });
  }

  /** Where a block begins or ends, so that nothing else stands in its frame. */
  const barriersOf = (boxes) => boxes.flatMap((box, i) => (i && box.frame !== boxes[i - 1].frame ? [i] : []));

  const isConstant = (op) => !op.inputs.length && op.type !== "pnnx.Input" && op.type !== "pnnx.Output";

  /** y of each row: more room where a line goes far to the side, and where a block begins. */
  function topsOf(boxes, lines, edges, layer, x, bends) {
    const gaps = new Array(Math.max(0, ...layer)).fill(0);
    edges.forEach(([source, target], i) => {
      const stops = [x[source], ...bends[i], x[target]];
      for (let k = 1; k < stops.length; k += 1) {
        const row = layer[source] + k - 1;
        gaps[row] = Math.max(gaps[row], Math.abs(stops[k] - stops[k - 1]));
      }
    });
    const begins = new Set();
    const seen = new Map();
    boxes.forEach((box, i) => { if (box.frame) seen.set(box.frame, Math.min(seen.get(box.frame) ?? Infinity, layer[i])); });
    for (const row of seen.values()) begins.add(row);
    const tops = [MARGIN + (begins.has(0) ? HEAD + 14 : 0)];
    gaps.forEach((sideways, row) => {
      tops.push(tops.at(-1) + BOX + LABELS + Math.min(22 + 0.12 * sideways, 70) + (begins.has(row + 1) ? HEAD + 20 : 0));
    });
    return tops;
  }

  /** A frame around the boxes of each block of an open run. */
  function framesOf(boxes) {
    return [...new Set(boxes.map((box) => box.frame).filter(Boolean))].map((key) => {
      const [, run, block] = key.split(" ").map(Number);
      const own = boxes.filter((box) => box.frame === key);
      const left = Math.min(...own.map((box) => box.x - box.full / 2)) - 10;
      const right = Math.max(...own.map((box) => box.x + box.full / 2)) + 10;
      const top = Math.min(...own.map((box) => box.y)) - HEAD - 14;
      const bottom = Math.max(...own.map((box) => box.y)) + BOX + LABELS + 2;
      return { key, run, block, x: left, y: top, width: right - left, height: bottom - top };
    });
  }

  /** Measure all, and say where each line enters its box. */
  function enclosed({ boxes, lines, frames }) {
    const left = Math.min(0, ...frames.map((frame) => frame.x - MARGIN));
    for (const one of [...boxes, ...frames, ...lines.flatMap((line) => line.bends)]) one.x -= left;
    const right = Math.max(
      ...boxes.map((box) => box.x + box.full / 2), ...frames.map((frame) => frame.x + frame.width),
      ...lines.flatMap((line) => line.bends.map(({ x }) => x)),
    );
    const bottom = Math.max(
      ...boxes.map((box) => box.y + BOX + (box.pills.length ? LABELS : 0)), ...frames.map((frame) => frame.y + frame.height),
    );
    const arrivals = new Map();
    for (const line of lines) arrivals.set(line.to, [...(arrivals.get(line.to) ?? []), line]);
    for (const [box, all] of arrivals) {
      const from = (line) => line.bends.at(-1)?.x ?? line.from.x + line.from.exits.get(line.operand);
      all.sort((a, b) => from(a) - from(b));
      let middle = (all.length - 1) / 2;
      const nearest = all.reduce((best, line, i) => (Math.abs(from(line) - box.x) < Math.abs(from(all[best]) - box.x) ? i : best), 0);
      if (all.length <= 3 && Math.abs(from(all[nearest]) - box.x) < PORT) middle = nearest; // straight down
      all.forEach((line, i) => { line.entry = box.x + PORT * (i - middle); });
    }
    return { boxes, lines, frames, width: right + MARGIN, height: bottom + MARGIN };
  }

  const round = (value) => Math.round(value * 10) / 10;

  /** From the exit straight down beside boxes and labels, and to the side only between two rows. */
  function wire(line) {
    let x = round(line.from.x + line.from.exits.get(line.operand));
    let y = round(line.from.y + BOX + LABELS);
    const path = [`M${x} ${round(line.from.y + BOX)}V${y}`];
    const to = (nextX, nextY) => {
      const middle = round((y + nextY) / 2);
      path.push(nextX === x ? `V${nextY}` : `C${x} ${middle} ${nextX} ${middle} ${nextX} ${nextY}`);
      [x, y] = [nextX, nextY];
    };
    for (const bend of line.bends) {
      to(round(bend.x), round(bend.y));
      to(x, round(bend.y + BOX + LABELS));
    }
    to(round(line.entry), round(line.to.y - ARROW));
    const end = round(line.to.y);
    return mark("g", { class: "edge" }, mark("path", { class: "wire", d: path.join("") }),
      mark("polygon", { class: "tip", points: `${x},${end} ${x + 4},${end - ARROW - 1} ${x - 4},${end - ARROW - 1}` }));
  }

  function boxMark(box, colour) {
    const left = round(box.x - box.width / 2);
    const rect = (shift) => mark("rect", { x: left + shift, y: round(box.y) - shift, width: round(box.width), height: BOX, rx: 6 });
    const line = (text, y, attributes) => {
      const made = mark("text", { x: round(box.x), y: round(box.y + y), ...attributes });
      made.textContent = text;
      return made;
    };
    const behind = box.run === undefined ? [] : [rect(8), rect(4)];
    return mark("g", { class: `op ${colour}${box.run === undefined ? "" : " folded"}`, "data-key": box.key }, ...behind, rect(0),
      line(box.title, 14, { class: "strong", "font-size": 12 }), line(box.name, 29, {}));
  }

  function frameMark(frame, runs) {
    const title = `block ${frame.block + 1} of ${runs[frame.run].count}`;
    const width = textWidth(title, 11) + 34;
    const text = mark("text", { x: round(frame.x + width / 2), y: round(frame.y + HEAD / 2), "font-size": 11 });
    text.textContent = `− ${title}`;
    const head = mark("g", { class: "head", "data-run": frame.run, "data-block": frame.block },
      mark("rect", { x: round(frame.x), y: round(frame.y), width: round(width), height: HEAD, rx: 6 }), text);
    const ground = mark("rect", { class: "ground", x: round(frame.x), y: round(frame.y), width: round(frame.width), height: round(frame.height), rx: 8 });
    return { ground, head, title };
  }

  function pills(box) {
    return box.pills.flatMap(([text, middle, width]) => {
      const [x, y] = [round(box.x + middle), round(box.y + BOX + 11)];
      const words = mark("text", { x, y });
      words.textContent = text;
      return [mark("rect", { class: "pill", x: round(x - width / 2), y: y - 7.5, width: round(width), height: 15, rx: 7.5 }), words];
    });
  }

  /** The layout as an SVG; `colour` gives the class of an operator's family. Each box has its mark, each frame its head. */
  function drawn(plan, graph, runs, colour) {
    const svg = mark("svg", { class: "drawing", width: round(plan.width), height: round(plan.height),
      viewBox: `0 0 ${round(plan.width)} ${round(plan.height)}`, "text-anchor": "middle", "font-size": 10 });
    for (const frame of plan.frames) {
      Object.assign(frame, frameMark(frame, runs));
      svg.append(frame.ground);
    }
    for (const line of plan.lines) svg.append((line.mark = wire(line)));
    for (const box of plan.boxes) svg.append(...pills(box));
    for (const box of plan.boxes) {
      box.colour = box.run === undefined ? colour(graph.operators[box.op].type) : "plain";
      svg.append((box.mark = boxMark(box, box.colour)));
    }
    for (const frame of plan.frames) svg.append(frame.head);
    plan.svg = svg;
    return plan;
  }

  Object.assign(globalThis.KuiperViewer, { BOX, layout, drawn, mark, shapeText, operandText });
})();
