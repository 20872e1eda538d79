import { readValues } from "../engine/prompt-values.ts";
import { answerArithmetic } from "../engine/text/arithmetic.ts";
import type { RunContext, ServerRun } from "./server-tools.ts";

/** A program that prints the sum the user asked for. It is written, but only the sum is really worked out. */
export function executeCode(type: string, { prompt }: RunContext): ServerRun {
  const expression = readValues(prompt.text).expressions[0] ?? "0";
  const value = answerArithmetic({ ...prompt, gist: `What is ${expression}? Only the number.` });
  const stdout = `${value ?? "0"}\n`;
  const code = `print(${expression.replaceAll("^", "**")})`;
  const output = { stdout, stderr: "", return_code: 0, content: [] };
  const rest = {
    findings: [{ text: `The program printed ${stdout.trim()}.`, citation: undefined }],
    usesContainer: true,
  };

  // The first version of the tool took Python; the later ones run a shell.
  if (type === "code_execution_20250522") {
    return {
      name: "code_execution",
      input: { code },
      resultType: "code_execution_tool_result",
      result: { type: "code_execution_result", ...output },
      ...rest,
    };
  }
  return {
    name: "bash_code_execution",
    input: { command: `python3 -c "${code}"` },
    resultType: "bash_code_execution_tool_result",
    result: { type: "bash_code_execution_result", ...output },
    ...rest,
  };
}
