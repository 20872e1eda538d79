import { expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { MadeVideo } from "#core/video.ts";
import { linksOf, type TaskAddress } from "./links.ts";

const HERE = "https://gateway.example/v1/videos/task_1/content";
const AT: TaskAddress = {
  filesUrl: "https://gateway.example/v1beta/files",
  linkTo: (index, variant = "video") => `${HERE}/${index}/${variant}`,
};
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

test("public links are passed on unchanged", () => {
  expect(linksOf(taskOf("ark", "video-ark", VIDEOS), AT, false).videos).toEqual(VIDEOS);
});

test("if copies are stored, all links lead to the gateway: of videos and their variants", () => {
  expect(linksOf(taskOf("ark", "video-ark", VIDEOS), AT, true).videos).toEqual([
    { url: `${HERE}/0/video`, coverUrl: `${HERE}/0/thumbnail`, seconds: 5 },
    { url: `${HERE}/1/video`, lastFrameUrl: `${HERE}/1/last_frame` },
  ]);
});

test("links that need the gateway's credential, and videos without a link, lead to the gateway", () => {
  for (const task of [
    taskOf("gemini", "video-veo", VIDEOS),
    taskOf("ark", "video-ark", [{ url: "" }, { url: "data:video/mp4;base64,AAAA" }]),
  ]) {
    const urls = linksOf(task, AT, false).videos.map(({ url }) => url);
    expect(urls).toEqual([`${HERE}/0/video`, `${HERE}/1/video`]);
  }
});

test("links of an endpoint that the vendor no longer has are passed on unchanged", () => {
  const task = taskOf("gemini", "video-gone", VIDEOS);

  expect(linksOf(task, AT, false).videos).toEqual(VIDEOS);
});

test("a task without a vendor keeps its links unchanged", () => {
  const { place: _place, ...task } = taskOf("gemini", "video-veo", VIDEOS);

  expect(linksOf(task, AT, false).videos).toEqual(VIDEOS);
});
