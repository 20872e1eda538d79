import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import fc from "fast-check";
import { SEED, times } from "#test/seed.ts";
import { HttpViolation, ResponseReader } from "./http1.ts";

/**
 * The same answers, read by us and by Node: a program of its own, since this
 * runtime's client is not Node's. Two readers that differ on where an answer
 * ends are how requests are smuggled, so whatever we accept, Node must read
 * the same. It may accept more than we do.
 */
const NODE_READER = `
  const { request } = require("node:http");
  const { createServer } = require("node:net");
  let answer;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(answer));
  });
  const read = () => new Promise((resolve) => {
    const seen = { isRefused: false };
    const refuse = () => { seen.isRefused = true; };
    const call = request({ port: server.address().port, host: "127.0.0.1", agent: false });
    call.on("error", refuse).on("upgrade", (_response, socket) => { refuse(); socket.destroy(); });
    call.on("close", () => resolve(seen));
    call.on("response", (response) => {
      const pieces = [];
      seen.status = response.statusCode;
      seen.fields = response.rawHeaders;
      response.on("data", (piece) => pieces.push(piece)).on("error", refuse).on("aborted", refuse);
      response.on("end", () => {
        seen.body = Buffer.concat(pieces).toString("latin1");
        seen.isComplete = response.complete;
      });
    });
    call.end();
  });
  const lines = require("node:readline").createInterface({ input: process.stdin });
  server.listen(0, "127.0.0.1", async () => {
    process.stdout.write(JSON.stringify(process.versions) + "\\n");
    for await (const line of lines) {
      answer = Buffer.from(line, "base64");
      process.stdout.write(JSON.stringify(await read()) + "\\n");
    }
    process.exit();
  });`;

interface Seen {
  readonly isRefused: boolean;
  readonly status?: number;
  /** Names and values in turn. */
  readonly fields?: readonly string[];
  readonly body?: string;
  readonly isComplete?: boolean;
}

let node: ChildProcessWithoutNullStreams;
let lines: AsyncIterator<string> & { lines: Interface };

beforeAll(async () => {
  node = spawn("node", ["--max-http-header-size=131072", "-e", NODE_READER]);
  const input = createInterface({ input: node.stdout });
  lines = Object.assign(input[Symbol.asyncIterator](), { lines: input });
  expect(JSON.parse(await nextLine())).not.toHaveProperty("bun");
});
afterAll(() => {
  lines.lines.close();
  node.kill();
});

async function nextLine(): Promise<string> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error("Node ended.");
  return value;
}

async function readByNode(answer: string): Promise<Seen> {
  node.stdin.write(`${Buffer.from(answer, "latin1").toString("base64")}\n`);
  return JSON.parse(await nextLine()) as Seen;
}

interface Reading {
  readonly status: number | undefined;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Undefined where it is refused. */
function readByUs(answer: string): Reading | undefined {
  const reader = new ResponseReader();
  try {
    const body = reader.push(Buffer.from(answer, "latin1")) ?? Buffer.alloc(0);
    reader.close(true);
    const fields = Object.fromEntries(reader.head?.headers ?? []);
    return { status: reader.head?.status, fields, body: Buffer.from(body).toString("latin1") };
  } catch (cause) {
    expect(cause).toBeInstanceOf(HttpViolation);
    return undefined;
  }
}

function joined(fields: readonly string[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]?.toLowerCase() ?? "";
    const value = fields[i + 1] ?? "";
    all[name] = name in all ? `${all[name]}, ${value}` : value;
  }
  return all;
}

async function expectAgreement(answer: string): Promise<boolean> {
  const ours = readByUs(answer);
  if (ours === undefined) return false;
  const theirs = await readByNode(answer);
  const { isRefused, status, fields = [], body, isComplete } = theirs;

  expect({ answer, isRefused, status, fields: joined(fields), body, isComplete }).toEqual({
    answer,
    isRefused: false,
    ...ours,
    isComplete: true,
  });
  return true;
}

const token = fc.string({
  unit: fc.constantFrom(..."!#$%&'*+-.^_`|~09AZaz"),
  minLength: 1,
  maxLength: 6,
});
const text = fc
  .string({ unit: fc.constantFrom(...'\t !"(),/:;=?@[]{}09AZaz~\x80\xa0\xff'), maxLength: 12 })
  .map((each) => each.replaceAll(/^[\t ]+|[\t ]+$/g, ""));
const blanks = fc.constantFrom("", " ", "  ", "\t");
const field = fc
  .tuple(token, blanks, text, blanks)
  .filter(([name]) => !/^(content-length|transfer-encoding|connection|upgrade)$/i.test(name))
  .map(([name, before, value, after]) => `${name}:${before}${value}${after}\r\n`);
const fields = fc.array(field, { maxLength: 4 }).map((each) => each.join(""));
const bytes = fc.string({
  unit: fc.constantFrom(..."\r\n\0\t 0123abcHTP/:;\x80\xff"),
  maxLength: 40,
});

