import { Mistral } from "@mistralai/mistralai";

/**
 * Steps of clients that are too large for the project's own dependencies. The
 * arguments are an address, a key, and words that pick steps.
 */
const [url, key, ...picked] = process.argv.slice(2);

const mistral = new Mistral({ serverURL: url, apiKey: key, retryConfig: { strategy: "none" } });
const MODELS = ["gpt-4o-mini", "claude-haiku-4-5-20251001", "gemini-2.5-flash"];
const WEATHER = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather in a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

const steps = {};
for (const model of MODELS) {
  const ask = (content) => ({ model, messages: [{ role: "user", content }] });

  steps[`chat ${model}`] = async () => {
    const { choices, usage } = await mistral.chat.complete({
      ...ask("Reply with exactly: pong"),
      maxTokens: 4_096,
      temperature: 0.5,
      randomSeed: 7,
      safePrompt: false,
    });
    same(choices[0].message.content, "pong");
    same(choices[0].finishReason, "stop");
    more(usage.completionTokens, 0);
  };

  steps[`stream ${model}`] = async () => {
    const { text, usage, reason } = await readAll(ask("Reply with exactly: one two three"));
    same(text, "one two three");
    same(reason, "stop");
    more(usage?.completionTokens, 0);
  };

  steps[`tool ${model}`] = async () => {
    const question = ask("What is the weather in Paris?");
    const first = await mistral.chat.complete({ ...question, tools: [WEATHER], toolChoice: "any" });
    const said = first.choices[0].message;
    const [call] = said.toolCalls ?? [];
    same(call?.function.name, "get_weather");
    const second = await mistral.chat.complete({
      ...question,
      tools: [WEATHER],
      messages: [...question.messages, { role: "assistant", ...said }, resultOf(call)],
    });
    more(second.choices[0].message.content.length, 0);
  };

  steps[`streamed tool ${model}`] = async () => {
    const question = { ...ask("What is the weather in Paris?"), tools: [WEATHER] };
    const { calls, reason } = await readAll(question);
    same(calls[0]?.function.name, "get_weather");
    same(reason, "tool_calls");
    const { text } = await readAll({
      ...question,
      messages: [
        ...question.messages,
        { role: "assistant", content: "", toolCalls: calls },
        resultOf(calls[0]),
      ],
    });
    more(text.length, 0);
  };
}

steps["json"] = async () => {
  const { choices } = await mistral.chat.complete({
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "Give me a JSON object." }],
    responseFormat: { type: "json_object" },
  });
  JSON.parse(choices[0].message.content);
};

steps["picture"] = async () => {
  const { choices } = await mistral.chat.complete({
    model: "gpt-4o-mini",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", imageUrl: `data:image/png;base64,${PIXEL}` },
        ],
      },
    ],
  });
  more(choices[0].message.content.length, 0);
};

steps["embeddings"] = async () => {
  const { id, data, usage } = await mistral.embeddings.create({
    model: "text-embedding-3-small",
    inputs: ["one", "two"],
  });
  more(id.length, 0);
  same(data.length, 2);
  more(data[1].embedding.length, 0);
  more(usage.promptTokens, 0);
};

steps["models"] = async () => {
  const { data } = await mistral.models.list();
  const found = data.find(({ id }) => id === "gpt-4o-mini");
  same(found?.type, "base");
  same(found?.capabilities.functionCalling, true);
};

steps["unknown model"] = async () => {
  const failure = await mistral.chat
    .complete({ model: "nobody-has-it", messages: [{ role: "user", content: "hi" }] })
    .then(
      () => undefined,
      (cause) => cause,
    );
  same(failure?.statusCode, 404);
};

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function resultOf({ id, function: { name } }) {
  return { role: "tool", toolCallId: id, name, content: "18 degrees" };
}

async function readAll(question) {
  const read = { text: "", calls: [], usage: undefined, reason: undefined };
  for await (const { data } of await mistral.chat.stream(question)) {
    const [choice] = data.choices;
    read.usage = data.usage ?? read.usage;
    read.text += choice?.delta.content ?? "";
    read.reason = choice?.finishReason ?? read.reason;
    for (const call of choice?.delta.toolCalls ?? []) {
      const known = read.calls[call.index ?? 0];
      if (known === undefined) read.calls[call.index ?? 0] = structuredClone(call);
      else known.function.arguments += call.function.arguments;
    }
  }
  return read;
}

function same(found, wanted) {
  if (found !== wanted)
    throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
}

function more(found, least) {
  if (!(found > least)) throw new Error(`${JSON.stringify(found)} is not more than ${least}`);
}

for (const [step, run] of Object.entries(steps)) {
  if (picked.length > 0 && !picked.some((word) => `mistral ${step}`.includes(word))) continue;
  await fetch(`${url}/_step?${new URLSearchParams({ client: "mistral", step })}`);
  const line = { client: "mistral", step };
  try {
    await run();
  } catch (cause) {
    line.failure = String(cause?.stack ?? cause).slice(0, 1_500);
  }
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
