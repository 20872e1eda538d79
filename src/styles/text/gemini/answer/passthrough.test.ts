import { describe, expect, test } from "bun:test";
import { writeSignature } from "#core/signature.ts";
import type { ModelTraits } from "#core/model.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { readRequest } from "../request/facts.ts";
import { amend } from "./passthrough.ts";

const NEWEST: ModelTraits = { reasoningControls: { efforts: ["low", "high"] } };
const OLDER: ModelTraits = { reasoningControls: { budget: {} } };
const LENT = writeSignature({ issuer: "messages", value: "secret proof" }, "gemini");
const ASK = { role: "user", parts: [{ text: "weather?" }] };
const CALL = { functionCall: { name: "f", args: { text: "x" } } };
const RESULT = { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] };

function sent(contents: readonly JsonObject[], model: ModelTraits): Json | undefined {
  const body = { contents };
  return amend(body, readRequest(body, { model: "m" }), "m", model)["contents"];
}

describe("a native passthrough request", () => {
  test("is unchanged if all of its signatures are the vendor's own", () => {
    const signed = { role: "model", parts: [{ ...CALL, thoughtSignature: "c2ln" }, CALL] };

    expect(sent([ASK, signed, RESULT], NEWEST)).toBeUndefined();
    expect(sent([ASK, { role: "model", parts: [CALL] }, RESULT], OLDER)).toBeUndefined();
    // A step of a turn that is over needs no proof.
    expect(sent([ASK, { role: "model", parts: [CALL] }, RESULT, ASK], NEWEST)).toBeUndefined();
    expect(sent([ASK, { role: "model", parts: { text: "well" } }, ASK], NEWEST)).toBeUndefined();
  });

  test("omits a signature of another style's vendor, in either spelling", () => {
    const answered = {
      role: "model",
      parts: [
        { text: "hm", thought: true, thoughtSignature: LENT },
        { text: "", thought: true, thought_signature: LENT },
        { text: "well", thoughtSignature: "c2ln" },
        { ...CALL, thought_signature: LENT },
      ],
    };

    expect(sent([ASK, answered, RESULT], OLDER)).toEqual([
      ASK,
      {
        role: "model",
        parts: [{ text: "hm", thought: true }, { text: "well", thoughtSignature: "c2ln" }, CALL],
      },
      RESULT,
    ]);
  });

  test("has no empty model turn between a call and its result", () => {
    const calling = { role: "model", parts: [CALL] };
    for (const empty of [
      { role: "model" },
      { role: "model", parts: [] },
      { role: "model", parts: [{ text: "" }] },
      { role: "model", parts: { text: "" } },
    ]) {
      expect(sent([ASK, calling, empty, RESULT], OLDER)).toEqual([ASK, calling, RESULT]);
      expect(sent([ASK, calling, empty, empty, RESULT], OLDER)).toEqual([ASK, calling, RESULT]);
      // Elsewhere the vendor takes it.
      expect(sent([ASK, empty, ASK], OLDER)).toBeUndefined();
    }
  });

  test("omits a turn that has only such a signature", () => {
    const proof = { text: "", thoughtSignature: LENT };

    expect(sent([ASK, { role: "model", parts: [proof] }, ASK], OLDER)).toEqual([ASK, ASK]);
    expect(sent([ASK, { role: "model", parts: proof }, ASK], OLDER)).toEqual([ASK, ASK]);
  });

  test("marks another vendor's call as unsigned, if the newest models require that", () => {
    const calling = { role: "model", parts: [{ text: "well" }, CALL, CALL] };
    const spelled = {
      role: "model",
      parts: [{ function_call: { name: "f", args: {} }, thoughtSignature: LENT }],
    };

    expect(sent([ASK, calling, RESULT, spelled, RESULT], NEWEST)).toEqual([
      ASK,
      {
        role: "model",
        parts: [
          { text: "well" },
          { ...CALL, thoughtSignature: "skip_thought_signature_validator" },
          CALL,
        ],
      },
      RESULT,
      {
        role: "model",
        parts: [
          {
            function_call: { name: "f", args: {} },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      RESULT,
    ]);
  });
});
