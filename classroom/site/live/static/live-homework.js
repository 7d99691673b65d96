// The exercises of a homework: an editor and a check for each, the reader's files, and the networks with them.
(() => {
  "use strict";
  const live = window.KuiperLive;
  const { data } = live;
  const shown = []; // {id, number, editor, report, others, button}: the editors, the first for what is above the exercises
  const queue = live.queue(() => { halt.disabled = !queue.isBusy(); });
  let status;
  let halt;

  const pieces = () => shown.map((one) => one.editor.text());
  const text = () => live.join(pieces());

  function keep() {
    const now = text();
    if (now === data.stub) live.keepAnswers(data.file, "");
    else if (!live.keepAnswers(data.file, now, pieces())) {
      status.say("This browser keeps nothing for this page: take your file away before you close it.");
    }
  }

  /** The pieces that the editors begin with: what is kept, or the stub. */
  function begun(stub) {
    const kept = live.answers(data.file);
    if (!kept?.text) return stub;
    if (kept.pieces?.length === stub.length) return kept.pieces;
    try {
      return live.split(kept.text, data.exercises, data.file);
    } catch (error) { // still the reader's file: whole, in the first editor
      status.say(`${error.message}. The whole file stands in the first editor.`);
      return [kept.text, ...stub.slice(1).map(() => "")];
    }
  }

  async function dress(place, label, content, stub, exercise) {
    const one = { ...exercise, report: live.element("pre", "live-report") };
    const box = live.element("div", "live-editor");
    place.append(box);
    const run = () => { if (exercise) check(one); };
    const at = shown.length;
    const first = () => live.join([...shown.slice(0, at).map(({ editor }) => editor.text()), ""]).split("\n").length;
    const changed = () => { keep(); shown.slice(at + 1).forEach(({ editor }) => editor.number()); };
    one.editor = await live.editor(box, content, { label, changed, run, first }); // lines as in the file, which reports name
    shown.push(one);
    if (!exercise) return;
    one.report.hidden = true;
    one.report.tabIndex = 0;
    one.report.setAttribute("role", "status");
    one.report.setAttribute("aria-label", `Report on ${exercise.id}`);
    one.button = live.button(`check ${exercise.id}`, () => check(one));
    const bar = live.element("div", "live-cell-bar");
    const reset = live.button("Reset", () => {
      if (confirm(`Put ${exercise.id} back as the course hands it out? What is in the editor is lost.`)) one.editor.replace(stub);
    });
    reset.setAttribute("aria-label", `Reset ${exercise.id} to the course's`);
    bar.append(one.button, reset);
    one.others = live.element("div", "live-others");
    place.append(bar, one.report, one.others);
  }

  /** Do something with Python when it is free; the report comes in a place that says so meanwhile. */
  async function work(what, words, report, meanwhile, button) {
    if (button.disabled) return;
    live.disable(button, true);
    report.hidden = false;
    report.textContent = queue.isBusy() ? "waits" : meanwhile;
    await queue.add(() => turn(what, words, report, meanwhile), () => { report.hidden = true; });
    live.disable(button, false);
  }

  async function turn(what, words, report, meanwhile) {
    report.textContent = meanwhile;
    try {
      if (!(await live.agreed(live.place.firstChild))) throw new Error("Python was not fetched.");
      await live.start([...new Set([...data.models, ...Object.values(data.demos).flat()])], status.progress);
      status.busy(words);
      await what();
      status.say("Python is ready. Shift+Enter checks an exercise; Escape, then Tab leaves an editor.");
    } catch (error) {
      queue.clear();
      status.say(error.message === "stopped" ? "Stopped. Your answers are kept; the next check begins anew." : error.message);
      if (report.textContent === meanwhile) report.hidden = true;
    }
  }

  /** The tests that failed after the first one, folded. */
  function others(one, reports) {
    if (!reports.length) return one.others.replaceChildren();
    const fold = live.element("details");
    const count = `${reports.length} more public test${reports.length > 1 ? "s" : ""} failed`;
    fold.append(live.element("summary", "", count), ...reports.map((report) => live.element("pre", "live-report live-bad", report)));
    for (const report of fold.querySelectorAll("pre")) report.tabIndex = 0;
    return one.others.replaceChildren(fold);
  }

  const check = (one) => work(async () => {
    one.report.className = "live-report";
    others(one, []);
    try {
      const answer = await live.ask({
        do: "check", exercise: one.id, files: { [data.file]: text() }, columns: live.columns(one.report),
      });
      one.report.textContent = answer.report;
      one.report.classList.add(answer.solved ? "live-good" : "live-bad");
      others(one, answer.others);
      if (answer.solved) window.KuiperProgress.passed(one.id);
    } catch (error) {
      one.report.textContent = error.message === "stopped" ? "stopped: is there a loop that never ends?" : error.message;
      throw error;
    }
  }, `The public tests of ${one.id} run`, one.report, `checking ${one.id} ...`, one.button);

  /** Every homework file that the reader has answers in, this one as it stands in the editors. */
  function files() {
    const found = {};
    for (const name of data.others) {
      const kept = name === data.file ? { text: text() } : live.answers(name);
      if (kept?.text) found[name] = kept.text;
    }
    return found;
  }

  const demo = (piece, report, button) => work(async () => {
    try {
      const answer = await live.ask({ do: "demo", piece, files: files(), columns: Math.max(72, live.columns(report)) }); // for its table
      report.textContent = answer.report;
    } catch (error) {
      report.textContent = error.message;
      throw error;
    }
  }, `The network of demo ${piece} runs with your answers`, report, `demo ${piece} --mine ...`, button);

  async function bring(event) {
    const [file] = event.target.files;
    event.target.value = "";
    if (!file) return;
    try {
      const inside = file.name.endsWith(".zip") ? await live.unzip(await file.arrayBuffer()) : { [file.name]: await file.text() };
      const known = Object.entries(inside).map(([path, content]) => [path.split("/").pop(), content.replaceAll("\r\n", "\n")])
        .filter(([name]) => data.others.includes(name));
      if (!known.length) throw new Error(`${file.name}: expected a homework file such as ${data.file}, or a zip with some`);
      const mine = known.find(([name]) => name === data.file);
      const split = mine ? live.split(mine[1], data.exercises, data.file) : null;
      const lost = known.filter(([name, content]) => files()[name] && files()[name] !== content && (name !== data.file || text() !== data.stub));
      if (lost.length && !confirm(`This replaces your answers in ${lost.map(([name]) => name).join(", ")}. Go on?`)) return;
      for (const [name, content] of known) if (name !== data.file) live.keepAnswers(name, content);
      split?.forEach((piece, place) => shown[place].editor.replace(piece));
      status.say(`Brought in: ${known.map(([name]) => name).join(", ")}.`);
    } catch (error) {
      status.say(error.message);
    }
  }

  function shelf() {
    const box = live.element("div", "live-shelf");
    const away = live.button(`Download ${data.file}`, () => live.download(data.file, text(), "text/x-python"));
    const all = live.button("Download all answers", () => {
      live.download("answers.zip", live.zip(files()), "application/zip");
    });
    const field = live.element("input", "live-field");
    field.type = "file";
    field.accept = ".py,.zip";
    field.addEventListener("change", bring);
    const label = live.element("label", "live-button live-bring", "Bring in a file or zip");
    label.append(field);
    box.append(away, all, label);
    box.prepend(live.element("h3", "", "Take your answers along, or run them"));
    const report = live.element("pre", "live-report live-demo");
    report.hidden = true;
    report.tabIndex = 0;
    report.setAttribute("role", "status");
    report.setAttribute("aria-label", "The network with your answers");
    for (const piece of Object.keys(data.demos)) {
      const button = live.button(`demo ${piece} --mine`, () => demo(piece, report, button));
      box.append(button);
    }
    return [box, report];
  }

  live.open = async (bar, button, words) => {
    await live.load("live-files.js");
    status = live.status(bar, words);
    const stub = live.split(data.stub, data.exercises, data.file);
    status.say("Your answers stay in this browser. Shift+Enter checks an exercise; Escape, then Tab leaves an editor.");
    const content = begun(stub);
    const above = live.element("details", "live-above");
    above.append(live.element("summary", "", `Above the exercises in ${data.file}: imports, and what is given`));
    await dress(above, `The beginning of ${data.file}`, content[0], stub[0], null);
    for (const [place, exercise] of data.exercises.entries()) {
      const at = document.querySelector(`.live-exercise[data-exercise="${exercise.id}"]`);
      await dress(at, `Your ${exercise.id}`, content[place + 1], stub[place + 1], exercise);
    }
    halt = live.button("Stop", () => { queue.clear(); live.stop(); }, "live-stop");
    halt.disabled = true;
    button.replaceWith(halt);
    live.place.append(above);
    const places = [...document.querySelectorAll(".live-exercise")].map((one) => one.closest("section"));
    places.at(-1).after(...shelf());
    live.shown = shown; // for whoever adds to exercises
    if (!live.wasPressed) return;
    const { exercises } = data; // the button is gone: on to the first one that is not solved
    const next = Math.max(0, exercises.findIndex(({ id }) => !window.KuiperProgress.isSolved(id)));
    places[next].tabIndex = -1;
    places[next].focus();
    places[next].scrollIntoView();
  };
})();
