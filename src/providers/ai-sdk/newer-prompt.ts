import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { isMembers, itemsOf, membersOf } from "./unknown.ts";

/**
 * The same call in the shared interface's fourth version, which says of every
 * file what its data is, and has one kind of file in a tool's result.
 */
export function inNewerTerms(options: LanguageModelV3CallOptions): object {
  return {
    ...options,
    prompt: options.prompt.map((message) =>
      typeof message.content === "string"
        ? message
        : { ...message, content: message.content.map(newerPart) },
    ),
  };
}

function newerPart(part: object): object {
  const { type, data, output } = membersOf(part);
  if (type === "file") return { ...part, data: tagged(data) };
  if (type === "tool-result" && isMembers(output) && output["type"] === "content") {
    return { ...part, output: { ...output, value: itemsOf(output["value"]).map(newerResult) } };
  }
  return part;
}

function newerResult(part: unknown): unknown {
  const { type, data, url, mediaType, filename } = membersOf(part);
  if (type === "text") return part;
  const isLink = type === "image-url" || type === "file-url";
  return {
    type: "file",
    mediaType: mediaType ?? "image/*",
    data: tagged(isLink ? new URL(String(url)) : data),
    ...(filename === undefined ? {} : { filename }),
  };
}

function tagged(data: unknown): object {
  return data instanceof URL ? { type: "url", url: data } : { type: "data", data };
}
