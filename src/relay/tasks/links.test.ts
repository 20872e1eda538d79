import { expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { MadeVideo } from "#core/video.ts";
import { linksOf } from "./links.ts";

const HERE = "https://gateway.example/v1/videos/task_1/content";
const VIDEOS = [
  { url: "https://cdn.example/0.mp4", coverUrl: "https://cdn.example/0.png", seconds: 5 },
  { url: "https://cdn.example/1.mp4", lastFrameUrl: "https://cdn.example/1.png" },
];

function taskOf(provider: string, format: string, videos: readonly MadeVideo[]): Task {
  return {
    id: "task_1",
    userId: 1,
    keyId: 1,
    entry: "video-unified",
    model: "m",
    facts: { scenario: "text" },
    status: "succeeded",
    place: { channel: "c", provider, upstreamModel: "veo-3.1", format, credential: "" },
    videos,
    usage: NO_USAGE,
    held: nanoUsd(0),
    lost: [],
    createdAt: 1,
    deadlineAt: 2,
    dueAt: 1,
    failures: 0,
    misses: 0,
    isSettled: true,
    version: 1,
  };
}

test("links that are open to anybody are handed on as they are", () => {
  expect(linksOf(taskOf("ark", "video-ark", VIDEOS), HERE, false).videos).toEqual(VIDEOS);
});

test("where copies are kept, all links lead here: videos, and what was made beside them", () => {
  expect(linksOf(taskOf("ark", "video-ark", VIDEOS), HERE, true).videos).toEqual([
    { url: HERE, coverUrl: `${HERE}?variant=thumbnail`, seconds: 5 },
    { url: `${HERE}?index=1`, lastFrameUrl: `${HERE}?index=1&variant=last_frame` },
  ]);
});

test("links that need a credential of ours, and videos without one, lead here", () => {
  for (const task of [
    taskOf("gemini", "video-veo", VIDEOS),
    taskOf("ark", "video-ark", [{ url: "" }, { url: "data:video/mp4;base64,AAAA" }]),
  ]) {
    const urls = linksOf(task, HERE, false).videos.map(({ url }) => url);
    expect(urls).toEqual([HERE, `${HERE}?index=1`]);
  }
});
