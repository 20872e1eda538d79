import type { CallContent, ContentText } from "#core/content-log.ts";
import { Form } from "#lib/form.ts";
import { LARGE_BYTES, yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import type { Capture, CapturedAnswer, RequestContent } from "./capture.ts";
import { redactContent, redactCut } from "./redact-content.ts";
import type { Redactor } from "./redactor.ts";
import { shortenBase64 } from "./shorten-base64.ts";

/** A text that begins before the limit is redacted if it ends this far behind it. */
const MARGIN_CHARS = 4_096;

/** The content of a call as it is stored: shortened, redacted and cut. */
export async function describeContent(
  { request, answer }: Pick<Capture, "request" | "answer">,
  redactor: Redactor,
  maxChars: number,
): Promise<CallContent> {
  return {
    request: await describeRequest(request, redactor, maxChars),
    answer: answer === undefined ? null : await describeAnswer(answer, redactor, maxChars),
  };
}

/** A complete text, such as the state of a task at its end. */
export function describeWhole(
  body: string,
  redactor: Redactor,
  maxChars: number,
): Promise<ContentText> {
  const sizeBytes = Buffer.byteLength(body);
  return describeText(shortenBase64(body), redactor, maxChars, { sizeBytes, isStream: false });
}

async function describeRequest(
  request: RequestContent,
  redactor: Redactor,
  maxChars: number,
): Promise<ContentText> {
  const body = request instanceof Form ? writeForm(request) : await textOf([request]);
  return await describeWhole(body, redactor, maxChars);
}

async function describeAnswer(
  { parts, sizeBytes, isStream, isText, isWhole }: CapturedAnswer,
  redactor: Redactor,
  maxChars: number,
): Promise<ContentText> {
  if (!isText) return { text: "", sizeBytes, isTruncated: true };
  const body = shortenBase64(await textOf(parts));
  if (isWhole || !isStream) {
    return await describeText(body, redactor, maxChars, { sizeBytes, isStream });
  }
  const events = body.slice(0, body.lastIndexOf("\n\n") + 1);
  const text = await redactContent(events, redactor, { isStream });
  return { text: cut(text, maxChars), sizeBytes, isTruncated: true };
}

async function describeText(
  body: string,
  redactor: Redactor,
  maxChars: number,
  { sizeBytes, isStream }: { readonly sizeBytes: number; readonly isStream: boolean },
): Promise<ContentText> {
  // Whole events are cut after they were joined.
  const isLong = body.length > maxChars + MARGIN_CHARS;
  const text =
    isLong && !isStream
      ? redactCut(body.slice(0, maxChars + MARGIN_CHARS), redactor)
      : await redactContent(body, redactor, { isStream });
  return { text: cut(text, maxChars), sizeBytes, isTruncated: text.length > maxChars || isLong };
}

function cut(text: string, maxChars: number): string {
  return text.slice(0, maxChars).toWellFormed();
}

async function textOf(parts: readonly (string | Uint8Array)[]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let passed = 0;
  for (const part of parts) {
    text += typeof part === "string" ? part : decoder.decode(part, { stream: true });
    passed += part.length;
    if (passed < LARGE_BYTES) continue;
    await yieldToEventLoop(passed);
    passed = 0;
  }
  return text + decoder.decode();
}

/** Files of a form are named, and not stored. */
function writeForm(form: Form): string {
  return JSON.stringify(
    form.parts.map((part) =>
      "bytes" in part
        ? {
            name: part.name,
            filename: part.filename,
            content_type: part.mediaType,
            bytes: part.bytes.length,
          }
        : { name: part.name, value: part.value },
    ),
  );
}
