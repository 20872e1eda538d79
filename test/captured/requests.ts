import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { readLines, SHARED } from "#test/shared.ts";

/** A request of a real client, as it went over the wire. */
export interface Captured {
  readonly client: string;
  /** Counts within its client. */
  readonly n: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
}

/** Paths of the text styles; images, videos and the rest have tests of their own. */
const TEXT_PATHS = [
  /^(\/openai)?\/v1\/chat\/completions$/,
  /^\/v1\/responses$/,
  /^\/v1\/messages(\/count_tokens)?$/,
  /^\/v1(beta)?\/models\/[^/]+:(generateContent|streamGenerateContent|countTokens)$/,
  /^\/v1(beta)?\/models$/,
];

export function readCaptured(): readonly Captured[] {
  const files = readdirSync(join(SHARED, "captured")).filter((file) => file.endsWith(".jsonl"));
  return files
    .toSorted()
    .flatMap((file) => readLines(`captured/${file}`))
    .map(toCaptured);
}

export function isText({ path }: Captured): boolean {
  return TEXT_PATHS.some((pattern) => pattern.test(path.split("?")[0] ?? ""));
}

/** The model that a request names, in its body or its path. */
export function modelOf({ path, body }: Captured): string | undefined {
  const inPath = /\/models\/([^/:?]+):/.exec(path)?.[1];
  const named = body?.["model"];
  return inPath ?? (typeof named === "string" ? named : undefined);
}

function toCaptured(line: JsonObject): Captured {
  const { client, n, method, path, headers, body } = line;
  const parsed = typeof body === "string" ? parseJson(body) : body;
  return {
    client: textOf(client) ?? "",
    n: Number(n),
    method: textOf(method) ?? "",
    path: textOf(path) ?? "",
    headers: Object.fromEntries(
      Object.entries(isObject(headers) ? headers : {}).map(([name, value]) => [
        name.toLowerCase(),
        textOf(value) ?? "",
      ]),
    ),
    body: isObject(parsed) ? parsed : undefined,
  };
}
