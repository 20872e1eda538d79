import { isJsonObject, jsonText, type JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError } from "../error.ts";
import { messageText } from "../prompt-tokens.ts";
import { checkContentType, decodeSegment, only } from "../routing.ts";
import { prefixCache } from "@sluice/sandbox/prefix-cache.ts";
import type { VendorRequest } from "@sluice/sandbox/vendor.ts";
import type { Frame } from "@sluice/sandbox/wire/frame.ts";
import { eventsReply, jsonReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import { backgroundResponse } from "./background.ts";
import { compactInput, countInput } from "./context-endpoints.ts";
import type { ItemReaders } from "./input-items.ts";
import { listInputItems } from "./input-list.ts";
import { outputEntries } from "./output-entries.ts";
import { responseEvents, type ResponseEvent } from "./response-events.ts";
import { readResponseRequest } from "./response-request.ts";
import { responseStore, type StoredResponse } from "./response-store.ts";
import { newSeal } from "./sealed-content.ts";
import { newTurn, type Turn } from "./turn.ts";

/** Responses and everything below their path. Throws `ApiError` if the vendor refuses the request. */
export function responsesEndpoint({ now }: { now(): number }) {
  const cache = prefixCache();
  const store = responseStore();
  const seal = newSeal();

  function answer(call: VendorRequest, headers: Headers, key: string): Reply {
    const readers: ItemReaders = { owner: key, store, seal };
    const post = (reply: () => Reply) =>
      only("POST", call, () => {
        checkContentType(call);
        return reply();
      });
    const [, , , segment, action] = call.path.split("/");

    if (segment === undefined) return post(() => create(call, headers, readers));
    if (segment === "input_tokens")
      return post(() => jsonReply(200, countInput(call.body, readers), headers));
    if (segment === "compact")
      return post(() => jsonReply(200, compactInput(call.body, readers, now()), headers));

    const response = find(decodeSegment(segment), key);
    if (action === undefined)
      return call.method === "DELETE"
        ? remove(response, headers)
        : only("GET", call, () => retrieve(response, call, headers));
    if (action === "cancel") return only("POST", call, () => cancel(response, headers));
    if (action === "input_items")
      return only("GET", call, () =>
        jsonReply(200, listInputItems(response.input, call.query), headers),
      );
    throw new ApiError(404, { message: `Invalid URL (${call.method} ${call.path})` });
  }

  function create(call: VendorRequest, headers: Headers, readers: ItemReaders): Reply {
    const request = readResponseRequest(call.body, readers);
    const cachedTokens = cache.visit(
      `${request.model.id}\n${JSON.stringify(request.offer.echo)}\n${request.messages.map(messageText).join("\n")}`,
    );
    const turn = newTurn(request, { faults: call.faults, seal, cachedTokens, now });
    if (request.isBackground) return runInBackground(turn, headers);
    if (!request.isStream) return whole(turn, headers);
    const { events, fail } = responseEvents(turn);
    return eventsReply(frames(remembering(events, turn)), headers, (error) => [
      ...frames(fail(error)),
    ]);
  }

  function runInBackground(turn: Turn, headers: Headers): Reply {
    const response = backgroundResponse(turn);
    store.add(response);
    return turn.request.isStream
      ? eventsReply(frames(response.made), headers)
      : jsonReply(200, response.body(), headers);
  }

  function whole(turn: Turn, headers: Headers): Reply {
    const { endless, ...faults } = turn.faults;
    // An answer without an end is given up to its natural one here; the body is what never ends.
    const events = [...remembering(responseEvents({ ...turn, faults }).events, turn)];
    const response = events.at(-1)?.body["response"] ?? null;
    if (endless !== undefined) {
      const head = JSON.stringify(response).slice(0, -1);
      return {
        status: 200,
        headers: { "content-type": "application/json", ...headers },
        body: { kind: "endless", head },
      };
    }
    const tokens = events.reduce((sum, event) => sum + event.tokens, 0);
    return jsonReply(200, response, headers, tokens);
  }

  /** Kept just before the caller learns that it is done. */
  function* remembering(events: Iterable<ResponseEvent>, turn: Turn): Generator<ResponseEvent> {
    for (const event of events) {
      const { response } = event.body;
      if (event.isLast && isJsonObject(response)) remember(response, turn);
      yield event;
    }
  }

  function remember(response: JsonObject, { id, request }: Turn): void {
    if (!request.isStored) return;
    const items = Array.isArray(response["output"]) ? response["output"] : [];
    store.add({
      id,
      owner: request.owner,
      input: request.input,
      output: outputEntries(items.filter(isJsonObject)),
      body: () => response,
    });
  }

  function find(id: string, owner: string): StoredResponse {
    const found = store.find(id, owner);
    if (found !== undefined) return found;
    throw new ApiError(404, { message: `Response with id '${id}' not found.` });
  }

  function remove(response: StoredResponse, headers: Headers): Reply {
    store.remove(response);
    return jsonReply(200, { id: response.id, object: "response", deleted: true }, headers);
  }

  return answer;
}

type Headers = Readonly<Record<string, string>>;

function retrieve(
  { background, body }: StoredResponse,
  { query }: VendorRequest,
  headers: Headers,
): Reply {
  if (query.get("stream") !== "true") return jsonReply(200, body(), headers);
  if (background === undefined || !background.isStream) {
    throw new ApiError(400, {
      message:
        "This response cannot be streamed because it was not created with background=true and stream=true.",
      param: "stream",
    });
  }
  const after = Number(query.get("starting_after") ?? -1);
  const rest = background.events().filter((event) => Number(event["sequence_number"]) > after);
  const bare = rest.map(({ obfuscation: _obfuscation, ...event }) => event);
  return eventsReply(
    bare.map((event, index) => frameOf(event, index === bare.length - 1 ? "done" : "delta", 0)),
    headers,
  );
}

function cancel({ background, body }: StoredResponse, headers: Headers): Reply {
  if (background === undefined)
    throw new ApiError(400, { message: "Cannot cancel a synchronous response." });
  background.cancel();
  return jsonReply(200, body(), headers);
}

function* frames(events: Iterable<ResponseEvent>): Generator<Frame> {
  for (const { body, type, tokens, isLast } of events)
    yield frameOf(body, isLast ? "done" : type === "error" ? "error" : "delta", tokens);
}

function frameOf(body: JsonObject, kind: Frame["kind"], tokens: number): Frame {
  return { kind, event: jsonText(body["type"]), data: JSON.stringify(body), tokens };
}
