import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { openBooks, type Books, type Row } from "#test/books.ts";
import { KEY, openSimulated } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

/** What a client sends on a raw socket. Where the runtime decides, the test pins what it does. */
let opened: Awaited<ReturnType<typeof openSimulated>>;
let books: Books;
beforeAll(async () => {
  opened = await openSimulated({ channel: "models: [gpt-4o-mini]" });
  books = openBooks(opened.dataDir);
});
afterAll(async () => {
  books.close();
  await opened[Symbol.asyncDispose]();
});

const HOST = "Host: gate\r\n";
const HEADERS = `Authorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`;
const GET = `GET /v1/models/gpt-4o-mini HTTP/1.1\r\n${HOST}${HEADERS}\r\n`;

const body = (content: string, stream = false): string =>
  JSON.stringify({ model: "gpt-4o-mini", stream, messages: [{ role: "user", content }] });

/** A chat completion, with the headers that say where its body ends. */
const post = (framing: string, sent: string, host = HOST): string =>
  `POST /v1/chat/completions HTTP/1.1\r\n${host}${HEADERS}${framing}\r\n${sent}`;

const lengthOf = (text: string): string => `Content-Length: ${text.length}\r\n`;
const whole = (text: string): string => post(lengthOf(text), text);
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A client's end of a connection, with everything that it received so far. */
class Client implements Disposable {
  readonly socket: Socket;
  received = "";
  /** The gateway closed the connection. */
  hasEnded = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (data) => (this.received += String(data)));
    socket.on("end", () => (this.hasEnded = true));
    // The gateway may close while the client still writes.
    socket.on("error", () => (this.hasEnded = true));
  }

  /** The status codes of all responses so far, in order. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

async function open(): Promise<Client> {
  const { hostname, port } = new URL(opened.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const client = new Client(socket);
  await once(socket, "connect");
  return client;
}

async function send(text: string): Promise<Client> {
  const client = await open();
  client.socket.write(text);
  return client;
}

/** The calls that are recorded while something runs, once they are settled. */
async function callsDuring(run: () => Promise<void>): Promise<Row[]> {
  const before = books.calls().length;
  await run();
  await waitFor(() => books.calls().length > before);
  expect(await books.whenSettled()).toEqual([]);
  return books.calls().slice(before);
}

describe("several requests on one connection", () => {
  test("a GET that follows the answer to a POST is answered on the same connection", async () => {
    using client = await send(whole(body("hi")));
    await waitFor(() => client.statuses.length === 1);
    client.socket.write(GET);
    await waitFor(() => client.statuses.length === 2 && client.received.endsWith("}"));
    expect(client.statuses).toEqual([200, 200]);
    expect(client.received.indexOf("chat.completion")).toBeLessThan(
      client.received.indexOf('"object":"model"'),
    );
  });

  test("the rest of a refused POST's body is not read as a request", async () => {
    const sent = GET + GET;
    const refused = post(lengthOf(sent), "").replace(KEY, "sk-unknown");
    using client = await send(refused + GET);
    await waitFor(() => client.statuses.length === 1);
    client.socket.write(GET);
    client.socket.write(GET);
    await waitFor(() => client.statuses.length === 2 && client.received.endsWith("}"));
    await Bun.sleep(50);
    expect(client.statuses).toEqual([401, 200]);
  });

  test.each([["whole", false] as const, ["streamed", true] as const])(
    "Bun closes the connection when a GET is pipelined behind a POST; %s, it is not charged",
    async (_, stream) => {
      const [call, ...more] = await callsDuring(async () => {
        using client = await send(whole(body("hi", stream)) + GET);
        await waitFor(() => client.hasEnded);
        expect(client.received).toBe("");
      });
      expect(call).toMatchObject({ outcome: "canceled", cost: 0 });
      expect(more).toEqual([]);
    },
  );
});

