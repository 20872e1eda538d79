import { createHmac, timingSafeEqual } from "node:crypto";
import type { VendorRequest } from "../vendor.ts";
import { fileReply } from "../wire/file-reply.ts";
import { textReply, type Reply } from "../wire/reply.ts";

/** Results of tasks, under signed links that expire. */
export interface ResultFiles {
  /** The link to a file: the same one for the same file and time. */
  publish(file: ResultFile): string;
  /** Nothing where the request is for no file. */
  reply(request: VendorRequest): Promise<Reply> | undefined;
}

interface ResultFile {
  /** Where the caller reaches the sandbox. */
  readonly origin: string;
  /** Below the vendor's files, such as "task-1/video.mp4". */
  readonly name: string;
  readonly publishedAt: number;
  readonly validSeconds: number;
  readonly contentType: string;
  make(): Uint8Array | Promise<Uint8Array>;
}

export function resultFiles({ vendor, now, prefix = "" }: ResultOptions): ResultFiles {
  const files = new Map<string, ResultFile>();
  const secret = crypto.getRandomValues(new Uint8Array(32));

  function sign(name: string, date: string, seconds: string): string {
    return createHmac("sha256", secret).update(`${name}\n${date}\n${seconds}`).digest("hex");
  }

  async function serve(request: VendorRequest, name: string): Promise<Reply> {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refusal(405, "MethodNotAllowed", "The file can be read only.");
    }
    const [date, seconds, signature] = ["Date", "Expires", "Signature"].map(
      (each) => request.query.get(prefix + each) ?? "",
    );
    const right = sign(name, date ?? "", seconds ?? "");
    if (!isSame(right, signature ?? "")) {
      return refusal(403, "SignatureDoesNotMatch", "The signature is not that of the request.");
    }
    if (now() >= readDate(date ?? "") + Number(seconds) * 1_000) {
      return refusal(403, "AccessDenied", "Request has expired");
    }
    const file = files.get(name);
    if (file === undefined) return refusal(404, "NoSuchKey", "The file does not exist.");
    return fileReply(request, await file.make(), file.contentType);
  }

  return {
    publish(file) {
      files.set(file.name, file);
      const [oldest] = files.keys();
      if (files.size > MAX_FILES && oldest !== undefined) files.delete(oldest);
      const date = writeDate(file.publishedAt);
      const seconds = String(file.validSeconds);
      const query = new URLSearchParams({
        [`${prefix}Date`]: date,
        [`${prefix}Expires`]: seconds,
        [`${prefix}Signature`]: sign(file.name, date, seconds),
      });
      return `${file.origin}/${vendor}${FILES}${file.name}?${query.toString()}`;
    },
    reply(request) {
      if (!request.path.startsWith(FILES)) return undefined;
      return serve(request, request.path.slice(FILES.length));
    },
  };
}

interface ResultOptions {
  /** The first segment of the vendor's paths. */
  readonly vendor: string;
  now(): number;
  /** Of the names in a link's query. */
  readonly prefix?: string;
}

const FILES = "/files/";
const MAX_FILES = 6_000;

function refusal(status: number, code: string, message: string): Reply {
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return textReply(status, `<?xml version="1.0" encoding="UTF-8"?>\n${error}`, "application/xml");
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** "20260101T120000Z" */
function writeDate(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

function readDate(date: string): number {
  const spread = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
  return Date.parse(date.replace(spread, "$1-$2-$3T$4:$5:$6Z"));
}
