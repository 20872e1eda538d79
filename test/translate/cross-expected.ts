import type { ChatEvent } from "#core/chat.ts";
import { picturesIn, withoutPictures } from "./cross-readers.ts";
import type { Judged } from "./cross-styles.ts";
import { asObject, sorted, toldIn, type ReceivedAnswer, type ToldChoice } from "./cross-told.ts";

/** What a caller of `to` is to be told. */
export function expectedOf(
  events: readonly ChatEvent[],
  from: Judged | undefined,
  to: Judged,
  how: "stream" | "whole",
): ReceivedAnswer {
  const { choices, usage } = toldIn(to.hasRefusals ? events : events.map(asWords));
  const isShown = how === "stream" || to.showsReasoningWhole;
  const told = choices.slice(0, to.hasChoices ? choices.length : 1).map((choice): ToldChoice => ({
    ...choice,
    reasoning: isShown ? choice.reasoning : "",
    finish: choice.finish === "other" && !to.knowsOtherEnds ? "stop" : choice.finish,
  }));
  return fitted({ choices: told, usage }, from, to);
}

/** A refusal, where it is said like everything else. */
function asWords(event: ChatEvent): ChatEvent {
  return event.type === "open" && event.block.type === "refusal"
    ? { ...event, block: { type: "text" } }
    : event;
}

/** What the style has one place for is read alike, whichever side it comes from. */
export function fitted(
  { choices, usage }: ReceivedAnswer,
  from: Judged | undefined,
  to: Judged,
): ReceivedAnswer {
  return {
    usage,
    choices: choices.map((choice) => ({
      ...choice,
      ...(to.hasPictures
        ? {}
        : {
            text: withoutPictures(choice.text),
            images: [...choice.images, ...picturesIn(choice.text)],
          }),
      calls: choice.calls.map((call) => ({
        name: call.name,
        kind: to.hasObjects ? "function" : call.kind,
        args: sorted(to.hasObjects ? asObject(call, to.opensFreeText) : call.args),
        // Upstreams of this style need not give ids, and their own callers get none then.
        id: from?.style.id === "gemini" && to.style.id === "gemini" ? "" : call.id,
      })),
    })),
  };
}
