/* Uses a page as its reader would and writes down what happened: put into a copy of the page by `.ci/browser`. */
(() => {
  const found = { errors: window.problems, checks: {}, broken: [] };
  const wait = (ms) => new Promise((go) => setTimeout(go, ms));
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const note = (name, ok, what = "") => {
    (found.checks[name] ??= []).push(Boolean(ok));
    if (!ok) found.broken.push(`${name} ${what}`);
  };
  const pixels = (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let sum = 0;
    for (let k = 0; k < data.length; k++) sum = (sum * 31 + data[k]) % 1000000007;
    return sum;
  };
  const painted = (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((v) => v > 0);
  const pointer = (canvas, type, u, v) => {
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new PointerEvent(type, { clientX: box.left + u * box.width, clientY: box.top + v * box.height, bubbles: true, buttons: 1 }));
  };
  const key = (element, name) => element.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));

  const maps = async (section) => {
    const canvases = all("canvas.map", section);
    const readout = section.querySelector(".readout");
    note("maps are painted", canvases.every(painted));
    for (const slider of all(".slider", section)) {
      const [range, output] = [slider.querySelector("input"), slider.querySelector("output")];
      const frames = section.querySelector("output").textContent;
      const before = [output.textContent, pixels(canvases[0]), pixels(section.querySelector("canvas.over")), all(".scale", section).map((s) => s.textContent).join()];
      range.value = 0;
      range.dispatchEvent(new Event("input"));
      await wait(30);
      note("a slider says where it is", output.textContent !== before[0], frames);
      note("a slider moves map or cut", pixels(canvases[0]) !== before[1] || pixels(section.querySelector("canvas.over")) !== before[2]);
      note("one scale for all frames", all(".scale", section).map((s) => s.textContent).join() === before[3]);
      const play = slider.querySelector(".play");
      const still = output.textContent;
      play.click();
      await wait(400);
      play.click();
      note("play moves the slider", output.textContent !== still);
    }
    for (const canvas of canvases.slice(0, 2)) {
      pointer(canvas, "pointermove", 0.5, 0.5);
      await wait(20);
      note("the cursor is read off", /=/.test(readout.textContent), readout.textContent);
      note("the cursor is on all maps", all("canvas.over", section).every(painted));
    }
    const roles = all("figure.map", section).map((figure) => figure.dataset.role);
    const words = { residual: "residual =", estimate: "estimated error =", error: "true error =" };
    for (const role of roles.filter((role) => words[role])) note(`the cursor gives the ${role}`, readout.textContent.includes(words[role]) || readout.textContent.includes("outside"), readout.textContent);
    const text = readout.textContent;
    key(canvases[0], "ArrowRight");
    note("arrow keys move the cursor", readout.textContent !== text);
    pointer(canvases[0], "pointerdown", 0.4, 0.6);
    pointer(canvases[0], "pointerup", 0.4, 0.6);
    await wait(60);
    note("a click makes a cut", section.querySelector(".two .chart canvas") !== null);
    pointer(canvases[0], "pointerdown", 0.3, 0.3);
    pointer(canvases[0], "pointermove", 0.7, 0.6);
    pointer(canvases[0], "pointerup", 0.7, 0.6);
    await wait(60);
    note("a cut along any line", section.textContent.includes("distance along the cut") || section.querySelector(".two .chart")?.getAttribute("aria-label").includes("distance"));
    for (const select of all("select", section)) {
      select.value = select.options.length - 1;
      select.dispatchEvent(new Event("change"));
      await wait(60);
      note("another unknown is painted", all("canvas.map", section).every(painted));
    }
  };
  const swipe = async (section) => {
    const canvas = section.querySelector("canvas.map");
    const before = pixels(canvas);
    const divider = section.querySelector('input[aria-label^="divider"]');
    divider.value = 100;
    divider.dispatchEvent(new Event("input"));
    await wait(30);
    note("the divider moves", pixels(canvas) !== before);
    const moved = pixels(canvas);
    pointer(canvas, "pointerdown", 0.8, 0.5);
    await wait(30);
    note("the divider is drawn aside", pixels(canvas) !== moved);
  };
  const charts = async (section) => {
    for (const chart of all(".chart", section)) note("curves are drawn", chart.querySelector("canvas") && painted(chart.querySelector("canvas")), section.id);
    for (const button of all("button[aria-pressed]", section)) {
      const before = button.getAttribute("aria-pressed");
      button.click();
      await wait(20);
      note("axes turn logarithmic and back", button.getAttribute("aria-pressed") !== before);
      button.click();
      await wait(20);
    }
  };
  const picture = async (section) => {
    const canvas = section.querySelector("canvas.pixels");
    note("pictures are painted", all("canvas.pixels", section).every(painted));
    pointer(canvas, "pointermove", 0.5, 0.5);
    note("a picture is read off", section.querySelector(".readout").textContent.includes("fit − picture"));
  };
  const sound = async (section) => {
    const players = all("audio", section);
    for (let k = 0; k < 100 && players.some((p) => p.readyState < 1 && !p.error); k++) await wait(50);
    note("sounds can be played", players.length === 3 && players.every((p) => p.error === null && (p.readyState < 1 || p.duration > 0)));
    note("spectrograms are painted", all(".spectrogram canvas", section).every(painted));
  };

  const check = async () => {
    const root = document.documentElement;
    for (let k = 0; k < 200 && root.dataset.ready !== "yes"; k++) await wait(50);
    note("the page is whole", root.dataset.ready === "yes");
    await wait(200);
    const use = { maps, swipe, picture, sound };
    for (const section of all("section[data-kind]")) {
      try {
        await (use[section.dataset.kind] || (() => {}))(section);
        await charts(section);
      } catch (error) {
        found.broken.push(`${section.dataset.kind}: ${error.stack}`);
      }
    }
    note("no part is broken", all(".broken").length === 0);
    root.dataset.theme = "light";
    const light = getComputedStyle(document.body).backgroundColor;
    document.querySelector("button.theme").click();
    await wait(60);
    note("light turns dark", getComputedStyle(document.body).backgroundColor !== light);
    const scrolling = document.scrollingElement;
    note("nothing is wider than the page", scrolling.scrollWidth <= window.innerWidth, `${scrolling.scrollWidth} > ${window.innerWidth}`);
    note("headings, links and buttons have names", all("button, a, canvas[role], input").every((e) => (e.textContent || e.getAttribute("aria-label") || e.closest("label")?.textContent || "").trim()));
    found.width = window.innerWidth;
    found.kinds = all("section[data-kind]").map((section) => section.dataset.kind);
    found.figures = all("[data-key]").map((e) => [e.dataset.key, Number(e.dataset.value), e.textContent]);
    found.paint = performance.getEntriesByName("first-contentful-paint").map((e) => e.startTime)[0] ?? null;
    const end = document.createElement("pre");
    end.id = "found";
    end.textContent = JSON.stringify(found);
    document.body.append(end);
  };
  check();
})();
