import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { Task, TaskStatus } from "#core/task.ts";
import type { Content, ContentRequest } from "#relay/content/content.ts";
import type { Exchange } from "#http/routes.ts";
import { aTask } from "#test/a-task.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { getContent, getSignedContent } from "./content.ts";

const TASK = aTask({ status: "succeeded", userId: 7, keyId: 3 });
const KEY = { id: 5, userId: 7 };
const LARGE = 256 * 1024;

interface Scene {
  readonly method?: "GET" | "HEAD";
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly task?: Task | "unknown";
  /** The file, as it is found. */
  readonly content?: Partial<Content>;
  readonly cause?: GatewayError;
  readonly signal?: AbortSignal;
  /** By a signed link of this user's, instead of a key. */
  readonly linkOf?: number | "nobody";
}

async function* pieces(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size).fill(1);
}

function scene({
  method = "GET",
  headers = {},
  query = "",
  task = TASK,
  content = {},
  cause,
  signal = new AbortController().signal,
  linkOf,
}: Scene = {}) {
  const asked: (readonly [ContentRequest, number])[] = [];
  const announced: object[] = [];
  const stalls: number[] = [];
  const seen: unknown[][] = [];
  const counts = { open: 0, paused: 0 };
  const exchange = {
    id: "call-1",
    key: linkOf === undefined ? KEY : undefined,
    request: new Request("http://gate/", { method, headers }),
    query: new URLSearchParams(query),
    signal,
    param: (name: string) => `the ${name}`,
    announce: (more: object) => void announced.push(more),
    setStall: (ms: number) => void stalls.push(ms),
    suspendIdleTimeout() {
      counts.paused++;
      return { [Symbol.dispose]: () => void counts.paused-- };
    },
  } as unknown as Exchange;
  const file = {
    status: 200,
    mediaType: "video/mp4",
    sizeBytes: 3,
    takesRanges: false,
    body: pieces(1, 2),
    close: () => void counts.open--,
    ...content,
  };
  const deps = {
    limits: { callerStallMs: 9_000 },
    taskLinker: {
      userOf(id: string, given: URLSearchParams) {
        seen.push([id, given.toString()]);
        return linkOf === "nobody" ? undefined : linkOf;
      },
    },
    tasks: {
      async see(userId: number, id: string) {
        seen.push([userId, id]);
        return task === "unknown" ? undefined : task;
      },
    },
    contents: {
      async open(_task: Task, request: ContentRequest, keyId: number) {
        asked.push([request, keyId]);
        if (cause !== undefined) throw cause;
        counts.open++;
        return file;
      },
    },
  };
  const endpoint = linkOf === undefined ? getContent : getSignedContent;
  const ask = async (): Promise<Response> => await endpoint.handle(exchange, deps as never);
  return { ask, asked, announced, stalls, seen, counts };
}

async function headersOf(more: Scene): Promise<Record<string, string>> {
  return Object.fromEntries((await scene(more).ask()).headers);
}

/** Of the file that is requested: what is asked of its vendor or store. */
async function requestOf(more: Scene): Promise<Omit<ContentRequest, "signal"> | undefined> {
  const { ask, asked } = scene(more);
  await ask();
  const { signal: _, ...request } = asked[0]?.[0] ?? ({} as ContentRequest);
  return request;
}

const HEADERS = {
  "cache-control": "public, max-age=86400",
  "content-disposition": 'inline; filename="task_1.mp4"',
  "content-length": "3",
  "content-security-policy": "default-src 'none'; media-src 'self'; sandbox",
  "content-type": "video/mp4",
  "request-id": "call-1",
  vary: "authorization, x-api-key, api-key",
  "x-content-type-options": "nosniff",
  "x-request-id": "call-1",
};

describe("the file of a video", () => {
  test("is sent to its owner, may be cached, and runs no script", async () => {
    const { ask, asked, seen, counts } = scene();
    const answer = await ask();

    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toEqual(HEADERS);
    expect(await answer.bytes()).toEqual(new Uint8Array([1, 1, 1]));
    expect(seen).toEqual([[7, "the id"]]);
    expect(asked[0]?.[1]).toBe(KEY.id);
    expect(counts).toEqual({ open: 0, paused: 0 });
  });

  test("has the vendor's ETag, date and ranges, if there are any", async () => {
    const content = { takesRanges: true, etag: '"1"', lastModified: "Mon, 23 Nov 2026" };

    expect(await headersOf({ content })).toEqual({
      ...HEADERS,
      "accept-ranges": "bytes",
      etag: '"1"',
      "last-modified": "Mon, 23 Nov 2026",
    });
  });

  test("is cached for each credential, also for one in a vendor's header", async () => {
    const headers = { "x-goog-api-key": "k", accept: "*/*" };

    expect((await headersOf({ headers }))["vary"]).toBe(
      "authorization, x-api-key, api-key, x-goog-api-key",
    );
  });

  test.each<[string, string, string]>([
    ["", "video/quicktime", "task_1.mov"],
    ["", "video/x-odd.type", "task_1.bin"],
    ["index=2", "video/webm", "task_1-2.webm"],
    ["variant=thumbnail", "image/jpeg", "task_1-thumbnail.jpg"],
    ["index=1&variant=last_frame", "image/png", "task_1-1-last_frame.png"],
  ])("'%s' of the type %s has the name %s", async (query, mediaType, name) => {
    const { "content-disposition": said } = await headersOf({ query, content: { mediaType } });

    expect(said).toBe(`inline; filename="${name}"`);
  });

  test("is the first video, or another one by its number and kind", async () => {
    expect(await requestOf({})).toEqual({ index: 0, variant: "video" });
    expect(await requestOf({ query: "index=1000&variant=watermarked" })).toEqual({
      index: 1_000,
      variant: "watermarked",
    });
  });

  test.each([
    ["index=1001", "'index' must be a whole number from 0 to 1000."],
    ["index=-1", "'index' must be a whole number from 0 to 1000."],
    [
      "variant=poster",
      "'variant' must be one of video, thumbnail, spritesheet, last_frame, watermarked.",
    ],
  ])("cannot be selected by %s", async (query, message) => {
    const { ask, announced } = scene({ query });

    expect(await reasonOf(ask())).toMatchObject({ code: "invalid_request", message });
    expect(announced).toEqual([{ "cache-control": "no-store" }]);
  });
});

