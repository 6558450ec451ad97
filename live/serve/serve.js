"use strict";
const views = new Map(), series = new Map();
function post(path) { fetch(path, { method: "POST" }).then(r => { if (!r.ok) r.text().then(t => { $("state").textContent = t; }); }); }
$("reset").onclick = () => post("reset");

function sparkline(id, difference) {
  const s = series.get(id) || { list: [0] };
  const shown = s.list[s.list.length - 1], top = Math.max(...s.list), low = Math.min(...s.list, 0), ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "polyline");
  svg.setAttribute("class", "graph"); svg.setAttribute("width", 120); svg.setAttribute("height", 20); svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", (difference ? "in the last second: " : "now: ") + shown);
  line.setAttribute("points", s.list.map((v, i) => (i * 2) + "," + (19 - (top > low ? (v - low) / (top - low) * 18 : 0)).toFixed(1)).join(" "));
  svg.append(line);
  return svg;
}
function follow(id, value, difference) {
  const s = series.get(id) || { list: [], last: undefined };
  series.set(id, s);
  s.list.push(difference ? (s.last === undefined ? 0 : Math.max(0, value - s.last)) : value);
  s.last = value;
  if (s.list.length > 60) s.list.shift();
}

const probeTable = new Table("Probes, their hits, and cycles of a hit", { filter: false, sort: -1 });
$("probes").append(probeTable.element);
function probes(list, controls) {
  list.forEach((p, i) => { p.number = i; follow("probe " + i, p.hits, true); });
  probeTable.set(probeColumns([
    { name: "hits a second", get: p => p.number, show: p => sparkline("probe " + p.number, true), fixed: true },
    { name: controls ? "switch" : "", get: p => p.on, fixed: true, show: p => {
      if (!controls) return p.on ? "" : "off";
      const b = el("button", p.on ? "off" : "on");
      b.setAttribute("aria-label", "switch " + (p.on ? "off " : "on ") + clean(p.name));
      b.onclick = () => post("probes/" + p.number + "/" + (p.on ? "off" : "on"));
      return b;
    } }]), list);
}

function global(g) {
  let v = views.get(g.name);
  if (!v) {
    const section = el("section"), note = el("p", undefined, "note");
    v = { note, table: globalTable(g) };
    section.append(el("h2", g.name, "name"), note, v.table.element);
    views.set(g.name, v); $("globals").append(section);
  }
  v.note.textContent = clean(g.error ? "It could not be read: " + g.error : g.total > g.rows.length ? "The " + g.rows.length + " largest of " + g.total + " elements; session.json has all." : "");
  const columns = globalColumns(g);
  if (!g.keys && g.kind === "long") {
    g.rows.forEach(r => follow("global " + g.name, Number(r.value), false));
    columns.push({ name: "over time", get: () => "", show: () => sparkline("global " + g.name, false), fixed: true });
  }
  v.table.set(g, columns);
}

const source = new EventSource("events");
source.onmessage = m => {
  const e = JSON.parse(m.data), s = e.session;
  $("title").textContent = clean(s.script || s.module);
  document.title = clean(s.script || s.module) + " – gostap";
  $("state").textContent = clean((s.running ? "Running" : "Over") + " since " + new Date(s.started).toLocaleString(undefined, { hourCycle: "h23" }) + " as " + s.module + ": " + s.records + " records, " + s.lost + " lost, " + s.errors + " errors, " + s.skipped + " hits skipped.");
  $("controls").hidden = !e.controls;
  probes(e.probes || [], e.controls);
  (e.globals || []).forEach(global);
  if (e.output) {
    const o = $("output"), end = o.scrollTop + o.clientHeight >= o.scrollHeight - 4;
    o.textContent = (o.textContent + clean(e.output)).slice(-65536);
    if (end) o.scrollTop = o.scrollHeight;
  }
};
source.addEventListener("over", () => { source.close(); $("state").textContent += " The session is over."; });
source.onerror = () => { if (source.readyState !== EventSource.CLOSED) $("state").textContent = "The session can't be reached."; };
