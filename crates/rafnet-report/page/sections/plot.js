/* Any curves or dots, with what they are told of their axes. */
raf.sections.plot = (section, body) => {
  const data = section.data;
  const series = data.series.map((s) => ({ name: s.name, points: s.points, x: raf.array(s.x), y: raf.array(s.y) }));
  raf.chart(body, { x: { ...data.x, choose: true }, y: { ...data.y, choose: true }, series, bands: data.bands, diagonal: data.diagonal, height: 280 });
};
