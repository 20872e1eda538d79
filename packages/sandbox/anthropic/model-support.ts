import { jsonText, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import { field } from "./fields.ts";
import { unexpectedSystem } from "./messages.ts";
import type { Model } from "./models.ts";
import type { PromptRequest } from "./request.ts";
import { checkThinking } from "./thinking-rules.ts";

/** Refuses fields that are valid, but not for this model. */
export function checkSupport(
  body: JsonObject,
  prompt: PromptRequest,
  maxTokens: number | undefined,
): void {
  const { model, output, tools, turns } = prompt;
  if (maxTokens !== undefined && maxTokens > model.maxOutputTokens) {
    throw invalid(
      "max_tokens",
      `${maxTokens} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`,
    );
  }
  checkSampling(body, model);
  checkThinking(body, prompt);

  if (output.effort !== undefined && model.efforts.length === 0)
    throw invalid("", "This model does not support the effort parameter.");
  if (output.effort !== undefined && !model.efforts.includes(output.effort))
    throw invalid("output_config.effort", `'${output.effort}' is not supported by this model.`);
  if (output.format.kind === "schema" && !model.hasStructuredOutput)
    throw invalid("", `'${model.id}' does not support output format.`);
  const code = tools.find((tool) => tool.serverType?.startsWith("code_execution"));
  if (code !== undefined && !model.hasCodeExecution)
    throw invalid("", `'${model.id}' does not support tool types: ${code.serverType}.`);

  const refused = tools.find(({ raw }) => model.refusedTools.includes(jsonText(raw["type"])));
  if (refused !== undefined) {
    throw invalid(
      "",
      `'${model.id}' does not support tool types: ${jsonText(refused.raw["type"])}.`,
    );
  }
  if (!model.hasSystemMessages && turns.some(({ role }) => role === "system"))
    throw unexpectedSystem();

  const last = turns.at(-1);
  const isPrefill = last?.role === "assistant" && !isPaused(prompt);
  if (isPrefill && !model.hasPrefill) {
    throw invalid(
      "",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  if (isPrefill && output.format.kind === "schema")
    throw invalid("", "Prefill is not supported together with an output format.");
  checkCitations(prompt);
}

/** An answer that stopped amid the vendor's own tools is sent back as it is, to be gone on with. */
export function isPaused({ turns }: PromptRequest): boolean {
  const last = turns.at(-1);
  const kind = last?.blocks.at(-1)?.kind;
  return last?.role === "assistant" && (kind === "server_call" || kind === "server_result");
}

function checkSampling(body: JsonObject, { sampling }: Model): void {
  const given = ["temperature", "top_p", "top_k"].filter(
    (name) => field(body, name).value !== undefined,
  );
  if (sampling === "one" && given.includes("temperature") && given.includes("top_p")) {
    throw invalid(
      "",
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    );
  }
  if (sampling !== "none") return;
  const changed = given.find((name) => name === "top_k" || field(body, name).value !== 1);
  if (changed !== undefined) throw invalid("", `\`${changed}\` is deprecated for this model.`);
}

function checkCitations({ turns, output }: PromptRequest): void {
  if (output.format.kind !== "schema") return;
  const isCited = turns.some((turn) =>
    turn.blocks.some(
      (block) =>
        (block.kind === "document" || block.kind === "search_result") && block.document.isCited,
    ),
  );
  if (isCited) throw invalid("", "Citations cannot be enabled together with an output format.");
}
