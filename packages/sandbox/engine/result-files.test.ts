import { expect, test } from "bun:test";
import type { VendorRequest } from "../vendor.ts";
import type { Reply } from "../wire/reply.ts";
import { resultFiles } from "./result-files.ts";

function shelf() {
  const clock = { now: Date.UTC(2026, 0, 1, 12) };
  const files = resultFiles({ vendor: "somebody", now: () => clock.now, prefix: "X-" });
  const link = files.publish({
    origin: "http://127.0.0.1:9",
    name: "t/video.mp4",
    publishedAt: clock.now,
    validSeconds: 60,
    contentType: "video/mp4",
    make: () => Buffer.from("0123456789"),
  });

  async function get(url: string, method = "GET", headers: VendorRequest["headers"] = {}) {
    const { pathname, searchParams } = new URL(url);
    const path = pathname.slice("/somebody".length);
    const request = { method, path, query: searchParams, headers, bytes: new Uint8Array() };
    const reply = await files.reply({ ...request, body: undefined, faults: {} });
    return reply === undefined ? undefined : seen(reply);
  }
  return { clock, files, link, get };
}

function seen({ status, headers, body }: Reply) {
  const bytes = body.kind === "bytes" ? body.bytes : new Uint8Array();
  return { status, headers, text: Buffer.from(bytes).toString() };
}

test("a link has its time of signature and its lifetime", () => {
  expect(shelf().link).toMatch(
    /^http:\/\/127\.0\.0\.1:9\/somebody\/files\/t\/video\.mp4\?X-Date=20260101T120000Z&X-Expires=60&X-Signature=[\da-f]{64}$/,
  );
});

test("a link is valid until it expires, and refused afterwards", async () => {
  const { clock, link, get } = shelf();
  clock.now += 59_999;
  expect(await get(link)).toMatchObject({ status: 200, text: "0123456789" });
  clock.now += 1;

  expect(await get(link)).toMatchObject({
    status: 403,
    text: expect.stringContaining("Request has expired"),
  });
});

test("the expiry and the target of a link cannot be changed", async () => {
  const { link, get } = shelf();
  const statuses = [
    link.replace("X-Expires=60", "X-Expires=600"),
    link.replace("t/video", "u/video"),
    link.split("?")[0] ?? "",
  ].map(async (url) => (await get(url))?.status);

  expect(await Promise.all(statuses)).toEqual([403, 403, 403]);
});

test("a range of a file is served, from the start, the middle and the end", async () => {
  const { link, get } = shelf();
  const part = async (range: string, more = {}) => {
    const reply = await get(link, "GET", { range, ...more });
    return `${reply?.status} ${reply?.headers["content-range"] ?? "whole"} ${reply?.text}`;
  };

  expect(await part("bytes=0-3")).toBe("206 bytes 0-3/10 0123");
  expect(await part("bytes=4-")).toBe("206 bytes 4-9/10 456789");
  expect(await part("bytes=-2")).toBe("206 bytes 8-9/10 89");
  expect(await part("bytes=8-99")).toBe("206 bytes 8-9/10 89");
  expect(await part("bytes=10-")).toBe("416 bytes */10 ");
  expect(await part("bytes=-0")).toBe("416 bytes */10 ");
  expect(await part("bytes=5-2")).toBe("200 whole 0123456789");
  expect(await part("bytes=0-1,4-5")).toBe("200 whole 0123456789");
  expect(await part("bytes=0-3", { "if-range": '"other"' })).toBe("200 whole 0123456789");
});

test("HEAD returns the size and no body", async () => {
  const { link, get } = shelf();

  expect(await get(link, "HEAD")).toMatchObject({
    status: 200,
    headers: { "content-type": "video/mp4", "content-length": "10", "accept-ranges": "bytes" },
    text: "",
  });
  expect((await get(link, "PUT"))?.status).toBe(405);
});

test("other paths are not found", async () => {
  const { get } = shelf();

  expect(await get("http://127.0.0.1:9/somebody/v1/tasks")).toBeUndefined();
});
