import { expect, test } from "bun:test";
import type { Variant } from "#core/kept-media.ts";
import { aTask } from "#test/a-task.ts";
import { linkOf, variantsOf } from "./variants.ts";

const VIDEO = {
  url: "https://cdn.example/v.mp4",
  coverUrl: "https://cdn.example/c.png",
  lastFrameUrl: "https://cdn.example/l.png",
  watermarkedUrl: "https://cdn.example/w.mp4",
};
const signal = new AbortController().signal;

test("a video has the files that its vendor has links for, and always itself", () => {
  expect(variantsOf(VIDEO)).toEqual(["video", "thumbnail", "last_frame", "watermarked"]);
  expect(variantsOf({ url: "", coverUrl: "" })).toEqual(["video"]);
  expect(variantsOf({ url: VIDEO.url })).toEqual(["video"]);
});

test.each<[Variant, string | undefined]>([
  ["video", VIDEO.url],
  ["thumbnail", VIDEO.coverUrl],
  ["spritesheet", undefined],
  ["last_frame", VIDEO.lastFrameUrl],
  ["watermarked", VIDEO.watermarkedUrl],
])("the link of the %s of the second video is %s", (variant, link) => {
  const task = aTask({ videos: [{ url: "https://cdn.example/0.mp4" }, VIDEO] });

  expect(linkOf(task, { index: 1, variant, signal })).toBe(link);
});

test("a video that the task does not have is not found", () => {
  const link = () => linkOf(aTask({ videos: [VIDEO] }), { index: 1, variant: "video", signal });

  expect(link).toThrow(
    expect.objectContaining({ code: "not_found", message: "This task has no video 1." }),
  );
});
