import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { JsonObject } from "#lib/json.ts";
import { asRoot, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import {
  CUES,
  SOUND,
  startAudioVendor,
  startDyingVendor,
  TEXT,
  type AudioVendor,
} from "#test/audio-vendor.ts";
import { openBooks, type Row } from "#test/books.ts";
import { KEY, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const MODELS =
  "by-letter, tts, slow, endless, dying, empty, odd, broken, picky, liar, page, scribe, by-second, silent, stubborn, gated";

let vendor: AudioVendor;
let dying: Awaited<ReturnType<typeof startDyingVendor>>;
let opened: TestGateway;
let root: Ask;
beforeAll(async () => {
  vendor = startAudioVendor();
  dying = await startDyingVendor();
  const channel = (name: string, more: string, provider?: string): string =>
    simulatedChannel(name, `${vendor.url}/${name}`, more, provider);
  const failing = ["broken", "liar", "page", "empty"].map((model) =>
    channel(
      `first-${model}`,
      `models: [{ name: spared-${model}, upstream: ${model} }]\npriority: 0`,
    ),
  );
  const spared = ["broken", "liar", "page", "empty"].map(
    (model) => `{ name: spared-${model}, upstream: tts }`,
  );
  opened = await openWithRoot({
    yaml: `
channels:
${channel("own", `models: [${MODELS}]`)}
${failing.join("\n")}
${channel("spare", `models: [${spared.join(", ")}]\npriority: 1`)}
${simulatedChannel("mortal", dying.url, "models: [mortal]")}
${channel("typist", "models: [{ name: voxtral, upstream: scribe }]", "mistral")}
${channel("text", "models: [deepseek-chat]", "deepseek")}
models:
  tts: { input: 1, output: 2 }
  slow: { input: 1, output: 2 }
  endless: { input: 1, output: 2 }
  mortal: { input: 1, output: 2 }
  by-letter: { character: 15 }
  by-second: { second: 0.0001 }
  scribe: { input: 1, output: 2, audio_input: 3 }
  silent: { input: 1, output: 2 }
  gated: { input: 1, output: 2 }
`,
  });
  root = await asRoot(opened.url);
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  vendor[Symbol.dispose]();
  await dying[Symbol.asyncDispose]();
});

let before = 0;
beforeEach(() => {
  before = vendor.heard.length;
});
const heard = () => vendor.heard.slice(before);

const speak = (more: object = {}, path = "/v1/audio/speech", headers = {}): Promise<Response> =>
  opened.post(path, { model: "tts", input: "Hello there.", voice: "alloy", ...more }, headers);

const FILE = new File([new Uint8Array(16_000).fill(7)], "what was said.ogg", { type: "audio/ogg" });

function send(
  fields: Readonly<Record<string, string | File>>,
  name = "transcriptions",
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const body = new FormData();
  for (const [field, value] of Object.entries({ model: "scribe", file: FILE, ...fields })) {
    body.append(field, value);
  }
  return fetch(`${opened.url}/v1/audio/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    body,
  });
}

async function lastCall(): Promise<Row> {
  using books = openBooks(opened.dataDir);
  expect(await books.whenSettled()).toEqual([]);
  return books.calls().at(-1) ?? {};
}

async function errorOf(response: Response): Promise<JsonObject> {
  const { error } = (await response.json()) as { error: JsonObject };
  return { status: response.status, ...error };
}

/** A caller who speaks HTTP by hand, so that it can stop reading, or leave, at any byte. */
async function speakByHand(model: string): Promise<Socket> {
  const { hostname, port } = new URL(opened.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const body = JSON.stringify({ model, input: "Hello there.", voice: "alloy" });
  socket.write(
    `POST /v1/audio/speech HTTP/1.1\r\nHost: gate\r\nAuthorization: Bearer ${KEY}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

describe("speech", () => {
  test.each(["/v1/audio/speech", "/openai/v1/audio/speech"])(
    "comes from %s byte for byte, with the vendor's type and none of its other headers",
    async (path) => {
      const response = await speak({}, path);

      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("audio/mpeg");
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(response.headers.get("x-vendor")).toBeNull();
      expect(await response.bytes()).toEqual(SOUND);
    },
  );

  test("is requested with the client's own text, unchanged", async () => {
    const more = {
      response_format: "opus",
      speed: 1.5,
      later_idea: { a: [1] },
      stream_format: "audio",
    };
    await (await speak(more)).bytes();

    expect(heard().map(({ path, body }) => ({ path, body }))).toEqual([
      {
        path: "/own/openai/v1/audio/speech",
        body: { model: "tts", input: "Hello there.", voice: "alloy", ...more },
      },
    ]);
    expect(heard()[0]?.headers.get("accept")).toBe("*/*");
  });

  test("of a type that a browser might run is sent as plain bytes", async () => {
    const response = await speak({ model: "odd" });

    expect(response.headers.get("content-type")).not.toContain("html");
  });

  test("begins to arrive while the vendor is still sending", async () => {
    const response = await speak({ model: "slow" });
    const reader = response.body?.getReader();
    const first = await reader?.read();

    expect(first?.value?.length).toBeGreaterThan(0);
    expect(vendor.heard.at(-1)?.sentBytes).toBeLessThan(SOUND.length);
    await reader?.cancel();
    vendor.goOn();
  });

  test("is charged by an estimate if the upstream counts no tokens, and marked so", async () => {
    await (await speak()).bytes();

    // Twelve characters are fifteen tokens of sound; three of text went in.
    expect(await lastCall()).toMatchObject({
      model: "tts",
      outcome: "completed",
      style: "speech",
      input_tokens: 3,
      output_tokens: 15,
      is_estimated: 1,
      cost: 3 * 1_000 + 15 * 2_000,
    });
  });

  test("is charged by the characters of its text if they have a price", async () => {
    await (await speak({ model: "by-letter", input: "Grüße!" })).bytes();
    const sound = await lastCall();
    await (await speak({ model: "by-letter", input: "Grüße!", stream_format: "sse" })).bytes();
    const events = await lastCall();

    // Fifteen dollars a million.
    expect(sound).toMatchObject({ characters: 6, cost: 6 * 15_000 });
    expect(events).toMatchObject({ characters: 6, cost: 6 * 15_000, is_estimated: 0 });
  });

  test("as events is passed on unchanged, and charged by its last event", async () => {
    const response = await speak({ stream_format: "sse" });
    const text = await response.text();

    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const sent = text.split("\n\n").filter((each) => each !== "");
    expect(sent.map((each) => (JSON.parse(each.slice(6)) as JsonObject)["type"])).toEqual([
      "speech.audio.delta",
      "speech.audio.delta",
      "speech.audio.done",
    ]);
    expect(await lastCall()).toMatchObject({
      input_tokens: 14,
      output_tokens: 101,
      is_estimated: 0,
      cost: 14 * 1_000 + 101 * 2_000,
    });
  });

  test("that is requested twice with one idempotency key is sent and charged once", async () => {
    const headers = { "idempotency-key": "spoken-once" };

    const first = await (await speak({}, undefined, headers)).bytes();
    const again = await speak({}, undefined, headers);

    expect(again.headers.get("content-type")).toBe("audio/mpeg");
    expect(await again.bytes()).toEqual(first);
    expect(heard().length).toBe(1);
  });

  test.each(["broken", "liar", "page", "empty"])(
    "comes from the next channel if the first is %s",
    async (model) => {
      const response = await speak({ model: `spared-${model}` });

      expect([response.status, await response.bytes()]).toEqual([200, SOUND]);
      expect(heard().map(({ path }) => path)).toEqual([
        `/first-${model}/openai/v1/audio/speech`,
        "/spare/openai/v1/audio/speech",
      ]);
    },
  );

  test("that breaks off is aborted without a normal end, and is charged", async () => {
    const response = await speak({ model: "mortal" });
    expect(response.status).toBe(200);
    const rest = response.bytes().catch(() => "cut");

    dying.die();

    expect(await rest).toBe("cut");
    expect(await lastCall()).toMatchObject({ outcome: "failed", cost: 3 * 1_000 + 15 * 2_000 });
  });

  test("whose client disconnects is cancelled at the vendor, and charged", async () => {
    const socket = await speakByHand("endless");
    await once(socket, "data");
    const asked = vendor.heard.at(-1);

    socket.destroy();
    await waitFor(() => asked?.isCut === true);

    expect(await lastCall()).toMatchObject({
      outcome: "canceled",
      is_estimated: 1,
      cost: 3 * 1_000 + 15 * 2_000,
    });
  });

  test("is paused at the vendor if the client stops reading", async () => {
    const socket = await speakByHand("endless");
    await once(socket, "data");
    socket.pause();
    const asked = vendor.heard.at(-1);

    let last = -1;
    await waitFor(async () => {
      const now = asked?.sentBytes ?? 0;
      const isStill = now === last;
      last = now;
      await Bun.sleep(300);
      return isStill;
    }, 20_000);
    await Bun.sleep(500);

    expect(asked?.sentBytes).toBe(last);
    socket.destroy();
    await waitFor(() => asked?.isCut === true);
    await lastCall();
  });
});

describe.each(["transcriptions", "translations"])("%s", (name) => {
  test("are requested with the client's file, its name and type, and all other fields", async () => {
    const response = await send({ temperature: "0.2", "later_idea[]": "x", language: "en" }, name);

    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ text: TEXT });
    const [one] = heard();
    expect(one?.path).toBe(`/own/openai/v1/audio/${name}`);
    expect(one?.body).toEqual({
      model: "scribe",
      temperature: "0.2",
      "later_idea[]": "x",
      language: "en",
    });
    expect(one?.file?.name).toBe(FILE.name);
    expect(one?.file?.type).toBe("audio/ogg");
    expect(one?.file?.bytes).toEqual(await FILE.bytes());
  });

  test("are charged by the tokens that the vendor counted", async () => {
    await send({}, name);

    expect(await lastCall()).toMatchObject({
      style: name,
      input_tokens: 14,
      audio_input_tokens: 10,
      output_tokens: 5,
      is_estimated: 0,
      cost: 4 * 1_000 + 10 * 3_000 + 5 * 2_000,
    });
  });

  test("are charged by the seconds that the vendor counted", async () => {
    await send({ model: "by-second" }, name);
    const counted = await lastCall();
    const vtt = await send({ model: "by-second", response_format: "vtt" }, name);
    const captions = await lastCall();

    expect(vtt.headers.get("content-type")).toBe("text/vtt");
    expect(counted).toMatchObject({ media_ms: 9_000, cost: 9 * 100_000, is_estimated: 0 });
    expect(captions).toMatchObject({ media_ms: 2_500, cost: 250_000, is_estimated: 1 });
  });

  test("as text are requested as JSON, which contains the usage", async () => {
    const response = await send({ response_format: "text" }, name);

    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toBe(`${TEXT}\n`);
    expect(heard()[0]?.body).toEqual({ model: "scribe" });
    expect(await lastCall()).toMatchObject({ input_tokens: 14, is_estimated: 0 });
  });

  test("as captions are passed on, and charged by the end of the last one", async () => {
    const response = await send({ response_format: "srt" }, name);

    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toBe(CUES.srt);
    // Two and a half seconds, of a thousand tokens a minute.
    expect(await lastCall()).toMatchObject({
      input_tokens: 42,
      audio_input_tokens: 42,
      output_tokens: 5,
      is_estimated: 1,
    });
  });

  test("are charged by the length of the file if the upstream reports no usage", async () => {
    await send({ model: "silent" }, name);

    // Two seconds, and the tokens of twenty characters.
    expect(await lastCall()).toMatchObject({
      input_tokens: 34,
      output_tokens: 5,
      is_estimated: 1,
      cost: 34 * 1_000 + 5 * 2_000,
    });
  });

  test("with an invalid field are refused by its name", async () => {
    const refusal = async (fields: Readonly<Record<string, string | File>>) =>
      await errorOf(await send(fields, name));

    expect(await refusal({ response_format: "xml" })).toMatchObject({
      status: 400,
      param: "response_format",
      message: expect.stringContaining("verbose_json"),
    });
    expect(await refusal({ file: "not a file" })).toMatchObject({
      status: 400,
      param: "file",
      message: "'file' must be a file.",
    });
    expect(await refusal({ file: new File([], "none.mp3") })).toMatchObject({ param: "file" });
    expect(await refusal({ model: "" })).toMatchObject({ param: "model" });
    expect(heard()).toEqual([]);
  });

  test("without a file, or not as a form, are refused", async () => {
    const form = new FormData();
    form.append("model", "scribe");
    const headers = { authorization: `Bearer ${KEY}` };
    const url = `${opened.url}/v1/audio/${name}`;
    const bare = await fetch(url, { method: "POST", headers, body: form });
    form.append("model", "scribe");
    form.append("file", FILE);
    const twice = await fetch(url, { method: "POST", headers, body: form });
    const json = await opened.post(`/v1/audio/${name}`, { model: "scribe" });

    expect(await errorOf(bare)).toMatchObject({ status: 400, message: "'file' is required." });
    expect(await errorOf(twice)).toMatchObject({
      status: 400,
      message: "'model' occurs twice in the form.",
    });
    expect(await errorOf(json)).toMatchObject({ status: 415 });
    expect(heard()).toEqual([]);
  });
});

describe("streamed transcripts", () => {
  const stream = (fields: Readonly<Record<string, string>> = {}) =>
    send({ stream: "true", ...fields });

  test("are passed on, and charged by the last event", async () => {
    const response = await stream();

    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const text = await response.text();
    expect(text).toStartWith('data: {"type":"transcript.text.delta","delta":"The"}\n\n');
    expect(text).toContain('"type":"transcript.text.done"');
    expect(await lastCall()).toMatchObject({ input_tokens: 14, output_tokens: 5, is_estimated: 0 });
  });

  test("in English are passed on as well", async () => {
    const response = await send({ stream: "true" }, "translations");

    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    expect(await response.text()).toContain('"type":"transcript.text.done"');
    expect(await lastCall()).toMatchObject({ input_tokens: 14, output_tokens: 5, is_estimated: 0 });
  });

  test("arrive complete if the model cannot stream", async () => {
    const response = await stream({ model: "stubborn" });

    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ text: TEXT });
  });

  test("that break off end with an error, never with a normal end", async () => {
    const text = await (await stream({ model: "dying" })).text();

    expect(text).toContain('data: {"error":{');
    expect(text).not.toContain("transcript.text.done");
    expect(await lastCall()).toMatchObject({ outcome: "failed", is_estimated: 1 });
  });

  test("whose client disconnects are charged by the file and the text so far", async () => {
    const leaving = new AbortController();
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: "gated", stream: "true" })) {
      form.append(name, value);
    }
    form.append("file", FILE);
    const response = await fetch(`${opened.url}/v1/audio/transcriptions`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: form,
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    const asked = vendor.heard.at(-1);

    leaving.abort();
    await waitFor(() => {
      vendor.goOn();
      return asked?.isCut === true;
    });

    const call = await lastCall();
    expect(call).toMatchObject({ outcome: "canceled", input_tokens: 34, is_estimated: 1 });
    expect(call["output_tokens"]).toBeGreaterThan(0);
  });
});

