import { describeScale, RATE_WORDS, type Scale } from "#core/rate-words.ts";
import { either, integer, list, number, object, text, type Rule } from "#lib/rules.ts";

/** The members of a price, in the words of `sluice.yaml`. */
export const PRICE_MEMBERS: Readonly<Record<string, Rule>> = {
  ...rateMembers(),
  grades: {
    is: "record",
    of: object(rateMembers()),
    doc: "Rates of one kind of result that differ, such as those of a larger picture.",
  },
};

const WORDS = either(text({ minLength: 1, maxLength: 40 }), list(text({ maxLength: 40 }), 32, 1));

/** What differs under conditions. */
export const VARIANTS: Rule = list(
  object({
    when: object({
      service_tier: WORDS,
      speed: WORDS,
      region: WORDS,
      above_input_tokens: integer(1, 100_000_000),
      from: text({ minLength: 10, maxLength: 10, doc: "First day, in UTC." }),
      until: text({ minLength: 10, maxLength: 10, doc: "Last day, in UTC." }),
      hours: { ...WORDS, doc: "Hours in UTC, such as `mon-fri 01:00-04:00`." },
    }),
    factor: either(number(0, 100), text({ minLength: 1, maxLength: 24 })),
    ...rateMembers(),
  }),
  100,
  1,
);

function rateMembers(): Readonly<Record<string, Rule>> {
  return Object.fromEntries(
    Object.entries(RATE_WORDS).map(([word, { scale }]) => [word, rateIn(scale)] as const),
  );
}

function rateIn(scale: Scale): Rule {
  return {
    ...either(number(0, scale === "million" ? 100_000 : 50), text({ minLength: 1, maxLength: 24 })),
    doc: `${describeScale(scale)}.`,
  };
}
