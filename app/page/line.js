// One conversation on LangGraph Server: its runs, its state, and what /memory keeps of it.

import { ask, isUnknown, json, session } from "./api.js";

const GRAPH = "longhaul";
const MODES = ["messages-tuple", "updates"];
const ACTIVE = ["running", "pending"];

export class Line {
  #leaving = new AbortController();
  /** Whether anything was said in it, as far as is known. */
  begun = false;

  constructor(name, id) {
    this.name = name;
    this.id = id;
    this.memory = `memory/threads/${id}`;
  }

  /** Ends what is still being read. */
  leave() {
    this.#leaving.abort();
  }

  get left() {
    return this.#leaving.signal.aborted;
  }

  /** Makes the conversation known to the server: it may have forgotten it, the database has not. */
  async open() {
    const body = { thread_id: this.id, if_exists: "do_nothing", metadata: { graph_id: GRAPH } };
    await json("POST", "threads", { body, signal: this.#leaving.signal });
  }

  /** Begins a run. `input`: messages, or null for what waits for a reply; the response streams. */
  begin(input, command) {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const body = {
      assistant_id: GRAPH,
      input,
      command,
      context: { ...(session.user && { user: session.user }), ...(zone && { time_zone: zone }) },
      stream_mode: MODES,
      stream_resumable: true,
      on_disconnect: "continue",
      multitask_strategy: "enqueue",
      if_not_exists: "create",
    };
    return ask("POST", `threads/${this.id}/runs/stream`, { body, signal: this.#leaving.signal });
  }

  /** The stream of a run, from its beginning. */
  join(run) {
    return ask("GET", `threads/${this.id}/runs/${run}/stream`, {
      headers: { "Last-Event-ID": "-1" },
      signal: this.#leaving.signal,
    });
  }

  async cancel(run) {
    await ask("POST", `threads/${this.id}/runs/${run}/cancel?action=interrupt`, { body: {} });
  }

  /** The ids of the runs that have not ended, the oldest first. */
  async active() {
    const fields = "select=run_id&select=created_at";
    const path = `threads/${this.id}/runs?limit=20&${fields}`;
    const found = await Promise.all(
      ACTIVE.map((status) => json("GET", `${path}&status=${status}`, this.#signal)),
    );
    const runs = found.flat().sort((a, b) => a.created_at.localeCompare(b.created_at));
    return [...new Set(runs.map((run) => run.run_id))];
  }

  /** How it stands: its newest messages, what waits, and whether a turn broke off. */
  async look() {
    const state = await json("GET", `threads/${this.id}/state`, this.#signal);
    const values = state.values ?? {};
    this.begun = Boolean(values.turn);
    const open = state.tasks.filter((task) => !task.result);
    return {
      messages: values.messages ?? [],
      held: Boolean(values.person),
      waiting: open.flatMap((task) => task.interrupts),
      pending: state.tasks.some((task) => task.interrupts.length === 0),
    };
  }

  /** Turns before `before` (0: the newest), or null when nothing was said yet. */
  async transcript(before, count) {
    return this.#orNull(`${this.memory}/transcript?before=${before}&count=${count}`);
  }

  async overview() {
    return this.#orNull(this.memory);
  }

  async facts() {
    return this.#orNull(`${this.memory}/facts`);
  }

  get #signal() {
    return { signal: this.#leaving.signal };
  }

  async #orNull(path) {
    if (!this.begun) return null;
    try {
      return await json("GET", path, this.#signal);
    } catch (error) {
      if (isUnknown(error)) return null;
      throw error;
    }
  }
}
