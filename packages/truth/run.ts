import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Experiment, Finding } from "./experiments/experiment.ts";
import { modelsOn, type Field } from "./field.ts";
import type { Adapter } from "./gateway/adapter.ts";
import { freePort, processOf } from "./gateway/process.ts";
import { startVendor } from "./vendor/vendor.ts";

const SILENCE_MS = 5_000;
/** Ids differ between runs, because a gateway may keep its database. */
const RUN = Date.now().toString(36);

interface RunOptions {
  readonly adapter: Adapter;
  readonly experiments: readonly Experiment[];
  readonly scale: number;
  readonly program?: readonly string[];
  readonly database?: string;
  /** Time after which a silent vendor is given up. */
  readonly silenceMs?: number;
  /** Called after each experiment. */
  readonly onFinding: (experiment: Experiment, finding: Finding) => void;
}

/** Starts the vendor and the gateway, runs the experiments one after another, and ends both. */
export async function runExperiments(options: RunOptions): Promise<void> {
  const { adapter, experiments, scale, program, database, onFinding } = options;
  const { silenceMs = SILENCE_MS } = options;
  const folder = mkdtempSync(join(tmpdir(), "gateway-truth-"));
  const vendor = await startVendor();
  const port = await freePort();
  const prepared = await adapter.prepare({
    folder,
    port,
    models: modelsOn(vendor),
    silenceMs,
    ...(program === undefined ? {} : { program }),
    ...(database === undefined ? {} : { database }),
  });
  const gateway = processOf(prepared, port, join(folder, "gateway.log"));
  try {
    await gateway.start();
    let accounts = await prepared.open(gateway.url);
    await accounts.configure?.();
    let count = 0;
    const field: Field = {
      gateway,
      get accounts() {
        return accounts;
      },
      vendor,
      writeDelayMs: prepared.writeDelayMs,
      silenceMs,
      scale,
      request: (model) => prepared.requestOf?.(model) ?? { model },
      nextId: () => `${RUN}-${(count += 1)}`,
      async restart() {
        await gateway.start();
        accounts = await prepared.open(gateway.url);
      },
    };
    for (const experiment of experiments) {
      onFinding(experiment, await findingOf(experiment, field));
    }
  } finally {
    await gateway[Symbol.asyncDispose]();
    await vendor[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An experiment that breaks is one whose rule does not hold; the next one has a running gateway. */
async function findingOf(experiment: Experiment, field: Field): Promise<Finding> {
  try {
    return await experiment.run(field);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    await field.gateway.end("SIGKILL");
    await field.restart();
    return { holds: false, figures: {}, sentence: `It could not be finished: ${message}` };
  }
}
