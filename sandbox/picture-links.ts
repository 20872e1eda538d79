import { draw, type Drawing } from "./engine/drawing.ts";
import type { VendorRequest } from "./vendor.ts";
import { bytesReply, textReply, type Reply } from "./wire/reply.ts";

/**
 * Links to pictures, for as long as the vendor keeps them. What is kept is
 * what to paint, and painting waits for whoever follows the link.
 */
export interface PictureLinks {
  keep(drawing: Drawing, host: string): string;
  /** Nothing for other paths. Whoever has the link needs no key. */
  reply(request: VendorRequest): Reply | undefined;
}

export interface LinkOptions {
  /** Where they lie, the vendor's own prefix included: "/ark/files/". */
  readonly folder: string;
  /** What follows the question mark, as in "Expires=1754000000". */
  sign(expiresAt: number): string;
  /** A day unless told. */
  readonly lifeMs?: number;
  now(): number;
}

export function pictureLinks({ folder, sign, now, lifeMs = LIFE_MS }: LinkOptions): PictureLinks {
  const kept = new Map<string, { readonly drawing: Drawing; readonly expiresAt: number }>();
  const inside = folder.replace(/^\/[^/]+/, "");

  return {
    keep(drawing, host) {
      const name = `${crypto.randomUUID()}.png`;
      const expiresAt = now() + lifeMs;
      kept.set(name, { drawing: { ...drawing, prompt: beginningOf(drawing.prompt) }, expiresAt });
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return `http://${host}${folder}${name}?${sign(expiresAt)}`;
    },

    reply({ method, path }) {
      if (!path.startsWith(inside)) return undefined;
      const found = kept.get(path.slice(inside.length));
      if (method !== "GET" && method !== "HEAD") return problem(405, "MethodNotAllowed");
      if (found === undefined) return problem(404, "NoSuchKey");
      if (found.expiresAt <= now()) return problem(403, "AccessDenied");
      return bytesReply(draw(found.drawing), "image/png");
    },
  };
}

const LIFE_MS = 24 * 3_600_000;
const MAX_KEPT = 1_000;

/** As much as can be shown, as a copy: a part of a text would keep all of it. */
function beginningOf(prompt: string): string {
  return Buffer.from(prompt.slice(0, MAX_CHARACTERS)).toString();
}

const MAX_CHARACTERS = 2_000;

/** What the caller knows the sandbox by. */
export function hostOf({ headers }: VendorRequest): string {
  return headers["host"] ?? "127.0.0.1";
}

/** A store of files speaks XML, whatever the vendor in front of it speaks. */
function problem(status: number, code: string): Reply {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>\n`;
  return textReply(status, xml, "application/xml");
}
