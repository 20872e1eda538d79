import { describe, expect, test } from "bun:test";
import { sha256, signatureOf } from "./jimeng/signature.ts";
import { parseJson, type Json, type JsonObject } from "./json.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { signedHeaders, type SigningOptions } from "./testing/jimeng.ts";
import { probe, testWithFfmpeg } from "./testing/media-files.ts";
import { pngUrl } from "./testing/pictures.ts";
import { clockedSandbox, type ClockedSandbox } from "./testing/tasks.ts";

const START = Date.UTC(2026, 0, 1, 12);
const LINK = "https://a.example/a.png";
const base64 = (width: number, height: number) => pngUrl(width, height).split(",")[1] ?? "";

interface Sent extends SigningOptions {
  readonly version?: string;
  /** How far the caller's clock is off. */
  readonly skewMs?: number;
  /** In place of what was signed. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The one caller of these tests, whose clock goes with the sandbox's. */
function caller(simulator: ClockedSandbox) {
  let waited = 0;
  async function send(action: string, body: Json, more: Sent = {}) {
    const { version = "2022-08-31", skewMs = 0, headers = {} } = more;
    const address = `${simulator.sandbox.url}/jimeng/?Action=${action}&Version=${version}`;
    const text = JSON.stringify(body);
    const signed = signedHeaders(address, text, START + waited + skewMs, more);
    const response = await fetch(address, {
      method: "POST",
      headers: { ...signed, ...headers },
      body: text,
    });
    return { status: response.status, body: asObject(parseJson(await response.text())) };
  }
  const one = {
    send,
    wait(ms: number) {
      waited += ms;
      simulator.wait(ms);
    },
    order: (body: JsonObject, more?: Sent) =>
      send("CVSync2AsyncSubmitTask", { req_key: KEY, prompt: "a cat", ...body }, more),
    read: (id: string, reqKey = KEY, more?: Sent) =>
      send("CVSync2AsyncGetResult", { req_key: reqKey, task_id: id }, more),
    cancel: (id: string) => send("CVCancelTask", { req_key: KEY, task_id: id }),
    async finished(body: JsonObject = {}) {
      const created = await one.order(body);
      one.wait(1_300);
      return one.read(
        textAt(created.body, "data", "task_id"),
        textAt({ req_key: KEY, ...body }, "req_key"),
      );
    },
  };
  return one;
}

const KEY = "jimeng_t2v_v30";
const idIn = (body: JsonObject) => textAt(body, "data", "task_id");

describe("a task", () => {
  test("is in the queue, being generated and done, with the vendor's state names", async () => {
    await using simulator = await clockedSandbox();
    const one = caller(simulator);
    const created = await one.order({});
    const id = idIn(created.body);
    const said = async () => at((await one.read(id)).body, "data");

    expect(created).toEqual({
      status: 200,
      body: {
        code: 10_000,
        data: { task_id: expect.stringMatching(/^7\d{18}$/) },
        message: "Success",
        request_id: expect.any(String),
        status: 10_000,
        time_elapsed: expect.any(String),
      },
    });
    expect(await said()).toEqual({ status: "in_queue" });
    one.wait(300);
    expect(await said()).toEqual({ status: "generating" });
    one.wait(1_000);
    expect(await said()).toEqual({
      status: "done",
      video_url: expect.stringContaining(`/jimeng/files/${id}/video.mp4?`),
      aigc_meta_tagged: false,
      binary_data_base64: null,
      image_urls: null,
      resp_data: "",
    });
  });

  test.each([
    ["[50516]", 400, 50_516, "Post Video Risk Not Pass"],
    ["[moderate]", 400, 50_516, "Post Video Risk Not Pass"],
    ["[50511]", 400, 50_511, "Post Img Risk Not Pass"],
    ["[fail]", 400, 50_520, "Risk Internal Error"],
  ])("with %s is refused with %d and %d", async (mark, status, code, message) => {
    await using simulator = await clockedSandbox();
    const answer = await caller(simulator).finished({ prompt: `a cat ${mark}` });

    expect(answer).toMatchObject({ status, body: { code, status: code, message, data: null } });
  });

  test("with [expire] is reported as expired", async () => {
    await using simulator = await clockedSandbox();
    const { body } = await caller(simulator).finished({ prompt: "[expire]" });

    expect(body).toMatchObject({ code: 10_000, data: { status: "expired" } });
  });

  test("is not found by others, under another req_key, and after twelve hours", async () => {
    const pairs = ["ak-test|sk-a", "ak-other|sk-b"];
    const [own = "", other = ""] = pairs;
    await using simulator = await clockedSandbox({ apiKeys: pairs });
    const one = caller(simulator);
    const id = idIn((await one.order({}, { pair: own })).body);
    const statusOf = async (reqKey: string, pair: string) =>
      at((await one.read(id, reqKey, { pair })).body, "data", "status");

    expect(await statusOf(KEY, own)).toBe("in_queue");
    expect(await statusOf(KEY, other)).toBe("not_found");
    expect(await statusOf("jimeng_t2v_v30_1080p", own)).toBe("not_found");
    one.wait(43_200_000);
    expect(await statusOf(KEY, own)).toBe("not_found");
  });

  test("can be cancelled while it waits", async () => {
    await using simulator = await clockedSandbox();
    const one = caller(simulator);
    const [first, second] = [idIn((await one.order({})).body), idIn((await one.order({})).body)];
    const cancelled = await one.cancel(first);
    one.wait(300);
    const refused = await one.cancel(second);

    expect(cancelled).toMatchObject({ status: 200, body: { code: 10_000, data: null } });
    expect(refused).toMatchObject({ status: 400, body: { code: 50_215 } });
    expect((await one.read(first)).body).toMatchObject({ data: { status: "not_found" } });
    expect((await one.read(second)).body).toMatchObject({ data: { status: "generating" } });
  });

  test("exists although its response was lost", async () => {
    await using simulator = await clockedSandbox({ tasks: { parallel: 1 } });
    const { order } = caller(simulator);
    const lost = await order({ prompt: "[timeout]" });
    const next = await order({});

    expect(lost).toMatchObject({ status: 504, body: { code: 50_500, data: null } });
    expect(next).toMatchObject({ status: 429, body: { code: 50_430 } });
  });
});

describe("the signature", () => {
  const common = {
    method: "POST",
    path: "/",
    signedHeaders: ["content-type", "host", "x-content-sha256", "x-date"],
  };
  const vectors = [
    {
      address: "https://visual.volcengineapi.com/?Action=CVSync2AsyncGetResult&Version=2022-08-31",
      body: '{"req_key":"jimeng_vgfm_t2v_l20","task_id":"abc"}',
      date: "20240115T120000Z",
      secret: "SKTEST",
      region: "cn-north-1",
      service: "cv",
      bodyHash: "2e83d6a6ed2aef0fb0dd7125abe5bad97718ec9bd6be63d52418921ea3133955",
      signature: "5cbe194cc35a9fe8a0dcf34cbfc8f10d2c989caa3059aa6fe4f186977c0fef7a",
    },
    {
      address:
        "https://ark.ap-southeast-1.byteplusapi.com/?Version=2024-01-01&Action=GetAsset&Filter=a+b&Filter=a%2Bb",
      body: '{"Id":"asset-1","ProjectName":"project3"}',
      date: "20260729T123456Z",
      secret: "test-secret",
      region: "ap-southeast-1",
      service: "ark",
      bodyHash: "156617727cf37ec13384e0ca80bbf694d0cfd02b3293bf1cad160c2479da6daf",
      signature: "15b9c14125104cf5670559249a95d6cb85595bb56a70cbe5037ac1c302b223fc",
    },
    {
      address: "https://open.volcengineapi.com/?Action=CreateAsset&Version=2024-01-01",
      body: '{"GroupId":"group-1","URL":"https://example.com/a.png","AssetType":"Image"}',
      date: "20260101T000000Z",
      secret: "SKTEST",
      region: "cn-beijing",
      service: "ark",
      bodyHash: "1375ee526952e79d49f5b36d70af7e1906ce30dfcf681242f703be1262bddf5c",
      signature: "350c4118a71c22ab4ca74d10281c4b176743f0e2969629031c0f59053a8e2cd6",
    },
  ];
  test.each(vectors)(
    "equals the published one: $address",
    ({ address, body, date, secret, region, service, bodyHash, signature }) => {
      const { host, searchParams: query } = new URL(address);
      const headers = {
        "content-type": "application/json",
        host,
        "x-content-sha256": bodyHash,
        "x-date": date,
      };

      expect(sha256(body)).toBe(bodyHash);
      expect(
        signatureOf(secret, { ...common, query, headers, bodyHash, date, region, service }),
      ).toBe(signature);
    },
  );

  test("may omit the prefix, which the vendor's own address does not have", async () => {
    await using simulator = await clockedSandbox();

    expect((await caller(simulator).order({}, { path: "/" })).status).toBe(200);
  });

  test.each<[string, Sent, number, string]>([
    ["no signature", { headers: { authorization: "" } }, 100_003, "MissingAuthenticationToken"],
    [
      "a key alone",
      { headers: { authorization: "Bearer sk-test" } },
      100_024,
      "InvalidAuthorization",
    ],
    ["another access key", { pair: "ak-other|sk" }, 100_009, "InvalidAccessKey"],
    ["another secret", { pair: "ak-test|sk-other" }, 100_010, "SignatureDoesNotMatch"],
    ["another path", { path: "/other" }, 100_010, "SignatureDoesNotMatch"],
    [
      "another digest of the body",
      { headers: { "x-content-sha256": "0".repeat(64) } },
      100_010,
      "SignatureDoesNotMatch",
    ],
    [
      "a header that was changed afterwards",
      { headers: { "content-type": "application/json; charset=utf-8" } },
      100_010,
      "SignatureDoesNotMatch",
    ],
    ["an old date", { skewMs: -901_000 }, 100_006, "InvalidTimestamp"],
    ["a date to come", { skewMs: 901_000 }, 100_006, "InvalidTimestamp"],
    ["no date", { headers: { "x-date": "today" } }, 100_006, "InvalidTimestamp"],
  ])("refused before the body is read: %s", async (_what, more, number, code) => {
    await using simulator = await clockedSandbox();
    const { status, body } = await caller(simulator).order({}, more);

    expect(status).toBe(401);
    expect(body).toEqual({
      ResponseMetadata: {
        RequestId: expect.any(String),
        Action: "CVSync2AsyncSubmitTask",
        Version: "2022-08-31",
        Service: "cv",
        Region: "cn-north-1",
        Error: { CodeN: number, Code: code, Message: expect.any(String) },
      },
    });
  });

  test("refused after the signature: another action, and another version", async () => {
    await using simulator = await clockedSandbox();
    const { send, order } = caller(simulator);
    const action = await send("CVProcess", {});
    const version = await order({}, { version: "2024-01-01" });

    for (const answer of [action, version])
      expect(answer).toMatchObject({
        status: 404,
        body: { ResponseMetadata: { Error: { Code: "InvalidActionOrVersion" } } },
      });
  });

  test("refused: a body that was changed on the way", async () => {
    await using simulator = await clockedSandbox();
    const address = `${simulator.sandbox.url}/jimeng/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31`;
    const headers = signedHeaders(address, "{}", START);
    const response = await fetch(address, { method: "POST", headers, body: "{ }" });

    expect(response.status).toBe(401);
  });
});

describe("the video", () => {
  const cases: [string, JsonObject, string][] = [
    ["words", { aspect_ratio: "9:16" }, "720|1280|120"],
    [
      "ten seconds, in more detail",
      { req_key: "jimeng_t2v_v30_1080p", frames: 241 },
      "1920|1080|240",
    ],
    [
      "a picture",
      {
        req_key: "jimeng_i2v_first_v30",
        binary_data_base64: [base64(400, 400)],
        aspect_ratio: "16:9",
      },
      "960|960|120",
    ],
    [
      "a beginning and an end",
      { req_key: "jimeng_i2v_first_tail_v30", image_urls: [LINK, LINK] },
      "1280|720|120",
    ],
    [
      "a camera that moves",
      {
        req_key: "jimeng_i2v_recamera_v30",
        prompt: "",
        image_urls: [LINK],
        template_id: "dolly",
        camera_strength: "weak",
      },
      "1280|720|120",
    ],
    [
      "the best of them, with a picture",
      { req_key: "jimeng_ti2v_v30_pro", image_urls: [LINK] },
      "1920|1080|120",
    ],
    ["an old one", { req_key: "jimeng_vgfm_t2v_l20" }, "1280|720|120"],
  ];
  testWithFfmpeg("is as requested, without sound", async () => {
    await using simulator = await clockedSandbox();
    const one = caller(simulator);
    for (const [what, body, expected] of cases) {
      const { body: answer } = await one.finished(body);
      const file = await (await fetch(textAt(answer, "data", "video_url"))).bytes();

      expect(`${what}: ${await probe(file, "width,height,nb_frames")}`).toBe(
        `${what}: ${expected}`,
      );
    }
  });

  test("is available for an hour, and the link is not renewed", async () => {
    await using simulator = await clockedSandbox();
    const one = caller(simulator);
    const id = idIn((await one.order({})).body);
    one.wait(1_300);
    const urlOf = async () => textAt((await one.read(id)).body, "data", "video_url");
    const url = await urlOf();
    const fresh = await fetch(url, { headers: { range: "bytes=4-7" } });
    one.wait(3_600_000);

    expect(await fresh.text()).toBe("ftyp");
    expect(await urlOf()).toBe(url);
    expect((await fetch(url)).status).toBe(403);
  });
});

describe("refused with the vendor's code", () => {
  const first = "jimeng_i2v_first_v30";
  const both = "jimeng_i2v_first_tail_v30";
  const refused: [string, JsonObject, number, number][] = [
    ["no req_key", { req_key: null }, 400, 50_215],
    ["another req_key", { req_key: "jimeng_t2v_v30_1080" }, 400, 50_215],
    ["no words", { prompt: "" }, 400, 50_215],
    ["801 characters", { prompt: "x".repeat(801) }, 400, 50_215],
    ["an image for a text-only model", { image_urls: [LINK] }, 400, 50_215],
    ["no picture", { req_key: first }, 400, 50_215],
    ["no end", { req_key: both, image_urls: [LINK] }, 400, 50_215],
    [
      "images in both forms",
      { req_key: both, image_urls: [LINK], binary_data_base64: [base64(400, 400)] },
      400,
      50_215,
    ],
    [
      "an image with a prefix",
      { req_key: first, binary_data_base64: [pngUrl(400, 400)] },
      400,
      50_215,
    ],
    ["a small image", { req_key: first, binary_data_base64: [base64(319, 400)] }, 400, 50_215],
    ["a long image", { req_key: first, binary_data_base64: [base64(1_300, 400)] }, 400, 50_215],
    [
      "two shapes",
      { req_key: both, binary_data_base64: [base64(400, 400), base64(400, 500)] },
      400,
      50_215,
    ],
    ["no link", { req_key: first, image_urls: ["a.png"] }, 400, 50_215],
    ["other frames", { frames: 120 }, 400, 50_215],
    ["ten seconds of an old one", { req_key: "jimeng_vgfm_t2v_l20", frames: 241 }, 400, 50_215],
    ["another shape", { aspect_ratio: "2:1" }, 400, 50_215],
    ["a camera that cannot move", { template_id: "dolly" }, 400, 50_215],
    [
      "a camera without a template",
      { req_key: "jimeng_i2v_recamera_v30", image_urls: [LINK] },
      400,
      50_215,
    ],
    ["a seed as a text", { seed: "1" }, 400, 50_215],
    ["bad words", { prompt: "[50412]" }, 400, 50_412],
    ["too many", { prompt: "[50429]" }, 429, 50_429],
    ["no access", { prompt: "[50400]" }, 401, 50_400],
    ["not enabled", { prompt: "[30403]" }, 403, 30_403],
    ["broken", { prompt: "[50501]" }, 500, 50_501],
    ["a fault that was ordered", { prompt: "[[fault:status code=429]]" }, 429, 50_429],
  ];
  test.each(refused)("%s", async (_what, body, status, code) => {
    await using simulator = await clockedSandbox();
    const answer = await caller(simulator).order(body);

    expect(answer).toMatchObject({ status, body: { code, status: code, data: null } });
  });

  test("a poll without a task id", async () => {
    await using simulator = await clockedSandbox();

    expect(await caller(simulator).read("")).toMatchObject({ status: 400, body: { code: 50_215 } });
    expect(await caller(simulator).send("CVSync2AsyncGetResult", [])).toMatchObject({
      status: 400,
    });
  });
});
