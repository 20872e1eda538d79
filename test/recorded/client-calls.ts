import type Anthropic from "@anthropic-ai/sdk";
import { FunctionCallingConfigMode, Type, type GoogleGenAI } from "@google/genai";
import type OpenAI from "openai";

interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  readonly genai: GoogleGenAI;
}

const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=";
const PDF = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\n%%EOF").toString("base64");
const QUESTION = "What is the weather in Paris?";
const SYSTEM = "You answer in one short sentence.";
const PARAMETERS = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
} as const;

/** Calls of every text style, whole and streamed, with tools, thoughts, pictures and refusals. */
export async function clientCalls({ openai, anthropic, genai }: Clients): Promise<void> {
  await callChat(openai);
  await callResponses(openai);
  await callMessages(anthropic);
  await callGemini(genai);
}

/** A refused call is a recording, too. */
async function refused(call: Promise<unknown>): Promise<void> {
  const isRefused = await call.then(
    () => false,
    () => true,
  );
  if (!isRefused) throw new Error("The simulator took a request that the vendor refuses.");
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream) continue;
}

async function callChat(client: OpenAI): Promise<void> {
  const { completions } = client.chat;
  const model = "gpt-4o-mini";
  const messages = [
    { role: "system", content: SYSTEM },
    { role: "user", content: QUESTION },
  ] as const;
  const plain = { model, messages: [...messages] };
  const tools = [
    { type: "function", function: { name: "get_weather", parameters: PARAMETERS } },
  ] as const;
  const streamed = { stream: true, stream_options: { include_usage: true } } as const;
  const schema = { name: "city", strict: true, schema: PARAMETERS };

  await completions.create(plain);
  await drain(await completions.create({ ...plain, ...streamed }));
  const called = await completions.create({ ...plain, tools: [...tools] });
  await drain(await completions.create({ ...plain, ...streamed, tools: [...tools] }));
  const [choice] = called.choices;
  const [call] = choice?.message.tool_calls ?? [];
  if (choice === undefined || call === undefined) throw new Error("No tool was called.");
  const result = { role: "tool", tool_call_id: call.id, content: "18 degrees" } as const;
  const turns = [...messages, choice.message, result];
  await completions.create({ model, messages: turns, tools: [...tools] });
  await drain(await completions.create({ model, messages: turns, tools: [...tools], ...streamed }));
  await completions.create({
    ...plain,
    response_format: { type: "json_schema", json_schema: schema },
  });
  await completions.create({ ...plain, temperature: 0.2, top_p: 0.9, stop: ["END"], seed: 7 });
  await completions.create({ ...plain, max_tokens: 5 });
  await completions.create({ ...plain, logprobs: true, top_logprobs: 2 });
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } };
  const parts = [{ type: "text", text: "What is this?" }, image];
  await completions.create({ model, messages: [{ role: "user", content: parts as never }] });
  await completions.create({ ...plain, model: "sim-reasoner", reasoning_effort: "low" });
  await drain(await completions.create({ ...plain, ...streamed, model: "sim-reasoner" }));
  await refused(completions.create({ ...plain, ...streamed, model: "no-such-model" }));
  await refused(completions.create({ ...plain, model: "no-such-model" }));
}

async function callResponses(client: OpenAI): Promise<void> {
  const { responses } = client;
  const plain = { model: "gpt-4o-mini", instructions: SYSTEM, input: QUESTION };
  const tools = [
    { type: "function", name: "get_weather", parameters: PARAMETERS, strict: true },
  ] as const;
  const thinks = {
    model: "gpt-5",
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    store: false,
  } as const;
  const format = { type: "json_schema", name: "city", schema: PARAMETERS, strict: true } as const;

  await responses.create(plain);
  await drain(await responses.create({ ...plain, stream: true }));
  const called = await responses.create({ ...plain, tools: [...tools] });
  await drain(await responses.create({ ...plain, tools: [...tools], stream: true }));
  const call = called.output.find((item) => item.type === "function_call");
  if (call === undefined) throw new Error("No tool was called.");
  const result = { type: "function_call_output", call_id: call.call_id, output: "18" } as const;
  const input = [{ role: "user", content: QUESTION } as const, call, result];
  await responses.create({ ...plain, input, tools: [...tools] });
  await responses.create({ ...plain, text: { format } });
  await responses.create({ ...plain, temperature: 0.2, top_p: 0.9, metadata: { a: "b" } });
  await responses.create({ ...plain, max_output_tokens: 16 });
  await responses.create({ ...plain, ...thinks, include: [...thinks.include] });
  await drain(
    await responses.create({ ...plain, ...thinks, include: [...thinks.include], stream: true }),
  );
  const image = `data:image/png;base64,${PICTURE}`;
  const content = [
    { type: "input_text", text: "What is this?" },
    { type: "input_image", image_url: image, detail: "low" },
  ] as const;
  await responses.create({ ...plain, input: [{ role: "user", content: [...content] }] });
  await refused(responses.create({ ...plain, stream: true, model: "no-such-model" }));
  await refused(responses.create({ ...plain, model: "no-such-model" }));
}

