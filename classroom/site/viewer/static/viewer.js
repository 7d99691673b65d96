// The viewer of a network: <figure class="viewer-graph"> with a still drawing, and the text of its .param as JSON.
(() => {
  "use strict";
  const { BOX, parse, equalBlocks, layout, drawn, mark, families, make, colourOf, aboutOperator, aboutRun, movable } = globalThis.KuiperViewer;
  const STEP = 80; // pixels that an arrow key moves the drawing
  const FAR = 0.42; // below this scale no text can be read, so none is drawn
  const LEGIBLE = 0.85; // least scale at which an operator is brought into view

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
    const { at, move, zoom, whole, centre, isDragging, wasDragged } = movable(view, {
      size: () => [plan.width, plan.height], isScreen: () => screen.open, painted,
    });
    const begin = (glide = true) => move(view.clientWidth / 2 - plan.boxes[0].x, 0, 1, glide); // legible, at the input
    const show = (box) => centre(box.x, box.y + BOX / 2, Math.max(at.scale, LEGIBLE));

    function painted({ x, y, scale }) {
      plan.svg.style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) scale(${scale.toFixed(4)})`;
      view.classList.toggle("far", scale < FAR);
      figure.dataset.scale = scale.toFixed(3);
      const shown = { x: -x / scale, y: -y / scale, width: view.clientWidth / scale, height: view.clientHeight / scale };
      for (const [key, value] of Object.entries(shown)) plan.frame.setAttribute(key, value);
    }

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
      const { x, y, scale } = at;
      const [left, top] = [x + (box.x - box.width / 2) * scale, y + box.y * scale];
      const isInside = left > 0 && top > 0 && left + box.width * scale < view.clientWidth && top + BOX * scale < view.clientHeight;
      if (!isInside || scale < FAR) show(box);
    }

    // blocks
    function setOpen(someRuns, isOpen, focus = true) {
      for (const run of someRuns) if (isOpen) opened.add(run); else opened.delete(run);
      const [run] = someRuns;
      draw();
      const box = byKey.get(isOpen ? `op ${runs[run].first}` : `run ${run}`);
      choose(box, focus);
      show(box);
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
      const { width, height } = plan;
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
      const go = ({ clientX, clientY }) => {
        const box = small.getBoundingClientRect();
        const x = ((clientX - box.left) / box.width) * plan.width;
        const y = ((clientY - box.top) / box.height) * plan.height;
        centre(x, y, Math.max(at.scale, LEGIBLE), false);
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
      ArrowDown: () => move(at.x, at.y - STEP, at.scale, true), ArrowUp: () => move(at.x, at.y + STEP, at.scale, true),
      ArrowRight: () => move(at.x - STEP, at.y, at.scale, true), ArrowLeft: () => move(at.x + STEP, at.y, at.scale, true),
      Home: () => begin(), End: () => move(at.x, view.clientHeight - plan.height * at.scale, at.scale, true),
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

    view.addEventListener("click", (event) => {
      if (wasDragged()) return;
      const head = event.target.closest(".head");
      const box = byKey.get(event.target.closest(".op")?.dataset.key);
      if (head) setOpen([Number(head.dataset.run)], false);
      else if (box?.run !== undefined) setOpen([box.run], true);
      else if (box) choose(box);
    });
    view.addEventListener("pointerover", (event) => {
      const box = byKey.get(event.target.closest?.(".op")?.dataset.key);
      if (box && event.pointerType === "mouse" && !isDragging()) look(box);
    });
    view.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") look(boxNow()); });

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
    const fit = () => requestAnimationFrame(() => { overview(); choose(boxNow(), false); visit(boxNow(), false); move(at.x, at.y); });
    choice.addEventListener("change", () => visit(byKey.get(choice.value), false));
    const controls = make("div", { className: "viewer-controls" },
      button("−", "Zoom out", () => zoom(1 / 1.4)), button("+", "Zoom in", () => zoom(1.4)),
      button("Whole", "The whole graph", whole), button("Start", "To the input", () => begin()),
      ...(runs.length ? [foldAll] : []), toScreen, make("label", {}, "Operator", choice));
    const hint = make("p", { className: "viewer-hint" },
      matchMedia("(pointer: coarse)").matches ? "Two fingers move and zoom; one does in the full screen." : "Drag to move, Ctrl or ⌘ and the wheel to zoom. Keys: the arrows walk from operator to operator, Enter opens, Escape leaves, + and − zoom, 0 shows all.");
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
      move(at.x, at.y);
    };

    draw();
    const telling = plan.boxes.find((box) => box.op !== undefined && graph.operators[box.op].weights.length && graph.operators[box.op].inputs.length);
    choose(telling ?? plan.boxes[0], false); // one with weights tells most
    begin(false);
    visit(boxNow(), false); // in a wide graph it may lie far beside the input
    new ResizeObserver(() => move(at.x, at.y)).observe(view);
    globalThis.KuiperViewer.addValues?.(viewer);
    return viewer;
  }

  Object.assign(globalThis.KuiperViewer, { open });
  document.querySelectorAll(".viewer-graph:not([data-ready])").forEach(start);
})();
