import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { MediaBytes, MediaCopy, TaskFile } from "#core/kept-media.ts";
import type { Span } from "#lib/byte-range.ts";
import { aTask } from "#test/a-task.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import type { Content, ContentRequest } from "./content.ts";
import { Contents } from "./contents.ts";

const NOW = Date.UTC(2026, 0, 1);
const KEY = 7;
const REQUEST: ContentRequest = {
  index: 0,
  variant: "video",
  signal: new AbortController().signal,
};
/** The vendor's file is in the link itself. */
const VENDORS = Buffer.from("the vendor's file");
const TASK = aTask({
  status: "succeeded",
  videos: [{ url: `data:video/mp4;base64,${VENDORS.toString("base64")}` }],
});
const COPY: MediaCopy = {
  taskId: TASK.id,
  index: 0,
  variant: "video",
  state: "kept",
  place: "folder",
  kept: { sizeBytes: 100, mediaType: "video/webm", digest: "abc", at: NOW },
  attempts: 1,
  createdAt: NOW,
  dueAt: NOW,
};

interface Scene {
  readonly copy?: MediaCopy | "none";
  readonly body?: () => MediaBytes | undefined;
  readonly hasNoStore?: true;
}

async function* slowly(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("one");
  yield Buffer.from("two");
}

function scene({ copy = COPY, body = () => new Blob(["a copy"]), hasNoStore }: Scene = {}) {
  const sought: TaskFile[] = [];
  const opened: unknown[][] = [];
  const errors: unknown[] = [];
  const aborted: GatewayError[] = [];
  const folder = {
    async open(path: string, sizeBytes: number, span: Span) {
      opened.push([path, sizeBytes, span]);
      return body();
    },
  };
  const contents = new Contents({
    clock: { now: () => NOW, monotonic: () => 0 },
    limits: { mediaBytes: 1_000, downloads: 2, keyDownloads: 2 },
    findChannel: () => undefined,
    files: { abortAll: (reason: GatewayError) => void aborted.push(reason) },
    stores: hasNoStore === true ? {} : { folder },
    copies: {
      async find(file: TaskFile) {
        sought.push(file);
        return copy === "none" ? undefined : copy;
      },
      lease: async () => [],
    },
    onError: (cause: unknown) => void errors.push(cause),
  } as never);
  const open = (more: Partial<ContentRequest> = {}) =>
    contents.open(TASK, { ...REQUEST, ...more }, KEY);
  return { contents, open, sought, opened, errors, aborted };
}

async function textOf({ body }: Content): Promise<string> {
  if (body instanceof Blob) return await body.text();
  let text = "";
  for await (const piece of body) text += Buffer.from(piece).toString();
  return text;
}

describe("a copy of a file", () => {
  test("is sent instead of the vendor's file, with its digest as ETag", async () => {
    const { open, sought, opened } = scene();
    const content = await open();

    expect(content).toMatchObject({
      status: 200,
      mediaType: "video/webm",
      sizeBytes: 100,
      etag: '"abc"',
    });
    expect(await textOf(content)).toBe("a copy");
    expect(sought).toEqual([{ taskId: "task_1", index: 0, variant: "video" }]);
    expect(opened).toEqual([["task_1/0-video", 100, { start: 0, end: 100 }]]);
  });

  test("is sent in part", async () => {
    const { open, opened } = scene();

    expect(await open({ range: { first: 5, last: 9 } })).toMatchObject({ status: 206 });
    expect(opened).toEqual([["task_1/0-video", 100, { start: 5, end: 10 }]]);
  });

  test("goes to the client as a file, or as it is read from its store", async () => {
    const blob = new Blob(["a file"]);
    const asFile = await scene({ body: () => blob }).open();
    const asRead = await scene({ body: slowly }).open();

    expect(asFile.body).toBe(blob);
    expect(await textOf(asRead)).toBe("onetwo");
  });

  test("stops with the gateway", async () => {
    const { contents, open, aborted } = scene({ body: slowly });
    const { body } = await open();
    const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await pieces.next();
    const reason = new GatewayError("unavailable", "The gateway stops.");
    contents.abortAll(reason);

    expect(await reasonOf(pieces.next())).toBe(reason);
    expect(aborted).toEqual([reason]);
  });
});

describe("the vendor's file", () => {
  const { kept: _, ...wanted } = COPY;

  test.each<[string, Scene]>([
    ["no copy was wanted", { copy: "none" }],
    ["the copy is not made yet", { copy: { ...wanted, state: "wanted" } }],
    ["the copy's store is no longer configured", { copy: { ...COPY, place: "s3" } }],
    ["the copy is gone from its store", { body: () => undefined }],
  ])("is sent if %s", async (_what, more) => {
    const { open, errors } = scene(more);

    expect(await textOf(await open())).toBe(VENDORS.toString());
    expect(errors).toEqual([]);
  });

  test("is sent if the copy cannot be read, and the operator gets an error", async () => {
    const broken = new Error("The disk is broken.");
    const { open, errors } = scene({
      body() {
        throw broken;
      },
    });

    expect(await textOf(await open())).toBe(VENDORS.toString());
    expect(errors).toEqual([broken]);
  });

  test("is sent without a query if the gateway makes no copies", async () => {
    const { open, sought } = scene({ hasNoStore: true });

    expect(await textOf(await open())).toBe(VENDORS.toString());
    expect(sought).toEqual([]);
  });
});

describe("a download", () => {
  test("that is closed closes the vendor's file, and frees a slot", async () => {
    const { open } = scene({ hasNoStore: true });
    const read: string[] = [];
    for (let times = 0; times < 6; times++) {
      void open().then((content) => {
        read.push(content.mediaType);
        content.close();
      });
      await Bun.sleep(0);
    }

    expect(read).toHaveLength(6);
  });

  test("is counted until it is closed, or if it fails", async () => {
    const { contents, open } = scene();
    const [first, second] = [await open(), await open()];
    expect(contents.count).toBe(2);
    expect(await reasonOf(open())).toMatchObject({ code: "rate_limited" });

    first.close();
    expect(contents.count).toBe(1);
    second.close();
    const none = aTask({ status: "succeeded", videos: [] });
    const { contents: empty } = scene({ hasNoStore: true });
    expect(await reasonOf(empty.open(none, REQUEST, KEY))).toMatchObject({ code: "not_found" });
    expect(empty.count).toBe(0);
  });
});
