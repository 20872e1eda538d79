import { expect, test } from "bun:test";
import { Deadlines } from "#lib/deadlines.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { openClock } from "#egress/fixtures/raw-upstream.ts";
import { waitFor } from "#test/wait.ts";
import { NOBODY } from "./authenticate.ts";
import { HttpExchange } from "./exchange.ts";

function openExchange() {
  const clock = openClock();
  const idleSeconds: number[] = [];
  const exchange = new HttpExchange(new Request("http://gate/"), "id", NOBODY, () => undefined, {
    jsonDepth: 64,
    bigBodies: new Semaphore(1, 1),
    deadlines: new Deadlines(clock),
    clientOf: () => ({ address: undefined, isSecure: true }),
    setIdleSeconds: (_request, seconds) => idleSeconds.push(seconds),
  });
  return { clock, exchange, idleSeconds };
}

test("a connection on which an answer was waited for long is closed when idle again afterwards", async () => {
  const { clock, exchange, idleSeconds } = openExchange();

  const patience = exchange.waitLong();
  clock.pass(15_000);
  await waitFor(() => idleSeconds.length > 0);
  patience[Symbol.dispose]();

  expect(idleSeconds).toEqual([0, 30]);
});

test("a connection whose answer may be read slowly keeps the time that its reader was given", async () => {
  const { clock, exchange, idleSeconds } = openExchange();

  const patience = exchange.waitLong();
  clock.pass(15_000);
  await waitFor(() => idleSeconds.length > 0);
  exchange.setStall(120_000);
  patience[Symbol.dispose]();

  expect(idleSeconds.at(-1)).toBe(120);
});

test("nothing is said of a connection on which an answer came soon", () => {
  const { exchange, idleSeconds } = openExchange();

  exchange.waitLong()[Symbol.dispose]();

  expect(idleSeconds).toEqual([]);
});
