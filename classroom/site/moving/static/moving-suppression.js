// Non-maximum suppression over the detector's boxes, for the settings of the sliders.
(() => {
  "use strict";
  const area = ([x1, y1, x2, y2]) => Math.max(x2 - x1, 0) * Math.max(y2 - y1, 0);

  function iou(a, b) {
    const common = area([Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]);
    const together = area(a) + area(b) - common;
    return together > 0 ? common / together : 0;
  }

  window.KuiperMoving.kinds.suppression = (data) => {
    const { boxes, scores, classes, labels, digits, own, scale, most, rightmost, lowest } = data;
    const order = boxes.map((_, i) => i).sort((i, j) => scores[j] - scores[i]);

    const outline = (chosen) => chosen.map((i) => {
      const [x1, y1, x2, y2] = boxes[i].map((corner) => Math.round(scale * corner * 10) / 10);
      return `M${x1} ${y1}H${x2}V${y2}H${x1}Z`;
    }).join("");

    return ({ threshold, score, rivals }) => {
      let left = order.filter((i) => scores[i] > Number(score));
      const all = [...left].sort((i, j) => i - j);
      const stay = [];
      while (left.length) {
        const [best, ...others] = left;
        stay.push(best);
        left = others.filter((i) => (rivals === own && classes[i] !== classes[best])
          || iou(boxes[best], boxes[i]) <= Number(threshold));
      }
      const gone = all.filter((i) => !stay.includes(i));
      const states = {
        gone: ["gone", null, 0, 0, null, outline(gone)],
        stay: ["stay", null, 0, 0, null, outline(stay)],
      };
      (stay.length <= most ? stay : []).forEach((i, place) => {
        const [x1, y1] = boxes[i].map((corner) => Math.round(scale * corner));
        states[`label${place}`] = ["label", labels[i], Math.min(x1, rightmost), Math.max(y1, lowest)];
      });
      return [states, rivals, { count: all.length, score, digits, stay: stay.length, gone: gone.length, threshold }];
    };
  };
})();
