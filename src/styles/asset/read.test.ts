import { describe, expect, test } from "bun:test";
import { readAsset, readGroup, readPage } from "./read.ts";

const refusal = (param: string, message: string): unknown =>
  expect.objectContaining({
    code: "invalid_request",
    param,
    message: expect.stringContaining(message),
  });

describe("a new group", () => {
  test("is for images, at the vendor, without a description", () => {
    expect(readGroup({ Name: "Cats" })).toEqual({ name: "Cats", description: "", isOwn: false });
    for (const GroupType of ["", "image", "AIGC"]) {
      expect(readGroup({ Name: "Cats", GroupType, Description: "All." })).toEqual({
        name: "Cats",
        description: "All.",
        isOwn: false,
      });
    }
  });

  test("may be one that the gateway stores", () => {
    expect(readGroup({ Name: "Cats", Library: "OWN" })).toMatchObject({ isOwn: true });
    expect(readGroup({ Name: "Cats", Library: "Vendor" })).toMatchObject({ isOwn: false });
    expect(() => readGroup({ Name: "Cats", Library: "mine" })).toThrow(
      refusal("Library", "must be vendor or own") as Error,
    );
  });

  test("cannot be of a person, nor of an unknown kind", () => {
    for (const GroupType of ["identity", "LivenessFace"]) {
      expect(() => readGroup({ Name: "x", GroupType })).toThrow(
        refusal("GroupType", "a verification makes identity groups") as Error,
      );
    }
    expect(() => readGroup({ Name: "x", GroupType: "film" })).toThrow(
      refusal("GroupType", "must be one of image, identity") as Error,
    );
  });
});

describe("a new asset", () => {
  const body = { GroupId: "group-1", URL: "https://example.com/a.png", AssetType: "ImAgE" };

  test("has a group, a link and a type, in any case, and an optional name", () => {
    const read = { groupId: "group-1", url: body.URL, type: "image" } as const;

    expect(readAsset(body)).toEqual({ ...read, name: "" });
    expect(readAsset({ ...body, Name: "A cat" })).toEqual({ ...read, name: "A cat" });
  });

  test("needs a known type", () => {
    expect(() => readAsset({ ...body, AssetType: "" })).toThrow(
      refusal("AssetType", "is required") as Error,
    );
    expect(() => readAsset({ ...body, AssetType: "text" })).toThrow(
      refusal("AssetType", "must be one of image, video, audio") as Error,
    );
  });
});

describe("a list of assets", () => {
  test("is the first page of ten, without a filter", () => {
    expect(readPage({}, 7)).toEqual({ userId: 7, page: 1, skip: 0, limit: 10 });
  });

  test("is any page of any size", () => {
    expect(readPage({ PageNumber: 3, PageSize: 20 }, 7)).toEqual({
      userId: 7,
      page: 3,
      skip: 40,
      limit: 20,
    });
  });

  test("may be filtered by groups, kind, statuses and name", () => {
    const Filter = {
      GroupIds: ["group-1", "group-2"],
      Statuses: ["Processing", "pending", "ACTIVE", "failed"],
      GroupType: "LivenessFace",
      Name: "cat",
    };

    expect(readPage({ Filter }, 7)).toMatchObject({
      groupIds: ["group-1", "group-2"],
      statuses: ["pending", "pending", "active", "failed"],
      groupKind: "identity",
      name: "cat",
    });
  });

  test("has no filter by an empty list or name", () => {
    const Filter = { GroupIds: [], Statuses: [], GroupType: "", Name: "" };

    expect(readPage({ Filter }, 7)).toEqual({ userId: 7, page: 1, skip: 0, limit: 10 });
  });

  test("names the invalid filter", () => {
    expect(() => readPage({ Filter: { Statuses: ["active", "gone"] } }, 7)).toThrow(
      refusal("Filter.Statuses[1]", "must be one of pending, active, failed") as Error,
    );
  });
});
