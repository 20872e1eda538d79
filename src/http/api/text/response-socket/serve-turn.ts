import { invalid } from "#core/error.ts";
import type { RequestBody } from "#core/style.ts";
import { NO_USAGE } from "#core/usage.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import type { Sink } from "#lib/push-stream.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import type { StreamedAnswer } from "#relay/call.ts";
import { withinReach } from "#relay/routing/reach.ts";
import { unknownModel } from "#relay/routing/unknown-model.ts";
import { responses } from "#styles/text/responses/index.ts";
import { keepingContent } from "#http/content-log.ts";
import type { TextDeps } from "#http/deps/text.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange } from "#http/routes.ts";
import { throttle } from "#http/throttle.ts";
import type { Continued } from "../conversation.ts";
import { replyTo } from "../generate.ts";
import { creationOf } from "../responses.ts";
import type { SocketResponses } from "./socket-responses.ts";

/** Where a turn is kept, and where its events go. */
interface TurnWay {
  readonly kept: SocketResponses;
  readonly sink: Sink;
}

type TurnDeps = Omit<TextDeps, "keptAnswers">;

/** Makes one response over a WebSocket. True if it can be continued. */
export async function serveTurn(
  exchange: Exchange,
  body: RequestBody,
  { kept, sink }: TurnWay,
  deps: TurnDeps,
): Promise<boolean> {
  const turn = turnOf(exchange, kept, deps);
  const answer = keepingContent(exchange, body.text, deps, () =>
    replyTo(exchange, responses, body, deps, turn.creation),
  );
  const reply = await answer();
  if (reply.kind === "stream") await reply.fill(sink);
  return turn.isKept;
}

/**
 * A response without output, which stands for a stored request. No model is called, and nothing is
 * charged.
 */
export async function prepareTurn(
  exchange: Exchange,
  body: RequestBody,
  { kept, sink }: TurnWay,
  deps: TurnDeps,
): Promise<boolean> {
  const turn = turnOf(exchange, kept, deps);
  const answer = await prepared(exchange, body.json, deps);
  await turn.creation.prepare(withInput(body));
  await turn.creation.outlet.stream?.(answer, sink);
  return turn.isKept;
}

function turnOf(exchange: Exchange, kept: SocketResponses, deps: TurnDeps) {
  const turn = {
    isKept: false,
    creation: creationOf(exchange, deps, {
      store: kept,
      check: refuseLooseOutputs,
      async save(response, isStored) {
        turn.isKept = true;
        const stored = isStored ? kept.toStore(response) : undefined;
        await kept.keep(response, isStored, deps.limits.socketStateBytes);
        if (stored !== undefined) await deps.responses.save(stored);
      },
    }),
  };
  return turn;
}

/** A prepared request may have no input. */
function withInput(body: RequestBody): RequestBody {
  return body.json["input"] === undefined ? { ...body, json: { ...body.json, input: [] } } : body;
}

async function prepared(
  exchange: Exchange,
  body: JsonObject,
  deps: Pick<TextDeps, "channels" | "relay" | "clock">,
): Promise<StreamedAnswer> {
  await throttle(exchange, deps);
  const { channels, clock } = deps;
  const isEmpty = listOf(body["input"]).length === 0 && textOf(body["input"]) === undefined;
  const checked = isEmpty ? { ...body, input: "-" } : body;
  const facts = responses.inbound.readRequest(checked, {});
  const key = requireKey(exchange);
  if (withinReach(key, facts.model, channels.find(facts.model)) === undefined) {
    throw unknownModel(key, facts.model, channels);
  }
  const at = clock.now();
  const encoder = responses.inbound.openEncoder(responses.inbound.parseRequest(checked, facts));
  const text = [
    encoder.encode({ type: "start", id: randomBase62(24), model: facts.model, createdAt: at }),
    encoder.encode({ type: "finish", choice: 0, reason: "stop", at }),
    encoder.encode({ type: "usage", usage: NO_USAGE }),
    encoder.end(),
  ].join("");
  return {
    kind: "stream",
    lost: [],
    isTranslated: true,
    async send(sink) {
      await sink.write(text);
      return true;
    },
  };
}

const OUTPUTS = ["function_call_output", "custom_tool_call_output"];

/**
 * A client that continues a response does not send the tool calls again. An output without a known
 * call is an error.
 */
function refuseLooseOutputs({ added, input, previousId }: Continued): void {
  if (previousId === undefined) return;
  const called = new Set(input.filter((item) => !isOutput(item)).map(callIdOf));
  const loose = added.find((item) => isOutput(item) && !called.has(callIdOf(item)));
  if (loose === undefined) return;
  const id = (callIdOf(loose) ?? "").slice(0, 128);
  throw invalid("input", `No tool call found for function call output with call_id ${id}.`);
}

function isOutput(item: Json): boolean {
  return isObject(item) && OUTPUTS.includes(textOf(item["type"]) ?? "");
}

function callIdOf(item: Json): string | undefined {
  return textOf(memberOf(item, "call_id"));
}
