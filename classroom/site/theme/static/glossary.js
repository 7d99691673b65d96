/* A link to a term of the glossary opens its definition beside it; from there the glossary is a link away. */
(() => {
  "use strict";
  const data = document.getElementById("glossary-terms");
  if (!data) return;
  const terms = JSON.parse(data.textContent);
  let opened = null;

  function close(back) {
    if (!opened) return;
    const { link, box } = opened;
    opened = null;
    box.remove();
    link.setAttribute("aria-expanded", "false");
    if (back) link.focus();
  }

  function open(link) {
    close(false);
    const [name, words] = terms[decodeURIComponent(link.hash.slice(1))];
    const box = document.createElement("span");
    box.className = "term";
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-label", name);
    const title = document.createElement("b");
    title.textContent = name;
    const text = document.createElement("span");
    text.innerHTML = words; // of the site itself
    const more = document.createElement("a");
    more.href = link.href;
    more.textContent = "In the glossary";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Close";
    button.addEventListener("click", () => close(true));
    const foot = document.createElement("span");
    foot.className = "term-foot";
    foot.append(more, button);
    box.append(title, text, foot);
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Tab") return;
      const last = event.shiftKey ? more : button;
      if (document.activeElement === last) close(true);
    });
    link.after(box);
    link.setAttribute("aria-expanded", "true");
    opened = { link, box };

    /* below its link, within the text */
    const host = box.offsetParent ?? document.body;
    const [at, around] = [link.getClientRects(), host.getBoundingClientRect()];
    const last = at[at.length - 1];
    const room = host.clientWidth - box.offsetWidth;
    box.style.left = `${Math.max(0, Math.min(room, last.left - around.left))}px`;
    box.style.top = `${last.bottom - around.top + 6}px`;
    more.focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest" });
  }

  for (const link of document.querySelectorAll("a.glossary-term")) {
    link.setAttribute("aria-haspopup", "dialog");
    link.setAttribute("aria-expanded", "false");
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      if (opened?.link === link) close(true);
      else open(link);
    });
  }
  addEventListener("keydown", (event) => event.key === "Escape" && close(true));
  addEventListener("pointerdown", (event) => {
    if (opened && !opened.box.contains(event.target) && event.target !== opened.link) close(false);
  });
})();
