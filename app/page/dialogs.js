// What asks, or tells, before anything else goes on. Escape closes it, and focus goes back.

import { $, button, counted, el, spaced, when } from "./dom.js";

const dialog = $("dialog");
dialog.addEventListener("close", () => dialog.replaceChildren());

/** Opens the dialog; `closed` is called when it has gone. */
export function open(title, ...content) {
  dialog.replaceChildren(el("h2", { id: "dialog-title", tabindex: -1 }, title), ...content);
  if (!dialog.open) dialog.showModal();
  return new Promise((closed) => dialog.addEventListener("close", closed, { once: true }));
}

export function close() {
  dialog.close();
}

/** Asks before something is forgotten, does it by `forget`, and shows the receipt. */
export async function forgetting(title, text, forget) {
  const trouble = el("p", { class: "notice", role: "alert", hidden: true });
  const go = button("Forget it", act, { class: "grave" });
  const keep = button("Keep it", close, { autofocus: true });
  let receipt = null;
  async function act() {
    trouble.hidden = true;
    go.disabled = true;
    go.textContent = "Forgetting…";
    try {
      receipt = await forget();
      show(receipt);
    } catch (error) {
      trouble.hidden = false;
      trouble.textContent = error.message;
      go.disabled = false;
      go.textContent = "Try again";
    }
  }
  await open(title, el("p", {}, text), trouble, el("div", { class: "actions" }, go, keep));
  return receipt;
}

function show(receipt) {
  const clean = Object.values(receipt.found).every((count) => count === 0);
  const content = [
    el("p", {}, clean ? CLEAN : UNCLEAN),
    table("Removed", receipt.removed, "from", "how many"),
    table("Found afterwards", receipt.found, "in", "how many"),
    list("Not reached yet, and done later", receipt.waits),
    list("Out of reach: look there yourself", receipt.left),
    el("p", { class: "faint" }, `${when(receipt.at)} · ${counted(receipt.threads.length, "conversation", "conversations")} gone through`),
    el("div", { class: "actions" }, button("Close", close)),
  ];
  dialog.replaceChildren(
    el("h2", { id: "dialog-title", tabindex: -1 }, "Forgotten"),
    ...content.filter(Boolean),
  );
  dialog.querySelector("h2").focus();
}

const CLEAN = "It is gone. A search of every store afterwards found nothing of it.";
const UNCLEAN = "A search afterwards still found some of it. Forget it once more.";

function table(caption, counts, ...heads) {
  const rows = Object.entries(counts);
  if (!rows.length) return null;
  return el(
    "table",
    {},
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el(
      "tbody",
      {},
      ...rows.map(([place, count]) =>
        el("tr", {}, el("th", { scope: "row" }, spaced(place)), el("td", {}, String(count))),
      ),
    ),
  );
}

function list(title, lines) {
  if (!lines.length) return null;
  return el("div", {}, el("h3", {}, title), el("ul", {}, ...lines.map((line) => el("li", {}, line))));
}
