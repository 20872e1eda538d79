import { expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { findProvider } from "#providers/index.ts";
import { aChannel } from "#test/a-channel.ts";
import { poolOf } from "./pools.ts";
import { addressOf, upstreamTerms } from "./upstream-terms.ts";

const vertex = findProvider("vertex");
const openai = findProvider("openai");
if (vertex === undefined || openai === undefined) throw new Error("A provider was expected.");

const channelOf = (more: Partial<Channel>): Channel => aChannel({ name: "one", ...more });

test("every request of a channel has its reach, its options and its token exchange", () => {
  const options = { project: "p", location: "l" };
  const channel = channelOf({ provider: "vertex", baseUrl: "", reach: "public", options });

  const terms = upstreamTerms({ channel, provider: vertex }, channel.credentials[0], "models");

  expect(terms).toMatchObject({ reach: "public", options, credential: channel.credentials[0] });
  expect(terms.exchange).toBe(vertex.exchange);
  expect(terms.pool).toEndWith("/models");
  expect(addressOf({ channel, provider: vertex })).toStartWith("https://");
});

test("an address that the operator configured is hidden from clients, and the vendor's own is not", () => {
  const own = channelOf({ provider: "openai", baseUrl: "https://internal.test/v1" });
  const usual = channelOf({ provider: "openai", baseUrl: openai.baseUrl ?? "" });

  expect(upstreamTerms({ channel: own, provider: openai }, undefined).hidesAddress).toBe(true);
  expect(upstreamTerms({ channel: usual, provider: openai }, undefined).hidesAddress).toBe(
    undefined,
  );
});

test("an operation with another authentication does not change that of models", () => {
  const ark = findProvider("ark");
  const service = ark?.assets;
  if (ark === undefined || service === undefined) throw new Error("A service was expected.");
  const channel = channelOf({ provider: "ark" });
  const [credential] = channel.credentials;

  const assets = upstreamTerms({ channel, provider: { ...service } }, credential, "assets");
  const models = upstreamTerms({ channel, provider: ark }, credential);
  const again = upstreamTerms({ channel, provider: { ...service } }, credential, "assets");

  expect(models.authorize).toBe(ark.authorize);
  expect([assets.authorize, again.authorize]).toEqual([service.authorize, service.authorize]);
  expect(service.authorize).not.toBe(ark.authorize);
});

test("the terms of a channel and a credential are built once", () => {
  const [one, two] = [credential("sk-1"), credential("sk-2")];
  const channel = channelOf({ overrides: { headers: { set: { "x-team": "a" } } } });
  const to = { channel, provider: openai };

  const terms = [one, two, one].map((each) => upstreamTerms(to, each));

  expect(terms.map((each) => terms.indexOf(each))).toEqual([0, 1, 0]);
  expect(terms.map(({ pool }) => pool)).toEqual(
    [one, two, one].map((each) => poolOf(channel, each)),
  );
  expect(terms[0]?.overrides).toBe(channel.overrides);
});

test("a channel without an address has the one of its vendor in the location of its options", () => {
  const at = (location: string) =>
    addressOf({
      channel: channelOf({ baseUrl: "", options: { project: "p", location } }),
      provider: vertex,
    });

  expect(at("europe-west4")).not.toBe(at("us-east1"));
  expect(addressOf({ channel: channelOf({ baseUrl: "" }), provider: openai })).toBe("");
});
