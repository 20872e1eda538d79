import { describe, expect, test } from "bun:test";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { MediaBytes, MediaCopy, MediaStore } from "#core/kept-media.ts";
import type { Task } from "#core/task.ts";
import { aTask } from "#test/a-task.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import type { ContentRequest } from "./content.ts";
import { copyDue, removeUnwanted, wantCopies } from "./copies.ts";

const NOW = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const NEVER = new AbortController().signal;
const TASK = aTask({ status: "succeeded", videos: [{ url: "https://cdn.example/v.mp4" }] });
const COPY: MediaCopy = {
  taskId: TASK.id,
  index: 1,
  variant: "thumbnail",
  state: "wanted",
  place: "folder",
  attempts: 0,
  createdAt: NOW,
  dueAt: NOW,
};

interface Scene {
  readonly body?: (tick: (ms: number) => void) => MediaBytes;
  /** Instead of a file. */
  readonly cause?: unknown;
  readonly copies?: readonly MediaCopy[];
  readonly isUnwanted?: true;
  readonly task?: Task | "gone";
  readonly failsAt?: string;
}

async function* piecesOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

function scene({
  body = () => piecesOf("one ", "two"),
  cause,
  copies = [COPY],
  isUnwanted,
  task = TASK,
  failsAt,
}: Scene = {}) {
  const done: unknown[][] = [];
  const errors: unknown[] = [];
  const requests: ContentRequest[] = [];
  const stored = new Map<string, string>();
  const clock = { at: 0, open: 0 };
  const queue = [...copies];
  const note = async (...what: readonly unknown[]): Promise<void> => void done.push([...what]);
  const folder: MediaStore = {
    async put(path, bytes, mediaType) {
      let text = "";
      for await (const piece of bytes) text += Buffer.from(piece).toString();
      stored.set(path, `${text} (${mediaType})`);
      return { sizeBytes: text.length, digest: "abc" };
    },
    open: async () => undefined,
    async remove(path) {
      if (path === failsAt) throw new Error("The disk is broken.");
      stored.delete(path);
      done.push(["remove", path]);
    },
  };
  const deps = {
    stores: { folder },
    clock: { now: () => NOW, monotonic: () => clock.at },
    onError: (error: unknown) => void errors.push(error),
    tasks: { findAny: async () => (task === "gone" ? undefined : task) },
    vendor: {
      async open(_task: Task, request: ContentRequest) {
        requests.push(request);
        if (cause !== undefined) throw cause;
        clock.open++;
        const close = (): void => void clock.open--;
        const tick = (ms: number): void => void (clock.at += ms);
        return { mediaType: "video/mp4", body: body(tick), close };
      },
    },
    copies: {
      async lease(leaseMs: number, room: number) {
        const leased = queue.splice(0, room);
        if (leased.length > 0) done.push(["lease", leaseMs, room]);
        return leased;
      },
      prolong: (_copy: MediaCopy, leaseMs: number) => note("prolong", leaseMs),
      async keep(_copy: MediaCopy, kept: object) {
        done.push(["keep", kept]);
        return isUnwanted !== true;
      },
      missed: (_copy: MediaCopy, attempts: number, dueAt?: number) =>
        note("missed", attempts, dueAt === undefined ? undefined : dueAt - NOW),
      want: (...what: readonly unknown[]) => note("want", ...what),
      listUnwanted: async (...what: readonly unknown[]) => {
        done.push(["list", ...what]);
        return copies;
      },
      forget: ({ index }: MediaCopy) => note("forget", index),
    },
  };
  return { deps: deps as never, done, errors, requests, stored, clock };
}

/** What is recorded of a copy after an attempt that failed, besides its lease. */
async function missed(more: Scene, attempts = 0, signal = NEVER): Promise<unknown> {
  const { deps, done, clock } = scene({ copies: [{ ...COPY, attempts }], ...more });
  await copyDue(deps, signal);
  expect(clock.open).toBe(0);
  return done.find(([what]) => what === "missed");
}

const failing = (code: FaultCode) => new GatewayError(code, "No.");

describe("copies of a task", () => {
  test("are requested for each file of each of its videos after its success", async () => {
    const { deps, done } = scene();
    const covered = { url: "https://cdn.example/2.mp4", coverUrl: "https://cdn.example/2.png" };
    const videos = [...TASK.videos, covered];
    await wantCopies({ ...TASK, status: "running", videos }, "folder", deps);
    expect(done).toEqual([]);

    await wantCopies({ ...TASK, videos }, "s3", deps);
    const taskId = TASK.id;
    expect(done).toEqual([
      [
        "want",
        [
          { taskId, index: 0, variant: "video" },
          { taskId, index: 1, variant: "video" },
          { taskId, index: 1, variant: "thumbnail" },
        ],
        "s3",
        NOW,
      ],
    ]);
  });
});

