import { expect, test } from "bun:test";
import { channelsFromEnvironment, simulatedChannels } from "./environment-channels.ts";

test("a credential variable that was read from a file is used without its line break", () => {
  const channels = channelsFromEnvironment(
    { OPENAI_API_KEY: "sk-of-the-operator\n", GROQ_API_KEY: " \n" },
    1,
  );

  expect(channels.map(({ name, isSimulated }) => [name, isSimulated])).toEqual([["openai", false]]);
  expect(channels[0]?.credentials.map((each) => each.open())).toEqual(["sk-of-the-operator"]);
});

test("a simulated vendor has a channel that is marked as simulated", () => {
  const at = { baseUrl: "http://127.0.0.1:1", secret: "sk-simulated", options: { region: "r" } };

  const [channel, ...more] = simulatedChannels({ openai: at }, 7);

  expect(more).toEqual([]);
  expect(channel).toMatchObject({
    name: "simulated-openai",
    provider: "openai",
    baseUrl: at.baseUrl,
    options: at.options,
    maxConcurrent: 7,
    isSimulated: true,
  });
  expect(channel?.credentials.map((each) => each.open())).toEqual(["sk-simulated"]);
  expect(channel).not.toHaveProperty("secret");
});
