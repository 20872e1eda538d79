import { expect, test } from "bun:test";
import { isObject, parseJson } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { openPlace } from "./upstreams.ts";

test.each(["chat", "responses"])(
  "a long streamed response is continued (upstream: %s)",
  async (id) => {
    await using place = await openPlace(id);
    const ask = (body: object): Promise<Response> =>
      place.gateway.post("/v1/responses", { model: place.model, ...body });
    const input = "Repeat the word riverbank 9000 times";
    const streamed = await (await ask({ stream: true, input })).text();
    const end = readEvents(streamed).find(({ data }) => data.includes('"response.completed"'));
    const event = parseJson(end?.data ?? "");
    const response = isObject(event) && isObject(event["response"]) ? event["response"] : {};
    const next = await ask({ previous_response_id: response["id"] ?? "", input: "Go on." });

    expect(end?.data.length).toBeGreaterThan(64 * 1024);
    expect(next.status).toBe(200);
  },
);
