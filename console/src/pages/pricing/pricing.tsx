import { useEffect } from "react";
import { Link } from "wouter";
import { hooks, type Schemas } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { Preferences } from "../../app/preferences.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Select } from "../../ui/field.tsx";
import { Filters } from "../../ui/filters.tsx";
import { SearchInput } from "../../ui/search-input.tsx";
import { money, percent, shortCount } from "../../ui/format.ts";
import { Empty } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { HealthStrip } from "./health-strip.tsx";
import { PricedModelDrawer } from "./priced-model-drawer.tsx";
import { PRICING_TEXTS } from "./texts.ts";

type Model = Schemas["PricedModel"];

const TONES: Record<Model["state"], Tone> = {
  up: "good",
  degraded: "warn",
  down: "bad",
  unknown: "neutral",
};
/** Rates of models that are not paid by the token. */
const UNIT_RATES = ["second", "image", "reference_image", "character", "search"] as const;
const REFRESH_MS = 60_000;

/** The page of visitors without a login, if the owner turned it on: models, prices and health. */
export function Pricing() {
  const t = useTexts(PRICING_TEXTS);
  const [params, setParams] = useQueryState();
  const models = hooks.useQuery(
    "get",
    "/api/pricing",
    {},
    {
      retry: false,
      refetchInterval: REFRESH_MS,
    },
  );
  useEffect(() => {
    document.title = `${t.title} · Sluice`;
  }, [t.title]);
  const all = models.data?.data.items;
  const wanted = (params.get("q") ?? "").toLowerCase();
  const kind = params.get("kind") ?? "";
  const kinds = [...new Set(all?.flatMap((model) => model.kind ?? []))].toSorted();
  const shown = all?.filter(
    (model) => model.name.toLowerCase().includes(wanted) && (kind === "" || model.kind === kind),
  );
  const open = all?.find(({ name }) => name === params.get("model"));
  const isClosed = models.error instanceof ApiError && models.error.status === 404;
  return (
    <div className="h-dvh overflow-y-auto">
      <main id="main" className="mx-auto flex max-w-6xl flex-col gap-3 p-3 sm:p-5">
        <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <div className="mr-auto">
            <p translate="no" className="text-accent text-sm font-semibold">
              Sluice
            </p>
            <h1 className="text-lg">{t.title}</h1>
          </div>
          <Link
            href="/login"
            className="text-accent inline-flex min-h-6 items-center text-sm hover:underline"
          >
            {t.toLogin}
          </Link>
        </header>
        {isClosed ? (
          <Empty title={t.closed}>
            <p>{t.closedHint}</p>
          </Empty>
        ) : (
          <>
            <p className="text-muted text-sm">{t.hint}</p>
            <Filters>
              <SearchInput label={t.search} />
              <Select
                aria-label={t.kind}
                className="w-40"
                value={kind}
                onChange={(event) => setParams({ kind: event.target.value })}
                choices={[
                  { value: "", label: t.anyKind },
                  ...kinds.map((value) => ({ value, label: value })),
                ]}
              />
            </Filters>
            {models.error !== null && (
              <Problem error={models.error} onRetry={() => void models.refetch()} />
            )}
            <Table
              label={t.label}
              columns={columnsOf(t)}
              rows={shown}
              rowKey={({ name }) => name}
              href={({ name }) => {
                const next = new URLSearchParams(params);
                next.set("model", name);
                return `/pricing?${next}`;
              }}
              isMarked={({ name }) => name === open?.name}
              empty={<Empty title={t.nothing} />}
            />
          </>
        )}
        <Preferences />
      </main>
      {open !== undefined && (
        <PricedModelDrawer model={open} onClose={() => setParams({ model: undefined })} />
      )}
    </div>
  );
}

function columnsOf(t: Translated<typeof PRICING_TEXTS.en>): readonly Column<Model>[] {
  const rate = (name: "input" | "output" | "cached_input", label: string): Column<Model> => ({
    name,
    label,
    align: "end",
    width: "6.5rem",
    cell: ({ price }) => (price === null || !isByToken(price) ? "–" : money(price[name])),
  });
  return [
    { name: "model", label: t.model, width: "13rem", cell: ({ name }) => name },
    { name: "kind", label: t.kind, width: "6rem", from: "lg", cell: ({ kind }) => kind ?? "–" },
    rate("input", t.input),
    rate("output", t.output),
    { ...rate("cached_input", t.cached), from: "lg" },
    {
      name: "other",
      label: t.other,
      from: "lg",
      cell: ({ price }) => <span title={otherRates(price, t)}>{otherRates(price, t)}</span>,
    },
    {
      name: "context",
      label: t.context,
      align: "end",
      width: "5.5rem",
      cell: ({ context }) => (context === null ? "–" : shortCount(context)),
    },
    {
      name: "health",
      label: t.health,
      width: "6rem",
      cell: ({ state }) => <Badge tone={TONES[state]}>{t.states[state]}</Badge>,
    },
    {
      name: "day",
      label: t.day,
      width: "8.5rem",
      from: "sm",
      cell: ({ hours, available }) => (
        <HealthStrip
          hours={hours}
          label={available === null ? t.noCalls : t.available(percent(available))}
        />
      ),
    },
  ];
}

function otherRates(price: Model["price"], t: Translated<typeof PRICING_TEXTS.en>): string {
  if (price === null) return t.unpriced;
  const rates = UNIT_RATES.filter((name) => price[name] !== undefined);
  return rates.map((name) => `${t.rates[name]} ${money(price[name])}`).join(", ");
}

/** A model that is paid by the second or picture has token rates of 0, which say nothing. */
function isByToken(price: NonNullable<Model["price"]>): boolean {
  const tokens = (price.input ?? 0) + (price.output ?? 0);
  return tokens > 0 || UNIT_RATES.every((name) => price[name] === undefined);
}
