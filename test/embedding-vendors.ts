import { createHash } from "node:crypto";
import type { Json } from "#lib/json.ts";
import { listOf, memberOf, numberOf, textOf } from "#lib/values.ts";
import { json, openVendor, type Seen, type Vendor } from "#test/adapter/vendor.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

export const MODEL = "text-embedding-3-small";
const SIZE = 64;

/** Texts that share their parts have vectors that are near each other. */
export function vectorOf(text: string, size = SIZE): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(size);
  const padded = ` ${text.toLowerCase()} `;
  for (let at = 0; at + 3 <= padded.length; at++) {
    const [first = 0, second = 0] = createHash("md5")
      .update(padded.slice(at, at + 3))
      .digest();
    const place = (first * 256 + second) % size;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** A token a word. */
export function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.split(" ").length, 0);
}

const textsIn = (input: Json | undefined): string[] =>
  [input].flat().map((each) => textOf(each) ?? JSON.stringify(each));

/** Its vectors come last to first, each with its number, as the format allows. */
function answerPlain({ body }: Seen): Response {
  const texts = textsIn(body["input"]);
  const isBase64 = body["encoding_format"] === "base64";
  const data = texts.map((text, index) => {
    const vector = vectorOf(text, numberOf(body["dimensions"]));
    const bytes = Buffer.from(vector.buffer);
    return {
      object: "embedding",
      index,
      embedding: isBase64 ? bytes.toString("base64") : [...vector],
    };
  });
  const tokens = tokensOf(texts);
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return json({ object: "list", data: data.toReversed(), model: body["model"], usage });
}

/** It does not say what it used. */
function answerNative({ body }: Seen): Response {
  const embeddings = listOf(body["requests"]).map((request) => {
    const [part] = listOf(memberOf(memberOf(request, "content"), "parts"));
    const size = numberOf(memberOf(request, "outputDimensionality"));
    return { values: [...vectorOf(textOf(memberOf(part, "text")) ?? "", size)] };
  });
  return json({ embeddings });
}

function answerByKind({ body }: Seen): Response {
  const texts = textsIn(body["texts"]);
  const float = texts.map((text) => [...vectorOf(text, numberOf(body["output_dimension"]))]);
  const meta = { billed_units: { input_tokens: tokensOf(texts) } };
  return json({ id: "1", embeddings: { float }, texts, meta, response_type: "embeddings_by_type" });
}

interface Kind {
  readonly provider: string;
  readonly path: string;
  readonly answer: (seen: Seen) => Response;
}

/** A vendor of each format that upstreams speak, and one that only writes numbers. */
export const KINDS: readonly Kind[] = [
  { provider: "openai", path: "/embeddings", answer: answerPlain },
  { provider: "ollama", path: "/embeddings", answer: answerPlain },
  { provider: "gemini", path: `/models/${MODEL}:batchEmbedContents`, answer: answerNative },
  { provider: "cohere", path: "/embed", answer: answerByKind },
];

export interface Place extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly vendor: Vendor;
}

/** A gateway in front of one of them. A million tokens of the model are 3 dollars. */
export async function openPlace(
  { provider, path, answer }: Kind,
  yaml = "",
  respond: (seen: Seen) => Response = answer,
): Promise<Place> {
  const vendor = openVendor((seen) =>
    seen.path === path ? respond(seen) : json({ error: { message: "Nothing here." } }, 404),
  );
  const lines = [
    "channels:",
    `  - { name: one, provider: ${provider}, base_url: "${vendor.url}", api_key: upstream-secret, models: [${MODEL}] }`,
    `models: { ${MODEL}: { input: 3, output: 0 } }`,
    yaml,
  ];
  const gateway = await openTestGateway({ yaml: lines.join("\n") });
  return {
    gateway,
    vendor,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}
