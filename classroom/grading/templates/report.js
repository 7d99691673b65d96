// Shows the data of the page: tables that sort, bars and lines. Every text becomes a text node, nothing is parsed as HTML.
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const order = new Intl.Collator(undefined, { numeric: true });
let view = 0;

function element(tag, options, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options || {}))
    if (name === "class") made.className = value; else if (value !== null && value !== "") made.setAttribute(name, value);
  made.append(...children.filter(child => child !== null && child !== ""));
  return made;
}

function drawn(tag, options, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(options || {})) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const number = (value, digits = 2) => value === null ? "" : String(+value.toFixed(digits));
const percent = value => value === null ? "–" : `${Math.round(100 * value)} %`;
const isolated = text => element("bdi", null, text);
const nothing = words => element("p", { class: "nothing" }, words);

// A table in its own scrolling box. columns: {title, hint, kind: "name" | "n" | "words", value: row => for sorting,
// cell: row => what is shown}. The first rows come at once, the rest while the browser has nothing else to do.
function table(box, caption, columns, rows, sorted = 0, down = false) {
  const body = element("tbody");
  const heads = columns.map((column, place) => {
    const button = element("button", { type: "button", title: column.hint || "" }, ...column.title.split("\n").flatMap((line, k) =>
      k ? [element("br"), line] : [line]));
    button.addEventListener("click", () => sort(place, sorted === place ? !down : /^n( |$)/.test(column.kind)));
    return element("th", { scope: "col", class: column.kind }, button);
  });
  let wanted = rows, left = [], waiting = 0;
  const line = row => element("tr", null, ...columns.map((column, place) =>
    element(place ? "td" : "th", place ? { class: column.kind } : { class: column.kind, scope: "row" }, column.cell(row))));
  const more = count => body.append(...left.splice(0, count).map(line));
  function later() {
    waiting = 0;
    more(100);
    if (left.length) waiting = setTimeout(later, 8);
  }
  function fill() {
    clearTimeout(waiting);
    const column = columns[sorted];
    const empty = value => value === null || value === "";
    const compare = (a, b) => {
      const [x, y] = [column.value(a), column.value(b)];
      if (empty(x) || empty(y)) return empty(x) - empty(y);
      const way = typeof x === "number" ? x - y : order.compare(x, y);
      return down ? -way : way;
    };
    left = [...wanted].sort(compare);
    body.replaceChildren();
    heads.forEach((head, place) =>
      place === sorted ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
    more(60);
    waiting = left.length ? setTimeout(later, 30) : 0;
  }
  function sort(place, way) { sorted = place; down = way; fill(); }
  box.replaceChildren(element("table", null, element("caption", { class: "hidden" }, caption),
    element("thead", null, element("tr", null, ...heads)), body));
  fill();
  return { show(some) { wanted = some; fill(); }, all() { clearTimeout(waiting); more(left.length); } };
}

function nameOf(row) {
  const [name, login, , link] = row;
  const shown = element("span", null, link ? element("a", { href: link }, isolated(name)) : isolated(name));
  if (login) shown.append(" ", element("span", { class: "soft small" }, isolated(login)));
  return shown;
}

// A row of coloured parts for each homework, with a key above.
function stacked(box, key, rows, colour) {
  const list = element("ul", { class: "key" }, ...key.map((words, place) =>
    element("li", null, element("i", { class: `${colour}${place}` }), words)));
  const lines = element("div", { class: "stack" });
  for (const { label, counts, end } of rows) {
    const sum = counts.reduce((a, b) => a + b, 0);
    const said = counts.map((count, place) => `${key[place]}: ${count}`).join(", ");
    const parts = counts.map((count, place) => {
      const part = element("span", { class: `${colour}${place}`, title: `${key[place]}: ${count}` },
        count / sum > 0.06 ? String(count) : "");
      part.style.flexGrow = count;
      part.style.flexBasis = 0;
      return part;
    });
    lines.append(element("span", { class: "label" }, label),
      element("div", { class: "segments", role: "img", "aria-label": `${label}: ${said}` }, ...parts.filter((_, k) => counts[k])),
      element("span", { class: "n" }, end));
  }
  box.replaceChildren(list, lines);
}

// Bars that count and a line of mean shares. stages: [label, count, share or null].
function stages(box, title, found) {
  const [wide, high, left, low] = [440, 190, 40, 46];
  if (!found.length) return box.replaceChildren(element("h3", null, title), nothing("No attempt has a known time."));
  const most = Math.max(...found.map(one => one[1]), 1), step = (wide - left - 56) / found.length;
  const y = share => 16 + (high - 16 - low) * (1 - share);
  const picture = drawn("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label":
    `${title}. ${found.map(([label, count, share]) => `${label}: ${count}, ${percent(share)}`).join("; ")}` });
  for (const share of [0, 0.5, 1]) {
    picture.append(drawn("line", { class: "grid", x1: left, x2: wide - 56, y1: y(share), y2: y(share) }));
    picture.append(drawn("text", { x: wide - 50, y: y(share) + 4, class: "soft" }, percent(share)));
    picture.append(drawn("text", { x: left - 4, y: y(share) + 4, class: "soft", "text-anchor": "end" }, String(Math.round(share * most))));
  }
  const points = [];
  found.forEach(([label, count, share], place) => {
    const x = left + step * place, top = y(count / most);
    picture.append(drawn("rect", { class: "bars", x: x + step * 0.12, width: step * 0.76, y: top, height: y(0) - top }));
    if (share !== null) points.push([x + step / 2, y(share)]);
    const every = Math.ceil(found.length * 58 / (wide - left));
    if (place % every === 0) {
      const short = /^\d{4}-/.test(label) ? label.slice(5) : label;
      picture.append(drawn("text", { x: x + step / 2, y: high - 26, "text-anchor": "middle" }, short));
    }
  });
  picture.append(drawn("polyline", { class: "line", points: points.map(one => one.map(v => v.toFixed(1)).join(",")).join(" ") }));
  points.forEach(([x, height]) => picture.append(drawn("circle", { class: "dot", cx: x, cy: height, r: 4 })));
  box.replaceChildren(element("h3", null, title), picture);
}

