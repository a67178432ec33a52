/* Curves, by uPlot. A series has a name and its own x and y; scales may be logarithmic, and are changed by buttons. */
raf.chart = (parent, spec) => {
  const state = { x: Boolean(spec.x.log), y: Boolean(spec.y.log) };
  const frame = raf.el("div", { class: "chart", role: "img", "aria-label": `${spec.y.label} over ${spec.x.label}` });
  const controls = raf.el("div", { class: "controls" });
  let plot = null;
  const usable = (value, log) => Number.isFinite(value) && !(log && value <= 0);
  /* every series on the union of all x: absent is undefined, not a number null */
  const joined = () => {
    const tables = spec.series.map((series) => {
      const rows = [];
      for (let k = 0; k < series.x.length; k++) if (usable(series.x[k], state.x)) rows.push([series.x[k], usable(series.y[k], state.y) ? series.y[k] : null]);
      rows.sort((a, b) => a[0] - b[0]);
      const kept = rows.filter((row, k) => k === 0 || row[0] !== rows[k - 1][0]);
      return [kept.map((row) => row[0]), kept.map((row) => row[1])];
    });
    return uPlot.join(tables);
  };
  const range = (log, fixed) => (u, low, high) => {
    if (fixed) return fixed;
    if (low === null || high === null || !Number.isFinite(low)) return log ? [0.1, 1] : [0, 1];
    if (log) {
      if (spec.decades) low = Math.max(low, high / 10 ** spec.decades);
      const [a, b] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
      return [Number(`1e${a}`), Number(`1e${b > a ? b : a + 1}`)];
    }
    const room = high > low ? 0.04 * (high - low) : Math.abs(high) * 0.1 || 1;
    return [low - room, high + room];
  };
  const bands = (u) => {
    const { ctx } = u;
    const lines = spec.bands || [];
    ctx.save();
    ctx.strokeStyle = raf.colour("faint");
    ctx.fillStyle = raf.colour("soft");
    ctx.setLineDash([4, 4]);
    for (const line of lines) {
      const value = typeof line === "number" ? line : line.value;
      const y = u.valToPos(value, "y", true);
      if (!(y > u.bbox.top && y < u.bbox.top + u.bbox.height)) continue;
      ctx.beginPath();
      ctx.moveTo(u.bbox.left, y);
      ctx.lineTo(u.bbox.left + u.bbox.width, y);
      ctx.stroke();
      if (line.name) {
        ctx.textAlign = "left";
        ctx.textBaseline = "bottom";
        ctx.font = `${12 * devicePixelRatio}px system-ui`;
        ctx.fillText(line.name, u.bbox.left + 6 * devicePixelRatio, y - 2 * devicePixelRatio);
      }
    }
    if (spec.diagonal) {
      ctx.beginPath();
      ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      ctx.clip();
      ctx.beginPath();
      for (const value of [u.scales.x.min, u.scales.x.max]) ctx.lineTo(u.valToPos(value, "x", true), u.valToPos(value, "y", true));
      ctx.stroke();
    }
    if (spec.mark !== undefined && spec.mark !== null) {
      const x = u.valToPos(spec.mark, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top);
      ctx.lineTo(x, u.bbox.top + u.bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  };
  /* powers of ten, at most eight: uPlot's own splits of a logarithmic axis do not end where values are very small */
  const powers = (u, axis, low, high) => {
    const [first, last] = [Math.ceil(Math.log10(low) - 1e-6), Math.floor(Math.log10(high) + 1e-6)];
    const every = Math.max(1, Math.ceil((last - first + 1) / 8));
    const splits = [];
    for (let k = first; k <= last; k += every) splits.push(Number(`1e${k}`));
    return splits;
  };
  const options = () => {
    const axis = (label, log) => ({
      stroke: raf.colour("soft"), label, labelSize: 18, labelGap: 0, font: "12px system-ui", labelFont: "12px system-ui", size: label === spec.x.label ? 34 : 62,
      grid: { stroke: raf.colour("line"), width: 1 }, ticks: { stroke: raf.colour("line"), width: 1, size: 4 },
      values: (u, splits) => splits.map((v) => (v === null ? "" : log ? raf.power(v) : raf.number(v, 5))), space: log ? 36 : 50,
      ...(log ? { splits: powers, filter: (u, splits) => splits } : {}),
    });
    const line = (series, k) => {
      const colour = series.colour || raf.curves[k % raf.curves.length];
      return {
        label: series.name, stroke: colour, width: series.points ? 0 : 1.8, spanGaps: !series.gaps, dash: series.dash, fill: undefined,
        points: { show: Boolean(series.points) || series.x.length < 3, size: 5, fill: colour, stroke: colour }, paths: series.points ? () => null : undefined,
        value: (u, v) => raf.number(v, 6),
      };
    };
    return {
      width: Math.max(240, frame.clientWidth), height: spec.height || 260, ms: 1, scales: { x: { time: false, distr: state.x ? 3 : 1, range: (u, a, b) => (state.x ? range(true, null)(u, a, b) : a === b ? [a - 1, b + 1] : [a, b]) }, y: { distr: state.y ? 3 : 1, range: range(state.y, state.y ? null : spec.y.fixed) } },
      axes: [axis(spec.x.label, state.x), axis(spec.y.label, state.y)], series: [{ label: spec.x.label, value: (u, v) => raf.number(v, 6) }, ...spec.series.map(line)],
      cursor: { drag: { x: true, y: true, uni: 24 }, sync: spec.sync ? { key: spec.sync, scales: ["x", null] } : undefined }, legend: { live: true },
      hooks: { drawClear: [], draw: [bands] },
    };
  };
  const draw = () => {
    if (!frame.clientWidth) return;
    if (plot) plot.destroy();
    plot = new uPlot(options(), joined(), frame);
  };
  const button = (name, axis) => {
    const pressed = raf.el("button", { type: "button", "aria-pressed": String(state[axis]) }, name);
    pressed.addEventListener("click", () => {
      state[axis] = !state[axis];
      pressed.setAttribute("aria-pressed", String(state[axis]));
      draw();
    });
    return pressed;
  };
  if (spec.x.choose) controls.append(button("log x", "x"));
  if (spec.y.choose) controls.append(button("log y", "y"));
  parent.append(raf.el("div", {}, controls.childElementCount ? controls : null, frame));
  raf.keep(frame, draw);
  return {
    frame, controls,
    /* other series, the same axes: drawn again, or only filled where their number and names are the same */
    set: (series, changes) => {
      const same = plot && series.length === spec.series.length && series.every((s, k) => s.name === spec.series[k].name);
      Object.assign(spec, changes || {}, { series });
      if (same) plot.setData(joined(), true);
      else draw();
    },
    draw,
  };
};

/* A tick of a logarithmic axis: powers of ten only. */
raf.power = (value) => {
  const power = Math.log10(value);
  if (Math.abs(power - Math.round(power)) > 1e-6) return "";
  const k = Math.round(power);
  return k >= -2 && k <= 3 ? String(Number(value.toPrecision(1))) : `1e${k}`;
};
