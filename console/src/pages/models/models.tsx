import { FileUp } from "lucide-react";
import { useLocation, useRoute } from "wouter";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Filters } from "../../ui/filters.tsx";
import { SearchInput } from "../../ui/search-input.tsx";
import { count, money, shortCount } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ModelDrawer } from "./model-drawer.tsx";
import { PriceImport } from "./price-import.tsx";
import { MODEL_TEXTS } from "./texts.ts";
import { UnpricedModels } from "./unpriced.tsx";

export type Model = Schemas["ModelEntry"];

/** Models with their prices, source and channels; those without a price apart. */
export function Page() {
  const t = useTexts(MODEL_TEXTS);
  const mayChange = isAtLeast(useUser().role, "admin");
  const [params, setParams] = useQueryState();
  const [, opened] = useRoute("/models/:name");
  const [, navigate] = useLocation();
  const models = hooks.useQuery("get", "/api/model");
  const catalog = hooks.useQuery("get", "/api/catalog", {}, { staleTime: Infinity });
  const all = models.data?.data.items;
  const unpriced = all?.filter(({ served_by }) => served_by.some((each) => each.unpriced));
  const isUnpriced = params.get("tab") === "unpriced";
  const wanted = (params.get("q") ?? "").toLowerCase();
  const shown = all?.filter(
    ({ name, served_by }) =>
      name.toLowerCase().includes(wanted) ||
      served_by.some(({ channel }) => channel.toLowerCase().includes(wanted)),
  );
  const search = params.size === 0 ? "" : `?${params}`;
  const hrefOf = (name: string): string => `/models/${encodeURIComponent(name)}${search}`;
  const current = all?.find(({ name }) => name === decodeURIComponent(opened?.name ?? ""));
  const facts = catalog.data?.data;
  return (
    <PageFrame
      title={t.title}
      equal={
        isUnpriced ? { path: "/api/price/unpriced", query: { all: true } } : { path: "/api/model" }
      }
      actions={
        mayChange && (
          <Button icon={<FileUp size={14} />} onClick={() => setParams({ import: "1" })}>
            {t.importPrices}
          </Button>
        )
      }
      command={isUnpriced ? "sluice prices unpriced --all" : "sluice models list"}
    >
      <Tabs
        label={t.title}
        value={isUnpriced ? "unpriced" : "all"}
        tabs={[
          { value: "all", label: t.tabs.all },
          { value: "unpriced", label: t.tabs.unpriced(count(unpriced?.length)) },
        ]}
        onChange={(tab) => setParams({ tab: tab === "all" ? undefined : tab })}
      />
      <Filters>
        <SearchInput label={t.search} className="w-72" />
        {facts !== undefined && (
          <span className={facts.is_old ? "text-warn text-sm" : "text-muted text-sm"}>
            {facts.is_old ? t.old : t.catalog(facts.updated ?? facts.shipped)}
          </span>
        )}
      </Filters>
      {models.error !== null && (
        <Problem error={models.error} onRetry={() => void models.refetch()} />
      )}
      {isUnpriced ? (
        <UnpricedModels wanted={wanted} mayChange={mayChange} hrefOf={hrefOf} />
      ) : (
        <Table
          label={`${t.label}. ${t.perMillion}.`}
          columns={columnsOf(t)}
          rows={shown}
          rowKey={({ name }) => name}
          href={({ name }) => hrefOf(name)}
          isMarked={({ name }) => name === current?.name}
          fills
          empty={<Empty title={all?.length === 0 ? `${t.empty}. ${t.emptyHint}` : t.none} />}
        />
      )}
      {mayChange && params.has("import") && (
        <PriceImport onClose={() => setParams({ import: undefined })} />
      )}
      {current !== undefined && (
        <ModelDrawer
          model={current}
          mayChange={mayChange}
          onClose={() => navigate(`/models${search}`)}
        />
      )}
    </PageFrame>
  );
}

type Texts = ReturnType<typeof useTexts<typeof MODEL_TEXTS.en>>;

const UNITS = ["second", "image", "character", "search"] as const;

function columnsOf(t: Texts): readonly Column<Model>[] {
  const rate = (model: Model, name: "input" | "output" | "cached_input"): string => {
    const [first] = model.served_by;
    if (first === undefined || first.price === null) return "–";
    const { price } = first;
    if (price.input !== 0 || price.output !== 0) return money(price[name]);
    // Tokens cost nothing: it is charged by another unit.
    const unit = UNITS.find((each) => price[each] !== undefined);
    if (unit === undefined) return money(price[name]);
    return name === "output" ? t.unit[unit](money(price[unit])) : "–";
  };
  return [
    {
      name: "name",
      label: t.name,
      width: "16rem",
      cell: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      name: "kind",
      label: t.kind,
      width: "6rem",
      from: "sm",
      cell: ({ served_by: [first] }) => first?.kind ?? "–",
    },
    {
      name: "served",
      label: t.servedBy,
      from: "sm",
      cell: ({ served_by }) => served_by.map(({ channel }) => channel).join(", "),
    },
    {
      name: "input",
      label: t.input,
      width: "6rem",
      align: "end",
      cell: (model) => rate(model, "input"),
    },
    {
      name: "cached",
      label: t.cached,
      width: "7rem",
      align: "end",
      from: "lg",
      cell: (model) => rate(model, "cached_input"),
    },
    {
      name: "output",
      label: t.output,
      width: "9rem",
      align: "end",
      cell: (model) => rate(model, "output"),
    },
    {
      name: "context",
      label: t.context,
      width: "6rem",
      align: "end",
      from: "lg",
      cell: ({ served_by: [first] }) =>
        first?.context === null || first === undefined ? "–" : shortCount(first.context),
    },
    {
      name: "abilities",
      label: t.abilities,
      width: "12rem",
      from: "xl",
      cell: ({ served_by: [first], override }) => (
        <span className="flex gap-1">
          {first?.unpriced === true && <Badge tone="warn">{t.unpriced}</Badge>}
          {first?.tools === true && <Badge>{t.tools}</Badge>}
          {first?.reasoning === true && <Badge>{t.reasoning}</Badge>}
          {override !== null && <Badge tone="info">{t.overridden}</Badge>}
        </span>
      ),
    },
  ];
}
