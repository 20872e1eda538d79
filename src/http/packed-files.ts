import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A file of a pack: offset and length of each stored form. */
interface PackedFile {
  readonly name: string;
  readonly type: string;
  readonly etag?: string;
  readonly identity?: Span;
  readonly gzip?: Span;
  readonly br?: Span;
}

type Span = readonly [offset: number, length: number];

/** Names of such files contain a digest of their content. */
const FOREVER = "public, max-age=31536000, immutable";

/**
 * Scripts, styles and requests of the gateway alone. Pictures and sounds of
 * models are shown from memory.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Headers of pages for browsers. */
export const PAGE_POLICY = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cache-control": "no-cache",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
};

/**
 * The files of a pack: a line of JSON, then their bytes. Their build stores them as they are,
 * compressed, or both.
 */
export class PackedFiles<Head> {
  readonly head: Head;
  readonly #files: ReadonlyMap<string, PackedFile>;
  readonly #bytes: Buffer;

  private constructor(head: Head, files: readonly PackedFile[], bytes: Buffer) {
    this.head = head;
    this.#files = new Map(files.map((file) => [file.name, file]));
    this.#bytes = bytes;
  }

  static read<Head>(path: string): PackedFiles<Head> {
    const all = readFileSync(path);
    const end = all.indexOf(10);
    const head = JSON.parse(all.toString("utf8", 0, end)) as Head & {
      readonly files: readonly PackedFile[];
    };
    return new PackedFiles(head, head.files, all.subarray(end + 1));
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** A file that never changes under its name. */
  lasting(request: Request, name: string): Response | undefined {
    return this.answer(request, name, {
      "cache-control": FOREVER,
      "x-content-type-options": "nosniff",
    });
  }

  /** Undefined if there is no such file. */
  answer(
    request: Request,
    name: string,
    headers: Readonly<Record<string, string>>,
    status = 200,
  ): Response | undefined {
    const file = this.#files.get(name);
    if (file === undefined) return undefined;
    const { bytes, coding } = this.#chosen(request, file);
    // Each form has its own tag, because a tag stands for bytes.
    const etag = file.etag === undefined ? undefined : `"${file.etag}${coding ?? ""}"`;
    const common = {
      vary: "accept-encoding",
      ...headers,
      ...(etag === undefined ? {} : { etag }),
    };
    if (etag !== undefined && status === 200 && isKnown(request, etag)) {
      return new Response(null, { status: 304, headers: common });
    }
    return new Response(request.method === "HEAD" ? null : bytes, {
      status,
      headers: {
        ...common,
        "content-type": file.type,
        "content-length": String(bytes.length),
        ...(coding === undefined ? {} : { "content-encoding": coding }),
      },
    });
  }

  #chosen(request: Request, file: PackedFile) {
    const accepted = request.headers.get("accept-encoding") ?? "";
    const coding = (["br", "gzip"] as const).find(
      (each) => file[each] !== undefined && accepted.includes(each),
    );
    const stored = coding === undefined ? file.identity : file[coding];
    if (stored !== undefined) return { bytes: this.#cut(stored), coding };
    // Programs without compression are few, and a page is small.
    return { bytes: gunzipSync(this.#cut(file.gzip ?? [0, 0])), coding: undefined };
  }

  #cut([offset, length]: Span): Buffer<ArrayBufferLike> {
    return this.#bytes.subarray(offset, offset + length);
  }
}

function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get("if-none-match");
  return known?.split(",").some((each) => each.trim().replace(/^W\//, "") === etag) === true;
}
