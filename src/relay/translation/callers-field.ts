import type { Block, ChatRequest, Message } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import type { LossNames } from "#core/lossy.ts";
import type { InboundStyle, MessagePlace } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";

/**
 * A refusal in the words of the caller's style. Styles that write requests know
 * the conversation as `messages`, whichever style it was written in.
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
 * Names what of a conversation is lost as the caller wrote it; `undefined` if
 * the caller's style knows it as `messages`, too.
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

/** Members of a message, whichever of its blocks it is told of. */
const OF_MESSAGES: ReadonlySet<string> = new Set(["role", "name"]);
/** Members of a block that is itself carried. */
const OF_MEDIA: ReadonlySet<string> = new Set(["detail", "filename"]);

function isWithin(part: Block | Message, message: Message): boolean {
  return part === message || message.blocks.some((block) => isPartOf(part, block));
}

/** Results of tools have blocks of their own. */
function isPartOf(part: Block | Message, block: Block): boolean {
  return (
    part === block || (block.type === "tool_result" && block.blocks.some((each) => each === part))
  );
}

/** By its number among the message's blocks of its type: reasoning may have been put back since the body was read. */
function blockPlace(part: Block | Message, { blocks }: Message, place: MessagePlace): string {
  const block = blocks.find((each) => isPartOf(part, each));
  const alike = blocks.filter(({ type }) => type === block?.type);
  const number = alike.findIndex((each) => each === block);
  const places = place.blocks?.filter(({ type }) => type === block?.type);
  return places?.[number]?.path ?? place.path;
}
