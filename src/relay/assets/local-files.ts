import type { Asset, AssetChange, AssetFailure, AssetFile, AssetStore } from "#core/asset.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { MediaBytes, MediaPlace, MediaStore } from "#core/kept-media.ts";
import type { OpenedFile, LinkedFiles } from "#egress/linked-files.ts";
import type { Span } from "#lib/byte-range.ts";
import type { Clock } from "#lib/clock.ts";
import { checkFile, failure, FILM_HEAD_BYTES, isHeld, maxBytesOf } from "./check-file.ts";
import { givenUp, later } from "./refresh.ts";

interface OwnFilesDeps {
  readonly assets: AssetStore;
  readonly clock: Clock;
  readonly files: LinkedFiles;
  readonly stores: Readonly<Partial<Record<MediaPlace, MediaStore>>>;
  /** The storage for new files. */
  readonly store: MediaPlace;
  readonly maxPixels: number;
  readonly limits: {
    /** Limit of one user's files. */
    readonly assetBytes: number;
  };
}

/** Shorter than the lease of an asset. */
const FETCH_MS = 4 * 60_000;
const MAX_REDIRECTS = 3;
/** A busy server may recover; the content of a file does not change by a retry. */
const MAX_FETCHES = 4;

/** Files of assets that the gateway stores. */
export class OwnFiles {
  readonly #deps: OwnFilesDeps;

  constructor(deps: OwnFilesDeps) {
    this.#deps = deps;
  }

  /** Downloads an asset's source URL, checks the file and stores it; or records the error. */
  async takeIn(asset: Asset, signal: AbortSignal): Promise<void> {
    const { assets, clock, stores } = this.#deps;
    const change = await this.#fetched(asset, signal);
    const changed = await assets.change(asset.id, { ...change, updatedAt: clock.now() });
    const { file } = change;
    // The asset was removed in the meantime.
    if (changed === undefined && file !== undefined)
      await stores[file.store]?.remove(pathOf(asset));
  }

  /** Checks and stores a file that its user sent. Throws `invalid_request` if it is refused. */
  async keep(asset: Asset, bytes: Uint8Array): Promise<AssetFile> {
    const { type } = asset;
    if (bytes.length > (await this.#roomFor(asset))) {
      throw new GatewayError(
        "too_large",
        "The file is too large, or your files take all their room.",
      );
    }
    const found = await checkFile(bytes, type, this.#deps.maxPixels);
    if ("code" in found) throw invalid("file", found.message);
    return await this.#put(asset, piecesOf(bytes), found.mediaType);
  }

  async letGo(asset: Asset): Promise<void> {
    for (const store of Object.values(this.#deps.stores)) await store.remove(pathOf(asset));
  }

  /** Undefined if the file is not stored, or no longer. */
  async open(asset: Asset, span: Span): Promise<MediaBytes | undefined> {
    const { file } = asset;
    if (file === undefined || asset.status !== "active") return undefined;
    return await this.#deps.stores[file.store]?.open(pathOf(asset), file.sizeBytes, span);
  }

  async #fetched(asset: Asset, signal: AbortSignal): Promise<AssetChange> {
    const { files, clock } = this.#deps;
    let opened: OpenedFile | undefined;
    try {
      opened = await files.open(asset.url, {
        headers: {},
        giver: undefined,
        maxRedirects: MAX_REDIRECTS,
        signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]),
      });
      return await this.#kept(asset, opened);
    } catch (cause) {
      if (cause instanceof Wrong) return { status: "failed", failure: cause.failure };
      const error = GatewayError.from(cause);
      if (error.code === "internal") throw error;
      const now = clock.now();
      // Due at once, for another gateway or the next start.
      if (signal.aborted) return { dueAt: now };
      if (asset.looks + 1 < MAX_FETCHES) return givenUp(asset, now) ?? later(asset, now);
      return { status: "failed", failure: failure("DownloadFailed", "The link leads nowhere.") };
    } finally {
      opened?.close();
    }
  }

  async #kept(asset: Asset, { status, body, headers }: OpenedFile): Promise<AssetChange> {
    if (status >= 500 || status === 429) {
      throw new GatewayError("upstream_failed", `The link's server answered ${status}.`);
    }
    if (status !== 200) {
      throw new Wrong(failure("DownloadFailed", `The link's server answered ${status}.`));
    }
    const { type } = asset;
    const maxBytes = await this.#roomFor(asset);
    if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
    const pieces = capped(body, maxBytes)[Symbol.asyncIterator]();
    const head = await collect(pieces, isHeld(type) ? maxBytes : FILM_HEAD_BYTES);
    const found = await checkFile(head, type, this.#deps.maxPixels);
    if ("code" in found) throw new Wrong(found);
    const file = await this.#put(asset, joined(head, pieces), found.mediaType);
    return { status: "active", file };
  }

  /** The largest file that the asset may have now. */
  async #roomFor({ type, userId }: Asset): Promise<number> {
    const { assets, limits } = this.#deps;
    const { bytes } = await assets.stockOf(userId);
    return Math.min(maxBytesOf(type), limits.assetBytes - bytes);
  }

  async #put(
    asset: Asset,
    bytes: AsyncIterable<Uint8Array>,
    mediaType: string,
  ): Promise<AssetFile> {
    const { stores, store } = this.#deps;
    const place = stores[store];
    if (place === undefined) throw new GatewayError("internal", "Media store not found.");
    return { store, mediaType, ...(await place.put(pathOf(asset), bytes, mediaType)) };
  }
}

/** The path within a store, below the store's own prefix. */
function pathOf({ id }: Asset): string {
  return `assets/${id}`;
}

/** A permanent error. */
class Wrong extends Error {
  readonly failure: AssetFailure;

  constructor(why: AssetFailure) {
    super(why.message);
    this.failure = why;
  }
}

function tooLarge(): Wrong {
  return new Wrong(failure("FileSizeTooLarge", "What the link leads to is too large."));
}

async function* capped(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const piece of body) {
    sizeBytes += piece.length;
    if (sizeBytes > maxBytes) throw tooLarge();
    yield piece;
  }
}

/** Collects at least this many bytes, or all of a shorter file. */
async function collect(pieces: AsyncIterator<Uint8Array>, wanted: number): Promise<Uint8Array> {
  const head: Uint8Array[] = [];
  let sizeBytes = 0;
  while (sizeBytes < wanted) {
    const next = await pieces.next();
    if (next.done === true) break;
    head.push(next.value);
    sizeBytes += next.value.length;
  }
  return Buffer.concat(head);
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* joined(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield head;
  for (;;) {
    const next = await rest.next();
    if (next.done === true) return;
    yield next.value;
  }
}
