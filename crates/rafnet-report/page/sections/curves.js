/* Training curves: over steps or seconds, with logarithmic axes where they are asked for. */
raf.sections.curves = (section, body) => {
  const data = section.data;
  const along = { step: raf.array(data.step), seconds: raf.array(data.seconds) };
  const curves = data.curves.map((curve) => ({ ...curve, y: raf.array(curve.values) }));
  const families = [];
  const family = (name, test, log) => {
    const own = curves.filter(test);
    if (own.length) families.push({ name, own, log });
  };
  family("residual", (c) => c.key === "residual" || c.key === "best", true);
  family("loss", (c) => c.key === "loss" || c.key === "mse_heldout", true);
  family("true error", (c) => c.key === "relative_l2", true);
  family("quality in dB", (c) => c.key.startsWith("psnr"), false);
  family("functions", (c) => c.key === "width", false);
  const state = { family: 0, along: along.step.length ? "step" : "seconds" };
  const place = raf.el("div", {});
  const build = () => {
    const { own, log, name } = families[state.family];
    const x = along[state.along];
    const series = own.map((c) => ({ name: c.name, x, y: c.y, points: c.key === "residual" || c.key === "psnr_heldout" }));
    const bands = data.lines.filter((line) => own.some((c) => c.key === line.of));
    place.replaceChildren();
    raf.chart(place, { x: { label: state.along, choose: true }, y: { label: name, log, choose: true }, series, bands, height: 280 });
  };
  const controls = [raf.choice("show", families.map((f) => f.name), (k) => { state.family = k; build(); }), raf.choice("over", ["step", "seconds"], (k) => { state.along = ["step", "seconds"][k]; build(); })];
  body.append(raf.el("div", { class: "controls" }, controls), place);
  build();
};
