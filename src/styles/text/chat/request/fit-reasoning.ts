import { doesNotReason } from "#core/model.ts";
import type { ReasoningControls } from "#core/reasoning.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import type { ReasoningTerms } from "./dialect.ts";
import { NO_LOSS } from "#styles/text/body-editor.ts";
import type { Fit } from "./fit-request.ts";
import { membersOf } from "#styles/text/request-fields.ts";
import { parseReasoning } from "../conversation/reasoning-in.ts";
import { buildReasoning, typeToThink } from "../conversation/reasoning-out.ts";

/** Members by which one family or another is told to reason. */
const MEMBERS = ["reasoning_effort", "enable_thinking", "thinking_budget", "thinking", "reasoning"];

const OWN: Readonly<Record<ReasoningTerms, readonly string[]>> = {
  effort: ["reasoning_effort"],
  switch: ["enable_thinking", "thinking_budget"],
  type: ["thinking", "reasoning_effort"],
  object: ["reasoning", "reasoning_effort"],
  any: ["reasoning_effort", "enable_thinking", "thinking_budget"],
  flag: ["reasoning", "reasoning_effort"],
  budget: ["reasoning_effort", "thinking"],
};

/** Terms of vendors that take an effort for every model, even if the catalogue names none. */
const EFFORTS_KNOWN: ReadonlySet<ReasoningTerms> = new Set(["effort", "budget"]);

/**
 * Says in the terms of the vendor's family what the body says of reasoning in
 * those of another, and keeps to what the model has. A vendor that declares no
 * terms is sent what the caller wrote.
 */
export function fitReasoning({ editor, context, dialect }: Fit): void {
  const { reasoning: terms } = dialect;
  if (terms === undefined) return;
  const given = editor.present(MEMBERS);
  if (given.length > 0) restate(given, terms, { editor, context, dialect });
}

function restate(given: readonly string[], terms: ReasoningTerms, { editor, context }: Fit): void {
  const body = editor.current;
  const isOwn = given.every((name) => OWN[terms].includes(name));
  if (isOwn && isAccepted(body, terms, context)) return;

  const asked = parseReasoning(body);
  for (const name of given) editor.remove(name, NO_LOSS);
  const { model, report } = context;
  const stream = body["stream"] === true;
  const built = asked && membersOf(buildReasoning(asked, { model, terms, stream }), report);
  const kept = terms === "type" ? besideType(body["thinking"], context) : {};
  editor.assign(Object.keys(kept).length === 0 ? (built ?? {}) : withBeside(kept, built, context));
}

/** Members of a vendor's own `thinking` besides its type and its budget. */
function besideType(thinking: Json | undefined, { model: { rules } }: Fit["context"]): JsonObject {
  if (!isObject(thinking) || rules?.thinking?.length === 0) return {};
  const { type: _type, budget_tokens: _budget, display: _display, ...rest } = thinking;
  return rest;
}

function withBeside(
  kept: JsonObject,
  built: JsonObject | undefined,
  { model }: Fit["context"],
): JsonObject {
  const written = objectOf(built?.["thinking"]) ?? defined({ type: typeToThink(model) });
  return { ...built, thinking: { ...written, ...kept } };
}

/** Whether the model takes the values of its own family's members. */
function isAccepted(body: JsonObject, terms: ReasoningTerms, { model }: Fit["context"]): boolean {
  const { reasoningControls: controls } = model;
  const effort = textOf(body["reasoning_effort"]);
  if (doesNotReason(model)) return terms === "switch";
  const type = textOf(memberOf(body["thinking"], "type"));
  const types = model.rules?.thinking;
  const isTaken = types?.some((each) => each === type) ?? true;
  if (terms === "type" && body["thinking"] !== undefined && !isTaken) return false;
  if (controls === undefined) return true;
  const { efforts, toggle, budget } = controls;
  const isKnown = effort === undefined || (efforts?.includes(effort) ?? EFFORTS_KNOWN.has(terms));
  switch (terms) {
    case "effort":
      return isKnown;
    case "switch":
      return isWithin(body["thinking_budget"], budget);
    case "type": {
      const isOff = type === "disabled";
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
    case "any": {
      const switched = body["enable_thinking"];
      const isContradicted = effort !== undefined && switched === (effort === "none");
      return isKnown && !isContradicted && isWithin(body["thinking_budget"], budget);
    }
    case "object":
      return true;
    case "flag": {
      const { reasoning } = body;
      const isFlag = reasoning === undefined || onlyFlag(reasoning);
      return isKnown && isFlag && (reasoning === undefined || effort === undefined);
    }
    case "budget": {
      const isSwitched = effort === "none" && toggle === true;
      return (isKnown || isSwitched) && (effort === undefined || body["thinking"] === undefined);
    }
  }
}

/** Whether an object for reasoning has the switch alone. */
function onlyFlag(reasoning: Json): boolean {
  return isObject(reasoning) && Object.keys(reasoning).every((name) => name === "enabled");
}

function isWithin(tokens: Json | undefined, budget: ReasoningControls["budget"]): boolean {
  return (numberOf(tokens) ?? 0) <= (budget?.maxTokens ?? Infinity);
}
