import { openExchange, type Exchange } from "./exchange.ts";
import { openHttpReader } from "./http-reader.ts";
import { PATHS, requestBody, VARIANTS, type Ask, type Speech } from "./payload.ts";
import { openTally, type Tally, type TallyResult } from "./tally.ts";

/**
 * The callers of the bench, a process of its own: raw keep-alive connections
 * with requests built beforehand. It takes a plan as its argument, warms the
 * target up, says `ready`, measures once a line tells it to, prints the result
 * as JSON and lives until its standard input ends.
 */
export interface LoadPlan {
  readonly port: number;
  readonly speech: Speech;
  readonly headers: Readonly<Record<string, string>>;
  readonly kind: Ask["kind"];
  /** The bench's own model if left out. */
  readonly model?: string;
  /** The right answer is a refusal with this status. */
  readonly refusedWith?: number;
  readonly warmup: Crowd;
  readonly measured: Crowd;
}

/** So many callers, started within `rampMs`; each asks once, and again until the crowd is over. */
export interface Crowd {
  readonly callers: number;
  readonly rampMs: number;
  readonly durationMs: number;
  /** The crowd goes on after that time until it has begun so many calls. */
  readonly leastCalls?: number;
  /** Calls of all callers together; as many as there can be if left out. */
  readonly perSecond?: number;
  /** Time between two events of a stream. */
  readonly paceMs: number;
  readonly timeoutMs: number;
}

/** What the callers of one crowd share. */
interface Run {
  readonly plan: LoadPlan;
  /** By variant. */
  readonly requests: readonly Buffer[];
  /** By variant: an answer that was checked in depth. */
  readonly references: (Buffer | undefined)[];
  readonly tally: Tally;
  /** Time between two calls of one caller. */
  readonly periodMs: number;
  /** Whether a caller that is free asks again. */
  goesOn(): boolean;
}

if (import.meta.main) await main();

async function main(): Promise<void> {
  const plan: LoadPlan = JSON.parse(process.argv[2] ?? "");
  const references: (Buffer | undefined)[] = [];
  await runCrowd(plan, plan.warmup, references);
  process.stdout.write("ready\n");

  process.stdin.on("end", () => process.exit(0));
  process.stdin.once("data", async () => {
    const result = await runCrowd(plan, plan.measured, references);
    process.stdout.write(`${JSON.stringify(result)}\n`);
  });
}

async function runCrowd(
  plan: LoadPlan,
  crowd: Crowd,
  references: (Buffer | undefined)[],
): Promise<TallyResult> {
  const tally = openTally();
  const startedAt = performance.now();
  let isOver = false;
  const run: Run = {
    plan,
    references,
    tally,
    periodMs: crowd.perSecond === undefined ? 0 : (1_000 * crowd.callers) / crowd.perSecond,
    requests: Array.from({ length: VARIANTS }, (_, variant) =>
      requestBytes(plan, { kind: plan.kind, variant, paceMs: crowd.paceMs }),
    ),
    goesOn: () => {
      const elapsedMs = performance.now() - startedAt;
      const isDue = elapsedMs < crowd.durationMs || tally.begun < (crowd.leastCalls ?? 0);
      return !isOver && isDue && !tally.isHopeless();
    },
  };

  const callers = Array.from({ length: crowd.callers }, async (_, index) => {
    const spreadMs = Math.max(crowd.rampMs, run.periodMs);
    if (spreadMs > 0) await Bun.sleep((index * spreadMs) / crowd.callers);
    do await converse(run, index % VARIANTS);
    while (run.goesOn());
  });
  await Promise.race([Promise.all(callers), Bun.sleep(crowd.timeoutMs)]);
  isOver = true;
  return tally.close(`no whole answer within ${crowd.timeoutMs / 1000} s`);
}

/** Asks on one connection until the crowd is done or the connection ends; never rejects. */
function converse(run: Run, variant: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let exchange: Exchange | undefined = begin();
  let socket: Bun.Socket | undefined;
  let dueAt = performance.now();

  const read = openHttpReader({
    head: (head) => exchange?.head(head),
    body: (bytes, from, to) => exchange?.body(bytes, from, to),
    end() {
      const isLast = exchange?.end() !== "keep-alive" || !run.goesOn();
      exchange = undefined;
      if (isLast) return leave();
      exchange = begin();
      sendWhenDue();
    },
  });

  Bun.connect({
    hostname: "127.0.0.1",
    port: run.plan.port,
    socket: {
      open(opened) {
        socket = opened;
        send(performance.now());
      },
      data(_, received) {
        try {
          read(received);
        } catch (cause) {
          leave(String(cause));
        }
      },
      close: () => leave("the connection closed"),
      connectError: (_, error) => leave(error.message),
    },
  }).catch(() => undefined); // connectError has told it already.
  return promise;

  function begin(): Exchange {
    return openExchange(run.plan, variant, run.references, run.tally);
  }

  /** A call that waited for the one before it began when it was due: its client waited as well. */
  function sendWhenDue(): void {
    dueAt += run.periodMs;
    const waitMs = run.periodMs === 0 ? 0 : dueAt - performance.now();
    if (waitMs > 0) setTimeout(() => send(performance.now()), waitMs);
    else send(run.periodMs === 0 ? performance.now() : dueAt);
  }

  function send(startedAt: number): void {
    const request = run.requests[variant];
    if (request === undefined || socket === undefined) return;
    exchange?.start(startedAt);
    if (socket.write(request) < request.length) leave("the request was not taken at once");
  }

  /** Comes twice when leaving closes the connection: by then no exchange is left to fail. */
  function leave(flaw?: string): void {
    if (flaw !== undefined) exchange?.fail(flaw);
    exchange = undefined;
    socket?.end();
    resolve();
  }
}

function requestBytes(plan: LoadPlan, ask: Ask): Buffer {
  const body = requestBody(ask, plan.speech, plan.model);
  const headers = {
    host: `127.0.0.1:${plan.port}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    ...plan.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${PATHS[plan.speech]} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}
