import { GatewayError } from "#core/error.ts";
import type { Fields } from "#lib/http1.ts";
import { guardedFetch, REDIRECTS, type GuardedResponse } from "./guarded-fetch.ts";
import type { LinkRules } from "./linked-media.ts";
import { ownLink, type LinkGiver } from "./upstream-link.ts";
import type { ResolveHost } from "./resolve-host.ts";

export interface FileRequest {
  /** No secrets: the headers are sent to any host that the link leads to. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The upstream whose response contained the link; a link to its own host is
   * allowed at any address.
   */
  readonly giver: LinkGiver | undefined;
  readonly maxRedirects: number;
  readonly signal: AbortSignal;
}

/** A file response; its holder must `close` it. */
export interface OpenedFile {
  readonly status: number;
  readonly headers: Fields;
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

/** Opens links to files that are too large for memory. */
export interface LinkedFiles {
  open(link: string, request: FileRequest): Promise<OpenedFile>;
  /** Ends all running downloads: their readers get the reason. */
  abortAll(reason: GatewayError): void;
}

/** The common interface of both kinds of header fields. */
interface HeaderLookup {
  get(name: string): string | null | undefined;
}

interface FileRules extends Pick<LinkRules, "allow" | "ports" | "maxBytes"> {
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/** `rulesNow`: called for each link. */
export function openLinkedFiles(rulesNow: () => FileRules, resolve?: ResolveHost): LinkedFiles {
  const open = new Set<AbortController>();
  return {
    async open(link, { signal, ...request }) {
      const stop = new AbortController();
      const leave = (): void => stop.abort(signal.reason);
      const release = (): void => {
        open.delete(stop);
        signal.removeEventListener("abort", leave);
      };
      open.add(stop);
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      try {
        const rules = { ...rulesNow(), ...(resolve === undefined ? {} : { resolve }) };
        return asFile(await follow(link, { ...request, signal: stop.signal }, rules), release);
      } catch (cause) {
        release();
        throw toUpstreamError(cause);
      }
    },

    abortAll(reason) {
      for (const each of open) each.abort(reason);
    },
  };
}

/**
 * A link to its upstream's own host follows the channel's address rules;
 * redirects follow the general rules.
 */
async function follow(
  link: string,
  { headers, giver, maxRedirects, signal }: FileRequest,
  { allow, ports, firstByteMs, idleMs, ...rules }: FileRules & { readonly resolve?: ResolveHost },
): Promise<GuardedResponse> {
  const isOwn = giver !== undefined && URL.parse(link)?.origin === giver.url.origin;
  const response = await guardedFetch(link, {
    ...rules,
    ...(isOwn ? ownLink(giver) : { allow, ports }),
    allowHttp: true,
    maxRedirects: isOwn ? 0 : maxRedirects,
    ...(isOwn && maxRedirects > 0 ? { handsOverRedirects: true } : {}),
    firstByteTimeoutMs: firstByteMs,
    idleTimeoutMs: idleMs,
    headers: { accept: "*/*", "user-agent": "sluice", ...headers },
    signal,
  });
  const to = redirectOf(response, response.url);
  if (to === undefined) return response;
  await response[Symbol.asyncDispose]();
  const more = { headers, giver, maxRedirects: maxRedirects - 1, signal };
  return await follow(to, more, { allow, ports, firstByteMs, idleMs, ...rules });
}

/** The redirect target of a response; never from https to http. Undefined for other responses. */
export function redirectOf(
  { status, headers }: Pick<GuardedResponse, "status"> & { headers: HeaderLookup },
  from: string,
): string | undefined {
  const location = headers.get("location");
  if (!REDIRECTS.has(status) || typeof location !== "string") return undefined;
  const to = URL.parse(location, from);
  if (to === null || (to.protocol === "http:" && new URL(from).protocol !== "http:")) {
    throw new GatewayError("upstream_failed", "The upstream redirects to a forbidden URL.");
  }
  return to.href;
}

function asFile(response: GuardedResponse, release: () => void): OpenedFile {
  return {
    status: response.status,
    headers: new Map(response.headers),
    body: response.body,
    close() {
      release();
      void response[Symbol.asyncDispose]();
    },
  };
}

/** The upstream gave the link, so the upstream is at fault. */
function toUpstreamError(cause: unknown): GatewayError {
  const error = GatewayError.from(cause);
  if (error.code !== "invalid_request" && error.code !== "too_large") return error;
  const what = error.code === "too_large" ? "to a file above the size limit" : "to a forbidden URL";
  return new GatewayError("upstream_failed", `The upstream's link leads ${what}.`, { cause });
}
