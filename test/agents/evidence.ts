import type { Ended } from "./limited-run.ts";

/** All that is known of an agent's run, from three sides that do not know of each other. */
export interface Evidence {
  readonly ended: Ended;
  /** What arrived at the upstream, oldest first. */
  readonly received: readonly Received[];
  /** What the gateway's journal says. */
  readonly calls: readonly JournaledCall[];
}

interface Received {
  readonly path: string;
  readonly body: string;
}

interface JournaledCall {
  readonly style: string;
  readonly outcome: string;
  readonly fault: string | null;
}

interface Expected {
  /** The agent's style, and the upstream's. */
  readonly style: string;
  readonly upstream: string;
  /** Stands in the file that the agent is to read, and nowhere else. */
  readonly secret: string;
}

/**
 * Why a run does not prove that the agent works; undefined where it does. It
 * does when every call was made in the agent's style and completed, arrived in
 * the upstream's, the file's secret came to the upstream only after a first
 * question (so that a tool has read it), and the agent printed the answer that
 * the simulator gives to a tool's result.
 */
export function troubleIn(evidence: Evidence, expected: Expected): string | undefined {
  const { ended, received, calls } = evidence;
  const failed = calls.find(({ outcome }) => outcome === "failed" || outcome === "interrupted");
  if (failed !== undefined)
    return `a call failed with ${failed.fault ?? failed.outcome}${lastWords(ended)}`;
  if (ended.isOutOfTime) return `ran out of time after ${calls.length} calls${lastWords(ended)}`;
  if (ended.code !== 0) return `ended with ${ended.code ?? "a signal"}${lastWords(ended)}`;
  if (received.length === 0) return `nothing reached the upstream${lastWords(ended)}`;

  const strange = calls.find(({ style }) => style !== expected.style);
  if (strange !== undefined) return `spoke ${strange.style} instead of ${expected.style}`;
  const path = PATHS[expected.upstream];
  const astray = received.find((each) => path?.test(each.path) !== true);
  if (astray !== undefined) return `the upstream was called at ${astray.path}`;

  const at = received.findIndex(({ body }) => body.includes(expected.secret));
  if (at < 0) return `what the file says did not reach the upstream${lastWords(ended)}`;
  if (at === 0) return "the secret was known before a tool could read it";
  const answer = ended.stdout.indexOf(ANSWER);
  if (answer < 0 || !ended.stdout.slice(answer).includes(expected.secret))
    return `the answer was not printed${lastWords(ended)}`;
  return undefined;
}

/** Where each style's questions are asked, whoever the vendor is. */
const PATHS: Readonly<Record<string, RegExp>> = {
  chat: /\/chat\/completions$/,
  responses: /\/responses$/,
  messages: /\/messages$/,
  gemini: /:(?:streamGenerateContent|generateContent)$/,
};

/** "The read_file tool returned: ...", as the simulator quotes a result. */
const ANSWER = " returned: ";

function lastWords({ stdout, stderr }: Ended): string {
  const line = lastLine(stderr) ?? lastLine(stdout);
  return line === undefined ? "" : `: ${line}`;
}

/** Without colours, and not longer than a table can bear. */
export function lastLine(text: string): string | undefined {
  const lines = text
    .replaceAll(/\u001B\[[\d;]*[A-Za-z]/g, "")
    .split("\n")
    .map((line) => line.trim());
  return lines.findLast((line) => line !== "")?.slice(0, MAX_LINE);
}

const MAX_LINE = 200;