describe("audio is refused", () => {
  test("without text, in the format of the chat style", async () => {
    expect(await errorOf(await speak({ input: "" }))).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param: "input",
    });
    expect(await errorOf(await speak({ model: undefined }))).toMatchObject({ param: "model" });
    expect(heard()).toEqual([]);
  });

  test("for a model whose vendor does not support it", async () => {
    expect(await errorOf(await speak({ model: "deepseek-chat" }))).toMatchObject({
      status: 404,
      code: "model_not_found",
      message: expect.stringContaining("speech"),
    });
    expect(await errorOf(await send({ model: "voxtral", response_format: "srt" }))).toMatchObject({
      status: 404,
    });
    expect(heard()).toEqual([]);
  });

  test("with the vendor's message if the vendor refuses it, without cost", async () => {
    expect(await errorOf(await speak({ model: "picky" }))).toMatchObject({
      status: 400,
      message: "Voice 'x' is unknown.",
      param: "voice",
    });
    expect(await lastCall()).toMatchObject({ cost: 0 });
  });

  test("for a key that is restricted to another family", async () => {
    const keyFor = async (family: string): Promise<Record<string, string>> => {
      const { data } = await root("POST", "/api/token", { name: family, endpoints: [family] });
      return bearer(textIn(data, "key"));
    };

    const text = await speak({}, undefined, await keyFor("text"));
    const audio = await speak({}, undefined, await keyFor("audio"));

    expect(await errorOf(text)).toMatchObject({ status: 403, code: "forbidden" });
    expect(audio.status).toBe(200);
    await audio.bytes();
  });
});

test("a field that a vendor does not know is not sent to it", async () => {
  const response = await send({ model: "voxtral", response_format: "json" });

  expect(response.status).toBe(200);
  expect(heard()[0]?.path).toBe("/typist/openai/v1/audio/transcriptions");
  expect(heard()[0]?.body).toEqual({ model: "scribe" });
});
