"use strict";
// A heat map of a histogram over time: a column for each print, whose width is the time since the previous one.

const maxColumns = 400; // more are merged

// heatColumns returns the columns of a map: from and to, in ms, and counts. If counts only grow, these are the
// differences, unless the user selects the printed counts.
function heatColumns(s, differences) {
  const steps = s.times.slice(1).map((t, i) => t - s.times[i]).sort((a, b) => a - b);
  const before = s.times[0] - (steps[Math.floor(steps.length / 2)] || 1);
  let list = s.columns.map((counts, i) => ({
    from: i ? s.times[i - 1] : before, to: s.times[i],
    counts: differences && i ? counts.map((n, j) => n - s.columns[i - 1][j]) : counts,
  }));
  const group = Math.ceil(list.length / maxColumns);
  if (group === 1) return list;
  const joined = [];
  for (let i = 0; i < list.length; i += group) {
    const part = list.slice(i, i + group), last = part[part.length - 1];
    const counts = s.grows && !differences ? last.counts : last.counts.map((_, j) => part.reduce((sum, c) => sum + c.counts[j], 0));
    joined.push({ from: part[0].from, to: last.to, counts });
  }
  return joined;
}

// inUnits writes powers of two in units of 1024: 64K.
function inUnits(label) {
  let n = Number(label), unit = 0;
  while (n && n % 1024 === 0) { n /= 1024; unit++; }
  return unit ? n + " KMGTPE"[unit] : label;
}

function heatMap(into, s) {
  const box = el("div"), status = el("p", "", "note"), legend = el("p", undefined, "legend note");
  status.setAttribute("role", "status");
  const bucketName = i => {
    const label = bucketLabel(s.histogram, s.first + i, s.buckets);
    const next = s.histogram.linear || s.first + i < 64 ? undefined : bucketLabel(s.histogram, s.first + i + 1, s.buckets);
    return next === undefined || next - label < 2 ? label : label + " to " + (next - 1);
  };
  const steps = s.times.slice(1).map((t, i) => t - s.times[i]).sort((a, b) => a - b);
  const clock = ms => new Date(ms).toLocaleTimeString(undefined, { hourCycle: "h23", hour: "2-digit", minute: "2-digit", second: "2-digit",
    fractionalSecondDigits: steps[0] < 1000 ? 3 : undefined });
  let only = s.grows, drawnWidth;
  if (s.grows) {
    const label = el("label"), check = el("input");
    check.type = "checkbox"; check.checked = true;
    check.onchange = () => { only = check.checked; draw(); };
    label.append(check, " only what is new in each column, as no count gets less");
    into.append(label);
  }
  into.append(legend, box, status);

  function draw() {
    const columns = heatColumns(s, only), rows = columns[0].counts.length;
    const top = d3.max(columns, c => d3.max(c.counts)) || 1;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const ramp = dark ? t => d3.interpolateInferno(.2 + .8 * t) : t => d3.interpolateYlOrRd(.1 + .9 * t);
    const color = d3.scaleSequentialLog([1, Math.max(top, 2)], ramp);
    const margin = { left: 70, right: 20, top: 6, bottom: 24 }, cell = Math.max(8, Math.min(22, 360 / rows));
    const width = Math.max(into.clientWidth, 320), height = margin.top + cell * rows + margin.bottom;
    const x = d3.scaleTime([columns[0].from, columns[columns.length - 1].to], [margin.left, width - margin.right]);
    const y = i => margin.top + (rows - 1 - i) * cell;
    const wide = c => Math.max(x(c.to) - x(c.from), .5);
    const svg = d3.create("svg").attr("class", "heat").attr("width", width).attr("height", height).attr("tabindex", 0).attr("role", "application")
      .attr("aria-roledescription", "heat map")
      .attr("aria-label", clean(s.title) + ": " + columns.length + " columns from " + clock(columns[0].to) + " to " + clock(columns[columns.length - 1].to)
        + ", values from " + bucketName(0) + " to " + bucketName(rows - 1) + ", at most " + top + " of one kind in a column. Arrow keys go from cell to cell.");
    svg.append("g").selectAll("g").data(columns).join("g").each(function (c) {
      d3.select(this).selectAll("rect").data(c.counts.map((n, i) => [n, i]).filter(([n]) => n > 0)).join("rect")
        .attr("x", x(c.from)).attr("width", wide(c)).attr("y", ([, i]) => y(i)).attr("height", cell).attr("fill", ([n]) => color(n));
    });
    svg.append("g").attr("transform", `translate(0,${height - margin.bottom})`).attr("aria-hidden", true)
      .call(d3.axisBottom(x).ticks(width / 120).tickFormat(t => clock(+t)));
    const every = Math.ceil(14 / cell);
    const names = d3.range(rows).filter(i => i % every === 0);
    svg.append("g").attr("aria-hidden", true).selectAll("text").data(names).join("text").attr("x", margin.left - 6).attr("y", i => y(i) + cell / 2)
      .attr("dy", ".35em").attr("text-anchor", "end").attr("fill", "currentColor").text(i => inUnits(bucketLabel(s.histogram, s.first + i, s.buckets)));
    const cursor = svg.append("rect").attr("class", "cursor").attr("height", cell).attr("visibility", "hidden");

    let at = null;
    function go(column, row) {
      at = { column: Math.max(0, Math.min(columns.length - 1, column)), row: Math.max(0, Math.min(rows - 1, row)) };
      const c = columns[at.column];
      cursor.attr("visibility", "visible").attr("x", x(c.from)).attr("width", wide(c)).attr("y", y(at.row));
      status.textContent = clock(c.from) + " to " + clock(c.to) + ", " + bucketName(at.row) + ": " + c.counts[at.row];
    }
    svg.on("keydown", e => {
      const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
      if (!move) return;
      e.preventDefault();
      go(at ? at.column + move[0] : 0, at ? at.row + move[1] : 0);
    });
    svg.on("pointermove", e => {
      const [px, py] = d3.pointer(e), t = +x.invert(px), row = rows - 1 - Math.floor((py - margin.top) / cell);
      const column = d3.bisector(c => c.to).left(columns, t);
      if (px >= margin.left && column < columns.length && row >= 0 && row < rows) go(column, row);
    });
    box.replaceChildren(svg.node());
    status.textContent = "";
    drawnWidth = into.clientWidth;
    const stripe = el("i");
    stripe.style.background = "linear-gradient(to right," + d3.range(0, 1.01, .1).map(t => color(Math.max(top, 2) ** t)).join() + ")";
    legend.replaceChildren("count: 1 ", stripe, " " + top + (columns.length < s.columns.length ? "; each column is " + Math.ceil(s.columns.length / columns.length) + " histograms" : ""));
  }
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(() => { if (into.clientWidth !== drawnWidth) draw(); }).observe(into);

  // The same numbers as a table.
  const details = el("details"), wideBox = el("div", undefined, "wide");
  details.append(el("summary", "As a table"), wideBox);
  details.addEventListener("toggle", () => {
    if (!details.open || wideBox.firstChild) return;
    const table = new Table(s.title + ", as printed", { filter: false, down: false, limit: 200 });
    wideBox.append(table.element);
    const columns = [{ name: "time", get: i => s.times[i], show: i => clock(s.times[i]), head: true }];
    s.columns[0].forEach((_, j) => columns.push({ name: bucketName(j), get: i => s.columns[i][j], number: true }));
    table.set(columns, s.columns.map((_, i) => i));
  });
  into.append(details);
}
