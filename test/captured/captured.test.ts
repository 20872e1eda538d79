import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { UPSTREAMS, type Upstream } from "#test/matrix/upstreams.ts";
import { IS_LONG, SEED, times } from "#test/seed.ts";
import { countOf, withShared } from "#test/shared.ts";
import { isText, modelOf, readCaptured, type Captured } from "./requests.ts";

/** Not for the caller's connection to the gateway. */
const HOP_HEADERS = [
  "host",
  "connection",
  "content-length",
  "accept-encoding",
  "transfer-encoding",
];

/**
 * Every request that real clients and agents have sent, to upstreams of every
 * wire format: an answer of its style, or a refusal with a reason we know. The
 * short form sends each to one of the four formats, which the seed turns.
 */
withShared("captured", () =>
  describe.each(UPSTREAMS.map((upstream, at) => [upstream.id, upstream, at] as const))(
    "requests of real clients, on an upstream of the style %s",
    (id, upstream, at) => {
      const requests = readCaptured()
        .filter(isText)
        .filter((_request, n) => IS_LONG || (SEED + at + n) % UPSTREAMS.length === 0);
      let sandbox: Sandbox;
      let gateway: TestGateway;
      beforeAll(async () => {
        sandbox = await startSandbox();
        gateway = await openTestGateway({ yaml: channelFor(upstream, sandbox.url, requests) });
      });
      afterAll(async () => {
        await gateway[Symbol.asyncDispose]();
        await sandbox.stop();
      });

      test("are answered, or refused for a known reason", async () => {
        const surprises: string[] = [];
        for (const request of requests) {
          const { status, text } = await replay(request, gateway);
          if (status === 200 || isKnown(status, text, id)) continue;
          surprises.push(
            `${request.client} ${request.n} ${request.path}: ${status} ${text.slice(0, 300)}`,
          );
        }

        expect(surprises).toEqual([]);
        expect(requests.length).toBeGreaterThan(countOf(times(100, 400), times(12, 50)));
      }, 300_000);
    },
  ),
);

async function replay(request: Captured, gateway: TestGateway) {
  const headers = Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => !HOP_HEADERS.includes(name))
      .map(([name, value]) => [name, value.replaceAll("{KEY}", KEY)]),
  );
  const answer = await fetch(gateway.url + request.path.replaceAll("{KEY}", KEY), {
    method: request.method,
    headers,
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** What a refusal says, and why it is right; the status is 400 unless it says otherwise. */
interface Refusal {
  readonly words: string;
  readonly why: string;
  readonly status?: number;
  /** Only on upstreams of this style. */
  readonly on?: string;
}

const KNOWN: readonly Refusal[] = [
  // Of the gateway.
  { words: "thread_unsupported_request", why: "decision 38: its client then sends all it knows" },
  { words: "'mcp_servers' cannot be carried", why: "tools that no other style's upstream reaches" },
  { words: "'modalities' cannot be carried", why: "a picture, from a model that makes none" },
  { words: "Previous response with id", why: "kept by the client's first server", status: 404 },
  { words: "Item with id", why: "kept by the client's first server", status: 404 },

  // Of the vendor, whose own callers these are: what they wrote passes untouched.
  { words: "thought signature", why: "made up by the server it was captured on", on: "gemini" },
  { words: "Expected an ID that begins", why: "made up by that server too", on: "responses" },
  { words: "must start with a thinking block", why: "left out by the client", on: "messages" },
  { words: "image_url': expected an object", why: "the form of another vendor", on: "chat" },
  {
    words: "Unknown parameter: 'x'",
    why: "the client's own test of what happens",
    on: "responses",
  },
  { words: "the word 'json'", why: "the vendor's condition for JSON without a schema" },

  // Of the vendor, on what the model cannot do that answers in this test.
  { words: "is not supported with this model", why: "no reasoning", on: "responses" },
  { words: "Thinking level is not supported", why: "an older generation", on: "gemini" },
  { words: "combination of response modalities", why: "no pictures", on: "gemini" },

  // Pictures of a few bytes that are none; two vendors look, and say so.
  { words: "Could not process image", why: "not a picture", on: "messages" },
  { words: "Unable to process input image", why: "not a picture", on: "gemini" },
];

function isKnown(status: number, text: string, upstream: string): boolean {
  return KNOWN.some(
    ({ words, status: known = 400, on = upstream }) =>
      status === known && text.includes(words) && on === upstream,
  );
}

/** Every model that a client named, served by one of the simulator's. */
function channelFor(upstream: Upstream, sandboxUrl: string, requests: readonly Captured[]): string {
  const names = new Set(requests.map(modelOf).filter((name) => name !== undefined));
  return [
    "channels:",
    "  - name: sim",
    `    provider: ${upstream.provider}`,
    `    base_url: ${sandboxUrl}${upstream.path}`,
    "    api_key: upstream-secret-of-the-operator",
    ...(upstream.style === undefined ? [] : [`    style: ${upstream.style}`]),
    "    models:",
    ...[...names].map((name) => `      - { name: "${name}", upstream: ${upstream.model} }`),
  ].join("\n");
}
