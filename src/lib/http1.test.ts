import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { SEED, times } from "#test/seed.ts";
import { HttpViolation, ResponseReader } from "./http1.ts";

interface ReadResult {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isReusable: boolean;
}

/** The bytes of the body that came before the violation; fails if there is none. */
function bodyBeforeViolation(pieces: readonly string[]): string {
  const reader = new ResponseReader();
  let body = "";
  const add = (bytes: Uint8Array | undefined): void => {
    if (bytes !== undefined) body += Buffer.from(bytes).toString("latin1");
  };
  try {
    for (const piece of pieces) add(reader.push(Buffer.from(piece, "latin1")));
    reader.close(true);
  } catch (cause) {
    if (!(cause instanceof HttpViolation)) throw cause;
    add(cause.before);
    return body;
  }
  throw new Error("The answer was read.");
}

/** Reads an answer cut into these pieces, up to its end or the connection's. */
function read(pieces: readonly string[]): ReadResult {
  const reader = new ResponseReader();
  let body = "";
  for (const piece of pieces) {
    const bytes = reader.push(Buffer.from(piece, "latin1"));
    if (bytes !== undefined) body += Buffer.from(bytes).toString("latin1");
  }
  if (!reader.isOver) reader.close(true);
  return {
    status: reader.head?.status,
    headers: Object.fromEntries(reader.head?.headers ?? []),
    body,
    isReusable: reader.isReusable,
  };
}

function cutAt(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length];
  const sorted = places.toSorted((a, b) => a - b);
  return sorted.slice(1).map((end, i) => text.slice(sorted[i], end));
}

const anyCuts = fc.array(fc.nat(), { maxLength: 20 });
const SEEDED = { seed: SEED, numRuns: times(100, 5_000) };
const LONG_MS = 120_000;

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

interface Case {
  readonly answer: string;
  readonly body: string;
  readonly status?: number;
  readonly isReusable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only the connection's end ends it. */
  readonly isOpenEnded?: true;
}

