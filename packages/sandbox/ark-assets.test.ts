import { describe, expect, test } from "bun:test";
import { waitFor } from "../../test/wait.ts";
import { makeVideo } from "./engine/video.ts";
import { wavFile } from "./engine/sound/wav.ts";
import { tonePcm16 } from "./engine/tone.ts";
import type { Json, JsonObject } from "./json.ts";
import { at, textAt } from "./testing/chat.ts";
import { download, lookAt, pngUrl } from "./testing/pictures.ts";
import { act, refusalIn, resultOf, type SignedMore } from "./testing/signed.ts";
import { clockedSandbox, serveFile, type ClockedSandbox } from "./testing/tasks.ts";

const LINK = "https://pictures.example/a.png";

async function newGroup(simulator: ClockedSandbox, more: JsonObject = {}): Promise<string> {
  return textAt(await resultOf(simulator, "CreateAssetGroup", { Name: "cats", ...more }), "Id");
}

/** In a group of its own unless told. */
async function newAsset(simulator: ClockedSandbox, more: JsonObject = {}): Promise<string> {
  const body = {
    GroupId: more["GroupId"] ?? (await newGroup(simulator)),
    URL: LINK,
    AssetType: "Image",
  };
  return textAt(await resultOf(simulator, "CreateAsset", { ...body, ...more }), "Id");
}

const get = (simulator: ClockedSandbox, Id: string) => resultOf(simulator, "GetAsset", { Id });

/** A file on this machine, which is fetched, and what becomes of it. */
async function takenIn(file: Uint8Array | undefined, type: string): Promise<JsonObject> {
  await using simulator = await clockedSandbox();
  using server = serveFile(file);
  const id = await newAsset(simulator, { URL: server.url, AssetType: type });
  simulator.wait(1_300);
  await waitFor(async () => (await get(simulator, id))["Status"] !== "Processing");
  return await get(simulator, id);
}

function png(width: number, height: number): Uint8Array {
  return Buffer.from(pngUrl(width, height).split(",")[1] ?? "", "base64");
}

const film = (seconds: number, framesPerSecond = 24) =>
  makeVideo({
    width: 320,
    height: 320,
    seconds,
    framesPerSecond,
    prompt: "a cat",
    hasSound: false,
  });

describe("access", () => {
  test.each<[string, SignedMore, number, string]>([
    [
      "with a secret that is not the key's",
      { pair: "ak-test|wrong" },
      401,
      "SignatureDoesNotMatch",
    ],
    ["with a key that is not known", { pair: "ak-other|wrong" }, 401, "InvalidAccessKey"],
    ["for another service", { service: "cv" }, 404, "ServiceNotFound"],
    ["for another region", { region: "cn-north-1" }, 404, "ServiceNotFound"],
    ["a quarter of an hour too late", { skewMs: -901_000 }, 400, "InvalidTimestamp"],
    ["a quarter of an hour too early", { skewMs: 901_000 }, 400, "InvalidTimestamp"],
    ["with another body", { sent: '{"Name":"dogs"}' }, 401, "SignatureDoesNotMatch"],
    [
      "with another digest of the body",
      { headers: { "x-content-sha256": "0".repeat(64) } },
      401,
      "SignatureDoesNotMatch",
    ],
    [
      "with a token that was not signed",
      { headers: { "x-security-token": "t" } },
      401,
      "SignatureDoesNotMatch",
    ],
    [
      "as a data plane would be asked",
      { headers: { authorization: "Bearer sk-test" } },
      400,
      "MissingRequestInfo",
    ],
    [
      "without a signature",
      { headers: { authorization: "HMAC-SHA256 Credential=a/b/c/d/request" } },
      401,
      "MissingSignature",
    ],
    ["for another version", { version: "2023-01-01" }, 404, "InvalidActionOrVersion"],
  ])("a request %s is refused", async (_how, more, status, code) => {
    await using simulator = await clockedSandbox();
    const answer = await act(simulator, "CreateAssetGroup", { Name: "cats" }, more);

    expect(refusalIn(answer)).toEqual([status, code]);
  });

  test("an unknown action is not found", async () => {
    await using simulator = await clockedSandbox();

    expect(refusalIn(await act(simulator, "DropAsset", {}))).toEqual([
      404,
      "InvalidActionOrVersion",
    ]);
    expect(refusalIn(await act(simulator, "constructor", {}))).toEqual([
      404,
      "InvalidActionOrVersion",
    ]);
  });

  test("a temporary key pair comes with its token", async () => {
    const pair = "ak-lent|secret|token";
    await using simulator = await clockedSandbox({ apiKeys: [pair] });
    const bare = await act(
      simulator,
      "CreateAssetGroup",
      { Name: "a" },
      { pair: "ak-lent|secret" },
    );

    expect(refusalIn(bare)).toEqual([401, "SignatureDoesNotMatch"]);
    expect(await resultOf(simulator, "CreateAssetGroup", { Name: "a" }, { pair })).toContainKey(
      "Id",
    );
  });

  test("a response has the action and the region", async () => {
    await using simulator = await clockedSandbox();
    const { body } = await act(
      simulator,
      "CreateAssetGroup",
      { Name: "cats" },
      { region: "ap-southeast-1" },
    );

    expect(body).toEqual({
      ResponseMetadata: {
        RequestId: expect.stringMatching(/^20260101120000[\dA-F]{24}$/),
        Action: "CreateAssetGroup",
        Version: "2024-01-01",
        Service: "ark",
        Region: "ap-southeast-1",
      },
      Result: { Id: expect.stringMatching(/^group-20260101120000-[a-z\d]{5}$/) },
    });
  });
});

