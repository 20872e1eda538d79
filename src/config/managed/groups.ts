import { USUAL_FACTOR, type Group, type GroupChange } from "#core/group.ts";
import type { RateLimits } from "#core/limits.ts";
import { writeThousandths } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { type DescribedGroup, GROUP, groupOf } from "../documents/group.ts";
import { limitFields } from "./limits.ts";
import { priceFields } from "./rates.ts";
import { listed, numeral, readNamed, type Section, type StoredById, sorted } from "./section.ts";

const PAGE = 1_000;

export const groups: Section<StoredById> = {
  async load(stores) {
    const found: Group[] = [];
    for (;;) {
      const page = await stores.groups.list(found.at(-1)?.id ?? 0, PAGE);
      found.push(...page);
      if (page.length < PAGE) break;
    }
    return new Map(
      found.map((group) => [
        group.name,
        { id: group.id, fields: fieldsOf(group), delete: (on) => on.groups.delete(group.id) },
      ]),
    );
  },

  read: (node, stored, _, report) =>
    readNamed(node, GROUP, report, ({ name, ...given }) => {
      const described = groupOf(given);
      const id = stored.get(name)?.id;
      return {
        fields: fieldsOf(described),
        save: ({ groups: store }) =>
          id === undefined
            ? store.create({ name, ...changeTo(described) })
            : store.change(id, changeTo(described)),
      };
    }),

  write: listed,
};

function changeTo({
  models,
  channels,
  limits,
  sharedLimits,
  contentLog,
  ...rest
}: DescribedGroup): GroupChange {
  return {
    ...rest,
    contentLog: contentLog ?? null,
    models: models ?? null,
    channels: channels ?? null,
    limits: allOf(limits),
    sharedLimits: allOf(sharedLimits),
  };
}

function allOf({ requestsPerMinute, tokensPerMinute, concurrency }: RateLimits = {}) {
  return {
    requestsPerMinute: requestsPerMinute ?? null,
    tokensPerMinute: tokensPerMinute ?? null,
    concurrency: concurrency ?? null,
  };
}

function fieldsOf(group: DescribedGroup): JsonObject {
  const { models, channels, priceFactor, prices, contentLog, limits, sharedLimits } = group;
  const priced = sorted(prices).map(([model, rates]) => [model, priceFields(rates)] as const);
  return {
    ...(models === undefined ? {} : { models }),
    ...(channels === undefined ? {} : { channels }),
    ...(priceFactor === USUAL_FACTOR
      ? {}
      : { price_factor: numeral(writeThousandths(priceFactor)) }),
    ...(priced.length === 0 ? {} : { prices: Object.fromEntries(priced) }),
    ...(contentLog === undefined ? {} : { content_log: contentLog }),
    ...limitFields("limits", limits),
    ...limitFields("shared_limits", sharedLimits),
  };
}
