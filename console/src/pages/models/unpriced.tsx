import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { count, money, percent } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { MODEL_TEXTS } from "./texts.ts";
import type { paths } from "../../../generated/api.d.ts";

type Unpriced =
  paths["/api/price/unpriced"]["get"]["responses"]["200"]["content"]["application/json"]["data"]["items"][number];

interface UnpricedModelsProps {
  readonly wanted: string;
  readonly mayChange: boolean;
  readonly hrefOf: (model: string) => string;
}

/** Models without a price, the most used first, each with the price of its nearest relative. */
export function UnpricedModels({ wanted, mayChange, hrefOf }: UnpricedModelsProps) {
  const t = useTexts(MODEL_TEXTS);
  const client = useQueryClient();
  const [pricing, setPricing] = useState<string>();
  const found = hooks.useQuery("get", "/api/price/unpriced", { params: { query: { all: true } } });
  const put = hooks.useMutation("put", "/api/model/{name}", {
    onError: () => undefined,
    onSettled: () => setPricing(undefined),
  });
  const price = ({ model, suggestion }: Unpriced): void => {
    if (suggestion === null) return;
    setPricing(model);
    put.mutate(
      {
        params: { path: { name: model } },
        body: { ...statedPrice(suggestion.price), source: sourceOf(suggestion) },
      } as never,
      {
        onSuccess() {
          toast(t.saved(model));
          for (const path of ["/api/model", "/api/price/unpriced"]) {
            void client.invalidateQueries({ queryKey: ["get", path] });
          }
        },
      },
    );
  };
  const rows = found.data?.data.items.filter(
    ({ model, channel }) =>
      model.toLowerCase().includes(wanted) || channel.toLowerCase().includes(wanted),
  );
  const error = found.error ?? put.error;
  return (
    <>
      {error !== null && <Problem error={error} onRetry={() => void found.refetch()} />}
      <Table
        label={`${t.unpricedLabel}. ${t.perMillion}.`}
        columns={[
          ...columnsOf(t),
          {
            name: "action",
            label: "",
            width: "8.5rem",
            align: "end",
            cell: (row) =>
              mayChange &&
              row.suggestion !== null && (
                <Button
                  className="h-6 px-2 text-xs"
                  busy={pricing === row.model}
                  aria-label={t.useFor(row.suggestion.model, row.model)}
                  onClick={() => price(row)}
                >
                  {t.useSuggestion}
                </Button>
              ),
          },
        ]}
        rows={rows}
        rowKey={({ model, channel }) => `${channel} ${model}`}
        href={({ model }) => hrefOf(model)}
        fills
        empty={<Empty title={wanted === "" ? t.allPriced : t.none} />}
      />
    </>
  );
}

type Suggestion = NonNullable<Unpriced["suggestion"]>;

/** The catalogue's tiers are variants where a price is set, and its variants have no own date. */
function statedPrice({ tiers = [], variants = [], ...price }: Suggestion["price"]): object {
  const stated = [
    ...tiers.map(({ above_input_tokens, ...rates }) => ({
      when: { above_input_tokens },
      ...rates,
    })),
    ...variants.map((variant) =>
      Object.fromEntries(
        Object.entries(variant).filter(([name]) => name !== "date" && name !== "source"),
      ),
    ),
  ];
  return stated.length === 0 ? price : { ...price, variants: stated };
}

function sourceOf({ model, price }: Suggestion): string {
  return `${price.source} (${model})`.slice(0, 500);
}

function columnsOf(
  t: ReturnType<typeof useTexts<typeof MODEL_TEXTS.en>>,
): readonly Column<Unpriced>[] {
  return [
    {
      name: "name",
      label: t.name,
      width: "14rem",
      cell: ({ model }) => <span title={model}>{model}</span>,
    },
    {
      name: "channel",
      label: t.servedBy,
      cell: ({ channel }) => (
        <Link href={`/channels/${encodeURIComponent(channel)}`} className="hover:text-accent">
          {channel}
        </Link>
      ),
    },
    {
      name: "calls",
      label: t.callsOfMonth,
      width: "8rem",
      align: "end",
      cell: ({ calls }) => count(calls),
    },
    {
      name: "suggestion",
      label: t.suggestion,
      width: "18rem",
      cell: ({ suggestion }) =>
        suggestion === null ? (
          t.noSuggestion
        ) : (
          <span title={`${suggestion.provider} ${suggestion.model}`}>
            {suggestion.model}{" "}
            <span className="text-muted text-xs">{t.alike(percent(suggestion.likeness))}</span>
          </span>
        ),
    },
    {
      name: "input",
      label: t.input,
      width: "5rem",
      align: "end",
      cell: ({ suggestion }) => money(suggestion?.price.input),
    },
    {
      name: "output",
      label: t.output,
      width: "5rem",
      align: "end",
      cell: ({ suggestion }) => money(suggestion?.price.output),
    },
  ];
}
