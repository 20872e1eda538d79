import { z } from "zod";
import { PASSED_CODE, type IdentitySession } from "#core/identity-session.ts";
import type { JsonObject } from "#lib/json.ts";
import type { AssetListDeps } from "#http/deps/asset-list.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { idField } from "../query-fields.ts";
import { seconds } from "../seconds.ts";
import { PAGES, skippedOf, userNames } from "./asset-json.ts";

const STATES = ["open", "asking", "unsure", "passed", "failed", "expired"] as const;

const FIELDS = {
  id: z.string(),
  state: z
    .enum(STATES)
    .describe(
      "`asking`: the vendor is asked for the result. `unsure`: its answer was lost. " +
        "`failed`: the vendor refused the person, who may try again until the end.",
    ),
  result_code: z.string().nullable().describe("The code that the person's browser brought back."),
  group_id: z.string().nullable().describe("The group of the verified person."),
  channel: z.string(),
  created_at: z.int(),
  ends_at: z.int(),
};

const OWN = z.object(FIELDS).meta({ id: "OwnVerification" });
const LISTED = z
  .object({ ...FIELDS, user_id: z.int(), user_name: z.string().nullable() })
  .meta({ id: "ListedVerification" });

const common = { tag: "Assets", scope: "assets:read", method: "GET" } as const;

export const listOwnVerifications = management({
  operationId: "listOwnVerifications",
  ...common,
  path: "/api/asset/self/verification",
  access: "user",
  summary: "Your verifications of persons, latest first. Old ones are deleted after two days.",
  query: z.object(PAGES),
  data: z.object({ items: z.array(OWN), total: z.int() }),

  async handle(
    exchange,
    { identitySessions, clock }: Pick<AssetListDeps, "identitySessions" | "clock">,
    { query },
  ) {
    const { id } = requireUser(exchange);
    const { sessions, total } = await identitySessions.list(id, skippedOf(query), query.page_size);
    const now = clock.now();
    return succeed(exchange.id, "", { items: sessions.map((each) => show(each, now)), total });
  },
});

export const listVerifications = management({
  operationId: "listVerifications",
  ...common,
  path: "/api/asset/verification",
  access: "auditor",
  summary: "Verifications of persons of all users, latest first.",
  query: z.object({ ...PAGES, user: idField("Verifications of this user.") }),
  data: z.object({ items: z.array(LISTED), total: z.int() }),

  async handle(
    exchange,
    { identitySessions, users, clock }: Pick<AssetListDeps, "identitySessions" | "users" | "clock">,
    { query },
  ) {
    const { page_size: limit, user } = query;
    const { sessions, total } = await identitySessions.list(user, skippedOf(query), limit);
    const names = await userNames(
      sessions.map(({ userId }) => userId),
      users,
    );
    const now = clock.now();
    const items = sessions.map((each) => ({
      ...show(each, now),
      user_id: each.userId,
      user_name: names.get(each.userId) ?? null,
    }));
    return succeed(exchange.id, "", { items, total });
  },
});

export const beginOwnVerification = management({
  operationId: "beginOwnVerification",
  tag: "Assets",
  method: "POST",
  path: "/api/asset/self/verification",
  access: "user",
  scope: "assets:write",
  summary: "Begins the verification of a person, who opens the link.",
  body: z.strictObject({
    callback_url: z
      .string()
      .min(1)
      .max(4_096)
      .describe("A public https address that the gateway calls at the end."),
  }),
  data: z.object({
    link: z.string().describe("Valid for about two minutes."),
    token: z.string().describe("The result is fetched with it. It is shown once."),
  }),

  async handle(exchange, { verifications }: Pick<AssetListDeps, "verifications">, { body }) {
    using _pause = exchange.suspendIdleTimeout();
    const begun = await verifications.begin(requireUser(exchange).id, body.callback_url);
    return succeed(exchange.id, "The verification has begun.", { ...begun });
  },
});

function show(session: IdentitySession, now: number): JsonObject {
  return {
    id: session.id,
    state: stateOf(session, now),
    result_code: session.told?.resultCode ?? null,
    group_id: session.groupId ?? null,
    channel: session.channel,
    created_at: seconds(session.createdAt),
    ends_at: seconds(session.endsAt),
  };
}

function stateOf({ state, endsAt, told }: IdentitySession, now: number): (typeof STATES)[number] {
  if (state === "passed") return "passed";
  if (now >= endsAt) return "expired";
  const isRefused = told !== undefined && told.resultCode !== PASSED_CODE;
  return isRefused ? "failed" : state;
}
