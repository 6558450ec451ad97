"use strict";
// The widgets of gostap's pages: tables, globals, histograms.

const $ = id => document.getElementById(id);

// All text goes through textContent: names may contain any characters.
const clean = s => s.replace(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd");
function el(tag, text, cls) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = clean(String(text));
  if (cls) e.className = cls;
  return e;
}

// Numbers beyond 2^53 come as strings of digits.
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const digits = /^-?\d+$/;
  if (digits.test(a) && digits.test(b)) {
    const n = BigInt(a), m = BigInt(b);
    return n < m ? -1 : n > m ? 1 : 0;
  }
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

// A Table has columns that sort, and a filter unless it is short: { name, get: row => value, number, show: row => a node instead
// of the value, fixed: it does not sort, head: it names the row }.
class Table {
  constructor(caption, { filter = true, sort = 0, down = true, limit = 500, detail } = {}) {
    this.sort = sort; this.down = down; this.limit = this.step = limit; this.detail = detail;
    this.element = el("div");
    this.table = el("table"); this.head = el("thead"); this.body = el("tbody");
    this.table.append(el("caption", caption), this.head, this.body);
    this.status = el("p", "", "note"); this.status.setAttribute("role", "status");
    this.more = el("button", "Show more"); this.more.hidden = true;
    this.more.onclick = () => { this.limit += this.step; this.draw(); };
    if (filter) {
      const label = el("label", "Filter ");
      this.filter = el("input"); this.filter.type = "search"; this.filter.setAttribute("aria-label", "filter " + clean(caption));
      this.filter.oninput = () => this.draw();
      label.append(this.filter);
      this.element.append(label);
    }
    this.element.append(this.table, this.status, this.more);
  }
  set(columns, rows) {
    const names = columns.map(c => c.name).join("\n");
    this.columns = columns; this.rows = rows;
    if (names !== this.names) { this.names = names; this.heads(); }
    this.draw();
  }
  heads() {
    const row = el("tr");
    this.buttons = this.columns.map((c, i) => {
      const th = el("th", undefined, c.number ? "n" : "");
      th.scope = "col";
      row.append(th);
      if (c.fixed) { th.textContent = c.name; return null; }
      const b = el("button");
      b.onclick = () => { this.down = i === this.sort ? !this.down : !!c.number; this.sort = i; this.draw(); };
      th.append(b);
      return b;
    });
    this.head.replaceChildren(row);
  }
  draw() {
    const by = this.columns[this.sort]; // none: unsorted
    this.buttons.forEach((b, i) => {
      if (!b) return;
      const on = this.columns[i] === by;
      b.textContent = clean(this.columns[i].name) + (on ? (this.down ? " ▾" : " ▴") : "");
      b.parentNode.setAttribute("aria-sort", !on ? "none" : this.down ? "descending" : "ascending");
    });
    const word = this.filter ? this.filter.value.toLowerCase() : "";
    let rows = word ? this.rows.filter(r => this.columns.some(c => !c.fixed && String(c.get(r)).toLowerCase().includes(word))) : this.rows;
    if (by) rows = rows.slice().sort((a, b) => compare(by.get(a) ?? 0, by.get(b) ?? 0) * (this.down ? -1 : 1));
    const shown = rows.slice(0, this.limit), list = [];
    for (const r of shown) {
      const tr = el("tr");
      this.columns.forEach(c => {
        const cell = el(c.head ? "th" : "td", c.show ? undefined : c.get(r) ?? "-", c.number ? "n" : "name");
        if (c.head) cell.scope = "row";
        if (c.show) cell.append(c.show(r));
        tr.append(cell);
      });
      list.push(tr);
      if (this.detail && shown.length <= 20) list.push(...this.detail(r, this.columns.length));
    }
    const focused = [...this.body.querySelectorAll("button")].indexOf(document.activeElement);
    this.body.replaceChildren(...list);
    if (focused >= 0) this.body.querySelectorAll("button")[focused]?.focus();
    this.more.hidden = rows.length <= this.limit;
    this.status.textContent = shown.length === this.rows.length ? "" : shown.length + " of " + this.rows.length + " rows";
  }
}

