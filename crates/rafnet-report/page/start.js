/* The page: verdict first, then the sections one after the other, so that the first is painted before the last is made. */
(() => {
  const page = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("page");
  const root = document.documentElement;
  const theme = raf.el("button", { type: "button", class: "theme", "aria-label": "light or dark" }, "◐");
  theme.addEventListener("click", () => {
    const dark = getComputedStyle(root).colorScheme === "dark" || (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = dark ? "light" : "dark";
    raf.redraw();
  });
  const verdict = page.verdict;
  const figure = (f) => raf.el("div", { class: "figure", title: f.note }, raf.el("dt", {}, f.label), raf.el("dd", { "data-key": f.key, "data-value": f.value, title: String(f.value) }, f.text), f.note ? raf.el("dd", { class: "note" }, f.note) : null);
  const head = raf.el("header", {}, raf.el("div", { class: "title" }, raf.el("h1", {}, page.title), theme), page.about ? raf.el("p", { class: "about" }, page.about) : null);
  const said = raf.el("section", { class: `verdict ${verdict.tone}` }, raf.el("p", { class: "headline" }, verdict.headline), verdict.sentences.map((text) => raf.el("p", {}, text)), verdict.figures.length ? raf.el("dl", {}, verdict.figures.map(figure)) : null);
  const links = page.sections.map((section, k) => raf.el("a", { href: `#part-${k}` }, section.title));
  main.replaceChildren(head, said, links.length > 2 ? raf.el("nav", { "aria-label": "parts of this page" }, links) : "");
  const bodies = page.sections.map((section, k) => {
    const body = raf.el("div", { class: "body", id: `body-${k}` });
    main.append(raf.el("section", { id: `part-${k}`, "data-kind": section.kind }, raf.el("h2", {}, section.title), section.text ? raf.el("p", { class: "how" }, section.text) : null, body));
    return body;
  });
  main.append(raf.el("footer", {}, `Made by rafnet ${page.version}. Curves by uPlot 1.6.32 (MIT licence, Leon Sorokin).`));
  const next = (k) => {
    if (k === bodies.length) {
      root.dataset.ready = "yes";
      return;
    }
    const section = page.sections[k];
    try {
      raf.sections[section.kind](section, bodies[k]);
    } catch (error) {
      bodies[k].append(raf.el("p", { class: "broken" }, "This part could not be drawn."));
      console.error(error);
    }
    setTimeout(next, 0, k + 1);
  };
  requestAnimationFrame(() => setTimeout(next, 0, 0));
})();
