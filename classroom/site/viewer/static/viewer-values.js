// Values at every operator of one of the course's networks: those stored for a sample, those that the page computes
// for a drawn digit, and those that kuiper computes in the page for what the reader gives. All is loaded when asked for.
(() => {
  "use strict";
  const { summary } = globalThis.KuiperViewer;
  const PICTURE = 512; // longer side of a picture that is given to a network of the course
  Object.assign(globalThis.KuiperViewer, { stored: {}, pictures: {} }); // filled by scripts of the site's folder viewer/

  function load(address) {
    return new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => { script.remove(); done(); };
      script.onerror = () => failed(new Error(`${address} cannot be loaded`));
      document.head.append(script);
    });
  }

  const base64 = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(text);
  };

  /** What a canvas shows, as the kernel takes it: RGB bytes in base64, row after row. */
  function pixelsOf(canvas) {
    const { data } = canvas.getContext("2d", { willReadFrequently: true }).getImageData(0, 0, canvas.width, canvas.height);
    return { pixels: base64(data.filter((_, i) => i % 4 < 3)), height: canvas.height, width: canvas.width };
  }

  /** A file with a picture -> a canvas of width x height, or with the longer side at most PICTURE. */
  async function pictureOf(file, size = null) {
    const image = await createImageBitmap(file).catch(() => { throw new Error(`${file.name}: expected a picture that the browser can show`); });
    return canvasOf(image, size);
  }

  /** The same for a picture that the browser has already. */
  function canvasOf(image, size = null) {
    const [width, height] = [image.naturalWidth ?? image.width, image.naturalHeight ?? image.height];
    const ratio = Math.min(1, PICTURE / Math.max(width, height));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = size ?? [width, height].map((side) => Math.max(1, Math.round(side * ratio)));
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.fillStyle = "#ffffff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  /** Ask kuiper, in Python in this page: starts it where it does not run. `say` tells how far it is. */
  async function askKuiper(viewer, bar, request, say) {
    const live = globalThis.kuiperLive(viewer.root);
    if (!live.start) await live.load("config.js", "live-kernel.js", "live-page.js");
    if (!(await live.agreed(bar))) return null;
    const models = new Set([...(live.data?.models ?? []), ...(viewer.model ? [viewer.model] : [])]);
    await live.start([...models], (share, words) => say(`${words} … ${Math.round(100 * share)} %`));
    say("kuiper computes …");
    return live.ask(request);
  }

  /** A pad to draw a digit on; `drawn` is called with its grey levels when a stroke ends. */
  function pad(make, drawn) {
    const canvas = make("canvas", { className: "viewer-pad", width: 168, height: 168 });
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "Paper to draw a digit on, with mouse or finger; the buttons beside it take stored ones");
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    const clear = () => { pen.fillStyle = "#ffffff"; pen.fillRect(0, 0, canvas.width, canvas.height); };
    let last = null;
    clear();
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [((event.clientX - box.left) * canvas.width) / box.width, ((event.clientY - box.top) * canvas.height) / box.height];
    };
    const stroke = (to) => {
      [pen.strokeStyle, pen.lineWidth, pen.lineCap, pen.lineJoin] = ["#000000", canvas.width / 11, "round", "round"];
      pen.beginPath();
      pen.moveTo(...(last ?? to));
      pen.lineTo(...to);
      pen.stroke();
      last = to;
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      if (canvas.dataset.kind !== "own") clear();
      canvas.dataset.kind = "own";
      canvas.setPointerCapture(event.pointerId);
      stroke(at(event));
    });
    canvas.addEventListener("pointermove", (event) => last && stroke(at(event)));
    for (const over of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(over, () => {
        if (!last) return;
        last = null;
        const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
        drawn(Float64Array.from({ length: data.length / 4 }, (_, i) => (data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3), canvas.height, canvas.width);
      });
    }
    const show = (scan) => {
      canvas.dataset.kind = "scan";
      const side = canvas.width / 8;
      scan.forEach((value, i) => {
        const level = Math.round(255 - (255 * value) / 16);
        pen.fillStyle = `rgb(${level},${level},${level})`;
        pen.fillRect((i % 8) * side, Math.floor(i / 8) * side, side, side);
      });
    };
    return { canvas, clear: () => { canvas.dataset.kind = ""; clear(); }, show };
  }

  /** The digits network in JavaScript, as on the front page: a scan (64) of 0..16 -> the values of every operator. */
  function digitValues(viewer, network, scan) {
    const { run, tensor } = globalThis.KuiperDigits;
    const { values } = run(network, tensor([1, 8, 8], Float32Array.from(scan)));
    const of = {};
    for (const op of viewer.graph.operators) {
      if (op.outputs.length) of[op.name] = op.outputs.map((name) => summary([1, ...values[name].shape], "f32", values[name].data));
    }
    return of;
  }

  /** The reader's own input for a network of the course: a panel, filled when it is opened for the first time. */
  const own = {
    async digits(viewer, panel, say) {
      const { make } = globalThis.KuiperViewer;
      await load(`${viewer.root}front/digits-network.js`);
      if (!globalThis.KuiperDigits) await load(`${viewer.root}_static/digits-run.js`);
      const network = globalThis.KuiperDigits.load(globalThis.KUIPER_NETWORK);
      const show = (scan, words) => {
        viewer.setValues({ words, of: digitValues(viewer, network, scan) });
        say(`This page computed all of it, in JavaScript: ${words}.`);
      };
      const paper = pad(make, (grey, height, width) => {
        const scan = globalThis.KuiperDigits.scanOf(grey, height, width);
        if (scan) show(scan, "the digit that you drew");
      });
      const scans = network.scans.map((scan, digit) => make("button", {
        type: "button", textContent: String(digit), title: `A scan of a ${digit}`,
        onclick: () => { paper.show(scan); show(scan, `a held-out scan of a ${digit}`); },
      }));
      panel.append(paper.canvas, make("div", { className: "viewer-choice" }, make("p", { textContent: "Draw a digit, or take a scan:" }), ...scans,
        make("button", { type: "button", textContent: "Clear", onclick: paper.clear })));
      say("Draw a digit: this page computes every operator, in JavaScript.");
    },
    async writer(viewer, panel, say) {
      const { make } = globalThis.KuiperViewer;
      const field = make("input", { type: "text", value: "An operator reads", maxLength: 200 });
      const act = computeButton(viewer, () => panel, say, () => ({
        request: { do: "values", model: viewer.model, asked: { text: field.value } }, words: `the text “${field.value}”`,
      }));
      panel.append(make("label", {}, "Text (its first 24 tokens)", field), act);
      field.addEventListener("keydown", (event) => { if (event.key === "Enter") act.click(); });
    },
    async picture(viewer, panel, say) {
      const { make, pictures } = globalThis.KuiperViewer;
      await load(`${viewer.root}viewer/pictures-${viewer.model}.js`);
      const file = make("input", { type: "file", accept: "image/*" });
      let chosen = null; // one of the buttons
      const choose = (button) => {
        chosen = button;
        for (const one of samples) one.setAttribute("aria-pressed", String(one === button));
        if (button) file.value = "";
      };
      const samples = pictures[viewer.model].map((address, place) => make("button", {
        type: "button", className: "viewer-picture", onclick: () => choose(samples[place]),
      }, make("img", { src: address, alt: `Held-out picture ${place + 1}` })));
      choose(null);
      file.addEventListener("change", () => choose(null));
      const act = computeButton(viewer, () => panel, say, async () => {
        const picture = chosen?.firstChild;
        if (!picture && !file.files[0]) throw new Error("expected a picture: choose one, or a file of yours");
        const asked = pixelsOf(picture ? canvasOf(picture) : await pictureOf(file.files[0]));
        const words = picture ? picture.alt.replace("Held", "held") : `your picture ${file.files[0].name}`;
        return { request: { do: "values", model: viewer.model, asked }, words };
      });
      const choice = make("div", { className: "viewer-choice" }, make("p", { textContent: "Take a picture that the network has never seen:" }), ...samples);
      panel.append(choice, make("label", {}, "Or one of yours", file), act);
    },
  };

  /** A button that has kuiper compute in this page, and stops it when it is pressed again.
      `given` says what to ask, {request, words}, or fails with what is missing. */
  function computeButton(viewer, place, say, given) {
    const START = "Compute with kuiper in this page";
    const button = globalThis.KuiperViewer.make("button", { type: "button", textContent: START });
    let isBusy = false;
    button.addEventListener("click", async () => {
      if (isBusy) return globalThis.KuiperLive?.stop?.();
      isBusy = true;
      button.textContent = "Stop";
      try {
        const { request, words } = await given();
        const answer = await askKuiper(viewer, place(), request, say);
        if (answer?.of) viewer.setValues({ words, of: answer.of });
        say(answer ? answer.failed ?? `kuiper computed all of it in this page, for ${words}.` : "");
      } catch (error) {
        say(error.message);
      }
      isBusy = false;
      button.textContent = START;
    });
    return button;
  }

  /** The row above a viewer of the course's networks that asks for values. */
  function addValues(viewer) {
    if (!viewer.model) return;
    const { make } = globalThis.KuiperViewer;
    const said = make("p", { className: "viewer-said" });
    said.setAttribute("role", "status");
    const say = (words) => { said.textContent = words; };
    const panel = make("div", { className: "viewer-panel", hidden: true });
    const sample = make("button", { type: "button", className: "viewer-sample", textContent: "Show values of a sample", async onclick() {
      try {
        if (!globalThis.KuiperViewer.stored[viewer.model]) await load(`${viewer.root}viewer/values-${viewer.model}.js`);
        const stored = globalThis.KuiperViewer.stored[viewer.model];
        viewer.setValues(stored);
        say(`Every operator has the values for ${stored.words} now: stored ones, which kuiper computed when this site was built.`);
      } catch (error) {
        say(error.message);
      }
    } });
    let isFilled = false;
    const mine = make("button", { type: "button", className: "viewer-mine", textContent: "Values of my own input", async onclick() {
      panel.hidden = !panel.hidden;
      mine.setAttribute("aria-expanded", String(!panel.hidden));
      if (isFilled) return;
      isFilled = true;
      try {
        await (own[viewer.model] ?? own.picture)(viewer, panel, say);
      } catch (error) {
        isFilled = false;
        say(error.message);
      }
    } });
    mine.setAttribute("aria-expanded", "false");
    const more = make("a", { href: `${viewer.root}viewer.html`, textContent: "Open a .param of my own" });
    viewer.desk.prepend(make("div", { className: "viewer-input" }, make("div", { className: "viewer-controls" }, sample, mine, more), panel, said));
  }

  Object.assign(globalThis.KuiperViewer, { addValues, computeButton, pixelsOf, pictureOf, base64 });
})();
