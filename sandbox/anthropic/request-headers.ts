import { invalid } from "./error.ts";

/** Which of the vendor's unfinished features a request asks for. */
export type Betas = ReadonlySet<string>;

/** Checks the version of the interface and reads `anthropic-beta`, which both are closed lists. */
export function readHeaders(headers: Readonly<Record<string, string>>): Betas {
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
  return new Set(asked);
}

/** The two of the documentation, and the one that the newest official client sends. */
const VERSIONS = new Set(["2023-01-01", "2023-06-01", "2026-10-21"]);

const BETAS = new Set(
  `claude-code-20250219 code-execution-2025-05-22 code-execution-2025-08-25 compact-2026-01-12 computer-use-2024-10-22
  computer-use-2025-01-24 computer-use-2025-11-24 context-1m-2025-08-07 context-management-2025-06-27
  dev-full-thinking-2025-05-14 effort-2025-11-24 extended-cache-ttl-2025-04-11 fast-mode-2026-02-01 files-api-2025-04-14
  fine-grained-tool-streaming-2025-05-14 interleaved-thinking-2025-05-14 max-tokens-3-5-sonnet-2024-07-15
  mcp-client-2025-04-04 mcp-client-2025-11-20 message-batches-2024-09-24 message-threads-2026-08-12
  model-context-window-exceeded-2025-08-26 oauth-2025-04-20 output-128k-2025-02-19 pdfs-2024-09-25
  prompt-caching-2024-07-31 skills-2025-10-02 structured-outputs-2025-11-13
  task-budgets-2026-03-13 token-counting-2024-11-01 token-efficient-tools-2025-02-19 advanced-tool-use-2025-11-20
  tool-search-tool-2025-10-19 tools-2024-05-16 web-fetch-2025-09-10 web-search-2025-03-05`.split(
    /\s+/,
  ),
);
