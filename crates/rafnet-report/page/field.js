/* A map: an array on a grid painted on a canvas inside its true outline, with a colour bar, a cursor and a line for the cut. */
raf.map = (spec) => {
  /* spec: name, role, axes, size [nx, ny], aspect; low, high and values of frames one after the other; outline (frame) => loops; overlay (context, map) */
  const [nx, ny] = spec.size;
  const [[x0, x1], [y0, y1]] = spec.axes.map((axis) => axis.range);
  const canvas = raf.el("canvas", { class: "map", tabindex: 0, role: "img", "aria-label": `${spec.name} over ${spec.axes[0].name} and ${spec.axes[1].name}` });
  const over = raf.el("canvas", { class: "over", "aria-hidden": "true" });
  const bar = raf.el("canvas", { class: "bar", "aria-hidden": "true" });
  const scale = raf.el("div", { class: "scale" });
  const stage = raf.el("div", { class: "stage" }, canvas, over);
  const ends = (axis) => [raf.number(axis.range[0]), axis.name, raf.number(axis.range[1])].map((text) => raf.el("span", {}, text));
  const root = raf.el("figure", { class: "map", "data-role": spec.role }, raf.el("figcaption", {}, spec.name), raf.el("div", { class: "framed" }, raf.el("div", { class: "up" }, ends(spec.axes[1]).reverse()), stage), raf.el("div", { class: "across" }, ends(spec.axes[0])), bar, scale);
  const picture = raf.el("canvas", { width: nx, height: ny });
  /* where a logarithmic scale begins: nineteen of twenty values lie above it */
  const smallest = () => {
    const sizes = [];
    const every = Math.max(1, Math.floor(spec.values.length / 4000));
    for (let k = 0; k < spec.values.length; k += every) if (spec.values[k]) sizes.push(Math.abs(spec.values[k]));
    const some = sizes.filter(Number.isFinite).sort((a, b) => a - b);
    return some.length ? some[Math.floor(some.length / 20)] : 0;
  };
  const least = smallest();
  let [width, height, frame, logarithmic, path] = [0, 0, 0, false, null];

  const signed = spec.role === "residual" || spec.role === "error";
  const limits = () => {
    const most = Math.max(Math.abs(spec.low), Math.abs(spec.high));
    if (logarithmic) return most > 0 ? [Math.log10(Math.max(Math.min(least, most / 100), most * 1e-14)), Math.log10(most)] : [-1, 0];
    if (signed && spec.low < 0) return [-most, most];
    return [spec.role === "estimate" ? 0 : spec.low, spec.high];
  };
  const palette = () => raf.palettes[signed && spec.low < 0 && !logarithmic ? "diverging" : "sequential"];
  const place = ([x, y]) => [((x - x0) / (x1 - x0)) * width, (1 - (y - y0) / (y1 - y0)) * height];
  const at = ([px, py]) => [x0 + (px / width) * (x1 - x0), y0 + (1 - py / height) * (y1 - y0)];

  const fill = () => {
    const context = picture.getContext("2d");
    const image = context.createImageData(nx, ny);
    const [low, high] = limits();
    const [colours, first] = [palette(), frame * nx * ny];
    const step = high > low ? 255 / (high - low) : 0;
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        let value = spec.values[first + j * nx + i];
        if (logarithmic) value = Math.log10(Math.max(Math.abs(value), 1e-300));
        const k = 4 * ((ny - 1 - j) * nx + i);
        if (Number.isNaN(value)) continue;
        const colour = 3 * Math.max(0, Math.min(255, Math.round(step ? (value - low) * step : 128)));
        image.data[k] = colours[colour];
        image.data[k + 1] = colours[colour + 1];
        image.data[k + 2] = colours[colour + 2];
        image.data[k + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  };
  const outline = () => {
    const loops = spec.outline(frame);
    const all = new Path2D();
    for (const loop of loops) {
      for (let k = 0; k < loop.length; k += 2) {
        const [px, py] = place([loop[k], loop[k + 1]]);
        if (k === 0) all.moveTo(px, py);
        else all.lineTo(px, py);
      }
      all.closePath();
    }
    return all;
  };
  const draw = () => {
    width = stage.clientWidth;
    if (!width) return;
    height = Math.round(width / spec.aspect);
    const context = raf.fit(canvas, width, height);
    raf.fit(over, width, height);
    fill();
    path = outline();
    context.save();
    context.clip(path, "evenodd");
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = "high";
    /* grid points are at the ends of the axes: the outer half of the outer cells lies outside */
    const [cw, ch] = [width / (nx - 1), height / (ny - 1)];
    context.drawImage(picture, -cw / 2, -ch / 2, width + cw, height + ch);
    context.restore();
    context.strokeStyle = raf.colour("soft");
    context.lineWidth = 1;
    context.stroke(path);
    if (spec.overlay) spec.overlay(context, { place, frame, width, height });
    const [low, high] = limits();
    const strip = raf.fit(bar, width, 10);
    const colours = palette();
    for (let k = 0; k < 256; k++) {
      strip.fillStyle = `rgb(${colours[3 * k]},${colours[3 * k + 1]},${colours[3 * k + 2]})`;
      strip.fillRect((k / 256) * width, 0, width / 256 + 1, 10);
    }
    const text = (v) => (logarithmic ? raf.number(10 ** v, 3) : raf.number(Math.abs(v) < 1e-9 * (high - low) ? 0 : v));
    scale.replaceChildren(...[low, (low + high) / 2, high].map((v) => raf.el("span", {}, text(v))));
  };
  raf.keep(stage, draw);
  const inside = (point) => path !== null && canvas.getContext("2d").isPointInPath(path, ...place(point).map((v) => v * (window.devicePixelRatio || 1)), "evenodd");
  return {
    root, canvas, draw, at, place, role: spec.role, name: spec.name, inside,
    low: spec.low, high: spec.high,
    setFrame: (k) => { frame = k; draw(); },
    setLogarithmic: (on) => { logarithmic = on; draw(); },
    /* the value at a point, between grid points linear in both directions */
    value: ([x, y]) => {
      const clamp = (v, n) => Math.max(0, Math.min(n - 1.000001, v));
      const [u, v] = [clamp(((x - x0) / (x1 - x0)) * (nx - 1), nx), clamp(((y - y0) / (y1 - y0)) * (ny - 1), ny)];
      const [i, j] = [Math.floor(u), Math.floor(v)];
      const [a, b] = [u - i, v - j];
      const of = (i, j) => spec.values[frame * nx * ny + j * nx + i];
      return (1 - b) * ((1 - a) * of(i, j) + a * of(i + 1, j)) + b * ((1 - a) * of(i, j + 1) + a * of(i + 1, j + 1));
    },
    mark: (cursor, cut) => {
      const context = over.getContext("2d");
      context.clearRect(0, 0, width, height);
      const line = (a, b, dash) => {
        for (const [colour, thick] of [["rgba(0,0,0,.55)", 2.4], ["#fff", 1]]) {
          context.strokeStyle = colour;
          context.lineWidth = thick;
          context.setLineDash(dash);
          context.beginPath();
          context.moveTo(...a);
          context.lineTo(...b);
          context.stroke();
        }
      };
      if (cut) line(place(cut[0]), place(cut[1]), [6, 4]);
      if (cursor) {
        const [px, py] = place(cursor);
        line([px - 9, py], [px + 9, py], []);
        line([px, py - 9], [px, py + 9], []);
      }
    },
  };
};
