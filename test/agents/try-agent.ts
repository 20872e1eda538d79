import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { isArray, parseJson } from "#lib/json.ts";
import { openBooks, type Row } from "#test/books.ts";
import { KEY, openTestGateway } from "#test/harness.ts";
import { channelOf, type Upstream } from "#test/matrix/upstreams.ts";
import type { Agent, Launch } from "./agent.ts";
import { troubleIn, type Evidence } from "./evidence.ts";
import { runLimited } from "./limited-run.ts";

interface Tried {
  /** Undefined where the agent has done what it was asked for. */
  readonly trouble: string | undefined;
  /** What the gateway reported as not carried. */
  readonly lost: readonly string[];
  readonly evidence: Evidence;
}

/** An agent's whole task, on an upstream, a gateway and folders that nothing else uses. */
export async function tryAgent(agent: Agent, program: string, upstream: Upstream): Promise<Tried> {
  // Agents are made for models that think, and some of their fields are refused by all others.
  const model = RENAMED[upstream.thinker] ?? upstream.thinker;
  await using sandbox = await startSandbox();
  await using gateway = await openTestGateway({
    yaml: channelOf({ ...upstream, thinker: model }, sandbox.url),
  });
  using scratch = scratchFolders();
  const secret = randomUUID();
  const file = join(scratch.project, "notes.txt");
  writeFileSync(file, `The secret is ${secret}.\n`);

  const { home } = scratch;
  const { args, env, files } = agent.launch({ url: gateway.url, key: KEY, model, home, file });
  writeFiles(home, files);
  const ended = await runLimited(program, args, {
    cwd: scratch.project,
    env: { ...plainEnvironment(home), ...env },
    limitMs: RUN_LIMIT_MS,
  });

  using books = openBooks(gateway.dataDir);
  const [unbalanced] = await books.whenSettled();
  const calls = books.calls();
  const evidence: Evidence = {
    ended,
    received: sandbox.requests.map(({ path, body }) => ({ path, body: JSON.stringify(body) })),
    calls: calls.map(({ style, outcome, fault }) => ({
      style: String(style),
      outcome: String(outcome),
      fault: fault === null ? null : String(fault),
    })),
  };
  const expected = { style: agent.style, upstream: upstream.id, secret };
  const trouble = troubleIn(evidence, expected) ?? unbalanced;
  return { trouble, lost: lostIn(calls), evidence };
}

/** Some agents know the newer name of a model, and ask for that on their own. */
const RENAMED: Readonly<Record<string, string>> = {
  "gemini-3-pro-preview": "gemini-3.1-pro-preview",
};

/** The whole machine is busy with an agent; a model that answers at once leaves only its own work. */
const RUN_LIMIT_MS = 120_000;

interface Scratch extends Disposable {
  readonly home: string;
  readonly project: string;
}

function scratchFolders(): Scratch {
  // Agents compare paths by their letters, and a temporary folder may be a link.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sluice-agent-")));
  const [home, project] = [join(root, "home"), join(root, "project")];
  mkdirSync(home);
  mkdirSync(project);
  return {
    home,
    project,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Nothing of whoever runs this: no credential, no setting, and no way out but to this machine. */
function plainEnvironment(home: string): Readonly<Record<string, string>> {
  const nowhere = "http://127.0.0.1:9";
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1",
    NO_COLOR: "1",
    DO_NOT_TRACK: "1",
  };
}

function writeFiles(home: string, files: Launch["files"]): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(home, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
}

function lostIn(calls: readonly Row[]): readonly string[] {
  const fields = calls.flatMap(({ lost }) => {
    const list = parseJson(String(lost));
    return isArray(list) ? list.map(String) : [];
  });
  return [...new Set(fields)];
}
