import { invalid } from "./error.ts";

/** Which of the vendor's unfinished features a request asks for. */
export type Betas = ReadonlySet<string>;

/** Headers of a request that decide how it is read. */
export interface RequestHeaders {
  readonly version: string;
  readonly betas: Betas;
}

/** Checks the version of the interface and reads `anthropic-beta`, which both are closed lists. */
export function readHeaders(headers: Readonly<Record<string, string>>): RequestHeaders {
  const version = headers["anthropic-version"];
  if (version === undefined) throw invalid("anthropic-version", "header is required");
  if (!VERSIONS.has(version))
    throw invalid("anthropic-version", `"${version}" is not a valid version`);

  const asked = (headers["anthropic-beta"] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unknown = asked.filter((name) => !BETAS.has(name));
  if (unknown.length > 0) {
    const list = unknown.map((name) => `\`${name}\``).join(", ");
    throw invalid("", `Unexpected value(s) ${list} for the \`anthropic-beta\` header.`);
  }
  return { version, betas: new Set(asked) };
}

/** The version that refuses sampling, documents of the assistant and citations of the user. */
export const LATEST_VERSION = "2026-10-21";

const VERSIONS = new Set(["2023-01-01", "2023-06-01", LATEST_VERSION]);

const BETAS = new Set(
  `advanced-tool-use-2025-11-20 advisor-tool-2026-03-01 agent-memory-2026-07-22 cache-diagnosis-2026-04-07
  claude-code-20250219 code-execution-2025-05-22 code-execution-2025-08-25 compact-2026-01-12 compact-2026-09-04
  computer-use-2024-10-22 computer-use-2025-01-24 computer-use-2025-11-24 context-1m-2025-08-07
  context-management-2025-06-27 dangerous-tool-use-2026-09-03 dev-full-thinking-2025-05-14 dreaming-2026-04-21
  effort-2025-11-24 extended-cache-ttl-2025-04-11 fallback-credit-2026-06-01 fallback-credit-2026-07-01
  fast-mode-2026-02-01 files-api-2025-04-14 fine-grained-tool-streaming-2025-05-14 inline-tools-2026-09-15
  interleaved-thinking-2025-05-14 managed-agents-2026-04-01 max-tokens-3-5-sonnet-2024-07-15 mcp-client-2025-04-04
  mcp-client-2025-11-20 mcp-client-2026-09-15 message-batches-2024-09-24 message-threads-2026-08-12
  mid-conversation-output-config-2026-07-01 mid-conversation-system-2026-04-07
  mid-conversation-system-clear-at-2026-08-21 mid-conversation-tool-changes-2026-07-01
  model-context-window-exceeded-2025-08-26 oauth-2025-04-20 output-128k-2025-02-19 output-300k-2026-03-24
  pdfs-2024-09-25 prompt-caching-2024-07-31 server-side-fallback-2026-06-01 server-side-fallback-2026-07-01
  skills-2025-10-02 structured-outputs-2025-11-13 task-budgets-2026-03-13 thinking-binding-controls-2026-08-01
  thinking-display-updates-2026-08-18 thinking-token-count-2026-05-13 token-counting-2024-11-01
  token-efficient-tools-2025-02-19 tool-search-tool-2025-10-19 tools-2024-05-16 user-profiles-2026-09-04
  user-profiles-billing-2026-10-01 web-fetch-2025-09-10 web-search-2025-03-05`.split(/\s+/),
);
