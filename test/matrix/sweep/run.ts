import { isObject, parseJson } from "#lib/json.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { SEED } from "#test/seed.ts";
import { ask, CALLER_STYLES, type CallerStyle, type Setting } from "./ask.ts";
import { RARER_SETTINGS, USUAL_SETTINGS } from "./settings.ts";
import { channelTo, TARGETS, type Target } from "./targets.ts";

/** One request of the sweep, and who refused it. */
export interface Cell {
  readonly caller: CallerStyle;
  readonly target: string;
  readonly model: string;
  readonly setting: string;
  readonly stream: boolean;
  readonly status: number;
  /** The simulated vendor refused what it was sent. */
  readonly isRefusedByVendor: boolean;
  /** What the caller was told, if it got no answer. */
  readonly message: string;
  readonly lost: readonly string[];
}

interface SweepOptions {
  /**
   * Each setting by callers of every style, streamed and whole; otherwise for every other model
   * by one caller style, one of three streamed, in turns that the seed starts.
   */
  readonly isLong: boolean;
  readonly targets?: readonly Target[];
}

/** So many that the gateway writes several settlements at once. */
const AT_ONCE = 24;

/** Every usual setting, by a caller of every style, for every simulated text model. */
export async function runSweep({
  isLong,
  targets = TARGETS,
}: SweepOptions): Promise<readonly Cell[]> {
  await using sandbox = await startSandbox();
  const cells: Cell[] = [];
  for (const target of targets) {
    await using gateway = await openTestGateway({ yaml: channelTo(target, sandbox.url) });
    const asks = asksOf(target, isLong);
    for (let at = 0; at < asks.length; at += AT_ONCE) {
      const group = asks
        .slice(at, at + AT_ONCE)
        .map((each) => send(each, target, gateway, sandbox));
      cells.push(...(await Promise.all(group)).filter((cell) => cell !== undefined));
    }
  }
  return cells;
}

interface Ask {
  readonly caller: CallerStyle;
  readonly model: string;
  readonly setting: Setting;
  readonly stream: boolean;
}

function asksOf({ models }: Target, isLong: boolean): readonly Ask[] {
  const asks: Ask[] = [];
  for (const [m, model] of models.entries()) {
    for (const [s, setting] of [...USUAL_SETTINGS, ...RARER_SETTINGS].entries()) {
      for (const [c, caller] of CALLER_STYLES.entries()) {
        const turn = SEED + m + s + c;
        if (!isLong && turn % (2 * CALLER_STYLES.length) !== 0) continue;
        const streams = isLong ? [true, false] : [turn % 3 === 0];
        asks.push(...streams.map((stream) => ({ caller, model, setting, stream })));
      }
    }
  }
  return asks;
}

let count = 0;

async function send(
  { caller, model, setting, stream }: Ask,
  target: Target,
  gateway: TestGateway,
  sandbox: Sandbox,
): Promise<Cell | undefined> {
  const mark = `question-${++count}-of-the-sweep`;
  const question = ask(caller, model, setting, { stream, text: `Reply with exactly: ${mark}` });
  if (question === undefined) return undefined;
  const answer = await gateway.post(question.path, question.body);
  const text = await answer.text();
  const { status } = answer;
  const cell = { caller, target: target.id, model, setting: setting.name, stream, status };
  const lost = (answer.headers.get("sluice-lossy") ?? "").split(", ").filter((each) => each !== "");
  const isBroken = status !== 200 || (stream && /"error"/.test(text));
  return {
    ...cell,
    lost,
    isRefusedByVendor: isBroken && wasRefused(sandbox, mark),
    message: isBroken ? messageIn(text) : "",
  };
}

/** Looks at the simulator's own records: what the gateway says of it does not count. */
function wasRefused({ requests }: Sandbox, mark: string): boolean {
  return requests.slice(-20 * AT_ONCE).some(({ status = 0, body }) => {
    return status >= 400 && JSON.stringify(body ?? "").includes(mark);
  });
}

function messageIn(text: string): string {
  const json = parseJson(text);
  const error = isObject(json) ? json["error"] : undefined;
  const message = isObject(error) ? error["message"] : undefined;
  return typeof message === "string" ? message : text.slice(0, 300);
}
