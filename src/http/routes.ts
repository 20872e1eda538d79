import type { z } from "zod";
import type { AuthMethod } from "#core/audit.ts";
import type { GatewayError } from "#core/error.ts";
import type { Family } from "#core/family.ts";
import type { ApiKey } from "#core/key.ts";
import type { RequestBody } from "#core/style.ts";
import type { Role, User } from "#core/user.ts";
import type { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { Answer } from "./answer.ts";
import type { PlacedBody } from "./body.ts";
import type { Client } from "./client.ts";
import type { SocketProtocol } from "./socket.ts";
import type { Tag } from "./tags.ts";

/** Who may call a route. There is no default: a route without one does not compile, nor boot. */
export type Access =
  /** Anybody; such a route shows nothing that is anybody's. */
  | "public"
  /** An API key. */
  | "key"
  /** Somebody logged in, by session or by access token, with this role or a higher one. */
  | Role
  /** Somebody logged in, even where a second factor is still to be shown or set up. */
  | "mfa_pending"
  /** The operator's monitoring. */
  | "metrics"
  /** A vendor with something to say, which is not believed. */
  | "vendor"
  /** Whoever was given a signed link. */
  | "link";

/** One operation. The registry of them is all that is served; its documents and tests are made from it. */
export interface Route<Deps> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** As the router reads it: `/v1/models/:id`. */
  readonly path: string;
  readonly access: Access;
  /** Keys that are kept to other families are refused; without one it is for every key. */
  readonly family?: Family;
  /** It changes something although it is a GET, and so stands in the audit log. */
  readonly isAction?: true;
  /** Its name in the API document: unique, and never changed, since generated clients use it. */
  readonly operationId: string;
  readonly tag: Tag;
  /** One line for the API document. */
  readonly summary: string;
  /** Its path in the API document, if the pattern of `path` does not say which paths it matches. */
  readonly template?: string;
  /** The operations that it serves, if their paths differ only in a verb; the document shows them in place of it. */
  readonly operations?: readonly RouteOperation[];
  /** Query parameters. Others are ignored. */
  readonly query?: z.ZodObject;
  /** JSON schema of the body, for the API document. */
  readonly requestSchema?: () => JsonObject;
  /** The answer of a successful request. */
  readonly answer: Answer;
  /** Its body is a form; the schema is of its fields. */
  readonly takesForm?: true;
  /** As a plain request it is refused, so its method is none of those that the path is said to take. */
  readonly onlyRefuses?: true;
  /** It answers with a file, and to HEAD with what there is to say of it. */
  readonly isFile?: true;
  /** Of its body, if that may be larger than those of the management API are. */
  readonly maxBodyBytes?: number;
  /** Its body is YAML, and not for the audit log. */
  readonly takesYaml?: true;
  /** A failure in the words that this route's callers expect. */
  renderError(error: GatewayError, request: Request, requestId: string): JsonObject;
  handle(exchange: Exchange, deps: Deps): Promise<Response> | Response;
}

/** One operation of a route, for the API document. */
export interface RouteOperation {
  readonly template: string;
  readonly operationId: string;
  readonly summary: string;
  readonly answer: Answer;
  readonly query?: z.ZodObject;
}

/** One HTTP request on its way through a route. */
export interface Exchange {
  readonly request: Request;
  readonly id: string;
  /** Fires when the caller hangs up. */
  readonly signal: AbortSignal;
  readonly param: (name: string) => string;
  /** Parsed once and shared: whoever would change it makes a copy. */
  readonly query: URLSearchParams;
  /** The caller's key; absent on routes that need none. */
  readonly key: ApiKey | undefined;
  /** Who is logged in; absent on routes that need no login. */
  readonly user: User | undefined;
  readonly client: Client;
  /** Says who it turned out to be, on a route that needs no login; for the audit log. */
  identify(user: User, proof: AuthMethod): void;
  /** Says what was done, for the audit log: short, and without secrets. */
  note(details: JsonObject): void;
  /** Reads and checks the body once. */
  readJson(maxBytes: number): Promise<RequestBody>;
  /** The same, for those who know long base64 for what it is. */
  readPlacedJson(maxBytes: number): Promise<PlacedBody>;
  /** The body as a form; undefined where it says to be something else, and can still be read. */
  readForm(maxBytes: number): Promise<Form | undefined>;
  /** The bytes of any body. */
  readBytes(maxBytes: number): Promise<Uint8Array>;
  /** The bytes of a YAML body, which nothing else reads. */
  readYaml(maxBytes: number): Promise<Uint8Array>;
  /**
   * A connection on which nothing moves is closed after a while. While this is
   * held it is not; to say so up front for every call would cost more than to
   * say it for those that do take long.
   */
  suspendIdleTimeout(): Disposable;
  /** Headers for the answer, whatever becomes of the request. */
  announce(headers: Readonly<Record<string, string>>): void;
  /** Ends the connection when the caller reads nothing for this long. */
  setStall(ms: number): void;
  /** Makes the connection a WebSocket, on which `protocol` is spoken. Throws `upgrade_refused` if that cannot be. */
  upgrade(protocol: SocketProtocol, headers: Readonly<Record<string, string>>): Response;
}
