import type { Block, ChatRequest, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { LossNames } from "#core/lossy.ts";
import type { InboundStyle, MessagePlace } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";

/**
 * Renames fields in a refusal to those of the client's style. Outbound styles call the conversation
 * `messages` in any style.
 */
export function inCallersWords(
  error: GatewayError,
  { conversationField, inbound }: InboundStyle,
  body: JsonObject,
): GatewayError {
  const { code, param, retryAfterMs, details, cause } = error;
  if (code !== "not_carried" && code !== "invalid_request") return error;
  if (param === undefined || !/^messages\b/.test(param)) return error;
  const places = inbound.placesOf?.(body);
  if (places === undefined && conversationField === "messages") return error;
  const rename = (text: string): string =>
    text.replaceAll(MESSAGE, (_, index?: string) =>
      index === undefined
        ? conversationField
        : (places?.[Number(index)]?.path ?? conversationField),
    );
  const known = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new GatewayError(code, rename(error.message), {
    ...known,
    ...(details === undefined ? {} : { details }),
    param: rename(param),
    cause,
  });
}

/** Not a member of another object, nor a word of a sentence. */
const MESSAGE = /(?<=^|')messages(?:\[(\d+)\])?(?=[.'[]|$)/g;

/**
 * Names a lost part of a conversation as the client wrote it; `undefined` if the client's style
 * uses `messages`, too.
 */
export function lossNames(
  { conversationField, inbound }: InboundStyle,
  body: JsonObject,
  { messages }: ChatRequest,
): LossNames | undefined {
  if (conversationField === "messages") return undefined;
  let places: readonly MessagePlace[] | undefined;
  return (field, part) => {
    const [, member] = /^messages\.(.+)$/s.exec(field) ?? [];
    if (member === undefined) return field;
    places ??= inbound.placesOf?.(body) ?? [];
    const index = part === undefined ? -1 : messages.findIndex((each) => isWithin(part, each));
    const message = messages[index];
    const place = places[index];
    if (part === undefined || message === undefined || place === undefined)
      return `${conversationField}.${member}`;
    if (part === message || OF_MESSAGES.has(member)) return `${place.path}.${member}`;
    const path = blockPlace(part, message, place);
    return OF_MEDIA.has(member) ? `${path}.${member}` : path;
  };
}

/** Members of a message, for any of its blocks. */
const OF_MESSAGES: ReadonlySet<string> = new Set(["role", "name"]);
/** Members of a block that is itself sent. */
const OF_MEDIA: ReadonlySet<string> = new Set(["detail", "filename"]);

function isWithin(part: Block | Message, message: Message): boolean {
  return part === message || message.blocks.some((block) => isPartOf(part, block));
}

/** Tool results have blocks of their own. */
function isPartOf(part: Block | Message, block: Block): boolean {
  return (
    part === block || (block.type === "tool_result" && block.blocks.some((each) => each === part))
  );
}

/**
 * By its index among the message's blocks of its type: reasoning may have been inserted since the
 * body was parsed.
 */
function blockPlace(part: Block | Message, { blocks }: Message, place: MessagePlace): string {
  const block = blocks.find((each) => isPartOf(part, each));
  const alike = blocks.filter(({ type }) => type === block?.type);
  const number = alike.findIndex((each) => each === block);
  const places = place.blocks?.filter(({ type }) => type === block?.type);
  return places?.[number]?.path ?? place.path;
}
