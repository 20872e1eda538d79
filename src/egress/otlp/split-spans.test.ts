import { expect, test } from "bun:test";
import { SplitSpans } from "./split-spans.ts";

function stage() {
  const seen: string[] = [];
  const queue = (name: string) => ({
    onStart() {},
    onEnd: (span: unknown) => void seen.push(`${name} ${(span as { name: string }).name}`),
    forceFlush: async () => void seen.push(`${name} flushed`),
    shutdown: async () => void seen.push(`${name} closed`),
  });
  return { seen, spans: new SplitSpans(queue("plain"), queue("content")) };
}

test("spans with messages go to a queue of their own", () => {
  const { seen, spans } = stage();
  const end = (name: string, attributes: object): void =>
    spans.onEnd({ name, attributes } as never);

  end("call", { "sluice.style": "chat" });
  end("asked", { "gen_ai.input.messages": "[]" });
  end("answered", { "gen_ai.output.messages": "[]" });

  expect(seen).toEqual(["plain call", "content asked", "content answered"]);
});

test("both queues are flushed and closed", async () => {
  const { seen, spans } = stage();

  await spans.forceFlush();
  await spans.shutdown();

  expect(seen).toEqual(["plain flushed", "content flushed", "plain closed", "content closed"]);
});
