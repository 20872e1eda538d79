import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Asset } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import type { MediaBytes } from "#core/kept-media.ts";
import type { FetchedMedia, MediaFetcher } from "#core/media.ts";
import type { Storage } from "#storage/open.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { openAt } from "#test/storage/contract-place.ts";
import { OwnLinks } from "./signed-urls.ts";

const START = Date.UTC(2026, 0, 1);
const SIX_HOURS_MS = 6 * 3_600_000;
const PUBLIC_URL = "https://gate.example";
const BYTES = Buffer.from("the bytes of a picture");
const SIGNAL = new AbortController().signal;

let dataDir: string;
let storage: Storage;
let now: number;
let reads: unknown[];
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-links-"));
  await placeSchema(dataDir);
  storage = await openAt({ dataDir });
  now = START;
  reads = [];
  await storage.assets.addGroup({
    id: "group-1",
    userId: 1,
    kind: "image",
    name: "mine",
    description: "",
    createdAt: START,
    updatedAt: START,
  });
  for (const id of ["asset-1", "asset-2"]) await storage.assets.add(picture({ id }));
});
afterEach(async () => {
  await storage.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test("a link gives access to its asset for six hours", async () => {
  const links = open();
  const { id, query, url } = parts(links);
  expect(url.origin + url.pathname).toBe("https://gate.example/v1/assets/content/asset-1");
  expect(query.get("expires")).toBe(String(START + SIX_HOURS_MS));
  expect(await links.find(id, query)).toMatchObject({ id: "asset-1", userId: 1 });

  now = START + SIX_HOURS_MS - 1;
  expect(await links.find(id, query)).toMatchObject({ id: "asset-1" });
  now = START + SIX_HOURS_MS;
  expect(await links.find(id, query)).toBeUndefined();
});

test.each<[string, (query: URLSearchParams) => void]>([
  ["without a signature", (query) => query.delete("signature")],
  ["with an empty signature", (query) => query.set("signature", "")],
  ["with a longer signature", (query) => query.set("signature", `${query.get("signature")}A`)],
  ["with another signature", (query) => query.set("signature", "A".repeat(43))],
  ["with a later end", (query) => query.set("expires", String(START + 2 * SIX_HOURS_MS))],
  ["without an end", (query) => query.delete("expires")],
])("a link %s gives no access", async (_what, change) => {
  const links = open();
  const { id, query } = parts(links);
  change(query);

  expect(await links.find(id, query)).toBeUndefined();
});

test("the signature of one asset gives no access to another", async () => {
  const links = open();

  expect(await links.find("asset-2", parts(links).query)).toBeUndefined();
});

test("a link that another key signed gives no access", async () => {
  const { id, query } = parts(open({ key: "another" }));

  expect(await open().find(id, query)).toBeUndefined();
});

test("only a stored file of an active asset has a link, and only with a public URL", () => {
  const links = open();

  expect(links.linkTo(picture())).toStartWith(PUBLIC_URL);
  expect(links.linkTo(picture({ status: "pending" }))).toBeUndefined();
  const { file: _file, ...elsewhere } = picture();
  expect(links.linkTo(elsewhere)).toBeUndefined();
  expect(open({ publicUrl: undefined }).linkTo(picture())).toBeUndefined();
});

test("a vendor gets a link if it can reach the gateway, else the bytes", async () => {
  const links = open();
  expect(await links.originOf(picture())).toEqual({
    kind: "url",
    url: links.linkTo(picture()) ?? "",
  });
  expect(reads).toEqual([]);

  expect(await open({ publicUrl: undefined }).originOf(picture())).toEqual({
    kind: "bytes",
    bytes: BYTES,
    mediaType: "image/png",
  });
  expect(reads).toEqual([{ id: "asset-1", span: { start: 0, end: BYTES.length } }]);
});

test("the bytes of a file that arrives in pieces are complete", async () => {
  const stored = pieces(BYTES.subarray(0, 4), BYTES.subarray(4));

  const origin = await open({ publicUrl: undefined, stored }).originOf(picture());
  expect(origin).toMatchObject({ kind: "bytes", bytes: BYTES });
});

test("a file that cannot be read is an error", async () => {
  const links = open({ publicUrl: undefined, stored: undefined });
  const { file: _file, ...elsewhere } = picture();

  for (const [from, asset] of [
    [links, picture()],
    [open({ publicUrl: undefined }), elsewhere],
  ] as const) {
    const cause = await from.originOf(asset).catch((reason: unknown) => reason);
    expect(GatewayError.from(cause)).toMatchObject({
      code: "unavailable",
      message: "The file of this asset cannot be read now.",
    });
  }
});

test("the gateway reads its own links from storage", async () => {
  const links = open();
  const { media, followed } = network();
  const { url } = parts(links);

  expect(await links.shortcut(media).follow(url.href, SIGNAL)).toEqual({
    bytes: BYTES,
    mediaType: "image/png",
  });
  expect(followed).toEqual([]);
});

test("links of others, and those that have expired, go over the network", async () => {
  const links = open();
  const { media, followed } = network();
  const { url } = parts(links);
  const elsewhere = url.href.replace("gate.example", "other.example");
  const upstream = new URL("https://vendor.example");
  expect(await links.shortcut(media).follow(elsewhere, SIGNAL, upstream)).toEqual(REMOTE);
  now = START + SIX_HOURS_MS;
  expect(await links.shortcut(media).follow(url.href, SIGNAL)).toEqual(REMOTE);
  now = START;
  const withoutUrl = open({ publicUrl: undefined });
  const path = `${url.pathname}${url.search}`;
  expect(await withoutUrl.shortcut(media).follow(path, SIGNAL)).toEqual(REMOTE);

  expect(followed).toEqual([
    [elsewhere, SIGNAL, upstream],
    [url.href, SIGNAL, undefined],
    [path, SIGNAL, undefined],
  ]);
  expect(reads).toEqual([]);
});

interface OpenOptions {
  readonly key?: string;
  readonly publicUrl?: string | undefined;
  readonly stored?: MediaBytes | undefined;
}

function open(options: OpenOptions = {}): OwnLinks {
  const { key, publicUrl, stored } = {
    key: "key",
    publicUrl: PUBLIC_URL,
    stored: new Blob([BYTES]),
    ...options,
  };
  return new OwnLinks({
    assets: storage.assets,
    files: {
      async open({ id }, span) {
        reads.push({ id, span });
        return stored;
      },
    },
    clock: { now: () => now, monotonic: () => now },
    key: new TextEncoder().encode(key),
    publicUrl,
  });
}

function picture(fields: Partial<Asset> = {}): Asset {
  return {
    id: "asset-1",
    userId: 1,
    groupId: "group-1",
    type: "image",
    name: "",
    url: "https://public.example/picture.png",
    status: "active",
    file: { store: "folder", sizeBytes: BYTES.length, mediaType: "image/png", digest: "" },
    createdAt: START,
    updatedAt: START,
    dueAt: START,
    looks: 0,
    ...fields,
  };
}

function parts(links: OwnLinks) {
  const url = new URL(links.linkTo(picture()) ?? "");
  return { url, id: "asset-1", query: url.searchParams };
}

const REMOTE: FetchedMedia = { bytes: Buffer.from("remote"), mediaType: "image/jpeg" };

function network() {
  const followed: unknown[] = [];
  const media: MediaFetcher = {
    async follow(...given) {
      const [url, signal, upstream] = given;
      followed.push([url, signal, upstream]);
      return REMOTE;
    },
  };
  return { media, followed };
}

async function* pieces(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}
