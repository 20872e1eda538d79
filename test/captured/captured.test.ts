import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "#sandbox/server.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { UPSTREAMS, type Upstream } from "#test/matrix/upstreams.ts";
import { withShared } from "#test/shared.ts";
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
 * wire format: an answer of its style, or a refusal with a reason we know.
 */
withShared("captured", () =>
  describe.each(UPSTREAMS.map((upstream) => [upstream.id, upstream] as const))(
    "requests of real clients, on an upstream of the style %s",
    (id, upstream) => {
      const requests = readCaptured().filter(isText);
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
          if (status === 200 || isKnownRefusal(request, status, text, id)) continue;
          surprises.push(
            `${request.client} ${request.n} ${request.path}: ${status} ${text.slice(0, 300)}`,
          );
        }

        expect(surprises).toEqual([]);
        expect(requests.length).toBeGreaterThan(400);
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

function isKnownRefusal(
  _request: Captured,
  status: number,
  text: string,
  _upstream: string,
): boolean {
  return status === 400 && KNOWN_REFUSALS.some((words) => text.includes(words));
}

/** Each with the decision or the reason behind it. */
const KNOWN_REFUSALS = [
  // Threads are kept by the vendor; its client then sends the whole history.
  "thread_unsupported_request",
];

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
