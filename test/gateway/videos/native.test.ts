import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { KEY } from "#test/harness.ts";
import { openVideoPlace, SEEDANCE, VEO, type VideoPlace } from "#test/video-place.ts";

const UPSTREAM = `models/${VEO}/operations/upstream`;

let place: VideoPlace;
beforeAll(async () => {
  place = await openVideoPlace();
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  place.vendor.seen.length = 0;
  place.taken = { body: { name: UPSTREAM } };
  place.task = { body: { name: UPSTREAM } };
});

const FILE_URI = /\/v1beta\/files\/[a-z0-9]+:download\?alt=media$/;

const submit = (body: JsonObject, model = VEO, version = "v1beta") =>
  place.send("POST", `/${version}/models/${model}:predictLongRunning`, body);

async function submitted(): Promise<string> {
  const { body } = await submit({ instances: [{ prompt: "a fox" }] });
  return textOf(body["name"]) ?? "";
}

const made = (...uris: readonly string[]): JsonObject => ({
  name: UPSTREAM,
  done: true,
  response: {
    generateVideoResponse: { generatedSamples: uris.map((uri) => ({ video: { uri } })) },
  },
});

describe("a long-running prediction", () => {
  test("is an operation of the gateway, which ends with the vendor's", async () => {
    const { status, body } = await submit({
      instances: [{ prompt: "a fox" }],
      parameters: { aspectRatio: "9:16", durationSeconds: 8 },
    });
    const name = textOf(body["name"]) ?? "";
    const running = await place.send("GET", `/v1beta/${name}`);
    place.task = { body: made(`${place.vendor.url}/gemini/v1beta/files/a:download?alt=media`) };
    const done = await place.until(`/v1beta/${name}`, (answer) => answer["done"] === true);

    const id = name.slice(name.lastIndexOf("/") + 1);
    expect(status).toBe(200);
    expect(body).toEqual({ name: `models/${VEO}/operations/${id}` });
    expect(running.body).toEqual({ name });
    expect(done).toMatchObject({
      name,
      response: {
        generateVideoResponse: {
          generatedSamples: [{ video: { uri: expect.stringMatching(FILE_URI) } }],
        },
      },
    });
    expect(place.asked()[0]).toMatchObject({
      path: `/gemini/v1beta/models/${VEO}:predictLongRunning`,
      body: {
        instances: [{ prompt: "a fox" }],
        parameters: { aspectRatio: "9:16", durationSeconds: 8 },
      },
    });
    expect(JSON.stringify([body, running.body, done])).not.toContain("upstream");
  });

  test("is found by each of its names, with the key in every place that clients use", async () => {
    const name = await submitted();
    const id = name.slice(name.lastIndexOf("/") + 1);
    const paths = [
      `/v1beta/${name}`,
      `/v1/${name}`,
      `/v1beta/operations/${id}`,
      `/v1/operations/${id}`,
    ];
    const byHeader = { headers: { "x-goog-api-key": KEY } };

    for (const path of paths) {
      const inHeader = await fetch(place.gateway.url + path, byHeader);
      const inQuery = await fetch(`${place.gateway.url}${path}?key=${KEY}`);
      expect([inHeader.status, await inHeader.text()]).toEqual([200, JSON.stringify({ name })]);
      expect(inQuery.status).toBe(200);
    }
  });

  test("that was filtered is reported as filtered, and a failed one has its reason", async () => {
    const filtered = await submitted();
    place.task = {
      body: {
        name: UPSTREAM,
        done: true,
        response: {
          generateVideoResponse: {
            raiMediaFilteredCount: 1,
            raiMediaFilteredReasons: ["It is not allowed."],
          },
        },
      },
    };
    const left = await place.until(`/v1beta/${filtered}`, ({ done }) => done === true);
    place.task = { body: { name: UPSTREAM } };
    const failed = await submitted();
    place.task = {
      body: {
        name: UPSTREAM,
        done: true,
        error: { code: 3, message: "Too odd.", status: "INVALID_ARGUMENT" },
      },
    };
    const why = await place.until(`/v1beta/${failed}`, ({ done }) => done === true);

    expect(memberOf(left["response"], "generateVideoResponse")).toEqual({
      raiMediaFilteredCount: 1,
      raiMediaFilteredReasons: ["It is not allowed."],
    });
    expect(why["error"]).toEqual({ code: 3, message: "Too odd." });
  });

  test("works with vendors of other formats, too", async () => {
    place.taken = { body: { id: "cgt-upstream" } };
    const { status } = await submit(
      { instances: [{ prompt: "a fox" }], parameters: { durationSeconds: 5 } },
      SEEDANCE,
      "v1",
    );

    expect(status).toBe(200);
    expect(place.asked()[0]?.body).toEqual({
      model: SEEDANCE,
      content: [{ type: "text", text: "a fox" }],
      duration: 5,
      resolution: "720p",
    });
  });

  test.each([
    [{ instances: [] }, VEO, 400, "INVALID_ARGUMENT"],
    [
      { instances: [{ prompt: "a fox" }], parameters: { durationSeconds: 5 } },
      VEO,
      400,
      "INVALID_ARGUMENT",
    ],
    [{ instances: [{ prompt: "a fox" }] }, "nobodys", 404, "NOT_FOUND"],
  ])("of %j by %s is refused in the native style", async (body, model, code, status) => {
    const answer = await submit(body, model);

    expect(answer.status).toBe(code);
    expect(answer.body["error"]).toMatchObject({ code, status });
    expect(place.asked()).toEqual([]);
  });

  test("with an unknown name is not found, and models are not treated as operations", async () => {
    const none = await place.send("GET", `/v1beta/models/${VEO}/operations/task_none`);
    const model = await place.send("GET", `/v1beta/models/${VEO}`);

    expect([none.status, memberOf(none.body["error"], "status")]).toEqual([404, "NOT_FOUND"]);
    expect([model.status, model.body["name"]]).toEqual([200, `models/${VEO}`]);
  });
});
