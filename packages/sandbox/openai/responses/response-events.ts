import type { JsonObject } from "@sluice/sandbox/json.ts";
import { orderedDetail } from "../error.ts";
import { padding } from "../padding.ts";
import type { VendorError } from "@sluice/sandbox/vendor.ts";
import type { BareEvent } from "./item-writer.ts";
import { outputEvents } from "./output-events.ts";
import { responseBody, type ResponseState } from "./response-body.ts";
import type { Turn } from "./turn.ts";

/** An event as it is sent, and how many tokens of the answer it carries. */
export interface ResponseEvent {
  readonly body: JsonObject;
  readonly type: string;
  readonly tokens: number;
  readonly isLast: boolean;
}

/** A whole answer, made as it is taken. */
interface ResponseEvents {
  readonly events: Generator<ResponseEvent>;
  /** How it ends when something goes wrong in the middle of it. */
  fail(error: VendorError): readonly ResponseEvent[];
}

export function responseEvents(turn: Turn): ResponseEvents {
  const output: JsonObject[] = [];
  const { number, withdraw } = numberer(turn);
  const around = (type: string, state: ResponseState) =>
    number({ type, fields: { response: responseBody(turn, state) }, tokens: 0 });

  function* events(): Generator<ResponseEvent> {
    const first = turn.request.isBackground ? "queued" : "created";
    const status = first === "queued" ? "queued" : "in_progress";
    yield around(`response.${first}`, { status, output: [] });
    yield around("response.in_progress", { status: "in_progress", output: [] });
    for (const event of outputEvents(turn, output)) yield number(event);
    if (turn.faults.endless) return;
    const state = finalState(turn, output);
    yield { ...around(`response.${state.status}`, state), isLast: true };
  }

  function fail(error: VendorError): readonly ResponseEvent[] {
    // What was made last is what the failure comes instead of.
    withdraw();
    const { message, code } = orderedDetail(error);
    const reason = { code: code ?? "server_error", message };
    const state: ResponseState = { status: "failed", output, error: reason };
    return [
      number({ type: "error", fields: { ...reason, param: null }, tokens: 0 }),
      { ...around("response.failed", state), isLast: true },
    ];
  }

  return { events: events(), fail };
}

function finalState({ answer, faults }: Turn, output: readonly JsonObject[]): ResponseState {
  const reason = faults.finish?.reason ?? (answer.finish === "length" ? "length" : "stop");
  if (reason === "stop" || reason === "tool_calls") return { status: "completed", output };
  const incompleteReason = reason === "length" ? "max_output_tokens" : reason;
  return { status: "incomplete", output, incompleteReason };
}

/** Numbers events without a gap; parts of the answer get a padding that hides their length. */
function numberer({ request }: Turn) {
  // Background events begin at one: the recordings have it so.
  let next = request.isBackground ? 1 : 0;

  function number({ type, fields, tokens }: BareEvent): ResponseEvent {
    const { delta } = fields;
    const isPadded = request.includeObfuscation && typeof delta === "string";
    const obfuscation = isPadded ? { obfuscation: padding(delta.length, next) } : {};
    const body = { type, ...fields, ...obfuscation, sequence_number: next++ };
    return { body, type, tokens, isLast: false };
  }

  return { number, withdraw: () => next-- };
}
