/* A sound to be heard, as a wave and as a spectrogram; its fit and their difference. */
raf.sections.sound = (section, body) => {
  const data = section.data;
  const rate = data.rate;
  const sounds = [["the sound", data.target], ["the fit", data.fit], [`fit minus sound, ${raf.amplified(data.amplified)}`, data.difference]].map(([name, coded]) => ({ name, samples: raf.array(coded) }));
  const wav = (samples) => {
    const view = new DataView(new ArrayBuffer(44 + 2 * samples.length));
    const text = (at, word) => [...word].forEach((letter, k) => view.setUint8(at + k, letter.charCodeAt(0)));
    text(0, "RIFF");
    view.setUint32(4, 36 + 2 * samples.length, true);
    text(8, "WAVEfmt ");
    [[16, 16, 4], [20, 1, 2], [22, 1, 2], [24, rate, 4], [28, 2 * rate, 4], [32, 2, 2], [34, 16, 2]].forEach(([at, value, size]) => (size === 4 ? view.setUint32(at, value, true) : view.setUint16(at, value, true)));
    text(36, "data");
    view.setUint32(40, 2 * samples.length, true);
    samples.forEach((sample, k) => view.setInt16(44 + 2 * k, sample, true));
    return URL.createObjectURL(new Blob([view], { type: "audio/wav" }));
  };
  const player = ({ name, samples }) => raf.el("figure", { class: "sound" }, raf.el("figcaption", {}, name), raf.el("audio", { controls: true, src: wav(samples), "aria-label": name }));
  body.append(raf.el("div", { class: "players" }, sounds.map(player)));

  /* least and largest sample of each column of a chart that zooms */
  const count = sounds[0].samples.length;
  const envelope = (samples) => {
    const columns = Math.min(count, 1600);
    const [x, y] = [[], []];
    for (let k = 0; k < columns; k++) {
      const [from, to] = [Math.floor((k * count) / columns), Math.max(Math.floor(((k + 1) * count) / columns), Math.floor((k * count) / columns) + 1)];
      let [low, high] = [Infinity, -Infinity];
      for (let i = from; i < to; i++) {
        low = Math.min(low, samples[i]);
        high = Math.max(high, samples[i]);
      }
      x.push(from / rate, (from + 0.5 * (to - from)) / rate);
      y.push((low / data.full) * data.peak, (high / data.full) * data.peak);
    }
    return { x, y };
  };
  const waves = sounds.slice(0, 2).map(({ name, samples }) => ({ name, ...envelope(samples) }));
  raf.chart(body, { x: { label: "seconds" }, y: { label: "amplitude" }, series: waves, height: 220 });

  const SIZE = 1024;
  const spectrum = (re, im) => {
    for (let i = 1, j = 0; i < SIZE; i++) {
      let bit = SIZE >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) {
        [re[i], re[j]] = [re[j], re[i]];
        [im[i], im[j]] = [im[j], im[i]];
      }
    }
    for (let length = 2; length <= SIZE; length <<= 1) {
      const angle = (-2 * Math.PI) / length;
      for (let start = 0; start < SIZE; start += length) {
        for (let k = 0; k < length / 2; k++) {
          const [c, s] = [Math.cos(angle * k), Math.sin(angle * k)];
          const [a, b] = [start + k, start + k + length / 2];
          const [vr, vi] = [re[b] * c - im[b] * s, re[b] * s + im[b] * c];
          [re[b], im[b]] = [re[a] - vr, im[a] - vi];
          [re[a], im[a]] = [re[a] + vr, im[a] + vi];
        }
      }
    }
  };
  const spectrogram = (samples) => {
    const columns = Math.max(1, Math.min(420, Math.floor(count / 128)));
    const rows = SIZE / 4;
    const levels = new Float32Array(columns * rows);
    for (let k = 0; k < columns; k++) {
      const middle = Math.floor(((k + 0.5) * count) / columns);
      const [re, im] = [new Float64Array(SIZE), new Float64Array(SIZE)];
      for (let i = 0; i < SIZE; i++) {
        const at = middle + i - SIZE / 2;
        re[i] = at >= 0 && at < count ? (samples[at] / 32768) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE)) : 0;
      }
      spectrum(re, im);
      for (let i = 0; i < rows; i++) levels[(rows - 1 - i) * columns + k] = 10 * Math.log10(re[i] ** 2 + im[i] ** 2 + 1e-12);
    }
    const palette = raf.palettes.sequential;
    const bytes = new Uint8Array(columns * rows * 3);
    levels.forEach((level, k) => {
      const colour = 3 * Math.max(0, Math.min(255, Math.round(((level + 50) / 90) * 255)));
      for (let c = 0; c < 3; c++) bytes[3 * k + c] = palette[colour + c];
    });
    return raf.bitmap(bytes, columns, rows, 3);
  };
  const pictures = sounds.map(({ name, samples }) => raf.el("figure", { class: "spectrogram" }, spectrogram(samples), raf.el("figcaption", {}, `${name}: 0 to ${raf.number(rate / 4)} Hz upwards, ${raf.number(count / rate, 3)} s across, 90 dB of colours`)));
  body.append(raf.el("h3", {}, "Spectrograms"), ...pictures);
};
