import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { openClock } from "#test/egress/raw-upstream.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { waitFor } from "#test/wait.ts";
import { ANONYMOUS_CALLER } from "./authenticate.ts";
import { HttpExchange, bodySlotsFor, type Surroundings } from "./exchange.ts";

const MIB = 1024 * 1024;

function openAround() {
  const clock = openClock();
  const idleSeconds: number[] = [];
  const around: Surroundings = {
    jsonDepth: 64,
    ...bodySlotsFor(1),
    deadlines: new Deadlines(clock),
    answerHeaders: [],
    clientOf: () => ({ address: undefined, isSecure: true }),
    setIdleSeconds: (_request, seconds) => idleSeconds.push(seconds),
  };
  return { clock, around, idleSeconds };
}

function exchangeOf(around: Surroundings, init: RequestInit = {}): HttpExchange {
  const request = new Request("http://gate/", { method: "POST", ...init });
  return new HttpExchange(request, "id", ANONYMOUS_CALLER, () => undefined, around);
}

describe("a connection", () => {
  test("with a long wait for its response is closed when it is idle again", async () => {
    const { clock, around, idleSeconds } = openAround();

    const patience = exchangeOf(around).suspendIdleTimeout();
    clock.pass(15_000);
    await waitFor(() => idleSeconds.length > 0);
    patience[Symbol.dispose]();

    expect(idleSeconds).toEqual([0, 30]);
  });

  test("with a slow response keeps the time limit for slow readers", async () => {
    const { clock, around, idleSeconds } = openAround();
    const exchange = exchangeOf(around);

    const patience = exchange.suspendIdleTimeout();
    clock.pass(15_000);
    await waitFor(() => idleSeconds.length > 0);
    exchange.setStall(120_000);
    patience[Symbol.dispose]();

    expect(idleSeconds.at(-1)).toBe(120);
  });

  test("with a quick response keeps its idle timeout", () => {
    const { around, idleSeconds } = openAround();

    exchangeOf(around).suspendIdleTimeout()[Symbol.dispose]();

    expect(idleSeconds).toEqual([]);
  });
});

describe("a few large bodies are read at once, and", () => {
  test("a slow one does not block the others", async () => {
    const { around } = openAround();
    const endless = new ReadableStream({ start: (to) => to.enqueue(new Uint8Array(10)) });

    void exchangeOf(around, { body: endless }).readJson(2 * MIB);
    const { json } = await exchangeOf(around, { body: streamOf('{"a":1}') }).readJson(2 * MIB);

    expect(json).toEqual({ a: 1 });
  });

  test("one that is large only after decompression is one of them", async () => {
    const around = { ...openAround().around, bigBodies: new Semaphore(1, 0) };
    using _place = await around.bigBodies.enter();

    const large = exchangeOf(around, compressed("x".repeat(2 * MIB))).readJson(4 * MIB);
    // Without a handler from the start, a refusal that comes early would fail the test.
    const refusal = large.catch(({ code }) => code);
    const { json } = await exchangeOf(around, compressed("small")).readJson(4 * MIB);

    expect(await refusal).toBe("overloaded");
    // Whoever is small passes by.
    expect(json).toEqual({ a: "small" });
  });

  test("one above the limit is refused, compressed or not", async () => {
    const { around } = openAround();
    const text = "x".repeat(2 * MIB);
    const sent = [compressed(text), { body: streamOf(JSON.stringify({ a: text })) }];

    for (const init of sent) {
      const reading = exchangeOf(around, init).readJson(1.5 * MIB);
      expect(await reading.catch(({ code }) => code)).toBe("too_large");
    }
    expect((await exchangeOf(around, compressed(text)).readJson(4 * MIB)).json).toEqual({
      a: text,
    });
  });

  test("a small compressed one above the reader's limit is refused", async () => {
    const { around } = openAround();

    const reading = exchangeOf(around, compressed("x".repeat(MIB / 2))).readJson(MIB / 4);

    expect(await reading.catch(({ code }) => code)).toBe("too_large");
  });

  test("a limited number waits", async () => {
    const { around } = openAround();
    const arriving = Array.from({ length: 65 }, () =>
      exchangeOf(around, { body: new ReadableStream() }).readJson(MIB),
    );
    const more = exchangeOf(around, { body: streamOf("{}") }).readJson(MIB);

    expect(await more.catch(({ code }) => code)).toBe("overloaded");
    expect(arriving).toHaveLength(65);
  });
});

/** As it comes, so that nobody knows how long it is. */
function streamOf(text: string): ReadableStream {
  return new Blob([text]).stream();
}

function compressed(value: string): RequestInit {
  const body = gzipSync(JSON.stringify({ a: value }));
  const headers = { "content-encoding": "gzip", "content-length": String(body.length) };
  return { body, headers };
}
