import { expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import { TaskLinker } from "./task-links.ts";

const START = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3_600_000;
const BASE = "https://gate.example";
const TASK: Task = {
  id: "task_1",
  userId: 7,
  keyId: 1,
  entry: "video-unified",
  model: "m",
  facts: { scenario: "text" },
  status: "succeeded",
  place: {
    channel: "c",
    provider: "ark",
    upstreamModel: "m",
    format: "video-ark",
    credential: "",
  },
  videos: [{ url: "https://cdn.example/0.mp4" }],
  usage: NO_USAGE,
  held: nanoUsd(0),
  lost: [],
  createdAt: START,
  deadlineAt: START,
  dueAt: START,
  failures: 0,
  misses: 0,
  isSettled: true,
  version: 1,
};

test("a link that needs the client's key names the video and its variant, if they are not the first", () => {
  const { filesUrl, linkTo } = linkerAt(START).addressOf(TASK, BASE, {});

  expect(filesUrl).toBe("https://gate.example/v1beta/files");
  expect(linkTo(0)).toBe("https://gate.example/v1/videos/task_1/content");
  expect(linkTo(1)).toBe("https://gate.example/v1/videos/task_1/content?index=1");
  expect(linkTo(1, "thumbnail")).toBe(
    "https://gate.example/v1/videos/task_1/content?index=1&variant=thumbnail",
  );
});

test("an open link gives access to its owner's file for a day", () => {
  const url = openLink();
  expect(url.origin + url.pathname).toBe("https://gate.example/v1/videos/task_1/file");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    index: "1",
    variant: "thumbnail",
    user: "7",
    expires: String(START + DAY_MS),
    signature: expect.stringMatching(/^[\w-]{43}$/),
  });

  const before = url.search;
  expect(linkerAt(START + DAY_MS - 1).userOf("task_1", url.searchParams)).toBe(7);
  expect(linkerAt(START + DAY_MS).userOf("task_1", url.searchParams)).toBeUndefined();
  expect(url.search).toBe(before);
});

test("the order of an open link's parameters does not matter", () => {
  const query = new URLSearchParams([...openLink().searchParams].toReversed());

  expect(linkerAt(START).userOf("task_1", query)).toBe(7);
});

test.each<[string, (query: URLSearchParams) => void]>([
  ["without a signature", (query) => query.delete("signature")],
  ["with a longer signature", (query) => query.set("signature", `${query.get("signature")}A`)],
  ["with another signature", (query) => query.set("signature", "A".repeat(43))],
  ["with another user", (query) => query.set("user", "8")],
  ["with a later end", (query) => query.set("expires", String(START + 2 * DAY_MS))],
  ["without an end", (query) => query.delete("expires")],
  ["with another video", (query) => query.set("index", "0")],
  ["with another variant", (query) => query.set("variant", "last_frame")],
  ["with a further parameter", (query) => query.set("more", "1")],
])("an open link %s gives no access", (_what, change) => {
  const query = openLink().searchParams;
  change(query);

  expect(linkerAt(START).userOf("task_1", query)).toBeUndefined();
});

test("the signature of one task gives no access to another", () => {
  expect(linkerAt(START).userOf("task_2", openLink().searchParams)).toBeUndefined();
});

test("an open link that another key signed gives no access", () => {
  expect(linkerAt(START, "another").userOf("task_1", openLink().searchParams)).toBeUndefined();
});

function openLink(): URL {
  const { linkTo } = linkerAt(START).addressOf(TASK, BASE, { hasOpenLinks: true });
  return new URL(linkTo(1, "thumbnail"));
}

function linkerAt(now: number, key = "key"): TaskLinker {
  return new TaskLinker({
    clock: { now: () => now, monotonic: () => now },
    key: new TextEncoder().encode(key),
  });
}
