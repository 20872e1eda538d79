import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/*
 * The smallest gateway that has keys, prices and accounts. It is written the way
 * gateways often begin: a quota is compared before the call and charged after it,
 * and accounts are written in batches. The experiments show what that costs.
 */

interface Settings {
  readonly port: number;
  /** Where the accounts are kept. */
  readonly path: string;
  readonly models: readonly {
    readonly name: string;
    readonly prices: { readonly input: number; readonly output: number };
    readonly channels: readonly { readonly address: string }[];
  }[];
}

interface Account {
  readonly quota?: number;
  spent: number;
  calls: number;
}

const WRITE_MS = 1_000;
const NO_CALLS: Account = { spent: 0, calls: 0 };
const [, , settingsPath = ""] = process.argv;
const settings = JSON.parse(readFileSync(settingsPath, "utf8")) as Settings;
const accounts: Record<string, Account> = existsSync(settings.path)
  ? (JSON.parse(readFileSync(settings.path, "utf8")) as Record<string, Account>)
  : {};

setInterval(() => writeFileSync(settings.path, JSON.stringify(accounts)), WRITE_MS);
createServer((request, response) => {
  void answer(request, response).catch((cause: unknown) => {
    if (!response.headersSent) send(response, 502, { error: { message: String(cause) } });
    else response.destroy();
  });
}).listen(settings.port, "127.0.0.1");

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "";
  if (path === "/ready") return send(response, 200, {});
  if (path === "/keys") {
    const { name, quota } = JSON.parse(await bodyOf(request)) as { name: string; quota?: number };
    accounts[name] = { spent: 0, calls: 0, ...(quota === undefined ? {} : { quota }) };
    return send(response, 200, { id: name, secret: name });
  }
  if (path.startsWith("/keys/")) return send(response, 200, accounts[path.slice(6)] ?? NO_CALLS);
  return await forward(request, response);
}

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const account = accounts[(request.headers.authorization ?? "").slice("Bearer ".length)];
  if (account === undefined) return send(response, 401, { error: { message: "Unknown key." } });
  if (account.spent >= (account.quota ?? Infinity)) {
    return send(response, 402, { error: { message: "The quota is spent." } });
  }
  const body = await bodyOf(request);
  const { model: name } = JSON.parse(body) as { model: string };
  const model = settings.models.find((each) => each.name === name);
  const upstream = await fetch(`${model?.channels[0]?.address}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  response.writeHead(upstream.status, {
    "content-type": upstream.headers.get("content-type") ?? "application/json",
  });
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of upstream.body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    response.write(bytes);
  }
  charge(account, text, model?.prices ?? { input: 0, output: 0 });
  response.end();
}

/** The last usage of the answer is that of the call; without one, it costs nothing. */
function charge(account: Account, text: string, prices: { input: number; output: number }): void {
  const [, input = 0] = /"prompt_tokens":(\d+)/.exec(text) ?? [];
  const [, output = 0] = /"completion_tokens":(\d+)/.exec(text) ?? [];
  account.spent += (Number(input) * prices.input + Number(output) * prices.output) / 1e6;
  account.calls += 1;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const bytes of request) body += String(bytes);
  return body;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
