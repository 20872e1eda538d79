import { Buffer } from "node:buffer";
import { dirname } from "node:path/posix";
import { z } from "zod";
import { GatewayError, invalid } from "#core/error.ts";
import { admit, isSubject, type Identity, type PendingLogin } from "#core/identity.ts";
import type { User, UserDraft } from "#core/user.ts";
import { randomBase62 } from "#lib/ids.ts";
import { parseJson } from "#lib/json.ts";
import { defined, memberOf, numberOf, textOf } from "#lib/values.ts";
import type { Answer } from "#http/answer.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import type { SingleSignOn } from "#http/single-sign-on.ts";
import { requireUser } from "#http/require-user.ts";
import { readReturnPath } from "#http/return-path.ts";
import type { Exchange } from "#http/routes.ts";
import { pendingCookie, readPending } from "#http/session-cookie.ts";
import { startSession } from "#http/start-session.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { textField } from "../query-fields.ts";
import { endedInvitation, requireOpen } from "../invitation/accept-invitation.ts";
import { LINK_SECRET } from "./user-fields.ts";
import { findUser, refuseUnlessAbove } from "./find-user.ts";

export const CALLBACK_PATH = "/api/user/oidc/callback";
/** Time for the login at the provider, including a password and a second factor. */
const PENDING_MS = 10 * 60_000;
const CONTEXT = "pending login";
/** Maximum number of names that are tried for a new user. */
const MAX_NAMES = 4;

const common = { method: "GET", access: "public" } as const;

const REDIRECT: Answer = { status: 302, description: "The next URL of the browser.", content: {} };

export const describeOidc = management({
  operationId: "describeOidc",
  tag: "Login",
  ...common,
  path: "/api/user/oidc",
  summary: "Label of the single sign-on button.",
  data: z.object({ name: z.string() }),
  handle: (exchange, deps: Pick<LoginDeps, "singleSignOn">) =>
    succeed(exchange.id, "", { name: requireSignOn(deps).name }),
});

export const beginOidc = management({
  operationId: "beginOidc",
  tag: "Login",
  ...common,
  path: "/api/user/oidc/login",
  summary: "Redirects the browser to the identity provider; `return_to` is the final path here.",
  query: z.object({ return_to: textField("A path of this gateway.") }),
  answer: REDIRECT,

  async handle(exchange, deps: Pick<LoginDeps, "clock" | "publicUrl" | "singleSignOn">, { query }) {
    const { url, cookie } = await begin(exchange, deps, query.return_to);
    return redirect(exchange, url, cookie);
  },
});

const INVITED = z.strictObject({ token: LINK_SECRET });

export const beginInvitedOidc = management({
  operationId: "beginInvitedOidc",
  tag: "Login",
  method: "POST",
  path: "/api/user/invitation/sign-on",
  access: "public",
  summary: "Begins a single sign-on that accepts an invitation; the page then opens `url`.",
  body: INVITED,
  data: z.object({ url: z.string() }),

  async handle(
    exchange,
    deps: Pick<LoginDeps, "clock" | "publicUrl" | "singleSignOn" | "invitations" | "loginLimits">,
    { body: { token } },
  ) {
    await requireOpen(exchange, deps, token);
    const { url, cookie } = await begin(exchange, deps, undefined, token);
    const response = succeed(exchange.id, "", { url });
    response.headers.set("set-cookie", cookie);
    return response;
  },
});

/** Sends the browser to the provider, with a cookie for the way back. */
async function begin(
  exchange: Exchange,
  deps: Pick<LoginDeps, "clock" | "publicUrl" | "singleSignOn">,
  returnPath: string | undefined,
  invitation = "",
): Promise<{ readonly url: string; readonly cookie: string }> {
  const { provider, seal } = requireSignOn(deps);
  const returnTo = readReturnPath(returnPath ?? null);
  const { url, pending } = await provider.begin();
  const kept = { ...pending, returnTo, invitation, until: deps.clock.now() + PENDING_MS };
  const sealed = seal.close(Buffer.from(JSON.stringify(kept)), CONTEXT);
  return { url, cookie: pendingCookieFor(exchange, deps, sealed) };
}

