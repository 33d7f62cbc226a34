"use strict";
// Copy buttons: tables with all digits, figures as comma-separated values, LaTeX as it is; folded blocks open on paper.
(() => {
  const copied = (text, button) => {
    const area = Object.assign(document.createElement("textarea"), {value: text, className: "clipboard"});
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.textContent = "copied";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  };
  const offer = (place, text) => {
    const button = Object.assign(document.createElement("button"), {type: "button", textContent: "copy", className: "copy"});
    button.addEventListener("click", () => copied(text(), button));
    place.append(button);
  };
  for (const table of document.querySelectorAll("main .wide > table, .formulas table")) {
    const box = table.parentElement, tools = Object.assign(document.createElement("div"), {className: "tools"});
    box.before(tools);
    offer(tools, () => [...table.rows].map(row => [...row.cells].map(c => c.dataset.value || c.innerText.trim()).join("\t")).join("\n"));
  }
  for (const figure of document.querySelectorAll("figure[id]")) {
    const numbers = figure.querySelector("script");
    if (numbers) offer(figure.querySelector("figcaption"), () => {
      const data = JSON.parse(numbers.textContent), names = Object.keys(data);
      return [names.join(","), ...data[names[0]].map((_, k) => names.map(n => data[n][k]).join(","))].join("\n");
    });
  }
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details[data-printed]:not([open])")];
    for (const folded of opened) folded.open = true;
  });
  addEventListener("afterprint", () => { for (const folded of opened) folded.open = false; });
  for (const source of document.querySelectorAll(".latex")) offer(source, () => source.querySelector("pre").textContent);
})();
