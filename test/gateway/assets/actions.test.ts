import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openRawUpstream, sized } from "#test/egress/raw-upstream.ts";
import { textOf } from "#lib/values.ts";
import { arkChannel, failed, told } from "#test/asset-vendor.ts";
import { KEY } from "#test/harness.ts";
import { ASSETS, itemsOf, openAssetPlace, type AssetPlace } from "./asset-place.ts";

let place: AssetPlace;
beforeAll(async () => {
  place = await openAssetPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

describe("[B4.9-a] groups and assets", () => {
  test("a group is created at the vendor, read, and renamed", async () => {
    const { act, at } = place;
    const made = await act("CreateAssetGroup", {
      Name: "Cats",
      GroupType: "IMAGE",
      Description: "All of them.",
    });
    const Id = textOf(made.result["Id"]) ?? "";
    const renamed = await act("UpdateAssetGroup", { Id, Name: "Dogs" });
    const read = await act("GetAssetGroup", { Id });

    expect(at.asked("CreateAssetGroup").at(-1)).toEqual({
      Name: "Cats",
      GroupType: "AIGC",
      Description: "All of them.",
      ProjectName: "films",
    });
    expect(at.asked("UpdateAssetGroup").at(-1)).toEqual({ Id, Name: "Dogs", ProjectName: "films" });
    expect(renamed.result).toEqual({ Id });
    expect(read.result).toEqual({
      Id,
      Name: "Dogs",
      GroupType: "image",
      Description: "All of them.",
      CreateTime: TIME,
      UpdateTime: TIME,
    });
  });

  test("[B3.2] an asset is pending until its vendor reports otherwise, and keeps that status", async () => {
    const { act, at } = place;
    const group = await act("CreateAssetGroup", { Name: "Films" });
    const GroupId = group.result["Id"];
    const made = await act("CreateAsset", {
      GroupId,
      URL: "https://example.com/cat.mp4",
      AssetType: "vIdEo",
      Name: "A cat",
    });
    const Id = textOf(made.result["Id"]) ?? "";
    const looked = () => act("GetAsset", { Id });

    expect(made.result).toMatchObject({ Id, GroupId, AssetType: "video", Status: "pending" });
    expect(at.asked("CreateAsset").at(-1)).toMatchObject({ AssetType: "Video", Name: "A cat" });
    const asset = at.assets.get(Id);
    if (asset === undefined) throw new Error("It is not there.");
    asset.status = "Active";
    await waitForStatus(Id, "active");
    asset.status = "Failed";
    expect((await looked()).result).toEqual({
      Id,
      GroupId,
      AssetType: "video",
      Name: "A cat",
      URL: "https://example.com/cat.mp4?signed=1",
      Status: "active",
      CreateTime: TIME,
      UpdateTime: TIME,
    });
  });

  test("[B3.2] a failed asset has a reason", async () => {
    const { act, at } = place;
    const group = await act("CreateAssetGroup", { Name: "Films" });
    const draft = { GroupId: group.result["Id"], URL: "https://example.com/a.wav" };
    const made = await act("CreateAsset", { ...draft, AssetType: "audio" });
    const Id = textOf(made.result["Id"]) ?? "";
    const failure = { Code: "DurationTooShort", Message: "It is too short." };
    at.assets.set(Id, { status: "Failed", url: draft.URL, failure });
    await waitForStatus(Id, "failed");

    expect((await act("GetAsset", { Id })).result).toMatchObject({ Error: failure });
  });

  test("[B3.2] a deleted asset is also deleted at the vendor", async () => {
    const { act, at } = place;
    const Id = await place.active();
    const renamed = await act("UpdateAsset", { Id, Name: "New" });
    const deleted = await act("DeleteAsset", { Id });
    const again = await act("DeleteAsset", { Id });

    expect([renamed.result, deleted.result]).toEqual([{ Id }, {}]);
    expect(at.asked("UpdateAsset").at(-1)).toEqual({ Id, Name: "New", ProjectName: "films" });
    expect(at.assets.has(Id)).toBe(false);
    expect(again.error).toEqual({
      code: "InvalidParameter",
      message: "Id names no asset of yours",
    });
  });

  test("assets are listed page by page, filtered by group, status, kind and name", async () => {
    const key = await place.keyOf("lister");
    const act: typeof place.act = (action, body) => place.act(action, body, key);
    const group = await act("CreateAssetGroup", { Name: "Films" });
    const other = await act("CreateAssetGroup", { Name: "Others" });
    for (let at = 1; at <= 12; at++) {
      const GroupId = (at === 12 ? other : group).result["Id"];
      const URL = "https://example.com/a.png";
      await act("CreateAsset", { GroupId, URL, AssetType: "Image", Name: `cat ${at}` });
    }

    const first = await act("ListAssets");
    const second = await act("ListAssets", { PageNumber: 2 });
    expect(first.result).toMatchObject({ TotalCount: 12, PageNumber: 1, PageSize: 10 });
    expect([first, second].flatMap(itemsOf)).toHaveLength(12);
    expect(new Set([first, second].flatMap(itemsOf)).size).toBe(12);
    expect(itemsOf(await act("ListAssets", { PageSize: 100 }))).toHaveLength(12);
    const filtered = async (Filter: object) => itemsOf(await act("ListAssets", { Filter }));
    expect(await filtered({ GroupIds: [other.result["Id"]] })).toEqual(["cat 12"]);
    expect(await filtered({ Statuses: ["Pending"], Name: "cat 11" })).toEqual(["cat 11"]);
    expect(await filtered({ Statuses: ["active", "failed"] })).toEqual([]);
    expect(await filtered({ GroupType: "identity" })).toEqual([]);
  });

  test("requests are signed with the access key, and never contain the key for models", async () => {
    await place.act("CreateAssetGroup", { Name: "Signed" });

    const { headers, path } = place.at.vendor.last;
    expect(path).toBe("/?Action=CreateAssetGroup&Version=2024-01-01");
    expect(headers.get("authorization")).toMatch(
      /^HMAC-SHA256 Credential=AKTEST\/\d{8}\/cn-beijing\/ark\/request, SignedHeaders=content-type;host;x-content-sha256;x-date, Signature=[0-9a-f]{64}$/,
    );
    expect(JSON.stringify([...headers])).not.toContain("model-key");
    expect(JSON.stringify([...headers])).not.toContain("SKTEST");
  });

  test("a request repeated with its Idempotency-Key is executed once", async () => {
    const before = place.at.asked("CreateAssetGroup").length;
    const send = () =>
      place.gateway.post(
        `${ASSETS}?Action=CreateAssetGroup`,
        { Name: "Once" },
        { "idempotency-key": "group-once" },
      );
    const [one, two] = [await (await send()).text(), await (await send()).text()];

    expect(two).toBe(one);
    expect(place.at.asked("CreateAssetGroup")).toHaveLength(before + 1);
  });

  test("the address also works under the alias of its protocol", async () => {
    const response = await place.gateway.post("/seedance/api/v3/assets?Action=ListAssets", {});

    expect(response.status).toBe(200);
  });
});

describe("[B4.9-b] the envelope of every response", () => {
  test("has the action, the request id and the version beside the result", async () => {
    const { body } = await place.act("ListAssets");

    expect(body).toEqual({
      ResponseMetadata: {
        Action: "ListAssets",
        RequestId: expect.stringMatching(/^\w{26}$/),
        Version: "2024-01-01",
      },
      Result: {
        Items: expect.any(Array),
        TotalCount: expect.any(Number),
        PageNumber: 1,
        PageSize: 10,
      },
    });
  });

  test.each<[string, string, unknown, number, string, string]>([
    ["no action", "", {}, 400, "MissingParameter", "Action is required"],
    ["an empty action", "?Action=", {}, 400, "MissingParameter", "Action is required"],
    [
      "another version",
      "?Action=ListAssets&Version=2022-08-31",
      {},
      400,
      "InvalidVersion",
      "Version must be 2024-01-01",
    ],
    [
      "another action",
      "?Action=DropTables",
      {},
      400,
      "UnsupportedAction",
      "Action DropTables is not supported",
    ],
    ["an object's own member", "?Action=constructor", {}, 400, "UnsupportedAction", "constructor"],
    [
      "two actions",
      "?Action=GetAsset&Action=DeleteAsset",
      {},
      400,
      "UnsupportedAction",
      "GetAsset",
    ],
    ["no name", "?Action=CreateAssetGroup", {}, 400, "MissingParameter", "Name is required"],
    ["no id", "?Action=GetAsset", { Id: null }, 400, "MissingParameter", "Id is required"],
    [
      "no link",
      "?Action=CreateAsset",
      { GroupId: "g" },
      400,
      "MissingParameter",
      "URL is required",
    ],
    [
      "a number for a name",
      "?Action=CreateAssetGroup",
      { Name: 7 },
      400,
      "InvalidParameter",
      "Name",
    ],
    [
      "a long name",
      "?Action=CreateAssetGroup",
      { Name: "x".repeat(65) },
      400,
      "InvalidParameter",
      "Name",
    ],
    [
      "a group of persons",
      "?Action=CreateAssetGroup",
      { Name: "x", GroupType: "identity" },
      400,
      "InvalidParameter",
      "GroupType",
    ],
    ["a page of none", "?Action=ListAssets", { PageSize: 0 }, 400, "InvalidParameter", "PageSize"],
    ["a large page", "?Action=ListAssets", { PageSize: 101 }, 400, "InvalidParameter", "PageSize"],
    ["page none", "?Action=ListAssets", { PageNumber: 0 }, 400, "InvalidParameter", "PageNumber"],
    [
      "an unknown status",
      "?Action=ListAssets",
      { Filter: { Statuses: ["gone"] } },
      400,
      "InvalidParameter",
      "Filter.Statuses[0]",
    ],
    ["no JSON", "?Action=ListAssets", "{", 400, "InvalidParameter", "JSON"],
    ["a list", "?Action=ListAssets", "[]", 400, "InvalidParameter", "object"],
    [
      "more than 1 MiB",
      "?Action=CreateAssetGroup",
      { Name: "x", Description: "y".repeat(1_100_000) },
      413,
      "RequestEntityTooLarge",
      "",
    ],
  ])("%s is refused in the library's format", async (_what, query, body, status, code, message) => {
    const before = place.at.requests();
    const response = await place.gateway.post(`${ASSETS}${query}`, body);
    const answer = (await response.json()) as object;

    expect(response.status).toBe(status);
    expect(answer).toMatchObject({
      ResponseMetadata: {
        RequestId: response.headers.get("x-request-id"),
        Version: "2024-01-01",
        Error: { Code: code, Message: expect.stringContaining(message) },
      },
    });
    expect(answer).not.toHaveProperty("Result");
    expect(place.at.requests()).toEqual(before);
  });

  test("an unknown kind of asset is refused", async () => {
    const group = await place.act("CreateAssetGroup", { Name: "Films" });
    const URL = "https://example.com/a.txt";
    const { error } = await place.act("CreateAsset", {
      GroupId: group.result["Id"],
      URL,
      AssetType: "text",
    });

    expect(error).toEqual({
      code: "InvalidParameter",
      message: "AssetType must be one of image, video, audio",
    });
  });

  test("an unknown key and a key for other endpoints get errors in the client's format", async () => {
    const nobody = await place.act("ListAssets", {}, "nobody");
    const other = await place.act("ListAssets", {}, await place.keyOf("writer", ["text"]));

    expect([nobody.status, nobody.error.code]).toEqual([401, "InvalidCredential"]);
    expect([other.status, other.error.code]).toEqual([403, "AccessDenied"]);
    expect(nobody.body).toMatchObject({ ResponseMetadata: { Action: "ListAssets" } });
  });

  test.each<[string, () => Response, number, string, string]>([
    [
      "a failure that comes with a success",
      () => failed("x", "QuotaExceeded", 200, "Too many groups."),
      400,
      "QuotaExceeded",
      "Too many groups.",
    ],
    [
      "a refusal",
      () => failed("x", "InvalidParameter.Name", 400, "The name is bad."),
      400,
      "InvalidParameter.Name",
      "The name is bad.",
    ],
    [
      "too many requests",
      () => failed("x", "FlowLimitExceeded", 200, "Slow down."),
      429,
      "FlowLimitExceeded",
      "Slow down.",
    ],
    [
      "a refusal of the gateway's own account",
      () => failed("x", "SignatureDoesNotMatch", 403, "AKTEST is wrong."),
      502,
      "InternalError",
      "The upstream does not accept the gateway's account.",
    ],
    [
      "a failure with its own code",
      () => failed("x", "InternalError", 500, "stack trace"),
      502,
      "InternalError",
      "The result at the upstream is unknown. Check it before you retry.",
    ],
    [
      "no JSON",
      () => new Response("<html>", { status: 200 }),
      502,
      "InternalError",
      "The result at the upstream is unknown. Check it before you retry.",
    ],
    [
      "a success without an id",
      () => told("x", {}),
      502,
      "InternalError",
      "The result at the upstream is unknown. Check it before you retry.",
    ],
  ])("a vendor's error %s is translated", async (_what, answer, status, code, message) => {
    place.at.answers.set("CreateAssetGroup", answer);
    const before = place.at.asked("CreateAssetGroup").length;
    const acted = await place.act("CreateAssetGroup", { Name: "x" });
    place.at.answers.delete("CreateAssetGroup");

    expect([acted.status, acted.error]).toEqual([status, { code, message }]);
    expect(JSON.stringify(acted.body)).not.toContain("AKTEST");
    // Whatever came of it, it is asked for once.
    expect(place.at.asked("CreateAssetGroup")).toHaveLength(before + 1);
  });

  test("a request is not repeated if the vendor closes the connection without a response", async () => {
    await using upstream = await openRawUpstream((socket, { nth }) => {
      if (nth === 1) socket.write(sized(JSON.stringify({ Result: { Id: "group-1" } })));
      else socket.destroy();
    });
    const url = `http://127.0.0.1:${upstream.port}`;
    await using closing = await openAssetPlace({ yaml: `channels:\n${arkChannel(url)}` });

    // The first one leaves a connection that may be used again.
    const made = await closing.act("CreateAssetGroup", { Name: "First" });
    const unknown = await closing.act("CreateAssetGroup", { Name: "Second" });

    expect([made.status, unknown.status]).toEqual([200, 502]);
    expect(upstream.requests).toHaveLength(2);
  });

  test("a vendor that does not answer does not block reading of known assets", async () => {
    const group = await place.act("CreateAssetGroup", { Name: "Slow" });
    const GroupId = group.result["Id"];
    for (let at = 0; at < 3; at++) {
      const draft = { GroupId, URL: "https://example.com/a.png", AssetType: "image" };
      await place.act("CreateAsset", draft);
    }
    const hanging = Promise.withResolvers<Response>();
    place.at.answers.set("GetAsset", () => hanging.promise);
    const { result } = await place.act("ListAssets", { Filter: { GroupIds: [GroupId] } });
    place.at.answers.delete("GetAsset");
    hanging.resolve(failed("GetAsset", "InternalError", 500));

    expect(result["TotalCount"]).toBe(3);
    expect(JSON.stringify(result)).toContain('"Status":"pending"');
  });

  test("responses without an envelope are accepted", async () => {
    place.at.answers.set("CreateAssetGroup", () => Response.json({ Id: "group-bare" }));
    const { result } = await place.act("CreateAssetGroup", { Name: "x" });
    place.at.answers.delete("CreateAssetGroup");

    expect(result["Id"]).toBe("group-bare");
  });
});

describe("[decision 28] another user", () => {
  test("gets the same answer for another user's group or asset as for an unknown one", async () => {
    const key = await place.keyOf("stranger");
    const asset = await place.active();
    const { result } = await place.act("GetAsset", { Id: asset });
    const group = textOf(result["GroupId"]) ?? "";
    const before = place.at.vendor.seen.length;

    for (const [action, name, id, more] of [
      ["GetAssetGroup", "Id", group, {}],
      ["UpdateAssetGroup", "Id", group, { Name: "mine" }],
      ["CreateAsset", "GroupId", group, { URL: "https://example.com/a.png", AssetType: "image" }],
      ["GetAsset", "Id", asset, {}],
      ["UpdateAsset", "Id", asset, { Name: "mine" }],
      ["DeleteAsset", "Id", asset, {}],
    ] as const) {
      const theirs = await place.act(action, { ...more, [name]: id }, key);
      const nobodys = await place.act(action, { ...more, [name]: "group-none" }, key);
      expect([action, theirs.status, theirs.error.code]).toEqual([action, 400, "InvalidParameter"]);
      expect(theirs.error).toEqual(nobodys.error);
    }
    const listed = await place.act("ListAssets", { Filter: { GroupIds: [group] } }, key);
    expect(listed.result).toMatchObject({ Items: [], TotalCount: 0 });
    // The gateway looks after pending assets of other tests meanwhile.
    const heard = place.at.vendor.seen.slice(before).map(({ text }) => text);
    const said = [asset, group, "group-none", "mine"];
    expect(heard.filter((text) => said.some((each) => text.includes(each)))).toEqual([]);
    expect((await place.act("GetAsset", { Id: asset }, KEY)).result["Status"]).toBe("active");
  });
});

async function waitForStatus(Id: string, status: string): Promise<void> {
  const until = performance.now() + 10_000;
  for (;;) {
    const { result } = await place.act("GetAsset", { Id });
    if (result["Status"] === status) return;
    if (performance.now() > until) throw new Error(`It is ${JSON.stringify(result)}.`);
    await Bun.sleep(50);
  }
}
