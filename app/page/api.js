// Requests to the server that the page came from.

const ROOT = new URL("..", document.baseURI);
const TOKEN = "longhaul.token";
const USER = "longhaul.user";

/** An answer that says no. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** No answer at all. */
export class Unreachable extends Error {
  constructor() {
    super("The server does not answer.");
  }
}

/** Whether nothing was said yet in what was asked for. */
export const isUnknown = (error) => error instanceof Refused && error.status === 404;

/** Called when the server asks for a token, or for another one. */
export const session = {
  onSignedOut: () => {},

  get token() {
    return sessionStorage.getItem(TOKEN) ?? "";
  },
  set token(value) {
    if (value) sessionStorage.setItem(TOKEN, value);
    else sessionStorage.removeItem(TOKEN);
  },
  /** Who talks, on a server to which nobody signs in. */
  get user() {
    return this.token ? "" : (localStorage.getItem(USER) ?? "");
  },
  set user(value) {
    if (value) localStorage.setItem(USER, value);
    else localStorage.removeItem(USER);
  },
};

/** The response to a request. Throws Refused and Unreachable. */
export async function ask(method, path, { body, headers = {}, signal } = {}) {
  const sent = { ...headers };
  if (session.token) sent.Authorization = `Bearer ${session.token}`;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(new URL(path, ROOT), {
      method,
      headers: sent,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  if (response.ok) return response;
  const refused = new Refused(response.status, await reason(response));
  if (response.status === 401) session.onSignedOut(refused.message);
  throw refused;
}

/** The JSON that a request is answered with. */
export async function json(method, path, options) {
  const response = await ask(method, path, options);
  try {
    return await response.json();
  } catch {
    throw new Unreachable();
  }
}

async function reason(response) {
  const text = await response.text().catch(() => "");
  try {
    const told = JSON.parse(text);
    return String(told.error ?? told.detail ?? told.message ?? text);
  } catch {
    return text || `The server answered with status ${response.status}.`;
  }
}

/** `path` with the user's name, where the server does not know it by itself. */
export function asUser(path) {
  return session.user ? `${path}?user=${encodeURIComponent(session.user)}` : path;
}

/** The events of a stream: name and data. Throws Unreachable when the connection breaks. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const read = await reader.read();
      if (read.done) return;
      const blocks = (text + read.value).split(/\r?\n\r?\n/);
      text = blocks.pop();
      for (const block of blocks) {
        const event = parsed(block);
        if (event) yield event;
      }
    }
  } catch (error) {
    throw error.name === "AbortError" ? error : new Unreachable();
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parsed(block) {
  let name = "message";
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
