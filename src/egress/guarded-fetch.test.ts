import { describe, expect, test } from "bun:test";
import { isIP } from "node:net";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import { SEED, times } from "#test/seed.ts";
import { openCanaries } from "#test/egress/canaries.ts";
import { hostileUrls, spellings } from "#test/egress/hostile-urls.ts";
import { mangledUrls } from "#test/egress/mangled-urls.ts";
import { authority, openSite, openTlsSite, reply, type Site } from "#test/egress/site.ts";
import { checkUrl, hostOf } from "./guard.ts";
import { guardedFetch, type GuardedRequest } from "./guarded-fetch.ts";

const LONG_MS = 600_000;
const REFUSED = "This URL may not be fetched.";

describe("hostile URLs", () => {
  test("none of hundreds of URLs to internal addresses reaches a listener on this machine", async () => {
    await using canaries = await openCanaries();
    const urls = hostileUrls(canaries.port);
    const resolve = async () => canaries.addresses;

    const rules = { ...plain(canaries.port), allow: [], resolve };

    for (const { url, why } of urls) {
      // Should a rule be missing, this fails here instead of asking a stranger's address.
      const host = hostIfAllowed(url, rules) ?? "";
      expect({ why, isAddressLetThrough: isIP(host) !== 0 }).toEqual({
        why,
        isAddressLetThrough: false,
      });
      const error = await failure(url, rules);
      expect({ why, code: error.code, text: error.message }).toEqual({
        why,
        code: "invalid_request",
        text: REFUSED,
      });
    }

    expect(urls.length).toBeGreaterThanOrEqual(300);
    expect(canaries.addresses).toContain("127.0.0.1");
    expect(canaries.hits).toEqual([]);
  });

  test("the same URLs reach the listener once an operator allows its address", async () => {
    await using canaries = await openCanaries();
    const means127 = ([spelling, host]: [string, string]) =>
      !host.startsWith("[") || spelling.startsWith("mapped");
    const hosts = Object.entries(spellings("127.0.0.1")).filter(means127);

    for (const [spelling, host] of hosts) {
      const text = await textOf(`http://${host}:${canaries.port}/`, plain(canaries.port));
      expect({ spelling, text }).toEqual({ spelling, text: "canary" });
    }

    expect(hosts.length).toBeGreaterThanOrEqual(20);
    expect(canaries.hits).toEqual(hosts.map(() => "127.0.0.1"));
  });

  test("this machine's own addresses are refused", async () => {
    await using canaries = await openCanaries();

    for (const address of canaries.addresses) {
      const host = isIP(address) === 6 ? `[${address}]` : address;
      const error = await failure(`http://${host}:${canaries.port}/`, {
        ...plain(canaries.port),
        allow: [],
      });
      expect(error.message).toBe(REFUSED);
    }
    expect(canaries.hits).toEqual([]);
  });
});