export const finishOidc = management({
  operationId: "finishOidc",
  tag: "Login",
  ...common,
  path: CALLBACK_PATH,
  isAction: true,
  summary: "Handles the identity provider's answer, logs in, and redirects to `return_to`.",
  allowsOtherQuery: true,
  query: z.object({
    code: textField("As the identity provider says it."),
    state: textField("Of the login that was begun."),
    error: textField("Why there is no code."),
  }),
  answer: REDIRECT,

  async handle(
    exchange,
    deps: Pick<
      LoginDeps,
      | "clock"
      | "identities"
      | "invitations"
      | "loginLimits"
      | "logins"
      | "publicUrl"
      | "singleSignOn"
      | "users"
    >,
  ) {
    const signOn = requireSignOn(deps);
    const { returnTo, invitation, ...pending } = openPending(exchange, deps, signOn);
    // A throttling name for this login only, so that failures of other logins do not delay it.
    const name = `(single sign-on ${pending.state})`;
    await deps.loginLimits.enter(name, exchange.client.address);
    const identity = await signOn.provider.finish(pending, exchange.query, signOn.neededClaims());
    const found = await findOrAdmit(identity, deps, signOn, invitation);
    if (!found.isEnabled) throw new GatewayError("forbidden", "Your account is disabled.");
    deps.loginLimits.succeeded(name, exchange.client.address);
    const user = await signOn.applyRules(found, identity.claims ?? {});
    exchange.identify(user, "single_sign_on");
    if (user.role !== found.role) exchange.note({ former_role: found.role, role: user.role });

    const response = redirect(exchange, returnTo, pendingCookieFor(exchange, deps, ""));
    return await startSession(exchange, deps, user.id, signOn.isSecondFactor, response);
  },
});

type IdentityDeps = Pick<LoginDeps, "identities" | "singleSignOn" | "users">;

const LINK = z.strictObject({ subject: z.string().min(1).max(255) });

export const linkIdentity = management({
  operationId: "linkIdentity",
  tag: "Users",
  method: "PUT",
  path: "/api/user/:id/identity",
  access: "admin",
  scope: "users:write",
  summary: "Links a user of a role below your own, or root itself, to a subject of the provider.",
  body: LINK,

  async handle(exchange, deps: IdentityDeps, { body: { subject } }) {
    if (!isSubject(subject))
      throw invalid(
        "subject",
        "'subject' is not a subject identifier of OpenID Connect: use 1 to 255 printable ASCII characters.",
      );
    const user = await findLinkable(exchange, deps);
    const { provider } = requireSignOn(deps);
    await deps.identities.link(user.id, provider.issuer, subject);
    return succeed(exchange.id, "The user was linked.");
  },
});

export const unlinkIdentity = management({
  operationId: "unlinkIdentity",
  tag: "Users",
  method: "DELETE",
  path: "/api/user/:id/identity",
  access: "admin",
  scope: "users:write",
  summary: "Unlinks a user of a role below your own, or root itself, from the provider.",

  async handle(exchange, deps: IdentityDeps) {
    const user = await findLinkable(exchange, deps);
    const { provider } = requireSignOn(deps);
    if (await deps.identities.unlink(user.id, provider.issuer)) {
      return succeed(exchange.id, "The user was unlinked.");
    }
    throw new GatewayError("not_found", "This user is not linked.");
  },
});

/** Root has no admin above it who could link its account. */
async function findLinkable(
  exchange: Exchange,
  { users }: Pick<LoginDeps, "users">,
): Promise<User> {
  const user = await findUser(exchange, users);
  const actor = requireUser(exchange);
  if (actor.id !== user.id || actor.role !== "root") refuseUnlessAbove(actor, user.role);
  return user;
}