describe("a file that is not there", () => {
  test.each<[TaskStatus, string]>([
    ["queued", "This video is not completed yet: its status is 'queued'."],
    ["running", "This video is not completed yet: its status is 'in_progress'."],
    ["failed", "This task has no video: its status is 'failed'."],
  ])("because its task is %s is refused, and not looked for", async (status, message) => {
    const { ask, asked, announced } = scene({ task: { ...TASK, status } });

    expect(await reasonOf(ask())).toMatchObject({ code: "invalid_request", message });
    expect(asked).toEqual([]);
    expect(announced).toEqual([{ "cache-control": "no-store" }]);
  });

  test("because its task is another user's is not found", async () => {
    expect(await reasonOf(scene({ task: "unknown" }).ask())).toMatchObject({ code: "not_found" });
  });

  test("because its vendor fails is the vendor's error, which no cache stores", async () => {
    const cause = new GatewayError("upstream_failed", "No.");
    const { ask, announced, counts } = scene({ cause });

    expect(await reasonOf(ask())).toBe(cause);
    expect(announced).toEqual([{ "cache-control": "no-store" }]);
    expect(counts.paused).toBe(0);
  });
});

describe("a signed link", () => {
  test("gives access to its owner's task without a key, on the account of the task's key", async () => {
    const { ask, asked, seen } = scene({ linkOf: 7, query: "signature=s" });

    expect((await ask()).status).toBe(200);
    expect(seen).toEqual([
      ["the id", "signature=s"],
      [7, "the id"],
    ]);
    expect(asked[0]?.[1]).toBe(TASK.keyId);
  });

  test("that is invalid, or whose task was deleted, is not found", async () => {
    for (const more of [{ linkOf: "nobody" }, { linkOf: 7, task: "unknown" }] as const) {
      expect(await reasonOf(scene(more).ask())).toMatchObject({
        code: "not_found",
        message: "This link is invalid or has expired.",
      });
    }
    const { ask, seen } = scene({ linkOf: "nobody" });
    await reasonOf(ask());
    expect(seen).toHaveLength(1);
  });
});

describe("a part of a file", () => {
  test("is requested of the vendor, for the version that the client has", async () => {
    const range = "bytes=5-9";
    const part = { index: 0, variant: "video", range: { first: 5, last: 9 } } as const;

    expect(await requestOf({ headers: { range } })).toEqual(part);
    expect(await requestOf({ headers: { range, "if-range": '"1"' } })).toEqual({
      ...part,
      ifRange: '"1"',
    });
    expect(await requestOf({ headers: { range, "if-range": "é" } })).toEqual(part);
  });

  test("is sent with its place in the whole, whose size may be unknown", async () => {
    const part = { status: 206, span: { start: 5, end: 8 } } as const;
    const { ask } = scene({ content: { ...part, sizeBytes: 100 } });
    const answer = await ask();

    expect(answer.status).toBe(206);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-length": "3",
      "content-range": "bytes 5-7/100",
    });
    expect(await headersOf({ content: { ...part, sizeBytes: undefined } })).toMatchObject({
      "content-range": "bytes 5-7/*",
    });
  });

  test("is one: several are refused, and not requested", async () => {
    const { ask, asked } = scene({ headers: { range: "bytes=0-1,5-6" } });

    expect(await reasonOf(ask())).toMatchObject({
      code: "range_not_satisfiable",
      message: "The file has no such range.",
    });
    expect(asked).toEqual([]);
  });

  test("outside of the file is refused with the file's size, if that is known", async () => {
    const known = scene({ content: { status: 416, sizeBytes: 100 } });
    const unknown = scene({ content: { status: 416, sizeBytes: undefined } });

    for (const { ask, counts } of [known, unknown]) {
      expect(await reasonOf(ask())).toMatchObject({ code: "range_not_satisfiable" });
      expect(counts.open).toBe(0);
    }
    expect(known.announced[0]).toEqual({ "content-range": "bytes */100" });
    expect(unknown.announced).toEqual([{ "cache-control": "no-store" }]);
  });
});

