import type { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildError as buildChatError } from "#styles/text/chat/error.ts";
import { buildError as buildNativeError } from "#styles/text/gemini/error.ts";
import { buildError as buildMessagesError } from "#styles/text/messages/error.ts";
import { isVendorKeyHeader } from "./credential.ts";

/** The styles whose clients share paths; headers distinguish them. */
export type CallerStyle = "chat" | "messages" | "native";

type ErrorFormat = (error: GatewayError) => JsonObject;

const ERROR_FORMATS: Readonly<Record<CallerStyle, ErrorFormat>> = {
  chat: buildChatError,
  messages: buildMessagesError,
  native: buildNativeError,
};

/** A header that only one style uses decides; otherwise the kind of credential does. */
export function callerStyle(request: Request): CallerStyle {
  return ownStyle(request) ?? styleByCredential(request);
}

export function errorFormatOf(request: Request): ErrorFormat {
  return ERROR_FORMATS[callerStyle(request)];
}

export function errorFormatOfStyle(style: CallerStyle): ErrorFormat {
  return ERROR_FORMATS[style];
}

/** Undefined if no header identifies a single style. */
export function ownErrorFormatOf(request: Request): ErrorFormat | undefined {
  const style = ownStyle(request);
  return style && ERROR_FORMATS[style];
}

function ownStyle({ headers }: Request): CallerStyle | undefined {
  if (headers.has("anthropic-version")) return "messages";
  return headers.has("x-api-key") ? undefined : nativeByHeader(headers);
}

function nativeByHeader(headers: Headers): "native" | undefined {
  for (const name of headers.keys()) if (isVendorKeyHeader(name)) return "native";
  return undefined;
}

function styleByCredential({ headers, url }: Request): CallerStyle {
  if (headers.has("x-api-key")) return "messages";
  return new URL(url).searchParams.has("key") ? "native" : "chat";
}
