import { parseJson, isObject } from "#lib/json.ts";
import { openTestGateway } from "#test/harness.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { EMPTY, type Ask, type Caller, type Seen } from "./caller.ts";
import { chatCaller } from "./callers/chat.ts";
import { messagesCaller } from "./callers/messages.ts";
import { nativeCaller } from "./callers/native.ts";
import { responsesCaller } from "./callers/responses.ts";
import { CASES } from "./cases.ts";
import { channelOf, UPSTREAMS, type Upstream } from "./upstreams.ts";

export const CALLERS: readonly Caller[] = [
  chatCaller,
  responsesCaller,
  messagesCaller,
  nativeCaller,
];

export interface Cell {
  readonly caller: string;
  readonly upstream: string;
  readonly stream: boolean;
  readonly case: string;
  /** Undefined where all is well. */
  readonly failure: string | undefined;
  /** What was reported as not carried on the way. */
  readonly lost: readonly string[];
}

/** Every style's caller on every upstream's wire format, each case streamed and not. */
export async function runMatrix(onCell: (cell: Cell) => void = () => {}): Promise<readonly Cell[]> {
  await using sandbox = await startSandbox();
  const cells: Cell[] = [];
  for (const upstream of UPSTREAMS) {
    await using gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
    for (const caller of CALLERS) {
      for (const stream of [true, false]) {
        for (const name of Object.keys(CASES)) {
          const cell = await runCell(name, caller, upstream, stream, gateway);
          cells.push(cell);
          onCell(cell);
        }
      }
    }
  }
  return cells;
}

type Post = Pick<Awaited<ReturnType<typeof openTestGateway>>, "post">;

async function runCell(
  name: string,
  caller: Caller,
  upstream: Upstream,
  stream: boolean,
  gateway: Post,
): Promise<Cell> {
  const lost = new Set<string>();
  const send = async (ask: Ask): Promise<Seen & { status: number }> => {
    const { path, body } = caller.request(ask);
    const answer = await gateway.post(path, body);
    for (const field of (answer.headers.get("sluice-lossy") ?? "").split(", ")) {
      if (field !== "") lost.add(field);
    }
    return { ...read(await answer.text(), answer, caller), status: answer.status };
  };

  let failure: string | undefined;
  try {
    await CASES[name]?.({ caller, stream, upstream, send });
  } catch (cause) {
    failure = cause instanceof Error ? cause.message : String(cause);
  }
  return { caller: caller.id, upstream: upstream.id, stream, case: name, failure, lost: [...lost] };
}

function read(text: string, answer: Response, caller: Caller): Seen {
  if (answer.headers.get("content-type")?.includes("event-stream")) return caller.readStream(text);
  const json = parseJson(text);
  return isObject(json) ? caller.readWhole(json) : { ...EMPTY, error: `not JSON: ${text}` };
}
