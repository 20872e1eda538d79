import type { Address, InboundStyle } from "#core/style.ts";
import { chat } from "#styles/text/chat/index.ts";
import { completions } from "#styles/text/completions/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { readOperation } from "./native.ts";

/** The text operation of a path. */
export interface TextOperation {
  readonly style: InboundStyle;
  readonly address: Address;
}

const NATIVE =
  /^\/v1(?:beta1?)?\/(?:(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/google\/)?models\/(.+)$/;

const AT_PATHS: ReadonlyMap<string, InboundStyle> = new Map<string, InboundStyle>([
  ["/v1/chat/completions", chat],
  ["/v1/completions", completions],
  ["/v1/responses", responses],
  ["/v1/messages", messages],
]);

/** Styles by id, except the one whose paths name the model. */
const BY_ID: ReadonlyMap<string, InboundStyle> = new Map(
  [...AT_PATHS.values()].map((style) => [style.id, style]),
);

export const OPERATION_STYLES: readonly string[] = [...BY_ID.keys()];

export function operationAt(path: string): TextOperation | undefined {
  const [plain = ""] = path.replace(/^\/openai(?=\/v1\/)/, "").split("?");
  const style = AT_PATHS.get(plain);
  if (style !== undefined) return { style, address: {} };

  const { model, verb } = readOperation(NATIVE.exec(plain)?.[1] ?? "");
  if (model === "") return undefined;
  if (verb === "generateContent") return { style: gemini, address: { model, stream: false } };
  if (verb === "streamGenerateContent") return { style: gemini, address: { model, stream: true } };
  return undefined;
}

/** The operation of a past call of any text style. */
export function operationOfCall(
  style: string,
  model: string,
  stream: boolean,
): TextOperation | undefined {
  return style === gemini.id ? { style: gemini, address: { model, stream } } : operationOf(style);
}

export function operationOf(style: string): TextOperation | undefined {
  const found = BY_ID.get(style);
  return found === undefined ? undefined : { style: found, address: {} };
}
