/** Another spelling of a path, which clients use by mistake or by their own convention. */
interface PathRewrite {
  /** `{name}` matches one segment; a `*` at the end matches what is left of the path. */
  readonly from: string;
  /** May use the names of `from`, and its `*`. */
  readonly to: string;
}

/**
 * Tried in this order, and again on the result, for paths without a route. The resulting route
 * applies its own access rules. If `to` omits a `{model}`, that model replaces the one in the
 * request's body.
 */
const PATH_REWRITES: readonly PathRewrite[] = [
  // The base URL holds a version, and the client adds one.
  { from: "/v1/v1/*", to: "/v1/*" },
  { from: "/v1/v1beta/*", to: "/v1beta/*" },
  { from: "/v1/v1beta1/*", to: "/v1beta1/*" },
  { from: "/v1beta/v1beta1/*", to: "/v1beta1/*" },
  { from: "/v1beta1/v1beta1/*", to: "/v1beta1/*" },
  { from: "/v1/v2/*", to: "/v2/*" },
  { from: "/v1beta/v1/*", to: "/v1/*" },
  { from: "/v1beta/v1beta/*", to: "/v1beta/*" },
  { from: "/v2/v1/*", to: "/v1/*" },
  { from: "/v2/v2/*", to: "/v2/*" },
  // OpenAI clients with the base URL of another vendor's compatible endpoint.
  { from: "/v1beta/openai/*", to: "/openai/v1/*" },
  { from: "/v1/openai/*", to: "/openai/*" },
  { from: "/openai/openai/*", to: "/openai/*" },
  { from: "/openai/v1/openai/*", to: "/openai/*" },
  { from: "/openai/v1/v1/*", to: "/openai/v1/*" },
  { from: "/openai/deployments/{model}/*", to: "/openai/v1/*" },
  { from: "/openai/v1/*", to: "/v1/*" },
  { from: "/openai/*", to: "/openai/v1/*" },
  // Anthropic clients with the base URL of another vendor's compatible endpoint.
  { from: "/anthropic/*", to: "/*" },
  // The base URL is a whole endpoint.
  { from: "/v1/chat/completions/*", to: "/*" },
  { from: "/v1/messages/*", to: "/*" },
  // The base URL lacks the version.
  { from: "/*", to: "/v1/*" },
];

export interface RewrittenPath {
  readonly path: string;
  /** From the path; replaces the one in the body. */
  readonly model: string | undefined;
}

/** The served path that an unknown path means. */
export function rewritePath(
  unknown: string,
  isServed: (path: string) => boolean,
): RewrittenPath | undefined {
  if (unknown.length > MAX_LENGTH) return undefined;
  let path = tidyPath(unknown);
  let model: string | undefined;
  const seen = new Set<string>();
  while (!isServed(path)) {
    seen.add(path);
    const next = rewriteOnce(path);
    if (next === undefined || seen.has(next.path) || seen.size > MAX_REWRITES) return undefined;
    path = next.path;
    model ??= next.model;
  }
  return { path, model };
}

/** Without doubled slashes and without a trailing one. */
export function tidyPath(path: string): string {
  const single = path.replaceAll(/\/{2,}/g, "/");
  return single.length > 1 && single.endsWith("/") ? single.slice(0, -1) : single;
}

const MAX_LENGTH = 1_024;
const MAX_REWRITES = 8;

const COMPILED = PATH_REWRITES.map(({ from, to }) => ({
  pattern: patternOf(from),
  to,
  namesModel: from.includes("{model}") && !to.includes("{model}"),
}));

function rewriteOnce(path: string): RewrittenPath | undefined {
  for (const { pattern, to, namesModel } of COMPILED) {
    const found = pattern.exec(path)?.groups;
    if (found === undefined) continue;
    const written = to
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => found[name] ?? "")
      .replace("*", () => found["rest"] ?? "");
    return { path: written, model: namesModel ? found["model"] : undefined };
  }
  return undefined;
}

function patternOf(from: string): RegExp {
  const source = from
    .replaceAll(/[.+?^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")
    .replace("*", "(?<rest>.+)");
  return new RegExp(`^${source}$`);
}
