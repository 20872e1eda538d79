import { expect, test } from "bun:test";
import { startSandbox } from "./server.ts";
import { asObject, at, eventsIn, textAt } from "./testing/chat.ts";
import {
  eventsOf,
  get,
  grammarOf,
  outputText,
  prompt,
  respond,
  send,
} from "./testing/responses.ts";
import { jsonText, parseJson } from "./json.ts";

/** A sandbox whose clock goes only when told. */
async function withClock() {
  const clock = { ms: 1_800_000_000_000 };
  return { sandbox: await startSandbox({ now: () => clock.ms }), clock };
}

test("a background response is queued, then in progress, then complete", async () => {
  const { sandbox, clock } = await withClock();
  await using _ = sandbox;
  const created = await respond(sandbox, prompt("Say done", { background: true }));
  const path = `/${textAt(created, "id")}`;

  clock.ms += 150;
  const running = await get(sandbox, path);
  clock.ms += 1_000;
  const finished = await get(sandbox, path);

  expect([created, running, finished].map((each) => each["status"])).toEqual([
    "queued",
    "in_progress",
    "completed",
  ]);
  expect(running).toMatchObject({ output: [], usage: null, completed_at: null });
  expect(outputText(finished)).toBe("done");
});

test("only a running background response can be cancelled, also repeatedly", async () => {
  const { sandbox, clock } = await withClock();
  await using _ = sandbox;
  const create = async (background: boolean) =>
    textAt(await respond(sandbox, prompt("Say hi", { background })), "id");
  const cancel = async (id: string) => get(sandbox, `/${id}/cancel`, { method: "POST" });

  const running = await create(true);
  const first = await cancel(running);
  clock.ms += 10_000;
  const second = await cancel(running);
  const finished = await create(true);
  clock.ms += 10_000;

  expect([first["status"], second["status"]]).toEqual(["cancelled", "cancelled"]);
  expect((await cancel(finished))["status"]).toBe("completed");
  expect(at(await cancel(await create(false)), "error", "message")).toBe(
    "Cannot cancel a synchronous response.",
  );
});

test("a background stream is resumed after the last received event", async () => {
  await using sandbox = await startSandbox();
  const events = await eventsOf(sandbox, prompt("Count to 3", { background: true }));
  const id = textAt(events[0], "response", "id");
  const text = await (
    await send(sandbox, `/${id}?stream=true&starting_after=5`, { method: "GET" })
  ).text();
  const rest = eventsIn(text).map((data) => asObject(parseJson(data)));

  expect(grammarOf(events)).toStartWith("queued in_progress output_item.added");
  expect(rest.map((event) => event["sequence_number"])).toEqual(
    events.slice(5).map((event) => event["sequence_number"] ?? null),
  );
  expect(rest.at(-1)?.["type"]).toBe("response.completed");
});

test("a response that was not made in the background cannot be streamed later", async () => {
  await using sandbox = await startSandbox();
  const { id } = await respond(sandbox, prompt("hi"));

  expect((await send(sandbox, `/${jsonText(id)}?stream=true`, { method: "GET" })).status).toBe(400);
});
