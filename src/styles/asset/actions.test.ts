import { describe, expect, test } from "bun:test";
import { holdToAction, readAction, spokenAction, VERSION, wrong } from "./actions.ts";

const read = (query: string) => () => readAction(new URLSearchParams(query));
const refusal = (code: string, message: string) =>
  expect.objectContaining({ code: "invalid_request", message, details: { Code: code } }) as Error;

describe("the action of a request", () => {
  test("is one of the library's, with its version or without one", () => {
    expect(read("Action=GetAsset")()).toBe("GetAsset");
    expect(read(`Action=GetAsset&Version=${VERSION}`)()).toBe("GetAsset");
  });

  test("is required", () => {
    for (const query of ["", "Action="]) {
      expect(read(query)).toThrow(refusal("MissingParameter", "Action is required"));
    }
  });

  test("is of one version", () => {
    const refused = refusal("InvalidVersion", `Version must be ${VERSION}`);

    expect(read("Action=GetAsset&Version=2022-08-31")).toThrow(refused);
    expect(read(`Action=GetAsset&Version=${VERSION}&Version=${VERSION}`)).toThrow(refused);
  });

  test("is a single known one", () => {
    for (const query of ["Action=constructor", "Action=constructor&Action=GetAsset"]) {
      expect(read(query)).toThrow(
        refusal("UnsupportedAction", "Action constructor is not supported"),
      );
    }
    expect(read("Action=GetAsset&Action=DeleteAsset")).toThrow(
      refusal("UnsupportedAction", "Action GetAsset is not supported"),
    );
  });

  test("is repeated as the client wrote it, up to a limit", () => {
    const spoken = (action: string) => spokenAction(new URLSearchParams({ Action: action }));

    expect(spoken("Odd")).toBe("Odd");
    expect(spoken("x".repeat(64))).toBe("x".repeat(64));
    expect(spoken("x".repeat(65))).toBe(`${"x".repeat(64)}...`);
    expect(spokenAction(new URLSearchParams())).toBe("");
  });
});

describe("the body of an action", () => {
  test.each([undefined, null, ""])("needs its required fields, and refuses %p", (Id) => {
    expect(() => holdToAction(Id === undefined ? {} : { Id }, "GetAsset")).toThrow(
      refusal("MissingParameter", "Id is required"),
    );
  });

  test("has values of the right type and length", () => {
    expect(() => holdToAction({ Id: "x".repeat(128) }, "GetAsset")).not.toThrow();
    for (const Id of [7, "x".repeat(129)]) {
      expect(() => holdToAction({ Id }, "GetAsset")).toThrow(
        expect.objectContaining({ code: "invalid_request", param: "Id" }) as Error,
      );
    }
  });

  test("with an invalid token of a verification is refused without its length", () => {
    const body = { VendorToken: "x".repeat(129) };

    expect(() => holdToAction(body, "GetVisualValidateResult")).toThrow(
      expect.objectContaining({
        message: "'VendorToken' is too long: use at most 128 characters.",
      }) as Error,
    );
  });

  test("is refused by the name of the field", () => {
    expect(wrong("Name", "is odd")).toMatchObject({ param: "Name", message: "Name is odd" });
  });
});