describe("a copy that is due", () => {
  test("is read from the vendor, stored and recorded", async () => {
    const { deps, done, requests, stored, clock, errors } = scene();
    await copyDue(deps, NEVER);

    expect(requests).toEqual([{ index: 1, variant: "thumbnail", signal: NEVER }]);
    expect([...stored]).toEqual([["task_1/1-thumbnail", "one two (video/mp4)"]]);
    expect(done).toEqual([
      ["lease", 2 * MINUTE_MS, 4],
      ["keep", { sizeBytes: 7, digest: "abc", mediaType: "video/mp4", at: NOW }],
    ]);
    expect(clock.open).toBe(0);
    expect(errors).toEqual([]);
  });

  test("may be a blob", async () => {
    const { deps, stored } = scene({ body: () => new Blob(["a blob"]) });
    await copyDue(deps, NEVER);

    expect([...stored.values()]).toEqual(["a blob (video/mp4)"]);
  });

  test("is deleted if its task was deleted meanwhile", async () => {
    const { deps, done, stored } = scene({ isUnwanted: true });
    await copyDue(deps, NEVER);

    expect(done.at(-1)).toEqual(["remove", "task_1/1-thumbnail"]);
    expect(stored.size).toBe(0);
  });

  test("has its lease extended every half a minute while its bytes arrive", async () => {
    const { deps, done } = scene({
      async *body(tick) {
        for (const ms of [29_999, 1, 29_999, 1]) {
          tick(ms);
          yield Buffer.from(".");
        }
      },
    });
    await copyDue(deps, NEVER);

    expect(done.filter(([what]) => what === "prolong")).toEqual([
      ["prolong", 2 * MINUTE_MS],
      ["prolong", 2 * MINUTE_MS],
    ]);
    const quick = scene();
    await copyDue(quick.deps, NEVER);
    expect(quick.done.filter(([what]) => what === "prolong")).toEqual([]);
  });
});

describe("a copy that cannot be made", () => {
  test("is tried again at growing intervals, and is then abandoned", async () => {
    const pauses: unknown[] = [];
    for (let attempts = 0; attempts < 7; attempts++) {
      const told = (await missed({ cause: failing("upstream_failed") }, attempts)) as unknown[];
      expect(told[1]).toBe(attempts + 1);
      pauses.push(typeof told[2] === "number" ? told[2] / MINUTE_MS : undefined);
    }

    expect(pauses).toEqual([0.5, 2, 10, 30, 120, 360, undefined]);
  });

  test.each<FaultCode>(["content_gone", "not_found"])(
    "because the vendor has no file (%s) is abandoned at once",
    async (code) => {
      expect(await missed({ cause: failing(code) })).toEqual(["missed", 1, undefined]);
    },
  );

  test("because its task or its store is gone is abandoned at once", async () => {
    const copies = [{ ...COPY, place: "s3" } as const];

    expect(await missed({ task: "gone" })).toEqual(["missed", 1, undefined]);
    expect(await missed({ copies })).toEqual(["missed", 1, undefined]);
  });

  test("because the gateway stops is due at once, and the attempt is not counted", async () => {
    const stopping = new AbortController();
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("one");
      stopping.abort();
      throw failing("unavailable");
    }

    expect(await missed({ body }, 2, stopping.signal)).toEqual(["missed", 2, 0]);
  });

  test("is reported to the operator if the gateway itself fails, and not if the vendor does", async () => {
    const reported = async (cause: unknown) => {
      const { deps, errors } = scene({ cause });
      await copyDue(deps, NEVER);
      return errors;
    };
    const bug = new Error("A bug.");

    expect(await reported(bug)).toEqual([bug]);
    expect(await reported(failing("upstream_failed"))).toEqual([]);
  });
});

describe("copies that are no longer needed", () => {
  const [first, second] = [COPY, { ...COPY, index: 2 }];

  test("are deleted, and their number is returned", async () => {
    const { deps, done } = scene({ copies: [first, second] });

    expect(await removeUnwanted(NOW, 100, deps)).toBe(2);
    expect(done[0]).toEqual(["list", NOW, 100]);
    expect(
      done
        .slice(1)
        .map((each) => each.join(" "))
        .toSorted(),
    ).toEqual(["forget 1", "forget 2", "remove task_1/1-thumbnail", "remove task_1/2-thumbnail"]);
  });

  test("are forgotten if their store is no longer configured", async () => {
    const { deps, done } = scene({ copies: [{ ...COPY, place: "s3" }] });

    expect(await removeUnwanted(NOW, 100, deps)).toBe(1);
    expect(done.at(-1)).toEqual(["forget", 1]);
  });

  test("stay recorded if they cannot be deleted, and the error is thrown after all others", async () => {
    const { deps, done } = scene({ copies: [first, second], failsAt: "task_1/1-thumbnail" });

    expect(await reasonOf(removeUnwanted(NOW, 100, deps))).toMatchObject({
      message: "The disk is broken.",
    });
    expect(done.slice(1)).toEqual([
      ["remove", "task_1/2-thumbnail"],
      ["forget", 2],
    ]);
  });
});
