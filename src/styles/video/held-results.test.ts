import { describe, expect, test } from "bun:test";
import type { OutboundVideoFormat } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { task } from "#test/video-request.ts";
import { arkVideos } from "./ark/index.ts";
import { jimengVideo } from "./jimeng/index.ts";
import { klingVideo } from "./kling/index.ts";
import { kling3Video } from "./kling3/index.ts";
import { minimaxVideo, olderMinimaxVideo } from "./minimax/index.ts";
import { viduVideo } from "./vidu/index.ts";
import { wan } from "./wan/index.ts";

const VIDEO = "AAAAGGZ0eXBpc29t";
const URI = `data:video/mp4;base64,${VIDEO}`;

/** A finished task of each vendor, with its video at `url`. */
const ANSWERS: readonly (readonly [OutboundVideoFormat, (url: string) => JsonObject])[] = [
  [arkVideos, (url) => ({ id: "1", status: "succeeded", content: { video_url: url } })],
  [wan, (url) => ({ output: { task_status: "SUCCEEDED", video_url: url } })],
  [
    jimengVideo,
    (url) => ({ code: 10_000, message: "Success", data: { status: "done", video_url: url } }),
  ],
  [
    klingVideo,
    (url) => ({
      code: 0,
      data: { task_id: "1", task_status: "succeed", task_result: { videos: [{ id: "v", url }] } },
    }),
  ],
  [
    kling3Video,
    (url) => ({
      code: 0,
      data: [{ id: "upstream", status: "succeeded", outputs: [{ type: "video", url }] }],
    }),
  ],
  [viduVideo, (url) => ({ id: "1", state: "success", creations: [{ id: "c", url }] })],
  [olderMinimaxVideo, (url) => ({ status: "Success", file: { download_url: url } })],
  [minimaxVideo, (url) => ({ task: { id: "1", status: "succeeded", content: { url } } })],
];

describe.each(ANSWERS.map(([format, answer]) => [format.id, format, answer] as const))(
  "%s: a result that is a data URI",
  (_id, { outbound }, answer) => {
    const ref = task("m", { upstreamId: "upstream" });

    test("is a video without an address, whose bytes are in the response", () => {
      expect(outbound.parseTask(answer(URI), ref, 200)).toMatchObject({
        state: "succeeded",
        videos: [{ url: "" }],
      });
      expect(outbound.parseContent?.(answer(URI), 0)).toEqual({
        kind: "base64",
        base64: VIDEO,
        mediaType: "video/mp4",
      });
      expect(outbound.parseContent?.(answer(URI), 1)).toBeUndefined();
    });

    test("is missing if it is empty, or is not in base64", () => {
      for (const url of ["data:video/mp4;base64,", "data:text/plain,hi", "data:", "file:///etc"]) {
        if (outbound === olderMinimaxVideo.outbound) {
          // It can be asked for again.
          expect(() => outbound.parseTask(answer(url), ref, 200)).toThrow("no link to the video");
        } else expect(outbound.parseTask(answer(url), ref, 200)).toMatchObject({ videos: [] });
        expect(outbound.parseContent?.(answer(url), 0)).toBeUndefined();
      }
    });

    test("is a link if it is a link", () => {
      const url = "https://cdn.example/v.mp4";

      expect(outbound.parseTask(answer(url), ref, 200)).toMatchObject({ videos: [{ url }] });
      expect(outbound.parseContent?.(answer(url), 0)).toBeUndefined();
    });
  },
);
