// What is told about an operator or a run of equal blocks, and the few helpers that all scripts of the viewer share.
(() => {
  "use strict";
  const { operandText, families } = globalThis.KuiperViewer;

  function make(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /* families.members : family -> its types */
  const familyOfType = Object.fromEntries(Object.entries(families.members).flatMap(([family, types]) => types.map((type) => [type, family])));
  const familyOf = (type) => familyOfType[type] ?? families.other;
  const colourOf = (type) => families.colours[familyOf(type)];
  const product = (shape) => shape.reduce((a, b) => a * b, 1);
  const many = (count, one, more = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
  const list = (title, lines) => [make("p", { className: "viewer-list", textContent: title }), make("ul", {}, ...lines.map((line) => make("li", {}, ...[line].flat())))];

  /** What is told about an operator; `values` and `weights` add what is known of its numbers. */
  function aboutOperator(viewer, at) {
    const { graph } = viewer;
    const op = graph.operators[at];
    const operand = (name) => `#${name}  ${operandText(graph.operands.get(name))}`;
    const parts = [make("p", { className: "viewer-name", textContent: op.name }), make("p", { textContent: `${op.type}, ${familyOf(op.type)}` })];
    const found = viewer.values?.of[op.name];
    if (found) parts.push(...globalThis.KuiperViewer.aboutValues(viewer, found));
    if (op.inputs.length) {
      parts.push(...list("Reads", op.inputs.map((name, i) => `${operand(name)}${op.slots[i] ? `  (${op.slots[i]})` : ""}`)));
    }
    if (op.outputs.length) parts.push(...list("Gives", op.outputs.map(operand)));
    if (op.params.length) parts.push(...list("Parameters", op.params.map((one) => one.join(" = "))));
    if (op.weights.length) {
      parts.push(...list("Weights", op.weights.map((one) => {
        const words = `${one.key}  ${operandText(one)}  = ${many(product(one.shape), "number")}`;
        const more = viewer.weights?.(op, one);
        return more ? [words, make("span", { className: "viewer-more", textContent: more })] : words;
      })));
    }
    return parts;
  }

  function aboutRun({ graph, runs }, number) {
    const { first, length, count } = runs[number];
    const block = graph.operators.slice(first, first + length);
    const weights = block.reduce((all, op) => all + op.weights.reduce((sum, one) => sum + product(one.shape), 0), 0);
    return [
      make("p", { className: "viewer-name", textContent: `block × ${count}` }),
      make("p", { textContent: `${count} equal blocks in a row: the same operators with the same parameters and shapes of weights, wired alike. Each has ${many(length, "operator")} and ${many(weights, "weight")}.` }),
      make("p", { textContent: "Press Enter, or click it, to open the blocks." }),
      ...list("Operators of the first", block.map((op) => `${op.type}  ${op.name}`)),
    ];
  }

  Object.assign(globalThis.KuiperViewer, { make, many, list, product, familyOf, colourOf, aboutOperator, aboutRun });
})();
