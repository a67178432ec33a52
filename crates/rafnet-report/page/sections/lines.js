/* Curves of one coordinate: the unknowns with their data; below them residual, estimated and true errors; one cursor on both. */
raf.sections.lines = (section, body) => {
  const data = section.data;
  const x = raf.array(data.x);
  const [values, errors] = [[], []];
  let colour = 0;
  const several = data.groups.filter((group) => group.fields.some((field) => field.role === "residual")).length > 1;
  const all = data.groups.map((group) => group.name).join(", ");
  for (const group of data.groups) {
    for (const field of group.fields) {
      const y = raf.array(field.values);
      if (field.role === "value") values.push({ name: field.name, x, y, gaps: true, colour: raf.curves[colour++ % raf.curves.length] });
      else errors.push({ name: field.role === "residual" ? `|residual${several ? ` for ${group.name}` : ""}|` : field.role === "error" ? `|${field.name}|` : field.name, x, y: y.map(Math.abs), gaps: true });
    }
  }
  for (const set of data.observed) {
    const sigma = set.sigma ? `, noise ${raf.number(set.sigma)}` : "";
    const own = values.find((series) => series.name === set.unknown);
    values.push({ name: `observed ${set.unknown}${sigma}`, x: raf.array(set.x), y: raf.array(set.y), points: true, colour: own && own.colour });
  }
  const sync = `lines-${body.id}`;
  const bars = data.groups.filter((group) => group.bar).map((group) => `${group.name}: error at most about ${raf.number(group.bar, 3)}`);
  if (bars.length) body.append(raf.el("p", { class: "readout" }, bars.map((text) => raf.el("span", {}, text))));
  raf.chart(body, { x: { label: data.axis, choose: true }, y: { label: all.length < 30 ? all : "values", choose: true }, series: values, sync, height: 320 });
  if (errors.length) raf.chart(body, { x: { label: data.axis }, y: { label: "residual and errors", log: true, choose: true }, series: errors, sync, height: 240, decades: 12 });
};