async function findOrAdmit(
  identity: Identity,
  { identities, invitations, users }: Pick<LoginDeps, "identities" | "invitations" | "users">,
  { rules }: SingleSignOn,
  invitation: string,
): Promise<User> {
  const { issuer, subject, email } = identity;
  const linked = await identities.find(issuer, subject);
  if (linked !== undefined) return linked;
  const owner = email === undefined ? undefined : await identities.findByEmail(issuer, email);
  // The same login may have created the user since the first look-up.
  const created = owner?.isLinked === true ? await identities.find(issuer, subject) : undefined;
  if (created !== undefined) return created;
  const isInvited = invitation !== "";
  const admission = admit(identity, owner, isInvited ? { ...rules, ...INVITED_RULES } : rules);
  if ("link" in admission) {
    await identities.link(admission.link.id, issuer, subject);
    return admission.link;
  }
  const create = (draft: UserDraft): Promise<User> =>
    isInvited ? acceptAs(draft, invitation, invitations) : users.create(draft);
  return await createNamed(admission.create, create, () => identities.find(issuer, subject));
}

/** The invitation is the permission, and gives role and quota. */
const INVITED_RULES = { domains: [], newUsers: "create" } as const;

async function acceptAs(
  { name, email, displayName, identity }: UserDraft,
  invitation: string,
  invitations: LoginDeps["invitations"],
): Promise<User> {
  const person = { name, ...defined({ email, displayName, identity }) };
  const user = await invitations.accept(invitation, person);
  if (user === undefined) throw endedInvitation();
  return user;
}

/** Another user may have the name, or the same user may log in twice at once. */
async function createNamed(
  draft: UserDraft,
  create: (draft: UserDraft) => Promise<User>,
  find: () => Promise<User | undefined>,
): Promise<User> {
  for (let i = 1; ; i++) {
    const name = i === 1 ? draft.name : `${draft.name}-${randomBase62(6).toLowerCase()}`;
    try {
      return await create({ ...draft, name });
    } catch (cause) {
      const isTaken = GatewayError.from(cause).code === "invalid_request";
      if (!isTaken || i === MAX_NAMES) throw cause;
      const found = await find();
      if (found !== undefined) return found;
    }
  }
}

function openPending(
  { request }: Exchange,
  { clock }: Pick<LoginDeps, "clock">,
  { seal }: SingleSignOn,
): PendingLogin & { readonly returnTo: string; readonly invitation: string } {
  const bytes = seal.open(readPending(request) ?? "", CONTEXT);
  const kept = bytes && parseJson(Buffer.from(bytes).toString());
  if (bytes === undefined || (numberOf(memberOf(kept, "until")) ?? 0) <= clock.now()) {
    throw new GatewayError(
      "unauthenticated",
      "This login was not started here, or has expired. Start again.",
    );
  }
  const member = (name: string): string => textOf(memberOf(kept, name)) ?? "";
  return {
    state: member("state"),
    nonce: member("nonce"),
    verifier: member("verifier"),
    returnTo: member("returnTo"),
    invitation: member("invitation"),
  };
}

/** A reverse proxy may strip a path prefix from the requests that it passes on. */
function pendingCookieFor(
  { client }: Exchange,
  { publicUrl }: Pick<LoginDeps, "publicUrl">,
  sealed: string,
): string {
  const callback = new URL(`${publicUrl ?? "http://here.invalid"}${CALLBACK_PATH}`);
  return pendingCookie(sealed, dirname(callback.pathname), client.isSecure);
}

function requireSignOn({ singleSignOn }: Pick<LoginDeps, "singleSignOn">): SingleSignOn {
  if (singleSignOn !== undefined) return singleSignOn;
  throw new GatewayError("not_found", "Single sign-on is not configured on this gateway.");
}

function redirect({ id }: Exchange, location: string, cookie: string): Response {
  const headers = {
    location,
    "set-cookie": cookie,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-request-id": id,
  };
  return new Response(null, { status: 302, headers });
}
