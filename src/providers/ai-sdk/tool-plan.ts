import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { parseExactJson } from "#lib/exact-number.ts";
import { isObject, type Json } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { membersOf, textIn } from "./unknown.ts";

/**
 * What a model says beside its calls. Cohere calls it `tool_plan`; its package
 * drops it in both directions, so it is added to the request on its way out.
 */
export class ToolPlans {
  /** By the id of the first call beside it. */
  readonly #plans = new Map<string, string>();

  see(prompt: LanguageModelV3Prompt): void {
    for (const message of prompt) {
      if (message.role !== "assistant") continue;
      const call = message.content.find((part) => part.type === "tool-call");
      const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      if (call !== undefined && text !== "") this.#plans.set(call.toolCallId, text);
    }
  }

  writeInto(init: RequestInit | undefined): RequestInit | undefined {
    if (this.#plans.size === 0 || typeof init?.body !== "string") return init;
    const body = parseExactJson(init.body);
    if (!isObject(body)) return init;
    const messages = listOf(body["messages"]).map((message) => this.#planned(message));
    return { ...init, body: JSON.stringify({ ...body, messages }) };
  }

  #planned(message: Json): Json {
    const [call] = listOf(memberOf(message, "tool_calls"));
    const plan = this.#plans.get(textOf(memberOf(call, "id")) ?? "");
    return plan === undefined || !isObject(message) ? message : { ...message, tool_plan: plan };
  }
}

/** A piece of it, in an event as the vendor sent it. */
export function planIn(event: unknown): string | undefined {
  const { type, delta } = membersOf(event);
  return type === "tool-plan-delta" ? textIn(membersOf(delta)["message"], "tool_plan") : undefined;
}
