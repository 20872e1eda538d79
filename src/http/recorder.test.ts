import { expect, test } from "bun:test";
import { recorder } from "./recorder.ts";

test("recorded bytes are copied, so that later writes do not change them", () => {
  const { tee, recorded } = recorder(100);
  const passed: string[] = [];
  const sink = tee({ write: (piece) => void passed.push(Buffer.from(piece).toString()) });
  const bytes = Buffer.from("one ");

  void sink.write(bytes);
  bytes.write("two ");
  void sink.write(bytes);
  void sink.write("Grüße");

  expect(passed.join("")).toBe("one two Grüße");
  expect(Buffer.from(recorded() ?? []).toString()).toBe("one two Grüße");
});

test.each([
  [3, true],
  [4, false],
])("with a limit of four bytes, %i bytes and one more fit: %p", (size, fits) => {
  const { tee, recorded } = recorder(4);
  const sink = tee({ write: () => {} });

  void sink.write("a".repeat(size));
  void sink.write("b");

  expect(recorded()?.length).toBe(fits ? size + 1 : undefined);
});

test("a slow reader pauses the writer", () => {
  const slow = Promise.resolve();

  expect(
    recorder(1)
      .tee({ write: () => slow })
      .write("ab"),
  ).toBe(slow);
});
