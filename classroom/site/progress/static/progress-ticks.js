// Ticks at lessons and exercises, and where to continue: in the menu, in tables, on lessons, exercises and the front page.
(() => {
  "use strict";
  const store = window.KuiperStore;
  const { of, page, address } = window.KuiperWhere;
  const { lessons } = window.KuiperCourse;
  const places = []; // functions that bring a place of this page up to date

  const solved = (id) => store.read("exercises")[id];
  const solvedOf = (lesson) => lesson.exercises.filter(({ id }) => solved(id)).length;

  /** Whether all exercises of a lesson but a bonus are solved. */
  const allSolved = (lesson) => {
    const needed = lesson.exercises.filter(({ bonus }) => !bonus);
    return needed.length > 0 && needed.every(({ id }) => solved(id));
  };
  const done = (lesson) => store.read("lessons")[lesson.folder] ?? allSolved(lesson);

  /** The lesson to go on with: where something was done last, or the next one without a tick; null before anything was done. */
  function next() {
    const last = lessons.find(({ folder }) => folder === store.read("here").lesson);
    if (!last && !lessons.some((lesson) => done(lesson) || solvedOf(lesson))) return null;
    const from = last ? lessons.indexOf(last) : 0;
    return [...lessons.slice(from), ...lessons.slice(0, from)].find((lesson) => !done(lesson)) ?? null;
  }

  function tickExercise(id, how) {
    const all = store.read("exercises");
    if (how) all[id] = how;
    else delete all[id];
    store.keep("exercises", all);
    here();
  }

  function tickLesson(lesson, is) {
    const all = store.read("lessons");
    if (is === allSolved(lesson)) delete all[lesson.folder];
    else all[lesson.folder] = is;
    store.keep("lessons", all);
    here();
  }

  function here() {
    if (page) store.keep("here", { lesson: page.lesson.folder });
    render();
  }

  const render = () => places.forEach((act) => act());

  const element = (name, kind = "", text = "") => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    if (text) made.textContent = text;
    return made;
  };

  /** A tick or a count behind a link, with words for those who do not see it. */
  function mark(after, state) {
    const box = element("span", "progress-mark");
    after.append(box);
    places.push(() => {
      const [shown, said] = state();
      const words = element("span", "progress-said", said);
      const sign = element("span", "", shown);
      sign.setAttribute("aria-hidden", "true");
      box.replaceChildren(...(shown ? [sign, words] : []));
    });
  }

  const lessonState = (lesson) => (done(lesson) ? [" ✓", ", done"] : ["", ""]);
  const exerciseState = (id) => (solved(id) ? [" ✓", ", solved"] : ["", ""]);
  const homeworkState = (lesson) => {
    const [count, all] = [solvedOf(lesson), lesson.exercises.length];
    if (count === all) return [" ✓", ", all solved"];
    return count ? [` ${count}/${all}`, `, ${count} of ${all} solved`] : ["", ""];
  };

  function marks(link, place) {
    if (place.kind === "lesson") return mark(link, () => lessonState(place.lesson));
    const exercise = place.lesson.exercises.find(({ id }) => id === link.textContent.trim());
    return mark(link, () => (exercise ? exerciseState(exercise.id) : homeworkState(place.lesson)));
  }

  /** A box to tick: `is` and `tick` are functions, `why` what stands behind it. */
  function box(words, is, tick, why) {
    const line = element("p", "progress-tick");
    const label = element("label");
    const field = element("input");
    field.type = "checkbox";
    label.append(field, ` ${words}`);
    const note = element("span", "progress-why");
    line.append(label, " ", note);
    field.addEventListener("change", () => tick(field.checked));
    places.push(() => {
      field.checked = Boolean(is());
      note.textContent = why();
    });
    return line;
  }

  function onLesson({ lesson }) {
    const why = () => (allSolved(lesson) && done(lesson) ? "Ticked by itself: its exercises are solved." : "");
    const line = box(`I have worked through lesson ${lesson.number}`, () => done(lesson), (is) => tickLesson(lesson, is), why);
    document.querySelector("article > section")?.append(line);
  }

  function onHomework({ lesson }) {
    for (const { id } of lesson.exercises) {
      const place = document.querySelector(`.live-exercise[data-exercise="${id}"]`);
      const why = () => (solved(id) === "passed" ? "Its public tests passed in this page." : "");
      place?.before(box(`${id} is solved`, () => solved(id), (is) => tickExercise(id, is ? "ticked" : null), why));
    }
  }

  function onFront(door) {
    const [words, href] = [door.textContent, door.getAttribute("href")];
    const line = element("p", "progress-front");
    door.parentElement.after(line);
    places.push(() => {
      const [lesson, some] = [next(), count()];
      door.textContent = lesson ? `Continue at lesson ${lesson.number}` : words;
      door.setAttribute("href", lesson ? address(lesson.page) : href);
      line.hidden = !some;
      const link = element("a", "", "Your progress");
      link.href = address("lessons/index.html#your-progress");
      line.replaceChildren(`${some} `, link);
    });
  }

  /** "3 of 15 lessons and 7 of 45 exercises are ticked.", or "" before any is. */
  function count() {
    const all = lessons.flatMap((lesson) => lesson.exercises);
    const [ticked, got] = [lessons.filter(done).length, all.filter(({ id }) => solved(id)).length];
    return ticked || got ? `${ticked} of ${lessons.length} lessons and ${got} of ${all.length} exercises are ticked.` : "";
  }

  const links = ".sidebar-tree a.reference, article table a.reference, nav.position a";
  for (const link of document.querySelectorAll(links)) {
    const place = of(link.href);
    if (place && link.getAttribute("href") !== "#") marks(link, place);
  }
  for (const self of document.querySelectorAll(".sidebar-tree .current-page > a, nav.position b")) if (page) marks(self, page);
  if (page?.kind === "lesson") onLesson(page);
  if (page?.kind === "homework") onHomework(page);
  const door = document.querySelector(".front-door.first");
  if (door) onFront(door);
  render();
  store.changed(render);

  window.KuiperProgress = {
    render,
    count,
    isSolved: (id) => Boolean(solved(id)),
    /** The public tests of an exercise passed in the page. */
    passed: (id) => tickExercise(id, "passed"),
  };
})();
