import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import type { TaskPlace } from "#core/task.ts";
import type { Egress, UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { findProvider } from "#providers/index.ts";
import { aChannel } from "#test/a-channel.ts";
import { aTask } from "#test/a-task.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import {
  cancel,
  fetchPollBody,
  findSubmitted,
  pollTask,
  upstreamTaskContextOf,
  type PollDeps,
} from "./poll.ts";

const FIRST = credential("secret-of-the-first");
const SECOND = credential("secret-of-the-second");

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
}

/** A vendor that gives one answer after another. */
function setup(
  provider: string,
  place: Partial<TaskPlace>,
  answers: readonly Answer[] = [],
  change: Partial<Channel> = {},
) {
  const sent: UpstreamRequest[] = [];
  let closed = 0;
  let read = 0;
  const queue = [...answers];
  const egress: Egress = {
    send(request) {
      sent.push(request);
      const { status = 200, body = {} } = queue.shift() ?? {};
      const bytes = Buffer.from(JSON.stringify(body));
      const reply: UpstreamReply = {
        status,
        headers: new Map(),
        pump: async (onPiece) => {
          await onPiece(bytes);
        },
        readAll: () => {
          read++;
          return Promise.resolve(bytes);
        },
        readFailure: () => Promise.resolve(bytes.toString()),
        close() {},
        [Symbol.dispose]: () => void closed++,
      };
      return Promise.resolve(reply);
    },
    abortAll() {},
    closePool() {},
    close() {},
  };
  const channel = aChannel({
    name: "c",
    provider,
    baseUrl: "https://vendor.example/base",
    credentials: [FIRST, SECOND],
    ...change,
  });
  const deps: PollDeps = {
    egress,
    findChannel: (name) => (name === channel.name ? channel : undefined),
  };
  const task = aTask({
    place: {
      channel: "c",
      provider,
      upstreamModel: "m",
      format: "",
      credential: SECOND.label,
      upstreamId: "up/1",
      ...place,
    },
  });
  const signal = new AbortController().signal;
  return { deps, task, sent, channel, signal, closed: () => closed, read: () => read };
}

const ARK = { upstreamModel: "doubao-seedance-1-0-pro-250528", format: "video-ark" };
const KLING = { upstreamModel: "kling-v3", format: "video-kling" };
const NEWER_KLING = { upstreamModel: "kling-v3", format: "video-kling3" };
const MINIMAX = { upstreamModel: "MiniMax-Hailuo-02", format: "video-minimax-older" };
const JIMENG = { upstreamModel: "jimeng_t2v_v30", format: "video-jimeng" };

describe("the upstream of a task", () => {
  test("is the channel, endpoint and account that it was created with", () => {
    const { deps, task, channel } = setup("kling", NEWER_KLING);

    const context = upstreamTaskContextOf(task, deps);

    expect(context.channel).toBe(channel);
    expect(context.endpoint.style.id).toBe("video-kling3");
    expect(context.credential).toBe(SECOND);
    expect(context.ref).toEqual({
      upstreamId: "up/1",
      upstreamModel: "kling-v3",
      scenario: "text",
      externalId: "task_1",
    });
  });

  test("receives whether a task has no id, or has sound", () => {
    const { deps, task } = setup("kling", KLING);
    const { upstreamId: _, ...place } = task.place ?? missing();

    const { ref } = upstreamTaskContextOf(
      { ...task, place, facts: { scenario: "first_frame", audio: true } },
      deps,
    );

    expect(ref).toMatchObject({ upstreamId: "", scenario: "first_frame", audio: true });
  });

  test("needs no credential if it was created without one", () => {
    const { deps, task } = setup("kling", { ...KLING, credential: "" }, [], { credentials: [] });

    expect(upstreamTaskContextOf(task, deps).credential).toBeUndefined();
  });

  test.each<[string, Partial<TaskPlace>, Partial<Channel>]>([
    ["its channel is gone", { channel: "another" }, {}],
    ["its channel is of a provider that is gone", {}, { provider: "none" }],
    ["its provider has no such endpoint", { format: "video-ark" }, {}],
    ["its model is another endpoint's", { upstreamModel: "kling-3.0" }, {}],
    ["its credential is gone", {}, { credentials: [FIRST] }],
  ])("is gone if %s", (_, place, change) => {
    const { deps, task } = setup("kling", { ...KLING, ...place }, [], change);

    expect(() => upstreamTaskContextOf(task, deps)).toThrow("no longer exists");
  });

  test("is gone for a task that never had one", () => {
    const { deps } = setup("kling", KLING);

    expect(() => upstreamTaskContextOf(aTask(), deps)).toThrow("no longer exists");
  });

  test("has the channel's address, or else the one of its options", async () => {
    const VEO = {
      upstreamModel: "veo-3.1-generate-preview",
      format: "video-veo",
      upstreamId: "o/1",
    };
    const originOf = async (change: Partial<Channel>): Promise<string | undefined> => {
      const { deps, task, sent } = setup("vertex", VEO, [{ body: { name: "o/1" } }], change);
      await pollTask(task, deps);
      return sent[0]?.url.origin;
    };

    expect(await originOf({ baseUrl: "https://own.example" })).toBe("https://own.example");
    expect(await originOf({ baseUrl: "", options: { location: "eu" } })).toBe(
      "https://eu-aiplatform.googleapis.com",
    );
    expect(await originOf({ baseUrl: "" })).toBe("https://aiplatform.googleapis.com");
  });
});

