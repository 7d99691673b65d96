// Non-maximum suppression over the detector's boxes, for the settings of the sliders.
(() => {
  "use strict";

  window.KuiperMoving.kinds.suppression = ({ boxes, scores, classes, labels, digits, own }) => {
    const area = ([x1, y1, x2, y2]) => Math.max(x2 - x1, 0) * Math.max(y2 - y1, 0);

    function iou(a, b) {
      const common = area([Math.max(a[0], b[0]), Math.max(a[1], b[1]), Math.min(a[2], b[2]), Math.min(a[3], b[3])]);
      const together = area(a) + area(b) - common;
      return together > 0 ? common / together : 0;
    }

    const order = boxes.map((_, i) => i).sort((i, j) => scores[j] - scores[i]);

    return ({ threshold, score, rivals }) => {
      let left = order.filter((i) => scores[i] > Number(score));
      const count = left.length;
      const states = Object.fromEntries(left.map((i) => [`box${i}`, ["gone"]]));
      let stay = 0;
      while (left.length) {
        const [best, ...others] = left;
        states[`box${best}`] = ["stay", labels[best]];
        stay += 1;
        left = others.filter((i) => (rivals === own && classes[i] !== classes[best])
          || iou(boxes[best], boxes[i]) <= Number(threshold));
      }
      return [states, rivals, { count, score, digits, stay, gone: count - stay, threshold }];
    };
  };
})();
