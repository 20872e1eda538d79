import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import {
  WEATHER,
  answerTo,
  ask,
  chunksOf,
  partsOf,
  post,
  refusalOf,
  textOf,
  user,
} from "./testing/gemini.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const QUESTION = user("Weather in Paris and in Rome");
const THIRD = "gemini-3.5-flash";
const SECOND = "gemini-2.5-flash";

/** The model's turn as it came. */
async function turnOf(model: string): Promise<JsonObject> {
  const answer = await answerTo(sandbox, model, { contents: [QUESTION], tools: [WEATHER] });
  return asObject(at(answer, "candidates", 0, "content"));
}

function changed(turn: JsonObject, change: (part: JsonObject, index: number) => JsonObject) {
  return { ...turn, parts: partsOfTurn(turn).map(change) };
}

function partsOfTurn(turn: JsonObject): readonly JsonObject[] {
  return partsOf({ candidates: [{ content: turn }] });
}

function withoutSignature({ thoughtSignature: _gone, ...part }: JsonObject): JsonObject {
  return part;
}

/** What the functions have brought, in the order of the calls. */
function resultsFor(turn: JsonObject): JsonObject {
  const parts = partsOfTurn(turn).flatMap((part) => {
    const call = part["functionCall"];
    if (call === undefined) return [];
    const { id, name } = asObject(call);
    const response = { output: "sunny" };
    return [
      {
        functionResponse: { ...(id === undefined ? {} : { id }), name: name ?? null, response },
      },
    ];
  });
  return { role: "user", parts };
}

async function refusal(model: string, contents: readonly JsonObject[]): Promise<string> {
  const body = { contents, tools: [WEATHER] };
  const response = await post(sandbox, `models/${model}:generateContent`, body);
  return response.status === 200 ? "accepted" : refusalOf(response);
}

const CORRUPTED = "400 INVALID_ARGUMENT Corrupted thought signature.";

describe.each([SECOND, THIRD])("%s", (model) => {
  test("signs its first call, and accepts the signature unchanged", async () => {
    const turn = await turnOf(model);

    const signed = partsOfTurn(turn).map((part) => "thoughtSignature" in part);
    expect(signed).toEqual([true, false]);
    expect(await refusal(model, [QUESTION, turn, resultsFor(turn)])).toBe("accepted");
  });

  test("refuses a signature that was changed, truncated, or made by another vendor", async () => {
    const turn = await turnOf(model);
    const signature = textAt(partsOfTurn(turn)[0], "thoughtSignature");
    const flipped = `${signature.slice(0, 20)}${signature[20] === "A" ? "B" : "A"}${signature.slice(21)}`;
    const foreign = Buffer.from("a signature from elsewhere, quite long").toString("base64");
    const wrong = [flipped, signature.slice(0, -8), foreign, "bW9jaw=="].map((each) =>
      refusal(model, [
        QUESTION,
        changed(turn, (part, index) => (index === 0 ? { ...part, thoughtSignature: each } : part)),
        resultsFor(turn),
      ]),
    );

    expect(await Promise.all(wrong)).toEqual(Array(4).fill(CORRUPTED));
  });

  test("accepts the signature in the other base64 alphabet, and the documented placeholder", async () => {
    const turn = await turnOf(model);
    const urlSafe = changed(turn, (part) =>
      typeof part["thoughtSignature"] === "string"
        ? {
            ...part,
            thoughtSignature: Buffer.from(part["thoughtSignature"], "base64").toString("base64url"),
          }
        : part,
    );
    const bypass = (word: string) =>
      changed(turn, (part, index) => (index === 0 ? { ...part, thoughtSignature: word } : part));

    for (const each of [
      urlSafe,
      bypass("skip_thought_signature_validator"),
      bypass("context_engineering_is_the_way_to_go"),
    ])
      expect(await refusal(model, [QUESTION, each, resultsFor(turn)])).toBe("accepted");
  });
});

test("a signature is required only by the third generation, and the error names the unsigned call", async () => {
  const [second, third] = [await turnOf(SECOND), await turnOf(THIRD)];
  const bare = (turn: JsonObject) => [QUESTION, changed(turn, withoutSignature), resultsFor(turn)];

  expect(await refusal(SECOND, bare(second))).toBe("accepted");
  expect(await refusal(THIRD, bare(third))).toContain(
    "400 INVALID_ARGUMENT Function call is missing a thought_signature in functionCall parts.",
  );
  expect(await refusal(THIRD, bare(third))).toContain("`default_api:get_weather` , position 2");
});

test("a signature must stay on the first call", async () => {
  const turn = await turnOf(THIRD);
  const [signature] = partsOfTurn(turn).map((part) => part["thoughtSignature"] ?? null);
  const moved = changed(turn, (part, index) =>
    index === 1 ? { ...part, thoughtSignature: signature ?? null } : withoutSignature(part),
  );

  expect(await refusal(THIRD, [QUESTION, moved, resultsFor(turn)])).toContain("missing");
});

test("only calls of the current turn's steps need signatures", async () => {
  const turn = await turnOf(THIRD);
  const bare = changed(turn, withoutSignature);
  const over = [QUESTION, bare, resultsFor(turn), { role: "model", parts: [{ text: "Sunny." }] }];
  const next = [user("And in Oslo?"), turn, resultsFor(turn)];
  const secondStep = [...over, ...next, bare, resultsFor(bare)];

  expect(await refusal(THIRD, [...over, user("Thanks, say hi")])).toBe("accepted");
  expect(await refusal(THIRD, [...over, ...next])).toBe("accepted");
  expect(await refusal(THIRD, secondStep)).toContain("position 8");
});

test("text of the third generation is signed on its last part, or in an empty one at the end of a stream", async () => {
  const body = ask("Count to 9");
  const whole = await answerTo(sandbox, THIRD, body);
  const chunks = await chunksOf(sandbox, THIRD, body);

  expect(partsOf(whole).at(-1)?.["thoughtSignature"]).toBeString();
  const last = partsOf(chunks.at(-1)).at(-1);
  expect([last?.["text"], typeof last?.["thoughtSignature"]]).toEqual(["", "string"]);
  expect(partsOf(...chunks.slice(0, -1)).some((part) => "thoughtSignature" in part)).toBe(false);
});

test("a streamed conversation continues from its parts as received", async () => {
  const chunks = await chunksOf(sandbox, THIRD, ask("Count to 9"));
  const answer = await answerTo(sandbox, THIRD, {
    contents: [user("Count to 9"), { role: "model", parts: partsOf(...chunks) }, user("Say hi")],
  });

  expect(textOf(answer)).toBe("hi");
});

test("a model that does not think ignores signatures", async () => {
  const turn = {
    role: "model",
    parts: [{ text: "Hello.", thoughtSignature: "bW9jaw==" }],
  };

  expect(await refusal("gemini-2.0-flash", [user("hi"), turn, user("Say hi")])).toBe("accepted");
  expect(await refusal(SECOND, [user("hi"), turn, user("Say hi")])).toBe(CORRUPTED);
});
