import { text } from "../parsers.ts";

export const displayName = text(
  "a name of 1 to 100 visible characters without white space around it",
  /^(?!\s)[^\p{C}]{1,100}(?<!\s)$/u,
);
