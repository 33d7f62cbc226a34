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
    const box = table.parentElement, before = box.previousElementSibling;
    const tools = before && /^H[2-4]$/.test(before.tagName) ? before :
      Object.assign(document.createElement("div"), {className: "tools"});
    if (tools !== before) box.before(tools);
    offer(tools, () => [...table.rows].map(row => [...row.cells].map(c => c.dataset.value || c.innerText.trim()).join("\t")).join("\n"));
  }
  for (const figure of document.querySelectorAll("figure[id]")) {
    const numbers = figure.querySelector("script");
    if (numbers) offer(figure.querySelector("figcaption"), () => {
      const data = JSON.parse(numbers.textContent), names = Object.keys(data);
      return [names.join(","), ...data[names[0]].map((_, k) => names.map(n => data[n][k]).join(","))].join("\n");
    });
  }

  // The numbers of the equations follow what is set here and in the first view: load, gravity, dimensions.
  const view = document.querySelector(".steiner-view"), place = document.getElementById("live");
  const written = x => {  // six digits, small and large numbers with a power of ten, as the package writes them
    const [digits, power] = Math.abs(x).toExponential(5).split("e").map(Number);
    const mn = text => `<mn>${text}</mn>`, plain = power >= -5 && power < 6 ? Number(Math.abs(x).toPrecision(6)) : digits;
    const scaled = plain === digits && (power < -4 || power > 5);
    const size = mn(scaled ? digits : plain) + (scaled ? `<mo>·</mo><msup>${mn(10)}${mn(String(power).replace("-", "−"))}</msup>` : "");
    return x < 0 ? `<mo stretchy="false">(</mo><mo form="prefix">−</mo>${size}<mo stretchy="false">)</mo>` : size;
  };
  if (place && view && view.steiner && window.steinerCoefficients) {
    const {state, shown, compute, data: {robot}} = view.steiner, live = [...document.querySelectorAll("[data-live]")];
    const numbers = new Float64Array(1 + Math.max(-1, ...live.map(e => Number(e.dataset.live)))), miss = new Float64Array(2);
    const add = (tag, parent, more) => parent.appendChild(Object.assign(document.createElement(tag), more));
    const lever = (name, unit, lo, hi, array) => {
      const label = add("label", place), said = add("span", label, {textContent: name}), value = add("output", label);
      const slider = add("input", label, {type: "range", min: lo, max: hi, step: "any"});
      said.title = name;
      slider.addEventListener("input", () => { array[0] = slider.valueAsNumber; compute(); });
      shown.push(() => {
        if (slider.valueAsNumber !== array[0]) slider.value = array[0];
        value.textContent = `${Number(array[0].toPrecision(4))} ${unit}`.replace("-", "−");
      });
    };
    robot.parameters.forEach((p, k) => lever(p.name, "", p.lower, p.upper, state.parameters[k]));
    lever(`mass at ${robot.tip}`, "kg", 0, robot.heaviest, state.payload);
    const reset = add("button", place, {type: "button", className: "copy", textContent: "as in the file"});
    reset.addEventListener("click", () => {
      robot.parameters.forEach((p, k) => { state.parameters[k][0] = p.value; });
      state.payload[0] = 0;
      state.gravity.set(robot.gravity);
      compute();
    });
    const notice = add("p", place), key = () => [state.payload, state.gravity, ...state.parameters].join();
    let last = key();
    shown.push(() => {
      if (key() === last) return;
      last = key();
      window.steinerCoefficients(state.payload, state.gravity, ...state.parameters, numbers, miss);
      for (const e of live) e.innerHTML = written(numbers[Number(e.dataset.live)]);
      const moved = state.gravity.some((g, k) => g !== robot.gravity[k]) ? `Gravity is now (${[...state.gravity].join(", ")}) m/s². ` : "";
      const lacking = Math.sqrt(miss[0]) > 1e-9 * Math.sqrt(miss[1]);
      notice.textContent = moved + (lacking ? "These values need terms that are not written below: its numbers are not to be used." : "");
    });
    view.steiner.equations = numbers;
    compute();
  }

  // On paper the view is a picture of what it shows, folded tables are open.
  const paper = document.querySelector(".paper"), photo = paper && paper.appendChild(document.createElement("img"));
  const PAPER = 640, PRINTED = 0.7;  // pixels between the margins of A4, and the size of a table's letters there to here
  const fitted = table => {  // else the browser would make the whole report as small as its widest table
    const wide = PRINTED * table.scrollWidth * 14 / 16;
    table.style.zoom = wide > PAPER ? PAPER / wide : "";
  };
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details[data-printed]:not([open])")];
    for (const folded of opened) folded.open = true;
    for (const table of document.querySelectorAll(".wide > table")) fitted(table);
    if (!photo || !view || !view.steiner || !view.steiner.view.gl || !view.clientWidth) return;
    view.steiner.state.printed = true;
    view.steiner.view.paint();
    photo.src = view.steiner.view.canvas.toDataURL();
    paper.classList.add("seen");
  });
  addEventListener("afterprint", () => {
    for (const folded of opened) folded.open = false;
    for (const table of document.querySelectorAll(".wide > table")) table.style.zoom = "";
    if (view && view.steiner) { view.steiner.state.printed = false; view.steiner.view.draw(); }
  });
  for (const source of document.querySelectorAll(".latex")) offer(source, () => source.querySelector("pre").textContent);
})();
