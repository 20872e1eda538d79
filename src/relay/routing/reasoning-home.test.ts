import { expect, test } from "bun:test";
import type { Credential } from "#core/channel.ts";
import { accountOf, type ReasoningHome, type ReasoningHomes } from "#core/reasoning-home.ts";
import type { ReasoningControls } from "#core/reasoning.ts";
import { messages } from "#styles/text/messages/index.ts";
import type { Call } from "../call.ts";
import { findHome, isAway } from "./reasoning-home.ts";
import type { Plan, Route } from "./route.ts";

const key = (label: string): Credential => ({ label, open: () => label });
/** Labels are the ends of secrets, and may be alike. */
const KEYS = [key("...1"), key("...1")];

function route(name: string, credentials: readonly Credential[], reasons = true): Route {
  const reasoningControls: ReasoningControls = {};
  const traits = reasons ? { reasoningControls } : {};
  return { channel: { name, credentials }, traits } as unknown as Route;
}

const planOf = (...routes: readonly Route[]): Plan => ({ routes, estimate: 0 as Plan["estimate"] });

function callWith(...said: readonly string[]): Call {
  const turns = said.map((content, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content,
  }));
  return {
    key: { userId: 1 },
    style: messages,
    body: { json: { messages: turns } },
  } as unknown as Call;
}

/** Says that every conversation was answered by one account, and counts who asks. */
function homesAt(home: ReasoningHome) {
  const asked: (readonly string[])[] = [];
  const kept: [string, ReasoningHome][] = [];
  const homes: ReasoningHomes = {
    find: (digests) => (asked.push(digests), home),
    keep: (digest, each) => void kept.push([digest, each]),
  };
  return { homes, asked, kept };
}

const HOME = { channel: "two", account: accountOf({ credentials: KEYS }, KEYS[1]) };
const A_TALK = callWith("hello", "hi", "and now?");

test.each([
  ["of a model that does not reason", planOf(route("one", KEYS, false), route("two", KEYS, false))],
  ["that only one account can serve", planOf(route("two", KEYS.slice(1)))],
])("nothing is looked up for a call %s", async (_what, plan) => {
  const { homes, asked, kept } = homesAt(HOME);
  const homing = await findHome(A_TALK, plan, homes);
  homing.keep({ route: route("one", KEYS), account: "" });

  expect([homing.home, homing.plan, asked, kept]).toEqual([undefined, plan, [], []]);
});

test("a new conversation causes no lookup, and is stored", async () => {
  const { homes, asked, kept } = homesAt(HOME);
  const plan = planOf(route("one", KEYS), route("two", KEYS));
  const homing = await findHome(callWith("hello"), plan, homes);
  homing.keep({ route: route("two", KEYS), account: HOME.account });

  expect(asked).toEqual([]);
  expect(kept.map(([, home]) => home)).toEqual([HOME]);
  await findHome(A_TALK, plan, homes);
  // By its first words, until its first answer is known as well.
  expect(asked[0]?.[1]).toBe(kept[0]?.[0] ?? "");
});

test("a continued conversation has its account's channel first, independent of the draw", async () => {
  const { homes } = homesAt(HOME);
  const [one, two] = [route("one", KEYS), route("two", KEYS)];
  const { plan, home } = await findHome(A_TALK, planOf(one, two), homes);

  expect(plan.routes).toEqual([two, one]);
  expect(isAway(home, two, { account: HOME.account })).toBe(false);
  expect(isAway(home, two, { account: accountOf(two.channel, KEYS[0]) })).toBe(true);
  expect(isAway(home, one, { account: HOME.account })).toBe(true);
  expect(isAway(undefined, one, { account: "" })).toBe(false);
});

test("a conversation is stored by its first answer, once there is one", async () => {
  const { homes, asked, kept } = homesAt(HOME);
  const plan = planOf(route("one", KEYS), route("two", KEYS));

  const homing = await findHome(A_TALK, plan, homes);
  homing.keep({ route: route("two", KEYS), account: HOME.account });

  expect(kept.map(([digest]) => digest)).toEqual([asked[0]?.[0] ?? ""]);
  expect(asked[0]?.[0]).not.toBe(asked[0]?.[1]);
});

test.each([
  ["one of whose channels reasons", planOf(route("one", KEYS, false), route("two", KEYS))],
  ["with two channels of one account each", planOf(route("one", []), route("two", []))],
  ["with two accounts of one channel", planOf(route("one", KEYS))],
])("the account is looked up for a call %s", async (_what, plan) => {
  const { homes, asked } = homesAt(HOME);

  await findHome(A_TALK, plan, homes);

  expect(asked).toHaveLength(1);
});

test("a plan without a channel has no account to look up", async () => {
  const { homes, asked } = homesAt(HOME);

  await findHome(A_TALK, planOf(), homes);
  await findHome(A_TALK, planOf(route("one", KEYS)), undefined);

  expect(asked).toEqual([]);
});
