/* Two runs under one divider: maps with their difference, or pictures. */
raf.sections.swipe = (section, body) => {
  const data = section.data;
  const maps = Boolean(data.runs);
  const items = maps ? data.runs.map((run) => ({ name: run.name, values: raf.array(run.values) })) : data.pictures.map((p) => ({ name: p.name, size: p.size, bytes: raf.array(p.bytes) }));
  const state = { a: 0, b: 1, share: 0.5, frame: 0 };
  const names = items.map((item) => item.name);
  const stage = raf.el("div", { class: "stage swipe" });
  const canvas = raf.el("canvas", { class: "map", role: "img", "aria-label": section.title });
  const divider = raf.el("input", { type: "range", min: 0, max: 1000, value: 500, "aria-label": "divider between the two" });
  const captions = raf.el("div", { class: "across" });
  stage.append(canvas);
  const beside = raf.el("div", {});
  let [outlines, aspect] = [null, 1];
  if (maps) {
    outlines = data.outlines.map((loops) => loops.map(raf.array));
    const [xa, ya] = data.axes;
    aspect = xa.time || ya.time ? 1.35 : Math.max(0.4, Math.min(3, (xa.range[1] - xa.range[0]) / (ya.range[1] - ya.range[0])));
  } else aspect = items[0].size[0] / items[0].size[1];
  const bitmap = (item) => {
    if (!maps) return raf.bitmap(item.bytes, item.size[0], item.size[1], data.channels);
    const [nx, ny] = data.size;
    const [bytes, palette] = [new Uint8Array(nx * ny * 3), raf.palettes.sequential];
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const share = (item.values[state.frame * nx * ny + j * nx + i] - data.low) / (data.high - data.low || 1);
        const colour = 3 * Math.max(0, Math.min(255, Math.round(share * 255)));
        for (let c = 0; c < 3; c++) bytes[3 * ((ny - 1 - j) * nx + i) + c] = palette[colour + c];
      }
    }
    return raf.bitmap(bytes, nx, ny, 3);
  };
  const draw = () => {
    const width = stage.clientWidth;
    if (!width) return;
    const height = Math.round(width / aspect);
    const context = raf.fit(canvas, width, height);
    context.imageSmoothingEnabled = maps;
    if (maps) {
      const path = new Path2D();
      const [[x0, x1], [y0, y1]] = data.axes.map((axis) => axis.range);
      for (const loop of outlines[0]) {
        for (let k = 0; k < loop.length; k += 2) path.lineTo(((loop[k] - x0) / (x1 - x0)) * width, (1 - (loop[k + 1] - y0) / (y1 - y0)) * height);
        path.closePath();
      }
      context.clip(path, "evenodd");
    }
    const middle = state.share * width;
    context.drawImage(bitmap(items[state.a]), 0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(middle, 0, width - middle, height);
    context.clip();
    context.drawImage(bitmap(items[state.b]), 0, 0, width, height);
    context.restore();
    context.fillStyle = "#000";
    context.fillRect(middle - 1.5, 0, 3, height);
    context.fillStyle = "#fff";
    context.fillRect(middle - 0.5, 0, 1, height);
    captions.replaceChildren(raf.el("span", {}, `◀ ${names[state.a]}`), raf.el("span", {}, `${names[state.b]} ▶`));
  };
  const difference = () => {
    if (!maps) return;
    const [a, b] = [items[state.a].values, items[state.b].values];
    const values = new Float64Array(a.length);
    let most = 0;
    for (let k = 0; k < a.length; k++) {
      values[k] = a[k] - b[k];
      if (Number.isFinite(values[k])) most = Math.max(most, Math.abs(values[k]));
    }
    const map = raf.map({ name: `${names[state.a]} minus ${names[state.b]}`, role: "error", low: -most, high: most, values, axes: data.axes, size: data.size, aspect, outline: () => outlines[0] });
    beside.replaceChildren(map.root);
    map.setFrame(state.frame);
    state.map = map;
  };
  const move = (share) => {
    state.share = Math.max(0, Math.min(1, share));
    divider.value = Math.round(1000 * state.share);
    draw();
  };
  divider.addEventListener("input", () => move(divider.value / 1000));
  const drag = (event) => {
    if (event.type === "pointermove" && event.buttons === 0) return;
    const box = canvas.getBoundingClientRect();
    move((event.clientX - box.left) / box.width);
  };
  canvas.addEventListener("pointerdown", drag);
  canvas.addEventListener("pointermove", drag);
  const choose = (side) => (k) => { state[side] = k; draw(); difference(); };
  const controls = raf.el("div", { class: "controls" }, raf.choice("left", names, choose("a"), 0), raf.choice("right", names, choose("b"), 1));
  if (maps && data.frames) {
    const slider = raf.slider(data.frames.name, data.frames.values, (k) => { state.frame = k; draw(); if (state.map) state.map.setFrame(k); });
    controls.append(slider.root);
  }
  body.append(controls, raf.el("div", { class: "two" }, raf.el("figure", { class: "map" }, raf.el("figcaption", {}, maps ? data.unknown : "left and right of the divider"), stage, captions, divider), beside));
  raf.keep(stage, draw);
  difference();
};