describe("names", () => {
  // 127.0.0.1, ::1 and 127.1.0.0/16 are open here, and stand for public addresses.
  test.each([
    ["a private address", ["127.0.0.2"]],
    ["a public and a private address", ["127.0.0.1", "127.0.0.2"]],
    ["a private and a public address", ["127.0.0.2", "127.0.0.1"]],
    ["a public IPv4 and a private IPv6 address", ["127.0.0.1", "::2"]],
    ["a private IPv4 and a public IPv6 address", ["127.0.0.2", "::1"]],
    ["an IPv6 address with a private IPv4 address inside", ["::ffff:127.0.0.2"]],
    ["the local link with its zone", ["fe80::1%lo"]],
    ["a number", ["2130706434"]],
    ["another name", ["localhost"]],
    ["nothing at all", [""]],
    ["no address", []],
    ["more public addresses than any honest name has", manyPublic(65)],
    ["a private address among many public ones", [...manyPublic(63), "127.0.0.2"]],
  ])("a name that resolves to %s is refused before any connection", async (_, addresses) => {
    await using canaries = await openCanaries();
    const resolve = async () => addresses;

    const error = await failure(`http://public.example:${canaries.port}/`, {
      ...plain(canaries.port),
      allow: ["127.0.0.1", "::1", "127.1.0.0/16"],
      resolve,
    });

    expect([error.code, error.message]).toEqual(["invalid_request", REFUSED]);
    expect(canaries.hits).toEqual([]);
  });

  test("a name that does not resolve, or resolves too slowly, gets the same error as a private one", async () => {
    const missing = await failure("https://public.example/", {
      ...limits,
      resolve: () => Promise.reject(new Error("ENOTFOUND public.example")),
    });
    const slow = await failure("https://public.example/", {
      ...limits,
      resolve: () => new Promise(() => {}),
    });

    expect([missing.code, missing.message]).toEqual(["invalid_request", REFUSED]);
    expect([slow.code, slow.message]).toEqual(["invalid_request", REFUSED]);
  });

  test("a name that changes its address after the check is reached at the checked address", async () => {
    await using site = await openSite((socket) => socket.end(reply("200 OK", {}, "site")));
    await using canaries = await openCanaries(["127.0.0.1"]);
    const answers = [["127.0.0.1"], canaries.addresses];
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return answers[(asked.length - 1) % 2] ?? [];
    };

    const rules = { ...plain(site.port, canaries.port), resolve };
    const first = await textOf(`http://public.example:${site.port}/`, rules);
    const second = await failure(`http://public.example:${site.port}/`, rules);

    expect(first).toBe("site");
    expect(second.message).toBe(REFUSED);
    expect(asked).toEqual(["public.example", "public.example"]);
    expect(canaries.hits).toEqual([]);
  });

  test("a list of addresses that changes between two reads has no effect", async () => {
    await using site = await openSite((socket) => socket.end(reply("200 OK", {}, "site")));
    let reads = 0;
    const addresses = [""];
    Object.defineProperty(addresses, 0, {
      get: () => (reads++ === 0 ? "127.0.0.1" : "127.0.0.2"),
    });
    const rules = { ...plain(site.port), resolve: async () => addresses };

    expect(await textOf(site.url, rules)).toBe("site");
    expect(reads).toBe(1);
  });

  test("if the first address of a name is dead, the next one is tried", async () => {
    await using site = await openSite((socket) => socket.end(reply("200 OK", {}, "site")));
    const rules = {
      ...plain(site.port),
      allow: ["127.0.0.0/8", "::1"],
      resolve: async () => ["127.0.0.9", "::1", "127.0.0.1"],
    };

    expect(await textOf(`http://public.example:${site.port}/`, rules)).toBe("site");
  });

  test(
    "for every allowed mangled URL, the checked host is the host that is reached",
    async () => {
      await using site = await openSite((socket) => socket.end(reply("200 OK", {}, "site")));
      await using canaries = await openCanaries(["127.0.0.1"]);
      const honest = ["/a?b#c", "/@d", ""].flatMap((path) => [
        `http://public.example:${site.port}${path}`,
        `http://127.0.0.1:${site.port}${path}`,
        `http://bücher.example:${site.port}${path}`,
      ]);
      const hostile = hostileUrls(site.port).map(({ url }) => url);
      const pieces = [`:${canaries.port}`, `@127.0.0.2:${canaries.port}`];
      let reached = 0;

      await fc.assert(
        fc.asyncProperty(mangledUrls(honest, hostile, pieces), async (text) => {
          const asked: string[] = [];
          const rules = {
            ...plain(site.port),
            resolve: async (host: string) => {
              asked.push(host);
              return ["127.0.0.1"];
            },
          };
          const host = hostIfAllowed(text, rules);
          // A public address would be somebody's real one.
          if (host !== undefined && isIP(host) !== 0 && host !== "127.0.0.1") return;
          const before = site.requests.length;
          const arrived = await textOf(text, rules).then(
            () => true,
            () => false,
          );

          expect(arrived).toBe(host !== undefined);
          expect(site.requests.length - before).toBe(arrived ? 1 : 0);
          if (host === undefined) return;
          reached++;
          expect(asked).toEqual(isIP(host) === 0 ? [host] : []);
          expect(fieldOf(site, "host")).toBe(`${host}:${site.port}`);
        }),
        { seed: SEED, numRuns: times(1_500, 100_000) },
      );

      expect(canaries.hits).toEqual([]);
      expect(reached).toBeGreaterThan(100);
    },
    LONG_MS,
  );
});

