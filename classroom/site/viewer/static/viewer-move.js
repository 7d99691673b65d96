// A drawing that is moved and zoomed inside a view. The wheel scrolls the page, but with Ctrl or on the full screen it
// zooms; one finger scrolls the page, and on the full screen moves the drawing; two fingers move and zoom it.
(() => {
  "use strict";
  const CLOSEST = 3; // greatest scale
  const DRAGGED = 5; // pixels, from which on a press is no click

  const spread = ([a, b]) => ({
    far: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), x: (a.clientX + b.clientX) / 2, y: (a.clientY + b.clientY) / 2,
  });

  /** size() : [width, height] of the drawing; painted({x, y, scale}) puts it there; isScreen() : on the full screen. */
  function movable(view, { size, painted, isScreen }) {
    const at = { x: 0, y: 0, scale: 1 };
    let isWaiting = false;
    let fingers = null;
    let drag = null; // of a mouse or pen anywhere, of a finger on the full screen
    let dragged = 0;

    const least = () => Math.min(view.clientWidth / size()[0], view.clientHeight / size()[1], 1);
    const within = (scale) => Math.min(Math.max(scale, least()), CLOSEST);
    const kept = (place, full, seen) => (full <= seen ? (seen - full) / 2 : Math.min(Math.max(place, seen - full - 40), 40));

    function paint() {
      isWaiting = false;
      const [width, height] = size();
      at.x = kept(at.x, width * at.scale, view.clientWidth);
      at.y = kept(at.y, height * at.scale, view.clientHeight);
      painted(at);
    }

    function move(x, y, scale = at.scale, glide = false) {
      Object.assign(at, { x, y, scale: within(scale) });
      view.classList.toggle("gliding", glide);
      if (!isWaiting) requestAnimationFrame(paint);
      isWaiting = true;
    }

    /** So that what lies at `from` of the view lies at `to` then, in the new scale. */
    function zoomTo(scale, from, to = from, glide = false) {
      const wanted = within(scale);
      move(to.x - ((from.x - at.x) / at.scale) * wanted, to.y - ((from.y - at.y) / at.scale) * wanted, wanted, glide);
    }

    const middle = () => ({ x: view.clientWidth / 2, y: view.clientHeight / 2 });
    const inView = ({ clientX, clientY }) => {
      const box = view.getBoundingClientRect();
      return { x: clientX - box.left, y: clientY - box.top };
    };

    view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && !isScreen()) return;
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
      const isPinch = event.ctrlKey && Math.abs(pixels) < 50; // a touch pad's
      zoomTo(at.scale * Math.exp(-pixels / (isPinch ? 120 : 500)), inView(event));
    }, { passive: false });

    view.addEventListener("touchstart", (event) => {
      fingers = event.touches.length === 2 ? spread(event.touches) : null;
      if (fingers) event.preventDefault();
    }, { passive: false });
    view.addEventListener("touchmove", (event) => {
      if (!fingers || event.touches.length !== 2) return;
      event.preventDefault();
      const [before, after] = [fingers, spread(event.touches)];
      const place = ({ x, y }) => inView({ clientX: x, clientY: y });
      zoomTo((at.scale * after.far) / Math.max(before.far, 1), place(before), place(after));
      fingers = after;
    }, { passive: false });
    for (const over of ["touchend", "touchcancel"]) view.addEventListener(over, () => { fingers = null; });

    view.addEventListener("pointerdown", (event) => {
      dragged = 0;
      if (event.button !== 0 || (event.pointerType === "touch" && !isScreen())) return;
      drag = { x: event.clientX, y: event.clientY };
    });
    view.addEventListener("pointermove", (event) => {
      if (!drag || fingers) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      dragged += Math.abs(dx) + Math.abs(dy);
      drag = { x: event.clientX, y: event.clientY };
      if (dragged < DRAGGED) return;
      if (!view.hasPointerCapture(event.pointerId)) view.setPointerCapture(event.pointerId);
      view.classList.add("dragging");
      move(at.x + dx, at.y + dy);
    });
    for (const over of ["pointerup", "pointercancel"]) {
      view.addEventListener(over, () => { drag = null; view.classList.remove("dragging"); });
    }
    view.addEventListener("dblclick", (event) => {
      if (!event.target.closest(".op, .head")) zoomTo(at.scale * 1.6, inView(event), inView(event), true);
    });
    view.addEventListener("scroll", () => view.scrollTo(0, 0)); // focus must not scroll what is moved by hand

    return {
      at, move,
      zoom: (factor) => zoomTo(at.scale * factor, middle(), middle(), true),
      whole: () => move(0, 0, least(), true),
      /** Bring a point of the drawing to the middle. */
      centre: (x, y, scale, glide = true) => move(middle().x - x * scale, middle().y - y * scale, scale, glide),
      isDragging: () => drag !== null,
      wasDragged: () => dragged >= DRAGGED,
    };
  }

  Object.assign(globalThis.KuiperViewer, { movable });
})();
