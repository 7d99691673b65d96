// Convolution over a photograph: what kuiper's layer computes, for the settings of the sliders.
(() => {
  "use strict";
  const K = 3;

  window.KuiperMoving.kinds.convolution = ({ photo, side, room, most, scale, kernels, colours, strong }) => {
    const pixels = Uint8Array.from(atob(photo), (sign) => sign.charCodeAt(0));
    const canvas = Object.assign(document.createElement("canvas"), { width: room, height: room });
    const context = canvas.getContext("2d");

    const pixel = (i, j) => (i >= 0 && j >= 0 && i < side && j < side ? pixels[i * side + j] : null);

    function value(i, j, numbers, divisor, d) { // the window whose first pixel is (i, j)
      let sum = 0;
      for (let tap = 0; tap < K * K; tap++) {
        sum += numbers[tap] * (pixel(i + d * Math.floor(tap / K), j + d * (tap % K)) ?? 0);
      }
      return sum / divisor;
    }

    function colour(found, coloured) {
      if (!coloured) return Array(3).fill(Math.floor(Math.min(Math.max(found, 0), 255) + 0.5));
      const share = Math.min(Math.abs(found) / strong, 1);
      return colours[found > 0 ? 0 : 1].map((one) => Math.floor(255 + (one - 255) * share + 0.5));
    }

    function painted(size, s, p, d, [numbers, divisor, coloured]) {
      const drawing = context.createImageData(room, room);
      for (let i = 0; i < size; i++) {
        for (let j = 0; j < size; j++) {
          const found = value(i * s - p, j * s - p, numbers, divisor, d);
          drawing.data.set([...colour(found, coloured), 255], 4 * (i * room + j));
        }
      }
      context.putImageData(drawing, 0, 0);
      return canvas.toDataURL();
    }

    return (settings) => {
      const [s, p, d] = [settings.stride, settings.padding, settings.dilation].map(Number);
      const kernel = kernels[settings.kernel];
      const [numbers, divisor, coloured] = kernel;
      const size = Math.floor((side + 2 * p - d * (K - 1) - 1) / s) + 1;
      const place = Math.floor((parseInt(settings.window, 10) * (size - 1) + 50) / 100);
      const states = {
        result: ["", null, 0, 0, null, painted(size, s, p, d, kernel)],
        spot: ["fine", null, place * scale, place * scale],
      };
      for (let i = 1; i <= most; i++) states[`border${i}`] = [i === p ? "ghost" : "hidden"];
      for (let tap = 0; tap < K * K; tap++) {
        const [i, j] = [Math.floor(tap / K), tap % K].map((step) => place * s - p + d * step);
        states[`tap${tap}`] = ["fine", null, j * scale, i * scale];
        states[`x${tap}`] = pixel(i, j) === null ? ["ghost", "0"] : ["blue", String(pixel(i, j))];
        states[`w${tap}`] = ["violet", divisor > 1 ? `${numbers[tap]}/${divisor}` : String(numbers[tap])];
      }
      const sum = value(place * s - p, place * s - p, numbers, divisor, d).toFixed(divisor > 1 ? 1 : 0);
      states.value = ["orange bold", sum];
      states.formula = ["", `(${side} + 2·${p} - ${d}·(${K} - 1) - 1) // ${s} + 1 = ${size}`];
      const words = { row: place, column: place, value: sum, size };
      return [states, coloured ? "coloured" : "grey", words];
    };
  };
})();
