"use strict";
const data = JSON.parse($("data").textContent);

// into shows a section of the page and returns it, with the given content.
function into(id, ...nodes) {
  const section = $(id);
  section.hidden = false;
  section.append(...nodes);
  return section;
}

for (const s of data.series) {
  const section = el("section");
  into("series", section);
  section.append(el("h3", s.title, "name"));
  if (s.columns.length > 1) heatMap(section, s);
  else section.append(histogram(s.histogram, s.columns[0], s.title + " at " + new Date(s.times[0]).toLocaleString(undefined, { hourCycle: "h23" }), s.first, s.buckets));
  if (s.omitted) section.append(el("p", "The " + s.omitted + " that were printed last of this kind are left out.", "note"));
}

const globals = data.globals || [];
const scalars = globals.filter(g => !g.keys && g.kind !== "statistics" && !g.error);
if (scalars.length) {
  const table = new Table("Numbers and strings", { filter: scalars.length > 20, down: false });
  into("globals", table.element);
  table.set([{ name: "global", get: g => g.name, head: true }, { name: "value", get: g => g.rows[0]?.value, number: scalars.every(g => g.kind === "long") }], scalars);
}
for (const g of globals) {
  if (scalars.includes(g)) continue;
  const section = el("section"), table = globalTable(g);
  section.append(el("h3", g.name, "name"));
  into("globals", section);
  if (g.error) section.append(el("p", "It could not be read: " + g.error, "note"));
  else if (!g.rows.length) section.append(el("p", "It is empty.", "note"));
  else {
    section.append(table.element);
    table.set(g);
  }
}

// The number of samples of functions, by themselves and with their callees; a recursive function counts once in a stack.
function functions(root) {
  const list = new Map();
  const walk = node => {
    let f = list.get(node.frame);
    if (!f) list.set(node.frame, f = { name: node.name, module: node.module || "", self: 0, total: 0, above: 0 });
    if (f.above++ === 0) f.total += node.value;
    f.self += node.value;
    for (const c of node.children || []) {
      f.self -= c.value;
      walk(c);
    }
    f.above--;
  };
  for (const c of root.children || []) walk(c);
  return [...list.values()];
}
if (data.stacks) {
  const stacks = unfold(data.stacks), chart = el("div"), share = n => (100 * n / stacks.value).toFixed(2) + "%";
  into("stacks", chart);
  flameGraph(chart, stacks);
  const table = new Table("Functions, and how often they were met, by themselves and with those that they call", { sort: 2, limit: 50 });
  into("stacks", el("h3", "Functions"), table.element);
  table.set([{ name: "function", get: f => f.name, head: true }, { name: "in", get: f => f.module },
    { name: "self", get: f => f.self, number: true }, { name: "% self", get: f => f.self, show: f => share(f.self), number: true },
    { name: "total", get: f => f.total, number: true }, { name: "% total", get: f => f.total, show: f => share(f.total), number: true }], functions(stacks));
}

if ((data.probes || []).length) {
  const table = new Table("Probes, their hits, and cycles of a hit", { filter: data.probes.length > 20, sort: 1 });
  into("probes", table.element);
  table.set(probeColumns(), data.probes);
}

for (const h of document.querySelectorAll("main > section:not([hidden]) > h2")) {
  const a = el("a", h.textContent);
  a.href = "#" + h.parentNode.id;
  $("contents").append(a);
}
