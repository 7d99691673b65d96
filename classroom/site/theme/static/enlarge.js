/* A figure fills the screen when it is tapped or its button is pressed; there it can be scrolled, and made larger. */
(() => {
  "use strict";
  if (!HTMLDialogElement.prototype.showModal) return;
  const FIGURES = "article .drawing > svg, article .cell_output img, article p > img, article .front-seen img";
  const LARGEST = 8;
  let zoom = 1;

  const dialog = document.createElement("dialog");
  dialog.className = "enlarged";
  dialog.setAttribute("aria-label", "The figure, enlarged");
  const stage = document.createElement("div");
  stage.className = "stage";
  stage.tabIndex = 0;
  const buttons = document.createElement("div");
  buttons.className = "buttons";
  for (const [words, label, act] of [
    ["−", "Smaller", () => scale(zoom / 1.5)],
    ["+", "Larger", () => scale(zoom * 1.5)],
    ["Close", "Close", () => dialog.close()],
  ]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    buttons.append(button);
  }
  dialog.append(buttons, stage);
  document.body.append(dialog);

  /* 1: as large as the screen allows, at least as large as drawn */
  function scale(wanted) {
    const picture = stage.firstElementChild;
    const [width, height] = [Number(picture.dataset.width), Number(picture.dataset.height)];
    const room = Math.min((stage.clientWidth - 16) / width, (stage.clientHeight - 16) / height);
    const centre = [stage.scrollLeft + stage.clientWidth / 2, stage.scrollTop + stage.clientHeight / 2].map((one) => one / zoom);
    zoom = Math.min(LARGEST, Math.max(1, wanted));
    const shown = Math.max(room, innerWidth < 800 ? 1 : 0.1) * zoom;
    picture.style.width = `${width * shown}px`;
    picture.style.height = `${height * shown}px`;
    stage.scrollTo(centre[0] * zoom - stage.clientWidth / 2, centre[1] * zoom - stage.clientHeight / 2);
  }

  function open(figure, from) {
    const copy = figure.cloneNode(true);
    for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
    const box = figure.viewBox?.baseVal;
    copy.dataset.width = box?.width || figure.naturalWidth || figure.width;
    copy.dataset.height = box?.height || figure.naturalHeight || figure.height;
    copy.removeAttribute("loading");
    stage.replaceChildren(copy);
    zoom = 1;
    dialog.showModal();
    scale(1);
    stage.scrollTo(0, 0);
    stage.focus();
    dialog.addEventListener("close", () => from.focus(), { once: true });
  }

  dialog.addEventListener("close", () => stage.replaceChildren());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") scale(zoom * 1.5);
    else if (event.key === "-") scale(zoom / 1.5);
    else return;
    event.preventDefault();
  });

  /* two fingers on the figure */
  const fingers = new Map();
  let apart = 0;
  stage.addEventListener("pointerdown", (event) => event.pointerType === "touch" && fingers.set(event.pointerId, event));
  stage.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (fingers.size !== 2) return;
    const [one, two] = [...fingers.values()];
    const now = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
    if (apart) scale((zoom * now) / apart);
    apart = now;
  });
  for (const end of ["pointerup", "pointercancel"]) {
    stage.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      apart = 0;
    });
  }

  for (const figure of document.querySelectorAll(FIGURES)) {
    if (figure.closest("a, .moving, button")) continue;
    let holder = figure.parentElement;
    if (!holder.matches(".drawing")) {
      holder = document.createElement("span");
      holder.className = "drawing";
      figure.replaceWith(holder);
      holder.append(figure);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "enlarge";
    button.textContent = "⤢";
    const name = figure.getAttribute("aria-label") || figure.getAttribute("alt") || "";
    button.setAttribute("aria-label", `Enlarge the figure: ${name.split(/[.:]/)[0]}`);
    button.addEventListener("click", () => open(figure, button));
    figure.addEventListener("click", () => open(figure, button));
    holder.append(button);
  }
})();
