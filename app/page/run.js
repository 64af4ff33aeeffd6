// One run as it is read: the reply as it is written, and how it ended.

import { events } from "./api.js";
import { textOf } from "./log.js";

/** The server's word that a run failed. */
export class RunFailed extends Error {
  constructor({ error, message }) {
    super(message ?? String(error));
    this.refused = error === "InputRefused";
  }
}

export class Run {
  id = "";
  /** Ids of the messages that were sent with it. */
  said = [];
  /** The reply that is being written: `{id, text}`. */
  reply = null;
  stopped = false;

  /** `tell` is told of `begun`, `loaded`, `writing`, `replied` and `answered`. */
  constructor(log, tell) {
    this.log = log;
    this.tell = tell;
  }

  /** Reads a stream to its end. Throws RunFailed, and Unreachable when the connection breaks. */
  async read(response) {
    const place = response.headers.get("Content-Location");
    if (place) this.#named(place.split("/").pop());
    for await (const { name, data } of events(response)) {
      if (this.stopped) continue;
      if (name === "metadata" && data.run_id) this.#named(data.run_id);
      else if (name === "messages") this.#chunk(data[0]);
      else if (name === "updates") this.#update(data);
      else if (name === "error") throw new RunFailed(data);
    }
  }

  /** Drops what was read of a reply that did not come to its end. */
  dropReply() {
    if (this.reply) this.log.remove(this.reply.id);
    this.reply = null;
  }

  #named(id) {
    if (this.id) return;
    this.id = id;
    this.tell("begun");
  }

  #chunk(chunk) {
    const piece = chunk.type === "AIMessageChunk" ? textOf(chunk.content) : "";
    if (!piece || this.log.knows(chunk.id)) return;
    if (this.reply?.id !== chunk.id) {
      this.dropReply();
      this.reply = { id: chunk.id, text: "" };
    }
    this.reply.text += piece;
    if (!this.log.write(chunk.id, piece)) this.log.putLive({ role: "assistant", ...this.reply });
    this.tell("writing");
  }

  #update(update) {
    if (update.load_memory) this.tell("loaded");
    for (const message of update.respond?.messages ?? []) {
      if (message.type === "ai") this.#replied(message);
    }
  }

  #replied(message) {
    if (this.reply?.id === message.id) this.reply = null;
    else this.dropReply();
    const calls = message.tool_calls ?? [];
    const text = textOf(message.content);
    if (!this.log.knows(message.id) && (text || calls.length)) {
      const tools = calls.map((call) => ({ name: call.name, args: call.args, result: "" }));
      const cut = message.additional_kwargs?.cut ?? "";
      this.log.putLive({ id: message.id, role: "assistant", text, tools, cut });
    }
    this.tell("replied", text);
    if (calls.length) return;
    this.tell("answered");
  }
}
