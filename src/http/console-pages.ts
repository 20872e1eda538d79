import { PackedFiles, PAGE_POLICY } from "./packed-files.ts";

interface PackedPage {
  readonly path: string;
  /** Scripts besides the common one; a browser loads them at the same time. */
  readonly scripts: readonly string[];
  /** The first requests of the page, with any query and without one. */
  readonly requests: { readonly self: readonly string[]; readonly others: readonly string[] };
}

const FOLDER = "/console/";
const PAGE = "index.html";

/** Serves the console, one file that `console/build.ts` wrote. It is read on the first request. */
export class ConsolePages {
  readonly #path: string;
  #pack: PackedFiles<{ readonly pages: readonly PackedPage[] }> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The file or the page; undefined at other paths, or if no browser asks. */
  answer(request: Request, path: string): Response | undefined {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    if (path.startsWith(FOLDER)) return this.#open().lasting(request, path.slice(FOLDER.length));
    if (request.headers.get("accept")?.includes("text/html") !== true) return undefined;
    const pack = this.#open();
    const page = pack.head.pages.find((each) => isAt(each.path, path));
    if (page === undefined) return undefined;
    const link = linksOf(page, path, request).join(", ");
    return pack.answer(request, PAGE, { ...PAGE_POLICY, ...(link === "" ? {} : { link }) });
  }

  #open(): PackedFiles<{ readonly pages: readonly PackedPage[] }> {
    if (this.#pack !== undefined) return this.#pack;
    const pack = PackedFiles.read<{ readonly pages: readonly PackedPage[] }>(this.#path);
    if (!pack.has(PAGE))
      throw new Error(`${this.#path} contains no page. Build the console again.`);
    return (this.#pack = pack);
  }
}

/** A browser begins these before it has read the scripts, which would begin them later. */
function linksOf({ scripts, requests, ...page }: PackedPage, path: string, request: Request) {
  const isBare = !request.url.includes("?");
  const first = page.path === path ? [...requests.self, ...(isBare ? requests.others : [])] : [];
  return [
    ...scripts.map((name) => `<${FOLDER}${name}>; rel=modulepreload`),
    ...first.map((each) => `<${each}>; rel=preload; as=fetch; crossorigin`),
  ];
}

function isAt(page: string, path: string): boolean {
  return path === page || (page !== "/" && path.startsWith(`${page}/`));
}
