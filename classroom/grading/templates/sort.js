// A heading sorts its table's rows: names from A, points from the most, the other way at the second click.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => head.querySelector("button").addEventListener("click", () => {
    const [first, second] = place === 0 ? ["ascending", "descending"] : ["descending", "ascending"];
    const way = head.getAttribute("aria-sort") === first ? second : first;
    const text = row => row.cells[place].textContent.trim();
    const compare = (a, b) => place === 0 ? a.localeCompare(b, undefined, { numeric: true }) : a - b;
    const rows = [...table.tBodies[0].rows].sort((one, other) => {
      const a = text(one), b = text(other);
      if (a === "" || b === "") return (a === "") - (b === "");
      return way === "ascending" ? compare(a, b) : compare(b, a);
    });
    heads.forEach(one => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way);
    table.tBodies[0].append(...rows);
  }));
}
