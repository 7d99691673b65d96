/* The front page's digit: draw one or choose one, and every layer of the network shows what it makes of it. */
(() => {
  "use strict";
  const exhibit = document.getElementById("digit");
  if (!exhibit || !globalThis.KUIPER_NETWORK || !globalThis.KuiperDigits) return;
  const { load, run, softmax, scanOf, tensor } = globalThis.KuiperDigits;
  const network = load(globalThis.KUIPER_NETWORK);
  const PEN = 1 / 11; // of the pad's side
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  /* the pad: black ink on white paper, whatever the page's colours */
  const pad = exhibit.querySelector("canvas.digit-pad");
  const pen = pad.getContext("2d", { willReadFrequently: true });
  const said = exhibit.querySelector(".digit-said");

  function clear() {
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, pad.width, pad.height);
  }

  function grey() {
    const { data } = pen.getImageData(0, 0, pad.width, pad.height);
    return Float64Array.from({ length: data.length / 4 }, (_, i) => (data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3);
  }

  /* maps: (C,H,W) or (C) as small pictures, positive orange, negative blue, the largest number in full colour */
  function drawMaps(canvas, { shape, data }) {
    const [maps, height, width] = shape.length === 3 ? shape : [shape[0], 1, 1];
    const across = Math.min(maps, height >= 8 ? 16 : 32);
    const down = Math.ceil(maps / across);
    const gap = height > 1 ? 1 : 0;
    const [columns, rows] = [across * (width + gap) - gap, down * (height + gap) - gap];
    const room = Math.max(canvas.parentElement.clientWidth, 1) * devicePixelRatio;
    const cell = Math.max(1, Math.min(Math.floor(room / columns), Math.round((maps === 1 ? 12 : 6) * devicePixelRatio)));
    [canvas.width, canvas.height] = [columns * cell, rows * cell];
    canvas.style.width = `${canvas.width / devicePixelRatio}px`;
    const brush = canvas.getContext("2d");
    const style = getComputedStyle(exhibit);
    const [positive, negative] = ["--positive", "--negative"].map((name) => style.getPropertyValue(name));
    const ground = style.getPropertyValue("--ground");
    const most = data.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
    for (let map = 0; map < maps; map++) {
      const left = (map % across) * (width + gap);
      const top = Math.floor(map / across) * (height + gap);
      brush.globalAlpha = 1;
      brush.fillStyle = ground;
      brush.fillRect(left * cell, top * cell, width * cell, height * cell);
      for (let i = 0; i < height * width; i++) {
        const value = data[map * height * width + i] / most;
        if (!value) continue;
        brush.globalAlpha = Math.abs(value);
        brush.fillStyle = value > 0 ? positive : negative;
        brush.fillRect((left + (i % width)) * cell, (top + Math.floor(i / width)) * cell, cell, cell);
      }
    }
  }

  /* the places for what comes out of each stage; the last one is the scores, which are bars */
  const layers = exhibit.querySelector(".digit-layers");
  const drawn = network.stages.slice(0, -1).map(({ value, words }, at) => {
    const canvas = make("canvas", { "aria-hidden": "true" });
    const size = make("span", { class: "digit-size" });
    const item = make("li", { style: `--turn: ${at}` }, make("p", {}, make("span", {}, words), size), make("div", {}, canvas));
    layers.append(item);
    return { value, canvas, size };
  });
  const bars = Array.from({ length: 10 }, (_, digit) => {
    const bar = make("span", { class: "digit-bar" });
    const share = make("span", { class: "digit-share" });
    const row = make("li", {}, make("span", { class: "digit-name" }, String(digit)), make("span", { class: "digit-track" }, bar), share);
    exhibit.querySelector(".digit-scores").append(row);
    return { row, bar, share };
  });

  let shown = null;

  /* Run the network on a scan (64) of 0..16, and show everything; null: nothing is drawn yet. */
  function show(scan, aloud) {
    shown = scan;
    exhibit.classList.toggle("digit-empty", !scan);
    const { values, output } = run(network, tensor([1, 8, 8], Float32Array.from(scan ?? new Array(64).fill(0))));
    for (const { value, canvas, size } of drawn) {
      const result = values[value];
      const [maps, ...sides] = result.shape;
      size.textContent = sides.length && sides[0] > 1 ? `${maps} of ${sides.join("x")}` : `${maps} numbers`;
      drawMaps(canvas, result);
    }
    const shares = scan ? softmax(output.data) : new Array(10).fill(0);
    const best = shares.indexOf(Math.max(...shares));
    bars.forEach(({ row, bar, share }, digit) => {
      bar.style.width = `${100 * shares[digit]}%`;
      share.textContent = scan ? `${Math.round(100 * shares[digit])} %` : "";
      row.classList.toggle("digit-best", Boolean(scan) && digit === best);
    });
    exhibit.dataset.logits = scan ? JSON.stringify([...output.data]) : "";
    if (aloud) said.textContent = scan ? `It reads a ${best}: ${Math.round(100 * shares[best])} %.` : "Draw a digit.";
  }

  /* layer after layer */
  function light() {
    exhibit.classList.remove("digit-lit");
    if (calm.matches) return;
    void exhibit.offsetWidth; // so that the animation begins again
    exhibit.classList.add("digit-lit");
  }

  const look = (aloud) => show(scanOf(grey(), pad.height, pad.width), aloud);

  let last = null;
  let due = false;
  function stroke(event) {
    const box = pad.getBoundingClientRect();
    const at = [((event.clientX - box.left) * pad.width) / box.width, ((event.clientY - box.top) * pad.height) / box.height];
    pen.strokeStyle = "#000000";
    pen.lineWidth = PEN * pad.width;
    pen.lineCap = pen.lineJoin = "round";
    pen.beginPath();
    pen.moveTo(...(last ?? at));
    pen.lineTo(...at);
    pen.stroke();
    last = at;
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      if (last) look(false);
    });
  }

  let own = false;
  pad.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (!own) clear();
    own = true;
    pad.setPointerCapture(event.pointerId);
    stroke(event);
  });
  pad.addEventListener("pointermove", (event) => last && stroke(event));
  const lift = () => {
    if (!last) return;
    last = null;
    look(true);
    light();
  };
  pad.addEventListener("pointerup", lift);
  pad.addEventListener("pointercancel", lift);
  exhibit.querySelector(".digit-clear").addEventListener("click", () => {
    own = false;
    clear();
    show(null, true);
  });

  /* the scans that came with the network, by button: they reach the network as they are */
  function choose(digit) {
    own = false;
    const scan = network.scans[digit];
    const side = pad.width / 8;
    scan.forEach((value, i) => {
      const level = Math.round(255 - (255 * value) / 16);
      pen.fillStyle = `rgb(${level},${level},${level})`;
      pen.fillRect((i % 8) * side, Math.floor(i / 8) * side, side, side);
    });
    show(scan, true);
    light();
  }
  const choice = exhibit.querySelector(".digit-choice");
  network.scans.forEach((_, digit) => {
    const button = make("button", { type: "button", "aria-label": `a scan of a ${digit}` }, String(digit));
    button.addEventListener("click", () => choose(digit));
    choice.append(button);
  });

  exhibit.classList.add("digit-ready");
  choose(0);
  const again = () => show(shown, false);
  addEventListener("resize", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  new MutationObserver(again).observe(document.body, { attributeFilter: ["data-theme"] });
})();
