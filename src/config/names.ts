import { text } from "./parsers.ts";

export const objectName = text(
  "a name of 1 to 64 letters, digits, dots, dashes and underscores",
  /^[A-Za-z0-9._-]{1,64}$/,
);

export const modelName = text(
  "a model's name: 1 to 200 visible characters without spaces",
  /^[^\p{C}\p{Z}]{1,200}$/u,
);