describe("redirects", () => {
  test.each([1, 2, 3, 4])(
    "a chain that leads to an internal address at hop %i is refused there",
    async (hops) => {
      await using canaries = await openCanaries(["127.0.0.1"]);
      const targets = [
        `http://127.0.0.2:${canaries.port}/`,
        `http://[::1]:${canaries.port}/`,
        `http://inside.example:${canaries.port}/`,
        `http://2130706434:${canaries.port}/`,
        `//127.0.0.2:${canaries.port}/`,
        `http://localhost:${canaries.port}/`,
      ];
      await using site = await openSite((socket, request) => {
        const [, hop = "0", target = "0"] = /^GET \/(\d)\/(\d)/.exec(request) ?? [];
        const next = `http://hop${hop}.example:${site.port}/${Number(hop) + 1}/${target}`;
        const location = Number(hop) === hops ? (targets[Number(target)] ?? "") : next;
        socket.write(reply("302 Found", { Location: location }));
      });
      const rules = {
        ...plain(site.port, canaries.port),
        maxRedirects: 5,
        resolve: async (host: string) =>
          host === "inside.example" ? ["127.0.0.2"] : ["127.0.0.1"],
      };

      for (const target of targets.keys()) {
        const before = site.requests.length;
        const error = await failure(`http://public.example:${site.port}/1/${target}`, rules);
        expect([error.code, error.message]).toEqual(["invalid_request", REFUSED]);
        expect(site.requests.length - before).toBe(hops);
      }
      expect(canaries.hits).toEqual([]);
      await site.allClosed();
    },
  );

  test("every kind of redirect is followed for GET and HEAD, and the final URL is returned", async () => {
    await using site = await openSite((socket, request) => {
      const [, status] = /^\w+ \/(\d+)/.exec(request) ?? [];
      socket.write(
        status === undefined
          ? reply("200 OK")
          : reply(`${status} Moved`, { Location: "../end?x#y" }),
      );
    });

    for (const status of [301, 302, 303, 307, 308]) {
      for (const method of ["GET", "HEAD"] as const) {
        const url = `http://public.example:${site.port}/${status}/a`;
        await using response = await guardedFetch(url, {
          ...plain(site.port),
          method,
          maxRedirects: 1,
        });
        expect([response.status, response.url]).toEqual([
          200,
          `http://public.example:${site.port}/end?x#y`,
        ]);
        expect(site.requests.at(-1)).toStartWith(`${method} /end?x HTTP/1.1\r\n`);
      }
    }
    await site.allClosed();
  });

  test("the connection of a redirect is closed before the next request", async () => {
    await using site = await openSite((socket, request) => {
      if (request.startsWith("GET /1 ")) socket.write(reply("302 Found", { Location: "/2" }));
      else void whenAlone().then(() => socket.write(reply("200 OK")));
    });
    const whenAlone = async () => {
      while (site.openConnections > 1) await Bun.sleep(5);
    };

    await using response = await guardedFetch(`${site.url}1`, {
      ...plain(site.port),
      maxRedirects: 1,
    });

    expect(response.status).toBe(200);
  });

  test("redirects are followed only if requested, up to the given number", async () => {
    await using site = await openSite((socket) =>
      socket.write(reply("302 Found", { Location: "/again" })),
    );
    const url = `http://public.example:${site.port}/`;

    const none = await failure(url, plain(site.port));
    expect([none.code, site.requests.length]).toEqual(["upstream_failed", 1]);
    const three = await failure(url, { ...plain(site.port), maxRedirects: 3 });
    expect([three.code, site.requests.length]).toEqual(["upstream_failed", 5]);
    await site.allClosed();
  });

  test.each([301, 302, 303, 307, 308])(
    "a body is not sent to another URL by a %i",
    async (status) => {
      await using site = await openSite((socket) =>
        socket.write(reply(`${status} Moved`, { Location: `http://other.example:${site.port}/` })),
      );

      const error = await failure(`http://public.example:${site.port}/`, {
        ...plain(site.port),
        method: "POST",
        body: "secret",
        maxRedirects: 3,
      });

      expect(error.code).toBe("upstream_failed");
      expect(site.requests.length).toBe(1);
      expect(site.requests[0]).toEndWith("\r\n\r\nsecret");
    },
  );

  test("credentials are only sent to their own origin, also after a detour", async () => {
    await using other = await openSite((socket) =>
      socket.write(reply("302 Found", { Location: `http://public.example:${site.port}/3` })),
    );
    await using site = await openSite((socket, request) => {
      const [, path] = /^GET \/(\d)/.exec(request) ?? [];
      if (path === "1") socket.write(reply("302 Found", { Location: "/2" }));
      else if (path === "2")
        socket.write(reply("302 Found", { Location: `http://public.example:${other.port}/` }));
      else socket.write(reply("200 OK"));
    });

    await using response = await guardedFetch(`http://public.example:${site.port}/1`, {
      ...plain(site.port, other.port),
      maxRedirects: 3,
      headers: {
        Authorization: "Bearer secret",
        Cookie: "a=secret",
        "X-Own-Key": "secret",
        Range: "bytes=0-9",
      },
    });

    expect(response.status).toBe(200);
    const [first, second, third] = site.requests;
    expect(first?.match(/secret/g)?.length).toBe(3);
    expect(second?.match(/secret/g)?.length).toBe(3);
    expect(other.requests[0]).not.toContain("secret");
    expect(third).not.toContain("secret");
    expect(third?.toLowerCase()).toContain("range: bytes=0-9");
  });

  test("a redirect may lead from http to https, never back", async () => {
    await using site = await openSite((socket) =>
      socket.write(reply("302 Found", { Location: `https://public.example:${secure.port}/` })),
    );
    await using secure = await openTlsSite((socket) =>
      socket.write(reply("302 Found", { Location: `http://public.example:${site.port}/` })),
    );

    const error = await failure(`http://public.example:${site.port}/`, {
      ...plain(site.port, secure.port),
      ca: authority,
      maxRedirects: 5,
    });

    expect(error.message).toBe(REFUSED);
    expect([site.requests.length, secure.requests.length]).toEqual([1, 1]);
    await secure.allClosed();
  });

  test.each([
    "data:text/plain,x",
    "file:///etc/passwd",
    "gopher://public.example/",
    "http://a:b@public.example/",
    "http://public.example:22/",
    "\\\\127.0.0.2/",
    "http://",
  ])("a redirect to %s is refused", async (location) => {
    await using site = await openSite((socket) =>
      socket.write(reply("302 Found", { Location: location })),
    );

    const error = await failure(`http://public.example:${site.port}/`, {
      ...plain(site.port),
      maxRedirects: 5,
    });

    expect([error.code, error.message]).toEqual(["invalid_request", REFUSED]);
    expect(site.requests.length).toBe(1);
  });
});

