import type { ReasoningEffort } from "@sluice/sandbox/engine/conversation.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { invalid } from "../error.ts";
import { field, readChoice, readObject } from "../fields.ts";
import { EVERY_EFFORT, type Model } from "../models.ts";
import { refuseUnknown } from "../unknown-parameters.ts";

export interface ReasoningSettings {
  readonly effort: ReasoningEffort;
  readonly summary: "concise" | "detailed" | undefined;
  readonly echo: JsonObject;
}

export function readReasoning(body: JsonObject, model: Model): ReasoningSettings {
  const asked = readObject(field(body, "reasoning")) ?? {};
  refuseUnknown(asked, ["effort", "summary", "generate_summary", "context", "mode"], "reasoning");
  if (model.thinks === "never") {
    refuseAll(asked);
    return { effort: "none", summary: undefined, echo: { effort: null, summary: null } };
  }
  const effort = readEffort(asked, model);
  const requested = field(asked, asked["summary"] === undefined ? "generate_summary" : "summary");
  const summary = readChoice({ ...requested, path: `reasoning.${requested.path}` }, [
    "auto",
    "concise",
    "detailed",
  ]);
  const shown = summary === "auto" ? "detailed" : summary;
  return {
    effort,
    summary: shown,
    echo: { context: "current_turn", effort, mode: "standard", summary: shown ?? null },
  };
}

function readEffort(asked: JsonObject, model: Model): ReasoningEffort {
  const effort = readChoice(field(asked, "effort", "reasoning.effort"), EVERY_EFFORT);
  if (effort === undefined) return model.usualEffort;
  if (model.efforts.includes(effort)) return effort;
  const list = model.efforts.map((each) => `'${each}'`).join(", ");
  throw invalid(
    "reasoning.effort",
    "unsupported_value",
    `Unsupported value: '${effort}' is not supported with the '${model.id}' model. Supported values are: ${list}.`,
  );
}

function refuseAll(asked: JsonObject): void {
  const name = Object.keys(asked).find((each) => asked[each] !== null);
  if (name === undefined) return;
  throw invalid(
    `reasoning.${name}`,
    "unsupported_parameter",
    `Unsupported parameter: 'reasoning.${name}' is not supported with this model.`,
  );
}
