import { invalid } from "./error.ts";
import type { Model } from "./models.ts";
import type { Content, Part } from "./proto/content.ts";

/**
 * Calls come after the user or after results, and are answered by the very next
 * turn: all of them, and nothing else. Only the oldest models put up with calls
 * that nobody has answered.
 */
export function checkFunctionTurns(
  contents: readonly Content[],
  { generation, wantsCallIds }: Pick<Model, "generation" | "wantsCallIds">,
): void {
  let called: readonly Call[] = [];
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1];
    const { calls, responses } = openIn(content);
    if (calls.length > 0 && (before === undefined || before.role === "model")) {
      throw invalid(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    }
    if (responses.length > 0 && called.length === 0) {
      throw invalid(
        "Please ensure that function response turn comes immediately after a function call turn.",
      );
    }
    const isIgnored = responses.length === 0 && generation === "2.0";
    if (responses.length !== called.length && !isIgnored) throw unequal();
    checkAnswers(called, responses);
    if (wantsCallIds) checkIds(called, responses);
    called = calls;
  }
  if (called.length > 0) throw unequal();
}

type Call = NonNullable<Part["functionCall"]>;
type Response = NonNullable<Part["functionResponse"]>;

/** What is left of a turn's calls and results when those are set off that the vendor's own servers have answered. */
function openIn({ role, parts = [] }: Content) {
  const calls: Call[] = [];
  const responses: Response[] = [];
  for (const { functionCall, functionResponse } of parts) {
    if (functionCall !== undefined && role === "model") calls.push(functionCall);
    if (functionResponse === undefined) continue;
    const at = calls.findIndex(({ name }) => name === functionResponse.name);
    if (at < 0) responses.push(functionResponse);
    else calls.splice(at, 1);
  }
  return { calls, responses };
}

function unequal(): Error {
  return invalid(
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
  );
}

/** By one report only (apidog.com, autumn 2026): the vendor's own documents do not say so. */
function checkIds(calls: readonly Call[], responses: readonly Response[]): void {
  if (calls.every(({ id = "" }) => id === "")) return;
  const anonymous = responses.find(({ id = "" }) => id === "");
  if (anonymous === undefined) return;
  throw invalid(
    `The function response '${anonymous.name}' is missing the id of its function call.`,
  );
}

/** By the id where both have one, or else by the name; each call is answered once. */
function checkAnswers(calls: readonly Call[], responses: readonly Response[]): void {
  const open = [...calls];
  for (const { id, name } of responses) {
    const at = open.findIndex((call) =>
      id !== undefined && call.id !== undefined ? call.id === id : call.name === name,
    );
    if (at < 0) {
      const label = id === undefined ? `'${name}'` : `'${name}' with the id '${id}'`;
      throw invalid(`The function response ${label} does not answer any function call.`);
    }
    open.splice(at, 1);
  }
}
