import type { Form } from "./form.ts";
import type { Report } from "./mistakes.ts";
import { text } from "./parsers.ts";

export const objectName = text(
  "a name of 1 to 64 letters, digits, dots, dashes and underscores",
  /^[A-Za-z0-9._-]{1,64}$/,
);

export const modelName = text(
  "a model's name: 1 to 200 visible characters without spaces",
  /^[^\p{C}\p{Z}]{1,200}$/u,
);

/** Names within one list are unique; the second use is reported. */
export function readUniqueName(form: Form, taken: Set<string>, report: Report): string | undefined {
  const name = form.required("name", objectName);
  if (name === undefined) return undefined;
  if (taken.has(name)) {
    report(form.find("name")?.place ?? form.place, "is a duplicate name. Choose another one.");
  }
  taken.add(name);
  return name;
}
