import { answerFlaw, type Ask, type Speech } from "./payload.ts";
import type { Tally } from "./tally.ts";

/** One request and the check of its answer. */
export interface Exchange {
  start(startedAt: number): void;
  head(head: string): void;
  body(bytes: Buffer, from: number, to: number): void;
  /** Counts the answer as right or wrong, and tells what becomes of the connection. */
  end(): "keep-alive" | "close";
  fail(flaw: string): void;
}

/** What the right answer is. */
interface Expected {
  readonly kind: Ask["kind"];
  readonly speech: Speech;
  readonly refusedWith?: number;
}

/**
 * An answer that equals the last one that was right is right, which costs a
 * memcmp. Where the first byte differs the rest is kept and checked in depth:
 * always the first time, and every time with a gateway that writes its own ids.
 */
export function openExchange(
  { kind, speech, refusedWith }: Expected,
  variant: number,
  references: (Buffer | undefined)[],
  tally: Tally,
): Exchange {
  const reference = references[variant] ?? Buffer.alloc(0);
  let equalBytes = 0;
  let differing: Buffer[] | undefined;
  let startedAt = 0;
  let firstByteAt = 0;
  let status = 0;
  let isLast = false;
  tally.begin();

  return {
    start(at) {
      startedAt = at;
    },
    head(head) {
      status = Number(head.slice(9, 12));
      isLast = /\r\nconnection:[ \t]*close/i.test(head);
    },
    body(bytes, from, to) {
      if (firstByteAt === 0) {
        firstByteAt = performance.now();
        tally.answerBegins();
      }
      const end = equalBytes + to - from;
      if (differing === undefined && end <= reference.length) {
        if (bytes.compare(reference, equalBytes, end, from, to) === 0) {
          equalBytes = end;
          return;
        }
      }
      differing ??= [reference.subarray(0, equalBytes)];
      differing.push(Buffer.from(bytes.subarray(from, to)));
    },
    end() {
      if (firstByteAt !== 0) tally.answerEnds();
      const flaw = findFlaw();
      if (flaw !== undefined) tally.fail(flaw);
      else tally.complete(firstByteAt - startedAt, performance.now() - startedAt);
      return isLast || flaw !== undefined ? "close" : "keep-alive";
    },
    fail(flaw) {
      if (firstByteAt !== 0) tally.answerEnds();
      tally.fail(`${flaw} ${firstByteAt === 0 ? "before" : "during"} the answer`);
    },
  };

  function findFlaw(): string | undefined {
    if (refusedWith !== undefined) {
      // A limit of one call a minute lets one in now and then.
      const isExpected = status === refusedWith || status === 200;
      return isExpected ? undefined : `status ${status} instead of ${refusedWith}`;
    }
    const isEqual = differing === undefined && equalBytes === reference.length;
    if (status === 200 && isEqual && equalBytes > 0) return undefined;
    const whole = Buffer.concat(differing ?? [reference.subarray(0, equalBytes)]);
    const text = whole.toString();
    if (status !== 200) return `status ${status}: ${text.slice(0, 200)}`;
    const flaw = answerFlaw({ kind, variant, paceMs: 0 }, text, speech);
    if (flaw === undefined) references[variant] = whole;
    return flaw;
  }
}
