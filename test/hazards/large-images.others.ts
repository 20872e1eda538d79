import { setTimeout } from "node:timers/promises";
import { KEY } from "#test/harness.ts";

/** Two callers of small calls, each of whom waits for its answer before it asks again, and their upstream. */
export type Order =
  | { readonly do: "begin"; readonly url: string }
  /** Not before so many were answered: where they wait, this never ends. */
  | { readonly do: "end"; readonly enough: number };

export type Report =
  | { readonly is: "open"; readonly url: string }
  /** How long each call took that was answered, in ms. */
  | { readonly is: "ended"; readonly times: readonly number[] };

const CALLERS = 2;
const PAUSE_MS = 2;
const BODY = JSON.stringify({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: "ping" }],
});
const ANSWER = {
  id: "1",
  object: "chat.completion",
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content: "pong" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

let times: number[] = [];
let enough = Infinity;
const report = (what: Report): void => void process.send?.(what);

const upstream = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => Response.json(ANSWER),
});

process.on("message", (order: Order) => {
  if (order.do === "begin") void call(order.url);
  else enough = order.enough;
});
process.on("disconnect", () => process.exit());
report({ is: "open", url: `http://127.0.0.1:${upstream.port}/v1` });

async function call(url: string): Promise<void> {
  times = [];
  enough = Infinity;
  await Promise.all(Array.from({ length: CALLERS }, () => callUntilEnough(url)));
  report({ is: "ended", times });
}

async function callUntilEnough(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
  while (times.length < enough) {
    const at = performance.now();
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body: BODY,
    });
    await answer.arrayBuffer();
    if (answer.status === 200) times.push(performance.now() - at);
    // Without a pause they would take half of the processor from those they are asked beside.
    await setTimeout(PAUSE_MS);
  }
}
