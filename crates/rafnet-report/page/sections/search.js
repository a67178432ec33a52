/* Every attempt of a search: a chart of what each left over when, and the table. */
raf.sections.search = (section, body) => {
  const rows = section.data.rows;
  const measured = rows.filter((row) => row.residual !== null && row.seconds !== null);
  const methods = [...new Set(measured.map((row) => row.method))];
  const series = methods.map((method) => {
    const own = measured.filter((row) => row.method === method);
    return { name: method, x: own.map((row) => row.seconds), y: own.map((row) => row.residual), points: true };
  });
  if (measured.length > 1) raf.chart(body, { x: { label: "seconds", choose: true }, y: { label: "held-out residual", log: true, choose: true }, series, height: 220 });
  const last = rows.length - 1;
  const cells = rows.map((row, k) => [String(k + 1), row.seconds === null ? null : row.seconds.toFixed(1), row.method, row.functions, row.pieces, row.residual === null ? null : { text: row.residual.toExponential(1), value: row.residual, key: `events.${k}.residual` }, row.sentence]);
  const table = raf.table(["", "seconds", "method", "functions", "pieces", "residual", "what was tried, and what came of it"], cells);
  body.append(last > 12 ? raf.el("details", { open: last < 30 }, raf.el("summary", {}, `All ${rows.length} steps of the search`), table) : table);
};
