// A lesson's cells: each can be changed and run, those above it first; what it shows appears beneath.
(() => {
  "use strict";
  const live = window.KuiperLive;
  const { data } = live;
  const key = `cells:${data.lesson}`;
  const changes = window.KuiperStore.read(key);
  const gates = window.KuiperGates; // undefined in a lesson without predictions
  const cells = [];
  const queue = live.queue(() => controls());
  let status;

  /** Where a cell of the page has its source and its stored outputs. */
  function found(cell, number) {
    const input = cell.querySelector(".cell_input");
    const source = input.querySelector("pre").textContent.replace(/\n$/, "");
    const folded = [...cell.querySelectorAll("details.hide")].filter((one) => one.querySelector(".cell_output"));
    const stored = folded.length ? folded : [...cell.querySelectorAll(".cell_output")];
    return { number, cell, input, source, stored, ran: false };
  }

  async function dress(one) {
    const parent = live.element("div", "live-editor");
    const changed = () => {
      const text = one.editor.text();
      if (text === one.source) delete changes[one.number];
      else changes[one.number] = { text, of: one.source };
      one.reset.disabled = text === one.source;
      one.ran = false;
      if (!window.KuiperStore.write(key, changes)) {
        status.say("This browser keeps nothing for this page: changes are lost when it is closed.");
      }
    };
    const before = changes[one.number];
    const text = before?.of === one.source ? before.text : one.source; // of another edition: the course's cell
    one.editor = await live.editor(parent, text, { label: `Code of cell ${one.number}`, changed, run: () => run(one) });
    const bar = live.element("div", "live-cell-bar");
    one.button = live.button("Run", () => run(one));
    one.button.setAttribute("aria-label", `Run cell ${one.number}`);
    one.reset = live.button("Reset", () => reset(one));
    one.reset.setAttribute("aria-label", `Reset cell ${one.number} to the course's`);
    one.reset.disabled = text === one.source;
    one.state = live.element("span", "live-state");
    one.state.setAttribute("role", "status");
    bar.append(one.button, one.reset, one.state);
    one.output = live.element("div", "live-output");
    one.output.hidden = true;
    one.input.querySelector("div.highlight").replaceWith(parent);
    const gated = one.cell.querySelector(":scope > .gate-result");
    if (gated) one.input.after(bar);
    else one.cell.append(bar);
    (gated ?? one.cell).append(one.output);
  }

  function reset(one) {
    one.editor.replace(one.source);
    one.output.hidden = true;
    one.output.replaceChildren();
    one.state.textContent = "";
    one.stored.forEach((each) => { each.hidden = false; });
    one.ran = false;
  }

  const kinds = { stdout: "live-text", stderr: "live-text live-stderr", error: "live-text live-error", value: "live-text" };

  /** An output as an element: pictures as images, in which no script runs. */
  function drawn(output) {
    const type = { svg: "svg+xml", png: "png", jpeg: "jpeg" };
    const kind = Object.keys(type).find((name) => output[name]);
    if (!kind) return live.element("pre", kinds[output.kind], output.text);
    const image = live.element("img", `live-picture live-${kind}`);
    const code = kind === "svg" ? `;utf8,${encodeURIComponent(output.svg)}` : `;base64,${output[kind]}`;
    image.src = `data:image/${type[kind]}${code}`;
    image.alt = kind === "svg" ? (/aria-label="([^"]*)"/.exec(output.svg)?.[1] ?? "What the cell draws") : "What the cell draws";
    return image;
  }

  function show(one, outputs) {
    const missing = outputs.find((output) => output.kind === "missing");
    const others = outputs.filter((output) => output.kind !== "missing").map(drawn);
    if (missing) {
      const note = `${missing.text} What stands here is what the course's own run showed.`;
      others.push(live.element("p", "live-note", note));
    }
    one.output.replaceChildren(...others);
    one.output.querySelectorAll("pre").forEach((pre) => { pre.tabIndex = pre.scrollWidth > pre.clientWidth ? 0 : -1; });
    one.output.hidden = others.length === 0;
    one.stored.forEach((each) => { each.hidden = !missing; });
    one.outputs = outputs;
    dispatchEvent(new Event("resize")); // a box with a longer line gets the other width
  }

  async function runOne(one) {
    one.isBusy = true;
    controls();
    one.state.textContent = "runs ...";
    one.cell.classList.add("live-runs");
    one.output.replaceChildren();
    one.output.hidden = true;
    one.stored.forEach((each) => { each.hidden = true; }); // not what this code gives
    const printed = live.element("pre", "live-text");
    const tell = (text) => {
      if (!printed.isConnected) { one.output.replaceChildren(printed); one.output.hidden = false; }
      printed.textContent += text;
    };
    const started = performance.now();
    try {
      const { outputs } = await live.ask({ do: "cell", source: one.editor.text(), number: one.number }, tell);
      show(one, outputs);
      one.ran = true;
      const failed = outputs.some((output) => output.kind === "error");
      const waits = gates?.closed(one.cell) ? "; what it shows waits for your guess" : "";
      one.state.textContent = `${failed ? "an error" : "ran"}, ${((performance.now() - started) / 1000).toFixed(1)} s${waits}`;
      return !failed;
    } catch (error) {
      one.state.textContent = error.message;
      throw error;
    } finally {
      one.cell.classList.remove("live-runs");
      one.isBusy = false;
      controls();
    }
  }

  /** Start Python, if it does not run, with an empty namespace. */
  async function ready() {
    if (!(await live.agreed(live.place.firstChild))) throw new Error("Python was not fetched.");
    const fresh = !live.started;
    live.started = true;
    await live.start(data.models, status.progress);
    if (fresh) {
      cells.forEach((one) => { one.ran = false; });
      await live.ask({ do: "open", lesson: data.lesson });
    }
  }

  /** Run the cells that `wanted` gives when it is their turn. */
  const work = (wanted, dropped) => queue.add(async () => {
    try {
      await ready();
      for (const one of wanted()) {
        status.busy(`Cell ${one.number} of ${cells.length} runs`);
        await runOne(one); // an error in a cell does not keep those below it from running
      }
      status.say("Python is ready. Shift+Enter runs a cell; Escape, then Tab leaves an editor.");
    } catch (error) {
      queue.clear();
      if (error.message === "stopped") status.say("Stopped. Your cells are kept; the next run begins anew.");
      else { live.started = false; status.say(error.message); }
    }
  }, dropped);

  /** This cell, and before it those above that have not run; one whose result is to be foreseen asks for the guess first. */
  const run = (one) => {
    if (one.isBusy || gates?.ask(one.cell, () => run(one))) return;
    const waits = (is, words) => {
      one.isBusy = is;
      one.state.textContent = words;
    };
    if (queue.isBusy()) waits(true, "waits");
    work(() => [...cells.slice(0, one.number - 1).filter((each) => !each.ran), one], () => waits(false, ""));
  };

  function stop() {
    live.started = false;
    queue.clear();
    live.stop();
    cells.forEach((one) => { one.ran = false; });
  }

  let all, halt, anew;
  function controls() {
    live.disable(all, queue.isBusy());
    live.disable(anew, queue.isBusy());
    halt.disabled = !queue.isBusy();
    cells.forEach((one) => live.disable(one.button, Boolean(one.isBusy)));
  }

  live.open = async (bar, button, words) => {
    status = live.status(bar, words);
    status.say("The cells become editors ...");
    let number = 0;
    for (const cell of document.querySelectorAll("article div.cell")) {
      if (!cell.querySelector(".cell_input pre")) continue;
      number += 1;
      const one = found(cell, number);
      cells.push(one);
      await dress(one);
    }
    all = live.button("Run all cells", () => work(() => cells));
    halt = live.button("Stop", stop, "live-stop");
    anew = live.button("Start anew", async () => { stop(); await work(() => []); });
    button.replaceWith(all, halt, anew);
    bar.classList.add("live-sticky");
    live.cells = cells; // for whoever adds to lessons
    controls();
    await work(() => []);
    if (document.activeElement === document.body) all.focus(); // what was pressed is gone
  };
})();
