import { brokenRules, invalid, type BrokenRule } from "./error.ts";
import { checkFunctionTurns } from "./function-turns.ts";
import { checkMedia } from "./media.ts";
import type { Model } from "./models.ts";
import { PART_KINDS, type Content, type Part } from "./proto/content.ts";
import { checkSignatures } from "./signatures.ts";

/** A conversation that the vendor would accept, in this order of its complaints. */
export function checkContents(
  contents: readonly Content[] | undefined,
  model: Model,
  root: string,
): readonly Content[] {
  if (contents === undefined || contents.length === 0)
    throw brokenRules(root, [{ path: "contents", reason: "contents is not specified" }]);
  const broken = contents.flatMap((content, index) => rulesOf(content, `contents[${index}]`));
  if (broken.length > 0) throw brokenRules(root, broken);

  return checkTurns(
    contents.map((each) =>
      each.role === undefined ? each : { ...each, role: each.role.toLowerCase() },
    ),
    model,
  );
}

/** Roles in any case are taken: the vendor's own samples write "USER". */
function checkTurns(contents: readonly Content[], model: Model): readonly Content[] {
  if (contents.some(({ role = "" }) => !ROLES.includes(role)))
    throw invalid("Please use a valid role: user, model.");
  checkFunctionTurns(contents, model);
  for (const part of contents.flatMap(partsOf)) checkMedia(part);
  checkSignatures(contents, model);
  const last = contents.at(-1);
  if (model.isStrict && last !== undefined && isModel(last)) {
    throw invalid(
      // Doubtful words: Google's guide for Gemini 4 says that it is refused, but not how.
      "Please ensure that the conversation ends with a user turn. Prefilled model turns are not supported for this model.",
    );
  }
  return contents;
}

/** A role that is left out is the user's; the last one is the old name for what answers a call. */
const ROLES: readonly string[] = ["", "user", "model", "function"];

export function isModel({ role }: Content): boolean {
  return role === "model";
}

export function partsOf({ parts = [] }: Content): readonly Part[] {
  return parts;
}

/** The words of a turn, without the thoughts. */
export function textOf(content: Content): string {
  return partsOf(content)
    .flatMap(({ text, thought }) => (text === undefined || thought === true ? [] : [text]))
    .join("\n");
}

function rulesOf(content: Content, path: string): readonly BrokenRule[] {
  const parts = partsOf(content);
  if (parts.length === 0)
    return [{ path: `${path}.parts`, reason: "contents.parts must not be empty." }];
  return parts.flatMap((part, index) => rulesOfPart(part, `${path}.parts[${index}]`));
}

function rulesOfPart(part: Part, path: string): readonly BrokenRule[] {
  const { functionCall, functionResponse } = part;
  // A seal may come alone where its words were not asked for.
  const isSealed = part.thoughtSignature !== undefined;
  if (!isSealed && !PART_KINDS.some((name) => part[name] !== undefined)) {
    const reason = "required oneof field 'data' must have one initialized field";
    return [{ path: `${path}.data`, reason }];
  }
  const reason = "Name cannot be empty.";
  if (functionCall !== undefined && !functionCall.name)
    return [{ path: `${path}.function_call.name`, reason }];
  if (functionResponse !== undefined && !functionResponse.name)
    return [{ path: `${path}.function_response.name`, reason }];
  return [];
}
