import { parseJson, type Json } from "../json.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "../server.ts";

/** A sandbox whose clock stands still until it is moved. */
export interface ClockedSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox;
  now(): number;
  wait(ms: number): void;
  call(method: string, path: string, body?: Json, more?: CallMore): Promise<Answer>;
}

interface CallMore {
  /** The whole header: "Bearer sk-test" unless told. */
  readonly authorization?: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Json | undefined;
}

export async function clockedSandbox(options: SandboxOptions = {}): Promise<ClockedSandbox> {
  let now = Date.UTC(2026, 0, 1, 12);
  const sandbox = await startSandbox({ now: () => now, ...options });
  return {
    sandbox,
    now: () => now,
    wait: (ms) => void (now += ms),
    async call(method, path, body, { authorization = "Bearer sk-test" } = {}) {
      const response = await fetch(sandbox.url + path, {
        method,
        headers: { authorization, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: parseJson(await response.text()) };
    },
    [Symbol.asyncDispose]: () => sandbox.stop(),
  };
}

/** A place on this machine that callbacks are sent to. */
interface Receiver extends Disposable {
  readonly url: string;
  readonly heard: readonly HeardCallback[];
  /** What is answered next, and then 200 for ever. */
  answerWith(...statuses: number[]): void;
}

interface HeardCallback {
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json | undefined;
}

/** One that `echoes` answers each with what it was told. */
export function openReceiver({ echoes = false } = {}): Receiver {
  const heard: HeardCallback[] = [];
  const statuses: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const text = await request.text();
      const { pathname, search } = new URL(request.url);
      heard.push({
        path: pathname + search,
        headers: request.headers,
        text,
        body: parseJson(text),
      });
      return new Response(echoes ? text : null, { status: statuses.shift() ?? 200 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/told`,
    heard,
    answerWith: (...more) => void statuses.push(...more),
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** A file at an address of this machine; nothing is found there where there is none. */
export function serveFile(file: Uint8Array | undefined): Disposable & { readonly url: string } {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      file === undefined
        ? new Response("There is none.", { status: 404 })
        : new Response(new Uint8Array(file)),
  });
  return {
    url: `http://127.0.0.1:${server.port}/file`,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
