// The facts: what each says, where from, what it was; corrected in place, forgotten with a receipt.

import { json } from "./api.js";
import { $, button, counted, el, spaced, turnLink, when } from "./dom.js";

const FOUND = { hand: "set by hand", pattern: "seen by its form" };
const WHERE = {
  profile: "from an earlier conversation",
  spilled: "kept, but sent only when it matters",
};

export class Facts {
  #box = $("facts");
  #open = new Set();
  #stale = null;
  #shown = [];

  /** `actions`: `put(fact, value)`, `add(kind, value)` and `forget(fact)`. */
  constructor(actions) {
    this.actions = actions;
  }

  /** Shows what is known: the facts, and the kinds that may be set. Never under an open form. */
  show(facts, kinds) {
    if (this.#box.querySelector("form")) {
      this.#stale = [facts, kinds];
      return;
    }
    this.#stale = null;
    this.#shown = [facts, kinds];
    const items = facts.map((fact) => this.#fact(fact));
    const list = el("ul", { class: "facts" }, ...items);
    const none = el("p", { class: "faint" }, "Nothing yet.");
    const add = button("Add a fact", () => add.replaceWith(this.#adding(kinds)), { class: "quiet" });
    this.#box.replaceChildren(items.length ? list : none, kinds.length ? add : "");
  }

  focus(id) {
    const fact = this.#box.querySelector(`[data-fact="${id}"] button`);
    (fact ?? $("facts-title")).focus();
  }

  #fact(fact) {
    const item = el("li", { "data-fact": fact.id });
    const forget = button("Forget", () => this.actions.forget(fact), {
      class: "grave",
      "aria-label": `Forget ${fact.value}`,
    });
    const correct = button("Correct", () => this.#edit(item, fact), {
      "aria-label": `Correct ${fact.value}`,
    });
    item.append(
      el("div", { class: "kind" }, spaced(fact.kind), el("span", { class: "says" }, fact.says)),
      el(
        "div",
        { class: "row" },
        el("div", { class: "value", dir: "auto" }, fact.value),
        el("div", { class: "actions" }, correct, forget),
      ),
      this.#evidence(fact),
      this.#history(fact),
    );
    return item;
  }

  #evidence(fact) {
    const from = [fact.turn ? turnLink(fact.turn) : "", when(fact.said)];
    const notes = [WHERE[fact.where], FOUND[fact.found], fact.about && `about ${when(fact.about)}`];
    const line = el("div", { class: "faint" });
    for (const each of [...from, ...notes].filter(Boolean)) {
      if (line.childNodes.length) line.append(" · ");
      line.append(each);
    }
    const quote = fact.quote && fact.quote !== fact.value ? el("q", {}, fact.quote) : "";
    return el("div", { class: "evidence" }, quote, line);
  }

  #history(fact) {
    if (fact.history.length < 2 && !fact.was) return "";
    const rows = fact.history.map((each) =>
      el(
        "li",
        {},
        `${when(each.at)}: ${each.event} `,
        el("b", {}, each.value),
        each.before ? ` (before: ${each.before})` : "",
      ),
    );
    const was = fact.was ? `Before: ${fact.was}` : counted(rows.length, "event", "events");
    const details = el("details", {}, el("summary", {}, was), el("ol", {}, ...rows));
    details.open = this.#open.has(fact.id);
    details.addEventListener("toggle", () => {
      if (details.open) this.#open.add(fact.id);
      else this.#open.delete(fact.id);
    });
    return details;
  }

  #edit(item, fact) {
    const input = el("input", { value: fact.value, maxlength: 400, "aria-label": fact.says });
    const there = [...item.childNodes];
    const back = () => {
      item.replaceChildren(...there);
      this.#closed();
      item.querySelector("button[aria-label^=Correct]")?.focus();
    };
    const form = this.#form([input], () => this.actions.put(fact, input.value), back);
    item.replaceChildren(there[0], form);
    input.focus();
    input.select();
  }

  #adding(kinds) {
    const options = kinds.map((kind) =>
      el("option", { value: kind.kind }, `${spaced(kind.kind)}: ${kind.says}`),
    );
    const kind = el("select", { "aria-label": "Kind" }, ...options);
    const input = el("input", { maxlength: 400, "aria-label": "Value", placeholder: "Value" });
    const back = () => {
      form.remove();
      this.show(...(this.#stale ?? this.#shown));
      this.#box.lastElementChild.focus();
    };
    const form = this.#form([kind, input], () => this.actions.add(kind.value, input.value), back);
    queueMicrotask(() => kind.focus());
    return form;
  }

  #form(fields, save, back) {
    const trouble = el("p", { class: "notice", role: "alert", hidden: true });
    const submit = async (event) => {
      event.preventDefault();
      try {
        const fact = await save();
        form.remove();
        await this.actions.changed();
        this.focus(fact.id);
      } catch (error) {
        trouble.hidden = false;
        trouble.textContent = error.message;
      }
    };
    const form = el(
      "form",
      { class: "edit", autocomplete: "off", onsubmit: submit },
      ...fields,
      el("div", { class: "actions" }, el("button", { type: "submit", class: "primary" }, "Save"), button("Cancel", back)),
      trouble,
    );
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") back();
    });
    return form;
  }

  #closed() {
    if (this.#stale) this.show(...this.#stale);
  }
}

/** Changes of facts on the server: each gives the fact as it stands then. */
export const change = {
  put: async (base, id, value) =>
    (await json("PUT", base(`/${id}`), { body: { value } })).fact,
  add: async (base, kind, value) =>
    (await json("POST", base(""), { body: { kind, value } })).fact,
};
