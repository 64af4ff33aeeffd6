// What a conversation waits for: an answer to a question, or a person who has it.

import { $ } from "./dom.js";
import { questionForm, questionIn } from "./question.js";

const LOOK_EVERY = 3000;

export class Waiting {
  #question = null;
  #held = false;

  /** `answer` is given a question's id and the value to resume with; `look` reads what is new. */
  constructor({ answer, look }) {
    this.answer = answer;
    this.look = look;
    setInterval(() => {
      if (this.#held && !document.hidden) this.look();
    }, LOOK_EVERY);
  }

  /** Whether a question is open. */
  get asks() {
    return this.#question !== null;
  }

  clear() {
    this.#ask(null);
    this.#hold(false);
  }

  /** Shows how things stand; whether a question has just been asked. */
  show({ waiting, held }) {
    this.#hold(held);
    return this.#ask(questionIn(waiting));
  }

  #ask(question) {
    if (question && this.#question?.id === question.id) return false;
    this.#question = question;
    $("questions").replaceChildren();
    if (!question) return false;
    const form = questionForm(question, (value) => {
      this.#ask(null);
      $("words").focus();
      this.answer(question.id, value);
    });
    $("questions").append(form);
    $("status").textContent = `The bot asks: ${question.asked.question}`;
    if (!$("words").value) form.focus();
    return true;
  }

  #hold(held) {
    this.#held = held;
    $("held").hidden = !held;
  }
}
