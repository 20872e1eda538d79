import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { waitFor } from "../../../test/wait.ts";
import { callbackSender, type CallbackPlan } from "./callbacks.ts";
import { liveTaskSettings } from "./task-settings.ts";

interface Heard {
  readonly body: unknown;
  readonly sign: string | null;
}

let statuses: number[] = [];
let heard: Heard[] = [];
let receiver: ReturnType<typeof Bun.serve>;

beforeEach(() => {
  statuses = [];
  heard = [];
  receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      heard.push({ body: await request.json(), sign: request.headers.get("x-sign") });
      return new Response(null, { status: statuses.shift() ?? 200 });
    },
  });
});
afterEach(() => receiver.stop(true));

function sender(change: Parameters<typeof liveTaskSettings>[0] = {}) {
  const settings = liveTaskSettings({ callbackRetryMs: 1, ...change });
  return callbackSender(Date.now, settings);
}

function plan(more: Partial<CallbackPlan> = {}): CallbackPlan {
  const start = Date.now();
  return {
    url: `http://127.0.0.1:${receiver.port}/told`,
    moments: [start, start + 10, start + 20],
    message: (at) => ({ body: { at: at - start }, headers: (text) => ({ "x-sign": text }) }),
    timeoutMs: 1_000,
    retryMs: [60_000, 60_000, 60_000],
    isRetried: (status) => status >= 500,
    ...more,
  };
}

const told = () => heard.map(({ body }) => body);

test("each status is sent when it occurs, signed over the exact bytes", async () => {
  using callbacks = sender();
  callbacks.follow(plan());
  await waitFor(() => heard.length === 3);

  expect(told()).toEqual([{ at: 0 }, { at: 10 }, { at: 20 }]);
  expect(heard[1]?.sign).toBe('{"at":10}');
});

test("a state that did not occur is not reported", async () => {
  using callbacks = sender();
  const { message, ...rest } = plan();
  const [, second] = rest.moments;
  callbacks.follow({ ...rest, message: (at) => (at === second ? undefined : message(at)) });
  await waitFor(() => heard.length === 2);

  expect(told()).toEqual([{ at: 0 }, { at: 20 }]);
});

test("a webhook that fails is sent again, a limited number of times", async () => {
  using callbacks = sender();
  statuses = [500, 500, 500, 500, 500];
  const { moments } = plan();
  callbacks.follow(plan({ moments: moments.slice(0, 1) }));
  await waitFor(() => callbacks.attempts.length === 4);

  expect(callbacks.attempts.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 500],
    [2, 500],
    [3, 500],
    [4, 500],
  ]);
});

test("a refusal is final if the vendor treats it as final", async () => {
  using callbacks = sender();
  statuses = [400];
  callbacks.follow(plan());
  await waitFor(() => callbacks.attempts.length === 3);

  expect(callbacks.attempts.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
});

test("callbacks can come late, the last one first", async () => {
  using callbacks = sender({ callbackOrder: "reversed" });
  callbacks.follow(plan());
  await waitFor(() => heard.length === 3);

  expect(told()).toEqual([{ at: 20 }, { at: 10 }, { at: 0 }]);
});

test("callbacks can come more than once", async () => {
  using callbacks = sender({ callbackTimes: 2 });
  callbacks.follow(plan());
  await waitFor(() => heard.length === 6);

  expect(told()).toEqual([0, 0, 10, 10, 20, 20].map((at) => ({ at })));
});

test.each(["http://198.51.100.7/x", "https://example.com/x", "file:///etc/passwd", "nonsense"])(
  "nothing is sent to other machines: %s",
  async (url) => {
    using callbacks = sender();
    callbacks.follow(plan({ url }));
    callbacks.follow(plan());
    await waitFor(() => heard.length === 3);

    expect(callbacks.attempts.every((each) => each.url.startsWith("http://127.0.0.1:"))).toBe(true);
  },
);

test("nothing is sent after the sandbox ends", async () => {
  const callbacks = sender();
  callbacks.follow(plan({ moments: [Date.now() + 30] }));
  callbacks[Symbol.dispose]();
  await Bun.sleep(60);

  expect(heard).toEqual([]);
});

test("a sandbox that ends during a delivery ends without an error", async () => {
  const unhandled: unknown[] = [];
  const note = (cause: unknown) => unhandled.push(cause);
  process.on("unhandledRejection", note);
  const callbacks = sender();
  const { fetch } = globalThis;
  const answered = async (...words: Parameters<typeof fetch>) => {
    const response = await fetch(...words);
    callbacks[Symbol.dispose]();
    return response;
  };
  using _asked = spyOn(globalThis, "fetch").mockImplementation(
    Object.assign(answered, { preconnect: fetch.preconnect }),
  );

  callbacks.follow(plan({ moments: [Date.now()] }));
  await waitFor(() => callbacks.attempts.length === 1);
  await Bun.sleep(1);
  process.off("unhandledRejection", note);

  expect(unhandled).toEqual([]);
});
