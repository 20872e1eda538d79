import { UPSTREAMS } from "#test/matrix/upstreams.ts";
import { AGENTS } from "./agents.ts";
import { cacheFolder } from "./install.ts";
import { pickAgents } from "./pick.ts";
import { runAgents } from "./run.ts";
import { agentsNotes, agentsTable } from "./table.ts";

/**
 * Published coding agents against the gateway, each on upstreams of every
 * style. Words pick agents by their names, `on:<upstream>` picks upstreams:
 * `npm run agents -- pi codex on:gemini`.
 */
const picked = pickAgents(process.argv.slice(2), AGENTS, UPSTREAMS);
// What was started is ended on the way out.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const cells = await runAgents({
  ...picked,
  cache: cacheFolder(process.env),
  onCell: ({ agent, upstream, trouble, durationMs }) =>
    process.stderr.write(
      `${agent} on ${upstream}: ${trouble ?? "ok"} (${(durationMs / 1_000).toFixed(1)} s)\n`,
    ),
});
const failed = cells.filter(({ trouble }) => trouble !== undefined).length;
process.stdout.write(
  `${agentsTable(cells)}\n\n${agentsNotes(cells)}\n\n` +
    `${cells.length - failed} of ${cells.length} runs did what they were asked for.\n`,
);
process.exitCode = failed === 0 && cells.length > 0 ? 0 : 1;
