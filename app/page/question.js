// The question that a tool asks before it acts, and the form that answers it.

import { button, el, spaced, turnLink, when } from "./dom.js";

/** The first question among what waits: `{id, asked}`, or null. */
export function questionIn(waiting) {
  const found = waiting.find((each) => each.value?.kind === "confirm");
  return found ? { id: found.id, asked: found.value } : null;
}

/** The form. `answer` is given the value to resume with. */
export function questionForm({ asked }, answer) {
  const fields = asked.facts.map((fact) => ({ fact, input: field(fact) }));
  const reason = el("input", {
    id: "reason",
    maxlength: 400,
    placeholder: "Why not? (you need not say)",
    "aria-label": "Why not",
  });
  const yes = el("button", { type: "submit", class: "primary" }, "Yes, do it");
  const changed = () =>
    fields.filter(({ fact, input }) => input.value.trim() && input.value.trim() !== fact.value);
  const named = () => {
    yes.textContent = changed().length ? "No: use what I wrote" : "Yes, do it";
  };
  const decide = (event) => {
    event.preventDefault();
    const corrected = changed().map(({ fact, input }) => [fact.argument, input.value.trim()]);
    answer(corrected.length ? { changed: Object.fromEntries(corrected) } : { confirmed: true });
  };
  const refuse = () => answer({ confirmed: false, reason: reason.value.trim() });
  return el(
    "form",
    {
      class: "question",
      tabindex: -1,
      "aria-labelledby": "question",
      autocomplete: "off",
      onsubmit: decide,
      oninput: named,
    },
    el("h2", { id: "question" }, asked.question),
    ...fields.map(({ fact, input }) =>
      el("div", { class: "row" }, el("label", { for: input.id }, spaced(fact.argument)), input, said(fact)),
    ),
    el("div", { class: "row" }, yes, button("No", refuse), reason),
  );
}

function field(fact) {
  return el("input", { id: `asked-${fact.argument}`, value: fact.value, maxlength: 400 });
}

function said(fact) {
  if (!fact.quote) return "";
  const words = el("span", { class: "faint" }, `“${fact.quote}” ${when(fact.said)}, `);
  if (fact.turn) words.append(turnLink(fact.turn));
  return words;
}
