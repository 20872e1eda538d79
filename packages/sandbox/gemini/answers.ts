import type { Json } from "../json.ts";
import { eventsReply, textReply, type Reply } from "../wire/reply.ts";
import type { Frame } from "../wire/frame.ts";

const TYPE = "application/json; charset=UTF-8";

/** Headers of every response, including errors. */
const HEADERS: Readonly<Record<string, string>> = {
  "server-timing": "gfet4t7; dur=12",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
  "x-xss-protection": "0",
  vary: "Origin, X-Origin, Referer",
};

/** JSON on many lines, as the vendor prints it. */
export function json(status: number, value: Json, tokens = 0): Reply {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
  return {
    status,
    headers: { "content-type": TYPE, ...HEADERS },
    body: { kind: "bytes", bytes, tokens },
  };
}

/** The beginning of a JSON text that goes on for ever. */
export function endless(value: Json): Reply {
  const head = JSON.stringify(value, null, 2).slice(0, -1);
  return {
    status: 200,
    headers: { "content-type": TYPE, ...HEADERS },
    body: { kind: "endless", head },
  };
}

/** Events without a terminator, or one array that is written bit by bit. */
export function stream(frames: Iterable<Frame>, form: "crlf" | "array"): Reply {
  const type = form === "crlf" ? "text/event-stream" : TYPE;
  const reply = eventsReply(frames, { ...HEADERS, "content-type": type });
  return { ...reply, body: { kind: "events", frames, form } };
}

/** An error keeps the form that was asked for: alone in the array, or alone under the type of events. */
export function failed(status: number, body: Json, form: "crlf" | "array" | undefined): Reply {
  const reply = json(status, form === "array" ? [body] : body);
  return form === "crlf"
    ? { ...reply, headers: { ...reply.headers, "content-type": "text/event-stream" } }
    : reply;
}

/** The page for a path that leads nowhere. */
export function nowhere(path: string): Reply {
  const shown = path.replaceAll(/[^\w/.:-]/g, "?").slice(0, 200);
  const page = `<!DOCTYPE html>\n<html lang=en>\n  <title>Error 404 (Not Found)!!1</title>\n  <p><b>404.</b> The requested URL <code>${shown}</code> was not found on this server.\n`;
  return textReply(404, page, "text/html; charset=UTF-8");
}
