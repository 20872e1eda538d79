import { describe, expect, test } from "bun:test";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { Deadlines } from "#lib/deadlines.ts";
import {
  faultOf,
  LIMITS,
  OK,
  openClock,
  openRawUpstream,
  requestTo,
  sized,
} from "#test/egress/raw-upstream.ts";
import type { UpstreamLimits, UpstreamRequest } from "./egress.ts";
import { openEgress } from "./upstream.ts";

const BOUNDS: UpstreamLimits = {
  ...LIMITS,
  connectMs: 3_000,
  firstByteMs: 30_000,
  unaryMs: 300_000,
  idleMs: 60_000,
  totalMs: 3_600_000,
};
/** Longer than between two looks at the clock. */
const LOOKS_MS = 250;

interface Timed {
  readonly clock: ReturnType<typeof openClock>;
  readonly deadlines: Deadlines;
  readonly egress: ReturnType<typeof openEgress>;
}

function openTimed(limits: Partial<UpstreamLimits> = {}): Timed {
  const clock = openClock();
  const deadlines = new Deadlines(clock);
  return { clock, deadlines, egress: openEgress({ ...BOUNDS, ...limits }, deadlines) };
}

/** Lets all but a millisecond pass, in which nothing may happen, and then that one. */
async function expectDueAfter(
  ms: number,
  { clock }: Timed,
  outcome: Promise<unknown>,
): Promise<string> {
  let isSettled = false;
  const settled = (): void => {
    isSettled = true;
  };
  outcome.then(settled, settled);
  clock.pass(ms - 1);
  await Bun.sleep(LOOKS_MS);
  expect({ ms, isSettled }).toEqual({ ms, isSettled: false });
  clock.pass(1);
  return faultOf(outcome);
}

/** Takes connections, and never says a word on them. */
async function openMute(): Promise<
  { port: number; openConnections: () => number } & AsyncDisposable
> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    openConnections: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(1);
}

describe("an upstream request times out", () => {
  test("[C2] if the connection is not ready in time, and no resource is left", async () => {
    await using mute = await openMute();
    const timed = openTimed();
    const url = new URL(`https://127.0.0.1:${mute.port}/`);

    const sending = timed.egress.send(requestTo({ url }));
    await until(() => mute.openConnections() === 1);

    expect(await expectDueAfter(3_000, timed, sending)).toBe("upstream_unreachable");
    await until(() => mute.openConnections() === 0);
    expect(timed.deadlines.size).toBe(0);
  });

  const firsts: [string, Partial<UpstreamRequest>, number][] = [
    ["a stream has not begun", { isStream: true }, 30_000],
    ["a whole answer has not begun", { isStream: false }, 300_000],
    ["a slow stream has not begun", { isStream: true, isSlow: true }, 300_000],
  ];
  test.each(firsts)("[C3] if %s in time", async (_what, more, ms) => {
    await using upstream = await openRawUpstream(() => {});
    const timed = openTimed();

    const sending = timed.egress.send(requestTo(upstream, more));
    await until(() => upstream.requests.length === 1);

    expect(await expectDueAfter(ms, timed, sending)).toBe("upstream_timeout");
    await upstream.reaches(0);
    expect(timed.deadlines.size).toBe(0);
  });

  test("[C3] if it sends only interim responses, in any number", async () => {
    let socket: Socket | undefined;
    await using upstream = await openRawUpstream((each) => {
      socket = each;
      each.write("HTTP/1.1 100 Continue\r\n\r\n");
    });
    const timed = openTimed();

    const sending = timed.egress.send(requestTo(upstream));
    await until(() => socket !== undefined);
    timed.clock.pass(20_000);
    socket?.write("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 O");
    await Bun.sleep(LOOKS_MS);

    expect(await expectDueAfter(10_000, timed, sending)).toBe("upstream_timeout");
    await upstream.reaches(0);
  });

  test("[C5] if it is silent for too long within the response, measured from each chunk", async () => {
    let socket: Socket | undefined;
    await using upstream = await openRawUpstream((each) => {
      socket = each;
      each.write(`${OK}\r\n1`);
    });
    const timed = openTimed();
    const reply = await timed.egress.send(requestTo(upstream));
    let seen = "";
    const reading = reply.pump((piece) => {
      seen += Buffer.from(piece).toString();
    });

    for (const each of ["2", "3"]) {
      timed.clock.pass(59_999);
      await Bun.sleep(LOOKS_MS);
      socket?.write(each);
      await until(() => seen.endsWith(each));
    }

    expect(await expectDueAfter(60_000, timed, reading)).toBe("upstream_timeout");
    expect(seen).toBe("123");
    await upstream.reaches(0);
    reply.close();
  });

  test("if a slow one is silent for longer than a non-streaming response may take", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(`${OK}\r\n1`));
    const timed = openTimed();
    const reply = await timed.egress.send(requestTo(upstream, { isSlow: true }));
    let seen = "";
    const reading = reply.pump((piece) => {
      seen += Buffer.from(piece).toString();
    });
    await until(() => seen === "1");

    expect(await expectDueAfter(300_000, timed, reading)).toBe("upstream_timeout");
    reply.close();
  });

  test("if it exceeds the total time", async () => {
    let socket: Socket | undefined;
    await using upstream = await openRawUpstream((each) => {
      socket = each;
      each.write(`${OK}\r\n.`);
    });
    const timed = openTimed({ totalMs: 100_000 });
    const reply = await timed.egress.send(requestTo(upstream));
    let pieces = 0;
    const reading = reply.pump(() => void pieces++);

    timed.clock.pass(50_000);
    await until(() => pieces === 1);
    socket?.write(".");
    await until(() => pieces === 2);

    expect(await expectDueAfter(50_000, timed, reading)).toBe("upstream_timeout");
    reply.close();
  });

  test("if a non-streaming response arrives too slowly, even without a pause", async () => {
    let socket: Socket | undefined;
    await using upstream = await openRawUpstream((each) => {
      socket = each;
      each.write(`${OK}\r\n.`);
    });
    const timed = openTimed({ unaryMs: 100_000 });
    const reply = await timed.egress.send(requestTo(upstream, { isStream: false }));
    let pieces = 0;
    const reading = reply.pump(() => void pieces++);

    timed.clock.pass(50_000);
    await until(() => pieces === 1);
    socket?.write(".");
    await until(() => pieces === 2);

    expect(await expectDueAfter(50_000, timed, reading)).toBe("upstream_timeout");
    reply.close();
  });

  test("if its response is not consumed within the total time", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const timed = openTimed({ totalMs: 100_000 });
    const reply = await timed.egress.send(requestTo(upstream));

    const reading = reply.pump(() => new Promise<void>(() => {}));

    expect(await expectDueAfter(100_000, timed, reading)).toBe("upstream_timeout");
    await upstream.reaches(0);
    reply.close();
  });
});

