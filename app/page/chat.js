// The conversation: says, listens, stops, asks again, and shows what was said earlier.

import { Refused, Unreachable } from "./api.js";
import { $, button, el } from "./dom.js";
import * as kept from "./kept.js";
import { Log, ofState, ofTranscript } from "./log.js";
import { questionForm, questionIn } from "./question.js";
import { Run, RunFailed } from "./run.js";
import { newId } from "./threads.js";

const PAGE = 20;
const LONGEST_WAIT = 4000;

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export class Chat {
  #log = new Log();
  #line = null;
  #runs = new Set();
  /** The run whose reply is waited for. */
  #current = null;
  #question = null;
  #held = false;

  /** `settled` is called when a turn has ended, `begun` when this page has begun a run. */
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
    this.#log.clear();
    this.#ask(null);
    this.#notice();
    this.#paint("");
    await this.#safely(async () => {
      await line.open();
      await this.#catchUp();
      this.#log.toEnd();
    });
  }

  /** Reads what happened elsewhere: in another tab, on another machine, before a reload. */
  async refresh({ anew = false } = {}) {
    if (anew) this.#log.clear();
    await this.#safely(() => this.#catchUp());
  }

  async #catchUp() {
    const line = this.#line;
    const standing = await this.#sync();
    const mine = new Set([...this.#runs].map((run) => run.id));
    const others = (await line.active()).filter((id) => !mine.has(id));
    for (const id of others) this.#drive(() => line.join(id), { id });
    if (others.length || this.#runs.size || line.left) return;
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
    if (missing.length || !answered) this.#offer("There is no reply to this yet.");
  }

  async say(text) {
    const line = this.#line;
    await this.#safely(async () => {
      if (this.#detached) await this.toNewest();
      const message = { role: "user", content: text, id: newId() };
      kept.say(line.id, message);
      this.#log.putLive({ id: message.id, role: "user", text });
      this.#log.toEnd();
      const unanswered = this.#question !== null;
      this.#ask(null);
      this.#drive(() => line.begin({ messages: kept.unsure(line.id) }), {
        status: unanswered ? "Not confirmed, and not done." : undefined,
      });
    });
  }

  /** Asks for the reply to what has none. */
  again() {
    const line = this.#line;
    const said = kept.unsure(line.id);
    this.#drive(() => line.begin(said.length ? { messages: said } : null));
  }

  async stop() {
    const run = this.#current;
    if (!run) return;
    run.stopped = true;
    if (run.reply) {
      kept.keepStopped(this.#line.id, run.reply);
      this.#log.putLive({ ...run.reply, role: "assistant", cut: "stopped" });
    }
    this.#paint("Stopping…");
    if (run.id) await this.#line.cancel(run.id).catch(() => {});
  }

  /** Reads a run from its start to its end, over broken connections; then how things stand. */
  async #drive(start, { id = "", behind = false, retried = false, status } = {}) {
    const line = this.#line;
    const run = new Run(this.#log, (what, ...told) => this.#heard(line, what, ...told));
    run.id = id;
    run.joined = Boolean(id);
    run.said = kept.unsure(line.id).map((message) => message.id);
    this.#runs.add(run);
    if (!behind) this.#current = run;
    this.#notice();
    this.#dropBroken();
    this.#paint(status ?? (behind ? "" : "The bot is at it…"));
    let broke = false;
    let trouble = null;
    try {
      broke = await this.#listen(line, run, start);
    } catch (error) {
      trouble = error;
    }
    this.#runs.delete(run);
    if (line.left) return;
    if (trouble?.name === "AbortError") trouble = null;
    await this.#ended(line, run, { broke, trouble, retried, behind });
  }

  /** Whether the connection broke and the run was not found again. */
  async #listen(line, run, start) {
    let response = await start();
    for (;;) {
      try {
        await run.read(response);
        return false;
      } catch (error) {
        if (!(error instanceof Unreachable) || line.left) throw error;
      }
      this.#paint("The connection broke. Trying again…");
      await this.#reachable(line);
      if (run.stopped || !(await line.active()).includes(run.id)) return true;
      run.dropReply();
      response = await line.join(run.id);
    }
  }

  async #reachable(line) {
    for (let wait = 250; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        return await line.open();
      } catch (error) {
        if (error instanceof Refused && error.status < 500) throw error;
        if (line.left) throw error;
      }
      await pause(wait);
    }
  }

  #heard(line, what, run, text) {
    if (line.left) return;
    const follow = this.#log.atEnd;
    if (what === "begun") this.begun();
    if (what === "begun" && run.stopped) line.cancel(run.id).catch(() => {});
    if (what === "loaded" && run.joined) this.#safely(() => this.#sync());
    if (what === "writing" && this.#current === run) this.#paint("The bot is writing…");
    if (what === "replied" && text) $("said").replaceChildren(el("p", {}, `Bot: ${text}`));
    if (what === "answered") {
      kept.settled(line.id, run.said);
      if (this.#current === run) this.#current = null;
      this.#paint("");
    }
    if (follow) this.#log.toEnd();
  }

  async #ended(line, run, { broke, trouble, retried, behind }) {
    if (this.#current === run) this.#current = null;
    if (run.reply && !run.stopped) {
      this.#log.putLive({ ...run.reply, role: "assistant", cut: "broken" });
    }
    this.#paint(run.stopped ? "Stopped." : "");
    let standing;
    try {
      standing = await this.#sync();
    } catch (error) {
      trouble ??= error;
    }
    if (line.left) return;
    if (trouble) this.#failed(line, run, trouble, behind);
    else if (this.#runs.size === 0 && !standing.answered) {
      if (broke && !run.stopped && !retried) {
        const said = kept.unsure(line.id);
        this.#drive(() => line.begin(said.length ? { messages: said } : null), { retried: true });
        return;
      }
      this.#offer(run.stopped ? "You stopped the reply." : "There is no reply to this yet.");
    } else if (!run.stopped) kept.settled(line.id, run.said);
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

  #dropBroken() {
    for (const node of document.querySelectorAll("#messages .broken")) {
      this.#log.remove(node.dataset.id);
    }
  }

  /** Shows the newest turns, what waits for an answer and who has the conversation. */
  async #sync() {
    const line = this.#line;
    const [state, page] = await Promise.all([line.look(), line.transcript(0, PAGE)]);
    const told = ofTranscript(page?.exchanges ?? []);
    const seen = new Set(told.map((message) => message.id));
    const archived = page?.exchanges.at(-1)?.turn ?? 0;
    const messages = [...told, ...ofState({ ...state, archived }, seen)];
    const last = messages.at(-1);
    const answers = last && last.role !== "user" && (last.text || !last.tools.length);
    const standing = { ...state, answered: Boolean(!last || answers || state.held) };
    if (state.waiting.length) standing.answered = true;
    if (line.left || line !== this.#line) return standing;
    if (!this.#detached) this.#showNewest(messages, page);
    if (!this.#current) this.#ask(questionIn(state.waiting));
    this.#hold(state.held);
    $("empty").hidden = !this.#log.isEmpty;
    return standing;
  }

  #showNewest(messages, page) {
    const first = messages[0]?.turn ?? 1;
    const follow = this.#log.atEnd;
    if (this.#log.range[1] && this.#log.range[1] < first - 1) this.#log.clear();
    this.#log.show(messages, { from: first });
    $("older").hidden = this.#log.range[0] <= 1 || !page;
    if (follow) this.#log.toEnd();
  }

  #ask(question) {
    const same = question && this.#question?.id === question.id;
    if (same) return;
    this.#question = question;
    $("questions").replaceChildren();
    if (!question) return;
    const line = this.#line;
    const form = questionForm(question, (value) => {
      this.#ask(null);
      $("words").focus();
      this.#drive(() => line.begin(null, { resume: { [question.id]: value } }));
    });
    $("questions").append(form);
    this.#log.toEnd();
    $("status").textContent = `The bot asks: ${question.asked.question}`;
    if (!$("words").value) form.focus();
  }

  /** While a person has the conversation, looks now and then for what they say. */
  #hold(held) {
    const begins = held && !this.#held;
    this.#held = held;
    $("chat").classList.toggle("held", held);
    if (begins) this.#poll(this.#line);
    if (held) $("status").textContent = "A colleague has this conversation.";
  }

  async #poll(line) {
    while (this.#held && line === this.#line) {
      await pause(LONGEST_WAIT);
      const idle = line === this.#line && !this.#runs.size && !document.hidden;
      if (this.#held && idle) await this.#safely(() => this.#sync());
    }
  }

  async older() {
    const [first, last] = this.#log.range;
    const page = await this.#line.transcript(first, PAGE);
    const messages = ofTranscript(page?.exchanges ?? []);
    if (first > 1) {
      this.#log.keepingPlace(() => this.#log.show(messages, { from: 1, to: first - 1 }));
    }
    $("older").hidden = !messages.length || this.#log.range[0] <= 1;
    return last;
  }

  async later() {
    const last = this.#log.range[1];
    const page = await this.#line.transcript(last + PAGE + 1, PAGE);
    const messages = ofTranscript(page?.exchanges ?? []).filter(({ turn }) => turn > last);
    this.#log.show(messages, { from: last + 1 });
    if (messages.length < PAGE) await this.toNewest({ jump: false });
  }

  get #detached() {
    return !$("newer").hidden;
  }

  #detach(detached) {
    $("newer").hidden = $("newest").hidden = !detached;
  }

  async toNewest({ jump = true } = {}) {
    this.#detach(false);
    await this.#safely(() => this.#sync());
    if (jump) this.#log.toEnd();
  }

  /** Shows a turn, wherever it is. */
  async goTo(turn) {
    await this.#safely(async () => {
      if (!this.#log.find(turn)) {
        const page = await this.#line.transcript(turn + PAGE / 2, PAGE);
        const messages = ofTranscript(page?.exchanges ?? []);
        const [, newest] = this.#log.range;
        this.#log.clear();
        this.#log.show(messages);
        this.#detach(this.#log.range[1] < newest);
        $("older").hidden = this.#log.range[0] <= 1;
      }
      const node = this.#log.find(turn);
      if (!node) return;
      node.tabIndex = -1;
      node.scrollIntoView({ block: "start" });
      node.focus({ preventScroll: true });
    });
  }

  #offer(text) {
    this.#notice(text, button("Ask again", () => this.again()));
  }

  #notice(text = "", ...more) {
    $("notices").replaceChildren();
    if (!text) return;
    $("notices").append(el("div", { class: "notice", role: "alert" }, el("p", {}, text), ...more));
    this.#log.toEnd();
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
      this.#notice(error.message, button("Try again", () => this.refresh()));
    }
  }
}
