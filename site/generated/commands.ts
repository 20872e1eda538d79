import { COMMANDS } from "#cli/commands.ts";

/** All commands of the command line, as its help has them. */
export function renderCommands(): string {
  return COMMANDS.map(({ name, rows }) => {
    const forms = rows.map(([usage = "", purpose = ""]) => `sluice ${usage}\n    ${purpose}`);
    return `## ${name}\n\n\`\`\`text\n${forms.join("\n")}\n\`\`\``;
  }).join("\n\n");
}
