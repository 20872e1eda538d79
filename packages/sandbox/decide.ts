import type { FaultQueue } from "./faults/fault-queue.ts";
import { readFaults, UnknownFault, type FaultRequest, type Faults } from "./faults/faults.ts";
import { readMagicWords } from "./faults/magic-words.ts";
import { replacedReply } from "./faults/replaced-reply.ts";
import { isJsonObject } from "./json.ts";
import type { Received } from "./receive.ts";
import type { Vendor } from "./vendor.ts";
import type { Frame } from "./wire/frame.ts";
import { jsonReply, textReply, type Reply } from "./wire/reply.ts";

/** The vendor of the response, its content, and its faults. */
export async function decide(received: Received, { vendors, queue }: Deciders): Promise<Decision> {
  // A vendor without paths of its own is called at its prefix alone.
  const vendor = vendors.find((each) => `${received.path}/`.startsWith(`/${each.id}/`));
  if (vendor === undefined) return { reply: nowhere(vendors), faults: {}, errorFrames: () => [] };

  const request = inside(received, vendor);
  try {
    const faults = readFaults(requestedFaults(received, vendor, queue));
    const reply =
      replacedReply(faults, vendor, request.path) ?? (await vendor.reply({ ...request, faults }));
    return { reply, faults, errorFrames: () => errorFrames(faults, vendor, reply) };
  } catch (cause) {
    // Neither a misspelt fault nor a mistake of the sandbox may look like a vendor's answer.
    const status = cause instanceof UnknownFault ? 400 : 500;
    const message = `The sandbox failed: ${cause instanceof Error ? cause.message : String(cause)}`;
    return {
      reply: jsonReply(
        status,
        vendor.errorBody({ status, code: "sandbox", message }, request.path),
      ),
      faults: {},
      errorFrames: () => [],
    };
  }
}

interface Deciders {
  readonly vendors: readonly Vendor[];
  readonly queue: FaultQueue;
}

interface Decision {
  readonly reply: Reply;
  readonly faults: Faults;
  /** The last event of a failing stream. */
  errorFrames(): readonly Frame[];
}

function requestedFaults(
  received: Received,
  vendor: Vendor,
  queue: FaultQueue,
): readonly FaultRequest[] {
  const { form, path, headers, bytes } = received;
  const body = form?.texts ?? received.body;
  const inBody = isJsonObject(body) ? body["model"] : undefined;
  const model =
    vendor.modelIn?.(path.slice(vendor.id.length + 1)) ??
    (typeof inBody === "string" ? inBody : undefined);
  const key =
    headers["authorization"]?.replace(/^(?:Bearer|Token)\s+/i, "") ??
    headers["x-api-key"] ??
    headers["x-goog-api-key"];
  const text = Buffer.from(bytes).toString("utf8");
  return [...queue.take({ path, model, text, key }), ...readMagicWords(vendor.lastUserText(body))];
}

function inside(received: Received, vendor: Vendor) {
  const { method, path, query, headers, bytes, body, form } = received;
  return {
    method,
    path: path.slice(vendor.id.length + 1),
    query: new URLSearchParams(query),
    headers,
    bytes,
    body,
    ...(form === undefined ? {} : { form }),
  };
}

function errorFrames({ streamerror }: Faults, vendor: Vendor, { body }: Reply): readonly Frame[] {
  const error = { status: 500, code: streamerror?.error, message: streamerror?.message };
  const frames =
    body.kind === "events" && body.fail !== undefined
      ? body.fail(error)
      : [vendor.errorFrame(error)];
  return streamerror?.done && vendor.terminator !== undefined
    ? [...frames, vendor.terminator]
    : frames;
}

function nowhere(vendors: readonly Vendor[]): Reply {
  const prefixes = vendors.map((vendor) => `/${vendor.id}/`).join(", ");
  return textReply(
    404,
    `This is a sandbox of simulated vendors. They are at: ${prefixes}\n`,
    "text/plain",
  );
}
