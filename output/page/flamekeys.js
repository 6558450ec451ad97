"use strict";
// flameKeys lets the keyboard go through a flame graph: arrow keys from frame to frame, Enter zooms, Escape clears the search or
// resets the zoom, n and N go to the frames found, / and Ctrl-F to the field that searches. say tells what label says of a frame.
// It returns place, to be called after the graph is drawn, and forget, after it is given other stacks.
function flameKeys({ chart, box, into, search, say, label, upsideDown }) {
  const root = () => d3.select(box).datum();
  const svg = d3.select(box).select("svg").attr("tabindex", 0).attr("role", "application").attr("aria-roledescription", "flame graph");
  const cursor = svg.append("rect").attr("class", "cursor").attr("height", cellHeight).attr("visibility", "hidden");
  let at = null;

  // frames are the drawn frames, of one depth or all, from left to right.
  function frames(depth) {
    const list = [];
    svg.selectAll("g.frame").each(d => { if (depth === undefined || d.depth === depth) list.push(d); });
    return list.sort((a, b) => a.x0 - b.x0 || a.depth - b.depth);
  }
  function go(d) {
    if (!d) return;
    at = d;
    place();
    say(label(d));
    cursor.node().scrollIntoView({ block: "nearest" });
  }
  function place() {
    svg.attr("aria-label", label(root()) + ". Arrow keys go from frame to frame, Enter zooms in, Escape out; / searches, n goes to the next that is found.");
    cursor.attr("visibility", at && frames(at.depth).includes(at) ? "visible" : "hidden");
    if (!at) return;
    const scale = svg.attr("width"), height = svg.attr("height");
    cursor.raise().attr("x", at.x0 * scale).attr("width", (at.x1 - at.x0) * scale)
      .attr("y", upsideDown() ? at.depth * cellHeight : height - (at.depth + 1) * cellHeight);
  }
  function beside(step) {
    const list = frames(at.depth);
    return list[list.indexOf(at) + step];
  }
  function found(step) {
    const list = frames().filter(d => d.highlight), i = list.indexOf(at);
    return list[i < 0 ? (step > 0 ? 0 : list.length - 1) : (i + step + list.length) % list.length];
  }
  const outwards = () => at.parent, inwards = () => d3.greatest(frames(at.depth + 1).filter(d => d.parent === at), d => d.value);
  const moves = {
    ArrowLeft: () => beside(-1), ArrowRight: () => beside(1), Home: root,
    ArrowUp: () => upsideDown() ? outwards() : inwards(), ArrowDown: () => upsideDown() ? inwards() : outwards(),
    n: () => found(1), N: () => found(-1),
  };
  function clear() {
    if (search.value) {
      search.value = "";
      search.dispatchEvent(new Event("input"));
    } else chart.resetZoom();
    if (at) say(label(at));
  }

  svg.on("focus", () => go(at || root()));
  svg.on("keydown", e => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    at ??= root();
    if (e.key === "Enter") chart.zoomTo(at);
    else if (e.key === "Escape") clear();
    else if (moves[e.key]) go(moves[e.key]());
    else return;
    e.preventDefault();
  });
  search.addEventListener("keydown", e => {
    if (e.key === "Escape") clear();
    else if (e.key !== "Enter") return;
    e.preventDefault();
    if (e.key === "Enter" && found(1)) at = found(1);
    svg.node().focus();
  });
  document.addEventListener("keydown", e => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName) && document.activeElement.type !== "checkbox";
    const slash = e.key === "/" && !typing && !e.ctrlKey && !e.altKey && !e.metaKey;
    // Where the page has more than the graph, Ctrl-F is the browser's unless the graph has the focus.
    const find = e.key === "f" && (e.ctrlKey || e.metaKey) && document.activeElement !== search && (into.tagName === "MAIN" || into.contains(document.activeElement));
    if (!slash && !find) return;
    e.preventDefault();
    search.focus();
    search.select();
  });
  return { place, forget: () => { at = null; } };
}
