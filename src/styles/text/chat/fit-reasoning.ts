import { doesNotReason } from "#core/model.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { memberOf, numberOf, textOf } from "#lib/values.ts";
import type { ReasoningTerms } from "./dialect.ts";
import type { Fit } from "./fit-request.ts";
import { parseReasoning } from "./reasoning-in.ts";
import { buildReasoning } from "./reasoning-out.ts";

/** Members by which one family or another is told to reason. */
const MEMBERS = ["reasoning_effort", "enable_thinking", "thinking_budget", "thinking", "reasoning"];

const OWN: Readonly<Record<ReasoningTerms, readonly string[]>> = {
  effort: ["reasoning_effort"],
  switch: ["enable_thinking", "thinking_budget"],
  type: ["thinking", "reasoning_effort"],
  object: ["reasoning", "reasoning_effort"],
};

/**
 * Says in the terms of the vendor's family what the body says of reasoning in
 * those of another, and keeps to what the model has. A vendor that declares no
 * terms is sent what the caller wrote.
 */
export function fitReasoning({ editor, context, dialect }: Fit): void {
  const { reasoning: terms } = dialect;
  const given = MEMBERS.filter((name) => editor.has(name));
  if (terms === undefined || given.length === 0) return;
  const body = editor.current;
  const isOwn = given.every((name) => OWN[terms].includes(name));
  if (isOwn && isAccepted(body, terms, context)) return;

  const asked = parseReasoning(body);
  for (const name of given) editor.remove(name);
  if (asked === undefined) return;
  const { model, report } = context;
  const stream = body["stream"] === true;
  editor.assign(buildReasoning(asked, { model, terms, stream, report }));
}

/** Whether the model takes what its own family's members say. */
function isAccepted(body: JsonObject, terms: ReasoningTerms, { model }: Fit["context"]): boolean {
  const { reasoningControls: controls } = model;
  const effort = textOf(body["reasoning_effort"]);
  if (doesNotReason(model)) return terms === "switch";
  if (controls === undefined) return true;
  const { efforts, toggle, budget } = controls;
  const isKnown = effort === undefined || (efforts?.includes(effort) ?? terms === "effort");
  switch (terms) {
    case "effort":
      return isKnown;
    case "switch":
      return (numberOf(body["thinking_budget"]) ?? 0) <= (budget?.maxTokens ?? Infinity);
    case "type": {
      const isOff = memberOf(body["thinking"], "type") === "disabled";
      if (isOff && toggle !== true) return false;
      const isStrong = effort !== undefined && effort !== "none" && effort !== "minimal";
      // Some models that reason only when they are told refuse an effort alone.
      const isSwitched = body["thinking"] !== undefined || toggle !== true;
      return (
        isKnown &&
        !(isStrong && (isOff || !isSwitched)) &&
        (body["thinking"] === undefined || isObject(body["thinking"]))
      );
    }
    case "object":
      return true;
  }
}
