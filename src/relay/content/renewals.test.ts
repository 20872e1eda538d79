import { describe, expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import type { Task, TaskChange } from "#core/task.ts";
import type { Egress, UpstreamReply } from "#egress/egress.ts";
import type { Json } from "#lib/json.ts";
import { aChannel } from "#test/a-channel.ts";
import { aTask } from "#test/a-task.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { Renewals } from "./renewals.ts";

const NOW = Date.UTC(2026, 0, 1);
const KEY = credential("secret-of-the-vendor");
const OLD = { url: "https://cdn.example/old.mp4" };
const NEW = { url: "https://cdn.example/new.mp4" };
const succeeded = (url = NEW.url): Json => ({ status: "succeeded", content: { video_url: url } });

function finished(id = "task_1"): Task {
  return aTask({
    id,
    status: "succeeded",
    videos: [OLD],
    place: {
      channel: "one",
      provider: "ark",
      upstreamModel: "doubao-seedance-1-0-pro-250528",
      format: "video-ark",
      credential: KEY.label,
      upstreamId: `up-${id}`,
    },
  });
}

/** A vendor that gives one answer, again and again. */
function scene(answer: Json, { stored }: { readonly stored?: Task | "gone" } = {}) {
  const asked: string[] = [];
  const changes: TaskChange[] = [];
  const clock = { at: NOW };
  const egress: Pick<Egress, "send"> = {
    async send({ url }) {
      asked.push(url.pathname.replace(/^.*\//, ""));
      const reply: Partial<UpstreamReply> = {
        status: 200,
        headers: new Map(),
        readAll: () => Buffer.from(JSON.stringify(answer)),
        [Symbol.dispose]() {},
      };
      return reply as UpstreamReply;
    },
  };
  const channel = aChannel({ provider: "ark", credentials: [KEY] });
  const renewals = new Renewals({
    egress: egress as Egress,
    findChannel: () => channel,
    clock: { now: () => clock.at, monotonic: () => clock.at },
    tasks: {
      async change(task: Task, change: TaskChange) {
        changes.push(change);
        return stored === undefined ? { ...task, ...change } : undefined;
      },
      findAny: async () => (stored === "gone" ? undefined : stored),
    } as never,
  });
  return { renewals, asked, changes, clock };
}

describe("the renewal of links", () => {
  test("stores the links that the vendor now returns", async () => {
    const { renewals, changes, asked } = scene(succeeded());
    const task = await renewals.renewed(finished());

    expect(task.videos).toEqual([NEW]);
    expect(changes).toEqual([{ videos: [NEW] }]);
    expect(changes[0]).not.toHaveProperty("linksEndAt");
    expect(asked).toEqual(["up-task_1"]);
  });

  test("reads when the new links expire, if they contain it", async () => {
    const url = `${NEW.url}?Expires=${NOW / 1_000 + 60}`;
    const { renewals, changes } = scene(succeeded(url));
    await renewals.renewed(finished());

    expect(changes).toEqual([{ videos: [{ url }], linksEndAt: NOW + 60_000 }]);
  });

  test("leaves the task unchanged if the vendor has no video of it any more", async () => {
    for (const answer of [{ status: "running" }, { status: "succeeded", content: {} }] as const) {
      const { renewals, changes } = scene(answer);
      const task = finished();

      expect(await renewals.renewed(task)).toBe(task);
      expect(changes).toEqual([]);
    }
  });

  test("returns the task with another gateway's changes", async () => {
    const stored = finished("task_as_changed");

    expect(await scene(succeeded(), { stored }).renewals.renewed(finished())).toBe(stored);
  });

  test("returns the old task if it was deleted meanwhile", async () => {
    const task = finished();

    expect(await scene(succeeded(), { stored: "gone" }).renewals.renewed(task)).toBe(task);
  });

  test("is made once a minute for each task, for any number of requests", async () => {
    const { renewals, asked, clock } = scene(succeeded());
    const [one, two] = [finished("task_1"), finished("task_2")];
    await Promise.all([renewals.renewed(one), renewals.renewed(one), renewals.renewed(two)]);
    clock.at += 59_999;
    await renewals.renewed(one);
    expect(asked).toEqual(["up-task_1", "up-task_2"]);

    clock.at += 1;
    await renewals.renewed(one);
    expect(asked).toHaveLength(3);
  });

  test("is remembered for 10,000 tasks, and then the oldest is forgotten", async () => {
    const { renewals, asked, clock } = scene(succeeded());
    const [first, second] = [finished("task_0"), finished("task_1")];
    await renewals.renewed(first);
    for (let at = 1; at < 10_000; at++) await renewals.renewed(finished(`task_${at}`));
    await renewals.renewed(first);
    expect(asked).toHaveLength(10_000);

    // Renewed again, it is the newest.
    clock.at += 60_000;
    await renewals.renewed(first);
    await renewals.renewed(finished("task_10000"));
    await renewals.renewed(first);
    expect(asked).toHaveLength(10_002);
    clock.at -= 1;
    await renewals.renewed(second);
    expect(asked).toHaveLength(10_003);
  });

  test("that fails fails for all waiting requests", async () => {
    const { renewals } = scene("no object");

    expect(await reasonOf(renewals.renewed(finished()))).toBeDefined();
  });
});
