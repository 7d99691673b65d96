// A network of the reader's own: a .param, and its .bin, dropped or chosen. They are read here and go nowhere.
(() => {
  "use strict";
  const { make, many, product, parse, archive, numbers, summary, inWords, families, familyOf, open, shapeText, computeButton, pixelsOf, pictureOf, base64 } = globalThis.KuiperViewer;
  const LARGEST = 32 << 20; // bytes of a .param
  const MOST_WEIGHTS = 64 << 20; // bytes of a .bin that Python in the page is given

  /** Statistics of a weight, in words; `kept` has those that were asked for already. */
  function weightWords(bin, kept, op, weight) {
    const name = `${op.name}.${weight.key}`;
    if (!kept.has(name)) {
      try {
        const found = numbers(bin.buffer, bin.entries, name, weight, bin.name);
        kept.set(name, found?.length ? inWords(summary(weight.shape, weight.dtype, found)) : "");
      } catch (error) {
        kept.set(name, error.message);
      }
    }
    return kept.get(name);
  }

  function legend(graph) {
    const counts = {};
    for (const op of graph.operators) counts[familyOf(op.type)] = (counts[familyOf(op.type)] ?? 0) + 1;
    return make("ul", { className: "viewer-legend" }, ...Object.entries(families.colours).filter(([family]) => counts[family])
      .map(([family, colour]) => make("li", {}, make("span", { className: `swatch ${colour}` }), `${family} (${counts[family]})`)));
  }

  /** What a reader gives for each input of their network, and the button that has kuiper compute. */
  function inputs(viewer, files, say) {
    const asked = viewer.graph.operators.filter((op) => op.type === "pnnx.Input").flatMap((op) => op.outputs).map((operand) => {
      const { shape } = viewer.graph.operands.get(operand);
      const size = make("input", { type: "text", value: (shape ?? [1]).map((one) => (one < 0 ? 1 : one)).join("x") });
      const fill = make("select", {}, ...["random", "ones", "zeros", "picture"].map((one) => make("option", { value: one, textContent: one === "random" ? "random numbers (seed 0)" : one })));
      const file = make("input", { type: "file", accept: "image/*", hidden: true });
      file.setAttribute("aria-label", `Picture for #${operand}`);
      fill.addEventListener("change", () => { file.hidden = fill.value !== "picture"; });
      const row = make("div", { className: "viewer-controls" }, make("label", {}, `Input #${operand}`, size), make("label", {}, "of", fill), file);
      return {
        row,
        async value() {
          const sizes = size.value.split(/[x, ]+/).filter(Boolean).map(Number);
          if (!sizes.every((one) => Number.isInteger(one) && one > 0)) throw new Error(`input #${operand}: expected a shape such as 1x3x224x224, found ${size.value}`);
          if (fill.value !== "picture") return { shape: sizes, fill: fill.value };
          if (sizes.length !== 4) throw new Error(`input #${operand}: expected four sizes for a picture, found ${size.value}`);
          if (!file.files[0]) throw new Error(`input #${operand}: expected a picture: choose a file first`);
          return { shape: sizes, ...pixelsOf(await pictureOf(file.files[0], [sizes[3], sizes[2]])) };
        },
      };
    });
    const act = computeButton(viewer, () => panel, say, async () => {
      if (!files.bin && viewer.graph.operators.some((op) => op.weights.length)) throw new Error(`${files.name} has weights: choose its .bin too`);
      if (files.bin && files.bin.buffer.byteLength > MOST_WEIGHTS) throw new Error(`${files.bin.name}: expected at most ${MOST_WEIGHTS >> 20} MB to compute with in a page`);
      const given = [];
      for (const one of asked) given.push(await one.value());
      const bin = files.bin ? base64(new Uint8Array(files.bin.buffer)) : "";
      return { request: { do: "own_values", param: files.param, bin, asked: given }, words: "your input" };
    });
    const panel = make("div", { className: "viewer-input" }, make("p", { textContent: "Values at every operator: kuiper computes them in this page, once it has weights and an input." }),
      ...asked.map(({ row }) => row), act);
    return panel;
  }

  function begin(place) {
    const root = place.dataset.root ?? "";
    const said = make("p", { className: "viewer-said" });
    said.setAttribute("role", "alert");
    const status = make("p", { className: "viewer-said" });
    status.setAttribute("role", "status");
    const picker = make("input", { type: "file", multiple: true, accept: ".param,.bin" });
    const zone = make("div", { className: "viewer-drop" }, make("label", {}, "Drop a .param here, with its .bin if you like, or choose the files", picker));
    const shown = make("div", {});
    place.append(zone, said, status, shown);
    const files = { param: null, name: "", bin: null };

    function show() {
      const graph = parse(files.param, files.name, families.dtypes);
      const weights = graph.operators.reduce((all, op) => all + op.weights.reduce((sum, one) => sum + product(one.shape), 0), 0);
      const figure = make("figure", { className: "moving viewer-graph viewer-loaded" });
      const kept = new Map();
      const { bin } = files;
      figure.append(make("figcaption", { className: "moving-title", textContent: `${files.name}: ${many(graph.operators.length, "operator")}, ${many(weights, "number")} in the file` }), legend(graph));
      shown.replaceChildren(figure);
      const viewer = open(figure, { title: files.name, graph, root, weights: bin && ((op, weight) => weightWords(bin, kept, op, weight)) });
      viewer.desk.prepend(inputs(viewer, files, (words) => { status.textContent = words; }));
      const lost = bin ? graph.operators.flatMap((op) => op.weights.filter((one) => !bin.entries.has(`${op.name}.${one.key}`)).map((one) => `${op.name}.${one.key}`)) : [];
      if (lost.length) said.textContent = `${bin.name}: expected an entry ${lost[0]}, found none of that name (${lost.length} of ${files.name} are missing)`;
      status.textContent = bin ? `${bin.name}: ${many(bin.entries.size, "weight array", "weight arrays")}; choose an operator to see what its numbers are like.` : weights ? "With its .bin, the weights' numbers are told too." : "";
    }

    async function take(given) {
      said.textContent = status.textContent = "";
      try {
        const params = given.filter((file) => file.name.endsWith(".param"));
        const bins = given.filter((file) => file.name.endsWith(".bin"));
        if (!params.length && !bins.length) throw new Error(`${given[0]?.name ?? "no file"}: expected a file whose name ends in .param or .bin`);
        if (!params.length && files.param === null) throw new Error(`${bins[0].name}: expected its .param too, which says what the numbers are`);
        if (params.length > 1 || bins.length > 1) throw new Error(`expected one .param and one .bin, found ${given.length} files`);
        if (params[0]?.size > LARGEST) throw new Error(`${params[0].name}: expected a text file of at most ${LARGEST} bytes, found a longer one`);
        if (params.length) Object.assign(files, { param: await params[0].text(), name: params[0].name, bin: null });
        if (bins.length) {
          const buffer = await bins[0].arrayBuffer();
          files.bin = { name: bins[0].name, buffer, entries: archive(buffer, bins[0].name) };
        }
        show();
      } catch (error) {
        said.textContent = error.message;
        if (given.some((file) => file.name.endsWith(".param"))) {
          files.param = null;
          shown.replaceChildren();
        }
      }
    }

    picker.addEventListener("click", () => { picker.value = ""; }); // the same file may be chosen again
    picker.addEventListener("change", () => take([...picker.files]));
    for (const name of ["dragover", "dragenter"]) {
      place.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("over"); });
    }
    place.addEventListener("dragleave", () => zone.classList.remove("over"));
    place.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      picker.files = event.dataTransfer.files; // it names them
      take([...event.dataTransfer.files]);
    });
  }

  document.querySelectorAll(".viewer-graph-own").forEach(begin);
})();
