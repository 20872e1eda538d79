import { expect, test } from "bun:test";
import type { CallRecord } from "#core/call.ts";
import { CallObservers } from "./call-observers.ts";

const RECORD = { id: "call-1" } as CallRecord;

test("each observer sees a finished call, in the order in which they were added", () => {
  const seen: string[] = [];
  const observers = new CallObservers(() => {});
  observers.add({ observe: ({ id }) => void seen.push(`first ${id}`) });
  observers.add({ observe: ({ id }) => void seen.push(`second ${id}`) });

  observers.observe(RECORD);

  expect(seen).toEqual(["first call-1", "second call-1"]);
});

test("an observer that fails is reported, and the others still see the call", () => {
  const seen: string[] = [];
  const failures: unknown[] = [];
  const failure = new Error("broken");
  const observers = new CallObservers((cause) => void failures.push(cause));
  observers.add({
    observe() {
      throw failure;
    },
  });
  observers.add({ observe: ({ id }) => void seen.push(id) });

  observers.observe(RECORD);

  expect(failures).toEqual([failure]);
  expect(seen).toEqual(["call-1"]);
});