describe("groups", () => {
  test("are created, read, changed and deleted with their assets", async () => {
    await using simulator = await clockedSandbox();
    const id = await newGroup(simulator, { Description: "all of them" });
    const asset = await newAsset(simulator, { GroupId: id });
    simulator.wait(2_000);
    const changed = await resultOf(simulator, "UpdateAssetGroup", {
      Id: id,
      Title: "Cats",
      Name: "",
    });

    expect(changed).toEqual({ Id: id });
    expect(await resultOf(simulator, "GetAssetGroup", { Id: id })).toEqual({
      Id: id,
      Name: "",
      Title: "Cats",
      Description: "all of them",
      GroupType: "AIGC",
      ProjectName: "default",
      CreateTime: "2026-01-01T12:00:00Z",
      UpdateTime: "2026-01-01T12:00:02Z",
    });
    expect(await resultOf(simulator, "DeleteAssetGroup", { Id: id })).toEqual({});
    expect(refusalIn(await act(simulator, "GetAssetGroup", { Id: id }))).toEqual([
      404,
      "ResourceNotFound",
    ]);
    expect(refusalIn(await act(simulator, "GetAsset", { Id: asset }))).toEqual([
      404,
      "ResourceNotFound",
    ]);
  });

  test.each<[JsonObject, string]>([
    [{}, "MissingParameter"],
    [{ Name: 5 }, "InvalidParameter"],
    [{ Name: "x".repeat(65) }, "InvalidParameter"],
    [{ Name: "cats", Description: "x".repeat(301) }, "InvalidParameter"],
    [{ Name: "cats", GroupType: "LivenessFace" }, "InvalidParameter"],
    [{ Name: "cats", GroupType: "image" }, "InvalidParameter"],
  ])("with %j are refused", async (body, code) => {
    await using simulator = await clockedSandbox();

    expect(refusalIn(await act(simulator, "CreateAssetGroup", body))).toEqual([400, code]);
  });

  test("of another account or project are not found", async () => {
    const [ours, theirs] = ["ak-a|secret", "ak-b@studio|secret"];
    await using simulator = await clockedSandbox({ apiKeys: [ours, theirs] });
    const { Id } = await resultOf(simulator, "CreateAssetGroup", { Name: "a" }, { pair: ours });
    const read = async (more: JsonObject, pair: string) =>
      (await act(simulator, "GetAssetGroup", { Id: Id ?? "", ...more }, { pair })).status;

    expect(await read({}, ours)).toBe(200);
    expect(await read({ ProjectName: "films" }, ours)).toBe(404);
    expect(await read({}, theirs)).toBe(404);
  });

  test("are listed with filters", async () => {
    await using simulator = await clockedSandbox();
    const ids = [await newGroup(simulator), await newGroup(simulator, { Name: "dogs" })];
    const list = (Filter: JsonObject) => resultOf(simulator, "ListAssetGroups", { Filter });

    expect(await list({ GroupType: "AIGC" })).toMatchObject({
      Items: [{ Id: ids[1] }, { Id: ids[0] }],
      TotalCount: 2,
      PageNumber: 1,
      PageSize: 10,
    });
    expect(await list({ GroupType: "AIGC", Name: "og" })).toMatchObject({
      Items: [{ Id: ids[1] }],
    });
    expect(await list({ GroupType: "AIGC", GroupIds: [ids[0] ?? ""] })).toMatchObject({
      TotalCount: 1,
    });
    expect(await list({ GroupType: "LivenessFace" })).toMatchObject({ Items: [], TotalCount: 0 });
    expect(refusalIn(await act(simulator, "ListAssetGroups", {}))).toEqual([
      400,
      "MissingParameter",
    ]);
  });
});

