import { describe, expect, test } from "bun:test";
import type { Asset } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import { writeAsset, writeError, writeGroup, writeResult } from "./write.ts";

const asked = { action: "GetAsset", requestId: "call-1" };
const ResponseMetadata = { Action: "GetAsset", RequestId: "call-1", Version: "2024-01-01" };
const AT = Date.UTC(2026, 0, 1) + 999;
const ASSET: Asset = {
  id: "asset-1",
  userId: 1,
  groupId: "group-1",
  type: "image",
  name: "A cat",
  url: "https://example.com/cat.png",
  status: "active",
  createdAt: AT,
  updatedAt: AT + 1_000,
  dueAt: AT,
  looks: 0,
};
const WRITTEN = {
  Id: "asset-1",
  GroupId: "group-1",
  AssetType: "image",
  Name: "A cat",
  URL: "https://example.com/cat.png",
  Status: "active",
  CreateTime: "2026-01-01T00:00:00Z",
  UpdateTime: "2026-01-01T00:00:01Z",
};

test("a result repeats the action, the version and the request's id", () => {
  expect(writeResult(asked, { Id: "a" })).toEqual({ ResponseMetadata, Result: { Id: "a" } });
});

describe("an error", () => {
  const codeOf = (error: GatewayError): unknown => {
    const { ResponseMetadata: about } = writeError(asked, error);
    return (about as { Error?: { Code?: unknown } }).Error?.Code;
  };

  test("has the protocol's code and the message", () => {
    expect(writeError(asked, new GatewayError("invalid_request", "No."))).toEqual({
      ResponseMetadata: {
        ...ResponseMetadata,
        Error: { Code: "InvalidParameter", Message: "No." },
      },
    });
  });

  test("has its own code if it is more specific, and InternalError without a code", () => {
    const details = { Code: "QuotaExceeded" };

    expect(codeOf(new GatewayError("invalid_request", "No.", { details }))).toBe("QuotaExceeded");
    expect(codeOf(new GatewayError("unauthenticated", "No."))).toBe("InvalidCredential");
    expect(codeOf(new GatewayError("upstream_failed", "No."))).toBe("InternalError");
  });
});

test("a group is shown without its storage location", () => {
  const place = { channel: "ark", account: "...cret", upstreamId: "up-1" };
  const group = { id: "group-1", userId: 1, kind: "image", name: "Cats", place } as const;

  expect(writeGroup({ ...group, description: "", createdAt: AT, updatedAt: AT })).toEqual({
    Id: "group-1",
    Name: "Cats",
    GroupType: "image",
    Description: "",
    CreateTime: "2026-01-01T00:00:00Z",
    UpdateTime: "2026-01-01T00:00:00Z",
  });
});

test("an asset is shown with a link, and with the reason if it failed", () => {
  const failure = { code: "TypeMismatch", message: "It is no image." };

  expect(writeAsset(ASSET)).toEqual(WRITTEN);
  expect(writeAsset(ASSET, "https://gate.example/a")).toEqual({
    ...WRITTEN,
    URL: "https://gate.example/a",
  });
  expect(writeAsset({ ...ASSET, status: "failed", failure })).toEqual({
    ...WRITTEN,
    Status: "failed",
    Error: { Code: "TypeMismatch", Message: "It is no image." },
  });
});
