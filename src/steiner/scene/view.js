"use strict";
// A scene and its panel in `root`, whose first script is the scene as JSON; `kernel`, if the scene is a robot's,
// computes its poses, efforts, energies and bodies.
function steinerView(root, kernel) {
  const data = JSON.parse(root.querySelector("script").textContent), robot = data.robot;
  const n = robot ? robot.joints.length : 0;
  const make = (tag, parent, text, more) => {
    const e = Object.assign(document.createElement(tag), more);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };
  const told = (x, beside = 0) =>  // four digits; what is round-off beside another number is none
    String(Math.abs(x) <= 1e-12 * beside ? 0 : Number(x.toPrecision(4))).replaceAll("-", "−");
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
  for (const actor of data.actors) {
    actor.poses = new Float64Array(bytes(actor.poses));
    for (const item of actor.items) {
      item.actor = actor;
      if (item.points) item.V = new Float32Array(bytes(item.points));
      if (item.kind === "surface") item.F = new (item.wide ? Uint32Array : Uint16Array)(bytes(item.faces));
      item.slopes = (item.slopes || []).map(s => s && new Float32Array(bytes(s)));
      item.faces = null;
    }
  }

  // ---- what is computed -------------------------------------------------------------------------------
  const state = {t: data.times[0], playing: false, chosen: null, spot: null}, result = {}, shown = [];
  const outputs = robot ? robot.outputs.map(o => result[o.name] = new Float64Array(o.size)) : [];
  if (robot) {
    for (const name of ["q", "qd", "qdd"]) state[name] = new Float64Array(n);
    state.payload = new Float64Array(1);
    state.gravity = new Float64Array(robot.gravity);
    state.parameters = robot.parameters.map(p => new Float64Array([p.value]));
  }
  const frame = () => {  // the row before the present time, and how far it is to the next
    let k = 0;
    while (k + 2 < data.times.length && data.times[k + 1] <= state.t) k++;
    const span = data.times[k + 1] - data.times[k];
    return [k, span > 0 ? Math.min(Math.max((state.t - data.times[k]) / span, 0), 1) : 0];
  };
  const travel = () => {
    const [k, part] = frame();
    if (robot) for (const name of ["q", "qd", "qdd"]) {
      const rows = robot[name], row = rows[k] || rows[0], next = rows[k + 1];
      if (row) state[name].set(row.map((x, j) => part && next ? x * (1 - part) + next[j] * part : x));
    }
  };
  const now = actor => {
    if (actor.pose) return actor.pose;
    const [k, part] = frame(), at = actor.poses.length > 12 ? 12 * (k + Math.round(part)) : 0;
    return actor.poses.slice(at, at + 12);
  };
  const [stage, panel] = ["stage", "panel"].map(className => make("div", root, undefined, {className}));
  const choose = (actor, item) => {
    [state.chosen, state.spot] = [actor, item && item.body ? item : null];
    compute();
  };
  const view = steinerStage(stage, data, state, now);
  steinerHands(view, data, now, choose);
  let shapes = "";
  const compute = () => {
    if (robot) {
      kernel(state.q, state.qd, state.qdd, state.payload, state.gravity, ...state.parameters, ...outputs);
      robot.links.forEach((k, j) => { data.actors[k].pose = result.poses.slice(12 * j, 12 * j + 12); });
      robot.loads.forEach((k, j) => {
        if (k !== null) data.actors[k].body = [...result.bodies.slice(13 * j, 13 * j + 13)];
      });
      const key = state.parameters.join();
      if (key !== shapes) for (const actor of data.actors) {
        actor.rings = view.freed(actor.rings);
        for (const item of actor.items) if (item.slopes.some(s => s))
          view.built(item, item.V.map((x, i) => state.parameters.reduce((y, p, k) =>
            item.slopes[k] ? y + item.slopes[k][i] * (p[0] - robot.parameters[k].value) : y, x)));
      }
      shapes = key;
    }
    for (const actor of data.actors) if (actor.body && actor.body[0] > 0 && !actor.rings) view.ellipsoid(actor);
    for (const show of shown) show();
    view.draw();
  };

  // ---- the panel --------------------------------------------------------------------------------------
  const head = make("header", stage), section = (title, folded) => {
    const s = make("details", panel, undefined, {open: !folded});
    make("summary", s, title);
    return s;
  };
  make("h1", head, data.title);
  for (const note of data.notes) make("p", head, note);
  if (!view.gl) make("p", head, "This page needs WebGL 2 to show the scene; your browser has it switched off.");
  const range = (parent, name, unit, lo, hi, get, set) => {
    const row = make("div", parent, undefined, {className: "row"});
    make("span", row, name, {className: "name", title: name});
    const number = make("input", row, undefined, {type: "number", step: "any"});
    make("span", row, unit, {className: "unit"});
    const slider = make("input", row, undefined, {type: "range", min: lo, max: hi, step: "any"});
    const given = x => { if (Number.isFinite(x)) { set(x); state.playing = false; compute(); } };
    slider.addEventListener("input", () => given(slider.valueAsNumber));
    number.addEventListener("change", () => given(number.valueAsNumber));
    for (const input of [slider, number]) input.setAttribute("aria-label", `${name}, ${unit}`);
    shown.push(() => {
      if (slider.valueAsNumber !== get()) slider.value = get();
      if (document.activeElement !== number) number.value = Number(get().toPrecision(5));
    });
    return row;
  };
  const table = parent => {
    const t = make("table", parent);
    return rows => t.replaceChildren(...rows.map(([name, ...cells]) => {
      const tr = make("tr");
      make("th", tr, name);
      for (const c of cells) make("td", tr, c);
      return tr;
    }));
  };
  if (robot) {
    const weight = make("p", head), joints = section("Joints");
    shown.push(() => {
      const mass = robot.loads.reduce((m, _, j) => m + result.bodies[13 * j], 0);
      weight.textContent = `${n} joint${n > 1 ? "s" : ""}, ${told(mass)} kg`;
    });
    robot.joints.forEach((joint, k) => {
      const {lower, upper, effort: limit, turns} = joint, unit = turns ? "N m" : "N";
      const row = range(joints, joint.name, turns ? "rad" : "m", lower, upper, () => state.q[k], x => { state.q[k] = x; });
      const meter = make("span", row, undefined, {className: "meter"}), bar = make("i", meter), text = make("b", meter);
      shown.push(() => {
        const tau = result.tau[k], most = Math.max(...[...result.tau, ...result.gravity_tau].map(Math.abs));
        text.textContent = `${told(tau, most)} ${limit ? `of ${told(limit)} ` : ""}${unit}`;
        bar.style.width = limit ? `${Math.min(Math.abs(tau) / limit, 1) * 100}%` : "0";
        meter.classList.toggle("over", limit > 0 && Math.abs(tau) > limit);
      });
    });
    const energy = make("p", joints, undefined, {className: "fine"});
    shown.push(() => {
      energy.textContent = `energy: kinetic ${told(result.kinetic[0])} J, potential ${told(result.potential[0])} J`;
    });
    if (robot.parameters.length) {
      const drawn = section("Drawing, SI units");
      robot.parameters.forEach((p, k) =>
        range(drawn, p.name, "", p.lower, p.upper, () => state.parameters[k][0], x => { state.parameters[k][0] = x; }));
    }
    const load = section("Load and gravity");
    const carried = x => { state.payload[0] = x; };
    range(load, `mass at ${robot.tip}`, "kg", 0, robot.heaviest, () => state.payload[0], carried);
    ["x", "y", "z"].forEach((axis, k) =>
      range(load, `gravity ${axis}`, "m/s²", -20, 20, () => state.gravity[k], x => { state.gravity[k] = x; }));
    const rates = section("Velocities and accelerations", true);
    robot.joints.forEach((joint, k) => {
      const unit = joint.turns ? "rad" : "m", top = joint.velocity || 3;
      range(rates, joint.name, `${unit}/s`, -top, top, () => state.qd[k], x => { state.qd[k] = x; });
      range(rates, joint.name, `${unit}/s²`, -10, 10, () => state.qdd[k], x => { state.qdd[k] = x; });
    });
  }
  const bodies = data.actors.filter(a => a.body);
  if (bodies.length) {
    const numbers = section("Body"), chooser = make("select", numbers), write = table(numbers);
    chooser.setAttribute("aria-label", "body");
    make("option", chooser, "click a body, or choose one");
    for (const actor of bodies) make("option", chooser, actor.name);
    chooser.addEventListener("change", () => choose(bodies[chooser.selectedIndex - 1] || null, null));
    shown.push(() => {
      const {chosen, spot} = state, b = (spot || chosen || {}).body || null;
      chooser.selectedIndex = bodies.indexOf(chosen) + 1;
      const rows = spot ? [["part", spot.title]] : [];
      if (b) {
        const most = Math.max(b[4], b[8], b[12]), reach = Math.sqrt(most / b[0]);
        rows.push(["mass, kg", told(b[0])], ["centre, m", ...b.slice(1, 4).map(x => told(x, reach))]);
        ["tensor", "kg m²", ""].forEach((title, k) => rows.push([title, ...b.slice(4 + 3 * k, 7 + 3 * k).map(x => told(x, most))]));
      }
      write(rows);
    });
  }
  if (result.M) {
    const write = table(section("Mass matrix", true));
    const row = k => Array.from(result.M.slice(k * n, k * n + n), x => told(x, Math.max(...result.M)));
    shown.push(() => write(robot.joints.map((joint, k) => [joint.name, ...row(k)])));
  }
  const legend = section("Shown");
  for (const layer of data.layers) {
    const row = make("label", legend, undefined, {className: "layer"});
    const box = make("input", row, undefined, {type: "checkbox", checked: layer.on});
    make("i", row).style.background = layer.colour || "none";
    make("span", row, layer.name);
    box.addEventListener("change", () => { layer.on = box.checked; view.draw(); });
  }
  if (data.times.length > 1) {
    const first = data.times[0], last = data.times[data.times.length - 1];
    const bar = make("div", stage, undefined, {className: "time"}), button = make("button", bar);
    const slider = make("input", bar, undefined, {type: "range", min: first, max: last, step: "any"}), clock = make("span", bar);
    slider.setAttribute("aria-label", "time");
    let before = 0;
    const tick = stamp => {
      if (!state.playing) return;
      state.t += before ? (stamp - before) / 1000 : 0;
      before = stamp;
      if (state.t > last) state.t = first;
      travel();
      compute();
      requestAnimationFrame(tick);
    };
    button.addEventListener("click", () => {
      [state.playing, before] = [!state.playing, 0];
      compute();
      requestAnimationFrame(tick);
    });
    view.canvas.addEventListener("keydown", e => {
      if (e.key !== " ") return;
      e.preventDefault();
      button.click();
    });
    slider.addEventListener("input", () => {
      [state.playing, state.t] = [false, slider.valueAsNumber];
      travel();
      compute();
    });
    shown.push(() => {
      button.textContent = state.playing ? "❚❚" : "▶";
      button.setAttribute("aria-label", state.playing ? "pause" : "play");
      slider.value = state.t;
      clock.textContent = `${state.t.toFixed(2)} s`;
    });
  }
  root.steiner = {data, state, result, view, shown, compute, choose, now};
  travel();
  compute();
  view.paint();
}
