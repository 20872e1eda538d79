import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UPSTREAMS, type Upstream } from "#test/matrix/upstreams.ts";
import type { Agent } from "./agent.ts";
import type { Evidence } from "./evidence.ts";
import { installRelease } from "./install.ts";
import { tryAgent } from "./try-agent.ts";

export interface Cell {
  readonly agent: string;
  /** The style that the agent speaks. */
  readonly style: string;
  readonly upstream: string;
  readonly isInstalled: boolean;
  /** Undefined where the agent has done what it was asked for. */
  readonly trouble: string | undefined;
  /** What was reported as not carried on the way. */
  readonly lost: readonly string[];
  readonly durationMs: number;
}

interface RunAgentsOptions {
  readonly agents: readonly Agent[];
  /** Ids of upstreams. */
  readonly upstreams: readonly string[];
  /** Where agents are installed, and what was seen of a failure is kept. */
  readonly cache: string;
  readonly onCell: (cell: Cell) => void;
}

/** Every agent on every upstream, one after another: each of them takes a machine for itself. */
export async function runAgents(options: RunAgentsOptions): Promise<readonly Cell[]> {
  const upstreams = UPSTREAMS.filter(({ id }) => options.upstreams.includes(id));
  const programs = new Map<string, Promise<string>>();
  const cells: Cell[] = [];
  for (const agent of options.agents) {
    const { package: name } = agent.release;
    const program = programs.get(name) ?? installRelease(agent.release, options.cache);
    programs.set(name, program);
    for (const upstream of upstreams) {
      const cell = await runCell(agent, program, upstream, options.cache);
      cells.push(cell);
      options.onCell(cell);
    }
  }
  return cells;
}

async function runCell(
  agent: Agent,
  installed: Promise<string>,
  upstream: Upstream,
  cache: string,
): Promise<Cell> {
  const cell = { agent: agent.id, style: agent.style, upstream: upstream.id };
  let program: string;
  try {
    program = await installed;
  } catch (cause) {
    return { ...cell, isInstalled: false, trouble: messageOf(cause), lost: [], durationMs: 0 };
  }

  const startedAt = performance.now();
  const ran = () => ({ isInstalled: true, durationMs: Math.round(performance.now() - startedAt) });
  const seen = join(cache, "failures", `${agent.id.replaceAll(" ", "-")}-on-${upstream.id}.json`);
  rmSync(seen, { force: true });
  try {
    const { trouble, lost, evidence } = await tryAgent(agent, program, upstream);
    if (trouble === undefined) return { ...cell, trouble, lost, ...ran() };
    keepEvidence(seen, evidence);
    return { ...cell, trouble: `${trouble}; all of it is in ${seen}`, lost, ...ran() };
  } catch (cause) {
    return { ...cell, trouble: messageOf(cause), lost: [], ...ran() };
  }
}

function keepEvidence(path: string, evidence: Evidence): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(evidence, null, 2)}\n`);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