describe("a poll", () => {
  test("requests the task below the channel's address, with its account, and waits 20 seconds", async () => {
    const { deps, task, sent, closed } = setup(
      "ark",
      ARK,
      [{ body: { id: "up", status: "running" } }],
      { reach: "public" as never, options: { region: "eu" } },
    );

    expect(await pollTask(task, deps)).toMatchObject({ state: "running" });
    expect(sent).toMatchObject([
      {
        method: "GET",
        credential: SECOND,
        isStream: false,
        headMs: 20_000,
        reach: "public",
        options: { region: "eu" },
        authorize: findProvider("ark")?.authorize,
      },
    ]);
    expect(sent[0]?.url.href).toBe("https://vendor.example/base/contents/generations/tasks/up%2F1");
    expect(sent[0]).not.toHaveProperty("body");
    expect(sent[0]).not.toHaveProperty("signal");
    expect(closed()).toBe(1);
  });

  test("has no reach or options if its channel has none", async () => {
    const { deps, task, sent } = setup("ark", ARK, [{ body: { status: "queued" } }]);

    await pollTask(task, deps);

    for (const name of ["reach", "options", "exchange"]) expect(sent[0]).not.toHaveProperty(name);
  });

  test("that is a POST sends its body", async () => {
    const { deps, task, sent } = setup("jimeng", JIMENG, [
      { body: { code: 10_000, data: { status: "in_queue" } } },
    ]);

    expect(await pollTask(task, deps)).toMatchObject({ state: "queued" });
    expect(sent[0]?.method).toBe("POST");
    const body = sent[0]?.body;
    expect(typeof body === "string" ? JSON.parse(body) : body).toMatchObject({ task_id: "up/1" });
  });

  test("of an unknown task finds nothing, and a failed poll is not the task's failure", async () => {
    const missingThere = setup("ark", ARK, [{ status: 404 }]);
    expect(await pollTask(missingThere.task, missingThere.deps)).toEqual({ state: "missing" });

    const failing = setup("ark", ARK, [{ status: 500, body: { status: "running" } }]);
    expect(await reasonOf(pollTask(failing.task, failing.deps))).toMatchObject({
      code: "upstream_failed",
      vendor: { status: 500 },
    });
  });

  test("reads a failed response as a task state if the vendor's format does that", async () => {
    const body = { code: 50_411, message: "Pre Img Risk Not Pass" };

    for (const status of [400, 404]) {
      const { deps, task } = setup("jimeng", JIMENG, [{ status, body }]);
      expect(await pollTask(task, deps)).toMatchObject({ state: "failed" });
    }
  });

  test("requests separate details if the vendor has them, and only then", async () => {
    const done = { status: "Success", file_id: 7, task_id: "up" };
    const file = { file: { download_url: "https://cdn.example/v.mp4" }, task_id: "other" };
    const whole = setup("minimax", MINIMAX, [{ body: done }, { body: file }]);

    expect(await pollTask(whole.task, whole.deps)).toMatchObject({
      state: "succeeded",
      videos: [{ url: "https://cdn.example/v.mp4" }],
    });
    expect(whole.sent.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)).toEqual([
      "GET /base/v1/query/video_generation?task_id=up%2F1",
      "GET /base/v1/files/retrieve?file_id=7",
    ]);

    const early = setup("minimax", MINIMAX, [{ body: { status: "Processing" } }]);
    await pollTask(early.task, early.deps);
    expect(early.sent).toHaveLength(1);

    const failing = setup("minimax", MINIMAX, [{ body: done }, { status: 500, body: file }]);
    expect(await reasonOf(pollTask(failing.task, failing.deps))).toMatchObject({
      code: "upstream_failed",
    });
  });
});

