import { listSettings } from "#config.ts";

const HEAD = ["In `sluice.yaml`", "Variable", "Default", "Takes", "Meaning", "While running"];

/** All settings as a Markdown table, for the manual. */
export function renderSettingsTable(): string {
  const rows = listSettings().map((setting) => [
    setting.path === undefined ? "-" : `\`${setting.path}\``,
    `\`${setting.env}\``,
    setting.default === undefined ? "none" : `\`${setting.parser.format(setting.default)}\``,
    setting.parser.expects,
    setting.doc,
    setting.stored ?? "-",
  ]);
  const rule = HEAD.map(() => "---");
  return [HEAD, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
