import { invalid } from "#core/error.ts";
import type { LinkFollower } from "#core/media.ts";
import { checkUrl } from "./guard.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import type { LinkRules } from "./linked-media.ts";

const MAX_ANSWER_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;

/** `rulesNow`: asked for each address. */
export function openCallerLinks(rulesNow: () => Pick<LinkRules, "allow" | "ports">): LinkFollower {
  return {
    check(url, param) {
      try {
        checkUrl(url, { allowHttp: true, ...rulesNow() });
      } catch (cause) {
        throw invalid(param, `'${param}' is no address that may be called.`, cause);
      }
    },

    async post(url, body, headers) {
      await using response = await guardedFetch(url, {
        method: "POST",
        allowHttp: true,
        ...rulesNow(),
        body,
        headers: { "user-agent": "sluice", ...headers },
        maxBytes: MAX_ANSWER_BYTES,
        totalTimeoutMs: TIMEOUT_MS,
        maxRedirects: 0,
      });
      return response.status;
    },
  };
}
