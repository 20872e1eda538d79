import { listSettings, type Setting } from "#config.ts";
import type { Json } from "#lib/json.ts";
import { currentPaths, underCurrentNames } from "../former-names.ts";
import { findSettings } from "../find-settings.ts";
import { readDocument } from "../read-document.ts";
import { numeral, reportOwned, type Section, type Stored, type Wanted } from "./section.ts";

/** Settings by full name; each is an object with the field `value`. */
export const settings: Section = {
  async load(stores) {
    const texts = underCurrentNames(await stores.settings.list(), listSettings());
    return new Map(
      storable().flatMap(([name, row]) => {
        const text = texts.get(name);
        // A value stored by another version is left unchanged.
        if (text === undefined || row.parser.parse(text) === undefined) return [];
        return [[name, storedSetting(name, text, row)] as const];
      }),
    );
  },

  read(node, stored, terms, report) {
    const wanted = new Map<string, Wanted>();
    if (node.kind !== "map") {
      if (node.kind !== "broken") report(node.place, "is not a map from setting names to values.");
      return wanted;
    }
    const rows = new Map(listSettings().flatMap((row) => (row.path ? [[row.path, row]] : [])));
    const former = [...currentPaths(listSettings()).keys()];
    const written = findSettings(node, [...rows.keys(), ...former], [], report);
    for (const [name, each] of underCurrentNames(written, listSettings())) {
      const row = rows.get(name);
      if (row?.stored === undefined) {
        report(
          each.place,
          "cannot be stored, because it is only read at the start. Set it in the file or the environment.",
        );
        continue;
      }
      const value = readDocument(row.parser.schema, each, report);
      if (value === undefined) continue;
      const text = row.parser.format(value);
      const entry = { place: each.place, fields: { value: text } };
      reportOwned("settings", name, entry, stored.get(name), terms, report);
      wanted.set(name, { ...entry, save: (stores) => stores.settings.put(name, text) });
    }
    return wanted;
  },

  write(objects) {
    const section: Record<string, Json> = {};
    const groups: Record<string, Record<string, Json>> = {};
    for (const [name, { value: text }] of objects) {
      const value = typeof text === "string" ? numeral(text) : null;
      const [head = "", ...rest] = name.split(".");
      if (rest.length === 0) section[head] = value;
      else (section[head] = groups[head] ??= {})[rest.join(".")] = value;
    }
    return section;
  },
};

function storedSetting(name: string, text: string, { formerly }: Setting<unknown>): Stored {
  return {
    fields: { value: text },
    delete: async (stores) => {
      const hadFormer = formerly !== undefined && (await stores.settings.delete(formerly.path));
      return (await stores.settings.delete(name)) || hadFormer;
    },
  };
}

function storable(): (readonly [string, Setting<unknown>])[] {
  return listSettings().flatMap((row) =>
    row.path === undefined || row.stored === undefined ? [] : [[row.path, row] as const],
  );
}
