// The memory's side: read anew after every turn and every change.

import { asUser, json, session } from "./api.js";
import { forgetting } from "./dialogs.js";
import { $, download, el, turnLink, when } from "./dom.js";
import { Facts, change } from "./facts.js";
import { MOST_TURNS, Request } from "./request.js";

const KINDS = {
  now: "Now",
  open: "Open",
  decided: "Decided",
  happened: "Happened",
  manner: "How you like it",
};

const none = (text) => el("p", { class: "faint" }, text);

export class Memory {
  #line = null;
  #user = "";
  #begun = false;
  #request = new Request();
  #facts;

  /** `changed` is called when words of the conversation may have changed, or gone. */
  constructor({ changed }) {
    this.changed = changed;
    this.#facts = new Facts({
      put: (fact, value) => change.put(this.#base, fact.id, value),
      add: (kind, value) => change.add(this.#base, kind, value),
      forget: (fact) => this.#forgetFact(fact),
      changed: () => this.refresh(),
    });
  }

  /** Whose memory it is: empty for nobody's in particular. */
  get user() {
    return this.#user;
  }

  async open(line) {
    this.#line = line;
    this.#request.clear();
    await this.refresh();
    this.#learn(line);
  }

  /** What the turns before the newest cost: not waited for. */
  async #learn(line) {
    const page = await line.transcript(0, MOST_TURNS).catch(() => null);
    if (line.left) return;
    this.#request.learn((page?.exchanges ?? []).map((exchange) => exchange.tokens));
  }

  async refresh() {
    const line = this.#line;
    const trouble = $("memory-trouble");
    try {
      const [overview, facts, profile] = await Promise.all([
        line.overview(),
        line.facts(),
        this.#profile(),
      ]);
      if (line.left) return;
      this.#begun = overview !== null;
      this.#user = profile?.user ?? "";
      const known = facts ?? profile ?? { facts: [], kinds: [] };
      this.#facts.show(known.facts, known.kinds);
      this.#summary(overview?.summary);
      this.#recalled(overview?.recalled);
      this.#request.learn(overview?.tokens ?? []);
      this.#request.show(overview?.request);
      this.#buttons();
      trouble.hidden = true;
      trouble.textContent = "";
    } catch (error) {
      if (line.left || error.name === "AbortError") return;
      trouble.hidden = false;
      trouble.textContent = error.message;
    }
  }

  #profile() {
    const named = session.token || session.user;
    return named ? json("GET", asUser("memory/profile")) : null;
  }

  /** The path of the facts: the conversation's, or the user's before it has begun. */
  #base = (rest) =>
    this.#begun ? `${this.#line.memory}/facts${rest}` : asUser(`memory/profile${rest}`);

  #buttons() {
    $("export-thread").hidden = $("forget-thread").hidden = !this.#begun;
    $("export-all").hidden = $("forget-me").hidden = !this.#user;
    $("yours-title").parentElement.hidden = !this.#begun && !this.#user;
  }

  #summary(summary) {
    const items = summary?.items ?? [];
    if (!items.length) {
      $("summary").replaceChildren(
        none("Nothing yet: every turn is still sent as it was said."),
      );
      return;
    }
    const groups = Object.entries(KINDS).map(([kind, title]) => {
      const ofKind = items.filter((item) => item.kind === kind);
      if (!ofKind.length) return "";
      const lines = ofKind.map((item) => el("li", {}, `${item.text} `, ...turns(item.turns)));
      return el("div", {}, el("h3", {}, title), el("ul", {}, ...lines));
    });
    const pins = summary.pins.map((pin) =>
      el("li", {}, el("b", {}, pin.value), ` “${pin.words}” `, turnLink(pin.turn)),
    );
    $("summary").replaceChildren(
      el("p", { class: "faint" }, `Turns 1 to ${summary.through}, in place of their words.`),
      ...groups,
      pins.length ? el("div", {}, el("h3", {}, "Word for word"), el("ul", {}, ...pins)) : "",
    );
  }

  #recalled(recalled) {
    if (!recalled) {
      $("recalled").replaceChildren(none("Nothing yet."));
      return;
    }
    const passages = recalled.passages.map(passageOf);
    const why = recalled.searched ? "Searched the earlier turns" : "Searched nothing";
    $("recalled").replaceChildren(
      el("p", {}, `For the last reply. ${why}: ${recalled.reason}.`),
      el("div", { class: "passages" }, ...passages),
      recalled.trouble ? el("p", { class: "notice" }, recalled.trouble) : "",
    );
  }

  async #forgetFact(fact) {
    const path = this.#begun
      ? `memory/threads/${this.#line.id}/facts/${fact.id}`
      : asUser(`memory/profile/${fact.id}`);
    const receipt = await forgetting(
      `Forget “${fact.value}”?`,
      "It goes from the facts, the summary and the words that said it, and is not taken up again.",
      () => json("DELETE", path),
    );
    if (!receipt) return;
    await this.changed();
    $("facts-title").focus();
  }

  /** Forgets the conversation; its receipt, or null when it is kept. */
  async forgetThread() {
    return forgetting(
      "Forget this conversation?",
      "All that was said in it goes, and all that is known from it. This cannot be undone.",
      () => json("DELETE", this.#line.memory),
    );
  }

  async forgetUser() {
    return forgetting(
      `Forget ${this.#user}?`,
      "Every conversation of yours goes, and all that outlives them. This cannot be undone.",
      () => json("DELETE", asUser("memory/me")),
    );
  }

  async exportThread() {
    download(`${this.#line.name}.json`, await json("GET", `${this.#line.memory}/export`));
  }

  async exportAll() {
    download("longhaul.json", await json("GET", asUser("memory/export")));
  }
}

function passageOf(passage) {
  const place = passage.elsewhere ? "an earlier conversation" : `turn ${passage.turn}`;
  return el(
    "details",
    {},
    el("summary", {}, el("b", {}, place), ` ${passage.user}`),
    el("p", { class: "faint" }, `Found by ${passage.why}; score ${passage.score.toFixed(2)}.`),
    el("p", { class: "text" }, `You: ${passage.user}`),
    el("p", { class: "text" }, `Bot: ${passage.assistant}`),
    passage.note ? el("p", { class: "cut" }, passage.note) : "",
    el("p", { class: "faint" }, when(passage.at), passage.elsewhere ? "" : [" · ", turnLink(passage.turn)]),
  );
}

function turns(list) {
  return list.flatMap((turn) => [turnLink(turn), " "]);
}
