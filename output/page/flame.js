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
  const search = make("input", "search"), icicle = make("input", "icicle"), reset = make("button", "reset", "Reset zoom");
  search.type = "search"; icicle.type = "checkbox"; reset.type = "button";
  details.setAttribute("aria-live", "polite");
  controls.append(labelled("Search ", search), labelled("outermost on top ", icicle), reset);
  into.append(controls, details, chartBox);

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
  controls.append(make("span", "total", data.value + " in all"));

  const chart = flamegraph.default ? flamegraph.default() : flamegraph.flamegraph();
  chart.width(into.clientWidth).cellHeight(18).minFrameSize(1).transitionDuration(0)
    .setColorMapper((d, color) => d.highlight ? "#e600e6" : compared ? shade(d) : colors[d.data.kind || ""])
    .setLabelHandler(label)
    .setDetailsHandler(text => { details.textContent = text || ""; })
    .setSearchHandler((results, sum) => { details.textContent = "found: " + share(sum); })
    .setSearchMatch((d, term) => d.data.name.toLowerCase().includes(term.toLowerCase()));
  d3.select(chartBox).datum(data).call(chart);
  controls.addEventListener("submit", e => e.preventDefault());
  search.addEventListener("input", e => e.target.value ? chart.search(e.target.value) : (chart.clear(), details.textContent = ""));
  icicle.addEventListener("change", e => { chart.inverted(e.target.checked); chart.update(); });
  reset.addEventListener("click", () => chart.resetZoom());
}
