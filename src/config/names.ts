import { readObjectName } from "#core/name.ts";
import { parser, text } from "./parsers.ts";

export const objectName = parser({
  expects: "a name of 1 to 64 letters and digits of any script, dots, dashes and underscores",
  shows: "always",
  parse: readObjectName,
  format: (name) => name,
});

export const modelName = text(
  "a model's name: 1 to 200 visible characters without spaces",
  /^[^\p{C}\p{Z}]{1,200}$/u,
);
