import { isJsonArray, isJsonObject, type JsonObject } from "@sluice/sandbox/json.ts";
import { outputEntries } from "./output-entries.ts";
import { responseBody } from "./response-body.ts";
import { responseEvents, type ResponseEvent } from "./response-events.ts";
import type { BackgroundRun, StoredResponse } from "./response-store.ts";
import type { Turn } from "./turn.ts";

/**
 * A response that nobody waits for: made at once, and told as if it took its
 * time. It is queued first, then in progress, then done.
 */
export function backgroundResponse(turn: Turn): BackgroundResponse {
  const startedAt = turn.now();
  const { endless: _endless, ...faults } = turn.faults;
  const late = { ...turn, faults, now: () => startedAt + DONE_MS };
  const events = [...responseEvents(late).events];
  const last = events.at(-1)?.body["response"];
  const output = isJsonObject(last) && isJsonArray(last["output"]) ? last["output"] : [];
  let cancelled: JsonObject | undefined;

  function body(): JsonObject {
    if (cancelled !== undefined) return cancelled;
    const elapsedMs = turn.now() - startedAt;
    const at = elapsedMs < QUEUED_MS ? 0 : elapsedMs < DONE_MS ? 1 : events.length - 1;
    const response = events[at]?.body["response"];
    return isJsonObject(response) ? response : {};
  }

  return {
    id: turn.id,
    owner: turn.request.owner,
    input: turn.request.input,
    output: outputEntries(output.filter(isJsonObject)),
    body,
    made: events,
    background: {
      isStream: turn.request.isStream,
      cancel() {
        if (turn.now() - startedAt < DONE_MS)
          cancelled ??= responseBody(turn, { status: "cancelled", output: [] });
      },
      events: () => (cancelled === undefined ? events.map((event) => event.body) : []),
    },
  };
}

interface BackgroundResponse extends StoredResponse {
  readonly background: BackgroundRun;
  readonly made: readonly ResponseEvent[];
}

const QUEUED_MS = 100;
const DONE_MS = 400;
