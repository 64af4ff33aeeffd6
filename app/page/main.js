// The page: a conversation on one side, its memory on the other.

import { isUnknown, json, session } from "./api.js";
import { Chat } from "./chat.js";
import * as dialogs from "./dialogs.js";
import { $, button, el, when } from "./dom.js";
import * as kept from "./kept.js";
import { Line } from "./line.js";
import { Memory } from "./memory.js";
import * as threads from "./threads.js";

const others = new BroadcastChannel("longhaul");
let line = null;
let opening = null;

const chat = new Chat({
  settled: () => memory.refresh(),
  begun: () => {
    threads.remember(line.name);
    others.postMessage({ thread: line.id, what: "begun" });
  },
});

const memory = new Memory({
  changed: async () => {
    others.postMessage({ thread: line.id, what: "changed" });
    await Promise.all([memory.refresh(), chat.reread()]);
  },
});

async function openThread() {
  const name = threads.nameInAddress() || threads.newName();
  if (threads.nameInAddress() !== name) history.replaceState(null, "", `#${encodeURIComponent(name)}`);
  $("thread-name").textContent = name;
  document.title = `${name} · longhaul`;
  try {
    line = new Line(name, await threads.idOf(name));
  } catch (error) {
    dialogs.open("This conversation cannot be opened", el("p", {}, error.message));
    return;
  }
  await chat.open(line);
  if (document.activeElement === document.body) $("words").focus();
  await memory.open(line);
  threads.listOf(memory.user);
  showWho();
}

function newThread() {
  location.hash = encodeURIComponent(threads.newName());
  $("words").focus();
}

// Who talks.

function showWho() {
  $("who").textContent = memory.user || (session.token ? "Signed in" : "Who are you?");
}

session.onSignedOut = (reason) => {
  if ($("dialog").open) return;
  signIn(session.token ? reason : "This server asks who you are.");
};

function signIn(text) {
  const token = el("input", { id: "token", type: "password", autocomplete: "off", required: true });
  askFor("Sign in", text, "Your token", token, () => {
    session.token = token.value.trim();
  });
}

function who() {
  if (session.token) {
    const leave = () => {
      session.token = "";
      kept.forgetAll();
      location.reload();
    };
    const actions = el("div", { class: "actions" }, button("Sign out", leave), button("Close", dialogs.close));
    dialogs.open(memory.user, el("p", {}, "You are signed in, in this tab."), actions);
    return;
  }
  const name = el("input", { id: "name", maxlength: 200, value: session.user, autocomplete: "off" });
  const text = "Nobody signs in to this server. Say who you are, and the next conversation knows you, too.";
  askFor("Who are you?", text, "Your name here", name, () => {
    session.user = name.value.trim();
  });
}

function askFor(title, text, label, input, take) {
  const submit = (event) => {
    event.preventDefault();
    take();
    dialogs.close();
    opening = openThread();
  };
  const form = el(
    "form",
    { onsubmit: submit, autocomplete: "off" },
    el("p", {}, text),
    el("label", { for: input.id }, label),
    input,
    el("div", { class: "actions" }, el("button", { type: "submit", class: "primary" }, "Go on"), button("Cancel", dialogs.close)),
  );
  dialogs.open(title, form);
  input.focus();
}

// The conversations of this browser.

function listThreads() {
  const items = threads.known().map(({ name, at }) => {
    const words = el("span", { class: "faint" });
    firstWords(name).then((text) => words.append(text), () => {});
    const go = () => {
      dialogs.close();
      location.hash = encodeURIComponent(name);
    };
    const current = name === line.name && "true";
    return el("li", {}, button(name, go, { class: "link", "aria-current": current }), ` ${when(at)} `, words);
  });
  const list = items.length
    ? el("ul", { class: "threads" }, ...items)
    : el("p", {}, "This browser has begun no conversation yet.");
  dialogs.open("Conversations of this browser", list, el("div", { class: "actions" }, button("Close", dialogs.close)));
}

