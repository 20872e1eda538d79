import { itemsOf, membersOf, type Members } from "./unknown.ts";

/** A whole answer as the parts that would have been streamed. */
export function partsOf(answer: unknown): readonly object[] {
  const { content, response, finishReason, usage, providerMetadata } = membersOf(answer);
  return [
    { ...membersOf(response), type: "response-metadata" },
    ...itemsOf(content).flatMap((each, index) => streamed(membersOf(each), String(index))),
    { type: "finish", finishReason, usage, providerMetadata },
  ];
}

function streamed(part: Members, id: string): readonly object[] {
  const { type, text, providerMetadata, citations } = part;
  if (type !== "text" && type !== "reasoning") return [part];
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id, providerMetadata, citations },
  ];
}