describe("chunked bodies", () => {
  test("a chunked body is read completely, also in several pieces with extensions", async () => {
    const sent = body("hi");
    const [call] = await callsDuring(async () => {
      using client = await send(post("Transfer-Encoding: chunked\r\n", chunk(sent.slice(0, 20))));
      await Bun.sleep(20);
      client.socket.write(chunk(sent.slice(20)));
      await Bun.sleep(20);
      client.socket.write("0;last=yes\r\n\r\n");
      await waitFor(() => client.statuses.length === 1);
      expect(client.statuses).toEqual([200]);
    });
    expect(call).toMatchObject({ outcome: "completed" });
  });

  test.each([
    ["with the body", ["X-Sum: 1\r\n\r\n"]],
    ["after the body", ["", "X-Sum: 1\r\n\r\n"]],
    ["of a header that was sent", ["Authorization: Bearer other\r\n\r\n"]],
    ["that are a request, which is not answered", [GET]],
    ["that are a request after the body, which is not answered", ["", GET]],
  ])("Bun refuses trailers with 400, and the call is not charged: %s", async (_, parts) => {
    const [first = "", ...later] = parts;
    const framing = "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n";
    const [call, ...more] = await callsDuring(async () => {
      using client = await send(post(framing, `${chunk(body("hi [[fault:hang]]"))}0\r\n${first}`));
      for (const part of later) {
        await Bun.sleep(20);
        client.socket.write(part);
      }
      await waitFor(() => client.hasEnded);
      expect(client.statuses).toEqual([400]);
    });
    expect(call).toMatchObject({ outcome: "canceled", cost: 0 });
    expect(more).toEqual([]);
  });
});

describe("heads that two parsers could read differently get 400", () => {
  const sent = body("hi");
  const chunked = `${chunk(sent)}0\r\n\r\n`;

  /** Nothing of it is carried out. */
  async function expectRefused(text: string): Promise<string> {
    const calls = books.calls().length;
    const asked = opened.sandbox.requests.length;
    using client = await send(text);
    await waitFor(() => client.statuses.length === 1);
    await Bun.sleep(20);
    expect(client.statuses).toEqual([400]);
    expect(books.calls().length).toBe(calls);
    expect(opened.sandbox.requests.length).toBe(asked);
    return client.received;
  }

  test.each([
    ["two hosts", "Host: gate\r\nHost: other\r\n"],
    ["the same host twice", "Host: gate\r\nhost: gate\r\n"],
    ["an empty second host", "Host: gate\r\nHost:\r\n"],
    ["two hosts in one header", "Host: gate, other\r\n"],
  ])("%s, and the response says so", async (_, host) => {
    const refusal = "The request must have exactly one Host header, which names one host.";
    expect(await expectRefused(post(lengthOf(sent), sent, host))).toContain(refusal);
    expect(await expectRefused(GET.replace(HOST, host))).toContain(refusal);
  });

  test.each([
    ["no Host", post(lengthOf(sent), sent, "")],
    ["two lengths that differ", post(`Content-Length: 3\r\n${lengthOf(sent)}`, sent)],
    ["a length with a sign", post(lengthOf(sent).replace(": ", ": +"), sent)],
    ["a length before chunks", post(`${lengthOf(chunked)}Transfer-Encoding: chunked\r\n`, chunked)],
    ["a length after chunks", post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", chunked)],
    ["another coding than chunked", post("Transfer-Encoding: gzip, chunked\r\n", chunked)],
  ])("%s", async (_, text) => {
    await expectRefused(text);
  });
});

describe("clients that half-close a connection, or do not wait for a response", () => {
  test("Bun closes a half-closed connection: a complete response is lost, and not charged", async () => {
    const [call, ...more] = await callsDuring(async () => {
      using client = await open();
      client.socket.end(whole(body("hi [[fault:hang]]")));
      await waitFor(() => client.hasEnded);
      expect(client.received).toBe("");
    });
    expect(call).toMatchObject({ outcome: "canceled", cost: 0 });
    expect(more).toEqual([]);
  });

  test.each([
    ["half-closes", (socket: Socket): unknown => socket.end()],
    ["sends its next request", (socket: Socket): unknown => socket.write(GET)],
  ])(
    "Bun ends the stream of a client that %s; the delivered part is charged once",
    async (_, act) => {
      const [call, ...more] = await callsDuring(async () => {
        using client = await send(whole(body("Count to 400 [[fault:slow between_ms=3]]", true)));
        await waitFor(() => client.received.length > 2_000);
        act(client.socket);
        await waitFor(() => client.hasEnded);
        expect(client.statuses).toEqual([200]);
        expect(client.received).not.toContain("[DONE]");
      });
      expect(call).toMatchObject({ outcome: "canceled", is_estimated: 1 });
      expect(call?.["cost"]).toBeGreaterThan(0);
      expect(more).toEqual([]);
      expect(books.closes().get(String(call?.["id"]))).toBe(1);
    },
  );

  test("a client that half-closes after its response has the complete response", async () => {
    const [call] = await callsDuring(async () => {
      using client = await send(whole(body("hi", true)));
      await waitFor(() => client.received.includes("[DONE]"));
      client.socket.end();
      await waitFor(() => client.hasEnded);
    });
    expect(call).toMatchObject({ outcome: "completed" });
  });
});
