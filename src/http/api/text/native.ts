import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import { REQUEST } from "#styles/text/gemini/request/fields.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { jsonAnswer, streamableAnswer } from "#http/answer.ts";
import type { GenerationDeps, TextDeps } from "#http/deps/text.ts";
import type { Exchange, Endpoint, RouteOperation } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { GENERATED_CONTENT, NATIVE_TOKENS } from "./answers.ts";
import { countNativeTokens } from "./count-tokens.ts";
import { asEventArray } from "./event-array.ts";
import { generate } from "./generate.ts";
import { NATIVE_PREFIXES } from "./native-prefixes.ts";
import { suffixOf } from "./path-suffix.ts";

const STREAM_QUERY = z.object({
  alt: z.enum(["sse", "json"]).optional().describe("`sse` for server-sent events."),
});

type NativeDeps = GenerationDeps & Pick<TextDeps, "channels">;

/** Operations with model and verb in the last path segment: `models/m:generateContent`. */
export const nativeOperations: readonly Endpoint<NativeDeps>[] = NATIVE_PREFIXES.map((prefix) => ({
  ...jsonCall(gemini, REQUEST),
  operationId: `generateContent${suffixOf(prefix)}`,
  tag: "Text",
  operations: operationsAt(prefix),
  answer: jsonAnswer(GENERATED_CONTENT),
  path: `${prefix}/models/:operation{.+}`,
  access: "key",
  family: "text",
  summary:
    "Generates text, or counts tokens, in the native style: `{model}:generateContent`, " +
    "`{model}:streamGenerateContent`, `{model}:countTokens`.",
  handle: serve,
}));

/** What the last step of the path may say. */
function operationsAt(prefix: string): readonly RouteOperation[] {
  const model = `${prefix.replaceAll(/:(\w+)/g, "{$1}")}/models/{model}`;
  const suffix = suffixOf(prefix);
  return [
    {
      template: `${model}:generateContent`,
      operationId: `generateContent${suffix}`,
      summary: "Generates text in the native style.",
      answer: jsonAnswer(GENERATED_CONTENT),
    },
    {
      template: `${model}:streamGenerateContent`,
      operationId: `streamGenerateContent${suffix}`,
      summary: "Generates text in the native style, as a stream.",
      query: STREAM_QUERY,
      answer: streamableAnswer(z.array(GENERATED_CONTENT)),
    },
    {
      template: `${model}:countTokens`,
      operationId: `countTokens${suffix}`,
      summary: "Counts the input tokens of a request in the native style. Calls no model.",
      answer: jsonAnswer(NATIVE_TOKENS),
    },
  ];
}

function serve(exchange: Exchange, deps: NativeDeps): Promise<Response> {
  const { model, verb } = readOperation(exchange.param("operation"));
  switch (verb) {
    case "generateContent":
      return generate(exchange, gemini, deps, { address: { model, stream: false } });
    case "streamGenerateContent": {
      const { query } = exchange;
      const isEvents = (query.get("alt") ?? query.get("$alt")) === "sse";
      return generate(exchange, gemini, deps, {
        address: { model, stream: true },
        ...(isEvents ? {} : { outlet: asEventArray }),
      });
    }
    case "countTokens":
      return countNativeTokens(exchange, model, deps);
    default:
      throw new GatewayError("not_found", "Unknown operation on a model.");
  }
}

/** Parses `{model}:{verb}` from a path segment. */
export function readOperation(text: string): { readonly model: string; readonly verb: string } {
  const operation = decoded(text);
  // The verb follows the last colon, because model ids may contain colons.
  const colon = operation.lastIndexOf(":");
  const model = withoutPrefix(operation.slice(0, Math.max(0, colon)));
  return { model, verb: operation.slice(colon + 1) };
}

function withoutPrefix(model: string): string {
  return model.startsWith("models/") ? model.slice("models/".length) : model;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