describe("assets", () => {
  test("are processed, become active, are readable, renamed and deleted", async () => {
    await using simulator = await clockedSandbox();
    using server = serveFile(png(640, 480));
    const id = await newAsset(simulator, { URL: server.url, Name: "a cat" });
    const skeleton = {
      Id: id,
      Name: "a cat",
      GroupId: expect.stringMatching(/^group-/),
      AssetType: "Image",
      ProjectName: "default",
      CreateTime: "2026-01-01T12:00:00Z",
      Moderation: { Strategy: "Default" },
    };

    expect(id).toMatch(/^asset-20260101120000-[a-z\d]{5}$/);
    expect(await get(simulator, id)).toEqual({
      ...skeleton,
      Status: "Processing",
      UpdateTime: "2026-01-01T12:00:00Z",
    });
    simulator.wait(1_300);
    await waitFor(async () => (await get(simulator, id))["Status"] !== "Processing");
    const active = await get(simulator, id);
    expect(active).toEqual({
      ...skeleton,
      Status: "Active",
      UpdateTime: "2026-01-01T12:00:01Z",
      URL: expect.stringMatching(/\/ark\/files\/assets\/asset-.*X-Tos-Expires=43200/),
    });
    expect(await lookAt(await download(textAt(active, "URL")))).toBe("png 640x480");

    expect(await resultOf(simulator, "UpdateAsset", { Id: id, Name: "my cat" })).toEqual({
      Id: id,
    });
    expect(await get(simulator, id)).toMatchObject({ Name: "my cat" });
    expect(await resultOf(simulator, "DeleteAsset", { Id: id })).toEqual({});
    expect(refusalIn(await act(simulator, "GetAsset", { Id: id }))).toEqual([
      404,
      "ResourceNotFound",
    ]);
    simulator.wait(43_200_000);
    expect((await fetch(textAt(active, "URL"))).status).toBe(403);
  });

  test("from external URLs are not fetched, and replaced by a placeholder", async () => {
    await using simulator = await clockedSandbox();
    const id = await newAsset(simulator, {
      URL: "https://sounds.example/a.wav",
      AssetType: "Audio",
    });
    simulator.wait(1_300);
    const asset = await get(simulator, id);
    const file = Buffer.from(await download(textAt(asset, "URL")));

    expect(asset["Status"]).toBe("Active");
    expect(file.toString("latin1", 0, 4)).toBe("RIFF");
  });

  test.each<[JsonObject, string | undefined]>([
    [{ Name: "[fail]" }, "TranscodingFailed"],
    [{ Name: "a cat [FaceMismatch]" }, "FaceMismatch"],
    [{ URL: "https://pictures.example/fail-AudioTrackRequired.png" }, "AudioTrackRequired"],
    [{ URL: "https://pictures.example/a.mp4" }, "TypeMismatch"],
    [{ Name: "[moderate]" }, "InputImageSensitiveContentDetected"],
    [
      { Name: "[moderate]", AssetType: "Video", URL: "https://a.example/b" },
      "InputVideoSensitiveContentDetected",
    ],
    [{ Name: "[moderate]", Moderation: { Strategy: "Skip" } }, undefined],
    [{ Name: "[FaceMismatch]", Moderation: { Strategy: "Skip" } }, "FaceMismatch"],
  ])("with %j have that result", async (body, code) => {
    await using simulator = await clockedSandbox();
    const id = await newAsset(simulator, body);
    simulator.wait(1_300);
    const asset = await get(simulator, id);

    expect([asset["Status"], at(asset, "Error", "Code")]).toEqual([
      code === undefined ? "Active" : "Failed",
      code,
    ]);
    expect(asset["URL"] === undefined).toBe(code !== undefined);
  });

  test("stay in progress forever if ordered", async () => {
    await using simulator = await clockedSandbox();
    const id = await newAsset(simulator, { Name: "[stuck]" });
    simulator.wait(86_400_000);

    expect(await get(simulator, id)).toMatchObject({ Status: "Processing" });
  });

  test.each<
    [string, () => Uint8Array | Promise<Uint8Array> | undefined, string, string | undefined]
  >([
    ["a picture", () => png(300, 300), "Image", undefined],
    ["an image that is not wide enough", () => png(299, 300), "Image", "WidthTooSmall"],
    ["an image that is not high enough", () => png(300, 299), "Image", "HeightTooSmall"],
    ["an image that is too wide", () => png(6_001, 3_000), "Image", "WidthTooLarge"],
    ["an image that is too high", () => png(3_000, 6_001), "Image", "HeightTooLarge"],
    ["an image that is too long", () => png(1_000, 300), "Image", "AspectRatioTooLarge"],
    ["an image that is too tall", () => png(300, 1_000), "Image", "AspectRatioTooSmall"],
    ["an image as a video", () => png(300, 300), "Video", "TypeMismatch"],
    ["a video", () => film(2), "Video", undefined],
    ["a video that is too short", () => film(1), "Video", "DurationTooShort"],
    ["a video that is too long", () => film(16), "Video", "DurationTooLong"],
    ["a video that is too slow", () => film(2, 12), "Video", "FpsTooLow"],
    ["a recording", () => wavFile(tonePcm16(3)), "Audio", undefined],
    ["a recording that is too short", () => wavFile(tonePcm16(1)), "Audio", "DurationTooShort"],
    ["a recording that is too long", () => wavFile(tonePcm16(16)), "Audio", "DurationTooLong"],
    [
      "a recording that is too big",
      () => Buffer.concat([wavFile(tonePcm16(3)), Buffer.alloc(15 * 1_048_576)]),
      "Audio",
      "FileSizeTooLarge",
    ],
    ["a document", () => Buffer.from("%PDF-1.7"), "Image", "FormatUnsupported"],
    ["a word", () => Buffer.from("hello"), "Image", "FormatUndetectable"],
    ["nothing", () => undefined, "Image", "DownloadFailed"],
  ])("with %s on this machine are inspected", async (_what, make, type, code) => {
    const asset = await takenIn(await make(), type);

    expect([asset["Status"], at(asset, "Error", "Code")]).toEqual([
      code === undefined ? "Active" : "Failed",
      code,
    ]);
  });

  test.each<[JsonObject, number, string]>([
    [{ GroupId: "group-1" }, 404, "ResourceNotFound"],
    [{ ProjectName: "films" }, 404, "ResourceNotFound"],
    [{ URL: null }, 400, "MissingParameter"],
    [{ URL: "a.png" }, 400, "InvalidParameter"],
    [{ URL: "file:///etc/passwd" }, 400, "InvalidParameter"],
    [{ AssetType: "image" }, 400, "InvalidParameter"],
    [{ AssetType: null }, 400, "MissingParameter"],
    [{ Name: "x".repeat(65) }, 400, "InvalidParameter"],
    [{ Moderation: { Strategy: "None" } }, 400, "InvalidParameter"],
  ])("with %j are refused", async (change, status, code) => {
    await using simulator = await clockedSandbox();
    const body = { GroupId: await newGroup(simulator), URL: LINK, AssetType: "Image", ...change };

    expect(refusalIn(await act(simulator, "CreateAsset", body))).toEqual([status, code]);
  });

  test("are listed with filters, in the requested order", async () => {
    await using simulator = await clockedSandbox();
    const [cats, dogs] = [await newGroup(simulator), await newGroup(simulator, { Name: "dogs" })];
    const first = await newAsset(simulator, { GroupId: cats, Name: "tom" });
    simulator.wait(1_300);
    const second = await newAsset(simulator, { GroupId: dogs, Name: "rex" });
    const list = async (body: JsonObject) => {
      const { Items } = await resultOf(simulator, "ListAssets", body);
      return (Items as readonly JsonObject[]).map(({ Id }) => Id);
    };

    expect(await list({})).toEqual([second, first]);
    expect(await list({ SortOrder: "Asc" })).toEqual([first, second]);
    expect(await list({ Filter: { GroupIds: [cats] } })).toEqual([first]);
    expect(await list({ Filter: { Statuses: ["Processing", "Failed"] } })).toEqual([second]);
    expect(await list({ Filter: { Name: "o" } })).toEqual([first]);
    expect(await list({ Filter: { GroupType: "LivenessFace" } })).toEqual([]);
    expect(await list({ ProjectName: "films" })).toEqual([]);
    expect(await list({ SortBy: "GroupId" })).toHaveLength(2);
  });

  test("are listed page by page, or by cursor", async () => {
    await using simulator = await clockedSandbox();
    const GroupId = await newGroup(simulator);
    const ids: string[] = [];
    for (const Name of ["a", "b", "c"]) ids.unshift(await newAsset(simulator, { GroupId, Name }));
    const list = (body: JsonObject) => resultOf(simulator, "ListAssets", body);
    const page = await list({ PageNumber: 2, PageSize: 2 });
    const part = await list({ MaxResults: 2 });
    const rest = await list({ MaxResults: 2, NextToken: part["NextToken"] ?? "" });

    expect(page).toMatchObject({
      Items: [{ Id: ids[2] }],
      TotalCount: 3,
      PageNumber: 2,
      PageSize: 2,
    });
    expect(part).toMatchObject({ Items: [{ Id: ids[0] }, { Id: ids[1] }] });
    expect(rest).toMatchObject({ Items: [{ Id: ids[2] }] });
    expect(rest).not.toContainKey("NextToken");
  });

  test.each<JsonObject>([
    { PageSize: 101 },
    { PageNumber: 0 },
    { PageNumber: 201, PageSize: 100 },
    { PageNumber: 1, MaxResults: 10 },
    { NextToken: "bm90aGluZw" },
    { SortBy: "Name" },
    { SortOrder: "Up" },
    { Filter: [] },
    { Filter: { GroupIds: "group-1" } },
  ])("with the filter %j are not listed", async (body) => {
    await using simulator = await clockedSandbox();

    expect(refusalIn(await act(simulator, "ListAssets", body))).toEqual([400, "InvalidParameter"]);
  });
});

