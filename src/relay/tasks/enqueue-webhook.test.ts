import { expect, test } from "bun:test";
import type { WebhookDelivery, WebhookOutbox } from "#core/webhook-delivery.ts";
import type { InboundVideoFormat } from "#core/video.ts";
import { aTask } from "#test/a-task.ts";
import { enqueueWebhook } from "./enqueue-webhook.ts";

const URL = "https://receiver.example/hook";
const TASK = aTask({
  status: "succeeded",
  facts: { scenario: "text", callbackUrl: URL },
  videos: [{ url: "https://cdn.example/v.mp4" }],
});

async function enqueued(
  task = TASK,
  { writesNotice = false, keepsMedia = false } = {},
): Promise<readonly WebhookDelivery[]> {
  const added: WebhookDelivery[] = [];
  const inbound: Partial<InboundVideoFormat["inbound"]> = {
    writeTask: ({ status }, { videos }) => ({ status, url: videos[0]?.url ?? "" }),
    ...(writesNotice ? { writeNotice: ({ id }) => ({ notice: id }) } : {}),
  };
  await enqueueWebhook(task, {
    notices: {
      add: async (each) => void added.push(each),
    } satisfies Partial<WebhookOutbox> as never,
    clock: { now: () => 7, monotonic: () => 0 },
    formatOf: (entry) =>
      entry === TASK.entry
        ? { id: entry, inbound: inbound as InboundVideoFormat["inbound"] }
        : undefined,
    addressOf: () => ({ filesUrl: "", linkTo: (index) => `https://gateway.example/${index}` }),
    keepsMedia,
  });
  return added;
}

test("a client with a webhook gets the same body as from a query", async () => {
  expect(await enqueued()).toEqual([
    {
      id: "task_1.succeeded",
      userId: 1,
      taskId: "task_1",
      url: URL,
      body: '{"status":"succeeded","url":"https://cdn.example/v.mp4"}',
      state: "pending",
      attempts: 0,
      createdAt: 7,
      dueAt: 7,
    },
  ]);
});

test("links in a webhook lead to the copy if copies are stored", async () => {
  expect(await enqueued(TASK, { keepsMedia: true })).toMatchObject([
    { body: '{"status":"succeeded","url":"https://gateway.example/0"}' },
  ]);
});

test("a format with its own webhooks uses those", async () => {
  expect(await enqueued(TASK, { writesNotice: true })).toMatchObject([
    { body: '{"notice":"task_1"}' },
  ]);
});

test("no event is sent without a webhook address, or in a format that no longer exists", async () => {
  expect(await enqueued(aTask({ status: "succeeded" }))).toEqual([]);
  expect(await enqueued({ ...TASK, entry: "gone" })).toEqual([]);
});