async function callMessages(client: Anthropic): Promise<void> {
  const { messages } = client;
  const plain = {
    model: "claude-sonnet-4-5-20250929",
    max_tokens: 2_000,
    messages: [{ role: "user" as const, content: QUESTION }],
  };
  const tools = [{ name: "get_weather", input_schema: { ...PARAMETERS, required: ["city"] } }];
  const thinking = { type: "enabled", budget_tokens: 1_024 } as const;
  const cached = [
    { type: "text" as const, text: SYSTEM, cache_control: { type: "ephemeral" as const } },
  ];

  await messages.create({ ...plain, system: SYSTEM });
  await drain(await messages.create({ ...plain, stream: true }));
  await messages.create({ ...plain, system: cached, stop_sequences: ["END"] });
  const called = await messages.create({ ...plain, tools, thinking });
  await drain(await messages.create({ ...plain, tools, stream: true }));
  await drain(await messages.create({ ...plain, tools, thinking, stream: true }));
  const call = called.content.find((block) => block.type === "tool_use");
  if (call === undefined) throw new Error("No tool was called.");
  const result = { type: "tool_result" as const, tool_use_id: call.id, content: "18 degrees" };
  const turns = [
    ...plain.messages,
    { role: "assistant" as const, content: called.content },
    { role: "user" as const, content: [result] },
  ];
  await messages.create({ ...plain, tools, thinking, messages: turns });
  await drain(await messages.create({ ...plain, tools, thinking, messages: turns, stream: true }));
  const image = { type: "base64" as const, media_type: "image/png" as const, data: PICTURE };
  const file = { type: "base64" as const, media_type: "application/pdf" as const, data: PDF };
  const content = [
    { type: "image" as const, source: image },
    { type: "document" as const, source: file },
    { type: "text" as const, text: "What are these?" },
  ];
  await messages.create({ ...plain, messages: [{ role: "user", content }] });
  await messages.create({ ...plain, max_tokens: 3 });
  await refused(messages.create({ ...plain, stream: true, model: "no-such-model" }));
  await refused(messages.create({ ...plain, model: "no-such-model" }));
}

async function callGemini(client: GoogleGenAI): Promise<void> {
  const { models } = client;
  const plain = { model: "gemini-2.5-flash", contents: QUESTION };
  const parameters = {
    type: Type.OBJECT,
    properties: { city: { type: Type.STRING } },
    required: ["city"],
  };
  const tools = [{ functionDeclarations: [{ name: "get_weather", parameters }] }];
  const forced = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } };
  const thinkingConfig = { includeThoughts: true, thinkingBudget: 1_024 };

  await models.generateContent({ ...plain, config: { systemInstruction: SYSTEM } });
  await drain(await models.generateContentStream(plain));
  const called = await models.generateContent({ ...plain, config: { tools } });
  await drain(
    await models.generateContentStream({ ...plain, config: { tools, toolConfig: forced } }),
  );
  const turn = called.candidates?.[0]?.content;
  const call = called.functionCalls?.[0];
  if (turn === undefined || call === undefined) throw new Error("No tool was called.");
  const response = { name: "get_weather", response: { degrees: 18 } };
  const contents = [
    { role: "user", parts: [{ text: QUESTION }] },
    turn,
    { role: "user", parts: [{ functionResponse: response }] },
  ];
  await models.generateContent({ ...plain, contents, config: { tools } });
  await drain(await models.generateContentStream({ ...plain, contents, config: { tools } }));
  const shaped = { responseMimeType: "application/json", responseSchema: parameters };
  await models.generateContent({ ...plain, config: shaped });
  await models.generateContent({
    ...plain,
    config: { temperature: 0.2, topP: 0.9, stopSequences: ["END"], seed: 7, maxOutputTokens: 900 },
  });
  await models.generateContent({ ...plain, config: { thinkingConfig } });
  await drain(await models.generateContentStream({ ...plain, config: { thinkingConfig } }));
  const inlineData = { mimeType: "image/png", data: PICTURE };
  const parts = [{ inlineData }, { text: "What is this?" }];
  await models.generateContent({ ...plain, contents: [{ role: "user", parts }] });
  await models.generateContent({ ...plain, config: { maxOutputTokens: 3 } });
  await refused(models.generateContent({ ...plain, model: "no-such-model" }));
}
