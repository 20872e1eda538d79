import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { DocPage } from "./pages.ts";

/** Paths that the gateway or its console serves. */
const SERVED = /^\/(?:$|docs\/api(?:\/|$)|openapi\.json$|llms\.txt$|docs\/llms\.txt$)/;

/** Makes addresses of the site of the relative links between files, and keeps what is wrong. */
export class Links {
  readonly problems: string[] = [];
  /** Files beside the pages that a page shows or links to: the name in the site, and the path. */
  readonly files = new Map<string, string>();
  readonly #root: string;
  readonly #bySource: ReadonlyMap<string, DocPage>;
  readonly #anchors: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(
    root: string,
    pages: readonly DocPage[],
    anchors: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.#root = root;
    this.#bySource = new Map(pages.map((page) => [page.source, page]));
    this.#anchors = anchors;
  }

  /** The address of a page is `/docs/channels`, or `/docs/channels.md` in its Markdown form. */
  resolve(href: string, from: DocPage, ending: "" | ".md" = ""): string | undefined {
    if (/^(https?|mailto):/.test(href) || SERVED.test(href)) return href;
    const [path = "", anchor] = href.split("#");
    const target = path === "" ? from.source : posix.join(posix.dirname(from.source), path);
    const page = this.#bySource.get(target);
    if (page === undefined) return this.#file(target, href, from);
    if (anchor !== undefined && this.#anchors.get(page.name)?.has(anchor) !== true) {
      this.problems.push(`${from.source}: '${href}' leads to a heading that does not exist`);
    }
    const hash = anchor === undefined ? "" : `#${anchor}`;
    return path === "" && ending === "" ? hash : `${addressOf(page, ending)}${hash}`;
  }

  #file(target: string, href: string, from: DocPage): string | undefined {
    const path = join(this.#root, target);
    if (target.startsWith("..") || !existsSync(path)) {
      this.problems.push(`${from.source}: '${href}' leads to a file that does not exist`);
      return undefined;
    }
    if (statSync(path).isDirectory()) return undefined;
    const name = `files/${target}`;
    this.files.set(name, path);
    return `/docs/${name}`;
  }
}

export function addressOf({ name }: Pick<DocPage, "name">, ending: "" | ".md" = ""): string {
  if (name === "index") return ending === "" ? "/docs" : "/docs/index.md";
  return `/docs/${name}${ending}`;
}
