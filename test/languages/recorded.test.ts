import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";
import { openClientsGateway } from "./gateway.ts";
import { NO_AGENT } from "./recorder.ts";
import {
  describeAnswer,
  isOver,
  isRunning,
  StepValues,
  withKey,
  type RecordedAnswer,
  type RecordedRequest,
} from "./recording.ts";

/** What clients of other languages sent is answered as it was when they could read it. */
const FOLDER = join(import.meta.dir, "recorded");
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith(".jsonl"));

describe.each(FILES)("requests of %s", (file) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await openClientsGateway();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test.each(stepsIn(file))("%s", async (_name, requests) => {
    const values = new StepValues();
    for (const request of requests) {
      const { answer, text } = await answered(request, values);
      expect({ path: request.path, ...answer, members: [] }).toEqual({
        path: request.path,
        ...request.answer,
        members: [],
      });
      expect(answer.members ?? []).toEqual(
        expect.arrayContaining([...(request.answer.members ?? [])]),
      );
      values.note(text);
    }
  });

  async function answered(
    request: RecordedRequest,
    values: StepValues,
  ): Promise<{ readonly answer: RecordedAnswer; readonly text: string }> {
    let [answer, text] = await send(request, values);
    // The task of a client that asked once may have been finished by then; here it may run.
    const isPoll = request.isPoll === true || (request.method === "GET" && isRunning(text));
    if (isPoll) {
      await waitFor(async () => {
        if (!isOver(text)) [answer, text] = await send(request, values);
        return isOver(text);
      }, 60_000);
    }
    return { answer, text };
  }

  async function send(
    { method, path, headers, body }: RecordedRequest,
    values: StepValues,
  ): Promise<[RecordedAnswer, string]> {
    const sent = Object.entries(headers).map(([name, value]) => [name, withKey(value)] as const);
    const answer = await fetch(gateway.url + withKey(values.toValues(path)), {
      method,
      headers: { "user-agent": NO_AGENT, ...Object.fromEntries(sent) },
      redirect: "manual",
      ...(body === undefined ? {} : { body: withKey(values.toValues(body)) }),
    });
    const text = await answer.text();
    return [describeAnswer(answer.status, answer.headers.get("content-type") ?? "", text), text];
  }
});

function stepsIn(file: string): readonly [string, readonly RecordedRequest[]][] {
  const lines = readFileSync(join(FOLDER, file), "utf8").split("\n").filter(Boolean);
  const steps = Map.groupBy(
    lines.map((line) => JSON.parse(line) as RecordedRequest),
    ({ client, step }) => `${client}: ${step}`,
  );
  return [...steps];
}
