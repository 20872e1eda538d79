import { cell, listing, table, type Noun } from "./command.ts";

export const settings: Noun = {
  name: "settings",
  verbs: [
    {
      usage: "list",
      doc: "lists all settings with their values and sources",
      ask(words) {
        words.none();
        return { method: "GET", path: "/api/setting" };
      },
      show: (data) =>
        table(data, ["name", "value", "source", "changes here"], (setting) => [
          setting["name"] ?? null,
          setting["value"] ?? null,
          setting["place"] ?? setting["source"] ?? null,
          setting["changes"] ?? null,
        ]),
    },
    {
      usage: "set <name> <value>",
      doc: "changes a setting that is not set in the environment or the file",
      ask(words) {
        const [name, value] = words.two("a setting and its value");
        return { method: "PUT", path: pathOf(name), body: { value } };
      },
      show: listing,
    },
    {
      usage: "reset <name>",
      doc: "removes a stored setting",
      ask: (words) => ({ method: "DELETE", path: pathOf(words.one("a setting")) }),
      show: (data) => [`${cell(data["name"] ?? null)} is ${cell(data["value"] ?? null)}`],
    },
  ],
};

function pathOf(name: string): string {
  return `/api/setting/${encodeURIComponent(name)}`;
}