// Labels of buckets: see live.Hist.Label.
function bucketLabel(h, i, n) {
  if (h.linear) return i === 0 ? "<" + (h.low ?? 0) : i === n - 1 ? ">" + h.high : String((h.low ?? 0) + (i - 1) * h.interval);
  return i === 64 ? "0" : i > 64 ? String(2 ** (i - 65)) : String(-(2 ** (63 - i)));
}

// histogram draws buckets, the first of which has index from; n is the number of all buckets.
function histogram(h, buckets, caption, from = 0, n = buckets.length) {
  const table = el("table", undefined, "hist"), head = el("thead"), row = el("tr"), body = el("tbody");
  for (const [name, cls] of [["value", "n"], ["", ""], ["count", "n"]]) {
    const th = el(name ? "th" : "td", name, cls);
    if (name) th.scope = "col";
    row.append(th);
  }
  head.append(row);
  table.append(el("caption", caption), head, body);
  const first = buckets.findIndex(c => c !== 0), last = buckets.findLastIndex(c => c !== 0);
  if (first < 0) return table;
  const top = buckets.reduce((a, b) => Math.max(a, b), 1);
  for (let i = first; i <= last; i++) {
    const tr = el("tr"), th = el("th", bucketLabel(h, from + i, n), "n"), track = el("td", undefined, "track"), bar = el("div", undefined, "bar");
    th.scope = "row";
    bar.style.width = (buckets[i] / top * 100).toFixed(1) + "%";
    if (buckets[i]) track.append(bar);
    tr.append(th, track, el("td", buckets[i], "n"));
    body.append(tr);
  }
  return table;
}

const histogramNames = g => (g.histograms || []).map(h => (h.linear ? "@hist_linear(" : "@hist_log(") + g.name + ")");
const statFields = [["count", s => s.count], ["min", s => s.min], ["avg", s => s.count ? Math.trunc(s.sum / s.count) : 0], ["max", s => s.max], ["sum", s => s.sum]];

// The columns of a global that is an array, or statistics.
function globalColumns(g) {
  const columns = (g.keys || []).map((k, i) => ({ name: "key " + (i + 1), get: r => r.keys[i], number: k === "long", head: i === 0 }));
  if (g.kind === "statistics") {
    for (const [name, get] of statFields)
      if (g.rows.some(r => get(r.value) !== undefined)) columns.push({ name, get: r => get(r.value), number: true });
  } else columns.push({ name: "value", get: r => r.value, number: g.kind === "long" });
  return columns;
}

// globalTable makes the table of a global. It returns an object with the element, and set(g), which updates the values.
function globalTable(g) {
  let now = g;
  const detail = (r, columns) => (r.value?.histograms || []).map((buckets, i) => {
    const tr = el("tr"), td = el("td");
    td.colSpan = columns;
    td.append(histogram(now.histograms[i], buckets, histogramNames(now)[i] + (r.keys ? " of " + r.keys.join(", ") : "")));
    tr.append(td);
    return tr;
  });
  const table = new Table((g.keys ? "elements of " : "") + g.name, { filter: !!g.keys, sort: (g.keys || []).length, detail });
  return { element: table.element, set: (g, columns = globalColumns(g)) => { now = g; table.set(columns, g.rows); } };
}

// The columns of a table of probes, with additional ones before the last.
const probeColumns = (more = []) => [
  { name: "probe", get: p => p.name + (p.points > 1 ? " (" + p.points + " points)" : ""), head: true },
  { name: "hits", get: p => p.hits, number: true },
  ...["min", "avg", "max"].map(f => ({ name: f + " cycles", get: p => p.hits ? p[f + "_cycles"] : undefined, number: true })),
  ...more,
  { name: "where", get: p => p.at },
];
