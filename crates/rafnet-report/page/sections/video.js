/* A video by three frames, and the quality of the frames that were looked at. */
raf.sections.video = (section, body) => {
  const data = section.data;
  const [width, height] = data.size;
  for (const frame of data.frames) {
    const pictures = [
      ["the video", raf.bitmap(raf.array(frame.target), width, height, 3)],
      ["the fit", raf.bitmap(raf.array(frame.fit), width, height, 3)],
      [`difference, ${raf.amplified(1 / (frame.most || 1))}`, raf.differences(raf.array(frame.difference), width, height)],
    ].map(([name, canvas]) => {
      canvas.classList.add("pixels");
      return raf.el("figure", { class: "picture" }, raf.el("figcaption", {}, name), canvas);
    });
    body.append(raf.el("h3", {}, `The ${frame.name} frame: ${frame.frame}, ${frame.psnr.toFixed(1)} dB`), raf.el("div", { class: "maps" }, pictures));
  }
  raf.chart(body, { x: { label: "frame" }, y: { label: "dB" }, series: [{ name: "quality of the frame", x: raf.array(data.x), y: raf.array(data.psnr) }], height: 220 });
};
