import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { z } from "zod";
import type { CallContent, ContentIndex, StoredContent } from "#core/content-log.ts";
import type { MediaPlace, MediaStore } from "#core/kept-media.ts";
import type { Clock } from "#lib/clock.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import type { DescribedCall, DescribedResult, StoredSum } from "./content-log.ts";

interface ContentStoreDeps {
  readonly index: ContentIndex;
  /** Contents may be in the store that is no longer used for new ones. */
  readonly stores: Readonly<Partial<Record<MediaPlace, MediaStore>>>;
  readonly place: MediaPlace;
  readonly clock: Clock;
  /** A content could not be written or deleted. */
  onError(cause: unknown): void;
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const MEDIA_TYPE = "application/zstd";
const MAX_WRITES = 4;
const PRUNED_AT_ONCE = 100;
/** Larger than any content that is stored: a file that grows to more is not ours. */
const MAX_OPEN_BYTES = 512 * 1024 * 1024;

const TEXT = z.object({ text: z.string(), sizeBytes: z.number(), isTruncated: z.boolean() });
const CONTENT = z.object({
  request: TEXT,
  answer: TEXT.nullable(),
  isProvisional: z.literal(true).exactOptional(),
});
const RESULT = z.object({ result: TEXT });

/** Contents of calls, compressed in files or objects, with an index in the database. */
export class ContentStore {
  readonly #deps: ContentStoreDeps;

  constructor(deps: ContentStoreDeps) {
    this.#deps = deps;
  }

  /** The index is written first, so that no file can be without a row that has it deleted. */
  async store(contents: readonly (DescribedCall | DescribedResult)[]): Promise<StoredSum> {
    const { index, place, clock } = this.#deps;
    const files = await Promise.all(
      contents.map(async (each) => {
        const isCall = "content" in each;
        const json = isCall ? each.content : { result: each.result };
        const bytes = await compress(JSON.stringify(json));
        const callId = isCall ? each.callId : resultOf(each.callId);
        return { bytes, row: { callId, place, sizeBytes: bytes.length, at: clock.now() } };
      }),
    );
    await index.add(files.map(({ row }) => row));
    const written = await mapAtMost(files, MAX_WRITES, (file) => this.#write(file));
    const lost = files.filter((_, at) => written[at] !== true);
    await index.forget(lost.map(({ row }) => row.callId));
    const kept = files.filter((_, at) => written[at] === true);
    return {
      count: kept.length,
      sizeBytes: kept.reduce((sum, { bytes }) => sum + bytes.length, 0),
    };
  }

  /** Undefined if the index has no content of the call, or no store has its file. */
  async read(
    callId: string,
  ): Promise<{ readonly row: StoredContent; readonly content: CallContent } | undefined> {
    const row = await this.#deps.index.find(callId);
    if (row === undefined) return undefined;
    const json = await this.#readFile(row);
    if (json === undefined) return undefined;
    const ofResult = await this.#deps.index.find(resultOf(callId));
    const more = ofResult && (await this.#readFile(ofResult));
    const result = more === undefined ? {} : RESULT.parse(more);
    return { row, content: { ...CONTENT.parse(json), ...result } };
  }

  /** Deletes the content of a call. */
  async remove(callId: string): Promise<void> {
    const row = await this.#deps.index.find(callId);
    if (row !== undefined) await this.#remove([row]);
  }

  async #readFile(row: StoredContent): Promise<unknown> {
    const { sizeBytes } = row;
    const span = { start: 0, end: sizeBytes };
    const found = await this.#storeOf(row)?.open(pathOf(row), sizeBytes, span);
    if (found === undefined) return undefined;
    const bytes =
      found instanceof Blob ? await found.bytes() : Buffer.concat(await Array.fromAsync(found));
    const text = await decompress(bytes, { maxOutputLength: MAX_OPEN_BYTES });
    return JSON.parse(text.toString());
  }

  /** Deletes some contents that are older than `before` (Unix ms). True if more may be left. */
  async prune(before: number): Promise<boolean> {
    const rows = await this.#deps.index.listBefore(before, PRUNED_AT_ONCE);
    await this.#remove(rows);
    return rows.length === PRUNED_AT_ONCE;
  }

  /** Deletes some of the oldest contents if all are larger than `maxBytes`. */
  async pruneExcess(maxBytes: number): Promise<boolean> {
    let excess = (await this.#deps.index.totalBytes()) - maxBytes;
    if (excess <= 0) return false;
    const rows = await this.#deps.index.listBefore(Number.MAX_SAFE_INTEGER, PRUNED_AT_ONCE);
    const removed = rows.filter(({ sizeBytes }) => {
      const isExcess = excess > 0;
      excess -= sizeBytes;
      return isExcess;
    });
    await this.#remove(removed);
    return excess > 0 && removed.length > 0;
  }

  async #remove(rows: readonly StoredContent[]): Promise<void> {
    await mapAtMost(rows, MAX_WRITES, async (row) => {
      await this.#storeOf(row)?.remove(pathOf(row));
    });
    await this.#deps.index.forget(rows.map(({ callId }) => callId));
  }

  async #write(file: WrittenFile): Promise<boolean> {
    try {
      await this.#put(file);
      return true;
    } catch (cause) {
      this.#deps.onError(cause);
      return false;
    }
  }

  async #put({ bytes, row }: WrittenFile): Promise<void> {
    const store = this.#storeOf(row);
    if (store === undefined) throw new Error(`No store '${row.place}' is configured.`);
    const put = () => store.put(pathOf(row), once(bytes), MEDIA_TYPE);
    // The deletion of the last file of a day may delete its folder at this moment.
    await put().catch(put);
  }

  #storeOf({ place }: Pick<StoredContent, "place">): MediaStore | undefined {
    return this.#deps.stores[place];
  }
}

interface WrittenFile {
  readonly bytes: Uint8Array;
  readonly row: StoredContent;
}

/** The result of a task is a file of its own, because files are never changed. */
function resultOf(callId: string): string {
  return `${callId}.result`;
}

/** By day, so that each gateway can also delete its own files of old days. */
function pathOf({ callId, at }: StoredContent): string {
  return `${new Date(at).toISOString().slice(0, 10)}/${callId}.json.zst`;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
