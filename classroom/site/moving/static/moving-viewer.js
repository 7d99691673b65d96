// The viewer of a network's graph: <figure class="moving moving-graph"> with its drawing, and its operators as JSON.
(() => {
  "use strict";
  const STEP = 80; // pixels that an arrow key moves the drawing
  const CLOSEST = 3; // greatest scale
  const FAR = 0.42; // below this scale no text can be read, so none is drawn
  const LEGIBLE = 0.85; // least scale at which an operator is brought into view
  const SVG = "http://www.w3.org/2000/svg";

  function make(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function mark(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // What is told about one operator.
  function tell(panel, op) {
    const lists = [
      ["Reads", op.in.map(([name, shape, slot]) => `${name}  ${shape}${slot ? `  (${slot})` : ""}`)],
      ["Gives", op.out.map((one) => one.join("  "))],
      ["Parameters", op.params.map((one) => one.join(" = "))],
      ["Weights", op.weights.map(([name, shape, count]) => `${name}  ${shape}  = ${count.toLocaleString("en")} numbers`)],
    ];
    panel.replaceChildren(
      make("p", { className: "moving-name", textContent: op.name }), make("p", { textContent: `${op.type}, ${op.family}` }),
    );
    for (const [title, lines] of lists) {
      if (!lines.length) continue;
      const items = lines.map((line) => make("li", { textContent: line }));
      panel.append(make("p", { className: "moving-list", textContent: title }), make("ul", {}, ...items));
    }
  }

  // The small picture of the whole graph in the corner.
  function overview(size, boxes) {
    const scale = Math.min(200 / size.height, 90 / size.width);
    const small = mark("svg", {
      class: "moving-overview", viewBox: `0 0 ${size.width} ${size.height}`, "aria-hidden": "true",
      width: Math.max(size.width * scale, 14), height: size.height * scale, preserveAspectRatio: "none",
    });
    const dots = boxes.map((box) => mark("rect", { class: `dot ${box.colour}`, x: box.x, y: box.y, width: box.width, height: box.height }));
    const frame = mark("rect", { class: "frame", "vector-effect": "non-scaling-stroke" });
    small.append(...dots, frame);
    return { small, dots, frame };
  }

  function start(figure) {
    const { title, ops, edges } = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    const view = figure.querySelector(".moving-view");
    const drawing = view.querySelector("svg.drawing");
    const [, top, width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
    const size = { width, height };
    const groups = [...drawing.querySelectorAll(".op")];
    const lines = [...drawing.querySelectorAll(".edge")];
    const boxes = groups.map((group) => {
      const [x, y, wide, tall] = ["x", "y", "width", "height"].map((key) => Number(group.firstElementChild.getAttribute(key)));
      return { x, y: y - top, width: wide, height: tall, colour: group.getAttribute("class").split(" ")[1] };
    });
    const { small, dots, frame } = overview(size, boxes);
    const details = make("div", { className: "moving-details", tabIndex: 0 });
    details.setAttribute("role", "region");
    details.setAttribute("aria-label", "About the operator");
    details.setAttribute("aria-live", "polite");
    let x = 0, y = 0, scale = 1, chosen = 0, waiting = false;

    const least = () => Math.min(view.clientWidth / size.width, view.clientHeight / size.height, 1);
    const kept = (place, full, seen) => (full <= seen ? (seen - full) / 2 : Math.min(Math.max(place, seen - full - 40), 40));

    function paint() {
      waiting = false;
      x = kept(x, size.width * scale, view.clientWidth);
      y = kept(y, size.height * scale, view.clientHeight);
      drawing.style.transform = `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) scale(${scale.toFixed(4)})`;
      view.classList.toggle("far", scale < FAR);
      figure.dataset.scale = scale.toFixed(3);
      const shown = { x: -x / scale, y: -y / scale, width: view.clientWidth / scale, height: view.clientHeight / scale };
      for (const [key, value] of Object.entries(shown)) frame.setAttribute(key, value);
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

    function begin(glide = true) { // legible, at the input
      move(view.clientWidth / 2 - (boxes[0].x + boxes[0].width / 2), 0, 1, glide);
    }

    const whole = () => move(0, 0, least(), true);
    const centre = (box, to) => move(view.clientWidth / 2 - (box.x + box.width / 2) * to, view.clientHeight / 2 - (box.y + box.height / 2) * to, to, true);

    function look(i) { // shows what is known of an operator, and its lines
      tell(details, ops[i]);
      lines.forEach((line, n) => {
        line.classList.toggle("reads", edges[n][1] === i);
        line.classList.toggle("gives", edges[n][0] === i);
      });
    }

    function choose(i, focus = true) {
      groups[chosen].classList.remove("chosen");
      dots[chosen].classList.remove("chosen");
      groups[chosen].setAttribute("tabindex", "-1");
      chosen = i;
      groups[i].classList.add("chosen");
      dots[i].classList.add("chosen");
      groups[i].setAttribute("tabindex", "0");
      list.value = String(i);
      look(i);
      if (focus) groups[i].focus({ preventScroll: true });
    }

    function visit(i, focus = true) { // and bring it into view
      choose(i, focus);
      const box = boxes[i];
      const inside = x + box.x * scale > 0 && y + box.y * scale > 0 && x + (box.x + box.width) * scale < view.clientWidth &&
        y + (box.y + box.height) * scale < view.clientHeight;
      if (!inside || scale < FAR) centre(box, Math.max(scale, LEGIBLE));
    }

    const next = (from, to) => edges.find((edge) => edge[from] === chosen)?.[to];
    const walk = {
      ArrowDown: () => next(0, 1), ArrowUp: () => next(1, 0),
      ArrowRight: () => chosen + 1, ArrowLeft: () => chosen - 1, Home: () => 0, End: () => ops.length - 1,
    };
    const pan = {
      ArrowDown: () => move(x, y - STEP, scale, true), ArrowUp: () => move(x, y + STEP, scale, true),
      ArrowRight: () => move(x - STEP, y, scale, true), ArrowLeft: () => move(x + STEP, y, scale, true),
      Home: () => begin(), End: () => move(x, view.clientHeight - size.height * scale, scale, true),
    };
    const zooms = { "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: whole };

    view.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const onBox = event.target !== view;
      if (event.key in zooms) zooms[event.key]();
      else if (onBox && event.key in walk) {
        const to = walk[event.key]();
        if (ops[to]) visit(to);
      } else if (!onBox && event.key in pan) pan[event.key]();
      else if (onBox && event.key === "Escape") view.focus({ preventScroll: true });
      else return;
      event.preventDefault();
    });

    view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !view.contains(document.activeElement)) return; // the page scrolls
      event.preventDefault();
      const at = view.getBoundingClientRect();
      const lines16 = event.deltaMode === 1 ? 16 : 1;
      zoom(Math.exp((-event.deltaY * lines16) / (event.ctrlKey ? 120 : 500)), event.clientX - at.left, event.clientY - at.top, false);
    }, { passive: false });

    const fingers = new Map();
    let moved = 0;
    const spread = ([a, b]) => ({ far: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
    view.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || small.contains(event.target)) return;
      if (!fingers.size) moved = 0;
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY, op: event.target.closest(".op") });
    });
    view.addEventListener("pointermove", (event) => {
      const finger = fingers.get(event.pointerId);
      if (!finger) return;
      const before = fingers.size === 2 ? spread([...fingers.values()]) : null;
      const [dx, dy] = [event.clientX - finger.x, event.clientY - finger.y];
      moved += Math.abs(dx) + Math.abs(dy);
      [finger.x, finger.y] = [event.clientX, event.clientY];
      if (moved < 5) return;
      if (!view.hasPointerCapture(event.pointerId)) view.setPointerCapture(event.pointerId);
      view.classList.add("dragging");
      if (!before) return move(x + dx, y + dy, scale);
      const at = view.getBoundingClientRect(), after = spread([...fingers.values()]);
      const to = Math.min(Math.max((scale * after.far) / Math.max(before.far, 1), least()), CLOSEST);
      move(after.x - at.left - ((before.x - at.left - x) / scale) * to, after.y - at.top - ((before.y - at.top - y) / scale) * to, to);
    });
    function lift(event) {
      const finger = fingers.get(event.pointerId);
      fingers.delete(event.pointerId);
      if (!fingers.size) view.classList.remove("dragging");
      if (event.type === "pointerup" && finger?.op && moved < 5) choose(groups.indexOf(finger.op));
    }
    view.addEventListener("pointerup", lift);
    view.addEventListener("pointercancel", lift);
    view.addEventListener("dblclick", (event) => {
      const at = view.getBoundingClientRect();
      zoom(1.6, event.clientX - at.left, event.clientY - at.top);
    });
    view.addEventListener("pointerover", (event) => {
      const group = event.target.closest?.(".op");
      if (group && event.pointerType === "mouse" && !fingers.size) look(groups.indexOf(group));
    });
    view.addEventListener("pointerleave", () => look(chosen));
    view.addEventListener("scroll", () => view.scrollTo(0, 0)); // focus must not scroll what is moved by hand
    small.addEventListener("pointerdown", (event) => {
      const at = small.getBoundingClientRect();
      const [toX, toY] = [((event.clientX - at.left) / at.width) * size.width, ((event.clientY - at.top) / at.height) * size.height];
      const to = Math.max(scale, LEGIBLE);
      move(view.clientWidth / 2 - toX * to, view.clientHeight / 2 - toY * to, to, true);
    });

    const names = { "−": ["Zoom out", () => zoom(1 / 1.4)], "+": ["Zoom in", () => zoom(1.4)], Whole: ["The whole graph", whole], Start: ["To the input", () => begin()] };
    const buttons = Object.entries(names).map(([sign, [label, act]]) => {
      const made = make("button", { type: "button", textContent: sign, title: label, onclick: act });
      if (sign.length === 1) made.setAttribute("aria-label", label);
      return made;
    });
    const list = make("select", { onchange: () => visit(Number(list.value), false) });
    list.append(...ops.map((op, i) => make("option", { value: String(i), textContent: `${op.name} (${op.type})` })));
    const label = make("label", {}, "Operator", list);
    figure.querySelector(".moving-body").before(make("div", { className: "moving-controls" }, ...buttons, label));
    const hint = "Drag to move. Click into the graph, then turn the wheel to zoom, or pinch. Keys: + - 0, the arrows; Tab goes to an operator, the arrows then to its neighbours.";
    figure.querySelector(".moving-body").after(make("p", { className: "moving-hint", textContent: hint }));
    view.append(small);
    view.after(details);

    drawing.setAttribute("role", "group");
    groups.forEach((group, i) => {
      group.setAttribute("role", "button");
      group.setAttribute("tabindex", "-1");
      group.setAttribute("aria-label", `${ops[i].name}, ${ops[i].type}`);
      group.addEventListener("focus", () => { if (chosen !== i) choose(i, false); });
    });
    view.setAttribute("aria-label", `Graph of the ${title} network. Arrow keys move it, plus and minus zoom.`);
    figure.dataset.ready = "true";
    new ResizeObserver(() => move(x, y, scale)).observe(view);
    choose(Math.max(ops.findIndex((op) => op.in.length && op.weights.length), 0), false); // one with weights tells most
    begin(false);
    visit(chosen, false); // in a wide graph it may lie far beside the input
  }

  document.querySelectorAll(".moving-graph:not([data-ready])").forEach(start);
})();
