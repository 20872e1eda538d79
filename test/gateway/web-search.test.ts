import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { channelOf, channelsOf, UPSTREAMS } from "#test/matrix/upstreams.ts";

const PROMPT = "Search the web: how long is a canal lock?";

interface Search {
  ask(model: string): [string, object];
  urls(answer: never): string[];
}

const MESSAGES: Search = {
  ask: (model) => [
    "/v1/messages",
    {
      model,
      max_tokens: 1_000,
      messages: [{ role: "user", content: PROMPT }],
      tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }],
    },
  ],
  urls: (answer: { content: { citations?: { url: string }[] | null }[] }) =>
    answer.content.flatMap(({ citations }) => (citations ?? []).map(({ url }) => url)),
};

/** How each style asks for a search, and where the sources of an answer stand in it. */
const STYLES: Readonly<Record<string, Search>> = {
  chat: {
    ask: (model) => [
      "/v1/chat/completions",
      {
        model,
        messages: [{ role: "user", content: PROMPT }],
        web_search_options: { search_context_size: "medium" },
      },
    ],
    urls: (answer: {
      choices: { message: { annotations?: { url_citation: { url: string } }[] } }[];
    }) => (answer.choices[0]?.message.annotations ?? []).map((one) => one.url_citation.url),
  },
  responses: {
    ask: (model) => ["/v1/responses", { model, input: PROMPT, tools: [{ type: "web_search" }] }],
    urls: (answer: { output: { content?: { annotations: { url: string }[] }[] }[] }) =>
      answer.output.flatMap(({ content = [] }) =>
        content.flatMap(({ annotations }) => annotations.map(({ url }) => url)),
      ),
  },
  messages: MESSAGES,
  gemini: {
    ask: (model) => [
      `/v1beta/models/${model}:generateContent`,
      { contents: [{ role: "user", parts: [{ text: PROMPT }] }], tools: [{ googleSearch: {} }] },
    ],
    urls: (answer: {
      candidates: { groundingMetadata?: { groundingChunks?: { web: { uri: string } }[] } }[];
    }) =>
      (answer.candidates[0]?.groundingMetadata?.groundingChunks ?? []).map(({ web }) => web.uri),
  },
};

describe.each(UPSTREAMS.map((upstream) => [upstream.id, upstream] as const))(
  "[A4.3-14] a web search on an upstream of the style %s",
  (id, upstream) => {
    let sandbox: Sandbox;
    let gateway: TestGateway;
    beforeAll(async () => {
      sandbox = await startSandbox();
      gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
    });
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
    });

    test.each(Object.entries(STYLES))(
      "requested in the style %s, returns its sources",
      async (style, { ask, urls }) => {
        const [path, body] = ask(upstream.model);

        const answer = await gateway.post(path, body);
        const json: unknown = await answer.json();

        if (id === "chat" && style !== "chat") {
          // This family does not search: the wish is told as not carried, and the rest is answered.
          expect(answer.headers.get("sluice-lossy")).toContain("web_search");
          return;
        }
        expect([answer.status, JSON.stringify(json).slice(0, 300)]).toEqual([
          200,
          JSON.stringify(json).slice(0, 300),
        ]);
        if (id === "chat") return;
        const found = urls(json as never);
        expect(found.length).toBeGreaterThan(0);
        for (const url of found) expect(url).toMatch(/^https?:\/\//);
      },
    );
  },
);

describe("a conversation that continues on another vendor after a search", () => {
  test("is not refused because of the sources in its history", async () => {
    await using sandbox = await startSandbox();
    await using gateway = await openTestGateway({
      yaml: channelsOf(["messages", "gemini"], sandbox.url),
    });
    const { ask } = MESSAGES;
    const [path, body] = ask("gemini-2.5-flash");
    const found = await gateway.post(path, body);
    const { content } = (await found.json()) as { content: { citations?: unknown[] }[] };
    expect(content.some(({ citations = [] }) => citations.length > 0)).toBe(true);

    const { messages } = body as { messages: object[] };
    const answer = await gateway.post(path, {
      ...body,
      model: "claude-sonnet-4-5-20250929",
      messages: [...messages, { role: "assistant", content }, { role: "user", content: "Thanks." }],
    });

    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  });
});
