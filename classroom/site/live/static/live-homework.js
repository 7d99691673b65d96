// The exercises of a homework: an editor and a check for each, the reader's files, and the networks with them.
(() => {
  "use strict";
  const live = window.KuiperLive;
  const { data } = live;
  const shown = []; // {id, number, editor, report, button}: the editors, the first of them for what is above the exercises
  let status;
  let busy = false;
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
    place.append(bar, one.report);
  }

  /** Do something with Python, whose report comes in a place that says so meanwhile. */
  async function work(what, words, report, meanwhile) {
    if (busy) return;
    busy = true;
    controls();
    report.hidden = false;
    report.textContent = meanwhile;
    try {
      if (!(await live.agreed(live.place.firstChild))) throw new Error("Python was not fetched.");
      await live.start([...new Set([...data.models, ...Object.values(data.demos).flat()])], status.progress);
      status.say(words);
      await what();
      status.say("Python is ready. Shift+Enter checks an exercise; Escape, then Tab leaves an editor.");
    } catch (error) {
      if (error.message === "stopped") status.say("Stopped. Your answers are kept; the next check begins anew.");
      else status.failed(error.message);
      if (report.textContent === meanwhile) report.hidden = true;
    }
    busy = false;
    controls();
  }

  const check = (one) => work(async () => {
    one.report.className = "live-report";
    try {
      const { solved, report } = await live.ask({
        do: "check", exercise: one.id, files: { [data.file]: text() }, columns: live.columns(one.report),
      });
      one.report.textContent = report;
      one.report.classList.add(solved ? "live-good" : "live-bad");
      if (solved) window.KuiperProgress.passed(one.id);
    } catch (error) {
      one.report.textContent = error.message === "stopped" ? "stopped: is there a loop that never ends?" : error.message;
      throw error;
    }
  }, `The public tests of ${one.id} run`, one.report, `checking ${one.id} ...`);

  /** Every homework file that the reader has answers in, this one as it stands in the editors. */
  function files() {
    const found = {};
    for (const name of data.others) {
      const kept = name === data.file ? { text: text() } : live.answers(name);
      if (kept?.text) found[name] = kept.text;
    }
    return found;
  }

  const demo = (piece, report) => work(async () => {
    try {
      const answer = await live.ask({ do: "demo", piece, files: files(), columns: live.columns(report) });
      report.textContent = answer.report;
    } catch (error) {
      report.textContent = error.message;
      throw error;
    }
  }, `The network of demo ${piece} runs with your answers`, report, `demo ${piece} --mine ...`);

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
    const report = live.element("pre", "live-report live-demo");
    report.hidden = true;
    report.tabIndex = 0;
    report.setAttribute("role", "status");
    report.setAttribute("aria-label", "The network with your answers");
    for (const piece of Object.keys(data.demos)) box.append(live.button(`demo ${piece} --mine`, () => demo(piece, report)));
    return [box, report];
  }

  function controls() {
    halt.disabled = !busy;
    document.querySelectorAll(".live-place button:not(.live-stop, .live-question button), .live-exercise button")
      .forEach((one) => { one.disabled = busy; });
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
    halt = live.button("Stop", () => live.stop(), "live-stop");
    button.replaceWith(halt);
    live.place.append(above, ...shelf());
    live.shown = shown; // for whoever adds to exercises
    controls();
  };
})();
