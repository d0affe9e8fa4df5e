// Scores: intervals, paired tests, heat maps, and the sentences behind a cell.

const intervalChart = (width, metric, systems, place) => {
  const ends = metric.systems.flatMap((s) => [s.f1, ...(s.interval || [])]);
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const pad = (high - low || 1) * 0.1;
  return rows(
    {
      width,
      names: systems,
      x: [Math.max(0, low - pad), Math.min(100, high + pad)],
      text: (v) => points(v, 1),
      name: `${metric.name}, 95 % interval`,
      label: `${metric.name} of ${systems.join(", ")} on ${place}`,
      step: 30,
    },
    (i, x, y) => {
      const { f1, interval } = metric.systems[i];
      const line = { y1: y, y2: y, stroke: colour(i), "stroke-width": 3 };
      return [
        interval ? svg("line", { ...line, x1: x(interval[0]), x2: x(interval[1]) }) : null,
        svg(
          "circle",
          { cx: x(f1), cy: y, r: 5, fill: colour(i) },
          svg("title", {}, `${systems[i]}: ${points(f1)}`),
        ),
      ];
    },
  );
};

const metricTable = (one) => {
  const within = ({ interval }) =>
    interval ? html("small", {}, ` ${points(interval[0])}–${points(interval[1])}`) : null;
  const systems = one.systems.map((name, i) => ({
    name,
    number: true,
    value: (m) => m.systems[i].f1,
    show: (m) => [points(m.systems[i].f1), within(m.systems[i])],
  }));
  return dataTable({
    label: `Scores on ${one.name}`,
    first: 50,
    data: one.metrics,
    columns: [{ name: "metric", value: (m) => m.name }, ...systems],
  });
};

const testTable = (tests) => {
  const number = (name, value, show) => ({ name, number: true, value, show });
  return dataTable({
    label: "Paired tests",
    data: tests,
    columns: [
      { name: "metric", value: (t) => t.metric },
      { name: "A", value: (t) => t.a },
      { name: "B", value: (t) => t.b },
      number(
        "A − B",
        (t) => t.difference,
        (t) => points(t.difference),
      ),
      number(
        "fewer errors than B, %",
        (t) => t.error_reduction,
        (t) => (t.error_reduction === null ? "" : t.error_reduction.toFixed(2)),
      ),
      number(
        "p",
        (t) => t.p_value,
        (t) => (t.p_value === null ? "" : t.p_value.toFixed(4)),
      ),
      number(
        "p, Holm",
        (t) => t.p_corrected,
        (t) => (t.p_corrected === null ? "" : t.p_corrected.toFixed(4)),
      ),
    ],
  });
};

sections.scores = (root, data) => {
  const state = { treebank: 0, metric: "LAS", by: "relation", class: null, system: -1 };
  const holder = html("div");
  const panel = html("div", {
    class: "panel",
    id: "scores-sentences",
    role: "region",
    "aria-label": "Sentences behind a cell",
    "aria-live": "polite",
  });
  const current = () => data.treebanks[state.treebank];
  const classes = () => current().breakdowns.find((b) => b.by === state.by).rows;
  const told = () =>
    remember("scores", {
      treebank: data.treebanks.length > 1 ? current().name : null,
      metric: state.metric === "LAS" ? null : state.metric,
      by: state.by,
      class: state.class,
      system: state.class === null ? null : current().systems[state.system],
    });
  const change = (what) => {
    Object.assign(state, what);
    show();
    told();
  };
  const close = () => change({ class: null });

  const show = () => {
    const one = current();
    const named = (name) => one.metrics.find((m) => m.name === name || m.name.startsWith(`${name}[`));
    state.metric = (named(state.metric) || named("LAS") || one.metrics[0]).name;
    const metric = one.metrics.find((m) => m.name === state.metric);
    const chart = html("div", { class: "drawing" });
    const treebanks = data.treebanks.map((t, i) => [i, t.name]);
    const metrics = one.metrics.map((m) => m.name);
    const size = `${one.name}: ${plural(one.sentences, "sentence")}, ${plural(one.words, "word")}`;
    const map = heatMap({
      by: state.by,
      systems: one.systems,
      rows: classes(),
      pressed: (row, i) => row.class === state.class && i === state.system,
      onchoose: (row, i) => {
        Object.assign(state, { class: row.class, system: i });
        told();
        sentences();
        panel.scrollIntoView({ block: "nearest" });
      },
    });
    fill(
      holder,
      html(
        "p",
        { class: "controls" },
        treebanks.length > 1
          ? select("Treebank", treebanks, state.treebank, (v) =>
              change({ treebank: Number(v), class: null }),
            )
          : null,
        select("Metric", metrics, state.metric, (v) => change({ metric: v })),
        html("span", { class: "count" }, size),
      ),
      chart,
      metricTable(one),
      one.tests.length
        ? [html("h3", {}, "Are the differences statistically significant?"), testTable(one.tests)]
        : null,
      html("h3", {}, "Where do they fail?"),
      html(
        "p",
        { class: "controls" },
        select(
          "By",
          one.breakdowns.map((b) => b.by),
          state.by,
          (v) => change({ by: v, class: null }),
        ),
      ),
      map,
      panel,
    );
    responsive(chart, (width) => intervalChart(width, metric, one.systems, one.name));
    sentences();
  };

  // What a system made of the words of a sentence.
  const parsedBy = (one, system, s) => {
    const packed = one.parsed[system];
    packed.own = packed.own || { head: unpack(packed.head), deprel: column(packed.deprel) };
    const places = range(s.form.length).map((w) => s.from + w);
    return {
      head: places.map((p) => packed.own.head[p] - 1),
      deprel: places.map((p) => packed.own.deprel.at(p)),
    };
  };
  const sentences = () => {
    const one = current();
    const row = classes().find((r) => r.class === state.class);
    if (!row || state.system < 0) {
      fill(panel);
      return;
    }
    one.words_ = one.words_ || treebank(one.gold);
    const system = one.systems[state.system];
    const { correct, examples } = row.systems[state.system];
    const wrong = plural(row.gold - correct, "word");
    const legend =
      `Gold above, ${system} below; words in question in bold, the system's wrong heads dashed, ` +
      "wrong relations dotted.";
    fill(
      panel,
      html(
        "p",
        { class: "controls" },
        html(
          "strong",
          {},
          `${system}, ${state.by} ${row.class}: ${wrong} of ${grouped(row.gold)} wrong`,
        ),
        button("Close", close),
      ),
      html("p", {}, examples.length ? legend : "Nothing went wrong here."),
      examples.map(([i, chosen]) => {
        const s = one.words_.sentence(i);
        return treeBox(s, { chosen, parsed: parsedBy(one, state.system, s) });
      }),
      examples.length
        ? html("p", { class: "count" }, `${plural(examples.length, "sentence")} shown`)
        : null,
    );
    centre(panel);
  };
  root.append(holder);
  show();
  return {
    apply(params) {
      const at = data.treebanks.findIndex((t) => t.name === params.get("treebank"));
      state.treebank = Math.max(0, at);
      const one = current();
      state.metric = params.get("metric") || "LAS";
      if (one.breakdowns.some((b) => b.by === params.get("by"))) state.by = params.get("by");
      state.class = params.get("class");
      state.system = one.systems.indexOf(params.get("system"));
      show();
    },
    close() {
      if (state.class !== null) close();
    },
  };
};
