import { expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import type { Task, TaskPlace, TaskStore } from "#core/task.ts";
import { signatureOf } from "#lib/standard-webhooks.ts";
import { aChannel } from "#test/a-channel.ts";
import { aTask } from "#test/a-task.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { handleVendorWebhook } from "./vendor-webhook.ts";

const NOW = 1_800_000_000_900;
const NOW_SECONDS = 1_800_000_000;
const SECRET = `whsec_${Buffer.from("what was agreed on").toString("base64")}`;
const PLACE: TaskPlace = {
  channel: "c",
  provider: "ark",
  upstreamModel: "m",
  format: "video-ark",
  credential: "",
  upstreamId: "up-1",
};
const NAMED = aTask({ id: "task_named", place: PLACE });
const BY_UPSTREAM = aTask({ id: "task_of_upstream", place: PLACE });

function received({
  provider = "ark",
  channel = "c",
  taskId = NAMED.id,
  body = '{"id":"up-1"}',
  headers = {},
  secret = "a key",
  tasks = [NAMED],
}: {
  readonly provider?: string;
  readonly channel?: string;
  readonly taskId?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly tasks?: readonly Task[];
}): Promise<Task | undefined> {
  const store: Pick<TaskStore, "findAny" | "findByUpstream"> = {
    findAny: (id) => Promise.resolve(tasks.find((each) => each.id === id)),
    findByUpstream: (at, id) =>
      Promise.resolve(at === "c" && id === "up-1" ? BY_UPSTREAM : undefined),
  };
  return handleVendorWebhook(
    {
      channel,
      taskId,
      body: Buffer.from(body),
      header: (name) => headers[name] ?? "",
    },
    {
      tasks: store as TaskStore,
      clock: { now: () => NOW, monotonic: () => 0 },
      findChannel: (name) =>
        name === "c" ? aChannel({ name, provider, credentials: [credential(secret)] }) : undefined,
    },
  );
}

function signed(body: string, timestamp = NOW_SECONDS, secret = SECRET) {
  const id = "msg_1";
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": signatureOf(secret, { id, timestamp, body }),
  };
}

test("a webhook refers to the task in its address, if that runs on the channel", async () => {
  expect(await received({})).toBe(NAMED);
  const other = aTask({ id: NAMED.id, place: { ...PLACE, channel: "another" } });
  expect(await received({ tasks: [other] })).toBe(BY_UPSTREAM);
  expect(await received({ tasks: [aTask({ id: NAMED.id })] })).toBe(BY_UPSTREAM);
});

test("a webhook refers to the task in its body, if its address has none", async () => {
  expect(await received({ taskId: "" })).toBe(BY_UPSTREAM);
  for (const body of ["not JSON", "[]", "{}", '{"id":"another"}']) {
    expect(await received({ taskId: "", body })).toBeUndefined();
  }
});

test("a webhook about a finished task is ignored", async () => {
  expect(await received({ tasks: [{ ...NAMED, status: "succeeded" }] })).toBeUndefined();
});

test("a webhook for a deleted channel, or of a provider without webhooks, is ignored", async () => {
  expect(await received({ channel: "another" })).toBeUndefined();
  expect(await received({ provider: "jimeng" })).toBeUndefined();
  expect(await received({ provider: "none" })).toBeUndefined();
});

test("a webhook of a vendor with a shared secret needs its signature, at most five minutes old", async () => {
  const body = '{"task_id":"up-1"}';
  const kling = { provider: "kling", secret: `a-key|${SECRET}`, body } as const;

  expect(await received({ ...kling, headers: signed(body) })).toBe(NAMED);
  expect(await received({ ...kling, headers: signed(body, NOW_SECONDS - 300) })).toBe(NAMED);
  for (const headers of [
    {},
    signed(body, NOW_SECONDS, `whsec_${Buffer.from("another").toString("base64")}`),
    signed('{"task_id":"up-2"}'),
    signed(body, NOW_SECONDS - 301),
    { ...signed(body), "webhook-id": "msg_2" },
    { ...signed(body), "webhook-timestamp": "" },
  ]) {
    expect(await reasonOf(received({ ...kling, headers }))).toMatchObject({
      code: "unauthenticated",
    });
  }
});

test("a webhook of a vendor without a shared secret needs no signature", async () => {
  expect(await received({ provider: "kling", secret: "a-key" })).toBe(NAMED);
});
