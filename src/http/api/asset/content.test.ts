import { describe, expect, test } from "bun:test";
import type { Asset } from "#core/asset.ts";
import type { MediaBytes } from "#core/kept-media.ts";
import type { Span } from "#lib/byte-range.ts";
import type { Exchange } from "#http/routes.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { getAssetContent } from "./content.ts";

const FILE = { store: "folder", sizeBytes: 100, mediaType: "image/png", digest: "abc" } as const;

interface Scene {
  readonly method?: "GET" | "HEAD";
  readonly range?: string;
  /** What the signed link gives access to. */
  readonly asset?: Partial<Asset>;
  readonly isUnknown?: true;
  readonly body?: () => MediaBytes | undefined;
  readonly signal?: AbortSignal;
}

function scene({
  method = "GET",
  range,
  asset = { file: FILE },
  isUnknown,
  body = () => new Blob(["bytes"]),
  signal = new AbortController().signal,
}: Scene = {}) {
  const opened: Span[] = [];
  const announced: object[] = [];
  const stalls: number[] = [];
  const sought: string[] = [];
  const exchange: Partial<Exchange> = {
    id: "call-1",
    request: new Request("http://gate/", { method, headers: range === undefined ? {} : { range } }),
    query: new URLSearchParams("signature=s"),
    signal,
    param: (name) => `the ${name}`,
    announce: (headers) => void announced.push(headers),
    setStall: (ms) => void stalls.push(ms),
  };
  const deps = {
    limits: { callerStallMs: 7_000 },
    assetLinks: {
      async find(id: string, query: URLSearchParams) {
        sought.push(`${id} ${query.toString()}`);
        return isUnknown === true ? undefined : asset;
      },
    },
    assetFiles: {
      async open(_asset: Asset, span: Span) {
        opened.push(span);
        return body();
      },
    },
  };
  const ask = async (): Promise<Response> =>
    await getAssetContent.handle(exchange as Exchange, deps as never);
  return { ask, opened, announced, stalls, sought };
}

const WHOLE = {
  "accept-ranges": "bytes",
  "cache-control": "private, max-age=3600",
  "content-length": "100",
  "content-security-policy": "default-src 'none'; sandbox",
  "content-type": "image/png",
  etag: '"abc"',
  "x-content-type-options": "nosniff",
  "x-request-id": "call-1",
};
const NOT_FOUND = {
  code: "not_found",
  message: "This link is invalid or has expired.",
};

describe("the file of an asset", () => {
  test("is sent as a whole, and runs no script in a browser", async () => {
    const { ask, opened, stalls, sought } = scene();
    const answer = await ask();

    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toEqual(WHOLE);
    expect(await answer.text()).toBe("bytes");
    expect(opened).toEqual([{ start: 0, end: 100 }]);
    expect(stalls).toEqual([7_000]);
    expect(sought).toEqual(["the id signature=s"]);
  });

  test("is sent in part", async () => {
    const { ask, opened } = scene({ range: "bytes=5-9" });
    const answer = await ask();

    expect(answer.status).toBe(206);
    expect(Object.fromEntries(answer.headers)).toEqual({
      ...WHOLE,
      "content-length": "5",
      "content-range": "bytes 5-9/100",
    });
    expect(opened).toEqual([{ start: 5, end: 10 }]);
  });

  test("is sent as a whole if the range is invalid", async () => {
    expect((await scene({ range: "lines=1-2" }).ask()).status).toBe(200);
  });

  test.each(["bytes=100-", "bytes=0-1,5-6"])(
    "has no part %s, and the error says so",
    async (range) => {
      const { ask, announced, opened } = scene({ range });

      expect(await reasonOf(ask())).toMatchObject({
        code: "range_not_satisfiable",
        message: "The file has no such range.",
      });
      expect(announced).toEqual([{ "content-range": "bytes */100" }]);
      expect(opened).toEqual([]);
    },
  );

  test("is not read for a HEAD, which has the headers of the whole file", async () => {
    expect(getAssetContent).toMatchObject({ method: "GET", isFile: true, access: "link" });
    for (const range of [undefined, "bytes=5-9", "bytes=100-"]) {
      const { ask, opened } = scene({ method: "HEAD", ...(range !== undefined && { range }) });
      const answer = await ask();

      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toEqual(WHOLE);
      expect(opened).toEqual([]);
    }
  });

  test("is not found by an invalid link, or if the asset has no file", async () => {
    for (const more of [{ isUnknown: true }, { asset: {} }, { body: () => undefined }] as const) {
      expect(await reasonOf(scene(more).ask())).toMatchObject(NOT_FOUND);
    }
  });
});

describe("a file that is read piece by piece", () => {
  async function* pieces(last: () => void = () => {}): AsyncGenerator<Uint8Array> {
    yield Buffer.from("one ");
    last();
    yield Buffer.from("two");
  }
  const read = async (more: Scene): Promise<string> => {
    const answer = await scene(more).ask();
    return await answer.text().catch(() => "cut");
  };

  test("is sent to its end", async () => {
    expect(await read({ body: () => pieces() })).toBe("one two");
  });

  test("is cut off if the client leaves", async () => {
    const leaving = new AbortController();
    const body = () => pieces(() => leaving.abort());

    expect(await read({ body, signal: leaving.signal })).toBe("cut");
  });

  test("is aborted if it breaks off, so that no client treats a part as the whole", async () => {
    const body = () =>
      pieces(() => {
        throw new Error("The disk is broken.");
      });

    expect(await read({ body })).toBe("cut");
  });
});