// Exercises by how hard they are (across) and how well they tell students apart (upwards).
function map(box, numbers) {
  const [wide, high, left, low] = [640, 330, 46, 40];
  const x = share => left + (wide - left - 70) * share, y = r => 14 + (high - 14 - low) * (1 - (r + 0.4) / 1.4);
  const known = data.items.map((item, place) => ({ item, share: numbers[place][1], r: numbers[place][2] })).filter(one => one.r !== null);
  if (!known.length) return box.replaceChildren(nothing("Too few answers for a picture of the exercises."));
  const said = known.map(({ item, share, r }) => `${item.id}: share ${percent(share)}, tells apart ${number(r)}`).join("; ");
  const picture = drawn("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `Exercises by share and by how well they tell apart. ${said}` });
  for (const r of [-0.2, 0, 0.2, 0.4, 0.6, 0.8])
    picture.append(drawn("line", { class: r === 0.2 ? "axis" : "grid", x1: left, x2: wide - 70, y1: y(r), y2: y(r) }),
      drawn("text", { x: left - 6, y: y(r) + 4, "text-anchor": "end", class: "soft" }, number(r)));
  for (const share of [0, 0.25, 0.5, 0.75, 1])
    picture.append(drawn("line", { class: "grid", x1: x(share), x2: x(share), y1: 14, y2: high - low }),
      drawn("text", { x: x(share), y: high - low + 16, "text-anchor": "middle", class: "soft" }, percent(share)));
  picture.append(drawn("text", { x: x(0.5), y: high - 6, "text-anchor": "middle", class: "soft" }, "hard   ←   share of the points   →   easy"));
  const taken = [];
  for (const { item, share, r } of known) {
    const [cx, cy] = [x(share), y(Math.max(-0.4, r))];
    const dot = drawn("circle", { class: r < 0.2 ? "dot low" : "dot", cx, cy, r: 6 }, drawn("title", null, `${item.id}: ${percent(share)}, ${number(r)}`));
    picture.append(dot);
    const box = [cx + 8, cy - 7, cx + 8 + 6.4 * item.id.length, cy + 7];
    if (box[2] < wide && taken.every(one => one[2] < box[0] || box[2] < one[0] || one[3] < box[1] || box[3] < one[1])) {
      taken.push(box);
      picture.append(drawn("text", { x: cx + 9, y: cy + 4 }, item.id));
    }
    taken.push([cx - 7, cy - 7, cx + 7, cy + 7]);
  }
  box.replaceChildren(picture);
}

function code(text, lines = []) {
  const shown = element("pre", { tabindex: "0" });
  if (!lines.length) { shown.append(text); return shown; }
  const marked = place => lines.some(([first, last]) => first <= place && place <= last);
  let run = [], here = false;
  const close = () => { if (run.length) shown.append(here ? element("mark", null, run.join("\n")) : run.join("\n") + "\n"); run = []; };
  text.split("\n").forEach((line, place) => {
    if (marked(place + 1) !== here) { close(); here = !here; }
    run.push(line);
  });
  close();
  return shown;
}

const titled = (title, shown) => element("div", null, element("h4", null, title), shown);

// Fills a <details> when it is opened first.
function opened(summary, fill) {
  const made = element("details", null, element("summary", null, ...summary));
  made.addEventListener("toggle", () => { if (made.open && made.children.length === 1) made.append(...fill()); });
  return made;
}

// One cause: how many met it, and when it is opened a call with its results and a typical answer.
function mistake({ item, cause, count, wrote }, before = []) {
  const bar = element("span");
  bar.style.width = `${Math.min(100, 100 * count / wrote)}%`;
  return element("div", { class: "cause" },
    opened([...before, `${count} student${count === 1 ? "" : "s"}: `, isolated(cause.words)], () => {
      const shown = [];
      if (cause.values.length) shown.push(element("dl", null, ...["called", "expected", "got"].flatMap((label, k) =>
        cause.values[k] ? [element("dt", null, label), element("dd", null, code(cause.values[k]))] : [])));
      if (cause.answer) shown.push(element("div", { class: "beside" }, titled("A typical wrong answer", code(cause.answer)),
        item.solution ? titled("The worked solution", code(item.solution)) : ""));
      if (!cause.answer) shown.push(nothing("These answers read like the worked solution, or cannot be read: look at what they call."));
      return shown;
    }),
    element("div", { class: "meter", role: "img", "aria-label": `${count} of ${wrote}` }, bar));
}

// The most frequent causes of all, then all of each homework.
function mistakes(box, counts) {
  let place = 0;
  const all = data.items.flatMap((item, row) => item.causes.map(cause =>
    ({ item, cause, count: counts[place++], wrote: Math.max(1, data.views[view].items[row][0]) }))).filter(one => one.count);
  all.sort((a, b) => b.count - a.count);
  if (!all.length) return box.replaceChildren(nothing("No public test failed."));
  const first = all.filter(one => one.cause.known).slice(0, 8);
  const homeworks = data.homeworks.map((homework, k) => ({ homework, own: all.filter(one => one.item.homework === k) })).filter(one => one.own.length);
  box.replaceChildren(
    ...(first.length ? [element("h3", null, "Most frequent")] : []),
    ...first.map(one => mistake(one, [element("code", null, one.item.id), " · "])),
    element("h3", null, "By homework"),
    ...homeworks.map(({ homework, own }) => opened([homework.title], () => data.items.flatMap(item => {
      const some = own.filter(one => one.item === item);
      return some.length ? [element("div", { class: "exercise-causes" }, element("h4", null, element("code", null, item.id), " ",
        element("span", { class: "plain soft small" }, item.title)), ...some.map(one => mistake(one)))] : [];
    }))));
}

let texts = null;
function clusters(box, inSection) {
  const found = data.clusters.map((cluster, place) => ({ cluster, place }))
    .filter(({ cluster }) => cluster.students.some(row => row >= 0 && inSection(data.students[row])));
  const called = row => row >= 0 ? data.students[row][0] : "a student who is gone";
  box.replaceChildren(...found.map(({ cluster, place }) => {
    const names = cluster.students.map(called);
    const list = names.length > 6 ? [...names.slice(0, 6), `and ${names.length - 6} more`] : names;
    const head = [`${data.homeworks[cluster.homework].title}: ${names.length} students, up to ${percent(cluster.pairs[0][2])}: `, isolated(list.join(", "))];
    return opened(head, () => {
      texts = texts || JSON.parse(at("texts").textContent);
      const pairs = cluster.pairs.map(([first, second, share, ...lines]) =>
        opened([isolated(names[first]), " and ", isolated(names[second]), `: ${percent(share)}`], () => [element("div", { class: "beside" },
          ...[first, second].map((member, side) => titled(isolated(names[member]),
            texts[place][member] ? code(texts[place][member], lines[side]) : nothing("This text is not on the page."))))]));
      if (cluster.more) pairs.push(nothing(`${cluster.more} more pairs: see similar.csv.`));
      return pairs;
    });
  }));
  if (!found.length) box.append(nothing("No two hand-ins share more code than chance explains, or none were compared."));
}

// The page.
const section = at("section");
section.append(element("option", { value: "0" }, "All"), ...data.sections.map((name, place) => element("option", { value: place + 1 }, name)));
const sums = new Map(data.students.map(row => {
  const some = row[4].filter(value => value !== null);
  return [row, some.length ? some.reduce((a, b) => a + b, 0) : null];
}));
const columns = [
  { title: "Student", kind: "name", value: row => row[0], cell: nameOf },
  { title: "Total", kind: "n total", value: row => sums.get(row), cell: row => number(sums.get(row)) },
  ...data.homeworks.map((one, place) => ({ title: `HW ${one.number}\nof ${one.most}`, hint: one.title, kind: "n",
    value: row => row[4][place], cell: row => number(row[4][place]) })),
];
if (data.sections.length)
  columns.splice(1, 0, { title: "Section", kind: "", value: row => row[2] < 0 ? "" : data.sections[row[2]], cell: row => row[2] < 0 ? "" : isolated(data.sections[row[2]]) });
const everyone = table(at("table"), "Points of all students", columns, data.students);
const helpColumns = [
  { title: "Student", kind: "name", value: one => data.students[one[0]][0], cell: one => nameOf(data.students[one[0]]) },
  { title: "Share", kind: "n", value: one => one[1], cell: one => percent(one[1]) },
  { title: "Why", kind: "words", value: one => one[2], cell: one => isolated(one[2]) },
];
const helped = table(at("helped"), "Who may need help", helpColumns, data.help, 1);
const itemColumns = [
  ["Exercise", "name", "", k => data.items[k].id, k => element("span", null, element("code", null, data.items[k].id), data.items[k].bonus ? " (bonus)" : "")],
  ["HW", "n", "Homework", k => data.homeworks[data.items[k].homework].number, k => String(data.homeworks[data.items[k].homework].number)],
  ["Wrote it", "n", "Students with an answer that was judged", k => now(k)[0], k => String(now(k)[0])],
  ["Share", "n", "Mean share of the points", k => now(k)[1], k => percent(now(k)[1])],
  ["Tells apart", "n", "Corrected item-total correlation", k => now(k)[2], k => now(k)[2] === null ? "–" : now(k)[2].toFixed(2)],
  ["Pass at first", "n", "All points at the first attempt", k => now(k)[3], k => percent(now(k)[3])],
  ["Pass at all", "n", "All points in some attempt", k => now(k)[4], k => percent(now(k)[4])],
  ["Attempts", "n", "Median attempts up to the first pass", k => now(k)[5], k => number(now(k)[5], 1)],
  ["Hours", "n", "Median hours from the first attempt to the first pass", k => now(k)[6], k => number(now(k)[6], 1)],
].map(([title, kind, hint, value, cell]) => ({ title, kind, hint, value, cell }));
function now(k) { return data.views[view].items[k]; }
const items = table(at("items"), "Numbers of all exercises", itemColumns, data.items.map((_, k) => k), 1);
const find = at("find");

function show() {
  view = Number(section.value);
  const here = row => view === 0 || row[2] === view - 1;
  const word = find.value.trim().toLowerCase();
  const found = row => !word || row[0].toLowerCase().includes(word) || row[1].toLowerCase().includes(word);
  everyone.show(data.students.filter(row => here(row) && found(row)));
  at("shown").textContent = `${data.views[view].count} students`;
  return here;
}

function showAll() {
  const here = show(), shown = data.views[view];
  const bars = which => shown.homeworks.map((numbers, k) => ({ label: data.homeworks[k].title, counts: numbers[which], end: which ? "" : percent(numbers[2]) }));
  stacked(at("bins"), data.labels, bars(0), "c");
  if (data.deadlines) stacked(at("late"), data.late, bars(1), "l");
  else at("late").replaceChildren(nothing("No homework has a deadline: course.toml, [grading.deadlines]."));
  map(at("map"), shown.items);
  items.show(data.items.map((_, k) => k));
  mistakes(at("mistakes"), shown.causes);
  stages(at("weeks"), "By week", shown.weeks);
  stages(at("attempts"), "By attempt", shown.attempts);
  helped.show(data.help.filter(one => here(data.students[one[0]])));
  clusters(at("clusters"), here);
}

section.addEventListener("change", showAll);
find.addEventListener("input", show);
addEventListener("beforeprint", () => [everyone, helped, items].forEach(one => one.all()));
document.documentElement.dataset.ready = "table";
setTimeout(() => { showAll(); document.documentElement.dataset.ready = "all"; }, 0);
