import { describe, expect, spyOn, test } from "bun:test";
import type { Asset, AssetChange } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import type { MediaStore } from "#core/kept-media.ts";
import type { FileRequest } from "#egress/linked-files.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { reasonOf } from "#test/storage/contract-place.ts";
import { OwnFiles } from "./local-files.ts";

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 24 * 3_600_000;
const MIB = 1_048_576;
const NEVER = new AbortController().signal;
const PNG = Buffer.from(pngUrl(128, 96).replace(/^.*,/, ""), "base64");
const MP4 = Buffer.from("000000206674797069736f6d00000200", "hex");
const ASSET: Asset = {
  id: "asset-1",
  userId: 1,
  groupId: "group-1",
  type: "image",
  name: "A cat",
  url: "https://example.com/cat.png",
  status: "pending",
  createdAt: NOW,
  updatedAt: NOW,
  dueAt: NOW,
  looks: 0,
};
const VIDEO: Asset = { ...ASSET, type: "video", url: "https://example.com/cat.mp4" };

interface Scene {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly Uint8Array[];
  /** Instead of a response. */
  readonly cause?: unknown;
  readonly assetBytes?: number;
  /** How much the user stores already. */
  readonly stocked?: number;
  readonly store?: "folder" | "s3";
  readonly isRemoved?: true;
}

function scene({
  status = 200,
  headers = {},
  pieces = [PNG],
  cause,
  assetBytes = 1_000 * MIB,
  stocked = 0,
  store = "folder",
  isRemoved,
}: Scene = {}) {
  const opened: { link: string; request: FileRequest }[] = [];
  const changes: AssetChange[] = [];
  const stored = new Map<string, { bytes: Buffer; mediaType: string }>();
  const removed: string[] = [];
  const counts = { open: 0, read: 0, readBefore: -1 };
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      counts.read++;
      yield piece;
    }
  }
  const folder: MediaStore = {
    async put(path, bytes, mediaType) {
      counts.readBefore = counts.read;
      const parts: Uint8Array[] = [];
      for await (const piece of bytes) parts.push(piece);
      const all = Buffer.concat(parts);
      stored.set(path, { bytes: all, mediaType });
      return { sizeBytes: all.length, digest: "abc" };
    },
    async open(path, sizeBytes, { start, end }) {
      return new Blob([`${path} ${sizeBytes} ${start}-${end}`]);
    },
    async remove(path) {
      stored.delete(path);
      removed.push(path);
    },
  };
  const deps = {
    clock: { now: () => NOW, monotonic: () => NOW },
    files: {
      async open(link: string, request: FileRequest) {
        opened.push({ link, request });
        if (cause !== undefined) throw cause;
        counts.open++;
        const fields = new Map(Object.entries(headers));
        return { status, headers: fields, body: body(), close: () => void counts.open-- };
      },
    },
    stores: { folder },
    store,
    maxPixels: 1_000_000,
    limits: { assetBytes },
    assets: {
      stockOf: async () => ({ groups: 1, assets: 1, bytes: stocked }),
      async change(_id: string, change: AssetChange) {
        changes.push(change);
        return isRemoved === true ? undefined : { ...ASSET, ...change };
      },
    },
  };
  const files = new OwnFiles(deps as never);
  return { files, opened, changes, stored, removed, counts, folder };
}

/** What is recorded of an asset after its download. */
async function recorded(more: Scene, asset = ASSET, signal = NEVER): Promise<unknown> {
  const { files, changes, counts } = scene(more);
  await files.takeIn(asset, signal);
  expect(counts.open).toBe(0);
  const { updatedAt, ...change } = changes[0] ?? {};
  expect(updatedAt).toBe(NOW);
  return change;
}

const failed = (code: string, message: string) => ({
  status: "failed",
  failure: { code, message },
});
const TOO_LARGE = failed("FileSizeTooLarge", "What the link leads to is too large.");

describe("the file of a new asset", () => {
  test("is downloaded once, checked and stored with its type and digest", async () => {
    const { files, opened, changes, stored, counts } = scene();
    await files.takeIn(ASSET, NEVER);

    expect(changes).toEqual([
      {
        status: "active",
        updatedAt: NOW,
        file: { store: "folder", mediaType: "image/png", sizeBytes: PNG.length, digest: "abc" },
      },
    ]);
    expect([...stored]).toEqual([["assets/asset-1", { bytes: PNG, mediaType: "image/png" }]]);
    expect(opened).toHaveLength(1);
    expect(opened[0]?.link).toBe(ASSET.url);
    expect(opened[0]?.request).toMatchObject({ headers: {}, giver: undefined, maxRedirects: 3 });
    expect(counts.open).toBe(0);
  });

  test("may take four minutes to arrive, and ends if the gateway stops", async () => {
    const timeout = spyOn(AbortSignal, "timeout");
    const stopping = new AbortController();
    const { files, opened } = scene();
    await files.takeIn(ASSET, stopping.signal);

    expect(timeout).toHaveBeenCalledWith(240_000);
    timeout.mockRestore();
    const signal = opened[0]?.request.signal;
    expect(signal?.aborted).toBe(false);
    stopping.abort();
    expect(signal?.aborted).toBe(true);
  });

  test("is stored while it arrives if it is a video, after a check of its first MiB", async () => {
    const pieces = [Buffer.alloc(MIB), Buffer.from("second"), Buffer.from("third")];
    pieces[0]?.set(MP4);
    const { files, stored, counts } = scene({ pieces });
    await files.takeIn(VIDEO, NEVER);

    expect(counts).toMatchObject({ readBefore: 1, read: 3 });
    expect(stored.get("assets/asset-1")?.bytes.equals(Buffer.concat(pieces))).toBe(true);
  });

  test("is checked as a whole if it is an image", async () => {
    const pieces = [Buffer.concat([PNG, Buffer.alloc(MIB)]), Buffer.from("second")];
    const { files, stored, counts } = scene({ pieces });
    await files.takeIn(ASSET, NEVER);

    expect(counts).toMatchObject({ readBefore: 2 });
    expect(stored.get("assets/asset-1")?.bytes.equals(Buffer.concat(pieces))).toBe(true);
  });

  test("is not stored if it is of another kind", async () => {
    const { files, stored, changes } = scene({ pieces: [Buffer.from("<html>")] });
    await files.takeIn(ASSET, NEVER);

    expect(changes[0]).toMatchObject({ status: "failed", failure: { code: "TypeMismatch" } });
    expect(stored.size).toBe(0);
  });
});

