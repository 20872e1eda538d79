import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { asking } from "./asked.ts";
import { openFake, type SentRequest, type FakeVendor } from "./fake-vendor.ts";

const MODEL = "jimeng_t2v_v30";
const SUBMIT = "?Action=CVSync2AsyncSubmitTask&Version=2022-08-31";
const RESULT = "?Action=CVSync2AsyncGetResult&Version=2022-08-31";
const VIDEO = "https://videos.example/fox.mp4";

let vendor: FakeVendor;
let at: ReturnType<typeof asking>;
beforeAll(async () => {
  vendor = await openFake("jimeng", [MODEL, "jimeng_t2v_v30_1080p"], answer);
  at = asking(vendor.opened);
});
afterAll(() => vendor[Symbol.asyncDispose]());

let data: JsonObject = {};
let failure: JsonObject | undefined;
let made = 10;
/** More digits than a number can hold. */
const upstreamId = () => `73926163365196104${made}`;

function answer({ path }: SentRequest): object {
  if (path.includes("SubmitTask")) {
    made++;
    return { code: 10_000, data: { task_id: upstreamId() } };
  }
  return failure ?? { code: 10_000, data, message: "Success" };
}

const submit = (body: JsonObject = {}, query = SUBMIT) =>
  at.post(`/videob${query}`, { req_key: MODEL, prompt: "a fox", frames: 121, ...body });
const ask = (id: string, req_key: string = MODEL) =>
  at.post(`/videob${RESULT}`, { req_key, task_id: id });

async function taken(body?: JsonObject): Promise<string> {
  return textOf(memberOf((await submit(body)).body["data"], "task_id")) ?? "";
}

describe("[B4.3] protocol B", () => {
  test("accepts a task, and returns the id to poll it by", async () => {
    const { status, body, headers } = await submit({ seed: 7, aspect_ratio: "9:16" });

    expect(status).toBe(200);
    expect(body).toEqual({
      code: 10_000,
      message: "Success",
      request_id: headers.get("x-request-id"),
      data: { task_id: expect.stringMatching(/^task_/) },
    });
    expect(vendor.asked.at(-1)).toMatchObject({
      path: "/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31",
      body: { req_key: MODEL, prompt: "a fox", frames: 121, seed: 7, aspect_ratio: "9:16" },
    });
  });

  test.each([
    ["in_queue", {}, { status: "PENDING" }],
    ["generating", {}, { status: "RUNNING" }],
    ["a word of tomorrow", {}, { status: "RUNNING" }],
    ["done", { video_url: VIDEO }, { status: "SUCCESS", video_url: VIDEO }],
  ])("[B3.1] reports in its own words that a task is %s", async (status, more, expected) => {
    data = { status, ...more };
    const id = await taken();
    const { body } = await ask(id);

    expect(body).toEqual({
      code: 10_000,
      message: "Success",
      request_id: expect.stringMatching(/./),
      data: { task_id: id, ...expected },
    });
    expect(vendor.asked.at(-1)?.body).toEqual({ req_key: MODEL, task_id: upstreamId() });
    expect(at.costOf(id)).toBe(status === "done" ? 500_000_000 : undefined);
  });

  test("reports a failed task in a successful response, with the reason", async () => {
    failure = { code: 50_511, message: "Post Img Risk Not Pass", data: null };
    const id = await taken();

    expect(await ask(id)).toMatchObject({
      status: 200,
      body: {
        code: 10_000,
        message: "Post Img Risk Not Pass",
        data: { task_id: id, status: "FAILED" },
      },
    });
    expect(at.costOf(id)).toBe(0);
    failure = undefined;
  });

  test("accepts its own version only", async () => {
    expect((await submit({}, "?Action=CVSync2AsyncSubmitTask")).status).toBe(200);
  });

  test.each([
    ["no query", ""],
    ["no action", "?Version=2022-08-31"],
    ["an empty action", "?Action=&Version=2022-08-31"],
    ["another action", "?Action=CVProcess&Version=2022-08-31"],
    ["an action in other letters", "?Action=cvsync2asyncsubmittask"],
    ["two actions", "?Action=CVSync2AsyncSubmitTask&Action=CVSync2AsyncGetResult"],
    ["another version", "?Action=CVSync2AsyncSubmitTask&Version=2024-01-01"],
    ["another version to ask with", "?Action=CVSync2AsyncGetResult&Version=2024-01-01"],
  ])("refuses %s, in its envelope", async (_what, query) => {
    const before = vendor.asked.length;
    const { status, body, headers } = await submit({}, query);

    expect(status).toBe(400);
    expect(body).toEqual({
      code: 50_215,
      message: expect.stringMatching(/Action|Version/),
      request_id: headers.get("x-request-id"),
      data: null,
    });
    expect(vendor.asked).toHaveLength(before);
  });

  test("finds a task only if both its model and its id are right", async () => {
    data = { status: "in_queue" };
    const id = await taken();
    const before = vendor.asked.length;

    expect(await ask(id, "jimeng_t2v_v30_1080p")).toMatchObject({
      status: 404,
      body: { data: null },
    });
    expect(await ask("task_nobody")).toMatchObject({ status: 404, body: { code: 50_215 } });
    expect(await at.post(`/videob${RESULT}`, { task_id: id })).toMatchObject({ status: 400 });
    expect(await at.post(`/videob${RESULT}`, { req_key: MODEL })).toMatchObject({ status: 400 });
    expect(await at.post(`/videob${RESULT}`, { req_key: MODEL, task_id: [id] })).toMatchObject({
      status: 400,
    });
    // The task that is there may be looked at, though it is not shown.
    expect(vendor.asked.slice(before).every(({ path }) => path.includes("GetResult"))).toBe(true);
  });

  test("hides tasks from other users, in its envelope", async () => {
    const response = await fetch(`${vendor.opened.url}/videob${SUBMIT}`, { method: "POST" });

    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 50_400, data: null });
  });
});
