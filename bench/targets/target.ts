import { type Child, type ChildOptions, startChild } from "../child.ts";
import { GC_LOG_ENV } from "../gc-log.ts";

/** A proxy under test, running and ready. */
export interface Target extends AsyncDisposable {
  readonly id: TargetId;
  /** Its name and version, as the report shows it. */
  readonly title: string;
  readonly pid: number;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** It understands Anthropic's messages, and translates them for the upstream. */
  readonly speaksMessages: boolean;
  /** A path that it answers without a call. */
  readonly freePath: string;
  /** Its journal, if it keeps one in SQLite. */
  readonly databasePath?: string;
  /** Processes of its database, whose time is counted apart. */
  readonly databasePid?: number;
  /** How to be refused by it. */
  readonly refusals?: readonly Refusal[];
  /** What its process wrote to its standard error. */
  readonly logPath: string;
}

/** A call that is refused with a status, for its key or its model. */
export interface Refusal {
  readonly status: 401 | 402 | 404 | 429 | 503;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
}

/** A target of the bench, or a rung of the ladder. */
export type TargetId = string;

/** How a target is started, if it is not started as its documents say. */
export interface Variant {
  /** The runtime logs its collections; for programs on Bun. */
  readonly logsCollections?: true;
  /** Limits on calls at once are raised to this number. */
  readonly callsAtOnce?: number;
  /** With keys and models that are refused. */
  readonly refuses?: true;
  /** A module that Bun runs before the program. */
  readonly preload?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Where targets are started: next to which upstream, and in which folder that goes afterwards. */
export interface Site {
  readonly folder: string;
  /** The checkout. */
  readonly root: string;
  readonly upstreamPort: number;
}

/** Why a target cannot be had on this machine; its column is left out. */
export interface Missing {
  readonly missing: string;
}

/** What a target says of itself before it runs. */
type Described = Pick<
  Target,
  "id" | "title" | "port" | "headers" | "databasePath" | "databasePid" | "refusals"
> &
  Partial<Pick<Target, "speaksMessages" | "freePath">>;

const READY_TIMEOUT_MS = 90_000;

/** Starts the process and waits until `path` is answered, with 200 where `ok` asks for it. */
export async function startTarget(
  target: Described,
  command: Omit<ChildOptions, "name">,
  ready: { path: string; ok: boolean },
): Promise<Target> {
  const child = startChild({ name: target.id, ...command });
  try {
    await waitUntilReady(child, `http://127.0.0.1:${target.port}${ready.path}`, ready.ok);
  } catch (cause) {
    await child[Symbol.asyncDispose]();
    throw cause;
  }
  return {
    speaksMessages: false,
    freePath: ready.path,
    ...target,
    pid: child.pid,
    logPath: child.logPath,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** The command and the environment of a program on the bench's own Bun. */
export function onBun(
  args: readonly string[],
  { logsCollections, preload, env }: Variant,
): Pick<ChildOptions, "command"> & { readonly env: Readonly<Record<string, string>> } {
  return {
    command: [process.execPath, ...(preload === undefined ? [] : ["--preload", preload]), ...args],
    env: { ...(logsCollections === true ? GC_LOG_ENV : {}), ...env },
  };
}

/** A port that was free a moment ago. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

async function waitUntilReady(child: Child, url: string, ok: boolean): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let last = "no answer";
  while (performance.now() < deadline) {
    child.assertRuns();
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
      await answer.body?.cancel();
      if (answer.ok || !ok) return;
      last = `status ${answer.status}`;
    } catch (cause) {
      last = String(cause);
    }
    await Bun.sleep(50);
  }
  throw new Error(`${url} was not ready within ${READY_TIMEOUT_MS / 1000} s: ${last}.`);
}