const ANSWERS: Record<string, Case> = {
  "a body of a stated length": {
    answer: `${OK}Content-Length: 5\r\n\r\nhello`,
    body: "hello",
    isReusable: true,
    headers: { "content-length": "5" },
  },
  "a length with leading zeros and blanks around it": {
    answer: `${OK}Content-Length:  005 \r\n\r\nhello`,
    body: "hello",
    isReusable: true,
  },
  "a body that is empty": {
    answer: `${OK}Content-Length: 0\r\n\r\n`,
    body: "",
    isReusable: true,
  },
  "a body of any bytes, line ends among them": {
    answer: `${OK}Content-Length: 8\r\n\r\n\r\n\r\n\0\xff0\r`,
    body: "\r\n\r\n\0\xff0\r",
    isReusable: true,
  },
  "a chunked body": {
    answer: `${CHUNKED}5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n`,
    body: "hello world",
    isReusable: true,
    headers: { "transfer-encoding": "chunked" },
  },
  "chunks whose sizes are written in every way": {
    answer: `${CHUNKED}0000a\r\n0123456789\r\nB\r\n0123456789a\r\n000\r\n\r\n`,
    body: "01234567890123456789a",
    isReusable: true,
  },
  "chunks with extensions": {
    answer: `${CHUNKED}2;a\r\nhi\r\n1;a=b;c="d e"\r\n!\r\n0;last=1\r\n\r\n`,
    body: "hi!",
    isReusable: true,
  },
  "chunks that hold what looks like chunks": {
    answer: `${CHUNKED}5\r\n0\r\n\r\n\r\n0\r\n\r\n`,
    body: "0\r\n\r\n",
    isReusable: true,
  },
  "a chunked body with trailers": {
    answer: `${CHUNKED}2\r\nhi\r\n0\r\nDigest: x\r\nX: 7\r\n\r\n`,
    body: "hi",
    isReusable: true,
    headers: { "transfer-encoding": "chunked" },
  },
  "a coding in capitals": {
    answer: `${OK}TRANSFER-ENCODING: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    body: "hi",
    isReusable: true,
  },
  "no length at all": {
    answer: `${OK}Content-Type: text/plain\r\n\r\nuntil the end`,
    body: "until the end",
    isReusable: false,
    isOpenEnded: true,
  },
  "interim answers before the real one": {
    answer:
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" +
      `${OK}Content-Length: 2\r\n\r\nhi`,
    body: "hi",
    isReusable: true,
    headers: { "content-length": "2" },
  },
  "a 204, which has no body": {
    answer: "HTTP/1.1 204 No Content\r\n\r\n",
    status: 204,
    body: "",
    isReusable: true,
  },
  "a 204 that says so": {
    answer: "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
    status: 204,
    body: "",
    isReusable: true,
  },
  "a 204 that promises a body, which then may still come": {
    answer: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
    status: 204,
    body: "",
    isReusable: false,
  },
  "a 304, whose length is that of another answer": {
    answer: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    status: 304,
    body: "",
    isReusable: false,
  },
  "HTTP/1.0, which keeps no connection": {
    answer: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
    body: "hi",
    isReusable: false,
  },
  "a connection that is to be closed": {
    answer: `${OK}Connection: Keep-Alive, Close\r\nContent-Length: 2\r\n\r\nhi`,
    body: "hi",
    isReusable: false,
  },
  "repeated fields, joined in their order": {
    answer: `${OK}X-A: 1\r\nx-b: 2\r\nx-a:3\r\nX-Empty:\r\nContent-Length: 0\r\n\r\n`,
    body: "",
    isReusable: true,
    headers: { "x-a": "1, 3", "x-b": "2", "x-empty": "", "content-length": "0" },
  },
  "field values with colons, tabs and bytes beyond ASCII": {
    answer: `${OK}X: a: b\tc \xe9\xa0\r\nContent-Length: 0\r\n\r\n`,
    body: "",
    isReusable: true,
    headers: { x: "a: b\tc \xe9\xa0", "content-length": "0" },
  },
  "a status line without a reason": {
    answer: "HTTP/1.1 599\r\nContent-Length: 0\r\n\r\n",
    status: 599,
    body: "",
    isReusable: true,
  },
};

describe.each(Object.entries(ANSWERS))("%s", (_what, expected) => {
  const { answer, status = 200, body, isReusable } = expected;

  test("is read correctly", () => {
    const reading = read([answer]);

    expect(reading).toMatchObject({ status, body, isReusable });
    if (expected.headers !== undefined) expect(reading.headers).toEqual(expected.headers);
  });

  test("is read the same with every split, once or at every byte", () => {
    const whole = read([answer]);

    for (let at = 0; at <= answer.length; at++) expect(read(cutAt(answer, [at]))).toEqual(whole);
    expect(read([...answer])).toEqual(whole);
  });

  test("is read the same in any chunks", () => {
    const whole = read([answer]);
    const property = fc.property(anyCuts, (cuts) => {
      expect(read(cutAt(answer, cuts))).toEqual(whole);
    });

    fc.assert(property, SEEDED);
  });

  test("does not end before its last byte, and nothing may follow it", () => {
    const endOfHead = answer.lastIndexOf("\r\n\r\n", answer.length - body.length) + 4;
    const firstEnd = expected.isOpenEnded === true ? endOfHead : answer.length;

    for (let length = 0; length < firstEnd; length++) {
      expect(() => read([answer.slice(0, length)])).toThrow(HttpViolation);
    }
    if (expected.isOpenEnded === undefined) {
      expect(() => read([`${answer}\r`])).toThrow(HttpViolation);
      expect(() => read([answer, "H"])).toThrow(HttpViolation);
    }
  });
});

test("a truncated body without a length is not complete", () => {
  const reader = new ResponseReader();
  reader.push(Buffer.from(`${OK}\r\nhalf of`));

  expect(() => reader.close(false)).toThrow(HttpViolation);
});

test("it is known if any byte has arrived, even half an interim response", () => {
  const reader = new ResponseReader();
  expect(reader.isUntouched).toBeTrue();

  reader.push(Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"));

  expect({ isUntouched: reader.isUntouched, head: reader.head }).toEqual({
    isUntouched: false,
    head: undefined,
  });
});

const fields = (count: number): string =>
  Array.from({ length: count }, (_, i) => `x-${i}: ${i}\r\n`).join("");

const REFUSED: Record<string, string> = {
  "a length and a coding": `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
  "a coding and a length": `${OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n`,
  "two lengths that differ": `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`,
  "two lengths in one field": `${OK}Content-Length: 5, 5\r\n\r\n`,
  "a length with a plus": `${OK}Content-Length: +5\r\n\r\n`,
  "a length below zero": `${OK}Content-Length: -5\r\n\r\n`,
  "a length in hexadecimal": `${OK}Content-Length: 0x5\r\n\r\n`,
  "a length with a point": `${OK}Content-Length: 5.0\r\n\r\n`,
  "a length with an exponent": `${OK}Content-Length: 5e1\r\n\r\n`,
  "a length that is empty": `${OK}Content-Length:\r\n\r\n`,
  "a length in two words": `${OK}Content-Length: 5 5\r\n\r\n`,
  "a length beside a blank that is none": `${OK}Content-Length: 5\xa0\r\n\r\n`,
  "a length beside a tab": `${OK}Content-Length: 5\t\r\n\r\n`,
  "a length beyond all bodies": `${OK}Content-Length: 9007199254740993\r\n\r\n`,
  "a length of a hundred digits": `${OK}Content-Length: ${"9".repeat(100)}\r\n\r\n`,
  "a coding nobody knows": `${OK}Transfer-Encoding: gzip\r\n\r\n`,
  "two codings": `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`,
  "chunked twice": `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`,
  "a coding that is empty": `${OK}Transfer-Encoding:\r\n\r\n`,
  "a coding with a parameter": `${OK}Transfer-Encoding: chunked;a=b\r\n\r\n`,
  "a coding beside a tab": `${OK}Transfer-Encoding: chunked\t\r\n\r\n`,
  "a coding in HTTP/1.0": "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
  "a field folded over two lines": `${OK}X: a\r\n b\r\n\r\n`,
  "a field folded at its start": `${OK} X: a\r\n\r\n`,
  "a blank before the colon": `${OK}Content-Length : 5\r\n\r\n`,
  "a field without a colon": `${OK}Content-Length\r\n\r\n`,
  "a field without a name": `${OK}: 5\r\n\r\n`,
  "a name that is no token": `${OK}X(Y): 5\r\n\r\n`,
  "a NUL in a value": `${OK}X: a\0b\r\n\r\n`,
  "a DEL in a value": `${OK}X: a\x7fb\r\n\r\n`,
  "a NUL in the reason": `HTTP/1.1 200 O\0K\r\n\r\n`,
  "a bare LF in a value": `${OK}X: a\nContent-Length: 5\r\n\r\n`,
  "a bare LF after the status": "HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\n",
  "a bare CR in a value": `${OK}X: a\rb\r\n\r\n`,
  "a bare CR before a line end": `${OK}X: a\r\r\n\r\n`,
  "nothing but LFs": `HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n`,
  "a chunk without a size": `${CHUNKED}\r\n`,
  "a chunk with an extension and no size": `${CHUNKED};a\r\n`,
  "a chunk size with a plus": `${CHUNKED}+5\r\n`,
  "a chunk size below zero": `${CHUNKED}-5\r\n`,
  "a chunk size with its base": `${CHUNKED}0x5\r\n`,
  "a chunk size after a blank": `${CHUNKED} 5\r\n`,
  "a chunk size before a blank": `${CHUNKED}5 \r\n`,
  "a chunk size in two words": `${CHUNKED}5 5\r\n`,
  "a chunk size that overflows": `${CHUNKED}FFFFFFFFFFFFFFFFF\r\n`,
  "a chunk size just beyond what can be counted": `${CHUNKED}20000000000000\r\n`,
  "a chunk size that ends in LF alone": `${CHUNKED}5\nhello`,
  "a chunk extension with a bare CR": `${CHUNKED}5;a\rb\r\n`,
  "a chunk extension with an open quote": `${CHUNKED}5;a="b\r\n`,
  "a chunk extension without a name": `${CHUNKED}5;=b\r\n`,
  "a chunk longer than it said": `${CHUNKED}2\r\nhi!\r\n`,
  "a chunk that ends in LF alone": `${CHUNKED}2\r\nhi\n`,
  "a chunk that ends in CR alone": `${CHUNKED}2\r\nhi\r0\r\n`,
  "a trailer that ends in LF alone": `${CHUNKED}0\r\n\n`,
  "a trailer that is no field": `${CHUNKED}0\r\nHTTP/1.1 200 OK\r\n`,
  "a trailer that states a length": `${CHUNKED}0\r\nContent-Length: 5\r\n`,
  "a trailer that states a coding": `${CHUNKED}0\r\nTransfer-Encoding: chunked\r\n`,
  "a trailer with a NUL": `${CHUNKED}0\r\nX: \0\r\n`,
  "a head over 64 KiB": `${OK}X: ${"x".repeat(64 * 1024)}\r\n\r\n`,
  "a head that never ends": `${OK}X: ${"x".repeat(70 * 1024)}`,
  "interim answers over 64 KiB together": "HTTP/1.1 102 Processing\r\n\r\n".repeat(3_000),
  "300 fields": `${OK}${fields(300)}\r\n`,
  "a chunk line that never ends": `${CHUNKED}5;a=${"x".repeat(300)}`,
  "zeros without an end": `${CHUNKED}${"0".repeat(300)}`,
  "a trailer that never ends": `${CHUNKED}0\r\nX: ${"x".repeat(9 * 1024)}`,
  "trailers without an end": `${CHUNKED}0\r\n${"x: y\r\n".repeat(2_000)}`,
  "a protocol nobody asked for": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
  "an interim answer with a body": "HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n",
  "an interim answer in chunks": "HTTP/1.1 102 X\r\nTransfer-Encoding: chunked\r\n\r\n",
  "an interim answer in HTTP/1.0": "HTTP/1.0 100 Continue\r\n\r\n",
  "an interim answer that ends the connection": "HTTP/1.1 100 Go\r\nConnection: close\r\n\r\n",
  "no status line": "Content-Length: 5\r\n\r\n",
  "an empty line first": `\r\n${OK}\r\n`,
  "a blank first": ` ${OK}\r\n`,
  "a version nobody knows": "HTTP/1.2 200 OK\r\n\r\n",
  "HTTP/0.9": "<html>hello</html>\r\n\r\n",
  "HTTP/2's preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "HTTP/2's first frame": "\0\0\x12\x04\0\0\0\0\0",
  "a record of TLS": "\x15\x03\x01\0\x02\x02\x46",
  "another protocol's greeting": "SSH-2.0-OpenSSH_9.6\r\n",
  "a protocol in small letters": "http/1.1 200 OK\r\n\r\n",
  "a status of two digits": "HTTP/1.1 20 OK\r\n\r\n",
  "a status of four digits": "HTTP/1.1 2000 OK\r\n\r\n",
  "a status beyond all classes": "HTTP/1.1 600 OK\r\n\r\n",
  "a status that is none": "HTTP/1.1 abc OK\r\n\r\n",
  "two blanks before the status": "HTTP/1.1  200 OK\r\n\r\n",
  "a tab before the status": "HTTP/1.1\t200 OK\r\n\r\n",
};

describe("refused before the connection's end, at once and byte by byte", () => {
  test.each(Object.entries(REFUSED))("%s", (_what, answer) => {
    expect(() => push([answer])).toThrow(HttpViolation);
    expect(() => push([...answer])).toThrow(HttpViolation);
  });

  function push(pieces: readonly string[]): void {
    const reader = new ResponseReader();
    for (const piece of pieces) reader.push(Buffer.from(piece, "latin1"));
  }
});

test.each([
  ["a chunk's size is malformed", `${CHUNKED}3\r\none\r\n3\r\ntwo\r\nx`, "onetwo"],
  ["a chunk is longer than it said", `${CHUNKED}3\r\none\r\n3\r\ntwo!`, "onetwo"],
  ["a trailer is malformed", `${CHUNKED}3\r\none\r\n0\r\n\n`, "one"],
  ["bytes follow a stated length", `${OK}Content-Length: 3\r\n\r\none!`, "one"],
  ["the connection closes too early", `${OK}Content-Length: 6\r\n\r\none`, "one"],
])("if %s, the body before it is read with every split", (_what, answer, body) => {
  const cuts = Array.from({ length: answer.length }, (_, at) => cutAt(answer, [at]));
  for (const pieces of [...cuts, [...answer]]) expect(bodyBeforeViolation(pieces)).toBe(body);
});

test("every limit is exact", () => {
  const head = `${OK}X: ${"x".repeat(64 * 1024 - OK.length - 3 - 2 - "Content-Length: 0".length)}`;
  expect(read([`${head}\r\nContent-Length: 0\r\n\r\n`]).status).toBe(200);
  expect(() => read([`${head}x\r\nContent-Length: 0\r\n\r\n`])).toThrow(HttpViolation);

  expect(read([`${OK}${fields(255)}Content-Length: 0\r\n\r\n`]).status).toBe(200);
  expect(() => read([`${OK}${fields(256)}Content-Length: 0\r\n\r\n`])).toThrow(HttpViolation);

  const line = (length: number): string => `2;${"x".repeat(length - 4)}\r\nhi\r\n0\r\n\r\n`;
  expect(read([`${CHUNKED}${line(256)}`]).body).toBe("hi");
  expect(() => read([`${CHUNKED}${line(257)}`])).toThrow(HttpViolation);

  const trailer = (length: number): string => `0\r\nx: ${"x".repeat(length - 3 - 4)}\r\n\r\n`;
  expect(read([`${CHUNKED}${trailer(8 * 1024)}`]).status).toBe(200);
  expect(() => read([`${CHUNKED}${trailer(8 * 1024 + 1)}`])).toThrow(HttpViolation);
});

/** Bytes that a parser stumbles over, more often than chance would bring them. */
const STUMBLES = [
  ["\r\n", "\r\n\r\n", "\r", "\n", " ", "\t", ":", ";", "\0", "-", "+", "0x", ",", "\xa0", '"'],
  [OK, CHUNKED, "HTTP/1.1 ", "HTTP/1.1 100 Continue\r\n\r\n", "204", "304", "HTTP/1.0"],
  ["Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n"],
  ["0\r\n\r\n", "3\r\nabc\r\n", "a", "5", "f", "chunked", "x: y\r\n", ";a=b", "\x7f", "\xff"],
].flat();

const anyBytes = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...STUMBLES) },
      fc.constantFrom(...Object.values(ANSWERS).map(({ answer }) => answer)),
      fc.string({ unit: "binary-ascii", maxLength: 20 }),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(""));