describe("faults", () => {
  test("request rate limits apply if ordered", async () => {
    await using simulator = await clockedSandbox();
    const times = async (count: number) => {
      const answers = [];
      for (let time = 0; time < count; time++) answers.push(await act(simulator, "ListAssets", {}));
      return answers.map(({ status }) => status).filter((status) => status === 429).length;
    };

    expect(await times(11)).toBe(0);
    simulator.sandbox.tasks.set({ rateLimits: true });
    simulator.wait(1_000);
    expect(await times(12)).toBe(2);
    simulator.wait(1_000);
    expect(await times(1)).toBe(0);
  });

  test("a lost response leaves the asset behind", async () => {
    await using simulator = await clockedSandbox();
    const body = {
      GroupId: await newGroup(simulator),
      URL: LINK,
      AssetType: "Image",
      Name: "[timeout]",
    };

    expect(refusalIn(await act(simulator, "CreateAsset", body))).toEqual([504, "InternalError"]);
    expect(await resultOf(simulator, "ListAssets", {})).toMatchObject({ TotalCount: 1 });
  });

  test("a refusal may have the status of success, and a result no envelope", async () => {
    await using simulator = await clockedSandbox({
      tasks: { errorsAs200: true, bareResults: true },
    });
    const refused = await act(simulator, "GetAsset", { Id: "asset-1" });
    const made = await act(simulator, "CreateAssetGroup", { Name: "cats" });

    expect(refusalIn(refused)).toEqual([200, "ResourceNotFound"]);
    expect(refused.body).not.toContainKey("Result");
    expect(made).toEqual({ status: 200, body: { Id: expect.stringMatching(/^group-/) } });
  });

  test.each<[string, number, Json]>([
    [
      "[[fault:status code=403]]",
      403,
      { Code: "AccessDenied", CodeN: 100_013, Message: expect.any(String) },
    ],
    [
      "[[fault:status code=500]]",
      500,
      { Code: "InternalError", CodeN: 100_014, Message: expect.any(String) },
    ],
    [
      "[[fault:error200 error=QuotaExceeded message=full]]",
      200,
      { Code: "QuotaExceeded", Message: "full" },
    ],
  ])("the faults of all vendors work here too: %s", async (Name, status, error) => {
    await using simulator = await clockedSandbox();
    const answer = await act(simulator, "CreateAssetGroup", { Name });

    expect(answer).toMatchObject({
      status,
      body: { ResponseMetadata: { Service: "ark", Error: error } },
    });
  });
});