const chunk = fc
  .tuple(bytes, fc.nat(2), fc.constantFrom("", ";a", ";a=b", ';a="b c"', ";a=b;c"))
  .filter(([data]) => data.length > 0)
  .map(([data, zeros, extension]) => {
    const size = "0".repeat(zeros) + data.length.toString(16);
    return `${size}${extension}\r\n${data}\r\n`;
  });
const chunks = fc
  .tuple(fc.array(chunk, { maxLength: 4 }), fc.constantFrom("0", "000", "0;a"), fields)
  .map(([all, last, trailer]) => `${all.join("")}${last}\r\n${trailer}\r\n`);

const interim = fc
  .tuple(fc.constantFrom(100, 102, 103), fields)
  .map(([status, each]) => `HTTP/1.1 ${status} Soon\r\n${each}\r\n`);
const connection = fc.constantFrom("", "", "Connection: close\r\n", "Connection: keep-alive\r\n");

const anyAnswer = fc
  .record({
    before: fc.array(interim, { maxLength: 2 }),
    status: fc.constantFrom(200, 200, 200, 201, 204, 304, 400, 404, 413, 429, 500, 599),
    reason: fc.option(text, { nil: undefined }),
    first: fields,
    connection,
    last: fields,
    body: bytes,
    chunks,
    how: fc.constantFrom("length", "chunks", "close", "close 1.0", "length 1.0"),
  })
  .map((each) => {
    const { how, status } = each;
    const version = how.endsWith("1.0") ? "1.0" : "1.1";
    const hasNoBody = status === 204 || status === 304;
    let framing = "";
    if (how.startsWith("length")) framing = `Content-Length: ${each.body.length}\r\n`;
    if (how === "chunks") framing = "Transfer-Encoding: chunked\r\n";
    const body = how === "chunks" ? each.chunks : each.body;
    return (
      each.before.join("") +
      `HTTP/${version} ${status}${each.reason === undefined ? "" : ` ${each.reason}`}\r\n` +
      `${each.first}${each.connection}${framing}${each.last}\r\n${hasNoBody ? "" : body}`
    );
  });

test("every valid response is read as Node reads it", async () => {
  const property = fc.asyncProperty(anyAnswer, async (answer) => {
    expect(await expectAgreement(answer)).toBeTrue();
  });

  await fc.assert(property, { seed: SEED, numRuns: times(300, 20_000) });
}, 120_000);

const STUMBLES = [
  ["\r\n", "\r\n\r\n", "\r", "\n", " ", "\t", "  ", ":", ";", "\0", "\x7f", "-", "+", "0x", "_"],
  ["0", "00", "1", "5", "f", "A", "g", ",", ", ", "\xa0", '"', "\\", "=", ";a=", ';a="', "\v"],
  ["Content-Length: 3\r\n", "Content-Length: 0\r\n", "Content-Length : 3\r\n", "\r\n x"],
  ["Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n", "chunked", "chunked, "],
  ["Transfer-Encoding: chunked\t\r\n", "Transfer-Encoding:\tchunked \r\n", "identity"],
  ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 101 S\r\n\r\n", "HTTP/1.1 199 X\r\n\r\n"],
  ["HTTP/1.1 204 No\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/2.0 "],
  ["0\r\n\r\n", "3\r\nabc\r\n", "x: y\r\n", "Connection: close\r\n", "Upgrade: a\r\n"],
  ["Connection: upgrade\r\n", "Connection: upgrade\r\nUpgrade: a\r\n", "Trailer: x\r\n"],
].flat();

/** Something put in, left out, said twice or changed, most often where it matters: near a line's end. */
const anyMutation = fc.record({
  kind: fc.constantFrom("insert", "insert", "insert", "remove", "repeat", "replace"),
  isAtLine: fc.boolean(),
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 6 }),
  stumble: fc.constantFrom(...STUMBLES),
});

function mutate(
  answer: string,
  mutation: typeof anyMutation extends fc.Arbitrary<infer T> ? T : never,
): string {
  const { kind, isAtLine, length, stumble } = mutation;
  const lineEnds = [...answer.matchAll(/\r\n/g)].flatMap(({ index }) => [index, index + 2]);
  const places =
    isAtLine && lineEnds.length > 0 ? lineEnds : [...answer.split("").keys(), answer.length];
  const at = places[mutation.at % places.length] ?? 0;
  const [before, after] = [answer.slice(0, at), answer.slice(at)];
  switch (kind) {
    case "insert":
      return before + stumble + after;
    case "remove":
      return before + after.slice(length);
    case "repeat":
      return before + after.slice(0, length) + after;
    default:
      return before + stumble + after.slice(length);
  }
}

test("an invalid response is either refused or read as Node reads it", async () => {
  let accepted = 0;
  const mutations = fc.array(anyMutation, { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(anyAnswer, mutations, async (answer, all) => {
    if (await expectAgreement(all.reduce(mutate, answer))) accepted++;
  });

  const numRuns = times(2_000, 100_000);
  await fc.assert(property, { seed: SEED, numRuns });
  // Else it would prove nothing.
  expect(accepted).toBeGreaterThan(numRuns / 20);
}, 600_000);
