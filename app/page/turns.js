// Which turns are shown: the newest, those before them by scrolling up, or those around one.

import { $ } from "./dom.js";
import { Log, ofTranscript } from "./log.js";

const PAGE = 20;
/** How many turns a look at the newest ones takes: they are read one by one. */
const NEWEST = 3;

export class Turns {
  log = new Log();
  #line = null;
  /** The newest turn of the transcript, as far as is known. */
  #last = 0;

  open(line) {
    this.#line = line;
    this.log.clear();
    this.#detach(false);
    $("older").hidden = true;
  }

  /** Whether turns are shown that do not go on to the newest. */
  get detached() {
    return !$("newer").hidden;
  }

  /** From now on the newest turns are shown: after those that are there, or `anew`. */
  attach({ anew }) {
    if (this.detached && anew) this.log.clear();
    this.#detach(false);
  }

  #detach(detached) {
    $("newer").hidden = $("newest").hidden = !detached;
  }

  /** The newest turns of the transcript: a few, or a page where those before are not shown. */
  async newest() {
    const count = this.detached || this.log.isEmpty ? PAGE : NEWEST;
    const page = await this.#line.transcript(0, count);
    const [first] = page?.exchanges ?? [];
    const missing = first && count < PAGE && this.log.range[1] < first.turn - 1;
    const exchanges = (missing ? await this.#line.transcript(0, PAGE) : page)?.exchanges ?? [];
    this.#last = exchanges.at(-1)?.turn ?? 0;
    return exchanges;
  }

  /** Shows the newest turns; those before them stay, unless turns between are missing. */
  showNewest(messages) {
    const first = messages[0]?.turn ?? 1;
    if (this.log.range[1] && this.log.range[1] < first - 1) this.log.clear();
    this.log.show(messages, { from: first });
    this.#olderThere();
  }

  async older() {
    const [first] = this.log.range;
    const messages = await this.#page(first);
    if (first > 1 && messages.length) {
      this.log.keepingPlace(() => this.log.show(messages, { from: 1, to: first - 1 }));
    }
    this.#olderThere(messages.length > 0);
  }

  /** Whether turns may follow those that are shown now. */
  async later() {
    const [, last] = this.log.range;
    const messages = (await this.#page(last + PAGE + 1)).filter(({ turn }) => turn > last);
    this.log.show(messages, { from: last + 1 });
    return this.log.range[1] - last >= PAGE;
  }

  /** Shows a turn, wherever it is, and gives it the focus. */
  async goTo(turn) {
    this.log.stay();
    if (!this.log.find(turn)) {
      const messages = await this.#page(turn + PAGE / 2);
      this.log.clear();
      this.log.show(messages);
      this.#detach(this.log.range[1] < this.#last);
      this.#olderThere();
    }
    const node = this.log.find(turn);
    if (!node) return;
    node.tabIndex = -1;
    node.scrollIntoView({ block: "start" });
    node.focus({ preventScroll: true });
  }

  #olderThere(there = true) {
    $("older").hidden = !there || this.log.range[0] <= 1;
  }

  async #page(before) {
    const page = await this.#line.transcript(before, PAGE);
    return ofTranscript(page?.exchanges ?? []);
  }
}
