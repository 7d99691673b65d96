// The two files of a network, read in the browser: the text of a .param, and the directory and numbers of a .bin.
// What is accepted, and what an error says, is as in kuiper/pnnx: a test compares both on whole and on damaged files.
(() => {
  "use strict";
  const MAGIC = "7767517";
  const COUNT = /^[0-9]{1,18}$/;
  const DIMENSION = /^-?[0-9]{1,18}$/;

  /** A file that is not what the format says. `line` counts from 1, null where the fault belongs to no line. */
  class FormatError extends Error {
    constructor(file, line, expected, found) {
      super(`${line ? `${file}, line ${line}` : file}: expected ${expected}, found ${found}`);
      Object.assign(this, { file, line, expected, found });
    }
  }

  const short = (text) => (text.length <= 60 ? text : `${text.slice(0, 57)}... (${text.length} characters)`);
  const words = (line) => line.split(/[ \t\n\r\v\f]+/).filter(Boolean);

  /** (shape)type -> {shape: [1, -1, 16], dtype: "f32"}; -1 stands for ?, and the type null of operands becomes "".
      types : code in the file -> the type that it names, where old files have other codes. */
  function shapeAndType(key, text, types, fail) {
    const close = text.indexOf(")");
    if (text[0] !== "(" || close < 0) fail(`(shape)type in ${key}`, short(text));
    const code = text.slice(close + 1);
    if (!Object.hasOwn(types, code) && !(code === "null" && key[0] === "#")) {
      fail(`one of the types ${[...new Set(Object.values(types))].join(", ")} in ${key}`, short(code) || "none");
    }
    const body = text.slice(1, close);
    const shape = (body ? body.split(",") : []).map((size) => {
      if (size === "?") return -1;
      if (DIMENSION.test(size) && Number(size) >= -1) return Number(size);
      return fail(`dimensions in ${key}: numbers from 0, or ?`, short(size) || "nothing");
    });
    return { shape, dtype: types[code] ?? "" };
  }

  function readOperator(line, number, types, graph, fail) {
    const tokens = words(line);
    const isCounted = tokens.length >= 4 && COUNT.test(tokens[2]) && COUNT.test(tokens[3]);
    if (!isCounted) {
      fail("type, name, number of inputs, number of outputs (a name cannot hold white space)", short(tokens.slice(0, 6).join(" ")));
    }
    const [type, name] = tokens;
    const [reads, gives] = [Number(tokens[2]), Number(tokens[3])];
    const names = tokens.slice(4, 4 + reads + gives).filter((one) => !one.includes("="));
    if (names.length !== reads + gives) fail(`${reads} + ${gives} names of operands after ${name}`, String(names.length));
    const op = { type, name, line: number, inputs: names.slice(0, reads), outputs: names.slice(reads), params: [], weights: [], slots: [] };
    if (graph.lineOf.has(name)) fail(`a name other than that of line ${graph.lineOf.get(name)}`, name);
    op.inputs.forEach((one) => { if (!graph.firstRead.has(one)) graph.firstRead.set(one, number); });
    for (const one of op.outputs) {
      const made = graph.operands.get(one)?.producer;
      if (made) fail(`one producer of operand ${one}`, `a second: ${made.name} of line ${made.line}`);
      graph.operands.set(one, { ...graph.operands.get(one), producer: op });
    }
    op.inputs.forEach((one) => { if (!graph.operands.has(one)) graph.operands.set(one, {}); });
    const seen = new Set();
    for (const token of tokens.slice(4 + reads + gives)) {
      const equals = token.indexOf("=");
      const [key, value] = [token.slice(0, Math.max(equals, 0)), token.slice(equals + 1)];
      if (!key || (key.length === 1 && "@$#".includes(key))) fail("key=value", short(token));
      if (!"$#".includes(key[0]) && seen.has(key)) {
        fail(`${key[0] === "@" ? `attribute ${key.slice(1)}` : `parameter ${key}`} of ${name} once`, "twice");
      }
      seen.add(key);
      if (key[0] === "@") {
        const said = shapeAndType(key, value, types, fail);
        if (!said.dtype || said.shape.some((size) => size < 0)) fail(`a type and dimensions of 0 or more in ${key}`, short(value));
        op.weights.push({ key: key.slice(1), ...said });
      } else if (key[0] === "$") {
        const slot = op.inputs.findIndex((one, at) => one === value && !op.slots[at]);
        if (slot < 0) {
          const left = op.inputs.filter((_, at) => !op.slots[at]).length;
          fail(`${key} to name an input of ${name} that has no name yet (${left} left)`, short(value));
        }
        op.slots[slot] = key.slice(1);
      } else if (key[0] === "#") {
        const operand = key.slice(1);
        if (!op.inputs.includes(operand) && !op.outputs.includes(operand)) {
          fail(`#${short(operand)} to describe an operand of ${name}`, `none of its ${new Set(names).size}`);
        }
        const { text, at } = graph.operands.get(operand).said ?? {};
        if (text === value) continue;
        const said = shapeAndType(key, value, types, fail);
        if (text !== undefined && JSON.stringify(said) !== JSON.stringify(shapeAndType(key, text, types, fail))) {
          fail(`operand ${operand} to be ${text}, as line ${at} says`, short(value));
        }
        Object.assign(graph.operands.get(operand), said, { said: { text: value, at: number } });
      } else op.params.push([key, value]);
    }
    graph.lineOf.set(name, number);
    graph.operators.push(op);
  }

  /** Operators that wait for each other, or []; `order` gets all others, each after those that it reads from. */
  function sorted(operators, operands) {
    const waits = new Map(operators.map((op) => [op, new Set(op.inputs.map((one) => operands.get(one).producer)).size]));
    const readers = new Map(operators.map((op) => [op, []]));
    for (const op of operators) for (const made of new Set(op.inputs.map((one) => operands.get(one).producer))) readers.get(made).push(op);
    const isOrdered = operators.every((op, at) => op.inputs.every((one) => operators.indexOf(operands.get(one).producer) < at));
    if (isOrdered) return { order: operators, left: [] };
    const order = operators.filter((op) => !waits.get(op));
    for (const op of order) { // it grows meanwhile
      for (const reader of readers.get(op)) {
        waits.set(reader, waits.get(reader) - 1);
        if (!waits.get(reader)) order.push(reader);
      }
    }
    return { order, left: operators.filter((op) => waits.get(op)) };
  }

  /** The text of a .param -> {operators, in an order in which they can run; operands: name -> {producer, shape, dtype}}. */
  function parse(text, file, types) {
    let line = 1;
    const fail = (expected, found) => { throw new FormatError(file, line, expected, found); };
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    if ((lines[0] ?? "").trim() !== MAGIC) fail(`${MAGIC}, with which every PNNX file begins`, short((lines[0] ?? "").slice(0, 80).trim()) || "nothing");
    line = 2;
    const counts = words(lines[1] ?? "");
    if (counts.length !== 2 || !counts.every((one) => COUNT.test(one))) {
      fail("the number of operators and of operands", short(counts.join(" ")) || "nothing");
    }
    const body = lines.slice(2);
    const filled = body.filter((one) => one.trim()).length;
    if (filled !== Number(counts[0])) fail(`as many operators as the file has lines for (${filled})`, String(Number(counts[0])));
    const graph = { operators: [], operands: new Map(), lineOf: new Map(), firstRead: new Map() };
    body.forEach((one, at) => {
      line = at + 3;
      if (one.includes("\0")) fail("text", "a NUL byte");
      if (one.includes("\ufffd")) fail("text in UTF-8", "other bytes");
      if (one.trim()) readOperator(one, line, types, graph, fail);
    });
    for (const [name, at] of graph.firstRead) {
      line = at;
      if (!graph.operands.get(name).producer) fail("an operand that some operator produces", name);
    }
    line = 2;
    if (graph.operands.size !== Number(counts[1])) fail(`as many operands as the file has (${graph.operands.size})`, String(Number(counts[1])));
    const { order, left } = sorted(graph.operators, graph.operands);
    if (left.length) {
      line = left[0].line;
      fail("operators without a cycle", `${left.length} that wait for each other, ${short(left[0].name)} among them`);
    }
    return { operators: order, operands: graph.operands };
  }

  const [LOCAL, ENTRY, END] = [0x04034b50, 0x02014b50, 0x06054b50];
  const [END64, LOCATOR64] = [0x06064b50, 0x07064b50];
  const FULL = 0xffffffff;

  /** The bytes of a .bin -> entry -> {start, size}; all entries are stored without compression. */
  function archive(buffer, file) {
    const view = new DataView(buffer);
    const fail = (expected, found) => { throw new FormatError(file, null, expected, found); };
    const wide = (at) => Number(view.getBigUint64(at, true));
    try {
      let end = buffer.byteLength - 22;
      while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
      if (end < 0) fail("a zip archive", "no end record: the file is truncated or no archive");
      let [count, at] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)];
      if (count === 0xffff || at === FULL) {
        if (end < 20 || view.getUint32(end - 20, true) !== LOCATOR64) fail("a zip64 locator", "none");
        const record = wide(end - 12);
        if (view.getUint32(record, true) !== END64) fail(`the zip64 end record at byte ${record}`, "other bytes");
        [count, at] = [wide(record + 32), wide(record + 48)];
      }
      const entries = new Map();
      for (let left = count; left > 0; left -= 1) {
        if (view.getUint32(at, true) !== ENTRY) fail(`${count} directory records`, `${count - left}, then other bytes`);
        const method = view.getUint16(at + 10, true);
        const sizes = [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)];
        const [nName, nExtra, nComment] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
        const name = new TextDecoder().decode(new Uint8Array(buffer, at + 46, nName));
        let extra = at + 46 + nName;
        const extraEnd = extra + nExtra;
        while (extra + 4 <= extraEnd && sizes.includes(FULL)) {
          const [kind, length] = [view.getUint16(extra, true), view.getUint16(extra + 2, true)];
          let place = extra + 4;
          if (kind === 1) sizes.forEach((size, i) => { if (size === FULL) { sizes[i] = wide(place); place += 8; } });
          extra += 4 + length;
        }
        const [size, packed, header] = sizes;
        if (method !== 0 || size !== packed) fail(`entry ${name} stored without compression`, `compression method ${method}`);
        if (view.getUint32(header, true) !== LOCAL) fail(`the header of ${name} at byte ${header}`, "other bytes");
        const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
        if (start + size > buffer.byteLength) fail(`${size} bytes of ${name}`, "a file that ends before");
        if (entries.has(name)) fail(`one entry ${name}`, "two");
        entries.set(name, { start, size });
        at += 46 + nName + nExtra + nComment;
      }
      return entries;
    } catch (error) {
      if (error instanceof RangeError) fail("a whole zip archive", "a record cut short");
      throw error;
    }
  }

  const half = (bits) => {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent === 31 ? (fraction ? NaN : Infinity) : exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : (2 ** -14 * fraction) / 1024;
    return bits & 0x8000 ? -size : size;
  };
  const brain = new DataView(new ArrayBuffer(4));
  const bfloat = (bits) => { brain.setUint32(0, bits << 16); return brain.getFloat32(0); };
  // type -> bytes of a number, and how one is read
  const NUMBERS = {
    f32: [4, (view, at) => view.getFloat32(at, true)], f64: [8, (view, at) => view.getFloat64(at, true)],
    f16: [2, (view, at) => half(view.getUint16(at, true))], bf16: [2, (view, at) => bfloat(view.getUint16(at, true))],
    i64: [8, (view, at) => Number(view.getBigInt64(at, true))], i32: [4, (view, at) => view.getInt32(at, true)],
    i16: [2, (view, at) => view.getInt16(at, true)], i8: [1, (view, at) => view.getInt8(at)],
    u8: [1, (view, at) => view.getUint8(at)], bool: [1, (view, at) => view.getUint8(at)],
  };

  /** The numbers of a weight: an array of floats; an Error where the .bin has not as many bytes as the .param says. */
  function numbers(buffer, entries, name, { dtype, shape }, file) {
    const entry = entries.get(name);
    if (!entry) throw new FormatError(file, null, `an entry ${name}`, "none of that name");
    const [bytes, read] = NUMBERS[dtype] ?? [];
    if (!bytes) return null; // complex numbers
    const count = shape.reduce((a, b) => a * b, 1);
    if (count * bytes !== entry.size) {
      throw new FormatError(file, null, `${count * bytes} bytes in ${name}, for (${shape.join(",")}) ${dtype}`, `${entry.size} bytes`);
    }
    const view = new DataView(buffer, entry.start, entry.size);
    return Float64Array.from({ length: count }, (_, i) => read(view, i * bytes));
  }

  globalThis.KuiperViewer = { parse, archive, numbers, FormatError };
})();
