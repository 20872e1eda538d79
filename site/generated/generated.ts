import { renderCommands } from "./commands.ts";
import { renderErrors } from "./errors.ts";
import { renderMetrics } from "./metrics.ts";
import { renderOperations } from "./operations.ts";
import { providerPages, renderProviders } from "./providers.ts";

/** Parts of pages that are made of the gateway's code, by the name of their mark. */
const PARTS: Readonly<Record<string, () => string>> = {
  commands: renderCommands,
  errors: renderErrors,
  metrics: renderMetrics,
  operations: renderOperations,
  providers: renderProviders,
};

const MARK = /<!-- generated: ([a-z-]+) -->/g;

/** Replaces each mark by its part. */
export function fillIn(markdown: string, source: string): string {
  return markdown.replaceAll(MARK, (_, name: string) => {
    const make = PARTS[name];
    if (make === undefined) throw new Error(`${source}: no part is named '${name}'.`);
    return make().trim();
  });
}

/** Pages without a file. */
export function generatedPages(): readonly { readonly name: string; readonly markdown: string }[] {
  return providerPages();
}