describe("a HEAD", () => {
  const span = { start: 0, end: 64 };
  const content = { status: 206, span, sizeBytes: 1_000 } as const;

  test("reads a few bytes, and has the headers of the whole file", async () => {
    const { ask, asked, counts } = scene({
      method: "HEAD",
      headers: { range: "bytes=5-9" },
      content,
    });
    const answer = await ask();

    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toEqual({ ...HEADERS, "content-length": "1000" });
    expect(asked[0]?.[0].range).toEqual({ first: 0, last: 63 });
    expect(counts.open).toBe(0);
    expect(getContent).toMatchObject({ isFile: true, access: "key" });
    expect(getSignedContent).toMatchObject({ isFile: true, access: "link" });
  });
});

describe("a client that has the file", () => {
  const content = { etag: '"v1"' };
  const statusFor = async (known: string, etag: string | undefined = '"v1"') =>
    (await scene({ headers: { "if-none-match": known }, content: { etag } }).ask()).status;

  test("is sent nothing of it", async () => {
    const { ask, counts } = scene({ headers: { "if-none-match": '"v1"' }, content });
    const answer = await ask();
    const {
      "content-disposition": _,
      "content-length": __,
      "content-type": ___,
      ...rest
    } = HEADERS;

    expect(answer.status).toBe(304);
    expect(Object.fromEntries(answer.headers)).toEqual({ ...rest, etag: '"v1"' });
    expect(await answer.text()).toBe("");
    expect(counts.open).toBe(0);
  });

  test("may have one of several versions, or a weak one", async () => {
    for (const known of ['"v1"', 'W/"v1"', '"v0", "v1"', " * "]) {
      expect(await statusFor(known)).toBe(304);
    }
    expect(await statusFor('"v1"', 'W/"v1"')).toBe(304);
    for (const other of ['"v0"', "v1", '"v0", "v2"']) expect(await statusFor(other)).toBe(200);
  });

  test("is sent it if the vendor names no version", async () => {
    const headers = { "if-none-match": "*" };

    expect((await scene({ headers }).ask()).status).toBe(200);
  });
});

describe("a small file", () => {
  test("is sent at once, with its exact length", async () => {
    const { ask, stalls, counts } = scene({ content: { sizeBytes: LARGE, body: pieces(LARGE) } });
    const answer = await ask();

    expect(counts.open).toBe(0);
    expect(stalls).toEqual([]);
    expect((await answer.bytes()).length).toBe(LARGE);
  });

  test.each([
    ["shorter", [1, 1]],
    ["longer", [1, 3]],
  ] as const)("that is %s than its vendor says is the vendor's failure", async (_what, sizes) => {
    const { ask, counts } = scene({ content: { body: pieces(...sizes) } });

    expect(await reasonOf(ask())).toMatchObject({
      code: "upstream_failed",
      message: "The upstream sent a body of another length than its Content-Length.",
    });
    expect(counts.open).toBe(0);
  });
});

describe("a large file", () => {
  const sizeBytes = LARGE + 1;
  const read = async (more: Partial<Content>): Promise<number | "cut"> => {
    const { ask, counts } = scene({ content: { sizeBytes, ...more } });
    const answer = await ask();
    const bytes = await answer.bytes().catch(() => undefined);
    expect(counts.open).toBe(0);
    return bytes?.length ?? "cut";
  };

  test("is sent as it arrives, and a client that reads nothing is left after a while", async () => {
    const { ask, stalls, counts } = scene({ content: { sizeBytes, body: pieces(LARGE, 1) } });
    const answer = await ask();
    expect([counts.open, stalls]).toEqual([1, [9_000]]);

    expect((await answer.bytes()).length).toBe(sizeBytes);
    expect(counts.open).toBe(0);
  });

  test("is sent to its end if its size is unknown", async () => {
    expect(await read({ sizeBytes: undefined, body: pieces(5) })).toBe(5);
  });

  test("is cut off if it ends early, or breaks", async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(5);
      throw new Error("The connection broke.");
    }

    expect(await read({ body: pieces(LARGE) })).toBe("cut");
    expect(await read({ body: broken() })).toBe("cut");
    expect(await read({ sizeBytes: undefined, body: broken() })).toBe("cut");
  });

  test("is closed once its client leaves", async () => {
    const leaving = new AbortController();
    const during = scene({ content: { sizeBytes }, signal: leaving.signal });
    const before = scene({ content: { sizeBytes }, signal: AbortSignal.abort() });
    await during.ask();
    await before.ask();
    expect([during.counts.open, before.counts.open]).toEqual([1, 0]);

    leaving.abort();
    expect(during.counts.open).toBe(0);
  });

  test("that a store has as a file is sent as such", async () => {
    const body = new Blob(["a file"]);
    const { ask, stalls, counts } = scene({ content: { sizeBytes: 6, body } });
    const answer = await ask();

    expect(await answer.text()).toBe("a file");
    expect(stalls).toEqual([9_000]);
    expect(counts.open).toBe(0);
  });
});
