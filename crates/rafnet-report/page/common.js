"use strict";
/* What all sections share: elements, arrays, numbers, colours, and the list in which sections register themselves. */
const raf = { sections: {}, redraws: [] };

/* An element with attributes (`on…` are listeners) and children, which are elements or texts; texts stay texts. */
raf.el = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
};

/* {"f32": base64} and the like as a typed array. */
raf.array = (coded) => {
  const kinds = { f32: Float32Array, f64: Float64Array, u8: Uint8Array, i16: Int16Array };
  const kind = Object.keys(coded)[0];
  const text = atob(coded[kind]);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return new kinds[kind](bytes.buffer);
};

/* A number as people write it. */
raf.number = (value, digits = 4) => {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const plain = size >= 1e-3 && size < 1e6 ? Number(value.toPrecision(digits)).toString() : value.toExponential(Math.max(digits - 3, 1)).replace("e+", "e");
  return plain.replace(/^-/, "−");
};

/* A colour of the style sheet as it is now. */
raf.colour = (name) => {
  const probe = raf.el("span", { style: `color: var(--${name}); display: none` });
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
};
raf.curves = ["#3b8fd9", "#e0701f", "#1fa878", "#c36aa5", "#c99a12", "#7a6cd8", "#8a8f98", "#d04a5a"];

/* Calls again when the element's width changes, and when light turns dark. */
raf.keep = (element, draw) => {
  let width = element.isConnected ? element.clientWidth : 0;
  if (width) draw();
  new ResizeObserver(() => {
    const now = element.clientWidth;
    if (now && Math.abs(now - width) > 1) {
      width = now;
      requestAnimationFrame(draw);
    }
  }).observe(element);
  raf.redraws.push(draw);
};
raf.redraw = () => raf.redraws.forEach((draw) => draw());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", raf.redraw);

/* Sequential and diverging colours, each with equal steps of brightness (viridis; blue, grey, red). */
raf.stops = {
  sequential: [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]],
  diverging: [[59, 76, 192], [98, 130, 234], [141, 176, 254], [184, 208, 249], [221, 221, 221], [245, 196, 173], [244, 154, 123], [222, 96, 77], [180, 4, 38]],
};
raf.palette = (kind) => {
  const stops = raf.stops[kind];
  const palette = new Uint8Array(256 * 3);
  for (let k = 0; k < 256; k++) {
    const at = (k / 255) * (stops.length - 1);
    const i = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) palette[3 * k + c] = Math.round(stops[i][c] + (at - i) * (stops[i + 1][c] - stops[i][c]));
  }
  return palette;
};
raf.palettes = { sequential: raf.palette("sequential"), diverging: raf.palette("diverging") };

/* What a difference was multiplied by. */
raf.amplified = (by) => (by >= 1 ? `amplified ${raf.number(by, 3)} times` : `scaled by ${raf.number(by, 3)}`);

/* Canvas of this size in pixels of the page, as sharp as the screen. */
raf.fit = (canvas, width, height) => {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
};

/* Bytes of a picture (grey or colours) as a canvas of its own pixels. */
raf.bitmap = (bytes, width, height, channels) => {
  const canvas = raf.el("canvas", { width, height });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  for (let k = 0; k < width * height; k++) {
    for (let c = 0; c < 3; c++) image.data[4 * k + c] = bytes[k * channels + (channels > 1 ? c : 0)];
    image.data[4 * k + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
};

/* The same with colours for bytes around 128. */
raf.differences = (bytes, width, height) => {
  const colours = new Uint8Array(width * height * 3);
  const palette = raf.palettes.diverging;
  for (let k = 0; k < width * height; k++) for (let c = 0; c < 3; c++) colours[3 * k + c] = palette[3 * bytes[k] + c];
  return raf.bitmap(colours, width, height, 3);
};

/* A slider with a button that plays it. `show` is told the place, from 0 to n − 1. */
raf.slider = (name, values, show) => {
  const range = raf.el("input", { type: "range", min: 0, max: values.length - 1, value: 0, step: 1, "aria-label": name });
  const output = raf.el("output", {});
  const play = raf.el("button", { type: "button", "aria-label": `play ${name}`, class: "play" }, "▶");
  let timer = null;
  const set = (place) => {
    range.value = place;
    output.textContent = `${name} = ${raf.number(values[place])}`;
    show(Number(range.value));
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶";
  };
  const toggle = () => {
    if (timer !== null) return stop();
    play.textContent = "❚❚";
    if (Number(range.value) >= values.length - 1) set(0);
    timer = setInterval(() => {
      const next = Number(range.value) + 1;
      if (next >= values.length) return stop();
      set(next);
    }, Math.max(40, 2500 / values.length));
  };
  range.addEventListener("input", () => set(Number(range.value)));
  play.addEventListener("click", toggle);
  return { root: raf.el("div", { class: "slider" }, play, range, output), set, toggle, place: () => Number(range.value) };
};

/* A choice among several, none where there is only one. */
raf.choice = (label, names, choose, chosen = 0) => {
  const options = names.map((name, k) => raf.el("option", { value: k, selected: k === chosen }, name));
  const select = raf.el("select", { onchange: () => choose(Number(select.value)) }, options);
  return names.length > 1 ? raf.el("label", { class: "choice" }, `${label} `, select) : null;
};

/* A box to tick. */
raf.tick = (label, ticked, change) => {
  const box = raf.el("input", { type: "checkbox", checked: ticked, onchange: () => change(box.checked) });
  return raf.el("label", { class: "tick" }, box, ` ${label}`);
};

/* A table of texts; a cell may be {text, value, key}: a number of result.json. */
raf.table = (head, rows, sortable) => {
  const cell = (value) => {
    if (value === null || value === undefined) return raf.el("td", {}, "–");
    if (typeof value === "object") return raf.el("td", { class: "number", "data-key": value.key, "data-value": value.value, title: String(value.value) }, value.text);
    if (typeof value === "number") return raf.el("td", { class: "number", title: String(value) }, raf.number(value));
    return raf.el("td", {}, String(value));
  };
  const body = raf.el("tbody", {}, rows.map((row) => raf.el("tr", {}, row.map(cell))));
  let order = [null, 1];
  const sort = (column) => {
    order = [column, order[0] === column ? -order[1] : 1];
    const of = (tr) => tr.children[column].dataset.value ?? tr.children[column].textContent;
    const compare = (a, b) => (Number(of(a)) - Number(of(b)) || String(of(a)).localeCompare(String(of(b)))) * order[1];
    body.append(...[...body.children].sort(compare));
  };
  const heads = head.map((text, k) => raf.el("th", { scope: "col" }, sortable ? raf.el("button", { type: "button", class: "plain", onclick: () => sort(k) }, text) : text));
  const top = head.some((text) => text) ? raf.el("thead", {}, raf.el("tr", {}, heads)) : null;
  return raf.el("div", { class: "scroll" }, raf.el("table", {}, top, body));
};
