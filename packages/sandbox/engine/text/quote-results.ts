import type { Prompt } from "../prompt.ts";

/** Results of the tools, verbatim, so that a lost or swapped result shows. */
export function quoteResults({ results }: Prompt): string | undefined {
  if (results.length === 0) return undefined;
  const sentences = results.map(({ tool, text }) => {
    const source = tool === "" ? "The tool" : `The ${tool} tool`;
    const said = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
    return said.trim() === "" ? `${source} returned nothing.` : `${source} returned: ${said}`;
  });
  return sentences.join("\n");
}

const MAX_CHARACTERS = 1_000;
