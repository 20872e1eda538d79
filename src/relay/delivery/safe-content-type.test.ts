import { expect, test } from "bun:test";
import { safeContentType } from "./safe-content-type.ts";

test.each([
  "audio/mpeg",
  "audio/x-wav",
  "Audio/PCM; rate=24000; channels=1",
  'audio/ogg;codecs="opus"',
  "text/plain; charset=utf-8",
  "text/vtt",
  "application/json",
  "text/event-stream; charset=utf-8",
])("the content type %s is passed on", (type) => {
  expect(safeContentType(type)).toBe(type);
});

test.each([
  undefined,
  "",
  "text/html",
  "image/svg+xml",
  "application/javascript",
  "audio/mpeg, text/html",
  "audio/mpeg\r\nset-cookie: a=b",
  "audio/",
  "application/json5",
])("%p becomes the type for plain bytes", (type) => {
  expect(safeContentType(type)).toBe("application/octet-stream");
});
