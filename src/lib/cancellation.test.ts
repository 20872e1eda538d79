import { expect, test } from "bun:test";
import { Cancellation } from "./cancellation.ts";

function listener(heard: string[], name: string): EventListenerObject {
  return { handleEvent: () => void heard.push(name) };
}

test("every listener is notified of a cancellation once, in the order of registration", () => {
  const cancellation = new Cancellation();
  const heard: string[] = [];
  for (const name of ["a", "b", "c"]) cancellation.addEventListener("abort", listener(heard, name));

  cancellation.cancel("first");
  cancellation.cancel("second");

  expect(heard).toEqual(["a", "b", "c"]);
  expect(cancellation.aborted).toBe(true);
  expect(cancellation.reason).toBe("first");
});

test("a removed listener is not called, at any position", () => {
  for (const gone of [0, 1, 2]) {
    const cancellation = new Cancellation();
    const heard: string[] = [];
    const all = ["0", "1", "2"].map((name) => listener(heard, name));
    for (const each of all) cancellation.addEventListener("abort", each);
    for (const each of all.slice(gone, gone + 1)) cancellation.removeEventListener("abort", each);

    cancellation.cancel("over");

    expect(heard).toEqual(["0", "1", "2"].filter((name) => name !== String(gone)));
  }
});

test("the runtime's signal is aborted with the same reason, asked for before or after", () => {
  const early = new Cancellation();
  const { signal } = early;
  const reason = new Error("over");
  early.cancel(reason);
  const late = new Cancellation();
  late.cancel(reason);

  expect(signal.aborted).toBe(true);
  expect(signal.reason).toBe(reason);
  expect(late.signal.aborted).toBe(true);
  expect(late.signal.reason).toBe(reason);
});

test("a listener may add and remove others while it runs", () => {
  const cancellation = new Cancellation();
  const heard: string[] = [];
  const other = listener(heard, "other");
  cancellation.addEventListener("abort", {
    handleEvent() {
      cancellation.removeEventListener("abort", other);
      heard.push("first");
    },
  });

  cancellation.cancel("over");
  cancellation.removeEventListener("abort", other);

  expect(heard).toEqual(["first"]);
});
