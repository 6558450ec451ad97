"use strict";
// unfold returns stacks as a tree of { name, value, kind, module, frame, delta, children }: see flamegraph.Stacks.
function unfold({ frames, nodes, compared }) {
  let at = 0;
  const read = () => {
    const frame = frames[nodes[at]], count = nodes[at + 2];
    const node = { name: frame.name, value: nodes[at + 1], kind: frame.kind, module: frame.module, frame };
    if (compared) node.delta = nodes[at + 3];
    at += compared ? 4 : 3;
    if (count) {
      node.children = [];
      for (let i = 0; i < count; i++) node.children.push(read());
    }
    return node;
  };
  return read();
}

// reversed returns the same stacks from their innermost functions outwards: below each function are those that called it.
function reversed(data) {
  const grow = () => ({ value: 0, delta: data.delta === undefined ? undefined : 0, callers: new Map() });
  const root = grow(), path = [];
  const add = (node, value, delta) => {
    node.value += value;
    if (delta !== undefined) node.delta += delta;
  };
  const walk = node => {
    const calls = node.children || [];
    const sum = field => calls.reduce((rest, c) => rest - c[field], node[field]);
    const value = sum("value"), delta = data.delta === undefined ? undefined : sum("delta");
    if (value || delta) {
      let at = root;
      add(at, value, delta);
      for (let i = path.length - 1; i >= 0; i--) {
        const frame = path[i].frame;
        let next = at.callers.get(frame);
        if (!next) at.callers.set(frame, next = Object.assign(grow(), { name: frame.name, kind: frame.kind, module: frame.module, frame }));
        at = next;
        add(at, value, delta);
      }
    }
    for (const c of calls) {
      path.push(c);
      walk(c);
      path.pop();
    }
  };
  walk(data);
  const list = node => {
    if (node.callers.size) node.children = [...node.callers.values()].sort((a, b) => a.name < b.name ? -1 : 1);
    delete node.callers;
    (node.children || []).forEach(list);
    return node;
  };
  return Object.assign(list(root), { name: data.name, frame: data.frame });
}

// flameGraph draws stacks, in the form that unfold returns, into an element.
function flameGraph(into, data) {
  const make = (tag, id, text) => {
    const e = document.createElement(tag);
    if (id) e.id = id;
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const labelled = (text, input) => {
    const label = make("label");
    label.append(text, input);
    return label;
  };
  const colors = { kernel: "#f6a35c", user: "#8fd16f", library: "#7fc6d9", runtime: "#d9b8f0", "": "#c8c8c8" };
  const compared = data.delta !== undefined;
  const controls = make("form", "controls"), details = make("p", "details"), chartBox = make("div", "chart");
  const search = make("input", "search"), icicle = make("input", "icicle"), callers = make("input", "callers"), reset = make("button", "reset", "Reset zoom");
  callers.title = "functions outermost that took the samples, and within them those that called them";
  search.type = "search"; icicle.type = callers.type = "checkbox"; reset.type = "button";
  details.setAttribute("aria-live", "polite");
  controls.append(labelled("Search ", search), labelled("upside down ", icicle), labelled("reversed ", callers), reset);
  into.append(controls, chartBox);

  const share = value => value + " (" + (data.value ? 100 * value / data.value : 0).toFixed(2) + "%)";
  const points = d => data.value ? 100 * d.data.delta / data.value : 0;
  const change = d => compared ? ", " + (points(d) < 0 ? "" : "+") + points(d).toFixed(2) + " points" : "";
  const label = d => d.data.name + (d.data.module ? " [" + d.data.module + "]" : "") + ": " + share(d.data.value) + change(d);
  const more = d3.interpolateRgb("#e4e4e4", "#e0402a"), less = d3.interpolateRgb("#e4e4e4", "#3a6fd8");
  const deltas = function (list) { return (list || []).flatMap(c => [Math.abs(c.delta), ...deltas(c.children)]); };
  const largest = compared && d3.max(deltas(data.children)) || 1;
  const shade = d => (d.data.delta < 0 ? less : more)(Math.sqrt(Math.min(Math.abs(d.data.delta) / largest, 1)));
  const keys = compared ? [["more than before", more(1)], ["less", less(1)]] : ["kernel", "user", "library", "runtime"].map(k => [k, colors[k]]);
  for (const [text, color] of keys) {
    const key = make("span", "", text);
    key.className = "key";
    key.style.background = color;
    controls.append(key, " ");
  }
  controls.append(make("span", "total", data.value + " in all"), details);

  const chart = flamegraph.default ? flamegraph.default() : flamegraph.flamegraph();
  const say = text => { details.textContent = text || ""; };
  chart.width(into.clientWidth).cellHeight(cellHeight).minFrameSize(1).transitionDuration(0)
    .setColorMapper((d, color) => d.highlight ? "#e600e6" : compared ? shade(d) : colors[d.data.kind || ""])
    .setLabelHandler(label)
    .setDetailsHandler(say)
    .setSearchHandler((results, sum) => say("found: " + share(sum)))
    .setSearchMatch((d, term) => d.data.name.toLowerCase().includes(term.toLowerCase()));
  d3.select(chartBox).datum(data).call(chart);
  const keyboard = flameKeys({ chart, box: chartBox, into, search, say, label, upsideDown: () => icicle.checked });
  const drawn = () => { settle(chartBox); keyboard.place(); };
  const find = () => {
    if (search.value) chart.search(search.value);
    else { chart.clear(); say(""); }
    drawn();
  };
  chart.onClick(drawn);
  controls.addEventListener("submit", e => e.preventDefault());
  search.addEventListener("input", find);
  icicle.addEventListener("change", () => {
    chart.inverted(icicle.checked).update();
    drawn();
    if (chartBox.clientHeight > innerHeight) chartBox.scrollIntoView({ block: icicle.checked ? "start" : "end" });
  });
  callers.addEventListener("change", () => {
    chart.update(callers.checked ? reversed(data) : data);
    keyboard.forget();
    if (search.value) find();
    else drawn();
  });
  reset.addEventListener("click", () => chart.resetZoom());
  let width = into.clientWidth;
  new ResizeObserver(() => {
    if (into.clientWidth === width) return;
    width = into.clientWidth;
    chart.width(width).update();
    drawn();
  }).observe(into);
  drawn();
}

const cellHeight = 18;

// settle gives new frames their width at once: d3-flame-graph has them grow to it, whatever the duration of its transitions.
function settle(box) {
  d3.select(box).selectAll("g.frame > rect").interrupt().attr("width", function () { return this.parentNode.getAttribute("width"); });
}
