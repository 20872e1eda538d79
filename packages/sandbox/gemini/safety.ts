import { brokenRules, type BrokenRule } from "./error.ts";
import type { GenerateContentMessage } from "./proto/requests.ts";

/** Whether dangerous content is held back: it is unless the caller has switched that off. */
export function readSafety(
  settings: GenerateContentMessage["safetySettings"] = [],
  root: string,
): { readonly holdsBack: boolean } {
  const broken = settings.flatMap(({ category = "" }, index): readonly BrokenRule[] => {
    const path = `safety_settings[${index}].category`;
    if (!ADJUSTABLE.includes(category)) {
      const list = ADJUSTABLE.map((each) => `HarmCategory.${each}`).join(", ");
      return [{ path, reason: `element predicate failed: $.category in (${list})` }];
    }
    const first = settings.findIndex((each) => each.category === category);
    return first === index ? [] : [{ path, reason: "the category appears more than once." }];
  });
  if (broken.length > 0) throw brokenRules(root, broken);

  const danger = settings.find(({ category }) => category === "HARM_CATEGORY_DANGEROUS_CONTENT");
  return { holdsBack: danger?.threshold !== "OFF" && danger?.threshold !== "BLOCK_NONE" };
}

const ADJUSTABLE: readonly string[] = [
  "HARM_CATEGORY_HATE_SPEECH",
  "HARM_CATEGORY_SEXUALLY_EXPLICIT",
  "HARM_CATEGORY_DANGEROUS_CONTENT",
  "HARM_CATEGORY_HARASSMENT",
  "HARM_CATEGORY_CIVIC_INTEGRITY",
];
