import { expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import { isIP } from "node:net";
import { openCanaries } from "#test/egress/canaries.ts";
import { openSite, reply } from "#test/egress/site.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { hostResolver } from "./resolve-host.ts";

test("a name resolves to all of its IPv4 and IPv6 addresses", async () => {
  await using dns = await openNameServer({
    A: ["93.184.215.14", "93.184.215.15"],
    AAAA: ["2606:4700::1111"],
  });

  expect(await resolved(dns)).toEqual(["93.184.215.14", "93.184.215.15", "2606:4700::1111"]);
});

test("a name with addresses of only one family resolves to those", async () => {
  await using v4 = await openNameServer({ A: ["93.184.215.14"], AAAA: [] });
  await using v6 = await openNameServer({ A: "failure", AAAA: ["2606:4700::1111"] });

  expect(await resolved(v4)).toEqual(["93.184.215.14"]);
  expect(await resolved(v6)).toEqual(["2606:4700::1111"]);
});

test("a missing answer for one family does not lose the other one", async () => {
  await using site = await openSite((socket) => socket.end(reply("200 OK", {}, "site")));
  await using dns = await openNameServer({ A: ["127.0.0.1"], AAAA: "silence" });

  expect(await fetched(dns, site.port)).toBe("site");
});

test("a silent name server, or an unknown name, gives no address", async () => {
  await using silent = await openNameServer({ A: "silence", AAAA: "silence" });
  await using failing = await openNameServer({ A: "failure", AAAA: "failure" });

  expect(await resolved(silent)).toEqual([]);
  expect(await resolved(failing)).toEqual([]);
});

test("an aborted caller ends the lookup", async () => {
  await using dns = await openNameServer({ A: "silence", AAAA: "silence" });
  const caller = new AbortController();
  const resolving = hostResolver([dns.address])("public.example", caller.signal);
  setTimeout(() => caller.abort(), 20);

  const first = await Promise.race([
    resolving.then(() => "left"),
    Bun.sleep(1_500).then(() => "stayed"),
  ]);

  expect(first).toBe("left");
});

test("an alias to an internal address is refused", async () => {
  await using canaries = await openCanaries(["127.0.0.1"]);
  await using dns = await openNameServer({
    A: ["127.0.0.2"],
    AAAA: [],
    alias: "public.other.example",
  });

  expect(await resolved(dns)).toEqual(["127.0.0.2"]);
  const outcome = await fetched(dns, canaries.port).catch((error: unknown) => error);
  expect(outcome).toMatchObject({ code: "invalid_request" });
  expect(canaries.hits).toEqual([]);
});

test("a name whose address changes with every query is reached at a checked address or refused", async () => {
  await using site = await openSite((socket) => socket.end(reply("200 OK", {}, "site")));
  await using canaries = await openCanaries(["127.0.0.1"]);
  let questions = 0;
  const A = () => [questions++ % 2 === 0 ? "127.0.0.1" : "127.0.0.2"];
  await using dns = await openNameServer({ A, AAAA: [] });

  for (let i = 0; i < 10; i++) {
    const outcome = await fetched(dns, site.port).catch((error: unknown) => error);
    if (i % 2 === 0) expect(outcome).toBe("site");
    else
      expect(outcome).toMatchObject({
        code: "invalid_request",
        message: "This URL may not be fetched.",
      });
  }
  expect(questions).toBe(10);
  expect(canaries.hits).toEqual([]);
});

interface NameServer extends AsyncDisposable {
  readonly address: string;
}

type Records = readonly string[] | (() => readonly string[]) | "silence" | "failure";

const TYPES = { 1: "A", 28: "AAAA" } as const;

/** Answers every question about any name alike, with a lifetime of zero, behind an alias if there is one. */
async function openNameServer(zone: {
  A: Records;
  AAAA: Records;
  alias?: string;
}): Promise<NameServer> {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    const end = question.indexOf(0, 12) + 5;
    const type = question.readUInt16BE(end - 4);
    const given = type === 1 || type === 28 ? zone[TYPES[type]] : [];
    if (given === "silence") return;

    const records = given === "failure" ? [] : typeof given === "function" ? given() : given;
    const target = zone.alias === undefined ? Buffer.from([0xc0, 12]) : encodedName(zone.alias);
    const answers = records.map((ip) => record(target, type, packed(ip)));
    if (zone.alias !== undefined) answers.unshift(record(Buffer.from([0xc0, 12]), 5, target));
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    head.writeUInt16BE(given === "failure" ? 0x8182 : 0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(answers.length, 6);
    socket.send(
      Buffer.concat([head, question.subarray(12, end), ...answers]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async [Symbol.asyncDispose]() {
      socket.close();
    },
  };
}

function record(name: Buffer, type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(value.length, 8);
  return Buffer.concat([name, head, value]);
}

function encodedName(name: string): Buffer {
  const labels = name
    .split(".")
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function packed(ip: string): Buffer {
  if (isIP(ip) === 4) return Buffer.from(ip.split(".").map(Number));
  const [head = "", tail = ""] = ip.split("::");
  const words = (text: string) =>
    text
      .split(":")
      .filter((word) => word !== "")
      .map((word) => Number.parseInt(word, 16));
  const bytes = Buffer.alloc(16);
  for (const [i, word] of words(head).entries()) bytes.writeUInt16BE(word, i * 2);
  for (const [i, word] of words(tail).toReversed().entries()) bytes.writeUInt16BE(word, 14 - i * 2);
  return bytes;
}

function resolved(dns: NameServer): Promise<readonly string[]> {
  return hostResolver([dns.address])("public.example", new AbortController().signal);
}

async function fetched(dns: NameServer, port: number): Promise<string> {
  await using response = await guardedFetch(`http://public.example:${port}/`, {
    allowHttp: true,
    ports: [port],
    allow: ["127.0.0.1"],
    resolve: hostResolver([dns.address]),
    maxBytes: 1_000,
    totalTimeoutMs: 5_000,
  });
  return Buffer.concat(await Array.fromAsync(response.body)).toString();
}
