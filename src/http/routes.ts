import type { z } from "zod";
import type { AccessToken } from "#core/access-token.ts";
import type { AuthMethod } from "#core/audit.ts";
import type { CallRecord } from "#core/call.ts";
import type { GatewayError } from "#core/error.ts";
import type { Family } from "#core/family.ts";
import type { ApiKey } from "#core/key.ts";
import type { RequestBody } from "#core/style.ts";
import type { Scope } from "#core/scope.ts";
import type { Role, User } from "#core/user.ts";
import type { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import type { AnswerHeader } from "./answer-headers.ts";
import type { Answer } from "./answer.ts";
import type { PlacedBody } from "./body.ts";
import type { Client } from "./client.ts";
import type { SocketProtocol } from "./socket.ts";
import type { Tag } from "./tags.ts";

/** The callers of a route. It has no default: a route without it neither compiles nor boots. */
export type Access = LoginAccess | OpenAccess;

/** Of routes that need no login. */
export type OpenAccess =
  /** Everyone; such a route shows no user's data. */
  | "public"
  /** An API key. */
  | "key"
  /** The operator's monitoring. */
  | "metrics"
  /** A vendor's webhook, whose content is not trusted. */
  | "vendor"
  /** A holder of a signed URL. */
  | "link";

/** Of routes that need a login. */
export type LoginAccess =
  /** A logged-in user, by session or by access token, with this role or a higher one. */
  | Role
  /** A logged-in user, even if the second factor is still to be verified or set up. */
  | "mfa_pending";

/** The rights that a route with a login demands. Without a scope it does not compile. */
export interface LoginPermission<A extends LoginAccess = LoginAccess> {
  readonly access: A;
  /** An access token opens the route only with this scope. */
  readonly scope: Scope;
  /** Owners of a team may call it, too; the handler limits them to their team. */
  readonly alsoTeamOwners?: true;
}

interface OpenPermission {
  readonly access: OpenAccess;
  readonly scope?: undefined;
  readonly alsoTeamOwners?: undefined;
}

/** The callers that a route accepts. */
export type Permission = LoginPermission | OpenPermission;

/** An operation without its code: for the router, the documents and tests. */
export type RouteDescription = RouteFacts & Permission;

/** The facts about a route, besides its permission. */
export interface RouteFacts {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The router's pattern: `/v1/models/:id`. */
  readonly path: string;
  /** Keys that are limited to other families are refused; undefined allows every key. */
  readonly family?: Family;
  /** A GET that changes something, so it is written to the audit log. */
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
  /** Query parameters. The management API refuses others, model endpoints ignore them. */
  readonly query?: z.ZodObject;
  /** JSON schema of the body, for the API document. */
  readonly requestSchema?: () => JsonObject;
  /** The answer of a successful request. */
  readonly answer: Answer;
  /** Its body is a form; the schema is of its fields. */
  readonly takesForm?: true;
  /** Plain requests are refused, so `Allow` does not list this method. */
  readonly onlyRefuses?: true;
  /** Responds with a file; HEAD returns the file's headers. */
  readonly isFile?: true;
  /** Body limit, if it is higher than that of the management API. */
  readonly maxBodyBytes?: number;
  /** The body is YAML and is not written to the audit log. */
  readonly takesYaml?: true;
  /** Renders an error in the format that this route's clients expect. */
  renderError(error: GatewayError, request: Request, requestId: string): JsonObject;
}

/**
 * One operation, and the dependencies that it takes. The registry of endpoints is all that is
 * served; documents and tests are generated from it.
 */
export type Endpoint<Deps> = RouteDescription & {
  // A property, since the compiler does not check the parameters of methods strictly.
  readonly handle: (exchange: Exchange, deps: Deps) => Promise<Response> | Response;
};

/** An endpoint that has its dependencies. */
export type Route = RouteDescription & {
  readonly handle: (exchange: Exchange) => Promise<Response> | Response;
};

export function bind<Deps>(endpoints: readonly Endpoint<Deps>[], deps: Deps): readonly Route[] {
  return endpoints.map((endpoint) => ({
    ...endpoint,
    handle: (exchange) => endpoint.handle(exchange, deps),
  }));
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
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly param: (name: string) => string;
  /** Parsed once and shared: copy it before you change it. */
  readonly query: URLSearchParams;
  /** The endpoint family of the route. */
  readonly family: Family | undefined;
  /** The caller's key; undefined on routes that need none. */
  readonly key: ApiKey | undefined;
  /** The logged-in user; undefined on routes that need no login. */
  readonly user: User | undefined;
  /** The access token that was shown; undefined for a session. */
  readonly accessToken: AccessToken | undefined;
  readonly client: Client;
  /** Sets the user on a route that needs no login; for the audit log. */
  identify(user: User, proof: AuthMethod): void;
  /** Adds details of the change to the audit log: short, and without secrets. */
  note(details: JsonObject): void;
  /** Reads and validates the body once. */
  readJson(maxBytes: number): Promise<RequestBody>;
  /** The same, for readers that support references to long base64 strings. */
  readPlacedJson(maxBytes: number): Promise<PlacedBody>;
  /**
   * The body as a form. Undefined if the content type is another; the body can then still be read.
   */
  readForm(maxBytes: number): Promise<Form | undefined>;
  /** The bytes of a body of any content type. */
  readBytes(maxBytes: number): Promise<Uint8Array>;
  /** The bytes of a YAML body; no other method may read it. */
  readYaml(maxBytes: number): Promise<Uint8Array>;
  /**
   * Suspends the idle timeout of the connection while held. Suspending it for every call up front
   * would cost more than doing so for the calls that take long.
   */
  suspendIdleTimeout(): Disposable;
  /** Sets headers for the response, on success and on failure. */
  announce(headers: Readonly<Record<string, string>>): void;
  /** The headers that were announced so far, for a handler that sets them itself. */
  takeAnnounced(): Readonly<Record<string, string>> | undefined;
  /** `listener` gets the body of the answer if the request fails. */
  onFailure(listener: (answer: string) => void): void;
  /**
   * Adds the headers that the operator chose to the complete answer of a charged call. Returns the
   * same for the end of a stream of events, if the operator chose it.
   */
  announceCharge(record: CallRecord): string | undefined;
  /** The facts about a charged call that the operator chose, now and later. */
  readonly chosenFacts: () => readonly AnswerHeader[];
  /** Closes the connection if the client reads nothing for this long. */
  setStall(ms: number): void;
  /**
   * Upgrades the connection to a WebSocket with `protocol`. Throws `upgrade_refused` if that is
   * impossible.
   */
  upgrade(protocol: SocketProtocol, headers: Readonly<Record<string, string>>): Response;
}
