import { expect, test } from "bun:test";
import { LossReport } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { fitRequest, targetOf } from "./fit-request.ts";

const traits = { maxOutputTokens: 5 };

test("a style fits a body to the route's model and the dialect of its vendor", () => {
  const seen: OutboundContext[] = [];
  const outbound = {
    fitRequest: (body: JsonObject, context: OutboundContext) => {
      seen.push(context);
      return { seed: undefined, user: body["model"] };
    },
  };
  const report = new LossReport();
  const fit = (dialect: object | undefined, ...more: readonly boolean[]) =>
    fitRequest(
      { model: "m" },
      { endpoint: { style: { outbound }, ...(dialect && { dialect }) }, traits } as never,
      report,
      ...more,
    );

  expect(fit({ seed: false }, true)).toEqual({ seed: undefined, user: "m" });
  fit(undefined);
  expect(seen).toEqual([
    { report, dropsMisplaced: true, model: traits, dialect: { seed: false } } as never,
    { report, dropsMisplaced: false, model: traits } as never,
  ]);
  expect(Object.keys(targetOf({ endpoint: {}, traits } as never))).toEqual(["model"]);
});

test("a body is unchanged in a style without adaptations", () => {
  const route = { endpoint: { style: { outbound: {} } }, traits } as never;

  expect(fitRequest({ model: "m" }, route, new LossReport())).toEqual({});
});
