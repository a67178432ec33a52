/* Commands that repeat a run, the figures of how it was made, and its settings. */
raf.sections.settings = (section, body) => {
  const data = section.data;
  const command = ([what, text]) => {
    const code = raf.el("code", {}, text);
    const copy = raf.el("button", { type: "button", "aria-label": `copy: ${text}` }, "copy");
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        copy.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(code);
      }
    });
    return raf.el("div", { class: "command" }, raf.el("span", {}, what), code, copy);
  };
  body.append(...data.commands.map(command));
  if (data.rows.length) body.append(raf.table([], data.rows));
  if (data.config) body.append(raf.el("details", {}, raf.el("summary", {}, "config.toml"), raf.el("pre", {}, data.config)));
};
