// Which operators of a network are equal blocks that follow each other, as a ResNet's or a transformer's are.
(() => {
  "use strict";
  const SHORTEST = 3; // operators of a block
  const ALONE = ["pnnx.Input", "pnnx.Output"]; // belong to no block

  /** What makes two operators equal: type, parameters, shapes of the weights. Names and sizes of operands do not count. */
  const token = (op) => JSON.stringify([op.type, op.params, op.weights.map(({ key, shape, dtype }) => [key, shape, dtype]), op.inputs.length, op.outputs.length]);

  /** For each input of each operator: the number of the operator that gives it, and which of its outputs it is. */
  function sourcesOf(operators) {
    const made = new Map();
    operators.forEach((op, i) => op.outputs.forEach((name, at) => made.set(name, [i, at])));
    return operators.map((op) => op.inputs.map((name) => made.get(name)));
  }

  /** Whether the blocks of `length` operators at a and b are wired alike inside. */
  function alike(kinds, sources, a, b, length) {
    for (let k = 0; k < length; k += 1) {
      if (kinds[a + k] !== kinds[b + k]) return false;
      for (let i = 0; i < sources[a + k].length; i += 1) {
        const [[p, slot], [q, other]] = [sources[a + k][i], sources[b + k][i]];
        const [inA, inB] = [p >= a, q >= b];
        if (inA !== inB || (inA && (p - a !== q - b || slot !== other))) return false;
      }
    }
    return true;
  }

  /** Values that enter each block but for the first, of a run that begins at `first`. */
  function entering(sources, first, length, count) {
    let all = 0;
    for (let block = 1; block < count; block += 1) {
      const start = first + block * length;
      const outside = new Set();
      for (let i = start; i < start + length; i += 1) for (const [from, slot] of sources[i]) if (from < start) outside.add(`${from}.${slot}`);
      all += outside.size;
    }
    return all;
  }

  /** How many equal blocks follow each other from `first` on. */
  function repeats(kinds, sources, first, length, end) {
    let count = 1;
    while (first + (count + 1) * length <= end && alike(kinds, sources, first, first + count * length, length)) count += 1;
    return count;
  }

  /** The run in [begin, end) whose folding saves most boxes; of equal ones that with the fewest values between blocks. */
  function best(kinds, sources, begin, end) {
    let found = null;
    for (let length = SHORTEST; length <= (end - begin) / 2; length += 1) {
      for (let first = begin; first + 2 * length <= end; first += 1) {
        if (kinds[first] !== kinds[first + length]) continue;
        const count = repeats(kinds, sources, first, length, end);
        const saved = count * length - 1;
        if (count < 2 || (found && saved < found.saved)) continue;
        const run = { first, length, count, saved, cut: entering(sources, first, length, count) / (count - 1) };
        if (!found || saved > found.saved || run.cut < found.cut) found = run;
      }
    }
    return found;
  }

  /** A network -> runs of equal blocks, {first, length, count}, none overlapping another, in order. */
  function equalBlocks({ operators }) {
    const names = new Map();
    const kinds = operators.map((op, i) => {
      const text = ALONE.includes(op.type) ? `alone ${i}` : token(op);
      if (!names.has(text)) names.set(text, names.size);
      return names.get(text);
    });
    const sources = sourcesOf(operators);
    const runs = [];
    const search = (begin, end) => {
      const run = best(kinds, sources, begin, end);
      if (!run) return;
      search(begin, run.first);
      runs.push({ first: run.first, length: run.length, count: run.count });
      search(run.first + run.length * run.count, end);
    };
    search(0, operators.length);
    return runs;
  }

  Object.assign(globalThis.KuiperViewer, { equalBlocks });
})();
