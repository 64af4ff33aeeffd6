// What this tab keeps of a conversation over a reload: what the server may not have, and what was
// read of a reply that was stopped.

const key = (thread) => `longhaul.unsure.${thread}`;

function read(thread) {
  return JSON.parse(sessionStorage.getItem(key(thread)) ?? '{"said":[],"stopped":null}');
}

function write(thread, kept) {
  if (kept.said.length || kept.stopped) sessionStorage.setItem(key(thread), JSON.stringify(kept));
  else sessionStorage.removeItem(key(thread));
}

/** The messages that no turn has answered yet, as a run takes them. */
export const unsure = (thread) => read(thread).said;

export function say(thread, message) {
  const kept = read(thread);
  write(thread, { said: [...kept.said, message], stopped: null });
}

/** The server has the messages with these ids, or refused them. */
export function settled(thread, ids) {
  const kept = read(thread);
  write(thread, { ...kept, said: kept.said.filter((message) => !ids.includes(message.id)) });
}

/** What was read of the reply that was stopped last: `{id, text}`, or null. */
export const stopped = (thread) => read(thread).stopped;

export function keepStopped(thread, reply) {
  write(thread, { ...read(thread), stopped: reply });
}

export function forget(thread) {
  sessionStorage.removeItem(key(thread));
}

export function forgetAll() {
  const keys = Object.keys(sessionStorage).filter((each) => each.startsWith(key("")));
  for (const each of keys) sessionStorage.removeItem(each);
}
