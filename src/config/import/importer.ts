import { createHash } from "node:crypto";
import { GatewayError } from "#core/error.ts";
import type { Importer, ImportPlan, ImportStorage, ImportStores } from "#core/import.ts";
import { planImport, type ImportTerms } from "./plan-import.ts";
import { readPresent } from "./present.ts";
import { runImport } from "./run-import.ts";
import type { Steps } from "./steps.ts";

interface ImporterDeps extends ImportTerms {
  readonly storage: ImportStorage;
  /** Called after objects were created, so that caches are refreshed. */
  onApplied(): Promise<void>;
}

/** Creates the objects of another gateway here, and none of them twice. */
export function openImporter({ storage, onApplied, ...terms }: ImporterDeps): Importer {
  return {
    plan: async (document) => planOf(document, await stepsFor(document, storage.stores)),

    async apply(document, digest, actor) {
      const plan = await storage.atomically(async (stores) => {
        const steps = await stepsFor(document, stores);
        const latest = planOf(document, steps);
        if (latest.digest !== digest) throw outdated();
        await runImport(steps, stores, `${actor}: imported from ${document.source}`, terms.clock);
        return latest;
      });
      await onApplied();
      return plan;
    },
  };

  async function stepsFor(
    document: Parameters<Importer["plan"]>[0],
    stores: ImportStores,
  ): Promise<Steps> {
    return planImport(document, await readPresent(document, stores, terms), terms);
  }
}

function planOf(document: Parameters<Importer["plan"]>[0], { source, planned }: Steps): ImportPlan {
  const items = planned.map(({ item }) => item);
  const digest = createHash("sha256")
    .update(JSON.stringify([source, document, items]))
    .digest("hex");
  return { digest, items, left: document.left };
}

function outdated(): GatewayError {
  return new GatewayError(
    "plan_outdated",
    "The plan is outdated: the other gateway's data or the objects here have changed since. " +
      "Nothing was imported. Create a new plan.",
  );
}
