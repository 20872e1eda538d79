import { PackedFiles, PAGE_POLICY } from "./packed-files.ts";

interface Head {
  /** Former addresses below /docs/, and the paths to which they lead. */
  readonly redirects: Readonly<Record<string, string>>;
}

const ROOT = "/docs";
const FOLDER = "/docs/";
const ASSETS = "assets/";
/** The console has the API reference. */
const CONSOLE = "/docs/api";
const LIST = "llms.txt";

/** Serves the documentation, one file that `site/build.ts` wrote. It is read on the first request. */
export class DocPages {
  readonly #path: string;
  #pack: PackedFiles<Head> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The page or file; undefined at paths of others. */
  answer(request: Request, path: string): Response | undefined {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    if (path === `/${LIST}`) return this.#file(request, LIST);
    if (path !== ROOT && !path.startsWith(FOLDER)) return undefined;
    if (path === CONSOLE || path.startsWith(`${CONSOLE}/`)) return undefined;
    if (path.endsWith("/")) return redirect(path.replace(/\/+$/, ""));
    const name = path.slice(FOLDER.length) || "index";
    const { redirects } = this.#open().head;
    // A path may be the name of a member that every object has.
    const moved = Object.hasOwn(redirects, name) ? redirects[name] : undefined;
    if (moved !== undefined) return redirect(moved);
    if (name.startsWith(ASSETS)) return this.#open().lasting(request, name);
    return this.#page(request, name) ?? this.#file(request, name) ?? this.#missing(request, name);
  }

  #page(request: Request, name: string): Response | undefined {
    const ending = prefersMarkdown(request) ? "md" : "html";
    return this.#open().answer(request, `${name}.${ending}`, {
      ...PAGE_POLICY,
      vary: "accept, accept-encoding",
    });
  }

  #file(request: Request, name: string): Response | undefined {
    return this.#open().answer(request, name, PAGE_POLICY);
  }

  /** A page for browsers; programs get the gateway's own refusal. */
  #missing(request: Request, name: string): Response | undefined {
    if (!accepts(request, "text/html")) return undefined;
    const language = name === "zh" || name.startsWith("zh/") ? "zh" : "en";
    return this.#open().answer(request, `404.${language}.html`, PAGE_POLICY, 404);
  }

  #open(): PackedFiles<Head> {
    return (this.#pack ??= PackedFiles.read(this.#path));
  }
}

/** Agents ask for Markdown alone or before HTML; browsers do not name it. */
function prefersMarkdown(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "";
  const at = accept.indexOf("text/markdown");
  const html = accept.indexOf("text/html");
  return at >= 0 && (html < 0 || at < html);
}

function accepts(request: Request, type: string): boolean {
  return request.headers.get("accept")?.includes(type) === true;
}

function redirect(location: string): Response {
  return new Response(null, { status: 308, headers: { location } });
}