describe("TLS and Host use the name, not the address", () => {
  test("the Host header and the certificate are for the name, the connection for the address", async () => {
    await using site = await openTlsSite((socket) => socket.end(reply("200 OK", {}, "site")));
    const rules = { ...plain(site.port), ca: authority };

    expect(await textOf(`https://public.example:${site.port}/`, rules)).toBe("site");
    expect(fieldOf(site, "host")).toBe(`public.example:${site.port}`);
    expect(await textOf(`https://127.0.0.1:${site.port}/`, rules)).toBe("site");
  });

  test("a certificate for another name, or from an unknown authority, is refused", async () => {
    await using site = await openTlsSite((socket) => socket.end(reply("200 OK", {}, "site")));
    const rules = { ...plain(site.port), ca: authority };

    const otherName = await failure(`https://other.example:${site.port}/`, rules);
    const unknown = await failure(`https://public.example:${site.port}/`, plain(site.port));

    expect([otherName.code, unknown.code]).toEqual(["upstream_failed", "upstream_failed"]);
    expect(site.requests).toEqual([]);
    await site.allClosed();
  });

  test("the environment cannot disable certificate checks", async () => {
    await using site = await openTlsSite((socket) => socket.end(reply("200 OK", {}, "site")));
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const error = await failure(`https://public.example:${site.port}/`, plain(site.port));
      expect(error.code).toBe("upstream_failed");
    } finally {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    }
    expect(site.requests).toEqual([]);
  });
});

const limits = { maxBytes: 1_000_000, totalTimeoutMs: 10_000 };

/** Every name is at 127.0.0.1, which the operator opened, and nothing else is. */
function plain(...ports: readonly number[]): GuardedRequest {
  return {
    ...limits,
    allowHttp: true,
    ports,
    allow: ["127.0.0.1"],
    resolve: async () => ["127.0.0.1"],
  };
}

async function failure(url: string, request: GuardedRequest): Promise<GatewayError> {
  try {
    await textOf(url, request);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error(`${url} was fetched.`);
}

async function textOf(url: string, request: GuardedRequest): Promise<string> {
  await using response = await guardedFetch(url, request);
  return Buffer.concat(await Array.fromAsync(response.body)).toString();
}

function hostIfAllowed(text: string, rules: GuardedRequest): string | undefined {
  try {
    return hostOf(checkUrl(text, rules));
  } catch {
    return undefined;
  }
}

function fieldOf(site: Site, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)\r$`, "im").exec(site.requests.at(-1) ?? "")?.[1];
}

function manyPublic(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `127.1.0.${i + 1}`);
}
