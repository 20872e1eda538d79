import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { assetActions } from "./outbound.ts";

const INCOMPLETE = expect.objectContaining({
  code: "upstream_failed",
  message: "The upstream's response has an unexpected format.",
}) as Error;

describe("an action of a vendor's library", () => {
  test("is named in the query, with its version", () => {
    expect(assetActions.queryOf("GetAsset")).toBe("?Action=GetAsset&Version=2024-01-01");
  });

  test("that creates an object or reads a result is never repeated, and others may be", () => {
    const { id: _, queryOf: __, readResult: ___, ...actions } = assetActions;
    const once = Object.values(actions).flatMap(({ action, isOnce }) =>
      isOnce === true ? [action] : [],
    );

    expect(once).toEqual([
      "CreateAssetGroup",
      "CreateAsset",
      "CreateVisualValidateSession",
      "GetVisualValidateResult",
    ]);
  });

  test("has the vendor's names of fields, without empty ones", () => {
    const { createGroup, create, renameGroup, rename, look, remove } = assetActions;
    const { beginSession, readSession, listPersons } = assetActions;
    const asset = { groupId: "group-1", url: "https://x.example/a", type: "video" } as const;
    const given = { upstreamId: "up-1", name: "New" };

    expect(createGroup.build({ name: "Cats", description: "" })).toEqual({
      Name: "Cats",
      GroupType: "AIGC",
    });
    expect(createGroup.build({ name: "Cats", description: "All." })).toMatchObject({
      Description: "All.",
    });
    expect(create.build({ ...asset, name: "" })).toEqual({
      GroupId: "group-1",
      URL: "https://x.example/a",
      AssetType: "Video",
    });
    expect(create.build({ ...asset, name: "A cat" })).toMatchObject({ Name: "A cat" });
    for (const each of [renameGroup, rename]) {
      expect(each.build(given)).toEqual({ Id: "up-1", Name: "New" });
    }
    for (const each of [look, remove]) expect(each.build("up-1")).toEqual({ Id: "up-1" });
    expect(beginSession.build({ callbackUrl: "https://gate.example/" })).toEqual({
      CallbackURL: "https://gate.example/",
    });
    expect(readSession.build("byted-1")).toEqual({ BytedToken: "byted-1" });
    expect(listPersons.build({ limit: 50 })).toEqual({
      Filter: { GroupType: "LivenessFace" },
      PageNumber: 1,
      PageSize: 50,
      SortBy: "CreateTime",
      SortOrder: "Desc",
    });
  });
});

describe("a response of a vendor's library", () => {
  const { readResult } = assetActions;
  const text = (json: unknown): string => JSON.stringify(json);

  test("has its result in an envelope, or is the result", () => {
    const ResponseMetadata = { RequestId: "r" };

    expect(readResult(200, text({ ResponseMetadata, Result: { Id: "a" } }))).toEqual({ Id: "a" });
    expect(readResult(299, text({ Id: "a" }))).toEqual({ Id: "a" });
    expect(readResult(200, text({ ResponseMetadata, Id: "a" }))).toEqual({ Id: "a" });
    expect(readResult(200, text({ ResponseMetadata, Result: null }))).toEqual({});
  });

  test("is a failure by its content, or by its status", () => {
    const ResponseMetadata = { Error: { Code: "ResourceNotFound.Asset", Message: "No." } };
    const failing = (status: number, body: unknown) => () => readResult(status, text(body));
    const error = (code: string) => expect.objectContaining({ code }) as Error;

    expect(failing(200, { ResponseMetadata })).toThrow(error("not_found"));
    expect(failing(404, { ResponseMetadata })).toThrow(error("not_found"));
    expect(failing(429, { Result: { Id: "a" } })).toThrow(error("upstream_rate_limited"));
    expect(failing(300, { Result: { Id: "a" } })).toThrow(error("upstream_failed"));
    expect(failing(199, { Result: { Id: "a" } })).toThrow(error("upstream_failed"));
  });

  test("that is no object is a failure", () => {
    expect(() => readResult(200, "[]")).toThrow(INCOMPLETE);
    expect(() => readResult(200, "no JSON")).toThrow(INCOMPLETE);
  });
});

describe("a result", () => {
  test.each(["Id", "GroupId"])("has an id (%s) that may be a part of a path", (name) => {
    const { createGroup, create, readSession } = assetActions;
    const actions = name === "Id" ? [createGroup, create] : [readSession];

    for (const { parse } of actions) {
      expect(parse({ [name]: "a-Z_9".padEnd(128, "x") })).toHaveLength(128);
      for (const id of ["", "a/b", "x".repeat(129), 7]) {
        expect(() => parse({ [name]: id })).toThrow(INCOMPLETE);
      }
    }
  });

  test("of an asset has its status, a link and the reason of a failure", () => {
    const { parse } = assetActions.look;
    const Error = { Code: "x".repeat(129), Message: "y".repeat(501) };

    expect(parse({ Status: "Processing" })).toEqual({ status: "pending" });
    expect(parse({ Status: "ACTIVE", URL: "https://x.example/a" })).toEqual({
      status: "active",
      url: "https://x.example/a",
    });
    expect(parse({ Status: "Active", URL: "http://x.example/a" })).toHaveProperty("url");
    expect(parse({ Status: "Active", URL: "ftp://x.example/a" })).toEqual({ status: "active" });
    expect(parse({ Status: "Failed", Error })).toEqual({
      status: "failed",
      failure: { code: "x".repeat(128), message: "y".repeat(500) },
    });
    expect(parse({ Status: "Failed", Error: { Code: "Odd" } })).toMatchObject({
      failure: { code: "Odd", message: "" },
    });
    for (const none of [{}, { Code: "" }, "Odd"]) {
      expect(parse({ Status: "Failed", Error: none })).toEqual({ status: "failed" });
    }
    for (const body of [{}, { Status: "Odd" }] satisfies JsonObject[]) {
      expect(() => parse(body)).toThrow(INCOMPLETE);
    }
  });

  test("of a new verification has the vendor's token and the person's link", () => {
    const { parse } = assetActions.beginSession;
    const result = { BytedToken: "byted-1", H5Link: "https://h5.example/" };

    expect(parse(result)).toEqual({ token: "byted-1", link: "https://h5.example/" });
    expect(() => parse({ ...result, BytedToken: "" })).toThrow(INCOMPLETE);
    expect(() => parse({ ...result, H5Link: "javascript:alert(1)" })).toThrow(INCOMPLETE);
    expect(() => parse({ H5Link: result.H5Link })).toThrow(INCOMPLETE);
  });

  test("of groups of persons leaves out those without an id or a time", () => {
    const { parse } = assetActions.listPersons;
    const CreateTime = "2026-01-01T00:00:00Z";
    const Items = [{ Id: "group-1", CreateTime }, { Id: "group-2" }, { CreateTime }, "odd"];

    expect(parse({ Items })).toEqual([{ upstreamId: "group-1", createdAt: Date.UTC(2026, 0, 1) }]);
    expect(parse({})).toEqual([]);
  });

  test("of a change or deletion is empty", () => {
    const { renameGroup, rename, remove } = assetActions;

    for (const { parse } of [renameGroup, rename, remove]) expect(parse({})).toBeUndefined();
  });
});
