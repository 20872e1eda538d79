import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { messages } from "../index.ts";
import { parseRequest } from "../request/request-in.ts";

const BASH = { type: "bash_20250124", name: "bash" };
const EDITOR = { type: "text_editor_20250728", name: "str_replace_based_edit_tool" };
const OLD_EDITOR = { type: "text_editor_20241022", name: "str_replace_editor" };
const MEMORY = { type: "memory_20250818", name: "memory" };

function writtenFor(style: Pick<typeof chat, "outbound">, fields: JsonObject) {
  const report = new LossReport();
  const user = { role: "user", content: "hi" };
  const request = parseRequest({ model: "m", max_tokens: 50, messages: [user], ...fields });
  const model = { kind: "chat", tools: true } as const;
  return { body: style.outbound.buildRequest(request, { report, model }), lost: report.fields };
}

function refusal(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? error.param : String(error);
  }
}

describe("a tool that has a type of the style and runs at the client", () => {
  test.each([
    ["chat", chat],
    ["responses", responses],
    ["gemini", gemini],
  ])("is a function for upstreams of the %s style, and nothing is lost", (_, style) => {
    const { body, lost } = writtenFor(style, { tools: [BASH, EDITOR, MEMORY] });

    const tools = JSON.stringify(body["tools"]);
    expect(tools).toContain('"name":"bash"');
    expect(tools).toContain('"command":{"type":"string","description"');
    expect(tools).toContain('"enum":["view","create","str_replace","insert"]');
    expect(tools).toContain('"enum":["view","create","str_replace","insert","delete","rename"]');
    expect(lost).toEqual([]);
  });

  test("has the schema of its version", () => {
    const parametersOf = (tool: JsonObject): string =>
      JSON.stringify(writtenFor(chat, { tools: [tool] }).body["tools"]);

    expect(parametersOf(OLD_EDITOR)).toContain("undo_edit");
    expect(parametersOf(OLD_EDITOR)).not.toContain("insert_text");
    expect(parametersOf(EDITOR)).not.toContain("undo_edit");
    expect(parametersOf(EDITOR)).toContain("insert_text");
  });

  test("can be chosen, and its tuning options are reported", () => {
    const { body, lost } = writtenFor(chat, {
      tools: [{ ...EDITOR, max_characters: 9 }],
      tool_choice: { type: "tool", name: EDITOR.name },
    });

    expect(body["tool_choice"]).toMatchObject({ function: { name: EDITOR.name } });
    expect(lost).toEqual(["tools.max_characters"]);
  });

  test("is sent unchanged to an upstream of this style", () => {
    const tools = [{ ...BASH, cache_control: { type: "ephemeral" } }, EDITOR];

    expect(writtenFor(messages, { tools }).body["tools"]).toEqual(tools);
  });

  test("and also if another tool's name must be escaped", () => {
    const odd = { name: "a.b", input_schema: { type: "object" } };

    expect(writtenFor(messages, { tools: [BASH, odd] }).body["tools"]).toMatchObject([BASH, {}]);
  });
});

describe("a tool that only this style's vendor runs", () => {
  test.each([
    ["code_execution", { type: "code_execution_20250825", name: "code_execution" }],
    ["computer", { type: "computer_20250124", name: "computer", display_width_px: 9 }],
    ["mcp_toolset", { type: "mcp_toolset", mcp_server_name: "a" }],
  ])("is refused by its name: %s", (name, tool) => {
    for (const style of [chat, responses, gemini]) {
      expect(refusal(() => writtenFor(style, { tools: [tool] }))).toBe(`tools.${name}`);
    }
  });

  test("is reported by its name, if the result does not depend on it", () => {
    const tools = [{ type: "web_fetch_20250910", name: "web_fetch" }];

    expect(writtenFor(chat, { tools }).lost).toEqual(["tools.web_fetch"]);
  });

  test("is refused alike if it is declared in chat completions", () => {
    const request = chat.inbound.parseRequest(
      {
        model: "m",
        messages: [{ role: "user", content: "hi" }],
        tools: [{ type: "code_interpreter" }],
      },
      {
        model: "m",
        stream: false,
        maxOutputTokens: undefined,
        choices: 1,
        messages: 1,
        wantsUsage: false,
      },
    );
    const context = { report: new LossReport(), model: {} };

    expect(refusal(() => messages.outbound.buildRequest(request, context))).toBe(
      "tools.code_interpreter",
    );
  });
});
