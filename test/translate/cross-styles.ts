import type { ChatRequest } from "#core/chat.ts";
import type { TextStyle } from "#core/style.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { chatStreamFaults } from "#test/grammar/chat.ts";
import { geminiStreamFaults } from "#test/grammar/gemini.ts";
import { messagesStreamFaults } from "#test/grammar/messages.ts";
import { responsesStreamFaults } from "#test/grammar/responses.ts";
import {
  chatReader,
  messagesReader,
  nativeReader,
  responsesReader,
  type Reader,
} from "./cross-readers.ts";

/** A style, with what a test holds its answers to. */
export interface Judged {
  readonly style: TextStyle;
  /** Where recordings of it stand in the index. */
  readonly endpoints: readonly string[];
  readonly path: RegExp;
  readonly reader: Reader;
  streamFaults(stream: string): readonly string[];
  /** Room for more answers than one. */
  readonly hasChoices: boolean;
  /** Refusals have a place of their own. */
  readonly hasRefusals: boolean;
  /** A picture is more than a link in the text. */
  readonly hasPictures: boolean;
  /** Arguments of a call are an object, not a text. */
  readonly hasObjects: boolean;
  /** Free text that reads as an object is one; elsewhere it stands in an object. */
  readonly opensFreeText: boolean;
  /** Reasoning is also shown in an answer that is not streamed. */
  readonly showsReasoningWhole: boolean;
  /** Words for an end that is none of the usual ones. */
  readonly knowsOtherEnds: boolean;
}

export const STYLES: readonly Judged[] = [
  {
    style: chat,
    endpoints: ["chat-completions"],
    path: /\/chat\/completions(\?|$)/,
    reader: chatReader,
    streamFaults: (stream) => chatStreamFaults(stream, { wantsUsage: true }),
    hasChoices: true,
    hasRefusals: true,
    hasPictures: true,
    hasObjects: false,
    opensFreeText: false,
    showsReasoningWhole: false,
    knowsOtherEnds: false,
  },
  {
    style: responses,
    endpoints: ["responses"],
    path: /\/responses(\?|$)/,
    reader: responsesReader,
    streamFaults: responsesStreamFaults,
    hasChoices: false,
    hasRefusals: true,
    hasPictures: true,
    hasObjects: false,
    opensFreeText: false,
    showsReasoningWhole: true,
    knowsOtherEnds: false,
  },
  {
    style: messages,
    endpoints: ["messages", "vertex-raw-predict", "vertex-stream-raw-predict"],
    path: /\/messages(\?|$)/,
    reader: messagesReader,
    streamFaults: messagesStreamFaults,
    hasChoices: false,
    hasRefusals: false,
    hasPictures: false,
    hasObjects: true,
    opensFreeText: false,
    showsReasoningWhole: false,
    knowsOtherEnds: false,
  },
  {
    style: gemini,
    endpoints: ["generate-content", "stream-generate-content"],
    path: /:(streamG|g)enerateContent(\?|$)/,
    reader: nativeReader,
    streamFaults: geminiStreamFaults,
    hasChoices: true,
    hasRefusals: false,
    hasPictures: true,
    hasObjects: true,
    opensFreeText: true,
    showsReasoningWhole: true,
    knowsOtherEnds: true,
  },
];

/** A caller who wants to see everything that there is to see. */
export const SHOW_ALL: ChatRequest = {
  model: "m",
  messages: [],
  stream: true,
  sampling: {},
  reasoning: { visible: true },
  rawFields: {
    chat: { stream_options: { include_usage: true } },
    responses: { include: ["reasoning.encrypted_content"] },
  },
};
