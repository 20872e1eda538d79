import { invalid } from "#core/error.ts";
import type { LinkFollower } from "#core/media.ts";
import { checkUrl } from "./guard.ts";
import { guardedFetch, type GuardedRequest } from "./guarded-fetch.ts";
import type { LinkRules } from "./linked-media.ts";
import type { ResolveHost } from "./resolve-host.ts";

const TIMEOUT_MS = 10_000;

interface CallerLinkRules extends Pick<LinkRules, "allow" | "ports"> {
  /** Certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca?: string;
  readonly resolve?: ResolveHost;
}

/** `rulesNow`: called for each URL. */
export function openCallerLinks(rulesNow: () => CallerLinkRules): LinkFollower {
  return {
    check: (url, param) => check(url, param, true),
    checkSecure: (url, param) => check(url, param, false),
    post: (url, body, headers) => send(url, { method: "POST", allowHttp: true, body, headers }),
    get: (url, headers) => send(url, { method: "GET", allowHttp: false, headers }),
  };

  function check(url: string, param: string, allowHttp: boolean): void {
    try {
      checkUrl(url, { allowHttp, ...rulesNow() });
    } catch (cause) {
      throw invalid(param, `'${param}' must be a public URL that the gateway may call.`, cause);
    }
  }

  async function send(
    url: string,
    { headers, ...request }: Pick<GuardedRequest, "method" | "allowHttp" | "body" | "headers">,
  ): Promise<number> {
    await using response = await guardedFetch(url, {
      ...request,
      ...rulesNow(),
      headers: { "user-agent": "sluice", ...headers },
      maxBytes: 0,
      ignoresBody: true,
      totalTimeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
    return response.status;
  }
}
