// The names of conversations: what people read, what the server calls them, which this browser has.

import { session } from "./api.js";

const NAMESPACE = "5c9b1c570b534f0b8f0e5d1f3c6a7e21"; // as in app/names.py
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const MOST = 50;

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const bytes = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
const random = (count) => crypto.getRandomValues(new Uint8Array(count));

/** A random UUID; `crypto.randomUUID` is not there on a page without TLS. */
export function newId() {
  return dashed(versioned(random(16), 4));
}

/** A name for a new conversation, such as chat-3f9a1c2e, which the terminal takes, too. */
export function newName() {
  return crypto.subtle ? `chat-${hex(random(4))}` : newId();
}

/** The id of the conversation with this name: the same on every server and in the terminal. */
export async function idOf(name) {
  if (UUID.test(name)) return dashed(bytes(name.replaceAll("-", "")));
  if (!crypto.subtle) {
    throw new Error("Without TLS this browser opens conversations by their UUID only.");
  }
  const named = new Uint8Array([...bytes(NAMESPACE), ...new TextEncoder().encode(name)]);
  return dashed(versioned(new Uint8Array(await crypto.subtle.digest("SHA-1", named)), 5));
}

function versioned(raw, version) {
  raw[6] = (raw[6] & 0x0f) | (version << 4);
  raw[8] = (raw[8] & 0x3f) | 0x80;
  return raw;
}

function dashed(raw) {
  const all = hex(raw.slice(0, 16));
  const ends = [0, 8, 12, 16, 20, 32];
  return ends.slice(1).map((end, i) => all.slice(ends[i], end)).join("-");
}

/** The conversation that the address names; empty when it names none. */
export function nameInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

// Names and dates only: what was said is asked of the server, which forgets it when told to.
const key = () => `longhaul.threads.${session.user || owner}`;
let owner = "";

/** Whose list it is, on a server to which users sign in. */
export function listOf(user) {
  owner = user;
}

/** The conversations of this browser, the newest first. */
export function known() {
  try {
    return JSON.parse(localStorage.getItem(key()) ?? "[]");
  } catch {
    return [];
  }
}

export function remember(name) {
  const others = known().filter((each) => each.name !== name);
  const all = [{ name, at: new Date().toISOString() }, ...others].slice(0, MOST);
  localStorage.setItem(key(), JSON.stringify(all));
}

export function drop(name) {
  localStorage.setItem(key(), JSON.stringify(known().filter((each) => each.name !== name)));
}

export function dropAll() {
  localStorage.removeItem(key());
}
