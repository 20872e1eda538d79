import { describe, expect, test } from "bun:test";
import type { AlertDestination } from "#core/alert.ts";
import { GatewayError } from "#core/error.ts";
import type { WebhookDelivery } from "#core/webhook-delivery.ts";
import { testMessage } from "./message.ts";
import { AlertSender } from "./send.ts";

const NOW = 1_800_000_000_000;
const MESSAGE = testMessage("alert_1", NOW);

interface Given {
  readonly destination?: Partial<AlertDestination> | undefined;
  /** The answer of the destination, or the failure to reach it. */
  readonly answer?: { readonly status: number; readonly text?: string } | Error;
  readonly mailer?: "works" | "fails";
}

function stage({ destination = {}, answer = { status: 200 }, mailer }: Given = {}) {
  const posts: { url: string; body: string; headers: unknown }[] = [];
  const mails: unknown[] = [];
  const to: AlertDestination = {
    id: 7,
    name: "ops",
    kind: "webhook",
    isEnabled: true,
    address: { url: "https://ops.example/alerts" },
    createdAt: 0,
    updatedAt: 0,
    ...destination,
  };
  const sender = new AlertSender({
    destinations: { find: async (id) => (id === 7 ? to : undefined) },
    links: {
      async postForAnswer(url: string, body: string, headers: unknown) {
        posts.push({ url, body, headers });
        if (answer instanceof Error) throw answer;
        return { text: "", ...answer };
      },
    } as never,
    mailer:
      mailer === undefined
        ? undefined
        : {
            async send(mail) {
              if (mailer === "fails") throw new GatewayError("unavailable", "No mail server.");
              mails.push(mail);
            },
          },
    clock: { now: () => NOW, monotonic: () => 0 },
  });
  const deliver = (more: Partial<WebhookDelivery> = {}) =>
    sender.deliver({
      id: "msg_1",
      destinationId: 7,
      body: JSON.stringify(MESSAGE),
      ...more,
    } as WebhookDelivery);
  return { to, posts, mails, deliver, send: () => sender.send(to, "msg_1", MESSAGE) };
}

describe("a message", () => {
  test("is posted in the form of its destination", async () => {
    const { deliver, posts } = stage();

    expect(await deliver()).toBeUndefined();

    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatchObject({
      url: "https://ops.example/alerts",
      headers: { "webhook-id": "msg_1", "webhook-timestamp": "1800000000" },
    });
    expect(JSON.parse(posts[0]?.body ?? "")).toMatchObject({ type: "alert.test" });
  });

  test("is mailed to all addresses", async () => {
    const { send, mails, posts } = stage({
      destination: { kind: "email", address: { to: ["a@ops.example", "b@ops.example"] } },
      mailer: "works",
    });

    expect(await send()).toEqual({ isDelivered: true });

    expect(posts).toEqual([]);
    expect(mails).toEqual([
      {
        to: ["a@ops.example", "b@ops.example"],
        subject: "Test: test",
        text: "Test: test\nThis is a test of the destination. Nothing is wrong.\n",
      },
    ]);
  });
});

describe("a message is given up", () => {
  const final = (lastError: string) => ({ lastError, isFinal: true });

  test("if its destination is gone or disabled", async () => {
    const gone = final("The destination was deleted.");

    expect(await stage().deliver({ destinationId: 8 })).toEqual(gone);
    expect(await stage().deliver({ destinationId: undefined } as never)).toEqual(gone);
    expect(await stage({ destination: { isEnabled: false } }).deliver()).toEqual(
      final("The destination is disabled."),
    );
  });

  test("if another version wrote it in another form", async () => {
    expect(await stage().deliver({ body: "{}" })).toEqual(
      final("This version cannot read the message."),
    );
  });

  test("if the destination says that it is gone for good", async () => {
    expect(await stage({ answer: { status: 410 } }).deliver()).toEqual({
      lastError: "It answered with status 410.",
      isFinal: true,
      status: 410,
    });
  });
});

describe("a message is tried again", () => {
  test.each([199, 300, 500])("if the destination answers with status %i", async (status) => {
    expect(await stage({ answer: { status } }).deliver()).toEqual({
      lastError: `It answered with status ${status}.`,
      isFinal: false,
      status,
    });
  });

  test("if the destination cannot be reached", async () => {
    const answer = new GatewayError("upstream_unreachable", "No connection.");

    expect(await stage({ answer }).deliver()).toEqual({
      lastError: "No connection.",
      isFinal: false,
    });
  });

  test("if a chat service refuses it with status 200", async () => {
    const destination = { kind: "wecom", address: { url: "https://chat.example" } } as const;
    const refused = { status: 200, text: '{"errcode":93000,"errmsg":"invalid webhook url"}' };
    const taken = { status: 200, text: '{"errcode":0}' };

    expect(await stage({ destination, answer: refused }).send()).toEqual({
      isDelivered: false,
      status: 200,
      answer: refused.text,
      error: "code 93000: invalid webhook url",
    });
    expect(await stage({ destination, answer: taken }).send()).toEqual({
      isDelivered: true,
      status: 200,
      answer: taken.text,
    });
  });

  test("if its address cannot be decrypted, or no mail server is known", async () => {
    const unreadable = {
      isDelivered: false,
      error: "The address of the destination cannot be decrypted. Set it again.",
    };
    const mail = { kind: "email", address: { to: ["a@ops.example"] } } as const;

    expect(await stage({ destination: { address: undefined } }).send()).toEqual(unreadable);
    expect(await stage({ destination: { address: {} } }).send()).toEqual(unreadable);
    expect(
      await stage({ destination: { ...mail, address: undefined }, mailer: "works" }).send(),
    ).toEqual(unreadable);
    expect(await stage({ destination: { ...mail, address: {} }, mailer: "works" }).send()).toEqual(
      unreadable,
    );
    expect(await stage({ destination: mail }).send()).toEqual({
      isDelivered: false,
      error: "No mail server is configured.",
    });
    expect(await stage({ destination: mail, mailer: "fails" }).send()).toEqual({
      isDelivered: false,
      error: "No mail server.",
    });
  });
});

test("a long answer or reason is cut", async () => {
  const destination = { kind: "wecom", address: { url: "https://chat.example" } } as const;
  const text = JSON.stringify({ errcode: 1, errmsg: "x".repeat(900) });

  const { answer, error } = await stage({ destination, answer: { status: 200, text } }).send();

  expect([answer?.length, error?.length]).toEqual([500, 500]);
});
