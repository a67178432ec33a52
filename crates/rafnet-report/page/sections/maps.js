/* Value, residual, estimate and error on maps with one cursor; a cut along a line; a slider with a button that plays. */
raf.sections.maps = (section, body) => {
  const data = section.data;
  const arrays = data.fields.map((field) => raf.array(field.values));
  const outlines = data.outlines.map((loops) => loops.map(raf.array));
  const boxes = raf.array(data.cut);
  const dots = data.dots ? raf.array(data.dots) : [];
  const [xa, ya] = data.axes;
  const extent = (axis) => axis.range[1] - axis.range[0];
  const aspect = xa.time || ya.time ? 1.35 : Math.max(0.4, Math.min(3, extent(xa) / extent(ya)));
  const timed = !data.frames && (xa.time ? 0 : ya.time ? 1 : null); // an axis that is time itself
  const state = { group: 0, frame: 0, cursor: null, cut: null, upright: timed === 0, pieces: true, log: true, maps: [], start: null };

  const grid = raf.el("div", { class: "maps" });
  const readout = raf.el("p", { class: "readout", "aria-live": "off" });
  const controls = raf.el("div", { class: "controls" });
  const cutting = raf.el("div", { class: "two" });
  const hint = raf.el("p", { class: "hint" }, "Point at a map to read it off in all of them. Click for a cut through the point, drag for one along any line. Keys on a map: arrows move, Enter cuts, T turns the cut.", data.worst && data.worst.point ? ` The circle: where ${data.worst.what} is missed most.` : "");

  /* through a point, along one axis */
  const through = (point) => (state.upright ? [[point[0], ya.range[0]], [point[0], ya.range[1]]] : [[xa.range[0], point[1]], [xa.range[1], point[1]]]);
  const middle = data.axes.map((axis) => (axis.range[0] + axis.range[1]) / 2);
  state.cut = through(middle);

  const overlay = (context, map) => {
    if (state.pieces && boxes.length) {
      context.strokeStyle = "rgba(255,255,255,.85)";
      context.lineWidth = 0.8;
      const along = data.frames ? data.frames.values[map.frame] : 0;
      for (let k = 0; k < boxes.length; k += 6) {
        if (along < boxes[k + 4] || along > boxes[k + 5]) continue;
        const [[px, py], [qx, qy]] = [map.place([boxes[k], boxes[k + 3]]), map.place([boxes[k + 1], boxes[k + 2]])];
        context.strokeRect(px, py, qx - px, qy - py);
      }
    }
    context.fillStyle = "#fff";
    context.strokeStyle = "#000";
    context.lineWidth = 1;
    for (let k = 0; k < dots.length; k += 2) {
      context.beginPath();
      context.arc(...map.place([dots[k], dots[k + 1]]), 2.5, 0, 7);
      context.fill();
      context.stroke();
    }
  };
  const worst = (context, map) => {
    if (!data.worst || !data.worst.point) return;
    const [px, py] = map.place(data.worst.point);
    context.strokeStyle = raf.colour("poor");
    context.lineWidth = 2;
    context.beginPath();
    context.arc(px, py, 6, 0, 7);
    context.stroke();
  };

  const errors = (map) => map.role !== "value";
  const read = () => {
    const group = data.groups[state.group];
    if (!state.cursor) {
      readout.textContent = group.bar ? `The largest error is likely about ${raf.number(group.bar, 3)}.` : " ";
      return;
    }
    const texts = data.axes.map((axis, k) => `${axis.name} = ${raf.number(state.cursor[k])}`);
    if (data.frames) texts.push(`${data.frames.name} = ${raf.number(data.frames.values[state.frame])}`);
    const parts = [texts.join(", ")];
    if (state.maps.length && !state.maps[0].inside(state.cursor)) parts.push("outside");
    else {
      for (const map of state.maps) {
        const value = raf.number(map.value(state.cursor), map.role === "value" ? 6 : 4);
        const bar = map.role === "value" && group.bar ? ` (error at most about ${raf.number(group.bar, 3)})` : "";
        const name = { value: map.name, residual: "residual", estimate: "estimated error", error: "true error" }[map.role];
        parts.push(`${name} = ${value}${bar}`);
      }
    }
    readout.replaceChildren(...parts.map((text) => raf.el("span", {}, text)));
  };

  let charts = null;
  const SAMPLES = 240;
  const cutSeries = () => {
    const [a, b] = state.cut;
    const flat = a[1] === b[1] ? 0 : a[0] === b[0] ? 1 : null;
    const label = flat === 0 ? xa.name : flat === 1 ? ya.name : "distance along the cut";
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    const x = [];
    const points = [];
    for (let k = 0; k <= SAMPLES; k++) {
      const t = k / SAMPLES;
      const point = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
      x.push(flat === null ? t * length : point[flat]);
      points.push(point);
    }
    const nudged = (point) => point.map((v, k) => Math.min(Math.max(v, data.axes[k].range[0] + 1e-6 * extent(data.axes[k])), data.axes[k].range[1] - 1e-6 * extent(data.axes[k])));
    const inside = points.map((point) => state.maps[0].inside(nudged(point)));
    const of = (map) => points.map((point, k) => (inside[k] ? (errors(map) ? Math.abs(map.value(point)) : map.value(point)) : NaN));
    const names = { residual: "|residual|", estimate: "estimated error", error: "|true error|" };
    const series = state.maps.map((map) => ({ name: names[map.role] || map.name, x, y: of(map), gaps: true, value: !errors(map) }));
    return { label, values: series.filter((s) => s.value), errors: series.filter((s) => !s.value) };
  };
  const cut = () => {
    if (!state.maps.length || !state.maps[0].canvas.clientWidth) return;
    const { label, values, errors } = cutSeries();
    const map = state.maps[0];
    const room = 0.05 * (map.high - map.low) || 1;
    const fixed = [map.low - room, map.high + room];
    if (charts && charts.label === label && charts.group === state.group) {
      charts.value.set(values);
      if (charts.error) charts.error.set(errors);
      return;
    }
    cutting.replaceChildren();
    charts = { label, group: state.group };
    charts.value = raf.chart(cutting, { x: { label }, y: { label: `${map.name} on the cut`, fixed }, series: values, height: 220 });
    charts.error = errors.length ? raf.chart(cutting, { x: { label }, y: { label: "on the cut", log: true, choose: true }, series: errors, height: 220, decades: 9 }) : null;
  };
  const mark = () => state.maps.forEach((map) => map.mark(state.cursor, state.cut));
  const point = (at) => {
    state.cursor = at && at.map((v, k) => Math.max(data.axes[k].range[0], Math.min(data.axes[k].range[1], v)));
    mark();
    read();
  };
  const setCut = (line) => {
    state.cut = line;
    mark();
    cut();
  };

  const listen = (map) => {
    const at = (event) => {
      const box = map.canvas.getBoundingClientRect();
      return map.at([event.clientX - box.left, event.clientY - box.top]);
    };
    map.canvas.addEventListener("pointermove", (event) => {
      point(at(event));
      if (state.start && state.start.map === map && Math.hypot(event.clientX - state.start.px, event.clientY - state.start.py) > 6) {
        state.cut = [state.start.at, state.cursor];
        mark();
      }
    });
    map.canvas.addEventListener("pointerleave", () => { if (!state.start) point(null); });
    map.canvas.addEventListener("pointerdown", (event) => {
      point(at(event));
      state.start = { map, at: state.cursor, px: event.clientX, py: event.clientY };
    });
    map.canvas.addEventListener("pointerup", (event) => {
      const start = state.start;
      state.start = null;
      if (!start) return;
      const moved = Math.hypot(event.clientX - start.px, event.clientY - start.py) > 6;
      point(at(event));
      setCut(moved ? [start.at, state.cursor] : through(state.cursor));
    });
    map.canvas.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 0.1 : 0.02;
      const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      const from = state.cursor || middle;
      if (moves[event.key]) point(from.map((v, k) => v + moves[event.key][k] * step * extent(data.axes[k])));
      else if (event.key === "Enter") setCut(through(from));
      else if (event.key === "t" || event.key === "T") turn();
      else if (event.key === " " && slider) slider.toggle();
      else return;
      event.preventDefault();
    });
  };
  const turn = () => {
    state.upright = !state.upright;
    setCut(through(state.cursor || state.cut[0].map((v, k) => (v + state.cut[1][k]) / 2)));
  };

  const build = () => {
    const group = data.groups[state.group];
    state.maps = group.fields.map((k) => {
      const field = data.fields[k];
      const map = raf.map({
        ...field, axes: data.axes, size: data.size, aspect, values: arrays[k], outline: (frame) => outlines[Math.min(frame, outlines.length - 1)],
        overlay: field.role === "value" ? overlay : worst,
      });
      listen(map);
      return map;
    });
    grid.replaceChildren(...state.maps.map((map) => map.root));
    state.maps.forEach((map) => {
      map.setFrame(state.frame);
      if (errors(map)) map.setLogarithmic(state.log);
    });
    charts = null;
    mark();
    cut();
    read();
  };

  const show = (frame) => {
    state.frame = frame;
    state.maps.forEach((map) => map.setFrame(frame));
    mark();
    cut();
    read();
  };
  let slider = null;
  if (data.frames) slider = raf.slider(data.frames.name, data.frames.values, show);
  else if (timed !== null && timed !== false) {
    /* time is an axis: the slider moves the cut through it */
    const [low, high] = data.axes[timed].range;
    const times = Array.from({ length: 61 }, (_, k) => low + ((high - low) * k) / 60);
    slider = raf.slider(data.axes[timed].name, times, (k) => {
      state.upright = timed === 0;
      setCut(through(timed === 1 ? [middle[0], times[k]] : [times[k], middle[1]]));
    });
  }
  const choice = raf.choice("show", data.groups.map((group) => group.name), (k) => { state.group = k; build(); });
  controls.append(...[choice, slider && slider.root].filter(Boolean));
  if (boxes.length) controls.append(raf.tick(`the cut into ${boxes.length / 6} pieces`, true, (on) => { state.pieces = on; state.maps[0].draw(); }));
  if (data.fields.some((field) => field.role !== "value")) controls.append(raf.tick("errors on a logarithmic scale", true, (on) => { state.log = on; state.maps.filter(errors).forEach((map) => map.setLogarithmic(on)); }));
  controls.append(raf.el("button", { type: "button", onclick: turn }, "turn the cut"));
  body.append(controls, grid, readout, cutting, hint);
  build();
  raf.keep(grid, () => { mark(); cut(); });
  if (slider) slider.set(data.frames ? (data.frames.time ? data.frames.values.length - 1 : Math.floor(data.frames.values.length / 2)) : 30);
};