test(
  "any bytes are read or refused, independent of the split",
  () => {
    const outcome = (pieces: readonly string[]): ReadResult | { before: string } => {
      try {
        return read(pieces);
      } catch (cause) {
        expect(cause).toBeInstanceOf(HttpViolation);
        return { before: bodyBeforeViolation(pieces) };
      }
    };
    const property = fc.property(anyBytes, anyCuts, fc.boolean(), (bytes, cuts, isPlain) => {
      const text = isPlain ? bytes : OK + bytes;
      const whole = outcome([text]);

      expect(outcome(cutAt(text, cuts))).toEqual(whole);
      expect(outcome([...text])).toEqual(whole);
    });

    fc.assert(property, { seed: SEED, numRuns: times(5_000, 500_000) });
  },
  LONG_MS,
);

test("bytes that arrive one by one are scanned and copied only a few times", () => {
  const endless = [
    `${OK}X: ${"x".repeat(64 * 1024 - 30)}`,
    `${CHUNKED}5;a=${"x".repeat(250)}`,
    `${CHUNKED}0\r\nX: ${"x".repeat(8 * 1024 - 10)}`,
  ];
  const find = Buffer.prototype.indexOf;
  for (const text of endless) {
    const bytes = [...text].map((each) => Buffer.from(each, "latin1"));
    let work = 0;
    using looks = spyOn(Buffer.prototype, "indexOf").mockImplementation(function (
      this: Buffer,
      what: string | number | Uint8Array,
      from = 0,
    ) {
      work += this.length - Number(from);
      return find.call(this, what, from);
    });
    using copies = spyOn(Buffer.prototype, "copy");
    using slots = spyOn(Buffer, "alloc");
    using joins = spyOn(Buffer, "concat");

    const reader = new ResponseReader();
    for (const each of bytes) reader.push(each);

    for (const [, , start, end] of copies.mock.calls) work += Number(end) - Number(start);
    for (const [size] of slots.mock.calls) work += size;
    expect(looks.mock.calls.length).toBeGreaterThan(text.length / 2);
    expect(work).toBeLessThan(20 * text.length + 1_000);
    expect(joins).not.toHaveBeenCalled();
  }
});

test("an incomplete rest does not keep its original buffer in memory", () => {
  const rests = ["HTTP/1.1 200 O", `${CHUNKED}5;a`, `${CHUNKED}0\r\nX: y`, `${CHUNKED}2\r\nhi\r`];
  const readers: ResponseReader[] = [];
  const sources: WeakRef<ArrayBufferLike>[] = [];
  const feed = (rest: string): void => {
    const reader = new ResponseReader();
    const large = Buffer.alloc(1024 * 1024);
    large.write(rest, large.length - rest.length, "latin1");
    reader.push(large.subarray(large.length - rest.length));
    readers.push(reader);
    sources.push(new WeakRef(large.buffer));
  };
  for (let i = 0; i < 100; i++) feed(rests[i % rests.length] ?? "");

  Bun.gc(true);

  // Some may still lie on the stack, which is searched for whatever looks like a reference.
  expect(sources.filter((each) => each.deref() !== undefined).length).toBeLessThan(10);
  expect(readers.every((each) => !each.isOver)).toBeTrue();
});
