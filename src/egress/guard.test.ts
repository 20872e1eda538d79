import { describe, expect, test } from "bun:test";
import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import { SEED, times } from "#test/seed.ts";
import { hostileUrls, PRIVATE_V4, PRIVATE_V6, spellings } from "#test/egress/hostile-urls.ts";
import { mangledUrls } from "#test/egress/mangled-urls.ts";
import { checkUrl, hostOf, isPublicAddress, type GuardRules } from "./guard.ts";

const LONG_MS = 600_000;

describe("which URLs may be followed", () => {
  test("a host from the operator may have any name, but its addresses are still checked", () => {
    const rules = { names: ["sso", "sso.corp.internal"] };

    expect(hostOf(checkUrl("https://sso/", rules))).toBe("sso");
    expect(hostOf(checkUrl("https://sso.corp.internal/", rules))).toBe("sso.corp.internal");
    expect(() => checkUrl("https://db.corp.internal/", rules)).toThrow(GatewayError);
    expect(() => checkUrl("http://sso/", rules)).toThrow(GatewayError);
    expect(isPublicAddress("10.0.0.1", rules)).toBe(false);
  });

  test.each([
    ["https://public.example/a?b=c", "public.example"],
    ["https://public.example:443/", "public.example"],
    ["https://a-b_c.d--e.example/%2e/x", "a-b_c.d--e.example"],
    ["HTTPS://PUBLIC.Example", "public.example"],
    ["https://bücher.example/", "xn--bcher-kva.example"],
    ["https://93.184.215.14/", "93.184.215.14"],
    ["https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
    ["https://public.example/a b", "public.example"],
  ])("an ordinary URL is allowed: %s", (url, host) => {
    expect(hostOf(checkUrl(url))).toBe(host);
  });

  test.each([
    ["http://public.example/", {}, "scheme http:"],
    ["ftp://public.example/", { allowHttp: true }, "scheme ftp:"],
    ["https://public.example:8443/", {}, "port 8443"],
    ["https://public.example:80/", { ports: [443] }, "port 80"],
    ["http://public.example/", { allowHttp: true, ports: [443] }, "port 80"],
    ["https://user@public.example/", {}, "user information"],
    ["https://:secret@public.example/", {}, "user information"],
    ["https://public.example\\@evil.example/", {}, "a control character or a backslash"],
    ["https://public.example/\t", {}, "a control character or a backslash"],
    ["https://metadata.example/", {}, "name metadata.example"],
    ["https://a.b.internal/", {}, "name a.b.internal"],
    ["https://router.home.arpa/", {}, "name router.home.arpa"],
    ["https://public.example./", {}, "not a full name"],
    ["https://intranet/", {}, "not a full name"],
    ["https://10.1.2.3/", {}, "address 10.1.2.3"],
    ["https://[fd00::1]/", {}, "address fd00::1"],
    [`https://public.example/${"a".repeat(4096)}`, {}, "too long, or not a URL"],
    [`https://public.example/${"é".repeat(1000)}`, {}, "too long"],
    ["public.example", {}, "too long, or not a URL"],
  ] as const)("%s is refused with a reason in the log", (url, rules: GuardRules, reason) => {
    const error = refusal(url, rules);

    expect(error.code).toBe("invalid_request");
    expect(error.message).toBe("This URL may not be fetched.");
    expect(error.cause).toMatchObject({ message: `refused by the URL guard: ${reason}` });
  });

  test("a URL of exactly 4 KiB is allowed, one more character is not", () => {
    const url = "https://public.example/".padEnd(4096, "a");

    expect(checkUrl(url).href).toBe(url);
    expect(refusal(`${url}a`).code).toBe("invalid_request");
  });

  test("a relative reference is checked by its target", () => {
    const base = new URL("https://public.example/a/b");

    expect(checkUrl("../c", {}, base).href).toBe("https://public.example/c");
    expect(checkUrl("//other.example", {}, base).href).toBe("https://other.example/");
    expect(refusal("//10.0.0.1/", {}, base).code).toBe("invalid_request");
    expect(refusal("data:,x", {}, base).code).toBe("invalid_request");
  });

  test("the parser normalises every notation of an IPv4 address", () => {
    for (const address of PRIVATE_V4.flatMap(({ samples }) => samples)) {
      const inV4 = Object.values(spellings(address)).filter((host) => !host.startsWith("["));
      const hosts = inV4.map((host) => new URL(`http://${host}:8080/`).hostname);

      expect(inV4.length).toBeGreaterThanOrEqual(19);
      expect(new Set(hosts)).toEqual(new Set([address]));
    }
  });

  test(
    "every allowed mangled URL has a public host, and stays the same when parsed again",
    () => {
      const corpus = hostileUrls(443).map(({ url }) => url);
      const rules = { allowHttp: true };
      let passed = 0;
      fc.assert(
        fc.property(mangledUrls(HONEST, corpus), (text) => {
          let url: URL;
          try {
            url = checkUrl(text, rules);
          } catch (error) {
            expect(error).toBeInstanceOf(GatewayError);
            return;
          }
          passed++;
          const host = hostOf(url);
          expect(checkUrl(url.href, rules).href).toBe(url.href);
          expect(["http:", "https:"]).toContain(url.protocol);
          expect(url.username + url.password).toBe("");
          if (isIP(host) === 0) expect(host).toMatch(/^[a-z0-9._-]+\.[a-z0-9-]*[a-z][a-z0-9-]*$/);
          else expect(isInside(host)).toBe(false);
        }),
        { seed: SEED, numRuns: times(8_000, 1_000_000) },
      );
      expect(passed).toBeGreaterThan(500);
    },
    LONG_MS,
  );
});

describe("which addresses are public", () => {
  test.each(PRIVATE_V4.flatMap(({ range, samples }) => samples.map((ip) => [ip, range])))(
    "%s is not, because it is in %s",
    (ip) => {
      expect(isPublicAddress(ip)).toBe(false);
      expect(isPublicAddress(`::ffff:${ip}`)).toBe(false);
    },
  );

  test.each(PRIVATE_V6.map((ip) => [ip]))("%s is not", (ip) => {
    expect(isPublicAddress(ip)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "::ffff:1.1.1.1",
    "2000::1",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700::1111",
    "2a00:1450:4001:830::200e",
  ])("%s is", (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  test.each([
    "",
    "localhost",
    "127.1",
    "0x7f.1",
    "2130706433",
    "08.8.8.8",
    "8.8.8.8 ",
    "8.8.8.8/8",
    "8.8",
    "134744072",
    "0x08080808",
    "2606::1%eth0",
    "[2606::1]",
    "1.1.1.1.1",
  ])("%p is refused, because resolvers and sockets do not write addresses like that", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  test(
    "a second implementation, with the system's own block list, agrees on every address",
    () => {
      const v4 = fc.integer({ min: 0, max: 0xffffffff }).map(dotted);
      const v6 = fc
        .tuple(
          fc.oneof(
            fc.integer({ min: 0, max: 0xffff }),
            fc.constantFrom(0, 0x64, 0x2001, 0x2002, 0x3fff),
          ),
          fc.oneof(
            fc.integer({ min: 0, max: 0xffff }),
            fc.constantFrom(0, 0xff9b, 0xdb8, 0x1ff, 0x200),
          ),
          fc.array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0xffff)), {
            minLength: 6,
            maxLength: 6,
          }),
        )
        .map(([a, b, rest]) => [a, b, ...rest].map((part) => part.toString(16)).join(":"));
      const mapped = v4.map((ip) => `::ffff:${ip}`);
      const edge = fc
        .constantFrom(...PRIVATE_V4.flatMap(({ samples }) => samples))
        .chain((ip) => fc.integer({ min: -2, max: 2 }).map((step) => dotted(numberOf(ip) + step)));

      fc.assert(
        fc.property(fc.oneof(v4, edge, v6, mapped), (ip) => {
          expect({ ip, isPublic: isPublicAddress(ip) }).toEqual({ ip, isPublic: !isInside(ip) });
        }),
        { seed: SEED, numRuns: times(8_000, 1_000_000) },
      );
    },
    LONG_MS,
  );

  test("an operator allows exactly the listed network", () => {
    const rules = { allow: ["10.1.2.0/30", "fd00::2", "127.0.0.9"] };
    const open = ["10.1.2.0", "10.1.2.3", "::ffff:10.1.2.3", "fd00::2", "127.0.0.9"];
    const closed = ["10.1.1.255", "10.1.2.4", "fd00::3", "127.0.0.8", "127.0.0.1"];

    expect(open.filter((ip) => isPublicAddress(ip, rules))).toEqual(open);
    expect(closed.filter((ip) => isPublicAddress(ip, rules))).toEqual([]);
    expect(checkUrl("https://10.1.2.3/", rules).hostname).toBe("10.1.2.3");
  });

  test("a network that an operator forbids stays forbidden, even if another rule allows it", () => {
    const rules = { deny: ["93.184.0.0/16", "2606::/16"], allow: ["0.0.0.0/0", "::/0"] };

    expect(isPublicAddress("93.184.215.14", rules)).toBe(false);
    expect(isPublicAddress("::ffff:93.184.215.14", rules)).toBe(false);
    expect(isPublicAddress("2606:4700::1111", rules)).toBe(false);
    expect(isPublicAddress("8.8.8.8", rules)).toBe(true);
  });

  test("the machine's own public addresses are forbidden unless an operator allows them", () => {
    const own = ["93.184.215.14", "2606:4700::1111"];

    expect(isPublicAddress("93.184.215.14", { own })).toBe(false);
    expect(isPublicAddress("2606:4700:0::1111", { own })).toBe(false);
    expect(isPublicAddress("93.184.215.15", { own })).toBe(true);
    expect(isPublicAddress("93.184.215.14", { own, allow: own })).toBe(true);
  });

  test("an invalid list allows nothing", () => {
    expect(() => isPublicAddress("10.0.0.1", { allow: ["10.0.0.0/33"] })).toThrow();
    expect(() => isPublicAddress("8.8.8.8", { deny: ["8.8.8.8/x"] })).toThrow();
  });
});

const HONEST = [
  "https://public.example/a/b?c=d#e",
  "http://a.b.c.public.example/",
  "https://93.184.215.14/x",
  "https://[2606:4700::1111]/x",
  "https://bücher.example/",
];

/** The same rules once more, written independently: the system's block list, one network a line. */
const insideV4 = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  insideV4.addSubnet(network, bits, "ipv4");
}
const insideV6 = new BlockList();
for (const [network, bits] of [
  ["::", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["4000::", 2],
  ["8000::", 1],
] as const) {
  insideV6.addSubnet(network, bits, "ipv6");
}

function isInside(ip: string): boolean {
  if (isIP(ip) === 4) return insideV4.check(ip, "ipv4");
  const canonical = new URL(`http://[${ip}]/`).hostname;
  const [, high, low] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return insideV6.check(ip, "ipv6");
  return insideV4.check(
    dotted(Number.parseInt(high, 16) * 65536 + Number.parseInt(low, 16)),
    "ipv4",
  );
}

function dotted(value: number): string {
  const whole = ((value % 2 ** 32) + 2 ** 32) % 2 ** 32;
  return [24, 16, 8, 0].map((shift) => Math.floor(whole / 2 ** shift) % 256).join(".");
}

function numberOf(ip: string): number {
  return ip.split(".").reduce((whole, part) => whole * 256 + Number(part), 0);
}

function refusal(url: string, rules: GuardRules = {}, base?: URL): GatewayError {
  try {
    checkUrl(url, rules, base);
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error(`${url} was not refused.`);
}
