import { expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { aChannel } from "#test/a-channel.ts";
import { poolOf, poolsOf } from "./pools.ts";

const key = credential("sk-1");

test("requests of one channel, address and credential share their connections", () => {
  const channel = aChannel();

  expect(poolOf({ ...channel, priority: 9 }, key)).toBe(poolOf(channel, key));
  expect(poolOf({ ...channel }, undefined)).toBe(poolOf(channel, undefined));
});

test("requests with another credential, address, reach, channel or proxy share none", () => {
  const channel = aChannel();
  const proxy = { url: "http://proxy.test:3128" };
  const variants: readonly [Partial<Channel>, typeof key | undefined][] = [
    [{}, key],
    [{}, undefined],
    [{}, credential("sk-1")],
    [{ name: "two" }, key],
    [{ baseUrl: "https://other.example/v1" }, key],
    [{ reach: "public" }, key],
    [{ proxy }, key],
    [{ proxy: { ...proxy, login: credential("user:one") } }, key],
    [{ proxy: { ...proxy, login: credential("user:two") } }, key],
    [{ proxy: { url: "http://other.test:3128" } }, key],
  ];

  const pools = variants.map(([change, secret]) => poolOf({ ...channel, ...change }, secret));

  expect(new Set(pools).size).toBe(variants.length);
});

test("a channel has a pool for each of its credentials, or one without any", () => {
  const keys = [credential("sk-1"), credential("sk-2")];
  const channel = aChannel({ credentials: keys });

  expect(poolsOf(channel)).toEqual(keys.map((each) => poolOf(channel, each)));
  expect(poolsOf(aChannel())).toEqual([poolOf(aChannel(), undefined)]);
});
