// The viewer of a network: <figure class="viewer-graph"> with a still drawing, and the text of its .param as JSON.
(() => {
  "use strict";
  const { BOX, parse, equalBlocks, layout, drawn, mark, shapeText, operandText, families } = globalThis.KuiperViewer;
  const STEP = 80; // pixels that an arrow key moves the drawing
  const CLOSEST = 3; // greatest scale
  const FAR = 0.42; // below this scale no text can be read, so none is drawn
  const LEGIBLE = 0.85; // least scale at which an operator is brought into view

  function make(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

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
    if (op.inputs.length) {
      parts.push(...list("Reads", op.inputs.map((name, i) => `${operand(name)}${op.slots[i] ? `  (${op.slots[i]})` : ""}`)));
    }
    if (op.outputs.length) parts.push(...list("Gives", op.outputs.map(operand)));
    if (found) parts.push(...globalThis.KuiperViewer.aboutValues(viewer, found));
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

  function start(figure) {
    const { title, file, param, model, root } = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    return open(figure, { title, model, root, graph: parse(param, file, families.dtypes) });
  }

  /** Make the viewer of a network in a figure; `still` drawings stay for print. */
  function open(figure, { title, graph, model = null, root = "", weights = null }) {
    const runs = equalBlocks(graph);
    const viewer = { figure, graph, runs, model, root, weights, values: null };
    const opened = new Set();
    let plan = null;
    let [x, y, scale, waiting] = [0, 0, 1, false];
    let chosen = null; // the key of a box
    let byKey = new Map();

    // the parts of the page
    const view = make("div", { className: "viewer-view", tabIndex: 0 });
    view.setAttribute("role", "region");
    view.setAttribute("aria-label", `Graph of ${title}. Arrow keys move it, plus and minus zoom, Tab goes to an operator.`);
    const mini = make("div", { className: "viewer-mini" });
    const details = make("div", { className: "viewer-details", tabIndex: 0 });
    details.setAttribute("role", "region");
    details.setAttribute("aria-label", "About the operator");
    details.setAttribute("aria-live", "polite");
    const choice = make("select", {});
    const body = make("div", { className: "viewer-body" }, mini, view, details);
    const desk = make("div", { className: "viewer-desk" });
    viewer.desk = desk;

    // where the drawing is
    const size = () => ({ width: plan.width, height: plan.height });
    const least = () => Math.min(view.clientWidth / plan.width, view.clientHeight / plan.height, 1);
    const kept = (place, full, seen) => (full <= seen ? (seen - full) / 2 : Math.min(Math.max(place, seen - full - 40), 40));

    function paint() {
      waiting = false;
      x = kept(x, plan.width * scale, view.clientWidth);
      y = kept(y, plan.height * scale, view.clientHeight);
      plan.svg.style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) scale(${scale.toFixed(4)})`;
      view.classList.toggle("far", scale < FAR);
      figure.dataset.scale = scale.toFixed(3);
      const shown = { x: -x / scale, y: -y / scale, width: view.clientWidth / scale, height: view.clientHeight / scale };
      for (const [key, value] of Object.entries(shown)) plan.frame.setAttribute(key, value);
    }

    function move(toX, toY, toScale, glide = false) {
      [x, y, scale] = [toX, toY, Math.min(Math.max(toScale, least()), CLOSEST)];
      view.classList.toggle("gliding", glide);
      if (!waiting) requestAnimationFrame(paint);
      waiting = true;
    }

    function zoom(factor, atX = view.clientWidth / 2, atY = view.clientHeight / 2, glide = true) {
      const to = Math.min(Math.max(scale * factor, least()), CLOSEST);
      move(atX - ((atX - x) / scale) * to, atY - ((atY - y) / scale) * to, to, glide);
    }

    const whole = () => move(0, 0, least(), true);
    const begin = (glide = true) => move(view.clientWidth / 2 - plan.boxes[0].x, 0, 1, glide); // legible, at the input
    const centre = (box, to) => move(view.clientWidth / 2 - box.x * to, view.clientHeight / 2 - (box.y + BOX / 2) * to, to, true);

    // which box is chosen
    function look(box) {
      details.replaceChildren(...(box.run === undefined ? aboutOperator(viewer, box.op) : aboutRun(viewer, box.run)));
      details.scrollTop = 0;
      for (const line of plan.lines) {
        line.mark.classList.toggle("reads", line.to === box);
        line.mark.classList.toggle("gives", line.from === box);
      }
    }

    function choose(box, focus = true) {
      for (const one of plan.boxes) {
        const isChosen = one === box;
        one.mark.classList.toggle("chosen", isChosen);
        one.dot.classList.toggle("chosen", isChosen);
        one.mark.setAttribute("tabindex", isChosen ? "0" : "-1");
      }
      chosen = box.key;
      choice.value = box.key;
      look(box);
      if (focus) box.mark.focus({ preventScroll: true });
    }

    function visit(box, focus = true) { // and bring it into view
      choose(box, focus);
      const [left, top] = [x + (box.x - box.width / 2) * scale, y + box.y * scale];
      const isInside = left > 0 && top > 0 && left + box.width * scale < view.clientWidth && top + BOX * scale < view.clientHeight;
      if (!isInside || scale < FAR) centre(box, Math.max(scale, LEGIBLE));
    }

    // blocks
    function setOpen(someRuns, isOpen, focus = true) {
      for (const run of someRuns) if (isOpen) opened.add(run); else opened.delete(run);
      const [run] = someRuns;
      draw();
      const box = byKey.get(isOpen ? `op ${runs[run].first}` : `run ${run}`);
      choose(box, focus);
      centre(box, Math.max(scale, LEGIBLE));
      foldAll.textContent = opened.size === runs.length ? "Fold equal blocks" : "Open equal blocks";
    }

    function draw() {
      plan = drawn(layout(graph, runs, opened), graph, runs, colourOf);
      byKey = new Map(plan.boxes.map((box) => [box.key, box]));
      plan.svg.setAttribute("role", "group");
      plan.svg.setAttribute("aria-label", `Operators of ${title}`);
      for (const box of plan.boxes) {
        const op = graph.operators[box.op];
        box.mark.setAttribute("role", "button");
        box.mark.setAttribute("tabindex", "-1");
        if (op) box.mark.dataset.op = box.op;
        else box.mark.setAttribute("aria-expanded", "false");
        box.mark.setAttribute("aria-label", op ? `${op.name}, ${op.type}` : `${box.title}, ${box.name}, folded`);
        box.mark.addEventListener("focus", () => { if (chosen !== box.key) choose(box, false); });
      }
      for (const { head, run, block } of plan.frames) {
        head.setAttribute("role", "button");
        head.setAttribute("tabindex", block ? "-1" : "0");
        head.setAttribute("aria-expanded", "true");
        head.setAttribute("aria-label", `Fold: block ${block + 1} of ${runs[run].count}`);
      }
      view.querySelector("svg.drawing")?.remove();
      view.prepend(plan.svg);
      overview();
      choice.replaceChildren(...plan.boxes.map((box) => make("option", {
        value: box.key, textContent: box.run === undefined ? `${graph.operators[box.op].name} (${graph.operators[box.op].type})` : `${box.title} (${box.name})`,
      })));
    }

    /** The small picture of the whole graph, beside the view. */
    function overview() {
      const { width, height } = size();
      const small = mark("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", preserveAspectRatio: "none" });
      const ratio = Math.min((mini.clientHeight || 400) / height, 84 / width);
      small.style.width = `${Math.max(width * ratio, 24)}px`;
      small.style.height = `${height * ratio}px`;
      for (const box of plan.boxes) {
        box.dot = mark("rect", { class: `dot ${box.colour}`, x: box.x - box.width / 2, y: box.y, width: box.width, height: BOX });
        small.append(box.dot);
      }
      plan.frame = mark("rect", { class: "frame", "vector-effect": "non-scaling-stroke" });
      small.append(plan.frame);
      mini.replaceChildren(small);
    }

    mini.addEventListener("pointerdown", (event) => {
      const small = mini.firstElementChild;
      const to = Math.max(scale, LEGIBLE);
      const go = ({ clientX, clientY }) => {
        const at = small.getBoundingClientRect();
        const [toX, toY] = [((clientX - at.left) / at.width) * plan.width, ((clientY - at.top) / at.height) * plan.height];
        move(view.clientWidth / 2 - toX * to, view.clientHeight / 2 - toY * to, to);
      };
      event.preventDefault();
      go(event);
      mini.setPointerCapture(event.pointerId);
      mini.onpointermove = go;
    });
    for (const over of ["pointerup", "pointercancel"]) mini.addEventListener(over, () => { mini.onpointermove = null; });

    // keys
    const boxNow = () => byKey.get(chosen);
    const beside = (step) => plan.boxes[plan.boxes.indexOf(boxNow()) + step];
    const walk = {
      ArrowDown: () => plan.lines.find((line) => line.from === boxNow())?.to,
      ArrowUp: () => plan.lines.find((line) => line.to === boxNow())?.from,
      ArrowRight: () => beside(1), ArrowLeft: () => beside(-1), Home: () => plan.boxes[0], End: () => plan.boxes.at(-1),
    };
    const pan = {
      ArrowDown: () => move(x, y - STEP, scale, true), ArrowUp: () => move(x, y + STEP, scale, true),
      ArrowRight: () => move(x - STEP, y, scale, true), ArrowLeft: () => move(x + STEP, y, scale, true),
      Home: () => begin(), End: () => move(x, view.clientHeight - plan.height * scale, scale, true),
    };
    const zooms = { "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: whole };

    /** Open a block, or go to what is told about an operator. */
    function enter(box) {
      if (box.run !== undefined) setOpen([box.run], true);
      else details.focus({ preventScroll: screen.open });
    }

    view.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const head = event.target.closest?.(".head");
      const box = byKey.get(event.target.closest?.(".op")?.dataset.key);
      const isPress = event.key === "Enter" || event.key === " ";
      if (event.key in zooms) zooms[event.key]();
      else if (isPress && head) setOpen([Number(head.dataset.run)], false);
      else if (isPress && box) enter(box);
      else if (box && event.key in walk) {
        const to = walk[event.key]();
        if (to) visit(to);
      } else if (!box && event.key in pan) pan[event.key]();
      else if (event.key === "Escape" && !screen.open) {
        if (event.target === view) view.blur();
        else view.focus({ preventScroll: true });
      } else return;
      event.preventDefault();
    });
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.target !== details || screen.open) return;
      boxNow().mark.focus({ preventScroll: true });
    });

    // the wheel scrolls the page, but with Ctrl or on the full screen; one finger too, two move and zoom the drawing
    view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && !screen.open) return;
      event.preventDefault();
      const at = view.getBoundingClientRect();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
      const isPinch = event.ctrlKey && Math.abs(pixels) < 50; // a touch pad's
      zoom(Math.exp(-pixels / (isPinch ? 120 : 500)), event.clientX - at.left, event.clientY - at.top, false);
    }, { passive: false });

    let fingers = null;
    const spread = ([a, b]) => ({ far: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2 });
    view.addEventListener("touchstart", (event) => {
      fingers = event.touches.length === 2 ? spread(event.touches) : null;
      if (fingers) event.preventDefault();
    }, { passive: false });
    view.addEventListener("touchmove", (event) => {
      if (!fingers || event.touches.length !== 2) return;
      event.preventDefault();
      const [at, before, after] = [view.getBoundingClientRect(), fingers, spread(event.touches)];
      const to = Math.min(Math.max((scale * after.far) / Math.max(before.far, 1), least()), CLOSEST);
      move(after.x - at.left - ((before.x - at.left - x) / scale) * to, after.y - at.top - ((before.y - at.top - y) / scale) * to, to);
      fingers = after;
    }, { passive: false });
    for (const over of ["touchend", "touchcancel"]) view.addEventListener(over, () => { fingers = null; });

    let drag = null; // of a mouse or pen anywhere, of a finger on the full screen
    let moved = 0;
    view.addEventListener("pointerdown", (event) => {
      moved = 0;
      if (event.button !== 0 || (event.pointerType === "touch" && !screen.open)) return;
      drag = { x: event.clientX, y: event.clientY };
    });
    view.addEventListener("pointermove", (event) => {
      if (!drag || fingers) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      moved += Math.abs(dx) + Math.abs(dy);
      drag = { x: event.clientX, y: event.clientY };
      if (moved < 5) return;
      if (!view.hasPointerCapture(event.pointerId)) view.setPointerCapture(event.pointerId);
      view.classList.add("dragging");
      move(x + dx, y + dy, scale);
    });
    for (const over of ["pointerup", "pointercancel"]) {
      view.addEventListener(over, () => { drag = null; view.classList.remove("dragging"); });
    }
    view.addEventListener("click", (event) => {
      if (moved >= 5) return;
      const head = event.target.closest(".head");
      const box = byKey.get(event.target.closest(".op")?.dataset.key);
      if (head) setOpen([Number(head.dataset.run)], false);
      else if (box?.run !== undefined) setOpen([box.run], true);
      else if (box) choose(box);
    });
    view.addEventListener("dblclick", (event) => {
      const at = view.getBoundingClientRect();
      if (!event.target.closest(".op, .head")) zoom(1.6, event.clientX - at.left, event.clientY - at.top);
    });
    view.addEventListener("pointerover", (event) => {
      const box = byKey.get(event.target.closest?.(".op")?.dataset.key);
      if (box && event.pointerType === "mouse" && !drag) look(box);
    });
    view.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") look(boxNow()); });
    view.addEventListener("scroll", () => view.scrollTo(0, 0)); // focus must not scroll what is moved by hand

    // buttons
    function button(text, label, act) {
      const made = make("button", { type: "button", textContent: text, title: label, onclick: act });
      if (text.length === 1) made.setAttribute("aria-label", label);
      return made;
    }
    const screen = make("dialog", { className: "viewer-screen moving" });
    screen.setAttribute("aria-label", `The graph of ${title}`);
    const toScreen = button("Full screen", "As large as the window", () => {
      if (screen.open) return screen.close();
      screen.append(desk);
      screen.showModal();
      toScreen.textContent = "Close";
      toScreen.title = "Back to the page";
      fit();
    });
    screen.addEventListener("close", () => {
      figure.insertBefore(desk, screen);
      toScreen.textContent = "Full screen";
      toScreen.title = "As large as the window";
      fit();
      toScreen.focus();
    });
    const foldAll = button("Open equal blocks", "Equal blocks that follow each other", () => {
      setOpen([...runs.keys()], opened.size < runs.length, false);
    });
    const fit = () => requestAnimationFrame(() => { overview(); choose(boxNow(), false); visit(boxNow(), false); move(x, y, scale); });
    choice.addEventListener("change", () => visit(byKey.get(choice.value), false));
    const controls = make("div", { className: "viewer-controls" },
      button("−", "Zoom out", () => zoom(1 / 1.4)), button("+", "Zoom in", () => zoom(1.4)),
      button("Whole", "The whole graph", whole), button("Start", "To the input", () => begin()),
      ...(runs.length ? [foldAll] : []), toScreen, make("label", {}, "Operator", choice));
    const hint = make("p", { className: "viewer-hint" },
      "Drag to move, Ctrl or ⌘ and the wheel to zoom; two fingers do both. Keys: the arrows walk from operator to operator, Enter opens, Escape leaves, + and − zoom, 0 shows all.");
    desk.append(controls, body, hint);
    figure.append(desk, screen);
    figure.dataset.ready = "true";

    /** Values of every operator for an input: {words, of: name -> [summary of each output]}, or null. */
    viewer.setValues = (values) => {
      viewer.values = values;
      figure.dataset.values = values ? values.words : "";
      for (const op of graph.operators) op.outputs.forEach((name, i) => { graph.operands.get(name).real = values?.of[op.name]?.[i]; });
      const hadFocus = plan.svg.contains(document.activeElement);
      draw();
      choose(boxNow(), hadFocus);
      move(x, y, scale);
    };

    draw();
    const telling = plan.boxes.find((box) => box.op !== undefined && graph.operators[box.op].weights.length && graph.operators[box.op].inputs.length);
    choose(telling ?? plan.boxes[0], false); // one with weights tells most
    begin(false);
    visit(boxNow(), false); // in a wide graph it may lie far beside the input
    new ResizeObserver(() => move(x, y, scale)).observe(view);
    globalThis.KuiperViewer.addValues?.(viewer);
    return viewer;
  }

  Object.assign(globalThis.KuiperViewer, { open, make, many, list, product, familyOf });
  document.querySelectorAll(".viewer-graph:not([data-ready])").forEach(start);
})();
