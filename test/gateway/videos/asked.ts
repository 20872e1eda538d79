import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { openBooks } from "#test/books.ts";
import { openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";

export interface VideoGateway extends AsyncDisposable {
  readonly opened: TestGateway;
  readonly sandbox: Sandbox;
  post(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ReceivedAnswer>;
  get(path: string): Promise<ReceivedAnswer>;
  /** What was charged for a task; undefined while it is not. */
  costOf(id: string): number | undefined;
}

interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** A gateway whose vendor of videos is simulated, and makes them at once. */
export async function openVideos(
  vendor: string,
  models: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<VideoGateway> {
  const sandbox = await startSandbox({ tasks: { queuedMs: 0, runningMs: 0 } });
  const channel = simulatedChannel("sim", sandbox.url, "", vendor).replace(
    "/openai/v1",
    `/${vendor}`,
  );
  const prices = models.map((model) => `  ${model}: { second: 0.1 }`).join("\n");
  const opened = await openTestGateway({
    yaml: `channels:\n${channel}\nmodels:\n${prices}\n`,
    env,
  });
  return {
    ...asking(opened),
    opened,
    sandbox,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
}

export function asking(opened: TestGateway): Pick<VideoGateway, "post" | "get" | "costOf"> {
  const told = async (response: Response): Promise<ReceivedAnswer> => ({
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as JsonObject,
  });
  return {
    post: async (path, body, headers) => await told(await opened.post(path, body, headers)),
    get: async (path) => await told(await opened.get(path)),
    costOf(id) {
      using books = openBooks(opened.dataDir);
      const cost = books.calls().find((call) => call["id"] === id)?.["cost"];
      return typeof cost === "number" ? cost : undefined;
    },
  };
}

/** What the vendor was last asked for at a path of its own. */
export function bodyOf({ sandbox }: Pick<VideoGateway, "sandbox">, path: string): JsonObject {
  const found = sandbox.requests.findLast(
    (each) => each.method === "POST" && each.path.endsWith(path),
  );
  return objectOf(found?.body) ?? {};
}
