import { invalid } from "#core/error.ts";
import type { AnswerReader, LinkFollower } from "#core/media.ts";
import { checkUrl } from "./guard.ts";
import { guardedFetch, type GuardedRequest, type GuardedResponse } from "./guarded-fetch.ts";
import type { LinkRules } from "./linked-media.ts";
import type { ResolveHost } from "./resolve-host.ts";

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 16 * 1024;

interface CallerLinkRules extends Pick<LinkRules, "allow" | "ports"> {
  /** Certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca?: string;
  readonly resolve?: ResolveHost;
}

/** `rulesNow`: called for each URL. */
export function openCallerLinks(rulesNow: () => CallerLinkRules): LinkFollower & AnswerReader {
  return {
    check: (url, param) => check(url, param, true),
    checkSecure: (url, param) => check(url, param, false),
    post: (url, body, headers) => send(url, { method: "POST", allowHttp: true, body, headers }),
    get: (url, headers) => send(url, { method: "GET", allowHttp: false, headers }),
    async postForAnswer(url, body, headers) {
      await using response = await open(
        url,
        { method: "POST", allowHttp: true, body, headers },
        MAX_ANSWER_BYTES,
      );
      return { status: response.status, text: await readBegin(response) };
    },
  };

  function check(url: string, param: string, allowHttp: boolean): void {
    try {
      checkUrl(url, { allowHttp, ...rulesNow() });
    } catch (cause) {
      throw invalid(param, `'${param}' must be a public URL that the gateway may call.`, cause);
    }
  }

  async function send(url: string, request: LinkRequest): Promise<number> {
    await using response = await open(url, request, 0);
    return response.status;
  }

  function open(
    url: string,
    { headers, ...request }: LinkRequest,
    maxBytes: number,
  ): Promise<GuardedResponse> {
    return guardedFetch(url, {
      ...request,
      ...rulesNow(),
      headers: { "user-agent": "sluice", ...headers },
      maxBytes,
      ignoresBody: true,
      totalTimeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
    });
  }
}

type LinkRequest = Pick<GuardedRequest, "method" | "allowHttp" | "body" | "headers">;

/** A longer or broken answer is cut: its status matters more. */
async function readBegin({ headers, body }: GuardedResponse): Promise<string> {
  if ((headers.get("content-encoding") ?? "identity") !== "identity") return "";
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch {
    // The begin is enough.
  }
  return Buffer.concat(chunks).toString();
}
