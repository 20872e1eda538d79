import { Buffer } from "node:buffer";
import type { Json, JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, textOf } from "#lib/values.ts";

/**
 * `search`, `browser.search` and the like; to open a page that was found is no search. Doubtful:
 * https://console.groq.com/docs/tool-use/built-in-tools lists the tools, but not the types of what
 * was executed, so every type that ends in "search" counts.
 */
const SEARCH = /(?:^|[._])search$/;
const MAX_SEARCHES = 1_000;
const MARK = Buffer.from('"executed_tools"');

export function mentionsExecutedTools(bytes: Buffer): boolean {
  return bytes.includes(MARK);
}

/** Counts the searches among the vendor's own tools, each of which a stream may tell of several times. */
export class ExecutedSearches {
  /** Undefined until there is one. */
  #known: Set<string> | undefined;

  get count(): number {
    return this.#known?.size ?? 0;
  }

  note(body: JsonObject): void {
    for (const choice of listOf(body["choices"])) {
      for (const [position, tool] of executedIn(choice).entries())
        this.#noteTool(integerOf(memberOf(choice, "index")) ?? 0, position, tool);
    }
  }

  #noteTool(choice: number, position: number, tool: Json): void {
    if (!SEARCH.test(textOf(memberOf(tool, "type")) ?? "") || this.count >= MAX_SEARCHES) return;
    this.#known ??= new Set();
    this.#known.add(`${choice} ${integerOf(memberOf(tool, "index")) ?? position}`);
  }
}

function executedIn(choice: Json): readonly Json[] {
  const said = memberOf(choice, "delta") ?? memberOf(choice, "message");
  return listOf(memberOf(said, "executed_tools"));
}

function hasExecuted(choice: Json): boolean {
  return executedIn(choice).length > 0;
}

/** Of a whole answer. */
export function searchesIn(body: JsonObject): number {
  if (!listOf(body["choices"]).some(hasExecuted)) return 0;
  const searches = new ExecutedSearches();
  searches.note(body);
  return searches.count;
}
