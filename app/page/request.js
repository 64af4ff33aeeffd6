// What the next request holds, as a bar of layers, and what each turn cost, as a chart.

import { $, el, svg } from "./dom.js";

const LAYERS = {
  persona: "persona and rules",
  summary: "summary",
  facts: "facts",
  window: "recent turns",
  recalled: "looked up",
  now: "newest turn",
  tools: "tools",
  reply: "room for the reply",
};
const WIDTH = 600;
const HEIGHT = 110;
export const MOST_TURNS = 60;

const number = new Intl.NumberFormat();

export class Request {
  #tokens = new Map();

  clear() {
    this.#tokens.clear();
  }

  /** What the provider counted, by turn: collected as turns are seen. */
  learn(tokens) {
    for (const each of tokens.filter(Boolean)) this.#tokens.set(each.turn, each);
    $("tokens").replaceChildren(...this.#chart());
  }

  /** What a request holds; nothing before anything was said. */
  show(request) {
    if (!request) {
      $("request").replaceChildren(el("p", { class: "faint" }, "Nothing yet."));
      return;
    }
    $("request").replaceChildren(
      el(
        "p",
        {},
        el("b", {}, `${number.format(request.tokens)} tokens`),
        ` of at most ${number.format(request.limit)}, the newest turn included.`,
        request.left_out ? ` ${request.left_out} turns have no room.` : "",
      ),
      bar(request),
      legend(request),
    );
  }

  #chart() {
    const turns = [...this.#tokens.values()].sort((a, b) => a.turn - b.turn).slice(-MOST_TURNS);
    if (turns.length < 2) return [];
    const most = Math.max(...turns.map((each) => each.input));
    const wide = WIDTH / turns.length;
    const bars = turns.map((each, i) =>
      svg(
        "rect",
        {
          x: i * wide + 0.5,
          y: HEIGHT - (HEIGHT * each.input) / most,
          width: Math.max(wide - 1, 1),
          height: (HEIGHT * each.input) / most,
        },
        svg("title", {}, `turn ${each.turn}: ${number.format(each.input)} tokens in, ${each.output} out`),
      ),
    );
    const [first, last] = [turns[0].turn, turns.at(-1).turn];
    const label = `Tokens sent a turn, turns ${first} to ${last}: at most ${number.format(most)}`;
    return [
      el("h3", {}, "Tokens a turn"),
      svg(
        "svg",
        { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
        ...bars,
      ),
      el(
        "div",
        { class: "axis faint" },
        el("span", {}, `turn ${first}`),
        el("span", {}, `at most ${number.format(most)} sent`),
        el("span", {}, `turn ${last}`),
      ),
    ];
  }
}

function bar({ layers, limit }) {
  let x = 0;
  const scale = WIDTH / limit;
  const rects = Object.keys(LAYERS).map((name) => {
    const width = (layers[name] ?? 0) * scale;
    const rect = svg("rect", { class: `layer ${name}`, x, y: 0, width, height: 24 });
    rect.append(svg("title", {}, `${LAYERS[name]}: ${number.format(layers[name] ?? 0)}`));
    x += width;
    return rect;
  });
  return svg(
    "svg",
    { class: "bar", viewBox: `0 0 ${WIDTH} 24`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "layer room", x: 0, y: 0, width: WIDTH, height: 24 }),
    ...rects,
  );
}

function legend({ layers }) {
  const rows = Object.entries(LAYERS).filter(([name]) => layers[name]);
  return el(
    "ul",
    { class: "legend" },
    ...rows.map(([name, says]) =>
      el(
        "li",
        {},
        svg("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" },
          svg("rect", { class: `layer ${name}`, width: 10, height: 10, rx: 2 })),
        `${says} `,
        el("b", {}, number.format(layers[name])),
      ),
    ),
  );
}