describe("a finished task's details", () => {
  test("are the vendor's whole response, and both requests end if the client disconnects", async () => {
    const done = { status: "Success", file_id: 7, task_id: "up" };
    const { deps, task, sent, signal } = setup("minimax", MINIMAX, [
      { body: done },
      { body: { file: 1, task_id: "other" } },
    ]);

    const body = await fetchPollBody(upstreamTaskContextOf(task, deps), deps, signal);

    expect(body).toEqual({ ...done, file: 1 });
    expect(sent.map((each) => each.signal)).toEqual([signal, signal]);
  });

  test("are empty if the vendor does not know the task, and a failure is thrown", async () => {
    const unknown = setup("ark", ARK, [{ status: 404 }]);
    const context = upstreamTaskContextOf(unknown.task, unknown.deps);
    expect(await fetchPollBody(context, unknown.deps, unknown.signal)).toBeUndefined();

    const failing = setup("ark", ARK, [{ status: 503 }]);
    expect(
      await reasonOf(
        fetchPollBody(
          upstreamTaskContextOf(failing.task, failing.deps),
          failing.deps,
          failing.signal,
        ),
      ),
    ).toMatchObject({ vendor: { status: 503 } });
  });
});

describe("a task that the vendor may have accepted", () => {
  test("is searched by the gateway's own id", async () => {
    const body = { data: { task_id: "theirs", task_info: { external_task_id: "task_1" } } };
    const { deps, task, sent } = setup("kling", KLING, [{ body }]);

    expect(await findSubmitted(task, deps)).toBe("theirs");
    expect(sent[0]?.url.pathname).toEndWith("/task_1");
  });

  test("is missing if the vendor does not know it, and in doubt if the search fails", async () => {
    const unknown = setup("kling", KLING, [{ status: 404 }]);
    expect(await findSubmitted(unknown.task, unknown.deps)).toBeUndefined();

    const failing = setup("kling", KLING, [{ status: 500 }]);
    expect(await reasonOf(findSubmitted(failing.task, failing.deps))).toMatchObject({
      vendor: { status: 500 },
    });
  });

  test("cannot be searched at a vendor without such a request", async () => {
    const { deps, task, sent } = setup("ark", ARK);

    expect(await findSubmitted(task, deps)).toBeNull();
    expect(sent).toEqual([]);
  });
});

describe("cancelling a task", () => {
  test("calls its vendor, and reads the response so that its connection can be reused", async () => {
    for (const status of [200, 204, 299]) {
      const { deps, task, sent, read } = setup("ark", ARK, [{ status }]);
      await cancel(task, deps);
      expect(read()).toBe(1);
      expect(sent).toMatchObject([{ method: "DELETE" }]);
    }
  });

  test("fails with the vendor's reason", async () => {
    for (const status of [199, 300, 409]) {
      const { deps, task } = setup("ark", ARK, [{ status }]);
      expect(await reasonOf(cancel(task, deps))).toMatchObject({ vendor: { status } });
    }
  });

  test("is refused for a vendor without cancellation", async () => {
    const { deps, task, sent } = setup("kling", KLING);

    expect(await reasonOf(cancel(task, deps))).toMatchObject({ code: "invalid_request" });
    expect(sent).toEqual([]);
  });
});

function missing(): never {
  throw new Error("It is missing.");
}
