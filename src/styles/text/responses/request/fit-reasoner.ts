import type { OutboundContext } from "#core/style.ts";
import type { Json } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import type { BodyEditor } from "#styles/text/body-editor.ts";

/** What a model does anyway: leaving it out loses nothing. */
const USUAL: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["temperature", 1],
  ["top_p", 1],
  ["top_logprobs", 0],
]);

/** In which ways a vendor's reading of the style is its own. */
export interface ResponsesDialect {
  /** Takes breakpoints of the prompt cache, for models that have them. */
  readonly cacheBreakpoints?: true;
  /** Members that its reasoning models refuse, unless they are told not to reason. */
  readonly reasonersRefuse?: readonly string[];
  /** All members that it takes; a request with any other is refused. */
  readonly knows?: ReadonlySet<string>;
  /** The least `max_output_tokens` that it takes. */
  readonly minOutputTokens?: number;
  /** Refuses `json_object` unless the input says "json". */
  readonly jsonHint?: true;
  /** All values of `service_tier` that it takes. */
  readonly serviceTiers?: readonly string[];
}

/** Removes what the model refuses while it reasons. */
export function fitReasoner(editor: BodyEditor, { model, dialect }: OutboundContext): void {
  const isTold = memberOf(editor.get("reasoning"), "effort") === "none";
  if (model.reasoningControls === undefined || isTold) return;
  const { reasonersRefuse = [] }: ResponsesDialect = dialect ?? {};
  editor.drop(reasonersRefuse, (name, value) => USUAL.get(name) === value);
}
