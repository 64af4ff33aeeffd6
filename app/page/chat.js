// The conversation: says, listens, stops, asks again, and goes on after whatever broke.

import { Unreachable } from "./api.js";
import { $, button, el } from "./dom.js";
import { follow, reachable } from "./follow.js";
import * as kept from "./kept.js";
import { ofState, ofTranscript } from "./log.js";
import { Run, RunFailed } from "./run.js";
import { newId } from "./threads.js";
import { Turns } from "./turns.js";
import { Waiting } from "./waiting.js";

const NO_REPLY = "There is no reply to this yet.";
const BROKEN = "The connection broke. Trying again…";

export class Chat {
  #turns = new Turns();
  #log = this.#turns.log;
  #line = null;
  #runs = new Set();
  /** The run whose reply is waited for. */
  #current = null;
  #waiting = new Waiting({
    answer: (id, value) => this.#drive((line) => line.begin(null, { resume: { [id]: value } })),
    look: () => !this.#runs.size && this.#safely(() => this.#sync()),
  });

  /** `settled` is called when a turn has ended, `begun` when a run has begun. */
  constructor({ settled, begun }) {
    this.settled = settled;
    this.begun = begun;
  }

  get busy() {
    return this.#current !== null;
  }

  async open(line) {
    this.#line?.leave();
    this.#line = line;
    this.#runs.clear();
    this.#current = null;
    this.#turns.open(line);
    this.#log.toEnd();
    this.#waiting.clear();
    $("said").replaceChildren();
    this.#notice();
    this.#paint("");
    await this.#begin();
  }

  async #retry() {
    this.#notice();
    await this.#begin();
    this.settled();
  }

  async #begin() {
    await this.#safely(async () => {
      await this.#line.open();
      await this.#catchUp();
    });
  }

  /** Reads what happened elsewhere: in another tab, on another machine, before a reload. */
  async refresh() {
    await this.#safely(() => this.#catchUp());
  }

  /** Reads all of it anew: words of it may have been forgotten. */
  async reread() {
    $("said").replaceChildren();
    kept.keepStopped(this.#line.id, null);
    this.#log.clear();
    await this.refresh();
  }

  async say(text) {
    const { id } = this.#line;
    if (this.#turns.detached) await this.toNewest();
    const message = { role: "user", content: text, id: newId() };
    kept.say(id, message);
    this.#log.putLive({ id: message.id, role: "user", text });
    this.#log.toEnd();
    const status = this.#waiting.asks ? "Not confirmed, and not done." : undefined;
    this.#waiting.clear();
    this.#drive((line) => line.begin(unsaid(line)), { status });
  }

  async stop() {
    const run = this.#current;
    if (!run || run.stopped) return;
    run.stopped = true;
    if (run.reply) {
      kept.keepStopped(this.#line.id, run.reply);
      this.#log.putLive({ ...run.reply, role: "assistant", cut: "stopped" });
    }
    this.#paint("Stopping…");
    if (run.id) await this.#line.cancel(run.id).catch(() => {});
  }

  async older() {
    await this.#safely(() => this.#turns.older());
  }

  async later() {
    await this.#safely(async () => {
      if (!(await this.#turns.later())) await this.toNewest({ jump: false });
    });
  }

  async goTo(turn) {
    await this.#safely(() => this.#turns.goTo(turn));
  }

  async toNewest({ jump = true } = {}) {
    await this.#safely(async () => {
      this.#turns.attach({ anew: jump });
      await this.#sync();
    });
    if (jump) this.#log.toEnd();
  }

  /** Shows how things stand, listens to what runs already, and finishes what broke off. */
  async #catchUp() {
    const line = this.#line;
    const standing = await this.#sync();
    const active = await line.active();
    const mine = [...this.#runs].map((run) => run.id);
    // A run that is just being begun has no id here yet: it may be any of them.
    const others = mine.includes("") ? [] : active.filter((id) => !mine.includes(id));
    if (line.left) return;
    for (const id of others) this.#drive(() => line.join(id), { id });
    if (this.#runs.size) return;
    this.#showKept(standing);
    const brokeOff = standing.pending || standing.held;
    if (standing.answered && brokeOff && !standing.waiting.length) {
      this.#drive(() => line.begin(null), { behind: true });
    }
  }

  /** What only this tab knows of: words that did not arrive, a reply that was stopped. */
  #showKept({ answered }) {
    const thread = this.#line.id;
    const missing = kept.unsure(thread).filter((message) => !this.#log.knows(message.id));
    for (const { id, content } of missing) this.#log.putLive({ id, role: "user", text: content });
    const stopped = kept.stopped(thread);
    if (stopped && !answered && !this.#log.knows(stopped.id)) {
      this.#log.putLive({ ...stopped, role: "assistant", cut: "stopped" });
    }
    if (missing.length || !answered) this.#offer(NO_REPLY);
  }

  /** Reads a run to its end, over broken connections; then shows how things stand. */
  async #drive(start, { id = "", behind = false, retried = false, status } = {}) {
    const line = this.#line;
    const run = new Run(this.#log, (what, text) => this.#heard(line, run, what, text));
    run.id = id;
    run.joined = Boolean(id);
    run.said = kept.unsure(line.id).map((message) => message.id);
    this.#runs.add(run);
    if (!behind) this.#current = run;
    this.#notice();
    this.#log.dropLive("broken");
    this.#paint(status ?? (behind ? "" : "The bot is at it…"));
    let broke = false;
    let trouble = null;
    try {
      broke = await follow(line, run, start, () => run === this.#current && this.#paint(BROKEN));
    } catch (error) {
      trouble = error;
    }
    if (line.left) return;
    this.#runs.delete(run);
    await this.#ended(line, run, { broke, trouble, retried, behind });
  }

  #heard(line, run, what, text) {
    if (line.left) return;
    if (what === "begun") this.begun();
    if (what === "begun" && run.stopped) line.cancel(run.id).catch(() => {});
    if (what === "loaded" && run.joined) this.#safely(() => this.#sync());
    if (what === "writing" && this.#current === run) this.#paint("The bot is writing…");
    if (what === "replied" && text) $("said").replaceChildren(el("p", {}, `Bot: ${text}`));
    if (what === "answered") {
      kept.settled(line.id, run.said);
      if (this.#current === run) {
        this.#current = null;
        this.#paint("");
      }
    }
  }

  async #ended(line, run, { broke, trouble, retried, behind }) {
    const mine = this.#current === run;
    if (mine) this.#current = null;
    if (run.reply && !run.stopped) {
      const cut = broke || trouble ? "broken" : "stopped";
      this.#log.putLive({ ...run.reply, role: "assistant", cut });
    }
    if (mine) this.#paint(run.stopped ? "Stopped." : "");
    let standing = null;
    try {
      standing = await this.#sync();
    } catch (error) {
      trouble ??= error;
    }
    if (trouble instanceof Unreachable && run.id && !line.left) {
      // It ended because the server did: see what has become of it when that is back.
      this.#paint(BROKEN);
      await reachable(line).catch(() => {});
      return this.#ended(line, run, { broke: true, trouble: null, retried, behind });
    }
    if (line.left) return;
    if (trouble) {
      this.#failed(line, run, trouble, behind);
    } else if (!standing.answered && !this.#runs.size) {
      if (broke && !run.stopped && !retried) {
        this.#drive(() => line.begin(unsaid(line)), { retried: true });
        return;
      }
      this.#offer(run.stopped ? "You stopped the reply." : NO_REPLY);
    } else if (!run.stopped) {
      kept.settled(line.id, run.said);
    }
    this.settled();
  }

  #failed(line, run, trouble, behind) {
    if (trouble instanceof RunFailed && trouble.refused) {
      const refused = kept.unsure(line.id).filter((message) => run.said.includes(message.id));
      kept.settled(line.id, run.said);
      for (const { id } of refused) this.#log.remove(id);
      $("words").value ||= refused.at(-1)?.content ?? "";
      this.#notice(`Not sent: ${trouble.message}`);
    } else if (behind) {
      this.#notice(trouble.message);
    } else {
      this.#offer(trouble.message);
    }
  }

  /** Shows the newest turns, what waits for an answer, and who has the conversation. */
  async #sync() {
    const line = this.#line;
    const state = await line.look();
    const exchanges = await this.#turns.newest();
    const told = ofTranscript(exchanges);
    const seen = new Set(told.map((message) => message.id));
    const archived = exchanges.at(-1)?.turn ?? 0;
    const messages = [...told, ...ofState({ ...state, archived }, seen)];
    const last = messages.at(-1);
    const replied = !last || (last.role !== "user" && (last.text || !last.tools.length));
    const answered = Boolean(replied || state.held || state.waiting.length);
    if (line.left || line !== this.#line) return { ...state, answered };
    if (!this.#turns.detached) this.#turns.showNewest(messages);
    if (!this.#current && this.#waiting.show(state)) this.#log.toEnd();
    $("empty").hidden = !this.#log.isEmpty;
    return { ...state, answered };
  }

  /** Asks for the reply anew: what was read of it before goes. */
  #again() {
    this.#log.dropLive("stopped");
    kept.keepStopped(this.#line.id, null);
    this.#drive((line) => line.begin(unsaid(line)));
  }

  #offer(text) {
    this.#notice(text, button("Ask again", () => this.#again()));
  }

  #notice(text = "", ...more) {
    $("notices").replaceChildren();
    if (!text) return;
    $("notices").append(el("div", { class: "notice", role: "alert" }, el("p", {}, text), ...more));
  }

  #paint(status) {
    const stoppable = this.busy && !this.#current.stopped;
    const focused = document.activeElement === $("stop");
    $("send").hidden = stoppable;
    $("stop").hidden = !stoppable;
    if (focused && !stoppable) $("words").focus();
    $("status").textContent = status;
    $("empty").hidden = !this.#log.isEmpty;
  }

  /** Does `work`; what fails is shown, unless the conversation was left meanwhile. */
  async #safely(work) {
    const line = this.#line;
    try {
      await work();
    } catch (error) {
      if (line.left || error.name === "AbortError") return;
      this.#notice(error.message, button("Try again", () => this.#retry()));
    }
  }
}

/** What a run takes: the words that no turn has answered; null when the server has them all. */
function unsaid(line) {
  const said = kept.unsure(line.id);
  return said.length ? { messages: said } : null;
}
