import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { ask, follow, Refused, type ApiClient } from "./client.ts";
import {
  describeNoun,
  layOut,
  readVerb,
  UsageError,
  type Noun,
  type Prompt,
  type Verb,
} from "./command.ts";

interface CommandIo {
  readonly input: NodeJS.ReadableStream;
  readonly output: { write(text: string): unknown };
  readonly errors: { write(text: string): unknown };
  /** Connects to the gateway, or opens its database if none runs. */
  reach(): Promise<ApiClient>;
  readLink(url: string): Promise<string>;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs one management API request and prints its response. Returns the exit code. */
export async function runNoun(
  noun: Noun,
  typed: readonly string[],
  io: CommandIo,
): Promise<0 | 1 | 2> {
  try {
    const { verb, words, isJson } = readVerb(noun, typed, {
      readLine: () => readLine(io.input),
      readFile: (path) => readFile(path, "utf8"),
      readLink: (url) => io.readLink(url),
      env: io.env ?? {},
    });
    const question = await verb.ask(words);
    await using reach = await io.reach();
    if (question.isFollowed === true) return await showEvents(question, verb, isJson, reach, io);
    const data = { ...(await ask(question, reach)), ...question.beside };
    const lines = isJson ? [JSON.stringify(data, null, 2)] : verb.show(data);
    io.output.write(`${lines.join("\n")}\n`);
    return verb.isFailure?.(data) === true ? 1 : 0;
  } catch (cause) {
    if (cause instanceof UsageError) {
      io.errors.write(`${cause.message}\n\n${layOut(describeNoun(noun))}\n`);
      return 2;
    }
    if (!(cause instanceof Refused)) throw cause;
    io.errors.write(`${cause.message}\n`);
    return 1;
  }
}

/** Prints the events until the stream ends, which is a failure. */
async function showEvents(
  question: Prompt,
  verb: Verb,
  isJson: boolean,
  reach: ApiClient,
  { output, errors }: CommandIo,
): Promise<never> {
  for await (const { event, data } of follow(question, reach)) {
    if (event === "dropped") {
      errors.write(
        `${JSON.stringify(data["count"])} calls were dropped: the reader was too slow.\n`,
      );
    } else {
      const lines = isJson ? [JSON.stringify(data)] : (verb.showEvent?.(data) ?? []);
      output.write(`${lines.join("\n")}\n`);
    }
  }
  throw new Error("A followed stream ends with a refusal.");
}

async function readLine(input: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}
