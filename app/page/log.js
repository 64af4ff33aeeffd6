// What was said, as a list of messages by id: what is known anew replaces what stood there.

import { $, clock, counted, el, spaced } from "./dom.js";

const WHO = { user: "You", assistant: "Bot", colleague: "Colleague" };
const CUT = {
  stopped: "Stopped here.",
  length: "Cut: the reply reached its longest.",
  content_filter: "Cut by the provider's content filter.",
  broken: "Broken off here.",
};

/** A message: `{id, role, text, cut, images, tools, turn, at}`, of the transcript. */
export function ofTranscript(exchanges) {
  return exchanges.flatMap((exchange) =>
    exchange.words.map((words) => ({
      ...words,
      role: words.by ? "colleague" : words.role,
      turn: exchange.turn,
      at: words.role === "user" ? exchange.at : "",
    })),
  );
}

/** The same of a state's messages, those after `archived` turns and after the ids in `seen`. */
export function ofState({ messages, archived }, seen) {
  const last = messages.findLastIndex((message) => seen.has(message.id));
  const results = new Map(messages.map((m) => [m.tool_call_id, textOf(m.content)]));
  let turn = archived;
  let spoke = "ai";
  const found = [];
  for (const message of messages.slice(last + 1)) {
    if (message.type === "human" && spoke !== "human") turn += 1;
    spoke = message.type;
    if (message.type !== "tool") found.push(ofMessage(message, turn, results));
  }
  return found;
}

function ofMessage(message, turn, results) {
  const kept = message.additional_kwargs ?? {};
  const bot = kept.by ? "colleague" : "assistant";
  return {
    id: message.id,
    role: message.type === "human" ? "user" : bot,
    text: textOf(message.content),
    cut: kept.cut ?? "",
    images: Array.isArray(message.content)
      ? message.content.filter((block) => block.type === "image_url").length
      : 0,
    tools: (message.tool_calls ?? []).map((call) => ({
      name: call.name,
      args: call.args,
      result: results.get(call.id) ?? "",
    })),
    turn,
    at: kept.at ?? "",
  };
}

/** The words of a message's content: text, or blocks of it. */
export function textOf(content) {
  if (typeof content === "string") return content;
  const texts = (content ?? []).filter((block) => block.type === "text");
  return texts.map((block) => block.text).join("");
}

export class Log {
  #list = $("messages");
  #scroller = $("scroller");
  #nodes = new Map();
  #following = true;
  #top = 0;
  /** The ids of messages that only this page knows yet. */
  live = new Set();