describe("the size of a file", () => {
  const saying = (bytes: number) => ({ headers: { "content-length": String(bytes) } });
  const active = expect.objectContaining({ status: "active" });

  test("has a limit by its kind, also for the announced size", async () => {
    expect(await recorded(saying(30 * MIB))).toEqual(active);
    expect(await recorded(saying(30 * MIB + 1))).toEqual(TOO_LARGE);
  });

  test("has a limit by the bytes that the user stores already", async () => {
    const left = (bytes: number): Scene => ({ stocked: 5_000, assetBytes: 5_000 + bytes });

    expect(await recorded(left(PNG.length))).toEqual(active);
    expect(await recorded(left(PNG.length - 1))).toEqual(TOO_LARGE);
    expect(await recorded({ ...left(PNG.length - 1), ...saying(1) })).toEqual(TOO_LARGE);
  });
});

describe("a download that fails", () => {
  const retried = (looks: number, pauseMs: number) => ({ looks, dueAt: NOW + pauseMs });
  const NOWHERE = failed("DownloadFailed", "The link leads nowhere.");
  const cause = new GatewayError("upstream_failed", "The connection broke.");

  test("because the server is busy is tried again, four times in all", async () => {
    for (const status of [429, 500, 503]) {
      expect(await recorded({ status })).toEqual(retried(1, 3_000));
    }
    expect(await recorded({ cause }, { ...ASSET, looks: 2 })).toEqual(retried(3, 8_000));
    expect(await recorded({ cause }, { ...ASSET, looks: 3 })).toEqual(NOWHERE);
  });

  test("a day after the asset was made is not tried again", async () => {
    const old = { ...ASSET, createdAt: NOW - DAY_MS };

    expect(await recorded({ cause }, old)).toMatchObject({
      failure: { code: "ProcessingTimeout" },
    });
  });

  test("with another status is final, and the status is reported", async () => {
    for (const status of [201, 404, 499]) {
      expect(await recorded({ status })).toEqual(
        failed("DownloadFailed", `The link's server answered ${status}.`),
      );
    }
  });

  test("because the gateway stops is due at once, and is not counted", async () => {
    expect(await recorded({ cause }, ASSET, AbortSignal.abort())).toEqual({ dueAt: NOW });
  });

  test("because of the gateway itself is reported, and changes nothing", async () => {
    const broken = scene({ cause: new Error("A bug.") });
    const without = scene({ store: "s3" });

    expect(await reasonOf(broken.files.takeIn(ASSET, NEVER))).toMatchObject({ code: "internal" });
    expect(await reasonOf(without.files.takeIn(ASSET, NEVER))).toMatchObject({
      code: "internal",
      message: "Media store not found.",
    });
    expect([...broken.changes, ...without.changes]).toEqual([]);
    expect(without.counts.open).toBe(0);
  });
});

describe("an asset that its user removed", () => {
  test("during the download leaves no file behind", async () => {
    const { files, stored, removed } = scene({ isRemoved: true });
    await files.takeIn(ASSET, NEVER);

    expect(stored.size).toBe(0);
    expect(removed).toEqual(["assets/asset-1"]);
  });

  test("during a download that failed had no file", async () => {
    const { files, removed } = scene({ isRemoved: true, status: 404 });
    await files.takeIn(ASSET, NEVER);

    expect(removed).toEqual([]);
  });

  test("has its file deleted in every store", async () => {
    const { files, removed } = scene();
    await files.letGo(ASSET);

    expect(removed).toEqual(["assets/asset-1"]);
  });
});

describe("a stored file", () => {
  const file = { store: "folder", mediaType: "image/png", sizeBytes: 9, digest: "abc" } as const;
  const span = { start: 2, end: 5 };

  test("is read in parts", async () => {
    const found = await scene().files.open({ ...ASSET, status: "active", file }, span);

    expect(await (found as Blob).text()).toBe("assets/asset-1 9 2-5");
  });

  test("cannot be read before it is active, without a file, or after its store was removed", async () => {
    const { files } = scene();
    const elsewhere = { ...file, store: "s3" } as const;

    expect(await files.open({ ...ASSET, file }, span)).toBeUndefined();
    expect(await files.open({ ...ASSET, status: "failed", file }, span)).toBeUndefined();
    expect(await files.open({ ...ASSET, status: "active" }, span)).toBeUndefined();
    expect(await files.open({ ...ASSET, status: "active", file: elsewhere }, span)).toBeUndefined();
  });
});
