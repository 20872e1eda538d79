import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readShared, SHARED, withVendors } from "../../test/shared.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const LEFT_OUT: Readonly<Record<string, string>> = {
  "images-edits/0013.json": "its picture was cut off when it was kept",
  "images-generations/0004.json": "the vendor was played, with a member that it does not have",
  "images-generations/0017.json": "the vendor was played, with a member that it does not have",
  "moderations/0004.json": "the usual model was another in those days",
};

const FOLDERS = ["images-generations", "images-edits", "images-variations", "moderations"];

/** Those whose requests were kept, too. */
function recorded(folder: string): readonly (readonly [string, JsonObject])[] {
  const files = readdirSync(join(SHARED, "corpus/openai", folder)).map((name) =>
    join(folder, name),
  );
  return files.flatMap((name) => {
    if (!name.endsWith(".json") || LEFT_OUT[name] !== undefined) return [];
    const record = readShared(join("corpus/openai", name));
    const copy = asObject(parseJson(JSON.stringify(record)));
    return isJsonObject(at(copy, "request", "body")) ? [[name, copy] as const] : [];
  });
}

/** The members of an answer; an error is the same word for word. */
function shapeOf(answer: Json | undefined): Json {
  const error = at(answer, "error");
  if (isJsonObject(error)) return error;
  const first = at(answer, "data", 0) ?? at(answer, "results", 0);
  const membersOf = (object: Json | undefined) => Object.keys(asObject(object)).toSorted();
  return { members: membersOf(answer), first: membersOf(first) };
}

withVendors("corpus", () => {
  test.each(FOLDERS.flatMap(recorded))("%s gets the vendor's response", async (_, record) => {
    const packed = at(record, "request", "body", "__base64");
    const response = await fetch(`${sandbox.url}/openai${textAt(record, "request", "path")}`, {
      method: "POST",
      headers: {
        authorization: "Bearer x",
        "content-type": textAt(record, "request", "headers", "content-type") || "application/json",
      },
      body:
        typeof packed === "string"
          ? Buffer.from(packed, "base64")
          : JSON.stringify(at(record, "request", "body")),
    });
    const answer = parseJson(await response.text());

    expect(response.status).toBe(Number(at(record, "response", "status")));
    expect(shapeOf(answer)).toEqual(shapeOf(at(record, "response", "body")));
  });
});
