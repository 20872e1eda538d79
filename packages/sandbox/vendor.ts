import type { CallbackSender } from "./engine/callbacks.ts";
import type { TaskSettings } from "./engine/task-settings.ts";
import type { Faults } from "./faults/faults.ts";
import type { Json } from "./json.ts";
import type { Form } from "./wire/form.ts";
import type { Frame } from "./wire/frame.ts";
import type { Reply } from "./wire/reply.ts";

/** One vendor's simulator: it knows the vendor's words, and nothing of sockets. */
export interface Vendor {
  /** The first segment of its paths. */
  readonly id: string;
  /** Files take their time to be made. */
  reply(request: VendorRequest): Reply | Promise<Reply>;
  /** What the user said last, in JSON or in the fields of a form: magic words are looked for in it. */
  lastUserText(body: Json | undefined): string;
  /** The model that a path names, for the vendors who have it there and not in the body. */
  modelIn?(path: string): string | undefined;
  /** The shape may depend on the path, which comes without the vendor's prefix. */
  errorBody(error: VendorError, path: string): Json;
  /** How an error ends a stream that has begun. */
  errorFrame(error: VendorError): Frame;
  /** What ends every complete stream, for the vendors who have such a thing. */
  readonly terminator?: Frame;
}

export type VendorFactory = (options: VendorOptions) => Vendor;

export interface VendorOptions {
  /** The credentials that are accepted; any when absent. */
  readonly apiKeys?: readonly string[];
  now(): number;
  /** How long tasks take and whatever else of them can be ordered; read again for each task. */
  readonly tasks: TaskSettings;
  readonly callbacks: CallbackSender;
}

export interface VendorRequest {
  readonly method: string;
  /** Without the vendor's prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  /** `undefined` where the body is not JSON. */
  readonly body: Json | undefined;
  /** Only where the body is one. */
  readonly form?: Form;
  readonly faults: Faults;
}

/** A failure in no vendor's words; each vendor gives it its own shape. */
export interface VendorError {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** For the vendors who say it in the body as well as in a header. */
  readonly retryAfterSeconds?: number;
}
