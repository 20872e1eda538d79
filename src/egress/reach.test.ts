import { describe, expect, test } from "bun:test";
import type { Reach } from "#core/channel.ts";
import {
  askFor,
  faultOf,
  LIMITS,
  openRawUpstream,
  requestTo,
  sized,
} from "#test/egress/raw-upstream.ts";
import { isWithinReach, reachNeeded } from "./reach.ts";
import { openTestProxy } from "#test/test-proxy.ts";
import { openEgress } from "./upstream.ts";

describe("an address of a channel", () => {
  const open = ["https://api.example.com/v1", "http://93.184.215.14", "https://[2606:2800::1]/v1"];
  test.each(open)("may be %s", (url) => {
    expect(reachNeeded(new URL(url))).toBe("public");
  });

  const inside = [
    "http://127.0.0.1:11434/v1",
    "http://localhost:11434",
    "http://ollama:11434",
    "http://LLM.Internal./v1",
    "http://10.1.2.3",
    "http://172.16.0.9",
    "http://192.168.1.1",
    "http://100.64.0.1",
    "http://[::1]:8080",
    "http://[fd12:3456::1]",
    "http://[::ffff:10.0.0.1]",
    "http://2130706433/",
  ];
  test.each(inside)("is in the operator's own networks at %s", (url) => {
    expect(reachNeeded(new URL(url))).toBe("private");
  });

  const closed = [
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:169.254.169.254]",
    "http://2852039166/",
    "http://0xa9.254.0251.254",
    "http://[fe80::1]",
    "http://[fd00:ec2::254]",
    "http://[64:ff9b::a9fe:a9fe]",
    "http://100.100.100.200",
    "http://168.63.129.16",
    "http://metadata.google.internal/",
    "http://METADATA.google.internal./",
    "http://0.0.0.0:8080",
    "http://224.0.0.1",
    "http://255.255.255.255",
  ];
  test.each(closed)("is forbidden for every channel at %s", (url) => {
    expect(reachNeeded(new URL(url))).toBeUndefined();
  });

  test("with a zone, or an invalid one, is out of reach", () => {
    for (const reach of ["public", "private"] as const) {
      expect(isWithinReach("fe80::1%eth0", reach)).toBe(false);
      expect(isWithinReach("::1%lo", reach)).toBe(false);
      expect(isWithinReach("", reach)).toBe(false);
    }
  });
});

describe("a connection", () => {
  const ask = async (reach: Reach | undefined, host = "127.0.0.1") => {
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const egress = openEgress(LIMITS);
    const url = new URL(`http://${host}:${upstream.port}/`);
    const asked = askFor(egress, {
      ...requestTo(upstream),
      url,
      ...(reach === undefined ? {} : { reach }),
    });
    const outcome = await faultOf(asked).catch(() => asked);
    egress.close();
    return { outcome, connected: upstream.connections, sent: upstream.requests.length };
  };

  test("is not opened if a name resolves to an address out of reach", async () => {
    const refused = { outcome: "upstream_unreachable", connected: 0, sent: 0 };
    expect(await ask("public", "localhost")).toEqual(refused);
    expect(await ask("public")).toEqual(refused);
  });

  test("does not go through a proxy that is out of reach", async () => {
    await using proxy = await openTestProxy();
    const egress = openEgress(LIMITS);
    const ask = (host: string) =>
      faultOf(
        askFor(egress, {
          ...requestTo({ url: new URL("http://8.8.8.8:1/") }),
          proxy: { url: `socks5://${host}:${proxy.port}` },
          reach: "public",
        }),
      );

    const outcomes = [await ask("127.0.0.1"), await ask("localhost")];
    egress.close();

    expect(outcomes).toEqual(["upstream_unreachable", "upstream_unreachable"]);
    expect(proxy.targets).toEqual([]);
  });

  test("is used if the channel may reach it, or without a restriction", async () => {
    expect(await ask("private")).toEqual({ outcome: "hi", connected: 1, sent: 1 });
    expect(await ask("private", "localhost")).toEqual({ outcome: "hi", connected: 1, sent: 1 });
    expect(await ask(undefined)).toEqual({ outcome: "hi", connected: 1, sent: 1 });
  });

  test("that is idle is closed with its pool, but not with other pools", async () => {
    await using upstream = await openRawUpstream((socket) => socket.write(sized("hi")));
    const egress = openEgress(LIMITS);
    for (const pool of ["a", "a/models", "ab"]) {
      await askFor(egress, { ...requestTo(upstream), pool });
    }

    egress.closePool("a");

    await upstream.reaches(1);
    await askFor(egress, { ...requestTo(upstream), pool: "ab" });
    expect(upstream.connections).toBe(3);
    egress.close();
  });
});