describe("an upstream request does not time out", () => {
  test("because of a consumer that is not ready", async () => {
    let socket: Socket | undefined;
    await using upstream = await openRawUpstream((each) => {
      socket = each;
      each.write(`${OK}Content-Length: 3\r\n\r\n1`);
    });
    const timed = openTimed();
    const reply = await timed.egress.send(requestTo(upstream));
    const ready = Promise.withResolvers<void>();
    let seen = "";
    const reading = reply.pump((piece) => {
      seen += Buffer.from(piece).toString();
      return seen === "12" ? ready.promise : undefined;
    });

    await until(() => seen === "1");
    socket?.write("2");
    await until(() => seen === "12");
    timed.clock.pass(3_000_000);
    await Bun.sleep(LOOKS_MS);
    ready.resolve();
    await Bun.sleep(0);
    timed.clock.pass(59_999);
    await Bun.sleep(LOOKS_MS);
    socket?.write("3");

    await reading;
    expect(seen).toBe("123");
    reply.close();
    timed.egress.close();
  });

  test("because of a response that no consumer has begun to read", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const timed = openTimed();
    const reply = await timed.egress.send(requestTo(upstream));

    timed.clock.pass(3_000_000);
    await Bun.sleep(LOOKS_MS);

    expect(Buffer.from(await reply.readAll()).toString()).toBe("hi");
    reply.close();
    timed.egress.close();
  });

  test("after its response is complete, and its connection serves the next", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const timed = openTimed();
    const reply = await timed.egress.send(requestTo(upstream));
    await reply.readAll();

    timed.clock.pass(4_000_000);
    await Bun.sleep(LOOKS_MS);
    reply.close();
    (await timed.egress.send(requestTo(upstream))).close();

    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 1]);
    timed.egress.close();
  });
});

describe("the body of an error response", () => {
  const HALF = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 100\r\n\r\nOverl";

  test("is awaited for a few seconds at most", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(HALF));
    const { clock, deadlines, egress } = openTimed();
    using reply = await egress.send(requestTo(upstream, { isStream: false, isSlow: true }));

    const saying = reply.readFailure(1_000);
    clock.pass(5_000);

    // Half of it might hold half of a secret, and its status says enough.
    expect([reply.status, await saying]).toEqual([503, ""]);
    await upstream.reaches(0);
    reply.close();
    expect(deadlines.size).toBe(0);
  });

  test("may break off: the error then follows from the status", async () => {
    await using upstream = await openRawUpstream((socket) => socket.end(HALF));
    using reply = await openTimed().egress.send(requestTo(upstream));

    expect([reply.status, await reply.readFailure(1_000)]).toEqual([503, ""]);
  });

  test("is dropped if the client disconnects meanwhile", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(HALF));
    const leaving = new AbortController();
    const request = requestTo(upstream, { signal: leaving.signal });
    using reply = await openTimed().egress.send(request);

    const saying = reply.readFailure(1_000);
    leaving.abort();

    expect(await faultOf(saying)).toBe("canceled");
  });
});
