// Elements made by script. Data goes into text nodes and attributes only, never into markup.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

/** An element with attributes (`on...` are listeners, true and false set and omit) and children. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== ""));
  return element;
}

export function button(text, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, text);
}

/** A button that leads to a turn of the conversation: whoever listens for `goto` goes there. */
export function turnLink(turn) {
  const go = (event) =>
    event.target.dispatchEvent(new CustomEvent("goto", { bubbles: true, detail: turn }));
  return button(`turn ${turn}`, go, { class: "link" });
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A date, with the time if `text` has one; as it stands if it is no date. */
export function when(text) {
  const plain = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const date = new Date(plain ? `${text}T12:00` : text);
  if (Number.isNaN(date.getTime())) return text;
  return (plain ? DAY : MOMENT).format(date);
}

/** A moment, by its time alone if it is of today. */
export function clock(text) {
  const date = new Date(text);
  const today = date.toDateString() === new Date().toDateString();
  return today ? TIME.format(date) : when(text);
}

export const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;

export const spaced = (name) => name.replaceAll("_", " ");

/** Starts the download of `data` as JSON. */
export function download(name, data) {
  const blob = new Blob([JSON.stringify(data, null, 2)], { type: "application/json" });
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
