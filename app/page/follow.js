// Reading a run to its end, whatever happens to the connection.

import { Refused, Unreachable } from "./api.js";

const FIRST_WAIT = 250;
const LONGEST_WAIT = 4000;

/**
 * Reads what `start` begins or joins. Whether the connection broke, and the run was not found
 * again: then the server has lost it, or it ended meanwhile. `broken` is called at each break.
 */
export async function follow(line, run, start, broken) {
  let response = await start(line);
  for (;;) {
    try {
      await run.read(response);
      return false;
    } catch (error) {
      if (!(error instanceof Unreachable) || line.left) throw error;
    }
    broken();
    await reachable(line);
    if (run.stopped || !(await line.active()).includes(run.id)) return true;
    run.dropReply();
    response = await line.join(run.id);
  }
}

/** Waits until the server answers. */
export async function reachable(line) {
  for (let wait = FIRST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    try {
      await line.open();
      return;
    } catch (error) {
      if (line.left || (error instanceof Refused && error.status < 500)) throw error;
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}
