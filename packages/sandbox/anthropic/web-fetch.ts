import { jsonText, type JsonObject } from "../json.ts";
import type { RunContext, ServerRun } from "./server-tools.ts";
import type { ServerToolLimits } from "./tools.ts";

/** An invented page at an address that the conversation names. Nothing is fetched. */
export function fetchPage(
  limits: ServerToolLimits,
  input: JsonObject,
  { uses, prompt, nowMs }: RunContext,
): ServerRun {
  const url = jsonText(input["url"]);
  const run = {
    name: "web_fetch",
    input: { url },
    resultType: "web_fetch_tool_result",
    usesContainer: false,
  };
  const code = reasonAgainst(url, limits, uses, [prompt.text, ...prompt.earlier].join("\n"));
  if (code !== undefined)
    return {
      ...run,
      result: { type: "web_fetch_tool_result_error", error_code: code },
      findings: [],
    };

  const text = `This is an invented page at ${url}, and it says nothing else.`;
  return {
    ...run,
    result: {
      type: "web_fetch_result",
      url,
      retrieved_at: new Date(nowMs).toISOString(),
      content: {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: text },
        title: "An invented page",
      },
    },
    findings: [{ text, citation: undefined }],
  };
}

function reasonAgainst(
  url: string,
  { maxUses, allowedDomains, blockedDomains }: ServerToolLimits,
  uses: number,
  said: string,
): string | undefined {
  if (uses >= maxUses) return "max_uses_exceeded";
  const host = URL.parse(url)?.hostname;
  if (host === undefined) return "invalid_tool_input";
  if (!said.includes(url)) return "url_not_in_prior_context";
  const isIn = (domains: readonly string[]) =>
    domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  const isAllowed = allowedDomains === undefined || isIn(allowedDomains);
  return isAllowed && !isIn(blockedDomains) ? undefined : "url_not_allowed";
}
