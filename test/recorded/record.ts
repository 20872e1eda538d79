import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { clientCalls } from "./client-calls.ts";

/**
 * Writes this folder's recordings anew: official clients in front of the
 * simulators, with all that went over the wire. They have the form of the
 * recordings of vendors that are kept beside the project.
 */
const FOLDER = import.meta.dir;
const NOW = Date.UTC(2026, 10, 26);
const KEY = "sk-recording";
const DROPPED = /^(host|connection|content-length|accept-encoding|accept-language|sec-fetch-mode)$/;

interface Exchange {
  readonly provider: string;
  readonly endpoint: string;
  readonly client: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: JsonObject;
    readonly body: Json;
  };
  readonly response: JsonObject;
}

const exchanges: Exchange[] = [];
await using stack = new AsyncDisposableStack();
const sandbox = stack.adopt(await startSandbox({ now: () => NOW }), (each) => each.stop());
const recorder = stack.adopt(
  Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: record }),
  (each) => void each.stop(true),
);
const at = (path: string): string => `http://127.0.0.1:${recorder.port}${path}`;

await clientCalls({
  openai: new OpenAI({ apiKey: KEY, baseURL: at("/openai/v1"), maxRetries: 0 }),
  anthropic: new Anthropic({ apiKey: KEY, baseURL: at("/anthropic"), maxRetries: 0 }),
  genai: new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: at("/gemini") } }),
});
write();

async function record(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const [, provider = "", path = ""] = /^\/(\w+)(\/.*)$/.exec(pathname) ?? [];
  const sent = await request.text();
  const answer = await fetch(sandbox.url + pathname + search, {
    method: request.method,
    headers: request.headers,
    body: sent,
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of answer.body ?? []) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
  exchanges.push({
    provider: provider === "gemini" ? "google" : provider,
    endpoint: endpointOf(path),
    client: provider,
    request: {
      method: request.method,
      path: path + search,
      headers: headersOf(request.headers),
      body: parseJson(sent) ?? null,
    },
    response: {
      status: answer.status,
      ...(isStream
        ? { sse: text, wire_chunk_bytes: pieces.map(({ length }) => length) }
        : { body: parseJson(text) ?? null }),
    },
  });
  return new Response(text, { status: answer.status, headers: answer.headers });
}

function endpointOf(path: string): string {
  if (path.endsWith(":generateContent")) return "generate-content";
  if (path.endsWith(":streamGenerateContent")) return "stream-generate-content";
  return path.replace("/v1/", "").replaceAll("/", "-");
}

function headersOf(headers: Headers): JsonObject {
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => !DROPPED.test(name))
      .map(([name, value]) => [name, value.replaceAll(KEY, "{KEY}")]),
  );
}

function write(): void {
  for (const folder of ["corpus", "captured"])
    rmSync(join(FOLDER, folder), { recursive: true, force: true });
  const index: JsonObject[] = [];
  const captured = new Map<string, JsonObject[]>();
  for (const { provider, endpoint, client, request, response } of exchanges) {
    const known = index.filter((line) => line["endpoint"] === endpoint).length;
    const file = `${provider}/${endpoint}/${String(known + 1).padStart(4, "0")}.json`;
    put(`corpus/${file}`, `${JSON.stringify({ request, response })}\n`);
    const { body } = request;
    const stream = response["sse"] !== undefined;
    const model = isObject(body) ? (body["model"] ?? null) : null;
    index.push({ file, provider, endpoint, status: response["status"] ?? 0, stream, model });
    const lines = captured.get(client) ?? [];
    lines.push({ client, n: lines.length + 1, ...request });
    captured.set(client, lines);
  }
  put("corpus/index.jsonl", linesOf(index));
  for (const [client, lines] of captured) put(`captured/${client}.jsonl`, linesOf(lines));
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(FOLDER, path)), { recursive: true });
  writeFileSync(join(FOLDER, path), text);
}

function linesOf(list: readonly JsonObject[]): string {
  return list.map((each) => `${JSON.stringify(each)}\n`).join("");
}
