/* A picture, its fit, the difference, and four places beyond the pixels. */
raf.sections.picture = (section, body) => {
  const data = section.data;
  const [width, height] = data.size;
  const [target, fit, difference] = [data.target, data.fit, data.difference].map(raf.array);
  const readout = raf.el("p", { class: "readout" }, "Point at a picture to read it off in all three.");
  const amplified = data.most > 0 ? 1 / data.most : 1;
  const shown = [
    ["the picture", raf.bitmap(target, width, height, data.channels)],
    ["the fit", raf.bitmap(fit, width, height, data.channels)],
    [`fit minus picture, ${raf.amplified(amplified)}`, raf.differences(difference, width, height)],
  ];
  const overs = [];
  const channels = data.channels;
  const at = (bytes, k) => Array.from({ length: channels }, (_, c) => bytes[k * channels + c]).join(" ");
  const figure = ([name, canvas]) => {
    const over = raf.el("canvas", { class: "over", width, height });
    overs.push(over);
    canvas.classList.add("pixels");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", name);
    const move = (event) => {
      const box = canvas.getBoundingClientRect();
      const [i, j] = [event.clientX - box.left, event.clientY - box.top].map((v, k) => Math.max(0, Math.min([width, height][k] - 1, Math.floor((v / [box.width, box.height][k]) * [width, height][k]))));
      const k = j * width + i;
      const off = ((difference[k] - 128) / 127) * data.most;
      const texts = [`column ${i * data.every}, row ${j * data.every}`, `picture ${at(target, k)}`, `fit ${at(fit, k)}`, `fit − picture = ${raf.number(off)} of the range`];
      readout.replaceChildren(...texts.map((text) => raf.el("span", {}, text)));
      for (const over of overs) {
        const context = over.getContext("2d");
        context.clearRect(0, 0, width, height);
        const size = Math.max(4, width / 24);
        context.lineWidth = Math.max(1, width / 300);
        for (const [colour, grow] of [["#000", 0.6], ["#fff", 0]]) {
          context.strokeStyle = colour;
          context.strokeRect(i - size / 2 - grow, j - size / 2 - grow, size + 2 * grow, size + 2 * grow);
        }
      }
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerdown", move);
    return raf.el("figure", { class: "picture" }, raf.el("figcaption", {}, name), raf.el("div", { class: "stage" }, canvas, over));
  };
  body.append(raf.el("div", { class: "maps" }, shown.map(figure)), readout);
  if (!data.zooms.length) return;
  const zoom = (place) => {
    const { pixels, side } = place;
    const pictures = [["its pixels", place.target, pixels], ["cubic interpolation", place.bicubic, side], ["the fit", place.fit, side]].map(([name, coded, n]) => {
      const canvas = raf.bitmap(raf.array(coded), n, n, channels);
      canvas.classList.add("pixels");
      return raf.el("figure", { class: "zoom" }, canvas, raf.el("figcaption", {}, name));
    });
    return raf.el("div", { class: "zoomed" }, raf.el("h4", {}, `columns ${place.at[0]} to ${place.at[0] + pixels - 1}, rows ${place.at[1]} to ${place.at[1] + pixels - 1}`), raf.el("div", { class: "three" }, pictures));
  };
  body.append(raf.el("h3", {}, "Beyond the pixels"), raf.el("p", {}, "Four places with much in them, 8 times as fine as the pixels."), raf.el("div", { class: "zooms" }, data.zooms.map(zoom)));
};
