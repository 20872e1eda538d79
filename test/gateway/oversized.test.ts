import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";

const LIMIT_BYTES = 64 * 1024;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway({
    yaml: "sandbox: auto",
    env: {
      SLUICE_LIMIT_BODY_BYTES: `${LIMIT_BYTES / 1024}KiB`,
      SLUICE_LIMIT_MEDIA_BODY_BYTES: `${LIMIT_BYTES / 1024}KiB`,
    },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Of each prefix an endpoint that reads a body, and what its errors have. */
const PLACES: readonly (readonly [path: string, members: readonly string[]])[] = [
  ["/v1/chat/completions", ["error"]],
  ["/v1/responses", ["error"]],
  ["/v1/messages", ["type", "error"]],
  ["/v1beta/models/m:generateContent", ["error"]],
  ["/v1/embeddings", ["error"]],
  ["/v1/images/generations", ["error"]],
  ["/v1/videos", ["error"]],
  ["/v1/video/generations", ["error"]],
  ["/videoa/api/v3/contents/generations/tasks", ["error"]],
  ["/videob?Action=CVSync2AsyncSubmitTask&Version=2022-08-31", ["code", "message"]],
  ["/videob/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31", ["code", "message"]],
  ["/videoc/ent/v2/text2video", ["code", "message"]],
  ["/videod/v2/video_generation", ["error"]],
  ["/videoe/v1/videos/text2video", ["code", "message"]],
];

async function post(
  path: string,
  body: Uint8Array | ReadableStream<Uint8Array>,
): Promise<readonly [number, JsonObject]> {
  const answer = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body,
  });
  expect(answer.headers.get("content-type")).toContain("application/json");
  return [answer.status, (await answer.json()) as JsonObject];
}

test("a body over the limit gets the library's own code in the asset library", async () => {
  const path = "/videoa/api/v3/assets?Action=CreateAsset&Version=2024-01-01";
  const [, answer] = await post(path, new Uint8Array(100 * LIMIT_BYTES));

  expect(answer).toMatchObject({
    ResponseMetadata: { Error: { Code: "RequestEntityTooLarge" } },
  });
});

/** Of no announced length. */
function streamed(sizeBytes: number): ReadableStream<Uint8Array> {
  let left = sizeBytes;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(new Uint8Array(Math.min(left, 16 * 1024)));
      left -= 16 * 1024;
    },
  });
}

test.each(PLACES)("a body over the limit gets 413 in the format of %s", async (path, members) => {
  for (const body of [
    new Uint8Array(LIMIT_BYTES + 1),
    new Uint8Array(100 * LIMIT_BYTES),
    streamed(4 * LIMIT_BYTES),
  ]) {
    const [status, answer] = await post(path, body);

    expect([path, status]).toEqual([path, 413]);
    for (const member of members) expect(answer).toHaveProperty(member);
  }
});

test.each([
  ["/videoa", ["error"]],
  ["/videob", ["code", "message"]],
  ["/videoc", ["code", "message"]],
  ["/videod", ["error"]],
  ["/videoe", ["code", "message"]],
])(
  "%s itself, with or without a slash, responds in its protocol's format",
  async (path, members) => {
    for (const each of [path, `${path}/`, `${path}/nothing/here`]) {
      const answer = await gateway.get(each);
      const body = (await answer.json()) as JsonObject;

      expect([each, answer.status >= 400]).toEqual([each, true]);
      for (const member of members) expect(body).toHaveProperty(member);
    }
  },
);

test("the action of protocol B is recognised after a slash as well", async () => {
  const ask = async (path: string): Promise<unknown> =>
    (await gateway.post(path, { req_key: "m", task_id: "task_1" })).json();
  const query = "?Action=CVSync2AsyncGetResult&Version=2022-08-31";
  const plain = await ask(`/videob${query}`);

  expect(await ask(`/videob/${query}`)).toMatchObject({
    ...(plain as object),
    request_id: expect.any(String),
  });
});
