import { expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { asRoot, openWithRoot } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import { KEY } from "#test/harness.ts";
import { random, SEED, times } from "#test/seed.ts";
import { waitFor } from "#test/wait.ts";
import { openInjuring } from "./injuries.ts";

const CALLS = times(250, 5_000);
const AT_ONCE = 16;
/** So many that some serve while others rest after their failures. */
const CHANNELS_EACH = 6;
const WAIT_MS = 1_500;

const CHANNELS = [
  {
    provider: "openai",
    path: "/openai/v1",
    models: ["gpt-4o-mini", "text-embedding-3-small", "gpt-image-1", "gpt-4o-mini-tts"],
  },
  { provider: "anthropic", path: "/anthropic/v1", models: ["claude-sonnet-4-5"] },
  {
    provider: "gemini",
    path: "/gemini/v1beta",
    models: ["gemini-2.5-flash", "gemini-2.5-flash-image", "gemini-embedding-001"],
  },
  { provider: "jina", path: "/jina/v1", models: ["jina-reranker-v2-base-multilingual"] },
  { provider: "dashscope", path: "/dashscope/compatible-mode/v1", models: ["qwen-image"] },
];
const TALKERS = ["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash"];
const TEXT = "Tell me a story of some length.";
const MESSAGES = [{ role: "user", content: TEXT }];
const MANY_WORDS = Array.from({ length: 250 }, (_, at) => `word ${at}`);

const chance = random(SEED);
const isSo = (share: number): boolean => chance() < share;
const oneOf = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)] as T;

const QUESTIONS: readonly (() => readonly [path: string, body: object])[] = [
  () => [
    "/v1/chat/completions",
    { model: oneOf(TALKERS), messages: MESSAGES, max_tokens: 200, stream: isSo(0.6) },
  ],
  () => [
    "/v1/responses",
    { model: oneOf(TALKERS), input: TEXT, max_output_tokens: 200, stream: isSo(0.6) },
  ],
  () => [
    "/v1/messages",
    { model: oneOf(TALKERS), messages: MESSAGES, max_tokens: 200, stream: isSo(0.6) },
  ],
  () => [
    `/v1beta/models/${oneOf(TALKERS)}:${oneOf(["generateContent", "streamGenerateContent"])}`,
    { contents: [{ role: "user", parts: [{ text: TEXT }] }] },
  ],
  () => [
    "/v1/embeddings",
    {
      model: oneOf(["text-embedding-3-small", "gemini-embedding-001"]),
      input: oneOf([MANY_WORDS, ["word"]]),
    },
  ],
  () => [
    "/v1/rerank",
    { model: "jina-reranker-v2-base-multilingual", query: "a", documents: ["a b", "c d"] },
  ],
  () => ["/v1/images/generations", { model: "gemini-2.5-flash-image", prompt: "A fox", n: 3 }],
  () => ["/v1/images/generations", { model: "qwen-image", prompt: "A fox" }],
  () => [
    "/v1/images/generations",
    { model: "gpt-image-1", prompt: "A fox", stream: isSo(0.5), partial_images: 2 },
  ],
  () => ["/v1/audio/speech", { model: "gpt-4o-mini-tts", input: TEXT, voice: "alloy" }],
];

test("no resource is held after any upstream failure or client disconnect", async () => {
  await using sandbox = await startSandbox();
  await using upstream = await openInjuring(sandbox.url, random(SEED + 1));
  await using gateway = await openWithRoot({
    yaml: "",
    env: {
      SLUICE_UNPRICED: "allow",
      SLUICE_LIMIT_FIRST_BYTE_MS: String(WAIT_MS),
      SLUICE_LIMIT_UNARY_MS: String(WAIT_MS),
      SLUICE_LIMIT_IDLE_MS: String(WAIT_MS),
      SLUICE_LINKS_ALLOW: "127.0.0.1",
      SLUICE_LINKS_PORTS: String(sandbox.port),
    },
  });
  using books = openBooks(gateway.dataDir);
  const root = await asRoot(gateway.url);
  const ids: number[] = [];
  for (const { provider, path, models } of CHANNELS) {
    for (let each = 0; each < CHANNELS_EACH; each++) {
      const { data } = await root("POST", "/api/channel", {
        name: `${provider}-${each}`,
        provider,
        base_url: upstream.url + path,
        api_key: "sk-test",
        models,
      });
      ids.push(Number(data["id"]));
    }
  }
  const statuses = new Map<number | "left" | "cut", number>();
  const ask = async (): Promise<number | "left" | "cut"> => {
    const [path, body] = oneOf(QUESTIONS)();
    const leaving = isSo(0.1) ? AbortSignal.timeout(chance() * 150) : undefined;
    try {
      const { url } = gateway;
      const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
      const answer = await fetch(url + path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal: leaving ?? null,
      });
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return leaving?.aborted === true ? "left" : "cut";
    }
  };
  let left = CALLS;
  const caller = async (): Promise<void> => {
    while (left-- > 0) {
      const status = await ask();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      gateway.gateway.health.forgetAll();
    }
  };

  await Promise.all(Array.from({ length: AT_ONCE }, caller));

  // Most were answered, and all that could happen did.
  expect(statuses.get(200)).toBeGreaterThan(CALLS / 2);
  expect(statuses.get("left")).toBeGreaterThan(0);
  expect(Object.keys(upstream.done).length).toBeGreaterThan(8);
  expect(statuses.get(500)).toBeUndefined();
  expect(await books.whenSettled()).toEqual([]);
  for (const { inFlight, name } of await inFlightOf()) expect([name, inFlight]).toEqual([name, 0]);
  // What is kept for the next call is closed with its channel; nothing else is open.
  for (const id of ids) await root("DELETE", `/api/channel/${id}`);
  await waitFor(() => upstream.connections === 0);

  async function inFlightOf(): Promise<readonly { name: unknown; inFlight: unknown }[]> {
    const { data } = await root("GET", "/api/channel");
    const items = data["items"] as Record<string, unknown>[];
    return items.map(({ name, in_flight: inFlight }) => ({ name, inFlight }));
  }
}, 300_000);
