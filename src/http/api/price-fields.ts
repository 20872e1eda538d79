import { describeScale, RATE_WORDS, type Scale } from "#core/rate-words.ts";
import { either, number, object, text, type Rule } from "#lib/rules.ts";

/** The members of a price, in the words of `sluice.yaml`. */
export const PRICE_MEMBERS: Readonly<Record<string, Rule>> = {
  ...rateMembers(),
  grades: {
    is: "record",
    of: object(rateMembers()),
    doc: "Rates of one kind of result that differ, such as those of a larger picture.",
  },
};

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
