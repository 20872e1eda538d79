import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { type JsonObject } from "../json.ts";
import { startSandbox, type Sandbox } from "../server.ts";
import { COUNTED, ask, post, rawExchange, streamText } from "../testing/chat.ts";
import { waitFor, whenItRests } from "../../../test/wait.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

/** All that arrives before the connection is cut. */
async function untilCut(
  body: JsonObject,
): Promise<{ readonly bytes: number; readonly isCut: boolean }> {
  let bytes = 0;
  try {
    const response = await post(sandbox, body);
    for await (const part of response.body ?? []) bytes += part.length;
    return { bytes, isCut: false };
  } catch {
    return { bytes, isCut: true };
  }
}

test("hang: there is no response until the client disconnects", async () => {
  const giveUp = new AbortController();
  const pending = post(sandbox, ask("[[fault:hang]]"), { signal: giveUp.signal }).catch(
    (cause: Error) => cause.name,
  );
  await waitFor(() => sandbox.requests.at(-1)?.faults[0] === "hang");
  const record = sandbox.requests.at(-1);
  expect(record).toMatchObject({ state: "open", status: undefined });
  giveUp.abort();

  expect(await pending).toBe("AbortError");
  await waitFor(() => record?.state === "aborted");
  expect(record?.abortedAt).toBeGreaterThanOrEqual(record?.receivedAt ?? Infinity);
});

test("slow: the first byte and the events are delayed", async () => {
  const startedAt = performance.now();
  await streamText(sandbox, "Say one two three four [[fault:slow first_ms=60 between_ms=10]]");

  // Eight events: seven gaps. Timers may fire a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(60 + 7 * 9);
});

test.each(["rst", "fin"])(
  "reset: the connection is reset after the exact byte (%s)",
  async (how) => {
    const { isCut } = await untilCut(
      ask(`Count to 90 [[fault:reset bytes=1001 how=${how}]]`, COUNTED),
    );
    const record = sandbox.requests.at(-1);
    const { received, error } = await rawExchange(
      sandbox,
      ask(`Count to 90 [[fault:reset bytes=1001 how=${how}]]`, COUNTED),
    );

    expect(isCut).toBe(true);
    expect(record).toMatchObject({
      state: "cut",
      finishedAt: undefined,
      delivered: { bytes: 1_001 },
    });
    const body = received
      .toString("latin1")
      .split("\r\n\r\n")
      .slice(1)
      .join("\r\n\r\n")
      .replaceAll(/(?:^|\r\n)[\da-f]+\r\n/g, "");
    expect(body.trimEnd().length).toBe(1_001);
    expect(error).toBe(how === "rst" ? "ECONNRESET" : undefined);
  },
);

test("reset: a seed selects the byte, the same one for the same seed", async () => {
  const lengths: number[] = [];
  for (const seed of ["a", "a", "b"]) {
    await untilCut(
      ask(`Count to 90 [[fault:reset seed=${seed}]]`, {
        ...COUNTED,
        stream_options: { include_obfuscation: false },
      }),
    );
    lengths.push(sandbox.requests.at(-1)?.delivered.bytes ?? -1);
  }

  expect(lengths[0]).toBe(lengths[1] ?? -1);
  expect(lengths[0]).not.toBe(lengths[2] ?? -1);
});

test("reset: the connection is reset before any header, too", async () => {
  const { received, error } = await rawExchange(
    sandbox,
    ask("Say hi [[fault:reset before_headers=1]]"),
  );

  expect(received.length).toBe(0);
  expect(error).toBe("ECONNRESET");
});

test("reset: half of a complete response is cut off", async () => {
  expect(await untilCut(ask("Say hi [[fault:reset bytes=40]]"))).toMatchObject({ isCut: true });
  expect(sandbox.requests.at(-1)?.delivered).toEqual({ bytes: 40, events: 0, tokens: 0 });
});

test.each([true, false])(
  "endless: the response continues as long as the client reads (stream: %p)",
  async (stream) => {
    const response = await post(sandbox, ask("Say hi [[fault:endless]]", { stream }));
    const record = sandbox.requests.at(-1);
    let bytes = 0;
    for await (const part of response.body ?? []) {
      bytes += part.length;
      if (bytes > 200_000) break;
    }

    await waitFor(() => record?.state === "aborted");
    expect(record?.delivered.bytes).toBeGreaterThan(200_000);
  },
);

test("endless: a client that stalls pauses the writing, and memory does not grow", async () => {
  const body = JSON.stringify(ask("Say hi [[fault:endless]]", { stream: true }));
  const socket = connect(sandbox.port, "127.0.0.1");
  socket.pause();
  socket.write(
    `POST /openai/v1/chat/completions HTTP/1.1\r\nHost: s\r\nAuthorization: Bearer x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await waitFor(
    () =>
      (sandbox.requests.at(-1)?.delivered.bytes ?? 0) > 0 &&
      sandbox.requests.at(-1)?.faults[0] === "endless",
  );
  const record = sandbox.requests.at(-1);
  const delivered = () => record?.delivered.bytes ?? 0;

  await whenItRests(delivered);
  const memory = process.memoryUsage.rss();
  await Bun.sleep(300);

  // What the kernel's two buffers hold, and nothing besides.
  expect(delivered()).toBeLessThan(32 * 1_048_576);
  expect(process.memoryUsage.rss() - memory).toBeLessThan(16 * 1_048_576);
  const stalledAt = delivered();
  socket.destroy();
  await waitFor(() => record?.state === "aborted");
  expect(delivered()).toBe(stalledAt);
});
