import type { ChatRequest } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";

/**
 * A demand for a call where no tool is declared: styles leave it out, since vendors refuse it.
 * `auto` and `none` ask for what happens anyway.
 */
export function reportNeedlessChoice(request: ChatRequest, report: LossReport): void {
  const { toolChoice: choice, tools = [], webSearch, extra } = request;
  if (choice === undefined || choice.mode === "auto" || choice.mode === "none") return;
  const ofVendors = Object.values(extra ?? {}).flatMap((members) => Object.keys(members));
  const hasTools = tools.length > 0 || ofVendors.some((name) => /^tools\b/.test(name));
  if (!hasTools && webSearch === undefined) report.lose("tool_choice");
}
