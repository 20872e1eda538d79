import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { expand } from "./expand.ts";

const env = { HOST: "db", PORT: "5432", EMPTY: "", DOLLAR: "${PORT}" };

test.each([
  ["plain", "plain"],
  ["${HOST}", "db"],
  ["http://${HOST}:${PORT}/", "http://db:5432/"],
  ["${PORT_:-80}", "80"],
  ["${EMPTY:-80}", "80"],
  ["${HOST:-other}", "db"],
  ["${NONE:-}", ""],
  ["${EMPTY}", ""],
  ["${NONE:-a:-b $ c}", "a:-b $ c"],
  ["$${HOST}", "${HOST}"],
  ["a $${ b", "a ${ b"],
  ["$5 and $HOST", "$5 and $HOST"],
  ["$$", "$$"],
])("variables are expanded: %s", (template, text) => {
  expect(expand(template, env)).toMatchObject({ text, mistakes: [] });
});

test("an expanded value is not expanded again", () => {
  expect(expand("${DOLLAR}", env)).toMatchObject({ text: "${PORT}", mistakes: [] });
});

test("the variables of a text are reported, whether they are set or not", () => {
  expect(expand("${HOST} ${NONE:-x} $${PORT}", env).variables).toEqual(["HOST", "NONE"]);
});

test.each(["${NONE}", "${constructor}", "${__proto__}", "${toString}"])(
  "an unset variable is reported by name: %s",
  (template) => {
    const name = template.slice(2, -1);
    expect(expand(template, env).mistakes).toEqual([
      `needs the variable ${name}, which is not set. Set it, or write \${${name}:-default}.`,
    ]);
  },
);

test.each(["${", "${}", "${1A}", "${HOST", "${HO ST}", "${HOST:80}", "${HOST:-80"])(
  "an incomplete variable is reported with the correct notation: %s",
  (template) => {
    expect(expand(template, env).mistakes).toEqual([expect.stringContaining("Write $${")]);
  },
);

test("a text that would exceed its maximum length is refused", () => {
  const big = { BIG: "x".repeat(10_000) };
  expect(expand("${BIG}".repeat(6), big).mistakes).toEqual([]);
  expect(expand("${BIG}".repeat(7), big)).toMatchObject({
    text: "",
    mistakes: [expect.stringContaining("longer than 65536 characters")],
  });
  expect(expand("${A:-".repeat(20_000), big).mistakes).toHaveLength(1);
});

test("every text can be escaped", () => {
  const anyText = fc
    .array(fc.constantFrom("$", "{", "}", "${", "A", ":-", " ", "$$"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(anyText, (text) => {
      const written = text.replaceAll("${", "$$${");
      expect(expand(written, env)).toMatchObject({ text, mistakes: [] });
    }),
    { seed: SEED },
  );
});