  constructor() {
    this.#scroller.addEventListener("scroll", () => this.#scrolled());
    const grown = new ResizeObserver(() => this.#following && this.toEnd());
    for (const each of [this.#scroller, ...this.#scroller.children]) grown.observe(each);
  }

  clear() {
    this.#list.replaceChildren();
    this.#nodes.clear();
    this.live.clear();
  }

  get isEmpty() {
    return this.#nodes.size === 0;
  }

  /** Shows `messages`, all that was said in turns `from` to `to`; what they leave out there goes. */
  show(messages, { from = 1, to = Infinity } = {}) {
    const shown = messages.filter((each) => each.text || each.tools.length || each.images);
    const nodes = shown.map((each) => this.put(each));
    const others = [...this.#list.children].filter((node) => !nodes.includes(node));
    const live = others.filter((node) => this.live.has(node.dataset.id));
    const told = others.filter((node) => !live.includes(node));
    const earlier = told.filter((node) => turnOf(node) < from);
    const later = told.filter((node) => turnOf(node) > to);
    const order = [...earlier, ...nodes, ...later, ...live];
    for (const node of told) if (!order.includes(node)) this.remove(node.dataset.id);
    order.forEach((node, i) => {
      const there = this.#list.children[i] ?? null;
      if (there !== node) this.#list.insertBefore(node, there);
    });
  }

  /** The element of a message, which stands where it stood if it is known. */
  put(message) {
    this.live.delete(message.id);
    let node = this.#nodes.get(message.id);
    if (!node) {
      node = el("li", { "data-id": message.id });
      this.#nodes.set(message.id, node);
    }
    const drawn = JSON.stringify(message);
    if (node.drawn !== drawn) {
      node.drawn = drawn;
      const aside = message.text || message.images ? "" : "aside";
      node.className = `message ${message.role} ${message.cut} ${aside}`;
      if (message.turn) node.dataset.turn = message.turn;
      node.replaceChildren(...parts(message));
    }
    return node;
  }

  /** A message that the server has not told of yet. */
  putLive(message) {
    const node = this.put({ cut: "", images: 0, tools: [], turn: 0, at: "", ...message });
    this.live.add(message.id);
    if (!node.isConnected) this.#list.append(node);
    return node;
  }

  /** Adds words to a message that is being written; false if it is not shown. */
  write(id, piece) {
    const node = this.#nodes.get(id);
    if (!node) return false;
    node.querySelector(".text").firstChild.appendData(piece);
    node.drawn = null;
    return true;
  }

  /** Whether the server has told of the message. */
  knows(id) {
    return this.#nodes.has(id) && !this.live.has(id);
  }

  remove(id) {
    this.#nodes.get(id)?.remove();
    this.#nodes.delete(id);
    this.live.delete(id);
  }

  /** Drops the messages that the server does not know and that end in this way. */
  dropLive(cut) {
    for (const node of this.#list.querySelectorAll(`.${cut}`)) {
      if (this.live.has(node.dataset.id)) this.remove(node.dataset.id);
    }
  }

  find(turn) {
    return this.#list.querySelector(`[data-turn="${turn}"]`);
  }

  /** The first and the last turn that are shown; zeros when none is. */
  get range() {
    const turns = [...this.#list.children].map((node) => Number(node.dataset.turn)).filter(Boolean);
    return turns.length ? [turns[0], turns.at(-1)] : [0, 0];
  }

  /** Shows the end, and goes on showing it while words come, until the reader scrolls up. */
  toEnd() {
    this.#following = true;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /** Leaves the end: what comes there moves nothing. */
  stay() {
    this.#following = false;
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    if (scrollHeight - scrollTop - clientHeight < 4) this.#following = true;
    else if (scrollTop < this.#top) this.#following = false;
    this.#top = scrollTop;
  }

  /** Does `change`, and leaves what is being read where it stands on the screen. */
  keepingPlace(change) {
    const before = this.#scroller.scrollHeight - this.#scroller.scrollTop;
    change();
    this.#scroller.scrollTop = this.#scroller.scrollHeight - before;
  }
}

const turnOf = (node) => Number(node.dataset.turn) || Infinity;

function parts(message) {
  const head = el("div", { class: "by" }, el("b", {}, WHO[message.role]));
  if (message.turn) head.append(el("span", { class: "faint" }, `turn ${message.turn}`));
  if (message.at) {
    head.append(el("time", { class: "faint", datetime: message.at }, clock(message.at)));
  }
  const shown = [head, ...message.tools.map(toolUse)];
  if (message.text) shown.push(el("p", { class: "text", dir: "auto" }, message.text));
  if (message.images) shown.push(el("p", { class: "faint" }, counted(message.images, "image", "images")));
  if (message.cut) {
    shown.push(el("p", { class: "cut" }, CUT[message.cut] ?? `Not whole: ${message.cut}.`));
  }
  return shown;
}

function toolUse(tool) {
  const values = Object.entries(tool.args).map(([name, value]) => `${spaced(name)} ${value}`);
  return el(
    "details",
    { class: "tool" },
    el("summary", {}, `${spaced(tool.name)}: ${values.join(", ")}`),
    el("p", { class: "text" }, tool.result || "No result yet."),
  );
}
