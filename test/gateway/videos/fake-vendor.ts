import type { JsonObject } from "#lib/json.ts";
import { openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";

export interface FakeVendor extends AsyncDisposable {
  readonly opened: TestGateway;
  /** What was asked of it, oldest first. */
  readonly asked: readonly SentRequest[];
}

export interface SentRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: JsonObject;
}

/** A gateway in front of a vendor who answers as it is told to. */
export async function openFake(
  vendor: string,
  models: readonly string[],
  answer: (asked: SentRequest) => object | Response,
): Promise<FakeVendor> {
  const asked: SentRequest[] = [];
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const body = (text === "" ? {} : JSON.parse(text)) as JsonObject;
      const one = { method: request.method, path: pathname + search, body };
      asked.push(one);
      const told = answer(one);
      return told instanceof Response ? told : Response.json(told);
    },
  });
  const url = `http://127.0.0.1:${upstream.port}`;
  const channel = simulatedChannel("fake", url, "", vendor).replace("/openai/v1", "");
  const prices = models.map((model) => `  ${model}: { second: 0.1 }`).join("\n");
  const opened = await openTestGateway({ yaml: `channels:\n${channel}\nmodels:\n${prices}\n` });
  return {
    opened,
    asked,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await upstream.stop(true);
    },
  };
}
