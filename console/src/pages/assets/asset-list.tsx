import { useState, type ReactNode } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts, type Translated } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { CreateButton } from "../../ui/create-button.tsx";
import { Select } from "../../ui/field.tsx";
import { FilterInput } from "../../ui/filter-input.tsx";
import { Filters } from "../../ui/filters.tsx";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { At } from "../../ui/time.tsx";
import { AssetDrawer } from "./asset-drawer.tsx";
import { pageIn, PAGE_SIZE, STATES, TONES, TYPES, useGroups, type Asset } from "./asset.ts";
import { NewAssetForm } from "./new-asset-form.tsx";
import { Pager } from "./pager.tsx";
import { bytes } from "./size.ts";
import { ASSET_TEXTS } from "./texts.ts";

/** Pending assets change by themselves. */
const REFRESH_MS = 5_000;

export function AssetList({ tabs, isAll }: { readonly tabs: ReactNode; readonly isAll: boolean }) {
  const t = useTexts(ASSET_TEXTS);
  const [params, setParams] = useQueryState();
  const [isNew, setNew] = useState(false);
  const groups = useGroups();
  const query = queryOf(params, isAll);
  const path = isAll ? "/api/asset" : "/api/asset/self";
  const assets = hooks.useQuery(
    "get",
    path as "/api/asset/self",
    { params: { query } },
    {
      refetchInterval: ({ state }) =>
        state.data?.data.items.some((each) => each.state === "pending") === true && REFRESH_MS,
    },
  );
  const rows = assets.data?.data.items as readonly Asset[] | undefined;
  const open = rows?.find(({ id }) => id === params.get("asset"));
  const isFiltered = ["state", "type", "group", "name", "user"].some((name) => params.has(name));
  return (
    <PageFrame
      title={t.title}
      equal={{ path, query }}
      {...(isAll ? { command: "sluice assets list" } : {})}
      actions={!isAll && <CreateButton onClick={() => setNew(true)}>{t.add}</CreateButton>}
    >
      {tabs}
      <AssetFilters isAll={isAll} groups={groups} />
      {assets.error !== null && (
        <Problem error={assets.error} onRetry={() => void assets.refetch()} />
      )}
      <Table
        label={t.label}
        columns={columnsOf(t, isAll, new Map(groups.map(({ id, name }) => [id, name])))}
        rows={rows}
        rowKey={({ id }) => id}
        href={({ id }) => {
          const next = new URLSearchParams(params);
          next.set("asset", id);
          return `/assets?${next}`;
        }}
        isMarked={({ id }) => id === open?.id}
        empty={
          <Empty title={isFiltered ? t.nothing : t.empty}>
            <p>{t.emptyHint}</p>
          </Empty>
        }
      />
      <Pager total={assets.data?.data.total} />
      {isNew && <NewAssetForm groups={groups} onClose={() => setNew(false)} />}
      {open !== undefined && (
        <AssetDrawer
          key={open.id}
          asset={open}
          group={groups.find(({ id }) => id === open.group_id)?.name}
          isOwn={!isAll}
          onClose={() => setParams({ asset: undefined })}
        />
      )}
    </PageFrame>
  );
}

function queryOf(params: URLSearchParams, isAll: boolean) {
  const state = STATES.find((each) => each === params.get("state"));
  const type = TYPES.find((each) => each === params.get("type"));
  const group = params.get("group") ?? "";
  const name = params.get("name") ?? "";
  const user = Number(params.get("user"));
  return {
    p: pageIn(params),
    page_size: PAGE_SIZE,
    ...(state === undefined ? {} : { state }),
    ...(type === undefined ? {} : { type }),
    ...(group === "" ? {} : { group }),
    ...(name === "" ? {} : { name }),
    ...(isAll && user > 0 ? { user } : {}),
  };
}

function AssetFilters({
  isAll,
  groups,
}: {
  readonly isAll: boolean;
  readonly groups: readonly { readonly id: string; readonly name: string }[];
}) {
  const t = useTexts(ASSET_TEXTS);
  const [params, setParams] = useQueryState();
  const set = (name: string, value: string): void => setParams({ [name]: value, p: undefined });
  const texts = [["name", t.nameSearch] as const, ...(isAll ? [["user", t.userId] as const] : [])];
  return (
    <Filters>
      {texts.map(([name, label]) => (
        <FilterInput
          key={name}
          label={label}
          className="w-44"
          value={params.get(name) ?? ""}
          onDone={(value) => set(name, value)}
        />
      ))}
      <Select
        aria-label={t.state}
        className="w-36"
        value={params.get("state") ?? ""}
        onChange={(event) => set("state", event.target.value)}
        choices={[
          { value: "", label: t.anyState },
          ...STATES.map((value) => ({ value, label: t.states[value] })),
        ]}
      />
      <Select
        aria-label={t.type}
        className="w-36"
        value={params.get("type") ?? ""}
        onChange={(event) => set("type", event.target.value)}
        choices={[
          { value: "", label: t.anyType },
          ...TYPES.map((value) => ({ value, label: t.types[value] })),
        ]}
      />
      {!isAll && (
        <Select
          aria-label={t.group}
          className="w-44"
          value={params.get("group") ?? ""}
          onChange={(event) => set("group", event.target.value)}
          choices={[
            { value: "", label: t.anyGroup },
            ...groups.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
    </Filters>
  );
}

function columnsOf(
  t: Translated<typeof ASSET_TEXTS.en>,
  isAll: boolean,
  groups: ReadonlyMap<string, string>,
): readonly Column<Asset>[] {
  return [
    { name: "name", label: t.name, width: "13rem", cell: ({ name, id }) => name || id },
    {
      name: "state",
      label: t.state,
      width: "6.5rem",
      cell: ({ state, error }) => (
        <Badge tone={TONES[state]} title={error?.message}>
          {t.states[state]}
        </Badge>
      ),
    },
    { name: "type", label: t.type, width: "6.5rem", cell: ({ type }) => t.types[type] },
    isAll
      ? {
          name: "user",
          label: t.user,
          width: "9rem",
          cell: ({ user_name: name, user_id: id }) => name ?? id,
        }
      : {
          name: "group",
          label: t.group,
          width: "11rem",
          cell: ({ group_id: id }) => groups.get(id) ?? id,
        },
    {
      name: "place",
      label: t.place,
      from: "lg",
      cell: ({ channel }) => (channel === null ? t.gateway : t.channel(channel)),
    },
    {
      name: "size",
      label: t.size,
      align: "end",
      width: "7rem",
      cell: ({ size_bytes: size }) => bytes(size),
    },
    {
      name: "created",
      label: t.created,
      width: "9rem",
      cell: (asset) => <At at={asset.created_at} />,
    },
  ];
}