/** What a conversation began with: asked of the server, so that nothing forgotten stays here. */
async function firstWords(name) {
  const path = `memory/threads/${await threads.idOf(name)}/transcript?before=2&count=1`;
  const page = await json("GET", path).catch((error) => {
    if (isUnknown(error)) return { exchanges: [] };
    throw error;
  });
  return page.exchanges[0]?.words[0]?.text.slice(0, 80) ?? "";
}

async function forgetThread() {
  const receipt = await memory.forgetThread();
  if (!receipt) return;
  threads.drop(line.name);
  kept.forget(line.id);
  others.postMessage({ thread: line.id, what: "changed" });
  newThread();
}

async function forgetMe() {
  const receipt = await memory.forgetUser();
  if (!receipt) return;
  threads.dropAll();
  kept.forgetAll();
  others.postMessage({ what: "all forgotten" });
  newThread();
}

// Controls.

async function send(event) {
  event.preventDefault();
  await opening;
  const text = $("words").value.trim();
  if (!text) return;
  if (chat.busy) {
    $("status").textContent = "Wait for the reply, or stop it.";
    return;
  }
  $("words").value = "";
  chat.say(text);
}

function show(panel) {
  document.body.dataset.panel = panel;
  for (const each of document.querySelectorAll("[data-show]")) {
    each.setAttribute("aria-pressed", String(each.dataset.show === panel));
  }
}

async function saving(work) {
  try {
    await work();
  } catch (error) {
    dialogs.open("Not saved", el("p", {}, error.message), el("div", { class: "actions" }, button("Close", dialogs.close)));
  }
}

$("composer").addEventListener("submit", send);
$("words").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) send(event);
});
$("stop").addEventListener("click", () => chat.stop());
$("new-thread").addEventListener("click", newThread);
$("list-threads").addEventListener("click", listThreads);
$("who").addEventListener("click", who);
$("skip").addEventListener("click", () => $("words").focus());
$("newest").addEventListener("click", () => chat.toNewest());
$("export-thread").addEventListener("click", () => saving(() => memory.exportThread()));
$("export-all").addEventListener("click", () => saving(() => memory.exportAll()));
$("forget-thread").addEventListener("click", forgetThread);
$("forget-me").addEventListener("click", forgetMe);
for (const each of document.querySelectorAll("[data-show]")) {
  each.addEventListener("click", () => show(each.dataset.show));
}
for (const each of document.querySelectorAll("[data-to]")) {
  each.addEventListener("click", () => {
    $(each.dataset.to).scrollIntoView({ block: "start" });
    $(each.dataset.to).focus({ preventScroll: true });
  });
}
document.addEventListener("goto", (event) => {
  show("chat");
  chat.goTo(event.detail);
});
window.addEventListener("hashchange", () => {
  opening = openThread();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && line && !chat.busy) chat.refresh();
});
others.addEventListener("message", ({ data }) => {
  if (data.what === "all forgotten") newThread();
  if (data.thread !== line?.id) return;
  if (data.what === "begun") chat.refresh();
  if (data.what === "changed") Promise.all([memory.refresh(), chat.reread()]);
});

/** Loads more turns when the button at an end of them comes into sight, or is pressed. */
function loadAt(id, load) {
  let loading = false;
  const more = async () => {
    if (loading || $(id).hidden) return;
    loading = true;
    await load().catch(() => {});
    loading = false;
    watcher.unobserve($(id));
    watcher.observe($(id));
  };
  const watcher = new IntersectionObserver(
    (entries) => entries.some((entry) => entry.isIntersecting) && more(),
    { root: $("scroller"), rootMargin: "200px" },
  );
  watcher.observe($(id));
  $(id).addEventListener("click", more);
}
loadAt("older", () => chat.older());
loadAt("newer", () => chat.later());

opening = openThread();
