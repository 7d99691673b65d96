// Which lesson or homework a page or a link is, from the course's register.
(() => {
  "use strict";
  const root = new URL("../", document.currentScript.src);
  const plain = (address) => decodeURI(address.pathname).replace(/\.html$/, "");
  const places = new Map();
  for (const lesson of window.KuiperCourse.lessons) {
    places.set(plain(new URL(lesson.page, root)), { lesson, kind: "lesson" });
    if (lesson.homework) places.set(plain(new URL(lesson.homework, root)), { lesson, kind: "homework" });
  }

  window.KuiperWhere = {
    /** {lesson, kind: "lesson" or "homework"} of an address, or undefined. */
    of: (address) => places.get(plain(new URL(address, location.href))),
    page: places.get(plain(location)),
    address: (path) => new URL(path, root).href,
  };
})();
