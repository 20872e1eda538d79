import { expect, test } from "bun:test";
import { credential } from "#core/channel.ts";
import { channelProxy, showProxy, withStoredLogin } from "./channel-proxy.ts";

test.each([
  ["http://proxy.example:3128", "http://proxy.example:3128", undefined],
  ["http://proxy.example", "http://proxy.example:80", undefined],
  ["socks5://proxy.example", "socks5://proxy.example:1080", undefined],
  ["socks5://proxy.example:80", "socks5://proxy.example:80", undefined],
  ["socks5h://me:p%40ss@[2001:db8::1]:1081", "socks5://[2001:db8::1]:1081", "me:p@ss"],
  ["http://only@proxy.example:1/", "http://proxy.example:1", "only:"],
])("%s is read without its login", (text, url, login) => {
  const read = channelProxy.parse(text);

  expect(read?.url).toBe(url);
  expect(read?.login?.open()).toBe(login);
  expect(JSON.stringify(read)).not.toContain("p@ss");
});

test.each([
  "https://proxy.example:443",
  "ftp://proxy.example",
  "http://proxy.example/path",
  "http://proxy.example?x=1",
  "http://a%3Ab:c@proxy.example",
  "http://a%0d:c@proxy.example",
  `http://${"x".repeat(300)}@proxy.example`,
  "proxy.example:3128",
])("%s is refused", (text) => {
  expect(channelProxy.parse(text)).toBeUndefined();
});

test("a shown proxy can be sent back, and keeps its login at the same address only", () => {
  const stored = { url: "http://a.example:1", login: credential("me:secret") };
  const given = (text: string) => withStoredLogin(channelProxy.parse(text) ?? stored, stored);

  expect(showProxy(stored)).toBe("http://***@a.example:1");
  expect(given("http://***@a.example:1")).toBe(stored);
  expect(given("http://me:secret@a.example:1")).toBe(stored);
  expect(given("http://a.example:1")).toEqual({ url: "http://a.example:1" });
  expect(given("http://***@b.example:1")).toBeUndefined();
  expect(withStoredLogin({ url: "http://b.example:2" }, undefined)?.url).toBe("http://b.example:2");
});
