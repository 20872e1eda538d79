import { readFileSync } from "node:fs";

/** A file of the pack that `console/build.ts` writes: offset and length of each form. */
interface PackedFile {
  readonly name: string;
  readonly type: string;
  readonly identity: Span;
  readonly gzip?: Span;
  readonly br?: Span;
}

interface PackedPage {
  readonly path: string;
  /** Scripts besides the common one; a browser loads them at the same time. */
  readonly scripts: readonly string[];
}

type Span = readonly [offset: number, length: number];

interface Pack {
  readonly bytes: Buffer;
  readonly pages: readonly PackedPage[];
  readonly page: PackedFile;
  readonly files: ReadonlyMap<string, PackedFile>;
}

const FOLDER = "/console/";
/** Names of files contain a digest of their content. */
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

const PAGE_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cache-control": "no-cache",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
};

/** Serves the console, one file that was built before. It is read on the first request. */
export class ConsolePages {
  readonly #path: string;
  #pack: Pack | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The file or the page; undefined at other paths, or if no browser asks. */
  answer(request: Request, path: string): Response | undefined {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    if (path.startsWith(FOLDER)) return this.#file(request, path.slice(FOLDER.length));
    if (request.headers.get("accept")?.includes("text/html") !== true) return undefined;
    const pack = (this.#pack ??= readPack(this.#path));
    const page = pack.pages.find((each) => isAt(each.path, path));
    if (page === undefined) return undefined;
    const link = page.scripts.map((name) => `<${FOLDER}${name}>; rel=modulepreload`).join(", ");
    return serve(request, pack, pack.page, {
      ...PAGE_HEADERS,
      ...(link === "" ? {} : { link }),
    });
  }

  #file(request: Request, name: string): Response | undefined {
    const pack = (this.#pack ??= readPack(this.#path));
    const file = pack.files.get(name);
    const headers = { "cache-control": FOREVER, "x-content-type-options": "nosniff" };
    return file && serve(request, pack, file, headers);
  }
}

function isAt(page: string, path: string): boolean {
  return path === page || (page !== "/" && path.startsWith(`${page}/`));
}

function serve(
  request: Request,
  { bytes }: Pack,
  file: PackedFile,
  headers: Readonly<Record<string, string>>,
): Response {
  const accepted = request.headers.get("accept-encoding") ?? "";
  const coding = (["br", "gzip"] as const).find(
    (each) => file[each] !== undefined && accepted.includes(each),
  );
  const [offset, length] = (coding && file[coding]) ?? file.identity;
  const isHead = request.method === "HEAD";
  return new Response(isHead ? null : bytes.subarray(offset, offset + length), {
    headers: {
      ...headers,
      "content-type": file.type,
      "content-length": String(length),
      vary: "accept-encoding",
      ...(coding === undefined ? {} : { "content-encoding": coding }),
    },
  });
}

function readPack(path: string): Pack {
  const all = readFileSync(path);
  const end = all.indexOf(10);
  const { pages, files } = JSON.parse(all.toString("utf8", 0, end)) as {
    readonly pages: readonly PackedPage[];
    readonly files: readonly PackedFile[];
  };
  const page = files.find(({ name }) => name === "index.html");
  if (page === undefined) throw new Error(`${path} contains no page. Build the console again.`);
  const byName = files.map((file) => [file.name, file] as const);
  return { bytes: all.subarray(end + 1), pages, page, files: new Map(byName) };
}
