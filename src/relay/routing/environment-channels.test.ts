import { expect, test } from "bun:test";
import { channelsFromEnvironment } from "./environment-channels.ts";

test("a credential variable that was read from a file is used without its line break", () => {
  const channels = channelsFromEnvironment(
    { OPENAI_API_KEY: "sk-of-the-operator\n", GROQ_API_KEY: " \n" },
    1,
  );

  expect(channels.map(({ name }) => name)).toEqual(["openai"]);
  expect(channels[0]?.credentials.map((each) => each.open())).toEqual(["sk-of-the-operator"]);
});
